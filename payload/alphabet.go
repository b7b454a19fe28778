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
		putRun((*[runSymbols]byte)(out[len(out)-runSymbols:]), (*[runBytes]byte)(b[len(b)-runBytes:]))
		b, out = b[:len(b)-runBytes], out[:len(out)-runSymbols]
	}
	var v uint64 // at most five bytes are left
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
		getRun((*[runBytes]byte)(rest[len(rest)-runBytes:]), (*[runSymbols]byte)(text[len(text)-runSymbols:]))
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

// putRun and getRun convert a run without a loop, so that no symbol waits for the
// one before it.

func putRun(out *[runSymbols]byte, b *[runBytes]byte) {
	v := uint64(b[0])<<32 | uint64(b[1])<<24 | uint64(b[2])<<16 | uint64(b[3])<<8 | uint64(b[4])
	out[0], out[1], out[2], out[3] = Alphabet[v>>35&31], Alphabet[v>>30&31], Alphabet[v>>25&31], Alphabet[v>>20&31]
	out[4], out[5], out[6], out[7] = Alphabet[v>>15&31], Alphabet[v>>10&31], Alphabet[v>>5&31], Alphabet[v&31]
}

func getRun(b *[runBytes]byte, text *[runSymbols]byte) {
	value := func(i int) uint64 { return uint64(symbolValue[text[i]]) }
	v := value(0)<<35 | value(1)<<30 | value(2)<<25 | value(3)<<20 | value(4)<<15 | value(5)<<10 | value(6)<<5 | value(7)
	b[0], b[1], b[2], b[3], b[4] = byte(v>>32), byte(v>>24), byte(v>>16), byte(v>>8), byte(v)
}
