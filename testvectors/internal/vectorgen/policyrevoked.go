package main

import (
	"math/big"
	"strings"

	"github.com/licet-dev/licet/testvectors/internal/vectorfile"
)

func (s *policySuite) addRevoked() {
	test := func(name, comment, want, input string, g given) {
		s.test("revoked", name, comment, want, input, g)
	}
	code := func(serial string) string { return key8.issue(serial).code() }
	test("no-list", "no list judges", "valid", code("1000"), given{})
	s.list("nothing", "12")
	test("list-of-nothing", "", "valid by 12", code("1000"), given{lists: "nothing"})
	s.list("range", "12", revokedLine(key8, "7", "1000", "1999", "leaked"), revokedLine(key8, "7", "2042", "2042"))
	for _, c := range []struct{ name, serial, want string }{
		{"before-the-range", "999", "valid"}, {"first-of-the-range", "1000", "revoked(leaked)"}, {"second-of-the-range", "1001", "revoked(leaked)"},
		{"inside-the-range", "1500", "revoked(leaked)"}, {"last-of-the-range", "1999", "revoked(leaked)"}, {"after-the-range", "2000", "valid"},
		{"before-the-single", "2041", "valid"}, {"single", "2042", "revoked"}, {"after-the-single", "2043", "valid"},
		{"first-serial", "1", "valid"}, {"largest-of-28-bits", "268435455", "valid"},
	} {
		test(c.name, "", c.want+" by 12", code(c.serial), given{lists: "range"})
	}
	test("es256-of-the-same-serial", "another key id", "valid by 12", key9.issue("1000").code(), given{lists: "range"})
	test("other-key-of-the-same-serial", "another key id", "valid by 12", two14.issue("1000").code(), given{lists: "range"})
	s.list("es256", "12", revokedLine(key9, "7", "1000", "1000"))
	test("es256", "", "revoked by 12", key9.issue("1000").code(), given{lists: "es256"})
	test("es256-next-serial", "", "valid by 12", key9.issue("1001").code(), given{lists: "es256"})
	test("hs256-of-the-same-serial", "another key id", "valid by 12", code("1000"), given{lists: "es256"})
	twin := key9.issue("1000")
	s.test("revoked forged", "es256-twin", "n-s in place of s is no second code", "signature-range",
		key9.withSignature(twin, twin.r, new(big.Int).Sub(order, twin.s)).code(), given{lists: "es256"})

	eight := two14.mintFields(with(two14.example("50"), "product", "8")).code()
	s.list("product-8", "12", revokedLine(two14, "8", "1", "100"))
	test("product-8", "", "revoked by 12", eight, given{lists: "product-8", products: "7 8"})
	test("product-7-of-the-same-serial", "the key has two products", "valid by 12", two14.issue("50").code(), given{lists: "product-8", products: "7 8"})
	s.test("revoked order", "wrong-product-and-revoked", "", "wrong-product+revoked by 12", eight, given{lists: "product-8"})

	large := func(serial string) string {
		return serial18.mintFields(vectorfile.Fields{"product": "7", "serial": serial}).code()
	}
	s.list("largest-serial", "12", revokedLine(serial18, "7", "9007199254740991", "9007199254740991"))
	test("largest-serial", "2^53-1", "revoked by 12", large("9007199254740991"), given{lists: "largest-serial"})
	test("one-below-the-largest-serial", "2^53-2", "valid by 12", large("9007199254740990"), given{lists: "largest-serial"})
	s.list("all-serials", "12", revokedLine(serial18, "7", "1", "9007199254740991", "all"))
	test("all-serials-largest", "", "revoked(all) by 12", large("9007199254740991"), given{lists: "all-serials"})
	test("all-serials-first", "", "revoked(all) by 12", large("1"), given{lists: "all-serials"})
	s.list("beyond-32-bits", "12", revokedLine(serial18, "7", "4294967301", "4294967301"))
	test("beyond-32-bits", "2^32+5", "revoked by 12", large("4294967301"), given{lists: "beyond-32-bits"})
	test("the-same-in-32-bits", "5", "valid by 12", large("5"), given{lists: "beyond-32-bits"})

	renewed := key8.mintFields(with(key8.example("1000"), "version", "4", "expiry", "2030-12-31")).code()
	test("renewed", "another code of the same identity is revoked with the first", "revoked(leaked) by 12", renewed, given{lists: "range"})
	test("without-prefix", "", "revoked(leaked) by 12", key8.issue("1000").bare(), given{lists: "range"})
	test("in-lower-case", "", "revoked(leaked) by 12", strings.ToLower(code("1000")), given{lists: "range"})
	s.list("reasons-that-meet", "12", revokedLine(key8, "7", "10", "19", "leaked"), revokedLine(key8, "7", "20", "29"), revokedLine(key8, "7", "30", "39", "refund"))
	for _, c := range []struct{ serial, want string }{{"9", "valid"}, {"19", "revoked(leaked)"}, {"20", "revoked"}, {"29", "revoked"}, {"30", "revoked(refund)"}, {"39", "revoked(refund)"}, {"40", "valid"}} {
		test("reasons-that-meet-"+c.serial, "", c.want+" by 12", code(c.serial), given{lists: "reasons-that-meet"})
	}
	s.list("unknown", "12", "minimum 9 1", keyLine("0fffffffffffffff", "withdrawn"), "revoked 0fffffffffffffff 7 1 9007199254740991", revokedLine(key8, "9", "1", "9007199254740991"))
	test("unknown-keys-and-products", "those that the ring lacks are no error", "valid by 12", code("1000"), given{lists: "unknown"})

	// What else may be wrong.
	s.note("long-due", signNote(listText("12", issued, "2031-01-01T00:00:00Z", byID(revokedLine(key8, "7", "1000", "1000", "leaked"), revokedLine(dated80, "7", "1", "1"))...), list1))
	s.test("revoked order", "revoked-and-expired", "", "revoked+expired(leaked) by 12", code("1000"), given{lists: "long-due", now: "2030-01-01T00:00:00Z"})
	s.test("revoked order", "revoked-and-below-minimum", "", "revoked+below-minimum(leaked) by 12", code("1000"), given{lists: "range", minimum: "4"})
	s.test("revoked order", "expired-and-not-revoked", "", "expired by 12", code("999"), given{lists: "long-due", now: "2030-01-01T00:00:00Z"})
	backwards := dated80.mintFields(vectorfile.Fields{"product": "7", "version": "3", "start": "2027-06-30", "expiry": "2027-06-01", "serial": "1"}).code()
	s.test("revoked order forged", "five-failures", "no mint makes a licence that ends before it begins",
		"wrong-product+revoked+below-minimum+not-yet-valid+expired by 12", backwards, given{lists: "long-due", products: "8", minimum: "4", now: "2027-06-15T00:00:00Z"})
	started := dated80.mintFields(vectorfile.Fields{"product": "7", "version": "3", "start": "2027-06-30", "expiry": "2027-07-01", "serial": "1"}).code()
	s.test("revoked order", "revoked-and-not-yet-valid", "", "revoked+not-yet-valid by 12", started, given{lists: "long-due", now: "2027-06-15T00:00:00Z"})
	s.test("revoked order forged", "revoked-and-forged", "nothing is said of a licence that is not authentic", "bad-signature",
		withCheck(change(key8.issue("1000").body, 12, 1)[:29]), given{lists: "range"})
	s.test("revoked order", "revoked-and-no-secret", "", "no-secret", code("1000"), given{lists: "range", ring: "public"})
	s.list("others", "12", byID(revokedLine(key12, "7", "1", "9"), revokedLine(bound15, "7", "1000", "1000", "returned"))...)
	s.test("revoked order", "revoked-and-short-tag", "", "short-tag", key12.issue("1").code(), given{lists: "others"})
	test("revoked-and-short-tag-allowed", "", "revoked by 12", key12.issue("1").code(), given{lists: "others", shortTags: true})
	bound := bound15.mint(bound15.pack(fieldsOf(bound15.example("1000"))), pointer(boundText)).code()
	test("bound", "", "revoked(returned) by 12", bound, given{lists: "others", binding: boundText})
	s.test("revoked order", "bound-with-wrong-text", "", "bad-signature", bound, given{lists: "others", binding: "Other GmbH"})
	s.test("revoked order", "bound-without-text", "", "binding-required", bound, given{lists: "others"})
	test("binding-ignored", "", "revoked(leaked) ignored by 12", code("1000"), given{lists: "range", binding: boundText})
	s.test("revoked repair", "revoked-with-a-typo", "the list has no part in a repair", "typo repaired", typo(code("1000")), given{lists: "range"})
}

