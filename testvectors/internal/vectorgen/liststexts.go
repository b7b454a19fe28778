package main

import (
	"crypto/ecdsa"
	"fmt"
	"math/big"
	"strings"

	"github.com/licet-dev/licet/testvectors/internal/vectorfile"
)

// Lines of the list of section 10.4.
const (
	linesOfTimes = "issued 2026-12-01T09:30:00Z\ndue 2027-01-01T00:00:00Z\n"
	lineMinimum  = "minimum 7 3\n"
	lineKey      = "key ca3f2093e4fe1455 closed\n"
	lineRange    = "revoked ca3f2093e4fe1455 7 1000 1999 leaked\n"
	lineSingle   = "revoked ca3f2093e4fe1455 7 2042 2042\n"
)

func (s *listsSuite) addFirstLines() {
	first := func(name, comment, want, line string) {
		s.edit("first", name, comment, want, listBegin, line+"\n")
	}
	first("later-version", "", "list later-format", "licet-revocations/v2")
	first("later-version-of-two-digits", "", "list later-format", "licet-revocations/v10")
	first("version-0", "", "list malformed", "licet-revocations/v0")
	first("version-with-leading-zero", "", "list malformed", "licet-revocations/v01")
	first("no-version", "", "list malformed", "licet-revocations")
	first("version-without-v", "", "list malformed", "licet-revocations/1")
	first("first-line-in-upper-case", "", "list malformed", "LICET-REVOCATIONS/V1")
	first("first-line-with-a-space-after-it", "", "list malformed", listBegin[:len(listBegin)-1]+" ")
	first("first-line-empty", "", "list malformed", "")
	first("ring-in-its-place", "", "list malformed", "licet-ring/v1")
	s.edit("first", "first-line-missing", "", "list malformed", listBegin, "")
	s.sign("first", "manifest", "the batch manifest of section 10.3, signed with the same key", "list manifest", workedManifest)
	first("manifest-with-the-lines-of-a-list", "", "list manifest", "licet-manifest/v1")

	issuer := func(name, comment, want, text string) {
		s.edit("first", name, comment, want, "Acme Tools", text)
	}
	issuer("other-issuer", "signed with a key of the ring", "list other-issuer", "Acme Tool")
	issuer("issuer-in-other-case", "", "list other-issuer", "ACME Tools")
	issuer("issuer-with-a-space-after-it", "", "list other-issuer", "Acme Tools ")
	issuer("issuer-empty", "", "list bad-value", "")
	issuer("issuer-damaged", "U+FFFD", "list bad-value", "Acme\ufffdTools")
	issuer("issuer-of-129-bytes", "", "list bad-value", strings.Repeat("a", 129))
	issuer("issuer-of-128-bytes", "the longest, but not that of the ring", "list other-issuer", strings.Repeat("a", 128))
	s.edit("first", "issuer-missing", "", "list malformed", "Acme Tools\n", "")
	s.add("first", "stranger-of-other-issuer", "the signature comes first", "note no-signature-of-this-issuer", "acme",
		signNote(edit(workedList, "Acme Tools", "Other Tools"), stranger))
}

