package verifier_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/asn1"
	"math/big"
	"testing"

	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/verifier"
)

// CR-02, CR-03: a signature has one spelling. The twin with n-s, which ECDSA as
// such takes for good, is refused before anything is computed.
func TestTwinOfASignature(t *testing.T) {
	k := newKey(workedES, 7)
	v := newVerifier(newRing(k))
	n := elliptic.P256().Params().N
	for serial := range uint64(20) {
		lic := workedLicense
		lic.Serial += serial
		code := k.mint(lic)
		masked, shown := k.split(code)
		r, s := new(big.Int).SetBytes(shown[:32]), new(big.Int).SetBytes(shown[32:])
		s.Sub(n, s)
		s.FillBytes(shown[32:])

		// The twin is a good signature: the refusal is ours, not ECDSA's. The mask
		// depends on the signature, so it is the payload that is masked anew.
		plain := must(k.Layout().AppendPayload(nil, &lic))
		digest := sha256.Sum256(append([]byte(workedES+"\x00sig\x00"), plain...))
		der := must(asn1.Marshal(struct{ R, S *big.Int }{r, s}))
		if !ecdsa.VerifyASN1(k.Public().ECDSA(), digest[:], der) {
			t.Fatal("the twin is no good signature: the test proves nothing")
		}
		_, err := v.Verify(k.assemble(masked, shown))
		requireReason(t, err, payload.SignatureRange)
		requireReason(t, mustFail(v.Verify(k.assemble(maskES(plain, shown), shown))), payload.SignatureRange)
	}
}

func mustFail(_ verifier.License, err error) error { return err }

// maskES masks a payload of 60 bits as SPEC.md, section 6, says, for key 9.
func maskES(plain, shown []byte) []byte {
	key := sha256.Sum256([]byte(workedES + "\x00mask\x00"))
	h := hmac.New(sha256.New, key[:])
	h.Write(shown)
	v := new(big.Int).SetBytes(h.Sum(nil))
	v.Rsh(v, 256-60)
	return v.Xor(v, new(big.Int).SetBytes(plain)).FillBytes(make([]byte, 8))
}

// r and s at the ends of their ranges. Beyond them the reason is the range, within
// them the signature, which is bad.
func TestSignatureRange(t *testing.T) {
	k := newKey(workedES, 7)
	v := newVerifier(newRing(k))
	masked, shown := k.split(workedESCode)
	goodR, goodS := new(big.Int).SetBytes(shown[:32]), new(big.Int).SetBytes(shown[32:])
	n := elliptic.P256().Params().N
	one := big.NewInt(1)
	half := new(big.Int).Rsh(n, 1)
	less := func(v *big.Int) *big.Int { return new(big.Int).Sub(v, one) }
	more := func(v *big.Int) *big.Int { return new(big.Int).Add(v, one) }
	top := less(new(big.Int).Lsh(one, 256))
	zero := new(big.Int)
	for _, c := range []struct {
		name string
		r, s *big.Int
		want error
	}{
		{"good", goodR, goodS, nil},
		{"r 0", zero, goodS, payload.SignatureRange},
		{"r 1", one, goodS, verifier.BadSignature},
		{"r n-1", less(n), goodS, verifier.BadSignature},
		{"r n", n, goodS, payload.SignatureRange},
		{"r n+1", more(n), goodS, payload.SignatureRange},
		{"r all ones", top, goodS, payload.SignatureRange},
		{"s 0", goodR, zero, payload.SignatureRange},
		{"s 1", goodR, one, verifier.BadSignature},
		{"s (n-1)/2", goodR, half, verifier.BadSignature},
		{"s (n+1)/2", goodR, more(half), payload.SignatureRange},
		{"s n-1", goodR, less(n), payload.SignatureRange},
		{"s n", goodR, n, payload.SignatureRange},
		{"s all ones", goodR, top, payload.SignatureRange},
		{"both 0", zero, zero, payload.SignatureRange},
		{"both n", n, n, payload.SignatureRange},
		{"both 1", one, one, verifier.BadSignature},
		{"r and s exchanged", goodS, goodR, verifier.BadSignature},
	} {
		sig := append(c.r.FillBytes(make([]byte, 32)), c.s.FillBytes(make([]byte, 32))...)
		_, err := v.Verify(k.assemble(masked, sig))
		if c.want == nil {
			requireReason(t, err, nil)
			continue
		}
		requireReason(t, err, c.want)
		if e, ok := err.(*verifier.NotAuthenticError); !ok || (e.Malformed() != nil) != (c.want == payload.SignatureRange) {
			t.Errorf("%s: %v is malformed or not, wrongly", c.name, err)
		}
	}
}

// CT-16, CR-04: 103 symbols have three bits more than a signature. Each of the
// other seven spellings is refused.
func TestSpareBits(t *testing.T) {
	k := newKey(workedES, 7)
	v := newVerifier(newRing(k))
	for spare := range 8 {
		s := k.symbols(workedESCode)
		value, _ := payload.SymbolValue(s[13])
		s[13] = payload.Symbol(value | spare<<2)
		_, err := v.Verify(k.print(recheck(s)))
		if spare == 0 {
			requireReason(t, err, nil)
		} else {
			requireReason(t, err, payload.SpareBits)
		}
	}
}
