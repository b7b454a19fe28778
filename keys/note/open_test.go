package note_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/asn1"
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
	"runtime"
	"strings"
	"testing"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/note"
)

func signed(name string) []byte { return must(note.Sign(text, listKey(name))) }

func TestOpenKeys(t *testing.T) {
	wrong := must(note.Sign("something else\n", listKey("active")))
	wrongSecond := must(note.Sign("something else\n", listKey("second")))
	wrongWithdrawn := must(note.Sign("something else\n", listKey("withdrawn")))
	unknown := signed("nobody's")
	under := func(data []byte) []byte { return append([]byte(text+"\n"), signatureLine(data)...) }
	for name, tt := range map[string]struct {
		note   []byte
		signer string
		reason note.Reason
		key    string // that the error names
	}{
		"active":                        {signed("active"), "active", "", ""},
		"closed":                        {signed("closed"), "closed", "", ""},
		"withdrawn":                     {signed("withdrawn"), "", note.KeyWithdrawn, "withdrawn"},
		"unknown":                       {unknown, "", note.NoSignature, ""},
		"wrong":                         {under(wrong), "", note.BadSignature, "active"},
		"wrong and withdrawn":           {under(wrongWithdrawn), "", note.KeyWithdrawn, "withdrawn"},
		"two":                           {cosign(signed("second"), signed("active")), "second", "", ""},
		"the same twice":                {cosign(signed("active"), signed("active")), "active", "", ""},
		"unknown, active":               {cosign(unknown, signed("active")), "active", "", ""},
		"active, unknown":               {cosign(signed("active"), unknown), "active", "", ""},
		"withdrawn, active":             {cosign(signed("withdrawn"), signed("active")), "active", "", ""},
		"active, withdrawn":             {cosign(signed("active"), signed("withdrawn")), "active", "", ""},
		"active, withdrawn and wrong":   {cosign(signed("active"), wrongWithdrawn), "active", "", ""},
		"unknown, withdrawn":            {cosign(unknown, signed("withdrawn")), "", note.KeyWithdrawn, "withdrawn"},
		"active, wrong":                 {cosign(signed("active"), wrongSecond), "", note.BadSignature, "second"},
		"wrong, active":                 {cosign(under(wrongSecond), signed("active")), "", note.BadSignature, "second"},
		"active, the same key wrong":    {cosign(signed("active"), wrong), "", note.BadSignature, "active"},
		"withdrawn, wrong":              {cosign(signed("withdrawn"), wrong), "", note.BadSignature, "active"},
		"another kind of note cosigned": {append(signed("active"), "— witness.example/a QkJCQkJCQkJCQg==\n"...), "active", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, data := range []string{string(tt.note), crlf(string(tt.note))} {
				if tt.reason == "" {
					opens(t, data, ring, text, tt.signer)
					continue
				}
				e := refused(t, data, ring, tt.reason)
				var want keys.ID
				if tt.key != "" {
					want = listKey(tt.key).ID()
				}
				if e.Key != want {
					t.Errorf("error names key %s, want %s", e.Key, want)
				}
			}
		})
	}
}

// TestOpenRoles has the bytes of one key in every role. Only the list key counts.
func TestOpenRoles(t *testing.T) {
	same := ecKey("active")
	data := string(signed("active"))
	receipt := must(keys.NewRoleKey(keys.Receipt, same))
	mint := must(keys.NewES256(must(keys.ParseDescriptor(esDescriptor)), same))
	opens(t, data, newRing(ringKey(listKey("active"), keys.Active)), text, "active")
	for _, k := range []keys.PrivateKey{receipt, mint} {
		for _, s := range []keys.State{keys.Active, keys.Closed, keys.Withdrawn} {
			refused(t, data, newRing(ringKey(k, s)), note.NoSignature)
			refused(t, data, newRing(ringKey(k, s), ringKey(listKey("second"), keys.Active)), note.NoSignature)
		}
	}
	refused(t, data, newRing(), note.NoSignature)
}

// TestOpenNames changes one of the two names of a key, its name and its hash.
func TestOpenNames(t *testing.T) {
	for _, name := range []string{"licet-lis", "licet-listen", "Licet-list", "licet_list", "licet‐list", "x"} {
		refused(t, text+"\n"+byHand(name, text, ecKey("active")), ring, note.NoSignature)
	}
	raw := []byte(signatureLine(signed("active")))
	for i := range 4 {
		b := must(base64.StdEncoding.DecodeString(strings.TrimSpace(strings.TrimPrefix(string(raw), "— licet-list "))))
		b[i] ^= 1
		refused(t, text+"\n— licet-list "+base64.StdEncoding.EncodeToString(b)+"\n", ring, note.NoSignature)
	}
}

