package keyfile_test

import (
	"crypto/rsa"
	"math/big"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"github.com/licet-dev/licet/keys/keyfile"
)

// shortRSAKey returns an SSH public key of 1024 bits, which is too short.
func shortRSAKey() string {
	n := new(big.Int).SetBit(big.NewInt(1), 1023, 1)
	k := must(ssh.NewPublicKey(&rsa.PublicKey{N: n, E: 65537}))
	return string(ssh.MarshalAuthorizedKey(k))
}

func TestRecipient(t *testing.T) {
	pub := sshKeys()
	for name, s := range map[string]string{
		"age":               alice.Recipient().String(),
		"spaces":            " \t" + alice.Recipient().String() + "\r\n",
		"post-quantum":      hybrid.Recipient().String(),
		"ssh-ed25519":       pub["ed25519"].public,
		"ssh-rsa":           pub["rsa"].public,
		"SSH with comment":  strings.TrimSpace(pub["ed25519"].public) + " me@example.com",
		"SSH, trailing CRs": strings.TrimSpace(pub["ed25519"].public) + "\r\n",
	} {
		if r, err := keyfile.Recipient(s); err != nil || r == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRecipientRefuses(t *testing.T) {
	pub := sshKeys()
	public := alice.Recipient().String()
	for _, test := range []struct{ name, text, want string }{
		{"empty", " \n", "empty"},
		{"identity", alice.String(), "secret identity: want its public key"},
		{"post-quantum identity", hybrid.String(), "secret identity: want its public key"},
		{"key of licet", keyLine, "secret key of licet"},
		{"SSH private key", pub["ed25519"].private, "perhaps a private key"},
		{"a character changed", public[:20] + swap(public[20]) + public[21:], "mistyped or cut off"},
		{"cut off", public[:40], "mistyped or cut off"},
		{"post-quantum, cut off", hybrid.Recipient().String()[:400], "mistyped or cut off"},
		{"plugin", "age1yubikey1qwt50d05nh5vutpdzmlg5wn80xq5negm4uj9ghv0snvdd3yysf5yw3rhl3t", "plugin"},
		{"two", public + "\n" + public, "more than one line"},
		{"an identity after", pub["ed25519"].public + alice.String(), "more than one line"},
		{"passphrase", phrase, "unknown kind"},
		{"upper case", strings.ToUpper(public), "unknown kind"},
		{"SSH, cut off", pub["ed25519"].public[:50], "damaged or cut off"},
		{"SSH, other type named", strings.Replace(pub["ed25519"].public, "ed25519", "rsa", 1), "damaged or cut off"},
		{"SSH, no key", "ssh-ed25519", "damaged or cut off"},
		{"SSH, short", shortRSAKey(), "too small"},
		{"ECDSA", pub["ecdsa"].public, "type ecdsa-sha2-nistp256 cannot encrypt: want ssh-ed25519 or ssh-rsa"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := keyfile.Recipient(test.text)
			if r != nil {
				t.Errorf("got %v", r)
			}
			refused(t, err, nil, "recipient: ", test.want)
			_, err = keyfile.ReadRecipients(file(t, "# first\n\n"+test.text+"\n"))
			if test.name != "two" && test.name != "an identity after" && test.name != "empty" {
				refused(t, err, nil, "line 3: ")
			}
		})
	}
}

func swap(c byte) string {
	if c == 'q' {
		return "p"
	}
	return "q"
}

func TestReadRecipients(t *testing.T) {
	a, b, s := alice.Recipient().String(), bob.Recipient().String(), sshKeys()["ed25519"].public
	for _, test := range []struct {
		name, text string
		n          int
	}{
		{"one", a, 1},
		{"as age-keygen writes", "# mine\n\n" + a + "\n# yours\n" + b + "\n" + s, 3},
		{"CRLF", crlf("# mine\n\n" + a + "\n" + b + "\n\n\n"), 2},
		{"byte order mark", "\ufeff" + a + "\n", 1},
		{"byte order mark and comment", "\ufeff# mine\n" + a + "\n", 1},
		{"spaces", "  # mine\n\t" + a + " \n \n", 1},
		{"SSH public key file", s, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := file(t, test.text)
			rs, err := keyfile.ReadRecipients(path)
			if err != nil || len(rs) != test.n {
				t.Errorf("%d recipients, %v", len(rs), err)
			}
			lines, err := keyfile.RecipientLines(path)
			if err != nil || len(lines) != test.n {
				t.Errorf("lines %q, %v", lines, err)
			}
			for _, line := range lines {
				if _, err := keyfile.Recipient(line); err != nil || line != strings.TrimSpace(line) {
					t.Errorf("line %q: %v", line, err)
				}
			}
		})
	}
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", "no recipient in it"},
		{"comments only", "# " + a + "\n\n", "no recipient in it"},
		{"third line", "# mine\n" + a + "\nage1x\n", "line 3: the public key age1... is mistyped"},
		{"identity file", "# created\n# public key: " + a + "\n" + alice.String() + "\n", "line 3: this is a secret identity"},
		{"UTF-16", utf16(a), "UTF-16"},
		{"too large", a + strings.Repeat("\n", keyfile.MaxSize), "larger than 64 KiB"},
		{"two on a line", a + " " + b, "line 1: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := file(t, test.text)
			_, err := keyfile.ReadRecipients(path)
			refused(t, err, nil, "recipients file "+path+": ", test.want)
			lines, err := keyfile.RecipientLines(path)
			if refused(t, err, nil, "recipients file "+path+": ", test.want); lines != nil {
				t.Errorf("lines %q", lines)
			}
		})
	}
}
