package keyfile_test

import (
	"errors"
	"strings"
	"testing"

	"filippo.io/age"

	"github.com/licet-dev/licet/keys/keyfile"
)

const oldSSH = `-----BEGIN RSA PRIVATE KEY-----
Proc-Type: 4,ENCRYPTED
DEK-Info: AES-128-CBC,00000000000000000000000000000000

AAAA
-----END RSA PRIVATE KEY-----
`

// asker answers with one phrase after another and counts.
type asker struct {
	answers []string
	asked   []string
}

func (a *asker) ask(prompt string) (string, error) {
	a.asked = append(a.asked, prompt)
	return a.answers[len(a.asked)-1], nil
}

func TestReadIdentities(t *testing.T) {
	t.Parallel()
	lines := "# created: long ago\n# public key: " + alice.Recipient().String() + "\n" + alice.String() + "\n"
	ssh := sshKeys()
	for _, test := range []struct {
		name, text string
		n          int
		recipient  age.Recipient
		asks       bool
	}{
		{"as age-keygen writes", lines, 1, alice.Recipient(), false},
		{"bare", alice.String(), 1, alice.Recipient(), false},
		{"two, the second", "\n" + bob.String() + "\n\n" + lines, 2, alice.Recipient(), false},
		{"CRLF", crlf(lines + "\n\n"), 1, alice.Recipient(), false},
		{"byte order mark", "\ufeff" + lines, 1, alice.Recipient(), false},
		{"mark before the identity", "\ufeff" + alice.String(), 1, alice.Recipient(), false},
		{"post-quantum", hybrid.String(), 1, hybrid.Recipient(), false},
		{"ed25519", ssh["ed25519"].private, 1, must(keyfile.Recipient(ssh["ed25519"].public)), false},
		{"ed25519, CRLF", "\ufeff" + crlf(ssh["ed25519"].private), 1, must(keyfile.Recipient(ssh["ed25519"].public)), false},
		{"rsa", ssh["rsa"].private, 1, must(keyfile.Recipient(ssh["rsa"].public)), false},
		{"encrypted", armored(sealed("# mine\n"+bob.String()+"\n"+lines, phraseRecipient())), 1, alice.Recipient(), true},
		{"encrypted, CRLF", crlf(armored(sealed(crlf("\ufeff"+lines), phraseRecipient()))), 1, alice.Recipient(), true},
		{"encrypted, binary", sealed(lines, phraseRecipient()), 1, alice.Recipient(), true},
		{"encrypted SSH key", sealed(ssh["ed25519"].private, phraseRecipient()), 1, must(keyfile.Recipient(ssh["ed25519"].public)), true},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := &asker{answers: []string{phrase}}
			path := file(t, test.text)
			ids, err := keyfile.ReadIdentities(path, a.ask)
			if err != nil || len(ids) != test.n {
				t.Fatalf("%d identities, %v", len(ids), err)
			}
			data := []byte(sealed(keyLine, test.recipient))
			for range 2 { // asks once
				if key, err := keyfile.ReadBytes(data, ids...); err != nil || !key.Equal(theKey) {
					t.Fatal(err)
				}
			}
			if asked := len(a.asked) == 1; asked != test.asks || asked && a.asked[0] != "Passphrase of the identity file "+path {
				t.Errorf("asked %q", a.asked)
			}
		})
	}
}

