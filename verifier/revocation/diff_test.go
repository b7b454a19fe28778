package revocation_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/verifier/revocation"
)

// An entryPair is a range with its reason codes in two lists.
type entryPair struct{ older, newer revocation.Entry }

func reasonsOf(d *revocation.Diff) []entryPair {
	var pairs []entryPair
	for older, newer := range d.Reasons() {
		pairs = append(pairs, entryPair{older, newer})
	}
	return pairs
}

// RV-08: what the newer list makes good again is told from what it adds.
func TestCompare(t *testing.T) {
	entry := func(first, last uint64, code string) revocation.Entry {
		return revocation.Entry{KeyID: idB, Product: 7, First: first, Last: last, ReasonCode: code}
	}
	for name, tt := range map[string]struct {
		change         func(*revocation.Draft)
		dropped, added []revocation.Entry
		reasons        []entryPair
		minimums       []revocation.MinimumChange
		keys           []revocation.KeyChange
		restores       bool
	}{
		"nothing":            {change: func(d *revocation.Draft) {}},
		"the next list":      {change: func(d *revocation.Draft) { d.Sequence++; d.Issued = d.Issued.AddDate(0, 0, 1) }},
		"an entry added":     {change: func(d *revocation.Draft) { check(d.Revoke(entry(3000, 3999, "x"))) }, added: []revocation.Entry{entry(3000, 3999, "x")}},
		"some of it known":   {change: func(d *revocation.Draft) { check(d.Revoke(entry(1, 2500, "x"))) }, added: []revocation.Entry{entry(1, 999, "x"), entry(2001, 2041, "x"), entry(2043, 2500, "x")}},
		"an entry dropped":   {change: func(d *revocation.Draft) { check(d.Restore(entry(2042, 2042, ""))) }, dropped: []revocation.Entry{entry(2042, 2042, "")}, restores: true},
		"half of it dropped": {change: func(d *revocation.Draft) { check(d.Restore(entry(1, 1500, ""))) }, dropped: []revocation.Entry{entry(1000, 1500, "leaked")}, restores: true},
		"two parts dropped": {change: func(d *revocation.Draft) { check(d.Restore(entry(1999, 2000, ""))) },
			dropped: []revocation.Entry{entry(1999, 1999, "leaked"), entry(2000, 2000, "")}, restores: true},
		"a hole": {change: func(d *revocation.Draft) { check(d.Restore(entry(1500, 1500, ""))) }, dropped: []revocation.Entry{entry(1500, 1500, "leaked")}, restores: true},
		"dropped and added": {change: func(d *revocation.Draft) {
			check(d.Restore(entry(2042, 2042, "")))
			check(d.Revoke(entry(2043, 2043, "")))
		},
			dropped: []revocation.Entry{entry(2042, 2042, "")}, added: []revocation.Entry{entry(2043, 2043, "")}, restores: true},
		"another reason": {change: func(d *revocation.Draft) {
			check(d.Restore(entry(1500, 1600, "")))
			check(d.Revoke(entry(1500, 1600, "y")))
		},
			reasons: []entryPair{{entry(1500, 1600, "leaked"), entry(1500, 1600, "y")}}},
		"a minimum raised":  {change: func(d *revocation.Draft) { d.Minimums[7] = 4 }, minimums: []revocation.MinimumChange{{Product: 7, Older: 3, Newer: 4}}},
		"a minimum lowered": {change: func(d *revocation.Draft) { d.Minimums[7] = 2 }, minimums: []revocation.MinimumChange{{Product: 7, Older: 3, Newer: 2}}, restores: true},
		"a minimum gone":    {change: func(d *revocation.Draft) { delete(d.Minimums, 7) }, minimums: []revocation.MinimumChange{{Product: 7, Older: 3}}, restores: true},
		"a minimum stated":  {change: func(d *revocation.Draft) { d.Minimums[8] = 1 }, minimums: []revocation.MinimumChange{{Product: 8, Newer: 1}}},
		"two minimums": {change: func(d *revocation.Draft) { d.Minimums[8] = 1; delete(d.Minimums, 7) },
			minimums: []revocation.MinimumChange{{Product: 7, Older: 3}, {Product: 8, Newer: 1}}, restores: true},
		"a key stolen":          {change: func(d *revocation.Draft) { d.KeyStates[idB] = keys.Withdrawn }, keys: []revocation.KeyChange{{KeyID: idB, Older: keys.Closed, Newer: keys.Withdrawn}}},
		"a key better":          {change: func(d *revocation.Draft) { d.KeyStates[idA] = keys.Closed }, keys: []revocation.KeyChange{{KeyID: idA, Older: keys.Withdrawn, Newer: keys.Closed}}, restores: true},
		"a key no longer shut":  {change: func(d *revocation.Draft) { delete(d.KeyStates, idB) }, keys: []revocation.KeyChange{{KeyID: idB, Older: keys.Closed, Newer: keys.Active}}, restores: true},
		"another key is closed": {change: func(d *revocation.Draft) { d.KeyStates[idC] = keys.Closed }, keys: []revocation.KeyChange{{KeyID: idC, Older: keys.Active, Newer: keys.Closed}}},
	} {
		d := full().Draft()
		tt.change(d)
		diff := revocation.Compare(full(), must(d.List()))
		if got := slices.Collect(diff.Dropped()); !slices.Equal(got, tt.dropped) {
			t.Errorf("%s: dropped %v, want %v", name, got, tt.dropped)
		}
		if got := slices.Collect(diff.Added()); !slices.Equal(got, tt.added) {
			t.Errorf("%s: added %v, want %v", name, got, tt.added)
		}
		if got := reasonsOf(diff); !slices.Equal(got, tt.reasons) {
			t.Errorf("%s: reasons %v, want %v", name, got, tt.reasons)
		}
		if !reflect.DeepEqual(diff.Minimums, tt.minimums) || !reflect.DeepEqual(diff.Keys, tt.keys) {
			t.Errorf("%s: %v, %v; want %v, %v", name, diff.Minimums, diff.Keys, tt.minimums, tt.keys)
		}
		if got := diff.Restores(); got != tt.restores {
			t.Errorf("%s: restores %t", name, got)
		}
	}
}

