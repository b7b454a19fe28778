package revocation

import (
	"strings"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/note"
)

// Parse reads the text of a list: exactly what [List.Marshal] writes, and nothing
// else. Every error is an [*Error]; another kind of file that list keys sign, and a
// later version, have reasons of their own.
//
// Parse knows no key and no ring. [Open] does.
func Parse(text string) (*List, error) {
	if err := checkFirstLine(text); err != nil {
		return nil, err
	}
	p := parser{rest: text}
	l := p.list()
	if p.err != nil {
		p.err.Line = p.line
		return nil, p.err
	}
	return l, nil
}

func checkFirstLine(text string) *Error {
	first, _, _ := strings.Cut(text, "\n")
	if first == firstLine {
		return nil
	}
	err := newError(Malformed, "not a revocation list: want %s", firstLine)
	switch name, _, _ := strings.Cut(first, "/"); {
	case name == "licet-manifest":
		err = newError(Manifest, "this is the manifest of a batch, not a revocation list")
	case note.IsLater(first, firstLine):
		err = newError(LaterFormat, "%s is of a later version of the format; this one reads %s", first, firstLine)
	}
	err.Line = 1
	return err
}

// A parser reads the lines of a list in their order. After its first error it
// reads nothing more.
type parser struct {
	rest string
	line int // number of the line read last
	err  *Error
}

func (p *parser) list() *List {
	l := new(List)
	p.nextLine("the first line")
	l.issuer = strings.Clone(p.nextLine("the issuer")) // so that the list does not keep the text
	p.fail(checkIssuer(l.issuer))
	l.sequence = p.number("sequence", p.value("sequence"))
	l.issued = p.time("issued")
	l.due = p.time("due")
	p.fail(checkDue(l.issued, l.due))
	for p.has("minimum") {
		m := p.minimum()
		if n := len(l.minimums); n > 0 && m.product <= l.minimums[n-1].product {
			p.fail(newError(BadOrder, "minimum of product %d after that of product %d; they ascend, each product once", m.product, l.minimums[n-1].product))
		}
		l.minimums = append(l.minimums, m)
	}
	for p.has("key") {
		s := p.keyState()
		if n := len(l.states); n > 0 && compareStates(s, l.states[n-1]) <= 0 {
			p.fail(newError(BadOrder, "key %s after key %s; they ascend, each once", s.id, l.states[n-1].id))
		}
		l.states = append(l.states, s)
	}
	l.entries = p.entries()
	return l
}

// fail keeps the first error.
func (p *parser) fail(err *Error) {
	if p.err == nil {
		p.err = err
	}
}

// nextLine returns the next line, which should be that of what.
func (p *parser) nextLine(what string) string {
	if p.err != nil {
		return ""
	}
	p.line++
	line, rest, ended := strings.Cut(p.rest, "\n")
	if !ended {
		p.fail(newError(Malformed, "the text ends here, where the line of %s is expected; get the whole file", what))
		return ""
	}
	p.rest = rest
	return line
}

// has reports whether the next line is of the given kind.
func (p *parser) has(kind string) bool {
	return p.err == nil && strings.HasPrefix(p.rest, kind+" ")
}

// value returns the rest of the next line, which is of the given kind.
func (p *parser) value(kind string) string {
	value, ok := strings.CutPrefix(p.nextLine(kind), kind+" ")
	if !ok {
		p.fail(newError(Malformed, "want the line of %s", kind))
	}
	return value
}

func (p *parser) time(kind string) time.Time {
	s := p.value(kind)
	t, err := time.Parse(timeLayout, s)
	if err != nil || formatTime(t) != s {
		p.fail(newError(BadValue, "%s: %.40q is not a time of the form 2026-12-01T09:30:00Z", kind, s))
		return time.Time{}
	}
	p.fail(checkTime(kind, t))
	return t
}

