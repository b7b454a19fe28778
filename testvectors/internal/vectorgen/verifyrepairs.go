package main

import (
	"fmt"
	"math/big"
	"strings"
)

func decimalText(n int64) string { return big.NewInt(n).String() }

// addUnreadable adds codes with characters that no body has.
func (s *verifySuite) addUnreadable() {
	acme := key8.issue("1000")
	code, body := acme.code(), acme.body
	put := func(text string, place int, character string) string {
		return text[:place-1] + character + text[place:]
	}

	for _, c := range []struct{ name, character string }{
		{"digit-0", "0"}, {"letter-o", "O"}, {"digit-1", "1"}, {"letter-i", "I"}, {"small-letter-o", "o"},
		{"question-mark", "?"}, {"asterisk", "*"}, {"slash", "/"},
	} {
		s.test("unreadable repair", "unreadable-"+c.name, "at 2.3, the prefix not counted", "unreadable repaired", put(code, 13, c.character))
	}
	for _, c := range []struct{ name, character string }{
		{"cyrillic-a", "\u0410"}, {"cyrillic-small-a", "\u0430"}, {"greek-alpha", "\u0391"}, {"hangul-mieum", "\u3141"}, {"hangul-syllable", "\uac00"},
		{"full-width-0", "\uff10"}, {"full-width-small-o", "\uff4f"}, {"full-width-exclamation", "\uff01"}, {"e-acute", "\u00e9"},
		{"emoji", "\U0001F600"}, {"replacement-character", "\ufffd"}, {"bare-accent", "\u0301"},
	} {
		s.test("unreadable unicode repair", "unreadable-"+c.name, "", "unreadable repaired", put(code, 13, c.character))
	}
	s.test("unreadable unicode repair", "unreadable-byte", "a byte that is not UTF-8", "unreadable repaired", put(code, 13, "\x80"))
	s.test("unreadable unicode repair", "unreadable-two-bytes", "each byte leaves a placeholder, so two symbols are missing", "unreadable repaired",
		body[:6]+"\xe2\x82"+body[8:])
	s.test("unreadable unicode", "unreadable-two-bytes-for-one-symbol", "now it is a symbol too long", "unreadable", put(code, 13, "\xe2\x82"))
	s.test("unicode", "full-width", "the whole code in full width", "valid", fullWidth(code))
	s.test("unicode", "full-width-lower-case", "", "valid", fullWidth(strings.ToLower(code)))
	s.test("unicode unreadable", "cyrillic-prefix", "the prefix has a placeholder", "extra-text", "\u0410CME"+body)

	s.test("unreadable repair", "unreadable-first-symbol", "line c", "unreadable repaired", hide(body, 1))
	s.test("unreadable repair", "unreadable-first-symbol-after-prefix", "line a", "unreadable repaired", "ACME"+hide(body, 1))
	s.test("unreadable repair", "unreadable-first-symbol-of-the-second-key", "line c reads key 8, the fill is a code of key 10", "unreadable repaired", hide(key10.issue("1").body, 1))
	s.test("unreadable repair", "unreadable-check-symbol", "", "unreadable repaired", hide(body, 32))
	s.test("unreadable repair", "unreadable-two", "", "unreadable repaired", hide(body, 4, 21))
	s.test("unreadable repair", "unreadable-two-kinds", "a digit 0 and a foreign letter", "unreadable repaired", body[:3]+"0"+body[4:20]+"\u0416"+body[21:])
	s.test("unreadable repair", "unreadable-two-beside", "", "unreadable repaired", hide(body, 17, 18))
	s.test("unreadable", "unreadable-three", "", "unreadable", hide(body, 4, 21, 30))
	s.test("unreadable", "unreadable-all", "", "unreadable", strings.Repeat("?", 32))
	s.test("unreadable", "unreadable-one-and-a-typo", "no fill", "unreadable", hide(change(body, 10, 3), 20))
	s.test("unreadable repair", "unreadable-es256", "", "unreadable repaired", hide(key9.issue("1000").body, 60, 119))
	s.test("unreadable", "unreadable-three-es256", "", "unreadable", hide(key9.issue("1000").body, 1, 60, 119))
	s.test("unreadable", "unreadable-and-one-missing", "the number in the input, the hyphens counted", "unreadable", put(code, 13, "!")[:len(code)-1])
	s.test("unreadable", "unreadable-and-one-missing-after-spaces", "code points count, not bytes", "unreadable",
		"\u3000\u3000"+put(code, 13, "\u0416")[:len(code)])
	s.test("unreadable", "unreadable-bytes-and-one-missing", "a byte that is not UTF-8 counts as one", "unreadable", "\u3000"+body[:10]+"\xff\xfe?"+body[14:])
	s.test("unreadable", "digit-0-and-one-missing", "0 is no placeholder, so the length is named", "wrong-length", put(body, 7, "0")[:31])

	forged := withCheck(change(body, 12, 1)[:29])
	s.test("unreadable forged", "unreadable-of-a-forged-code", "the fill is not authentic, so only the places are named", "unreadable", hide(forged, 4, 21))
	s.test("unreadable no-secret", "unreadable-possible", "without the secret the fill is possible", "unreadable possible", hide(body, 4, 21), in("seven-public"))
	s.test("unreadable no-secret forged", "unreadable-possible-of-a-forged-code", "nobody without the secret can tell", "unreadable possible", hide(forged, 4, 21), in("seven-public"))
	s.test("unreadable no-secret", "unreadable-unknown-key", "the fill would be of a key that is not in the ring", "unreadable", hide(foreign20.issue("1").body, 1, 9))
}

