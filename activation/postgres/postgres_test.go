package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/keys/receipt"
)

// url is that of the database of the tests. The others start and crash the server; they
// are nil when it is not ours.
var (
	url          string
	start, crash func()
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if url = os.Getenv("LICET_POSTGRES_URL"); url != "" {
		return m.Run()
	}
	initdb, err := exec.LookPath("initdb")
	if err != nil {
		if found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb"); len(found) > 0 {
			initdb, err = found[len(found)-1], nil
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "activation/postgres: initdb is not there: the tests with PostgreSQL are skipped; install it, or set LICET_POSTGRES_URL")
		if os.Getenv("CI") == "true" && runtime.GOOS == "linux" { // .ci/run installs it
			return 1
		}
		return 0
	}
	if initdb, err = filepath.EvalSymlinks(initdb); err != nil {
		panic(err)
	}
	dir, err := os.MkdirTemp("", "licet-postgres")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	as := func(name string, args ...string) {
		if os.Getuid() == 0 { // which PostgreSQL refuses to run as
			name, args = "runuser", append([]string{"-u", "postgres", "--", name}, args...)
		}
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		if err := cmd.Run(); err != nil {
			panic(fmt.Sprint(name, args, err))
		}
	}
	if os.Getuid() == 0 {
		if err := exec.Command("chown", "postgres", dir).Run(); err != nil {
			panic(err)
		}
	}
	bin, data := filepath.Dir(initdb), filepath.Join(dir, "data")
	as(initdb, "-D", data, "-U", "licet", "-A", "trust", "--no-sync")
	start = func() {
		as(filepath.Join(bin, "pg_ctl"), "-D", data, "-w", "-l", filepath.Join(dir, "log"), "-o", "-k "+dir+" -c listen_addresses=", "start")
	}
	crash = func() { as(filepath.Join(bin, "pg_ctl"), "-D", data, "-w", "-m", "immediate", "stop") }
	start()
	defer crash()
	url = "host=" + dir + " user=licet dbname=postgres"
	return m.Run()
}

func open(t *testing.T) *Ledger { return openAt(t, url) }

