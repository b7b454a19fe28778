// Package note signs and opens the files that an issuer publishes: revocation
// lists and batch manifests. Each is a text that people can read and compare,
// with a signature by a list key below it, in the form of a C2SP signed note
// (https://c2sp.org/signed-note).
//
// # Form
//
// A note is a text that ends in a newline, a blank line, and one or more lines of
// the form
//
//	— licet-list JX1YcjBGAiEAxe9e+fU2...
//
// each an em dash, a space, the name of the key, a space, and the base64 of four
// bytes that tell keys apart and the signature. The signature is ECDSA on P-256
// over the SHA-256 of the text, in DER (type 0x02 of the specification); the four
// bytes begin the SHA-256 of the key's SubjectPublicKeyInfo in DER. The name is
// [KeyName] whoever the issuer is: which keys count is for the ring to say, not
// for the note.
//
// # Use
//
// [Sign] makes a note and [Open] reads one. The text of a note is handed out
// only after a signature was found good, and nothing of it is in an error.
//
// A text says in its first line what it is, and whoever opens a note must look: a
// list key signs both lists and manifests, and one must never pass for the other.
//
// A signature is no identity: ECDSA accepts two spellings of every signature, and
// a note may be signed by several keys. Compare texts, never notes.
package note
