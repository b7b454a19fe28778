package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// newTestProgress returns a progress by a clock that ticks when it is told to,
// and what it has written.
func newTestProgress(t *testing.T, styled bool, total uint64) (p *progress, tick func(time.Duration), written func() string) {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "err"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	now := time.Date(2026, 12, 1, 9, 30, 0, 0, time.UTC)
	a := &app{err: &stream{File: file, terminal: styled, styled: styled}, now: func() time.Time { return now }}
	return a.newProgress(false, "codes", total), func(d time.Duration) { now = now.Add(d) }, func() string {
		text, err := os.ReadFile(file.Name())
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
}

// CL-03: elsewhere than on a terminal there is a plain line every five seconds,
// without carriage returns and escape sequences.
func TestProgressPlain(t *testing.T) {
	p, tick, written := newTestProgress(t, false, 10_000_000)
	for range 1000 {
		p.add(10_000)
		tick(time.Second / 50)
	}
	p.end()
	want := `(?s)\A` +
		` 25 %  2,\d10,000 of 10,000,000 codes, \d{3},\d{3} a second, 15s left\n` +
		` 50 %  5,0\d0,000 of 10,000,000 codes, \d{3},\d{3} a second, 10s left\n` +
		` 75 %  7,\d{3},000 of 10,000,000 codes, \d{3},\d{3} a second, 5s left\n\z`
	if got := written(); !regexp.MustCompile(want).MatchString(got) {
		t.Errorf("got\n%q, want\n%s", got, want)
	}
}

// On a terminal the line is rewritten, and nothing of it is left in the end.
func TestProgressTerminal(t *testing.T) {
	p, tick, written := newTestProgress(t, true, 1000_000)
	for range 100 {
		p.add(10_000)
		tick(100 * time.Millisecond)
	}
	p.end()
	got := written()
	lines := strings.Split(got, "\r")
	if len(lines) < 40 || len(lines) > 60 || lines[0] != "" || lines[len(lines)-1] != "\x1b[K" || strings.Contains(got, "\n") {
		t.Fatalf("got %q", got)
	}
	for _, line := range lines[1 : len(lines)-1] {
		if !regexp.MustCompile(`^ *\d+ %  [\d,]+ of 1,000,000 codes, [\d,]+ a second, \d+s left\x1b\[K$`).MatchString(line) {
			t.Errorf("line %q", line)
		}
	}
}

func TestProgressSilent(t *testing.T) {
	// A run that is over soon says nothing, on a terminal neither.
	for _, styled := range []bool{false, true} {
		p, tick, written := newTestProgress(t, styled, 20_000)
		for range 20_000 {
			p.add(1)
			tick(9 * time.Microsecond)
		}
		p.end()
		if got := written(); got != "" {
			t.Errorf("styled %v: got %q", styled, got)
		}
	}
	// Nor does one that was told to be quiet.
	a := &app{now: func() time.Time { t.Error("a quiet progress looks at the clock"); return time.Time{} }}
	p := a.newProgress(true, "codes", 1e9)
	p.add(1e9)
	p.end()
}

func TestProgressText(t *testing.T) {
	begin := time.Date(2026, 12, 1, 9, 30, 0, 0, time.UTC)
	for _, c := range []struct {
		done, total uint64
		after       time.Duration
		want        string
	}{
		{0, 100, 0, "  0 %  0 of 100 codes, 0 a second, "},
		{1, 3, time.Second, " 33 %  1 of 3 codes, 1 a second, 2s left"},
		{3, 3, time.Second, "100 %  3 of 3 codes, 3 a second, 0s left"},
		{1, 2, 0, " 50 %  1 of 2 codes, 1,000 a second, 0s left"},
		{1, 3601, time.Second, "  0 %  1 of 3,601 codes, 1 a second, 1h0m0s left"},
		{2_500_000, 0, 2 * time.Second, "2,500,000 codes, 1,250,000 a second"},
		{5, 10, -time.Hour, " 50 %  5 of 10 codes, 5,000 a second, 0s left"}, // the clock was set back
	} {
		p := &progress{what: "codes", total: c.total, done: c.done, begin: begin}
		if got := p.text(begin.Add(c.after)); !strings.HasPrefix(got, c.want) {
			t.Errorf("%d of %d after %s: %q, want %q", c.done, c.total, c.after, got, c.want)
		}
	}
}
