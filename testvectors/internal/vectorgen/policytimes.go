package main

import "github.com/licet-dev/licet/testvectors/internal/vectorfile"

func (s *policySuite) addStale() {
	code := key8.issue("1000").code()
	test := func(name, comment, want string, g given) { s.test("stale", name, comment, want, code, g) }
	test("at-the-due-time", "", "valid by 12", given{lists: "nothing", now: "2027-01-01T00:00:00Z"})
	test("a-nanosecond-after-the-due-time", "", "list-stale", given{lists: "nothing", now: "2027-01-01T00:00:00.000000001Z"})
	test("a-second-after-the-due-time", "", "list-stale", given{lists: "nothing", now: "2027-01-01T00:00:01Z"})
	test("a-second-before-the-due-time", "", "valid by 12", given{lists: "nothing", now: "2026-12-31T23:59:59Z"})
	test("two-years-after-the-due-time", "", "list-stale", given{lists: "nothing", now: "2027-12-31T23:59:59Z"})
	test("stale-reported-at-the-due-time", "", "valid by 12", given{lists: "nothing", now: "2027-01-01T00:00:00Z", report: true})
	test("stale-reported", "", "valid by 12 stale", given{lists: "nothing", now: "2027-01-01T00:00:01Z", report: true})
	test("stale-reported-and-revoked", "", "revoked by 12 stale", given{lists: "12-revoked", now: "2027-01-01T00:00:01Z", report: true})
	test("stale-reported-and-expired", "", "revoked+expired by 12 stale", given{lists: "12-revoked", now: "2030-01-01T00:00:00Z", report: true})
	test("stale-and-revoked", "no verdict", "list-stale", given{lists: "12-revoked", now: "2027-01-01T00:00:01Z"})
	s.test("stale leeway", "leeway-after-the-due-time", "one hour", "valid by 12", code, given{lists: "nothing", now: "2027-01-01T01:00:00Z", leeway: 3600})
	s.test("stale leeway", "leeway-used-up-after-the-due-time", "", "list-stale", code, given{lists: "nothing", now: "2027-01-01T01:00:01Z", leeway: 3600})
	s.test("stale leeway", "leeway-after-the-due-time-reported", "", "valid by 12", code, given{lists: "nothing", now: "2027-01-01T01:00:00Z", leeway: 3600, report: true})
	s.test("stale leeway", "leeway-used-up-after-the-due-time-reported", "", "valid by 12 stale", code, given{lists: "nothing", now: "2027-01-01T01:00:01Z", leeway: 3600, report: true})
	s.test("stale zone", "due-far-east", "already 2027 there", "valid by 12", code, given{lists: "nothing", now: "2027-01-01T14:00:00+14:00"})
	s.test("stale zone", "due-far-west", "still 2026 there", "list-stale", code, given{lists: "nothing", now: "2026-12-31T12:00:01-12:00"})
	s.test("stale order", "stale-and-wrong-product", "no policy with a list like this", "list-stale", code, given{lists: "nothing", products: "8", minimum: "4", now: "2027-01-01T00:00:01Z"})
	s.test("stale order", "stale-and-clock-behind", "the clock comes first: the program was built after the due time", "clock-behind", code,
		given{lists: "nothing", now: "2027-02-01T00:00:00Z", built: "2027-03-01T00:00:00Z"})
	s.test("stale order forged", "stale-and-forged", "not authentic comes first", "bad-signature", withCheck(change(key8.issue("1000").body, 12, 1)[:29]), given{lists: "nothing", now: "2027-01-01T00:00:01Z"})
	s.test("stale order", "stale-and-a-typo", "", "typo repaired", typo(code), given{lists: "nothing", now: "2027-01-01T00:00:01Z"})
	s.test("stale order", "stale-and-no-secret", "", "no-secret", code, given{lists: "nothing", ring: "public", now: "2027-01-01T00:00:01Z"})
	s.note("13-fresh", signNote(listText("13", issued, "2028-01-01T00:00:00Z"), list1))
	s.note("13-due-early", signNote(listText("13", issued, "2026-12-10T00:00:00Z"), list1))
	test("older-list-stale", "only the newest counts", "valid by 13", given{lists: "nothing 13-fresh", now: "2027-06-01T00:00:00Z"})
	test("newest-list-stale", "also where an older one is not", "list-stale", given{lists: "nothing 13-due-early"})
	test("stale-until-an-update", "", "valid by 13", given{lists: "nothing", updates: "13-fresh:taken", now: "2027-06-01T00:00:00Z"})
	test("no-list-is-not-stale", "", "valid", given{now: "2027-06-01T00:00:00Z"})
}

