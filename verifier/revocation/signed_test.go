package revocation_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/note"
	"github.com/licet-dev/licet/verifier/revocation"
)

func TestSignOpen(t *testing.T) {
	for name, l := range map[string]*revocation.List{"full": full(), "empty": listOf()} {
		data := must(revocation.Sign(l, listKey("list")))
		if !bytes.Equal(data, must(revocation.Sign(l, listKey("list")))) {
			t.Errorf("%s: signed twice, two notes", name)
		}
		for _, state := range []keys.State{keys.Active, keys.Closed} {
			if got, err := revocation.Open(data, newRing("Acme Tools", state)); err != nil || !got.Equal(l) {
				t.Errorf("%s, by a key that is %s: %v", name, state, err)
			}
		}
		if got, err := revocation.Open(bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n")), ring); err != nil || !got.Equal(l) {
			t.Errorf("%s with CRLF: %v", name, err)
		}
	}
}

func TestSignKey(t *testing.T) {
	receipt := must(keys.NewRoleKey(keys.Receipt, must(listKey("list").ECDSA())))
	if data, err := revocation.Sign(full(), receipt); err == nil || data != nil {
		t.Error("signed with a receipt key")
	}
}

// TestOpenRefuses has what may happen to a list that was good.
func TestOpenRefuses(t *testing.T) {
	good := string(must(revocation.Sign(full(), listKey("list"))))
	replace := func(old, replacement string) string {
		if strings.Count(good, old) != 1 {
			t.Fatalf("the list has %q %d times", old, strings.Count(good, old))
		}
		return strings.Replace(good, old, replacement, 1)
	}
	const one, two = "revoked ca3f2093e4fe1455 7 2000 2000\n", "revoked ca3f2093e4fe1455 7 2042 2042\n"
	for name, tt := range map[string]struct {
		data string
		ring *keys.Ring
		want error
	}{
		"empty":                {"", ring, note.Malformed},
		"unsigned":             {fullText, ring, note.Malformed},
		"last byte missing":    {good[:len(good)-1], ring, note.Malformed},
		"last line missing":    {good[:strings.LastIndex(good, "\n—")+1], ring, note.Malformed},
		"half of it":           {good[:len(good)/2], ring, note.Malformed},
		"a byte more":          {good + "\n", ring, note.Malformed},
		"byte order mark":      {"\ufeff" + good, ring, note.Malformed},
		"UTF-16 mark":          {"\xff\xfe" + good, ring, note.Malformed},
		"lines exchanged":      {replace(one+two, two+one), ring, note.BadSignature},
		"line dropped":         {replace(two, ""), ring, note.BadSignature},
		"line added":           {replace(two, two+"revoked ca3f2093e4fe1455 7 3000 3000\n"), ring, note.BadSignature},
		"number changed":       {replace("2042 2042", "2042 2043"), ring, note.BadSignature},
		"other issuer":         {replace("Acme Tools", "Evil Tools"), ring, note.BadSignature},
		"CR alone":             {strings.ReplaceAll(good, "\n", "\r"), ring, note.Malformed},
		"CR CR LF":             {strings.ReplaceAll(good, "\n", "\r\r\n"), ring, note.Malformed},
		"another key":          {string(must(revocation.Sign(full(), listKey("other")))), ring, note.NoSignature},
		"withdrawn key":        {good, newRing("Acme Tools", keys.Withdrawn), note.KeyWithdrawn},
		"ring of other issuer": {good, newRing("Acme tools", keys.Active), revocation.OtherIssuer},
	} {
		l, err := revocation.Open([]byte(tt.data), tt.ring)
		if !errors.Is(err, tt.want) || l != nil {
			t.Errorf("%s: list %v, error %v; want %v", name, l != nil, err, tt.want)
		}
	}
	_, err := revocation.Open([]byte(good), newRing("Acme tools", keys.Active))
	isError(t, err, revocation.OtherIssuer, 2, `"Acme tools"`)
	if l, err := revocation.Open([]byte(good), nil); err == nil || l != nil {
		t.Error("opened without a ring")
	}
}

// TestOpenText has texts that a list key signed and that are no list. An error is
// never an empty list.
func TestOpenText(t *testing.T) {
	for text, want := range map[string]revocation.Reason{
		"licet-manifest/v1\nAcme Tools\n": revocation.Manifest,
		"licet-revocations/v2\n":          revocation.LaterFormat,
		"\n":                              revocation.Malformed,
		fullText + "\n":                   revocation.Malformed,
		"\n" + fullText:                   revocation.Malformed,
		fullText + fullText:               revocation.Malformed,
		strings.Replace(fullText, "1000 1999", "1000 2000", 1): revocation.BadOrder,
		strings.Replace(fullText, "1000 1999", "1000 0999", 1): revocation.BadValue,
		strings.Replace(fullText, "Acme", "Evil", 1):           revocation.OtherIssuer,
	} {
		l, err := revocation.Open(must(note.Sign(text, listKey("list"))), ring)
		if !errors.Is(err, want) || l != nil {
			t.Errorf("%.40q: list %v, error %v; want %s", text, l != nil, err, want)
		}
	}
}

// TestOpenMangled changes every byte of a list, and cuts it at every one.
func TestOpenMangled(t *testing.T) {
	good := must(revocation.Sign(full(), listKey("list")))
	for i := range good {
		if l, err := revocation.Open(good[:i], ring); err == nil || l != nil {
			t.Fatalf("the first %d bytes opened", i)
		}
		for x := 1 + i%50; x < 256; x += 50 {
			b := bytes.Clone(good)
			b[i] ^= byte(x)
			if l, err := revocation.Open(b, ring); err == nil || l != nil {
				t.Fatalf("%q: opened", b)
			}
		}
	}
}

// The list must not change with the bytes it was read from.
func TestOpenCopies(t *testing.T) {
	data := must(revocation.Sign(full(), listKey("list")))
	l := must(revocation.Open(data, ring))
	clear(data)
	if !l.Equal(full()) {
		t.Error("the list changed")
	}
}
