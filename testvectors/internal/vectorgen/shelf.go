package main

import (
	"slices"

	"github.com/licet-dev/licet/testvectors/internal/vectorfile"
)

// A shelf has the revocation list that decides, as a program that gets one list
// after the other keeps it.
type shelf struct {
	ring   *ring
	lowest string // number of a list that is accepted, "0" for any
	list   *vectorfile.List
	text   string
}

// start gives a program the lists that it begins with, in any order, and returns
// why it can't begin.
func (s *shelf) start(notes []string) problem {
	type item struct {
		note string
		list *vectorfile.List
	}
	var items []item
	for _, note := range notes {
		l, _, _, refused := openList(note, s.ring)
		if refused != "" {
			return "list-unreadable"
		}
		items = append(items, item{note, l})
	}
	slices.SortStableFunc(items, func(a, b item) int { return decimal(a.list.Sequence).Cmp(decimal(b.list.Sequence)) })
	for _, it := range items {
		switch result := s.offer(it.note); result {
		case "taken", "same", "list-older": // one that is too old may have a newer one beside it
		default:
			return result
		}
	}
	if s.list == nil && s.lowest != "0" {
		return "list-older"
	}
	return ""
}

// offer gives a program another list. It is taken, the same as the one at hand, or
// refused.
func (s *shelf) offer(note string) problem {
	l, text, _, refused := openList(note, s.ring.worsened(s.list))
	if refused != "" {
		return "list-unreadable"
	}
	number := decimal(l.Sequence)
	if number.Cmp(decimal(s.lowest)) < 0 {
		return "list-older"
	}
	if s.list != nil {
		switch number.Cmp(decimal(s.list.Sequence)) {
		case -1:
			return "list-older"
		case 0:
			if text != s.text {
				return "list-conflict"
			}
			return "same"
		}
	}
	s.list, s.text = l, text
	return "taken"
}

// worsened returns the ring with what a list says of the keys in it.
func (r *ring) worsened(l *vectorfile.List) *ring {
	other := *r
	other.others = nil
	for _, k := range r.others {
		other.others = append(other.others, k.inState(worse(k.state, stateIn(l, k.id))))
	}
	return &other
}
