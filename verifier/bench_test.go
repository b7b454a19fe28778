package verifier_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/hmac"
	"crypto/sha256"
	"testing"

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

// What a verdict costs beyond its cryptography is verify divided by bare, both
// from the same run. An hs256 code needs three HMACs, over 8, 10 and 8 bytes in
// the standard layout.
func BenchmarkVerifyHS256(b *testing.B) {
	b.Run("bare", func(b *testing.B) {
		tag := hmac.New(sha256.New, make([]byte, 32))
		mask := hmac.New(sha256.New, make([]byte, 32))
		cover := hmac.New(sha256.New, make([]byte, 32))
		in := make([]byte, 10)
		sum := make([]byte, 0, 32)
		b.ReportAllocs()
		for b.Loop() {
			cover.Reset()
			cover.Write(in[:8])
			sum = cover.Sum(sum[:0])
			mask.Reset()
			mask.Write(in)
			sum = mask.Sum(sum[:0])
			tag.Reset()
			tag.Write(in[:8])
			sum = tag.Sum(sum[:0])
		}
	})
	b.Run("verify", func(b *testing.B) {
		v, hs, _ := benchVerifier()
		code := hs.mint(perpetual)
		b.ReportAllocs()
		for b.Loop() {
			if _, err := v.Verify(code); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// An es256 code needs the verification of a signature.
func BenchmarkVerifyES256(b *testing.B) {
	v, _, es := benchVerifier()
	b.Run("bare", func(b *testing.B) {
		ec := must(es.private.ECDSA())
		digest := sha256.Sum256([]byte("licence"))
		sig := must(ec.Sign(nil, digest[:], crypto.SHA256))
		b.ReportAllocs()
		for b.Loop() {
			if !ecdsa.VerifyASN1(&ec.PublicKey, digest[:], sig) {
				b.Fatal("signature is bad")
			}
		}
	})
	b.Run("verify", func(b *testing.B) {
		code := es.mint(perpetual)
		b.ReportAllocs()
		for b.Loop() {
			if _, err := v.Verify(code); err != nil {
				b.Fatal(err)
			}
		}
	})
}