// addRepairs adds codes with one slip, and more than one.
func (s *verifySuite) addRepairs() {
	acme := key8.issue("1000")
	body := acme.body
	es := key9.issue("1000").body

	for i := 1; i <= 32; i++ {
		s.test("repair every-place", fmt.Sprintf("typo-at-%d", i), "", "typo repaired", printed("ACME", change(body, i, 1+i%31)))
	}
	s.test("repair", "typo-that-ends-well-formed", "the last 33 characters are well formed by chance, and name key 12, which is not there", "typo repaired", "ACME-AHJX-YQET-69FW-H3QZ-JG9L-69PS-6HVK-ELWZ")
	s.test("repair", "typo-without-prefix", "the proposal has no prefix either", "typo repaired", printed("", change(body, 10, 4)))
	s.test("repair", "typo-lower-case", "got is the upper-case letter", "typo repaired", "acme"+strings.ToLower(change(body, 10, 4)))
	s.test("repair", "typo-first-symbol-without-prefix", "line c", "typo repaired", change(body, 1, 1))
	s.test("repair", "typo-first-symbol-to-2", "", "typo repaired", replaced(body, 0, "2"))
	s.test("repair", "typo-first-symbol-of-the-second-key", "line c reads key 8, the repair is a code of key 10", "typo repaired", replaced(key10.issue("1").body, 0, "Z"))
	s.test("repair", "typo-first-symbol-to-another-key", "the right length counts more than the symbol, which names key 11 with shorter codes", "typo repaired", "ACME"+replaced(body, 0, "D"))
	s.test("repair", "typo-to-another-key-of-the-length", "line c reads the first key of the length, the repair is a code of key 8", "typo repaired", replaced(body, 0, "C"))
	s.test("repair", "typo-es256", "", "typo repaired", change(es, 77, 4))
	s.test("repair", "typo-es256-first-symbol", "", "typo repaired", change(es, 1, 4))
	s.test("repair", "typo-wide", "", "typo repaired", "OI10"+change(key13.issue("1").body, 40, 4))

	pairs := func(name string, m string) {
		n := len(m)
		done := map[string]bool{}
		for i := 2; i+2 <= n && len(done) < 2; i++ {
			if m[i-1] != m[i] && !done["transposition"] {
				s.test("repair", "transposition-"+name, "", "typo repaired", exchange(m, i, i+1))
				done["transposition"] = true
			}
			if m[i-1] != m[i+1] && !done["jump"] {
				s.test("repair", "jump-"+name, "", "typo repaired", exchange(m, i, i+2))
				done["jump"] = true
			}
		}
	}
	pairs("standard", body)
	pairs("es256", es)
	s.test("repair", "transposition-of-the-first-two", "the first symbol too", "typo repaired", exchange(body, 1, 2))
	s.test("repair", "transposition-of-the-last-two", "", "typo repaired", exchange(body, 31, 32))
	s.test("repair", "jump-of-the-last", "", "typo repaired", exchange(body, 30, 32))
	s.test("repair", "jump-of-the-first", "", "typo repaired", exchange(body, 1, 3))

	// Codes with a twin inside.
	twin := func(name string, distance int) {
		for serial := int64(1); ; serial++ {
			m := key8.issue(decimalText(serial)).body
			for i := 2; i+distance <= 29; i++ {
				if m[i-1] == m[i-1+distance] {
					s.test("repair", name, "", "typo repaired", "ACME"+replaced(change(m, i, 7), i-1+distance, other(m, i, 7)))
					return
				}
			}
		}
	}
	twin("twin", 1)
	twin("jump-twin", 2)

	s.test("repair", "two-typos", "no one slip explains it", "typo", twoWrong(body))
	s.test("repair", "two-typos-es256", "", "typo", twoWrong(es))
	s.test("repair", "groups-exchanged", "", "typo", body[:8]+body[12:16]+body[8:12]+body[16:])

	// A slip that explains the text, but not to a good code.
	forged := withCheck(change(body, 12, 1)[:29])
	s.test("repair forged", "typo-in-a-forged-code", "the repair is well formed and not authentic, so nothing is named", "typo", change(forged, 20, 3))
	s.test("repair forged", "typo-in-a-forged-es256-code", "", "typo", change(withCheck(change(es, 12, 1)[:116]), 20, 3))
	s.test("repair", "typo-in-a-foreign-code", "the repair is a code of no key in the ring", "typo", change(foreign20.issue("1").body, 9, 3))
	s.test("repair", "typo-in-a-product-not-allowed", "the repair is authentic and not allowed", "typo",
		change(key8.mintFields(with(key8.example("1"), "product", "8")).body, 9, 3))
	s.test("repair", "typo-in-an-expired-code", "policy has no say in a repair", "typo repaired", change(body, 9, 3), at("2030-01-01T00:00:00Z"))
	s.test("repair clock", "typo-with-the-clock-behind", "nor has the clock", "typo repaired", change(body, 9, 3), at("2020-01-01T00:00:00Z"))
	s.test("repair state", "typo-in-a-withdrawn-code", "the repair would be refused", "typo", change(body, 9, 3), in("states"))
	s.test("repair state", "typo-in-a-closed-code", "", "typo repaired", change(key10.issue("1").body, 9, 3), in("states"))
	s.test("repair no-secret", "typo-possible", "without the secret", "typo possible", printed("ACME", change(body, 9, 3)), in("seven-public"))
	s.test("repair no-secret", "transposition-possible", "", "typo possible", exchange(body, 12, 13), in("seven-public"))
	s.test("repair no-secret forged", "typo-possible-in-a-forged-code", "nobody without the secret can tell", "typo possible", change(forged, 20, 3), in("seven-public"))
	s.test("repair no-secret", "typo-es256-in-a-public-ring", "es256 needs no secret", "typo repaired", change(es, 77, 4), in("seven-public"))
	s.test("repair no-secret state", "typo-in-a-withdrawn-code-without-secret", "", "typo", change(body, 9, 3), in("states-public"))
	small := key11.issue("1").body
	s.test("repair short-tag", "typo-short-tag", "a key whose codes are not judged confirms nothing", "typo possible", change(small, 9, 3))
	s.test("repair short-tag", "typo-short-tag-allowed", "", "typo repaired", change(small, 9, 3), shortTags)
	s.test("repair short-tag no-secret", "typo-short-tag-without-secret", "", "typo possible", change(small, 9, 3), in("seven-public"))

	code := bound8.mint(bound8.pack(fieldsOf(bound8.example("1000"))), pointer(boundText)).body
	s.test("repair binding", "typo-bound", "", "typo repaired", change(code, 9, 3), in("bound"), binding(boundText))
	s.test("repair binding", "typo-bound-wrong-text", "the repair is not authentic under this text", "typo", change(code, 9, 3), in("bound"), binding("Other GmbH"))
	s.test("repair binding", "typo-bound-without-text", "without the text the repair is possible", "typo possible", change(code, 9, 3), in("bound"))
	s.test("repair binding", "typo-bound-refused-text", "a refused text is none", "typo possible", change(code, 9, 3), in("bound"), binding("Default string"))
	s.test("unreadable binding", "unreadable-bound-without-text", "", "unreadable possible", hide(code, 9), in("bound"))
	es = bound9.mint(bound9.pack(fieldsOf(bound9.example("1000"))), pointer("machine-1")).body
	s.test("repair binding", "typo-bound-es256-without-text", "the signature can't be verified without the text", "typo possible", change(es, 9, 3), in("bound"))
}
