package main

import (
	"math/big"
	"time"

	"github.com/licet-dev/licet/testvectors/internal/vectorfile"
)

// dayZero is 2025-01-01, so many days after 1970-01-01.
const dayZero = 20089

// dayOf is day(t) of section 3. Big integers divide with a remainder that is
// never negative, which is floor division.
func dayOf(t time.Time) int64 {
	seconds, day := big.NewInt(t.Unix()), new(big.Int)
	day.DivMod(seconds, big.NewInt(86400), new(big.Int))
	return day.Int64() - dayZero
}

func dayOfDate(date string) int64 {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		panic(err)
	}
	return dayOf(t)
}

func dateOf(day int64) string {
	return time.Unix((day+dayZero)*86400, 0).UTC().Format(time.DateOnly)
}

// fieldsOf turns the fields of a vector into numbers.
func fieldsOf(license vectorfile.Fields) fields {
	values := fields{}
	for name, text := range license {
		switch {
		case name == "expiry" && text == "never":
			values[name] = new(big.Int)
		case name == "expiry" || name == "start":
			values[name] = big.NewInt(dayOfDate(text))
		default:
			values[name] = decimal(text)
		}
	}
	return values
}

// licenseOf turns numbers into the fields of a vector.
func licenseOf(values fields) vectorfile.Fields {
	license := vectorfile.Fields{}
	for name, v := range values {
		switch {
		case name == "expiry" && v.Sign() == 0:
			license[name] = "never"
		case name == "start" && v.Sign() == 0:
			// From the beginning: not written.
		case name == "expiry" || name == "start":
			license[name] = dateOf(v.Int64())
		default:
			license[name] = v.String()
		}
	}
	return license
}

func decimal(text string) *big.Int {
	v, ok := new(big.Int).SetString(text, 10)
	if !ok {
		panic("not a number: " + text)
	}
	return v
}

// refusal returns why a mint must refuse a licence (section 6), or "".
func (k *key) refusal(license vectorfile.Fields) string {
	if k.state != "active" {
		return "key-not-active"
	}
	for name := range license {
		if k.width(name) == 0 {
			return "field-not-in-layout"
		}
	}
	if k.width("expiry") > 0 && license["expiry"] == "" {
		return "expiry-missing"
	}
	values := fieldsOf(license)
	for name, v := range values {
		tooWide := v.BitLen() > k.width(name)
		switch {
		case name == "expiry" && license[name] != "never" && v.Sign() <= 0:
			return "expiry-too-early"
		case name == "expiry" && tooWide:
			return "expiry-too-late"
		case tooWide:
			return "field-too-wide"
		}
	}
	for _, name := range []string{"product", "serial"} {
		if v := values[name]; v == nil || v.Sign() == 0 {
			return "zero-" + name
		}
	}
	if !k.allows(values["product"]) {
		return "product-not-allowed"
	}
	start, expiry := values["start"], values["expiry"]
	if start != nil && expiry != nil && expiry.Sign() > 0 && start.Cmp(expiry) > 0 {
		return "start-after-expiry"
	}
	return ""
}
