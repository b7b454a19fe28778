// Package manifest writes and reads batch manifests: what an issuer says about a
// file of licence codes, signed by a list key. A manifest lies beside the file,
// under its name with ".manifest" after it.
//
// # Form
//
// A manifest is the text of a signed note (package note), such as
//
//	licet-manifest/v1
//	Acme Tools
//	key-id ca3f2093e4fe1455
//	key-number 8
//	product 7
//	version 3
//	expiry 2027-12-31
//	first-serial 1000
//	last-serial 1000
//	count 1
//	kind mint
//	format txt
//	file batch.txt
//	size 45
//	sha256 bb8ee31be871c77cef1ed3ea2ecf23e522481b5a19f190718fdd4a02385ede34
//	time 2026-12-01T09:30:00Z
//	tool licet v0.2.0
//	label order=4711
//
// The second line is the issuer, as the ring names it. A manifest has exactly one
// spelling (ABNF of RFC 5234, the quoted texts case-sensitive as in RFC 7405; LF
// is the byte 0A):
//
//	manifest  = "licet-manifest/v1" LF
//	            name LF
//	            "key-id " 16hex LF
//	            "key-number " number LF
//	            "product " number LF
//	            ["version " ("0" / number) LF]
//	            ["expiry " (date / "never") LF]
//	            ["start " date LF]
//	            *14("field " field " " number LF)
//	            ["binding " 64hex LF]
//	            "first-serial " number LF
//	            "last-serial " number LF
//	            "count " number LF
//	            "kind " ("mint" / "again" / "renew") LF
//	            "format " ("txt" / "csv" / "jsonl" / "xlsx") LF
//	            "file " file LF
//	            "size " number LF
//	            "sha256 " 64hex LF
//	            ["plaintext-size " number LF
//	             "plaintext-sha256 " 64hex LF]
//	            "time " date "T" 2DIGIT ":" 2DIGIT ":" 2DIGIT "Z" LF
//	            "tool " name LF
//	            *64("label " key "=" value LF)
//	number    = %x31-39 *15DIGIT            ; at most 2^53-1
//	field     = lower *15(lower / DIGIT)
//	date      = 4DIGIT "-" 2DIGIT "-" 2DIGIT
//	key       = lower *31(lower / DIGIT / "-")
//	name      = 1*128text                   ; at most 128 bytes
//	value     = 1*256text                   ; at most 256 bytes
//	file      = 1*255text                   ; at most 255 bytes, see below
//	text      = %x20-7E / %x80-10FFFF       ; UTF-8, without U+0080 to U+009F and U+FFFD
//	hex       = DIGIT / %x61-66
//	lower     = %x61-7A
//
// and these bounds:
//
//   - key-number is 1 to 31. The lines version and expiry are there exactly when
//     the layout of the key has such a field.
//   - The lines start and field are there for what the layout has and is not 0: the
//     first day of validity, and all other fields, features as a number with bit i
//     for feature i. No field is named product, version, expiry, start or serial.
//     Their names ascend bytewise, each once.
//   - The line binding is there exactly when the key binds its codes: the SHA-256 of
//     the text, which enters every code. The text itself is no part of a manifest,
//     which others may read.
//   - count is last-serial - first-serial + 1.
//   - expiry and start are real dates from 2025-01-02 to 7766-10-22, the last day of
//     21 bits, and start is not after expiry; time is a real time from 2025-01-01T00:00:00Z on.
//   - file is a name without path: it has no slash and no backslash, and is
//     neither "." nor "..".
//   - A digest, a binding or a key id of zeros only is refused: nobody computed it.
//   - The keys of labels ascend bytewise, each once.
//
// The digests are SHA-256. Where the file is encrypted, size and sha256 are those
// of the file, and the plaintext lines those of what was encrypted.
//
// # Kinds
//
// [Mint] is a batch of new serials: no other batch of that kind has one of them
// under the same key and product, and [Overlaps] finds those that do. [Again] is
// a batch that was written before, and has the same codes. [Renew] is a batch of
// serials that exist, with other terms.
package manifest
