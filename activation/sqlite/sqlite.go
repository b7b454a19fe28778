// Package sqlite keeps seats in an SQLite file, for one server. What it acknowledges
// is on the disk: the journal is a write-ahead log that is synced before each
// transaction counts, and one transaction takes many claims at a time.
//
// The file and the two beside it, -wal and -shm, belong together. To back them up while
// a server runs, use the command ".backup" of the program sqlite3.
package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/licet-dev/licet/activation/internal/slow"
)

// Options of a ledger. The zero value is good.
type Options struct {
	Queue int // how many operations may wait; zero is 4096
}

const (
	maxBatch    = 256                    // operations of one transaction
	passive     = 250 * time.Millisecond // between checkpoints that wait for nobody
	idle        = 5 * time.Second        // without work, after which the log is emptied
	maxLog      = 256 << 20              // bytes of the log, above which it is emptied
	busyTimeout = 2 * time.Second        // for a lock that another program has on the file
)

// version is that of the newest migration.
const version = 1

//go:embed migrations/*.sql
var migrations embed.FS

// A Ledger is an activation.Ledger in an SQLite file.
type Ledger struct {
	path    string
	lock    *flock.Flock
	db      *sql.DB
	writer  *sql.Conn            // the one that writes
	known   map[string]*sql.Stmt // what the writer has prepared, by text
	commits time.Duration

	ops     chan *op
	closing chan struct{}
	ended   chan struct{} // closed when the writer has ended
	closed  sync.Once
	running sync.WaitGroup
}

// Open opens the ledger in a file, which it creates if it is not there, and whose
// tables it creates or updates. It refuses a file that another server has open, one
// whose tables are of a later version, and one for which SQLite does not take the
// settings that keep what was acknowledged.
func Open(path string, o Options) (_ *Ledger, err error) {
	if path, err = filepath.Abs(path); err != nil {
		return nil, fmt.Errorf("sqlite: %w", err)
	}
	l := &Ledger{path: path, lock: flock.New(path + ".lock"), known: map[string]*sql.Stmt{}, commits: slow.Commit, closing: make(chan struct{}), ended: make(chan struct{})}
	if ok, err := l.lock.TryLock(); err != nil {
		return nil, fmt.Errorf("sqlite: %w", err)
	} else if !ok {
		return nil, fmt.Errorf("sqlite: %s: another server has it open; stop that one, or use PostgreSQL for several", path)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("sqlite: %s: %w", path, err)
			l.release()
		}
	}()
	if l.db, err = sql.Open("sqlite", dsn(path)); err != nil {
		return nil, err
	}
	l.db.SetMaxOpenConns(2) // the other makes checkpoints
	if l.writer, err = l.db.Conn(context.Background()); err != nil {
		return nil, err
	}
	if err := l.prepare(context.Background()); err != nil {
		return nil, err
	}
	if o.Queue <= 0 {
		o.Queue = 4096
	}
	l.ops = make(chan *op, o.Queue)
	l.running.Go(l.write)
	l.running.Go(l.checkpoints)
	return l, nil
}

// dsn returns what the driver opens: the file, and the settings of a connection.
func dsn(path string) string {
	p := filepath.ToSlash(path)
	if !strings.HasPrefix(p, "/") { // C:/...
		p = "/" + p
	}
	u := url.URL{Scheme: "file", Path: p}
	q := url.Values{"_txlock": {"immediate"}}
	for _, pragma := range []string{
		fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()),
		"journal_mode(WAL)", "synchronous(FULL)", "wal_autocheckpoint(0)",
		"fullfsync(1)", "checkpoint_fullfsync(1)", // on macOS, where fsync alone does not reach the disk
	} {
		q.Add("_pragma", pragma)
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// prepare checks the settings and updates the tables.
func (l *Ledger) prepare(ctx context.Context) error {
	var mode string
	var synchronous int
	if err := l.writer.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&mode); err != nil {
		return err
	}
	if err := l.writer.QueryRowContext(ctx, "PRAGMA synchronous").Scan(&synchronous); err != nil {
		return err
	}
	if mode != "wal" || synchronous != 2 {
		return fmt.Errorf("the file has journal_mode %s and synchronous %d, where wal and 2 are needed to keep what was acknowledged; put it on a local disk", mode, synchronous)
	}
	begun, err := l.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer begun.Rollback()
	if _, err := begun.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS schema_migrations (version INTEGER PRIMARY KEY) STRICT"); err != nil {
		return err
	}
	var have int
	if err := begun.QueryRowContext(ctx, "SELECT coalesce(max(version), 0) FROM schema_migrations").Scan(&have); err != nil {
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
		if _, err := begun.ExecContext(ctx, string(text)); err != nil {
			return fmt.Errorf("migration %d: %w", v, err)
		}
		if _, err := begun.ExecContext(ctx, "INSERT INTO schema_migrations VALUES (?)", v); err != nil {
			return err
		}
	}
	return begun.Commit()
}

// checkpoints moves what is in the log to the file from time to time, beside the
// writer, so that no claim waits for it.
func (l *Ledger) checkpoints() {
	tick := time.NewTicker(passive)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			l.db.Exec("PRAGMA wal_checkpoint(PASSIVE)") // if it fails, the next one does more
		case <-l.closing:
			return
		}
	}
}

// logSize returns the size of the log in bytes.
func (l *Ledger) logSize() int64 {
	info, err := os.Stat(l.path + "-wal")
	if err != nil {
		return 0
	}
	return info.Size()
}

// Close ends the ledger after the operations that wait. Later ones fail.
func (l *Ledger) Close() error {
	l.closed.Do(func() { close(l.closing) })
	l.running.Wait()
	return l.release()
}

func (l *Ledger) release() error {
	var errs []error
	for _, s := range l.known {
		errs = append(errs, s.Close())
	}
	l.known = nil
	if l.db != nil {
		if l.writer != nil {
			if err := l.writer.Close(); err != sql.ErrConnDone { // closed before
				errs = append(errs, err)
			}
		}
		errs = append(errs, l.db.Close()) // which empties the log
	}
	errs = append(errs, l.lock.Unlock())
	return errors.Join(errs...)
}
