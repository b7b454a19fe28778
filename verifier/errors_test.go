package verifier_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/verifier"
)

// The texts that people read, one of each kind. They are no interface, but a
// change of one should be seen. DT-18: what depends on the clock shows the clock.
func TestErrorTexts(t *testing.T) {
	hs, es, bound := newKey(workedHS, 7), newKey(workedES, 7), newKey(boundHS, 7)
	start := newKey(startHS, 7)
	short := newKey("licet/v1 hs256 key=13 prefix= layout=product:15,serial:30 bind=none sig=35", 7)
	ring := newRing(hs, es, bound, start, short)
	withdrawn := newRing(testKey{hs.WithState(keys.Withdrawn), hs.private})
	public := newRing(testKey{hs.WithoutSecret(), hs.private})
	others := newRing(testKey{must(hs.WithProducts(8)), hs.private})
	clock := func(s string) func(*verifier.Options) {
		return func(o *verifier.Options) { o.Clock = at(instant(s)) }
	}
	none := func(*verifier.Options) {}
	later := workedLicense
	later.Start = payload.Date(2026, 7, 1)
	zero := es.assemble(make([]byte, 8), make([]byte, 64))
	bare := workedHSCode[len("ACME-"):]
	for _, c := range []struct {
		ring   *keys.Ring
		change func(*verifier.Options)
		text   string
		want   string
	}{
		{ring, none, " ", "no code given"},
		{ring, none, strings.Repeat("A", 2000), "text of 2000 bytes; no more than 1024 are read, and a code has at most 139 symbols"},
		{ring, none, workedHSCode[:len(workedHSCode)-2], "30 characters instead of 32: 2 missing"},
		{ring, none, "ACME", "only the prefix, the code itself is missing"},
		{ring, none, strings.Replace(workedHSCode, "ELWZ", "ELWY", 1), "typing error: group 8, character 4 should be Z, not Y"},
		{ring, none, strings.Replace(workedHSCode, "ELWZ", "LEWZ", 1), "typing error: L and E are exchanged (group 8, character 1 and group 8, character 2)"},
		{ring, none, strings.Replace(workedHSCode, "AHJX", "AAAA", 1), "typing error: more than one character is wrong, or text stands before or after the code"},
		{ring, none, strings.Replace(workedHSCode, "ELWZ", "ELW0", 1), `group 8, character 4: '0' is never used in a code; it should be Z`},
		{ring, none, workedHSCode + workedHSCode, "the code was pasted 2 times"},
		{ring, none, "ZZ-" + bare, "the prefix belongs to another product or issuer"},
		{ring, none, workedHSCode + "!", "text around the code: 0 characters before it, 1 after it"},
		{ring, none, zero, "the signature is not written as it must be (signature-range)"},
		{ring, none, wellFormed(20, 32), "made with key 20, which is not known here"},
		{ring, none, wellFormed(0, 32), "made for a later version of the format"},
		{withdrawn, none, workedHSCode, "codes of key 8 are no longer accepted; ask for a new code"},
		{ring, none, bound.mint(workedLicense, "m1"), "the code is bound to a machine: binding: the text is empty"},
		{ring, none, hs.forge(map[string]uint64{"product": 7}), "the code is not genuine"},
		{others, none, workedHSCode, "the code is not genuine: its key may not license its product"},
		{public, none, workedHSCode, "the ring does not have the secret of key 8 (ca3f2093e4fe1455)"},
		{ring, none, short.mint(payload.License{Product: 7, Serial: 1}), "key 13 has a tag of 35 bits, too short to be judged where nobody counts attempts"},
		{ring, clock("2020-02-29T23:59:59+01:00"), workedHSCode, "the clock is behind: it shows 2020-02-29T22:59:59Z, but it is 2025-01-01T00:00:00Z or later; set the clock"},
		{ring, func(o *verifier.Options) { o.Products = []uint64{8} }, workedHSCode, "for product 7, not for this one"},
		{ring, func(o *verifier.Options) { o.MinVersion = 4 }, workedHSCode, "version 3 is no longer accepted; the minimum is 4"},
		{ring, none, start.mint(later), "valid from 2026-07-01 (UTC); the clock shows 2026-06-01T12:00:00Z"},
		{ring, clock("2028-01-01T05:00:00+05:00"), workedHSCode, "was valid to the end of 2027-12-31 (UTC); the clock shows 2028-01-01T00:00:00Z"},
		{ring, func(o *verifier.Options) { clock("2029-01-01T00:00:00Z")(o); o.Products, o.MinVersion = []uint64{8}, 4 }, workedHSCode,
			"for product 7, not for this one; version 3 is no longer accepted; the minimum is 4; was valid to the end of 2027-12-31 (UTC); the clock shows 2029-01-01T00:00:00Z"},
		{ring, func(o *verifier.Options) { clock("2029-01-01T00:00:00Z")(o); o.Grace = 1 }, workedHSCode,
			"was valid to the end of 2027-12-31 (UTC), and 1 day of grace after that; the clock shows 2029-01-01T00:00:00Z"},
		{ring, func(o *verifier.Options) { clock("2029-01-01T00:00:00Z")(o); o.Grace = 14 }, workedHSCode,
			"was valid to the end of 2027-12-31 (UTC), and 14 days of grace after that; the clock shows 2029-01-01T00:00:00Z"},
	} {
		_, err := newVerifier(c.ring, c.change).Verify(c.text)
		if err == nil || err.Error() != c.want {
			t.Errorf("%.60q:\ngot  %v\nwant %s", c.text, err, c.want)
		}
	}
}

