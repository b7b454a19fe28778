package main

import "strings"

// foreign20 is a key that no ring has.
var foreign20 = hs256(20, "ZETA", standard, 80, counting(0x14))

// bare removes the hyphens of a code.
func bare(code string) string { return strings.ReplaceAll(code, "-", "") }

// addReading adds the rows of rules A to E for a ring of seven keys.
func (s *verifySuite) addReading() {
	acme, plain, small := key8.issue("1000"), key10.issue("1"), key11.issue("1")
	code, es := acme.code(), key9.issue("1000").code()

	s.test("reading", "no-hyphens", "rule A", "valid", bare(code))
	s.test("reading", "other-groups", "hyphens have no meaning", "valid", "AC-MEA-HJXYQET69-FWH3QZJG9E69PS6HV-KELWZ-")
	s.test("reading", "lower-case", "", "valid", strings.ToLower(code))
	s.test("reading", "spaces-and-lines", "", "valid", " "+strings.ReplaceAll(code, "-", "\r\n\t")+" \n")
	s.test("reading", "quoted-with-full-stop", "", "valid", "\u201c"+code+".\u201d")

	s.test("reading", "empty", "", "empty", "")
	s.test("reading", "nothing-left", "only what is dropped", "empty", " --\u2013\u2028.\u00a0\ufeff")
	s.test("reading", "too-long", "1,025 bytes", "too-long", code+strings.Repeat("-", 1025-len(code)))
	s.test("reading", "as-long-as-can-be", "1,024 bytes", "valid", code+strings.Repeat("-", 1024-len(code)))
	s.test("reading", "too-long-before-all", "nothing is left of it, but the length comes first", "too-long", strings.Repeat(" ", 1025))

	s.test("reading", "pasted-twice", "rule B", "repeated", code+" "+code)
	s.test("reading", "pasted-twice-without-prefix", "", "repeated", acme.bare()+acme.bare())
	s.test("reading", "pasted-twice-first-with-prefix", "", "repeated", code+" "+acme.bare())
	s.test("reading", "pasted-twice-second-with-prefix", "", "repeated", acme.bare()+" "+code)
	s.test("reading", "pasted-three-times", "", "repeated", code+"\n"+code+"\n"+code+"\n")
	s.test("reading", "pasted-three-times-mixed", "", "repeated", code+acme.bare()+code)
	s.test("reading", "pasted-many-times", "", "repeated", strings.Repeat(acme.bare(), 20))
	s.test("reading", "pasted-es256-twice", "", "repeated", es+es)
	s.test("reading", "pasted-twice-withdrawn-or-not", "nothing is judged of it", "repeated", plain.code()+plain.code(), in("states"))
	s.test("reading", "two-codes", "two different codes are not a repetition, and too much text for rule C", "wrong-length", code+key8.issue("1001").code())
	s.test("reading", "twice-and-one-more-symbol", "neither a repetition nor within 16", "wrong-length", code+code+"A")

	s.test("reading", "text-before", "rule C, 11 characters", "extra-text", "License key: "+acme.bare())
	s.test("reading", "text-before-with-prefix", "the prefix counts to the code", "extra-text", "Key: "+code)
	s.test("reading", "text-after", "", "extra-text", code+" thanks")
	s.test("reading", "text-around", "", "extra-text", "Code "+code+" (valid)")
	s.test("reading", "text-of-16", "the most that rule C allows", "extra-text", "ABCDEFGH"+code+"JKLMNPQR")
	s.test("reading", "text-of-17", "one more", "wrong-length", "ABCDEFGH"+code+"JKLMNPQRS")
	s.test("reading", "text-of-16-before", "", "extra-text", "ABCDEFGHJKLMNPQR"+code)
	s.test("reading", "one-symbol-before", "one character is no prefix", "extra-text", "A"+acme.bare())
	s.test("reading", "one-symbol-after", "", "extra-text", code+"A")
	s.test("reading", "question-mark-after", "a placeholder is a character", "extra-text", code+"?")
	s.test("reading", "one-group-too-many", "", "extra-text", code+"-7777")
	s.test("reading", "one-group-too-many-without-prefix", "", "extra-text", acme.bare()+"-7777")
	s.test("reading", "one-group-too-many-es256", "", "extra-text", es+"-7777")
	s.test("reading", "parentheses-around", "two placeholders", "extra-text", "("+code+")")

	// Two codes within 16 characters of each other.
	first, second := small35.mintFields(with(nil, "product", "7", "serial", "1")).body, tiny35.mintFields(with(nil, "product", "1", "serial", "1")).body
	s.test("reading nesting", "two-short-codes", "the key with the smaller number is taken first: 0 before, 12 after", "extra-text", first+second, in("forms"))
	s.test("reading nesting", "two-short-codes-reversed", "still the key with the smaller number: 12 before, 0 after", "extra-text", second+first, in("forms"))
	nest := []*key{hs256(10, "", tiny10, 35, counting(0x15)), hs256(11, "ZETA", tiny10, 35, counting(0x16))}
	s.ring("nesting", ringText(true, []int{1}, nest[0].allowing(1), nest[1].allowing(1)))
	lower, higher := nest[0].mintFields(with(nil, "product", "1", "serial", "1")), nest[1].mintFields(with(nil, "product", "1", "serial", "1"))
	s.test("reading nesting", "key-before-prefix", "key 10 without prefix comes before key 11 with its prefix: 16 before, 0 after", "extra-text",
		higher.code()+lower.code(), in("nesting"))
	other := nest[1].mintFields(with(nil, "product", "1", "serial", "2"))
	s.test("reading nesting", "prefix-before-smaller-x", "of one key the match with the prefix comes first: 12 before, 0 after", "extra-text",
		other.bare()+higher.code(), in("nesting"))
	s.test("reading nesting", "smaller-x", "of one key and no prefix the smaller x: 0 before, 12 after", "extra-text", other.bare()+higher.bare(), in("nesting"))

	s.test("reading", "later-format", "rule D, number 0", "later-format", withCheck("2"+acme.body[1:29]))
	s.test("reading", "later-format-other-length", "any length of 12 to 139", "later-format", withCheck("2"+strings.Repeat("7", 50)))
	s.test("reading", "later-format-with-prefix", "", "later-format", "ACME"+withCheck("2"+acme.body[1:29]))
	s.test("reading", "unknown-key", "", "unknown-key", foreign20.issue("1").bare())
	s.test("reading prefix", "unknown-key-with-unknown-prefix", "", "unknown-key", foreign20.issue("1").code())
	s.test("reading prefix", "unknown-key-with-known-prefix", "", "unknown-key", "ACME"+foreign20.issue("1").bare())
	s.test("reading", "unknown-key-of-12", "the shortest", "unknown-key", withCheck(sym(20)+"ABCDEFGH"))
	s.test("reading", "well-formed-of-11", "too short for rule D", "wrong-length", withCheck(sym(20)+"ABCDEFG"))
	s.test("reading", "unknown-key-of-139", "the longest", "unknown-key", withCheck(sym(20)+strings.Repeat("ABCDE", 27)))
	s.test("reading", "well-formed-of-140", "too long for rule D", "wrong-length", withCheck(sym(20)+strings.Repeat("ABCDE", 27)+"A"))
	s.test("reading prefix", "unknown-key-after-2", "the shortest prefix", "unknown-key", "ZE"+foreign20.issue("1").bare())
	s.test("reading prefix", "unknown-key-after-8", "the longest prefix", "unknown-key", "ZETAZETA"+foreign20.issue("1").bare())
	s.test("reading prefix", "unknown-key-after-9", "no prefix is so long", "wrong-length", "ZETAZETAZ"+foreign20.issue("1").bare())
	s.test("reading prefix", "unknown-key-after-1", "no prefix is so short", "wrong-length", "Z"+foreign20.issue("1").bare())
	s.test("reading prefix", "unknown-key-after-placeholder", "what stands before is not looked at", "unknown-key", "Z?TA"+foreign20.issue("1").bare())
	s.test("reading", "well-formed-wrong-length", "a known number, well formed, 36 symbols instead of 32", "wrong-length", withCheck(acme.body[:29]+"7777"))
	s.test("reading prefix", "well-formed-wrong-length-with-prefix", "the same after the prefix", "wrong-length", "ACME"+withCheck(acme.body[:29]+"7777"))

	s.test("reading prefix", "prefix-only", "rule E", "prefix-only", "ACME-")
	s.test("reading prefix", "prefix-only-lower-case", "", "prefix-only", "oi10")
	s.test("reading prefix", "prefix-only-twice", "that is not a prefix", "wrong-length", "ACMEACME")
	s.test("reading prefix", "unknown-prefix-only", "", "wrong-length", "ZETA")
	s.test("reading", "one-symbol", "line d: the symbol is not enough, line e: the nearest length", "wrong-length", "A")
	s.test("reading", "one-unreadable", "", "unreadable", "!")
	s.test("reading", "a-word", "", "wrong-length", "HELLO")

	s.test("reading prefix", "group-missing-with-prefix", "line b, though 32 characters are a length of other keys", "wrong-length", code[:len(code)-5])
	s.test("reading", "group-missing-without-prefix", "line d", "wrong-length", acme.bare()[:len(acme.bare())-5])
	for i, name := range []string{"one", "two", "three", "four"} {
		s.test("reading", name+"-missing-at-the-end", "", "wrong-length", bare(code)[:36-i-1])
		s.test("reading", name+"-missing-inside", "", "wrong-length", acme.body[:10]+acme.body[11+i:])
	}
	s.test("reading", "first-symbol-missing-after-prefix", "line d: the prefix is read as one, though its A is also the symbol of key 8", "wrong-length", "ACME"+acme.body[1:])
	s.test("reading", "eight-missing", "line d: 8 is near enough", "wrong-length", key9.issue("1000").body[:111])
	s.test("reading", "nine-missing", "line e: the nearest length", "wrong-length", key9.issue("1000").body[:110])
	s.test("reading", "es256-half", "", "wrong-length", es[:74])
	s.test("reading", "long-text", "", "wrong-length", strings.Repeat("HELLO", 60))
	s.test("reading", "too-many-symbols-for-any-key", "placeholders are named by their number in the input", "unreadable", strings.Repeat("WORLD?", 30))
	s.test("reading", "line-a", "a prefix and a right length, but another first symbol; several slips", "typo", "ACME"+twoWrong("Z"+acme.body[1:]))
	s.test("reading", "line-c", "a right length alone; several slips", "typo", twoWrong("Z"+acme.body[1:]))
	s.test("reading", "line-c-first-symbol", "a right length and first symbol; several slips", "typo", twoWrong(key13.issue("1").body))
	s.test("reading", "line-d-two-keys", "the nearest length decides", "wrong-length", small.body[:22])

	s.test("reading", "line-d-7-too-many", "31 characters are nearer to 32, but D is the symbol of a key of 24", "wrong-length", "D"+strings.Repeat("7", 30))
	s.test("reading", "line-d-9-too-many", "9 are too many for line d, and 33 is nearest to 32", "wrong-length", "D"+strings.Repeat("7", 32))
	s.test("reading", "line-f-tie", "28 is as near to 24 as to 32: the smaller number decides", "wrong-length", strings.Repeat("7", 28))
	s.test("reading prefix", "line-f-with-prefix", "43 characters less the prefix are 39 instead of 40", "wrong-length", "OI10"+strings.Repeat("7", 39))
	s.test("reading prefix", "line-f-other-prefix-does-not-count", "less the prefix OI10 they would be 31, but the keys of 32 have another one", "wrong-length", "OI10"+strings.Repeat("7", 31))
	s.test("reading prefix", "prefix-with-unreadable-alone", "", "unreadable", "ACM?")

	s.test("no-keys", "no-keys-empty", "", "empty", "", in("no-keys"))
	s.test("no-keys", "no-keys-well-formed", "every number is unknown", "unknown-key", acme.bare(), in("no-keys"))
	s.test("no-keys", "no-keys-well-formed-with-prefix", "", "unknown-key", code, in("no-keys"))
	s.test("no-keys", "no-keys-later-format", "", "later-format", withCheck("2"+acme.body[1:29]), in("no-keys"))
	s.test("no-keys", "no-keys-several-slips", "", "typo", twoWrong(acme.body), in("no-keys"))
	s.test("no-keys", "no-keys-three-unreadable", "", "unreadable", hide(acme.body, 3, 9, 20), in("no-keys"))
}

