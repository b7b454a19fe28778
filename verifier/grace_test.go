package verifier_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/verifier"
)

// standingOf is what a verifier says of a licence at a time: "expired", "valid", or
// "in-grace 3".
func standingOf(lic verifier.License, err error) string {
	switch e, ok := errors.AsType[*verifier.NotAcceptableError](err); {
	case ok && len(e.Failures) == 1 && e.License.Status == verifier.Valid && e.License.Days == 0:
		return string(e.Reason)
	case err != nil:
		return fmt.Sprintf("error %v", err)
	case lic.Status == verifier.Valid && lic.Days == 0:
		return "valid"
	}
	return fmt.Sprintf("%s %d", lic.Status, lic.Days)
}

// The last seconds of a licence, of its grace and of the time before it is said to
// expire, written out and not computed, in every zone (DT-04, DT-07).
func TestEdgesOfGraceAndWarning(t *testing.T) {
	short := newKey("licet/v1 hs256 key=13 prefix= layout=product:9,expiry:13,serial:33 bind=none sig=80", 7)
	start := newKey("licet/v1 hs256 key=10 prefix= layout=product:9,start:16,expiry:16,serial:9 bind=none sig=80", 7)
	longest := newKey("licet/v1 hs256 key=12 prefix= layout=product:9,expiry:21,serial:10 bind=none sig=80", 7)
	standard := newKey(workedHS, 7)
	noExpiry := newKey("licet/v1 hs256 key=14 prefix= layout=product:15,serial:30 bind=none sig=80", 7)
	type edge struct {
		at            string // the first instant of after, at which before has just ended
		before, after string
	}
	for _, c := range []struct {
		name          string
		key           testKey
		start, expiry payload.Day
		grace, warn   int
		edges         []edge
	}{
		{"neither", standard, 0, payload.Date(2027, 12, 31), 0, 0, []edge{{"2028-01-01T00:00:00Z", "valid", "expired"}}},
		{"a day of each", standard, 0, payload.Date(2027, 12, 31), 1, 1, []edge{
			{"2027-12-31T00:00:00Z", "valid", "expiring 0"},
			{"2028-01-01T00:00:00Z", "expiring 0", "in-grace 0"},
			{"2028-01-02T00:00:00Z", "in-grace 0", "expired"},
		}},
		{"three days of each, into a leap year's March", standard, 0, payload.Date(2028, 2, 28), 3, 3, []edge{
			{"2028-02-26T00:00:00Z", "valid", "expiring 2"},
			{"2028-02-27T00:00:00Z", "expiring 2", "expiring 1"},
			{"2028-02-28T00:00:00Z", "expiring 1", "expiring 0"},
			{"2028-02-29T00:00:00Z", "expiring 0", "in-grace 2"},
			{"2028-03-01T00:00:00Z", "in-grace 2", "in-grace 1"},
			{"2028-03-02T00:00:00Z", "in-grace 1", "in-grace 0"},
			{"2028-03-03T00:00:00Z", "in-grace 0", "expired"},
		}},
		{"to a leap day", standard, 0, payload.Date(2028, 2, 29), 1, 2, []edge{
			{"2028-02-28T00:00:00Z", "valid", "expiring 1"},
			{"2028-02-29T00:00:00Z", "expiring 1", "expiring 0"},
			{"2028-03-01T00:00:00Z", "expiring 0", "in-grace 0"},
			{"2028-03-02T00:00:00Z", "in-grace 0", "expired"},
		}},
		{"end of February in a common year", standard, 0, payload.Date(2027, 2, 28), 1, 1, []edge{
			{"2027-02-28T00:00:00Z", "valid", "expiring 0"},
			{"2027-03-01T00:00:00Z", "expiring 0", "in-grace 0"},
			{"2027-03-02T00:00:00Z", "in-grace 0", "expired"},
		}},
		{"30 and 14 days", standard, 0, payload.Date(2027, 12, 31), 14, 30, []edge{
			{"2027-12-02T00:00:00Z", "valid", "expiring 29"},
			{"2027-12-31T00:00:00Z", "expiring 1", "expiring 0"},
			{"2028-01-01T00:00:00Z", "expiring 0", "in-grace 13"},
			{"2028-01-14T00:00:00Z", "in-grace 1", "in-grace 0"},
			{"2028-01-15T00:00:00Z", "in-grace 0", "expired"},
		}},
		{"grace alone", standard, 0, payload.Date(2027, 12, 31), 2, 0, []edge{
			{"2028-01-01T00:00:00Z", "valid", "in-grace 1"},
			{"2028-01-02T00:00:00Z", "in-grace 1", "in-grace 0"},
			{"2028-01-03T00:00:00Z", "in-grace 0", "expired"},
		}},
		{"warning alone", standard, 0, payload.Date(2027, 12, 31), 0, 2, []edge{
			{"2027-12-30T00:00:00Z", "valid", "expiring 1"},
			{"2027-12-31T00:00:00Z", "expiring 1", "expiring 0"},
			{"2028-01-01T00:00:00Z", "expiring 0", "expired"},
		}},
		{"the most of each", standard, 0, payload.Date(2037, 12, 31), 3660, 3660, []edge{
			{"2027-12-25T00:00:00Z", "valid", "expiring 3659"},
			{"2038-01-01T00:00:00Z", "expiring 0", "in-grace 3659"},
			{"2048-01-09T00:00:00Z", "in-grace 0", "expired"},
		}},
		{"warning from before day 0", standard, 0, 1, 1, 3660, []edge{
			{"2025-01-02T00:00:00Z", "expiring 1", "expiring 0"},
			{"2025-01-03T00:00:00Z", "expiring 0", "in-grace 0"},
			{"2025-01-04T00:00:00Z", "in-grace 0", "expired"},
		}},
		{"last day of 15 bits", standard, 0, 1<<15 - 1, 1, 1, []edge{
			{"2114-09-19T00:00:00Z", "valid", "expiring 0"},
			{"2114-09-20T00:00:00Z", "expiring 0", "in-grace 0"},
			{"2114-09-21T00:00:00Z", "in-grace 0", "expired"},
		}},
		{"last day of 13 bits", short, 0, 1<<13 - 1, 1, 1, []edge{
			{"2047-06-06T00:00:00Z", "valid", "expiring 0"},
			{"2047-06-07T00:00:00Z", "expiring 0", "in-grace 0"},
			{"2047-06-08T00:00:00Z", "in-grace 0", "expired"},
		}},
		{"last day of 21 bits", longest, 0, 1<<21 - 1, 3660, 1, []edge{
			{"7766-10-22T00:00:00Z", "valid", "expiring 0"},
			{"7766-10-23T00:00:00Z", "expiring 0", "in-grace 3659"},
			{"7776-10-30T00:00:00Z", "in-grace 0", "expired"},
		}},
		{"from a start day, with a warning from before it", start, payload.Date(2026, 7, 1), payload.Date(2026, 7, 2), 1, 30, []edge{
			{"2026-07-01T00:00:00Z", "not-yet-valid", "expiring 1"},
			{"2026-07-02T00:00:00Z", "expiring 1", "expiring 0"},
			{"2026-07-03T00:00:00Z", "expiring 0", "in-grace 0"},
			{"2026-07-04T00:00:00Z", "in-grace 0", "expired"},
		}},
		{"on one leap day", start, payload.Date(2028, 2, 29), payload.Date(2028, 2, 29), 1, 1, []edge{
			{"2028-02-29T00:00:00Z", "not-yet-valid", "expiring 0"},
			{"2028-03-01T00:00:00Z", "expiring 0", "in-grace 0"},
			{"2028-03-02T00:00:00Z", "in-grace 0", "expired"},
		}},
		{"from a start day, for ever", start, payload.Date(2026, 7, 1), payload.Never, 3660, 3660, []edge{
			{"2026-07-01T00:00:00Z", "not-yet-valid", "valid"},
			{"9999-12-31T00:00:00Z", "valid", "valid"},
		}},
		{"for ever", standard, 0, payload.Never, 3660, 3660, []edge{{"9999-12-31T00:00:00Z", "valid", "valid"}}},
		{"layout without expiry", noExpiry, 0, payload.Never, 3660, 3660, []edge{{"9999-12-31T00:00:00Z", "valid", "valid"}}},
	} {
		code := c.key.mint(payload.License{Product: 7, Serial: 1, Start: c.start, Expiry: c.expiry})
		var clock testClock
		v := newVerifier(newRing(c.key), clock.use, func(o *verifier.Options) { o.Grace, o.Warn = c.grace, c.warn })
		for _, e := range c.edges {
			for _, zone := range zones() {
				for _, s := range []struct {
					after time.Duration
					want  string
				}{{-time.Second, e.before}, {-1, e.before}, {0, e.after}, {time.Second, e.after}} {
					clock.now = instant(e.at).Add(s.after).In(zone)
					lic, err := v.Verify(code)
					if got := standingOf(lic, err); got != s.want {
						t.Errorf("%s, at %s: %s, want %s", c.name, clock.now, got, s.want)
					}
					if err != nil {
						continue
					}
					if again, err := lic.At(clock.now); standingOf(again, err) != s.want {
						t.Errorf("%s, At %s: %s, want %s", c.name, clock.now, standingOf(again, err), s.want)
					}
				}
			}
		}
	}
}

