package keys

import (
	"bytes"
	"encoding/asn1"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestEncodeDER holds the encoder against encoding/asn1, for halves of every length.
func TestEncodeDER(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2025))
	half := func(length int, first byte) []byte {
		b := make([]byte, scalarSize)
		for i := scalarSize - length; i < scalarSize; i++ {
			b[i] = byte(r.Uint32())
		}
		b[scalarSize-length] = first
		return b
	}
	for n := 1; n <= scalarSize; n++ {
		for m := 1; m <= scalarSize; m++ {
			for _, first := range []byte{0x01, 0x30, 0x7F, 0x80, 0xFF} {
				sig := append(half(n, first), half(m, 0xFF^first|1)...)
				want, err := asn1.Marshal(struct{ R, S *big.Int }{new(big.Int).SetBytes(sig[:scalarSize]), new(big.Int).SetBytes(sig[scalarSize:])})
				if err != nil {
					t.Fatal(err)
				}
				if got := encodeDER(sig); !bytes.Equal(got, want) {
					t.Fatalf("encodeDER(%x) = %x, want %x", sig, got, want)
				}
			}
		}
	}
}
