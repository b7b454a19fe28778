// Package postgres keeps seats in PostgreSQL. Several servers may share one database.
//
// The table may be partitioned by hash of the code id, since every constraint begins
// with it. For that, create it before the first start: the CREATE TABLE statement of
// migrations/1.sql with
//
//	PARTITION BY HASH (code_id)
//
// after its last bracket, and then its partitions, such as
//
//	CREATE TABLE activation_0 PARTITION OF activation
//		FOR VALUES WITH (MODULUS 4, REMAINDER 0);
package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Options of a ledger. The zero value is good for one server.
type Options struct {
	Queue int // how many operations may run or wait at once; zero is 1024
}

// A Ledger is an activation.Ledger in a PostgreSQL database.
type Ledger struct {
	pool  *pgxpool.Pool
	queue chan struct{}
}

// deadline bounds each operation, so that a database that stands still is an error soon.
const deadline = 3 * time.Second

// lock is the advisory lock of the migrations: "licet" in ASCII.
const lock = 0x6c69636574

// version is that of the newest migration.
const version = 1

//go:embed migrations/*.sql
var migrations embed.FS

// Open opens the ledger in the database at a URL such as
// "postgres://user@host/licet", and creates or updates its tables. It refuses a
// database whose tables are of a later version, and a server with fsync or
// synchronous_commit off, which could lose a seat after it was acknowledged.
func Open(ctx context.Context, url string, o Options) (*Ledger, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		// The text of err may hold parts of the URL, and so a password.
		return nil, errors.New("postgres: the URL can't be read: it should be like postgres://user@host/database")
	}
	config.ConnConfig.ConnectTimeout = deadline
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("postgres: %w", err)
	}
	if o.Queue <= 0 {
		o.Queue = 1024
	}
	l := &Ledger{pool: pool, queue: make(chan struct{}, o.Queue)}
	if err := l.prepare(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("postgres: %w", err)
	}
	return l, nil
}

// prepare checks the settings and updates the tables.
func (l *Ledger) prepare(ctx context.Context) error {
	for _, name := range []string{"fsync", "synchronous_commit"} {
		var value string
		if err := l.pool.QueryRow(ctx, "SELECT current_setting($1)", name).Scan(&value); err != nil {
			return err
		}
		if value == "off" {
			return fmt.Errorf("the server has %s=off and may lose seats that were acknowledged: set %s=on", name, name)
		}
	}
	return pgx.BeginFunc(ctx, l.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", int64(lock)); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "CREATE TABLE IF NOT EXISTS schema_migrations (version bigint PRIMARY KEY)"); err != nil {
			return err
		}
		var have int
		if err := tx.QueryRow(ctx, "SELECT coalesce(max(version), 0) FROM schema_migrations").Scan(&have); err != nil {
			return err
		}
		if have > version {
			return fmt.Errorf("the tables are of version %d, and this program knows version %d: use a newer program", have, version)
		}
		for v := have + 1; v <= version; v++ {
			text, err := migrations.ReadFile(fmt.Sprintf("migrations/%d.sql", v))
			if err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, string(text)); err != nil {
				return fmt.Errorf("migration %d: %w", v, err)
			}
			if _, err := tx.Exec(ctx, "INSERT INTO schema_migrations VALUES ($1)", v); err != nil {
				return err
			}
		}
		return nil
	})
}

// Close waits for what has begun, and closes the connections.
func (l *Ledger) Close() error {
	l.pool.Close()
	return nil
}
