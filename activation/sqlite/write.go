package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/licet-dev/licet/activation"
)

// An op is an operation on its way to the writer.
type op struct {
	ctx context.Context
	run func(context.Context, *tx) error // may run several times, each from the start

	// What comes out, which is the caller's when done is closed, and the writer's before.
	seat    activation.Seat
	seats   []activation.Seat
	outcome activation.Outcome
	err     error
	done    chan struct{}
}

// errClosed is the error of an operation on a ledger that was closed.
var errClosed = errors.New("sqlite: the ledger is closed")

// do hands an operation to the writer and waits until it is on the disk. A decision
// comes back as it is, and everything else with the name of this package.
func (l *Ledger) do(o *op, run func(context.Context, *tx) error) error {
	o.run, o.done = run, make(chan struct{})
	if err := o.ctx.Err(); err != nil {
		return fmt.Errorf("sqlite: %w", err)
	}
	select {
	case <-l.closing:
		return errClosed
	default:
	}
	select {
	case l.ops <- o:
	default:
		return activation.ErrBusy
	}
	select {
	case <-o.done:
		return o.err
	case <-l.ended: // nobody takes it any more, unless it was done just before
		select {
		case <-o.done:
			return o.err
		default:
			return errClosed
		}
	case <-o.ctx.Done(): // it may yet be done
		return fmt.Errorf("sqlite: %w", o.ctx.Err())
	}
}

// decision reports whether an error is one of the ledger's decisions, which are kept
// like what succeeds.
func decision(err error) bool {
	for _, d := range []error{
		activation.ErrFull, activation.ErrKeyReused, activation.ErrGone, activation.ErrNoSeat,
		activation.ErrGiveBacks, activation.ErrNotYet, activation.ErrOver, activation.ErrBusy,
	} {
		if err == d {
			return true
		}
	}
	return false
}

// write is the one writer. It takes what waits, up to a batch, and makes one
// transaction of it.
func (l *Ledger) write() {
	defer close(l.ended)
	batch := make([]*op, 0, maxBatch)
	rest := time.NewTimer(idle)
	defer rest.Stop()
	for {
		batch = batch[:0]
		select {
		case o := <-l.ops:
			batch = append(batch, o)
		case <-rest.C:
			l.emptyLog()
			continue
		case <-l.closing:
			l.drain()
			return
		}
		for more := true; more && len(batch) < maxBatch; {
			select {
			case o := <-l.ops:
				batch = append(batch, o)
			default:
				more = false
			}
		}
		l.commit(batch)
		if l.logSize() > maxLog {
			l.emptyLog()
		}
		rest.Reset(idle)
	}
}

// drain does what waits when the ledger is closed.
func (l *Ledger) drain() {
	for {
		select {
		case o := <-l.ops:
			l.commit([]*op{o})
		default:
			return
		}
	}
}

func (l *Ledger) emptyLog() {
	l.writer.ExecContext(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)") // if it fails, the log is longer for a while
}

// commit does operations in one transaction, and each in one of its own where that
// fails: one that can't be done must not keep the others from it.
func (l *Ledger) commit(batch []*op) {
	err := l.transact(batch)
	for _, o := range batch {
		switch {
		case err != nil && len(batch) > 1:
			l.commit([]*op{o})
			continue
		case err != nil:
			o.err = fmt.Errorf("sqlite: %w", err)
		}
		close(o.done)
	}
}

// transact does operations in one transaction. After an error nothing of it was done.
func (l *Ledger) transact(batch []*op) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	t := &tx{ledger: l}
	if _, err := t.exec(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			t.exec(context.Background(), "ROLLBACK") // SQLite may have done it already
		}
	}()
	if err := t.numbers(ctx, "SELECT CAST(round(unixepoch('subsec') * 1000) AS INTEGER)", nil, &t.now); err != nil {
		return err
	}
	for _, o := range batch {
		if o.err = o.ctx.Err(); o.err != nil { // nobody waits for it any more
			o.err = fmt.Errorf("sqlite: %w", o.err)
			continue
		}
		if o.err = o.run(ctx, t); o.err != nil && !decision(o.err) {
			return o.err
		}
	}
	time.Sleep(l.commits)
	_, err = t.exec(ctx, "COMMIT")
	return err
}

// A tx is the transaction of a batch.
type tx struct {
	ledger *Ledger
	now    int64 // by the clock of SQLite, in Unix milliseconds
}

// prepare returns a statement, which is parsed when it is needed first: parsing takes
// longer than a claim. There are only a few texts of statements.
func (t *tx) prepare(ctx context.Context, statement string) (*sql.Stmt, error) {
	s, ok := t.ledger.known[statement]
	if !ok {
		var err error
		if s, err = t.ledger.writer.PrepareContext(ctx, statement); err != nil {
			return nil, err
		}
		t.ledger.known[statement] = s
	}
	return s, nil
}

// exec runs a statement that returns nothing, and tells how many rows it changed.
func (t *tx) exec(ctx context.Context, statement string, args ...any) (int64, error) {
	s, err := t.prepare(ctx, statement)
	if err != nil {
		return 0, err
	}
	done, err := s.ExecContext(ctx, args...)
	if err != nil {
		return 0, err
	}
	return done.RowsAffected()
}

// one runs a statement that returns a row, or none.
func (t *tx) one(ctx context.Context, statement string, args ...any) (*row, error) {
	s, err := t.prepare(ctx, statement)
	if err != nil {
		return nil, err
	}
	return scan(s.QueryRowContext(ctx, args...))
}

// numbers runs a statement that returns numbers.
func (t *tx) numbers(ctx context.Context, statement string, args []any, to ...any) error {
	s, err := t.prepare(ctx, statement)
	if err != nil {
		return err
	}
	return s.QueryRowContext(ctx, args...).Scan(to...)
}

// all runs a statement that returns rows.
func (t *tx) all(ctx context.Context, statement string, args ...any) (*sql.Rows, error) {
	s, err := t.prepare(ctx, statement)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args...)
}
