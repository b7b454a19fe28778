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
	"github.com/licet-dev/licet/verifier/revocation"
)

// A licence is revoked by key id, product and serial: from the first serial of a
// range to the last, exact to 2^53-1, and no other one (RV-12).
func TestRevokedSerials(t *testing.T) {
	const most = 1<<53 - 1
	wide := newKey("licet/v1 hs256 key=13 prefix= layout=product:16,version:11,expiry:15,serial:53 bind=none sig=80", 7, 8)
	other := newKey("licet/v1 hs256 key=14 prefix= layout=product:16,version:11,expiry:15,serial:53 bind=none sig=160", 7, 8)
	ours := newListKey("ours")
	v := must(tryVerifier(newRing(wide, other, ours), func(o *verifier.Options) { o.Products = []uint64{7, 8} },
		withLists(ours.newList(revoke(wide, 1, 1, ""), revoke(wide, 1000, 1999, "leaked"), revoke(wide, 2001, 2001, ""), revoke(wide, 1<<52, 1<<52, ""), revoke(wide, most-1, most, "")))))
	for serial, want := range map[uint64]error{
		1: verifier.Revoked, 2: nil, 999: nil, 1000: verifier.Revoked, 1001: verifier.Revoked, 1998: verifier.Revoked, 1999: verifier.Revoked,
		2000: nil, 2001: verifier.Revoked, 2002: nil, 1<<32 + 1: nil, 1<<32 + 1000: nil,
		1<<52 - 1: nil, 1 << 52: verifier.Revoked, 1<<52 + 1: nil, most - 2: nil, most - 1: verifier.Revoked, most: verifier.Revoked,
	} {
		lic := payload.License{Product: 7, Version: 3, Expiry: payload.Never, Serial: serial}
		_, err := v.Verify(wide.mint(lic))
		requireReason(t, err, want)
		// The same serial of another key, and of another product, is another licence.
		_, err = v.Verify(other.mint(lic))
		requireReason(t, err, nil)
		lic.Product = 8
		_, err = v.Verify(wide.mint(lic))
		requireReason(t, err, nil)
	}
}

// Whatever the text of a code: a licence that is renewed, or issued with other terms,
// is revoked with the first. So is a code that is typed in another way.
func TestRenewedCodesAreRevoked(t *testing.T) {
	hs, es, ours := newKey(workedHS, 7), newKey(workedES, 7), newListKey("ours")
	v := must(tryVerifier(newRing(hs, es, ours), withLists(ours.newList(revoke(hs, 1000, 1000, ""), revoke(es, 1000, 1000, "")))))
	later := workedLicense
	later.Expiry += 365
	never := workedLicense
	never.Expiry, never.Version = payload.Never, 200
	next := workedLicense
	next.Serial++
	for _, k := range []testKey{hs, es} {
		for _, c := range []struct {
			lic  payload.License
			want error
		}{{workedLicense, verifier.Revoked}, {later, verifier.Revoked}, {never, verifier.Revoked}, {next, nil}} {
			code := k.mint(c.lic)
			for _, text := range []string{code, strings.ToLower(code), fullWidth(code), string(k.symbols(code))} {
				_, err := v.Verify(text)
				requireReason(t, err, c.want)
			}
		}
	}
}

