package revocation_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/verifier/revocation"
)

// A model says of every revoked licence why it is revoked.
type model map[licence]string

func (m model) revoke(e revocation.Entry) {
	for serial := e.First; serial <= e.Last; serial++ {
		c := licence{e.KeyID, e.Product, serial}
		if _, known := m[c]; !known {
			m[c] = e.ReasonCode
		}
	}
}

func (m model) restore(e revocation.Entry) {
	for serial := e.First; serial <= e.Last; serial++ {
		delete(m, licence{e.KeyID, e.Product, serial})
	}
}

// of returns the model that entries describe. No two of them share a serial.
func of(t *testing.T, entries []revocation.Entry) model {
	m := model{}
	for _, e := range entries {
		for serial := e.First; serial <= e.Last; serial++ {
			c := licence{e.KeyID, e.Product, serial}
			if _, known := m[c]; known {
				t.Fatalf("%v is in two entries", c)
			}
			m[c] = e.ReasonCode
		}
	}
	return m
}

// ascend checks that entries come in their order, and that no two should be one.
func ascend(t *testing.T, entries []revocation.Entry) {
	t.Helper()
	for i := 1; i < len(entries); i++ {
		a, b := entries[i-1], entries[i]
		switch ids := strings.Compare(a.KeyID.String(), b.KeyID.String()); {
		case ids < 0 || ids == 0 && a.Product < b.Product:
		case ids > 0 || a.Product > b.Product || a.Last >= b.First:
			t.Fatalf("%v after %v", b, a)
		case a.Last+1 == b.First && a.ReasonCode == b.ReasonCode:
			t.Fatalf("%v and %v are one", a, b)
		}
	}
}

const (
	modelSerials = 60
	modelTop     = 1<<53 - 1 - modelSerials // the serials of a model are above 0 or above this
)

var (
	modelIDs      = []keys.ID{idA, idB}
	modelProducts = []uint64{1, 7}
	modelCodes    = []string{"", "", "a", "b"}
)

func randomEntry(r *rand.Rand) revocation.Entry {
	e := revocation.Entry{
		KeyID:      modelIDs[r.IntN(len(modelIDs))],
		Product:    modelProducts[r.IntN(len(modelProducts))],
		ReasonCode: modelCodes[r.IntN(len(modelCodes))],
	}
	base := uint64(r.IntN(2)) * modelTop
	e.First = base + 1 + r.Uint64N(modelSerials)
	e.Last = min(base+modelSerials, e.First+r.Uint64N(12))
	if r.IntN(3) == 0 {
		e.Last = e.First
	}
	return e
}

// agree checks that a list and a model say the same of every licence there may be.
func agree(t *testing.T, l *revocation.List, m model) {
	t.Helper()
	for _, id := range append(modelIDs, idC) {
		for _, product := range append(modelProducts, 8) {
			for _, base := range []uint64{0, modelTop} {
				for serial := base; serial <= base+modelSerials+1; serial++ {
					c := licence{id, product, serial}
					code, want := m[c]
					if got := look(t, l, c); got != want {
						t.Fatalf("%v: revoked %t, want %t", c, got, want)
					}
					if e, _ := l.Lookup(id, product, serial); e.ReasonCode != code {
						t.Fatalf("%v: reason %q, want %q", c, e.ReasonCode, code)
					}
				}
			}
		}
	}
}

// TestAgainstModel changes lists at random and compares all that they say, and how
// they differ, with a plain map.
func TestAgainstModel(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(1, seed))
		m := model{}
		l := listOf()
		for range 8 {
			older, old := l, maps.Clone(m)
			d := l.Draft()
			for range r.IntN(30) {
				e := randomEntry(r)
				if r.IntN(3) == 0 {
					check(d.Restore(e))
					m.restore(e)
				} else {
					check(d.Revoke(e))
					m.revoke(e)
				}
			}
			l = must(d.List())

			entries := slices.Collect(l.Entries())
			ascend(t, entries)
			if !maps.Equal(of(t, entries), m) || l.Len() != len(entries) {
				t.Fatalf("seed %d: the entries are %v, want those of %v", seed, entries, m)
			}
			agree(t, l, m)

			text := l.Marshal()
			back, err := revocation.Parse(text)
			if err != nil || !back.Equal(l) || back.Marshal() != text || !slices.Equal(slices.Collect(back.Entries()), entries) {
				t.Fatalf("seed %d: %v, read again:\n%s", seed, err, text)
			}
			agree(t, back, m)
			compareWithModel(t, revocation.Compare(older, l), old, m)
		}
	}
}

func compareWithModel(t *testing.T, d *revocation.Diff, older, newer model) {
	t.Helper()
	dropped, added := model{}, model{}
	from, to := model{}, model{}
	for c, code := range older {
		now, still := newer[c]
		switch {
		case !still:
			dropped[c] = code
		case now != code:
			from[c], to[c] = code, now
		}
	}
	for c, code := range newer {
		if _, known := older[c]; !known {
			added[c] = code
		}
	}
	var olders, newers []revocation.Entry
	for a, b := range d.Reasons() {
		olders, newers = append(olders, a), append(newers, b)
	}
	for _, tt := range []struct {
		name    string
		entries []revocation.Entry
		want    model
	}{
		{"dropped", slices.Collect(d.Dropped()), dropped},
		{"added", slices.Collect(d.Added()), added},
		{"reasons of the older", olders, from},
		{"reasons of the newer", newers, to},
	} {
		if !maps.Equal(of(t, tt.entries), tt.want) {
			t.Fatalf("%s: %v, want %v", tt.name, tt.entries, tt.want)
		}
		if tt.name == "dropped" || tt.name == "added" {
			ascend(t, tt.entries)
		}
	}
	if d.Restores() != (len(dropped) > 0) {
		t.Fatalf("restores: %t, but %d serials are dropped", d.Restores(), len(dropped))
	}
}

// TestManyChanges makes so many changes in one draft that they are worked in several
// times before the list is made.
func TestManyChanges(t *testing.T) {
	const serials = 30_000
	r := rand.New(rand.NewPCG(1, 2))
	d, m := draft(), model{}
	for i := range 300_000 {
		e := revocation.Entry{KeyID: modelIDs[r.IntN(2)], Product: 7, First: 1 + r.Uint64N(serials), ReasonCode: modelCodes[r.IntN(4)]}
		e.Last = e.First + r.Uint64N(3)
		if i%3 == 0 {
			check(d.Restore(e))
			m.restore(e)
		} else {
			check(d.Revoke(e))
			m.revoke(e)
		}
	}
	l := must(d.List())
	entries := slices.Collect(l.Entries())
	ascend(t, entries)
	if !maps.Equal(of(t, entries), m) {
		t.Error("the list is not what the changes make")
	}
	for _, id := range modelIDs {
		for serial := range uint64(serials + 4) {
			c := licence{id, 7, serial}
			if _, want := m[c]; look(t, l, c) != want {
				t.Fatalf("%v: want %t", c, want)
			}
		}
	}
}
