package payload_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/licet-dev/licet/payload"
)

// The functions below are sections 4 and 5 of SPEC.md once more, by the letter
// and by brute force. They share no code with the package.

// gfTimes multiplies in GF(2)[z]/(z^5+z^3+1).
var gfTimes = func() (t [32][32]int) {
	for a := range 32 {
		for b := range 32 {
			product := 0
			for k := range 5 {
				if b>>k&1 == 1 {
					product ^= a << k
				}
			}
			for k := 9; k >= 5; k-- {
				if product>>k&1 == 1 {
					product ^= 0b101001 << (k - 5)
				}
			}
			t[a][b] = product
		}
	}
	return t
}()

// refWellFormed divides X^n + c_1 X^(n-1) + ... + c_n by g(X) the way it is done on paper.
func refWellFormed(text string) bool {
	if len(text) < 3 {
		return false
	}
	c := make([]int, 0, 256)
	c = append(c, 1)
	for i := range len(text) {
		v := strings.IndexByte(payload.Alphabet, text[i])
		if v < 0 {
			return false
		}
		c = append(c, v)
	}
	for i := range len(c) - 3 {
		c[i+1] ^= gfTimes[c[i]][4]
		c[i+2] ^= gfTimes[c[i]][8]
		c[i+3] ^= c[i]
	}
	return slices.Equal(c[len(c)-3:], []int{17, 12, 30})
}

// A refRepair is a well-formed text and the slip that leads away from it.
type refRepair struct {
	kind   payload.SlipKind
	places []int
	text   string
}

// refSlips tries every slip.
func refSlips(text string) []refRepair {
	var found []refRepair
	try := func(kind payload.SlipKind, repaired string, places ...int) {
		if refWellFormed(repaired) {
			found = append(found, refRepair{kind, places, repaired})
		}
	}
	for i := range len(text) {
		for _, c := range []byte(payload.Alphabet) {
			if c != text[i] {
				try(payload.Substitution, replaced(text, i, c), i)
			}
		}
		for j := i + 1; j <= i+2 && j < len(text); j++ {
			if text[i] != text[j] {
				try(payload.Transposition, exchanged(text, i, j), i, j)
				continue
			}
			for _, c := range []byte(payload.Alphabet) {
				if c != text[i] {
					try(payload.Twin, replaced(replaced(text, i, c), j, c), i, j)
				}
			}
		}
	}
	return found
}

// refFill tries every symbol in one or two places.
func refFill(text string, places []int) []string {
	if len(places) == 0 {
		if refWellFormed(text) {
			return []string{text}
		}
		return nil
	}
	var found []string
	for _, c := range []byte(payload.Alphabet) {
		found = append(found, refFill(replaced(text, places[0], c), places[1:])...)
	}
	return found
}

// A refReader reads with keys in the order of their numbers.
type refReader []payload.Shape

func beginsWith(text, prefix string) bool { return strings.HasPrefix(text, prefix) }

// prefixesOf returns what may stand before a body: the prefix, if there is one, and nothing.
func prefixesOf(k payload.Shape) []string {
	if k.Prefix == "" {
		return []string{""}
	}
	return []string{k.Prefix, ""}
}

func sym(k payload.Shape) string { return string(payload.Alphabet[k.Number]) }

// body reports whether b is the body of a code of k, as rule A says.
func body(b string, k payload.Shape) bool {
	return len(b) == k.Symbols && beginsWith(b, sym(k)) && refWellFormed(b)
}

func (keys refReader) exact(text string) (key payload.Shape, prefix, b string, ok bool) {
	for _, k := range keys {
		for _, p := range prefixesOf(k) {
			if b, ok := strings.CutPrefix(text, p); ok && body(b, k) {
				return k, p, b, true
			}
		}
	}
	return payload.Shape{}, "", "", false
}

// A refChar is what one symbol of a normalised text was in the input.
type refChar struct {
	form  byte
	got   rune
	input int
}

func refNormalize(dropped []codePoints, input string) []refChar {
	var chars []refChar
	for number := 1; input != ""; number++ {
		r, size := utf8.DecodeRuneInString(input)
		input = input[size:]
		form := formBySpec(dropped, r)
		if form == "" {
			continue
		}
		if form != "?" {
			r = rune(form[0])
		}
		chars = append(chars, refChar{form[0], r, number})
	}
	return chars
}

