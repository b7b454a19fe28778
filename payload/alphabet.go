package payload

import "slices"

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

// Eight symbols are five bytes; whole runs of them are converted at once.
const (
	runSymbols = 8
	runBytes   = 5
)

// AppendSymbols appends the big-endian number b as SymbolCount(bits) symbols.
// The number must be below 2^bits and b must have ByteCount(bits) bytes.
func AppendSymbols(dst, b []byte, bits int) []byte {
	n := SymbolCount(bits)
	dst = slices.Grow(dst, n)
	dst = dst[:len(dst)+n]
	out := dst[len(dst)-n:]
	for len(out) >= runSymbols && len(b) >= runBytes {
		t := b[len(b)-runBytes:]
		v := uint64(t[0])<<32 | uint64(t[1])<<24 | uint64(t[2])<<16 | uint64(t[3])<<8 | uint64(t[4])
		run := out[len(out)-runSymbols:]
		for i := runSymbols - 1; i >= 0; i-- {
			run[i] = Alphabet[v&31]
			v >>= 5
		}
		b, out = b[:len(b)-runBytes], out[:len(out)-runSymbols]
	}
	var v uint64 // at most four bytes are left
	for _, c := range b {
		v = v<<8 | uint64(c)
	}
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = Alphabet[v&31]
		v >>= 5
	}
	return dst
}

// DecodeSymbols writes the number of the given symbols, which must all be in the
// [Alphabet], to b, big-endian. Text must have SymbolCount(bits) symbols and b
// ByteCount(bits) bytes. It reports whether the number is below 2^bits, that is,
// whether the spare bits of the first symbol are zero.
func DecodeSymbols(b, text []byte, bits int) bool {
	spare := 8*len(b) - bits // of the first byte
	rest := b
	for len(text) >= runSymbols && len(rest) >= runBytes {
		var v uint64
		for _, c := range text[len(text)-runSymbols:] {
			v = v<<5 | uint64(symbolValue[c])
		}
		t := rest[len(rest)-runBytes:]
		t[0], t[1], t[2], t[3], t[4] = byte(v>>32), byte(v>>24), byte(v>>16), byte(v>>8), byte(v)
		text, rest = text[:len(text)-runSymbols], rest[:len(rest)-runBytes]
	}
	var v uint64 // at most seven symbols are left
	for _, c := range text {
		v = v<<5 | uint64(symbolValue[c])
	}
	for i := len(rest) - 1; i >= 0; i-- {
		rest[i] = byte(v)
		v >>= 8
	}
	return v == 0 && b[0]>>(8-spare) == 0
}
