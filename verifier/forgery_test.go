package verifier_test

import (
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/verifier"
)

// Check symbols are no security: a forger computes them. Every change of one
// payload or signature symbol with fitting check symbols meets the signature. The
// first symbol names the key, so a change of it names another one.
func TestEveryForgedSymbolHS256(t *testing.T) {
	for _, k := range []testKey{
		newKey(workedHS, 7),
		newKey("licet/v1 hs256 key=8 prefix= layout=product:16,version:12,expiry:16,serial:32,edition:8,features:16 bind=none sig=80", 7),
	} {
		v := newVerifier(newRing(k))
		right := k.symbols(k.mint(workedLicense))
		for i := range len(right) - payload.CheckSymbols {
			for _, c := range []byte(payload.Alphabet) {
				if c == right[i] {
					continue
				}
				forged := slices.Clone(right)
				forged[i] = c
				lic, err := v.Verify(k.print(recheck(forged)))
				switch {
				case i > 0:
					requireReason(t, err, verifier.BadSignature)
				case c == payload.Symbol(0):
					requireReason(t, err, payload.LaterFormat)
				default:
					requireReason(t, err, payload.UnknownKey)
				}
				if lic.Product != 0 {
					t.Fatalf("%v, but returned %+v", err, lic)
				}
			}
		}
	}
}

// The same for es256, where some changes leave the range of a signature. An ECDSA
// verification is slow, so each place has seven of the 31 other symbols, and the
// first of the signature, which holds the spare bits, has all. LICET_LONG has all
// everywhere.
func TestForgedSymbolsES256(t *testing.T) {
	k := newKey(workedES, 7)
	v := newVerifier(newRing(k))
	right := k.symbols(workedESCode)
	const first = 1 + 60/5 // of the signature
	seen := map[error]int{}
	for i := 1; i < len(right)-payload.CheckSymbols; i++ {
		value, _ := payload.SymbolValue(right[i])
		step := 5
		if i == first || os.Getenv("LICET_LONG") != "" {
			step = 1
		}
		for e := 1; e < 32; e += step {
			forged := slices.Clone(right)
			forged[i] = payload.Symbol(value ^ e)
			_, err := v.Verify(k.print(recheck(forged)))
			reasons := []error{verifier.BadSignature, payload.SpareBits, payload.SignatureRange}
			n := slices.IndexFunc(reasons, func(r error) bool { return errors.Is(err, r) })
			switch {
			case n < 0:
				t.Fatalf("symbol %d: got %v", i+1, err)
			case reasons[n] == payload.SpareBits && i != first:
				t.Fatalf("symbol %d has no spare bits, but got %v", i+1, err)
			case i == first && (value^e)>>2 != 0 && reasons[n] != payload.SpareBits:
				// Of five bits, the upper three are spare: 103 symbols have 515.
				t.Fatalf("spare bits %05b: got %v", value^e, err)
			}
			seen[reasons[n]]++
		}
	}
	if seen[payload.SpareBits] != 28 || seen[verifier.BadSignature] == 0 {
		t.Errorf("reasons %v", seen)
	}
}

// Whoever holds one good coupon can't choose the payload of another: the payload
// symbols of one with the signature of the other are good only by chance, which
// is 2^-35 a try. (Without the cover, the tag would not depend on the mask.)
func TestPayloadAndSignatureBelongTogether(t *testing.T) {
	k := newKey("licet/v1 hs256 key=13 prefix= layout=product:15,serial:30 bind=none sig=35", 7)
	v := newVerifier(newRing(k), shortTags)
	var masks, tags [][]byte
	for serial := range uint64(40) {
		masked, shown := k.split(k.mint(payload.License{Product: 7, Serial: serial + 1}))
		masks, tags = append(masks, masked), append(tags, shown)
	}
	for i, m := range masks {
		for j, s := range tags {
			_, err := v.Verify(k.assemble(m, s))
			if i == j {
				requireReason(t, err, nil)
			} else {
				requireReason(t, err, verifier.BadSignature)
			}
		}
	}
}

// CR-10, CR-12: a code of one key is good under no other, whatever the number it
// is given, and even if both have the same secret.
func TestCodesUnderOtherKeys(t *testing.T) {
	a := newKey(workedHS, 7)
	secret := unhex(workedHSSecret)
	masked, shown := a.split(workedHSCode)
	for _, descriptor := range []string{
		"licet/v1 hs256 key=10 prefix=ACME layout=product:9,version:8,expiry:15,serial:28 bind=none sig=80",
		"licet/v1 hs256 key=8 prefix= layout=product:9,version:8,expiry:15,serial:28 bind=none sig=80",
		"licet/v1 hs256 key=8 prefix=ACME layout=product:9,version:8,expiry:16,serial:27 bind=none sig=80",
		"licet/v1 hs256 key=8 prefix=ACME layout=product:9,release:8,expiry:15,serial:28 bind=none sig=80",
		"licet/v1 hs256 key=8 prefix=ACME layout=serial:28,expiry:15,version:8,product:9 bind=none sig=80",
	} {
		b := keyOf(descriptor, secret, 7)
		_, err := newVerifier(newRing(b)).Verify(b.assemble(masked, shown))
		requireReason(t, err, verifier.BadSignature)
	}
	// A wide hs256 tag in an es256 code: the suite is that of the ring, never of the text.
	es := newKey(workedES, 7)
	long := append(make([]byte, 64-len(shown)), shown...)
	_, err := newVerifier(newRing(es)).Verify(es.assemble(masked, long))
	if !errors.Is(err, verifier.BadSignature) && !errors.Is(err, payload.SignatureRange) {
		t.Errorf("got %v", err)
	}
	if es.Suite() != keys.ES256 {
		t.Fatal("not an es256 key")
	}
}
