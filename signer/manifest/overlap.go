package manifest

import (
	"bytes"
	"cmp"
	"iter"
	"slices"
)

// An Overlap is a range of serials that two batches have both.
type Overlap struct {
	A, B        int    // the places of the two manifests in the arguments, A before B
	First, Last uint64 // the serials that both have
}

// Overlaps yields every pair of manifests that claim the same new serials: both of
// the kind [Mint], under the same key id and product, with ranges that meet. The
// pairs come by key id, product and first common serial.
//
// One manifest given twice overlaps itself. The manifests must be checked, as those
// of [Open] and [Parse] are. The time grows with the number of manifests and of
// pairs, and not with the square of the former.
func Overlaps(manifests ...Manifest) iter.Seq[Overlap] {
	var order []int
	for i, m := range manifests {
		if m.Kind == Mint && m.First <= m.Last {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(compareSeries(&manifests[a], &manifests[b]), cmp.Compare(manifests[a].First, manifests[b].First), cmp.Compare(a, b))
	})
	return func(yield func(Overlap) bool) {
		var open []int // batches of the series that began at or before this one and may not have ended
		for _, i := range order {
			m := &manifests[i]
			// Each of them has ended and leaves, or makes a pair.
			open = slices.DeleteFunc(open, func(o int) bool {
				return compareSeries(&manifests[o], m) != 0 || manifests[o].Last < m.First
			})
			for _, o := range open {
				if !yield(Overlap{min(o, i), max(o, i), m.First, min(manifests[o].Last, m.Last)}) {
					return
				}
			}
			open = append(open, i)
		}
	}
}

// compareSeries orders manifests by what makes serials comparable: key and product.
func compareSeries(a, b *Manifest) int {
	return cmp.Or(bytes.Compare(a.KeyID[:], b.KeyID[:]), cmp.Compare(a.Product, b.Product))
}