func (s *policySuite) addFloor() {
	code := key8.issue("1000").code()
	test := func(name, comment, want string, g given) { s.test("floor", name, comment, want, code, g) }
	test("at-the-issue-time", "", "valid by 12", given{lists: "nothing", now: "2026-12-01T09:30:00Z"})
	test("a-second-before-the-issue-time", "a list from the future", "clock-behind", given{lists: "nothing", now: "2026-12-01T09:29:59Z"})
	test("a-nanosecond-before-the-issue-time", "", "clock-behind", given{lists: "nothing", now: "2026-12-01T09:29:59.999999999Z"})
	test("a-year-before-the-issue-time", "", "clock-behind", given{lists: "nothing", now: "2025-12-01T09:30:00Z"})
	test("before-the-issue-time-without-the-list", "", "valid", given{now: "2026-12-01T09:29:59Z"})
	s.test("floor leeway", "leeway-before-the-issue-time", "", "valid by 12", code, given{lists: "nothing", now: "2026-12-01T08:30:00Z", leeway: 3600})
	s.test("floor leeway", "leeway-too-small-before-the-issue-time", "", "clock-behind", code, given{lists: "nothing", now: "2026-12-01T08:29:59Z", leeway: 3600})
	s.test("floor zone", "issue-time-far-east", "", "valid by 12", code, given{lists: "nothing", now: "2026-12-01T23:30:00+14:00"})
	s.test("floor zone", "before-the-issue-time-far-east", "", "clock-behind", code, given{lists: "nothing", now: "2026-12-01T23:29:59+14:00"})
	test("built-after-the-issue-time", "the later of both", "clock-behind", given{lists: "nothing", built: "2026-12-10T00:00:00Z", now: "2026-12-09T23:59:59Z"})
	test("at-the-build-after-the-issue-time", "", "valid by 12", given{lists: "nothing", built: "2026-12-10T00:00:00Z", now: "2026-12-10T00:00:00Z"})
	test("built-before-the-issue-time", "", "clock-behind", given{lists: "nothing", built: "2026-11-01T00:00:00Z", now: "2026-12-01T09:29:59Z"})
	s.test("floor order", "from-the-future-and-revoked", "", "clock-behind", code, given{lists: "12-revoked", now: "2026-12-01T09:29:59Z"})
	s.test("floor order", "from-the-future-and-reported", "a stale policy has no part in it", "clock-behind", code, given{lists: "12-revoked", now: "2026-12-01T09:29:59Z", report: true})
	s.note("13-later", signNote(listText("13", "2026-12-20T00:00:00Z", "2027-02-01T00:00:00Z"), list1))
	s.note("13-earlier", signNote(listText("13", "2026-11-01T00:00:00Z", "2027-02-01T00:00:00Z"), list1))
	test("newest-from-the-future", "it decides all the same", "clock-behind", given{lists: "nothing 13-later"})
	test("update-from-the-future", "it is taken", "clock-behind", given{lists: "nothing", updates: "13-later:taken"})
	test("newer-number-issued-earlier", "the number decides; the floor is that of the list that decides", "valid by 13", given{lists: "nothing 13-earlier", now: "2026-11-15T00:00:00Z"})
}

