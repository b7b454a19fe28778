package verifier_test

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/verifier"
)

// DT-11: a program that keeps a result must not keep its verdict. The result is
// asked again as time goes by.
func TestCachedResultIsJudgedAgain(t *testing.T) {
	v := newVerifier(newRing(newKey(workedHS, 7)))
	lic, err := v.Verify(workedHSCode)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		now  string
		want error
	}{
		{"2026-06-01T12:00:00Z", nil},
		{"2027-12-31T23:59:59Z", nil},
		{"2028-01-01T00:00:00Z", verifier.Expired},
		{"2027-12-31T23:59:59Z", nil}, // the clock was put right again
		{"2024-12-31T23:59:59Z", verifier.ClockBehind},
	} {
		err := errAt(lic, instant(c.now))
		requireReason(t, err, c.want)
		if e, ok := errors.AsType[*verifier.NotAcceptableError](err); ok && e.License.Serial != 1000 {
			t.Errorf("at %s: the licence that failed is %+v", c.now, e.License)
		}
	}
	if until := lic.Until(noon); !until.Equal(instant("2028-01-01T00:00:00Z")) {
		t.Errorf("Until = %s", until)
	}
	if until := lic.Until(instant("2028-01-01T00:00:00Z")); !until.IsZero() {
		t.Errorf("Until after the end = %s, want never", until)
	}
}

// At judges everything that Verify does, not the dates alone.
func TestAtJudgesTheWholePolicy(t *testing.T) {
	v := newVerifier(newRing(newKey(workedHS, 7)), func(o *verifier.Options) { o.MinVersion, o.Products = 4, []uint64{8} })
	_, err := v.Verify(workedHSCode)
	e, ok := errors.AsType[*verifier.NotAcceptableError](err)
	if !ok {
		t.Fatal(err)
	}
	again := errAt(e.License, instant("2028-01-01T00:00:00Z"))
	for _, r := range []verifier.Reason{verifier.WrongProduct, verifier.BelowMinimum, verifier.Expired} {
		requireReason(t, again, r)
	}
}

// verdictAt returns all that Until promises of a licence at a time: the reason, ""
// for accepted, the status, and whether the list is stale.
func verdictAt(lic verifier.License, now time.Time) string {
	again, err := lic.At(now)
	if e, ok := errors.AsType[*verifier.CannotJudgeError](err); ok {
		return string(e.Reason)
	}
	verdict := again.Status.String()
	if e, ok := errors.AsType[*verifier.NotAcceptableError](err); ok {
		again, verdict = e.License, string(e.Reason)
	} else if err != nil {
		return err.Error()
	}
	if l, ok := again.List(); ok && l.Stale {
		verdict += ", stale"
	}
	return verdict
}

// The verdict and the status hold from now until Until and change then; where Until
// is never, they hold for ever. Random licences, leeways, floors, lists, grace,
// warnings and times.
func TestVerdictHoldsUntilUntil(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	k, ours := newKey(startHS, 7), newListKey("ours")
	ring := newRing(k, ours)
	farthest := instant("9999-12-31T23:59:59Z")
	changes := map[string]int{}
	lists := map[string][]byte{} // each takes a signature
	within := func(d time.Duration) time.Duration { return time.Duration(r.Int64N(int64(d))) }
	for range 3000 {
		lic := payload.License{Product: 7, Serial: 1, Expiry: payload.Never}
		if r.IntN(3) > 0 {
			lic.Start = payload.Day(r.IntN(400))
		}
		if r.IntN(3) > 0 {
			lic.Expiry = max(1, lic.Start+payload.Day(r.IntN(3)*r.IntN(200)))
		}
		opts := verifier.Options{
			Leeway: []time.Duration{0, 1, time.Second, within(verifier.MaxLeeway), verifier.MaxLeeway}[r.IntN(5)],
			Grace:  r.IntN(2) * r.IntN(60),
			Warn:   r.IntN(2) * r.IntN(60),
			Stale:  verifier.RefuseStale + verifier.StalePolicy(r.IntN(2)),
		}
		if r.IntN(2) == 0 {
			opts.Built = payload.Day(r.IntN(700)).Time().Add(within(24 * time.Hour))
		}
		var list []byte
		if r.IntN(2) == 0 {
			begin := payload.Day(10 * r.IntN(60))
			end := begin + payload.Day(1+10*r.IntN(20))
			name := begin.String() + end.String()
			if list = lists[name]; list == nil {
				list = ours.newList(issued(begin.String()+"T01:02:03Z"), due(end.String()+"T04:05:06Z"))
				lists[name] = list
			}
		}
		now := payload.Day(r.IntN(800) - 10).Time().Add(within(24 * time.Hour))
		result := resultOf(t, ring, k.mint(lic), opts, list)

		verdict, until := verdictAt(result, now), result.Until(now)
		end := until
		if until.IsZero() {
			end = farthest
		} else if !until.After(now) {
			t.Fatalf("%+v: Until(%s) = %s, not after it", lic, now, until)
		}
		for _, between := range []time.Time{
			now, now.Add(end.Sub(now) / 2), now.Add(within(end.Sub(now))), now.Add(within(end.Sub(now))), now.Add(within(min(end.Sub(now), 100*24*time.Hour))), end.Add(-1),
		} {
			if got := verdictAt(result, between); got != verdict {
				t.Fatalf("%+v, %+v: %s at %s, but %s at %s, before %s", lic, opts, verdict, now, got, between, until)
			}
		}
		if until.IsZero() {
			changes["never"]++
			continue
		}
		after := verdictAt(result, until)
		if after == verdict && !(verdict == "not-yet-valid" || verdict == "not-yet-valid, stale") { // on the day from which it would be expiring
			t.Fatalf("%+v, %+v: %s at %s and still at %s", lic, opts, verdict, now, until)
		}
		changes[after]++
	}
	for _, after := range []string{"never", "valid", "expiring", "in-grace", "expired", "not-yet-valid", "list-stale", "valid, stale", "expiring, stale", "in-grace, stale", "expired, stale"} {
		if changes[after] < 5 {
			t.Errorf("only %d changes to %s: the test proves little", changes[after], after)
		}
	}
}

// resultOf returns what a verifier says of an authentic code, accepted or not. The
// list, if any, comes after that.
func resultOf(t *testing.T, ring *keys.Ring, code string, opts verifier.Options, list []byte) verifier.License {
	t.Helper()
	opts.Products, opts.Clock = []uint64{7}, at(payload.Day(5000).Time()) // beyond every floor
	v := must(verifier.New(ring, opts))
	lic, err := v.Verify(code)
	if list != nil {
		must(v.Update(list))
	}
	if e, ok := errors.AsType[*verifier.NotAcceptableError](err); ok {
		return e.License
	} else if err != nil {
		t.Fatal(err)
	}
	return lic
}

// The zero License says nothing: it belongs to no verifier. Whoever overlooks an
// error and asks what came with it gets no good licence.
func TestZeroLicense(t *testing.T) {
	var lic verifier.License
	again, err := lic.At(noon)
	requireReason(t, err, verifier.BadSignature)
	requireFamily(t, err)
	if again.Product != 0 || again.Serial != 0 {
		t.Errorf("At returned %+v", again)
	}
	if until := lic.Until(noon); !until.IsZero() {
		t.Errorf("Until = %s", until)
	}
}
