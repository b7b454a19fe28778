package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/licet-dev/licet/keys"
)

// Package encoding/json takes the last of two equal members, matches names without
// regard to case and skips names that it does not know. A line of the journal must
// have one reading, so it is read in the only form in which it is written. That is
// also many times faster.

// parseEntry reads a line without its newline. It does not look at the sum's value.
func parseEntry(line []byte) (Entry, error) {
	p := parser{line: line, rest: line}
	var e Entry
	p.expect("{")
	e.Time = p.time("time")
	p.expect(",")
	e.Kind = Kind(p.text("kind"))
	p.expect(",")
	e.Key = int(p.number("key", 1<<31-1))
	p.expect(",")
	e.KeyID = p.keyID("key_id")
	p.expect(",")
	e.Product = p.number("product", 1<<64-1)
	p.expect(",")
	e.Serials.First = p.serial("first")
	p.expect(",")
	e.Serials.Last = p.serial("last")
	p.expect(",")
	e.Terms = p.terms()
	e.Labels = p.labels("labels")
	e.Output = p.text("output")
	p.expect(",")
	e.Format = p.text("format")
	p.expect(",")
	e.Tool = p.text("tool")
	p.expect(",")
	e.Sum = p.text("sum")
	p.expect("}")
	switch {
	case p.err != nil:
		return Entry{}, p.err
	case len(p.rest) > 0:
		return Entry{}, fmt.Errorf("%d bytes follow the object", len(p.rest))
	case !e.Kind.valid():
		return Entry{}, fmt.Errorf("unknown kind %q", e.Kind)
	case e.Serials.First == 0 || e.Serials.First > e.Serials.Last:
		return Entry{}, fmt.Errorf("serials %d to %d are no range", e.Serials.First, e.Serials.Last)
	case len(e.Sum) != sumSize:
		return Entry{}, fmt.Errorf("sum %q: want %d digits", e.Sum, sumSize)
	}
	return e, nil
}

// A parser reads members one after the other. It keeps its first error, and then
// reads nothing any more.
type parser struct {
	line, rest []byte
	err        error
}

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		at := len(p.line) - len(p.rest) + 1
		p.err = fmt.Errorf("byte %d: %w", at, fmt.Errorf(format, args...))
	}
}

// skip skips the text if it is next.
func (p *parser) skip(text string) bool {
	if p.err != nil || len(p.rest) < len(text) || string(p.rest[:len(text)]) != text {
		return false
	}
	p.rest = p.rest[len(text):]
	return true
}

func (p *parser) expect(text string) {
	if !p.skip(text) {
		p.fail("want %q", text)
	}
}

// has reads the name of a member if it is next.
func (p *parser) has(name string) bool {
	start := p.rest
	if p.skip(`"`) && p.skip(name) && p.skip(`":`) {
		return true
	}
	p.rest = start
	return false
}

// name reads the name of a member.
func (p *parser) name(name string) {
	if p.err != nil || p.has(name) {
		return
	}
	start := *p
	if found := p.value(); p.err == nil {
		*p = start
		p.fail("found the member %q, want %q", found, name)
	} else {
		*p = start
		p.fail("want the member %q", name)
	}
}

// value reads a string.
func (p *parser) value() string {
	if !p.skip(`"`) {
		p.fail("want a string")
		return ""
	}
	end := bytes.IndexByte(p.rest, '"')
	if end >= 0 && isPlain(p.rest[:end]) {
		s := string(p.rest[:end])
		p.rest = p.rest[end+1:]
		return s
	}
	for end = 0; end < len(p.rest) && p.rest[end] != '"'; end++ {
		if p.rest[end] == '\\' {
			end++
		}
	}
	if end >= len(p.rest) {
		p.fail("a string does not end")
		return ""
	}
	var s string
	raw := p.line[len(p.line)-len(p.rest)-1 : len(p.line)-len(p.rest)+end+1]
	// One string could be written in many ways; it is read in one.
	if err := json.Unmarshal(raw, &s); err != nil || !bytes.Equal(appendText(nil, s), raw) {
		p.fail("a string is not written as it should be")
		return ""
	}
	p.rest = p.rest[end+1:]
	return s
}

func (p *parser) text(name string) string {
	p.name(name)
	return p.value()
}

// optional reads a member and the comma behind it, or nothing.
func (p *parser) optional(name string) string {
	if !p.has(name) {
		return ""
	}
	s := p.value()
	if s == "" {
		p.fail("%s is empty, it should not be there", name)
	}
	p.expect(",")
	return s
}

// labels reads the labels and the comma behind them, or nothing.
func (p *parser) labels(name string) map[string]string {
	var labels map[string]string
	p.object(name, func(label, value string) {
		if labels == nil {
			labels = map[string]string{}
		}
		labels[label] = value
	})
	return labels
}

// object reads an object of strings, with the names of its members sorted, and the
// comma behind it, or nothing.
func (p *parser) object(name string, member func(name, value string)) {
	if !p.has(name) {
		return
	}
	p.expect("{")
	for last := ""; p.err == nil; {
		label := p.value()
		if label <= last {
			p.fail("%s: %q is empty, out of order or there twice", name, label)
		}
		p.expect(":")
		member(label, p.value())
		if last = label; !p.skip(",") {
			break
		}
	}
	p.expect("},")
}

// number reads a number, without a sign and without zeros in front.
func (p *parser) number(name string, most uint64) uint64 {
	p.name(name)
	n := 0
	for n < len(p.rest) && p.rest[n] >= '0' && p.rest[n] <= '9' {
		n++
	}
	v := p.decimal(string(p.rest[:n]), name)
	if v > most {
		p.fail("%s is too large", name)
	}
	p.rest = p.rest[n:]
	return v
}

func (p *parser) serial(name string) uint64 { return p.decimal(p.text(name), name) }

func (p *parser) decimal(digits, name string) uint64 {
	v, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || len(digits) > 1 && digits[0] == '0' {
		p.fail("%s %q: want a number", name, digits)
	}
	return v
}

func (p *parser) time(name string) time.Time {
	s := p.text(name)
	t, err := time.Parse("2006-01-02T15:04:05Z", s)
	// The parser of times also takes fractions of a second.
	if err != nil || len(s) != len("2006-01-02T15:04:05Z") {
		p.fail("%s %q: want UTC as in 2006-01-02T15:04:05Z", name, s)
	}
	return t
}

func (p *parser) keyID(name string) keys.ID {
	id, err := keys.ParseID(p.text(name))
	if err != nil {
		p.fail("%w", err)
	}
	return id
}

// equal reports whether two entries say the same, apart from the number of the line.
func (e Entry) equal(f Entry) bool {
	return e.Time.Equal(f.Time) && e.Kind == f.Kind && e.Key == f.Key && e.KeyID == f.KeyID &&
		e.Product == f.Product && e.Serials == f.Serials && e.Terms.equal(&f.Terms) &&
		maps.Equal(e.Labels, f.Labels) && e.Output == f.Output && e.Format == f.Format && e.Tool == f.Tool && e.Sum == f.Sum
}
