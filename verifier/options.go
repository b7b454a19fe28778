package verifier

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/licet-dev/licet/payload"
)

// Bounds of [Options].
const (
	MaxLeeway    = 48 * time.Hour
	MaxTolerance = 31 * 24 * time.Hour
	MaxDays      = 3660 // of grace and of warning
)

// Options say what a verifier accepts. Products is mandatory, and so is Stale where
// there is a revocation list; the zero values of the other fields are the safe choice.
type Options struct {
	// Products are the numbers of the products that this verifier accepts.
	Products []uint64

	// MinVersion is the lowest licence version accepted. Zero accepts all. A
	// revocation list may ask for more.
	MinVersion uint64

	// Lists are signed revocation lists, such as one that is embedded in the product
	// and a newer one from a file. The newest alone decides. Without any nothing is
	// revoked, and [License.List] says so. See also [Verifier.Update].
	//
	// One that can't be used, such as one in a file whose list key this release
	// withdraws, is an error of [New] with the reason [ListUnreadable]. Try again
	// without it: MinSequence and State still say how new the others must be.
	Lists [][]byte

	// MinSequence is the lowest sequence number of a list that is accepted. It is an
	// error if the newest of Lists has a lower one, or if there are none. Zero
	// accepts any.
	MinSequence uint64

	// Stale says what to do when the time has come at which a list newer than the
	// one at hand was due.
	Stale StalePolicy

	// Clock tells the time. If nil, time.Now is used.
	Clock func() time.Time

	// Built is a time that the clock can't be before, such as when the product
	// was built. If zero, or before 2025, it is 2025-01-01 UTC. A clock can't be
	// before the issue of the list at hand either, nor a day before that of a receipt.
	Built time.Time

	// Leeway is how far the clock may be off at both ends of a licence, 0 to
	// [MaxLeeway]. Zero means not at all.
	Leeway time.Duration

	// Grace is for how many days after its last day a licence is still accepted, 0
	// to [MaxDays]. Its Status is then [InGrace]. It is also for how many days after
	// it should have been replaced a receipt is.
	Grace int

	// Warn is for how many days before its end, its last day included, a licence
	// has the Status [Expiring], 0 to [MaxDays].
	Warn int

	// MaxReceiptDays is for how many days after its issue a receipt is accepted, 0 to
	// [MaxDays]; Grace comes on top. Zero leaves it to the receipt, which says by when
	// it should be replaced.
	MaxReceiptDays int

	// State is what [Verifier.State] returned when the product ran the last time.
	// Empty means that nothing is known of earlier runs. What is damaged or was
	// edited is an error with the reason [BadState].
	State []byte

	// Tolerance turns on the guard against a clock that is turned back: a clock that
	// is behind the latest time seen by more than this is not believed, and nothing
	// is judged until it is put right. Allow for what honest clocks do; a day and an
	// hour covers a wrong zone and daylight saving time. It counts in whole seconds,
	// rounded up, at most [MaxTolerance]. Zero means no guard.
	Tolerance time.Duration

	// AllowShortTags accepts hs256 keys with fewer than 65 tag bits. Whoever can
	// try codes against a verifier without limit forges a 35-bit tag within days,
	// so allow it only where attempts are counted.
	AllowShortTags bool
}

// A StalePolicy says what to do with a list that is past its due time, by more than
// the leeway. The zero value is none: it must be chosen.
type StalePolicy int

const (
	// RefuseStale gives no verdict: the error is a [CannotJudgeError] with the
	// reason [ListStale]. Whoever keeps newer lists away from the product stops it.
	RefuseStale StalePolicy = iota + 1

	// ReportStale judges by the stale list, and the result says so. Whoever keeps
	// newer lists away from the product goes on with a revoked code.
	ReportStale
)

// check refuses options that mean nothing, and returns them with their defaults.
func (o Options) check() (Options, error) {
	days := func(name string, n int) error {
		if n < 0 || n > MaxDays {
			return fmt.Errorf("verifier: Options.%s is %d days: want 0 to %d", name, n, MaxDays)
		}
		return nil
	}
	switch {
	case len(o.Products) == 0:
		return o, errors.New("verifier: Options.Products is empty: state the products to accept")
	case o.Leeway < 0 || o.Leeway > MaxLeeway:
		return o, fmt.Errorf("verifier: leeway of %s: want 0 to %s", o.Leeway, MaxLeeway)
	case o.Tolerance < 0 || o.Tolerance > MaxTolerance:
		return o, fmt.Errorf("verifier: tolerance of %s: want 0 to %s", o.Tolerance, MaxTolerance)
	case o.Stale < 0 || o.Stale > ReportStale:
		return o, fmt.Errorf("verifier: Options.Stale is %d: want RefuseStale or ReportStale", o.Stale)
	case o.Stale == 0 && len(o.Lists) > 0:
		return o, errNoStale
	}
	if err := errors.Join(days("Grace", o.Grace), days("Warn", o.Warn), days("MaxReceiptDays", o.MaxReceiptDays)); err != nil {
		return o, err
	}
	o.Products = slices.Clone(o.Products)
	o.Lists, o.State = nil, nil // used once, by New
	if o.Clock == nil {
		o.Clock = time.Now
	}
	o.Tolerance = (o.Tolerance + time.Second - 1).Truncate(time.Second) // as times are kept in seconds
	o.Built = o.Built.Round(0)                                          // without the monotonic clock, which does not see the time being set
	if zero := payload.Day(0).Time(); o.Built.Before(zero) {
		o.Built = zero
	}
	return o, nil
}

var errNoStale = errors.New("verifier: Options.Stale is not set: choose RefuseStale or ReportStale for a revocation list that is past its due time")
