package revocation

import (
	"bytes"
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/licet-dev/licet/keys"
)

// Bounds of lists.
const (
	// MaxReasonCodes is how many different reason codes a list can have.
	MaxReasonCodes = 1000

	// MaxReasonCode is the length in bytes of the longest reason code.
	MaxReasonCode = 32
)

// maxNumber bounds every number, so that it is exact in JavaScript.
const (
	maxNumber = 1<<numberBits - 1
	maxDigits = len("9007199254740991")
)

// A List says what an issuer takes back. It is made by [Open], [Parse] or
// [Draft.List], never changes, and is safe for concurrent use. A nil *List is a
// list that says nothing: nothing is revoked.
type List struct {
	issuer   string
	sequence uint64
	issued   time.Time
	due      time.Time
	minimums []minimum  // by product
	states   []keyState // by key id
	entries  table
}

type minimum struct{ product, version uint64 }

type keyState struct {
	id    keys.ID
	state keys.State
}

func compareStates(a, b keyState) int { return bytes.Compare(a.id[:], b.id[:]) }

// An Entry is a range of revoked serials of one key and product.
type Entry struct {
	KeyID       keys.ID // of the mint key
	Product     uint64  // product number, from 1
	First, Last uint64  // the first and the last serial, from 1; all between them are revoked
	ReasonCode  string  // such as "leaked", or "" where none is stated
}

// Issuer returns the issuer's name.
func (l *List) Issuer() string { return l.orEmpty().issuer }

// Sequence returns the number of the list, from 1. Of two lists of an issuer the
// one with the higher number is the newer, and it alone decides.
func (l *List) Sequence() uint64 { return l.orEmpty().sequence }

// Issued returns when the list was made, in UTC.
func (l *List) Issued() time.Time { return l.orEmpty().issued }

// Due returns when the next list is due, in UTC; after that this one is stale. It
// is later than Issued.
func (l *List) Due() time.Time { return l.orEmpty().due }

// Minimum returns the lowest version of a product whose codes are still good, or 0
// where the list states none.
func (l *List) Minimum(product uint64) uint64 {
	minimums := l.orEmpty().minimums
	i, ok := slices.BinarySearchFunc(minimums, product, func(m minimum, p uint64) int { return cmp.Compare(m.product, p) })
	if !ok {
		return 0
	}
	return minimums[i].version
}

// Minimums yields the products for which the list states a minimum version, and
// that version, by product.
func (l *List) Minimums() iter.Seq2[uint64, uint64] {
	return func(yield func(product, version uint64) bool) {
		for _, m := range l.orEmpty().minimums {
			if !yield(m.product, m.version) {
				return
			}
		}
	}
}

// KeyState returns what the list says of a key: [keys.Closed] or [keys.Withdrawn],
// or [keys.Active] where it says nothing. The ring states it too; the worse counts.
func (l *List) KeyState(id keys.ID) keys.State {
	states := l.orEmpty().states
	i, ok := slices.BinarySearchFunc(states, keyState{id: id}, compareStates)
	if !ok {
		return keys.Active
	}
	return states[i].state
}

// KeyStates yields the keys of which the list states something, and what, by key
// id.
func (l *List) KeyStates() iter.Seq2[keys.ID, keys.State] {
	return func(yield func(keys.ID, keys.State) bool) {
		for _, s := range l.orEmpty().states {
			if !yield(s.id, s.state) {
				return
			}
		}
	}
}

// Len returns the number of entries.
func (l *List) Len() int { return int(l.orEmpty().entries.n) }

// Entries yields the entries, by key id, product and serial. They are disjoint, and
// of two adjacent ones the reason codes differ.
func (l *List) Entries() iter.Seq[Entry] { return l.orEmpty().entries.all() }

// Lookup returns the entry of a licence, and whether it is revoked. Unlike
// [List.Revoked] it takes a time that depends on the answer.
func (l *List) Lookup(key keys.ID, product, serial uint64) (Entry, bool) {
	t := &l.orEmpty().entries
	series, i, found := t.find(idNumber(key), product, serial)
	if found == 0 {
		return Entry{}, false
	}
	return t.entry(&t.series[series], i), true
}

// Revoked returns 1 if a licence is revoked and 0 otherwise, as the functions of
// package crypto/subtle do. It takes a number of steps that depends on the size of
// the list and on nothing else, without a branch on what it finds, and allocates
// nothing. Which memory it reads does depend on the licence.
//
// A licence is revoked by its identity: the key id, the product and the serial.
// Another spelling of its code, and a renewed code, are revoked with it.
func (l *List) Revoked(key keys.ID, product, serial uint64) int {
	_, _, found := l.orEmpty().entries.find(idNumber(key), product, serial)
	return int(found)
}

// Equal reports whether two lists say the same: whether their texts are equal.
func (l *List) Equal(m *List) bool {
	if l == nil || m == nil {
		return l == m
	}
	return l.issuer == m.issuer && l.sequence == m.sequence && l.issued.Equal(m.issued) && l.due.Equal(m.due) &&
		slices.Equal(l.minimums, m.minimums) && slices.Equal(l.states, m.states) && l.entries.equal(&m.entries)
}

var empty List

func (l *List) orEmpty() *List {
	if l == nil {
		return &empty
	}
	return l
}
