package payload

// CheckSymbols is the number of check symbols at the end of every code.
const CheckSymbols = 3

// The check symbols are a shortened cyclic Hamming code [1057,1054,3] over GF(32)
// with generator g(X) = X^3 + 4X^2 + 8X + 1, the construction of bech32 (BIP-173).
// A remainder aX^2+bX+c is kept in 15 bits as a<<10 | b<<5 | c.
const (
	checkStart  = 1                   // a leading symbol of value 0 must count
	checkTarget = 17<<10 | 12<<5 | 30 // the symbols KEY: a code of zeros only is not well formed
)

// double multiplies by z in GF(2)[z]/(z^5+z^3+1).
func double(a uint16) uint16 {
	a <<= 1
	if a&32 != 0 {
		a ^= 0x29
	}
	return a
}

// checkStep appends a symbol: it multiplies the remainder by X and adds v.
func checkStep(s uint16, v byte) uint16 {
	a := s >> 10
	x4 := double(double(a))
	return (s<<5&0x7fff | uint16(v)) ^ (x4<<10 | double(x4)<<5 | a)
}

// maxChecked is the number of symbols up to which every single slip has a syndrome
// of its own.
const maxChecked = 237

// contributions[i][v] is what symbol v adds to the remainder of a code of maxChecked
// symbols when it stands at i: vX^(maxChecked-1-i) mod g. Shorter codes use the end
// of the table. The code is linear, so a remainder is the sum of these, and unlike
// steps they don't wait for each other.
var contributions = func() (t [maxChecked][32]uint16) {
	for v := range t[0] {
		s := uint16(v)
		for i := maxChecked - 1; i >= 0; i-- {
			t[i][v] = s
			s = checkStep(s, 0)
		}
	}
	return t
}()

// syndrome returns the syndrome of a code, zero when it is well formed, and
// whether all its symbols are in the alphabet.
func syndrome(code []byte) (s uint16, ok bool) {
	var seen byte // bit 5 and up: some symbol had no value
	if len(code) >= maxChecked {
		s = checkStart
		for _, c := range code {
			seen |= symbolValue[c]
			s = checkStep(s, symbolValue[c]&31)
		}
		return s ^ checkTarget, seen < 32
	}
	table := contributions[maxChecked-len(code)-1:]
	s = table[0][checkStart] ^ checkTarget // the start stands before the first symbol
	table = table[1:]
	for len(code) >= 4 && len(table) >= 4 {
		a, b, c, d := symbolValue[code[0]], symbolValue[code[1]], symbolValue[code[2]], symbolValue[code[3]]
		seen |= a | b | c | d
		s ^= table[0][a&31] ^ table[1][b&31] ^ table[2][c&31] ^ table[3][d&31]
		code, table = code[4:], table[4:]
	}
	for i := range table {
		v := symbolValue[code[i]]
		seen |= v
		s ^= table[i][v&31]
	}
	return s, seen < 32
}

// WellFormed reports whether code, symbols without prefix and hyphens, has only
// symbols of the [Alphabet] and fitting check symbols.
func WellFormed(code []byte) bool {
	s, ok := syndrome(code)
	return ok && s == 0 && len(code) >= CheckSymbols
}

// AppendCheck appends the three check symbols to body, which must have symbols
// of the [Alphabet] only.
func AppendCheck(body []byte) []byte {
	code := append(body, Alphabet[0], Alphabet[0], Alphabet[0])
	s, _ := syndrome(code)
	code[len(body)], code[len(body)+1], code[len(body)+2] = Alphabet[s>>10], Alphabet[s>>5&31], Alphabet[s&31]
	return code
}

// SlipKind is a kind of typing error that check symbols can locate.
type SlipKind int

// The kinds of slip.
const (
	Substitution  SlipKind = iota + 1 // one wrong symbol
	Transposition                     // two symbols exchanged, neighbours or one apart
	Twin                              // two equal symbols typed as two other equal ones
)

// String returns the kind in lower case.
func (k SlipKind) String() string {
	switch k {
	case Substitution:
		return "substitution"
	case Transposition:
		return "transposition"
	case Twin:
		return "twin"
	}
	return "none"
}

// A Slip is the one explanation of a code that is not well formed.
type Slip struct {
	Kind          SlipKind
	First, Second int // indices of the symbols concerned, Second is -1 for a substitution
}

// FindSlip finds the only single slip that makes code well formed, and corrects
// it in place. It reports false and leaves code alone when code is well formed,
// when no single slip explains it, or when it has symbols outside the alphabet.
// A code of more than 237 symbols has no unique explanation and gets none.
func FindSlip(code []byte) (Slip, bool) {
	if len(code) > maxChecked {
		return Slip{}, false
	}
	s, ok := syndrome(code)
	if !ok || s == 0 {
		return Slip{}, false
	}
	// Wind the remainder back symbol by symbol, until what is left is
	// the error pattern itself at the low end.
	for i := len(code) - 1; i >= 0; i-- {
		a, b, c := s>>10, s>>5&31, s&31
		j := -1
		switch {
		case a == 0 && b == 0:
			flip(code, i, c)
			return Slip{Substitution, i, -1}, true
		case a == 0 && b == c:
			j = i - 1
		case b == 0 && a == c:
			j = i - 2
		}
		if j >= 0 {
			switch uint16(symbolValue[code[i]] ^ symbolValue[code[j]]) {
			case c:
				code[i], code[j] = code[j], code[i]
				return Slip{Transposition, j, i}, true
			case 0:
				flip(code, i, c)
				flip(code, j, c)
				return Slip{Twin, j, i}, true
			}
		}
		x4 := double(double(c))
		s = c<<10 | (a^x4)<<5 | b ^ double(x4)
	}
	return Slip{}, false
}

func flip(code []byte, i int, e uint16) {
	code[i] = Alphabet[symbolValue[code[i]]^byte(e)]
}

// Fill puts the only fitting symbols in the given one or two places of code,
// whatever stands there, and reports whether it found them. If not, anything may
// stand there.
func Fill(code []byte, places ...int) bool {
	switch len(places) {
	case 1:
		return fillOne(code, places[0])
	case 2:
		for v := range len(Alphabet) {
			code[places[0]] = Alphabet[v]
			if fillOne(code, places[1]) {
				return true
			}
		}
	}
	return false
}

func fillOne(code []byte, place int) bool {
	for v := range len(Alphabet) {
		code[place] = Alphabet[v]
		if WellFormed(code) {
			return true
		}
	}
	return false
}
