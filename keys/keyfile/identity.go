package keyfile

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rsa"
	"errors"
	"fmt"
	"strings"

	"filippo.io/age"
	"filippo.io/age/agessh"
	"golang.org/x/crypto/ssh"
)

// ReadIdentities reads a file of identities, which open key files: the identities
// of age-keygen, one a line, with blank lines and lines that begin with #; such a
// file encrypted with a passphrase; or an SSH private key, ed25519 or RSA, with or
// without a passphrase.
//
// A passphrase is asked for with ask, whose prompt ends without a colon, and only
// once a key file is to be opened that may need it. When ask is nil, then it is an
// error that it would be needed. Identities with a passphrase are not safe for
// concurrent use.
func ReadIdentities(path string, ask func(prompt string) (string, error)) ([]age.Identity, error) {
	data, err := load("identity file", path)
	if err != nil {
		return nil, err
	}
	ids, err := readIdentities(path, data, ask)
	if err != nil {
		return nil, fmt.Errorf("identity file %s: %w", path, err)
	}
	return ids, nil
}

func readIdentities(path string, data []byte, ask askFunc) ([]age.Identity, error) {
	if !isEncrypted(data) {
		return plainIdentities(path, data, ask)
	}
	f, err := parseEncrypted(data)
	if err != nil {
		return nil, err
	}
	if !f.passphrase() {
		return nil, errors.New("it is encrypted to recipients: decrypt it first; only a passphrase can be asked for, or is this the key file?")
	}
	return []age.Identity{&lockedFile{path: path, file: f, ask: ask}}, nil
}

func plainIdentities(path string, data []byte, ask askFunc) ([]age.Identity, error) {
	if text := bytes.TrimSpace(data); bytes.HasPrefix(text, []byte("-----BEGIN ")) {
		id, err := readSSH(path, text, ask)
		return []age.Identity{id}, err
	}
	var ids []age.Identity
	err := eachLine(data, func(line string) error {
		id, err := identity(line)
		ids = append(ids, id)
		return err
	})
	if err == nil && len(ids) == 0 {
		err = errors.New("no identity in it: want a line AGE-SECRET-KEY-1..., which age-keygen writes, or an SSH private key")
	}
	return ids, err
}

// identity reads one line. The errors of age are left out: they can tell a
// character of the secret.
func identity(s string) (age.Identity, error) {
	has := func(prefix string) bool { return strings.HasPrefix(s, prefix) }
	switch {
	case has("AGE-SECRET-KEY-1"):
		if id, err := age.ParseX25519Identity(s); err == nil {
			return id, nil
		}
		return nil, errors.New("the identity AGE-SECRET-KEY-1... is mistyped or cut off")
	case has("AGE-SECRET-KEY-PQ-1"):
		if id, err := age.ParseHybridIdentity(s); err == nil {
			return id, nil
		}
		return nil, errors.New("the identity AGE-SECRET-KEY-PQ-1... is mistyped or cut off")
	case has("AGE-PLUGIN-"):
		return nil, errors.New("identities of age plugins are not supported: want AGE-SECRET-KEY-1... or an SSH private key")
	case has("age1"), has("ssh-"), has("ecdsa-"), has("sk-"):
		return nil, errors.New("this is a public key: want the identity, AGE-SECRET-KEY-1... or an SSH private key")
	case has("LICET-SECRET-KEY"):
		return nil, errors.New("this is an unencrypted secret key of licet: want the identity that opens its key file")
	}
	return nil, errors.New("no identity: want AGE-SECRET-KEY-1..., which age-keygen writes, or an SSH private key as the whole file")
}

func readSSH(path string, pem []byte, ask askFunc) (age.Identity, error) {
	k, err := ssh.ParseRawPrivateKey(pem)
	if locked := (*ssh.PassphraseMissingError)(nil); errors.As(err, &locked) {
		if locked.PublicKey == nil {
			return nil, fmt.Errorf("the SSH private key is in an old form with a passphrase: convert it with ssh-keygen -p -f %s", path)
		}
		return newLockedSSH(path, pem, locked.PublicKey, ask)
	}
	if err != nil {
		return nil, fmt.Errorf("not a readable SSH private key, which ssh-keygen writes: %w", err)
	}
	return sshIdentity(k)
}

func sshIdentity(k any) (age.Identity, error) {
	switch k := k.(type) {
	case *ed25519.PrivateKey:
		return agessh.NewEd25519Identity(*k)
	case ed25519.PrivateKey: // package ssh returns either, depending on the form
		return agessh.NewEd25519Identity(k)
	case *rsa.PrivateKey:
		return agessh.NewRSAIdentity(k)
	}
	return nil, fmt.Errorf("a private key of type %T cannot decrypt: want ed25519 or RSA", k)
}
