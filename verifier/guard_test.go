package verifier_test

import (
	"errors"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/verifier"
)

func tolerance(d time.Duration) func(*verifier.Options) {
	return func(o *verifier.Options) { o.Tolerance = d }
}

// requireWentBack requires that a clock which shows now is refused, since it was later
// before.
func requireWentBack(t *testing.T, err error, now, latest time.Time) {
	t.Helper()
	e, ok := errors.AsType[*verifier.CannotJudgeError](err)
	if !ok || e.Reason != verifier.ClockWentBack || e.Key != 8 || !e.Now.Equal(now) || !e.Floor.Equal(latest) {
		t.Errorf("got %v, want %s, %s after %s", err, verifier.ClockWentBack, now, latest)
	}
}

// Without a tolerance there is no guard: a clock may go back as far as the floor.
func TestNoGuardByDefault(t *testing.T) {
	var clock testClock
	v := newVerifier(newRing(newKey(workedHS, 7)), clock.use)
	for _, now := range []string{"2027-12-31T23:59:59Z", "2025-01-01T00:00:00Z", "2027-01-01T00:00:00Z"} {
		clock.set(now)
		_, err := v.Verify(workedHSCode)
		requireReason(t, err, nil)
	}
}

// A clock may go back by the tolerance and no second more, and is believed again when
// it has caught up.
func TestGuard(t *testing.T) {
	for _, tol := range []time.Duration{time.Second, time.Hour, 25 * time.Hour, verifier.MaxTolerance} {
		var clock testClock
		v := newVerifier(newRing(newKey(workedHS, 7)), clock.use, tolerance(tol))
		clock.now = noon
		must(v.Verify(workedHSCode))
		for _, c := range []struct {
			back    time.Duration
			refused bool
		}{
			{0, false}, {time.Second, false}, {tol, false}, {tol + 1, true}, {tol + time.Second, true}, {tol, false},
			{tol + 90*24*time.Hour, true}, {2 * tol, true}, {0, false},
		} {
			for _, zone := range zones() {
				clock.now = noon.Add(-c.back).In(zone)
				_, err := v.Verify(workedHSCode)
				if c.refused {
					requireWentBack(t, err, clock.now, noon)
				} else {
					requireReason(t, err, nil)
				}
			}
		}
		if !v.Latest().Equal(noon) {
			t.Errorf("latest is %s", v.Latest())
		}
		// Back within the tolerance again and again is not a way to wander back.
		for range 5 {
			clock.now = noon.Add(-tol)
			must(v.Verify(workedHSCode))
		}
		clock.now = noon.Add(-2 * tol)
		_, err := v.Verify(workedHSCode)
		requireWentBack(t, err, clock.now, noon)
	}
}

// Times are kept in whole seconds. An honest clock is never refused for it: a part of a
// second is given, not taken.
func TestGuardOfFractions(t *testing.T) {
	for _, c := range []struct {
		tolerance, fraction, back time.Duration // the clock showed noon and the fraction
		refused                   bool
	}{
		{1, 0, 1, false}, {1, 0, time.Second, false}, {1, 0, time.Second + 1, true},
		{500 * time.Millisecond, 0, 400 * time.Millisecond, false},
		{500 * time.Millisecond, 900 * time.Millisecond, 500 * time.Millisecond, false},
		{500 * time.Millisecond, 900 * time.Millisecond, 1900 * time.Millisecond, false},
		{500 * time.Millisecond, 900 * time.Millisecond, 1901 * time.Millisecond, true},
		{1500 * time.Millisecond, 0, 1500 * time.Millisecond, false},
		{1500 * time.Millisecond, 0, 2001 * time.Millisecond, true},
		{time.Second, 999999999, time.Second, false}, {time.Second, 999999999, 2 * time.Second, true},
	} {
		var clock testClock
		v := newVerifier(newRing(newKey(workedHS, 7)), clock.use, tolerance(c.tolerance))
		clock.now = noon.Add(c.fraction)
		must(v.Verify(workedHSCode))
		clock.now = clock.now.Add(-c.back)
		if _, err := v.Verify(workedHSCode); errors.Is(err, verifier.ClockWentBack) != c.refused {
			t.Errorf("%+v: got %v", c, err)
		}
	}
}

