package main

import "strings"

// Check symbols are done here as the polynomials they are, by long division,
// and repairs by trying every possible one. Nothing is taken from the shift
// register of section 4, so that the two can confirm each other.

// times multiplies in GF(2)[z]/(z^5+z^3+1).
func times(a, b int) int {
	product := 0
	for k := range 5 {
		if b>>k&1 == 1 {
			product ^= a << k
		}
	}
	for k := 8; k >= 5; k-- {
		if product>>k&1 == 1 {
			product ^= 0b101001 << (k - 5)
		}
	}
	return product
}

// multiples has q times g(X) for every q, since long division is done often.
var multiples = func() (m [32][4]int) {
	g := [4]int{1, 4, 8, 1}
	for q := range m {
		for j := range g {
			m[q][j] = times(q, g[j])
		}
	}
	return m
}()

// remainder returns C(X) mod g(X) for the symbols of a text.
func remainder(text string) [3]int {
	c := make([]int, 0, 256)
	c = append(c, 1)
	for i := range len(text) {
		c = append(c, strings.IndexByte(alphabet, text[i]))
	}
	for i := 0; i+3 < len(c); i++ {
		for j, v := range multiples[c[i]] {
			c[i+j] ^= v
		}
	}
	return [3]int(c[len(c)-3:])
}

func syndrome(text string) [3]int {
	r := remainder(text)
	return [3]int{r[0] ^ 17, r[1] ^ 12, r[2] ^ 30}
}

func wellFormed(text string) bool {
	return len(text) >= 3 && allInAlphabet(text) && syndrome(text) == [3]int{}
}

func checkOf(text string) string {
	s := syndrome(text + "222")
	return sym(s[0]) + sym(s[1]) + sym(s[2])
}

// A slip is one explanation of a text that is not well formed.
type slip struct {
	kind      string
	positions []int // from 1
	corrected string
}

func replaced(text string, i int, symbol string) string {
	return text[:i] + symbol + text[i+1:]
}

// explain returns the slip that explains text, or a slip of kind "none".
func explain(text string) slip {
	found := []slip{}
	try := func(kind, corrected string, positions ...int) {
		if wellFormed(corrected) {
			found = append(found, slip{kind, positions, corrected})
		}
	}
	if wellFormed(text) {
		return slip{kind: "none"}
	}
	for i := range text {
		for v := range 32 {
			if sym(v) != text[i:i+1] {
				try("substitution", replaced(text, i, sym(v)), i+1)
			}
		}
		for _, distance := range []int{1, 2} {
			h := i - distance
			if h < 0 {
				continue
			}
			if text[h] != text[i] {
				try("transposition", replaced(replaced(text, h, text[i:i+1]), i, text[h:h+1]), h+1, i+1)
				continue
			}
			for v := range 32 {
				if sym(v) != text[i:i+1] {
					try("twin", replaced(replaced(text, h, sym(v)), i, sym(v)), h+1, i+1)
				}
			}
		}
	}
	switch len(found) {
	case 0:
		return slip{kind: "none"}
	case 1:
		return found[0]
	}
	panic("two slips explain " + text)
}

// fill replaces one or two '?' so that text becomes well formed, or returns "".
func fill(text string) string {
	if n := strings.Count(text, "?"); n < 1 || n > 2 {
		return ""
	}
	found := []string{}
	i, j := strings.Index(text, "?"), strings.LastIndex(text, "?")
	for v := range 32 {
		for w := range 32 {
			if i == j && v != w {
				continue
			}
			if candidate := replaced(replaced(text, i, sym(v)), j, sym(w)); wellFormed(candidate) {
				found = append(found, candidate)
			}
		}
	}
	switch len(found) {
	case 0:
		return ""
	case 1:
		return found[0]
	}
	panic("two ways to fill " + text)
}
