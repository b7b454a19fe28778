// Package keyfile keeps private keys in files encrypted with age (SPEC.md, section
// 9.3), and reads what opens them: identities and passphrases.
//
// A key file is the one line of [keys.PrivateKey.Reveal], encrypted to recipients
// or with a passphrase, as armored text. The tools age and rage read and write the
// same files:
//
//	age -d -i identity.txt acme.key
//
// # Errors
//
// Errors name the file, in text files the line, and what to do. No error quotes a
// secret, a passphrase or a line that might be one, so they can be logged. Use
// errors.Is with [ErrNoMatch] and [ErrDamaged].
//
// # Text
//
// Text files pass through editors, shells and version control. Line ends of
// Windows, blank lines at the end, a missing last line end and a UTF-8 byte order
// mark make no difference. UTF-16 is refused by name.
package keyfile