// All five checks are evaluated whatever the others say, and listed in the order of
// SPEC.md (RV-07: to be good in all else helps nobody who is revoked).
func TestRevokedAmongAllFailures(t *testing.T) {
	k, ours := newKey(startHS, 7), newListKey("ours")
	order := []verifier.Reason{verifier.WrongProduct, verifier.Revoked, verifier.BelowMinimum, verifier.NotYetValid, verifier.Expired}
	for set := range 32 {
		has := func(r verifier.Reason) bool { return set>>slices.Index(order, r)&1 == 1 }
		v := must(tryVerifier(newRing(k, ours), func(o *verifier.Options) {
			list := newList(issued("2025-01-01T00:00:00Z"), minimum(7, 3))
			if has(verifier.Revoked) {
				list = newList(issued("2025-01-01T00:00:00Z"), minimum(7, 3), revoke(k, 1000, 1000, "chargeback"))
			}
			withLists(ours.sign(list))(o)
			if has(verifier.WrongProduct) {
				o.Products = []uint64{8}
			}
			if has(verifier.BelowMinimum) {
				o.MinVersion = 4
			}
			day := payload.Day(500)
			switch {
			case has(verifier.NotYetValid) && !has(verifier.Expired):
				day = 399
			case !has(verifier.NotYetValid) && has(verifier.Expired):
				day = 601
			}
			o.Clock = at(day.Time())
		}))
		fields := map[string]uint64{"product": 7, "version": 3, "serial": 1000, "start": 400, "expiry": 600}
		if has(verifier.NotYetValid) && has(verifier.Expired) { // no mint makes such a one
			fields["start"], fields["expiry"] = 600, 400
		}
		var want []verifier.Reason
		for _, r := range order {
			if has(r) {
				want = append(want, r)
			}
		}
		lic, err := v.Verify(k.forge(fields))
		if want == nil {
			requireReason(t, err, nil)
			if listOf(lic) != 7 {
				t.Errorf("judged by list %d", listOf(lic))
			}
			continue
		}
		e, ok := errors.AsType[*verifier.NotAcceptableError](err)
		if !ok || !slices.Equal(e.Failures, want) {
			t.Errorf("got %v, want %v", err, want)
			continue
		}
		requireFamily(t, err)
		if (e.RevokedFor == "chargeback") != has(verifier.Revoked) || e.RevokedFor != "" && !has(verifier.Revoked) {
			t.Errorf("%v: revoked for %q", want, e.RevokedFor)
		}
		if listOf(e.License) != 7 || e.License.Serial != 1000 {
			t.Errorf("%v: judged by list %d: %+v", want, listOf(e.License), e.License)
		}
	}
}

// The reason code of the list comes with the refusal, where it has one.
func TestRevokedFor(t *testing.T) {
	hs, ours := newKey(workedHS, 7), newListKey("ours")
	for _, c := range []struct{ reason, text string }{
		{"", "revoked by list 7 of 2026-05-01"},
		{"leaked", "revoked (leaked) by list 7 of 2026-05-01"},
		{"a23456789-123456789-123456789-12", "revoked (a23456789-123456789-123456789-12) by list 7 of 2026-05-01"},
	} {
		v := must(tryVerifier(newRing(hs, ours), withLists(ours.newList(revoke(hs, 1000, 1000, c.reason), revoke(hs, 1001, 1001, "another")))))
		_, err := v.Verify(workedHSCode)
		if e, ok := errors.AsType[*verifier.NotAcceptableError](err); !ok || e.RevokedFor != c.reason || e.Error() != c.text {
			t.Errorf("%q: got %v", c.reason, err)
		}
	}
}

