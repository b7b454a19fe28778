package api

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/keys/receipt"
)

// Package encoding/json takes the last of two equal members, matches names without
// regard to case, lets null stand for anything and puts U+FFFD where text is not UTF-8.
// A body must have one reading, so it is read here, member by member: it is one object
// of strings, one number and one object of two strings.

// A member is one that a body can have.
type member uint8

const (
	memberCode member = 1 << iota
	memberBinding
	memberProduct
	memberSubject
	memberNonce
	memberReceipt
	memberKind // of the subject
	memberHash
)

// names are those of the members, in the order of their bits.
var names = [...]string{"code", "binding", "product", "subject", "nonce", "receipt", "kind", "hash"}

// String returns the name of a member, as it is told to whoever has sent it.
func (m member) String() string {
	for i, name := range names {
		if m == 1<<i {
			if m&(memberKind|memberHash) != 0 {
				return "subject." + name
			}
			return name
		}
	}
	return "unknown"
}

// memberOf returns the member with exactly this name among those allowed, or 0.
func memberOf(name []byte, allowed member) member {
	for i := range names {
		if m := member(1) << i; allowed&m != 0 && string(name) == names[i] {
			return m
		}
	}
	return 0
}

// A body is what a request says, whichever of the routes it is for.
type body struct {
	code, binding, nonce, receipt string
	product                       uint64
	subject                       receipt.Subject
}

// parse reads a text. It keeps none of it.
func (b *body) parse(text []byte, needs, allows member) *activation.Error {
	if !utf8.Valid(text) {
		return badRequest("not-utf-8", "the body is not UTF-8")
	}
	p := &parser{text: text}
	e := p.object(b, needs, allows)
	if e == nil {
		if p.space(); p.at < len(text) {
			e = badRequest("trailing-data", fmt.Sprintf("there is something after the object, at byte %d", p.at))
		}
	}
	return e
}

// A parser reads the JSON of RFC 8259, as far as bodies have it.
type parser struct {
	text    []byte
	at      int
	scratch []byte // of a string with escapes
}

// object reads an object. Members that it needs must be there.
func (p *parser) object(b *body, needs, allows member) *activation.Error {
	if !p.next('{') {
		return p.bad("an object")
	}
	var seen member
	for first := true; !p.next('}'); first = false {
		if !first && !p.next(',') {
			return p.bad("a comma or the end of the object")
		}
		p.space()
		at := p.at
		name, ok := p.quoted()
		if !ok {
			return p.bad("the name of a member")
		}
		m := memberOf(name, needs|allows)
		switch {
		case m == 0 && canBeNamed(name):
			return badRequest("unknown-member", fmt.Sprintf("unknown member %q, at byte %d; names are lower-case", name, at))
		case m == 0:
			return badRequest("unknown-member", fmt.Sprintf("unknown member at byte %d", at))
		case seen&m != 0:
			return badRequest("duplicate-member", fmt.Sprintf("member %q occurs twice", m))
		}
		seen |= m
		if !p.next(':') {
			return p.bad("a colon")
		}
		if e := p.value(b, m); e != nil {
			return e
		}
	}
	for i := range names {
		if m := member(1) << i; needs&m&^seen != 0 {
			return badRequest("missing-member", fmt.Sprintf("member %q is missing", m))
		}
	}
	return nil
}

// canBeNamed reports whether a name that nobody knows is told to whoever has sent it.
// It has no digits and is short, so it is no code that stands in the wrong place.
func canBeNamed(name []byte) bool {
	for _, c := range name {
		if (c|0x20 < 'a' || c|0x20 > 'z') && c != '_' {
			return false
		}
	}
	return 0 < len(name) && len(name) <= 20
}

