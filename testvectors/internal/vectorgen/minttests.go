package main

import (
	"log"
	"math/big"
	"strings"

	"github.com/licet-dev/licet/testvectors/internal/vectorfile"
)

var mintNotes = map[string]string{
	"worked":        "The codes of section 10.",
	"layout":        "A named layout, or one with widths at a limit.",
	"tag":           "An hs256 tag of a length that is not a whole number of bytes, or at a limit.",
	"descriptor":    "The same licence under keys that differ in one part of their descriptor only. The secret is the same.",
	"binding":       "A key with a binding.",
	"low-s":         "ECDSA gave a high s: s_raw is it, s is n less it.",
	"leading-zero":  "r or s begins with a zero byte, which must be kept.",
	"der-lookalike": "The first byte of r is 0x30, as in a signature written in DER, which this is not.",
	"refused":       "A mint must refuse.",
}

func mintFile() vectorfile.File[vectorfile.MintTest] {
	var s mintSuite
	s.addCodes()
	s.addRefusals()
	return vectorfile.File[vectorfile.MintTest]{
		Header: header("mint", "Section 6: from a licence to its code, with every intermediate value, or the reason for refusal.", mintNotes, s.tests),
		Tests:  s.tests,
	}
}

type mintSuite struct {
	tests []vectorfile.MintTest
}

// start makes a test from a key and a licence, without result.
func (s *mintSuite) start(name, comment string, k *key, license vectorfile.Fields, flags ...string) *vectorfile.MintTest {
	t := vectorfile.MintTest{
		Test:       vectorfile.Test{Name: name, Comment: comment, Flags: flags},
		Descriptor: k.text,
		KeyID:      k.id,
		License:    license,
	}
	if k.suite == "hs256" {
		t.Secret = hexOf(k.secret)
	} else {
		scalar, err := k.private.Bytes()
		if err != nil {
			panic(err)
		}
		t.Private = hexOf(scalar)
	}
	if k.state != "active" {
		t.State = k.state
	}
	s.tests = append(s.tests, t)
	return &s.tests[len(s.tests)-1]
}

// add mints a licence.
func (s *mintSuite) add(name, comment string, k *key, license vectorfile.Fields, binding *string, flags ...string) {
	k.products = []*big.Int{decimal(license["product"])}
	if reason := k.refusal(license); reason != "" {
		log.Fatalf("mint: %s: %s", name, reason)
	}
	t := s.start(name, comment, k, license, flags...)
	m := k.mint(k.pack(fieldsOf(license)), binding)
	t.Binding = binding
	t.Payload = hexOf(bytesOf(m.payload, k.payloadBits()))
	t.Masked = hexOf(bytesOf(m.masked, k.payloadBits()))
	t.Shown = hexOf(bytesOf(m.shown, k.sig))
	t.Code = m.code()
	if k.suite == "hs256" {
		t.Tag = hexOf(bytesOf(m.tag, k.sig))
		t.HKDF = &vectorfile.HKDF{
			Tag:   hexOf(hkdf(k.secret, k.text, "tag")),
			Mask:  hexOf(hkdf(k.secret, k.text, "mask")),
			Cover: hexOf(hkdf(k.secret, k.text, "cover")),
		}
		return
	}
	t.Digest = hexOf(m.digest)
	t.R = hexOf(bytesOf(m.r, 256))
	t.S = hexOf(bytesOf(m.s, 256))
	t.SRaw = hexOf(bytesOf(m.sRaw, 256))
}

// Keys with layouts at a limit.
var (
	largest   = "product:9,version:8,expiry:15,start:15,serial:53,features:53,a:1,seats:6"     // 160 bits
	smallest  = "product:5,serial:10"                                                          // 15 bits
	tiniest   = "product:1,serial:4"                                                           // 5 bits, 12 symbols with a tag of 35
	across    = "product:9,version:8,expiry:15,features:53,serial:30"                          // features has bits 30 to 82 of the payload
	dated     = "product:9,version:8,start:15,expiry:15,serial:28"                             // 75 bits
	undated   = "product:9,version:8,serial:28"                                                // 45 bits
	sixteen   = "product:4,serial:16,a:1,b:2,c:3,d:4,e:5,f:6,g:7,h:8,i:9,j:10,k:1,l:2,m:1,n:1" // 16 fields
	large160  = hs256(20, "", largest, 160, counting(0x50))
	small35   = hs256(21, "", smallest, 35, counting(0x51))
	tiny35    = hs256(22, "", tiniest, 35, counting(0x52))
	across80  = hs256(23, "", across, 80, counting(0x53))
	dated80   = hs256(24, "", dated, 80, counting(0x54))
	undated80 = hs256(25, "", undated, 80, counting(0x55))
	sixteen80 = hs256(26, "", sixteen, 80, counting(0x56))
	largeES   = es256(27, "", largest, counting(0x57))
)

