package receipt

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/sha256"
	"encoding/asn1"
	"errors"
	"fmt"
	"math/big"
	"sync"

	"github.com/licet-dev/licet/keys"
)

// A Signer signs receipts with one receipt key. It is safe for concurrent use. It does
// not print its key.
type Signer struct {
	id      keys.ID
	head    string // header in base64url, with the full stop after it
	private *ecdsa.PrivateKey

	first sync.Once // the first signature is verified
	err   error     // of that
}

// NewSigner returns what signs receipts with this key, which must be a receipt key.
//
// A private key does not know its state. That it is active is for the caller to check
// in the ring.
func NewSigner(key keys.PrivateKey) (*Signer, error) {
	switch {
	case key.Role() == "":
		return nil, errors.New("receipt: no private key given")
	case key.Role() != keys.Receipt:
		return nil, fmt.Errorf("receipt: key %s is a %s key; receipts are signed with a %s key", key.ID(), key.Role(), keys.Receipt)
	}
	private, err := key.ECDSA()
	if err != nil {
		return nil, fmt.Errorf("receipt: receipt key %s: %w", key.ID(), err)
	}
	head, err := compactJSON(header{algorithm, key.ID().String(), headerType})
	if err != nil {
		return nil, fmt.Errorf("receipt: %w", err)
	}
	return &Signer{id: key.ID(), head: encoding.EncodeToString(head) + ".", private: private}, nil
}

// Sign returns the text of a receipt: one line without white space, at most half of
// [MaxSize]. The signature is deterministic (RFC 6979), so the same receipt and key
// give the same text. What no receipt can say is an [*Error] with the reason
// [Malformed].
//
// That the licence is one of its mint key is for the caller to check.
func (s *Signer) Sign(r Receipt) (string, error) {
	if err := r.check(); err != nil {
		return "", err
	}
	claims, err := r.marshal()
	if err != nil {
		return "", fmt.Errorf("receipt: %w", err)
	}
	text, err := s.signClaims(claims)
	if err != nil {
		return "", fmt.Errorf("receipt: receipt key %s: %w", s.id, err)
	}
	return text, nil
}

// Sign signs one receipt, see [Signer.Sign] and [NewSigner].
func Sign(r Receipt, key keys.PrivateKey) (string, error) {
	s, err := NewSigner(key)
	if err != nil {
		return "", err
	}
	return s.Sign(r)
}

func (s *Signer) signClaims(claims []byte) (string, error) {
	t := token{signed: s.head + encoding.EncodeToString(claims)}
	digest := sha256.Sum256([]byte(t.signed))
	der, err := twice(func() ([]byte, error) {
		return s.private.Sign(nil, digest[:], crypto.SHA256) // without a random source it is RFC 6979
	})
	if err != nil {
		return "", err
	}
	if t.signature, err = fixedSize(der); err != nil {
		return "", err
	}
	s.first.Do(func() {
		if !t.verify(&s.private.PublicKey) {
			s.err = errors.New("the first signature does not verify; nothing is signed, and this machine should not be trusted")
		}
	})
	if s.err != nil {
		return "", s.err
	}
	return t.signed + "." + encoding.EncodeToString(t.signature), nil
}

// Format writes the id of the key, whatever the verb.
func (s *Signer) Format(f fmt.State, _ rune) { fmt.Fprintf(f, "receipt key %s", s.id) }

// twice returns a signature that came out twice.
//
// A fault in a deterministic signature gives the key away to whoever has the right one,
// too: the nonce is the same, and one of the other numbers is not. And whoever asks for
// one receipt again and again waits for it. To sign again and compare costs less than
// half of what it costs to verify, and shows every fault that does not happen twice in the same
// way. A private key that changes in memory, and stays changed, does not show. It gives
// nothing away either, as RFC 6979 makes the nonce of the key and of the digest: another
// key has another nonce. What it signs does not verify; products refuse it.
func twice(sign func() ([]byte, error)) ([]byte, error) {
	var der [2][]byte
	for i := range der {
		var err error
		if der[i], err = sign(); err != nil {
			return nil, fmt.Errorf("failed to sign: %w", err)
		}
	}
	if !bytes.Equal(der[0], der[1]) {
		return nil, errors.New("two signatures of the same claims differ; nothing was signed, and this machine should not be trusted")
	}
	return der[0], nil
}

// fixedSize returns a signature in DER as r || s, as JWS has it.
func fixedSize(der []byte) ([]byte, error) {
	var sig struct{ R, S *big.Int }
	if rest, err := asn1.Unmarshal(der, &sig); err != nil || len(rest) > 0 {
		return nil, errors.New("failed to sign: no ECDSA signature came back")
	}
	b := make([]byte, signatureSize)
	sig.R.FillBytes(b[:scalarSize])
	sig.S.FillBytes(b[scalarSize:])
	return b, nil
}
