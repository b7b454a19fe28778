package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/activation/internal/sqlrow"
	"github.com/licet-dev/licet/keys/receipt"
)

var _ activation.Ledger = (*Ledger)(nil)

// tries is how often a claim that lost a race is made again.
const tries = 32

const (
	now     = "floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint"
	columns = "subject_id, slot, seats, issued_at, refresh_by, lease_until, released_at, request, idem_key, " + now
)

// The unique indexes decide, and not what was read before. While seats above the
// number are held, because it was lowered, nothing is granted.
const insert = `
INSERT INTO activation (code_id, idem_key, subject_id, request, slot, seats, issued_at, refresh_by, lease_until)
SELECT $1, $2, $3, $4, $5::bigint, $6::bigint, t.now,
	CASE WHEN $7::bigint = 0 THEN $11::bigint ELSE t.now + $7 END,
	CASE WHEN $7::bigint = 0 THEN $11::bigint ELSE t.now + $7 + $8::bigint END
FROM (SELECT ` + now + ` AS now) AS t
WHERE t.now >= $9::bigint AND t.now < $10::bigint
	AND NOT EXISTS (SELECT 1 FROM activation WHERE code_id = $1 AND slot >= $6)
ON CONFLICT DO NOTHING
RETURNING ` + columns

// A row is a seat on record, and what it was claimed with.
type row struct {
	activation.Seat
	request, key []byte
	now          int64
}

func (r *row) live() bool { return r.Number >= 0 && r.now < r.End.UnixMilli() }

func scan(from pgx.Row) (*row, error) {
	var (
		r                     row
		subject               []byte
		slot, released        *int64
		issued, refresh, ends int64
	)
	err := from.Scan(&subject, &slot, &r.Seats, &issued, &refresh, &ends, &released, &r.request, &r.key, &r.now)
	if err != nil {
		return nil, err
	}
	r.Enforced = true
	r.Number = -1
	if slot != nil {
		r.Number = *slot
	}
	copy(r.Subject[:], subject)
	r.Issued, r.RefreshBy, r.End = sqlrow.Time(issued), sqlrow.Time(refresh), sqlrow.Time(ends)
	if released != nil {
		r.Released = sqlrow.Time(*released)
	}
	return &r, nil
}

// do runs an operation within the deadline, and again while it loses races.
func (l *Ledger) do(ctx context.Context, f func(context.Context) (done bool, err error)) error {
	select {
	case l.queue <- struct{}{}:
	default:
		return activation.ErrBusy
	}
	defer func() { <-l.queue }()
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	for range tries {
		done, err := f(ctx)
		if lost(err) || err == nil && !done {
			continue
		}
		if pgErr := (*pgconn.PgError)(nil); errors.As(err, &pgErr) {
			return fmt.Errorf("postgres: %s (%s)", pgErr.Message, pgErr.Code)
		}
		return err
	}
	return activation.ErrBusy
}

// lost reports whether an error says that another transaction was first.
func lost(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && (e.Code == "40001" || e.Code == "40P01" || e.Code == "23505")
}

// Claim takes a seat, or finds the one that the subject has.
func (l *Ledger) Claim(ctx context.Context, c activation.Claim) (seat activation.Seat, outcome activation.Outcome, err error) {
	if c.Seats < 1 {
		return seat, 0, fmt.Errorf("postgres: %d seats: there must be 1 or more", c.Seats)
	}
	from, until := sqlrow.Bounds(&c)
	slot := sqlrow.HomeSlot(&c)
	err = l.do(ctx, func(ctx context.Context) (bool, error) {
		r, err := scan(l.pool.QueryRow(ctx, insert, c.Code[:], c.Key[:], c.Subject[:], c.Request[:], slot, c.Seats,
			c.Lease.Refresh.Milliseconds(), c.Lease.Grace.Milliseconds(), from, until, receipt.Never.UnixMilli()))
		switch {
		case err == nil:
			seat, outcome = r.Seat, activation.Granted
			return true, nil
		case !errors.Is(err, pgx.ErrNoRows) && !lost(err):
			return false, err
		}
		seat, outcome, slot, err = l.find(ctx, c, from, until)
		return outcome != 0, err
	})
	if err != nil {
		return activation.Seat{}, 0, err
	}
	return seat, outcome, nil
}

