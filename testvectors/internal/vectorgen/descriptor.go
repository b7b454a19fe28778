package main

import (
	"regexp"
	"strconv"
	"strings"
)

type field struct {
	name string
	bits int
}

type descriptor struct {
	text   string
	suite  string
	number int
	prefix string
	layout []field
	bind   string
	sig    int // t
}

var descriptorGrammar = regexp.MustCompile(`\Alicet/v1 (hs256|es256) key=([1-9][0-9]{0,2}) prefix=([A-Z][A-Z0-9]{1,7})? ` +
	`layout=([a-z][a-z0-9]{0,15}:[1-9][0-9]{0,2}(?:,[a-z][a-z0-9]{0,15}:[1-9][0-9]{0,2}){0,15}) ` +
	`bind=([a-z][a-z0-9]{0,15}) sig=([1-9][0-9]{0,2})\z`)

// parseDescriptor reads the grammar and bounds of section 2.1.
func parseDescriptor(text string) (*descriptor, bool) {
	m := descriptorGrammar.FindStringSubmatch(text)
	if m == nil {
		return nil, false
	}
	number := func(s string) int {
		v, err := strconv.Atoi(s)
		if err != nil {
			panic(err) // the grammar has digits only
		}
		return v
	}
	d := &descriptor{text: text, suite: m[1], number: number(m[2]), prefix: m[3], bind: m[5], sig: number(m[6])}
	names := map[string]bool{}
	for _, f := range strings.Split(m[4], ",") {
		name, width, _ := strings.Cut(f, ":")
		bits := number(width)
		if bits > 53 || names[name] {
			return nil, false
		}
		if (name == "expiry" || name == "start") && (bits < 8 || bits > 21) {
			return nil, false
		}
		names[name] = true
		d.layout = append(d.layout, field{name, bits})
	}
	ok := d.number <= 31 &&
		d.payloadBits()%5 == 0 && d.payloadBits() <= 160 &&
		names["product"] && names["serial"]
	if d.suite == "hs256" {
		ok = ok && d.sig%5 == 0 && d.sig >= 35 && d.sig <= 160
	} else {
		ok = ok && d.sig == 512
	}
	return d, ok
}

func mustParseDescriptor(text string) *descriptor {
	d, ok := parseDescriptor(text)
	if !ok {
		panic("descriptor: " + text)
	}
	return d
}

func (d *descriptor) payloadBits() int {
	sum := 0
	for _, f := range d.layout {
		sum += f.bits
	}
	return sum
}

// width returns the width of the named field, 0 if the layout lacks it.
func (d *descriptor) width(name string) int {
	for _, f := range d.layout {
		if f.name == name {
			return f.bits
		}
	}
	return 0
}

// length returns L_k.
func (d *descriptor) length() int {
	return 1 + d.payloadBits()/5 + (d.sig+4)/5 + 3
}
