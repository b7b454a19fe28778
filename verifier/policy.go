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

// policy evaluates every check of an authentic licence.
func (v *Verifier) policy(lic *payload.License, now time.Time) failures {
	early := payload.DayOf(now.Add(v.opts.Leeway))
	late := early
	if v.opts.Leeway != 0 {
		late = payload.DayOf(now.Add(-v.opts.Leeway))
	}
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

// checkClock refuses to judge by a clock that shows a time before the floor.
func (v *Verifier) checkClock(now time.Time, key int) error {
	if now.Add(v.opts.Leeway).Before(v.opts.Built) {
		return &CannotJudgeError{Reason: ClockBehind, Key: key, Now: now, Floor: v.opts.Built,
			detail: fmt.Sprintf("the clock is behind: it shows %s, but it is %s or later; set the clock",
				now.UTC().Format(time.RFC3339), v.opts.Built.UTC().Format(time.RFC3339))}
	}
	return nil
}

// At judges the same licence at another time. It returns nil when the licence is
// accepted then, and otherwise a [NotAcceptableError] or a [CannotJudgeError].
// It returns nil for the zero License.
func (l License) At(t time.Time) error {
	if l.v == nil {
		return nil
	}
	if err := l.v.checkClock(t, l.KeyNumber); err != nil {
		return err
	}
	if failed := l.v.policy(&l.License, t); failed != 0 {
		return l.v.notAcceptable(l, failed, t)
	}
	return nil
}

// Until returns the first instant after now at which the verdict on the licence
// may change: when its first day begins or its last day has ended, the verifier's
// leeway included. It is the zero time when the verdict never changes.
func (l License) Until(now time.Time) time.Time {
	if l.v == nil {
		return time.Time{}
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