// find decides on a claim that was not granted. Without an outcome or an error, the
// claim is to be made again at the slot.
func (l *Ledger) find(ctx context.Context, c activation.Claim, from, until int64) (seat activation.Seat, _ activation.Outcome, slot int64, err error) {
	r, err := scan(l.pool.QueryRow(ctx, "SELECT "+columns+" FROM activation WHERE code_id = $1 AND idem_key = $2", c.Code[:], c.Key[:]))
	switch {
	case err == nil && string(r.request) != string(c.Request[:]):
		return seat, 0, 0, activation.ErrKeyReused
	case err == nil && (!r.live() || !r.Released.IsZero()):
		return seat, 0, 0, activation.ErrGone
	case err == nil:
		return r.Seat, activation.Replayed, 0, nil
	case !errors.Is(err, pgx.ErrNoRows):
		return seat, 0, 0, err
	}

	// A seat that is held after a release is given to its subject again.
	r, err = scan(l.pool.QueryRow(ctx, "UPDATE activation SET released_at = NULL WHERE code_id = $1 AND subject_id = $2 AND slot IS NOT NULL AND released_at IS NOT NULL AND lease_until > "+now+" RETURNING "+columns, c.Code[:], c.Subject[:]))
	if errors.Is(err, pgx.ErrNoRows) {
		r, err = scan(l.pool.QueryRow(ctx, "SELECT "+columns+" FROM activation WHERE code_id = $1 AND subject_id = $2 AND slot IS NOT NULL AND lease_until > "+now, c.Code[:], c.Subject[:]))
	}
	if err == nil {
		return r.Seat, activation.Held, 0, nil
	} else if !errors.Is(err, pgx.ErrNoRows) {
		return seat, 0, 0, err
	}

	var t, taken int64
	if err := l.pool.QueryRow(ctx, "SELECT "+now).Scan(&t); err != nil {
		return seat, 0, 0, err
	}
	if t < from {
		return seat, 0, 0, activation.ErrNotYet
	}
	if t >= until {
		return seat, 0, 0, activation.ErrOver
	}
	if _, err := l.pool.Exec(ctx, "UPDATE activation SET slot = NULL WHERE code_id = $1 AND slot IS NOT NULL AND lease_until <= "+now, c.Code[:]); err != nil {
		return seat, 0, 0, err
	}
	var above bool
	err = l.pool.QueryRow(ctx, "SELECT count(*), coalesce(max(slot) >= $2, false) FROM activation WHERE code_id = $1 AND slot IS NOT NULL", c.Code[:], c.Seats).Scan(&taken, &above)
	if err != nil {
		return seat, 0, 0, err
	}
	if above || taken >= c.Seats {
		return seat, 0, 0, activation.ErrFull
	}
	if taken < c.Seats/2 { // so that no long list is made of many seats
		return seat, 0, rand.Int64N(c.Seats), nil
	}
	err = l.pool.QueryRow(ctx, `SELECT n FROM generate_series(0, $2::bigint - 1) AS n
		WHERE NOT EXISTS (SELECT 1 FROM activation WHERE code_id = $1 AND slot = n) ORDER BY random() LIMIT 1`, c.Code[:], c.Seats).Scan(&slot)
	if errors.Is(err, pgx.ErrNoRows) {
		err = activation.ErrFull
	}
	return seat, 0, slot, err
}

// latest returns the row of a subject, the one with a seat if there is one.
func (l *Ledger) latest(ctx context.Context, code activation.CodeID, subject activation.SubjectID) (*row, error) {
	r, err := scan(l.pool.QueryRow(ctx, "SELECT "+columns+" FROM activation WHERE code_id = $1 AND subject_id = $2 ORDER BY slot IS NULL, issued_at DESC LIMIT 1", code[:], subject[:]))
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, activation.ErrNoSeat
	}
	return r, err
}

