package main

import (
	"encoding/json"
	"fmt"
	"log"
	"math/big"
	"strings"

	"github.com/licet-dev/licet/testvectors/internal/vectorfile"
)

var checkNotes = map[string]string{
	"worked":      "Worked examples of the design of the check symbols, at 16, 25, 35 and 110 symbols.",
	"length":      "Texts of the lengths of real codes, from the shortest to the longest, and of 237 symbols, where the guarantee ends.",
	"bound":       "A slip would lie partly before the first symbol, so there is none.",
	"not-a-slip":  "More than one slip, or a pattern of a pair whose symbols are neither equal nor exchanged.",
	"well-formed": "Nothing is wrong with the text, so no slip explains it.",
	"fill":        "One or two unreadable symbols.",
	"no-fill":     "Nothing fills the text.",
}

type checkSuite struct {
	tests []vectorfile.CheckTest
}

func checkFile() vectorfile.File[vectorfile.CheckTest] {
	var s checkSuite
	s.addEncodings()
	s.addSlips()
	s.addFills()
	return vectorfile.File[vectorfile.CheckTest]{
		Header: header("check", "Section 4: check symbols, slips and fills of bare symbols.", checkNotes, s.tests),
		Tests:  s.tests,
	}
}

// sample returns n symbols that look random and end in their check symbols.
func sample(n int) string {
	text := ""
	for i := 0; len(text) < n-3; i++ {
		text += symbols(top(hash([]byte(fmt.Sprint("sample ", n, " ", i))), 255), 255)
	}
	return withCheck(text[:n-3])
}

var sampleLengths = []int{12, 14, 20, 24, 32, 40, 68, 119, 127, 139, 237}

func (s *checkSuite) encode(name, comment, text, flag string) {
	s.tests = append(s.tests, vectorfile.CheckTest{
		Test: vectorfile.Test{Name: name, Comment: comment, Flags: []string{flag}},
		Op:   "encode", Text: text, Check: checkOf(text),
	})
}

// explain adds a text with the kind of slip that is expected of it.
func (s *checkSuite) explain(name, comment, text, want, flag string) {
	got := explain(text)
	if got.kind != want {
		log.Fatalf("check: %s: %s, want %s", name, got.kind, want)
	}
	s.tests = append(s.tests, vectorfile.CheckTest{
		Test: vectorfile.Test{Name: name, Comment: comment, Flags: []string{flag}},
		Op:   "explain", Text: text, Slip: got.kind, Positions: got.positions, Corrected: got.corrected,
	})
}

// fill adds a text with the answer that is expected, "" for none.
func (s *checkSuite) fill(name, comment, text, want, flag string) {
	got := fill(text)
	if got != want {
		log.Fatalf("check: %s: %q, want %q", name, got, want)
	}
	filled := json.RawMessage("null")
	if got != "" {
		filled = json.RawMessage(`"` + got + `"`)
	}
	s.tests = append(s.tests, vectorfile.CheckTest{
		Test: vectorfile.Test{Name: name, Comment: comment, Flags: []string{flag}},
		Op:   "fill", Text: text, Filled: filled,
	})
}

func (s *checkSuite) addEncodings() {
	for i, w := range worked {
		s.encode(fmt.Sprint("encode-worked-", i+1), "", w.text, "worked")
	}
	for _, n := range sampleLengths {
		text := sample(n)
		s.encode(fmt.Sprint("encode-", n), "", text[:n-3], "length")
	}
	s.encode("encode-2-added", "a leading 2 counts", "2ABCDEFGHJKLMN", "length")
	s.encode("encode-z", "31 in every place", strings.Repeat("Z", 29), "length")
}

// exchange exchanges the symbols at two places, from 1.
func exchange(text string, i, j int) string {
	return replaced(replaced(text, i-1, text[j-1:j]), j-1, text[i-1:i])
}

// other returns the symbol that is d from the one at place i.
func other(text string, i, d int) string {
	v := strings.IndexByte(alphabet, text[i-1])
	return sym((v + d) % 32)
}

func change(text string, i, d int) string { return replaced(text, i-1, other(text, i, d)) }

// twins returns a well-formed text of n symbols that has the same symbol at
// places i and j.
func twins(n, i, j int) string {
	text := sample(n)
	for d := range 32 * 32 {
		t := change(text, i, d%32)
		t = change(t, (i+n/2)%(n-3)+1, d/32)
		t = replaced(t, j-1, t[i-1:i])
		t = withCheck(t[:n-3])
		if t[i-1] == t[j-1] {
			return t
		}
	}
	panic("no twins")
}

// distinct returns a well-formed text of n symbols with different symbols at
// places i and j.
func distinct(n, i, j int) string {
	text := sample(n)
	for d := range 32 {
		if t := withCheck(change(text, min(i, n-3), d)[:n-3]); t[i-1] != t[j-1] {
			return t
		}
	}
	panic("no distinct symbols")
}

