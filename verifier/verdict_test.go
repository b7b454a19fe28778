package verifier_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/verifier"
)

// The codes of SPEC.md, section 10, with all that a program gets to know.
func TestWorkedCodes(t *testing.T) {
	ring := newRing(newKey(workedHS, 7), newKey(workedES, 7))
	v := newVerifier(ring)
	for _, w := range []struct {
		code, id string
		number   int
	}{
		{workedHSCode, "ca3f2093e4fe1455", 8},
		{workedESCode, "e21531b141ba7c8d", 9},
	} {
		lic, err := v.Verify(w.code)
		if err != nil {
			t.Errorf("Verify(%s): %v", w.code, err)
			continue
		}
		if lic.Product != 7 || lic.Version != 3 || lic.Serial != 1000 || lic.Expiry.String() != "2027-12-31" ||
			lic.Start != 0 || lic.Edition != 0 || lic.Features != 0 || lic.Seats != 0 {
			t.Errorf("Verify(%s) = %+v", w.code, lic.License)
		}
		if lic.KeyID.String() != w.id || lic.KeyNumber != w.number || lic.BindingIgnored {
			t.Errorf("Verify(%s) = key %s, %d, binding ignored %t", w.code, lic.KeyID, lic.KeyNumber, lic.BindingIgnored)
		}
	}
}

