package revocation_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/verifier/revocation"
)

// look checks both ways to look a licence up, and returns whether it is revoked.
func look(t *testing.T, l *revocation.List, c licence) bool {
	t.Helper()
	revoked := l.Revoked(c.key, c.product, c.serial)
	e, ok := l.Lookup(c.key, c.product, c.serial)
	switch {
	case revoked != 0 && revoked != 1 || ok != (revoked == 1):
		t.Fatalf("%v: Revoked %d, Lookup %t", c, revoked, ok)
	case !ok && e != revocation.Entry{}:
		t.Fatalf("%v: not revoked, but by %v", c, e)
	case ok && (e.KeyID != c.key || e.Product != c.product || c.serial < e.First || c.serial > e.Last):
		t.Fatalf("%v: revoked by %v", c, e)
	}
	return ok
}

func TestRevoked(t *testing.T) {
	l := full()
	for _, tt := range []struct {
		licence
		want bool
	}{
		{licence{idA, 7, 0}, false},
		{licence{idA, 7, 1}, true},
		{licence{idA, 7, 2}, false},
		{licence{idB, 7, 999}, false},
		{licence{idB, 7, 1000}, true},
		{licence{idB, 7, 1500}, true},
		{licence{idB, 7, 1999}, true},
		{licence{idB, 7, 2000}, true},
		{licence{idB, 7, 2001}, false},
		{licence{idB, 7, 2041}, false},
		{licence{idB, 7, 2042}, true},
		{licence{idB, 7, 2043}, false},
		{licence{idB, 7, 1<<53 - 1}, false},
		{licence{idB, 8, 0}, false},
		{licence{idB, 8, 1}, true},
		{licence{idB, 8, 1<<53 - 1}, true},

		// RV-12: no serial is taken for another one that has its low bits.
		{licence{idB, 8, 1 << 53}, false},
		{licence{idB, 8, 1<<53 + 1}, false},
		{licence{idB, 7, 1<<53 + 1000}, false},
		{licence{idA, 7, 1<<53 + 1}, false},
		{licence{idA, 7, 1<<63 + 1}, false},
		{licence{idA, 7, 1<<64 - 1}, false},

		{licence{idA, 8, 1}, false},
		{licence{idA, 6, 1}, false},
		{licence{idA, 7 + 1<<53, 1}, false},
		{licence{idB, 0, 1000}, false},
		{licence{idB, 9, 1000}, false},
		{licence{idB, 1<<64 - 1, 1000}, false},
		{licence{idC, 7, 1000}, false},
		{licence{keys.ID{}, 7, 1}, false},
		{licence{keys.ID{0xff}, 7, 1}, false},
	} {
		if got := look(t, l, tt.licence); got != tt.want {
			t.Errorf("%v: revoked %t, want %t", tt.licence, got, tt.want)
		}
	}
}

// TestRevokedAtExtremes has the smallest and the largest serial alone, each as an
// entry of one serial and of two.
func TestRevokedAtExtremes(t *testing.T) {
	const most = 1<<53 - 1
	for _, e := range []revocation.Entry{{First: 1, Last: 1}, {First: 1, Last: 2}, {First: most, Last: most}, {First: most - 1, Last: most}} {
		e.KeyID, e.Product = idB, most
		for _, code := range []string{"", "leaked"} {
			e.ReasonCode = code
			l := listOf(e)
			for _, serial := range []uint64{0, 1, 2, 3, most - 2, most - 1, most, most + 1, 1<<64 - 1} {
				want := e.First <= serial && serial <= e.Last
				if got := look(t, l, licence{idB, most, serial}); got != want {
					t.Errorf("%v: serial %d revoked %t", e, serial, got)
				}
			}
		}
	}
}