func TestReadIdentitiesRefuses(t *testing.T) {
	ssh := sshKeys()
	s := alice.String()
	encrypted := sealed(s, phraseRecipient())
	for _, test := range []struct {
		name, text string
		sentinel   error
		want       string
	}{
		{"empty", "", nil, "no identity in it"},
		{"comments only", "# " + s, nil, "no identity in it"},
		{"a character changed", "# mine\n\n" + s[:30] + strings.ToUpper(swap(s[30]|0x20)) + s[31:], nil, "line 3: the identity AGE-SECRET-KEY-1... is mistyped or cut off"},
		{"no bech32", s[:30] + "B" + s[31:], nil, "line 1: the identity AGE-SECRET-KEY-1... is mistyped"},
		{"another separator", s[:30] + "1" + s[31:], nil, "line 1: the identity AGE-SECRET-KEY-1... is mistyped"},
		{"cut off", s[:40], nil, "line 1: the identity AGE-SECRET-KEY-1... is mistyped"},
		{"post-quantum, cut off", hybrid.String()[:60], nil, "line 1: the identity AGE-SECRET-KEY-PQ-1... is mistyped"},
		{"second of two", s + "\r\n" + bob.String()[:50], nil, "line 2: "},
		{"plugin", "AGE-PLUGIN-YUBIKEY-1XYZ", nil, "line 1: identities of age plugins are not supported"},
		{"recipient", alice.Recipient().String(), nil, "line 1: this is a public key"},
		{"SSH public key", ssh["ed25519"].public, nil, "line 1: this is a public key"},
		{"key of licet", keyLine, nil, "line 1: this is an unencrypted secret key of licet"},
		{"passphrase", phrase, nil, "line 1: no identity"},
		{"lower case", strings.ToLower(s), nil, "line 1: no identity"},
		{"SSH key after it", s + "\n" + ssh["ed25519"].private, nil, "line 2: no identity"},
		{"UTF-16", utf16(s), nil, "UTF-16"},
		{"too large", s + strings.Repeat("\n", keyfile.MaxSize), nil, "larger than 64 KiB"},
		{"old SSH", oldSSH, nil, "convert it with ssh-keygen -p -f"},
		{"ECDSA", ssh["ecdsa"].private, nil, "cannot decrypt: want ed25519 or RSA"},
		{"locked ECDSA", lockedForGood(ssh["ecdsa"].public), nil, "cannot decrypt: want ed25519 or RSA"},
		{"SSH, cut off", ssh["ed25519"].private[:200], nil, "not a readable SSH private key"},
		{"SSH, damaged", strings.Replace(ssh["ed25519"].private, "\n", "\nAAAA", 1), nil, "not a readable SSH private key"},
		{"to recipients", armored(sealed(s, bob.Recipient())), nil, "it is encrypted to recipients: decrypt it first"},
		{"encrypted, cut off", encrypted[:60], keyfile.ErrDamaged, "it is cut off"},
		{"encrypted, CRLF", crlf(encrypted), keyfile.ErrDamaged, "CRLF"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := file(t, test.text)
			ids, err := keyfile.ReadIdentities(path, (&asker{}).ask)
			if ids != nil {
				t.Errorf("got %v", ids)
			}
			refused(t, err, test.sentinel, "identity file "+path+": ", test.want)
		})
	}
	_, err := keyfile.ReadIdentities(t.TempDir()+"/none", nil)
	refused(t, err, nil, "identity file: open ")
}

func TestUnlockFails(t *testing.T) {
	t.Parallel()
	interrupted := errors.New("interrupted")
	ed25519, rsa := sshKeys()["ed25519"].public, sshKeys()["rsa"].public
	type ask = func(string) (string, error)
	says := func(s string) ask { return func(string) (string, error) { return s, nil } }
	for _, test := range []struct {
		name, text string
		ask        ask
		sentinel   error
		want       string
	}{
		{"wrong phrase", sealed(alice.String(), phraseRecipient()), says("x"), keyfile.ErrNoMatch, "wrong passphrase"},
		{"empty phrase", sealed(alice.String(), phraseRecipient()), says(""), nil, "passphrase: it is empty"},
		{"nobody to ask", sealed(alice.String(), phraseRecipient()), nil, nil, "nobody can be asked"},
		{"interrupted", sealed(alice.String(), phraseRecipient()), func(string) (string, error) { return "", interrupted }, nil, "interrupted"},
		{"key of licet inside", sealed("# mine\n"+keyLine, phraseRecipient()), says(phrase), nil, "inside the encryption: line 2: this is an unencrypted secret key"},
		{"mistyped inside", sealed(alice.String()[:40], phraseRecipient()), says(phrase), nil, "inside the encryption: line 1: "},
		{"UTF-16 inside", sealed(utf16(alice.String()), phraseRecipient()), says(phrase), nil, "inside the encryption: the text is UTF-16"},
		{"nothing inside", sealed("", phraseRecipient()), says(phrase), nil, "inside the encryption: no identity"},
		{"changed", func() string { s := sealed(alice.String(), phraseRecipient()); return s[:len(s)-1] }(), says(phrase), keyfile.ErrDamaged, "changed"},
		{"ed25519, wrong phrase", lockedForGood(ed25519), says("x"), keyfile.ErrNoMatch, "wrong passphrase"},
		{"ed25519, CRLF", crlf(lockedForGood(ed25519)), says("x"), keyfile.ErrNoMatch, "wrong passphrase"},
		{"rsa, wrong phrase", lockedForGood(rsa), says("x"), keyfile.ErrNoMatch, "wrong passphrase"},
		{"SSH, empty phrase", lockedForGood(ed25519), says(""), nil, "not a readable SSH private key"},
		{"SSH, nobody to ask", lockedForGood(ed25519), nil, nil, "nobody can be asked"},
		{"SSH, interrupted", lockedForGood(ed25519), func(string) (string, error) { return "", interrupted }, nil, "interrupted"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := file(t, test.text)
			ids, err := keyfile.ReadIdentities(path, test.ask)
			if err != nil {
				t.Fatal(err)
			}
			key := file(t, armored(sealed(keyLine, alice.Recipient(), must(keyfile.Recipient(ed25519)), must(keyfile.Recipient(rsa)))))
			for range 2 { // nothing half unlocked stays
				_, err = keyfile.Read(key, ids...)
				refused(t, err, test.sentinel, "key file "+key+": identity file "+path+": ", test.want)
				if strings.HasSuffix(test.name, "interrupted") && !is(err, interrupted) {
					t.Errorf("%v is not %v", err, interrupted)
				}
			}
		})
	}
}