// The guard goes on where the last run ended.
func TestGuardOverRestart(t *testing.T) {
	ring := newRing(newKey(workedHS, 7))
	var clock testClock
	clock.now = noon
	v := newVerifier(ring, clock.use, tolerance(time.Hour))
	must(v.Verify(workedHSCode))
	state := v.State()
	for _, c := range []struct {
		back    time.Duration
		state   []byte
		guard   time.Duration
		refused bool
	}{
		{time.Hour, state, time.Hour, false},
		{time.Hour + time.Second, state, time.Hour, true},
		{time.Hour + time.Second, state, 2 * time.Hour, false},
		{time.Hour + time.Second, state, 0, false},
		{time.Hour + time.Second, nil, time.Hour, false}, // a state that is lost is forgotten
	} {
		clock.now = noon.Add(-c.back)
		v := newVerifier(ring, clock.use, tolerance(c.guard), withState(c.state))
		_, err := v.Verify(workedHSCode)
		if c.refused {
			requireWentBack(t, err, clock.now, noon)
		} else {
			requireReason(t, err, nil)
		}
	}
	// What was seen without a guard counts, too, once there is one.
	clock.now = noon
	v = newVerifier(ring, clock.use)
	must(v.Verify(workedHSCode))
	clock.now = noon.Add(-2 * time.Hour)
	_, err := newVerifier(ring, clock.use, tolerance(time.Hour), withState(v.State())).Verify(workedHSCode)
	requireWentBack(t, err, clock.now, noon)
}

// The issue of a list and the build time are times seen. A leeway, which moves the
// floor, does not move the guard.
func TestGuardKnowsSignedTimes(t *testing.T) {
	hs, ours := newKey(workedHS, 7), newListKey("ours")
	list := ours.newList(issued("2026-06-01T00:00:00Z"))
	seen := instant("2026-06-01T00:00:00Z")
	for name, build := range map[string]func(...func(*verifier.Options)) *verifier.Verifier{
		"list of the options": func(change ...func(*verifier.Options)) *verifier.Verifier {
			return must(tryVerifier(newRing(hs, ours), append(change, withLists(list))...))
		},
		"list of an update": func(change ...func(*verifier.Options)) *verifier.Verifier {
			v := must(tryVerifier(newRing(hs, ours), append(change, func(o *verifier.Options) { o.Stale = verifier.RefuseStale })...))
			must(v.Update(list))
			return v
		},
		"list of a run before": func(change ...func(*verifier.Options)) *verifier.Verifier {
			before := must(tryVerifier(newRing(hs, ours), withLists(ours.newList(sequence(6), issued("2026-06-01T00:00:00Z")))))
			return must(tryVerifier(newRing(hs, ours), append(change, withState(before.State()), withLists(ours.newList(issued("2026-01-01T00:00:00Z"))))...))
		},
		"build time": func(change ...func(*verifier.Options)) *verifier.Verifier {
			return must(tryVerifier(newRing(hs), append(change, func(o *verifier.Options) { o.Built = seen })...))
		},
	} {
		for _, tol := range []time.Duration{0, time.Hour} {
			var clock testClock
			v := build(clock.use, tolerance(tol), func(o *verifier.Options) { o.Leeway = verifier.MaxLeeway })
			if !v.Latest().Equal(seen) {
				t.Errorf("%s: latest is %s", name, v.Latest())
			}
			for _, back := range []time.Duration{0, time.Hour, time.Hour + time.Second, verifier.MaxLeeway} {
				clock.now = seen.Add(-back)
				_, err := v.Verify(workedHSCode)
				if tol > 0 && back > tol {
					requireWentBack(t, err, clock.now, seen)
				} else {
					requireReason(t, err, nil)
				}
			}
			v.ResetClock()
			if !v.Latest().Equal(seen) {
				t.Errorf("%s: latest is %s after ResetClock, which keeps what was signed", name, v.Latest())
			}
		}
	}
}

