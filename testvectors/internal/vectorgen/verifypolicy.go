package main

import "github.com/licet-dev/licet/testvectors/internal/vectorfile"

// addPolicy adds authentic licences that the verifier may not accept.
func (s *verifySuite) addPolicy() {
	code := key8.issue("1000").code()
	test := func(name, comment, want, input string, options ...option) {
		s.test("policy", name, comment, want, input, options...)
	}
	test("wrong-product", "", "wrong-product", code, products("8"))
	test("one-of-two-products", "", "valid", code, products("8", "7"))
	test("wrong-product-es256", "", "wrong-product", key9.issue("1000").code(), products("8"))
	test("minimum-equal", "", "valid", code, minimum("3"))
	test("minimum-one-less", "", "valid", code, minimum("2"))
	test("minimum-one-more", "", "below-minimum", code, minimum("4"))
	test("minimum-beyond-the-field", "", "below-minimum", code, minimum("9007199254740991"))
	test("minimum-0", "", "valid", code, minimum("0"))
	test("no-version-counts-as-0", "", "valid", key12.issue("1").code(), shortTags, minimum("0"))
	test("no-version-below-1", "", "below-minimum", key12.issue("1").code(), shortTags, minimum("1"))
	test("wrong-product-and-below-minimum", "", "wrong-product+below-minimum", code, products("8"), minimum("4"))
	test("wrong-product-and-expired", "", "wrong-product+expired", code, products("8"), at("2030-01-01T00:00:00Z"))
	test("below-minimum-and-expired", "", "below-minimum+expired", code, minimum("4"), at("2030-01-01T00:00:00Z"))
	test("three-failures", "", "wrong-product+below-minimum+expired", code, products("8"), minimum("4"), at("2030-01-01T00:00:00Z"))
	started := dated80.mintFields(vectorfile.Fields{"product": "7", "version": "3", "start": "2027-06-01", "expiry": "2027-06-30", "serial": "1"}).code()
	test("three-failures-before-the-start", "", "wrong-product+below-minimum+not-yet-valid", started, in("forms"), products("1"), minimum("4"))
	backwards := dated80.mintFields(vectorfile.Fields{"product": "7", "version": "3", "start": "2027-06-30", "expiry": "2027-06-01", "serial": "1"}).code()
	s.test("policy forged", "start-after-expiry", "no mint makes it; between the two days both checks fail", "not-yet-valid+expired", backwards, in("forms"), at("2027-06-15T00:00:00Z"))
	s.test("policy forged", "four-failures", "", "wrong-product+below-minimum+not-yet-valid+expired", backwards, in("forms"), products("1"), minimum("4"), at("2027-06-15T00:00:00Z"))
}

