package verifier_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/hmac"
	"crypto/sha256"
	"slices"
	"testing"
	"time"

	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/verifier"
)

// benchVerifier has a ring of three keys, a minimum version, a leeway and the
// real clock, as a product has them.
func benchVerifier() (*verifier.Verifier, testKey, testKey) {
	hs, es := newKey(workedHS, 7), newKey(workedES, 7)
	v := must(verifier.New(newRing(hs, es, newKey(boundHS, 7)), verifier.Options{
		Products:   []uint64{7, 8},
		MinVersion: 2,
		Leeway:     verifier.MaxLeeway / 48,
	}))
	return v, hs, es
}

// perpetual is valid whatever the clock shows.
var perpetual = payload.License{Product: 7, Version: 3, Serial: 1000, Expiry: payload.Never}

// What a verdict costs beyond its cryptography is what BENCHMARKS.md reports: the
// metric times-bare of the sub-benchmarks named ratio.

// An hs256 code needs three HMACs, over 8, 10 and 8 bytes in the standard layout.
func BenchmarkVerifyHS256(b *testing.B) {
	tag := hmac.New(sha256.New, make([]byte, 32))
	mask := hmac.New(sha256.New, make([]byte, 32))
	cover := hmac.New(sha256.New, make([]byte, 32))
	in := make([]byte, 10)
	sum := make([]byte, 0, 32)
	v, hs, _ := benchVerifier()
	benchmarkVerify(b, v, hs.mint(perpetual), func() {
		cover.Reset()
		cover.Write(in[:8])
		sum = cover.Sum(sum[:0])
		mask.Reset()
		mask.Write(in)
		sum = mask.Sum(sum[:0])
		tag.Reset()
		tag.Write(in[:8])
		sum = tag.Sum(sum[:0])
	})
}

func BenchmarkVerifyES256(b *testing.B) {
	v, _, es := benchVerifier()
	ec := must(es.private.ECDSA())
	digest := sha256.Sum256([]byte("licence"))
	sig := must(ec.Sign(nil, digest[:], crypto.SHA256))
	benchmarkVerify(b, v, es.mint(perpetual), func() {
		if !ecdsa.VerifyASN1(&ec.PublicKey, digest[:], sig) {
			b.Fatal("signature is bad")
		}
	})
}

func benchmarkVerify(b *testing.B, v *verifier.Verifier, code string, bare func()) {
	verify := func() {
		if _, err := v.Verify(code); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("verify", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			verify()
		}
	})
	b.Run("ratio", func(b *testing.B) { compare(b, bare, verify) })
}

// compare runs bare and real alternately, a hundred times each or so at a time, and
// reports the median of real as a multiple of that of bare. The two see the same
// machine that way, which on a shared one is never twice the same.
func compare(b *testing.B, bare, real func()) {
	var times [2][]float64
	n := 1
	for b.Loop() {
		for i, f := range []func(){bare, real} {
			start := time.Now()
			for range n {
				f()
			}
			took := time.Since(start)
			times[i] = append(times[i], float64(took.Nanoseconds())/float64(n))
			if took < 50*time.Microsecond { // too short for the clock
				n *= 2
			}
		}
	}
	for _, t := range times {
		slices.Sort(t)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(times[0][len(times[0])/2], "bare-ns")
	b.ReportMetric(times[1][len(times[1])/2]/times[0][len(times[0])/2], "times-bare")
}
