package revocation

import "cmp"

// compareSeries orders entries by key id and product.
func compareSeries(a, b *Entry) int {
	if a.KeyID != b.KeyID {
		return cmp.Compare(idNumber(a.KeyID), idNumber(b.KeyID))
	}
	return cmp.Compare(a.Product, b.Product)
}

// before reports whether all of an entry comes before another.
func (e *Entry) before(f *Entry) bool {
	c := compareSeries(e, f)
	return c < 0 || c == 0 && e.Last < f.First
}

// goesOn reports whether an entry and the one before it are one, properly.
func (e *Entry) goesOn(before *Entry) bool {
	return e.First == before.Last+1 && e.ReasonCode == before.ReasonCode && compareSeries(before, e) == 0
}

// A change is what is done to a range of serials: they are restored, or revoked
// unless they are already, or both in this order.
type change struct {
	Entry
	restore, revoke bool
}

// then returns what two changes of the same serials do, one after the other.
func (c change) then(d change) change {
	switch {
	case d.restore:
	case c.revoke: // they keep their reason
		return c
	default: // c restores, or does nothing
		d.restore = c.restore
	}
	return d
}

// combine returns what one or two changes, of which the other is nil, do to a range
// of serials, one after the other.
func combine(at Entry, x, y *change) change {
	var c change
	switch {
	case y == nil:
		c = *x
	case x == nil:
		c = *y
	default:
		c = x.then(*y)
	}
	at.ReasonCode = c.ReasonCode
	c.Entry = at
	return c
}

// A source yields changes in the order of their entries, which are disjoint.
type source interface{ next() (change, bool) }

// sweep walks along two sources at once. It visits every serial that one of them
// has, in ranges as long as they can be, with the change of each source there, or
// nil, and ends early when visit reports false. The serials of the changes it
// passes on are for visit to ignore.
func sweep(a, b source, visit func(at Entry, x, y *change) bool) {
	x, inA := a.next()
	y, inB := b.next()
	for inA || inB {
		var px, py *change
		at := x.Entry
		switch {
		case !inB || inA && x.before(&y.Entry):
			px = &x
		case !inA || y.before(&x.Entry):
			at, py = y.Entry, &y
		case x.First < y.First:
			at.Last, px = y.First-1, &x
		case y.First < x.First:
			at, py = y.Entry, &y
			at.Last = x.First - 1
		default:
			at.Last = min(x.Last, y.Last)
			px, py = &x, &y
		}
		if !visit(at, px, py) {
			return
		}
		if px != nil {
			inA = x.after(at.Last, a)
		}
		if py != nil {
			inB = y.after(at.Last, b)
		}
	}
}

// after cuts off the serials to last, and takes the next change of the source when
// nothing is left. It reports whether there is one.
func (c *change) after(last uint64, s source) (ok bool) {
	if c.Last > last {
		c.First = last + 1
		return true
	}
	*c, ok = s.next()
	return ok
}

// changes is a source of changes in memory.
type changes []change

func (c *changes) next() (change, bool) {
	if len(*c) == 0 {
		return change{}, false
	}
	first := (*c)[0]
	*c = (*c)[1:]
	return first, true
}

// A cursor is the source of the entries of a table.
type cursor struct {
	*table
	s, i uint
}

func (c *cursor) next() (change, bool) {
	if c.i == c.n {
		return change{}, false
	}
	if c.i == c.series[c.s].end {
		c.s++
	}
	e := c.entry(&c.series[c.s], c.i)
	c.i++
	return change{Entry: e, revoke: true}, true
}
