package payload_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/licet-dev/licet/payload"
)

// Worked examples of the study that chose the check symbols.
var workedChecks = []struct{ body, check string }{
	{"", "P6Z"},
	{"2222222222222", "GNV"},
	{"ABCDEFGHJKLMN", "3MW"},
	{"YHV7CXXG2XDLGXFPZYATYY", "Z9F"},
	{"L76RWFBAXE9CR2LLS55EPLTNUZX7ACAT", "YJU"},
	{"KK67SJPKGCXAWNTY59RPPQ8PV93HP5VXV3B352MHEGAH3DE2VQMLB8QSJTZ7GCX37AQ6Y5YWZ9J9UPYS2U84JAR7V5WCHRH8L3ZKD3GJU7A", "S5Q"},
	{"AHJXYQET69FWH3QZJG9E69PS6HVKE", "LWZ"}, // SPEC.md, section 10.1
}

func TestWorkedCheckSymbols(t *testing.T) {
	for _, w := range workedChecks {
		code := payload.AppendCheck([]byte(w.body))
		if string(code) != w.body+w.check {
			t.Errorf("AppendCheck(%q) = %q, want check symbols %s", w.body, code, w.check)
		}
		if !payload.WellFormed(code) {
			t.Errorf("%s is not well formed", code)
		}
		if slip, ok := payload.FindSlip(code); ok {
			t.Errorf("FindSlip(%s) = %v on a good code", code, slip)
		}
		if string(code) != w.body+w.check {
			t.Errorf("FindSlip changed a good code to %s", code)
		}
	}
}

func TestWorkedSlips(t *testing.T) {
	code := func(i int) string { return workedChecks[i].body + workedChecks[i].check }
	for _, w := range []struct {
		text, want string
		slip       payload.Slip // places from 0
	}{
		{"ABCDEF6HJKLMN3MW", code(2), payload.Slip{Kind: payload.Substitution, First: 6, Second: -1}},
		{"YHV7CXGX2XDLGXFPZYATYYZ9F", code(3), payload.Slip{Kind: payload.Transposition, First: 6, Second: 7}},
		{"L76RWFBAXE9CR2LLSS5EPLTNUZX7ACATYJU", code(4), payload.Slip{Kind: payload.Substitution, First: 17, Second: -1}},
		{"L76RWFBAXE9CR2LLSSSEPLTNUZX7ACATYJU", code(4), payload.Slip{Kind: payload.Twin, First: 17, Second: 18}},
		{exchanged(code(5), 49, 51), code(5), payload.Slip{Kind: payload.Transposition, First: 49, Second: 51}},
		{replaced(code(5), 43, '8'), code(5), payload.Slip{Kind: payload.Substitution, First: 43, Second: -1}},
	} {
		got := []byte(w.text)
		if slip, ok := payload.FindSlip(got); !ok || slip != w.slip || string(got) != w.want {
			t.Errorf("FindSlip(%s) = %v, %t with %s; want %v with %s", w.text, slip, ok, got, w.slip, w.want)
		}
	}
	two := []byte("A8CDEF6HJKLMN3MW")
	if slip, ok := payload.FindSlip(two); ok || string(two) != "A8CDEF6HJKLMN3MW" {
		t.Errorf("two wrong symbols: FindSlip = %v, %s", slip, two)
	}
	holes := []byte("L?6RWFBAXE9CR2LLS5?EPLTNUZX7ACATYJU")
	if !payload.Fill(holes, 1, 18) || string(holes) != code(4) {
		t.Errorf("Fill = %s, want %s", holes, code(4))
	}
}

func exchanged(s string, i, j int) string {
	b := []byte(s)
	b[i], b[j] = b[j], b[i]
	return string(b)
}

func replaced(s string, i int, c byte) string { return s[:i] + string(c) + s[i+1:] }

