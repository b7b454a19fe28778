package verifier_test

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

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

// verdictAt returns the verdict on a licence at a time, nil for accepted.
func verdictAt(lic verifier.License, now time.Time) error {
	err := errAt(lic, now)
	if e, ok := errors.AsType[*verifier.NotAcceptableError](err); ok {
		return e.Reason
	}
	if e, ok := errors.AsType[*verifier.CannotJudgeError](err); ok {
		return e.Reason
	}
	return err
}

// The verdict holds from now until Until and changes then; where Until is never,
// it holds for ever. Random licences, leeways, floors and times.
func TestVerdictHoldsUntilUntil(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	k := newKey(startHS, 7)
	farthest := instant("9999-12-31T23:59:59Z")
	changes := map[error]int{}
	for range 3000 {
		lic := payload.License{Product: 7, Serial: 1, Expiry: payload.Never}
		if r.IntN(3) > 0 {
			lic.Start = payload.Day(r.IntN(400))
		}
		if r.IntN(3) > 0 {
			lic.Expiry = max(1, lic.Start+payload.Day(r.IntN(3)*r.IntN(200)))
		}
		leeway := []time.Duration{0, 1, time.Second, time.Duration(r.Int64N(int64(verifier.MaxLeeway))), verifier.MaxLeeway}[r.IntN(5)]
		var built time.Time
		if r.IntN(2) == 0 {
			built = payload.Day(r.IntN(700)).Time().Add(time.Duration(r.Int64N(int64(24 * time.Hour))))
		}
		now := payload.Day(r.IntN(800) - 10).Time().Add(time.Duration(r.Int64N(int64(24 * time.Hour))))
		result := resultOf(t, k, k.mint(lic), leeway, built)

		verdict, until := verdictAt(result, now), result.Until(now)
		end := until
		if until.IsZero() {
			end = farthest
		} else if !until.After(now) {
			t.Fatalf("%+v: Until(%s) = %s, not after it", lic, now, until)
		}
		for _, between := range []time.Time{now, now.Add(end.Sub(now) / 2), now.Add(time.Duration(r.Int64N(int64(end.Sub(now))))), end.Add(-1)} {
			if got := verdictAt(result, between); got != verdict {
				t.Fatalf("%+v, leeway %s, built %s: %v at %s, but %v at %s, before %s", lic, leeway, built, verdict, now, got, between, until)
			}
		}
		if !until.IsZero() {
			after := verdictAt(result, until)
			if after == verdict {
				t.Fatalf("%+v, leeway %s, built %s: %v at %s and still at %s", lic, leeway, built, verdict, now, until)
			}
			changes[after]++
		}
	}
	for _, r := range []error{nil, verifier.Expired, verifier.NotYetValid} {
		if changes[r] < 10 {
			t.Errorf("only %d changes to %v: the test proves little", changes[r], r)
		}
	}
}

// resultOf returns what a verifier says of an authentic code, accepted or not.
func resultOf(t *testing.T, k testKey, code string, leeway time.Duration, built time.Time) verifier.License {
	v := newVerifier(newRing(k), func(o *verifier.Options) {
		o.Leeway, o.Built = leeway, built
		o.Clock = at(payload.Day(5000).Time()) // beyond every floor
	})
	lic, err := v.Verify(code)
	if e, ok := errors.AsType[*verifier.NotAcceptableError](err); ok {
		return e.License
	} else if err != nil {
		t.Fatal(err)
	}
	return lic
}

// The zero License says nothing: it belongs to no verifier.
func TestZeroLicense(t *testing.T) {
	var lic verifier.License
	if until := lic.Until(noon); !until.IsZero() {
		t.Errorf("Until = %s", until)
	}
}