// A wrong phrase can be followed by the right one, which is remembered.
func TestUnlockAgain(t *testing.T) {
	t.Parallel()
	for _, text := range []string{sealed(alice.String(), phraseRecipient()), lockedEd25519()} {
		a := &asker{answers: []string{"x", phrase}}
		ids := must(keyfile.ReadIdentities(file(t, text), a.ask))
		data := []byte(sealed(keyLine, alice.Recipient(), must(keyfile.Recipient(sshKeys()["ed25519"].public))))
		if _, err := keyfile.ReadBytes(data, ids...); !is(err, keyfile.ErrNoMatch) {
			t.Error(err)
		}
		for range 2 {
			if key, err := keyfile.ReadBytes(data, ids...); err != nil || !key.Equal(theKey) {
				t.Error(err)
			}
		}
		if len(a.asked) != 2 {
			t.Errorf("asked %q", a.asked)
		}
	}
}

// Nobody is asked for a passphrase that would not help, or is not needed.
func TestAsksLazily(t *testing.T) {
	never := func(prompt string) (string, error) {
		t.Errorf("asked: %s", prompt)
		return "", errors.New("asked")
	}
	lockedSSH := must(keyfile.ReadIdentities(file(t, lockedForGood(sshKeys()["ed25519"].public)), never))
	lockedFile := must(keyfile.ReadIdentities(file(t, sealed(bob.String(), phraseRecipient())), never))
	both := append(append([]age.Identity{}, lockedFile...), lockedSSH...)

	_, err := keyfile.ReadBytes([]byte(sealed(keyLine, alice.Recipient())), lockedSSH...)
	refused(t, err, keyfile.ErrNoMatch, "no identity given is that of one of them")
	_, err = keyfile.ReadBytes([]byte(sealed(keyLine, phraseRecipient())), both...)
	refused(t, err, keyfile.ErrNoMatch, "it is encrypted with a passphrase")
	if _, err := keyfile.ReadBytes([]byte(sealed(keyLine, alice.Recipient())), append(both, alice)...); err != nil {
		t.Error(err)
	}

	// The SSH key says that the file is not for it, so the identity file is asked.
	a := &asker{answers: []string{phrase}}
	lockedFile = must(keyfile.ReadIdentities(file(t, sealed(bob.String(), phraseRecipient())), a.ask))
	_, err = keyfile.ReadBytes([]byte(sealed(keyLine, alice.Recipient())), append(lockedFile, lockedSSH...)...)
	refused(t, err, keyfile.ErrNoMatch, "no identity given is that of one of them")
	if len(a.asked) != 1 {
		t.Errorf("asked %q", a.asked)
	}
}