// TestRevokedInEveryPlace looks up every serial beside and in the entries of lists
// whose series begin and end in every place of a block, and are as long as two.
func TestRevokedInEveryPlace(t *testing.T) {
	sizes := []int{1, 2, 3, 4, 5, 7, 63, 64, 65, 127, 128, 129, 300, 1000}
	for _, before := range []int{0, 1, 2, 31, 62, 63, 64, 65} {
		for _, size := range sizes {
			d := draft()
			add := func(id keys.ID, product uint64, n int) {
				for i := range uint64(n) { // single serials and ranges of up to four, with gaps of one to three
					first := 10 + 8*i
					check(d.Revoke(revocation.Entry{KeyID: id, Product: product, First: first, Last: first + i%5, ReasonCode: []string{"", "a", "b"}[i%3]}))
				}
			}
			add(idA, 7, before)
			add(idB, 7, size)
			add(idB, 9, 2)
			l := must(d.List())
			if l.Len() != before+size+2 {
				t.Fatalf("%d entries", l.Len())
			}
			for _, series := range []struct {
				id      keys.ID
				product uint64
				n       int
			}{{idA, 6, 0}, {idA, 7, before}, {idA, 8, 0}, {idB, 6, 0}, {idB, 7, size}, {idB, 8, 0}, {idB, 9, 2}, {idB, 10, 0}, {idC, 7, 0}} {
				for serial := range uint64(10 + 8*series.n + 8) {
					want := false
					if serial >= 10 {
						i := (serial - 10) / 8
						want = i < uint64(series.n) && (serial-10)%8 <= i%5
					}
					if got := look(t, l, licence{series.id, series.product, serial}); got != want {
						t.Fatalf("%d entries after %d: key %s, product %d, serial %d: revoked %t", size, before, series.id, series.product, serial, got)
					}
				}
			}
		}
	}
}

// TestRevokedManySeries has a list of many products, with one entry each.
func TestRevokedManySeries(t *testing.T) {
	for _, n := range []uint64{1, 2, 3, 4, 5, 64, 100, 1000} {
		d := draft()
		for i := range n {
			check(d.Revoke(revocation.Entry{KeyID: idB, Product: 10 + 3*i, First: 5, Last: 5 + i%2}))
		}
		l := must(d.List())
		for product := range 10 + 3*n + 3 {
			for serial := range uint64(9) {
				i := (product - 10) / 3
				want := product >= 10 && (product-10)%3 == 0 && i < n && serial >= 5 && serial <= 5+i%2
				for _, id := range []keys.ID{idA, idB, idC} {
					if got := look(t, l, licence{id, product, serial}); got != (want && id == idB) {
						t.Fatalf("%d products: key %s, product %d, serial %d: revoked %t", n, id, product, serial, got)
					}
				}
			}
		}
	}
}

// TestRevokedOtherLicence changes every bit of a key id, a product and a serial, and the
// low bits of all of them together.
func TestRevokedOtherLicence(t *testing.T) {
	good := licence{idB, 7, 1500}
	number := binary.BigEndian.Uint64(idB[:])
	for _, l := range []*revocation.List{
		listOf(revocation.Entry{KeyID: idB, Product: 7, First: 1500, Last: 1500}),
		listOf(revocation.Entry{KeyID: idB, Product: 7, First: 1499, Last: 1501}, revocation.Entry{KeyID: idB, Product: 100, First: 1, Last: 1}),
	} {
		first, last := uint64(1500), uint64(1500)
		for e := range l.Entries() {
			if e.Product == 7 {
				first, last = e.First, e.Last
			}
		}
		try := func(key, product, serial uint64) {
			c := licence{product: product, serial: serial}
			binary.BigEndian.PutUint64(c.key[:], key)
			want := c.key == good.key && product == 7 && first <= serial && serial <= last
			if got := look(t, l, c); got != want {
				t.Fatalf("%v: revoked %t", c, got)
			}
		}
		for bit := range 64 {
			try(number^1<<bit, 7, 1500)
			try(number, 7^1<<bit, 1500)
			try(number, 7, 1500^1<<bit)
		}
		for x := range uint64(16) {
			for y := range uint64(16) {
				for z := range uint64(16) {
					try(number^x, 7^y, 1500^z)
				}
			}
		}
	}
}

// A nil list says nothing, and no method minds.
func TestNil(t *testing.T) {
	var l *revocation.List
	if look(t, l, licence{idB, 7, 1000}) || look(t, l, licence{}) {
		t.Error("a licence is revoked")
	}
	if l.Issuer() != "" || l.Sequence() != 0 || !l.Issued().IsZero() || !l.Due().IsZero() || l.Len() != 0 || l.Marshal() != "" {
		t.Error("it says something")
	}
	if l.Minimum(7) != 0 || l.KeyState(idB) != keys.Active {
		t.Error("it states something")
	}
	for range l.Minimums() {
		t.Error("a minimum")
	}
	for range l.KeyStates() {
		t.Error("a key state")
	}
	for range l.Entries() {
		t.Error("an entry")
	}
	if !l.Equal(nil) || l.Equal(listOf()) || listOf().Equal(l) {
		t.Error("it is not only equal to another nil list")
	}
	if data, err := revocation.Sign(l, listKey("list")); err == nil || data != nil {
		t.Error("it was signed")
	}
}

