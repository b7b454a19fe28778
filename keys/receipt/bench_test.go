package receipt_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/sha256"
	"slices"
	"testing"
	"time"

	"github.com/licet-dev/licet/keys/receipt"
)

// What a receipt costs beyond its cryptography is the metric times-bare.

// BenchmarkSign compares with two deterministic signatures, which every receipt gets.
func BenchmarkSign(b *testing.B) {
	k, s, r := ecKey("active"), must(receipt.NewSigner(receiptKey("active"))), newReceipt()
	digest := sha256.Sum256([]byte("receipt"))
	compare(b,
		func() {
			for range 2 {
				must(k.Sign(nil, digest[:], crypto.SHA256))
			}
		},
		func() { must(s.Sign(r)) })
}

// BenchmarkOpen compares with one verification.
func BenchmarkOpen(b *testing.B) {
	k, text := ecKey("active"), must(receipt.Sign(newReceipt(), receiptKey("active")))
	digest := sha256.Sum256([]byte("receipt"))
	sig := must(k.Sign(nil, digest[:], crypto.SHA256))
	compare(b,
		func() {
			if !ecdsa.VerifyASN1(&k.PublicKey, digest[:], sig) {
				b.Fatal("signature is bad")
			}
		},
		func() {
			if _, _, err := receipt.Open(text, ring); err != nil {
				b.Fatal(err)
			}
		})
}

// compare runs bare and real alternately, and reports the median of real as a multiple
// of that of bare. The two see the same machine that way, which on a shared one is
// never twice the same.
func compare(b *testing.B, bare, real func()) {
	b.ReportAllocs()
	var times [2][]float64
	for b.Loop() {
		for i, f := range []func(){bare, real} {
			start := time.Now()
			f()
			times[i] = append(times[i], float64(time.Since(start).Nanoseconds()))
		}
	}
	for _, t := range times {
		slices.Sort(t)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(times[0][len(times[0])/2], "bare-ns")
	b.ReportMetric(times[1][len(times[1])/2]/times[0][len(times[0])/2], "times-bare")
}