// DT-09: a clock that stood in 2099 once keeps the product from judging afterwards,
// over restarts, too. ResetClock is the way out, and keeps what was signed.
func TestClockInTheFutureOnce(t *testing.T) {
	hs, ours := newKey(workedHS, 7), newListKey("ours")
	ring := newRing(hs, ours)
	var clock testClock
	run := func(state []byte) *verifier.Verifier {
		return must(tryVerifier(ring, clock.use, tolerance(time.Hour), withState(state), withLists(ours.newList()), func(o *verifier.Options) { o.Stale = verifier.ReportStale }))
	}
	v := run(nil)
	future := instant("2099-01-01T00:00:00Z")
	clock.now = future
	_, err := v.Verify(workedHSCode)
	requireReason(t, err, verifier.Expired)

	clock.now = noon
	_, err = v.Verify(workedHSCode)
	requireWentBack(t, err, noon, future)
	v = run(v.State())
	_, err = v.Verify(workedHSCode)
	requireWentBack(t, err, noon, future)

	v.ResetClock()
	if want := instant("2026-05-01T00:00:00Z"); !v.Latest().Equal(want) {
		t.Errorf("latest is %s after ResetClock, want the issue of the list, %s", v.Latest(), want)
	}
	v = run(v.State())
	_, err = v.Verify(workedHSCode)
	requireReason(t, err, nil)
	clock.set("2026-04-01T00:00:00Z")
	_, err = v.Verify(workedHSCode)
	requireWentBack(t, err, clock.now, noon)
}

// Only a genuine code makes the verifier look at the clock and remember it. Whether
// its licence is accepted makes no difference.
func TestWhatTheGuardRemembers(t *testing.T) {
	hs, es, ours := newKey(workedHS, 7), newKey(workedES, 7), newListKey("ours")
	masked, shown := hs.split(workedHSCode)
	shown[0] ^= 1
	day0 := payload.Day(0).Time()
	for _, c := range []struct {
		name, code string
		change     func(*verifier.Options)
		want       error
		seen       bool
	}{
		{"good", workedHSCode, func(*verifier.Options) {}, nil, true},
		{"expired", workedHSCode, func(o *verifier.Options) { o.Clock = at(instant("2030-01-01T00:00:00Z")) }, verifier.Expired, true},
		{"wrong product", workedHSCode, func(o *verifier.Options) { o.Products = []uint64{8} }, verifier.WrongProduct, true},
		{"forged", hs.assemble(masked, shown), func(*verifier.Options) {}, verifier.BadSignature, false},
		{"a typing error", workedHSCode[:len(workedHSCode)-1] + "Y", func(*verifier.Options) {}, payload.Typo, false},
		{"withdrawn key", workedESCode, func(*verifier.Options) {}, verifier.KeyWithdrawn, false},
		{"nothing", "", func(*verifier.Options) {}, payload.Empty, false},
		{"clock before day 0", workedHSCode, func(o *verifier.Options) { o.Clock = at(time.Unix(0, 0)) }, verifier.ClockBehind, false},
	} {
		var now time.Time
		v := must(tryVerifier(newRing(hs, es.in(keys.Withdrawn), ours), c.change, func(o *verifier.Options) { now = o.Clock() }))
		if !v.Latest().Equal(day0) || v.Latest().Location() != time.UTC {
			t.Errorf("%s: latest is %s before anything was judged", c.name, v.Latest())
		}
		_, err := v.Verify(c.code)
		requireReason(t, err, c.want)
		want := day0
		if c.seen {
			want = now
		}
		if !v.Latest().Equal(want) {
			t.Errorf("%s: latest is %s, want %s", c.name, v.Latest(), want)
		}
	}
}

// SPEC.md, section 7, step 8: the guard comes after all that is said of a code that is
// not genuine, and before floor, list and policy.
func TestGuardInItsPlace(t *testing.T) {
	hs, ours := newKey(workedHS, 7), newListKey("ours")
	masked, shown := hs.split(workedHSCode)
	shown[0] ^= 1
	var clock testClock
	clock.set("2027-06-01T00:00:00Z")
	v := must(tryVerifier(newRing(hs, ours), clock.use, tolerance(time.Hour), withLists(ours.newList(revoke(hs, 1000, 1000, "")))))
	_, err := v.Verify(workedHSCode)
	requireReason(t, err, verifier.ListStale)
	for _, now := range []string{"2027-05-01T00:00:00Z", "2026-06-01T00:00:00Z", "1970-01-01T00:00:00Z"} {
		clock.set(now)
		_, err = v.Verify(workedHSCode)
		requireWentBack(t, err, clock.now, instant("2027-06-01T00:00:00Z"))
		_, err = v.Verify(hs.assemble(masked, shown))
		requireReason(t, err, verifier.BadSignature)
	}
}

