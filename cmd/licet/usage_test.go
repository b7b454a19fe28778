package main

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// Every complaint about arguments is one of usage, in words of our own.
func TestArgumentErrors(t *testing.T) {
	refused := 0
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		for n := range 10 {
			err := cmd.ValidateArgs(slices.Repeat([]string{"x"}, n))
			if err == nil {
				continue
			}
			refused++
			var exit *exitError
			if !errors.As(err, &exit) || exit.code != exitUsage || strings.Contains(err.Error(), "arg(s)") || strings.Contains(err.Error(), "for \"licet") {
				t.Errorf("%s with %d arguments: %v", cmd.CommandPath(), n, err)
			}
		}
		for _, sub := range cmd.Commands() {
			check(sub)
		}
	}
	check(newRoot(&app{}))
	if refused < 100 {
		t.Errorf("%d complaints, want more: every command takes but so many arguments", refused)
	}
}

func TestSlips(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "key", 3},
		{"key", "key", 0},
		{"mnit", "mint", 1}, // exchanged
		{"mnit", "init", 1}, // replaced
		{"verfy", "verify", 1},
		{"batches", "batch", 2},
		{"ca", "abc", 3}, // no letter between exchanged ones
		{"list", "mint", 2},
	} {
		if got, back := slips(c.a, c.b), slips(c.b, c.a); got != c.want || back != c.want {
			t.Errorf("%q and %q: %d and %d slips, want %d", c.a, c.b, got, back, c.want)
		}
	}
}

func TestNearest(t *testing.T) {
	all := []candidate{{"init", "licet init"}, {"mint", "licet mint"}, {"qr", "licet qr"}, {"version", "licet version"}, {"list", "licet key list"}, {"list", "licet batch list"}}
	for name, want := range map[string]string{
		"mint":       "licet mint",
		"minted":     "licet mint",
		"mnit":       "licet init, licet mint",
		"list":       "licet key list, licet batch list",
		"vers":       "licet version", // it goes on
		"q":          "",
		"qa":         "licet qr",
		"ab":         "",
		"frobnicate": "",
		"":           "",
	} {
		if got := strings.Join(nearest(name, all), ", "); got != want {
			t.Errorf("nearest to %q: %q, want %q", name, got, want)
		}
	}
}
