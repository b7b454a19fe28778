package verifier

import (
	"fmt"
	"slices"
	"time"

	"github.com/licet-dev/licet/payload"
)

// failures is the set of policy checks that a licence fails. All checks are
// evaluated before anything is decided, so that the time taken does not tell
// which one failed.
type failures uint8

const (
	failWrongProduct failures = 1 << iota
	failBelowMinimum
	failNotYetValid
	failExpired
)

// judge judges an authentic licence as of the time now.
func (v *Verifier) judge(lic *License, now time.Time) error {
	if now.Before(v.earliest) {
		return &CannotJudgeError{Reason: ClockBehind, Key: lic.KeyNumber, Now: now, Floor: v.opts.Built,
			detail: fmt.Sprintf("the clock is behind: it shows %s, but it is %s or later; set the clock",
				now.UTC().Format(time.RFC3339), v.opts.Built.UTC().Format(time.RFC3339))}
	}
	if failed := v.policy(&lic.License, dayAfter(now, v.opts.Leeway), dayAfter(now, -v.opts.Leeway)); failed != 0 {
		return v.notAcceptable(*lic, failed, now)
	}
	return nil
}

// dayAfter is payload.DayOf(t.Add(d)) for at most [MaxLeeway] either way. It is
// faster, since it needs no time of its own.
func dayAfter(t time.Time, d time.Duration) payload.Day {
	const offset = int64(MaxLeeway / time.Second)
	nanos := int64(t.Nanosecond()) + int64(d) + int64(MaxLeeway) // not negative, so that the division rounds down
	return payload.DayOfUnix(t.Unix() - offset + nanos/int64(time.Second))
}

// policy evaluates every check of an authentic licence: the start against the day
// that a fast clock would show, the end against that of a slow one.
func (v *Verifier) policy(lic *payload.License, early, late payload.Day) failures {
	return failIf(!slices.Contains(v.opts.Products, lic.Product), failWrongProduct) |
		failIf(lic.Version < v.opts.MinVersion, failBelowMinimum) |
		failIf(early < lic.Start, failNotYetValid) |
		failIf(late > lic.Expiry, failExpired)
}

func failIf(failed bool, f failures) failures {
	if failed {
		return f
	}
	return 0
}

// At judges the same licence at another time. It returns nil when the licence is
// accepted then, and otherwise a [NotAcceptableError] or a [CannotJudgeError].
// The zero License, which [Verifier.Verify] returns with an error, is never accepted.
func (l License) At(t time.Time) error {
	if l.v == nil {
		return &NotAuthenticError{Reason: BadSignature, detail: "there is no licence: no code was accepted"}
	}
	return l.v.judge(&l, t)
}

// Until returns the first instant after now at which the verdict on the licence
// may change: when its first day begins or its last day has ended, the verifier's
// leeway included, or when a clock that is behind reaches the floor. It is the zero
// time when the verdict never changes.
func (l License) Until(now time.Time) time.Time {
	if l.v == nil {
		return time.Time{}
	}
	if now.Before(l.v.earliest) {
		return l.v.earliest
	}
	if begins := l.Start.Time().Add(-l.v.opts.Leeway); l.Start > 0 && now.Before(begins) {
		return begins
	}
	if l.Expiry != payload.Never {
		if ends := (l.Expiry + 1).Time().Add(l.v.opts.Leeway); now.Before(ends) {
			return ends
		}
	}
	return time.Time{}
}