func (s *listsSuite) addHeads() {
	sequence := func(name, comment, want, number string) {
		s.edit("head", "sequence-"+name, comment, want, "sequence 12", "sequence "+number)
	}
	sequence("1", "the lowest", "good", "1")
	sequence("largest", "2^53-1", "good", "9007199254740991")
	sequence("2-53", "2^53", "list bad-value", "9007199254740992")
	sequence("2-53-and-1", "2^53+1, which a JavaScript number takes for 2^53", "list bad-value", "9007199254740993")
	sequence("2-64-and-12", "12 where 64 bits overflow", "list bad-value", "18446744073709551628")
	sequence("0", "", "list bad-value", "0")
	sequence("with-leading-zero", "", "list bad-value", "012")
	sequence("with-plus", "", "list bad-value", "+12")
	sequence("with-minus", "", "list bad-value", "-12")
	sequence("with-fraction", "", "list bad-value", "12.0")
	sequence("with-exponent", "", "list bad-value", "1e1")
	sequence("hexadecimal", "", "list bad-value", "0xc")
	sequence("with-underscore", "", "list bad-value", "1_2")
	sequence("full-width", "other digits", "list bad-value", "\uff11\uff12")
	sequence("arabic-indic", "other digits", "list bad-value", "\u0661\u0662")
	sequence("empty", "", "list bad-value", "")
	sequence("and-more", "", "list malformed", "12 13")
	sequence("with-a-space-after-it", "", "list malformed", "12 ")

	issued := func(name, comment, want, time string) {
		s.edit("head", "issued-"+name, comment, want, "2026-12-01T09:30:00Z", time)
	}
	issued("on-day-0", "the earliest", "good", "2025-01-01T00:00:00Z")
	issued("before-day-0", "", "list bad-value", "2024-12-31T23:59:59Z")
	issued("on-a-leap-day", "", "list bad-value", "2028-02-29T00:00:00Z") // after due
	issued("on-no-leap-day", "", "list bad-value", "2026-02-29T00:00:00Z")
	issued("on-february-30", "", "list bad-value", "2026-02-30T00:00:00Z")
	issued("in-month-13", "", "list bad-value", "2026-13-01T00:00:00Z")
	issued("at-24-hours", "", "list bad-value", "2026-12-01T24:00:00Z")
	issued("at-second-60", "a leap second is no real time here", "list bad-value", "2026-06-30T23:59:60Z")
	issued("with-an-offset", "", "list bad-value", "2026-12-01T09:30:00+00:00")
	issued("with-a-fraction", "", "list bad-value", "2026-12-01T09:30:00.0Z")
	issued("in-lower-case", "", "list bad-value", "2026-12-01t09:30:00z")
	s.either("head", "issued-with-a-space", "", "2026-12-01T09:30:00Z", "2026-12-01 09:30:00Z")
	issued("without-zone", "", "list bad-value", "2026-12-01T09:30:00")
	issued("without-seconds", "", "list bad-value", "2026-12-01T09:30Z")
	issued("of-one-digit", "", "list bad-value", "2026-12-1T09:30:00Z")
	issued("alone-a-date", "", "list bad-value", "2026-12-01")
	issued("empty", "", "list bad-value", "")

	due := func(name, comment, want, time string) {
		s.edit("head", "due-"+name, comment, want, "2027-01-01T00:00:00Z", time)
	}
	due("a-second-after-issued", "", "good", "2026-12-01T09:30:01Z")
	due("when-issued", "", "list bad-value", "2026-12-01T09:30:00Z")
	due("before-issued", "", "list bad-value", "2026-12-01T09:29:59Z")
	due("on-a-leap-day", "", "good", "2028-02-29T00:00:00Z")
	due("at-the-end-of-9999", "the latest", "good", "9999-12-31T23:59:59Z")
	due("in-10000", "", "list bad-value", "10000-01-01T00:00:00Z")
	due("never", "a list without end is refused", "list bad-value", "never")
}

func (s *listsSuite) addMinimums() {
	test := func(name, comment, want, lines string) {
		s.edit("minimum", "minimum-"+name, comment, want, lineMinimum, lines)
	}
	test("none", "", "good", "")
	test("1", "", "good", "minimum 7 1\n")
	test("largest", "2^53-1", "good", "minimum 9007199254740991 9007199254740991\n")
	test("unknown-product", "no product of the ring: no error", "good", "minimum 9 1\n")
	test("by-number", "9 before 10, which is first by text", "good", "minimum 9 1\nminimum 10 1\n")
	test("by-text", "", "list bad-order", "minimum 10 1\nminimum 9 1\n")
	test("twice", "", "list bad-order", "minimum 7 3\nminimum 7 3\n")
	test("twice-with-other-versions", "", "list bad-order", "minimum 7 3\nminimum 7 4\n")
	test("twice-apart", "", "list bad-order", "minimum 7 3\nminimum 8 3\nminimum 7 4\n")
	test("version-0", "", "list bad-value", "minimum 7 0\n")
	test("product-0", "", "list bad-value", "minimum 0 3\n")
	test("version-2-53", "2^53", "list bad-value", "minimum 7 9007199254740992\n")
	test("version-2-53-and-1", "2^53+1", "list bad-value", "minimum 7 9007199254740993\n")
	test("product-2-53-and-1", "2^53+1", "list bad-value", "minimum 9007199254740993 3\n")
	test("version-with-leading-zero", "", "list bad-value", "minimum 7 03\n")
	test("product-with-leading-zero", "", "list bad-value", "minimum 07 3\n")
	test("and-more", "", "list malformed", "minimum 7 3 4\n")
}

