package note

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/licet-dev/licet/keys"
)

// Sign returns the note of a text, signed with a list key: the text, a blank line
// and the signature line. The signature is deterministic (RFC 6979), so the same
// text and key give the same note.
//
// The text must end in a newline, be valid UTF-8 of at most [MaxText] bytes
// without byte order mark, and have no control characters but newlines, CR
// included; otherwise the error is an [*Error] with the reason [Malformed].
//
// A private key does not know its state. That it is active is for the caller to
// check in the ring.
func Sign(text string, key keys.PrivateKey) ([]byte, error) { return sign(text, key, MaxText) }

func sign(text string, key keys.PrivateKey, maxText int) ([]byte, error) {
	switch {
	case key.Role() == "":
		return nil, errors.New("signed note: no private key given")
	case key.Role() != keys.List:
		return nil, fmt.Errorf("signed note: key %s is a %s key; lists and manifests are signed with a %s key", key.ID(), key.Role(), keys.List)
	case len(text) > maxText:
		return nil, malformed(0, "the text has %d bytes, at most %d can be signed", len(text), maxText)
	}
	note := make([]byte, 0, len(text)+160)
	note = append(note, text...)
	if err := checkText(note); err != nil {
		return nil, err
	}
	signature, err := signText(note, key)
	if err != nil {
		return nil, fmt.Errorf("signed note: list key %s: %w", key.ID(), err)
	}
	note = append(note, "\n"+linePrefix+KeyName+" "...)
	note = base64.StdEncoding.AppendEncode(note, signature)
	return append(note, '\n'), nil
}

// signText returns the four bytes that name the key, and the signature.
func signText(text []byte, key keys.PrivateKey) ([]byte, error) {
	private, err := key.ECDSA()
	if err != nil {
		return nil, err
	}
	public, err := keys.NewPublicKey(&private.PublicKey)
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256(text)
	der, err := private.Sign(nil, digest[:], crypto.SHA256) // without a random source it is RFC 6979
	if err != nil {
		return nil, fmt.Errorf("failed to sign: %w", err)
	}
	// A fault in a deterministic signature gives the key away.
	if !ecdsa.VerifyASN1(public.ECDSA(), digest[:], der) {
		return nil, errors.New("the new signature does not verify; nothing was signed, and this machine should not be trusted")
	}
	hash := keyHash(public)
	return append(hash[:], der...), nil
}