// The same licence under five keys with one secret. The first differs from
// each of the others in one part of its descriptor.
const boundText = "Example GmbH"

var changed = map[string]*key{
	"base":   hs256(8, "", standard, 80, counting(0x11)),
	"number": hs256(9, "", standard, 80, counting(0x11)),
	"prefix": hs256(8, "ACME", standard, 80, counting(0x11)),
	"field":  hs256(8, "", "product:9,edition:8,expiry:15,serial:28", 80, counting(0x11)),
	"bind":   newKey(describe("hs256", 8, "", standard, "licensee", 80), counting(0x11)),
}

var changedNames = []string{"base", "number", "prefix", "field", "bind"}

func (k *key) boundTo(text string) *string {
	if k.bind == "none" {
		return nil
	}
	return &text
}

// changedLicense is the licence under one of the five keys: the number in the
// second field stays, whatever the field's name is.
func changedLicense(k *key) vectorfile.Fields {
	license := vectorfile.Fields{"product": "7", "expiry": "2027-12-31", "serial": "1000"}
	license[k.layout[1].name] = "3"
	return license
}

func (s *mintSuite) addCodes() {
	s.add("hs256-standard", "section 10.1", key8, key8.example("1000"), nil, "worked")
	s.add("es256-standard", "section 10.2", key9, key9.example("1000"), nil, "worked")

	s.add("hs256-wide", "40 symbols, and a prefix with 0, O, 1 and I", key13, key13.example("1"), nil, "layout")
	s.add("hs256-compact", "a tag of 55 bits in 7 bytes", key11, key11.example("2097151"), nil, "layout", "tag")
	s.add("hs256-coupon", "a tag of 35 bits in 5 bytes", key12, key12.example("1073741823"), nil, "layout", "tag")
	s.add("es256-wide", "127 symbols", key3, key3.example("4294967295"), nil, "layout")
	s.add("es256-compact", "116 symbols", es256(14, "", compact, counting(0x60)), key11.example("1"), nil, "layout")
	s.add("es256-coupon", "116 symbols", es256(15, "", coupon, counting(0x61)), key12.example("1"), nil, "layout")

	s.add("payload-of-ones", "every bit of the payload is set", key8,
		vectorfile.Fields{"product": "511", "version": "255", "expiry": "2114-09-19", "serial": "268435455"}, nil, "layout")
	s.add("payload-of-few-ones", "the lowest values", key8,
		vectorfile.Fields{"product": "1", "version": "0", "expiry": "never", "serial": "1"}, nil, "layout")
	s.add("largest-hs256", "160 bits of payload, 160 bits of tag, 68 symbols", large160, largestLicense, nil, "layout", "tag")
	s.add("largest-es256", "139 symbols, the longest code there is", largeES, largestLicense, nil, "layout")
	s.add("15-bits", "14 symbols", small35, vectorfile.Fields{"product": "7", "serial": "1023"}, nil, "layout", "tag")
	s.add("5-bits", "12 symbols, the shortest code there is", tiny35, vectorfile.Fields{"product": "1", "serial": "15"}, nil, "layout", "tag")
	s.add("53-bits-across-a-word", "a field of 53 bits at its maximum in bits 30 to 82", across80, acrossLicense, nil, "layout")
	s.add("sixteen-fields", "as many fields as a layout can have", sixteen80, sixteenLicense, nil, "layout")
	s.add("start-and-expiry", "", dated80, vectorfile.Fields{"product": "7", "version": "3", "start": "2027-06-01", "expiry": "2027-06-30", "serial": "1"}, nil, "layout")
	s.add("start-on-the-day-of-expiry", "a licence for one day", dated80,
		vectorfile.Fields{"product": "7", "version": "3", "start": "2027-06-01", "expiry": "2027-06-01", "serial": "2"}, nil, "layout")
	s.add("start-without-end", "", dated80, vectorfile.Fields{"product": "7", "version": "3", "start": "2027-06-01", "expiry": "never", "serial": "3"}, nil, "layout")
	s.add("without-expiry", "a layout without expiry", undated80, vectorfile.Fields{"product": "7", "version": "3", "serial": "1"}, nil, "layout")
	s.add("never", "expiry 0", key8, with(key8.example("7"), "expiry", "never"), nil, "layout")
	s.add("first-expiry", "day 1 is the first that can be an expiry", key8, with(key8.example("8"), "expiry", "2025-01-02"), nil, "layout")
	s.add("narrow-dates", "expiry and start of 8 bits", hs256(8, "", "product:9,start:8,expiry:8,serial:10", 80, counting(0x62)),
		vectorfile.Fields{"product": "7", "start": "2025-01-02", "expiry": "2025-09-13", "serial": "1"}, nil, "layout")
	s.add("wide-dates", "expiry and start of 21 bits", hs256(8, "", "product:9,start:21,expiry:21,serial:29", 80, counting(0x63)),
		vectorfile.Fields{"product": "7", "start": dateOf(1<<21 - 1), "expiry": dateOf(1<<21 - 1), "serial": "1"}, nil, "layout")

	for _, t := range []int{35, 40, 55, 60, 65, 75, 80, 95, 100, 105, 155, 160} {
		s.add("tag-of-"+big.NewInt(int64(t)).String()+"-bits", "", hs256(8, "", standard, t, counting(0x64)), key8.example("1000"), nil, "tag")
	}

	for _, name := range changedNames {
		k := changed[name]
		s.add("changed-"+name, "", k, changedLicense(k), k.boundTo(boundText), "descriptor")
	}

	for _, b := range []struct{ name, comment, text string }{
		{"licensee", "", boundText},
		{"composed", "u with diaeresis as one code point", "M\u00fcller"},
		{"decomposed", "the same name in two code points is another binding", "Mu\u0308ller"},
		{"lower-case", "bytes count, not letters", "example gmbh"},
		{"one-byte", "the shortest binding", "x"},
		{"longest", "1,024 bytes", strings.Repeat("x", 1024)},
	} {
		s.add("bound-"+b.name, b.comment, bound8, bound8.example("1000"), pointer(b.text), "binding")
	}
	s.add("bound-es256", "", bound9, bound9.example("1000"), pointer("machine-1"), "binding")

	highs, zeroR, zeroS, der := key9.searchSignatures()
	s.add("es256-s-was-high", "", key9, key9.example(highs), nil, "low-s")
	s.add("es256-r-begins-with-zero", "", key9, key9.example(zeroR), nil, "leading-zero")
	s.add("es256-s-begins-with-zero", "", key9, key9.example(zeroS), nil, "leading-zero")
	s.add("es256-r-begins-with-30", "", key9, key9.example(der), nil, "der-lookalike")
}