// RV-19: the minimum of one product is not that of another.
func TestMinimum(t *testing.T) {
	l := full()
	for product, want := range map[uint64]uint64{0: 0, 6: 0, 7: 3, 8: 0, 1<<53 - 2: 0, 1<<53 - 1: 1, 1 << 53: 0, 1<<64 - 1: 0} {
		if got := l.Minimum(product); got != want {
			t.Errorf("product %d: %d, want %d", product, got, want)
		}
	}
}

// RV-13: closed and withdrawn are two things.
func TestKeyState(t *testing.T) {
	l := full()
	for id, want := range map[keys.ID]keys.State{idA: keys.Withdrawn, idB: keys.Closed, idC: keys.Active, {}: keys.Active} {
		if got := l.KeyState(id); got != want {
			t.Errorf("key %s: %s, want %s", id, got, want)
		}
	}
}

func TestIterationEnds(t *testing.T) {
	l := full()
	for n := range 4 {
		var entries, minimums, states int
		for range l.Entries() {
			if entries++; entries > n {
				break
			}
		}
		for range l.Minimums() {
			if minimums++; minimums > n {
				break
			}
		}
		for range l.KeyStates() {
			if states++; states > n {
				break
			}
		}
		if got, want := fmt.Sprint(entries, minimums, states), fmt.Sprint(n+1, min(n+1, 2), min(n+1, 2)); got != want {
			t.Errorf("broken off after %s, want %s", got, want)
		}
	}
}

// TestEqual has lists that differ in one thing each.
func TestEqual(t *testing.T) {
	var lists []*revocation.List
	add := func(change func(d *revocation.Draft)) {
		d := full().Draft()
		change(d)
		lists = append(lists, must(d.List()))
	}
	entry := revocation.Entry{KeyID: idB, Product: 7, First: 2042, Last: 2042}
	add(func(d *revocation.Draft) {})
	add(func(d *revocation.Draft) { d.Issuer = "Acme tools" })
	add(func(d *revocation.Draft) { d.Sequence++ })
	add(func(d *revocation.Draft) { d.Issued = d.Issued.AddDate(0, 0, 1) })
	add(func(d *revocation.Draft) { d.Due = d.Due.AddDate(0, 0, 1) })
	add(func(d *revocation.Draft) { d.Minimums[7] = 4 })
	add(func(d *revocation.Draft) { delete(d.Minimums, 7) })
	add(func(d *revocation.Draft) { d.KeyStates[idB] = keys.Withdrawn })
	add(func(d *revocation.Draft) { delete(d.KeyStates, idB) })
	add(func(d *revocation.Draft) { check(d.Restore(entry)) })
	add(func(d *revocation.Draft) {
		check(d.Restore(entry))
		entry.ReasonCode = "refund"
		check(d.Revoke(entry))
	})
	add(func(d *revocation.Draft) { entry.Last++; check(d.Revoke(entry)) })
	for i, l := range lists {
		for j, m := range lists {
			if l.Equal(m) != (i == j) || (l.Marshal() == m.Marshal()) != (i == j) {
				t.Errorf("lists %d and %d: equal %t", i, j, l.Equal(m))
			}
		}
		if !l.Equal(must(revocation.Parse(l.Marshal()))) {
			t.Errorf("list %d is another when it is read", i)
		}
	}
	if !slices.ContainsFunc(lists, full().Equal) {
		t.Error("none is the full one")
	}
}

func TestRevokedAllocatesNothing(t *testing.T) {
	l := full()
	for _, c := range []licence{{idB, 7, 1000}, {idB, 7, 999}, {idC, 7, 1}} {
		if n := testing.AllocsPerRun(100, func() { l.Revoked(c.key, c.product, c.serial); l.Lookup(c.key, c.product, c.serial) }); n != 0 {
			t.Errorf("%v: %v allocations", c, n)
		}
	}
}
