package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
)

// A part is a run of characters of a text that have one role in it.
type part struct {
	role  string // before, prefix, key, payload, signature, body, check, rest or after
	text  string // normalised; payload.Placeholder for an unreadable character
	want  int    // how many characters it should have, as many as it has where that is open
	wrong []int  // which of them are wrong, from 1
}

// An anatomy is a text taken apart as the code that it is, or resembles most.
type anatomy struct {
	number int      // of the key, 0 when it can't be told
	key    keys.Key // where known is true
	known  bool     // whether the ring has the key
	good   bool     // whether the symbols are well formed
	length int      // how many symbols there are
	parts  []part
}

// dissect takes a text apart by the keys of a ring, or by none; err is what a reader
// with these keys said of it. It returns nil for a text that resembles no code.
func dissect(ring *keys.Ring, input string, err error) *anatomy {
	reader := new(payload.Reader)
	if ring != nil {
		reader = ring.Reader()
	}
	reading, ok := reader.Nearest(input)
	if !ok {
		return nil
	}
	d := &anatomy{number: reading.Key, good: payload.WellFormed(reading.Symbols), length: len(reading.Symbols)}
	var malformed *payload.ReadError
	var wrong []int
	if errors.As(err, &malformed) {
		if n, _, err := reader.Read(malformed.Proposal, nil); err == nil {
			d.number = n // which may differ from that of the key that the text resembles
		}
		for _, p := range malformed.Places {
			wrong = append(wrong, p.Input)
		}
	}
	if ring != nil {
		d.key, d.known = ring.MintKey(d.number)
	}
	d.around("before", reading.Before)
	d.around("prefix", reading.Prefix)
	i := 0
	take := func(role string, n int) {
		p := part{role: role, want: n}
		for end := min(i+n, d.length); i < end; i++ {
			p.text += string(reading.Symbols[i : i+1])
			if slices.Contains(wrong, reading.Inputs[i]) {
				p.wrong = append(p.wrong, len(p.text))
			}
		}
		d.parts = append(d.parts, p)
	}
	for _, s := range d.slots() {
		take(s.role, s.symbols)
	}
	if rest := d.length - i; rest > 0 {
		take("rest", rest)
	}
	d.around("after", reading.After)
	return d
}

// around adds a part beside those that every code has.
func (d *anatomy) around(role, text string) {
	if text != "" {
		d.parts = append(d.parts, part{role: role, text: text, want: len(text)})
	}
}

type slot struct {
	role    string
	symbols int
}

// slots returns which parts the symbols of the code are, in their order.
func (d *anatomy) slots() []slot {
	if !d.known || d.good && d.length != d.key.Descriptor().Symbols() { // of another layout
		return []slot{{"key", 1}, {"body", max(d.length-1-payload.CheckSymbols, 0)}, {"check", payload.CheckSymbols}}
	}
	desc := d.key.Descriptor()
	return []slot{
		{"key", 1}, {"payload", payload.SymbolCount(desc.Layout.Bits())},
		{"signature", payload.SymbolCount(desc.SigBits)}, {"check", payload.CheckSymbols},
	}
}

// anatomy prints the parts of a code, with a mark below each wrong character.
func (s *sheet) anatomy(d *anatomy) {
	if d == nil {
		return
	}
	odd := false // whether the length is not that of the key
	for _, p := range d.parts {
		text := d.describe(p)
		switch have := len(p.text); {
		case have == 0:
			text = "missing: " + text
		case have < p.want:
			text = fmt.Sprintf("%d of %d symbols: %s", have, p.want, text)
		}
		odd = odd || len(p.text) < p.want || p.role == "rest"
		s.line(p.role, "%-16s %s", orDash(p.text), text)
		if len(p.wrong) > 0 {
			marks := bytes.Repeat([]byte(" "), p.wrong[len(p.wrong)-1])
			for _, i := range p.wrong {
				marks[i-1] = '^'
			}
			s.line("", "%s", s.out.paint(roleBad, string(marks)))
		}
	}
	if odd {
		s.line("", "counted from the front; what is missing or too many may be anywhere")
	}
}

// describe says what a part is.
func (d *anatomy) describe(p part) string {
	switch p.role {
	case "before", "after":
		return plural(len(p.text), "character") + " " + p.role + " the code"
	case "prefix":
		return "may be left out"
	case "key":
		return d.describeKey(p.text)
	case "payload":
		layout := d.key.Layout()
		return fmt.Sprintf("%d bits, masked: %s", layout.Bits(), layout)
	case "signature":
		kind := "HMAC-SHA-256 tag, covered"
		if d.key.Suite() == keys.ES256 {
			kind = "ECDSA P-256 signature"
		}
		return fmt.Sprintf("%d bits, %s", d.key.Descriptor().SigBits, kind)
	case "body":
		return "payload and signature"
	case "check":
		return d.describeCheck(p)
	}
	return fmt.Sprintf("%d too many", len(p.text))
}

func (d *anatomy) describeKey(symbol string) string {
	switch {
	case !d.known && d.good && d.number == 0:
		return "number 0, which is for later formats"
	case !d.known && d.good:
		return fmt.Sprintf("number %d", d.number)
	case !d.known:
		v, ok := payload.SymbolValue(symbol[0])
		if !ok {
			return "number of the key"
		}
		return fmt.Sprintf("number %d, if this is right", v)
	}
	is := fmt.Sprintf("%s, id %s, %s, mints product %s", d.key.Suite(), d.key.ID(), d.key.State(), joinNumbers(d.key.Products()))
	switch want := d.key.Descriptor().Symbols(); {
	case d.good && d.length != want:
		return fmt.Sprintf("number %d, whose codes have %d symbols, not %d: %s", d.number, want, d.length, is)
	case d.good:
		return fmt.Sprintf("number %d: %s", d.number, is)
	case symbol[0] != payload.Symbol(d.number):
		return fmt.Sprintf("most like number %d, whose codes begin with %c: %s", d.number, payload.Symbol(d.number), is)
	}
	return fmt.Sprintf("most like number %d: %s", d.number, is)
}

func (d *anatomy) describeCheck(p part) string {
	switch {
	case d.good:
		return "good: no typing error"
	case len(p.text) < p.want || d.has("rest"):
		return "check symbols"
	case slices.ContainsFunc(d.parts, func(p part) bool { return strings.ContainsRune(p.text, payload.Placeholder) }):
		return "can't be checked: a character is unreadable"
	}
	return "don't fit: a typing error"
}

func (d *anatomy) has(role string) bool {
	return slices.ContainsFunc(d.parts, func(p part) bool { return p.role == role })
}

// partJSON is what inspect --json prints of a part.
type partJSON struct {
	Role  string `json:"role"`
	Text  string `json:"text"`
	Want  int    `json:"want,omitempty"` // how many characters, where it has not as many
	Wrong []int  `json:"wrong,omitempty"`
}

// addParts adds the key and the parts of the text to what is printed of it.
func (j *verdictJSON) addParts(d *anatomy) {
	if d == nil {
		return
	}
	j.Key = d.number
	for _, p := range d.parts {
		out := partJSON{Role: p.role, Text: p.text, Wrong: p.wrong}
		if len(p.text) != p.want {
			out.Want = p.want
		}
		j.Parts = append(j.Parts, out)
	}
}