// addTimes adds licences at the seconds round their limits.
func (s *verifySuite) addTimes() {
	code := key8.issue("1000").code()
	started := dated80.mintFields(vectorfile.Fields{"product": "7", "version": "3", "start": "2027-06-01", "expiry": "2027-06-30", "serial": "1"}).code()
	test := func(name, comment, want, now string, options ...option) {
		s.test("time", name, comment, want, code, append(options, at(now))...)
	}
	test("last-day", "", "valid", "2027-12-31T12:00:00Z")
	test("day-after", "", "expired", "2028-01-01T12:00:00Z")
	test("end-less-one-second", "", "valid", "2027-12-31T23:59:59Z")
	test("end-less-one-nanosecond", "", "valid", "2027-12-31T23:59:59.999999999Z")
	test("end", "", "expired", "2028-01-01T00:00:00Z")
	test("end-and-one-second", "", "expired", "2028-01-01T00:00:01Z")
	test("end-less-one-second-far-east", "already 2028 there", "valid", "2028-01-01T13:59:59+14:00")
	test("end-far-east", "", "expired", "2028-01-01T14:00:00+14:00")
	test("end-and-one-second-far-east", "", "expired", "2028-01-01T14:00:01+14:00")
	test("end-less-one-second-far-west", "", "valid", "2027-12-31T11:59:59-12:00")
	test("end-far-west", "still 2027 there", "expired", "2027-12-31T12:00:00-12:00")
	test("end-and-one-second-far-west", "still 2027 there", "expired", "2027-12-31T12:00:01-12:00")
	begin := func(name, comment, want, now string, options ...option) {
		s.test("time", name, comment, want, started, append(options, in("forms"), at(now))...)
	}
	begin("start-less-one-second", "", "not-yet-valid", "2027-05-31T23:59:59Z")
	begin("start", "", "valid", "2027-06-01T00:00:00Z")
	begin("start-and-one-second", "", "valid", "2027-06-01T00:00:01Z")
	begin("start-less-one-second-far-east", "already June there", "not-yet-valid", "2027-06-01T13:59:59+14:00")
	begin("start-far-east", "", "valid", "2027-06-01T14:00:00+14:00")
	begin("start-less-one-second-far-west", "", "not-yet-valid", "2027-05-31T11:59:59-12:00")
	begin("start-far-west", "still May there", "valid", "2027-05-31T12:00:00-12:00")
	begin("start-and-end-last-second", "", "valid", "2027-06-30T23:59:59Z")
	begin("start-and-end-expired", "", "expired", "2027-07-01T00:00:00Z")

	test("leeway-after-the-end", "one hour", "valid", "2028-01-01T00:59:59Z", leeway(3600))
	test("leeway-used-up-after-the-end", "", "expired", "2028-01-01T01:00:00Z", leeway(3600))
	test("leeway-of-48-hours", "the most", "valid", "2028-01-02T23:59:59Z", leeway(172800))
	test("leeway-of-48-hours-used-up", "", "expired", "2028-01-03T00:00:00Z", leeway(172800))
	begin("leeway-before-the-start", "one hour", "valid", "2027-05-31T23:00:00Z", leeway(3600))
	begin("leeway-too-small-before-the-start", "", "not-yet-valid", "2027-05-31T22:59:59Z", leeway(3600))
	day := dated80.mintFields(vectorfile.Fields{"product": "7", "version": "3", "start": "2027-06-01", "expiry": "2027-06-01", "serial": "2"}).code()
	s.test("time", "one-day", "start and expiry on the same day", "valid", day, in("forms"), at("2027-06-01T23:59:59Z"))
	s.test("time", "one-day-with-leeway-before", "", "valid", day, in("forms"), at("2027-05-31T00:00:00Z"), leeway(86400))
	s.test("time", "one-day-with-leeway-after", "", "valid", day, in("forms"), at("2027-06-02T23:59:59Z"), leeway(86400))
	first := key8.mintFields(with(key8.example("8"), "expiry", "2025-01-02")).code()
	s.test("time", "first-expiry", "day 1", "valid", first, at("2025-01-02T23:59:59Z"))
	s.test("time", "first-expiry-passed", "", "expired", first, at("2025-01-03T00:00:00Z"))
	last := key8.mintFields(with(key8.example("9"), "expiry", "2114-09-19")).code()
	s.test("time", "last-expiry", "the last day of 15 bits", "valid", last, at("2114-09-19T23:59:59Z"))
	s.test("time", "last-expiry-passed", "", "expired", last, at("2114-09-20T00:00:00Z"))

	clock := func(name, comment, want, now string, options ...option) {
		s.test("clock", name, comment, want, code, append(options, at(now))...)
	}
	clock("clock-at-day-0", "", "valid", "2025-01-01T00:00:00Z")
	clock("clock-before-day-0", "", "clock-behind", "2024-12-31T23:59:59Z")
	clock("clock-at-the-epoch", "", "clock-behind", "1970-01-01T00:00:00Z")
	clock("clock-before-day-0-far-east", "already 2025 there", "clock-behind", "2025-01-01T13:59:59+14:00")
	clock("clock-at-day-0-far-west", "still 2024 there", "valid", "2024-12-31T12:00:00-12:00")
	clock("clock-at-the-build", "", "valid", "2026-03-01T10:00:00Z", built("2026-03-01T10:00:00Z"))
	clock("clock-before-the-build", "", "clock-behind", "2026-03-01T09:59:59Z", built("2026-03-01T10:00:00Z"))
	clock("clock-before-the-build-in-zones", "the same instant", "valid", "2026-03-01T00:00:00-10:00", built("2026-03-01T11:00:00+01:00"))
	clock("clock-after-an-old-build", "a build before day 0 leaves the floor at day 0", "clock-behind", "2024-12-31T23:59:59Z", built("2020-01-01T00:00:00Z"))
	clock("clock-leeway", "now and leeway reach the build", "valid", "2026-03-01T09:00:00Z", built("2026-03-01T10:00:00Z"), leeway(3600))
	clock("clock-leeway-too-small", "", "clock-behind", "2026-03-01T08:59:59Z", built("2026-03-01T10:00:00Z"), leeway(3600))
	clock("clock-leeway-to-day-0", "", "valid", "2024-12-31T23:00:00Z", leeway(3600))
	s.test("clock order", "clock-behind-and-wrong-product", "no policy with a clock like this", "clock-behind", code, at("2020-01-01T00:00:00Z"), products("8"), minimum("4"))
	s.test("clock order forged", "clock-behind-and-forged", "not authentic comes first", "bad-signature",
		withCheck(change(key8.issue("1000").body, 12, 1)[:29]), at("2020-01-01T00:00:00Z"))
	s.test("clock order forged", "clock-behind-and-product-not-allowed", "not authentic comes first", "product-not-allowed",
		key8.mintFields(with(key8.example("1"), "product", "8")).code(), at("2020-01-01T00:00:00Z"))
	s.test("clock", "clock-behind-es256", "", "clock-behind", key9.issue("1000").code(), at("2020-01-01T00:00:00Z"))
	s.test("clock", "clock-behind-never", "also without expiry", "clock-behind", key8.mintFields(with(key8.example("7"), "expiry", "never")).code(), at("2020-01-01T00:00:00Z"))
}