func (s *listsSuite) addKeyStates() {
	test := func(name, comment, want, lines string) {
		s.edit("key", "key-"+name, comment, want, lineKey, lines)
	}
	test("none", "", "good", "")
	test("withdrawn", "", "good", "key ca3f2093e4fe1455 withdrawn\n")
	test("unknown", "no key of the ring: no error", "good", "key 00000000000000ff closed\n")
	test("signer-closed", "the key that signed the list", "good", "key "+listID(list1)+" closed\n")
	test("two", "", "good", "key 0fffffffffffffff withdrawn\nkey ca3f2093e4fe1455 closed\n")
	test("ids-of-ff", "", "good", "key ca3f2093e4fe1455 closed\nkey ffffffffffffffff withdrawn\n")
	test("exchanged", "", "list bad-order", "key ca3f2093e4fe1455 closed\nkey 0fffffffffffffff withdrawn\n")
	test("twice", "", "list bad-order", "key ca3f2093e4fe1455 closed\nkey ca3f2093e4fe1455 closed\n")
	test("twice-with-other-states", "", "list bad-order", "key ca3f2093e4fe1455 closed\nkey ca3f2093e4fe1455 withdrawn\n")
	for _, word := range []string{"active", "revoked", "compromised", "Closed", "WITHDRAWN", "close", "1", ""} {
		name := strings.ToLower(word)
		switch {
		case word == "":
			name = "empty"
		case word != name:
			name += "-in-upper-case"
		}
		comment := ""
		if word == "active" {
			comment = "a list makes no key better"
		}
		test("state-"+name, comment, "list bad-value", "key ca3f2093e4fe1455 "+word+"\n")
	}
	test("id-in-upper-case", "", "list bad-value", "key CA3F2093E4FE1455 closed\n")
	test("id-of-zeros", "", "list bad-value", "key 0000000000000000 closed\n")
	test("id-too-short", "", "list bad-value", "key ca3f2093e4fe145 closed\n")
	test("id-too-long", "", "list bad-value", "key ca3f2093e4fe14550 closed\n")
	test("number-in-place-of-the-id", "", "list bad-value", "key 8 closed\n")
}

// listID returns the id of a list key.
func listID(private *ecdsa.PrivateKey) string { return publicID("licet/v1 list", &private.PublicKey) }