// typo returns a code with one symbol changed, the eighth from the end.
func typo(code string) string {
	plain := strings.ReplaceAll(code, "-", "")
	return change(plain, len(plain)-8, 1)
}

func (s *policySuite) addMinimums() {
	code := key8.issue("1000").code() // version 3
	for _, v := range []string{"1", "2", "3", "4", "9007199254740991"} {
		s.list("minimum-"+v, "12", "minimum 7 "+v)
	}
	test := func(name, comment, want, input string, g given) {
		s.test("minimum", name, comment, want, input, g)
	}
	test("minimum-of-the-list-equal", "", "valid by 12", code, given{lists: "minimum-3"})
	test("minimum-of-the-list-one-less", "", "valid by 12", code, given{lists: "minimum-2"})
	test("minimum-of-the-list-one-more", "", "below-minimum by 12", code, given{lists: "minimum-4"})
	test("minimum-of-the-list-largest", "2^53-1", "below-minimum by 12", code, given{lists: "minimum-9007199254740991"})
	test("minimum-of-the-options-equal", "", "valid by 12", code, given{lists: "nothing", minimum: "3"})
	test("minimum-of-the-options-one-more", "", "below-minimum by 12", code, given{lists: "nothing", minimum: "4"})
	test("minimum-of-both-equal", "", "valid by 12", code, given{lists: "minimum-3", minimum: "3"})
	test("minimum-of-the-options-higher", "a list does not lower it", "below-minimum by 12", code, given{lists: "minimum-3", minimum: "4"})
	test("minimum-of-the-list-higher", "the options don't lower it", "below-minimum by 12", code, given{lists: "minimum-4", minimum: "3"})
	test("minimum-of-the-options-lower-both-below", "", "valid by 12", code, given{lists: "minimum-3", minimum: "2"})
	s.list("minimum-of-product-8", "12", "minimum 8 4")
	test("minimum-of-another-product", "", "valid by 12", code, given{lists: "minimum-of-product-8", products: "7 8"})
	eight := two14.mintFields(with(two14.example("50"), "product", "8")).code()
	test("minimum-of-the-other-product", "", "below-minimum by 12", eight, given{lists: "minimum-of-product-8", products: "7 8"})
	s.test("minimum order", "wrong-product-and-below-the-minimum-of-the-list", "", "wrong-product+below-minimum by 12", eight, given{lists: "minimum-of-product-8"})
	test("no-version-counts-as-0", "", "below-minimum by 12", key12.issue("1").code(), given{lists: "minimum-1", shortTags: true})
	test("no-version-and-no-minimum", "", "valid by 12", key12.issue("1").code(), given{lists: "nothing", shortTags: true})
	s.list("minimum-4-then-3", "13", "minimum 7 3")
	test("minimum-lowered-by-a-newer-list", "the newest alone decides", "valid by 13", code, given{lists: "minimum-4 minimum-4-then-3"})
}

