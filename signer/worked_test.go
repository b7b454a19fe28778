package signer_test

import (
	"bytes"
	"crypto"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/asn1"
	"io"
	"math/big"
	"testing"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/signer"
)

// The two codes that SPEC.md opens with. If one of these fails, the format has
// changed and every code ever issued is lost.
func TestWorkedCodes(t *testing.T) {
	for _, w := range []struct{ descriptor, secret, id, code string }{
		{workedHS, workedHSSecret, "ca3f2093e4fe1455", workedHSCode},
		{workedES, workedESSecret, "e21531b141ba7c8d", workedESCode},
	} {
		key, private := workedKey(w.descriptor, w.secret, 7)
		if key.ID().String() != w.id {
			t.Errorf("key id %s, want %s", key.ID(), w.id)
		}
		code, err := newSigner(t, key, private).Mint(workedLicense)
		if err != nil || code != w.code {
			t.Errorf("Mint = %s, %v\nwant   %s", code, err, w.code)
		}
	}
}

// The values between licence and code of SPEC.md, section 10.1. The keyed ones
// are computed here with the standard library alone.
func TestWorkedValuesHS256(t *testing.T) {
	secret := unhex(workedHSSecret)
	derive := func(use string) []byte {
		return must(hkdf.Key(sha256.New, secret, nil, workedHS+"\x00"+use+"\x00", 32))
	}
	mac := func(key, message []byte, n int) []byte {
		h := hmac.New(sha256.New, key)
		h.Write(message)
		return h.Sum(nil)[:n]
	}
	check := func(what string, got []byte, want string) {
		t.Helper()
		if !bytes.Equal(got, unhex(want)) {
			t.Errorf("%s = %x, want %s", what, got, want)
		}
	}
	check("hkdf tag", derive("tag"), "bb5dac414b4b5ec65d616b048b524bbda420b4ce29b6793866ab185a2c871723")
	check("hkdf mask", derive("mask"), "d2ab1b2b8a3e31a9c142f4f3b02cc9a352fccb74160493602b2a7757dcdca2fe")
	check("hkdf cover", derive("cover"), "ef470b5b7605d6e907310fb1251b478896127742322549f46e480c2357170c14")
	check("key id", derive("id")[:8], "ca3f2093e4fe1455")

	d := must(keys.ParseDescriptor(workedHS))
	plain := must(d.Layout.AppendPayload(nil, &workedLicense))
	check("payload", plain, "00381844600003e8")
	check("tag", mac(derive("tag"), plain, 10), "51b563ff6af5675c0829")

	masked, shown := make([]byte, 8), make([]byte, 10)
	must(keys.NewMAC(d, must(keys.NewSecret(secret)))).Seal(masked, shown, plain, nil)
	check("masked", masked, "07c3beb33243b78f")
	check("shown", shown, "0dbf071d843d7047ee2c")

	body := payload.AppendSymbols([]byte{payload.Symbol(8)}, masked, 60)
	body = payload.AppendSymbols(body, shown, 80)
	if string(body) != "AHJXYQET69FWH3QZJG9E69PS6HVKE" {
		t.Errorf("body = %s", body)
	}
	if code := payload.AppendCheck(body); string(code[len(body):]) != "LWZ" {
		t.Errorf("check symbols = %s, want LWZ", code[len(body):])
	}
}

// A recorder is a crypto.Signer that keeps what it was asked and what it said.
type recorder struct {
	crypto.Signer
	digest, der []byte
}

func (r *recorder) Sign(_ io.Reader, digest []byte, opts crypto.SignerOpts) (der []byte, err error) {
	r.digest = bytes.Clone(digest)
	r.der, err = r.Signer.Sign(nil, digest, opts) // nil: RFC 6979, which the vectors need
	return r.der, err
}

// raw returns r and s as the signer gave them, before s was made low.
func (r *recorder) raw() (rr, ss []byte) {
	var sig struct{ R, S *big.Int }
	must(asn1.Unmarshal(r.der, &sig))
	return sig.R.FillBytes(make([]byte, 32)), sig.S.FillBytes(make([]byte, 32))
}

// The values of SPEC.md, section 10.2, seen from the private key's side.
func TestWorkedValuesES256(t *testing.T) {
	key, private := workedKey(workedES, workedESSecret, 7)
	rec := &recorder{Signer: must(private.ECDSA())}
	s := must(signer.NewES256(key, rec, signer.Options{}))
	if code, err := s.Mint(workedLicense); err != nil || code != workedESCode {
		t.Fatalf("Mint = %s, %v", code, err)
	}
	r, _ := rec.raw()
	shown := signatureOf(key.Descriptor(), workedESCode)
	for _, c := range []struct {
		what string
		got  []byte
		want string
	}{
		{"digest", rec.digest, "12528f5407e168d8d6d310cd05dc652c91968011923744a57eb768eb83042c86"},
		{"r signed", r, "0a34541a64af0f64d5f35ae57ba7d16cedc875869180ade67fcf384c66c32fe5"},
		{"r shown", shown[:32], "0a34541a64af0f64d5f35ae57ba7d16cedc875869180ade67fcf384c66c32fe5"},
		{"s shown", shown[32:], "2f286af66b3bbc3c27c020d41c28cde1df0c55a52130a5809e338cc03ef9b4c7"},
	} {
		if !bytes.Equal(c.got, unhex(c.want)) {
			t.Errorf("%s = %x, want %s", c.what, c.got, c.want)
		}
	}
	// The masked payload is symbols 2 to 13 of the code, hyphens left out.
	masked := make([]byte, 8)
	payload.DecodeSymbols(masked, []byte("QVCY3VX47H5Q"), 60)
	if !bytes.Equal(masked, unhex("0b6d5e0efa22bc76")) {
		t.Errorf("masked = %x", masked)
	}
}
