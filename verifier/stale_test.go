package verifier_test

import (
	"errors"
	"testing"
	"time"

	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/verifier"
)

// A list is good until it is due, and stale after that, by more than the leeway
// (RV-04). What then is the caller's choice: no verdict, or one that says so (RV-14).
func TestStaleList(t *testing.T) {
	hs, ours := newKey(workedHS, 7), newListKey("ours")
	list := ours.newList(due("2026-12-01T00:00:00Z"), revoke(hs, 2000, 2000, ""))
	lic := workedLicense
	lic.Serial = 2000
	revoked := hs.mint(lic)
	for _, leeway := range []time.Duration{0, 1, time.Second, verifier.MaxLeeway} {
		for _, stale := range []verifier.StalePolicy{verifier.RefuseStale, verifier.ReportStale} {
			var clock testClock
			v := must(tryVerifier(newRing(hs, ours), withLists(list), clock.use, func(o *verifier.Options) { o.Leeway, o.Stale = leeway, stale }))
			for _, after := range []time.Duration{-24 * time.Hour, -time.Second, -1, 0, 1, time.Second, 365 * 24 * time.Hour} {
				for _, zone := range zones() {
					clock.now = instant("2026-12-01T00:00:00Z").Add(leeway + after).In(zone)
					isStale := after > 0
					good, err := v.Verify(workedHSCode)
					_, errRevoked := v.Verify(revoked)
					if l, ok := v.List(); !ok || l.Stale != isStale {
						t.Errorf("leeway %s, %s after it was due: the verifier's list is stale: %t", leeway, after, l.Stale)
					}
					if isStale && stale == verifier.RefuseStale {
						for _, err := range []error{err, errRevoked} {
							e, ok := errors.AsType[*verifier.CannotJudgeError](err)
							if !ok || e.Reason != verifier.ListStale || e.Key != 8 || !e.Now.Equal(clock.now) || !e.Floor.IsZero() {
								t.Errorf("leeway %s, %s after it was due: got %v", leeway, after, err)
							}
						}
						continue
					}
					requireReason(t, err, nil)
					if l, ok := good.List(); !ok || l.Stale != isStale {
						t.Errorf("leeway %s, %s after it was due: the licence's list is stale: %t", leeway, after, l.Stale)
					}
					e, ok := errors.AsType[*verifier.NotAcceptableError](errRevoked)
					if !ok || e.Reason != verifier.Revoked {
						t.Errorf("got %v", errRevoked)
					} else if l, ok := e.License.List(); !ok || l.Stale != isStale {
						t.Errorf("leeway %s, %s after it was due: the refused licence's list is stale: %t", leeway, after, l.Stale)
					}
				}
			}
		}
	}
}

// RV-05, RV-10: a list of two years ago, one that is not due for ages, and none.
// The result has what a program needs to tell its age.
func TestAgeOfList(t *testing.T) {
	hs, ours := newKey(workedHS, 7), newListKey("ours")
	for _, c := range []struct {
		issued, due string
		want        error
	}{
		{"2025-01-01T00:00:00Z", "2025-07-01T00:00:00Z", verifier.ListStale},
		{"2025-01-01T00:00:00Z", "2026-06-01T12:00:00Z", nil}, // at this very instant
		{"2025-01-01T00:00:00Z", "2026-06-01T11:59:59Z", verifier.ListStale},
		{"2025-01-01T00:00:00Z", "2027-01-01T00:00:00Z", nil},
		{"2025-01-01T00:00:00Z", "9999-12-31T23:59:59Z", nil},
	} {
		v := must(tryVerifier(newRing(hs, ours), withLists(ours.newList(issued(c.issued), due(c.due)))))
		lic, err := v.Verify(workedHSCode)
		requireReason(t, err, c.want)
		if l, ok := lic.List(); ok == (c.want != nil) || ok && (!l.Issued.Equal(instant(c.issued)) || !l.Due.Equal(instant(c.due))) {
			t.Errorf("judged by %+v, %t", l, ok)
		}
	}
}