func (s *listsSuite) addNumbers() {
	test := func(name, comment, want, values string) {
		s.edit("number", name, comment, want, lineSingle, "revoked "+values+"\n")
	}
	const id = "ca3f2093e4fe1455 "
	s.edit("number", "no-entries", "nothing is revoked", "good", lineRange+lineSingle, "")
	s.sign("number", "nothing-but-the-head", "", "good", edit(workedList, lineMinimum+lineKey+lineRange+lineSingle, ""))
	test("unknown-id-and-product", "no key and no product of the ring: no error", "good", "ffffffffffffffff 9 1 1")
	test("serial-1", "", "good", id+"8 1 1")
	test("serial-largest", "2^53-1", "good", id+"7 9007199254740991 9007199254740991")
	test("serial-one-below-the-largest", "2^53-2", "good", id+"7 9007199254740990 9007199254740990")
	test("serial-2-53", "2^53", "list bad-value", id+"7 9007199254740992 9007199254740992")
	test("serial-2-53-and-1", "2^53+1, which a JavaScript number takes for 2^53", "list bad-value", id+"7 9007199254740993 9007199254740993")
	test("last-serial-2-53", "", "list bad-value", id+"7 2042 9007199254740992")
	test("serial-2-64-and-2042", "2042 where 64 bits overflow", "list bad-value", id+"7 18446744073709553658 18446744073709553658")
	test("all-serials", "", "good", id+"8 1 9007199254740991")
	test("serial-0", "", "list bad-value", id+"8 0 1")
	test("last-serial-0", "", "list bad-value", id+"8 0 0")
	test("serials-exchanged", "the last before the first", "list bad-value", id+"7 2043 2042")
	test("serials-by-number", "9 is before 10", "good", id+"8 9 10")
	test("serials-by-text", "10 is after 9", "list bad-value", id+"8 10 9")
	test("first-serial-with-leading-zero", "", "list bad-value", id+"7 02042 2042")
	test("last-serial-with-leading-zero", "", "list bad-value", id+"7 2042 02042")
	test("first-serial-with-plus", "", "list bad-value", id+"7 +2042 2042")
	test("serial-with-a-comma", "", "list bad-value", id+"7 2,042 2042")
	test("serial-with-o", "the letter O", "list bad-value", id+"7 2O42 2042")
	s.either("number", "range-with-a-hyphen", "", "2042 2042", "2042-2042")
	test("product-largest", "2^53-1", "good", id+"9007199254740991 1 1")
	test("product-0", "", "list bad-value", id+"0 2042 2042")
	test("product-2-53", "2^53", "list bad-value", id+"9007199254740992 1 1")
	test("product-2-53-and-1", "2^53+1", "list bad-value", id+"9007199254740993 1 1")
	test("product-with-leading-zero", "", "list bad-value", id+"07 2042 2042")
	test("id-in-upper-case", "", "list bad-value", "CA3F2093E4FE1455 7 2042 2042")
	test("id-of-zeros", "", "list bad-value", "0000000000000000 7 2042 2042")
	test("id-too-short", "", "list bad-value", "ca3f2093e4fe145 7 2042 2042")
	test("id-too-long", "", "list bad-value", "ca3f2093e4fe14555 7 2042 2042")
	test("id-with-o", "no hexadecimal digit", "list bad-value", "ca3f2o93e4fe1455 7 2042 2042")
	test("number-in-place-of-the-id", "", "list bad-value", "8 7 2042 2042")
	test("id-lowest", "", "list bad-order", "0000000000000001 7 2042 2042")
}

func (s *listsSuite) addOrder() {
	test := func(name, comment, want string, entries ...string) {
		lines := ""
		for _, e := range entries {
			lines += "revoked " + e + "\n"
		}
		s.edit("order", name, comment, want, lineRange+lineSingle, lines)
	}
	const a, b = "ca3f2093e4fe1455", "e21531b141ba7c8d"
	test("sorted", "by id, then product, then serial", "good", a+" 7 10 19", a+" 7 30 39", a+" 8 1 1", b+" 7 1 1", b+" 10 1 1")
	test("serials-exchanged-lines", "a line swapped with the next", "list bad-order", a+" 7 30 39", a+" 7 10 19")
	test("products-exchanged", "", "list bad-order", a+" 8 1 1", a+" 7 10 19")
	test("ids-exchanged", "", "list bad-order", b+" 7 1 1", a+" 7 10 19")
	test("id-before-product", "a higher product of a lower id comes first", "good", a+" 9 1 1", b+" 7 1 1")
	test("product-before-serial", "", "good", a+" 7 1000 1000", a+" 8 1 1")
	test("products-by-number", "9 before 10", "good", a+" 9 1 1", a+" 10 1 1")
	test("products-by-text", "", "list bad-order", a+" 10 1 1", a+" 9 1 1")
	test("lines-by-number", "9 before 1000", "good", a+" 7 9 9", a+" 7 1000 1000")
	test("lines-by-text", "", "list bad-order", a+" 7 1000 1000", a+" 7 9 9")
	test("line-twice", "", "list bad-order", a+" 7 10 19", a+" 7 10 19")
	test("line-twice-apart", "", "list bad-order", a+" 7 10 19", a+" 7 30 39", a+" 7 10 19")
	test("overlap-by-one", "", "list bad-order", a+" 7 10 19", a+" 7 19 29")
	test("overlap-by-one-with-other-reason", "", "list bad-order", a+" 7 10 19 leaked", a+" 7 19 29 refund")
	test("overlap", "", "list bad-order", a+" 7 10 19", a+" 7 15 29")
	test("inside", "", "list bad-order", a+" 7 10 19", a+" 7 12 13")
	test("same-first", "", "list bad-order", a+" 7 10 19", a+" 7 10 29")
	test("around", "", "list bad-order", a+" 7 10 19", a+" 7 5 29")
	test("one-apart", "one serial between them", "good", a+" 7 10 19", a+" 7 21 29")
	test("adjacent-with-other-reasons", "", "good", a+" 7 10 19 leaked", a+" 7 20 29 refund")
	test("adjacent-with-and-without-reason", "no reason is a reason of its own", "good", a+" 7 10 19 leaked", a+" 7 20 29")
	test("adjacent-without-and-with-reason", "", "good", a+" 7 10 19", a+" 7 20 29 leaked")
	test("adjacent-with-the-same-reason", "must be one line", "list bad-order", a+" 7 10 19 leaked", a+" 7 20 29 leaked")
	test("adjacent-without-reasons", "must be one line", "list bad-order", a+" 7 10 19", a+" 7 20 29")
	test("adjacent-singles", "must be one line", "list bad-order", a+" 7 10 10", a+" 7 11 11")
	test("adjacent-of-other-products", "they don't meet", "good", a+" 7 10 19", a+" 8 20 29")
	test("adjacent-of-other-ids", "they don't meet", "good", a+" 7 10 19", b+" 7 20 29")
	test("same-serials-of-other-products", "", "good", a+" 7 10 19", a+" 8 10 19")
	test("same-serials-of-other-ids", "", "good", a+" 7 10 19", b+" 7 10 19")
	test("after-the-largest-serial", "", "list bad-order", a+" 7 1 9007199254740991", a+" 7 5 5")
	test("adjacent-to-the-largest-serial", "", "list bad-order", a+" 7 1 9007199254740990", a+" 7 9007199254740991 9007199254740991")
	test("largest-serial-with-other-reason", "", "good", a+" 7 1 9007199254740990", a+" 7 9007199254740991 9007199254740991 leaked")
}

