package main

import (
	"strings"

	"github.com/licet-dev/licet/testvectors/internal/vectorfile"
)

// damaged is the end of rule E for a text of the right length: the body after
// prefix has unreadable symbols or is not well formed.
func damaged(marks []mark, prefix string, keys []*key, r *request) reading {
	body := marks[len(prefix):]
	text := ""
	var unreadable []int // positions from 1
	for i, m := range body {
		if strings.IndexByte(alphabet, m.char) < 0 {
			unreadable = append(unreadable, i+1)
			text += "?"
		} else {
			text += string(m.char)
		}
	}
	if len(unreadable) == 0 {
		got := malformed("typo")
		if s := explain(text); s.kind != "none" {
			got.propose(body, prefix, s.positions, s.corrected, keys, r)
		}
		return got
	}
	got := malformed("unreadable")
	if filled := fill(text); filled == "" || !got.propose(body, prefix, unreadable, filled, keys, r) {
		got.result.Places = places(body, unreadable, "")
	}
	return got
}

// propose adds a repair to the result, if section 5.4 lets it be named.
func (got *reading) propose(body []mark, prefix string, positions []int, repaired string, keys []*key, r *request) bool {
	again, ok := exact(prefix+repaired, keys)
	if !ok {
		return false
	}
	switch reason, _ := authenticate(again.key, again.body, r); reason {
	case "":
	case "no-secret", "short-tag", "binding-required":
		got.result.Possible = true
	default:
		return false
	}
	got.result.Places = places(body, positions, repaired)
	got.result.Proposal = printed(again.prefix, again.body)
	return true
}

// places names positions of a body, with the right symbols if there are any.
func places(body []mark, positions []int, repaired string) []vectorfile.Place {
	var all []vectorfile.Place
	for _, p := range positions {
		place := vectorfile.Place{Group: (p-1)/4 + 1, Char: (p-1)%4 + 1, Got: body[p-1].got}
		if repaired != "" {
			place.Want = repaired[p-1 : p]
		}
		all = append(all, place)
	}
	return all
}
