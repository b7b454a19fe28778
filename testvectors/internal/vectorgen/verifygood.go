package main

import "github.com/licet-dev/licet/testvectors/internal/vectorfile"

// mintFields mints a licence under a key without binding.
func (k *key) mintFields(license vectorfile.Fields) *minted {
	return k.mint(k.pack(fieldsOf(license)), nil)
}

// addGood adds codes of every suite, layout and tag length.
func (s *verifySuite) addGood() {
	s.test("good", "hs256-standard", "section 10.1", "valid", key8.issue("1000").code())
	s.test("good", "es256-standard", "section 10.2", "valid", key9.issue("1000").code())
	s.test("good", "hs256-standard-without-prefix", "the prefix may be left off", "valid", key8.issue("1000").bare())
	s.test("good", "hs256-no-prefix", "", "valid", key10.issue("1").code())
	s.test("good", "hs256-wide", "", "valid", key13.issue("1").code())
	s.test("good", "hs256-compact", "a tag of 55 bits", "valid", key11.issue("1").code(), shortTags)
	s.test("good", "hs256-coupon", "a tag of 35 bits", "valid", key12.issue("1").code(), shortTags)
	s.test("good", "es256-wide", "", "valid", key3.issue("1").code())
	s.test("good", "es256-in-a-public-ring", "es256 needs no secret", "valid", key9.issue("1000").code(), in("seven-public"))

	s.test("layout", "payload-of-ones", "", "valid",
		hs256All511.mintFields(vectorfile.Fields{"product": "511", "version": "255", "expiry": "2114-09-19", "serial": "268435455"}).code(),
		in("ones"), products("511"))
	s.test("layout", "largest-hs256", "160 bits of payload, 160 bits of tag", "valid", large160.mintFields(largestLicense).code(),
		in("forms"), products("511"), at("2027-01-01T00:00:00Z"))
	s.test("layout", "largest-es256", "139 symbols", "valid", largeES.mintFields(largestLicense).code(),
		in("forms"), products("511"), at("2027-01-01T00:00:00Z"))
	s.test("layout", "15-bits", "14 symbols", "valid", small35.mintFields(vectorfile.Fields{"product": "7", "serial": "1023"}).code(), in("forms"), shortTags)
	s.test("layout", "5-bits", "12 symbols", "valid", tiny35.mintFields(vectorfile.Fields{"product": "1", "serial": "15"}).code(),
		in("forms"), shortTags, products("1"))
	s.test("layout", "53-bits-across-a-word", "", "valid", across80.mintFields(acrossLicense).code(), in("forms"))
	s.test("layout", "sixteen-fields", "", "valid", sixteen80.mintFields(sixteenLicense).code(), in("forms"))
	s.test("layout", "without-expiry", "a licence without expiry never expires", "valid",
		undated80.mintFields(vectorfile.Fields{"product": "7", "version": "3", "serial": "1"}).code(), in("forms"), at("2999-12-31T00:00:00Z"))
	s.test("layout", "never", "expiry 0", "valid", key8.mintFields(with(key8.example("7"), "expiry", "never")).code(), at("2999-12-31T00:00:00Z"))
	s.test("layout", "start-without-end", "", "valid",
		dated80.mintFields(vectorfile.Fields{"product": "7", "version": "3", "start": "2026-01-01", "expiry": "never", "serial": "1"}).code(), in("forms"))
	s.test("layout", "start-0", "from the beginning", "valid",
		dated80.mintFields(vectorfile.Fields{"product": "7", "version": "3", "expiry": "2027-12-31", "serial": "1"}).code(), in("forms"))

	// Rings with one key each for the lengths of a tag.
	for _, n := range []struct {
		name string
		bits int
		want string
	}{{"35", 35, "short-tag"}, {"55", 55, "short-tag"}, {"60", 60, "short-tag"}, {"65", 65, "valid"}, {"80", 80, "valid"}, {"160", 160, "valid"}} {
		k := hs256(8, "", standard, n.bits, counting(0x64))
		s.ring("tag-"+n.name, ringText(true, []int{7}, k))
		s.test("short-tag", "tag-of-"+n.name+"-bits", "", n.want, k.issue("1000").code(), in("tag-"+n.name))
		s.test("short-tag", "tag-of-"+n.name+"-bits-allowed", "", "valid", k.issue("1000").code(), in("tag-"+n.name), shortTags)
	}
}

var hs256All511 = hs256(8, "", standard, 80, counting(0x65)).allowing(511)
