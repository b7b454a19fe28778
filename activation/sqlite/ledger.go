package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/activation/internal/sqlrow"
	"github.com/licet-dev/licet/keys/receipt"
)

var _ activation.Ledger = (*Ledger)(nil)

// columns are those of a row.
const columns = "subject_id, slot, seats, issued_at, refresh_by, lease_until, released_at, request, idem_key"

// The unique indexes decide, and not what was read before. While seats above the
// number are held, because it was lowered, nothing is granted.
const insert = `
INSERT INTO activation (code_id, idem_key, subject_id, request, slot, seats, issued_at, refresh_by, lease_until)
SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9
WHERE NOT EXISTS (SELECT 1 FROM activation WHERE code_id = ?1 AND slot >= ?6)
ON CONFLICT DO NOTHING`

// A row is a seat on record, and what it was claimed with.
type row struct {
	activation.Seat
	request, key []byte
}

// live reports whether the subject has the seat at the time of the transaction.
func (t *tx) live(r *row) bool { return r.Number >= 0 && t.now < r.End.UnixMilli() }

func scan(from interface{ Scan(...any) error }) (*row, error) {
	var (
		r                     row
		subject               []byte
		slot, released        sql.NullInt64
		issued, refresh, ends int64
	)
	err := from.Scan(&subject, &slot, &r.Seats, &issued, &refresh, &ends, &released, &r.request, &r.key)
	if err != nil {
		return nil, err
	}
	r.Enforced, r.Number = true, -1
	if slot.Valid {
		r.Number = slot.Int64
	}
	copy(r.Subject[:], subject)
	r.Issued, r.RefreshBy, r.End = sqlrow.Time(issued), sqlrow.Time(refresh), sqlrow.Time(ends)
	if released.Valid {
		r.Released = sqlrow.Time(released.Int64)
	}
	return &r, nil
}

// Claim takes a seat, or finds the one that the subject has.
func (l *Ledger) Claim(ctx context.Context, c activation.Claim) (seat activation.Seat, outcome activation.Outcome, err error) {
	if c.Seats < 1 {
		return seat, 0, fmt.Errorf("sqlite: %d seats: there must be 1 or more", c.Seats)
	}
	o := &op{ctx: ctx}
	err = l.do(o, func(ctx context.Context, t *tx) (err error) {
		o.seat, o.outcome, err = t.claim(ctx, &c)
		return err
	})
	if err != nil {
		return activation.Seat{}, 0, err
	}
	return o.seat, o.outcome, nil
}

func (t *tx) claim(ctx context.Context, c *activation.Claim) (none activation.Seat, _ activation.Outcome, err error) {
	from, until := sqlrow.Bounds(c)
	if t.now >= from && t.now < until {
		if seat, ok, err := t.insert(ctx, c, sqlrow.HomeSlot(c)); ok || err != nil {
			return seat, activation.Granted, err
		}
	}

	r, err := t.one(ctx, "SELECT "+columns+" FROM activation WHERE code_id = ?1 AND idem_key = ?2", c.Code[:], c.Key[:])
	switch {
	case err == nil && string(r.request) != string(c.Request[:]):
		return none, 0, activation.ErrKeyReused
	case err == nil && (!t.live(r) || !r.Released.IsZero()):
		return none, 0, activation.ErrGone
	case err == nil:
		return r.Seat, activation.Replayed, nil
	case !errors.Is(err, sql.ErrNoRows):
		return none, 0, err
	}

	// A seat that is held after a release is given to its subject again.
	r, err = t.one(ctx, `UPDATE activation SET released_at = NULL
		WHERE code_id = ?1 AND subject_id = ?2 AND slot IS NOT NULL AND lease_until > ?3 RETURNING `+columns, c.Code[:], c.Subject[:], t.now)
	if err == nil {
		return r.Seat, activation.Held, nil
	} else if !errors.Is(err, sql.ErrNoRows) {
		return none, 0, err
	}
	switch {
	case t.now < from:
		return none, 0, activation.ErrNotYet
	case t.now >= until:
		return none, 0, activation.ErrOver
	}
	return t.claimOther(ctx, c)
}

// insert takes the seat with this number, if it is free and nothing else is in the way.
func (t *tx) insert(ctx context.Context, c *activation.Claim, number int64) (seat activation.Seat, ok bool, err error) {
	refresh, end := t.lease(c.Lease)
	n, err := t.exec(ctx, insert, c.Code[:], c.Key[:], c.Subject[:], c.Request[:], number, c.Seats, t.now, refresh, end)
	if err != nil || n == 0 {
		return activation.Seat{}, false, err
	}
	return activation.Seat{
		Subject: c.Subject, Number: number, Seats: c.Seats, Enforced: true,
		Issued: sqlrow.Time(t.now), RefreshBy: sqlrow.Time(refresh), End: sqlrow.Time(end),
	}, true, nil
}

// lease returns when a lease that begins now is to be renewed, and when it ends.
func (t *tx) lease(l activation.Lease) (refresh, end int64) {
	if l.Refresh == 0 {
		never := receipt.Never.UnixMilli()
		return never, never
	}
	refresh = t.now + l.Refresh.Milliseconds()
	return refresh, refresh + l.Grace.Milliseconds()
}

// claimOther takes any free seat, after it freed those whose lease has ended.
func (t *tx) claimOther(ctx context.Context, c *activation.Claim) (none activation.Seat, _ activation.Outcome, err error) {
	if _, err := t.exec(ctx, "UPDATE activation SET slot = NULL WHERE code_id = ?1 AND slot IS NOT NULL AND lease_until <= ?2", c.Code[:], t.now); err != nil {
		return none, 0, err
	}
	free, err := t.freeSlots(ctx, c)
	if err != nil {
		return none, 0, err
	}
	for range 32 {
		number, ok := free()
		if !ok {
			return none, 0, activation.ErrFull
		}
		if seat, ok, err := t.insert(ctx, c, number); ok || err != nil {
			return seat, activation.Granted, err
		}
	}
	return none, 0, activation.ErrBusy // one time in 2^32
}