// value reads the value of a member.
func (p *parser) value(b *body, m member) *activation.Error {
	p.space()
	switch m {
	case memberSubject:
		if p.at == len(p.text) || p.text[p.at] != '{' {
			return wrongValue(m, "an object")
		}
		return p.object(b, memberKind|memberHash, 0)
	case memberProduct:
		start := p.at
		for p.at < len(p.text) && '0' <= p.text[p.at] && p.text[p.at] <= '9' {
			p.at++
		}
		digits := p.text[start:p.at]
		n, err := strconv.ParseUint(string(digits), 10, 64)
		if err != nil || digits[0] == '0' || n > maxNumber || p.at < len(p.text) && isNumeric(p.text[p.at]) {
			return wrongValue(m, "a number from 1 to 2^53-1, in digits")
		}
		b.product = n
		return nil
	}
	if p.at == len(p.text) || p.text[p.at] != '"' {
		return wrongValue(m, "a string")
	}
	s, ok := p.quoted()
	if !ok {
		return p.bad("a string of JSON")
	}
	switch m {
	case memberCode:
		b.code = string(s)
	case memberBinding:
		b.binding = string(s)
	case memberNonce:
		b.nonce = string(s)
	case memberReceipt:
		b.receipt = string(s)
	case memberKind:
		switch string(s) {
		case string(receipt.Device):
			b.subject.Kind = receipt.Device
		case string(receipt.Account):
			b.subject.Kind = receipt.Account
		default:
			return wrongValue(m, `"device" or "account"`)
		}
	case memberHash:
		if !lowerHex(s) || len(s) != hex.EncodedLen(len(b.subject.Hash)) {
			return wrongValue(m, "64 lower-case hexadecimal digits")
		}
		hex.Decode(b.subject.Hash[:], s)
	}
	return nil
}

// maxNumber is the largest number that is exact in JavaScript.
const maxNumber = 1<<53 - 1

// isNumeric reports whether c goes on with a number.
func isNumeric(c byte) bool { return c == '.' || c == 'e' || c == 'E' }

func lowerHex(s []byte) bool {
	for _, c := range s {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

func wrongValue(m member, want string) *activation.Error {
	return badRequest("wrong-value", fmt.Sprintf("member %q: want %s", m, want))
}

func (p *parser) bad(want string) *activation.Error {
	return badRequest("not-json", fmt.Sprintf("not JSON at byte %d: want %s", p.at, want))
}

func (p *parser) space() {
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

// next reads c, and white space before it, and reports whether it was there.
func (p *parser) next(c byte) bool {
	p.space()
	if p.at == len(p.text) || p.text[p.at] != c {
		return false
	}
	p.at++
	return true
}

// quoted reads a string. What it returns is good until the next one is read.
func (p *parser) quoted() ([]byte, bool) {
	if p.at == len(p.text) || p.text[p.at] != '"' {
		return nil, false
	}
	p.at++
	for start := p.at; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == '"':
			p.at++
			return p.text[start : p.at-1], true
		case c == '\\':
			p.scratch = append(p.scratch[:0], p.text[start:p.at]...)
			return p.escaped()
		case c < ' ':
			return nil, false
		}
	}
	return nil, false
}

// escaped reads the rest of a string from its first escape on.
func (p *parser) escaped() ([]byte, bool) {
	for p.at < len(p.text) {
		c := p.text[p.at]
		p.at++
		switch {
		case c == '"':
			return p.scratch, true
		case c < ' ':
			return nil, false
		case c != '\\':
			p.scratch = append(p.scratch, c)
			continue
		}
		if p.at == len(p.text) {
			return nil, false
		}
		c = p.text[p.at]
		p.at++
		switch c {
		case '"', '\\', '/':
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u':
			r, ok := p.unicode()
			if !ok {
				return nil, false
			}
			p.scratch = utf8.AppendRune(p.scratch, r)
			continue
		default:
			return nil, false
		}
		p.scratch = append(p.scratch, c)
	}
	return nil, false
}

// unicode reads what stands after \u, two of them for a surrogate pair. Half a pair is
// no character.
func (p *parser) unicode() (rune, bool) {
	r, ok := p.hex4()
	if !ok || !utf16.IsSurrogate(r) {
		return r, ok
	}
	if p.at+2 > len(p.text) || p.text[p.at] != '\\' || p.text[p.at+1] != 'u' {
		return 0, false
	}
	p.at += 2
	low, ok := p.hex4()
	r = utf16.DecodeRune(r, low)
	return r, ok && r != utf8.RuneError
}

func (p *parser) hex4() (r rune, ok bool) {
	if p.at+4 > len(p.text) {
		return 0, false
	}
	var b [2]byte
	if _, err := hex.Decode(b[:], p.text[p.at:p.at+4]); err != nil {
		return 0, false
	}
	p.at += 4
	return rune(b[0])<<8 | rune(b[1]), true
}
