package manifest_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/signer/manifest"
)

// batch returns a manifest with only what overlaps are found by.
func batch(kind manifest.Kind, id byte, product, first, last uint64) manifest.Manifest {
	return manifest.Manifest{Kind: kind, KeyID: keys.ID{id}, Product: product, First: first, Last: last, Count: last - first + 1}
}

func TestOverlaps(t *testing.T) {
	const most = 1<<53 - 1
	mint := func(first, last uint64) manifest.Manifest { return batch(manifest.Mint, 1, 7, first, last) }
	type list = []manifest.Manifest
	for name, tt := range map[string]struct {
		in   list
		want []manifest.Overlap
	}{
		"none":           {nil, nil},
		"one":            {list{mint(1, 10)}, nil},
		"side by side":   {list{mint(11, 20), mint(1, 10)}, nil},
		"one serial":     {list{mint(10, 20), mint(1, 10)}, []manifest.Overlap{{A: 0, B: 1, First: 10, Last: 10}}},
		"the same":       {list{mint(1, 10), mint(1, 10)}, []manifest.Overlap{{A: 0, B: 1, First: 1, Last: 10}}},
		"inside":         {list{mint(1, 100), mint(50, 60)}, []manifest.Overlap{{A: 0, B: 1, First: 50, Last: 60}}},
		"around":         {list{mint(50, 60), mint(1, 100)}, []manifest.Overlap{{A: 0, B: 1, First: 50, Last: 60}}},
		"the ends":       {list{mint(1, most), mint(1, 1), mint(most, most)}, []manifest.Overlap{{A: 0, B: 1, First: 1, Last: 1}, {A: 0, B: 2, First: most, Last: most}}},
		"behind a short": {list{mint(1, 100), mint(2, 3), mint(50, 60)}, []manifest.Overlap{{A: 0, B: 1, First: 2, Last: 3}, {A: 0, B: 2, First: 50, Last: 60}}},
		"three": {list{mint(1, 10), mint(5, 15), mint(10, 20)}, []manifest.Overlap{
			{A: 0, B: 1, First: 5, Last: 10}, {A: 0, B: 2, First: 10, Last: 10}, {A: 1, B: 2, First: 10, Last: 15}}},
		"another key":     {list{mint(1, 10), batch(manifest.Mint, 2, 7, 1, 10)}, nil},
		"another product": {list{mint(1, 10), batch(manifest.Mint, 1, 8, 1, 10)}, nil},
		"again":           {list{mint(1, 10), batch(manifest.Again, 1, 7, 1, 10)}, nil},
		"again and again": {list{batch(manifest.Again, 1, 7, 1, 10), batch(manifest.Again, 1, 7, 1, 10)}, nil},
		"renewed":         {list{mint(1, 10), batch(manifest.Renew, 1, 7, 1, 10), batch(manifest.Renew, 1, 7, 5, 6)}, nil},
		"between keys":    {list{mint(1, 10), batch(manifest.Mint, 2, 7, 1, 10), mint(10, 10)}, []manifest.Overlap{{A: 0, B: 2, First: 10, Last: 10}}},
		"no range":        {list{mint(1, 10), {Kind: manifest.Mint, KeyID: keys.ID{1}, Product: 7, First: 5, Last: 4}}, nil},
	} {
		if got := slices.Collect(manifest.Overlaps(tt.in...)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// TestOverlapsRandom compares with trying every pair.
func TestOverlapsRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 2025))
	for round := range 2000 / stride {
		var ms []manifest.Manifest
		for range r.IntN(30) {
			first := 1 + r.Uint64N(50)
			kind := []manifest.Kind{manifest.Mint, manifest.Mint, manifest.Again, manifest.Renew}[r.IntN(4)]
			ms = append(ms, batch(kind, byte(1+r.IntN(2)), 1+r.Uint64N(2), first, first+r.Uint64N(20)))
		}
		var want []manifest.Overlap
		for i, a := range ms {
			for j, b := range ms[:i] {
				first, last := max(a.First, b.First), min(a.Last, b.Last)
				if a.Kind == manifest.Mint && b.Kind == manifest.Mint && a.KeyID == b.KeyID && a.Product == b.Product && first <= last {
					want = append(want, manifest.Overlap{A: j, B: i, First: first, Last: last})
				}
			}
		}
		got := slices.Collect(manifest.Overlaps(ms...))
		places := func(x, y manifest.Overlap) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) }
		slices.SortFunc(got, places)
		slices.SortFunc(want, places)
		if !slices.Equal(got, want) {
			t.Fatalf("round %d: %v: %v, want %v", round, ms, got, want)
		}
	}
}

// TestOverlapsStops has four million pairs, of which the caller takes one, twice.
func TestOverlapsStops(t *testing.T) {
	ms := slices.Repeat([]manifest.Manifest{batch(manifest.Mint, 1, 7, 1, 10)}, 3000)
	overlaps := manifest.Overlaps(ms...)
	for range 2 {
		n := 0
		for o := range overlaps {
			if n++; o != (manifest.Overlap{A: 0, B: 1, First: 1, Last: 10}) {
				t.Errorf("first pair %v", o)
			}
			break
		}
		if n != 1 {
			t.Errorf("%d pairs", n)
		}
	}
}

func BenchmarkOverlaps(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		var ms []manifest.Manifest
		for i := range uint64(n) {
			ms = append(ms, batch(manifest.Mint, byte(i%5), i%7, 1+i*1000, i*1000+1000))
		}
		rand.New(rand.NewPCG(7, 2025)).Shuffle(n, func(i, j int) { ms[i], ms[j] = ms[j], ms[i] })
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				for o := range manifest.Overlaps(ms...) {
					b.Fatal(o)
				}
			}
		})
	}
}
