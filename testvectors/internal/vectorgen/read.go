package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/licet-dev/licet/testvectors/internal/vectorfile"
)

// A reading is what section 5.3 makes of a text: a key, the prefix that was
// read and a body to judge, or a result that is final.
type reading struct {
	key    *key
	prefix string
	body   string
	result *vectorfile.Result
}

func malformed(reason string) reading {
	return reading{result: &vectorfile.Result{Family: "not-authentic", Reason: reason}}
}

// read applies the rules in their order. The keys are sorted by number.
func read(marks []mark, keys []*key, r *request) reading {
	text := textOf(marks)
	if text == "" {
		return malformed("empty")
	}
	if got, ok := exact(text, keys); ok {
		return got
	}
	if got, ok := repeated(text, keys); ok {
		return got
	}
	if got, ok := inside(text, keys); ok {
		return got
	}
	if got, ok := foreign(text, keys); ok {
		return got
	}
	return nearest(marks, keys, r)
}

// prefixes returns the texts that may stand before a body of k.
func (k *key) prefixes() []string {
	if k.prefix == "" {
		return []string{""}
	}
	return []string{k.prefix, ""}
}

// fits tells whether body is the B of rule A.
func (k *key) fits(body string) bool {
	return len(body) == k.length() && strings.HasPrefix(body, sym(k.number)) && wellFormed(body)
}

// exact is rule A.
func exact(text string, keys []*key) (reading, bool) {
	for _, k := range keys {
		for _, p := range k.prefixes() {
			if body, ok := strings.CutPrefix(text, p); ok && k.fits(body) {
				return reading{key: k, prefix: p, body: body}, true
			}
		}
	}
	return reading{}, false
}

// repeated is rule B.
func repeated(text string, keys []*key) (reading, bool) {
	for _, k := range keys {
		for _, p := range k.prefixes() {
			rest, ok := strings.CutPrefix(text, p)
			if !ok || len(rest) < k.length() || !k.fits(rest[:k.length()]) {
				continue
			}
			if m := copies(text, rest[:k.length()], k.prefixes()); m >= 2 {
				got := malformed("repeated")
				got.result.Copies = m
				return got, true
			}
		}
	}
	return reading{}, false
}

// copies returns of how many copies of body text consists, 0 if it does not.
func copies(text, body string, prefixes []string) int {
	for _, p := range prefixes {
		rest, ok := strings.CutPrefix(text, p+body)
		if ok && rest == "" {
			return 1
		}
		if ok {
			if m := copies(rest, body, prefixes); m > 0 {
				return m + 1
			}
		}
	}
	return 0
}

// maxAround is how many characters rule C allows around a code.
const maxAround = 16

// inside is rule C.
func inside(text string, keys []*key) (reading, bool) {
	for _, k := range keys {
		for _, p := range k.prefixes() {
			for before := 0; before <= maxAround; before++ {
				from := before + len(p)
				to := from + k.length()
				if to > len(text) {
					break
				}
				after := len(text) - to
				if text[before:from] != p || !k.fits(text[from:to]) || before+after == 0 || before+after > maxAround {
					continue
				}
				if after == 0 && before >= 2 && before <= 8 && !strings.Contains(text[:before], "?") && p == "" {
					return malformed("wrong-prefix"), true
				}
				got := malformed("extra-text")
				got.result.Before, got.result.After = &before, &after
				return got, true
			}
		}
	}
	return reading{}, false
}

// The shortest and the longest code that any descriptor gives.
const (
	minLength = 12
	maxLength = 139
)

// foreign is rule D.
func foreign(text string, keys []*key) (reading, bool) {
	beginnings := []int{0, 2, 3, 4, 5, 6, 7, 8}
	for _, k := range keys {
		if strings.HasPrefix(text, sym(k.number)) && len(text) == k.length() {
			beginnings = []int{0}
		}
	}
	for _, k := range keys {
		if k.prefix != "" && strings.HasPrefix(text, k.prefix) && len(text) == len(k.prefix)+k.length() {
			beginnings = []int{len(k.prefix)}
		}
	}
	for _, d := range beginnings {
		n := len(text) - d
		if n < minLength || n > maxLength || !wellFormed(text[d:]) {
			continue
		}
		first := text[d : d+1]
		if first == sym(0) {
			return malformed("later-format"), true
		}
		for _, k := range keys {
			if sym(k.number) == first {
				return wrongLength(n, k.length()), true
			}
		}
		return malformed("unknown-key"), true
	}
	return reading{}, false
}

func wrongLength(have, want int) reading {
	got := malformed("wrong-length")
	got.result.Have, got.result.Want = have, want
	return got
}

// nearest is rule E.
func nearest(marks []mark, keys []*key, r *request) reading {
	text := textOf(marks)
	for _, k := range keys {
		if k.prefix != "" && text == k.prefix {
			return malformed("prefix-only")
		}
	}
	if len(keys) == 0 {
		if len(text) < minLength || len(text) > maxLength {
			panic("the specification does not say how to read " + text)
		}
		return damaged(marks, "", keys, r)
	}
	k, prefix := nearestKey(text, keys)
	if have := len(text) - len(prefix); have != k.length() {
		got := wrongLength(have, k.length())
		if strings.Contains(text, "?") {
			got = malformed("unreadable")
			for _, m := range marks {
				if m.char == '?' {
					got.result.Places = append(got.result.Places, vectorfile.Place{Input: m.input, Got: m.got})
				}
			}
		}
		return got
	}
	return damaged(marks, prefix, keys, r)
}

// nearestKey returns the key that the first of the lines a to e finds, and the
// prefix that the line reads.
func nearestKey(text string, keys []*key) (*key, string) {
	n := len(text)
	type found struct {
		key      *key
		prefix   string
		distance int
	}
	begins := func(k *key) bool { return k.prefix != "" && strings.HasPrefix(text, k.prefix) }
	lines := []func(k *key) (prefix string, ok bool){
		func(k *key) (string, bool) { // a
			return k.prefix, begins(k) && n == len(k.prefix)+k.length()
		},
		func(k *key) (string, bool) { // b
			return k.prefix, begins(k) && strings.HasPrefix(text, k.prefix+sym(k.number))
		},
		func(k *key) (string, bool) { // c
			return "", n == k.length()
		},
		func(k *key) (string, bool) { // d
			if begins(k) {
				return k.prefix, abs(n-len(k.prefix)-k.length()) <= 8
			}
			return "", !slices.ContainsFunc(keys, begins) && strings.HasPrefix(text, sym(k.number)) && abs(n-k.length()) <= 8
		},
		func(k *key) (string, bool) { // e
			if begins(k) {
				return k.prefix, true
			}
			return "", true
		},
	}
	for _, line := range lines {
		var all []found
		for _, k := range keys {
			if prefix, ok := line(k); ok {
				all = append(all, found{k, prefix, abs(n - len(prefix) - k.length())})
			}
		}
		if len(all) > 0 {
			best := slices.MinFunc(all, func(a, b found) int {
				return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.key.number, b.key.number))
			})
			return best.key, best.prefix
		}
	}
	panic("line e finds a key for every text")
}

func abs(n int) int { return max(n, -n) }
