package receipt

import "crypto/ecdsa"

// IsBlank tells which characters make no difference in a receipt.
var IsBlank = isBlank

// Verify is what checks the signature over the first two parts of a JWS.
func Verify(signed string, signature []byte, public *ecdsa.PublicKey) bool {
	return (&token{signed: signed, signature: signature}).verify(public)
}
