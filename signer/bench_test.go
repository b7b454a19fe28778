package signer_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/hmac"
	"crypto/sha256"
	"slices"
	"testing"
	"time"
)

// What a code costs beyond its cryptography is what BENCHMARKS.md reports: the
// metric times-bare of the sub-benchmarks named ratio.

// bareHS256 is the cryptography of an hs256 code: three HMACs with reused state, over
// 8, 10 and 8 bytes in the standard layout.
func bareHS256() func() {
	tag := hmac.New(sha256.New, make([]byte, 32))
	mask := hmac.New(sha256.New, make([]byte, 32))
	cover := hmac.New(sha256.New, make([]byte, 32))
	in := make([]byte, 10)
	sum := make([]byte, 0, 32)
	return func() {
		tag.Reset()
		tag.Write(in[:8])
		sum = tag.Sum(sum[:0])
		mask.Reset()
		mask.Write(in)
		sum = mask.Sum(sum[:0])
		cover.Reset()
		cover.Write(in[:8])
		sum = cover.Sum(sum[:0])
	}
}

func BenchmarkMintHS256(b *testing.B) {
	benchmarkMint(b, workedHS, workedHSSecret, bareHS256())
}

// An es256 code needs a deterministic signature and its verification.
func BenchmarkMintES256(b *testing.B) {
	_, private := workedKey(workedES, workedESSecret, 7)
	ec := must(private.ECDSA())
	digest := sha256.Sum256([]byte("licence"))
	benchmarkMint(b, workedES, workedESSecret, func() {
		sig, err := ec.Sign(nil, digest[:], crypto.SHA256)
		if err != nil || !ecdsa.VerifyASN1(&ec.PublicKey, digest[:], sig) {
			b.Fatal("signature is bad")
		}
	})
}

func benchmarkMint(b *testing.B, descriptor, secret string, bare func()) {
	key, private := workedKey(descriptor, secret, 7)
	s := newSigner(b, key, private)
	lic := workedLicense
	buf := make([]byte, 0, 256)
	mint := func() {
		var err error
		if buf, err = s.AppendCode(buf[:0], &lic); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("mint", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			mint()
		}
	})
	b.Run("ratio", func(b *testing.B) { compare(b, bare, mint) })
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
