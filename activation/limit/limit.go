// Package limit counts requests by key in memory of a fixed size, whatever is asked.
//
// A [Table] has one entry of 16 bytes for each key that is counted, and no more than
// it was made with. In a full table the entry that is the first to free itself makes
// room. So whoever asks under many keys can make the entries of others be forgotten,
// which lets those ask more often; nobody can be refused because of another key. What
// must never be forgotten, such as the one counter of everything, belongs into a table
// of its own.
//
// The rates are those of the generic cell rate algorithm: there are no windows whose
// edges let through twice as much, and how long to wait is known exactly.
package limit

import (
	"encoding/binary"
	"math/bits"
	"sync"
	"time"
)

// A Rate is how often something may be done: N times at once, and N times per Per on
// average. If N or Per is not above zero, there is no limit. Per is rounded up to a
// multiple of N nanoseconds, and more than 73 years count as that.
type Rate struct {
	N   int
	Per time.Duration
}

// limited reports whether there is a limit.
func (r Rate) limited() bool { return r.N > 0 && r.Per > 0 }

// longest is a bound of all durations, far enough from the end of int64 that the sum
// of three does not overflow.
const longest = 1 << 61

// step returns the time that one request takes up, and that of all N of a burst.
func (r Rate) step() (one, all int64) {
	n, per := min(int64(r.N), longest), min(int64(r.Per), longest)
	one = (per-1)/n + 1
	if high, low := bits.Mul64(uint64(one), uint64(n)); high != 0 || low > longest {
		return one, longest
	}
	return one, one * n
}

// An entry counts one key. It is free when the tag is zero.
type entry struct {
	tag  uint64
	full int64 // when the whole burst is there again, in nanoseconds since the table's base
}

const (
	ways   = 4  // entries of a set
	shards = 64 // at most; each has a lock of its own
)

type set [ways]entry

type shard struct {
	mu   sync.Mutex
	sets []set
	_    [32]byte // so that two locks are in two cache lines
}

// A Table counts requests by key. It is safe for concurrent use, and calls allocate
// nothing.
type Table struct {
	secret [16]byte
	base   time.Time
	shards []shard
	mask   uint64 // number of all sets - 1
}

// New returns a table with room for the given number of keys, rounded up to a power of
// two from 4 to 2^30. It takes 16 bytes for each, at once and for good.
func New(entries int) *Table {
	sets := 1
	for sets < entries/ways+min(entries%ways, 1) && sets < 1<<28 {
		sets *= 2
	}
	n := min(sets, shards)
	t := &Table{secret: newSecret(), base: time.Now(), shards: make([]shard, n), mask: uint64(sets - 1)}
	for i := range t.shards {
		t.shards[i].sets = make([]set, sets/n)
	}
	return t
}

// Take counts a request under k at the time now, unless there were too many. Then ok
// is false, nothing is counted, and retry is how long it takes, exactly, until the
// next one would be counted.
//
// Times from [time.Now] are compared by their monotonic clock. When other times go
// back, the key has used up its burst at most, and waits no longer for that.
func (t *Table) Take(k Key, r Rate, now time.Time) (ok bool, retry time.Duration) {
	return t.ask(k, r, now, true)
}

// Look returns what Take would, and counts nothing.
func (t *Table) Look(k Key, r Rate, now time.Time) (ok bool, retry time.Duration) {
	return t.ask(k, r, now, false)
}

// Left returns how many requests under k would be counted at once at the time now,
// and after which time it would be the whole burst again. Without a limit it is 0, 0.
func (t *Table) Left(k Key, r Rate, now time.Time) (n int, reset time.Duration) {
	if !r.limited() {
		return 0, 0
	}
	one, all := r.step()
	s, group, tag := t.find(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	at := t.since(now)
	used := int64(0)
	if e := group.entry(tag); e != nil {
		used = min(max(e.full-at, 0), all)
	}
	return int((all - used) / one), time.Duration(used)
}

// Forget counts nothing under k any longer.
func (t *Table) Forget(k Key) {
	s, group, tag := t.find(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := group.entry(tag); e != nil {
		*e = entry{}
	}
}

func (t *Table) ask(k Key, r Rate, now time.Time, take bool) (bool, time.Duration) {
	if !r.limited() {
		return true, 0
	}
	one, all := r.step()
	s, group, tag := t.find(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	at := t.since(now)
	full := at
	e := group.entry(tag)
	if e != nil {
		// Nothing is used up for longer than a burst: the clock has gone back, or the
		// rate was another one. This is kept, or else the wait would begin anew with
		// each request.
		e.full = min(e.full, at+all)
		full = max(e.full, at)
	}
	if wait := full + one - all - at; wait > 0 {
		return false, time.Duration(wait)
	}
	if take {
		if e == nil {
			e = group.oldest()
			e.tag = tag
		}
		e.full = full + one
	}
	return true, 0
}

// since returns a time in nanoseconds from the table's base.
func (t *Table) since(now time.Time) int64 {
	return min(max(int64(now.Sub(t.base)), -longest), longest)
}

// find returns where the entry of a key is, if there is one.
func (t *Table) find(k Key) (*shard, *set, uint64) {
	i := binary.LittleEndian.Uint64(k[:8]) & t.mask
	s := &t.shards[i%uint64(len(t.shards))]
	return s, &s.sets[i/uint64(len(t.shards))], max(binary.LittleEndian.Uint64(k[8:]), 1)
}

// entry returns the entry with this tag, or nil.
func (s *set) entry(tag uint64) *entry {
	for i := range s {
		if s[i].tag == tag {
			return &s[i]
		}
	}
	return nil
}

// oldest returns a free entry, or the one that is the first to free itself.
func (s *set) oldest() *entry {
	first := &s[0]
	for i := range s {
		e := &s[i]
		if e.tag == 0 {
			return e
		}
		if e.full < first.full {
			first = e
		}
	}
	return first
}
