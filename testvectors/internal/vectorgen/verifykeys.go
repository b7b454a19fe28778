package main

import "strings"

// addBindings adds codes of bound and unbound keys with all sorts of texts.
func (s *verifySuite) addBindings() {
	code := func(text string) string {
		return bound8.mint(bound8.pack(fieldsOf(bound8.example("1000"))), &text).code()
	}
	test := func(name, comment, want, input string, options ...option) {
		s.test("binding", name, comment, want, input, append([]option{in("bound")}, options...)...)
	}
	test("binding-right", "", "valid", code(boundText), binding(boundText))
	test("binding-wrong", "", "bad-signature", code(boundText), binding("Other GmbH"))
	test("binding-missing", "", "binding-required", code(boundText))
	test("binding-empty", "", "binding-required", code(boundText), binding(""))
	test("binding-other-case", "bytes are compared", "bad-signature", code(boundText), binding("example gmbh"))
	test("binding-space-after", "bytes are compared", "bad-signature", code(boundText), binding(boundText+" "))
	test("binding-composed", "", "valid", code("M\u00fcller"), binding("M\u00fcller"))
	test("binding-decomposed", "", "valid", code("Mu\u0308ller"), binding("Mu\u0308ller"))
	test("binding-composed-for-decomposed", "normalising is the caller's duty", "bad-signature", code("Mu\u0308ller"), binding("M\u00fcller"))
	test("binding-decomposed-for-composed", "normalising is the caller's duty", "bad-signature", code("M\u00fcller"), binding("Mu\u0308ller"))
	test("binding-one-byte", "the shortest", "valid", code("x"), binding("x"))
	test("binding-longest", "1,024 bytes", "valid", code(strings.Repeat("x", 1024)), binding(strings.Repeat("x", 1024)))
	test("binding-too-long", "1,025 bytes", "binding-required", code(boundText), binding(strings.Repeat("x", 1025)))
	test("binding-longest-in-bytes", "512 characters of 2 bytes", "valid", code(strings.Repeat("\u00fc", 512)), binding(strings.Repeat("\u00fc", 512)))
	test("binding-too-long-in-bytes", "513 characters of 2 bytes", "binding-required", code(boundText), binding(strings.Repeat("\u00fc", 513)))
	for _, c := range []struct{ name, text string }{
		{"newline", "Example\nGmbH"}, {"nul", "Example\x00GmbH"}, {"tab", "\tExample GmbH"}, {"u-001f", "\u001f"}, {"delete", "Example\u007f"}, {"u-0080", "\u0080x"}, {"u-009f", "x\u009f"},
	} {
		test("binding-with-"+c.name, "control characters are refused", "binding-required", code(c.text), binding(c.text))
	}
	for _, c := range []struct{ name, text string }{
		{"space", " "}, {"u-00a0", "\u00a0"}, {"emoji", "\U0001F600"}, {"line-separator", "a\u2028b"},
	} {
		test("binding-with-"+c.name, "not a control character", "valid", code(c.text), binding(c.text))
	}
	for _, c := range []struct{ name, text string }{
		{"default-string", "Default string"}, {"default-string-spelled-otherwise", "DEFAULT_STRING"},
		{"to-be-filled", "To be filled by O.E.M."}, {"to-be-filled-spelled-otherwise", "to-be-filled-by-oem"},
		{"uninitialized", "uninitialized"}, {"uninitialized-in-upper-case", "UNINITIALIZED"},
		{"zero", "0"}, {"zeros", "00000000-0000-0000-0000-000000000000"}, {"zeros-with-colons", "00:00:00:00:00:00"},
		{"f", "F"}, {"effs", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"}, {"small-effs", "ff:ff:ff:ff:ff:ff"},
	} {
		test("binding-placeholder-"+c.name, "a known placeholder is refused, whatever was minted", "binding-required", code(c.text), binding(c.text))
	}
	for _, c := range []struct{ name, text string }{
		{"zero-and-f", "0F0F"}, {"default", "Default"}, {"more", "Default string 2"}, {"system-serial-number", "System Serial Number"}, {"other-letters", "\u682a\u5f0f\u4f1a\u793e0"},
	} {
		test("binding-no-placeholder-"+c.name, "not one of the known placeholders", "valid", code(c.text), binding(c.text))
	}
	machine := func(text string) string {
		return bound9.mint(bound9.pack(fieldsOf(bound9.example("1000"))), &text).code()
	}
	test("binding-es256-right", "", "valid", machine("machine-1"), binding("machine-1"))
	test("binding-es256-wrong", "", "bad-signature", machine("machine-1"), binding("machine-2"))
	test("binding-es256-missing", "", "binding-required", machine("machine-1"))
	test("binding-ignored", "a text for a key without binding", "valid ignored", key10.issue("1").code(), binding(boundText))
	test("binding-ignored-es256", "", "valid ignored", key9.issue("1000").code(), binding(boundText), in("seven"))
	test("binding-empty-for-none", "an empty text is none", "valid", key10.issue("1").code(), binding(""))
	test("binding-ignored-refused", "also one that would be refused", "valid ignored", key10.issue("1").code(), binding("Default string"))
	test("binding-ignored-expired", "", "expired ignored", key10.issue("1").code(), binding(boundText), at("2030-01-01T00:00:00Z"))
	test("binding-none-missing", "nothing is ignored", "valid", key10.issue("1").code())
	forged := withCheck(change(bound8.mint(bound8.pack(fieldsOf(bound8.example("1000"))), pointer(boundText)).body, 9, 3)[:29])
	s.test("binding order", "binding-missing-and-forged", "before any cryptography", "binding-required", forged, in("bound"))
	s.test("binding order no-secret", "binding-missing-and-no-secret", "the binding is asked for first", "binding-required", code(boundText), in("bound-public"))
	s.test("binding no-secret", "binding-right-and-no-secret", "", "no-secret", code(boundText), in("bound-public"), binding(boundText))
	m := bound9.mint(bound9.pack(fieldsOf(bound9.example("1000"))), pointer("machine-1"))
	s.test("binding order", "binding-missing-and-signature-range", "the binding is asked for first", "binding-required", bound9.withSignature(m, m.r, order).code(), in("bound"))
	s.test("binding", "binding-right-and-signature-range", "", "signature-range", bound9.withSignature(m, m.r, order).code(), in("bound"), binding("machine-1"))
}

// addKeys adds codes of closed and withdrawn keys and of keys that can't be
// used for judging.
func (s *verifySuite) addKeys() {
	acme, es, plain := key8.issue("1000"), key9.issue("1000"), key10.issue("1")
	s.test("state", "closed", "its codes stay good", "valid", plain.code(), in("states"))
	s.test("state", "withdrawn", "", "key-withdrawn", acme.code(), in("states"))
	s.test("state", "withdrawn-es256", "", "key-withdrawn", es.code(), in("states"))
	s.test("state forged", "withdrawn-and-forged", "the same verdict: the signature is not looked at", "key-withdrawn", withCheck(change(acme.body, 12, 1)[:29]), in("states"))
	s.test("state forged", "withdrawn-es256-and-forged", "", "key-withdrawn", withCheck(change(es.body, 12, 1)[:116]), in("states"))
	s.test("state order", "withdrawn-and-spare-bits", "the state comes first", "key-withdrawn", withCheck(replaced(es.body, 13, "Z")[:116]), in("states"))
	s.test("state order", "withdrawn-and-no-secret", "the state comes first", "key-withdrawn", acme.code(), in("states-public"))
	s.test("state order", "withdrawn-and-expired", "the state comes first", "key-withdrawn", acme.code(), in("states"), at("2030-01-01T00:00:00Z"))
	s.test("state order", "withdrawn-and-clock-behind", "the state comes first", "key-withdrawn", acme.code(), in("states"), at("2020-01-01T00:00:00Z"))
	s.test("state order", "withdrawn-and-binding-missing", "the state comes first", "key-withdrawn",
		bound11.mint(bound11.pack(fieldsOf(bound11.example("1"))), pointer(boundText)).code(), in("states"))
	s.test("state order", "withdrawn-and-short-tag", "the state comes first", "key-withdrawn", key12.issue("1").code(), in("states"))

	s.test("no-secret", "no-secret", "", "no-secret", acme.code(), in("seven-public"))
	s.test("no-secret forged", "no-secret-and-forged", "nobody without the secret can tell", "no-secret", withCheck(change(acme.body, 12, 1)[:29]), in("seven-public"))
	s.test("no-secret", "no-secret-in-a-ring-with-secrets", "the secret of one key is left out", "no-secret", acme.code(), in("one-left-out"))
	s.test("no-secret", "secret-of-the-other-key", "", "valid", plain.code(), in("one-left-out"))
	s.test("no-secret order", "no-secret-and-clock-behind", "the clock comes last", "no-secret", acme.code(), in("seven-public"), at("2020-01-01T00:00:00Z"))
	s.test("no-secret short-tag order", "no-secret-and-short-tag", "the secret is asked for first", "no-secret", key11.issue("1").code(), in("seven-public"))
	s.test("no-secret short-tag", "no-secret-and-short-tag-allowed", "", "no-secret", key11.issue("1").code(), in("seven-public"), shortTags)

	s.test("short-tag", "short-tag-compact", "55 bits", "short-tag", key11.issue("1").code())
	s.test("short-tag", "short-tag-coupon", "35 bits", "short-tag", key12.issue("1").code())
	s.test("short-tag forged", "short-tag-and-forged", "the tag is not looked at", "short-tag", withCheck(change(key11.issue("1").body, 9, 3)[:21]))
	s.test("short-tag forged", "short-tag-allowed-and-forged", "", "bad-signature", withCheck(change(key11.issue("1").body, 9, 3)[:21]), shortTags)
	s.test("short-tag order", "short-tag-and-clock-behind", "the clock comes last", "short-tag", key11.issue("1").code(), at("2020-01-01T00:00:00Z"))
	s.test("short-tag", "short-tags-allowed-for-a-long-one", "", "valid", acme.code(), shortTags)
	s.test("short-tag", "es256-has-no-tag", "", "valid", es.code())
	short := newKey(describe("hs256", 8, "", compact, "licensee", 55), counting(0x18))
	s.ring("bound-short", ringText(true, []int{7}, short))
	code := short.mint(short.pack(fieldsOf(short.example("1"))), pointer(boundText)).code()
	s.test("short-tag binding order", "short-tag-and-binding-missing", "the binding is asked for first", "binding-required", code, in("bound-short"))
	s.test("short-tag binding", "short-tag-and-binding", "", "short-tag", code, in("bound-short"), binding(boundText))
	s.test("short-tag binding", "short-tag-allowed-and-binding", "", "valid", code, in("bound-short"), binding(boundText), shortTags)
}

// bound11 is a key with a binding that was stolen.
var bound11 = newKey(describe("hs256", 11, "", standard, "licensee", 80), counting(0x17))
