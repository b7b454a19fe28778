package payload

// Alphabet has the 32 symbols of a code by value, 5 bits each. The letters O and
// I and the digits 0 and 1 are left out because people confuse them.
const Alphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"

const noValue = 0xff

var symbolValue = func() (t [256]byte) {
	for i := range t {
		t[i] = noValue
	}
	for i := range len(Alphabet) {
		t[Alphabet[i]] = byte(i)
	}
	return t
}()

// Symbol returns the symbol of value v, which must be 0 to 31.
func Symbol(v int) byte { return Alphabet[v] }

// SymbolValue returns the value of symbol c, 0 to 31, and whether c is in the
// [Alphabet]. Lower-case letters are not; see [AppendNormalized].
func SymbolValue(c byte) (v int, ok bool) {
	b := symbolValue[c]
	return int(b), b != noValue
}

// SymbolCount returns how many symbols carry the given number of bits.
func SymbolCount(bits int) int { return (bits + 4) / 5 }

// ByteCount returns how many bytes carry the given number of bits.
func ByteCount(bits int) int { return (bits + 7) / 8 }

// AppendSymbols appends the big-endian number b as SymbolCount(bits) symbols.
// The number must be below 2^bits and b must have ByteCount(bits) bytes.
func AppendSymbols(dst, b []byte, bits int) []byte {
	n := SymbolCount(bits)
	start := len(dst)
	for range n {
		dst = append(dst, 0)
	}
	out := dst[start:]
	var acc, have uint
	j := len(b) - 1
	for i := n - 1; i >= 0; i-- {
		if have < 5 && j >= 0 {
			acc |= uint(b[j]) << have
			have += 8
			j--
		}
		out[i] = Alphabet[acc&31]
		acc >>= 5
		have -= min(have, 5)
	}
	return dst
}

// DecodeSymbols writes the number of the given symbols, which must all be in the
// [Alphabet], to b, big-endian. Text must have SymbolCount(bits) symbols and b
// ByteCount(bits) bytes. It reports whether the number is below 2^bits, that is,
// whether the spare bits of the first symbol are zero.
func DecodeSymbols(b, text []byte, bits int) bool {
	var acc, have uint
	j := len(b) - 1
	for i := len(text) - 1; i >= 0; i-- {
		acc |= uint(symbolValue[text[i]]&31) << have
		have += 5
		if have >= 8 && j >= 0 {
			b[j] = byte(acc)
			acc >>= 8
			have -= 8
			j--
		}
	}
	if j >= 0 {
		b[j] = byte(acc)
		acc >>= 8
	}
	spareInByte := 8*len(b) - bits
	return acc == 0 && b[0]>>(8-spareInByte) == 0
}
