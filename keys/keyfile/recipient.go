package keyfile

import (
	"errors"
	"fmt"
	"strings"

	"filippo.io/age"
	"filippo.io/age/agessh"
	"golang.org/x/crypto/ssh"
)

// Recipient returns the recipient with the public key s: age1..., or the line of an
// SSH public key file, ssh-ed25519 or ssh-rsa.
func Recipient(s string) (age.Recipient, error) {
	r, err := recipient(s)
	if err != nil {
		return nil, fmt.Errorf("recipient: %w", err)
	}
	return r, nil
}

func recipient(s string) (age.Recipient, error) {
	s = strings.TrimSpace(s)
	has := func(prefix string) bool { return strings.HasPrefix(s, prefix) }
	switch {
	case s == "":
		return nil, errors.New("the text is empty")
	case has("AGE-SECRET-KEY-"), has("AGE-PLUGIN-"):
		return nil, errors.New("this is a secret identity: want its public key age1..., which age-keygen -y prints")
	case has("LICET-SECRET-KEY"):
		return nil, errors.New("this is a secret key of licet: want a public key age1... or ssh-ed25519")
	case has("-----BEGIN "):
		return nil, errors.New("this is no public key in one line, perhaps a private key: want age1..., ssh-ed25519 or ssh-rsa")
	case strings.ContainsAny(s, "\r\n"):
		return nil, errors.New("more than one line: want one public key")
	case has("age1pq1"):
		if r, err := age.ParseHybridRecipient(s); err == nil {
			return r, nil
		}
		return nil, errMistyped
	case has("age1"):
		if r, err := age.ParseX25519Recipient(s); err == nil {
			return r, nil
		}
		if strings.Count(s, "1") > 1 { // never in the key itself
			return nil, errors.New("a public key age1 of another kind, perhaps of an age plugin, which is not supported: want age1, ssh-ed25519 or ssh-rsa")
		}
		return nil, errMistyped
	case has("ssh-"), has("ecdsa-"), has("sk-"):
		return sshRecipient(s)
	}
	return nil, errors.New("unknown kind: want age1..., ssh-ed25519 or ssh-rsa")
}

// The errors of age quote the text.
var errMistyped = errors.New("the public key age1... is mistyped or cut off")

func sshRecipient(s string) (age.Recipient, error) {
	k, _, _, _, err := ssh.ParseAuthorizedKey([]byte(s))
	if err != nil {
		return nil, errors.New("the SSH public key is damaged or cut off")
	}
	var r age.Recipient
	switch k.Type() {
	case ssh.KeyAlgoED25519:
		r, err = agessh.NewEd25519Recipient(k)
	case ssh.KeyAlgoRSA:
		r, err = agessh.NewRSARecipient(k)
	default:
		err = fmt.Errorf("SSH keys of type %s cannot encrypt: want ssh-ed25519 or ssh-rsa", k.Type())
	}
	return r, err
}

// ReadRecipients reads a file with a recipient a line, as [Recipient] takes them.
// Blank lines and lines that begin with # are ignored.
func ReadRecipients(path string) ([]age.Recipient, error) {
	rs, _, err := readRecipients(path)
	return rs, err
}

// RecipientLines returns the lines of a file of recipients as [ReadRecipients] reads
// them, without those that it ignores.
func RecipientLines(path string) ([]string, error) {
	_, lines, err := readRecipients(path)
	return lines, err
}

func readRecipients(path string) (rs []age.Recipient, lines []string, err error) {
	data, err := load("recipients file", path)
	if err != nil {
		return nil, nil, err
	}
	err = eachLine(data, func(line string) error {
		r, err := recipient(line)
		rs, lines = append(rs, r), append(lines, line)
		return err
	})
	if err == nil && len(rs) == 0 {
		err = errors.New("no recipient in it: want a line age1..., ssh-ed25519 or ssh-rsa")
	}
	if err != nil {
		return nil, nil, fmt.Errorf("recipients file %s: %w", path, err)
	}
	return rs, lines, nil
}
