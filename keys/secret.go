package keys

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
)

const redacted = "[redacted]"

// SecretSize is the length of an hs256 secret in bytes.
const SecretSize = 32

// A Secret is the HMAC secret of an hs256 key. Whoever has it can mint codes. The
// zero Secret is none at all, see [Secret.IsZero].
//
// A Secret does not print, and == does not compile on it; use [Secret.Equal].
type Secret struct {
	// The bytes hide behind a function, where no formatting verb looks, not even
	// at a Secret in an unexported field of some struct.
	reveal func() [SecretSize]byte
}

// NewSecret returns the secret with the given 32 bytes. It refuses any other
// length and a secret of zero bytes only, which is what an uninitialised buffer
// looks like.
func NewSecret(b []byte) (Secret, error) {
	if len(b) != SecretSize {
		return Secret{}, fmt.Errorf("secret of %d bytes: want %d", len(b), SecretSize)
	}
	if isZero(b) {
		return Secret{}, errors.New("secret of zero bytes only: the buffer was never filled")
	}
	a := [SecretSize]byte(b)
	return Secret{func() [SecretSize]byte { return a }}, nil
}

// GenerateSecret returns a new secret from crypto/rand.
func GenerateSecret() Secret {
	var b [SecretSize]byte
	rand.Read(b[:]) // never fails: it ends the program rather than return an error
	s, err := NewSecret(b[:])
	if err != nil {
		panic(err) // unreachable
	}
	return s
}

func isZero(b []byte) bool {
	return subtle.ConstantTimeCompare(b, make([]byte, len(b))) == 1
}

// Reveal returns the bytes of the secret. It panics on the zero Secret.
func (s Secret) Reveal() [SecretSize]byte { return s.reveal() }

// IsZero reports whether s is the zero Secret, which has no bytes.
func (s Secret) IsZero() bool { return s.reveal == nil }

// Equal reports in constant time whether s and o have the same bytes. The zero
// Secret equals none.
func (s Secret) Equal(o Secret) bool {
	if s.IsZero() || o.IsZero() {
		return false
	}
	a, b := s.reveal(), o.reveal()
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// derive returns hkdf(use) for the key with this descriptor.
func (s Secret) derive(d Descriptor, use string) []byte {
	b := s.reveal()
	k, err := hkdf.Key(sha256.New, b[:], nil, string(label(d.String(), use)), sha256.Size)
	if err != nil {
		panic(err) // unreachable: the length is fixed and short
	}
	return k
}

// ID returns the id of the hs256 key that has this secret and descriptor.
func (s Secret) ID(d Descriptor) ID { return ID(s.derive(d, "id")[:8]) }

// Format writes a placeholder, whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { f.Write([]byte(redacted)) }

// LogValue returns a placeholder.
func (s Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText returns a placeholder, so that no encoder writes a secret by accident.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }
