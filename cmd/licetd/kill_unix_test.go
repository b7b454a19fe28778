//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/licet-dev/licet/activation/client"
)

// The server is killed while it serves, again and again. What it acknowledged is there
// afterwards: whoever asks again in the same way gets the same receipt byte for byte, and
// nobody else gets the seat. Whoever got no answer asks again and gets one.
func TestKill(t *testing.T) {
	t.Parallel()
	rounds := 3
	if os.Getenv("LICET_LONG") != "" {
		rounds = 30
	}
	i := newIssuer(t)
	args := []string{"--limit", "address=none", "--limit", "device=none"}

	type answered struct {
		device
		receipt string
	}
	var mu sync.Mutex
	var all []answered
	var open []device // asked, and not answered
	var serial atomic.Uint64

	const workers, each = 8, 40
	for range rounds {
		p := start(t, i, args...)
		again := open
		open = nil
		var acknowledged atomic.Int64
		enough := make(chan struct{})
		var running sync.WaitGroup
		for range workers {
			running.Go(func() {
				for {
					mu.Lock()
					var d device
					if len(again) > 0 {
						d, again = again[0], again[1:]
						mu.Unlock()
					} else {
						mu.Unlock()
						n := serial.Add(1)
						d = newDevice(fmt.Sprint("device ", n), i.mint("hs256", n))
					}
					r, err := d.activate(p)
					mu.Lock()
					if err != nil {
						open = append(open, d)
						if !errors.Is(err, client.ErrUnreachable) {
							t.Error(err)
						}
						mu.Unlock()
						return
					}
					all = append(all, answered{d, r.Receipt})
					mu.Unlock()
					if acknowledged.Add(1) == each {
						close(enough)
					}
				}
			})
		}
		<-enough
		p.cmd.Process.Kill()
		<-p.done
		running.Wait()
	}

	p := start(t, i, args...)
	for _, a := range all {
		r, err := a.activate(p)
		if err != nil || r.Status != "replayed" || r.Receipt != a.receipt {
			t.Fatalf("%+v, %v; was\n%s", r, err, a.receipt)
		}
		other := newDevice("another", a.request.Code)
		if _, err := other.activate(p); !errors.Is(err, client.SeatsExhausted) {
			t.Fatal(err)
		}
	}
	for _, d := range open {
		first, err := d.activate(p)
		if err != nil {
			t.Fatal(err)
		}
		if second, err := d.activate(p); err != nil || second.Receipt != first.Receipt {
			t.Fatalf("%+v, %v", second, err)
		}
	}
	p.stop(t)
	if len(all) < rounds*each {
		t.Errorf("%d were acknowledged", len(all))
	}
}
