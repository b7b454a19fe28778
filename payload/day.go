package payload

import (
	"fmt"
	"math"
	"time"
)

// A Day is a calendar day in UTC, counted from day 0, 2025-01-01. Days before
// that are negative; none of them fits a code.
type Day int32

// Never is the expiry of a licence without end. It is later than every day that
// a field can hold.
const Never Day = math.MaxInt32

const (
	secondsPerDay = 86400
	epochDay      = 20089 // 2025-01-01 in days since 1970-01-01
	maxDayBits    = 21
)

// DayOf returns the day in UTC of the instant t.
func DayOf(t time.Time) Day { return DayOfUnix(t.Unix()) }

// DayOfUnix returns the day in UTC of a number of seconds since 1970.
func DayOfUnix(s int64) Day {
	d := s / secondsPerDay
	if s%secondsPerDay < 0 { // round towards the past, not towards zero
		d--
	}
	d -= epochDay
	return Day(max(math.MinInt32, min(d, int64(Never)-1)))
}

// Date returns the given calendar day. Months and days outside their range are
// carried over, as [time.Date] does.
func Date(year int, month time.Month, day int) Day {
	return DayOf(time.Date(year, month, day, 0, 0, 0, 0, time.UTC))
}

// ParseDay reads a date in the form 2027-12-31.
func ParseDay(s string) (Day, error) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return 0, fmt.Errorf("%q is not a date of the form 2027-12-31", s)
	}
	return DayOf(t), nil
}

// Time returns the first instant of the day, 00:00 UTC. For [Never] it returns
// the zero time.
func (d Day) Time() time.Time {
	if d == Never {
		return time.Time{}
	}
	return time.Unix((int64(d)+epochDay)*secondsPerDay, 0).UTC()
}

// String returns the date in the form 2027-12-31, or "never".
func (d Day) String() string {
	if d == Never {
		return "never"
	}
	return d.Time().Format(time.DateOnly)
}