// read is SPEC.md, section 5.3.
func (keys refReader) read(dropped []codePoints, input string) (int, string, *payload.ReadError) {
	if len(input) > 1024 {
		return 0, "", &payload.ReadError{Reason: payload.TooLong, Have: len(input), Want: 1024}
	}
	chars := refNormalize(dropped, input)
	text := ""
	for _, c := range chars {
		text += string(c.form)
	}
	if text == "" {
		return 0, "", &payload.ReadError{Reason: payload.Empty}
	}
	if k, _, b, ok := keys.exact(text); ok {
		return k.Number, b, nil
	}
	for _, rule := range []func(string) *payload.ReadError{keys.repeated, keys.inside, keys.foreign} {
		if e := rule(text); e != nil {
			return 0, "", e
		}
	}
	return 0, "", keys.nearest(text, chars)
}

func (keys refReader) repeated(text string) *payload.ReadError {
	for _, k := range keys {
		for _, p := range prefixesOf(k) {
			if len(text) < len(p)+k.Symbols {
				continue
			}
			b, ok := strings.CutPrefix(text[:len(p)+k.Symbols], p)
			if !ok || !body(b, k) {
				continue
			}
			if m := copies(text, b, k.Prefix); m >= 2 {
				return &payload.ReadError{Reason: payload.Repeated, Copies: m}
			}
		}
	}
	return nil
}

// copies returns how many copies of b, each with or without the prefix, make text; 0 if none do.
func copies(text, b, prefix string) int {
	if text == "" {
		return 0
	}
	for _, unit := range []string{prefix + b, b} {
		rest, ok := strings.CutPrefix(text, unit)
		if !ok {
			continue
		}
		if rest == "" {
			return 1
		}
		if m := copies(rest, b, prefix); m > 0 {
			return m + 1
		}
	}
	return 0
}

func (keys refReader) inside(text string) *payload.ReadError {
	for _, k := range keys {
		for _, p := range prefixesOf(k) {
			for x := range len(text) {
				rest, ok := strings.CutPrefix(text[x:], p)
				if !ok || len(rest) < k.Symbols || !body(rest[:k.Symbols], k) {
					continue
				}
				y := len(rest) - k.Symbols
				if x+y == 0 || x+y > 16 {
					continue
				}
				if y == 0 && x >= 2 && x <= 8 && !strings.Contains(text[:x], "?") && p == "" {
					return &payload.ReadError{Reason: payload.WrongPrefix, Before: x, After: y}
				}
				return &payload.ReadError{Reason: payload.ExtraText, Before: x, After: y}
			}
		}
	}
	return nil
}

func (keys refReader) foreign(text string) *payload.ReadError {
	beginnings := []int{0, 2, 3, 4, 5, 6, 7, 8}
	for _, k := range keys {
		if text[0] == payload.Alphabet[k.Number] && len(text) == k.Symbols {
			beginnings = []int{0}
		}
	}
	for _, k := range keys {
		if k.Prefix != "" && strings.HasPrefix(text, k.Prefix) && len(text) == len(k.Prefix)+k.Symbols {
			beginnings = []int{len(k.Prefix)}
		}
	}
	for _, d := range beginnings {
		n := len(text) - d
		if n < 12 || n > 139 || !refWellFormed(text[d:]) {
			continue
		}
		number := strings.IndexByte(payload.Alphabet, text[d])
		if number == 0 {
			return &payload.ReadError{Reason: payload.LaterFormat}
		}
		for _, k := range keys {
			if k.Number == number {
				return &payload.ReadError{Reason: payload.WrongLength, Have: n, Want: k.Symbols}
			}
		}
		return &payload.ReadError{Reason: payload.UnknownKey, Key: number}
	}
	return nil
}

