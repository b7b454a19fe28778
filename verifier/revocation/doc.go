// Package revocation reads and writes revocation lists: what an issuer takes back
// of the codes it sold, signed by a list key. A product ships the newest list with
// its updates, and the verifier judges by it.
//
// # Form
//
// A list is the text of a signed note (package note), such as
//
//	licet-revocations/v1
//	Acme Tools
//	sequence 12
//	issued 2026-12-01T09:30:00Z
//	due 2027-01-01T00:00:00Z
//	minimum 7 3
//	key ca3f2093e4fe1455 closed
//	revoked ca3f2093e4fe1455 7 1000 1999 leaked
//	revoked ca3f2093e4fe1455 7 2042 2042
//
// The second line is the issuer, as the ring names it. A line minimum states a
// product and the lowest version that is accepted, a line key the id and the state
// of a key, a line revoked a key id, a product, the first and the last serial of a
// range, both of which are revoked, and the reason if there is one. A list has
// exactly one spelling (ABNF of RFC 5234, the quoted texts case-sensitive as in RFC
// 7405; LF is the byte 0A):
//
//	list     = "licet-revocations/v1" LF
//	           name LF
//	           "sequence " number LF
//	           "issued " time LF
//	           "due " time LF
//	           *("minimum " number " " number LF)
//	           *("key " 16hex " " ("closed" / "withdrawn") LF)
//	           *("revoked " 16hex " " number " " number " " number [" " reason] LF)
//	number   = %x31-39 *15DIGIT            ; at most 2^53-1
//	time     = 4DIGIT "-" 2DIGIT "-" 2DIGIT "T" 2DIGIT ":" 2DIGIT ":" 2DIGIT "Z"
//	reason   = lower *31(lower / DIGIT / "-")
//	name     = 1*128text                   ; at most 128 bytes
//	text     = %x20-7E / %x80-10FFFF       ; UTF-8, without U+0080 to U+009F and U+FFFD
//	hex      = DIGIT / %x61-66
//	lower    = %x61-7A
//
// and these bounds:
//
//   - due is later than issued. Both are real times from 2025-01-01T00:00:00Z on.
//   - A key id of zeros only is refused: nobody computed it.
//   - The products of minimum lines ascend, and so do the ids of key lines, each once.
//   - revoked lines ascend by key id, product and first serial. The last serial of a
//     line is not below its first, and no serial is in two lines.
//   - Where one line begins with the serial after the last of the line before, their
//     reasons differ; else they are one line.
//   - A list has at most 1000 different reasons.
//
// # Key states
//
// A list may say of a key, be it a mint, list or receipt key, that it is closed
// ([keys.Closed]: it mints no new serials, its codes stay good) or withdrawn
// ([keys.Withdrawn]: believed stolen, all its codes are refused). The ring states it
// too, and the worse counts: a list makes a key worse for products whose ring is
// older, and it can make none better.
//
// # Size
//
// An entry takes a little more than 15 bytes in memory, whether it is one serial or a
// range, and each key id with a product 32 bytes more. While a list is opened there
// is a copy of its text besides: ten million entries, signed 460 MB, need 1.1 GB with
// all of it, and 152 MB later on. [List.Revoked] waits for memory about once.
//
// # Use
//
// [Open] reads a list and [Sign] writes one. The next list begins as the [Draft] of
// the one before; [Compare] shows what it changes, and whether it makes anything
// good again. This package has no clock and remembers no list: whether one is too old,
// or older than one seen before, is for package verifier to say.
package revocation
