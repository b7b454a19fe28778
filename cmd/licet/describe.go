package main

import (
	"fmt"
	"strings"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
)

// describeTerms says in one line what a licence is for, the serial left out.
func describeTerms(ring *keys.Ring, lic payload.License, key keys.Key) string {
	var parts []string
	for _, f := range licenseFields(ring, lic, key) {
		switch f.name {
		case "serial":
		case "expiry", "start":
			parts = append(parts, f.value)
		default:
			parts = append(parts, f.name+" "+f.value)
		}
	}
	return strings.Join(parts, ", ")
}

// A licenseField is a fact of a licence, in words.
type licenseField struct{ name, value string }

// licenseFields lists what the layout of the key carries, in its order.
func licenseFields(ring *keys.Ring, lic payload.License, key keys.Key) []licenseField {
	var fields []licenseField
	for _, f := range key.Layout().Fields() {
		if value := fieldValue(ring, lic, f.Name); value != "" {
			fields = append(fields, licenseField{f.Name, value})
		}
	}
	return fields
}

// fieldValue returns the value of a field in words, or "" for one not worth telling.
func fieldValue(ring *keys.Ring, lic payload.License, name string) string {
	switch name {
	case "product":
		p, _ := ring.Product(lic.Product)
		return strings.TrimSpace(fmt.Sprintf("%d %s", lic.Product, p.Name))
	case "version":
		return fmt.Sprint(lic.Version)
	case "expiry":
		if lic.Expiry == payload.Never {
			return "never expires"
		}
		return fmt.Sprintf("valid to the end of %s (UTC)", lic.Expiry)
	case "start":
		if lic.Start == 0 {
			return ""
		}
		return fmt.Sprintf("valid from %s (UTC)", lic.Start)
	case "serial":
		return fmt.Sprint(lic.Serial)
	case "edition":
		return fmt.Sprint(lic.Edition)
	case "features":
		return featureText(lic.Features)
	case "seats":
		if lic.Seats == 0 {
			return "unlimited"
		}
		return fmt.Sprint(lic.Seats)
	}
	v, _ := lic.Extra.Get(name)
	return fmt.Sprint(v)
}

func featureText(bits uint64) string {
	if bits == 0 {
		return "none"
	}
	return joinNumbers(featureList(bits))
}

func featureList(bits uint64) []uint64 {
	list := []uint64{}
	for i := range uint64(64) {
		if bits>>i&1 == 1 {
			list = append(list, i)
		}
	}
	return list
}
