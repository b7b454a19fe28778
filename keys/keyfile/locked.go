package keyfile

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"

	"filippo.io/age"
	"golang.org/x/crypto/ssh"
)

type askFunc = func(prompt string) (string, error)

// askFor asks for the passphrase of the identity file at path.
func askFor(path string, ask askFunc) (string, error) {
	if ask == nil {
		return "", errors.New("it has a passphrase, and nobody can be asked for it here")
	}
	pass, err := ask("Passphrase of the identity file " + path)
	if err != nil {
		return "", fmt.Errorf("its passphrase: %w", err)
	}
	return pass, nil
}

// lockedFile is an identity file encrypted with a passphrase. It asks when it is
// first tried on a file that might be for one of its identities.
type lockedFile struct {
	path string
	file *encrypted
	ask  askFunc
	open []age.Identity
}

// Unwrap implements age.Identity.
func (l *lockedFile) Unwrap(stanzas []*age.Stanza) ([]byte, error) {
	if slices.ContainsFunc(stanzas, func(s *age.Stanza) bool { return s.Type == "scrypt" }) {
		return nil, age.ErrIncorrectIdentity // no identity opens it, only its own passphrase
	}
	if l.open == nil {
		if err := l.unlock(); err != nil {
			return nil, fmt.Errorf("identity file %s: %w", l.path, err)
		}
	}
	for _, id := range l.open {
		if key, err := unwrap(id, stanzas); !errors.Is(err, age.ErrIncorrectIdentity) {
			return key, err
		}
	}
	return nil, age.ErrIncorrectIdentity
}

func (l *lockedFile) unlock() error {
	pass, err := askFor(l.path, l.ask)
	if err != nil {
		return err
	}
	id, err := PassphraseIdentity(pass)
	if err != nil {
		return err
	}
	plain, err := l.file.decrypt([]age.Identity{id})
	if err != nil {
		return err
	}
	if plain, err = withoutMark(plain); err == nil {
		l.open, err = plainIdentities(l.path, plain, l.ask)
	}
	if err != nil {
		l.open = nil
		return fmt.Errorf("inside the encryption: %w", err)
	}
	return nil
}

// lockedSSH is an SSH private key with a passphrase. It asks only when the file is
// for its public key. The type of package agessh does the same, but drops what
// kind of error ask returned.
type lockedSSH struct {
	path    string
	pem     []byte
	keyType string
	hint    string // what age writes to the header for this public key
	ask     askFunc
	open    age.Identity
}

func newLockedSSH(path string, pem []byte, public ssh.PublicKey, ask askFunc) (*lockedSSH, error) {
	if t := public.Type(); t != ssh.KeyAlgoED25519 && t != ssh.KeyAlgoRSA {
		return nil, fmt.Errorf("an SSH key of type %s cannot decrypt: want ed25519 or RSA", t)
	}
	sum := sha256.Sum256(public.Marshal())
	return &lockedSSH{path, pem, public.Type(), base64.RawStdEncoding.EncodeToString(sum[:4]), ask, nil}, nil
}

// Unwrap implements age.Identity.
func (l *lockedSSH) Unwrap(stanzas []*age.Stanza) ([]byte, error) {
	mine := func(s *age.Stanza) bool { return s.Type == l.keyType && len(s.Args) > 0 && s.Args[0] == l.hint }
	if !slices.ContainsFunc(stanzas, mine) {
		return nil, age.ErrIncorrectIdentity
	}
	if l.open == nil {
		if err := l.unlock(); err != nil {
			return nil, fmt.Errorf("identity file %s: %w", l.path, err)
		}
	}
	return unwrap(l.open, stanzas)
}

func (l *lockedSSH) unlock() error {
	pass, err := askFor(l.path, l.ask)
	if err != nil {
		return err
	}
	k, err := ssh.ParseRawPrivateKeyWithPassphrase(l.pem, []byte(pass))
	if errors.Is(err, x509.IncorrectPasswordError) {
		return fmt.Errorf("%w: wrong passphrase", ErrNoMatch)
	}
	if err != nil {
		return fmt.Errorf("not a readable SSH private key: %w", err)
	}
	id, err := sshIdentity(k)
	if err != nil {
		return err
	}
	l.open = id
	return nil
}