func (s *listsSuite) addReasonCodes() {
	test := func(name, comment, want, reason string) {
		s.edit("reason", "reason-"+name, comment, want, lineSingle, strings.TrimSuffix(lineSingle, "\n")+" "+reason+"\n")
	}
	test("of-one-letter", "", "good", "x")
	test("with-digits-and-hyphens", "", "good", "a-1--2-")
	test("of-32-bytes", "the longest", "good", "a23456789-123456789-123456789-12")
	test("of-33-bytes", "", "list bad-value", "a23456789-123456789-123456789-123")
	test("empty", "a space, and nothing after it", "list bad-value", "")
	test("in-upper-case", "", "list bad-value", "Leaked")
	test("with-a-digit-first", "", "list bad-value", "2nd")
	test("with-a-hyphen-first", "", "list bad-value", "-leaked")
	test("with-an-underscore", "", "list bad-value", "was_leaked")
	test("beyond-ascii", "", "list bad-value", "gel\u00f6scht")

	reasons := func(n int) string {
		lines := ""
		for i := range n {
			lines += fmt.Sprintf("revoked 0000000000000001 1 %d %d r%d\n", i+1, i+1, i)
		}
		return lines
	}
	s.edit("reason", "reasons-1001", "one more than a list may have; 1000 are accepted", "list bad-value", lineRange+lineSingle, reasons(1001))
	s.edit("reason", "one-reason-often", "it counts once", "good", lineRange+lineSingle,
		"revoked 0000000000000001 1 1 1 leaked\nrevoked 0000000000000001 1 3 3 leaked\nrevoked 0000000000000001 1 5 5 leaked\n")
}

