package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The test binary is also the program that the tests start.
const (
	childJournal = "LICET_JOURNAL_TEST_PATH"
	childCount   = "LICET_JOURNAL_TEST_COUNT"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(childJournal); path != "" {
		if err := child(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child reserves ranges and prints them, as often as it is told to.
func child(path string) error {
	times, err := strconv.Atoi(os.Getenv(childCount))
	if err != nil {
		return err
	}
	j, err := Open(path, Options{Tool: "child"})
	if err != nil {
		return err
	}
	for i := range times {
		e, err := j.Reserve(context.Background(), Request{Key: 8, KeyID: keyA, Product: 7, Max: 1 << 40, Count: uint64(i%4 + 1)})
		if err != nil {
			return err
		}
		if _, err := fmt.Printf("%d %d\n", e.Serials.First, e.Serials.Last); err != nil {
			return err
		}
	}
	return nil
}

// A process is a child and what it printed.
type process struct {
	*exec.Cmd
	out, err bytes.Buffer
}

func start(t *testing.T, path string, times int) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(os.Args[0], "-test.run=^$")}
	p.Env = append(os.Environ(), childJournal+"="+path, childCount+"="+strconv.Itoa(times))
	p.Stdout, p.Stderr = &p.out, &p.err
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// ranges returns what the child printed. A killed one may print half a line.
func (p *process) ranges(t *testing.T) []Range {
	t.Helper()
	var all []Range
	for line := range strings.Lines(p.out.String()) {
		var r Range
		if n, err := fmt.Sscanf(line, "%d %d\n", &r.First, &r.Last); n == 2 && strings.HasSuffix(line, "\n") {
			all = append(all, r)
		} else if strings.HasSuffix(line, "\n") {
			t.Fatalf("a child printed %q: %v", line, err)
		}
	}
	return all
}

// collect adds the ranges that children printed, each of which must be new.
func collect(t *testing.T, told *rangeSet, processes []*process) (n int) {
	t.Helper()
	for _, p := range processes {
		for _, r := range p.ranges(t) {
			if part, ok := told.overlap(r); ok {
				t.Fatalf("%v handed out twice", part)
			}
			told.add(r)
			n++
		}
	}
	return n
}

// BO-12: many programs over one journal.
func TestProcesses(t *testing.T) {
	for _, c := range []struct{ processes, times int }{{2, 60}, {8, 20}, {20, 8}} {
		t.Run(fmt.Sprint(c.processes), func(t *testing.T) {
			path := newPath(t)
			var all []*process
			for range c.processes {
				all = append(all, start(t, path, c.times))
			}
			for _, p := range all {
				if err := p.Wait(); err != nil {
					t.Errorf("%v: %s", err, &p.err)
				}
			}
			var told rangeSet
			if n := collect(t, &told, all); n != c.processes*c.times {
				t.Errorf("%d ranges, want %d", n, c.processes*c.times)
			}
			// Nobody was interrupted, so there are no gaps.
			s := summary(t, open(t, path, nil))
			if len(s) != 1 || s[0].Gaps != nil || !reflect.DeepEqual(told.pieces, [][]Range{s[0].Ranges}) {
				t.Errorf("%v, want %v", s, told.pieces)
			}
		})
	}
}

// Children are killed at random moments, again and again, over one journal. Process.Kill
// is SIGKILL, and TerminateProcess on Windows.
func TestKill(t *testing.T) {
	rounds, end := 50, time.Now().Add(10*time.Second)
	if testing.Short() {
		rounds = 5
	}
	path := newPath(t)
	var told rangeSet
	done, ranges, torn := 0, 0, 0
	for ; done < rounds && time.Now().Before(end); done++ {
		all := []*process{start(t, path, 1<<30), start(t, path, 1<<30)}
		before := size(path)
		for limit := time.Now().Add(5 * time.Second); size(path) == before && time.Now().Before(limit); {
			time.Sleep(time.Millisecond)
		}
		for _, p := range all {
			time.Sleep(rand.N(15 * time.Millisecond))
			p.Process.Kill()
		}
		for _, p := range all {
			var exit *exec.ExitError
			if err := p.Wait(); !errors.As(err, &exit) || p.err.Len() > 0 {
				t.Fatalf("round %d: a child ended by itself: %v: %s", done, err, &p.err)
			}
		}
		ranges += collect(t, &told, all)
		n := &notices{}
		j := open(t, path, n)
		if n.take() != "" {
			torn++
		}
		if len(told.pieces) > 0 {
			s := summary(t, j)
			known := s[0]
			for r := range told.from(0) {
				if err := j.reader.index.of(keyA, 7).check(Again, r); err != nil {
					t.Fatalf("round %d: %v was handed out, and the journal has %v", done, r, known.Ranges)
				}
			}
		}
		// Now and then the next to write is not a child that starts.
		if done%5 == 0 {
			e := must(t, j, Mint, Request{Key: 8, KeyID: keyA, Product: 7, Max: 1 << 40, Count: 3})
			if part, ok := told.overlap(e.Serials); ok {
				t.Fatalf("%v handed out twice", part)
			}
			told.add(e.Serials)
		}
	}
	t.Logf("%d rounds, %d ranges told, %d times an incomplete line", done, ranges, torn)
	if ranges == 0 {
		t.Error("no child came so far as to hand out serials")
	}
}

func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
