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

// A table holds the entries of a list in 15 bytes each and an eighth, and 32 bytes
// more for each key and product.
type table struct {
	n      uint // entries
	series []series
	firsts []uint64 // words, see word; up to a whole block they go on with zeros
	heads  []uint64 // the first word of each block
	lasts  []byte   // last serials in 7 bytes, least significant first; one byte more at the end
	codes  []string // reason codes in the order in which they occur first; index 0 is none
	steps  int      // that a search in the heads needs
}

const (
	numberBits = 53
	reasonBits = 10
	wordBits   = 64 - numberBits // below the first serial
	lastBytes  = 7
	blockLen   = 64 // entries of a block
)

// word returns the first serial of an entry, the index of its reason code in 10
// bits, and a bit that says whether it has one serial only. As no index has all 10
// bits, no word has all of the last 11.
func word(e *Entry, code uint64) uint64 {
	return e.First<<wordBits | code<<1 | isZero(e.First^e.Last)
}

// A series is the entries of one key and product.
type series struct {
	key, product uint64
	start, end   uint // where they are in the table
}

func (s *series) len() uint { return s.end - s.start }

// idNumber returns a key id as a number that orders as the id does.
func idNumber(id keys.ID) uint64 { return binary.BigEndian.Uint64(id[:]) }

func (t *table) first(i uint) uint64 { return t.firsts[i] >> wordBits }

func (t *table) last(i uint) uint64 {
	return binary.LittleEndian.Uint64(t.lasts[lastBytes*i:]) & (1<<(8*lastBytes) - 1)
}

func (t *table) code(i uint) string { return t.codes[t.firsts[i]>>1&(1<<reasonBits-1)] }