func TestOpenMalformed(t *testing.T) {
	sig := signatureLine(signed("active"))
	encoded := strings.TrimSuffix(strings.TrimPrefix(sig, "— licet-list "), "\n")
	for name, tt := range map[string]struct {
		note string
		line int
		want string
	}{
		"empty":                      {"", 0, "empty"},
		"text only":                  {text, 4, "not of the form"},
		"text without blank line":    {"a\nb\n", 0, "not signed"},
		"no blank line":              {"a\n" + sig, 0, "no blank line"},
		"nothing below":              {text + "\n", 6, "no signature below"},
		"a line below":               {text + "\n" + sig + "x\n", 7, "not of the form"},
		"a blank line below":         {text + "\n" + sig + "\n", 8, "no signature below"},
		"no newline":                 {text + "\n" + strings.TrimSuffix(sig, "\n"), 6, "no newline"},
		"byte order mark":            {"\ufeff" + text + "\n" + sig, 1, "byte order mark"},
		"UTF-16":                     {"\xff\xfea\x00\n\x00", 1, "not UTF-8"},
		"CR":                         {strings.ReplaceAll(text+"\n"+sig, "\n", "\r"), 1, "code 13"},
		"CR CR LF":                   {strings.Replace(text+"\n"+sig, "\n", "\r\r\n", 1), 1, "code 13"},
		"tab for space":              {text + "\n" + strings.Replace(sig, "list ", "list\t", 1), 6, "code 9"},
		"hyphen for dash":            {text + "\n" + strings.Replace(sig, "—", "-", 1), 6, "not of the form"},
		"no space after the dash":    {text + "\n" + strings.Replace(sig, "— ", "—", 1), 6, "not of the form"},
		"two spaces after the dash":  {text + "\n" + strings.Replace(sig, "— ", "—  ", 1), 6, "name"},
		"no name":                    {text + "\n— " + encoded + "\n", 6, "not of the form"},
		"plus in the name":           {text + "\n— licet+list " + encoded + "\n", 6, "name"},
		"a wide space in the name":   {text + "\n— licet\u2003list " + encoded + "\n", 6, "name"},
		"no signature":               {text + "\n— licet-list \n", 6, "cut off"},
		"hash only":                  {text + "\n— licet-list QUJDRA==\n", 6, "4 bytes"},
		"two spaces":                 {text + "\n— licet-list  " + encoded + "\n", 6, "base64"},
		"a space at the end":         {text + "\n— licet-list " + encoded + " \n", 6, "base64"},
		"URL base64":                 {text + "\n— licet-list QUJDRF-_\n", 6, "base64"},
		"no padding":                 {text + "\n— licet-list QUJDREU\n", 6, "base64"},
		"spare bits":                 {text + "\n— licet-list QUJDREV=\n", 6, "base64"},
		"padding after padding":      {text + "\n— licet-list QUJDREU==\n", 6, "base64"},
		"base64 of an unknown key":   {text + "\n" + sig + "— somebody !!!!\n", 7, "base64"},
		"seventeen":                  {text + "\n" + strings.Repeat(sig, 17), 6, "17 signatures"},
		"control character in text":  {"a\x1b[31mb\n\n" + sig, 1, "code 27"},
		"a signature line too long":  {text + "\n— licet-list " + strings.Repeat("QUJD", note.MaxBlock/4) + "\n", 0, "no blank line"},
		"a ring":                     {"{\n  \"format\": \"licet-ring/v1\"\n}\n", 0, "not signed"},
		"Windows newline at the end": {text + "\n" + strings.TrimSuffix(sig, "\n") + "\r", 6, "code 13"},
	} {
		if e := refused(t, tt.note, ring, note.Malformed); e.Line != tt.line || !strings.Contains(e.Error(), tt.want) {
			t.Errorf("%s: error %q of line %d; want line %d, %q", name, e, e.Line, tt.line, tt.want)
		}
	}
	opens(t, text+"\n"+strings.Repeat(sig, 16), ring, text, "active")
	opens(t, crlf(text+"\n"+strings.Repeat(sig, 16)), ring, text, "active")
	opens(t, crlf(text)+"\n"+sig, ring, text, "active") // mixed, as an editor leaves it
	if _, _, err := note.Open(signed("active"), nil); err == nil {
		t.Error("opened without a ring")
	}
}

// TestOpenMangled changes, cuts, and cuts out of, a good note in every way.
func TestOpenMangled(t *testing.T) {
	for _, good := range []string{string(signed("active")), crlf(string(signed("closed")))} {
		for i := range len(good) {
			for j := i; j <= len(good); j++ {
				if (i != 0 || j != len(good)) && (i+j)%stride == 0 {
					mangled(t, good[i:j])
				}
			}
		}
		for i := range len(good) {
			for x := 1 + i%stride; x < 256; x += stride {
				b := []byte(good)
				b[i] ^= byte(x)
				mangled(t, string(b))
			}
		}
	}
}

func mangled(t *testing.T, data string) {
	t.Helper()
	got, key, err := note.Open([]byte(data), ring)
	if _, ok := errors.AsType[*note.Error](err); !ok || got != "" || key.Role() != "" {
		t.Fatalf("%q: text %q, error %v", data, got, err)
	}
}

