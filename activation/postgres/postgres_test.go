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
	"github.com/licet-dev/licet/activation/internal/ledgertest"
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

// TestLedger has two ledgers on one database, which take turns.
func TestLedger(t *testing.T) { suite(t, open(t), open(t)) }

func suite(t *testing.T, ledgers ...*Ledger) {
	n := 0
	ledgertest.Run(t, ledgertest.Harness{
		Open: func(testing.TB) activation.Ledger {
			n++
			return ledgers[n%len(ledgers)]
		},
		Other: func(testing.TB) activation.Ledger { return ledgers[(n+1)%len(ledgers)] },
		Age: func(t testing.TB, code activation.CodeID, by time.Duration) {
			t.Helper()
			_, err := ledgers[0].pool.Exec(context.Background(), "UPDATE activation SET issued_at = issued_at - $2::bigint, refresh_by = refresh_by - $2, lease_until = lease_until - $2, released_at = released_at - $2 WHERE code_id = $1", code[:], by.Milliseconds())
			if err != nil {
				t.Fatal(err)
			}
		},
	})
}

// TestControl shows what the unique indexes are for: the statement that people write
// instead, which counts the seats and then takes one, gives out too many.
func TestControl(t *testing.T) {
	pool := open(t).pool
	ctx := context.Background()
	if _, err := pool.Exec(ctx, "CREATE TABLE IF NOT EXISTS control (code bytea NOT NULL, device bigint NOT NULL)"); err != nil {
		t.Fatal(err)
	}
	const seats = 3
	for range 200 {
		code := ledgertest.NewClaim(seats, 0).Code
		var all sync.WaitGroup
		for n := range 20 {
			all.Go(func() {
				_, err := pool.Exec(ctx, "INSERT INTO control SELECT $1::bytea, $2::bigint WHERE (SELECT count(*) FROM control WHERE code = $1) < $3", code[:], n, seats)
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		var sold int
		if err := pool.QueryRow(ctx, "SELECT count(*) FROM control WHERE code = $1", code[:]).Scan(&sold); err != nil {
			t.Fatal(err)
		}
		if sold > seats {
			return
		}
	}
	t.Error("200 races, and never a seat too many: the other tests prove nothing here")
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
		base := ledgertest.NewClaim(activation.Unlimited, 0)
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
	suite(t, l, openAt(t, in))
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
