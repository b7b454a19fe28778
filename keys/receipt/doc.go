// Package receipt signs and opens activation receipts: what an issuer's endpoint
// answers when somebody activates a licence, so that a product can go on without the
// endpoint. The receipt has the facts of the licence in it, and for whom and until
// when they hold.
//
// # Form
//
// A receipt is a JWS in compact form (RFC 7515), three parts in base64url with full
// stops between:
//
//	eyJhbGciOiJFUzI1NiIsImtpZCI6ImEy...  header: algorithm, key, type
//	eyJpc3MiOiJBY21lIFRvb2xzIiwic3Vi...  claims
//	uKme0EVau3Z9XdRRXvdF1cbe5o3iuG1R...  signature: r and s, 32 bytes each
//
// The algorithm is ES256, ECDSA on P-256 with SHA-256, and the type is
// "licet-receipt+jwt"; there is no other. The key id picks one of the receipt keys of
// the ring, and nothing else. SPEC.md, section 9.7, names the claims. Any library for
// JSON Web Tokens can verify the signature; what else there is to check stands there.
//
// # Use
//
// [Sign] makes a receipt and [Open] reads one. A claim is handed out only after the
// signature was found good. Products don't use Open but verifier.Verifier's
// VerifyReceipt and VerifyReply, which judge the receipt and the licence, too.
//
// A receipt is no secret, and good for its subject only. Its text is no identity: ECDSA
// accepts two spellings of every signature.
package receipt
