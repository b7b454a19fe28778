package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/licet-dev/licet/cmd/internal/journal"
)

// A serialRanges flag holds ranges of serials, separated by commas or repeated.
type serialRanges []journal.Range

func (l *serialRanges) String() string { return "" }

func (l *serialRanges) Set(s string) error {
	for part := range strings.SplitSeq(s, ",") {
		var r serialRange
		if err := r.Set(part); err != nil {
			return err
		}
		*l = append(*l, journal.Range(r))
	}
	return nil
}

func (l *serialRanges) Type() string { return "A-B,..." }

// union returns the ranges in ascending order, those that overlap or touch joined.
func union(ranges []journal.Range) []journal.Range {
	var all []journal.Range
	for _, r := range slices.SortedFunc(slices.Values(ranges), func(a, b journal.Range) int { return cmp.Compare(a.First, b.First) }) {
		if n := len(all); n > 0 && r.First-1 <= all[n-1].Last {
			all[n-1].Last = max(all[n-1].Last, r.Last)
		} else {
			all = append(all, r)
		}
	}
	return all
}

// without returns the parts of ranges that are in none of others. All are in the form
// of union.
func without(ranges, others []journal.Range) []journal.Range {
	var all []journal.Range
	for _, r := range ranges {
		for len(others) > 0 && others[0].Last < r.First {
			others = others[1:]
		}
		for _, o := range others {
			if o.First > r.Last {
				break
			}
			if o.First > r.First {
				all = append(all, journal.Range{First: r.First, Last: o.First - 1})
			}
			r.First = o.Last + 1
		}
		if r.First <= r.Last {
			all = append(all, r)
		}
	}
	return all
}

// count returns how many serials there are.
func count(ranges []journal.Range) uint64 {
	n := uint64(0)
	for _, r := range ranges {
		n += r.Count()
	}
	return n
}
