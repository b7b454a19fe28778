package verifier

import (
	"time"

	"github.com/licet-dev/licet/payload"
)

// A Status tells how a licence that is accepted stands with time.
type Status int

const (
	// Valid is a licence whose end is not near, or that has none.
	Valid Status = iota

	// Expiring is a licence that ends within Options.Warn days. Days is how many are
	// left after today: 0 on its last day.
	Expiring

	// InGrace is a licence that has ended and is still accepted, for Options.Grace
	// days after its last. Days is how many are left after today: 0 on the last of
	// them.
	InGrace
)

// String returns the status as a code such as "in-grace".
func (s Status) String() string {
	switch s {
	case Expiring:
		return "expiring"
	case InGrace:
		return "in-grace"
	}
	return "valid"
}

// checkClock refuses a clock that was turned back, and notes the time.
func (v *Verifier) checkClock(key int, now time.Time) error {
	unix := now.Unix()
	latest := v.latest.Load()
	if v.opts.Tolerance != 0 && unix < latest-int64(v.opts.Tolerance/time.Second) {
		return clockError(ClockWentBack, key, now, time.Unix(latest, 0))
	}
	if unix > latest {
		v.seen(unix)
	}
	return nil
}

// judge judges an authentic licence as of the time now, and sets its status.
func (v *Verifier) judge(lic *License, now time.Time) error {
	r := lic.rules
	if now.Before(r.earliest) {
		return clockError(ClockBehind, lic.KeyNumber, now, r.floor)
	}
	lic.stale = r.List != nil && now.After(r.stale)
	if lic.stale && v.opts.Stale == RefuseStale {
		return staleError(r.List, lic.KeyNumber, now)
	}
	early := dayAfter(now, v.opts.Leeway)
	late := early
	if v.opts.Leeway != 0 {
		late = dayAfter(now, -v.opts.Leeway)
	}
	if failed := r.Check(lic.KeyID, &lic.License, early, late); failed != 0 {
		return v.notAcceptable(*lic, failed, now)
	}
	lic.Status, lic.Days = v.status(&lic.License, now, late)
	return nil
}

// status tells how an accepted licence stands. A slow clock would show the day late.
func (v *Verifier) status(lic *payload.License, now time.Time, late payload.Day) (Status, int) {
	switch {
	case lic.Expiry == payload.Never:
		return Valid, 0
	case late > lic.Expiry:
		return InGrace, int(lic.Expiry) + v.opts.Grace - int(late)
	case v.opts.Warn == 0:
		return Valid, 0
	}
	today := payload.DayOf(now)
	if int(today) > int(lic.Expiry)-v.opts.Warn {
		return Expiring, max(0, int(lic.Expiry-today))
	}
	return Valid, 0
}

// dayAfter is payload.DayOf(t.Add(d)) for at most [MaxLeeway] either way. It is
// faster, since it needs no time of its own.
func dayAfter(t time.Time, d time.Duration) payload.Day {
	const offset = int64(MaxLeeway / time.Second)
	nanos := int64(t.Nanosecond()) + int64(d) + int64(MaxLeeway) // not negative, so that the division rounds down
	return payload.DayOfUnix(t.Unix() - offset + nanos/int64(time.Second))
}

// At judges the same licence at another time, by the newest revocation list that the
// verifier has. It returns the licence as it stands then and nil when it is accepted,
// and otherwise a [NotAcceptableError], a [CannotJudgeError] or, where that list
// withdraws its key, a [NotAuthenticError]. The zero License, which [Verifier.Verify]
// returns with an error, is never accepted. The guard against a clock that is turned
// back has no part in it.
func (l License) At(t time.Time) (License, error) {
	if l.v == nil {
		return License{}, &NotAuthenticError{Reason: BadSignature, detail: "there is no licence: no code was accepted"}
	}
	l.rules, l.Status, l.Days = l.v.rules.Load(), Valid, 0
	if l.rules.withdrawn[l.KeyNumber] {
		return License{}, withdrawnError(l.KeyNumber)
	}
	var err error
	if l.receipt == nil {
		err = l.v.judge(&l, t)
	} else {
		err = l.v.judgeReceipt(&l, t)
	}
	if err != nil {
		return License{}, err
	}
	return l, nil
}

// Until returns the first instant after now at which the verdict on the licence or
// its status may change, other lists aside: when a clock that is behind reaches the
// floor, when its first day begins, when it is expiring, when its last day or its
// grace has ended, or when the list is past its due time. The verifier's leeway is
// included. It is the zero time when nothing changes any more. Days, which changes
// every day, and the guard against a clock that is turned back have no part in it. For
// a receipt it is also when it should be replaced, and when that grace or it ends.
func (l License) Until(now time.Time) time.Time {
	if l.v == nil {
		return time.Time{}
	}
	opts, r := &l.v.opts, l.v.rules.Load()
	earliest := r.earliest
	if l.receipt != nil {
		if l.receipt.withdrawn(r.ring) {
			return time.Time{}
		}
		if t := l.receipt.earliest(opts); t.After(earliest) {
			earliest = t
		}
	}
	switch {
	case r.withdrawn[l.KeyNumber]:
		return time.Time{}
	case now.Before(earliest):
		return earliest
	case r.List != nil && now.After(r.stale) && opts.Stale == RefuseStale:
		return time.Time{}
	}
	var next time.Time
	consider := func(t time.Time) {
		if t.After(now) && (next.IsZero() || t.Before(next)) {
			next = t
		}
	}
	if l.Start > 0 {
		consider(l.Start.Time().Add(-opts.Leeway))
	}
	if l.Expiry != payload.Never {
		if opts.Warn > 0 {
			consider((l.Expiry - payload.Day(opts.Warn) + 1).Time())
		}
		consider((l.Expiry + 1).Time().Add(opts.Leeway))
		consider((l.Expiry + 1 + payload.Day(opts.Grace)).Time().Add(opts.Leeway))
	}
	if r.List != nil {
		consider(r.stale.Add(1)) // at that very instant it is not past
	}
	if l.receipt != nil {
		l.receipt.changes(opts, consider)
	}
	return next
}
