package payload

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// A candidate is one way to read a text: as a code of this shape, after its
// prefix or without.
type candidate struct {
	Shape
	prefixed bool
}

// offset returns how many characters the prefix takes.
func (c candidate) offset() int {
	if c.prefixed {
		return len(c.Prefix)
	}
	return 0
}

// nearest applies rule E: it reads t as the key it resembles most, and says what
// keeps it from being a code of that key.
func (r *Reader) nearest(input string, t []byte) *ReadError {
	for _, s := range r.shapes {
		if string(t) == s.Prefix {
			return &ReadError{Reason: PrefixOnly}
		}
	}
	c, ok := r.resemblance(t)
	if !ok {
		// Without keys, the text itself is all there is to go by.
		c.Symbols = len(t)
		if len(t) < minForeign || len(t) > maxForeign {
			c.Symbols = 0
		}
	}
	text := locate(input)
	code := t[c.offset():]
	if len(code) != c.Symbols {
		if bytes.ContainsRune(t, Placeholder) {
			return &ReadError{Reason: Unreadable, Places: text.placeholders()}
		}
		return &ReadError{Reason: WrongLength, Have: len(code), Want: c.Symbols}
	}
	text = text[c.offset():]

	var unreadable []int
	for i, b := range code {
		if symbolValue[b] == noValue {
			unreadable = append(unreadable, i)
		}
	}
	if len(unreadable) > 0 {
		e := &ReadError{Reason: Unreadable}
		repaired := bytes.Clone(t)
		if Fill(repaired[c.offset():], unreadable...) {
			e.Proposal = r.proposal(repaired, c)
		}
		e.Places = text.places(unreadable, repaired[c.offset():], e.Proposal != "")
		return e
	}
	e := &ReadError{Reason: Typo}
	repaired := bytes.Clone(t)
	if slip, ok := FindSlip(repaired[c.offset():]); ok {
		if e.Proposal = r.proposal(repaired, c); e.Proposal != "" {
			e.Slip = slip.Kind
			wrong := []int{slip.First}
			if slip.Second >= 0 {
				wrong = append(wrong, slip.Second)
			}
			e.Places = text.places(wrong, repaired[c.offset():], true)
		}
	}
	return e
}

// proposal prints the repaired text as a code, or returns "" when it is no code
// of a known key.
func (r *Reader) proposal(t []byte, c candidate) string {
	prefix := ""
	if c.prefixed {
		prefix = c.Prefix
	}
	if len(r.shapes) > 0 {
		s, symbols := r.exact(t)
		if symbols == nil || len(t)-len(symbols) != len(prefix) {
			return ""
		}
		if c.prefixed {
			prefix = s.Prefix
		}
	}
	return string(AppendCode(nil, prefix, t[len(prefix):], GroupSize))
}

// resemblance returns the key that t resembles most. The rules are tried in
// order; among several keys the nearest length decides, then the lower number.
func (r *Reader) resemblance(t []byte) (candidate, bool) {
	n := len(t)
	begins := func(s Shape) bool { return s.Prefix != "" && bytes.HasPrefix(t, []byte(s.Prefix)) }
	known := slices.ContainsFunc(r.shapes, begins)
	rules := []func(candidate) bool{
		func(c candidate) bool { return c.prefixed && begins(c.Shape) && c.distance(n) == 0 },
		func(c candidate) bool { return c.prefixed && c.fits(t, true) },
		func(c candidate) bool { return !c.prefixed && c.distance(n) == 0 },
		func(c candidate) bool {
			if c.distance(n) > 8 {
				return false
			}
			if c.prefixed {
				return begins(c.Shape)
			}
			return !known && c.fits(t, false)
		},
		func(c candidate) bool { return c.prefixed == begins(c.Shape) },
	}
	for _, rule := range rules {
		var best candidate
		found := false
		for _, s := range r.shapes {
			for _, c := range []candidate{{s, true}, {s, false}} {
				if !rule(c) {
					continue
				}
				if !found || c.distance(n) < best.distance(n) {
					best, found = c, true
				}
			}
		}
		if found {
			return best, true
		}
	}
	return candidate{}, false
}

// distance returns by how many characters a text of length n misses the length.
func (c candidate) distance(n int) int {
	d := n - c.offset() - c.Symbols
	return max(d, -d)
}

// A located text has, for each character of a normalised text, what it was in
// the input and where.
type located []struct {
	form  byte // normalised
	got   rune // letters and digits as normalised, anything else as it was
	input int  // number of the code point in the input, from 1
}

func locate(input string) located {
	var text located
	number := 0
	for i := 0; i < len(input); {
		r, size := utf8.DecodeRuneInString(input[i:])
		i += size
		number++
		form := normalForm(r)
		if form == 0 {
			continue
		}
		if form != Placeholder {
			r = rune(form)
		}
		text = append(text, struct {
			form  byte
			got   rune
			input int
		}{form, r, number})
	}
	return text
}

// placeholders returns the places, in the input, of characters no code has.
func (text located) placeholders() []Place {
	var places []Place
	for _, c := range text {
		if c.form == Placeholder {
			places = append(places, Place{Input: c.input, Got: c.got})
		}
	}
	return places
}

// places returns the places of the given symbols of a code of its right length,
// with the right symbols where they are known.
func (text located) places(indices []int, repaired []byte, known bool) []Place {
	var places []Place
	for _, i := range indices {
		p := Place{Group: i/GroupSize + 1, Char: i%GroupSize + 1, Input: text[i].input, Got: text[i].got}
		if known {
			p.Want = repaired[i]
		}
		places = append(places, p)
	}
	return places
}