// entry returns entry i, which is of the series s.
func (t *table) entry(s *series, i uint) Entry {
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
// none, and then the other two mean nothing. How many steps the searches take follows
// from the size of the table. What they compare becomes a borrow, a mask and an
// index, and never a branch.
func (t *table) find(key, product, serial uint64) (s, i uint, found uint64) {
	if t.n == 0 {
		return 0, 0, 0
	}
	s = t.findSeries(key, product)
	at := &t.series[s]
	found = isZero((at.key ^ key) | (at.product ^ product))

	// The last block of the series that does not begin after the serial, and in it the
	// last such entry of the series. Each is the first one where there is no such.
	limit := serial<<wordBits | (1<<wordBits - 1) // no word has all of these bits
	first, last := at.start/blockLen, (at.end-1)/blockLen
	block := search(t.heads, first, last-first+1, limit, t.steps)
	start, end := block*blockLen, (block+1)*blockLen
	// One word of each of the eight cache lines, so that memory is waited for once and
	// not at every step of the search. As no word is 0, it changes nothing.
	var words uint64
	for k := start; k < end; k += 8 {
		words |= t.firsts[k]
	}
	start, end = larger(start, at.start), smaller(end, at.end)
	i = search(t.firsts, start, end-start, limit, blockSteps)

	w := t.firsts[i]
	single := w & 1
	// The last serial of an entry with several. Of others it is not read, as that would
	// be one more wait.
	most := t.last(i & (uint(single) - 1))
	most ^= (most ^ w>>wordBits) & -single
	return s, i, found & less(w, limit) &^ less(most, serial) &^ isZero(words)
}

// findSeries returns the last series that is not after the given one, or the first.
func (t *table) findSeries(key, product uint64) uint {
	s, n := uint(0), uint(len(t.series))
	for range bits.Len(n - 1) {
		half := n / 2
		at := &t.series[s+half]
		_, before := bits.Sub64(product, at.product, 0)
		_, before = bits.Sub64(key, at.key, before)
		s += half & (uint(before) - 1)
		n -= half
	}
	return s
}

// search returns the index of the last of the n ascending words from index i on that
// is below a limit, or i where there is none. Each of the steps compares with three
// words at once and leaves a quarter, rounded up; two more leave one of three.
func search(words []uint64, i, n uint, limit uint64, steps int) uint {
	for range steps {
		quarter := n / 4
		a, b, c := words[i+quarter], words[i+2*quarter], words[i+3*quarter]
		i += quarter & -uint(less(a, limit))
		i += quarter & -uint(less(b, limit))
		i += quarter & -uint(less(c, limit))
		n -= 3 * quarter
	}
	for range 2 {
		half := n / 2
		i += half & -uint(less(words[i+half], limit))
		n -= half
	}
	return i
}

// blockSteps is how many steps a search in a block needs.
var blockSteps = searchSteps(blockLen)

// searchSteps returns how many steps a search in n words or fewer needs.
func searchSteps(n int) int {
	steps := 0
	for n > 3 {
		n = (n + 9) / 4 // the most that a step can leave, of 4q+3 words q+3
		steps++
	}
	return steps
}

// less returns 1 if a < b, and 0 otherwise. These three do not branch, as the
// functions of the language may.
func less(a, b uint64) uint64 {
	_, borrow := bits.Sub64(a, b, 0)
	return borrow
}

func smaller(a, b uint) uint { return b + (a-b)&-uint(less(uint64(a), uint64(b))) }

func larger(a, b uint) uint { return a + (b-a)&-uint(less(uint64(a), uint64(b))) }

// isZero returns 1 if x is 0, and 0 otherwise.
func isZero(x uint64) uint64 { return (x|-x)>>63 ^ 1 }

// A builder makes a table of entries that come in their order.
type builder struct {
	table
	index  map[string]uint64 // of each reason code
	last   uint64            // last serial of the entry added last
	code   string            // its reason code
	codeAt uint64            // the index of that
}

// newBuilder returns a builder for n entries.
func newBuilder(n int) *builder {
	b := &builder{index: map[string]uint64{"": 0}}
	b.codes = []string{""}
	if n > 0 {
		blocks := (n + blockLen - 1) / blockLen
		b.firsts = make([]uint64, 0, blocks*blockLen)
		b.heads = make([]uint64, 0, blocks)
		b.lasts = make([]byte, 0, lastBytes*n+1)
	}
	return b
}

// add adds an entry with good numbers and a good reason code. It refuses one that
// is not after the entry before, or should be one with it. After an error the builder
// is of no use.
func (b *builder) add(e *Entry) *Error {
	key := idNumber(e.KeyID)
	var s *series
	if n := len(b.series); n > 0 {
		s = &b.series[n-1]
	}
	codeBefore := b.codeAt
	if e.ReasonCode != b.code {
		if err := b.setCode(e.ReasonCode); err != nil {
			return err
		}
	}
	switch {
	case s == nil || s.key < key || s.key == key && s.product < e.Product:
		b.series = append(b.series, series{key: key, product: e.Product, start: b.n})
		s = &b.series[len(b.series)-1]
	case s.key > key || s.product > e.Product || e.First <= b.last || e.First == b.last+1 && b.codeAt == codeBefore:
		t := b.done() // an entry can be read only then
		return misplaced(e, t.entry(s, t.n-1))
	}
	w := word(e, b.codeAt)
	if b.n%blockLen == 0 {
		b.heads = append(b.heads, w)
	}
	b.firsts = append(b.firsts, w)
	b.lasts = binary.LittleEndian.AppendUint64(b.lasts, e.Last)[:lastBytes*(b.n+1)]
	b.last = e.Last
	b.n++
	s.end = b.n
	return nil
}

func (b *builder) setCode(code string) *Error {
	i, ok := b.index[code]
	if !ok {
		if len(b.codes) > MaxReasonCodes {
			return newError(BadValue, "reason code %s: the list has %d others already, and no list has more; use fewer", code, MaxReasonCodes)
		}
		i = uint64(len(b.codes))
		code = strings.Clone(code) // so that it does not keep the text it was read from
		b.codes = append(b.codes, code)
		b.index[code] = i
	}
	b.code, b.codeAt = b.codes[i], i
	return nil
}

// misplaced says why an entry can't stand after another.
func misplaced(e *Entry, before Entry) *Error {
	switch {
	case compareSeries(e, &before) != 0:
		return newError(BadOrder, "key %s, product %d after key %s, product %d; entries ascend by key id and product", e.KeyID, e.Product, before.KeyID, before.Product)
	case e.First <= before.Last:
		return newError(BadOrder, "serials %d to %d after serials %d to %d; entries ascend, each serial once", e.First, e.Last, before.First, before.Last)
	}
	return newError(BadOrder, "serials %d to %d go on where serials %d to %d end, for the same reason; write one entry", e.First, e.Last, before.First, before.Last)
}

// done returns the table. Nothing can be added after that.
func (b *builder) done() table {
	if b.n == 0 {
		return table{}
	}
	b.firsts = append(b.firsts, make([]uint64, uint(len(b.heads))*blockLen-b.n)...)
	b.lasts = append(b.lasts, 0) // the last entry is read as 8 bytes, too
	b.steps = searchSteps(len(b.heads))
	return b.table
}