func (s *checkSuite) addSlips() {
	for i, w := range workedSlips {
		flag := "worked"
		s.explain(fmt.Sprint("slip-worked-", i+1), "", w.text, w.kind, flag)
	}
	s.explain("well-formed-code", "the code of section 10.1", key8.issue("1000").body, "none", "well-formed")
	s.explain("well-formed-check-symbols-alone", "", "P6Z", "none", "well-formed")
	for _, n := range sampleLengths {
		text := sample(n)
		at := func(what string, i int) string { return fmt.Sprintf("n-%d-%s-%d", n, what, i) }
		for _, i := range []int{1, 2, n / 2, n - 3, n - 2, n - 1, n} {
			s.explain(at("substitution", i), "", change(text, i, 1+i%31), "substitution", "length")
		}
		for _, i := range []int{1, n / 2, n - 3, n - 1} {
			s.explain(at("transposition", i), "", exchange(distinct(n, i, i+1), i, i+1), "transposition", "length")
			t := twins(n, i, i+1)
			s.explain(at("twin", i), "", replaced(change(t, i, 9), i, other(t, i, 9)), "twin", "length")
		}
		for _, i := range []int{1, n / 2, n - 4, n - 2} {
			s.explain(at("jump", i), "", exchange(distinct(n, i, i+2), i, i+2), "transposition", "length")
			t := twins(n, i, i+2)
			s.explain(at("jump-twin", i), "", replaced(change(t, i, 9), i+1, other(t, i, 9)), "twin", "length")
		}
		s.explain(at("pair-before-the-start", 1), "the pattern of a pair at symbols 0 and 1", withError(text, n, n-1), "none", "bound")
		s.explain(at("jump-before-the-start", 1), "the pattern of a jump at symbols -1 and 1", withError(text, n+1, n-1), "none", "bound")
		s.explain(at("jump-before-the-start", 2), "the pattern of a jump at symbols 0 and 2", withError(text, n, n-2), "none", "bound")
		// A syndrome alone never tells a pair from its symbols.
		s.explain(at("pair-of-others", 4), "the pattern of a pair, but the symbols are neither equal nor exchanged", withError(odd(n, 4, 5), n-4, n-5), "none", "not-a-slip")
		s.explain(at("jump-of-others", 4), "the pattern of a jump, but the symbols are neither equal nor exchanged", withError(odd(n, 4, 6), n-4, n-6), "none", "not-a-slip")
	}
	s.explain("two-substitutions-of-32", "", twoWrong(sample(32)), "none", "not-a-slip")
	s.explain("two-substitutions-of-119", "", twoWrong(sample(119)), "none", "not-a-slip")
}

// errorAt is the error that withError adds.
const errorAt = 11

// odd returns a well-formed text whose symbols at places i and j, once
// withError has changed the check symbols, differ by neither 0 nor the error.
func odd(n, i, j int) string {
	text := sample(n)
	for d := range 32 {
		t := withCheck(change(text, i, d)[:n-3])
		difference := strings.IndexByte(alphabet, t[i-1]) ^ strings.IndexByte(alphabet, t[j-1])
		if difference != 0 && difference != errorAt {
			return t
		}
	}
	panic("no odd pair")
}

// withError returns text with the syndrome of the same error at the powers i
// and j of X. It changes the check symbols only, since a syndrome is a sum.
func withError(text string, i, j int) string {
	s := powerOfX(i)
	for k, v := range powerOfX(j) {
		s[k] ^= v
	}
	n := len(text)
	for k, v := range s {
		old := strings.IndexByte(alphabet, text[n-3+k])
		text = replaced(text, n-3+k, sym(old^times(errorAt, v)))
	}
	return text
}

// powerOfX returns X^i mod g(X).
func powerOfX(i int) [3]int {
	// remainder puts a 1 before its text, so zeros alone make a power of X.
	return remainder(strings.Repeat("2", i))
}

// twoWrong returns text with two wrong symbols that no slip explains.
func twoWrong(text string) string {
	for d := 1; d < 32; d++ {
		if t := change(change(text, 3, d), 9, 4); explain(t).kind == "none" {
			return t
		}
	}
	panic("a slip explains everything")
}

// hide puts '?' at some places, from 1.
func hide(text string, positions ...int) string {
	for _, i := range positions {
		text = replaced(text, i-1, "?")
	}
	return text
}

func (s *checkSuite) addFills() {
	s.fill("fill-worked", "7 and 5", "L?6RWFBAXE9CR2LLS5?EPLTNUZX7ACATYJU", workedText5+"YJU", "worked")
	for _, n := range []int{12, 20, 24, 32, 40, 119, 139} {
		text := sample(n)
		for _, p := range [][]int{{1}, {n / 2}, {n - 3}, {n}, {1, 2}, {1, n}, {5, 7}, {n / 2, n - 2}, {n - 1, n}} {
			name := fmt.Sprintf("fill-n-%d-at-%s", n, strings.ReplaceAll(strings.Trim(fmt.Sprint(p), "[]"), " ", "-"))
			s.fill(name, "", hide(text, p...), text, "fill")
		}
		s.fill(fmt.Sprintf("no-fill-n-%d-three", n), "three unreadable symbols", hide(text, 1, 5, 9), "", "no-fill")
		s.fill(fmt.Sprintf("no-fill-n-%d-one-and-a-typo", n), "one unreadable symbol, another is wrong", hide(change(text, 4, 3), 2), "", "no-fill")
	}
	// Two unreadable symbols leave one of three check symbols, so a wrong
	// third symbol is noticed most of the time.
	text := sample(32)
	for d := 1; d < 32; d++ {
		if t := hide(change(text, 4, d), 2, 20); fill(t) == "" {
			s.fill("no-fill-two-and-a-typo", "two unreadable symbols, another is wrong", t, "", "no-fill")
			break
		}
	}
	for d := range 1 << 15 {
		t := withCheck(change(symbols(big.NewInt(int64(d)), 85), 3, 0))
		if t[1] == '2' && t[4] == '2' {
			s.fill("fill-with-2", "the value 0 is an answer like any other", hide(t, 2, 5), t, "fill")
			break
		}
	}
}