// The reasons are part of SPEC.md and of what programs print and store.
func TestReasonsAreThoseOfTheSpecification(t *testing.T) {
	var got []string
	for _, r := range []error{
		payload.Empty, payload.TooLong, payload.WrongLength, payload.PrefixOnly, payload.Unreadable, payload.Typo,
		payload.Repeated, payload.WrongPrefix, payload.ExtraText, payload.SpareBits, payload.SignatureRange,
		payload.UnknownKey, payload.LaterFormat,
		verifier.KeyWithdrawn, verifier.BindingRequired, verifier.BadSignature, verifier.ProductNotAllowed,
		verifier.WrongProduct, verifier.Revoked, verifier.BelowMinimum, verifier.NotYetValid, verifier.Expired,
		verifier.ClockBehind, verifier.ClockWentBack, verifier.NoSecret, verifier.ShortTag, verifier.ListStale,
		verifier.ListOlder, verifier.ListConflict, verifier.ListUnreadable, verifier.BadState,
	} {
		got = append(got, r.Error())
	}
	want := strings.Fields(`empty too-long wrong-length prefix-only unreadable typo repeated wrong-prefix extra-text
		spare-bits signature-range unknown-key later-format key-withdrawn binding-required bad-signature
		product-not-allowed wrong-product revoked below-minimum not-yet-valid expired
		clock-behind clock-went-back no-secret short-tag list-stale list-older list-conflict list-unreadable bad-state`)
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

// A reason is found through whatever a program wraps around an error.
func TestReasonsAreFoundWhenWrapped(t *testing.T) {
	v := newVerifier(newRing(newKey(workedHS, 7)), func(o *verifier.Options) { o.MinVersion = 4 })
	for text, want := range map[string]error{
		workedHSCode: verifier.BelowMinimum, "": payload.Empty, wellFormed(20, 32): payload.UnknownKey,
	} {
		_, err := v.Verify(text)
		requireReason(t, fmt.Errorf("activation: %w", err), want)
		requireReason(t, errors.Join(errors.New("other"), err), want)
		for _, other := range []error{verifier.Expired, payload.Typo, verifier.BadSignature} {
			if errors.Is(err, other) {
				t.Errorf("%v is also %v", err, other)
			}
		}
	}
}
