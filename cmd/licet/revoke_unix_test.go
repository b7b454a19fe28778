//go:build unix

package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/licet-dev/licet/cmd/internal/home"
	"github.com/licet-dev/licet/verifier/revocation"
)

// newRevoke returns a run of licet revoke.
func (a *app) newRevoke(t testing.TB, args ...string) *process {
	t.Helper()
	return a.newProcess(t, append([]string{"revoke", "--identity", a.unlock.Identities[0]}, args...)...)
}

// serialsOfList returns how many serials a list revokes.
func serialsOfList(l *revocation.List) uint64 {
	n := uint64(0)
	for e := range l.Entries() {
		n += e.Last - e.First + 1
	}
	return n
}

// Runs at once lose nothing of each other, whatever they change.
func TestRevokeAtOnce(t *testing.T) {
	t.Parallel()
	const rounds = 20
	a := newTestApp(t)
	h, err := home.Open(a.dir)
	if err != nil {
		t.Fatal(err)
	}
	key, _ := h.Ring.MintKey(8)
	for round := range rounds {
		all := []*process{
			a.newRevoke(t, "--product", "7", "--key", "8", "--serials", fmt.Sprint(10*round+1)),
			a.newRevoke(t, "--product", "7", "--key", "8", "--serials", fmt.Sprint(10*round+3)),
			a.newRevoke(t, "min-version", "--product", "7", fmt.Sprint(round+1)),
		}
		for _, p := range all {
			if err := p.Start(); err != nil {
				t.Fatal(err)
			}
		}
		for _, p := range all {
			p.ends(t, 0)
		}
		l := a.list(t)
		if l.Sequence() != 3*uint64(round+1) || serialsOfList(l) != 2*uint64(round+1) || l.Minimum(7) != uint64(round+1) {
			t.Fatalf("round %d: list %d revokes %d serials and has the minimum %d", round, l.Sequence(), serialsOfList(l), l.Minimum(7))
		}
	}
	l := a.list(t)
	for round := range uint64(rounds) {
		for _, serial := range []uint64{10*round + 1, 10*round + 3} {
			if l.Revoked(key.ID(), 7, serial) != 1 {
				t.Errorf("serial %d is not revoked", serial)
			}
		}
	}
}

// A run that waits for another, which may be asking somebody, says so, and a signal
// ends the wait.
func TestRevokeWaitInterrupted(t *testing.T) {
	t.Parallel()
	a := newTestApp(t)
	_, release, err := a.openLocked(t.Context(), a.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	p := a.newRevoke(t, "renew")
	p.Stderr = w
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	told := bufio.NewReader(r)
	if line, err := told.ReadString('\n'); err != nil || !strings.HasPrefix(line, "waiting for another program that changes the home and holds the lock ") {
		t.Errorf("%q, %v", line, err)
	}
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	p.ends(t, exitInterrupted)
	if line, err := told.ReadString('\n'); line != "licet: interrupted\n" {
		t.Errorf("%q, %v", line, err)
	}
	if l := a.list(t); l != nil {
		t.Errorf("list %d was issued", l.Sequence())
	}
}

// A change of the list and one of the ring at once: the state of the key is in the
// list in the end, and both are whole.
func TestRevokeAndClose(t *testing.T) {
	t.Parallel()
	a := newTestApp(t)
	h, err := home.Open(a.dir)
	if err != nil {
		t.Fatal(err)
	}
	key, _ := h.Ring.MintKey(8)
	revoke := a.newRevoke(t, "--product", "7", "--key", "8", "--serials", "1")
	closing := a.newProcess(t, "key", "close", "8", "--yes")
	for _, p := range []*process{revoke, closing} {
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
	}
	revoke.ends(t, 0)
	closing.ends(t, 0)
	renew := a.newProcess(t, "revoke", "renew", "--identity", a.unlock.Identities[0])
	renew.exits(t, 0)
	if l := a.list(t); l.Sequence() != 2 || l.Revoked(key.ID(), 7, 1) != 1 || l.KeyState(key.ID()) != "closed" {
		t.Errorf("list %d:\n%s", l.Sequence(), l.Marshal())
	}
}

// A run that is killed leaves the old list or the new one, whole, and nobody has to
// clean up. Some of the runs here are killed while the new list is in a temporary file.
func TestRevokeKilled(t *testing.T) {
	t.Parallel()
	b := newBatchMaker(t)
	a := b.app
	const n = 50_000 // so that it takes a while to write the list
	a.saveScattered(t, b.list, n)
	temporary := filepath.Join(a.dir, ".revocations.txt.licet-tmp-*")
	between := 0
	round := 0
	for between < 3 {
		round++
		if round > 50 {
			t.Fatalf("only %d of %d runs were killed in time", between, round-1)
		}
		before := a.list(t)
		p := a.newRevoke(t, "--product", "7", "--key", "8", "--serials", fmt.Sprint(round))
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			p.Wait()
			close(ended)
		}()
		for waiting := true; waiting; {
			select {
			case <-ended: // it was faster
				waiting = false
			default:
				left, _ := filepath.Glob(temporary)
				waiting = len(left) == 0
			}
		}
		p.Process.Kill()
		<-ended
		left, err := filepath.Glob(temporary)
		if err != nil {
			t.Fatal(err)
		}
		after := a.list(t) // an error if it is not whole
		switch {
		case after.Equal(before):
		case after.Sequence() == before.Sequence()+1 && serialsOfList(after) == serialsOfList(before)+1:
		default:
			t.Fatalf("list %d with %d serials after list %d with %d", after.Sequence(), serialsOfList(after), before.Sequence(), serialsOfList(before))
		}
		if len(left) > 0 {
			if between++; !after.Equal(before) {
				t.Error("a temporary file is left beside the new list")
			}
		}
		for _, path := range left {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d runs, of which %d were killed in time", round, between)
	// The lock went with the process.
	sequence := a.list(t).Sequence()
	p := a.newRevoke(t, "--product", "7", "--key", "8", "--serials", "1000")
	p.exits(t, 0)
	if l := a.list(t); l.Sequence() != sequence+1 {
		t.Errorf("list %d after list %d", l.Sequence(), sequence)
	}
}

// A reader that hangs up ends the listing of a long list quietly.
func TestRevokeClosedPipe(t *testing.T) {
	t.Parallel()
	b := newBatchMaker(t)
	b.app.saveScattered(t, b.list, 100_000)
	for _, args := range [][]string{{"show", "--all"}, {"show", "--all", "--json"}} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		p := b.app.newProcess(t, append([]string{"revoke"}, args...)...)
		p.Stdout = w
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		w.Close()
		if _, err := r.Read(make([]byte, 100)); err != nil {
			t.Fatal(err)
		}
		r.Close()
		p.ends(t, exitBrokenPipe)
		if p.err.Len() > 0 {
			t.Errorf("%v: standard error %q", args, &p.err)
		}
	}
}
