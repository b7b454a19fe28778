package activation_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/keys/receipt"
)

// openLedger returns an empty ledger that counts seats, and what opens the same one
// again after it was closed.
func openLedger(testing.TB) (l activation.Ledger, restart func() activation.Ledger) {
	m := new(memory)
	return m, func() activation.Ledger { return m }
}

// memory counts seats by the rules of Ledger, with one lock and none of what makes a
// ledger hard: storage, and others that write to it. No lease ends in it.
type memory struct {
	activation.None
	mu   sync.Mutex
	rows []*row
}

type row struct {
	activation.Seat
	claim    activation.Claim
	giveBack bool // one that counts
}

// find returns the row of a subject, the one with a seat if there is one, or nil.
func (m *memory) find(code activation.CodeID, subject activation.SubjectID) (found *row) {
	for _, r := range m.rows {
		if r.claim.Code == code && r.Subject == subject && (found == nil || r.Number >= 0) {
			found = r
		}
	}
	return found
}

// begin begins a lease of the seat.
func (r *row) begin(l activation.Lease) {
	r.Issued, r.RefreshBy, r.End = time.Now().UTC().Truncate(time.Millisecond), receipt.Never, receipt.Never
	if l.Refresh != 0 {
		r.RefreshBy = r.Issued.Add(l.Refresh)
		r.End = r.RefreshBy.Add(l.Grace)
	}
}

func (m *memory) Claim(_ context.Context, c activation.Claim) (activation.Seat, activation.Outcome, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	taken := map[int64]bool{}
	for _, r := range m.rows {
		switch {
		case r.claim.Code != c.Code:
			continue
		case r.claim.Key == c.Key && r.claim.Request != c.Request:
			return activation.Seat{}, 0, activation.ErrKeyReused
		case r.claim.Key == c.Key && r.Number < 0:
			return activation.Seat{}, 0, activation.ErrGone
		case r.claim.Key == c.Key:
			return r.Seat, activation.Replayed, nil
		}
		taken[r.Number] = true
	}
	r := m.find(c.Code, c.Subject)
	now := time.Now()
	switch {
	case r != nil && r.Number >= 0:
		return r.Seat, activation.Held, nil
	case now.Before(c.From):
		return activation.Seat{}, 0, activation.ErrNotYet
	case !c.Until.IsZero() && !now.Before(c.Until):
		return activation.Seat{}, 0, activation.ErrOver
	}
	for n := range c.Seats {
		if !taken[n] {
			r := &row{Seat: activation.Seat{Subject: c.Subject, Number: n, Seats: c.Seats, Enforced: true}, claim: c}
			r.begin(c.Lease)
			m.rows = append(m.rows, r)
			return r.Seat, activation.Granted, nil
		}
	}
	return activation.Seat{}, 0, activation.ErrFull
}

func (m *memory) Renew(_ context.Context, r activation.Renewal) (activation.Seat, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	row := m.find(r.Code, r.Subject)
	switch {
	case row == nil:
		return activation.Seat{}, activation.ErrNoSeat
	case row.Number < 0:
		return activation.Seat{}, activation.ErrGone
	}
	row.begin(r.Lease)
	return row.Seat, nil
}

func (m *memory) Release(_ context.Context, g activation.GiveBack) (activation.Seat, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	row, used := m.find(g.Code, g.Subject), 0
	for _, r := range m.rows {
		if r.claim.Code == g.Code && r.giveBack {
			used++
		}
	}
	switch {
	case row == nil:
		return activation.Seat{}, activation.ErrNoSeat
	case row.Number < 0:
		return row.Seat, nil
	case used >= g.GiveBacks:
		return activation.Seat{}, activation.ErrGiveBacks
	}
	row.Number, row.Released, row.giveBack = -1, time.Now(), true
	return row.Seat, nil
}

func (m *memory) Seats(_ context.Context, id activation.CodeID) (on []activation.Seat, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.rows {
		if r.claim.Code == id {
			on = append(on, r.Seat)
		}
	}
	return on, nil
}
