package signer_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
)

// requireReason fails unless the chain of err has the reason.
func requireReason(t interface{ Fatalf(string, ...any) }, err, reason error) {
	if !errors.Is(err, reason) {
		t.Fatalf("got %v, want %v", err, reason)
	}
}

// licenseFor returns a licence with some value in every field of the layout but
// start, valid on the days from 1 to 100 at least.
func licenseFor(l *payload.Layout, product, serial uint64) payload.License {
	lic := payload.License{}
	for i, f := range l.Fields() {
		set(&lic, f.Name, min(f.Max(), uint64(100+i)))
	}
	lic.Product, lic.Serial, lic.Start = product, serial, 0
	return lic
}

// randomLicense fills every field at random. Extremes are frequent, since that
// is where bits get lost.
func randomLicense(r *rand.Rand, l *payload.Layout, products []uint64) payload.License {
	lic := payload.License{}
	for _, f := range l.Fields() {
		v := r.Uint64N(f.Max() + 1)
		switch r.IntN(8) {
		case 0:
			v = f.Max()
		case 1:
			v = min(1, f.Max())
		}
		set(&lic, f.Name, v)
	}
	lic.Product, lic.Serial = products[r.IntN(len(products))], max(lic.Serial, 1)
	return lic
}

// Ten thousand random licences for each suite and built-in layout. An es256 code
// costs a signature and two verifications, so by default only a tenth of those
// are made; LICET_LONG has them all.
func TestManyRandomLicenses(t *testing.T) {
	builtinSuites(func(name, descriptor string) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			count := 10_000
			if name[:2] == "es" && os.Getenv("LICET_LONG") == "" {
				count = 1_000
			}
			l := must(keys.ParseDescriptor(descriptor)).Layout
			key, private := fixedKey(descriptor, allowed(l)...)
			s, j := newSigner(t, key, private), newJudge(key, private)
			r := rand.New(rand.NewPCG(1, uint64(len(name))))
			for range count {
				lic := randomLicense(r, l, key.Products())
				code, err := s.Mint(lic)
				if err != nil {
					t.Fatalf("Mint(%+v): %v", lic, err)
				}
				got, err := j.Verify(code)
				if err != nil || !sameLicense(l, lic, got.License) {
					t.Fatalf("Verify(%s) = %+v, %v; minted %+v", code, got.License, err, lic)
				}
				if printed := parseAndPrint(t, key.Descriptor(), code); printed != code {
					t.Fatalf("read and printed %s, minted %s", printed, code)
				}
			}
		})
	})
}

// CR-05, CR-06: r and s are of fixed width, whatever their leading bytes, and a
// signature that begins like one in DER is none. One in 256 has a short r, one in
// 128 a short s, since s is the lower of two; 5,000 codes have many of each.
func TestShortHalvesOfES256(t *testing.T) {
	t.Parallel()
	key, private := workedKey(workedES, workedESSecret, 7)
	s, j := newSigner(t, key, private), newJudge(key, private)
	var shortR, shortS, likeDER int
	for serial := range uint64(5_000) {
		lic := workedLicense
		lic.Serial = serial + 1
		code := must(s.Mint(lic))
		got, err := j.Verify(code)
		if err != nil || got.Serial != serial+1 {
			t.Fatalf("Verify(%s) = serial %d, %v; want %d", code, got.Serial, err, serial+1)
		}
		sig := signatureOf(key.Descriptor(), code)
		if len(code) != len(workedESCode) {
			t.Fatalf("%s has another length", code)
		}
		if sig[0] == 0 {
			shortR++
		}
		if sig[32] == 0 {
			shortS++
		}
		if sig[0] == 0x30 {
			likeDER++
		}
	}
	if shortR == 0 || shortS == 0 || likeDER == 0 {
		t.Errorf("%d short r, %d short s, %d with first byte 0x30: the run proves nothing", shortR, shortS, likeDER)
	}
}