// TestOpenWrongDER has signatures that are right but for their encoding or range.
func TestOpenWrongDER(t *testing.T) {
	key := ecKey("active")
	digest := sha256.Sum256([]byte(text))
	twice := sha256.Sum256(digest[:])
	r, s := rfc6979(key, digest[:])
	order := elliptic.P256().Params().N
	encode := func(r, s *big.Int) []byte { return must(asn1.Marshal(struct{ R, S *big.Int }{r, s})) }
	good := encode(r, s)
	line := func(der []byte) string {
		hash := must(base64.StdEncoding.DecodeString(strings.TrimSpace(strings.TrimPrefix(byHand(note.KeyName, text, key), "— licet-list "))))[:4]
		return text + "\n— licet-list " + base64.StdEncoding.EncodeToString(append(hash, der...)) + "\n"
	}
	opens(t, line(good), ring, text, "active")
	// Both spellings of a signature are ECDSA, and other signers write either.
	opens(t, line(encode(r, new(big.Int).Sub(order, s))), ring, text, "active")
	zero, one := new(big.Int), big.NewInt(1)
	for name, der := range map[string][]byte{
		"a byte after it": append(good[:len(good):len(good)], 0),
		"cut off":         good[:len(good)-1],
		"one byte":        {0x30},
		"not DER":         append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...),
		"long length":     append([]byte{0x30, 0x81, good[1]}, good[2:]...),
		"r and s of 0":    encode(zero, zero),
		"r of 0":          encode(zero, s),
		"s of 0":          encode(r, zero),
		"r and s of 1":    encode(one, one),
		"r + n":           encode(new(big.Int).Add(r, order), s),
		"s + n":           encode(r, new(big.Int).Add(s, order)),
		"-s":              encode(r, new(big.Int).Neg(s)),
		"n":               encode(order, order),
		"another key's":   must(ecdsa.SignASN1(nil, ecKey("second"), digest[:])),
		"of the digest":   must(ecdsa.SignASN1(nil, key, twice[:])),
	} {
		if e := refused(t, line(der), ring, note.BadSignature); e.Key != listKey("active").ID() {
			t.Errorf("%s: error %v", name, e)
		}
	}
}

func TestOpenLimits(t *testing.T) {
	const most = 1000
	fits := strings.Repeat("x", most-1) + "\n"
	long := "x" + fits
	if _, err := note.SignUpTo(long, listKey("active"), most); !errors.Is(err, note.Malformed) {
		t.Errorf("signed a text of %d bytes: %v", len(long), err)
	}
	data := must(note.SignUpTo(fits, listKey("active"), most))
	for _, data := range []string{string(data), crlf(string(data))} {
		if got, _, err := note.OpenUpTo([]byte(data), ring, most); err != nil || got != fits {
			t.Errorf("a text of %d bytes: %v", most, err)
		}
	}
	data = must(note.Sign(long, listKey("active")))
	if _, _, err := note.OpenUpTo(data, ring, most); !errors.Is(err, note.Malformed) {
		t.Errorf("a text of %d bytes: %v", len(long), err)
	}
	// Signatures of other kinds are long.
	other := "— witness.example/pq " + base64.StdEncoding.EncodeToString(make([]byte, 4+5000)) + "\n"
	opens(t, string(signed("active"))+strings.Repeat(other, 15), ring, text, "active")
	if note.MaxText < 10_000_000*60 {
		t.Errorf("a list of ten million entries does not fit")
	}
	if e := refused(t, strings.Repeat("x", 1<<20)+"\n", ring, note.Malformed); !strings.Contains(e.Error(), "blank line") {
		t.Error(e)
	}
}

// TestOpenMemory counts the copies that Open makes of a large text.
func TestOpenMemory(t *testing.T) {
	large := strings.Repeat("ca3f2093e4fe1455 7 268435455 268435455\n", 100_000)
	data := must(note.Sign(large, listKey("active")))
	for _, tt := range []struct {
		name   string
		data   []byte
		copies float64
	}{
		{"LF", data, 1},
		{"CRLF", []byte(crlf(string(data))), 2},
		{"refused", append([]byte("x"), data...), 0},
	} {
		allocated := allocatedBy(func() { note.Open(tt.data, ring) })
		if copies := float64(allocated) / float64(len(large)); copies > tt.copies+0.1 {
			t.Errorf("%s: %.2f copies of the text, want %.0f", tt.name, copies, tt.copies)
		}
	}
}

func allocatedBy(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func BenchmarkOpen(b *testing.B) {
	for _, entries := range []int{10, 100_000} {
		large := strings.Repeat("ca3f2093e4fe1455 7 268435455 268435455\n", entries)
		data := must(note.Sign(large, listKey("active")))
		b.Run(fmt.Sprint(entries), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if _, _, err := note.Open(data, ring); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