// codeLengths are the lengths of real codes: of the shortest layouts, of all
// built-in ones, and the longest there is.
var codeLengths = []int{14, 20, 24, 32, 40, 119, payload.MaxCode}

// randomCode returns a well-formed code of n symbols that begins with first.
func randomCode(r *rand.Rand, first byte, n int) string {
	body := make([]byte, n-payload.CheckSymbols)
	for i := range body {
		body[i] = payload.Alphabet[r.IntN(32)]
	}
	body[0] = first
	return string(payload.AppendCheck(body))
}

// codeWithTwins returns a well-formed code with the same symbol at i and j.
func codeWithTwins(r *rand.Rand, n, i, j int) string {
	for {
		if code := randomCode(r, 'A', n); code[i] == code[j] {
			return code
		}
	}
}

// CT-23: every single slip is noticed, located and put right, and in one way
// only, since FindSlip finds the one that was made.
func TestEverySlip(t *testing.T) {
	for _, n := range codeLengths {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			r := newRand(uint64(n))
			expect := func(code, wrong string, want payload.Slip) {
				t.Helper()
				if payload.WellFormed([]byte(wrong)) {
					t.Fatalf("%s passes for %s", wrong, code)
				}
				got := []byte(wrong)
				if slip, ok := payload.FindSlip(got); !ok || slip != want || string(got) != code {
					t.Fatalf("FindSlip(%s) = %v, %t with %s; want %v with %s", wrong, slip, ok, got, want, code)
				}
			}
			code := randomCode(r, 'A', n)
			for i := range n {
				for _, c := range []byte(payload.Alphabet) {
					if c != code[i] {
						expect(code, replaced(code, i, c), payload.Slip{Kind: payload.Substitution, First: i, Second: -1})
					}
				}
				for j := i + 1; j <= i+2 && j < n; j++ {
					if code[i] != code[j] {
						expect(code, exchanged(code, i, j), payload.Slip{Kind: payload.Transposition, First: i, Second: j})
					}
					twins := codeWithTwins(r, n, i, j)
					for _, c := range []byte(payload.Alphabet) {
						if c != twins[i] {
							expect(twins, replaced(replaced(twins, i, c), j, c), payload.Slip{Kind: payload.Twin, First: i, Second: j})
						}
					}
				}
			}
		})
	}
}

func TestTwoWrongSymbolsAreNoticed(t *testing.T) {
	r := newRand(2)
	for range 50_000 {
		n := codeLengths[r.IntN(len(codeLengths))]
		code := randomCode(r, 'A', n)
		i, j := r.IntN(n), r.IntN(n)
		wrong := replaced(replaced(code, i, payload.Alphabet[r.IntN(32)]), j, payload.Alphabet[r.IntN(32)])
		if wrong != code && payload.WellFormed([]byte(wrong)) {
			t.Fatalf("%s passes for %s", wrong, code)
		}
	}
}

// A slip that is found is always one: it leaves a well-formed code, and changes
// what it says it changes.
func TestFindSlipOnGarbage(t *testing.T) {
	r := newRand(3)
	found := 0
	for range 20_000 {
		text := make([]byte, r.IntN(240))
		for i := range text {
			text[i] = payload.Alphabet[r.IntN(32)]
		}
		before := string(text)
		slip, ok := payload.FindSlip(text)
		if !ok {
			if string(text) != before || slip != (payload.Slip{}) {
				t.Fatalf("FindSlip(%s) found nothing, but made %s, %v", before, text, slip)
			}
			continue
		}
		found++
		if !payload.WellFormed(text) || !slipExplains(slip, before, string(text)) {
			t.Fatalf("FindSlip(%s) = %v with %s", before, slip, text)
		}
	}
	if found == 0 {
		t.Error("no slip in 20,000 texts; about one in ten has one")
	}
}

