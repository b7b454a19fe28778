package receipt

import (
	"crypto"
	"crypto/sha256"
	"encoding/asn1"
	"errors"
	"fmt"
	"math/big"

	"github.com/licet-dev/licet/keys"
)

// Sign returns the text of a receipt, signed with a receipt key: one line without
// white space, at most half of [MaxSize]. The signature is deterministic (RFC 6979),
// so the same receipt and key give the same text. What no receipt can say is an
// [*Error] with the reason [Malformed].
//
// A private key does not know its state. That it is active is for the caller to check
// in the ring, and so is that the licence is one of its mint key.
func Sign(r Receipt, key keys.PrivateKey) (string, error) {
	switch {
	case key.Role() == "":
		return "", errors.New("receipt: no private key given")
	case key.Role() != keys.Receipt:
		return "", fmt.Errorf("receipt: key %s is a %s key; receipts are signed with a %s key", key.ID(), key.Role(), keys.Receipt)
	}
	if err := r.check(); err != nil {
		return "", err
	}
	claims, err := r.marshal()
	if err != nil {
		return "", fmt.Errorf("receipt: %w", err)
	}
	text, err := signClaims(claims, key)
	if err != nil {
		return "", fmt.Errorf("receipt: receipt key %s: %w", key.ID(), err)
	}
	return text, nil
}

func signClaims(claims []byte, key keys.PrivateKey) (string, error) {
	private, err := key.ECDSA()
	if err != nil {
		return "", err
	}
	head, err := compactJSON(header{algorithm, key.ID().String(), headerType})
	if err != nil {
		return "", err
	}
	t := token{signed: encoding.EncodeToString(head) + "." + encoding.EncodeToString(claims)}
	digest := sha256.Sum256([]byte(t.signed))
	der, err := private.Sign(nil, digest[:], crypto.SHA256) // without a random source it is RFC 6979
	if err != nil {
		return "", fmt.Errorf("failed to sign: %w", err)
	}
	if t.signature, err = fixedSize(der); err != nil {
		return "", err
	}
	public, err := keys.NewPublicKey(&private.PublicKey)
	if err != nil {
		return "", err
	}
	// A fault in a deterministic signature gives the key away, and whoever asks for
	// one receipt again and again waits for it.
	if !t.verify(public.ECDSA()) {
		return "", errors.New("the new signature does not verify; nothing was signed, and this machine should not be trusted")
	}
	return t.signed + "." + encoding.EncodeToString(t.signature), nil
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
