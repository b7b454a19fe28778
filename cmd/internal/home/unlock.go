package home

import (
	"errors"
	"fmt"
	"strings"

	"filippo.io/age"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/keyfile"
)

// An Unlocker opens encrypted private keys. It asks for a passphrase once at most.
type Unlocker struct {
	Identities     []string                            // paths of age identity files or SSH private keys
	PassphraseFile string                              // path of a file with the passphrase, or ""
	Ask            func(prompt string) (string, error) // asks on the terminal

	identities []age.Identity
	passphrase string
}

// read decrypts one key file.
func (u *Unlocker) read(path string) (keys.PrivateKey, error) {
	wants, err := keyfile.NeedsPassphrase(path)
	if err != nil {
		return keys.PrivateKey{}, err
	}
	if wants {
		pass, err := u.Passphrase("Passphrase for " + path)
		if err != nil {
			return keys.PrivateKey{}, fmt.Errorf("%s is encrypted with a passphrase: %w", path, err)
		}
		id, err := keyfile.PassphraseIdentity(pass)
		if err != nil {
			return keys.PrivateKey{}, err
		}
		return keyfile.Read(path, id)
	}
	if len(u.Identities) == 0 {
		return keys.PrivateKey{}, fmt.Errorf("%s is encrypted to recipients: unlock it with --identity FILE", path)
	}
	if u.identities == nil {
		for _, name := range u.Identities {
			ids, err := keyfile.ReadIdentities(name, u.Ask)
			if err != nil {
				return keys.PrivateKey{}, err
			}
			u.identities = append(u.identities, ids...)
		}
	}
	return keyfile.Read(path, u.identities...)
}

// Passphrase returns the passphrase from the file or, once, from the terminal.
func (u *Unlocker) Passphrase(prompt string) (string, error) {
	if u.passphrase != "" {
		return u.passphrase, nil
	}
	var err error
	if u.PassphraseFile != "" {
		u.passphrase, err = keyfile.ReadPassphrase(u.PassphraseFile)
	} else {
		u.passphrase, err = u.Ask(prompt)
	}
	return u.passphrase, err
}

// NewPassphrase asks for a new passphrase, twice.
func NewPassphrase(ask func(string) (string, error)) (string, error) {
	pass, err := ask("New passphrase")
	if err != nil {
		return "", err
	}
	if err := keyfile.CheckPassphrase(pass); err != nil {
		return "", err
	}
	again, err := ask("Once more")
	if err != nil {
		return "", err
	}
	if again != pass {
		return "", errors.New("the two passphrases differ")
	}
	return pass, nil
}

// ReadRecipients reads a file of recipients, a line each, for [Encryption].
func ReadRecipients(path string) ([]string, error) { return keyfile.RecipientLines(path) }

// splitLines returns the lines that are neither blank nor comments.
func splitLines(text string) []string {
	var lines []string
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	return lines
}
