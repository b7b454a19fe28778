package payload_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/licet-dev/licet/payload"
)

// sevenShapes are those of a ring with mixed layouts, prefixes and lengths. Two
// keys share a prefix, one prefix has digits that no body has, another has
// nothing but symbols, and P477 with 20 symbols is as long as the 24 of key 12.
var sevenShapes = []payload.Shape{
	{Number: 1, Prefix: "B0O1", Symbols: 29},
	{Number: 8, Prefix: "ACME", Symbols: 32},
	{Number: 9, Prefix: "", Symbols: 119},
	{Number: 10, Prefix: "ACME", Symbols: 40},
	{Number: 11, Prefix: "P477", Symbols: 20},
	{Number: 12, Prefix: "", Symbols: 24},
	{Number: 31, Prefix: "ZZZZZZZZ", Symbols: 14},
}

func sevenKeys(t testing.TB) *payload.Reader {
	t.Helper()
	r, err := payload.NewReader(sevenShapes...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// acme is the code of SPEC.md, section 10.1.
const acme = "AHJXYQET69FWH3QZJG9E69PS6HVKELWZ"

// codes are good codes of the seven keys by number, and of some others.
var codes = func() map[int]string {
	r := newRand(12)
	m := map[int]string{
		0:  randomCode(r, '2', 32), // of a later format
		5:  randomCode(r, '7', 32), // of a key that is not known
		30: randomCode(r, 'Y', 20), // and another one
	}
	for _, s := range sevenShapes {
		m[s.Number] = randomCode(r, payload.Symbol(s.Number), s.Symbols)
	}
	m[8] = acme
	return m
}()

func printed(prefix, symbols string) string {
	return string(payload.AppendCode(nil, prefix, []byte(symbols), payload.GroupSize))
}

func TestReadGoodCodes(t *testing.T) {
	reader := sevenKeys(t)
	for _, s := range sevenShapes {
		code := codes[s.Number]
		for _, input := range []string{
			code, s.Prefix + code, printed("", code), printed(s.Prefix, code),
			strings.ToLower(printed(s.Prefix, code)), " " + printed(s.Prefix, code) + "\r\n", "“" + s.Prefix + " " + code + ".”",
		} {
			key, symbols, err := reader.Read(input, make([]byte, 0, 8))
			if key != s.Number || string(symbols) != code || err != nil {
				t.Errorf("Read(%q) = %d, %s, %v; want %d, %s", input, key, symbols, err, s.Number, code)
			}
		}
	}
}

func TestReadingTable(t *testing.T) {
	reader := sevenKeys(t)
	wrongLength := func(have, want int) payload.ReadError {
		return payload.ReadError{Reason: payload.WrongLength, Have: have, Want: want}
	}
	extra := func(before, after int) payload.ReadError {
		return payload.ReadError{Reason: payload.ExtraText, Before: before, After: after}
	}
	repeated := func(m int) payload.ReadError { return payload.ReadError{Reason: payload.Repeated, Copies: m} }
	wrongPrefix := func(n int) payload.ReadError { return payload.ReadError{Reason: payload.WrongPrefix, Before: n} }
	unknown := func(key int) payload.ReadError { return payload.ReadError{Reason: payload.UnknownKey, Key: key} }
	place := func(i int, got rune, want byte, input int) payload.Place {
		return payload.Place{Group: i/4 + 1, Char: i%4 + 1, Input: input, Got: got, Want: want}
	}
	typo := func(proposal string, kind payload.SlipKind, places ...payload.Place) payload.ReadError {
		return payload.ReadError{Reason: payload.Typo, Slip: kind, Places: places, Proposal: proposal}
	}
	unreadable := func(proposal string, places ...payload.Place) payload.ReadError {
		return payload.ReadError{Reason: payload.Unreadable, Places: places, Proposal: proposal}
	}
	empty := payload.ReadError{Reason: payload.Empty}
	later := payload.ReadError{Reason: payload.LaterFormat}
	prefixOnly := payload.ReadError{Reason: payload.PrefixOnly}

	for _, c := range []struct {
		name, input string
		want        payload.ReadError
	}{
		// Before any rule
		{"nothing", "", empty},
		{"nothing but hyphens and spaces", " -- \u200b\n", empty},
		{"1,025 bytes", strings.Repeat("-", 1025), payload.ReadError{Reason: payload.TooLong, Have: 1025, Want: 1024}},
		{"a code after 1,000 spaces", strings.Repeat(" ", 1000) + acme, payload.ReadError{Reason: payload.TooLong, Have: 1032, Want: 1024}},

		// B: pasted several times
		{"CT-04 twice", acme + acme, repeated(2)},
		{"CT-04 twice on two lines", printed("ACME", acme) + "\n" + printed("ACME", acme), repeated(2)},
		{"twice, first with prefix", "ACME" + acme + acme, repeated(2)},
		{"twice, then with prefix", acme + "ACME" + acme, repeated(2)},
		{"three times, prefixes mixed", acme + "ACME" + acme + acme, repeated(3)},
		{"three times, all with prefix", strings.Repeat("ACME"+acme, 3), repeated(3)},
		{"seven times", strings.Repeat(acme, 7), repeated(7)},
		{"the longest twice", codes[9] + codes[9], repeated(2)},
		{"a prefix with digits, twice", "B0O1" + codes[1] + codes[1], repeated(2)},
		{"twice, but another key's prefix", acme + "P477" + acme, wrongLength(68, 40)},
		{"two different codes", codes[12] + codes[11], wrongLength(44, 40)},
		{"a repetition cut short", acme + acme[:16], extra(0, 16)},

		// C: a good code with text around it
		{"CT-03 xx before", "xx" + acme, wrongPrefix(2)},
		{"CT-03 !! after", acme + "!!", extra(0, 2)},
		{"CT-03 a label before", "Your code: " + acme, extra(9, 0)},
		{"CT-03 one group too many", printed("ACME", acme) + "-ELWZ", extra(0, 4)},
		{"one symbol before", "A" + acme, extra(1, 0)},
		{"eight symbols before", "ABCDEFGH" + acme, wrongPrefix(8)},
		{"nine symbols before", "ABCDEFGHJ" + acme, extra(9, 0)},
		{"a colon among what is before", "NR:" + acme, extra(3, 0)},
		{"another key's prefix", "P477-" + printed("", acme), wrongPrefix(4)},
		{"a prefix of nobody", "ZETA-" + printed("", acme), wrongPrefix(4)},
		{"its prefix and something after", "ACME" + acme + "B", extra(0, 1)},
		{"its prefix and something before", "B" + "ACME" + acme, extra(1, 0)},
		{"another prefix before its own", "P477ACME" + acme, extra(4, 0)},
		{"its prefix twice", "ACMEACME" + acme, extra(4, 0)},
		{"text on both sides", "(" + acme + ")", extra(1, 1)},
		{"sixteen before", strings.Repeat("B", 16) + acme, extra(16, 0)},
		{"seventeen before", strings.Repeat("B", 17) + acme, wrongLength(49, 40)},
		{"sixteen around", strings.Repeat("B", 8) + acme + strings.Repeat("B", 8), extra(8, 8)},
		{"seventeen around", strings.Repeat("B", 8) + acme + strings.Repeat("B", 9), wrongLength(49, 40)},
		{"the prefix does not count to the sixteen", strings.Repeat("B", 16) + "ACME" + acme, extra(16, 0)},
		{"the prefix of a code of another key", "ACME" + codes[12], wrongPrefix(4)},
		{"a short code after a long prefix", "ZZZZZZZZ" + codes[11], wrongPrefix(8)},

		// D: codes of others
		{"an unknown key", codes[5], unknown(5)},
		{"an unknown key and prefix", "ZETA-" + printed("", codes[5]), unknown(5)},
		{"an unknown key and a prefix with 0 and 1", "Z01O-" + printed("", codes[5]), unknown(5)},
		{"an unknown key and our prefix", "ACME-" + printed("", codes[5]), unknown(5)},
		{"an unknown key of another length", codes[30], unknown(30)},
		{"an unknown key, one symbol before", "A" + codes[5], wrongLength(33, 32)},
		{"an unknown key, nine symbols before", "ABCDEFGHJ" + codes[5], wrongLength(41, 40)},
		{"key number 0", codes[0], later},
		{"key number 0 after a prefix", "ACME" + codes[0], later},
		{"a known number in another length", randomCode(newRand(13), 'A', 40), wrongLength(40, 32)},
		{"the same after a prefix", "ZETA" + randomCode(newRand(13), 'A', 40), wrongLength(40, 32)},
		{"a foreign code at the end of a text like one of ours", "ABCDEFGH" + randomCode(newRand(20), '7', 24), typo("", 0)},
		{"the same, one symbol shorter", "BCDEFGH" + randomCode(newRand(20), '7', 24), unknown(5)},
		{"a foreign code at the end of a text with our prefix", "ACMEBCDE" + randomCode(newRand(21), '7', 28), typo("", 0)},
		{"the same, one symbol shorter, with our prefix", "ACMEBCD" + randomCode(newRand(21), '7', 28), unknown(5)},
		{"eleven symbols", randomCode(newRand(14), '7', 11), wrongLength(11, 14)},
		{"twelve symbols", randomCode(newRand(15), '7', 12), unknown(5)},
		{"139 symbols", randomCode(newRand(16), '7', 139), unknown(5)},
		{"140 symbols", randomCode(newRand(17), '7', 140), wrongLength(140, 119)},

		// E: the nearest key
		{"only the prefix", "ACME", prefixOnly},
		{"only the prefix, in another spelling", " acme- ", prefixOnly},
		{"only a prefix with 0 and 1", "b0o1", prefixOnly},
		{"a prefix less one symbol", "ACM", wrongLength(3, 14)},
		{"prefix and first symbol", "ACMEA", wrongLength(1, 32)},
		{"CT-05 one symbol missing", acme[:31], wrongLength(31, 32)},
		{"CT-05 two missing", "ACME" + acme[:30], wrongLength(30, 32)},
		{"CT-05 three missing", acme[:29], typo("", 0)}, // as long as the codes of key 1
		{"three missing after the prefix", "ACME" + acme[:29], wrongLength(29, 32)},
		{"CT-05 four missing", acme[:28], wrongLength(28, 32)},
		{"one symbol missing inside", acme[:9] + acme[10:], wrongLength(31, 32)},
		{"the first group missing", acme[4:], wrongLength(28, 29)},
		{"the prefix for the first group", "ACME" + acme[4:], typo("", 0)}, // A is also the first symbol of key 8
		{"prefix and first symbol, but one group missing", "ACME" + acme[:4] + acme[8:], wrongLength(28, 32)},
		{"half a code", acme[:16], wrongLength(16, 14)},
		{"CT-05 ! inside", acme[:8] + "!" + acme[8:], unreadable("", payload.Place{Input: 9, Got: '!'})},
		{"! inside of a wrong length, after a prefix", "ACME-AHJX!", unreadable("", payload.Place{Input: 10, Got: '!'})},

		{"a typo", replaced(acme, 4, 'Z'), typo(printed("", acme), payload.Substitution, place(4, 'Z', 'Y', 5))},
		{"a typo after the prefix", printed("ACME", replaced(acme, 4, 'Z')), typo(printed("ACME", acme), payload.Substitution, place(4, 'Z', 'Y', 11))},
		{"a typo in the first symbol", replaced(acme, 0, 'E'), typo(printed("", acme), payload.Substitution, place(0, 'E', 'A', 1))},
		{"a typo in the first symbol, to an unknown number", replaced(acme, 0, '7'), typo(printed("", acme), payload.Substitution, place(0, '7', 'A', 1))},
		{"a typo in the first symbol, after the prefix", "ACME" + replaced(acme, 0, '7'), typo(printed("ACME", acme), payload.Substitution, place(0, '7', 'A', 5))},
		{"a typo in the last symbol", replaced(acme, 31, 'A'), typo(printed("", acme), payload.Substitution, place(31, 'A', 'Z', 32))},
		{"two exchanged", exchanged(acme, 6, 7), typo(printed("", acme), payload.Transposition, place(6, 'T', 'E', 7), place(7, 'E', 'T', 8))},
		{"two exchanged across a third", exchanged(acme, 6, 8), typo(printed("", acme), payload.Transposition, place(6, '6', 'E', 7), place(8, 'E', '6', 9))},
		{"the first two exchanged", exchanged(acme, 0, 1), typo(printed("", acme), payload.Transposition, place(0, 'H', 'A', 1), place(1, 'A', 'H', 2))},
		{"two wrong", replaced(replaced(acme, 4, 'Z'), 20, 'Z'), typo("", 0)},
		{"a typo in the prefix", "ACNE" + acme, wrongPrefix(4)},
		{"a typo in the prefix, one in the code", "ACNE" + replaced(acme, 4, 'Z'), wrongLength(36, 32)},

		{"one unreadable", replaced(acme, 5, '0'), unreadable(printed("", acme), place(5, '0', 'Q', 6))},
		{"one unreadable after a prefix", "ACME-" + replaced(acme, 5, 'o'), unreadable(printed("ACME", acme), place(5, 'O', 'Q', 11))},
		{"two unreadable", replaced(replaced(acme, 5, '?'), 30, '1'), unreadable(printed("", acme), place(5, '?', 'Q', 6), place(30, '1', 'W', 31))},
		{"three unreadable", replaced(replaced(replaced(acme, 5, 'I'), 6, 'I'), 7, 'I'), unreadable("", place(5, 'I', 0, 6), place(6, 'I', 0, 7), place(7, 'I', 0, 8))},
		{"one unreadable, one wrong", replaced(replaced(acme, 5, '0'), 9, 'B'), unreadable("", place(5, '0', 0, 6))},
		{"the first unreadable", replaced(acme, 0, '?'), unreadable(printed("", acme), place(0, '?', 'A', 1))},
		{"CT-15 a Cyrillic letter", printed("ACME", acme)[:12] + "Е" + printed("ACME", acme)[13:], unreadable(printed("ACME", acme), place(6, 'Е', 'E', 13))},
		{"CT-15 a byte that is not UTF-8", acme[:5] + "\xff" + acme[6:], unreadable(printed("", acme), place(5, '\ufffd', 'Q', 6))},
		{"CT-13 a dotless i", acme[:5] + "ı" + acme[6:], unreadable(printed("", acme), place(5, 'ı', 'Q', 6))},
		{"places count characters of the input", "\u200bACME – AHJX – Y½" + acme[6:], unreadable(printed("ACME", acme), place(5, '½', 'Q', 17))},
		{"places in a text of the wrong length", "\u200bACME – AHJX – Y½\xff", unreadable("", payload.Place{Input: 17, Got: '½'}, payload.Place{Input: 18, Got: '\ufffd'})},

		// P477 and 20 symbols are 24, as many as key 12 has.
		{"coupon with prefix", "P477" + replaced(codes[11], 3, other(codes[11][3])), typo(printed("P477", codes[11]), payload.Substitution, place(3, rune(other(codes[11][3])), codes[11][3], 8))},
		{"compact beside it", replaced(codes[12], 3, other(codes[12][3])), typo(printed("", codes[12]), payload.Substitution, place(3, rune(other(codes[12][3])), codes[12][3], 4))},
		{"a typo in the first symbol of the coupon", "P477" + replaced(codes[11], 0, 'E'), typo(printed("P477", codes[11]), payload.Substitution, place(0, 'E', 'D', 5))},
	} {
		key, symbols, err := reader.Read(c.input, nil)
		if err == nil {
			t.Errorf("%s: %q reads as key %d, %s", c.name, c.input, key, symbols)
			continue
		}
		var e *payload.ReadError
		if !errors.As(err, &e) || !errors.Is(err, c.want.Reason) || key != 0 || symbols != nil {
			t.Errorf("%s: Read = %d, %q, %#v", c.name, key, symbols, err)
			continue
		}
		if !reflect.DeepEqual(*e, c.want) {
			t.Errorf("%s: %q:\n got %+v\nwant %+v", c.name, c.input, *e, c.want)
		}
	}
}

// A reader without keys tells typing errors only.
func TestReaderWithoutKeys(t *testing.T) {
	reader, err := payload.NewReader()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, input string
		want        payload.ReadError
	}{
		{"a good code", acme, payload.ReadError{Reason: payload.UnknownKey, Key: 8}},
		{"a good code with prefix", "ACME" + acme, payload.ReadError{Reason: payload.UnknownKey, Key: 8}},
		{"a later format", codes[0], payload.ReadError{Reason: payload.LaterFormat}},
		{"a typo", replaced(acme, 4, 'Z'), payload.ReadError{
			Reason: payload.Typo, Slip: payload.Substitution, Proposal: printed("", acme),
			Places: []payload.Place{{Group: 2, Char: 1, Input: 5, Got: 'Z', Want: 'Y'}},
		}},
		{"one unreadable", replaced(acme, 4, '0'), payload.ReadError{
			Reason: payload.Unreadable, Proposal: printed("", acme),
			Places: []payload.Place{{Group: 2, Char: 1, Input: 5, Got: '0', Want: 'Y'}},
		}},
		{"a short text", acme[:11], payload.ReadError{Reason: payload.WrongLength, Have: 11}},
		{"a short text with a placeholder", acme[:10] + "?", payload.ReadError{Reason: payload.Unreadable, Places: []payload.Place{{Input: 11, Got: '?'}}}},
		{"a long text", strings.Repeat("A", 140), payload.ReadError{Reason: payload.WrongLength, Have: 140}},
		{"twice", acme + acme, payload.ReadError{Reason: payload.Typo}},
		{"nothing", "", payload.ReadError{Reason: payload.Empty}},
	} {
		_, _, err := reader.Read(c.input, nil)
		var e *payload.ReadError
		if !errors.As(err, &e) || !reflect.DeepEqual(*e, c.want) {
			t.Errorf("%s: %q:\n got %+v\nwant %+v", c.name, c.input, e, c.want)
		}
	}
}

// SPEC.md, section 5.2, from both sides.
func TestShapeRule(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b payload.Shape
		ok   bool
	}{
		{"no prefixes, the same length", payload.Shape{8, "", 32}, payload.Shape{9, "", 32}, true},
		{"one prefix, the same length", payload.Shape{8, "ACME", 32}, payload.Shape{9, "ACME", 32}, true},
		{"one prefix, other lengths", payload.Shape{8, "ACME", 32}, payload.Shape{9, "ACME", 40}, true},
		{"the same number", payload.Shape{8, "ACME", 32}, payload.Shape{8, "ZETA", 40}, false},
		{"the same number and nothing else", payload.Shape{8, "", 32}, payload.Shape{8, "", 119}, false},
		{"coupon with prefix beside compact", payload.Shape{11, "P477", 20}, payload.Shape{12, "", 24}, true},
		{"the same, but P is the key of compact", payload.Shape{11, "P477", 20}, payload.Shape{21, "", 24}, false},
		{"the same, one symbol longer", payload.Shape{11, "P477", 20}, payload.Shape{21, "", 25}, true},
		{"a prefix that is the other's prefix and key", payload.Shape{10, "AB", 32}, payload.Shape{12, "ABCD", 30}, false},
		{"the same with another key", payload.Shape{11, "AB", 32}, payload.Shape{12, "ABCD", 30}, true},
		{"the same, one symbol longer", payload.Shape{10, "AB", 32}, payload.Shape{12, "ABCD", 31}, true},
		{"the second begins where the first does", payload.Shape{12, "ABCD", 30}, payload.Shape{10, "AB", 32}, false},
		{"a prefix of 0 and 1", payload.Shape{8, "A0", 30}, payload.Shape{9, "", 32}, true},
		{"the same, but A is the other's key", payload.Shape{9, "A0", 30}, payload.Shape{8, "", 32}, false},
		{"one key alone may begin with its own symbol", payload.Shape{8, "AA", 32}, payload.Shape{9, "", 119}, true},
	} {
		for _, shapes := range [][]payload.Shape{{c.a, c.b}, {c.b, c.a}} {
			if _, err := payload.NewReader(shapes...); (err == nil) != c.ok {
				t.Errorf("%s: NewReader(%v): %v", c.name, shapes, err)
			}
		}
	}
}

// Numbers that no code can have are refused when the reader is made.
func TestReaderRefusesNumbersOutOfRange(t *testing.T) {
	for number, want := range map[int]bool{-1: false, 0: false, 1: true, 31: true, 32: false, 1 << 20: false} {
		if _, err := payload.NewReader(payload.Shape{Number: number, Symbols: 32}); (err == nil) != want {
			t.Errorf("number %d: %v", number, err)
		}
	}
}

func TestReadDoesNotKeepItsBuffer(t *testing.T) {
	reader := sevenKeys(t)
	buf := make([]byte, 64)
	_, symbols, err := reader.Read(acme, buf)
	if err != nil || &symbols[0] != &buf[0] {
		t.Errorf("the symbols do not stand in buf: %v", err)
	}
	_, _, err = reader.Read(replaced(acme, 3, 'Y'), buf)
	clear(buf)
	var e *payload.ReadError
	if !errors.As(err, &e) || e.Proposal != printed("", acme) {
		t.Errorf("the error changed with buf: %+v", e)
	}
}
