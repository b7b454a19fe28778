package main

import (
	"fmt"
	"strconv"
	"time"
)

// A progress tells how far a long run is: on a terminal in one line that is
// rewritten, elsewhere in a plain line every few seconds.
type progress struct {
	out   *stream
	now   func() time.Time
	what  string // what is counted
	total uint64 // 0 when it is not known
	done  uint64

	begin, told time.Time
	shown       bool
}

const (
	progressStep  = 1 << 12 // how many are done between two looks at the clock
	progressLive  = 200 * time.Millisecond
	progressPlain = 5 * time.Second
)

// newProgress returns a progress of total things, or nil, which tells nothing.
func (a *app) newProgress(quiet bool, what string, total uint64) *progress {
	if quiet {
		return nil
	}
	now := a.now()
	return &progress{out: a.err, now: a.now, what: what, total: total, begin: now, told: now}
}

// add counts n more.
func (p *progress) add(n uint64) {
	if p == nil {
		return
	}
	before := p.done / progressStep
	p.done += n
	if p.done/progressStep == before {
		return
	}
	every := progressPlain
	if p.out.styled {
		every = progressLive
	}
	now := p.now()
	if now.Sub(p.told) < every {
		return
	}
	p.told = now
	p.shown = true
	if p.out.styled {
		fmt.Fprintf(p.out, "\r%s\x1b[K", p.text(now))
	} else {
		fmt.Fprintln(p.out, p.text(now))
	}
}

// end takes the line off the terminal.
func (p *progress) end() {
	if p != nil && p.shown && p.out.styled {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}

// text says how many are done, what share that is, how fast it goes and how long
// the rest will take.
func (p *progress) text(now time.Time) string {
	seconds := max(now.Sub(p.begin).Seconds(), 1e-3)
	rate := float64(p.done) / seconds
	count := func(n uint64) string { return thousands(strconv.FormatUint(n, 10)) }
	if p.total == 0 {
		return fmt.Sprintf("%s %s, %s a second", count(p.done), p.what, count(uint64(rate)))
	}
	left := time.Duration(float64(p.total-min(p.done, p.total)) / rate * float64(time.Second))
	return fmt.Sprintf("%3d %%  %s of %s %s, %s a second, %s left", p.done*100/p.total,
		count(p.done), count(p.total), p.what, count(uint64(rate)), left.Round(time.Second))
}
