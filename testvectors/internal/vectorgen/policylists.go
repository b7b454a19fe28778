package main

import "crypto/ecdsa"

func (s *policySuite) addSequences() {
	code := key8.issue("1000").code()
	revoked := revokedLine(key8, "7", "1000", "1000")
	test := func(name, comment, want string, g given) { s.test("lists", name, comment, want, code, g) }
	s.list("11-revoked", "11", revoked)
	s.list("12-revoked", "12", revoked)
	s.list("13", "13")
	s.list("13-revoked", "13", revoked)
	s.list("9", "9")
	s.list("10-revoked", "10", revoked)
	s.list("largest", "9007199254740991", revoked)
	test("newer-after-older", "an entry that the newer list lacks is restored", "valid by 13", given{lists: "12-revoked 13"})
	test("older-after-newer", "the order makes no difference", "valid by 13", given{lists: "13 12-revoked"})
	test("newer-after-older-revoked", "", "revoked by 13", given{lists: "nothing 13-revoked"})
	test("older-after-newer-revoked", "", "revoked by 13", given{lists: "13-revoked nothing"})
	test("three-lists", "", "valid by 13", given{lists: "11-revoked 13 12-revoked"})
	test("by-number", "10 is after 9", "revoked by 10", given{lists: "9 10-revoked"})
	test("by-number-exchanged", "", "revoked by 10", given{lists: "10-revoked 9"})
	test("largest-number", "2^53-1", "revoked by 9007199254740991", given{lists: "13 largest"})

	test("at-least-equal", "", "valid by 12", given{lists: "nothing", lowest: "12"})
	test("at-least-lower", "", "valid by 12", given{lists: "nothing", lowest: "11"})
	test("at-least-higher", "", "list-older", given{lists: "nothing", lowest: "13"})
	test("at-least-higher-for-all", "", "list-older", given{lists: "nothing 11-revoked", lowest: "13"})
	test("at-least-and-no-list", "one is demanded", "list-older", given{lowest: "1"})
	test("at-least-1", "any list", "valid by 12", given{lists: "nothing", lowest: "1"})
	test("at-least-with-a-newer-one", "one of two is too old", "valid by 13", given{lists: "12-revoked 13", lowest: "13"})
	test("at-least-with-a-newer-one-exchanged", "", "valid by 13", given{lists: "13 12-revoked", lowest: "13"})
	test("at-least-largest", "", "list-older", given{lists: "13", lowest: "9007199254740991"})

	test("same-list-twice", "", "valid by 12", given{lists: "nothing nothing"})
	text := listText("12", issued, due)
	s.note("nothing-by-key-2", signNote(text, list2))
	s.note("nothing-in-crlf", crlf(signNote(text, list1)))
	test("same-text-by-another-key", "texts are compared, not notes", "valid by 12", given{lists: "nothing nothing-by-key-2"})
	test("same-text-with-crlf", "", "valid by 12", given{lists: "nothing nothing-in-crlf"})
	test("conflict", "one number, two texts", "list-conflict", given{lists: "nothing 12-revoked"})
	test("conflict-exchanged", "", "list-conflict", given{lists: "12-revoked nothing"})
	s.note("12-later", signNote(listText("12", "2026-12-01T09:30:01Z", due), list1))
	s.note("12-due-later", signNote(listText("12", issued, "2027-01-01T00:00:01Z"), list1))
	test("conflict-of-the-issue-time", "", "list-conflict", given{lists: "nothing 12-later"})
	test("conflict-of-the-due-time", "", "list-conflict", given{lists: "nothing 12-due-later"})
	test("conflict-of-a-minimum", "", "list-conflict", given{lists: "minimum-3 minimum-4"})
	test("conflict-of-a-key", "", "list-conflict", given{lists: "key-8-closed key-8-withdrawn"})

	good := s.lists["nothing"]
	s.note("unsigned", text)
	s.note("by-a-stranger", signNote(text, stranger))
	s.note("by-a-withdrawn-key", signNote(text, list4))
	s.note("changed", edit(good, "sequence 12", "sequence 13"))
	s.note("cut-off", good[:len(good)-1])
	s.note("other-issuer", signNote(edit(text, "Acme Tools", "Other Tools"), list1))
	s.note("manifest", signNote(workedManifest, list1))
	s.note("later-version", signNote(edit(text, "/v1", "/v2"), list1))
	s.note("not-sorted", signNote(listText("12", issued, due, revokedLine(key8, "7", "20", "20"), revokedLine(key8, "7", "10", "10")), list1))
	for _, name := range []string{"unsigned", "by-a-stranger", "by-a-withdrawn-key", "changed", "cut-off", "other-issuer", "manifest", "later-version", "not-sorted"} {
		test("unreadable-"+name, "never taken for an empty list", "list-unreadable", given{lists: name})
	}
	test("unreadable-beside-a-good-one", "a program does not begin with what it can't read", "list-unreadable", given{lists: "nothing cut-off"})
	test("unreadable-beside-a-good-one-exchanged", "", "list-unreadable", given{lists: "cut-off nothing"})
	s.test("lists order", "unreadable-and-a-typo", "about any code", "list-unreadable", typo(code), given{lists: "cut-off"})
	s.test("lists order", "older-and-a-typo", "about any code", "list-older", typo(code), given{lists: "nothing", lowest: "13"})

	// A list key that a list withdraws signs no later one.
	s.sign("12-by-key-1", "12", list1)
	s.sign("13-by-key-2", "13", list2, keyLine(listID(list1), "withdrawn"))
	s.sign("14-by-key-1", "14", list1)
	s.sign("14-by-key-2", "14", list2, revoked)
	s.sign("13-by-key-1", "13", list1, keyLine(listID(list1), "withdrawn"))
	s.sign("13-closes-key-1", "13", list2, keyLine(listID(list1), "closed"))
	test("signer-of-an-older-list-withdrawn", "", "valid by 13", given{lists: "12-by-key-1 13-by-key-2"})
	test("signer-of-an-older-list-withdrawn-exchanged", "", "valid by 13", given{lists: "13-by-key-2 12-by-key-1"})
	test("signer-of-a-newer-list-withdrawn", "", "list-unreadable", given{lists: "13-by-key-2 14-by-key-1"})
	test("signer-of-a-newer-list-withdrawn-exchanged", "", "list-unreadable", given{lists: "14-by-key-1 13-by-key-2"})
	test("other-signer-goes-on", "", "revoked by 14", given{lists: "13-by-key-2 14-by-key-2"})
	test("signer-withdraws-itself", "the list that says so counts", "valid by 13", given{lists: "13-by-key-1"})
	test("signer-closed", "a closed list key verifies", "valid by 14", given{lists: "13-closes-key-1 14-by-key-1"})
}