// At is a question about a time, not a clock: the guard has no part in it, and it
// leaves no trace.
func TestGuardAndAt(t *testing.T) {
	v := newVerifier(newRing(newKey(workedHS, 7)), tolerance(time.Hour))
	lic := must(v.Verify(workedHSCode))
	requireReason(t, errAt(lic, instant("2025-06-01T00:00:00Z")), nil)
	requireReason(t, errAt(lic, instant("2099-01-01T00:00:00Z")), verifier.Expired)
	if !v.Latest().Equal(noon) {
		t.Errorf("latest is %s", v.Latest())
	}
	_, err := v.Verify(workedHSCode)
	requireReason(t, err, nil)
}

// A clock that is put back an hour in autumn, or shows another zone after a flight,
// shows later instants all the time.
func TestGuardAndSummerTime(t *testing.T) {
	summer, winter := time.FixedZone("CEST", 2*3600), time.FixedZone("CET", 3600)
	var clock testClock
	v := newVerifier(newRing(newKey(workedHS, 7)), clock.use, tolerance(time.Second))
	for _, now := range []time.Time{
		time.Date(2026, 10, 25, 2, 59, 59, 0, summer),
		time.Date(2026, 10, 25, 2, 0, 0, 0, winter), // a second later
		time.Date(2026, 10, 25, 2, 59, 59, 0, winter),
		time.Date(2026, 10, 24, 14, 0, 0, 0, time.FixedZone("", -12*3600)), // another second
		time.Date(2026, 10, 25, 16, 0, 1, 0, time.FixedZone("", 14*3600)),
	} {
		clock.now = now
		_, err := v.Verify(workedHSCode)
		requireReason(t, err, nil)
		if !v.Latest().Equal(now) {
			t.Errorf("latest is %s, want %s", v.Latest(), now)
		}
	}
}

func TestGuardOptions(t *testing.T) {
	ring := newRing(newKey(workedHS, 7))
	for tol, good := range map[time.Duration]bool{
		math.MinInt64: false, -1: false, 0: true, 1: true, verifier.MaxTolerance: true, verifier.MaxTolerance + 1: false, math.MaxInt64: false,
	} {
		if _, err := tryVerifier(ring, tolerance(tol)); (err == nil) != good {
			t.Errorf("tolerance %s: %v", tol, err)
		}
	}
}

// Many goroutines see many times. The latest stays, and no list's issue is lost to a
// reset at the same moment. Run under -race.
func TestLatestIsTheLatest(t *testing.T) {
	hs, ours := newKey(workedHS, 7), newListKey("ours")
	var mu sync.Mutex
	next := noon
	v := must(tryVerifier(newRing(hs, ours), tolerance(time.Hour), func(o *verifier.Options) {
		o.Stale = verifier.RefuseStale
		o.Clock = func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			next = next.Add(time.Second)
			return next
		}
	}))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				if _, err := v.Verify(workedHSCode); err != nil {
					t.Error(err)
				}
				v.State()
			}
		})
	}
	wg.Wait()
	if want := noon.Add(8 * 200 * time.Second); !v.Latest().Equal(want) {
		t.Errorf("latest is %s, want %s", v.Latest(), want)
	}
	for n := range 50 {
		at := noon.Add(time.Duration(n) * time.Minute)
		list := ours.newList(sequence(uint64(n+1)), issued(at.Format(time.RFC3339)))
		wg.Go(v.ResetClock)
		must(v.Update(list))
		wg.Wait()
		if !v.Latest().Equal(at) {
			t.Fatalf("latest is %s, want the issue of the list, %s", v.Latest(), at)
		}
	}
}
