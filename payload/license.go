package payload

import (
	"iter"
	"slices"
)

// A License holds the facts that a code carries. Fields that its layout lacks
// are zero; an Expiry it lacks is [Never].
type License struct {
	Product uint64 // product number, from 1
	Version uint64 // licence generation; 0 where the layout has none
	Serial  uint64 // number of the licence under its key and product, from 1

	// Expiry is the last day of validity, inclusive, UTC. It is Never for a
	// licence without end. The zero Day is no expiry at all: minting refuses it,
	// so that no licence lasts for ever because a date was forgotten.
	Expiry Day

	Start    Day    // first day of validity, UTC; zero means from the beginning
	Edition  uint64 // the vendor's own numbering
	Features uint64 // bit i is feature i
	Seats    uint64 // number of seats; 0 means unlimited
	Extra    Extra  // values of the layout's other fields
}

// HasFeature reports whether feature i, from 0, is in the licence.
func (l License) HasFeature(i int) bool {
	return i >= 0 && i < 64 && l.Features>>i&1 == 1
}

// maxExtra is the largest number of fields without a meaning: product and serial
// are in every layout.
const maxExtra = MaxFields - 2

// Extra holds the values of fields that have no meaning to this package, by
// name. The zero value is empty. Copies are independent.
type Extra struct {
	names  []string // never changed in place: copies share it
	values [maxExtra]uint64
}

// Get returns the value of the named field, 0 to 2^53-1, and whether it is there.
func (e Extra) Get(name string) (uint64, bool) {
	i := slices.Index(e.names, name)
	if i < 0 {
		return 0, false
	}
	return e.values[i], true
}

// Set sets the value of the named field. It reports false when there is no room
// for another name: a layout has 14 such fields at most.
func (e *Extra) Set(name string, value uint64) bool {
	i := slices.Index(e.names, name)
	if i < 0 {
		i = len(e.names)
		if i == len(e.values) {
			return false
		}
		e.names = append(slices.Clip(e.names), name)
	}
	e.values[i] = value
	return true
}

// All yields the names and values in the order of the layout, or in which they
// were set.
func (e Extra) All() iter.Seq2[string, uint64] {
	return func(yield func(string, uint64) bool) {
		for i, name := range e.names {
			if !yield(name, e.values[i]) {
				return
			}
		}
	}
}
