package revocation

import (
	"cmp"
	"iter"
	"slices"

	"github.com/licet-dev/licet/keys"
)

// A Diff is what changes from one list to the next.
type Diff struct {
	Minimums []MinimumChange // by product
	Keys     []KeyChange     // by key id

	older, newer *List
}

// A MinimumChange is another minimum version of a product; 0 stands for none.
type MinimumChange struct{ Product, Older, Newer uint64 }

// A KeyChange is another state of a key; [keys.Active] stands for none stated.
type KeyChange struct {
	KeyID        keys.ID
	Older, Newer keys.State
}

// Compare returns what changes from the older list to the newer. Either may be nil,
// which is a list that says nothing. Issuer, sequence number and times are not
// compared.
func Compare(older, newer *List) *Diff {
	d := &Diff{older: older.orEmpty(), newer: newer.orEmpty()}
	products := map[uint64]bool{}
	ids := map[keys.ID]bool{}
	for _, l := range []*List{d.older, d.newer} {
		for product := range l.Minimums() {
			products[product] = true
		}
		for id := range l.KeyStates() {
			ids[id] = true
		}
	}
	for product := range products {
		if m := (MinimumChange{product, d.older.Minimum(product), d.newer.Minimum(product)}); m.Older != m.Newer {
			d.Minimums = append(d.Minimums, m)
		}
	}
	for id := range ids {
		if k := (KeyChange{id, d.older.KeyState(id), d.newer.KeyState(id)}); k.Older != k.Newer {
			d.Keys = append(d.Keys, k)
		}
	}
	slices.SortFunc(d.Minimums, func(a, b MinimumChange) int { return cmp.Compare(a.Product, b.Product) })
	slices.SortFunc(d.Keys, func(a, b KeyChange) int { return cmp.Compare(idNumber(a.KeyID), idNumber(b.KeyID)) })
	return d
}

// Lowers reports whether the minimum becomes lower or goes away.
func (m MinimumChange) Lowers() bool { return m.Newer < m.Older }

// Betters reports whether the key is trusted further than before.
func (k KeyChange) Betters() bool { return badness(k.Newer) < badness(k.Older) }

func badness(s keys.State) int {
	return slices.Index([]keys.State{keys.Active, keys.Closed, keys.Withdrawn}, s)
}

// Restores reports whether the newer list makes something good again: whether it
// drops a serial, lowers a minimum or betters the state of a key.
func (d *Diff) Restores() bool {
	for range d.Dropped() {
		return true
	}
	return slices.ContainsFunc(d.Minimums, MinimumChange.Lowers) || slices.ContainsFunc(d.Keys, KeyChange.Betters)
}

// Dropped yields the serials that the older list revokes and the newer does not, in
// ranges, with their reason codes in the older list.
func (d *Diff) Dropped() iter.Seq[Entry] { return without(d.older, d.newer) }

// Added yields the serials that the newer list revokes and the older does not, in
// ranges, with their reason codes in the newer list.
func (d *Diff) Added() iter.Seq[Entry] { return without(d.newer, d.older) }

// without yields what l revokes and m does not.
func without(l, m *List) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		sweep(l.cursor(), m.cursor(), func(at Entry, x, y *change) bool {
			return x == nil || y != nil || yield(combine(at, x, nil).Entry)
		})
	}
}

// Reasons yields the serials that both lists revoke for different reasons, in
// ranges: the same twice, first with the reason code of the older list.
func (d *Diff) Reasons() iter.Seq2[Entry, Entry] {
	return func(yield func(older, newer Entry) bool) {
		sweep(d.older.cursor(), d.newer.cursor(), func(at Entry, x, y *change) bool {
			return x == nil || y == nil || x.ReasonCode == y.ReasonCode || yield(combine(at, x, nil).Entry, combine(at, nil, y).Entry)
		})
	}
}

func (l *List) cursor() *cursor { return &cursor{table: &l.entries} }
