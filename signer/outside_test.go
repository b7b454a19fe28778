package signer_test

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/asn1"
	"errors"
	"io"
	"math/big"
	"testing"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/signer"
)

// A device is a crypto.Signer such as an HSM or a KMS: it has the key, and does
// with a digest what sign does.
type device struct {
	*ecdsa.PrivateKey
	sign func(key *ecdsa.PrivateKey, random io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error)
}

func (d device) Sign(random io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	return d.sign(d.PrivateKey, random, digest, opts)
}

func deviceSigner(t *testing.T, sign func(*ecdsa.PrivateKey, io.Reader, []byte, crypto.SignerOpts) ([]byte, error)) (*signer.Signer, *judge) {
	t.Helper()
	key, private := workedKey(workedES, workedESSecret, 7)
	s, err := signer.NewES256(key, device{must(private.ECDSA()), sign}, signer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s, newJudge(key, private)
}

// A device that signs with randomness mints good codes, though other ones each
// time: signing twice is no reason to believe in two licences.
func TestRandomisedDevice(t *testing.T) {
	s, j := deviceSigner(t, func(key *ecdsa.PrivateKey, random io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
		if random == nil {
			return nil, errors.New("device without randomness of its own got none")
		}
		if len(digest) != 32 || opts.HashFunc() != crypto.SHA256 {
			return nil, errors.New("asked for something else than SHA-256")
		}
		return key.Sign(random, digest, opts)
	})
	codes := map[string]bool{}
	for range 50 {
		code := must(s.Mint(workedLicense))
		lic, err := j.Verify(code)
		if err != nil || !sameLicense(j.layout(), workedLicense, lic.License) {
			t.Fatalf("Verify(%s) = %+v, %v", code, lic, err)
		}
		codes[code] = true
	}
	if len(codes) != 50 {
		t.Errorf("%d codes in 50 mints of a randomised device", len(codes))
	}
}

func (j *judge) layout() *payload.Layout { return must(keys.ParseDescriptor(workedES)).Layout }

// CR-02: a device may return s high or low; the code has it low, in one spelling.
func TestHighAndLowS(t *testing.T) {
	n := elliptic.P256().Params().N
	half := new(big.Int).Rsh(n, 1)
	for _, wantHigh := range []bool{false, true} {
		s, _ := deviceSigner(t, func(key *ecdsa.PrivateKey, _ io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
			var sig struct{ R, S *big.Int }
			must(asn1.Unmarshal(must(key.Sign(nil, digest, opts)), &sig))
			if high := sig.S.Cmp(half) > 0; high != wantHigh {
				sig.S.Sub(n, sig.S)
			}
			return asn1.Marshal(sig)
		})
		if code, err := s.Mint(workedLicense); err != nil || code != workedESCode {
			t.Errorf("s high %t: Mint = %s, %v", wantHigh, code, err)
		}
	}
}

// The error of a device comes through, so that a program can tell "unplugged"
// from "wrong".
func TestDeviceError(t *testing.T) {
	unplugged := errors.New("unplugged")
	s, _ := deviceSigner(t, func(*ecdsa.PrivateKey, io.Reader, []byte, crypto.SignerOpts) ([]byte, error) {
		return []byte("half a signature"), unplugged
	})
	code, err := s.Mint(workedLicense)
	if !errors.Is(err, unplugged) || errors.Is(err, signer.ErrFault) || code != "" {
		t.Errorf("Mint = %q, %v; want the device's error and nothing else", code, err)
	}
}

// What is no ECDSA signature at all is refused without a panic.
func TestGarbageFromDevice(t *testing.T) {
	n := elliptic.P256().Params().N
	der := func(r, s *big.Int) []byte { return must(asn1.Marshal(struct{ R, S *big.Int }{r, s})) }
	one := big.NewInt(1)
	huge := new(big.Int).Lsh(one, 256)
	for name, answer := range map[string][]byte{
		"nothing":                nil,
		"no DER":                 []byte("signature"),
		"r || s":                 bytes.Repeat([]byte{0x30}, 64),
		"DER cut off":            der(one, one)[:5],
		"bytes after the DER":    append(der(one, one), 0),
		"three numbers":          must(asn1.Marshal(struct{ A, B, C *big.Int }{one, one, one})),
		"r is 0":                 der(new(big.Int), one),
		"s is 0":                 der(one, new(big.Int)),
		"r is negative":          der(big.NewInt(-1), one),
		"s is negative":          der(one, big.NewInt(-1)),
		"r is 2^256":             der(huge, one),
		"s is 2^256":             der(one, huge),
		"r is n":                 der(n, one),
		"s is n":                 der(one, n),
		"s is n+1":               der(one, new(big.Int).Add(n, one)),
		"s is 2^256-1":           der(one, new(big.Int).Sub(huge, one)),
		"r is 2^256-1":           der(new(big.Int).Sub(huge, one), one),
		"in range but arbitrary": der(one, one),
	} {
		s, _ := deviceSigner(t, func(*ecdsa.PrivateKey, io.Reader, []byte, crypto.SignerOpts) ([]byte, error) {
			return answer, nil
		})
		if code, err := s.Mint(workedLicense); err == nil || code != "" {
			t.Errorf("%s: Mint = %q, %v; want an error", name, code, err)
		}
		dst := []byte("kept")
		if got, err := s.AppendCode(dst, &workedLicense); err == nil || string(got) != "kept" {
			t.Errorf("%s: AppendCode = %q, %v; want dst as it was", name, got, err)
		}
	}
}

// CR-23: a device that computes something wrong is found out before its code is
// given away, each time anew: a fault in a deterministic signature gives the key
// away, and may come and go.
func TestFaultyDevice(t *testing.T) {
	calls := 0
	s, _ := deviceSigner(t, func(key *ecdsa.PrivateKey, _ io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
		calls++
		if calls%2 == 0 { // a good signature, but of something else
			digest = bytes.Clone(digest)
			digest[31] ^= 1
		}
		return key.Sign(nil, digest, opts)
	})
	for i := range 6 {
		code, err := s.Mint(workedLicense)
		if i%2 == 0 {
			if err != nil || code != workedESCode {
				t.Errorf("call %d: Mint = %s, %v", i, code, err)
			}
			continue
		}
		if !errors.Is(err, signer.ErrFault) || code != "" {
			t.Errorf("call %d: Mint = %q, %v; want the fault and nothing else", i, code, err)
		}
	}
}

// A device with another key than its public half says is a fault as well.
func TestDeviceWithAnotherKey(t *testing.T) {
	other := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	s, _ := deviceSigner(t, func(_ *ecdsa.PrivateKey, _ io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
		return other.Sign(nil, digest, opts)
	})
	if code, err := s.Mint(workedLicense); !errors.Is(err, signer.ErrFault) || code != "" {
		t.Errorf("Mint = %q, %v; want the fault and nothing else", code, err)
	}
}
