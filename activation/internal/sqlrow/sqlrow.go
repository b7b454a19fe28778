// Package sqlrow has what ledgers that keep seats in the rows of a table do alike.
package sqlrow

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/licet-dev/licet/activation"
)

// Time returns the time that a row has, in milliseconds since 1970.
func Time(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// Bounds returns those of a claim in milliseconds since 1970, half-open. Those between
// two are rounded up, so that they are kept.
func Bounds(c *activation.Claim) (from, until int64) {
	from, until = math.MinInt64, math.MaxInt64
	if !c.From.IsZero() {
		from = ceil(c.From)
	}
	if !c.Until.IsZero() {
		until = ceil(c.Until)
	}
	return from, until
}

func ceil(t time.Time) int64 { return t.Add(time.Millisecond - 1).UnixMilli() }

// HomeSlot returns the slot that a claim tries first. Subjects spread over all slots, so
// that it is mostly free while many are.
func HomeSlot(c *activation.Claim) int64 {
	return int64(binary.BigEndian.Uint64(c.Subject[:8]) % uint64(c.Seats))
}

// Period returns the number of the period, of 365 days, in which a give-back at a time
// counts, in milliseconds since 1970.
func Period(ms int64) int64 { return ms / (365 * 24 * time.Hour).Milliseconds() }
