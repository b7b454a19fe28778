package signer

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"sync"

	"github.com/licet-dev/licet/payload"
)

// A Batch is a run of licences that differ in their serials only, which are
// consecutive.
type Batch struct {
	License payload.License // what all say; its Serial is the first
	Count   uint64          // how many, from 1
	Workers int             // how many goroutines mint; 0 means one for each processor
}

// Sizes of the pieces that workers mint at a time. An es256 code takes some
// hundred times longer than an hs256 code.
const (
	chunkHS256 = 512
	chunkES256 = 16
)

// A chunk is a piece of a batch: consecutive codes, one after the other.
type chunk struct {
	lic   payload.License // its Serial is the first
	count int
	codes []byte
	ends  []int // where each code ends in codes
	err   error
	done  chan struct{} // has a value when the chunk is minted
}

// Codes returns the codes of a batch, by serial. They are the same whatever the
// number of workers. A code is valid until the next one is asked for.
//
// The sequence ends with the first error: a [payload.RefusedError] before any
// code when the licence or the last serial does not fit, the error of the
// context when it is done, or what [Signer.AppendCode] returned. Memory use does
// not depend on the count. Breaking off the loop stops the workers.
func (s *Signer) Codes(ctx context.Context, b Batch) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if err := s.checkBatch(b); err != nil {
			yield(nil, err)
			return
		}
		ctx, stop := context.WithCancelCause(ctx)
		var workers sync.WaitGroup
		defer workers.Wait()
		defer stop(context.Canceled)

		n := b.Workers
		if n <= 0 {
			n = runtime.GOMAXPROCS(0)
		}
		// Chunks are minted in any order, and come out in the order of the queue.
		// There are never more of them than the queue holds, and they are reused.
		work := make(chan *chunk, n)
		queue := make(chan *chunk, 4*n)
		free := make(chan *chunk, cap(queue)+n+2)
		for range n {
			workers.Go(func() {
				for c := range work {
					s.mintChunk(ctx, c)
				}
			})
		}
		workers.Go(func() {
			defer close(queue)
			defer close(work)
			s.cutBatch(ctx, b, work, queue, free)
		})
		for c := range queue {
			<-c.done
			if err := context.Cause(ctx); err != nil {
				yield(nil, err)
				return
			}
			begin := 0
			for _, end := range c.ends {
				if !yield(c.codes[begin:end], nil) {
					return
				}
				begin = end
			}
			if c.err != nil {
				yield(nil, c.err)
				return
			}
			free <- c
		}
		if err := context.Cause(ctx); err != nil {
			yield(nil, err)
		}
	}
}

func (s *Signer) checkBatch(b Batch) error {
	f, _ := s.layout.Field("serial")
	first := b.License.Serial
	if b.Count == 0 {
		return fmt.Errorf("signer: a batch of no codes")
	}
	if first > 0 && first <= f.Max() && b.Count-1 > f.Max()-first {
		return &payload.RefusedError{Refusal: payload.FieldTooWide, Field: "serial",
			Message: fmt.Sprintf("serial: %d codes from %d on don't fit %d bits, which hold serials to %d", b.Count, first, f.Bits, f.Max())}
	}
	if err := s.checkProduct(b.License.Product); err != nil {
		return err
	}
	_, err := s.layout.AppendPayload(nil, &b.License)
	return err
}

// cutBatch cuts a batch into chunks.
func (s *Signer) cutBatch(ctx context.Context, b Batch, work, queue chan<- *chunk, free <-chan *chunk) {
	size := uint64(chunkHS256)
	if s.sig != nil {
		size = chunkES256
	}
	for done := uint64(0); done < b.Count; {
		var c *chunk
		select {
		case c = <-free:
		default:
			c = &chunk{done: make(chan struct{}, 1)}
		}
		c.lic = b.License
		c.lic.Serial += done
		c.count = int(min(size, b.Count-done))
		done += uint64(c.count)
		select {
		case work <- c:
		case <-ctx.Done():
			return
		}
		select {
		case queue <- c:
		case <-ctx.Done():
			return
		}
	}
}

func (s *Signer) mintChunk(ctx context.Context, c *chunk) {
	c.codes, c.ends, c.err = c.codes[:0], c.ends[:0], nil
	var buf [payload.MaxPayloadBits / 8]byte
	var plain []byte
	plain, c.err = s.layout.AppendPayload(buf[:0], &c.lic)
	for i := 0; i < c.count && c.err == nil; i++ {
		if s.sig != nil && ctx.Err() != nil { // slow enough to look each time
			break
		}
		if i > 0 {
			s.layout.NextSerial(plain)
		}
		if c.codes, c.err = s.appendPayload(c.codes, plain); c.err == nil {
			c.ends = append(c.ends, len(c.codes))
		}
	}
	c.done <- struct{}{}
}