func openAt(t *testing.T, url string) *Ledger {
	t.Helper()
	l, err := Open(t.Context(), url, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func claim(t *testing.T, n int, seats int64) activation.Claim {
	c := activation.Claim{Seats: seats, Lease: activation.Lease{Refresh: time.Hour, Grace: time.Hour}}
	copy(c.Code[:], t.Name()+strconv.FormatInt(time.Now().UnixNano(), 36))
	c.Subject = activation.NewSubjectID(c.Code, subject(n))
	c.Key = activation.HashKey(strconv.Itoa(n))
	c.Request[0] = byte(n)
	return c
}

// TestRace has two ledgers on one database race for the seats of one licence.
func TestRace(t *testing.T) { race(t, open(t), open(t)) }

func race(t *testing.T, ledgers ...*Ledger) {
	for _, seats := range []int64{1, 3, 20} {
		first := claim(t, 0, seats)
		first.Code[15] = byte(seats)
		var granted, full atomic.Int64
		var wg sync.WaitGroup
		for n := range 64 {
			wg.Go(func() {
				c := claim(t, n, seats)
				c.Code = first.Code
				_, _, err := ledgers[n%2].Claim(context.Background(), c)
				switch {
				case err == nil:
					granted.Add(1)
				case errors.Is(err, activation.ErrFull):
					full.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if granted.Load() != seats || full.Load() != 64-seats {
			t.Errorf("%d seats: %d granted, %d full", seats, granted.Load(), full.Load())
		}
	}
}

func TestRules(t *testing.T) { rules(t, open(t)) }

func rules(t *testing.T, l *Ledger) {
	ctx := t.Context()
	c := claim(t, 1, 1)
	expect := func(c activation.Claim, want activation.Outcome, wantErr error) activation.Seat {
		t.Helper()
		s, o, err := l.Claim(ctx, c)
		if o != want || !errors.Is(err, wantErr) {
			t.Fatalf("%v, %v; want %v, %v", o, err, want, wantErr)
		}
		return s
	}
	past := c
	past.Until = time.Now().Add(-time.Minute)
	expect(past, 0, activation.ErrOver)
	early := c
	early.From = time.Now().Add(time.Hour)
	expect(early, 0, activation.ErrNotYet)
	s := expect(c, activation.Granted, nil)
	if again := expect(c, activation.Replayed, nil); again != s {
		t.Errorf("%v, and then %v", s, again)
	}
	other := c
	other.Request[0]++
	expect(other, 0, activation.ErrKeyReused)
	other.Key = activation.HashKey("other")
	expect(other, activation.Held, nil)
	second := claim(t, 2, 1)
	second.Code = c.Code
	expect(second, 0, activation.ErrFull)
	if _, err := l.Renew(ctx, activation.Renewal{Code: c.Code, Subject: second.Subject}); !errors.Is(err, activation.ErrNoSeat) {
		t.Error(err)
	}
	g := activation.GiveBack{Code: c.Code, Subject: c.Subject}
	if _, err := l.Release(ctx, g); !errors.Is(err, activation.ErrGiveBacks) {
		t.Error(err)
	}
	g.GiveBacks = 1
	if s, err := l.Release(ctx, g); err != nil || s.Number != -1 || s.Released.IsZero() {
		t.Error(s, err)
	}
	expect(c, 0, activation.ErrGone)
	if _, err := l.Renew(ctx, activation.Renewal{Code: c.Code, Subject: c.Subject}); !errors.Is(err, activation.ErrGone) {
		t.Error(err)
	}
	expect(second, activation.Granted, nil)
	if on, err := l.Seats(ctx, c.Code); err != nil || len(on) != 2 {
		t.Error(on, err)
	}
	if err := l.Ready(ctx); err != nil {
		t.Error(err)
	}
}

func TestUnsafe(t *testing.T) {
	if strings.Contains(url, "://") {
		t.Skip("LICET_POSTGRES_URL is a URL: its parameters are set by hand")
	}
	_, err := Open(t.Context(), url+" options='-c synchronous_commit=off'", Options{})
	if err == nil || !strings.Contains(err.Error(), "synchronous_commit=off") {
		t.Error(err)
	}
}

func subject(n int) receipt.Subject {
	return receipt.Subject{Kind: receipt.Device, Hash: [32]byte{byte(n)}}
}

// TestCrash crashes the server under load. What was acknowledged is there afterwards,
// and the ledger recovers by itself.
func TestCrash(t *testing.T) {
	if crash == nil {
		t.Skip("LICET_POSTGRES_URL is not ours to crash")
	}
	rounds := 1
	if os.Getenv("LICET_LONG") != "" {
		rounds = 30
	}
	l := open(t)
	for range rounds {
		base := claim(t, 0, activation.Unlimited)
		type kept struct {
			claim activation.Claim
			seat  activation.Seat
		}
		var (
			mu   sync.Mutex
			all  []kept
			next atomic.Int64
			stop atomic.Bool
			wg   sync.WaitGroup
		)
		for range 8 {
			wg.Go(func() {
				for !stop.Load() {
					n := int(next.Add(1))
					c := base
					c.Key = activation.HashKey(strconv.Itoa(n))
					copy(c.Subject[:], fmt.Sprintf("%016d", n))
					s, _, err := l.Claim(context.Background(), c)
					if errors.Is(err, activation.ErrFull) {
						t.Error(err)
					}
					if err == nil {
						mu.Lock()
						all = append(all, kept{c, s})
						mu.Unlock()
					}
				}
			})
		}
		time.Sleep(300 * time.Millisecond)
		crash()
		_, _, err := l.Claim(context.Background(), base)
		stop.Store(true)
		wg.Wait()
		if err == nil || errors.Is(err, activation.ErrFull) {
			t.Errorf("without a server: %v", err)
		}
		start()
		for end := time.Now().Add(20 * time.Second); l.Ready(context.Background()) != nil; {
			if time.Now().After(end) {
				t.Fatal("the ledger does not recover")
			}
			time.Sleep(50 * time.Millisecond)
		}
		if len(all) == 0 {
			t.Fatal("nothing was acknowledged before the crash")
		}
		for _, k := range all {
			s, o, err := l.Claim(context.Background(), k.claim)
			if err != nil || o != activation.Replayed || s != k.seat {
				t.Fatalf("%v, %v, %v; acknowledged was %v", s, o, err, k.seat)
			}
		}
		t.Logf("%d acknowledged claims are there", len(all))
	}
}

// TestPartitioned makes the table in partitions before the first start.
func TestPartitioned(t *testing.T) {
	if crash == nil {
		t.Skip("LICET_POSTGRES_URL is not ours to make schemas in")
	}
	text, err := migrations.ReadFile("migrations/1.sql")
	if err != nil {
		t.Fatal(err)
	}
	table, _, _ := strings.Cut(string(text), ");\n")
	sql := "CREATE SCHEMA parts; SET search_path = parts;" + table + ") PARTITION BY HASH (code_id);"
	for n := range 4 {
		sql += fmt.Sprintf("CREATE TABLE activation_%d PARTITION OF activation FOR VALUES WITH (MODULUS 4, REMAINDER %d);", n, n)
	}
	pool := open(t).pool
	if _, err := pool.Exec(t.Context(), sql+"RESET search_path"); err != nil {
		t.Fatal(err)
	}
	in := url + " options='-c search_path=parts'"
	l := openAt(t, in)
	race(t, l, openAt(t, in))
	rules(t, l)
	var n int
	if err := pool.QueryRow(t.Context(), "SELECT count(*) FROM parts.activation").Scan(&n); err != nil || n == 0 {
		t.Errorf("%d rows in partitions, %v", n, err)
	}

	// A later program was here.
	if _, err := pool.Exec(t.Context(), "INSERT INTO parts.schema_migrations VALUES ($1)", version+1); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), in, Options{}); err == nil || !strings.Contains(err.Error(), "use a newer program") {
		t.Error(err)
	}
}