func (keys refReader) nearest(text string, chars []refChar) *payload.ReadError {
	for _, k := range keys {
		if text == k.Prefix {
			return &payload.ReadError{Reason: payload.PrefixOnly}
		}
	}
	prefix, want := keys.lines(text)
	body := text[len(prefix):]
	if len(body) != want {
		var places []payload.Place
		for _, c := range chars {
			if c.form == '?' {
				places = append(places, payload.Place{Input: c.input, Got: c.got})
			}
		}
		if places != nil {
			return &payload.ReadError{Reason: payload.Unreadable, Places: places}
		}
		return &payload.ReadError{Reason: payload.WrongLength, Have: len(body), Want: want}
	}
	chars = chars[len(prefix):]
	place := func(i int, repaired string) payload.Place {
		p := payload.Place{Group: i/4 + 1, Char: i%4 + 1, Input: chars[i].input, Got: chars[i].got}
		if repaired != "" {
			p.Want = repaired[i]
		}
		return p
	}
	var unreadable []int
	for i := range len(body) {
		if !strings.Contains(payload.Alphabet, body[i:i+1]) {
			unreadable = append(unreadable, i)
		}
	}
	if len(unreadable) > 0 {
		e := &payload.ReadError{Reason: payload.Unreadable}
		repaired := ""
		if len(unreadable) <= 2 {
			if filled := refFill(body, unreadable); len(filled) == 1 {
				repaired, e.Proposal = keys.proposal(prefix, filled[0])
			}
		}
		for _, i := range unreadable {
			e.Places = append(e.Places, place(i, repaired))
		}
		return e
	}
	e := &payload.ReadError{Reason: payload.Typo}
	if slips := refSlips(body); len(slips) == 1 {
		var repaired string
		if repaired, e.Proposal = keys.proposal(prefix, slips[0].text); e.Proposal != "" {
			e.Slip = slips[0].kind
			for _, i := range slips[0].places {
				e.Places = append(e.Places, place(i, repaired))
			}
		}
	}
	return e
}

// proposal returns the repaired body and its print, if the whole reads by rule A.
func (keys refReader) proposal(prefix, b string) (string, string) {
	if len(keys) > 0 {
		if _, p, _, ok := keys.exact(prefix + b); !ok || p != prefix {
			return "", ""
		}
	}
	var groups []string
	if prefix != "" {
		groups = append(groups, prefix)
	}
	for group := range slices.Chunk([]byte(b), 4) {
		groups = append(groups, string(group))
	}
	return b, strings.Join(groups, "-")
}

// lines are the lines a to e of rule E. They return the prefix that is read, and
// the length that the rest should have.
func (keys refReader) lines(text string) (prefix string, want int) {
	n := len(text)
	if len(keys) == 0 {
		if n >= 12 && n <= 139 {
			return "", n
		}
		return "", 0
	}
	type reading struct {
		k      payload.Shape
		prefix string
	}
	distance := func(x reading) int {
		d := n - len(x.prefix) - x.k.Symbols
		return max(d, -d)
	}
	prefixed := func(k payload.Shape) bool { return k.Prefix != "" && beginsWith(text, k.Prefix) }
	for _, line := range []func(k payload.Shape) (string, bool){
		func(k payload.Shape) (string, bool) { return k.Prefix, prefixed(k) && n == len(k.Prefix)+k.Symbols },
		func(k payload.Shape) (string, bool) {
			return k.Prefix, prefixed(k) && beginsWith(text, k.Prefix+sym(k))
		},
		func(k payload.Shape) (string, bool) { return "", n == k.Symbols },
		func(k payload.Shape) (string, bool) {
			if prefixed(k) {
				return k.Prefix, distance(reading{k, k.Prefix}) <= 8
			}
			return "", distance(reading{k, ""}) <= 8 && beginsWith(text, sym(k)) && !slices.ContainsFunc(keys, prefixed)
		},
		func(k payload.Shape) (string, bool) {
			if prefixed(k) {
				return k.Prefix, true
			}
			return "", true
		},
	} {
		var found []reading
		for _, k := range keys {
			if p, ok := line(k); ok {
				found = append(found, reading{k, p})
			}
		}
		if len(found) > 0 {
			slices.SortStableFunc(found, func(a, b reading) int { return distance(a) - distance(b) })
			return found[0].prefix, found[0].k.Symbols
		}
	}
	panic("line e takes everything")
}

func describeReading(key int, symbols string, e *payload.ReadError) string {
	if e == nil {
		return fmt.Sprintf("key %d, %s", key, symbols)
	}
	return fmt.Sprintf("%+v", *e)
}

