package keyfile_test

import (
	"bytes"
	"strings"
	"testing"

	"filippo.io/age"

	"github.com/licet-dev/licet/keys/keyfile"
)

// mangled checks what became of a changed key file: the same key, or an error.
func mangled(t *testing.T, data []byte, id age.Identity, what string, at int) {
	t.Helper()
	key, err := keyfile.ReadBytes(data, id)
	if err == nil && !key.Equal(theKey) {
		t.Fatalf("%s at %d: another key: %v", what, at, key)
	}
	if err != nil {
		noSecret(t, err)
	}
}

func TestMangled(t *testing.T) {
	t.Parallel()
	binary := sealed(keyLine+"\n", alice.Recipient())
	header := must(age.ExtractHeader(strings.NewReader(binary)))
	// Takes any stanza, so the rest of the header must protect it. It is fast too.
	generous := age.NewInjectedFileKeyIdentity(must(age.DecryptHeader(header, alice)))
	for name, text := range map[string]string{"binary": binary, "armored": armored(binary)} {
		data := []byte(text)
		t.Run(name, func(t *testing.T) {
			for i := range data {
				b := bytes.Clone(data)
				for bit := range 8 {
					b[i] = data[i] ^ 1<<bit
					mangled(t, b, generous, "flipped bit", i)
				}
				for x := 1; x < 256 && name == "armored"; x += stride {
					b[i] = data[i] ^ byte(x)
					mangled(t, b, generous, "changed byte", i)
				}
				b[i] = data[i] ^ 1
				mangled(t, b, alice, "changed byte", i)
				mangled(t, append(bytes.Clone(data[:i]), data[i+1:]...), alice, "missing byte", i)
				mangled(t, append(bytes.Clone(data[:i+1]), data[i:]...), alice, "doubled byte", i)
			}
		})
	}
}

func TestTruncated(t *testing.T) {
	binary := sealed(keyLine+"\n", alice.Recipient())
	for name, text := range map[string]string{"binary": binary, "armored": armored(binary)} {
		for n := range len(text) {
			key, err := keyfile.ReadBytes([]byte(text[:n]), alice)
			if err == nil && !(name == "armored" && n == len(text)-1 && key.Equal(theKey)) { // only the final newline
				t.Errorf("%s: read with %d of %d bytes", name, n, len(text))
			}
			if err != nil && !is(err, keyfile.ErrDamaged) {
				t.Errorf("%s: %d bytes: %v", name, n, err)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	binary := sealed(keyLine+"\n", alice.Recipient())
	for _, s := range []string{
		"", keyLine, binary, armored(binary), crlf(armored(binary)), crlf(binary), "\ufeff" + armored(binary), utf16("x"),
		sealed("", alice.Recipient()), sealed(keyLine, phraseRecipient()), armored(sealed(keyLine, hybrid.Recipient())),
		alice.String(), alice.Recipient().String(), `{"format": "licet-ring/v1"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		key, err := keyfile.ReadBytes(data, alice)
		switch {
		case err != nil:
			noSecret(t, err)
		case !key.Equal(theKey): // nobody else encrypts to Alice
			t.Errorf("another key: %v", key)
		}
	})
}
