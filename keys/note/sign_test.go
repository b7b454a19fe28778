package note_test

import (
	"bytes"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"encoding/base64"
	"errors"
	"math/big"
	"strings"
	"testing"
	"unicode"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/note"
)

// TestSignInterop takes a note apart as the C2SP specification says, with none of
// the code under test.
func TestSignInterop(t *testing.T) {
	for _, text := range []string{text, "\n", "\n\n", "a\n", "a\n\n— licet-list AAAA\n", strings.Repeat("x\n", 1<<16)} {
		data := string(must(note.Sign(text, listKey("active"))))
		rest, ok := strings.CutPrefix(data, text+"\n\xe2\x80\x94 licet-list ")
		if !ok {
			t.Fatalf("note %.100q", data)
		}
		raw := must(base64.StdEncoding.Strict().DecodeString(strings.TrimSuffix(rest, "\n")))
		public := &ecKey("active").PublicKey
		spki := sha256.Sum256(must(x509.MarshalPKIXPublicKey(public)))
		if !bytes.Equal(raw[:4], spki[:4]) {
			t.Errorf("key hash %x, want %x", raw[:4], spki[:4])
		}
		digest := sha256.Sum256([]byte(text))
		if !ecdsa.VerifyASN1(public, digest[:], raw[4:]) {
			t.Errorf("the signature of %.100q does not verify", text)
		}
		if r, s := rfc6979(ecKey("active"), digest[:]); !bytes.Equal(raw[4:], must(asn1.Marshal(struct{ R, S *big.Int }{r, s}))) {
			t.Errorf("the signature of %.100q is not that of RFC 6979", text)
		}
		opens(t, data, ring, text, "active")
	}
}

// rfc6979 signs a digest as RFC 6979, section 3.2, says. It is slow and for tests.
func rfc6979(key *ecdsa.PrivateKey, digest []byte) (r, s *big.Int) {
	order := elliptic.P256().Params().N
	d := must(key.Bytes())
	z := new(big.Int).SetBytes(digest)
	mac := func(k []byte, parts ...[]byte) []byte {
		h := hmac.New(sha256.New, k)
		for _, p := range parts {
			h.Write(p)
		}
		return h.Sum(nil)
	}
	seed := append(bytes.Clone(d), new(big.Int).Mod(z, order).FillBytes(make([]byte, 32))...)
	v, k := bytes.Repeat([]byte{1}, 32), make([]byte, 32)
	for _, b := range []byte{0, 1} {
		k = mac(k, v, []byte{b}, seed)
		v = mac(k, v)
	}
	v = mac(k, v) // beyond the order with probability 2^-32 only, and then NewPrivateKey says so
	point := must(ecdh.P256().NewPrivateKey(v)).PublicKey().Bytes()
	nonce := new(big.Int).SetBytes(v)
	r = new(big.Int).SetBytes(point[1:33])
	r.Mod(r, order)
	s = new(big.Int).Mul(r, new(big.Int).SetBytes(d))
	s.Add(s, z).Mul(s, nonce.ModInverse(nonce, order)).Mod(s, order)
	return r, s
}

func TestSignText(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		line int
		want string // "" for a text that can be signed
	}{
		"newline only":     {"\n", 0, ""},
		"blank lines":      {"\n\n\n", 0, ""},
		"other scripts":    {"Ω 許可 🔑\n", 0, ""},
		"a soft hyphen":    {"a\u00adb\u00a0c\n", 0, ""},
		"U+FFFD":           {"a\ufffdb\n", 0, ""},
		"a mark inside":    {"a\ufeffb\n", 0, ""},
		"empty":            {"", 0, "empty"},
		"no newline":       {"a\nb", 2, "no newline"},
		"byte order mark":  {"\ufeffa\n", 1, "byte order mark"},
		"CRLF":             {"a\r\n", 1, "code 13"},
		"CR":               {"a\nb\rc\n", 2, "code 13"},
		"tab":              {"a\n\tb\n", 2, "code 9"},
		"NUL":              {"\x00\n", 1, "code 0"},
		"DEL":              {"a\x7f\n", 1, "code 127"},
		"U+0080":           {"a\u0080\n", 1, "code 128"},
		"U+0085":           {"a\n\nb\u0085\n", 3, "code 133"},
		"U+009F":           {"a\u009f\n", 1, "code 159"},
		"not UTF-8":        {"a\nb\xff\n", 2, "not UTF-8"},
		"a surrogate":      {"\xed\xa0\x80\n", 1, "not UTF-8"},
		"an overlong form": {"\xc0\x8a\n", 1, "not UTF-8"},
		"cut off UTF-8":    {"a\n\xc2", 2, "not UTF-8"},
		"UTF-16":           {"\xff\xfea\x00\n\x00", 1, "not UTF-8"},
	} {
		data, err := note.Sign(tt.text, listKey("active"))
		if tt.want == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			opens(t, string(data), ring, tt.text, "active")
			continue
		}
		e, ok := errors.AsType[*note.Error](err)
		if !ok || data != nil || !errors.Is(err, note.Malformed) || e.Line != tt.line || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %q, error %v; want line %d, %q", name, data, err, tt.line, tt.want)
		}
		// Open refuses the same text, whatever the signature is worth.
		if !strings.Contains(tt.text, "\r\n") && tt.text != "" {
			refused(t, tt.text+"\n"+byHand(note.KeyName, tt.text, ecKey("active")), ring, note.Malformed)
		}
	}
}

func TestSignKeys(t *testing.T) {
	same := ecKey("active")
	for name, key := range map[string]keys.PrivateKey{
		"no key":  {},
		"receipt": must(keys.NewRoleKey(keys.Receipt, same)),
		"mint":    must(keys.NewES256(must(keys.ParseDescriptor(esDescriptor)), same)),
	} {
		if data, err := note.Sign(text, key); err == nil || data != nil {
			t.Errorf("%s: signed", name)
		} else if key.Role() != "" && !strings.Contains(err.Error(), key.ID().String()) {
			t.Errorf("%s: error %q lacks the key", name, err)
		}
	}
}

func TestSignIsDeterministic(t *testing.T) {
	a, b := must(note.Sign(text, listKey("active"))), must(note.Sign(text, listKey("active")))
	if !bytes.Equal(a, b) {
		t.Errorf("%q and %q", a, b)
	}
}

// TestIndexControl has every character with a code below 0x300, and a few above, at
// every place in and beside a word of eight bytes, with others around it.
func TestIndexControl(t *testing.T) {
	chars := []rune{'—', '\ufeff', '\U0001f600', unicode.MaxRune}
	for c := range rune(0x300) {
		chars = append(chars, c)
	}
	for _, filler := range []string{"x", "\n", " ", "~", "é", "\u00a0", "—"} {
		for _, c := range chars {
			for before := range 18 {
				text := strings.Repeat(filler, before)
				want := -1
				if unicode.IsControl(c) && c != '\n' {
					want = len(text)
				}
				text += string(c) + strings.Repeat(filler, 17-before)
				if got := note.IndexControl([]byte(text)); got != want {
					t.Fatalf("%q: %d, want %d", text, got, want)
				}
			}
		}
	}
}