// The leeway moves the edges at which a licence ends, and its grace, but not the day
// from which it is expiring, of which a day more or less harms nobody.
func TestGraceWithLeeway(t *testing.T) {
	k := newKey(startHS, 7)
	code := k.mint(payload.License{Product: 7, Serial: 1, Start: payload.Date(2026, 7, 10), Expiry: payload.Date(2026, 7, 31)})
	for _, leeway := range []time.Duration{0, 1, time.Second, 24 * time.Hour, verifier.MaxLeeway} {
		var clock testClock
		v := newVerifier(newRing(k), clock.use, func(o *verifier.Options) { o.Leeway, o.Grace, o.Warn = leeway, 3, 5 })
		day := 24 * time.Hour
		for _, e := range []struct {
			at            time.Time
			before, after string
		}{
			{instant("2026-07-10T00:00:00Z").Add(-leeway), "not-yet-valid", "valid"},
			{instant("2026-07-27T00:00:00Z"), "valid", "expiring 4"},
			{instant("2026-07-31T00:00:00Z"), "expiring 1", "expiring 0"},
			{instant("2026-08-01T00:00:00Z").Add(leeway), "expiring 0", "in-grace 2"},
			{instant("2026-08-02T00:00:00Z").Add(leeway), "in-grace 2", "in-grace 1"},
			{instant("2026-08-01T00:00:00Z").Add(leeway + 2*day), "in-grace 1", "in-grace 0"},
			{instant("2026-08-01T00:00:00Z").Add(leeway + 3*day), "in-grace 0", "expired"},
		} {
			for after, want := range map[time.Duration]string{-time.Second: e.before, -1: e.before, 0: e.after, 1: e.after} {
				clock.now = e.at.Add(after)
				if got := standingOf(v.Verify(code)); got != want {
					t.Errorf("leeway %s, at %s: %s, want %s", leeway, clock.now, got, want)
				}
			}
		}
	}
}