// The first list is compared with none.
func TestCompareNil(t *testing.T) {
	all := slices.Collect(full().Entries())
	first, last := revocation.Compare(nil, full()), revocation.Compare(full(), nil)
	if !slices.Equal(slices.Collect(first.Added()), all) || len(slices.Collect(first.Dropped())) > 0 || first.Restores() || len(first.Minimums) != 2 || len(first.Keys) != 2 {
		t.Error("the first list is not all new")
	}
	if !slices.Equal(slices.Collect(last.Dropped()), all) || len(slices.Collect(last.Added())) > 0 || !last.Restores() || len(last.Minimums) != 2 || len(last.Keys) != 2 {
		t.Error("without the list, not all is gone")
	}
	if d := revocation.Compare(nil, nil); d.Restores() || len(d.Minimums)+len(d.Keys) > 0 {
		t.Error("nothing is not nothing")
	}
	for range first.Added() {
		break // it must end here, and not go on
	}
}

func TestChanges(t *testing.T) {
	for older := range uint64(3) {
		for newer := range uint64(3) {
			if got := (revocation.MinimumChange{Product: 7, Older: older, Newer: newer}).Lowers(); got != (newer < older) {
				t.Errorf("minimum %d to %d lowers: %t", older, newer, got)
			}
		}
	}
	states := []keys.State{keys.Active, keys.Closed, keys.Withdrawn}
	for i, older := range states {
		for j, newer := range states {
			if got := (revocation.KeyChange{KeyID: idB, Older: older, Newer: newer}).Betters(); got != (j < i) {
				t.Errorf("key %s to %s betters: %t", older, newer, got)
			}
		}
	}
}
