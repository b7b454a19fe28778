package sqlite

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/activation/internal/ledgertest"
)

const childEnv = "LICET_TEST_LEDGER" // path of the ledger that a child process fills

func TestMain(m *testing.M) {
	if path := os.Getenv(childEnv); path != "" {
		if err := fill(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// killClaim is claim n of the children: five devices race for three seats of a licence.
func killClaim(n int) activation.Claim {
	c := activation.Claim{Seats: 3, Lease: activation.Lease{Refresh: time.Hour, Grace: time.Hour}}
	copy(c.Code[:], fmt.Sprintf("%016d", n/5))
	return ledgertest.By(c, n)
}

// fill makes claims without end, and says of each what came out, once it is
// acknowledged. The first is named by an argument of the environment.
func fill(path string) error {
	first, err := strconv.Atoi(os.Getenv(childEnv + "_FIRST"))
	if err != nil {
		return err
	}
	l, err := Open(path, Options{})
	if err != nil {
		return err
	}
	next, out := make(chan int), make(chan string)
	for range 32 {
		go func() {
			for n := range next {
				seat, _, err := l.Claim(context.Background(), killClaim(n))
				switch {
				case err == nil:
					out <- fmt.Sprintf("%d %d %d\n", n, seat.Number, seat.Issued.UnixMilli())
				case !errors.Is(err, activation.ErrFull):
					out <- fmt.Sprintf("error %v\n", err)
				}
			}
		}()
	}
	go func() {
		for n := first; ; n++ {
			next <- n
		}
	}()
	for line := range out {
		if _, err := os.Stdout.WriteString(line); err != nil {
			return err
		}
	}
	return nil
}

// TestKill kills a server under load, again and again. What it had acknowledged is
// there, retries get the same seat, and no licence has a seat too many.
func TestKill(t *testing.T) {
	rounds := 3
	if os.Getenv("LICET_LONG") != "" {
		rounds = 30
	}
	path := filepath.Join(t.TempDir(), "activations.db")
	type seat struct{ number, issued int64 }
	acknowledged := map[int]seat{}
	next := 0
	for range rounds {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childEnv+"="+path, childEnv+"_FIRST="+strconv.Itoa(next))
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for count, at := 0, 500+int(time.Now().UnixNano()%1500); lines.Scan(); count++ {
			if count == at {
				cmd.Process.Kill()
			}
			var n int
			var s seat
			if _, err := fmt.Sscan(lines.Text(), &n, &s.number, &s.issued); err != nil {
				if strings.HasPrefix(lines.Text(), "error") {
					t.Fatal(lines.Text())
				}
				continue // the last line, cut off
			}
			acknowledged[n] = s
			next = max(next, n+1)
		}
		cmd.Wait()
		next += 1000 // past those that were under way
	}
	if len(acknowledged) < 500*rounds {
		t.Fatalf("only %d claims were acknowledged", len(acknowledged))
	}
	l := openTest(t, path)
	for n, want := range acknowledged {
		got, o, err := l.Claim(t.Context(), killClaim(n))
		if err != nil || o != activation.Replayed || got.Number != want.number || got.Issued.UnixMilli() != want.issued {
			t.Fatalf("claim %d: %+v, %v, %v; acknowledged was %+v", n, got, o, err, want)
		}
	}
	var most int
	if err := l.db.QueryRow("SELECT max(n) FROM (SELECT count(*) AS n FROM activation WHERE slot IS NOT NULL GROUP BY code_id)").Scan(&most); err != nil || most != 3 {
		t.Errorf("a licence has %d seats taken, %v; want 3", most, err)
	}
	checkIntegrity(t, l)
	t.Logf("%d acknowledged claims of %d rounds are there", len(acknowledged), rounds)
}

func checkIntegrity(t *testing.T, l *Ledger) {
	t.Helper()
	var text string
	if err := l.db.QueryRow("PRAGMA integrity_check").Scan(&text); err != nil || text != "ok" {
		t.Errorf("integrity: %s, %v", text, err)
	}
}

// TestDiskFull fills the disk, as SQLite sees it. Nothing is acknowledged that is not
// kept, and with room again the ledger goes on.
func TestDiskFull(t *testing.T) {
	path := filepath.Join(t.TempDir(), "activations.db")
	l := openTest(t, path)
	var pages int
	if err := l.db.QueryRow("PRAGMA page_count").Scan(&pages); err != nil {
		t.Fatal(err)
	}
	limit := func(n int) {
		t.Helper()
		if _, err := l.writer.ExecContext(t.Context(), fmt.Sprintf("PRAGMA max_page_count = %d", n)); err != nil {
			t.Fatal(err)
		}
	}
	limit(pages + 10)
	kept := map[int]activation.Seat{}
	var mu sync.Mutex
	var all sync.WaitGroup
	failed := 0
	for worker := range 8 {
		all.Go(func() {
			for n := worker; n < 2000; n += 8 {
				c := killClaim(n * 5)
				seat, _, err := l.Claim(t.Context(), c)
				mu.Lock()
				switch {
				case err == nil:
					kept[n] = seat
				case errors.Is(err, activation.ErrFull) || !strings.Contains(err.Error(), "full"):
					t.Errorf("claim %d: %v", n, err)
				default:
					failed++
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if len(kept) == 0 || failed == 0 {
		t.Fatalf("%d kept, %d failed", len(kept), failed)
	}
	limit(1 << 20)
	for n := range 2000 {
		seat, o, err := l.Claim(t.Context(), killClaim(n*5))
		want, ok := kept[n]
		if err != nil || ok && (o != activation.Replayed || seat != want) || !ok && o != activation.Granted {
			t.Fatalf("claim %d with room again: %+v, %v, %v; before it was %+v, %t", n, seat, o, err, want, ok)
		}
	}
	checkIntegrity(t, l)
}

// TestLocked has another program lock the file for longer than a claim waits.
func TestLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "activations.db")
	l := openTest(t, path)
	other := lock(t, l)
	c := ledgertest.NewClaim(1, 1)
	if _, _, err := l.Claim(t.Context(), c); err == nil || errors.Is(err, activation.ErrFull) {
		t.Errorf("locked: %v", err)
	}
	unlock(t, other)
	if _, o, err := l.Claim(t.Context(), c); o != activation.Granted {
		t.Errorf("after that: %v, %v", o, err)
	}
}

// lock locks the file from another connection.
func lock(t *testing.T, l *Ledger) *sql.Conn {
	t.Helper()
	other, err := l.db.Conn(t.Context())
	if err == nil {
		_, err = other.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	}
	if err != nil {
		t.Fatal(err)
	}
	return other
}

func unlock(t *testing.T, other *sql.Conn) {
	t.Helper()
	_, err := other.ExecContext(t.Context(), "COMMIT")
	if err := errors.Join(err, other.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestBusy(t *testing.T) {
	l, err := Open(filepath.Join(t.TempDir(), "activations.db"), Options{Queue: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	other := lock(t, l) // so that the writer waits
	var all sync.WaitGroup
	busy := make(chan bool, 20)
	for n := range 20 {
		all.Go(func() {
			_, _, err := l.Claim(t.Context(), ledgertest.NewClaim(1, n))
			busy <- errors.Is(err, activation.ErrBusy)
		})
	}
	if !<-busy {
		t.Error("the first answer is not that the ledger is busy")
	}
	unlock(t, other)
	all.Wait()
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "activations.db")
	l := openTest(t, path)
	if _, err := Open(path, Options{}); err == nil || !strings.Contains(err.Error(), "another server") {
		t.Errorf("a second server: %v", err)
	}
	if _, err := l.db.Exec("INSERT INTO schema_migrations VALUES (?)", version+1); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, Options{}); err == nil || !strings.Contains(err.Error(), "newer program") {
		t.Errorf("a later version: %v", err)
	}
	if _, _, err := l.Claim(t.Context(), ledgertest.NewClaim(1, 1)); !errors.Is(err, errClosed) {
		t.Errorf("a ledger that is closed: %v", err)
	}
	text := filepath.Join(dir, "text.db")
	if err := os.WriteFile(text, []byte(strings.Repeat("no database ", 500)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(text, Options{}); err == nil {
		t.Error("a file that is no database was opened")
	}
	if _, err := Open(filepath.Join(dir, "none", "activations.db"), Options{}); err == nil {
		t.Error("a folder that is not there")
	}
}

// Whatever was acknowledged before Close is there after it, and the log is empty.
func TestClose(t *testing.T) {
	path := filepath.Join(t.TempDir(), "activations.db")
	l, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := ledgertest.NewClaim(1, 1)
	want, _, err := l.Claim(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path + "-wal"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the log is left: %v", err)
	}
	if got, o, err := openTest(t, path).Claim(t.Context(), c); err != nil || o != activation.Replayed || got != want {
		t.Errorf("%+v, %v, %v; want %+v", got, o, err, want)
	}
}