func (s *listsSuite) addLines() {
	test := func(name, comment, old, new string) {
		s.edit("lines", name, comment, "list malformed", old, new)
	}
	test("sequence-missing", "", "sequence 12\n", "")
	test("issued-missing", "", "issued 2026-12-01T09:30:00Z\n", "")
	test("due-missing", "a list says when the next one is due", "due 2027-01-01T00:00:00Z\n", "")
	test("sequence-twice", "", "sequence 12\n", "sequence 12\nsequence 12\n")
	test("due-twice", "", "due 2027-01-01T00:00:00Z\n", "due 2027-01-01T00:00:00Z\ndue 2027-01-01T00:00:00Z\n")
	test("issued-and-due-exchanged", "a line swapped with the next", linesOfTimes, "due 2027-01-01T00:00:00Z\nissued 2026-12-01T09:30:00Z\n")
	test("issuer-and-sequence-exchanged", "", "Acme Tools\nsequence 12\n", "sequence 12\nAcme Tools\n")
	test("key-before-minimum", "", lineMinimum+lineKey, lineKey+lineMinimum)
	test("revoked-before-key", "", lineKey+lineRange, lineRange+lineKey)
	test("revoked-before-minimum", "", lineMinimum+lineKey+lineRange, lineRange+lineMinimum+lineKey)
	test("minimum-at-the-end", "", lineSingle, lineSingle+"minimum 8 1\n")
	test("minimum-before-the-times", "", linesOfTimes+lineMinimum, lineMinimum+linesOfTimes)
	test("unknown-line", "", lineSingle, lineSingle+"restored ca3f2093e4fe1455 7 1 1\n")
	test("comment", "", lineSingle, "# returned\n"+lineSingle)
	test("blank-line", "", lineRange, "\n"+lineRange)
	test("blank-line-at-the-end", "", lineSingle, lineSingle+"\n")
	test("line-with-a-space-in-front", "", lineSingle, " "+lineSingle)
	test("kind-in-upper-case", "", lineSingle, strings.ToUpper(lineSingle[:1])+lineSingle[1:])
	test("kind-alone", "", lineSingle, "revoked\n")
	test("serials-missing", "", lineSingle, "revoked ca3f2093e4fe1455 7\n")
	test("last-serial-missing", "a single serial is written twice", lineSingle, "revoked ca3f2093e4fe1455 7 2042\n")
	test("cut-off-in-the-head", "signed like this", linesOfTimes+lineMinimum+lineKey+lineRange+lineSingle, "")

	s.either("lines", "version-missing", "", lineMinimum, "minimum 7\n")
	s.either("lines", "state-missing", "", lineKey, "key ca3f2093e4fe1455\n")
	s.either("lines", "state-and-more", "", lineKey, "key ca3f2093e4fe1455 closed now\n")
	s.either("lines", "state-with-a-space-after-it", "", lineKey, "key ca3f2093e4fe1455 closed \n")
	s.either("lines", "id-alone", "", lineSingle, "revoked ca3f2093e4fe1455\n")
	s.either("lines", "id-missing", "", lineSingle, "revoked 7 2042 2042\n")
	s.either("lines", "two-reasons", "", lineRange, strings.TrimSuffix(lineRange, "\n")+" refund\n")
	s.either("lines", "two-spaces-in-sequence", "", "sequence 12", "sequence  12")
	s.either("lines", "two-spaces-in-an-entry", "", lineSingle, strings.Replace(lineSingle, " 7 ", " 7  ", 1))
}