func (s *policySuite) addKeyStates() {
	code := key8.issue("1000").code()
	es := key9.issue("1000").code()
	test := func(name, comment, want, input string, g given) {
		s.test("state", name, comment, want, input, g)
	}
	s.list("key-8-closed", "12", keyLine(key8.id, "closed"))
	s.list("key-8-withdrawn", "12", keyLine(key8.id, "withdrawn"))
	s.list("key-9-closed", "12", keyLine(key9.id, "closed"))
	s.list("key-9-withdrawn", "12", keyLine(key9.id, "withdrawn"))
	test("closed-by-the-list", "its codes stay good", "valid by 12", code, given{lists: "key-8-closed"})
	test("withdrawn-by-the-list", "", "key-withdrawn", code, given{lists: "key-8-withdrawn"})
	test("withdrawn-by-the-list-es256", "", "key-withdrawn", es, given{lists: "key-9-withdrawn"})
	test("another-withdrawn-by-the-list", "", "valid by 12", es, given{lists: "key-8-withdrawn"})
	test("closed-by-the-ring", "", "valid by 12", code, given{lists: "nothing", ring: "states"})
	test("closed-by-the-ring-and-the-list", "", "valid by 12", code, given{lists: "key-8-closed", ring: "states"})
	test("closed-by-the-ring-and-withdrawn-by-the-list", "the worse counts", "key-withdrawn", code, given{lists: "key-8-withdrawn", ring: "states"})
	test("withdrawn-by-the-ring", "", "key-withdrawn", es, given{lists: "nothing", ring: "states"})
	test("withdrawn-by-the-ring-and-closed-by-the-list", "a list makes no key better", "key-withdrawn", es, given{lists: "key-9-closed", ring: "states"})
	test("withdrawn-by-the-ring-and-the-list", "", "key-withdrawn", es, given{lists: "key-9-withdrawn", ring: "states"})
	forged := func(name, comment, want string, g given) {
		s.test("state order forged", name, comment, want, withCheck(change(key8.issue("1000").body, 12, 1)[:29]), g)
	}
	forged("withdrawn-by-the-list-and-forged", "the signature is not looked at", "key-withdrawn", given{lists: "key-8-withdrawn"})
	forged("closed-by-the-list-and-forged", "", "bad-signature", given{lists: "key-8-closed"})
	order := func(name, want, input string, g given) {
		s.test("state order", name, "the state comes first", want, input, g)
	}
	order("withdrawn-by-the-list-and-no-secret", "key-withdrawn", code, given{lists: "key-8-withdrawn", ring: "public"})
	order("withdrawn-by-the-list-and-clock-behind", "key-withdrawn", code, given{lists: "key-8-withdrawn", now: "2026-01-01T00:00:00Z"})
	order("withdrawn-by-a-stale-list", "key-withdrawn", code, given{lists: "key-8-withdrawn", now: "2027-06-01T00:00:00Z"})
	order("withdrawn-by-the-list-and-expired", "key-withdrawn", code, given{lists: "key-8-withdrawn", now: "2030-01-01T00:00:00Z"})
	s.list("key-8-withdrawn-and-revoked", "12", keyLine(key8.id, "withdrawn"), revokedLine(key8, "7", "1000", "1000"))
	order("withdrawn-and-revoked-by-the-list", "key-withdrawn", code, given{lists: "key-8-withdrawn-and-revoked"})
	s.list("key-15-withdrawn", "12", keyLine(bound15.id, "withdrawn"))
	order("withdrawn-by-the-list-and-no-binding", "key-withdrawn", bound15.mint(bound15.pack(fieldsOf(bound15.example("1"))), pointer(boundText)).code(), given{lists: "key-15-withdrawn"})
	s.test("state repair", "typo-of-a-key-that-the-list-withdraws", "no repair is shown", "typo", typo(code), given{lists: "key-8-withdrawn"})
	s.test("state repair", "typo-of-a-key-that-the-list-closes", "", "typo repaired", typo(code), given{lists: "key-8-closed"})
	s.list("other-roles", "12", keyLine(publicID("licet/v1 receipt", &receiptKey.PublicKey), "withdrawn"))
	test("receipt-key-withdrawn-by-the-list", "codes don't depend on it", "valid by 12", code, given{lists: "other-roles"})
	s.list("key-8-closed-again", "13", keyLine(key8.id, "closed"))
	test("withdrawn-and-then-closed", "the newest list alone decides", "valid by 13", code, given{lists: "key-8-withdrawn key-8-closed-again"})
}
