package verifier_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/verifier"
)

// What is given at verifying is compared byte by byte with what was given at
// minting. CT-28: composed and decomposed letters are other bytes, and bringing
// them together is the caller's duty.
func TestBindings(t *testing.T) {
	const (
		composed   = "Zo\u00eb M\u00fcller"
		decomposed = "Zoe\u0308 Mu\u0308ller"
	)
	long := strings.Repeat("x", 1024)
	for _, k := range []testKey{newKey(boundHS, 7), newKey(boundES, 7)} {
		v := newVerifier(newRing(k))
		for _, c := range []struct {
			minted, given string
			want          error
		}{
			{"host-1", "host-1", nil},
			{"host-1", "host-2", verifier.BadSignature},
			{"host-1", "HOST-1", verifier.BadSignature},
			{"host-1", "host-1 ", verifier.BadSignature},
			{"host-1", " host-1", verifier.BadSignature},
			{composed, composed, nil},
			{composed, decomposed, verifier.BadSignature},
			{decomposed, decomposed, nil},
			{decomposed, composed, verifier.BadSignature},
			{long, long, nil},
			{long, long[1:], verifier.BadSignature},
			{"host-1", "", verifier.BindingRequired},
			{"host-1", long + "x", verifier.BindingRequired},
			{"host-1", "host-1\n", verifier.BindingRequired},
			{"host-1", "host-1\x00", verifier.BindingRequired},
			{"host-1", "host-1\u0080", verifier.BindingRequired},
			{"host-1", "host-\xff", verifier.BindingRequired},
			{"host-1", "Default string", verifier.BindingRequired},
			{"host-1", "DEFAULT-STRING", verifier.BindingRequired},
			{"host-1", "To be filled by O.E.M.", verifier.BindingRequired},
			{"host-1", "to be filled by OEM", verifier.BindingRequired},
			{"host-1", "uninitialized", verifier.BindingRequired},
			{"host-1", "00000000-0000-0000-0000-000000000000", verifier.BindingRequired},
			{"host-1", "FF:FF:FF:FF:FF:FF", verifier.BindingRequired},
			{"0F", "0F", nil}, // neither only 0 nor only F
			{"Default string 2", "Default string 2", nil},
		} {
			code := k.mint(workedLicense, c.minted)
			lic, err := v.VerifyBound(code, c.given)
			requireReason(t, err, c.want)
			if err == nil && lic.BindingIgnored {
				t.Errorf("binding %q of a bound key is called ignored", c.given)
			}
			if err != nil && lic.Product != 0 {
				t.Errorf("%v, but returned %+v", err, lic)
			}
		}
		// Verify is VerifyBound without a binding.
		_, err := v.Verify(k.mint(workedLicense, "host-1"))
		requireReason(t, err, verifier.BindingRequired)
	}
}

// For a key without binding the text is ignored, however bad it is, and the
// result says so: the licence is good for anybody.
func TestBindingOfAKeyWithout(t *testing.T) {
	for _, w := range []struct{ descriptor, code string }{{workedHS, workedHSCode}, {workedES, workedESCode}} {
		ring := newRing(newKey(w.descriptor, 7))
		for binding, ignored := range map[string]bool{
			"": false, "host-1": true, "Default string": true, "a\x00\xff": true, strings.Repeat("x", 5000): true,
		} {
			lic, err := newVerifier(ring).VerifyBound(w.code, binding)
			if err != nil || lic.BindingIgnored != ignored {
				t.Errorf("binding %.20q: ignored %t, %v", binding, lic.BindingIgnored, err)
			}
			// It is said of a licence that is not acceptable as well.
			expired := newVerifier(ring, func(o *verifier.Options) { o.Clock = at(noon.Add(10 * 365 * 24 * time.Hour)) })
			_, err = expired.VerifyBound(w.code, binding)
			if e, ok := errors.AsType[*verifier.NotAcceptableError](err); !ok || e.License.BindingIgnored != ignored {
				t.Errorf("binding %.20q, expired: got %v", binding, err)
			}
		}
	}
}

// The kind of a binding is part of the key: the same text of another kind is no
// binding of this key.
func TestKindOfBindingIsPartOfTheKey(t *testing.T) {
	secret := unhex(workedHSSecret)
	machine := keyOf(boundHS, secret, 7)
	licensee := keyOf(strings.Replace(boundHS, "machine", "licensee", 1), secret, 7)
	_, err := newVerifier(newRing(licensee)).VerifyBound(machine.mint(workedLicense, "host-1"), "host-1")
	requireReason(t, err, verifier.BadSignature)
}
