package limit_test

import (
	"encoding/binary"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/licet-dev/licet/activation/limit"
)

var start = time.Date(2026, 12, 1, 9, 30, 0, 0, time.UTC)

func number(n int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

// taken returns how many of n requests at one time are counted.
func taken(t *limit.Table, k limit.Key, r limit.Rate, now time.Time, n int) (counted int) {
	for range n {
		if ok, _ := t.Take(k, r, now); ok {
			counted++
		}
	}
	return counted
}

func TestRate(t *testing.T) {
	table := limit.New(64)
	k, r := table.Key("test"), limit.Rate{N: 10, Per: time.Minute}
	if n := taken(table, k, r, start, 100); n != 10 {
		t.Fatalf("a burst of %d, want 10", n)
	}
	// From then on one every six seconds, to the nanosecond.
	for i := 1; i <= 20; i++ {
		at := start.Add(time.Duration(i) * 6 * time.Second)
		if ok, wait := table.Take(k, r, at.Add(-1)); ok || wait != 1 {
			t.Fatalf("%d: a nanosecond early: %t, wait %v", i, ok, wait)
		}
		if n := taken(table, k, r, at, 3); n != 1 {
			t.Fatalf("%d: %d at once, want 1", i, n)
		}
	}
	// What is left comes back after a rest, and no more than the burst.
	rested := start.Add(120*time.Second + 30*time.Second)
	if n := taken(table, k, r, rested, 100); n != 5 {
		t.Errorf("%d after half a minute, want 5", n)
	}
	if n := taken(table, k, r, rested.Add(time.Hour), 100); n != 10 {
		t.Errorf("%d after an hour, want 10", n)
	}
}

// In no minute there are more than the burst and what a minute adds; windows would let
// through twice the rate around their edge, and no more is ever due.
func TestAverage(t *testing.T) {
	table := limit.New(64)
	k, r := table.Key("test"), limit.Rate{N: 7, Per: time.Minute} // does not divide a minute
	counted := 0
	for i := range 60 * 60 * 10 { // an hour, every 100 ms
		if ok, _ := table.Take(k, r, start.Add(time.Duration(i)*100*time.Millisecond)); ok {
			counted++
		}
	}
	if counted < 6+7*59 || counted > 7+7*60 {
		t.Errorf("%d in an hour, want 7 a minute", counted)
	}
}

func TestRetryIsExact(t *testing.T) {
	for _, r := range []limit.Rate{
		{1, time.Second}, {3, time.Second}, {7, time.Minute}, {60, time.Minute}, {1000, time.Second}, {5, 365 * 24 * time.Hour}, {1 << 30, time.Nanosecond},
	} {
		table := limit.New(64)
		k := table.Key("test")
		now, n := start, 0
		for ok := true; ok; n++ {
			if n > 1<<10 {
				t.Skip("no burst ends at this rate")
			}
			ok, _ = table.Take(k, r, now)
			if r.N == 1<<30 {
				break
			}
		}
		for range 50 {
			ok, wait := table.Look(k, r, now)
			if ok || wait <= 0 {
				continue
			}
			if early, rest := table.Take(k, r, now.Add(wait-1)); early || rest != 1 {
				t.Fatalf("%v: early after %v", r, wait-1)
			}
			now = now.Add(wait)
			if ok, _ := table.Take(k, r, now); !ok {
				t.Fatalf("%v: refused after the wait of %v", r, wait)
			}
		}
	}
}

func TestLook(t *testing.T) {
	table := limit.New(64)
	k, r := table.Key("test"), limit.Rate{N: 2, Per: time.Minute}
	for range 10 {
		if ok, _ := table.Look(k, r, start); !ok {
			t.Fatal("looking takes")
		}
	}
	if n := taken(table, k, r, start, 5); n != 2 {
		t.Fatalf("%d, want 2", n)
	}
	if ok, wait := table.Look(k, r, start); ok || wait != 30*time.Second {
		t.Errorf("%t, wait %v, want 30s", ok, wait)
	}
}

func TestLeft(t *testing.T) {
	table := limit.New(64)
	k, r := table.Key("test"), limit.Rate{N: 10, Per: time.Minute}
	for i := range 10 {
		if n, reset := table.Left(k, r, start); n != 10-i || reset != time.Duration(i)*6*time.Second {
			t.Errorf("after %d: %d left, %v", i, n, reset)
		}
		taken(table, k, r, start, 1)
	}
	if n, _ := table.Left(k, r, start.Add(6*time.Second-1)); n != 0 {
		t.Errorf("%d left, want 0", n)
	}
	if n, _ := table.Left(k, r, start.Add(6*time.Second)); n != 1 {
		t.Errorf("%d left, want 1", n)
	}
	if n, reset := table.Left(k, limit.Rate{}, start); n != 0 || reset != 0 {
		t.Errorf("no limit: %d, %v", n, reset)
	}
}

func TestNoLimit(t *testing.T) {
	table := limit.New(64)
	k := table.Key("test")
	for _, r := range []limit.Rate{{}, {N: 5}, {Per: time.Second}, {-1, time.Second}, {1, -1}} {
		if n := taken(table, k, r, start, 1000); n != 1000 {
			t.Errorf("%v: %d of 1000", r, n)
		}
	}
	// Nothing of it was counted.
	if n := taken(table, k, limit.Rate{N: 3, Per: time.Second}, start, 10); n != 3 {
		t.Errorf("%d, want 3", n)
	}
}

func TestExtremes(t *testing.T) {
	const most = 1<<63 - 1
	for _, r := range []limit.Rate{{1, most}, {int(^uint(0) >> 1), most}, {int(^uint(0) >> 1), 1}, {3, most}} {
		table := limit.New(4)
		k := table.Key("test")
		for _, now := range []time.Time{{}, start, time.Unix(1<<40, 0), time.Unix(-1<<40, 0)} {
			if ok, wait := table.Take(k, r, now); !ok && wait <= 0 {
				t.Errorf("%v at %v: refused, wait %v", r, now, wait)
			}
		}
	}
}

func TestForget(t *testing.T) {
	table := limit.New(64)
	a, b, r := table.Key("a"), table.Key("b"), limit.Rate{N: 3, Per: time.Minute}
	taken(table, a, r, start, 9)
	taken(table, b, r, start, 9)
	table.Forget(a)
	table.Forget(table.Key("c")) // never counted
	if n := taken(table, a, r, start, 9); n != 3 {
		t.Errorf("%d after it was forgotten, want 3", n)
	}
	if n := taken(table, b, r, start, 9); n != 0 {
		t.Errorf("%d of another key, want 0", n)
	}
}

// A clock that goes back costs what is left of the burst, and no more than the wait
// that a whole burst costs.
func TestClockGoesBack(t *testing.T) {
	table := limit.New(64)
	k, r := table.Key("test"), limit.Rate{N: 10, Per: time.Minute}
	taken(table, k, r, start, 10)
	back := start.Add(-time.Hour)
	if ok, wait := table.Take(k, r, back); ok || wait != 6*time.Second {
		t.Errorf("%t, wait %v, want 6s", ok, wait)
	}
	if ok, wait := table.Take(k, r, back.Add(6*time.Second-1)); ok || wait != 1 {
		t.Errorf("%t, wait %v: the wait begins anew with each request", ok, wait)
	}
	if n := taken(table, k, r, back.Add(6*time.Second), 10); n != 1 {
		t.Errorf("%d after the wait, want 1", n)
	}
	// And forward again.
	if n := taken(table, k, r, start.Add(time.Hour), 20); n != 10 {
		t.Errorf("%d, want 10", n)
	}
}

func TestKeysAreApart(t *testing.T) {
	table := limit.New(64)
	seen := map[limit.Key]int{}
	for i, k := range []limit.Key{
		table.Key(""), table.Key("a"), table.Key("b"), table.Key("a", nil), table.Key("a", nil, nil), table.Key("a", []byte("b")),
		table.Key("ab"), table.Key("a", []byte("bc")), table.Key("a", []byte("b"), []byte("c")), table.Key("a", []byte("c"), []byte("b")),
		table.Key("a", make([]byte, 300)), table.Key("a", make([]byte, 301)),
	} {
		if j, twice := seen[k]; twice {
			t.Errorf("keys %d and %d are one", i, j)
		}
		seen[k] = i
	}
	if _, same := seen[table.Key("a", []byte("b"))]; !same {
		t.Error("a name has two keys")
	}
	if table.Key("a") == limit.New(64).Key("a") {
		t.Error("two tables have one secret")
	}
}

// EP-14: memory is flat, whatever is asked. A million addresses in a table for 65,536.
func TestFixedMemory(t *testing.T) {
	const entries, distinct = 1 << 16, 1_000_000
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	table := limit.New(entries)
	if size := heap() - before; size < 16*entries || size > 17*entries {
		t.Errorf("a table for %d keys takes %d bytes, want 16 for each", entries, size)
	}
	r := limit.Rate{N: 3, Per: time.Minute}
	for i := range distinct {
		now := start.Add(time.Duration(i) * time.Microsecond)
		if ok, _ := table.Take(table.Key("address", number(i)), r, now); !ok {
			t.Fatalf("the first request of address %d is refused because of others", i)
		}
	}
	if size := heap() - before; size > 17*entries {
		t.Errorf("%d bytes after %d keys", size, distinct)
	}
	runtime.KeepAlive(table)
}

// Many keys make the entries be forgotten that are the first to free themselves. One
// that has used up its burst outlives those that asked once.
func TestFlood(t *testing.T) {
	table := limit.New(1 << 10)
	r := limit.Rate{N: 10, Per: time.Minute}
	var victims []limit.Key
	for i := range 32 {
		k := table.Key("victim", number(i))
		taken(table, k, r, start, 10)
		victims = append(victims, k)
	}
	for i := range 100_000 {
		table.Take(table.Key("flood", number(i)), r, start)
	}
	for i, k := range victims {
		if n := taken(table, k, r, start, 10); n != 0 {
			t.Errorf("victim %d asked %d more times", i, n)
		}
	}
	// A flood that uses up every burst is different: all that it can do is that others
	// ask more often than they may.
	for i := range 20_000 {
		taken(table, table.Key("flood", number(i)), r, start, 10)
	}
	for i := range 1000 {
		if ok, _ := table.Take(table.Key("new", number(i)), r, start); !ok {
			t.Fatal("refused because of others")
		}
	}
}

func TestSize(t *testing.T) {
	r := limit.Rate{N: 1, Per: time.Hour}
	for _, entries := range []int{-1, 0, 1, 4, 5, 100, 4096} {
		table := limit.New(entries)
		counted := 0
		for i := range 8 * max(entries, 4) {
			table.Take(table.Key("k", number(i)), r, start.Add(time.Duration(i)))
		}
		for i := range 8 * max(entries, 4) {
			if ok, _ := table.Look(table.Key("k", number(i)), r, start.Add(time.Second)); !ok {
				counted++
			}
		}
		if low, high := max(entries, 4)/2, 2*max(entries, 4); counted < low || counted > high {
			t.Errorf("New(%d) holds %d keys", entries, counted)
		}
	}
}

func TestConcurrent(t *testing.T) {
	table := limit.New(1 << 8)
	r := limit.Rate{N: 100, Per: time.Hour}
	hot := table.Key("hot")
	var counted atomic.Int64
	var wg sync.WaitGroup
	for g := range 16 {
		wg.Go(func() {
			for i := range 500 {
				if ok, _ := table.Take(hot, r, start); ok {
					counted.Add(1)
				}
				k := table.Key("k", number(g), number(i%8))
				table.Take(k, limit.Rate{N: 1 << 20, Per: time.Millisecond}, start) // frees itself at once
				table.Look(k, r, start)
				table.Left(k, r, start)
				table.Forget(k)
			}
		})
	}
	wg.Wait()
	if n := counted.Load(); n != 100 {
		t.Errorf("%d were counted, want 100", n)
	}
}

func TestNoAllocation(t *testing.T) {
	table := limit.New(1 << 10)
	r := limit.Rate{N: 3, Per: time.Minute}
	address, i := make([]byte, 16), uint64(0)
	n := testing.AllocsPerRun(1000, func() {
		binary.BigEndian.PutUint64(address, i)
		i++
		k := table.Key("address", address)
		table.Take(k, r, start)
		table.Look(k, r, start)
		table.Left(k, r, start)
		table.Forget(k)
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkTake(b *testing.B) {
	table := limit.New(1 << 20)
	r := limit.Rate{N: 60, Per: time.Minute}
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		address, i := make([]byte, 16), uint64(0)
		for pb.Next() {
			i += 0x9e3779b97f4a7c15
			binary.BigEndian.PutUint64(address, i>>44) // about a million keys
			table.Take(table.Key("address", address), r, start.Add(time.Duration(i>>50)))
		}
	})
}

func BenchmarkKey(b *testing.B) {
	table := limit.New(4)
	address := make([]byte, 16)
	for b.Loop() {
		table.Key("address", address)
	}
}
