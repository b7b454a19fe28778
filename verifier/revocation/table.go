package revocation

import (
	"bytes"
	"encoding/binary"
	"iter"
	"math/bits"
	"slices"
	"strings"

	"github.com/licet-dev/licet/keys"
)

// A table holds the entries of a list in 15 bytes each, and 32 bytes more for each
// key and product.
type table struct {
	series []series
	firsts []uint64 // first serial, and below it in 11 bits the index of the reason code
	lasts  []byte   // last serial in 7 bytes, least significant first; one byte more at the end
	codes  []string // reason codes in the order in which they occur first; index 0 is none
}

const (
	numberBits = 53
	reasonBits = 64 - numberBits
	lastBytes  = 7
)

// A series is the entries of one key and product.
type series struct {
	key, product uint64
	start, end   int // where they are in the table
}

func (s *series) len() int { return s.end - s.start }

// idNumber returns a key id as a number that orders as the id does.
func idNumber(id keys.ID) uint64 { return binary.BigEndian.Uint64(id[:]) }

func (t *table) len() int { return len(t.firsts) }

func (t *table) first(i int) uint64 { return t.firsts[i] >> reasonBits }

func (t *table) last(i int) uint64 {
	return binary.LittleEndian.Uint64(t.lasts[lastBytes*i:]) & (1<<(8*lastBytes) - 1)
}

func (t *table) code(i int) string { return t.codes[t.firsts[i]&(1<<reasonBits-1)] }

// entry returns entry i, which is of the series s.
func (t *table) entry(s *series, i int) Entry {
	e := Entry{Product: s.product, First: t.first(i), Last: t.last(i), ReasonCode: t.code(i)}
	binary.BigEndian.PutUint64(e.KeyID[:], s.key)
	return e
}

func (t *table) all() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for s := range t.series {
			for i := t.series[s].start; i < t.series[s].end; i++ {
				if !yield(t.entry(&t.series[s], i)) {
					return
				}
			}
		}
	}
}

func (t *table) equal(u *table) bool {
	return slices.Equal(t.series, u.series) && slices.Equal(t.firsts, u.firsts) && bytes.Equal(t.lasts, u.lasts) && slices.Equal(t.codes, u.codes)
}

// find returns the entry that has a serial, its series, and 1; or 0 where there is
// none, and then the other two mean nothing. Both searches halve what is left as
// often as the size of the table says. What they compare becomes a borrow, a mask and an
// index, and never a branch.
func (t *table) find(key, product, serial uint64) (s, i int, found uint64) {
	if len(t.firsts) == 0 {
		return 0, 0, 0
	}
	// The last series that is not after this one, if there is any.
	n := len(t.series)
	for range bits.Len(uint(n - 1)) {
		half := n / 2
		at := &t.series[s+half]
		_, less := bits.Sub64(product, at.product, 0)
		_, less = bits.Sub64(key, at.key, less)
		s += half & (int(less) - 1)
		n -= half
	}
	at := &t.series[s]
	found = isZero(at.key ^ key | at.product ^ product)

	// The last of its entries that does not begin after this serial, if there is
	// any. Every table of this size takes as many steps; the surplus ones move
	// nothing, as half is 0.
	_, inRange := bits.Sub64(serial, 1<<numberBits, 0)
	found &= inRange
	most := serial<<reasonBits | (1<<reasonBits - 1)
	i, n = at.start, at.len()
	for range bits.Len(uint(len(t.firsts) - 1)) {
		half := n / 2
		_, less := bits.Sub64(most, t.firsts[i+half], 0)
		i += half & (int(less) - 1)
		n -= half
	}
	_, before := bits.Sub64(most, t.firsts[i], 0)
	_, after := bits.Sub64(t.last(i), serial, 0)
	return s, i, found &^ (before | after)
}

// isZero returns 1 if x is 0, and 0 otherwise.
func isZero(x uint64) uint64 { return (x|-x)>>63 ^ 1 }

// A builder makes a table of entries that come in their order.
type builder struct {
	table
	index  map[string]uint64 // of each reason code
	code   string            // of the entry added last
	codeAt uint64            // its index
	before Entry             // the entry added last
}

// newBuilder returns a builder for n entries.
func newBuilder(n int) *builder {
	b := &builder{index: map[string]uint64{"": 0}}
	b.codes = []string{""}
	if n > 0 {
		b.firsts = make([]uint64, 0, n)
		b.lasts = make([]byte, 0, lastBytes*n+1)
	}
	return b
}

// add adds an entry with good numbers and a good reason code. It refuses one that
// is not after the entry before, or should be one with it.
func (b *builder) add(e *Entry) *Error {
	switch order := compareSeries(&b.before, e); { // before the first entry it is a key id of zeros
	case order < 0:
		b.series = append(b.series, series{key: idNumber(e.KeyID), product: e.Product, start: len(b.firsts)})
	case order > 0:
		return newError(BadOrder, "key %s, product %d after key %s, product %d; entries ascend by key id and product", e.KeyID, e.Product, b.before.KeyID, b.before.Product)
	case e.First <= b.before.Last:
		return newError(BadOrder, "serials %d to %d after serials %d to %d; entries ascend, each serial once", e.First, e.Last, b.before.First, b.before.Last)
	case e.goesOn(&b.before):
		return newError(BadOrder, "serials %d to %d go on where serials %d to %d end, for the same reason; write one entry", e.First, e.Last, b.before.First, b.before.Last)
	}
	if e.ReasonCode != b.code {
		if err := b.setCode(e.ReasonCode); err != nil {
			return err
		}
	}
	b.before = *e
	b.before.ReasonCode = b.code
	b.firsts = append(b.firsts, e.First<<reasonBits|b.codeAt)
	n := len(b.lasts)
	b.lasts = binary.LittleEndian.AppendUint64(b.lasts, e.Last)[:n+lastBytes]
	b.series[len(b.series)-1].end = len(b.firsts)
	return nil
}

func (b *builder) setCode(code string) *Error {
	i, ok := b.index[code]
	if !ok {
		if len(b.codes) > MaxReasonCodes {
			return newError(BadValue, "the entry has the reason code %s, but the list has %d others already, and no list has more; use fewer", code, MaxReasonCodes)
		}
		i = uint64(len(b.codes))
		code = strings.Clone(code) // so that it does not keep the text it was read from
		b.codes = append(b.codes, code)
		b.index[code] = i
	}
	b.code, b.codeAt = b.codes[i], i
	return nil
}

// done returns the table. Nothing can be added after that.
func (b *builder) done() table {
	if len(b.firsts) == 0 {
		return table{}
	}
	b.lasts = append(b.lasts, 0) // the last entry is read as 8 bytes, too
	return b.table
}