// damaged returns the text of a code as somebody might mangle it.
func damaged(r *rand.Rand, shapes []payload.Shape) string {
	k := shapes[r.IntN(len(shapes))]
	first := payload.Symbol(k.Number)
	length := k.Symbols
	switch r.IntN(12) {
	case 0:
		first = payload.Symbol(r.IntN(32) * r.IntN(2)) // perhaps another key, or a later format
	case 1:
		length = max(8, length+r.IntN(9)-4)
	}
	code := randomCode(r, first, length)
	prefixes := []string{"", k.Prefix, k.Prefix, "XY", "XY9Z", "ACME", "P477", "B0O1", "ABCDEFGH"}
	prefix := prefixes[r.IntN(len(prefixes))]
	text := prefix + code
	if r.IntN(6) == 0 {
		for range 1 + r.IntN(2) {
			text += []string{"", k.Prefix}[r.IntN(2)] + code
		}
	}
	for range r.IntN(4) {
		i := r.IntN(len(text))
		switch r.IntN(13) {
		case 0, 1:
			text = replaced(text, i, payload.Alphabet[r.IntN(32)])
		case 2:
			text = replaced(text, i, "?0O1I!?"[r.IntN(7)])
		case 3:
			text = text[:i] + []string{"Ж", "Ω", "\xff", "½"}[r.IntN(4)] + text[i+1:]
		case 4:
			if i > 0 {
				text = exchanged(text, i-1, i)
			}
		case 5:
			if i > 1 {
				text = exchanged(text, i-2, i)
			}
		case 6:
			text = text[:i] + text[min(len(text), i+1+r.IntN(4)):]
		case 7:
			text = text[:i] + string(payload.Alphabet[r.IntN(32)]) + text[i:]
		case 8:
			text += strings.Repeat("A", r.IntN(18))
		case 9:
			text = strings.Repeat("Z", r.IntN(18)) + text
		case 10:
			text += text[i:min(len(text), i+4)]
		case 11:
			text = text[:i]
		case 12:
			text = text[:i] + "-" + text[i:]
		}
		if text == "" {
			return prefix
		}
	}
	return text
}

func TestReaderAgainstTheLetterOfTheSpec(t *testing.T) {
	dropped := droppedBySpec(t)
	for _, c := range []struct {
		name   string
		shapes []payload.Shape
		texts  int
	}{
		{"seven keys", sevenShapes, 1_500},
		{"the short ones", sevenShapes[3:], 1_500},
		{"one key", sevenShapes[1:2], 1_500},
		{"no key", nil, 300}, // every typo is tried at full length, which takes its time
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			reader, err := payload.NewReader(c.shapes...)
			if err != nil {
				t.Fatal(err)
			}
			r := newRand(10 + uint64(len(c.shapes)))
			seen := map[payload.Reason]int{}
			for range c.texts {
				input := damaged(r, sevenShapes)
				key, symbols, err := reader.Read(input, nil)
				var e *payload.ReadError
				if err != nil {
					e = err.(*payload.ReadError)
				}
				wantKey, wantSymbols, want := refReader(c.shapes).read(dropped, input)
				if key != wantKey || string(symbols) != wantSymbols || !reflect.DeepEqual(e, want) {
					t.Fatalf("Read(%q):\n got %s\nwant %s", input, describeReading(key, string(symbols), e), describeReading(wantKey, wantSymbols, want))
				}
				if e == nil {
					seen[""]++
				} else {
					seen[e.Reason]++
				}
			}
			for _, reason := range []payload.Reason{payload.WrongLength, payload.Unreadable, payload.Typo, payload.UnknownKey, payload.LaterFormat} {
				if seen[reason] == 0 {
					t.Errorf("no text was refused as %s; the texts have lost their variety: %v", reason, seen)
				}
			}
			if len(c.shapes) > 1 && len(seen) < 9 {
				t.Errorf("only these readings came up: %v", seen)
			}
		})
	}
}

func TestCheckSymbolsAgainstDivision(t *testing.T) {
	r := newRand(11)
	for range 3_000 {
		text := make([]byte, r.IntN(150))
		for i := range text {
			text[i] = payload.Alphabet[r.IntN(32)]
		}
		code := payload.AppendCheck(bytes.Clone(text))
		if !refWellFormed(string(code)) || !payload.WellFormed(code) {
			t.Fatalf("AppendCheck(%s) = %s", text, code)
		}
		if payload.WellFormed(text) != refWellFormed(string(text)) {
			t.Fatalf("WellFormed(%s) = %t", text, payload.WellFormed(text))
		}
	}
	for range 100 {
		code := []byte(randomCode(r, 'A', 14+r.IntN(20)))
		for range 1 + r.IntN(3) {
			code[r.IntN(len(code))] = payload.Alphabet[r.IntN(32)]
		}
		before := string(code)
		slips := refSlips(before)
		slip, ok := payload.FindSlip(code)
		if refWellFormed(before) {
			slips = nil // nothing is wrong, although a slip may lead to another good code
		}
		if len(slips) > 1 || ok != (len(slips) == 1) {
			t.Fatalf("FindSlip(%s) = %v, %t; the slips are %v", before, slip, ok, slips)
		}
		if ok && (slips[0].text != string(code) || slips[0].kind != slip.Kind || slips[0].places[0] != slip.First) {
			t.Fatalf("FindSlip(%s) = %v with %s; want %v", before, slip, code, slips[0])
		}
	}
}
