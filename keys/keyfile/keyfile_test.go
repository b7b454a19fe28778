package keyfile_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"filippo.io/age"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/keyfile"
)

var is = errors.Is

func TestWriteAndRead(t *testing.T) {
	ssh := sshKeys()
	sshID := func(name string) age.Identity {
		return must(keyfile.ReadIdentities(file(t, ssh[name].private), nil))[0]
	}
	sshTo := func(name string) age.Recipient { return must(keyfile.Recipient(ssh[name].public)) }
	for _, test := range []struct {
		name       string
		recipients []age.Recipient
		identities []age.Identity
		phrase     bool
	}{
		{"one recipient", []age.Recipient{alice.Recipient()}, []age.Identity{alice}, false},
		{"two recipients, the first", []age.Recipient{alice.Recipient(), bob.Recipient()}, []age.Identity{alice}, false},
		{"two recipients, the second", []age.Recipient{alice.Recipient(), bob.Recipient()}, []age.Identity{bob}, false},
		{"two identities", []age.Recipient{bob.Recipient()}, []age.Identity{alice, bob}, false},
		{"post-quantum", []age.Recipient{hybrid.Recipient()}, []age.Identity{hybrid}, false},
		{"passphrase", []age.Recipient{phraseRecipient()}, []age.Identity{phraseIdentity(phrase)}, true},
		{"passphrases", []age.Recipient{phraseRecipient()}, []age.Identity{phraseIdentity("x"), alice, phraseIdentity(phrase)}, true},
		{"ssh-ed25519", []age.Recipient{sshTo("ed25519")}, []age.Identity{sshID("ed25519")}, false},
		{"ssh-rsa", []age.Recipient{sshTo("rsa")}, []age.Identity{sshID("rsa")}, false},
		{"all at once", []age.Recipient{sshTo("rsa"), alice.Recipient(), sshTo("ed25519")}, []age.Identity{bob, sshID("ed25519")}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "acme.key")
			if err := keyfile.Write(path, theKey, test.recipients...); err != nil {
				t.Fatal(err)
			}
			data := must(os.ReadFile(path))
			if !bytes.HasPrefix(data, []byte("-----BEGIN AGE ENCRYPTED FILE-----\n")) || !bytes.HasSuffix(data, []byte("-----\n")) {
				t.Errorf("not armored: %q", data)
			}
			got, err := keyfile.Read(path, test.identities...)
			if err != nil || !got.Equal(theKey) {
				t.Errorf("Read: %v, %v", got, err)
			}
			needs, err := keyfile.NeedsPassphrase(path)
			if err != nil || needs != test.phrase {
				t.Errorf("NeedsPassphrase: %v, %v", needs, err)
			}
		})
	}
}