func (s *policySuite) addGrace() {
	code := key8.issue("1000").code() // to the end of 2027-12-31
	test := func(name, comment, want string, g given) { s.test("grace", name, comment, want, code, g) }
	test("grace-on-the-last-day", "", "valid", given{grace: 14, now: "2027-12-31T23:59:59.999999999Z"})
	test("grace-first-day", "", "in-grace 13", given{grace: 14, now: "2028-01-01T00:00:00Z"})
	test("grace-second-day", "", "in-grace 12", given{grace: 14, now: "2028-01-02T00:00:00Z"})
	test("grace-last-second", "", "in-grace 0", given{grace: 14, now: "2028-01-14T23:59:59Z"})
	test("grace-ended", "", "expired", given{grace: 14, now: "2028-01-15T00:00:00Z"})
	test("grace-of-a-day", "", "in-grace 0", given{grace: 1, now: "2028-01-01T12:00:00Z"})
	test("grace-of-a-day-ended", "", "expired", given{grace: 1, now: "2028-01-02T00:00:00Z"})
	test("grace-of-none", "", "expired", given{now: "2028-01-01T00:00:00Z"})
	test("grace-of-3660-days", "", "in-grace 0", given{grace: 3660, now: "2038-01-07T23:59:59Z"})
	test("grace-of-3660-days-ended", "", "expired", given{grace: 3660, now: "2038-01-08T00:00:00Z"})
	leeway := func(name, comment, want string, g given) { s.test("grace leeway", name, comment, want, code, g) }
	leeway("grace-not-yet-with-leeway", "the leeway comes before the grace", "valid", given{grace: 14, leeway: 3600, now: "2028-01-01T00:59:59Z"})
	leeway("grace-first-day-with-leeway", "", "in-grace 13", given{grace: 14, leeway: 3600, now: "2028-01-01T01:00:00Z"})
	leeway("grace-last-second-with-leeway", "", "in-grace 0", given{grace: 14, leeway: 3600, now: "2028-01-15T00:59:59Z"})
	leeway("grace-ended-with-leeway", "", "expired", given{grace: 14, leeway: 3600, now: "2028-01-15T01:00:00Z"})
	leeway("grace-first-day-with-48-hours", "", "in-grace 13", given{grace: 14, leeway: 172800, now: "2028-01-03T00:00:00Z"})
	leeway("grace-not-yet-with-48-hours", "", "valid", given{grace: 14, leeway: 172800, now: "2028-01-02T23:59:59Z"})
	zone := func(name, comment, want string, g given) { s.test("grace zone", name, comment, want, code, g) }
	zone("grace-not-yet-far-east", "already 2028 there", "valid", given{grace: 14, now: "2028-01-01T13:59:59+14:00"})
	zone("grace-first-day-far-east", "", "in-grace 13", given{grace: 14, now: "2028-01-01T14:00:00+14:00"})
	zone("grace-first-day-far-west", "still 2027 there", "in-grace 13", given{grace: 14, now: "2027-12-31T12:00:00-12:00"})
	zone("grace-last-second-far-east", "", "in-grace 0", given{grace: 14, now: "2028-01-15T13:59:59+14:00"})
	zone("grace-ended-far-west", "", "expired", given{grace: 14, now: "2028-01-14T12:00:00-12:00"})
	s.note("long", signNote(listText("12", issued, "2031-01-01T00:00:00Z", revokedLine(key8, "7", "1000", "1000")), list1))
	s.test("grace order", "grace-and-revoked", "not expired, but revoked", "revoked by 12", code, given{grace: 14, lists: "long", now: "2028-01-01T00:00:00Z"})
	s.test("grace order", "grace-and-below-minimum", "", "below-minimum", code, given{grace: 14, minimum: "4", now: "2028-01-01T00:00:00Z"})
	s.test("grace order", "grace-ended-and-revoked", "", "revoked+expired by 12", code, given{grace: 14, lists: "long", now: "2028-01-15T00:00:00Z"})
	s.test("grace", "grace-by-a-list", "", "in-grace 13 by 12", key8.issue("1001").code(), given{grace: 14, lists: "long", now: "2028-01-01T00:00:00Z"})
	s.test("grace", "grace-of-a-licence-without-end", "", "valid", key8.mintFields(with(key8.example("7"), "expiry", "never")).code(), given{grace: 14, warn: 30, now: "9999-12-31T23:59:59Z"})
	s.test("grace", "grace-of-a-layout-without-expiry", "", "valid", undated80.mintFields(vectorfile.Fields{"product": "7", "version": "3", "serial": "1"}).code(), given{grace: 14, warn: 30, now: "9999-12-31T23:59:59Z"})
	s.test("grace", "no-grace-before-the-start", "", "not-yet-valid", startEnd("2027-06-01", "2027-06-30"), given{grace: 14, now: "2027-05-31T23:59:59Z"})
}

// startEnd mints a licence with a start and an end.
func startEnd(start, end string) string {
	return dated80.mintFields(vectorfile.Fields{"product": "7", "version": "3", "start": start, "expiry": end, "serial": "1"}).code()
}

