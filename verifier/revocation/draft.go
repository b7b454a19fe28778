package revocation

import (
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/licet-dev/licet/keys"
)

// A Draft is a list in the making. It is checked by [Draft.List], not before, and
// is not safe for concurrent use.
type Draft struct {
	Issuer   string // as the ring names it
	Sequence uint64 // from 1, higher than that of every list before
	Issued   time.Time
	Due      time.Time // later than Issued; both are written in UTC, fractions of a second cut off

	// Minimums are the lowest versions, from 1, whose codes are still good, by product.
	Minimums map[uint64]uint64

	// KeyStates are the keys that are closed or withdrawn, whatever the ring says.
	KeyStates map[keys.ID]keys.State

	base    table    // the entries without the changes
	changes []change // in the order in which they were made
	most    int      // changes to keep before they are worked into the base
}

// Draft returns a draft that says what the list says, to be changed. Give it the
// next sequence number and new times. The draft of a nil list is empty.
func (l *List) Draft() *Draft {
	l = l.orEmpty()
	return &Draft{
		Issuer: l.issuer, Sequence: l.sequence, Issued: l.issued, Due: l.due,
		Minimums: maps.Collect(l.Minimums()), KeyStates: maps.Collect(l.KeyStates()),
		base: l.entries,
	}
}

// Revoke adds a range of serials. Those that are revoked already keep their reason.
// The error is an [*Error] of the reason [BadValue].
func (d *Draft) Revoke(e Entry) error { return d.change(change{Entry: e, revoke: true}) }

// Restore removes a range of serials, whatever their reason. Entries that reach
// beyond it are cut. The error is an [*Error] of the reason [BadValue].
func (d *Draft) Restore(e Entry) error { return d.change(change{Entry: e, restore: true}) }

func (d *Draft) change(c change) error {
	if err := c.check(); err != nil {
		return err
	}
	d.changes = append(d.changes, c)
	// A change in memory is several times as large as an entry, and to work many of
	// them in costs hardly more than to work one in.
	if d.most = max(d.most, 1<<16, int(d.base.n)/4); len(d.changes) > d.most {
		d.most = 2 * len(d.changes)
		if err := d.settle(); err != nil {
			return nil // too many reason codes, which a later change may restore
		}
		d.most = 0
	}
	return nil
}

// settle works the changes into the base.
func (d *Draft) settle() *Error {
	if len(d.changes) == 0 {
		return nil
	}
	d.changes = resolve(d.changes)
	n := 0
	for range d.result() {
		n++
	}
	b := newBuilder(n)
	for e := range d.result() {
		if err := b.add(&e); err != nil {
			return err
		}
	}
	d.base, d.changes = b.done(), nil
	return nil
}

// result yields the entries of the base with the changes, which are in order,
// worked in.
func (d *Draft) result() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		var last Entry // not yielded yet, as it may go on
		more := true
		todo := changes(d.changes)
		sweep(&cursor{table: &d.base}, &todo, func(at Entry, x, y *change) bool {
			c := combine(at, x, y)
			switch {
			case !c.revoke:
			case c.goesOn(&last):
				last.Last = c.Last
			default:
				more = last.First == 0 || yield(last)
				last = c.Entry
			}
			return more
		})
		if more && last.First != 0 {
			yield(last)
		}
	}
}

// resolve returns changes that do, in order and disjoint, what the given ones do
// one after the other.
func resolve(all []change) []change {
	var runs [][]change // each in order and disjoint
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n-1].before(&all[n].Entry) {
			n++
		}
		runs = append(runs, all[:n])
		all = all[n:]
	}
	for len(runs) > 1 {
		var merged [][]change
		for pair := range slices.Chunk(runs, 2) {
			merged = append(merged, overlay(pair))
		}
		runs = merged
	}
	if len(runs) == 0 {
		return nil
	}
	return runs[0]
}

// overlay returns what one or two runs of changes do, one after the other.
func overlay(pair [][]change) []change {
	if len(pair) == 1 {
		return pair[0]
	}
	out := make([]change, 0, len(pair[0])+len(pair[1]))
	a, b := changes(pair[0]), changes(pair[1])
	sweep(&a, &b, func(at Entry, x, y *change) bool {
		out = append(out, combine(at, x, y))
		return true
	})
	return out
}

// List returns the list that the draft describes. The draft can be changed after
// that, and the list stays as it is. The error is an [*Error].
func (d *Draft) List() (*List, error) {
	l := &List{
		issuer: d.Issuer, sequence: d.Sequence,
		issued: d.Issued.UTC().Truncate(time.Second), due: d.Due.UTC().Truncate(time.Second),
	}
	if err := d.head(l); err != nil {
		return nil, err
	}
	if err := d.settle(); err != nil {
		return nil, err
	}
	l.entries = d.base
	return l, nil
}

// head fills in and checks all but the entries.
func (d *Draft) head(l *List) *Error {
	for _, product := range slices.Sorted(maps.Keys(d.Minimums)) {
		l.minimums = append(l.minimums, minimum{product, d.Minimums[product]})
	}
	for id, state := range d.KeyStates {
		l.states = append(l.states, keyState{id, state})
	}
	slices.SortFunc(l.states, compareStates)

	checks := []*Error{
		checkIssuer(l.issuer),
		checkNumber("sequence", l.sequence),
		checkTime("issued", l.issued),
		checkTime("due", l.due),
		checkDue(l.issued, l.due),
	}
	for _, m := range l.minimums {
		checks = append(checks, checkNumber("product", m.product), checkNumber("minimum version", m.version))
	}
	for _, s := range l.states {
		checks = append(checks, checkID(s.id), checkState(s.state))
	}
	for _, err := range checks {
		if err != nil {
			return err
		}
	}
	return nil
}