// freeSlots returns what yields free slots at random. Of many seats, of which most are
// free, it makes no list, and what it yields may be taken.
func (t *tx) freeSlots(ctx context.Context, c *activation.Claim) (func() (int64, bool), error) {
	var taken, highest int64
	err := t.numbers(ctx, "SELECT count(*), coalesce(max(slot), -1) FROM activation WHERE code_id = ?1 AND slot IS NOT NULL", []any{c.Code[:]}, &taken, &highest)
	switch {
	case err != nil:
		return nil, err
	case taken >= c.Seats || highest >= c.Seats:
		return func() (int64, bool) { return 0, false }, nil
	case taken < c.Seats/2:
		return func() (int64, bool) { return rand.Int64N(c.Seats), true }, nil
	}
	used := make([]bool, c.Seats)
	rows, err := t.all(ctx, "SELECT slot FROM activation WHERE code_id = ?1 AND slot IS NOT NULL", c.Code[:])
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var slot int64
		if err := rows.Scan(&slot); err != nil {
			return nil, err
		}
		used[slot] = true
	}
	return func() (int64, bool) {
		begin := rand.Int64N(c.Seats)
		for n := range c.Seats {
			if slot := (begin + n) % c.Seats; !used[slot] {
				used[slot] = true
				return slot, true
			}
		}
		return 0, false
	}, rows.Err()
}

// latest returns the row of a subject, the one with a seat if there is one.
func (t *tx) latest(ctx context.Context, code activation.CodeID, subject activation.SubjectID) (*row, error) {
	r, err := t.one(ctx, "SELECT "+columns+" FROM activation WHERE code_id = ?1 AND subject_id = ?2 ORDER BY slot IS NULL, issued_at DESC LIMIT 1", code[:], subject[:])
	if errors.Is(err, sql.ErrNoRows) {
		return nil, activation.ErrNoSeat
	}
	return r, err
}

// Renew begins a new lease.
func (l *Ledger) Renew(ctx context.Context, n activation.Renewal) (activation.Seat, error) {
	o := &op{ctx: ctx}
	err := l.do(o, func(ctx context.Context, t *tx) error {
		refresh, end := t.lease(n.Lease)
		r, err := t.one(ctx, `UPDATE activation SET issued_at = ?3, refresh_by = ?4, lease_until = ?5
			WHERE code_id = ?1 AND subject_id = ?2 AND slot IS NOT NULL AND released_at IS NULL RETURNING `+columns,
			n.Code[:], n.Subject[:], t.now, refresh, end)
		if errors.Is(err, sql.ErrNoRows) {
			if r, err = t.latest(ctx, n.Code, n.Subject); err != nil {
				return err
			}
			if !r.Released.IsZero() {
				return activation.ErrGone
			}
			return activation.ErrNoSeat
		}
		if err == nil {
			o.seat = r.Seat
		}
		return err
	})
	if err != nil {
		return activation.Seat{}, err
	}
	return o.seat, nil
}

// Release gives a seat back.
func (l *Ledger) Release(ctx context.Context, g activation.GiveBack) (activation.Seat, error) {
	o := &op{ctx: ctx}
	err := l.do(o, func(ctx context.Context, t *tx) error {
		r, err := t.latest(ctx, g.Code, g.Subject)
		if err != nil {
			return err
		}
		o.seat = r.Seat
		if !t.live(r) || !r.Released.IsZero() {
			return nil
		}
		period := sqlrow.Period(t.now)
		var used int
		if err := t.numbers(ctx, "SELECT count(*) FROM activation WHERE code_id = ?1 AND transfer_period = ?2", []any{g.Code[:], period}, &used); err != nil {
			return err
		}
		set, args := "", []any{g.Code[:], g.Subject[:], r.key, t.now}
		switch {
		case used < g.GiveBacks:
			set, args = ", slot = NULL, transfer_period = ?5, transfer_no = ?6", append(args, period, used)
		case !g.Hold:
			return activation.ErrGiveBacks
		}
		r, err = t.one(ctx, "UPDATE activation SET released_at = ?4"+set+
			" WHERE code_id = ?1 AND subject_id = ?2 AND idem_key = ?3 RETURNING "+columns, args...)
		if err == nil {
			o.seat = r.Seat
		}
		return err
	})
	if err != nil {
		return activation.Seat{}, err
	}
	return o.seat, nil
}

// Seats lists what is on record of a licence.
func (l *Ledger) Seats(ctx context.Context, id activation.CodeID) ([]activation.Seat, error) {
	o := &op{ctx: ctx}
	err := l.do(o, func(ctx context.Context, t *tx) error {
		o.seats = nil
		rows, err := t.all(ctx, "SELECT "+columns+" FROM activation WHERE code_id = ?1 ORDER BY coalesce(slot, -1), issued_at", id[:])
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			r, err := scan(rows)
			if err != nil {
				return err
			}
			o.seats = append(o.seats, r.Seat)
		}
		return rows.Err()
	})
	if err != nil {
		return nil, err
	}
	return o.seats, nil
}

// Ready commits a transaction that writes.
func (l *Ledger) Ready(ctx context.Context) error {
	return l.do(&op{ctx: ctx}, func(ctx context.Context, t *tx) error {
		_, err := t.exec(ctx, "UPDATE schema_migrations SET version = version WHERE version = ?1", version)
		return err
	})
}
