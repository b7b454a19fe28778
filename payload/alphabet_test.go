package payload_test

import (
	"bytes"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/licet-dev/licet/payload"
)

// Most tests draw from a stream with a fixed seed, so that a failure repeats.
func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 2025)) }

func TestAlphabet(t *testing.T) {
	if len(payload.Alphabet) != 32 || strings.ContainsAny(payload.Alphabet, "01IO") {
		t.Fatalf("alphabet %q", payload.Alphabet)
	}
	for v := range 32 {
		if c := payload.Symbol(v); c != payload.Alphabet[v] {
			t.Errorf("Symbol(%d) = %c", v, c)
		}
	}
	for c := range 256 {
		v, ok := payload.SymbolValue(byte(c))
		want := strings.IndexByte(payload.Alphabet, byte(c))
		if ok != (want >= 0) || ok && v != want {
			t.Errorf("SymbolValue(%q) = %d, %t", rune(c), v, ok)
		}
	}
}

// spell writes v in the alphabet with big integers, the way SPEC.md defines symbols(v,b).
func spell(v *big.Int, bits int) string {
	v = new(big.Int).Set(v)
	text := make([]byte, (bits+4)/5)
	digit := new(big.Int)
	for i := len(text) - 1; i >= 0; i-- {
		v.DivMod(v, big.NewInt(32), digit)
		text[i] = payload.Alphabet[digit.Int64()]
	}
	return string(text)
}

// interestingNumbers returns numbers below 2^bits: the bounds, single bits, and some at random.
func interestingNumbers(r *rand.Rand, bits int) []*big.Int {
	one := big.NewInt(1)
	all := new(big.Int).Sub(new(big.Int).Lsh(one, uint(bits)), one)
	numbers := []*big.Int{new(big.Int), one, all, new(big.Int).Lsh(one, uint(bits-1))}
	for range 8 {
		v := new(big.Int)
		for range (bits + 63) / 64 {
			v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(r.Uint64()))
		}
		numbers = append(numbers, v.And(v, all))
	}
	return numbers
}

func TestSymbolsAgainstBigIntegers(t *testing.T) {
	r := newRand(1)
	for bits := 1; bits <= 515; bits++ {
		if got := payload.SymbolCount(bits); got != (bits+4)/5 {
			t.Fatalf("SymbolCount(%d) = %d", bits, got)
		}
		if got := payload.ByteCount(bits); got != (bits+7)/8 {
			t.Fatalf("ByteCount(%d) = %d", bits, got)
		}
		for _, v := range interestingNumbers(r, bits) {
			b := v.FillBytes(make([]byte, payload.ByteCount(bits)))
			text := string(payload.AppendSymbols([]byte("before"), b, bits))
			if want := "before" + spell(v, bits); text != want {
				t.Fatalf("%d bits: AppendSymbols(%x) = %s, want %s", bits, b, text, want)
			}
			back := bytes.Repeat([]byte{0xAA}, len(b)) // what stood there must not matter
			if !payload.DecodeSymbols(back, []byte(text[len("before"):]), bits) || !bytes.Equal(back, b) {
				t.Fatalf("%d bits: DecodeSymbols(%s) = %x, want %x", bits, text, back, b)
			}
		}
	}
}

// CT-16: where symbols have spare bits, there is one spelling for each number.
func TestSpareBits(t *testing.T) {
	for bits := 1; bits <= 515; bits++ {
		n := payload.SymbolCount(bits)
		for v := range 32 {
			text := []byte(string(payload.Alphabet[v]) + strings.Repeat("2", n-1))
			fits := v < 1<<(bits-5*(n-1))
			if got := payload.DecodeSymbols(make([]byte, payload.ByteCount(bits)), text, bits); got != fits {
				t.Errorf("%d bits beginning with %c: %t, want %t", bits, text[0], got, fits)
			}
		}
	}
}

func TestAppendSymbolsKeepsItsInput(t *testing.T) {
	b := []byte{0x01, 0x23, 0x45, 0x67, 0x89, 0xAB}
	dst := make([]byte, 2, 64)
	copy(dst, "xy")
	payload.AppendSymbols(dst, b, 48)
	if string(dst) != "xy" || !bytes.Equal(b, []byte{0x01, 0x23, 0x45, 0x67, 0x89, 0xAB}) {
		t.Errorf("after AppendSymbols: dst %q, b %x", dst, b)
	}
}
