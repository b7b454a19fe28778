package receipt

import "crypto/ecdsa"

// IsBlank tells which characters make no difference in a receipt.
var IsBlank = isBlank

// Verify is what checks the signature over the first two parts of a JWS.
func Verify(signed string, signature []byte, public *ecdsa.PublicKey) bool {
	return (&token{signed: signed, signature: signature}).verify(public)
}

// Twice is what compares two signatures.
var Twice = twice

// WithPublic returns a signer whose private key has another public half, as after a
// fault in memory.
func (s *Signer) WithPublic(public ecdsa.PublicKey) *Signer {
	private := *s.private
	private.PublicKey = public
	return &Signer{id: s.id, head: s.head, private: &private}
}
