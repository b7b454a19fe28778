package verifier_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/verifier"
)

// zones are all whole offsets in use, and some odd ones. A clock in any of them
// shows the same instant, so it must give the same verdict (DT-02, DT-17).
func zones() []*time.Location {
	var z []*time.Location
	for h := -12; h <= 14; h++ {
		z = append(z, time.FixedZone("", h*3600))
	}
	return append(z, time.FixedZone("", 5*3600+45*60), time.FixedZone("", -(3*3600+30*60)))
}

// The first and the last instant of licences, written out, not computed (DT-04,
// DT-05, DT-07): the last second of the last day and the first of the next, leap
// days, the last day that each field holds, and start days.
func TestEdgesOfValidity(t *testing.T) {
	const layout = "licet/v1 hs256 key=10 prefix= layout=product:9,start:%d,expiry:%d,serial:%d bind=none sig=80"
	wide := newKey(fmt.Sprintf(layout, 16, 16, 9), 7)
	short := newKey(fmt.Sprintf(layout, 13, 13, 10), 7)
	longest := newKey(fmt.Sprintf(layout, 21, 21, 9), 7)
	standard := newKey(workedHS, 7)
	for _, c := range []struct {
		name          string
		key           testKey
		start, expiry payload.Day
		begins, ends  string // "" for never
	}{
		{"end of a year", standard, 0, payload.Date(2027, 12, 31), "", "2028-01-01T00:00:00Z"},
		{"leap day", standard, 0, payload.Date(2028, 2, 29), "", "2028-03-01T00:00:00Z"},
		{"day before a leap day", standard, 0, payload.Date(2028, 2, 28), "", "2028-02-29T00:00:00Z"},
		{"end of February in a common year", standard, 0, payload.Date(2027, 2, 28), "", "2027-03-01T00:00:00Z"},
		{"end of February 2100, no leap year", standard, 0, payload.Date(2100, 2, 28), "", "2100-03-01T00:00:00Z"},
		{"day 32 bits of seconds end", standard, 0, payload.Date(2038, 1, 19), "", "2038-01-20T00:00:00Z"},
		{"day 32 unsigned bits of seconds end", standard, 0, payload.Date(2106, 2, 7), "", "2106-02-08T00:00:00Z"},
		{"last day of 15 bits", standard, 0, 1<<15 - 1, "", "2114-09-20T00:00:00Z"},
		{"last day of 13 bits", short, 0, 1<<13 - 1, "", "2047-06-07T00:00:00Z"},
		{"last day of 16 bits", wide, 0, 1<<16 - 1, "", "2204-06-08T00:00:00Z"},
		{"first day of all", standard, 0, 1, "", "2025-01-03T00:00:00Z"},
		{"start day", wide, payload.Date(2026, 7, 1), payload.Never, "2026-07-01T00:00:00Z", ""},
		{"start on a leap day", wide, payload.Date(2028, 2, 29), payload.Never, "2028-02-29T00:00:00Z", ""},
		{"one day", wide, payload.Date(2026, 7, 1), payload.Date(2026, 7, 1), "2026-07-01T00:00:00Z", "2026-07-02T00:00:00Z"},
		{"one leap day", wide, payload.Date(2028, 2, 29), payload.Date(2028, 2, 29), "2028-02-29T00:00:00Z", "2028-03-01T00:00:00Z"},
		{"last day alone", wide, 1<<16 - 1, 1<<16 - 1, "2204-06-07T00:00:00Z", "2204-06-08T00:00:00Z"},
		{"last day of 21 bits", longest, 1<<21 - 1, 1<<21 - 1, "7766-10-22T00:00:00Z", "7766-10-23T00:00:00Z"},
		{"always", standard, 0, payload.Never, "", ""},
	} {
		code := c.key.mint(payload.License{Product: 7, Serial: 1, Start: c.start, Expiry: c.expiry})
		for _, leeway := range []time.Duration{0, time.Second, 48 * time.Hour} {
			var now time.Time
			v := newVerifier(newRing(c.key), func(o *verifier.Options) {
				o.Clock, o.Leeway = func() time.Time { return now }, leeway
			})
			for _, zone := range zones() {
				judge := func(t0 time.Time, want error) {
					t.Helper()
					now = t0.In(zone)
					if _, err := v.Verify(code); !matches(err, want) {
						t.Errorf("%s, leeway %s, at %s: got %v, want %v", c.name, leeway, now, err, want)
					}
				}
				if c.begins != "" {
					begins := instant(c.begins).Add(-leeway)
					judge(begins.Add(-time.Second), verifier.NotYetValid)
					judge(begins.Add(-1), verifier.NotYetValid)
					judge(begins, nil)
				} else {
					judge(instant("2025-01-01T00:00:00Z"), nil)
				}
				if c.ends != "" {
					ends := instant(c.ends).Add(leeway)
					judge(ends.Add(-time.Second), nil)
					judge(ends.Add(-1), nil)
					judge(ends, verifier.Expired)
					judge(ends.Add(100*365*24*time.Hour), verifier.Expired)
				} else {
					judge(instant("9999-12-31T23:59:59Z"), nil)
				}
			}
		}
	}
}