// Every verdict of SPEC.md, section 7, from both sides: what is just accepted,
// and what is just not. A nil reason means accepted. The reasons for texts that
// can't be read are in reading_test.go. CT-29: each is told apart.
func TestVerdictsFromBothSides(t *testing.T) {
	hs, es := newKey(workedHS, 7, 8), newKey(workedES, 7, 8)
	start := newKey(startHS, 7)
	bound := newKey(boundHS, 7)
	state := func(k testKey, s keys.State) testKey { return testKey{k.Key.WithState(s), k.private} }
	public := func(k testKey) testKey { return testKey{k.Key.WithoutSecret(), k.private} }
	only := func(k testKey, products ...uint64) testKey {
		return testKey{must(k.Key.WithProducts(products...)), k.private}
	}
	tag := func(bits string) testKey { return newKey(strings.Replace(workedHS, "sig=80", "sig="+bits, 1), 7) }
	clock := func(s string) func(*verifier.Options) {
		return func(o *verifier.Options) { o.Clock = at(instant(s)) }
	}
	none := func(*verifier.Options) {}
	bad := func(k testKey, code string) string { // the last bit of the signature, changed
		masked, shown := k.split(code)
		shown[len(shown)-1] ^= 1
		return k.assemble(masked, shown)
	}
	lic := func(change func(*payload.License)) payload.License {
		l := workedLicense
		change(&l)
		return l
	}
	withStart := lic(func(l *payload.License) { l.Start = payload.Date(2026, 7, 1) })
	never := lic(func(l *payload.License) { l.Expiry = payload.Never })

	for _, c := range []struct {
		name          string
		key           testKey
		change        func(*verifier.Options)
		code, binding string
		want          error
	}{
		{"active key", state(hs, keys.Active), none, workedHSCode, "", nil},
		{"closed key", state(hs, keys.Closed), none, workedHSCode, "", nil},
		{"closed es256 key", state(es, keys.Closed), none, workedESCode, "", nil},
		{"closed key, bad signature", state(hs, keys.Closed), none, bad(hs, workedHSCode), "", verifier.BadSignature},
		{"withdrawn key", state(hs, keys.Withdrawn), none, workedHSCode, "", verifier.KeyWithdrawn},
		{"withdrawn es256 key", state(es, keys.Withdrawn), none, workedESCode, "", verifier.KeyWithdrawn},
		// Nothing of a withdrawn key is looked at, so nothing can be learnt from it.
		{"withdrawn key, bad signature", state(hs, keys.Withdrawn), none, bad(hs, workedHSCode), "", verifier.KeyWithdrawn},
		{"withdrawn es256 key, bad signature", state(es, keys.Withdrawn), none, bad(es, workedESCode), "", verifier.KeyWithdrawn},
		{"withdrawn es256 key, s of 0", state(es, keys.Withdrawn), none, es.assemble(make([]byte, 8), make([]byte, 64)), "", verifier.KeyWithdrawn},
		{"withdrawn key without secret", state(public(hs), keys.Withdrawn), none, workedHSCode, "", verifier.KeyWithdrawn},
		{"withdrawn bound key without binding", state(bound, keys.Withdrawn), none, bound.mint(workedLicense, "m1"), "", verifier.KeyWithdrawn},
		{"withdrawn key with a short tag", state(tag("60"), keys.Withdrawn), none, tag("60").mint(workedLicense), "", verifier.KeyWithdrawn},

		{"bound key, binding", bound, none, bound.mint(workedLicense, "m1"), "m1", nil},
		{"bound key, no binding", bound, none, bound.mint(workedLicense, "m1"), "", verifier.BindingRequired},
		{"bound key, another binding", bound, none, bound.mint(workedLicense, "m1"), "m2", verifier.BadSignature},
		{"bound key, no binding, bad signature", bound, none, bad(bound, bound.mint(workedLicense, "m1")), "", verifier.BindingRequired},
		{"bound key, no binding, no secret", public(bound), none, bound.mint(workedLicense, "m1"), "", verifier.BindingRequired},

		{"es256 bad signature", es, none, bad(es, workedESCode), "", verifier.BadSignature},
		{"hs256 bad signature", hs, none, bad(hs, workedHSCode), "", verifier.BadSignature},
		{"another secret", keyOf(workedHS, unhex(workedESSecret), 7), none, workedHSCode, "", verifier.BadSignature},
		{"another public key", keyOf(workedES, unhex(workedHSSecret), 7), none, workedESCode, "", verifier.BadSignature},

		{"no secret", public(hs), none, workedHSCode, "", verifier.NoSecret},
		{"no secret, bad signature", public(hs), none, bad(hs, workedHSCode), "", verifier.NoSecret},
		{"es256 has no secret and needs none", public(es), none, workedESCode, "", nil},

		{"tag of 65 bits", tag("65"), none, tag("65").mint(workedLicense), "", nil},
		{"tag of 60 bits", tag("60"), none, tag("60").mint(workedLicense), "", verifier.ShortTag},
		{"tag of 60 bits, allowed", tag("60"), shortTags, tag("60").mint(workedLicense), "", nil},
		{"tag of 35 bits", tag("35"), none, tag("35").mint(workedLicense), "", verifier.ShortTag},
		{"tag of 35 bits, allowed", tag("35"), shortTags, tag("35").mint(workedLicense), "", nil},
		{"tag of 35 bits, bad", tag("35"), none, bad(tag("35"), tag("35").mint(workedLicense)), "", verifier.ShortTag},
		{"tag of 35 bits, allowed, bad", tag("35"), shortTags, bad(tag("35"), tag("35").mint(workedLicense)), "", verifier.BadSignature},

		// Crafted with the key itself: a leaked secret still can't make these.
		{"product 0", hs, none, hs.forge(map[string]uint64{"serial": 1}), "", verifier.BadSignature},
		{"serial 0", hs, none, hs.forge(map[string]uint64{"product": 7}), "", verifier.BadSignature},
		{"product 1 and serial 1", only(hs, 1), func(o *verifier.Options) { o.Products = []uint64{1} },
			hs.forge(map[string]uint64{"product": 1, "serial": 1}), "", nil},
		{"es256 product 0", es, none, es.forge(map[string]uint64{"serial": 1}), "", verifier.BadSignature},
		{"es256 serial 0", es, none, es.forge(map[string]uint64{"product": 7}), "", verifier.BadSignature},
		// Product 0 is never accepted, even where somebody lists it.
		{"product 0 listed", hs, func(o *verifier.Options) { o.Products = []uint64{0, 7} },
			hs.forge(map[string]uint64{"serial": 1}), "", verifier.BadSignature},

		// Minted when the key might, judged by a ring in which it mayn't.
		{"product that the key may mint", only(hs, 8), func(o *verifier.Options) { o.Products = []uint64{8} },
			hs.mint(lic(func(l *payload.License) { l.Product = 8 })), "", nil},
		{"product that the key may not mint", only(hs, 8), none, workedHSCode, "", verifier.ProductNotAllowed},
		{"es256 product that the key may not mint", only(es, 8), none, workedESCode, "", verifier.ProductNotAllowed},
		{"product not allowed before the clock", only(hs, 8), clock("2020-01-01T00:00:00Z"), workedHSCode, "", verifier.ProductNotAllowed},

		{"clock at day 0", hs, clock("2025-01-01T00:00:00Z"), workedHSCode, "", nil},
		{"clock before day 0", hs, clock("2024-12-31T23:59:59Z"), workedHSCode, "", verifier.ClockBehind},
		{"clock behind, bad signature", hs, clock("2024-12-31T23:59:59Z"), bad(hs, workedHSCode), "", verifier.BadSignature},
		{"clock behind, wrong product", hs, func(o *verifier.Options) { clock("2024-12-31T23:59:59Z")(o); o.Products = []uint64{8} },
			workedHSCode, "", verifier.ClockBehind},

		{"product that is accepted beside others", hs, func(o *verifier.Options) { o.Products = []uint64{6, 7, 9} }, workedHSCode, "", nil},
		{"product that isn't accepted", hs, func(o *verifier.Options) { o.Products = []uint64{6, 8, 9} }, workedHSCode, "", verifier.WrongProduct},
		{"version at the minimum", hs, func(o *verifier.Options) { o.MinVersion = 3 }, workedHSCode, "", nil},
		{"version below the minimum", hs, func(o *verifier.Options) { o.MinVersion = 4 }, workedHSCode, "", verifier.BelowMinimum},
		{"version 0 of a layout without versions, no minimum", newKey("licet/v1 hs256 key=8 prefix= layout=product:15,serial:30 bind=none sig=80", 7), none,
			newKey("licet/v1 hs256 key=8 prefix= layout=product:15,serial:30 bind=none sig=80", 7).mint(payload.License{Product: 7, Serial: 1}), "", nil},
		{"version 0 of a layout without versions, minimum 1", newKey("licet/v1 hs256 key=8 prefix= layout=product:15,serial:30 bind=none sig=80", 7),
			func(o *verifier.Options) { o.MinVersion = 1 },
			newKey("licet/v1 hs256 key=8 prefix= layout=product:15,serial:30 bind=none sig=80", 7).mint(payload.License{Product: 7, Serial: 1}), "", verifier.BelowMinimum},
		{"first second", start, clock("2026-07-01T00:00:00Z"), start.mint(withStart), "", nil},
		{"before the first second", start, clock("2026-06-30T23:59:59Z"), start.mint(withStart), "", verifier.NotYetValid},
		{"last second", hs, clock("2027-12-31T23:59:59Z"), workedHSCode, "", nil},
		{"after the last second", hs, clock("2028-01-01T00:00:00Z"), workedHSCode, "", verifier.Expired},
		{"no expiry, in the year 9999", hs, clock("9999-12-31T23:59:59Z"), hs.mint(never), "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			lic, err := newVerifier(newRing(c.key), c.change).VerifyBound(c.code, c.binding)
			requireReason(t, err, c.want)
			if err != nil && lic.Product != 0 {
				t.Errorf("refused, but returned %+v", lic)
			}
			requireFamily(t, err)
		})
	}
}

