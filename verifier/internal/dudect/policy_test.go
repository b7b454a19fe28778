package main

import (
	"sort"
	"testing"

	"github.com/licet-dev/licet/verifier/internal/policy"
)

// The licences of a class fail what they are to fail and nothing else, and both
// classes lead to the same entries.
func TestLicences(t *testing.T) {
	const entries, count = 50, 20_000
	r := newRandom()
	all := newEntries(r, entries)
	rules := newRules(all)
	if got := rules.List.Len(); got != entries {
		t.Fatalf("the list has %d entries, want %d", got, entries)
	}
	for _, fails := range []policy.Failures{0, policy.Revoked, policy.BelowMinimum, policy.Expired} {
		var hits [entries]int
		below, inside := 0, 0
		for range count {
			lic := randomLicence(r, all, fails)
			if got := rules.Check(keyID, &lic, today, today); got != fails {
				t.Fatalf("%+v fails %b, want %b", lic, got, fails)
			}
			if got := leakySearch(all, lic.Serial); got != (fails == policy.Revoked) {
				t.Fatalf("serial %d: the control says %t", lic.Serial, got)
			}
			i := sort.Search(entries, func(i int) bool { return all[i].First > lic.Serial }) - 1
			hits[i]++
			if lic.Version < listMinimum {
				below++
			}
			if lic.Serial > all[i].First && lic.Serial <= all[i].Last {
				inside++
			}
		}
		// 408 for each entry but the last, which has none behind it; 20 is the
		// standard deviation.
		for i, n := range hits[:entries-1] {
			if n < 250 || n > 570 {
				t.Errorf("failing %b: entry %d was led to %d times of %d", fails, i, n, count)
			}
		}
		if fails == policy.BelowMinimum && (below < count/3 || below > count*2/3) {
			t.Errorf("%d of %d below the minimum of the list", below, count)
		}
		if fails == policy.Revoked && inside == 0 {
			t.Error("no serial within an entry")
		}
	}
}

func TestEntries(t *testing.T) {
	single := 0
	all := newEntries(newRandom(), 1000)
	for i, e := range all {
		if e.Last < e.First || i > 0 && e.First < all[i-1].Last+2 {
			t.Fatalf("entry %d: %d to %d", i, e.First, e.Last)
		}
		if e.First == e.Last {
			single++
		}
	}
	if single < 350 || single > 650 {
		t.Errorf("%d of %d entries have one serial", single, len(all))
	}
}