// tiny10 is a layout of the shortest codes.
const tiny10 = "product:1,serial:4"

// addPrefixes adds texts that begin with right, wrong and misread prefixes.
func (s *verifySuite) addPrefixes() {
	acme := key8.issue("1000")
	s.test("prefix", "prefix-lower-case", "", "valid", "acme-"+acme.bare())
	s.test("prefix", "prefix-mixed-case", "", "valid", "aCmE"+acme.bare())
	s.test("prefix", "prefix-broken-by-hyphens", "", "valid", "A-C-M-E-"+acme.bare())
	s.test("prefix", "prefix-with-0-o-1-i", "", "valid", key13.issue("1").code())
	s.test("prefix", "prefix-with-0-o-1-i-left-off", "", "valid", key13.issue("1").bare())
	s.test("prefix", "prefix-with-0-for-o", "nothing is folded", "wrong-prefix", "0I10"+key13.issue("1").bare())
	s.test("prefix", "prefix-of-another-key", "P477 before a code of ACME", "wrong-prefix", "P477"+acme.bare())
	s.test("prefix", "prefix-for-a-key-without", "", "wrong-prefix", "ACME"+key10.issue("1").bare())
	s.test("prefix", "prefix-for-an-es256-key-without", "", "wrong-prefix", "ACME"+key9.issue("1000").bare())
	s.test("prefix", "prefix-with-typo", "", "wrong-prefix", "ACNE"+acme.bare())
	s.test("prefix", "prefix-cut", "", "wrong-prefix", "CME"+acme.bare())
	s.test("prefix", "prefix-cut-to-one", "one character is extra text", "extra-text", "E"+acme.bare())
	s.test("prefix", "prefix-of-2", "the shortest", "wrong-prefix", "AC"+acme.bare())
	s.test("prefix", "prefix-of-8", "the longest", "wrong-prefix", "LONGLONG"+acme.bare())
	s.test("prefix", "prefix-of-9", "no prefix is so long", "extra-text", "LONGLONGL"+acme.bare())
	s.test("prefix", "prefix-twice", "the second counts to the code, so the first is text before it", "extra-text", "ACME-"+acme.code())
	s.test("prefix", "prefix-with-unreadable", "a placeholder makes it extra text", "extra-text", "AC?E-"+acme.bare())
	s.test("prefix", "wrong-prefix-and-text-after", "", "extra-text", "P477"+acme.bare()+"A")
	s.test("prefix", "wrong-prefix-before-prefix", "", "extra-text", "P477"+acme.code())
	s.test("prefix", "wrong-prefix-of-a-forged-code", "nothing is judged of it", "wrong-prefix", "P477"+withCheck(change(acme.body, 12, 1)[:29]))
	s.test("prefix", "shared-prefix", "ACME is the prefix of two keys", "valid", key11.issue("1").code(), shortTags)
	s.test("prefix", "coupon-as-long-as-compact", "P477 and 20 symbols are 24, as compact", "valid", key12.issue("1").code(), shortTags)
	s.test("prefix", "compact-as-long-as-coupon", "24 symbols without prefix", "valid", key11.issue("1").bare(), shortTags)
	s.test("prefix repair", "coupon-as-long-as-compact-with-typo", "lines a and b come before the bare length", "typo repaired",
		"P477"+change(key12.issue("1").body, 9, 3), shortTags)
	s.test("prefix repair", "coupon-as-long-as-compact-with-first-symbol-wrong", "line a comes before line c", "typo repaired",
		"P477"+change(key12.issue("1").body, 1, 5), shortTags)

	// A body that begins with the letters of its own prefix.
	for serial := int64(1); ; serial++ {
		m := key8.issue(decimalText(serial))
		if strings.HasPrefix(m.body, "ACME") {
			s.test("prefix", "body-like-its-prefix", "the body begins with ACME and is no shorter for it", "valid", m.bare())
			s.test("prefix", "body-like-its-prefix-with-prefix", "", "valid", m.code())
			s.test("prefix", "body-like-its-prefix-one-missing", "line d", "wrong-length", m.body[:31])
			s.test("prefix repair", "body-like-its-prefix-with-typo", "", "typo repaired", change(m.body, 20, 5))
			break
		}
	}
}
