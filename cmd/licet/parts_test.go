package main

import (
	"strings"
	"testing"

	"github.com/licet-dev/licet/cmd/internal/home"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
)

// Whatever is done to a code, its parts are the whole text, and the marks are below
// the characters that the reader names.
func TestDissect(t *testing.T) {
	h, err := home.Open("testdata/home")
	if err != nil {
		t.Fatal(err)
	}
	var inputs []string
	for _, code := range []string{hs256Code, es256Code, otherCode, laterCode, forgedCode} {
		for i := range len(code) + 1 {
			inputs = append(inputs, code[:i], code[i:], code[:i]+"!"+code[i:], code[:i]+"X"+code[i:], code+code[:i])
			if i < len(code) {
				inputs = append(inputs, code[:i]+"9"+code[i+1:], code[:i]+"0"+code[i+1:], code[:i]+code[i+1:])
			}
		}
	}
	taken := 0
	for _, input := range inputs {
		for _, ring := range []*keys.Ring{h.Ring, nil} {
			reader := new(payload.Reader)
			if ring != nil {
				reader = ring.Reader()
			}
			_, _, err := reader.Read(input, nil)
			d := dissect(ring, input, err)
			if d == nil {
				if err == nil {
					t.Errorf("%q is a code and was not taken apart", input)
				}
				continue
			}
			taken++
			whole, marks := "", 0
			for _, p := range d.parts {
				whole += p.text
				marks += len(p.wrong)
				for _, i := range p.wrong {
					if i < 1 || i > len(p.text) {
						t.Errorf("%q: character %d of %q is wrong", input, i, p.text)
					}
				}
			}
			if text, _ := payload.AppendNormalized(nil, input); whole != string(text) {
				t.Errorf("%q is taken apart into %q", input, whole)
			}
			if places := placesOf(err); marks != places {
				t.Errorf("%q: %d places, but %d marks", input, places, marks)
			}
			if err == nil && (!d.known || !d.good || d.has("body") || d.has("rest") || strings.Contains(d.describe(d.parts[0]), "most like")) {
				t.Errorf("%q: %+v", input, d)
			}
		}
	}
	if taken < len(inputs)/2 {
		t.Errorf("%d of %d texts were taken apart", taken, len(inputs))
	}
}

// placesOf returns how many wrong characters an error of a reader names.
func placesOf(err error) int {
	if read, ok := err.(*payload.ReadError); ok {
		return len(read.Places)
	}
	return 0
}
