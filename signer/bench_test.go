package signer_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/hmac"
	"crypto/sha256"
	"testing"
)

// What a code costs beyond its cryptography is mint divided by bare, both from
// the same run. An hs256 code needs three HMACs, over 8, 10 and 8 bytes in the
// standard layout.
func BenchmarkMintHS256(b *testing.B) {
	b.Run("bare", func(b *testing.B) {
		tag := hmac.New(sha256.New, make([]byte, 32))
		mask := hmac.New(sha256.New, make([]byte, 32))
		cover := hmac.New(sha256.New, make([]byte, 32))
		in := make([]byte, 10)
		sum := make([]byte, 0, 32)
		b.ReportAllocs()
		for b.Loop() {
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
	})
	b.Run("mint", func(b *testing.B) {
		key, private := workedKey(workedHS, workedHSSecret, 7)
		s := newSigner(b, key, private)
		lic := workedLicense
		buf := make([]byte, 0, 64)
		b.ReportAllocs()
		for b.Loop() {
			buf, _ = s.AppendCode(buf[:0], &lic)
		}
	})
}

// An es256 code needs a deterministic signature and its verification.
func BenchmarkMintES256(b *testing.B) {
	key, private := workedKey(workedES, workedESSecret, 7)
	b.Run("bare", func(b *testing.B) {
		ec := must(private.ECDSA())
		digest := sha256.Sum256([]byte("licence"))
		b.ReportAllocs()
		for b.Loop() {
			sig, err := ec.Sign(nil, digest[:], crypto.SHA256)
			if err != nil || !ecdsa.VerifyASN1(&ec.PublicKey, digest[:], sig) {
				b.Fatal("signature is bad")
			}
		}
	})
	b.Run("mint", func(b *testing.B) {
		s := newSigner(b, key, private)
		lic := workedLicense
		buf := make([]byte, 0, 256)
		b.ReportAllocs()
		for b.Loop() {
			buf, _ = s.AppendCode(buf[:0], &lic)
		}
	})
}
