package verifier_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/verifier"
)

// Whatever the text: no panic, an error of one of the three kinds, and nothing is
// called genuine but a code that was minted, in one of its spellings. The keys
// have long signatures, so a fuzzer doesn't find another one.
func FuzzVerify(f *testing.F) {
	hs, es, bound := newKey(workedHS, 7), newKey(workedES, 7), newKey(boundHS, 7)
	wide := newKey("licet/v1 hs256 key=13 prefix=OI10 layout=product:16,version:12,expiry:16,serial:32,edition:8,features:16 bind=none sig=80", 7)
	expired := workedLicense
	expired.Expiry, expired.Serial = 1, 2000
	minted := map[string]uint64{} // normalised, with and without the prefix
	add := func(k testKey, serial uint64, code string) {
		bare := string(k.symbols(code))
		minted[bare], minted[k.Descriptor().Prefix+bare] = serial, serial
		for _, text := range []string{
			code, bare, strings.ToLower(code), fullWidth(code), " " + code + ".\n",
			code + code, code + "X", "ZZ" + bare, code[:len(code)-1], code[1:], code[:len(code)-1] + "0",
			code[:len(code)-1] + "\xff", strings.Replace(code, "-", "\u200b", 3), k.print(recheck(reversed(k.symbols(code)))),
		} {
			f.Add(text)
		}
	}
	add(hs, 1000, workedHSCode)
	add(es, 1000, workedESCode)
	add(hs, 2000, hs.mint(expired))
	add(wide, 1000, codeOf(wide))
	add(bound, 1000, bound.mint(workedLicense, "host-1"))
	for _, text := range []string{"", "ACME", "OI10", "HELLO", "?", "\u0410", strings.Repeat("A", 1025), wellFormed(0, 32), wellFormed(20, 139)} {
		f.Add(text)
	}
	v := newVerifier(newRing(hs, es, bound, wide))
	f.Fuzz(func(t *testing.T, text string) {
		for _, binding := range []string{"", "host-1"} {
			lic, err := v.VerifyBound(text, binding)
			requireFamily(t, err)
			if e, ok := errors.AsType[*verifier.NotAcceptableError](err); ok {
				lic = e.License
			} else if err != nil {
				if lic.Product != 0 || lic.Serial != 0 {
					t.Errorf("%v, but returned %+v", err, lic)
				}
				continue
			}
			normal, err := payload.AppendNormalized(nil, text)
			if serial, ok := minted[string(normal)]; err != nil || !ok || serial != lic.Serial {
				t.Errorf("accepted %q, which was never minted: %+v", text, lic)
			}
		}
	})
}

func reversed(symbols []byte) []byte {
	slices.Reverse(symbols)
	return symbols
}
