package manifest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/note"
	"github.com/licet-dev/licet/payload"
)

// Parse reads the text of a manifest: exactly what [Manifest.Marshal] writes, and
// nothing else. Every error is an [*Error]; another kind of file that list keys
// sign, and a later version, have reasons of their own.
//
// Parse knows no key and no ring. [Open] does.
func Parse(text string) (Manifest, error) {
	if err := checkFirstLine(text); err != nil {
		return Manifest{}, err
	}
	p := parser{rest: text}
	m := p.manifest()
	if p.err != nil {
		return Manifest{}, p.err
	}
	if err := m.check(); err != nil {
		err.Line = p.lineOf[err.Field]
		return Manifest{}, err
	}
	return m, nil
}

func checkFirstLine(text string) *Error {
	first, _, _ := strings.Cut(text, "\n")
	if first == firstLine {
		return nil
	}
	err := newError(Malformed, "", "not a manifest: want %s", firstLine)
	switch name, _, _ := strings.Cut(first, "/"); {
	case name == "licet-revocations":
		err = newError(RevocationList, "", "this is a revocation list, not a manifest")
	case note.IsLater(first, firstLine):
		err = newError(LaterFormat, "", "%s is of a later version of the format; this one reads %s", first, firstLine)
	}
	err.Line = 1
	return err
}

// A parser reads the lines of a manifest in their order. After its first error it
// reads nothing more.
type parser struct {
	rest   string
	line   int // number of the line read last
	lineOf map[string]int
	err    *Error
}

func (p *parser) manifest() (m Manifest) {
	p.lineOf = map[string]int{}
	p.nextLine("")
	m.Issuer = p.nextLine("issuer")
	m.KeyID = parse(p, "key-id", keys.ParseID)
	m.KeyNumber = parse(p, "key-number", parseKeyNumber)
	m.Product = parse(p, "product", parseNumber)
	if p.has("version") {
		m.Version = new(parse(p, "version", parseNumber))
	}
	if p.has("expiry") {
		m.Expiry = parse(p, "expiry", parseExpiry)
	}
	if p.has("start") {
		m.Start = parse(p, "start", parseStart)
	}
	m.Fields = p.fields()
	if p.has("binding") {
		m.Binding = parse(p, "binding", parseBinding)
	}
	m.First = parse(p, "first-serial", parseNumber)
	m.Last = parse(p, "last-serial", parseNumber)
	m.Count = parse(p, "count", parseNumber)
	m.Kind = Kind(p.value("kind"))
	m.Format = Format(p.value("format"))
	m.File = p.value("file")
	m.Digest = p.digest("")
	if p.has("plaintext-size") {
		m.Plaintext = new(p.digest("plaintext-"))
	}
	m.Time = parse(p, "time", parseTime)
	m.Tool = p.value("tool")
	m.Labels = p.labels()
	if p.err == nil && p.rest != "" {
		p.line++
		p.fail(newError(Malformed, "", "a line after the last one of a manifest"))
	}
	return m
}

func (p *parser) fail(err *Error) {
	if p.err == nil {
		err.Line = p.line
		p.err = err
	}
}

// nextLine returns the next line, which is the field's.
func (p *parser) nextLine(field string) string {
	if p.err != nil {
		return ""
	}
	p.line++
	p.lineOf[field] = p.line
	line, rest, ended := strings.Cut(p.rest, "\n")
	if !ended {
		p.fail(newError(Malformed, field, "the text ends here, where the line of %s is expected", field))
		return ""
	}
	p.rest = rest
	return line
}

// has reports whether the next line is the field's.
func (p *parser) has(field string) bool {
	return p.err == nil && strings.HasPrefix(p.rest, field+" ")
}

// value returns the value of the field, whose line is the next one.
func (p *parser) value(field string) string {
	value, ok := strings.CutPrefix(p.nextLine(field), field+" ")
	if !ok {
		p.fail(newError(Malformed, field, "want the line of %s", field))
	}
	return value
}