// Keys with a binding.
var (
	bound8 = newKey(describe("hs256", 8, "", standard, "licensee", 80), counting(0x12))
	bound9 = newKey(describe("es256", 9, "", standard, "machine", 512), counting(0x13))
)

var (
	largestLicense = vectorfile.Fields{"product": "511", "version": "255", "expiry": "2114-09-19", "start": "2027-01-01",
		"serial": "9007199254740991", "features": "9007199254740991", "a": "1", "seats": "63"}
	acrossLicense  = vectorfile.Fields{"product": "7", "version": "3", "expiry": "2027-12-31", "features": "9007199254740991", "serial": "1000"}
	sixteenLicense = vectorfile.Fields{"product": "7", "serial": "65535", "a": "1", "b": "2", "c": "3", "d": "4", "e": "5", "f": "6",
		"g": "7", "h": "8", "i": "9", "j": "10", "k": "0", "l": "2", "m": "1", "n": "0"}
)

// searchSignatures returns the lowest serials whose signatures have a high s,
// a zero byte first in r, the same in s, and 0x30 first in r.
func (k *key) searchSignatures() (high, zeroR, zeroS, der string) {
	note := func(found *string, serial *big.Int, ok bool) {
		if *found == "" && ok {
			*found = serial.String()
		}
	}
	for serial := big.NewInt(1); high == "" || zeroR == "" || zeroS == "" || der == ""; serial.Add(serial, big.NewInt(1)) {
		m := k.issue(serial.String())
		note(&high, serial, m.sRaw.Cmp(highest) > 0)
		note(&zeroR, serial, m.r.BitLen() <= 248)
		note(&zeroS, serial, m.s.BitLen() <= 248)
		note(&der, serial, bytesOf(m.r, 256)[0] == 0x30)
	}
	return high, zeroR, zeroS, der
}