func (s *policySuite) addWarn() {
	code := key8.issue("1000").code() // to the end of 2027-12-31
	test := func(name, comment, want string, g given) { s.test("warn", name, comment, want, code, g) }
	test("warn-not-yet", "", "valid", given{warn: 30, now: "2027-12-01T23:59:59.999999999Z"})
	test("warn-first-day", "", "expiring 29", given{warn: 30, now: "2027-12-02T00:00:00Z"})
	test("warn-last-day-but-one", "", "expiring 1", given{warn: 30, now: "2027-12-30T23:59:59Z"})
	test("warn-last-day", "", "expiring 0", given{warn: 30, now: "2027-12-31T00:00:00Z"})
	test("warn-last-second", "", "expiring 0", given{warn: 30, now: "2027-12-31T23:59:59Z"})
	test("warn-ended", "", "expired", given{warn: 30, now: "2028-01-01T00:00:00Z"})
	test("warn-of-a-day", "the last day", "expiring 0", given{warn: 1, now: "2027-12-31T00:00:00Z"})
	test("warn-of-a-day-not-yet", "", "valid", given{warn: 1, now: "2027-12-30T23:59:59Z"})
	test("warn-of-none", "", "valid", given{now: "2027-12-31T23:59:59Z"})
	test("warn-of-3660-days", "", "expiring 1094", given{warn: 3660, now: "2025-01-01T00:00:00Z"})
	test("warn-and-grace", "", "expiring 0", given{warn: 30, grace: 14, now: "2027-12-31T23:59:59Z"})
	test("warn-and-in-grace", "in grace, not expiring", "in-grace 13", given{warn: 30, grace: 14, now: "2028-01-01T00:00:00Z"})
	leeway := func(name, comment, want string, g given) { s.test("warn leeway", name, comment, want, code, g) }
	leeway("warn-not-yet-with-leeway", "a warning needs none", "valid", given{warn: 30, leeway: 3600, now: "2027-12-01T23:59:59Z"})
	leeway("warn-first-day-with-leeway", "", "expiring 29", given{warn: 30, leeway: 3600, now: "2027-12-02T00:00:00Z"})
	leeway("warn-beyond-the-end-with-leeway", "no days less than 0", "expiring 0", given{warn: 30, leeway: 172800, now: "2028-01-02T12:00:00Z"})
	leeway("no-warn-beyond-the-end-with-leeway", "nobody wants to be warned", "valid", given{leeway: 172800, now: "2028-01-02T12:00:00Z"})
	leeway("warn-ended-with-leeway", "", "expired", given{warn: 30, leeway: 172800, now: "2028-01-03T00:00:00Z"})
	zone := func(name, comment, want string, g given) { s.test("warn zone", name, comment, want, code, g) }
	zone("warn-not-yet-far-east", "December 2 there", "valid", given{warn: 30, now: "2027-12-02T13:59:59+14:00"})
	zone("warn-first-day-far-east", "", "expiring 29", given{warn: 30, now: "2027-12-02T14:00:00+14:00"})
	zone("warn-first-day-far-west", "December 1 there", "expiring 29", given{warn: 30, now: "2027-12-01T12:00:00-12:00"})
	s.test("warn order", "warn-and-below-minimum", "only an accepted licence is expiring", "below-minimum", code, given{warn: 30, minimum: "4", now: "2027-12-31T00:00:00Z"})
	s.test("warn order", "warn-and-not-yet-valid", "", "not-yet-valid", startEnd("2027-06-01", "2027-06-30"), given{warn: 60, now: "2027-05-31T23:59:59Z"})
	s.test("warn", "warn-on-the-first-day", "", "expiring 29", startEnd("2027-06-01", "2027-06-30"), given{warn: 60, now: "2027-06-01T00:00:00Z"})
	s.test("warn", "warn-by-a-list", "", "expiring 16 by 12", startEnd("2026-01-01", "2026-12-31"), given{warn: 30, lists: "nothing"})
	s.test("warn", "warn-by-a-stale-list", "", "expiring 29 by 12 stale", code, given{warn: 30, lists: "nothing", report: true, now: "2027-12-02T00:00:00Z"})
}

