package journal

import (
	"iter"
	"slices"
	"sort"
)

// A rangeSet is a set of serials: ranges in ascending order, no two of them touching.
// They are kept in pieces, so that a million serials in random order, each a range,
// can be added one by one without moving the whole each time.
type rangeSet struct {
	pieces [][]Range // none of them is empty
}

const maxPiece = 256

// find returns the place of the first range that ends at serial or behind it. It is
// the end of the set when there is none.
func (s *rangeSet) find(serial uint64) (piece, i int) {
	piece = sort.Search(len(s.pieces), func(n int) bool {
		p := s.pieces[n]
		return p[len(p)-1].Last >= serial
	})
	if piece == len(s.pieces) {
		return piece, 0
	}
	p := s.pieces[piece]
	return piece, sort.Search(len(p), func(n int) bool { return p[n].Last >= serial })
}

// from returns the ranges that end at serial or behind it.
func (s *rangeSet) from(serial uint64) iter.Seq[Range] {
	return func(yield func(Range) bool) {
		piece, i := s.find(serial)
		for ; piece < len(s.pieces); piece, i = piece+1, 0 {
			for _, r := range s.pieces[piece][i:] {
				if !yield(r) {
					return
				}
			}
		}
	}
}

// highest returns the highest serial, or 0.
func (s *rangeSet) highest() uint64 {
	if len(s.pieces) == 0 {
		return 0
	}
	p := s.pieces[len(s.pieces)-1]
	return p[len(p)-1].Last
}

// overlap returns the first part of r that is in the set.
func (s *rangeSet) overlap(r Range) (Range, bool) {
	for have := range s.from(r.First) {
		part := Range{max(have.First, r.First), min(have.Last, r.Last)}
		return part, part.First <= part.Last
	}
	return Range{}, false
}

// missing returns the first part of r that is not in the set.
func (s *rangeSet) missing(r Range) (Range, bool) {
	for have := range s.from(r.First) {
		if have.First > r.First {
			return Range{r.First, min(r.Last, have.First-1)}, true
		}
		if have.Last >= r.Last {
			return Range{}, false
		}
		r.First = have.Last + 1
	}
	return r, true
}

// add adds a range that does not overlap the set.
func (s *rangeSet) add(r Range) {
	piece, i := s.find(r.First)
	if piece < len(s.pieces) {
		if next := s.pieces[piece][i]; next.First-1 == r.Last {
			r.Last = next.Last
			s.remove(piece, i)
		}
	}
	if before := s.before(piece, i); before != nil && before.Last == r.First-1 {
		before.Last = r.Last
		return
	}
	s.insert(piece, i, r)
}

// before returns the range in front of a place, or nil.
func (s *rangeSet) before(piece, i int) *Range {
	if i > 0 {
		return &s.pieces[piece][i-1]
	}
	if piece > 0 {
		p := s.pieces[piece-1]
		return &p[len(p)-1]
	}
	return nil
}

func (s *rangeSet) remove(piece, i int) {
	s.pieces[piece] = slices.Delete(s.pieces[piece], i, i+1)
	if len(s.pieces[piece]) == 0 {
		s.pieces = slices.Delete(s.pieces, piece, piece+1)
	}
}

func (s *rangeSet) insert(piece, i int, r Range) {
	if piece == len(s.pieces) {
		if piece == 0 {
			s.pieces = [][]Range{{r}}
			return
		}
		piece--
		i = len(s.pieces[piece])
	}
	p := slices.Insert(s.pieces[piece], i, r)
	s.pieces[piece] = p
	if half := len(p) / 2; len(p) > maxPiece {
		s.pieces[piece] = p[:half:half]
		s.pieces = slices.Insert(s.pieces, piece+1, slices.Clone(p[half:]))
	}
}
