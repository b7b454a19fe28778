package journal

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/keys"
)

// Whatever is done in whatever order: a serial is taken once, what is refused is
// refused for its reason, and who opens the journal anew knows the same.
func TestAnySequence(t *testing.T) {
	folder, run := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		run++
		path := filepath.Join(folder, string(rune('a'+run%26)), Name)
		os.RemoveAll(filepath.Dir(path))
		if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		const largest = 40
		journals := []*Journal{open(t, path, nil), open(t, path, nil)}
		taken := map[seriesID]map[uint64]bool{}
		lines := 0
		n := rapid.IntRange(1, 30).Draw(t, "steps")
		for range n {
			i := rapid.IntRange(0, 1).Draw(t, "journal")
			id := seriesID{rapid.SampledFrom([]keys.ID{keyA, keyB}).Draw(t, "key"), rapid.Uint64Range(1, 2).Draw(t, "product")}
			if taken[id] == nil {
				taken[id] = map[uint64]bool{}
			}
			first := rapid.Uint64Range(1, largest).Draw(t, "first")
			r := Request{
				Key: 8, KeyID: id.key, Product: id.product, Max: largest,
				Count:   rapid.Uint64Range(1, 12).Draw(t, "count"),
				Serials: Range{first, min(largest, first+rapid.Uint64Range(0, 8).Draw(t, "more"))},
			}
			known := 0
			for s := r.Serials.First; s <= r.Serials.Last; s++ {
				if taken[id][s] {
					known++
				}
			}
			highest := uint64(0)
			for s := range taken[id] {
				highest = max(highest, s)
			}
			var allowed bool
			kind := rapid.SampledFrom([]Kind{Mint, Mint, Stated, Stated, Again, Renew, "reopen", "tear"}).Draw(t, "kind")
			switch kind {
			case "reopen":
				journals[i] = open(t, path, nil)
				continue
			case "tear":
				tear(t, path)
				continue
			case Mint:
				allowed = highest+r.Count <= largest
				r.Serials = Range{highest + 1, highest + r.Count}
			case Stated:
				allowed = known == 0
			default:
				allowed = uint64(known) == r.Serials.Count()
			}
			e, err := do(journals[i], kind, r)
			if (err == nil) != allowed {
				t.Fatalf("%s %v: error %v, allowed %v", kind, r.Serials, err, allowed)
			}
			if err != nil {
				continue
			}
			if lines++; e.Serials != r.Serials || e.Line != lines {
				t.Fatalf("%s %v: %+v at line %d", kind, r.Serials, e, lines)
			}
			if kind.takes() {
				for s := e.Serials.First; s <= e.Serials.Last; s++ {
					if taken[id][s] {
						t.Fatalf("serial %d twice", s)
					}
					taken[id][s] = true
				}
			}
		}
		want := index{}
		for _, j := range append(journals, open(t, path, nil)) {
			got := summary(t, j)
			if err := sameSerials(got, taken); err != "" {
				t.Fatal(err)
			}
			again := index{}
			for e, err := range j.Entries() {
				if err != nil {
					t.Fatal(err)
				}
				if err := again.add(e); err != nil {
					t.Fatal(err)
				}
			}
			if !reflect.DeepEqual(again.summary(), got) {
				t.Fatalf("entries give %v, want %v", again.summary(), got)
			}
			if len(want) == 0 {
				want = again
			}
			if !reflect.DeepEqual(want.summary(), got) {
				t.Fatalf("two journals know %v and %v", want.summary(), got)
			}
		}
	})
}

// tear appends what an interrupted program could have left.
func tear(t *rapid.T, path string) {
	text := readIfThere(path)
	if text != "" && !strings.HasSuffix(text, "\n") {
		return
	}
	line := `{"time":"2026-12-01T12:00:00Z","kind":"mint","key":8,"key_id":"0a01020304050607","product":1,"first":"1","la`
	n := rapid.IntRange(1, len(line)).Draw(t, "torn")
	if err := os.WriteFile(path, []byte(text+line[:n]), 0o600); err != nil {
		t.Fatal(err)
	}
}

// sameSerials compares a summary with a plain set of serials.
func sameSerials(got []Series, want map[seriesID]map[uint64]bool) string {
	n := 0
	for _, s := range want {
		if len(s) > 0 {
			n++
		}
	}
	if n != len(got) {
		return "another number of series"
	}
	for _, s := range got {
		set := want[seriesID{s.KeyID, s.Product}]
		highest := uint64(0)
		for serial := range set {
			highest = max(highest, serial)
		}
		in := func(all []Range, serial uint64) bool {
			return slices.ContainsFunc(all, func(r Range) bool { return r.First <= serial && serial <= r.Last })
		}
		for serial := uint64(1); serial <= highest; serial++ {
			if in(s.Ranges, serial) != set[serial] || in(s.Gaps, serial) == set[serial] {
				return "another set of serials"
			}
		}
		if s.Next != highest+1 || s.Total != uint64(len(set)) {
			return "another end"
		}
	}
	return ""
}

// The set of ranges, with pieces that split, against a plain set.
func TestRangeSet(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const space = 30000
	for name, next := range map[string]func(i uint64) Range{
		"ascending":  func(i uint64) Range { return Range{3*i + 1, 3*i + 1} },
		"descending": func(i uint64) Range { return Range{space - 3*i, space - 3*i} },
		"random": func(uint64) Range {
			first := random.Uint64N(space) + 1
			return Range{first, min(space, first+random.Uint64N(4))}
		},
	} {
		t.Run(name, func(t *testing.T) {
			var s rangeSet
			plain := make([]bool, space+2)
			for i := range uint64(8000) {
				r := next(i)
				taken, free := Range{}, Range{}
				for n := r.First; n <= r.Last; n++ {
					part := &free
					if plain[n] {
						part = &taken
					}
					switch {
					case part.First == 0:
						*part = Range{n, n}
					case part.Last == n-1:
						part.Last = n
					}
				}
				if got, ok := s.overlap(r); ok != (taken.First > 0) || ok && got != taken {
					t.Fatalf("overlap of %v: %v, want %v", r, got, taken)
				}
				if got, ok := s.missing(r); ok != (free.First > 0) || ok && got != free {
					t.Fatalf("missing of %v: %v, want %v", r, got, free)
				}
				if taken.First == 0 {
					s.add(r)
					for n := r.First; n <= r.Last; n++ {
						plain[n] = true
					}
				}
			}
			var want []Range
			for n := uint64(1); n <= space; n++ {
				switch {
				case plain[n] && !plain[n-1]:
					want = append(want, Range{n, n})
				case plain[n]:
					want[len(want)-1].Last = n
				}
			}
			if got := slices.Collect(s.from(0)); !slices.Equal(got, want) {
				t.Error("another set")
			}
			for _, p := range s.pieces {
				if len(p) == 0 || len(p) > maxPiece {
					t.Errorf("a piece of %d", len(p))
				}
			}
			if s.highest() != want[len(want)-1].Last {
				t.Error(s.highest())
			}
		})
	}
}