// A licence in grace is accepted, and all other checks hold for it.
func TestGraceForgivesNothingElse(t *testing.T) {
	hs, ours := newKey(workedHS, 7), newListKey("ours")
	for _, c := range []struct {
		name   string
		change func(*verifier.Options)
		want   error
	}{
		{"nothing else", func(*verifier.Options) {}, nil},
		{"revoked", withLists(ours.newList(revoke(hs, 1000, 1000, ""), due("2029-01-01T00:00:00Z"))), verifier.Revoked},
		{"stale list", withLists(ours.newList()), verifier.ListStale},
		{"wrong product", func(o *verifier.Options) { o.Products = []uint64{8} }, verifier.WrongProduct},
		{"below minimum", func(o *verifier.Options) { o.MinVersion = 4 }, verifier.BelowMinimum},
	} {
		v := must(tryVerifier(newRing(hs, ours), func(o *verifier.Options) { o.Grace, o.Clock = 10, at(instant("2028-01-05T00:00:00Z")) }, c.change))
		lic, err := v.Verify(workedHSCode)
		requireReason(t, err, c.want)
		if errors.Is(err, verifier.Expired) {
			t.Errorf("%s: expired in its grace: %v", c.name, err)
		}
		if err == nil && standingOf(lic, err) != "in-grace 5" {
			t.Errorf("%s: %s", c.name, standingOf(lic, err))
		}
	}
}

// A kept licence changes its status as time goes by, in both directions, and one that
// is refused has none left from before.
func TestStatusOfKeptLicense(t *testing.T) {
	v := newVerifier(newRing(newKey(workedHS, 7)), func(o *verifier.Options) { o.Grace, o.Warn = 10, 10 })
	lic := must(v.Verify(workedHSCode))
	for _, c := range []struct{ now, want string }{
		{"2027-12-21T23:59:59Z", "valid"}, {"2027-12-22T00:00:00Z", "expiring 9"}, {"2028-01-01T00:00:00Z", "in-grace 9"},
		{"2028-01-11T00:00:00Z", "expired"}, {"2028-01-10T23:59:59Z", "in-grace 0"}, {"2026-01-01T00:00:00Z", "valid"},
	} {
		again, err := lic.At(instant(c.now))
		if got := standingOf(again, err); got != c.want {
			t.Errorf("at %s: %s, want %s", c.now, got, c.want)
		}
		if err == nil {
			lic = again
		}
	}
	// What comes with the error can be asked again, too.
	_, err := lic.At(instant("2028-01-11T00:00:00Z"))
	e, ok := errors.AsType[*verifier.NotAcceptableError](err)
	if !ok {
		t.Fatal(err)
	}
	if got := standingOf(e.License.At(instant("2028-01-01T00:00:00Z"))); got != "in-grace 9" {
		t.Errorf("a licence that was refused: %s", got)
	}
}

func TestStatusTexts(t *testing.T) {
	for s, want := range map[verifier.Status]string{verifier.Valid: "valid", verifier.Expiring: "expiring", verifier.InGrace: "in-grace"} {
		if s.String() != want {
			t.Errorf("status %d is %q, want %q", int(s), s.String(), want)
		}
	}
}
