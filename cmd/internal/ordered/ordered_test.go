package ordered_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/licet-dev/licet/cmd/internal/ordered"
)

type piece struct{ n, square int }

// counter cuts the numbers from 1 to last.
func counter(last int, end error) func(*piece) (bool, error) {
	n := 0
	return func(p *piece) (bool, error) {
		if n == last {
			return false, end
		}
		n++
		p.n = n
		return true, nil
	}
}

func square(p *piece) {
	if p.n%7 == 0 {
		runtime.Gosched() // so that pieces overtake each other
	}
	p.square = p.n * p.n
}

func TestOrder(t *testing.T) {
	for _, last := range []int{0, 1, 2, 1000} {
		want := 1
		err := ordered.Run(t.Context(), counter(last, nil), square, func(p *piece) error {
			if p.n != want || p.square != want*want {
				t.Fatalf("got %d (%d), want %d", p.n, p.square, want)
			}
			want++
			return nil
		})
		if err != nil || want != last+1 {
			t.Errorf("%d of %d delivered, %v", want-1, last, err)
		}
	}
}

func TestErrors(t *testing.T) {
	bad := errors.New("bad")
	n := 0
	if err := ordered.Run(t.Context(), counter(50, bad), square, func(*piece) error { n++; return nil }); err != bad || n != 50 {
		t.Errorf("an error of cut after 50 pieces: %d delivered, %v", n, err)
	}
	n = 0
	err := ordered.Run(t.Context(), counter(1000, nil), square, func(*piece) error {
		if n++; n == 10 {
			return bad
		}
		return nil
	})
	if err != bad || n != 10 {
		t.Errorf("an error of deliver at piece 10: %d delivered, %v", n, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	n = 0
	err = ordered.Run(ctx, counter(1<<30, nil), square, func(*piece) error {
		if n++; n == 10 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || n != 10 {
		t.Errorf("a context cancelled at piece 10: %d delivered, %v", n, err)
	}
}

// No goroutine is left, however Run ends.
func TestNothingLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	TestErrors(t)
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
}