// addRefusals adds licences that break one rule each.
func (s *mintSuite) addRefusals() {
	base := key8.example("1000")
	refuse := func(name, want string, k *key, license vectorfile.Fields, allowed ...string) {
		copied := *k
		copied.products = nil
		for _, p := range allowed {
			copied.products = append(copied.products, decimal(p))
		}
		if len(allowed) == 0 && license["product"] != "" {
			copied.products = []*big.Int{decimal(license["product"])}
		}
		if got := copied.refusal(license); got != want {
			log.Fatalf("mint: %s: refused as %q, want %q", name, got, want)
		}
		t := s.start(name, "", k, license, "refused")
		t.Products = allowed
		t.Refused = want
	}
	refuse("product-too-wide", "field-too-wide", key8, with(base, "product", "512"))
	refuse("version-too-wide", "field-too-wide", key8, with(base, "version", "256"))
	refuse("serial-too-wide", "field-too-wide", key8, with(base, "serial", "268435456"))
	refuse("serial-far-too-wide", "field-too-wide", key8, with(base, "serial", "4294968296"))
	refuse("features-too-wide", "field-too-wide", key13, with(key13.example("1"), "features", "65536"))
	refuse("53-bits-too-wide", "field-too-wide", across80, with(acrossLicense, "features", "9007199254740992"))
	refuse("product-0", "zero-product", key8, with(base, "product", "0"))
	refuse("serial-0", "zero-serial", key8, with(base, "serial", "0"))
	refuse("product-not-allowed", "product-not-allowed", key8, base, "8", "9")
	refuse("key-closed", "key-not-active", key8.inState("closed"), base)
	refuse("key-withdrawn", "key-not-active", key8.inState("withdrawn"), base)
	refuse("es256-key-closed", "key-not-active", key9.inState("closed"), base)
	refuse("expiry-not-in-layout", "field-not-in-layout", undated80, vectorfile.Fields{"product": "7", "version": "3", "expiry": "2027-12-31", "serial": "1"})
	refuse("start-not-in-layout", "field-not-in-layout", key8, with(base, "start", "2026-01-01"))
	refuse("features-not-in-layout", "field-not-in-layout", key8, with(base, "features", "1"))
	refuse("version-not-in-layout", "field-not-in-layout", key12, with(key12.example("1"), "version", "1"))
	refuse("expiry-missing", "expiry-missing", key8, with(base, "expiry", ""))
	refuse("expiry-on-day-0", "expiry-too-early", key8, with(base, "expiry", "2025-01-01"))
	refuse("expiry-before-day-0", "expiry-too-early", key8, with(base, "expiry", "2024-12-31"))
	refuse("expiry-before-1970", "expiry-too-early", key8, with(base, "expiry", "1969-12-31"))
	refuse("expiry-15-bits-and-one-day", "expiry-too-late", key8, with(base, "expiry", "2114-09-20"))
	refuse("expiry-13-bits-and-one-day", "expiry-too-late", key11, with(key11.example("1"), "expiry", "2047-06-07"))
	refuse("expiry-16-bits-and-one-day", "expiry-too-late", key13, with(key13.example("1"), "expiry", "2204-06-08"))
	refuse("start-after-expiry", "start-after-expiry", dated80,
		vectorfile.Fields{"product": "7", "version": "3", "start": "2027-07-01", "expiry": "2027-06-30", "serial": "1"})
}
