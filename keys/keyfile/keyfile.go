package keyfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"filippo.io/age"
	"filippo.io/age/armor"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/keyfile/atomicfile"
)

// Write encrypts the key to the recipients and writes it to the file at path,
// whole or not at all, with mode 0600. A file that is there already is replaced.
//
// Any one of the recipients can open the file. A passphrase, see
// [PassphraseRecipient], must be the only recipient.
func Write(path string, key keys.PrivateKey, recipients ...age.Recipient) error {
	data, err := encrypt(key, recipients)
	if err != nil {
		return fmt.Errorf("key file %s: %w", path, err)
	}
	if err := atomicfile.WriteFile(path, data, 0o600); err != nil {
		return fmt.Errorf("key file: %w", err)
	}
	return nil
}

func encrypt(key keys.PrivateKey, recipients []age.Recipient) ([]byte, error) {
	if key.Role() == "" {
		return nil, errors.New("no private key given")
	}
	if len(recipients) == 0 {
		return nil, errors.New("no recipients given, so nobody could open it")
	}
	for _, r := range recipients {
		if _, ok := r.(*age.ScryptRecipient); ok && len(recipients) > 1 {
			return nil, errors.New("a passphrase and other recipients given: age allows a passphrase only alone")
		}
	}
	var buf bytes.Buffer
	text := armor.NewWriter(&buf)
	w, err := age.Encrypt(text, recipients...)
	if err != nil {
		return nil, err
	}
	if _, err := io.WriteString(w, key.Reveal()+"\n"); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if err := text.Close(); err != nil {
		return nil, err
	}
	if buf.Len() > maxSize {
		return nil, fmt.Errorf("too many recipients: it would be larger than the %d KiB that can be read", maxSize>>10)
	}
	return buf.Bytes(), nil
}

// Read opens the key file at path with whichever of the identities fits. Those
// that would ask for a passphrase come last.
//
// It reads armored and binary files. It refuses a key that is not encrypted.
func Read(path string, identities ...age.Identity) (keys.PrivateKey, error) {
	data, err := load("key file", path)
	if err != nil {
		return keys.PrivateKey{}, err
	}
	key, err := decrypt(data, identities)
	if err != nil {
		return keys.PrivateKey{}, fmt.Errorf("key file %s: %w", path, err)
	}
	return key, nil
}

func decrypt(data []byte, identities []age.Identity) (keys.PrivateKey, error) {
	f, err := parseKeyFile(data)
	if err != nil {
		return keys.PrivateKey{}, err
	}
	plain, err := f.decrypt(identities)
	if err != nil {
		return keys.PrivateKey{}, err
	}
	if plain, err = withoutMark(plain); err != nil {
		return keys.PrivateKey{}, fmt.Errorf("inside the encryption: %w", err)
	}
	key, err := keys.ParsePrivateKey(string(plain))
	if err != nil {
		return keys.PrivateKey{}, fmt.Errorf("inside the encryption: %w", err)
	}
	return key, nil
}

// NeedsPassphrase reports whether the key file at path is encrypted with a
// passphrase, rather than to recipients. It opens nothing.
func NeedsPassphrase(path string) (bool, error) {
	data, err := load("key file", path)
	if err != nil {
		return false, err
	}
	f, err := parseKeyFile(data)
	if err != nil {
		return false, fmt.Errorf("key file %s: %w", path, err)
	}
	return f.passphrase(), nil
}

func parseKeyFile(data []byte) (*encrypted, error) {
	if bytes.Contains(data, []byte("LICET-SECRET-KEY")) {
		return nil, errors.New("the secret key in it is not encrypted: encrypt it, with age or with Write, and delete this file; " +
			"if others could read it, replace the key")
	}
	if isEncrypted(data) {
		return parseEncrypted(data)
	}
	text := strings.TrimSpace(string(data))
	has := func(prefix string) bool { return strings.HasPrefix(text, prefix) }
	switch {
	case strings.Contains(text, "AGE-SECRET-KEY-"):
		return nil, errors.New("this is an age identity file: want the key file that it opens")
	case has("-----BEGIN ") && strings.Contains(text, "PRIVATE KEY-----"):
		return nil, errors.New("this is a private key in PEM form, perhaps of SSH: want a key file that it opens")
	case has("age1"), has("ssh-"):
		return nil, errors.New("this is a public key: want a key file encrypted to it")
	case has("{") && strings.HasSuffix(text, "}"):
		return nil, errors.New("this is JSON, perhaps a ring, which has public keys: want the key file of the private key")
	case text == "":
		return nil, fmt.Errorf("%w: it is empty", ErrDamaged)
	}
	return nil, fmt.Errorf("%w, or no key file at all: want the line %s", ErrDamaged, armor.Header)
}