// Renew begins a new lease.
func (l *Ledger) Renew(ctx context.Context, n activation.Renewal) (seat activation.Seat, err error) {
	err = l.do(ctx, func(ctx context.Context) (bool, error) {
		r, err := scan(l.pool.QueryRow(ctx, `UPDATE activation SET issued_at = `+now+`,
			refresh_by = CASE WHEN $3::bigint = 0 THEN $5::bigint ELSE `+now+` + $3 END,
			lease_until = CASE WHEN $3::bigint = 0 THEN $5::bigint ELSE `+now+` + $3 + $4::bigint END
			WHERE code_id = $1 AND subject_id = $2 AND slot IS NOT NULL AND released_at IS NULL RETURNING `+columns,
			n.Code[:], n.Subject[:], n.Lease.Refresh.Milliseconds(), n.Lease.Grace.Milliseconds(), receipt.Never.UnixMilli()))
		if err == nil {
			seat = r.Seat
			return true, nil
		} else if !errors.Is(err, pgx.ErrNoRows) {
			return false, err
		}
		r, err = l.latest(ctx, n.Code, n.Subject)
		switch {
		case err != nil:
			return false, err
		case !r.Released.IsZero():
			return false, activation.ErrGone
		case r.Number < 0:
			return false, activation.ErrNoSeat
		}
		return false, nil // claimed just now
	})
	return seat, err
}

// Release gives a seat back.
func (l *Ledger) Release(ctx context.Context, g activation.GiveBack) (seat activation.Seat, err error) {
	err = l.do(ctx, func(ctx context.Context) (bool, error) {
		r, err := l.latest(ctx, g.Code, g.Subject)
		if err != nil {
			return false, err
		}
		if !r.live() || !r.Released.IsZero() {
			seat = r.Seat
			return true, nil
		}
		period := sqlrow.Period(r.now)
		var used int
		err = l.pool.QueryRow(ctx, "SELECT count(*) FROM activation WHERE code_id = $1 AND transfer_period = $2", g.Code[:], period).Scan(&used)
		if err != nil {
			return false, err
		}
		set, args := "", []any{g.Code[:], g.Subject[:], r.key}
		switch {
		case used < g.GiveBacks:
			set, args = ", slot = NULL, transfer_period = $4, transfer_no = $5", append(args, period, used)
		case !g.Hold:
			return false, activation.ErrGiveBacks
		}
		r, err = scan(l.pool.QueryRow(ctx, "UPDATE activation SET released_at = "+now+set+
			" WHERE code_id = $1 AND subject_id = $2 AND idem_key = $3 AND slot IS NOT NULL AND released_at IS NULL RETURNING "+columns, args...))
		if errors.Is(err, pgx.ErrNoRows) {
			return false, nil
		} else if err != nil {
			return false, err
		}
		seat = r.Seat
		return true, nil
	})
	return seat, err
}

// Seats lists what is on record of a licence.
func (l *Ledger) Seats(ctx context.Context, id activation.CodeID) (seats []activation.Seat, err error) {
	err = l.do(ctx, func(ctx context.Context) (bool, error) {
		rows, err := l.pool.Query(ctx, "SELECT "+columns+" FROM activation WHERE code_id = $1 ORDER BY coalesce(slot, -1), issued_at", id[:])
		if err != nil {
			return false, err
		}
		seats, err = pgx.CollectRows(rows, func(from pgx.CollectableRow) (activation.Seat, error) {
			r, err := scan(from)
			if err != nil {
				return activation.Seat{}, err
			}
			return r.Seat, nil
		})
		return true, err
	})
	return seats, err
}

// Ready commits a transaction that writes.
func (l *Ledger) Ready(ctx context.Context) error {
	return l.do(ctx, func(ctx context.Context) (bool, error) {
		_, err := l.pool.Exec(ctx, "UPDATE schema_migrations SET version = version WHERE version = $1", version)
		return true, err
	})
}