// The state of a key is the worse of what ring and list say (RV-13): a closed key's
// codes stay good, a withdrawn key's are refused before anything of them is looked at.
func TestKeyStateOfList(t *testing.T) {
	hs, es, bound, ours := newKey(workedHS, 7), newKey(workedES, 7), newKey(boundHS, 7), newListKey("ours")
	bad := func(k testKey, code string) string {
		masked, shown := k.split(code)
		shown[len(shown)-1] ^= 1
		return k.assemble(masked, shown)
	}
	for _, k := range []testKey{hs, es} {
		code := k.mint(workedLicense)
		for _, c := range []struct {
			ring, list keys.State // "" where the list says nothing
			want       error
			bad        error // for a bad signature
		}{
			{keys.Active, "", nil, verifier.BadSignature},
			{keys.Active, keys.Closed, nil, verifier.BadSignature},
			{keys.Active, keys.Withdrawn, verifier.KeyWithdrawn, verifier.KeyWithdrawn},
			{keys.Closed, "", nil, verifier.BadSignature},
			{keys.Closed, keys.Closed, nil, verifier.BadSignature},
			{keys.Closed, keys.Withdrawn, verifier.KeyWithdrawn, verifier.KeyWithdrawn},
			{keys.Withdrawn, "", verifier.KeyWithdrawn, verifier.KeyWithdrawn},
			{keys.Withdrawn, keys.Closed, verifier.KeyWithdrawn, verifier.KeyWithdrawn},
			{keys.Withdrawn, keys.Withdrawn, verifier.KeyWithdrawn, verifier.KeyWithdrawn},
		} {
			list := newList()
			if c.list != "" {
				list = newList(stateOf(k, c.list))
			}
			v := must(tryVerifier(newRing(k.in(c.ring), bound, ours), withLists(ours.sign(list))))
			_, err := v.Verify(code)
			requireReason(t, err, c.want)
			requireFamily(t, err)
			_, err = v.Verify(bad(k, code))
			requireReason(t, err, c.bad)
			// Of other keys the list says nothing.
			_, err = v.VerifyBound(bound.mint(workedLicense, "m1"), "m1")
			requireReason(t, err, nil)
		}
	}
	// Before the binding is asked for, and before the clock is.
	v := must(tryVerifier(newRing(bound, ours), withLists(ours.newList(stateOf(bound, keys.Withdrawn))), func(o *verifier.Options) { o.Clock = at(time.Unix(0, 0)) }))
	_, err := v.Verify(bound.mint(workedLicense, "m1"))
	requireReason(t, err, verifier.KeyWithdrawn)
}

// The newest list alone says which keys are withdrawn: what one list withdrew the
// next can trust again, up to what the ring says (RV-11). A licence that is kept is
// judged by it, too (RV-06).
func TestKeyStatesOfListAfterList(t *testing.T) {
	hs, ours := newKey(workedHS, 7), newListKey("ours")
	v := must(tryVerifier(newRing(hs, ours), withLists(ours.newList())))
	kept := must(v.Verify(workedHSCode))
	for i, c := range []struct {
		state keys.State
		want  error
	}{{keys.Withdrawn, verifier.KeyWithdrawn}, {keys.Closed, nil}, {keys.Withdrawn, verifier.KeyWithdrawn}, {"", nil}} {
		list := newList(sequence(8 + uint64(i)))
		if c.state != "" {
			list = newList(sequence(8+uint64(i)), stateOf(hs, c.state))
		}
		must(v.Update(ours.sign(list)))
		_, err := v.Verify(workedHSCode)
		requireReason(t, err, c.want)
		again, err := kept.At(noon)
		requireReason(t, err, c.want)
		requireFamily(t, err)
		if until := kept.Until(noon); until.IsZero() != (c.want != nil) {
			t.Errorf("%s: Until = %s", c.state, until)
		}
		if err == nil && listOf(again) != 8+uint64(i) || err != nil && again.Serial != 0 {
			t.Errorf("At = serial %d, judged by list %d", again.Serial, listOf(again))
		}
	}
}

// Revoked, restored, revoked: the newest list alone decides, and a licence that is
// kept is as revoked as its code (RV-06, RV-11).
func TestRevokedAndRestored(t *testing.T) {
	hs, ours := newKey(workedHS, 7), newListKey("ours")
	v := must(tryVerifier(newRing(hs, ours), func(o *verifier.Options) { o.Stale = verifier.RefuseStale }))
	kept := must(v.Verify(workedHSCode))
	if _, ok := kept.List(); ok {
		t.Error("judged by a list where there is none")
	}
	for n := range uint64(6) {
		list, want := newList(sequence(n+1)), error(nil)
		if n%2 == 0 {
			list, want = newList(sequence(n+1), revoke(hs, 1000, 1000, "")), verifier.Revoked
		}
		must(v.Update(ours.sign(list)))
		_, err := v.Verify(workedHSCode)
		requireReason(t, err, want)
		requireReason(t, errAt(kept, noon), want)
		if _, err := v.Update(ours.newList(sequence(max(n, 1)))); n > 0 && !errors.Is(err, verifier.ListOlder) {
			t.Errorf("an older list: %v", err)
		}
		requireReason(t, errAt(kept, noon), want)
	}
	if _, ok := kept.List(); ok {
		t.Error("the kept licence was judged by no list, and now says that it was")
	}
}