// addLookups adds lists with licences to look up in them.
func (s *listsSuite) addLookups() {
	test := func(name, comment, lines string, lookups ...string) {
		t := s.sign("lookup", name, comment, "good", edit(workedList, lineRange+lineSingle, lines))
		for _, l := range lookups {
			w := strings.Split(l, " ")
			reason, revoked := lookUp(t.List, w[0], decimal(w[1]), decimal(w[2]))
			// The author's word: "good", or "revoked" and the reason.
			got := "good"
			if revoked {
				got = strings.TrimSuffix("revoked:"+reason, ":")
			}
			must("lists: "+name+": "+l, got, w[3])
			t.Lookups = append(t.Lookups, vectorfile.Lookup{KeyID: w[0], Product: w[1], Serial: w[2], Revoked: revoked, Reason: reason})
		}
	}
	const a, b = "ca3f2093e4fe1455", "e21531b141ba7c8d"
	test("lookup-edges", "the serials round a range and round a single one", lineRange+lineSingle,
		a+" 7 999 good", a+" 7 1000 revoked:leaked", a+" 7 1001 revoked:leaked", a+" 7 1998 revoked:leaked", a+" 7 1999 revoked:leaked", a+" 7 2000 good",
		a+" 7 2041 good", a+" 7 2042 revoked", a+" 7 2043 good", a+" 7 1 good", a+" 7 9007199254740991 good")
	test("lookup-other-licence", "the same serial of another key or product", lineRange+lineSingle,
		a+" 8 1500 good", b+" 7 1500 good", a+" 6 1500 good", "ca3f2093e4fe1456 7 1500 good", "ca3f2093e4fe1454 7 1500 good", "0000000000000001 7 1500 good", "ffffffffffffffff 7 1500 good")
	test("lookup-no-entries", "", "", a+" 7 1 good", a+" 7 1000 good", a+" 7 9007199254740991 good")
	test("lookup-all-serials", "", "revoked "+a+" 7 1 9007199254740991\n",
		a+" 7 1 revoked", a+" 7 4503599627370496 revoked", a+" 7 9007199254740991 revoked", a+" 8 1 good", a+" 8 9007199254740991 good")
	test("lookup-largest-serial", "numbers that a JavaScript number still tells apart", "revoked "+a+" 7 9007199254740991 9007199254740991 last\n",
		a+" 7 9007199254740991 revoked:last", a+" 7 9007199254740990 good", a+" 7 9007199254740989 good")
	test("lookup-one-below-the-largest", "", "revoked "+a+" 7 9007199254740990 9007199254740990\n",
		a+" 7 9007199254740991 good", a+" 7 9007199254740990 revoked", a+" 7 9007199254740989 good")
	test("lookup-beyond-32-bits", "2^32+5 is not 5", "revoked "+a+" 7 4294967301 4294967301\n",
		a+" 7 5 good", a+" 7 4294967300 good", a+" 7 4294967301 revoked", a+" 7 4294967302 good")
	test("lookup-reasons-that-meet", "", "revoked "+a+" 7 10 19 leaked\nrevoked "+a+" 7 20 29\nrevoked "+a+" 7 30 39 refund\n",
		a+" 7 9 good", a+" 7 10 revoked:leaked", a+" 7 19 revoked:leaked", a+" 7 20 revoked", a+" 7 29 revoked", a+" 7 30 revoked:refund", a+" 7 39 revoked:refund", a+" 7 40 good")
	test("lookup-among-ids-and-products", "", "revoked "+a+" 7 10 10 x\nrevoked "+a+" 8 20 20\nrevoked "+b+" 7 30 30\nrevoked "+b+" 9 40 40 y\n",
		a+" 7 10 revoked:x", a+" 8 10 good", a+" 7 20 good", a+" 8 20 revoked", b+" 7 10 good", b+" 7 30 revoked", b+" 8 30 good", b+" 8 20 good", b+" 9 40 revoked:y", b+" 9 30 good", a+" 9 40 good")
	var near []string // a reader that mixes id and product up finds some of them
	for i := range 64 {
		id := xor(new(big.Int).SetBytes(unhex(a)), new(big.Int).Lsh(big.NewInt(1), uint(i)))
		near = append(near, fmt.Sprintf("%016x 9007199254740991 1 good", id))
	}
	test("lookup-ids-near-by", "each differs in one bit from that of the list", "revoked "+a+" 9007199254740991 1 1\n",
		append(near, a+" 9007199254740991 1 revoked", a+" 9007199254740990 1 good", a+" 4503599627370495 1 good")...)
	many := ""
	for i := range 200 { // more than one block of a table, with gaps
		many += fmt.Sprintf("revoked %s 7 %d %d\n", a, 10*i+3, 10*i+5)
	}
	test("lookup-among-many", "200 ranges: every 10 serials three", many,
		a+" 7 2 good", a+" 7 3 revoked", a+" 7 5 revoked", a+" 7 6 good", a+" 7 632 good", a+" 7 633 revoked", a+" 7 635 revoked", a+" 7 636 good",
		a+" 7 643 revoked", a+" 7 1274 revoked", a+" 7 1283 revoked", a+" 7 1992 good", a+" 7 1993 revoked", a+" 7 1995 revoked", a+" 7 1996 good", a+" 7 3000 good")
}