func matches(err, want error) bool {
	if err == nil || want == nil {
		return err == nil && want == nil
	}
	e, ok := err.(*verifier.NotAcceptableError)
	return ok && e.Reason == want && len(e.Failures) == 1
}

// DT-06, DT-08: a clock behind its floor is told from an expired licence and from
// one that is not yet valid. The floor is the latest of day 0 and the build time.
func TestFloor(t *testing.T) {
	day0 := "2025-01-01T00:00:00Z"
	for _, c := range []struct {
		name, built, floor string
	}{
		{"no build time", "", day0},
		{"built before 2025", "2020-02-29T12:00:00Z", day0},
		{"built a second before 2025", "2024-12-31T23:59:59Z", day0},
		{"built as 2025 began", day0, day0},
		{"built in 2026", "2026-05-01T10:30:00.5Z", "2026-05-01T10:30:00.5Z"},
		{"built in another zone", "2026-05-01T00:00:00+14:00", "2026-04-30T10:00:00Z"},
		{"built after the licence ended", "2030-01-01T00:00:00Z", "2030-01-01T00:00:00Z"},
	} {
		for _, leeway := range []time.Duration{0, time.Second, 48 * time.Hour} {
			var now time.Time
			v := newVerifier(newRing(newKey(workedHS, 7)), func(o *verifier.Options) {
				o.Clock, o.Leeway = func() time.Time { return now }, leeway
				if c.built != "" {
					o.Built = instant(c.built)
				}
			})
			floor := instant(c.floor)
			for _, zone := range zones() {
				for _, before := range []time.Duration{1, time.Second, 100 * 365 * 24 * time.Hour} {
					now = floor.Add(-leeway - before).In(zone)
					_, err := v.Verify(workedHSCode)
					requireReason(t, err, verifier.ClockBehind)
				}
				now = floor.Add(-leeway).In(zone)
				_, err := v.Verify(workedHSCode)
				if c.name == "built after the licence ended" {
					requireReason(t, err, verifier.Expired)
				} else {
					requireReason(t, err, nil)
				}
			}
		}
	}
	// A clock that was never set, and one beyond what a year has digits for.
	for _, c := range []struct {
		now  time.Time
		want error
	}{
		{time.Time{}, verifier.ClockBehind},
		{time.Unix(0, 0), verifier.ClockBehind},
		{time.Unix(-1<<40, 0), verifier.ClockBehind},
		{time.Unix(1<<40, 0), verifier.Expired},
		{time.Unix(1<<55, 0), verifier.Expired},
	} {
		for _, leeway := range []time.Duration{0, verifier.MaxLeeway} {
			_, err := newVerifier(newRing(newKey(workedHS, 7)), func(o *verifier.Options) { o.Clock, o.Leeway = at(c.now), leeway }).Verify(workedHSCode)
			requireReason(t, err, c.want)
		}
	}
}

// DT-09: a clock that was wrong once does no lasting harm; a verifier has no memory.
func TestNoMemoryOfTheClock(t *testing.T) {
	now := noon
	v := newVerifier(newRing(newKey(workedHS, 7)), func(o *verifier.Options) { o.Clock = func() time.Time { return now } })
	for _, c := range []struct {
		now  string
		want error
	}{
		{"2026-06-01T12:00:00Z", nil},
		{"2099-01-01T00:00:00Z", verifier.Expired},
		{"2026-06-01T12:00:00Z", nil},
		{"1980-01-01T00:00:00Z", verifier.ClockBehind},
		{"2026-06-01T12:00:00Z", nil},
	} {
		now = instant(c.now)
		_, err := v.Verify(workedHSCode)
		requireReason(t, err, c.want)
	}
}
