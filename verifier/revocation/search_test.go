package revocation_test

import (
	"testing"

	"github.com/licet-dev/licet/verifier/revocation"
)

// TestSearch searches every number of words at every place of longer ones, in as many
// steps as these need, for every value in and beside them.
func TestSearch(t *testing.T) {
	words := make([]uint64, 300)
	for i := range words {
		words[i] = uint64(10 * (i + 1))
	}
	for most := 1; most <= len(words); most += 1 + most/40 {
		steps := revocation.SearchSteps(most)
		for n := 1; n <= most; n++ {
			start := most - n // the words before are of another series
			for want := start; want < most; want++ {
				for _, limit := range []uint64{words[want] + 1, words[want] + 10} {
					if got := revocation.Search(words, uint(start), uint(n), limit, steps); got != uint(want) {
						t.Fatalf("%d words of %d, below %d: %d, want %d", n, most, limit, got, want)
					}
				}
			}
			for _, limit := range []uint64{0, 1, words[start]} {
				if got := revocation.Search(words, uint(start), uint(n), limit, steps); got != uint(start) {
					t.Fatalf("%d words of %d, below %d: %d, want %d", n, most, limit, got, start)
				}
			}
		}
	}
}