// requireFamily requires that an error is of exactly one of the three kinds, and
// that the reason is of that kind.
func requireFamily(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	families := 0
	if e, ok := errors.AsType[*verifier.NotAuthenticError](err); ok {
		families++
		if e.Reason == nil || e.Error() == "" {
			t.Errorf("%#v has no reason or no text", e)
		}
		if malformed := e.Malformed(); malformed != nil && !malformed.Reason.Malformed() {
			t.Errorf("%v is called malformed", malformed.Reason)
		}
	}
	if e, ok := errors.AsType[*verifier.NotAcceptableError](err); ok {
		families++
		if len(e.Failures) == 0 || e.Reason != e.Failures[0] || e.License.Product == 0 || e.License.Serial == 0 {
			t.Errorf("%#v lacks its failures or its licence", e)
		}
		for _, r := range e.Failures {
			if !errors.Is(err, r) {
				t.Errorf("failure %s is not found in the error", r)
			}
		}
	}
	if e, ok := errors.AsType[*verifier.CannotJudgeError](err); ok {
		families++
		if e.Key == 0 || !errors.Is(err, e.Reason) {
			t.Errorf("%#v lacks its key or its reason", e)
		}
	}
	if families != 1 {
		t.Errorf("%v is of %d kinds of error, want 1", err, families)
	}
}

