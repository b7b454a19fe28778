package limit

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
)

// A Key is what is counted: a hash, so that a table has no address and no name in it.
type Key [16]byte

func newSecret() (s [16]byte) {
	rand.Read(s[:]) // never fails
	return s
}

// Key returns the key of a thing of some kind that the parts tell. It depends on a
// random secret of the table: nobody can choose parts that share a set with those of
// somebody else.
func (t *Table) Key(kind string, parts ...[]byte) Key {
	var buf [192]byte // room for what is counted as a rule
	b := append(buf[:0], t.secret[:]...)
	b = binary.AppendUvarint(b, uint64(len(kind)))
	b = append(b, kind...)
	for _, p := range parts {
		b = binary.AppendUvarint(b, uint64(len(p)))
		b = append(b, p...)
	}
	sum := sha256.Sum256(b)
	return Key(sum[:16])
}