// parse reads the value of the field, whose line is the next one, with f.
func parse[T any](p *parser, field string, f func(string) (T, error)) (v T) {
	value := p.value(field)
	if p.err != nil {
		return v
	}
	v, err := f(value)
	if err != nil {
		p.fail(badValue(field, "%v", err))
	}
	return v
}

func (p *parser) digest(prefix string) Digest {
	return Digest{
		Size:   int64(parse(p, prefix+"size", parseNumber)),
		SHA256: parse(p, prefix+"sha256", parseSHA256),
	}
}

// fields reads the lines of fields. Zero is no value of any: it is left out.
func (p *parser) fields() map[string]uint64 {
	var fields map[string]uint64
	var last string
	for p.has("field") {
		name, digits, _ := strings.Cut(p.value("field"), " ")
		value, numberErr := parseNumber(digits)
		err := checkField(name, value)
		switch {
		case numberErr != nil:
			err = badValue("field", "%.40q: %v", name, numberErr)
		case err != nil:
		case fields == nil:
			fields = map[string]uint64{}
		case name <= last:
			err = newError(Malformed, "field", "field %s stands after field %s; they ascend, each once", name, last)
		case len(fields) == MaxFields:
			err = errTooManyFields()
		}
		if err != nil {
			p.fail(err)
			return nil
		}
		fields[name], last = value, name
	}
	return fields
}

func (p *parser) labels() map[string]string {
	var labels map[string]string
	var last string
	for p.has("label") {
		key, value, _ := strings.Cut(p.value("label"), "=")
		err := checkLabel(key, value)
		switch {
		case err != nil:
		case labels == nil:
			labels = map[string]string{}
		case key <= last:
			err = newError(Malformed, "label", "label %s stands after label %s; they ascend, each once", key, last)
		case len(labels) == MaxLabels:
			err = errTooManyLabels()
		}
		if err != nil {
			p.fail(err)
			return nil
		}
		labels[key], last = value, key
	}
	return labels
}

// parseNumber takes no leading zeros, no sign, and nothing that JavaScript would
// round.
func parseNumber(s string) (uint64, error) {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil || strconv.FormatUint(n, 10) != s || n > maxNumber {
		return 0, fmt.Errorf("%.40q is not a number from 0 to 2^53-1 without leading zeros", s)
	}
	return n, nil
}

func parseKeyNumber(s string) (int, error) {
	n, err := parseNumber(s)
	if err == nil && n > payload.MaxKey { // before it is made an int, which may be narrower
		err = fmt.Errorf("%d: want 1 to %d", n, payload.MaxKey)
	}
	return int(n), err
}

func parseExpiry(s string) (payload.Day, error) {
	if s == payload.Never.String() {
		return payload.Never, nil
	}
	d, err := payload.ParseDay(s)
	if err == nil && d == 0 { // in a Manifest it would mean that there is no such line
		err = fmt.Errorf("%s is day 0, which no code can have as its last day", s)
	}
	return d, err
}

func parseStart(s string) (payload.Day, error) {
	d, err := payload.ParseDay(s)
	if err == nil && d == 0 { // it has no line
		err = fmt.Errorf("%s is day 0, from which codes without a start hold", s)
	}
	return d, err
}

func parseBinding(s string) ([sha256.Size]byte, error) {
	hash, err := parseSHA256(s)
	if err == nil && hash == [sha256.Size]byte{} { // in a Manifest it would mean that there is no such line
		err = errors.New("zero bytes only: it was never computed")
	}
	return hash, err
}

func parseSHA256(s string) ([sha256.Size]byte, error) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != sha256.Size || hex.EncodeToString(b) != s {
		return [sha256.Size]byte{}, errors.New("want 64 lower-case hexadecimal digits")
	}
	return [sha256.Size]byte(b), nil
}

func parseTime(s string) (time.Time, error) {
	t, err := time.Parse(timeLayout, s)
	if err != nil || formatTime(t) != s {
		return time.Time{}, fmt.Errorf("%.40q is not a time of the form 2026-12-01T09:30:00Z", s)
	}
	return t, nil
}