// A list from the future means that the clock is behind: it can't be before the issue
// of the list, less the leeway (RV-05, DT-08). The floor is the latest of day 0, the
// build time and that.
func TestListFromTheFuture(t *testing.T) {
	hs, ours := newKey(workedHS, 7), newListKey("ours")
	for _, c := range []struct {
		built, issued, floor string
	}{
		{"", "2026-06-01T13:00:00Z", "2026-06-01T13:00:00Z"},
		{"", "2025-01-01T00:00:00Z", "2025-01-01T00:00:00Z"},
		{"2026-05-01T00:00:00Z", "2026-06-01T13:00:00Z", "2026-06-01T13:00:00Z"},
		{"2026-07-01T00:00:00.5Z", "2026-06-01T13:00:00Z", "2026-07-01T00:00:00.5Z"},
		{"2020-01-01T00:00:00Z", "2026-06-01T13:00:00Z", "2026-06-01T13:00:00Z"},
		{"", "2027-11-30T00:00:00Z", "2027-11-30T00:00:00Z"},
	} {
		for _, leeway := range []time.Duration{0, 1, time.Second, verifier.MaxLeeway} {
			var clock testClock
			clock.set("2027-06-01T00:00:00Z")
			change := func(o *verifier.Options) {
				o.Leeway, o.Stale = leeway, verifier.RefuseStale
				if c.built != "" {
					o.Built = instant(c.built)
				}
			}
			list := ours.newList(issued(c.issued), due("2027-12-01T00:00:00Z"))
			updated := must(tryVerifier(newRing(hs, ours), clock.use, change))
			must(updated.Update(list))
			for _, v := range []*verifier.Verifier{must(tryVerifier(newRing(hs, ours), clock.use, change, withLists(list))), updated} {
				for _, zone := range zones() {
					for _, before := range []time.Duration{-1, 0, 1, time.Second, 24 * time.Hour} {
						clock.now = instant(c.floor).Add(-leeway - before).In(zone)
						_, err := v.Verify(workedHSCode)
						if before <= 0 {
							requireReason(t, err, nil)
							continue
						}
						e, ok := errors.AsType[*verifier.CannotJudgeError](err)
						if !ok || e.Reason != verifier.ClockBehind || !e.Now.Equal(clock.now) || !e.Floor.Equal(instant(c.floor)) || e.Key != 8 {
							t.Errorf("%+v, leeway %s, %s before: got %v", c, leeway, before, err)
						}
					}
				}
			}
		}
	}
}

// A newer list sets the floor anew, be it that its time is an earlier one: an issuer
// whose clock was ahead once puts that right with the next list.
func TestFloorIsThatOfTheListAtHand(t *testing.T) {
	hs, ours := newKey(workedHS, 7), newListKey("ours")
	v := must(tryVerifier(newRing(hs, ours), withLists(ours.newList(issued("2099-01-01T00:00:00Z"), due("2099-02-01T00:00:00Z")))))
	_, err := v.Verify(workedHSCode)
	requireReason(t, err, verifier.ClockBehind)
	must(v.Update(ours.newList(sequence(8))))
	_, err = v.Verify(workedHSCode)
	requireReason(t, err, nil)
}

// A clock that is ahead makes the list stale, or the licence expired, and never an
// expired licence good (DT-18).
func TestClockAheadWithList(t *testing.T) {
	hs, ours := newKey(workedHS, 7), newListKey("ours")
	never := workedLicense
	never.Expiry = payload.Never
	for _, c := range []struct {
		stale verifier.StalePolicy
		code  string
		want  error
	}{
		{verifier.RefuseStale, workedHSCode, verifier.ListStale},
		{verifier.RefuseStale, hs.mint(never), verifier.ListStale},
		{verifier.ReportStale, workedHSCode, verifier.Expired},
		{verifier.ReportStale, hs.mint(never), nil},
	} {
		for _, now := range []time.Time{instant("2036-06-01T12:00:00Z"), time.Unix(1<<40, 0), time.Unix(1<<55, 0)} {
			v := must(tryVerifier(newRing(hs, ours), withLists(ours.newList()), func(o *verifier.Options) { o.Stale, o.Clock = c.stale, at(now) }))
			_, err := v.Verify(c.code)
			requireReason(t, err, c.want)
		}
	}
}
