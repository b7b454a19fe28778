package payload_test

import (
	"math"
	"testing"
	"time"

	"github.com/licet-dev/licet/payload"
)

func TestKnownDays(t *testing.T) {
	for _, c := range []struct {
		date string
		day  payload.Day
	}{
		{"2025-01-01", 0},
		{"2024-12-31", -1},
		{"2025-01-02", 1},
		{"2025-12-31", 364},
		{"2027-12-31", 1094}, // SPEC.md, section 10.1
		{"2028-02-28", 1153},
		{"2028-02-29", 1154}, // leap day
		{"2028-03-01", 1155},
		{"2100-02-28", 27451},
		{"2100-03-01", 27452}, // no leap year
		{"2400-02-29", 137024},
		{"2038-01-20", 4767},
		{"2106-02-08", 29622},
		{"2047-06-06", 1<<13 - 1},
		{"2114-09-19", 1<<15 - 1},
		{"2204-06-07", 1<<16 - 1},
		{"7766-10-22", 1<<21 - 1},
		{"1970-01-01", -20089},
		{"1969-12-31", -20090},
		{"0000-01-01", -739617},
		{"9999-12-31", 2912807},
	} {
		d, err := payload.ParseDay(c.date)
		if err != nil || d != c.day {
			t.Errorf("ParseDay(%s) = %d, %v; want %d", c.date, d, err, c.day)
		}
		if got := c.day.String(); got != c.date {
			t.Errorf("day %d is %s, want %s", c.day, got, c.date)
		}
		midnight := c.day.Time()
		if payload.DayOf(midnight) != c.day || midnight.Location() != time.UTC || midnight.Format("15:04:05.999") != "00:00:00" {
			t.Errorf("day %d begins at %s", c.day, midnight)
		}
		if got := payload.Date(midnight.Year(), midnight.Month(), midnight.Day()); got != c.day {
			t.Errorf("Date of %s is %d", c.date, got)
		}
	}
}

// DT-04, DT-07: a day begins with its first nanosecond, and nothing is rounded.
func TestDayBoundaries(t *testing.T) {
	for _, d := range []payload.Day{-20091, -20090, -20089, -20088, -2, -1, 0, 1, 1094, 1154, 1<<15 - 1} {
		begin := d.Time()
		for _, c := range []struct {
			after time.Duration
			want  payload.Day
		}{
			{-time.Second, d - 1}, {-time.Nanosecond, d - 1}, {0, d}, {time.Nanosecond, d}, {time.Second, d},
			{24*time.Hour - time.Second, d}, {24*time.Hour - time.Nanosecond, d}, {24 * time.Hour, d + 1},
		} {
			if got := payload.DayOf(begin.Add(c.after)); got != c.want {
				t.Errorf("%s after day %d begins: day %d, want %d", c.after, d, got, c.want)
			}
		}
	}
}

// DT-02, DT-17: zones make no difference to an instant.
func TestDayInFarZones(t *testing.T) {
	for hours := -12; hours <= 14; hours++ {
		zone := time.FixedZone("far", hours*3600)
		for _, at := range []time.Time{
			payload.Date(2027, 12, 31).Time(),
			payload.Date(2028, 1, 1).Time().Add(-time.Nanosecond),
			payload.Date(2028, 1, 1).Time(),
			payload.Date(1969, 12, 31).Time().Add(time.Hour),
		} {
			if got, want := payload.DayOf(at.In(zone)), payload.DayOf(at); got != want {
				t.Errorf("%s is day %d, and day %d at %+d", at, want, got, hours)
			}
		}
		// Local midnight is another instant, and so often another day.
		local := time.Date(2028, 1, 1, 0, 0, 0, 0, zone)
		want := payload.Date(2028, 1, 1)
		if hours > 0 {
			want--
		}
		if got := payload.DayOf(local); got != want {
			t.Errorf("midnight at %+d is day %d, want %d", hours, got, want)
		}
	}
}

func TestDateCarries(t *testing.T) {
	if got, want := payload.Date(2027, 14, 32), payload.Date(2028, 3, 3); got != want {
		t.Errorf("Date(2027, 14, 32) = %s, want %s", got, want)
	}
}

func TestNever(t *testing.T) {
	if payload.Never <= 1<<21-1 {
		t.Error("Never is not after every day that a field holds")
	}
	if got := payload.Never.String(); got != "never" {
		t.Errorf("Never is %q", got)
	}
	if !payload.Never.Time().IsZero() {
		t.Errorf("Never is at %s", payload.Never.Time())
	}
	// No time is Never, however far away it is (DT-12: nothing wraps).
	for _, year := range []int{6_000_000, 200_000_000, -200_000_000} {
		d := payload.DayOf(time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC))
		if d == payload.Never || (d > 0) != (year > 0) {
			t.Errorf("year %d is day %d", year, d)
		}
	}
	if d := payload.DayOf(time.Unix(math.MaxInt64/2, 0)); d != payload.Never-1 {
		t.Errorf("the far future is day %d", d)
	}
	if d := payload.DayOf(time.Unix(math.MinInt64/2, 0)); d != math.MinInt32 {
		t.Errorf("the far past is day %d", d)
	}
	if d := payload.DayOf(time.Time{}); d >= 0 {
		t.Errorf("the zero time is day %d", d)
	}
}

func TestParseDayIsStrict(t *testing.T) {
	for _, s := range []string{
		"", "never", "2027-12-32", "2027-13-01", "2027-00-01", "2027-01-00", "2027-02-29", "2100-02-29", "2027-1-1", "2027-12-31 ", " 2027-12-31",
		"27-12-31", "12027-12-31", "-2027-12-31", "2027/12/31", "31.12.2027", "20271231", "2027-12-31T00:00:00Z", "２027-12-31", "2027-12-31\n",
	} {
		if d, err := payload.ParseDay(s); err == nil {
			t.Errorf("ParseDay(%q) = %s", s, d)
		}
	}
}
