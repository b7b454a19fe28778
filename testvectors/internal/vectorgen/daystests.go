package main

import (
	"log"
	"time"

	"github.com/licet-dev/licet/testvectors/internal/vectorfile"
)

func daysFile() vectorfile.File[vectorfile.DaysTest] {
	var tests []vectorfile.DaysTest
	at := func(name, comment, text string, want int64) {
		t, err := time.Parse(time.RFC3339, text)
		if err != nil || dayOf(t) != want {
			log.Fatalf("days: %s is day %d, want %d (%v)", text, dayOf(t), want, err)
		}
		tests = append(tests, vectorfile.DaysTest{Test: vectorfile.Test{Name: name, Comment: comment, Flags: []string{"time"}}, Time: text, Day: want})
	}
	on := func(name, comment, date string, want int64) {
		if dayOfDate(date) != want {
			log.Fatalf("days: %s is day %d, want %d", date, dayOfDate(date), want)
		}
		tests = append(tests, vectorfile.DaysTest{Test: vectorfile.Test{Name: name, Comment: comment, Flags: []string{"date"}}, Date: date, Day: want})
	}
	at("first-second-of-day-0", "", "2025-01-01T00:00:00Z", 0)
	at("last-second-of-day-0", "", "2025-01-01T23:59:59Z", 0)
	at("first-second-of-day-1", "", "2025-01-02T00:00:00Z", 1)
	at("second-before-day-0", "floor division", "2024-12-31T23:59:59Z", -1)
	at("nanosecond-before-day-0", "a fraction counts to its second", "2024-12-31T23:59:59.999999999Z", -1)
	at("first-second-of-day-minus-1", "", "2024-12-31T00:00:00Z", -1)
	at("second-before-day-minus-1", "", "2024-12-30T23:59:59Z", -2)
	at("unix-epoch", "", "1970-01-01T00:00:00Z", -20089)
	at("second-before-the-unix-epoch", "floor division of negative seconds", "1969-12-31T23:59:59Z", -20090)
	at("day-before-the-unix-epoch", "", "1969-12-31T00:00:00Z", -20090)
	at("year-1900", "no leap year", "1900-03-01T00:00:00Z", -45597)
	at("far-east-at-midnight", "+14:00 is a day ahead", "2025-01-01T00:00:00+14:00", -1)
	at("far-east-at-14-hours", "", "2025-01-01T14:00:00+14:00", 0)
	at("far-west-at-midnight", "-12:00 is behind", "2025-01-01T00:00:00-12:00", 0)
	at("far-west-at-noon", "", "2025-01-01T12:00:00-12:00", 1)
	at("half-hour-zone", "", "2025-01-01T05:29:59+05:30", -1)
	at("quarter-hour-zone", "", "2025-01-01T05:45:00+05:45", 0)
	at("end-of-the-example", "", "2027-12-31T23:59:59.999999999Z", 1094)
	at("after-the-example", "", "2028-01-01T00:00:00Z", 1095)
	at("leap-day", "", "2028-02-29T12:00:00Z", 1154)
	at("beyond-32-bits", "unix seconds of 2^31", "2038-01-19T03:14:08Z", 4766)
	on("day-0", "", "2025-01-01", 0)
	on("day-1", "", "2025-01-02", 1)
	on("before-day-0", "", "2024-12-31", -1)
	on("expiry-of-the-example", "", "2027-12-31", 1094)
	on("leap-day-date", "", "2028-02-29", 1154)
	on("last-day-of-8-bits", "", dateOf(1<<8-1), 1<<8-1)
	on("last-day-of-13-bits", "", "2047-06-06", 1<<13-1)
	on("last-day-of-15-bits", "", "2114-09-19", 1<<15-1)
	on("last-day-of-16-bits", "", "2204-06-07", 1<<16-1)
	on("last-day-of-21-bits", "", dateOf(1<<21-1), 1<<21-1)
	on("year-2100", "no leap year", "2100-03-01", 27452)
	on("year-1600", "", "1600-01-01", -155229)
	return vectorfile.File[vectorfile.DaysTest]{
		Header: header("days", "Section 3: the day of a time or of a date, which means 00:00 UTC.", map[string]string{
			"time": "The day of an instant, written with an offset.",
			"date": "The day of a date.",
		}, tests),
		Tests: tests,
	}
}
