// Package ordered does work on all processors and delivers it in order.
package ordered

import (
	"context"
	"runtime"
	"sync"
)

// Run cuts a job into pieces of type T, works on them on all processors, and
// delivers them in the order in which they were cut.
//
// Cut fills a piece and reports whether there was anything left for it; it is
// called by one goroutine. Work is called by several at once, each with a piece of
// its own. Deliver is called by the goroutine that called Run. Pieces are reused,
// and there are never more than a few for each processor, so memory use does not
// depend on the length of the job.
//
// Run ends with the first error: of the context, of cut after all pieces before it
// were delivered, or of deliver. It waits for all goroutines, so cut should not
// block for ever.
func Run[T any](ctx context.Context, cut func(*T) (bool, error), work func(*T), deliver func(*T) error) error {
	type piece struct {
		value T
		done  chan struct{} // has a value when the work is done
	}
	ctx, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()

	n := runtime.GOMAXPROCS(0)
	jobs := make(chan *piece, 4*n)
	queue := make(chan *piece, cap(jobs))
	free := make(chan *piece, cap(queue)+n+2)
	for range n {
		running.Go(func() {
			for p := range jobs {
				work(&p.value)
				p.done <- struct{}{}
			}
		})
	}
	var cutErr error
	running.Go(func() {
		defer close(queue)
		defer close(jobs)
		for {
			var p *piece
			select {
			case p = <-free:
			default:
				p = &piece{done: make(chan struct{}, 1)}
			}
			more, err := cut(&p.value)
			if cutErr = err; err != nil || !more {
				return
			}
			for _, to := range []chan *piece{jobs, queue} {
				select {
				case to <- p:
				case <-ctx.Done():
					return
				}
			}
		}
	})
	for p := range queue {
		<-p.done
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := deliver(&p.value); err != nil {
			return err
		}
		free <- p
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return cutErr
}