// slipExplains reports whether slip turns right into wrong.
func slipExplains(slip payload.Slip, wrong, right string) bool {
	i, j := slip.First, slip.Second
	switch slip.Kind {
	case payload.Substitution:
		return j == -1 && wrong[i] != right[i] && replaced(wrong, i, right[i]) == right
	case payload.Transposition:
		return (j == i+1 || j == i+2) && wrong[i] != wrong[j] && exchanged(wrong, i, j) == right
	case payload.Twin:
		return (j == i+1 || j == i+2) && wrong[i] == wrong[j] && right[i] == right[j] && wrong[i] != right[i] &&
			replaced(replaced(wrong, i, right[i]), j, right[j]) == right
	}
	return false
}

func TestFindSlipOutsideItsBounds(t *testing.T) {
	r := newRand(4)
	wrong := func(n int) string {
		code := randomCode(r, 'B', n)
		return replaced(code, n/2, other(code[n/2]))
	}
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"nothing", "", false},
		{"one symbol", "A", false},
		{"two symbols", "AB", false},
		{"a placeholder", replaced(randomCode(r, 'B', 32), 4, payload.Placeholder), false},
		{"a digit that no code has", replaced(randomCode(r, 'B', 32), 4, '0'), false},
		{"lower case", strings.ToLower(wrong(32)), false},
		{"237 symbols", wrong(237), true},
		{"238 symbols", wrong(238), false},
	} {
		text := []byte(c.text)
		if _, ok := payload.FindSlip(text); ok != c.want {
			t.Errorf("%s: FindSlip reports %t", c.name, ok)
		}
		if !c.want && string(text) != c.text {
			t.Errorf("%s: FindSlip changed the text", c.name)
		}
	}
}

func TestWellFormedIsStrict(t *testing.T) {
	good := workedChecks[2].body + workedChecks[2].check
	for _, text := range []string{
		"", "A", "AB", "2", strings.Repeat("2", 16), strings.Repeat("2", 32),
		strings.ToLower(good), good + "2", "2" + good, good[1:], good[:len(good)-1],
		good[:4] + "-" + good[4:], good + "\n", replaced(good, 3, '0'), replaced(good, 3, '?'), replaced(good, 3, 0xC3),
	} {
		if payload.WellFormed([]byte(text)) {
			t.Errorf("%q is well formed", text)
		}
	}
}

func TestFill(t *testing.T) {
	r := newRand(5)
	for _, n := range codeLengths {
		code := randomCode(r, 'A', n)
		fill := func(places ...int) {
			t.Helper()
			text := []byte(code)
			for _, i := range places {
				text[i] = payload.Placeholder
			}
			if !payload.Fill(text, places...) || string(text) != code {
				t.Fatalf("Fill(%v) of %s gives %s", places, code, text)
			}
		}
		for i := range n {
			fill(i)
			if i > 0 {
				fill(i-1, i)
				fill(i, i-1)
			}
		}
		for range 200 {
			if i, j := r.IntN(n), r.IntN(n); i != j {
				fill(i, j)
			}
		}
		if text := []byte(code); payload.Fill(text, 1, 2, 3) || payload.Fill(text) || string(text) != code {
			t.Errorf("Fill takes one or two places only, but %s became %s", code, text)
		}
		wrong := []byte(replaced(replaced(code, 3, other(code[3])), 5, payload.Placeholder))
		if payload.Fill(wrong, 5) {
			t.Errorf("Fill found %s although another symbol was wrong in %s", wrong, code)
		}
	}
}

// other returns the symbol after c in the alphabet.
func other(c byte) byte {
	v, _ := payload.SymbolValue(c)
	return payload.Alphabet[(v+1)%32]
}

func TestSlipKindTexts(t *testing.T) {
	for kind, want := range map[payload.SlipKind]string{
		0: "none", payload.Substitution: "substitution", payload.Transposition: "transposition", payload.Twin: "twin",
	} {
		if got := kind.String(); got != want {
			t.Errorf("kind %d is %q, want %q", int(kind), got, want)
		}
	}
}
