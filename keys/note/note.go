package note

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"unicode/utf8"

	"github.com/licet-dev/licet/keys"
)

// KeyName is the name of every key in the signature lines of a note.
const KeyName = "licet-list"

// Bounds of notes.
const (
	// MaxText is the length in bytes of the longest text, 1 GiB. A revocation list
	// of ten million entries has about half of that.
	MaxText = 1 << 30

	// MaxSignatures is the number of signatures that a note can have: as many as
	// every reader of signed notes must accept.
	MaxSignatures = 16

	// maxBlock bounds the signature lines together. Signatures of ours are short,
	// but a note may also have some of other kinds, with up to 5 kB each.
	maxBlock = 128 << 10
)

const linePrefix = "— "

// spkiPrefix begins the SubjectPublicKeyInfo of every P-256 key in DER; the
// uncompressed point follows. Package crypto/x509 writes the same, but brings
// package net with it into every program that reads a list.
const spkiPrefix = "\x30\x59\x30\x13\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07\x03\x42\x00"

// keyHash returns the four bytes that tell the keys of a note apart. They are
// a hint which key to try, and no proof of anything.
func keyHash(p keys.PublicKey) [4]byte {
	sum := sha256.Sum256(append([]byte(spkiPrefix), p.Bytes()...))
	return [4]byte(sum[:4])
}

// checkText reports what is wrong with a text, or with a note as a whole.
func checkText(b []byte) error {
	switch {
	case len(b) == 0:
		return malformed(0, "it is empty")
	case bytes.HasPrefix(b, []byte("\xef\xbb\xbf")):
		return malformed(1, "begins with a byte order mark; save it as UTF-8 without one")
	case !utf8.Valid(b):
		return malformed(lineOf(b, invalidUTF8(b)), "not UTF-8 text; a shell redirection may have written UTF-16, write the file itself instead")
	}
	if i := indexControl(b); i >= 0 {
		return malformed(lineOf(b, i), "a control character, code %d; only newlines are allowed", controlAt(b, i))
	}
	if b[len(b)-1] != '\n' {
		return malformed(lineOf(b, len(b)), "no newline at the end; the file may be cut off")
	}
	return nil
}

// indexControl returns the index of the first control character of the UTF-8 text
// b that is no newline, or -1. It looks at eight bytes at once where there are as
// many: byte by byte, the check of a large list took longer than its hash.
func indexControl(b []byte) int {
	for i := 0; i < len(b); {
		if len(b)-i >= 8 {
			if x := binary.LittleEndian.Uint64(b[i:]); plain(x) || !mayHaveControl(x) {
				i += 8
				continue
			}
		}
		if c := b[i]; c < ' ' && c != '\n' || c == 0x7f || c == 0xc2 && b[i+1] < 0xa0 { // the last is U+0080 to U+009F
			return i
		}
		i++
	}
	return -1
}

const each = 0x0101010101010101 // one byte of each eight

// plain reports whether all of eight bytes are from 0x20 to 0x7e. Of those that are
// not, the lowest gets its high bit set here.
func plain(x uint64) bool { return (x|(x+each)|(x-each*' '))&(each*0x80) == 0 }

// mayHaveControl reports whether any of eight bytes is below 0x20 and no newline, or
// 0x7f, or 0xc2, which some control characters begin with.
func mayHaveControl(x uint64) bool {
	return zeros(x&(each*0xe0))&^zeros(x^each*'\n')|zeros(x^each*0x7f)|zeros(x^each*0xc2) != 0
}

// zeros returns the high bit of each byte of x that is 0.
func zeros(x uint64) uint64 {
	const low = each * 0x7f
	return ^((x&low + low) | x | low)
}

func controlAt(b []byte, i int) rune {
	c, _ := utf8.DecodeRune(b[i:])
	return c
}

func invalidUTF8(b []byte) int {
	i := 0
	for i < len(b) {
		c, n := utf8.DecodeRune(b[i:])
		if c == utf8.RuneError && n == 1 {
			break
		}
		i += n
	}
	return i
}

// lineOf returns the number of the line, from 1, in which byte i of b is.
func lineOf(b []byte, i int) int { return 1 + bytes.Count(b[:i], []byte("\n")) }