// All that fails is listed, in the order of SPEC.md, and the verdict is the first.
func TestAllFailuresAreListed(t *testing.T) {
	k := newKey(startHS, 7)
	code := k.mint(payload.License{Product: 7, Version: 3, Serial: 1000, Start: payload.Date(2026, 7, 1), Expiry: payload.Date(2026, 7, 31)})
	order := []verifier.Reason{verifier.WrongProduct, verifier.BelowMinimum, verifier.NotYetValid, verifier.Expired}
	for set := range 16 {
		if set&4 != 0 && set&8 != 0 {
			continue // see below
		}
		opts := verifier.Options{Products: []uint64{7}, MinVersion: 3, Clock: at(instant("2026-07-15T12:00:00Z"))}
		if set&1 != 0 {
			opts.Products = []uint64{8}
		}
		if set&2 != 0 {
			opts.MinVersion = 4
		}
		if set&4 != 0 {
			opts.Clock = at(instant("2026-06-30T12:00:00Z"))
		}
		if set&8 != 0 {
			opts.Clock = at(instant("2026-08-01T12:00:00Z"))
		}
		var want []verifier.Reason
		for i, r := range order {
			if set>>i&1 == 1 {
				want = append(want, r)
			}
		}
		lic, err := must(verifier.New(newRing(k), opts)).Verify(code)
		if want == nil {
			if err != nil || lic.Serial != 1000 {
				t.Errorf("got %v, want a good licence", err)
			}
			continue
		}
		e, ok := errors.AsType[*verifier.NotAcceptableError](err)
		if !ok || !slices.Equal(e.Failures, want) || e.Reason != want[0] {
			t.Errorf("got %v, want failures %v", err, want)
			continue
		}
		if e.License.Serial != 1000 || e.License.Version != 3 || e.License.KeyNumber != 10 || e.License.KeyID != k.ID() {
			t.Errorf("the licence that failed is %+v", e.License)
		}
		for i, r := range order {
			if errors.Is(err, r) != (set>>i&1 == 1) {
				t.Errorf("errors.Is(%v, %s) is wrong", err, r)
			}
		}
	}

	// Not yet valid and expired at once takes a licence that no mint makes.
	crossed := k.forge(map[string]uint64{"product": 7, "serial": 1, "start": 600, "expiry": 400})
	_, err := newVerifier(newRing(k), func(o *verifier.Options) { o.Clock = at(payload.Day(500).Time()) }).Verify(crossed)
	if e, ok := errors.AsType[*verifier.NotAcceptableError](err); !ok || !slices.Equal(e.Failures, order[2:]) {
		t.Errorf("start after expiry: got %v", err)
	}
}

// What a program needs to set the clock right comes with the error.
func TestClockBehindTellsBothTimes(t *testing.T) {
	now, built := instant("2026-05-01T10:00:00+02:00"), instant("2026-05-02T00:00:00Z")
	v := newVerifier(newRing(newKey(workedHS, 7)), func(o *verifier.Options) { o.Clock, o.Built = at(now), built })
	_, err := v.Verify(workedHSCode)
	e, ok := errors.AsType[*verifier.CannotJudgeError](err)
	if !ok || e.Reason != verifier.ClockBehind || !e.Now.Equal(now) || !e.Floor.Equal(built) || e.Key != 8 {
		t.Errorf("got %+v", e)
	}
}

// The clock is asked once for a verdict, and not at all for a text that is no
// genuine code, so that a text can't be judged by two times.
func TestClockIsAskedOnce(t *testing.T) {
	asked := 0
	v := newVerifier(newRing(newKey(workedHS, 7)), func(o *verifier.Options) {
		o.Clock = func() time.Time { asked++; return noon }
	})
	v.Verify(workedHSCode)
	if asked != 1 {
		t.Errorf("asked %d times for a good code", asked)
	}
	for _, code := range []string{"", "HELLO", strings.Replace(workedHSCode, "LWZ", "LWY", 1)} {
		v.Verify(code)
	}
	if asked != 1 {
		t.Errorf("asked %d times for texts that are no code", asked-1)
	}
}

// The key that a text names is told wherever it can be, so that a product can
// say "withdrawn" or "update the ring" for it.
func TestKeyNumberOfErrors(t *testing.T) {
	hs, es := newKey(workedHS, 7), newKey(workedES, 7)
	v := newVerifier(newRing(hs, es))
	masked, shown := es.split(workedESCode)
	zero := es.assemble(masked, make([]byte, 64))
	spare := es.symbols(es.assemble(masked, shown))
	spare[13] = payload.Symbol(31)
	unknown := payload.AppendCheck([]byte{payload.Symbol(20), 'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'})
	for _, c := range []struct {
		code string
		want error
		key  int
	}{
		{hs.forge(map[string]uint64{"serial": 1}), verifier.BadSignature, 8},
		{zero, payload.SignatureRange, 9},
		{es.print(recheck(spare)), payload.SpareBits, 9},
		{string(unknown), payload.UnknownKey, 20},
		{"", payload.Empty, 0},
	} {
		_, err := v.Verify(c.code)
		requireReason(t, err, c.want)
		if e, ok := errors.AsType[*verifier.NotAuthenticError](err); !ok || e.Key != c.key {
			t.Errorf("%v names key %d, want %d", err, e.Key, c.key)
		}
	}
}