func TestWriteRefuses(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "acme.key")
	many := make([]age.Recipient, 40) // of 1.6 KiB each
	for i := range many {
		many[i] = hybrid.Recipient()
	}
	for _, test := range []struct {
		name       string
		path       string
		key        keys.PrivateKey
		recipients []age.Recipient
		want       string
	}{
		{"no recipients", path, theKey, nil, "acme.key: no recipients"},
		{"no key", path, keys.PrivateKey{}, []age.Recipient{alice.Recipient()}, "no private key given"},
		{"passphrase and more", path, theKey, []age.Recipient{phraseRecipient(), alice.Recipient()}, "a passphrase only alone"},
		{"two passphrases", path, theKey, []age.Recipient{phraseRecipient(), phraseRecipient()}, "a passphrase only alone"},
		{"post-quantum and not", path, theKey, []age.Recipient{hybrid.Recipient(), alice.Recipient()}, "post-quantum"},
		{"too many", path, theKey, many, "too many recipients"},
		{"folder", folder, theKey, []age.Recipient{alice.Recipient()}, "it is a folder"},
		{"no folder", filepath.Join(path, "x"), theKey, []age.Recipient{alice.Recipient()}, "acme.key"},
	} {
		t.Run(test.name, func(t *testing.T) {
			refused(t, keyfile.Write(test.path, test.key, test.recipients...), nil, "key file", test.want)
			if left := must(os.ReadDir(folder)); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// Package os keeps the mode of a file that is there already.
func TestWriteMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	for _, mode := range []fs.FileMode{0, 0o644, 0o666, 0o400, 0o777} {
		path := filepath.Join(t.TempDir(), "acme.key")
		if mode != 0 {
			if err := errors.Join(os.WriteFile(path, []byte("old"), 0o600), os.Chmod(path, mode)); err != nil {
				t.Fatal(err)
			}
		}
		if err := keyfile.Write(path, theKey, alice.Recipient()); err != nil {
			t.Fatal(err)
		}
		if got := must(os.Stat(path)).Mode(); got != 0o600 {
			t.Errorf("before %v, after %v", mode, got)
		}
	}
}

func TestReadForms(t *testing.T) {
	binary := sealed(keyLine+"\n", alice.Recipient())
	text := armored(binary)
	for name, data := range map[string]string{
		"as written":             text,
		"CRLF":                   crlf(text),
		"blank lines at the end": text + "\n\n \n",
		"CRLF and blank lines":   crlf(text + "\n\n\n"),
		"many blank lines":       text + strings.Repeat("\n", 3000),
		"blank lines before":     "\n\n" + text,
		"no final newline":       strings.TrimSuffix(text, "\n"),
		"byte order mark":        "\ufeff" + text,
		"mark and CRLF":          "\ufeff" + crlf(text),
		"binary":                 binary,
		"line without newline":   sealed(keyLine, alice.Recipient()),
		"line with CRLF":         armored(sealed("\ufeff"+keyLine+"\r\n\r\n", alice.Recipient())),
	} {
		t.Run(name, func(t *testing.T) {
			path := file(t, data)
			got, err := keyfile.Read(path, alice)
			if err != nil || !got.Equal(theKey) {
				t.Errorf("Read: %v, %v", got, err)
			}
			if needs, err := keyfile.NeedsPassphrase(path); err != nil || needs {
				t.Errorf("NeedsPassphrase: %v, %v", needs, err)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	binary := sealed(keyLine+"\n", alice.Recipient())
	text := armored(binary)
	for _, test := range []struct {
		name, data string
		sentinel   error
		want       string
	}{
		{"UTF-16", utf16(text), nil, "the text is UTF-16, which PowerShell 5 writes on redirection with >: save it as UTF-8"},
		{"UTF-16, the other order", "\xfe\xff\x00-\x00-", nil, "UTF-16"},
		{"UTF-16, in the clear", utf16(keyLine), nil, "UTF-16"},
		{"binary with CRLF", crlf(binary), keyfile.ErrDamaged, "line ends were converted to CRLF"},
		{"binary with CRLF, armored", armored(crlf(binary)), keyfile.ErrDamaged, "line ends were converted to CRLF"},
		{"in the clear", keyLine + "\n", nil, "not encrypted: encrypt it"},
		{"in the clear, with a comment", "\ufeff# mine\r\n\r\n" + keyLine, nil, "not encrypted: encrypt it"},
		{"in the clear, cut off", keyLine[:90], nil, "not encrypted: encrypt it"},
		{"in the clear after the armor", text + keyLine, nil, "not encrypted: encrypt it"},
		{"too large", text + strings.Repeat("\n", keyfile.MaxSize), nil, "larger than 64 KiB"},
		{"empty", "", keyfile.ErrDamaged, "it is empty"},
		{"blank", " \r\n", keyfile.ErrDamaged, "it is empty"},
		{"random", "c2VjcmV0IGJ5dGVzIG9m\n", keyfile.ErrDamaged, "or no key file at all: want the line -----BEGIN AGE ENCRYPTED FILE-----"},
		{"ring", `{"format": "licet-ring/v1"}` + "\n", nil, "this is JSON, perhaps a ring"},
		{"identity", "# public key: age1\n" + alice.String() + "\n", nil, "this is an age identity file"},
		{"recipient", alice.Recipient().String(), nil, "this is a public key"},
		{"SSH public key", sshKeys()["ed25519"].public, nil, "this is a public key"},
		{"SSH private key", sshKeys()["ed25519"].private, nil, "private key in PEM form"},
		{"two files", text + text, keyfile.ErrDamaged, "the armor is not as age writes it"},
		{"spoilt armor", strings.Replace(text, "\n", "\n*", 1), keyfile.ErrDamaged, "the armor is not as age writes it"},
		{"cut armor", text[:100], keyfile.ErrDamaged, ""},
		{"armor without end", text[:strings.Index(text, "-----END")], keyfile.ErrDamaged, "it is cut off"},
		{"cut header", binary[:40], keyfile.ErrDamaged, "it is cut off"},
		{"cut content", binary[:len(binary)-1], keyfile.ErrDamaged, "the encrypted content was changed"},
		{"no content", sealed("", alice.Recipient()), nil, "inside the encryption: secret key: the text is empty"},
		{"later version", strings.Replace(binary, "/v1", "/v2", 1), keyfile.ErrDamaged, "not that of a file of age version 1"},
		{"another key", sealed("text", alice.Recipient()), nil, "inside the encryption: secret key: "},
		{"two keys", sealed(keyLine+"\n"+keyLine, alice.Recipient()), nil, "inside the encryption: secret key: "},
		{"UTF-16 inside", sealed(utf16(keyLine), alice.Recipient()), nil, "inside the encryption: the text is UTF-16"},
		{"encrypted twice", sealed(text, alice.Recipient()), nil, "still encrypted"},
		{"other stanza", strings.Replace(binary, "X25519", "X25519 x", 1), keyfile.ErrDamaged, "X25519"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := file(t, test.data)
			_, err := keyfile.Read(path, alice)
			refused(t, err, test.sentinel, "key file "+path, test.want)
		})
	}
	_, err := keyfile.Read(filepath.Join(t.TempDir(), "none"), alice)
	refused(t, err, nil, "key file: open ")
	if !is(err, fs.ErrNotExist) {
		t.Errorf("%v is not ErrNotExist", err)
	}
	if _, err := keyfile.Read(t.TempDir(), alice); err == nil {
		t.Error("read a folder")
	}
}

func TestNeedsPassphraseRefuses(t *testing.T) {
	for data, want := range map[string]string{
		"":                                   "it is empty",
		keyLine:                              "not encrypted: encrypt it",
		utf16("x"):                           "UTF-16",
		sealed("x", phraseRecipient())[:50]:  "it is cut off",
		crlf(sealed("x", phraseRecipient())): "CRLF",
	} {
		_, err := keyfile.NeedsPassphrase(file(t, data))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want %q", data, err, want)
		}
	}
	if _, err := keyfile.NeedsPassphrase(filepath.Join(t.TempDir(), "none")); !is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestReadNoMatch(t *testing.T) {
	toAlice := file(t, armored(sealed(keyLine, alice.Recipient(), alice.Recipient(), must(keyfile.Recipient(sshKeys()["ed25519"].public)))))
	toPhrase := file(t, armored(sealed(keyLine, phraseRecipient())))
	for _, test := range []struct {
		name, path string
		identities []age.Identity
		want       string
	}{
		{"wrong identity", toAlice, []age.Identity{bob}, "encrypted to recipients (X25519, ssh-ed25519), and no identity given is that of one of them"},
		{"wrong identities", toAlice, []age.Identity{bob, hybrid, phraseIdentity(phrase)}, "and no identity given is"},
		{"no identity", toAlice, nil, "encrypted to recipients (X25519, ssh-ed25519), not with a passphrase: give the identity"},
		{"only a passphrase", toAlice, []age.Identity{phraseIdentity(phrase)}, "not with a passphrase: give the identity"},
		{"wrong passphrase", toPhrase, []age.Identity{phraseIdentity(phrase + " ")}, "wrong passphrase"},
		{"no passphrase", toPhrase, nil, "it is encrypted with a passphrase: give that"},
		{"only an identity", toPhrase, []age.Identity{alice}, "it is encrypted with a passphrase: give that"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := keyfile.Read(test.path, test.identities...)
			refused(t, err, keyfile.ErrNoMatch, "key file "+test.path+": ", test.want)
		})
	}
}

// A file from elsewhere must not make us work for hours.
func TestReadWorkFactor(t *testing.T) {
	data := sealed(keyLine, phraseRecipient())
	head, rest, _ := strings.Cut(data, " 4\n")
	_, err := keyfile.ReadBytes([]byte(head+" 23\n"+rest), phraseIdentity(phrase))
	refused(t, err, keyfile.ErrDamaged, "work factor")
}

type failing struct{ err error }

func (f failing) Unwrap([]*age.Stanza) ([]byte, error) { return nil, f.err }

func TestReadOtherIdentity(t *testing.T) {
	mine := errors.New("the token is not plugged in")
	path := file(t, armored(sealed(keyLine, bob.Recipient())))
	_, err := keyfile.Read(path, failing{mine})
	refused(t, err, nil, path, mine.Error())
	if !is(err, mine) {
		t.Errorf("%v is not %v", err, mine)
	}
	// One that needs nothing from outside is tried before.
	if _, err := keyfile.Read(path, failing{mine}, bob); err != nil {
		t.Error(err)
	}
}
