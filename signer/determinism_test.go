package signer_test

import (
	"testing"

	"github.com/licet-dev/licet/signer"
)

// A code is a function of key and licence, so a lost file can be minted again
// and an interrupted batch can be repeated.
func TestMintIsDeterministic(t *testing.T) {
	builtinSuites(func(name, descriptor string) {
		t.Run(name, func(t *testing.T) {
			key, private := fixedKey(descriptor, 7)
			lic := licenseFor(key.Layout(), 7, 1000)
			s := newSigner(t, key, private)
			first := must(s.Mint(lic))
			if again := must(s.Mint(lic)); again != first {
				t.Errorf("the same signer minted %s and %s", first, again)
			}
			// Another process: everything made anew, from the text of the key.
			if other := must(newSigner(t, key, private).Mint(lic)); other != first {
				t.Errorf("another signer minted %s, not %s", other, first)
			}
			// The first code is verified and later ones are not; that must not show.
			lic.Serial++
			second := must(s.Mint(lic))
			if other := must(newSigner(t, key, private).Mint(lic)); other != second {
				t.Errorf("minted first %s, minted later %s", other, second)
			}
			if second == first {
				t.Errorf("two serials, one code: %s", first)
			}
		})
	})
}

// AppendCode appends, and leaves what was there alone.
func TestAppendCodeAppends(t *testing.T) {
	key, private := workedKey(workedHS, workedHSSecret, 7)
	s := newSigner(t, key, private)
	got, err := s.AppendCode([]byte("code: "), &workedLicense)
	if err != nil || string(got) != "code: "+workedHSCode {
		t.Errorf("AppendCode = %q, %v", got, err)
	}
	bad := workedLicense
	bad.Serial = 0
	if got, err := s.AppendCode([]byte("code: "), &bad); err == nil || string(got) != "code: " {
		t.Errorf("refused AppendCode = %q, %v; want dst as it was", got, err)
	}
}

// Signers of one key with other bindings, and keys that differ in one part of
// their descriptor, make other codes. The secret is the same for all.
func TestEveryPartOfAKeyChangesTheCode(t *testing.T) {
	seen := map[string]string{}
	for _, descriptor := range []string{
		workedHS,
		"licet/v1 hs256 key=10 prefix=ACME layout=product:9,version:8,expiry:15,serial:28 bind=none sig=80",
		"licet/v1 hs256 key=8 prefix=ACNE layout=product:9,version:8,expiry:15,serial:28 bind=none sig=80",
		"licet/v1 hs256 key=8 prefix= layout=product:9,version:8,expiry:15,serial:28 bind=none sig=80",
		"licet/v1 hs256 key=8 prefix=ACME layout=product:9,version:8,expiry:16,serial:27 bind=none sig=80",
		"licet/v1 hs256 key=8 prefix=ACME layout=product:9,version:8,expiry:15,serial:28 bind=machine sig=80",
		"licet/v1 hs256 key=8 prefix=ACME layout=product:9,version:8,expiry:15,serial:28 bind=licensee sig=80",
		"licet/v1 hs256 key=8 prefix=ACME layout=product:9,version:8,expiry:15,serial:28 bind=none sig=75",
	} {
		key, private := workedKey(descriptor, workedHSSecret, 7)
		opts := signer.Options{}
		if key.Descriptor().Bind != "none" {
			opts.Binding = "Jane Doe"
		}
		code := must(must(signer.New(key, private, opts)).Mint(workedLicense))
		// Only payload and signature count: number and prefix differ anyhow.
		body := code[len(code)-39 : len(code)-5]
		if other, ok := seen[body]; ok {
			t.Errorf("%s and %s mint the same", descriptor, other)
		}
		seen[body] = descriptor
	}
}
