package main

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
)

func TestNumberFlag(t *testing.T) {
	for s, want := range map[string]uint64{"0": 0, "7": 7, "007": 7, "18446744073709551615": 1<<64 - 1} {
		var n number
		if err := n.Set(s); err != nil || n.value != want || !n.given {
			t.Errorf("number %q: %d, %v", s, n.value, err)
		}
	}
	for _, s := range []string{"", " 7", "-1", "+7", "1.5", "1e3", "0x7", "1_000", "18446744073709551616", "７"} {
		var n number
		if n.Set(s) == nil || n.given {
			t.Errorf("number %q accepted", s)
		}
	}
	if got := (&number{}).String(); got != "" {
		t.Errorf("a number that was not given is %q", got)
	}
	if got := (&number{0, true}).String(); got != "0" {
		t.Errorf("0 is %q", got)
	}
}

func TestNumbersFlag(t *testing.T) {
	var l numbers
	for _, s := range []string{"7,9", "11", "9,7"} {
		if err := l.Set(s); err != nil {
			t.Fatal(err)
		}
	}
	if want := (numbers{7, 9, 11}); !slices.Equal(l, want) {
		t.Errorf("got %v, want %v", l, want)
	}
	for _, s := range []string{"", "7,", ",7", "7 9", "7, 9"} {
		if new(numbers).Set(s) == nil {
			t.Errorf("numbers %q accepted", s)
		}
	}
}

func TestParseProduct(t *testing.T) {
	for s, want := range map[string]keys.Product{
		"7=Widget":      {Number: 7, Name: "Widget"},
		"7=Widget=2000": {Number: 7, Name: "Widget=2000"},
		"7=Großes Ding": {Number: 7, Name: "Großes Ding"},
	} {
		if got, err := parseProduct(s); err != nil || got != want {
			t.Errorf("product %q: %v, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "7", "=", "7=", "=Widget", "Widget=7", "-7=Widget", "7.0=Widget"} {
		_, err := parseProduct(s)
		wantUsage(t, "product "+s, err)
	}
}

func TestParseTime(t *testing.T) {
	for s, want := range map[string]string{
		"2027-12-31":                "2027-12-31T00:00:00Z",
		"2027-12-31T18:00:00Z":      "2027-12-31T18:00:00Z",
		"2027-12-31T18:00:00+02:00": "2027-12-31T16:00:00Z",
		"2027-12-31T23:30:00-05:00": "2028-01-01T04:30:00Z",
		"2027-12-31T18:00:00.5Z":    "2027-12-31T18:00:00Z",
		"9999-12-31":                "9999-12-31T00:00:00Z",
	} {
		got, err := parseTime(s)
		if err != nil || got.UTC().Format(time.RFC3339) != want {
			t.Errorf("time %q: %v, %v; want %s", s, got, err, want)
		}
	}
	for _, s := range []string{"", "now", "2027-12-31T18:00:00", "2027-12-31 18:00:00Z", "31.12.2027", "2027-02-29", "2027-12-31T24:00:00Z", "1830297600"} {
		_, err := parseTime(s)
		wantUsage(t, "time "+s, err)
	}
}

// DT-14, DT-16: the term of a licence, by a clock that stands.
func TestMintExpiry(t *testing.T) {
	layout, err := payload.ParseLayout("standard")
	if err != nil {
		t.Fatal(err)
	}
	private, key, err := generate(keys.Mint, keys.Descriptor{Suite: keys.HS256, Number: 8, Layout: layout, Bind: keys.BindNone, SigBits: 80}, []uint64{7})
	if err != nil {
		t.Fatal(err, private)
	}
	// Already 2027 in the east, but days are those of UTC.
	now := time.Date(2027, 1, 1, 8, 59, 59, 0, time.FixedZone("", 9*3600))
	for _, c := range []struct {
		name string
		o    mintOptions
		want string // "" is refused
	}{
		{"0 days", mintOptions{days: number{0, true}}, "2026-12-31"},
		{"1 day", mintOptions{days: number{1, true}}, "2027-01-01"},
		{"365 days", mintOptions{days: number{365, true}}, "2027-12-31"},
		{"to a leap day", mintOptions{days: number{425, true}}, "2028-02-29"},
		{"too many days", mintOptions{days: number{1<<20 + 1, true}}, ""},
		{"a day", mintOptions{expires: "2026-12-31"}, "2026-12-31"},
		{"a day that is past", mintOptions{expires: "2026-12-30"}, ""},
		{"a day that is past, meant", mintOptions{expires: "2026-12-30", allowExpired: true}, "2026-12-30"},
		{"day 0", mintOptions{expires: "2025-01-01", allowExpired: true}, ""},
		{"without end", mintOptions{perpetual: true}, "never"},
		{"nothing", mintOptions{}, ""},
		{"two terms", mintOptions{perpetual: true, days: number{0, true}}, ""},
	} {
		c.o.product, c.o.version, c.o.serial = number{7, true}, number{1, true}, number{1, true}
		lic, err := c.o.license(key, now)
		switch {
		case c.want == "":
			wantUsage(t, c.name, err)
		case err != nil || lic.Expiry.String() != c.want:
			t.Errorf("%s: %v, %v; want %s", c.name, lic.Expiry, err, c.want)
		}
	}
}

// wantUsage wants an error with the exit code for mistakes on the command line.
func wantUsage(t *testing.T, what string, err error) {
	t.Helper()
	var exit *exitError
	if !errors.As(err, &exit) || exit.code != exitUsage || exit.err == nil {
		t.Errorf("%s: error %v, want one of usage", what, err)
	}
}

func TestCommandsExplainThemselves(t *testing.T) {
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		name := cmd.CommandPath()
		if cmd.Short == "" || cmd.Short[len(cmd.Short)-1] == '.' {
			t.Errorf("%s: short text %q", name, cmd.Short)
		}
		if !cmd.HasSubCommands() && cmd.Example == "" {
			t.Errorf("%s has no example", name)
		}
		for _, sub := range cmd.Commands() {
			if sub.Name() != "completion" && sub.Name() != "help" { // of cobra
				check(sub)
			}
		}
	}
	check(newRoot(&app{}))
}
