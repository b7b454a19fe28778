package activation

import (
	"context"
	"time"

	"github.com/licet-dev/licet/keys/receipt"
)

// None is a ledger that keeps nothing: every claim is granted, and receipts say that
// seats are not enforced. A request that is repeated gets the same right with a newer
// time.
type None struct {
	Clock func() time.Time // if nil, time.Now is used
}

func (n None) seat(subject SubjectID, l Lease) Seat {
	now := time.Now
	if n.Clock != nil {
		now = n.Clock
	}
	issued := now().UTC().Truncate(time.Second)
	s := Seat{Subject: subject, Issued: issued, RefreshBy: receipt.Never, End: receipt.Never}
	if l.Refresh != 0 {
		s.RefreshBy = issued.Add(l.Refresh)
		s.End = s.RefreshBy.Add(l.Grace)
	}
	return s
}

// Claim grants the claim within the bounds of the licence.
func (n None) Claim(_ context.Context, c Claim) (Seat, Outcome, error) {
	s := n.seat(c.Subject, c.Lease)
	switch {
	case s.Issued.Before(c.From):
		return Seat{}, 0, ErrNotYet
	case !c.Until.IsZero() && !s.Issued.Before(c.Until):
		return Seat{}, 0, ErrOver
	}
	return s, Granted, nil
}

// Renew begins a new lease.
func (n None) Renew(_ context.Context, r Renewal) (Seat, error) {
	return n.seat(r.Subject, r.Lease), nil
}

// Release does nothing.
func (n None) Release(_ context.Context, g GiveBack) (Seat, error) {
	s := n.seat(g.Subject, Lease{})
	s.Number = -1
	s.Released = s.Issued
	return s, nil
}

// Seats returns none.
func (None) Seats(context.Context, CodeID) ([]Seat, error) { return nil, nil }

// Ready returns nil.
func (None) Ready(context.Context) error { return nil }

// Close does nothing.
func (None) Close() error { return nil }
