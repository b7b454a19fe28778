package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"

	"github.com/licet-dev/licet/cmd/internal/journal"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/verifier/revocation"
)

// maxRanges is how many ranges of serials are told of each kind, unless all are asked
// for: a list may have millions.
const maxRanges = 20

// listNames name what revocation lists are about, by a ring.
type listNames struct {
	ring *keys.Ring
	byID map[keys.ID]keys.Key
}

func newListNames(ring *keys.Ring) *listNames {
	n := &listNames{ring, map[keys.ID]keys.Key{}}
	for _, k := range ring.Keys() {
		n.byID[k.ID()] = k
	}
	return n
}

// key names a key. A list may name one that the ring does not have.
func (n *listNames) key(id keys.ID) string {
	if k, ok := n.byID[id]; ok {
		return keyName(k)
	}
	return fmt.Sprintf("key %s (not in the ring)", id)
}

// number returns the number of a mint key, or 0.
func (n *listNames) number(id keys.ID) int { return n.byID[id].Number() }

// series names the key and the product of an entry.
func (n *listNames) series(e revocation.Entry) string {
	return fmt.Sprintf("product %s, %s", productName(n.ring, e.Product), n.key(e.KeyID))
}

func (n *listNames) entry(e revocation.Entry) string {
	text := fmt.Sprintf("%s, %s", n.series(e), journal.Range{First: e.First, Last: e.Last})
	if e.ReasonCode != "" {
		text += ", " + e.ReasonCode
	}
	return text
}

// sizeText says how much a list revokes.
func sizeText(l *revocation.List) string {
	n := uint64(0)
	for e := range l.Entries() {
		n += e.Last - e.First + 1
	}
	return fmt.Sprintf("%s in %s", plural(n, "serial"), plural(l.Len(), "range"))
}

func wasWere(n uint64) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

// orNone returns a minimum version, or that there is none.
func orNone(version uint64) string {
	if version == 0 {
		return "none"
	}
	return fmt.Sprint(version)
}

// differ reports whether anything changes.
func differ(d *revocation.Diff) bool {
	for range d.Added() {
		return true
	}
	for range d.Reasons() {
		return true
	}
	return d.Restores() || len(d.Minimums) > 0 || len(d.Keys) > 0
}

// diffCounts are how many serials change.
type diffCounts struct{ dropped, added, reasons uint64 }

// writeDiff tells what changes from one list to the next, a change a line, first what
// becomes good again. Of each kind it tells at most so many ranges of serials, but all
// are counted.
func (n *listNames) writeDiff(ctx context.Context, w io.Writer, d *revocation.Diff, most int) (diffCounts, error) {
	t := &diffTeller{ctx: ctx, w: w, names: n, most: most}
	t.heads(d, true)
	c := diffCounts{dropped: t.ranges("restored", once(d.Dropped())), added: t.ranges("revoked", once(d.Added()))}
	t.heads(d, false)
	c.reasons = t.ranges("reason", d.Reasons())
	return c, t.err
}

// once yields each entry as a pair with itself.
func once(all iter.Seq[revocation.Entry]) iter.Seq2[revocation.Entry, revocation.Entry] {
	return func(yield func(_, _ revocation.Entry) bool) {
		all(func(e revocation.Entry) bool { return yield(e, e) })
	}
}

// A diffTeller writes changes. After its first error it writes nothing more.
type diffTeller struct {
	ctx   context.Context
	w     io.Writer
	names *listNames
	most  int
	err   error
}

func (t *diffTeller) line(label, format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, "%-9s %s\n", label, fmt.Sprintf(format, args...))
	}
}

// heads tells which minimum versions and key states change: those that make something
// good again, or the others.
func (t *diffTeller) heads(d *revocation.Diff, restored bool) {
	label := func(other string) string {
		if restored {
			return "restored"
		}
		return other
	}
	for _, m := range d.Minimums {
		if m.Lowers() == restored {
			t.line(label("minimum"), "product %s, minimum version %s, was %s", productName(t.names.ring, m.Product), orNone(m.Newer), orNone(m.Older))
		}
	}
	for _, k := range d.Keys {
		if k.Betters() == restored {
			t.line(label("key"), "%s %s, was %s", t.names.key(k.KeyID), k.Newer, k.Older)
		}
	}
}

// ranges tells of changed serials, and returns how many there are.
func (t *diffTeller) ranges(label string, all iter.Seq2[revocation.Entry, revocation.Entry]) (serials uint64) {
	told := 0
	for older, e := range all {
		if t.err == nil && told%(1<<12) == 0 {
			t.err = t.ctx.Err()
		}
		if t.err != nil {
			return serials
		}
		serials += e.Last - e.First + 1
		if told++; told > t.most {
			continue
		}
		text := t.names.entry(e)
		if older.ReasonCode != e.ReasonCode {
			text += ", was " + cmp.Or(older.ReasonCode, "without reason")
		}
		t.line(label, "%s", text)
	}
	if told > t.most {
		t.line(label, "%s", plural(told-t.most, "more range"))
	}
	return serials
}
