package main

import (
	"bufio"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"time"
)

// An experiment is a function and two classes of its inputs.
type experiment struct {
	name    string
	classes [2]string
	control bool // it is known to take a time that depends on the class
	calls   int  // in a measurement
	want    [2]int
	random  *random

	// fill sets input i to a random one of the class, in the same way for both.
	fill func(i, class int)

	// run calls the function with the inputs from a to b, b left out, and returns
	// the sum of the results. Each is to be what the class of the input wants.
	run func(a, b int) int
}

// batch is how many measurements are made with inputs that lie ready. They are
// to stay in the caches.
const batch = 64

// measure makes n measurements and compares the classes.
func (e *experiment) measure(n int) (result, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	times, classes := make([]float64, 0, n+batch), make([]uint8, 0, n+batch)
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))

	began := time.Now()
	var order [batch]uint8
	var took [batch]time.Duration
	var sums [batch]int
	for warm := false; len(times) < n; warm = true {
		for i := range order {
			order[i] = uint8(e.random.below(2))
			for j := range e.calls {
				e.fill(i*e.calls+j, int(order[i]))
			}
		}
		for i := range batch {
			start := time.Since(began)
			sums[i] = e.run(i*e.calls, (i+1)*e.calls)
			took[i] = time.Since(began) - start
		}
		for i, class := range order {
			if want := e.calls * e.want[class]; sums[i] != want {
				return result{}, fmt.Errorf("%d calls of class %q gave %d, want %d", e.calls, e.classes[class], sums[i], want)
			}
		}
		if !warm { // the first batch meets cold caches
			continue
		}
		for i, class := range order {
			times, classes = append(times, float64(took[i])), append(classes, class)
		}
	}
	return compare(times[:n], classes[:n]), nil
}

// random gives random numbers from crypto/rand.
type random struct {
	r   *bufio.Reader
	buf [8]byte
}

func newRandom() *random { return &random{r: bufio.NewReaderSize(rand.Reader, 1<<16)} }

// bits returns n random bits, 64 at most.
func (r *random) bits(n int) uint64 {
	io.ReadFull(r.r, r.buf[:]) // crypto/rand has no errors
	return binary.NativeEndian.Uint64(r.buf[:]) >> (64 - n)
}

// below returns a number from 0 to n-1. For the small n of this program all are as good as
// equally likely.
func (r *random) below(n uint64) uint64 { return r.bits(64) % n }