// sign adds a list with usual times, signed with a key of the test's choice.
func (s *policySuite) sign(name, sequence string, private *ecdsa.PrivateKey, lines ...string) {
	s.note(name, signNote(listText(sequence, issued, due, lines...), private))
}

func (s *policySuite) addUpdates() {
	code := key8.issue("1000").code()
	test := func(name, comment, want string, g given) { s.test("update", name, comment, want, code, g) }
	test("update-of-none", "the program began without a list", "revoked by 12", given{updates: "12-revoked:taken"})
	test("update-newer", "", "revoked by 13", given{lists: "nothing", updates: "13-revoked:taken"})
	test("update-newer-restores", "no list before it has a say", "valid by 13", given{lists: "12-revoked", updates: "13:taken"})
	test("update-older", "the one at hand stays", "valid by 13", given{lists: "13", updates: "12-revoked:list-older"})
	test("update-same", "the very list at hand", "valid by 12", given{lists: "nothing", updates: "nothing:same"})
	test("update-same-by-another-key", "", "valid by 12", given{lists: "nothing", updates: "nothing-by-key-2:same"})
	test("update-conflict", "the one at hand stays", "valid by 12", given{lists: "nothing", updates: "12-revoked:list-conflict"})
	test("update-newer-and-older", "", "valid by 13", given{updates: "13:taken 12-revoked:list-older"})
	test("update-older-and-newer", "", "valid by 13", given{updates: "12-revoked:taken 13:taken"})
	test("update-below-the-lowest-then-newer", "a program can demand a list only when it begins with one", "valid by 13", given{lists: "13", lowest: "13", updates: "12-revoked:list-older"})
	for _, name := range []string{"unsigned", "by-a-stranger", "by-a-withdrawn-key", "changed", "cut-off", "other-issuer", "manifest", "later-version", "not-sorted"} {
		test("update-"+name, "the one at hand stays", "revoked by 12", given{lists: "12-revoked", updates: name + ":list-unreadable"})
	}
	test("update-unreadable-of-none", "", "valid", given{updates: "cut-off:list-unreadable"})
	test("update-withdraws-a-key", "", "key-withdrawn", given{lists: "9", updates: "key-8-withdrawn:taken"})
	test("update-restores-a-key", "the newest list alone decides", "valid by 13", given{lists: "key-8-withdrawn", updates: "13:taken"})
	test("update-raises-the-minimum", "", "below-minimum by 12", given{lists: "9", updates: "minimum-4:taken"})
	test("update-by-a-withdrawn-signer", "", "valid by 13", given{lists: "13-by-key-2", updates: "14-by-key-1:list-unreadable"})
	test("update-by-a-signer-that-withdrew-itself", "", "valid by 13", given{lists: "13-by-key-1", updates: "14-by-key-1:list-unreadable"})
	test("update-by-the-other-signer", "", "revoked by 14", given{lists: "13-by-key-2", updates: "14-by-key-2:taken"})
	test("update-by-a-closed-signer", "", "valid by 14", given{lists: "13-closes-key-1", updates: "14-by-key-1:taken"})
}