// The minimum version is the higher one of options and list. It is a number: 10 is
// more than 9 (RV-17, RV-19). A layout without version counts as 0.
func TestMinimumVersion(t *testing.T) {
	hs, ours := newKey(workedHS, 7, 8), newListKey("ours")
	without := newKey("licet/v1 hs256 key=13 prefix= layout=product:15,serial:30 bind=none sig=80", 7, 8)
	for _, c := range []struct {
		options, list uint64 // 0 for none
		accepted      uint64 // the lowest version that is accepted
		others        uint64 // the lowest of a product that the list does not name
	}{
		{0, 0, 0, 0}, {3, 0, 3, 3}, {0, 3, 3, 0}, {3, 3, 3, 3}, {2, 3, 3, 2}, {3, 2, 3, 3}, {9, 10, 10, 9}, {10, 9, 10, 10}, {0, 1, 1, 0}, {1, 0, 1, 1}, {255, 0, 255, 255}, {0, 255, 255, 0},
		{0, 1<<53 - 1, 256, 0}, {1<<64 - 1, 1, 256, 256},
	} {
		changes := []func(*revocation.Draft){minimum(9, 200)}
		if c.list > 0 {
			changes = append(changes, minimum(7, c.list))
		}
		v := must(tryVerifier(newRing(hs, without, ours), withLists(ours.newList(changes...)),
			func(o *verifier.Options) { o.Products, o.MinVersion = []uint64{7, 8}, c.options }))
		for product, lowest := range map[uint64]uint64{7: c.accepted, 8: c.others} {
			for _, version := range []uint64{0, 1, lowest - 1, lowest, lowest + 1, 255} {
				if version > 255 {
					continue
				}
				var want error
				if version < lowest {
					want = verifier.BelowMinimum
				}
				_, err := v.Verify(hs.mint(payload.License{Product: product, Version: version, Expiry: payload.Never, Serial: 1}))
				requireReason(t, err, want)
			}
			var want error
			if lowest > 0 {
				want = verifier.BelowMinimum
			}
			_, err := v.Verify(without.mint(payload.License{Product: product, Expiry: payload.Never, Serial: 1}))
			requireReason(t, err, want)
		}
	}
}

// Every result on an authentic code says which list judged, or that none did.
func TestEveryResultSaysWhichList(t *testing.T) {
	hs, ours := newKey(workedHS, 7), newListKey("ours")
	with := must(tryVerifier(newRing(hs, ours), withLists(ours.newList(sequence(12)))))
	without := must(tryVerifier(newRing(hs, ours)))
	wrong := func(o *verifier.Options) { o.Products = []uint64{8} }
	refusedWith := must(tryVerifier(newRing(hs, ours), withLists(ours.newList(sequence(12))), wrong))
	refusedWithout := must(tryVerifier(newRing(hs, ours), wrong))
	for _, c := range []struct {
		v    *verifier.Verifier
		want bool
	}{{with, true}, {without, false}, {refusedWith, true}, {refusedWithout, false}} {
		lic, err := c.v.Verify(workedHSCode)
		if e, ok := errors.AsType[*verifier.NotAcceptableError](err); ok {
			lic = e.License
		}
		want := verifier.List{}
		if c.want {
			want = verifier.List{Sequence: 12, Issued: instant("2026-05-01T00:00:00Z"), Due: instant("2026-12-01T00:00:00Z")}
		}
		for _, of := range []func() (verifier.List, bool){lic.List, c.v.List} {
			if got, ok := of(); ok != c.want || got != want {
				t.Errorf("List = %+v, %t; want %+v", got, ok, want)
			}
		}
	}
	if l, ok := (verifier.License{}).List(); ok || l != (verifier.List{}) {
		t.Errorf("the zero licence was judged by %+v", l)
	}
}
