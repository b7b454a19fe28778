package main

import (
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/licet-dev/licet/cmd/internal/journal"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
)

// recordedTerms returns what the journal records of the licences of a key: all that
// they say besides product and serial. The binding was checked before.
func recordedTerms(key keys.Key, lic payload.License, binding string) journal.Terms {
	var t journal.Terms
	for _, f := range key.Layout().Fields() {
		switch f.Name {
		case "product", "serial":
		case "version":
			t.Version = strconv.FormatUint(lic.Version, 10)
		case "expiry":
			t.Expiry = lic.Expiry.String()
		case "start":
			t.Start = lic.Start.String()
		default:
			if t.Fields == nil {
				t.Fields = map[string]uint64{}
			}
			t.Fields[f.Name] = otherField(&lic, f.Name)
		}
	}
	if context, err := keys.BindingContext(binding); err == nil {
		t.Binding = hex.EncodeToString(context[:])
	}
	return t
}

// otherField returns the value of a field that is neither product, version, expiry,
// start nor serial.
func otherField(lic *payload.License, name string) uint64 {
	switch name {
	case "edition":
		return lic.Edition
	case "features":
		return lic.Features
	case "seats":
		return lic.Seats
	}
	v, _ := lic.Extra.Get(name)
	return v
}

// otherTerms says which terms of record differ from those that are stated, and how.
// What is not on record can't be told to differ.
func otherTerms(record, stated journal.Terms) string {
	var all []string
	add := func(name, have, want string) {
		if have != want {
			all = append(all, fmt.Sprintf("%s %s instead of %s", name, have, want))
		}
	}
	add("version", record.Version, stated.Version)
	add("expiry", record.Expiry, stated.Expiry)
	if record.Start != "" {
		add("start", record.Start, stated.Start)
	}
	for _, name := range slices.Sorted(maps.Keys(record.Fields)) {
		add(name, fieldText(name, record.Fields[name]), fieldText(name, stated.Fields[name]))
	}
	if record.Binding != "" {
		add("a binding with SHA-256", shortHash(record.Binding), shortHash(stated.Binding))
	}
	return strings.Join(all, ", ")
}

// fieldText returns the value of a field as the flags of mint take it.
func fieldText(name string, v uint64) string {
	switch {
	case name == "features":
		return featureText(v)
	case name == "seats" && v == 0:
		return "unlimited"
	}
	return strconv.FormatUint(v, 10)
}

// shortHash returns enough of a hash to tell texts apart.
func shortHash(digits string) string { return digits[:min(len(digits), 16)] + "..." }

// furtherTerms says in short what terms of record have besides version and expiry,
// what is 0 left out.
func furtherTerms(t journal.Terms) string {
	var all []string
	if t.Start != "" && t.Start != payload.Day(0).String() {
		all = append(all, "start "+t.Start)
	}
	for _, name := range slices.Sorted(maps.Keys(t.Fields)) {
		if v := t.Fields[name]; v != 0 {
			all = append(all, name+" "+fieldText(name, v))
		}
	}
	if t.Binding != "" {
		all = append(all, "bound "+shortHash(t.Binding))
	}
	return strings.Join(all, ", ")
}
