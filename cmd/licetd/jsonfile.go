package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Package encoding/json takes the last of two equal members, and matches names without
// regard to case. Here a member has one spelling and occurs once, so that what somebody
// reads in licetd.json is what counts.

// A value is a string, a number, true or false, or the beginning of an object or a list
// in licetd.json.
type value struct {
	path []string // the names of its members, outermost first
	text string
	kind valueKind
	item bool // of a list
	line int
}

type valueKind string

const (
	aString valueKind = "a string"
	aNumber valueKind = "a number"
	aBool   valueKind = "true or false"

	anObject valueKind = "an object" // whose values follow
	aList    valueKind = "a list"    // whose items follow
)

// maxDepth is how many objects are in each other at most.
const maxDepth = 3

// readValues returns the values of a text that is one object, in their order.
func readValues(text []byte) ([]value, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if !utf8.Valid(text) {
		return nil, errors.New("it is not UTF-8")
	}
	r := &valueReader{text: text, decoder: json.NewDecoder(bytes.NewReader(text))}
	r.decoder.UseNumber()
	t, err := r.token()
	if err != nil {
		return nil, err
	}
	if t != json.Delim('{') {
		return nil, r.errorf("want an object")
	}
	if err := r.object(nil); err != nil {
		return nil, err
	}
	if _, err := r.decoder.Token(); err != io.EOF {
		return nil, r.errorf("there is something after the object")
	}
	return r.values, nil
}

type valueReader struct {
	text    []byte
	decoder *json.Decoder
	values  []value
}

// line returns the number of the line that has been read last.
func (r *valueReader) line() int {
	return 1 + bytes.Count(r.text[:r.decoder.InputOffset()], []byte("\n"))
}

func (r *valueReader) errorf(format string, args ...any) error {
	return fmt.Errorf("line %d: %s", r.line(), fmt.Sprintf(format, args...))
}

func (r *valueReader) token() (json.Token, error) {
	t, err := r.decoder.Token()
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return nil, fmt.Errorf("line %d: not JSON: %w", 1+bytes.Count(r.text[:min(int(syntax.Offset), len(r.text))], []byte("\n")), err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, r.errorf("it ends too early")
	case err != nil:
		return nil, r.errorf("%v", err)
	}
	if s, ok := t.(string); ok && strings.ContainsRune(s, utf8.RuneError) {
		return nil, r.errorf("a string has half a character in it")
	}
	return t, nil
}

// object reads the members of an object up to its end.
func (r *valueReader) object(path []string) error {
	var seen []string
	for {
		t, err := r.token()
		if err != nil {
			return err
		}
		if t == json.Delim('}') {
			return nil
		}
		name := t.(string) // the decoder knows what the name of a member is
		at := append(slices.Clone(path), name)
		if slices.Contains(seen, name) {
			return r.errorf("%s occurs twice", strings.Join(at, "."))
		}
		seen = append(seen, name)
		if err := r.value(at, false); err != nil {
			return err
		}
	}
}

func (r *valueReader) value(path []string, item bool) error {
	t, err := r.token()
	if err != nil {
		return err
	}
	v := value{path: path, item: item, line: r.line()}
	begin := func(kind valueKind) {
		v.kind = kind
		r.values = append(r.values, v)
	}
	switch t := t.(type) {
	case string:
		v.text, v.kind = t, aString
	case json.Number:
		v.text, v.kind = t.String(), aNumber
	case bool:
		v.text, v.kind = fmt.Sprint(t), aBool
	case json.Delim:
		switch {
		case t == '{' && !item && len(path) < maxDepth:
			begin(anObject)
			return r.object(path)
		case t == '[' && !item:
			begin(aList)
			return r.list(path)
		}
		return r.errorf("%s: want no object or list here", strings.Join(path, "."))
	default:
		return r.errorf("%s is null: leave it out", strings.Join(path, "."))
	}
	r.values = append(r.values, v)
	return nil
}

// list reads the items of a list up to its end.
func (r *valueReader) list(path []string) error {
	for r.decoder.More() {
		if err := r.value(path, true); err != nil {
			return err
		}
	}
	_, err := r.token()
	return err
}
