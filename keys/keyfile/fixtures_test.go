package keyfile_test

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/pem"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"filippo.io/age"
	"filippo.io/age/armor"
	"golang.org/x/crypto/ssh"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/keyfile"
)

const (
	// The example of SPEC.md, section 9.2.
	keyHex  = "000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F"
	keyLine = "LICET-SECRET-KEY-1-MINT-HS256-8-CA3F2093E4FE1455-" + keyHex + "-8A9BA4AB"

	phrase = "korrekt pferd batterie"
)

var (
	alice, bob = newIdentity(), newIdentity()
	hybrid     = must(age.GenerateHybridIdentity())
	_, ed, _   = ed25519.GenerateKey(rand.Reader)

	// The name of a secret and a part of it that no error may quote.
	secrets = map[string]string{
		"the key":          keyHex[2:12],
		"a passphrase":     phrase[4:12],
		"Alice's identity": alice.String()[24:34],
		"Bob's identity":   bob.String()[24:34],
		"a hybrid":         hybrid.String()[24:34],
	}
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func newIdentity() *age.X25519Identity { return must(age.GenerateX25519Identity()) }

var theKey = must(keys.ParsePrivateKey(keyLine))

// refused checks that err has every part of want, is one of the sentinels only when
// that is given, and quotes no secret.
func refused(t *testing.T, err error, sentinel error, want ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %q", want)
	}
	noSecret(t, err)
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q lacks %q", err, w)
		}
	}
	for _, s := range []error{keyfile.ErrNoMatch, keyfile.ErrDamaged} {
		if is(err, s) != (s == sentinel) {
			t.Errorf("error %q: is %q: %v", err, s, is(err, s))
		}
	}
}

func noSecret(t *testing.T, err error) {
	t.Helper()
	text := strings.ToLower(err.Error())
	for name, s := range secrets {
		if strings.Contains(text, strings.ToLower(s)) {
			t.Errorf("error quotes %s: %s", name, text)
		}
	}
}

// file writes data to a new file and returns its path.
func file(t testing.TB, data string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// sealed returns text encrypted with age, as binary.
func sealed(text string, recipients ...age.Recipient) string {
	var buf bytes.Buffer
	w := must(age.Encrypt(&buf, recipients...))
	must(io.WriteString(w, text))
	if err := w.Close(); err != nil {
		panic(err)
	}
	return buf.String()
}

func armored(binary string) string {
	var buf bytes.Buffer
	w := armor.NewWriter(&buf)
	must(io.WriteString(w, binary))
	if err := w.Close(); err != nil {
		panic(err)
	}
	return buf.String()
}

func phraseRecipient() age.Recipient { return must(keyfile.PassphraseRecipient(phrase)) }

func phraseIdentity(s string) age.Identity { return must(keyfile.PassphraseIdentity(s)) }

func utf16(s string) string {
	out := "\xff\xfe"
	for _, c := range []byte(s) {
		out += string([]byte{c, 0})
	}
	return out
}

func crlf(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }

// sshKey is an SSH key as ssh-keygen writes it.
type sshKey struct{ private, public string }

var sshKeys = sync.OnceValue(func() map[string]sshKey {
	r := must(rsa.GenerateKey(rand.Reader, 2048))
	e := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	return map[string]sshKey{
		"ed25519": newSSH(ed, ed.Public()),
		"rsa":     newSSH(r, r.Public()),
		"ecdsa":   newSSH(e, e.Public()),
	}
})

func newSSH(private crypto.PrivateKey, public crypto.PublicKey) sshKey {
	return sshKey{
		private: string(pem.EncodeToMemory(must(ssh.MarshalPrivateKey(private, "comment")))),
		public:  string(ssh.MarshalAuthorizedKey(must(ssh.NewPublicKey(public)))),
	}
}

// lockedEd25519 is the same private key with a passphrase.
var lockedEd25519 = sync.OnceValue(func() string {
	return string(pem.EncodeToMemory(must(ssh.MarshalPrivateKeyWithPassphrase(ed, "comment", []byte(phrase)))))
})

// lockedForGood returns an SSH private key that no passphrase opens, and on which
// each costs less time than on a real one.
func lockedForGood(public string) string {
	k, _, _, _, err := ssh.ParseAuthorizedKey([]byte(public))
	if err != nil {
		panic(err)
	}
	data := ssh.Marshal(struct {
		Cipher, KDF, Options string
		N                    uint32
		Public, Private      []byte
	}{
		"aes256-ctr", "bcrypt", string(ssh.Marshal(struct {
			Salt   string
			Rounds uint32
		}{"0123456789abcdef", 1})),
		1, k.Marshal(), make([]byte, 160),
	})
	return string(pem.EncodeToMemory(&pem.Block{Type: "OPENSSH PRIVATE KEY", Bytes: append([]byte("openssh-key-v1\x00"), data...)}))
}