func (s *policySuite) addDates() {
	test := func(name, comment, want, input string, g given) { s.test("date", name, comment, want, input, g) }
	ends := func(day string) string {
		return key8.mintFields(with(key8.example("1000"), "expiry", day)).code()
	}
	test("leap-day", "", "valid", ends("2028-02-29"), given{now: "2028-02-29T23:59:59Z"})
	test("leap-day-passed", "", "expired", ends("2028-02-29"), given{now: "2028-03-01T00:00:00Z"})
	test("leap-day-in-grace", "", "in-grace 1", ends("2028-02-28"), given{grace: 2, now: "2028-02-29T00:00:00Z"})
	test("day-after-a-leap-day-in-grace", "", "in-grace 0", ends("2028-02-28"), given{grace: 2, now: "2028-03-01T23:59:59Z"})
	test("warn-over-a-leap-day", "", "expiring 2", ends("2028-03-01"), given{warn: 3, now: "2028-02-28T00:00:00Z"})
	test("warn-over-a-leap-day-not-yet", "", "valid", ends("2028-03-01"), given{warn: 3, now: "2028-02-27T23:59:59Z"})
	test("no-leap-day-in-2100", "", "in-grace 0", ends("2100-02-28"), given{grace: 1, now: "2100-03-01T00:00:00Z"})
	test("no-leap-day-in-2100-passed", "", "expired", ends("2100-02-28"), given{now: "2100-03-01T00:00:00Z"})
	test("start-on-a-leap-day", "", "valid", startEnd("2028-02-29", "never"), given{now: "2028-02-29T00:00:00Z"})
	test("start-on-a-leap-day-not-yet", "", "not-yet-valid", startEnd("2028-02-29", "never"), given{now: "2028-02-28T23:59:59Z"})

	// The first and the last days that fields hold.
	fields := func(name, last, after string, k *key, more ...string) {
		code := k.mintFields(with(k.example("1"), append([]string{"expiry", last}, more...)...)).code()
		g := func(now string, grace, warn int64) given {
			return given{now: now, grace: grace, warn: warn, shortTags: true}
		}
		test(name, last, "valid", code, g(last+"T23:59:59Z", 0, 0))
		test(name+"-passed", "", "expired", code, g(after+"T00:00:00Z", 0, 0))
		test(name+"-in-grace", "a day that the field does not hold", "in-grace 0", code, g(after+"T23:59:59Z", 1, 0))
		test(name+"-expiring", "", "expiring 0", code, g(last+"T00:00:00Z", 0, 1))
	}
	fields("last-day-of-8-bits", "2025-09-13", "2025-09-14", near17)
	fields("last-day-of-13-bits", "2047-06-06", "2047-06-07", key11)
	fields("last-day-of-15-bits", "2114-09-19", "2114-09-20", key8)
	fields("last-day-of-16-bits", "2204-06-07", "2204-06-08", key13)
	fields("last-day-of-21-bits", "7766-10-22", "7766-10-23", far16, "start", "2025-01-02")
	last := far16.mintFields(with(far16.example("1"), "start", "7766-10-22", "expiry", "7766-10-22")).code()
	test("last-start-of-21-bits", "", "valid", last, given{now: "7766-10-22T00:00:00Z"})
	test("last-start-of-21-bits-not-yet", "", "not-yet-valid", last, given{now: "7766-10-21T23:59:59Z"})
	test("last-start-of-21-bits-with-leeway", "", "valid", last, given{now: "7766-10-21T23:00:00Z", leeway: 3600})
	test("first-day-expiring", "day 1 seen from day 0", "expiring 1", ends("2025-01-02"), given{warn: 3660, now: "2025-01-01T00:00:00Z"})
	test("first-day-in-grace", "", "in-grace 0", ends("2025-01-02"), given{grace: 1, now: "2025-01-03T00:00:00Z"})
	test("start-on-day-1", "", "valid", startEnd("2025-01-02", "2025-01-02"), given{now: "2025-01-02T00:00:00Z"})
	test("start-on-day-1-not-yet", "", "not-yet-valid", startEnd("2025-01-02", "2025-01-02"), given{now: "2025-01-01T23:59:59Z"})
	test("start-on-day-1-with-leeway", "", "valid", startEnd("2025-01-02", "2025-01-02"), given{now: "2025-01-01T23:00:00Z", leeway: 3600})
	test("one-day-in-grace", "start and end on one day", "in-grace 0", startEnd("2027-06-01", "2027-06-01"), given{grace: 1, now: "2027-06-02T12:00:00Z"})
	test("end-of-9999", "far beyond every field", "expired", ends("2114-09-19"), given{grace: 3660, now: "9999-12-31T23:59:59Z"})
}