func (p *parser) minimum() minimum {
	product, version, _ := strings.Cut(p.value("minimum"), " ")
	return minimum{p.number("product", product), p.number("minimum version", version)}
}

func (p *parser) keyState() keyState {
	id, state, _ := strings.Cut(p.value("key"), " ")
	s := keyState{p.id(id), keys.Closed}
	if state == string(keys.Withdrawn) { // a string of our own, so that the list does not keep the text
		s.state = keys.Withdrawn
	} else {
		p.fail(checkState(keys.State(state)))
	}
	return s
}

func (p *parser) id(s string) keys.ID {
	id, err := keys.ParseID(s)
	if err != nil {
		p.fail(newError(BadValue, "%v", err))
	}
	p.fail(checkID(id))
	return id
}

func (p *parser) number(what, s string) uint64 {
	n, rest := p.cutNumber(what, s)
	if rest != "" {
		p.fail(newError(Malformed, "%s: want a number and nothing after it", what))
	}
	return n
}

// cutNumber reads the number that s begins with, and returns what follows it: nothing,
// or a space and more.
func (p *parser) cutNumber(what, s string) (uint64, string) {
	n, rest, ok := cutNumber(s)
	if !ok {
		word, _, _ := strings.Cut(s, " ")
		p.fail(newError(BadValue, "%s: %.40q is not a number from 1 to 2^53-1 without leading zeros", what, word))
	}
	return n, rest
}

// cutNumber reads a number from 1 to 2^53-1 without leading zeros, which ends at a
// space or with the text.
func cutNumber(s string) (n uint64, rest string, ok bool) {
	i := 0
	for ; i < len(s) && s[i]-'0' <= 9; i++ {
		n = 10*n + uint64(s[i]-'0')
	}
	ok = 0 < i && i <= maxDigits && s[0] != '0' && n <= maxNumber && (i == len(s) || s[i] == ' ')
	return n, s[i:], ok
}

// entries reads the entries, to the end of the text.
func (p *parser) entries() table {
	if p.err != nil {
		return table{}
	}
	b := newBuilder(strings.Count(p.rest, "\n"))
	var e Entry
	series := "\n" // what the lines of the series of e begin with; no line begins with this
	for p.rest != "" {
		line := p.nextLine("an entry")
		rest, same := strings.CutPrefix(line, series)
		if !same {
			if rest = p.series(line, &e); p.err != nil {
				return table{}
			}
			series = line[:len(line)-len(rest)]
		}
		if p.serials(rest, &e); p.err == nil {
			p.fail(b.add(&e))
		}
		if p.err != nil {
			return table{}
		}
	}
	return b.done()
}

// series reads the key id and the product of an entry, and returns the rest of its
// line.
func (p *parser) series(line string, e *Entry) string {
	values, ok := strings.CutPrefix(line, "revoked ")
	if !ok {
		p.fail(newError(Malformed, "want the line of an entry, or one of minimum or key before all entries"))
		return ""
	}
	id, rest, _ := strings.Cut(values, " ")
	e.KeyID = p.id(id)
	if e.Product, rest = p.cutNumber("product", rest); rest == "" {
		p.fail(newError(Malformed, "revoked: want a key id, a product, a first and a last serial"))
		return ""
	}
	return rest[1:]
}

// serials reads the rest of the line of an entry.
func (p *parser) serials(rest string, e *Entry) {
	if e.First, rest = p.cutNumber("first serial", rest); rest == "" {
		p.fail(newError(Malformed, "revoked: want a first and a last serial; of a single one, both are the same"))
		return
	}
	e.Last, rest = p.cutNumber("last serial", rest[1:])
	if e.Last < e.First {
		p.fail(errBackwards(e))
	}
	e.ReasonCode = ""
	if rest != "" {
		if e.ReasonCode = rest[1:]; !validCode(e.ReasonCode) {
			p.fail(errBadCode(e.ReasonCode))
		}
	}
}
