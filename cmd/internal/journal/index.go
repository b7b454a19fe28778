package journal

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/licet-dev/licet/keys"
)

// An index knows which serials were handed out.
type index map[seriesID]*series

type seriesID struct {
	key     keys.ID
	product uint64
}

type series struct {
	number int      // of the key, as the last entry has it
	taken  rangeSet // by entries that take their serials
}

// of returns the series of a key and product. It is empty, and not kept, when the
// index does not have it.
func (x index) of(key keys.ID, product uint64) *series {
	if s := x[seriesID{key, product}]; s != nil {
		return s
	}
	return &series{}
}

// add takes an entry in, unless it contradicts the entries before.
func (x index) add(e Entry) error {
	id := seriesID{e.KeyID, e.Product}
	s := x.of(e.KeyID, e.Product)
	if err := s.check(e.Kind, e.Serials); err != nil {
		return err
	}
	x[id] = s
	s.number = e.Key
	if e.Kind.takes() {
		s.taken.add(e.Serials)
	}
	return nil
}

// check refuses a range that an entry of this kind can't have.
func (s *series) check(kind Kind, r Range) error {
	if kind.takes() {
		if part, ok := s.taken.overlap(r); ok {
			return &OverlapError{Want: r, Taken: part, Highest: s.taken.highest()}
		}
		return nil
	}
	if part, ok := s.taken.missing(r); ok {
		return &UnknownError{Want: r, Unknown: part}
	}
	return nil
}

// A Series is what a journal knows of one key and product.
type Series struct {
	Key     int // number of the key, as the last entry has it
	KeyID   keys.ID
	Product uint64
	Ranges  []Range // serials that were handed out, ascending; neighbours are joined
	Gaps    []Range // serials from 1 to the highest that were not
	Next    uint64  // the serial that comes next; 0 when there is none
	Total   uint64  // how many serials were handed out
}

// summary returns the series in the order of key numbers, key ids and products.
func (x index) summary() []Series {
	all := make([]Series, 0, len(x))
	for id, s := range x {
		one := Series{Key: s.number, KeyID: id.key, Product: id.product, Next: s.taken.highest() + 1}
		free := uint64(1)
		for r := range s.taken.from(0) {
			if free < r.First {
				one.Gaps = append(one.Gaps, Range{free, r.First - 1})
			}
			one.Ranges = append(one.Ranges, r)
			one.Total += r.Count()
			free = r.Last + 1
		}
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b Series) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), bytes.Compare(a.KeyID[:], b.KeyID[:]), cmp.Compare(a.Product, b.Product))
	})
	return all
}
