// Package policy has the verdict on an authentic licence, as bits. Every check is
// evaluated whatever the others say, and none of them is a branch, so that the time
// a verdict takes does not tell which it is.
package policy

import (
	"math/bits"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/verifier/revocation"
)

// Failures is the set of checks that a licence fails.
type Failures uint8

// The checks, in the order in which the verdict is chosen.
const (
	WrongProduct Failures = 1 << iota
	Revoked
	BelowMinimum
	NotYetValid
	Expired
)

// Rules are what licences are judged by.
type Rules struct {
	Products   []uint64
	MinVersion uint64
	List       *revocation.List // nil revokes nothing
	Grace      int32            // days after expiry
}

// Check judges a licence of the key with this id: its start against the day that a
// fast clock would show, its end against that of a slow one.
func (r *Rules) Check(key keys.ID, lic *payload.License, early, late payload.Day) Failures {
	var known uint64
	for _, p := range r.Products {
		known |= isZero(p ^ lic.Product)
	}
	revoked := uint64(r.List.Revoked(key, lic.Product, lic.Serial))
	old := less(lic.Version, r.MinVersion) | less(lic.Version, r.List.Minimum(lic.Product))
	soon := less(day(early), day(lic.Start))
	ended := less(day(lic.Expiry)+uint64(r.Grace), day(late))
	return Failures((known ^ 1) | revoked<<1 | old<<2 | soon<<3 | ended<<4)
}

// day returns a day as a number that orders as days do.
func day(d payload.Day) uint64 { return uint64(int64(d) + 1<<32) }

// less returns 1 if a < b, and 0 otherwise.
func less(a, b uint64) uint64 {
	_, borrow := bits.Sub64(a, b, 0)
	return borrow
}

// isZero returns 1 if x is 0, and 0 otherwise.
func isZero(x uint64) uint64 { return (x|-x)>>63 ^ 1 }
