package revocation_test

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/verifier/revocation"
)

// BenchmarkOpen compares reading a signed list with the SHA-256 of its bytes.
func BenchmarkOpen(b *testing.B) {
	for _, n := range []int{1_000_000, 10_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			data := must(revocation.Sign(scattered(n), listKey("list")))
			b.Run("ratio", func(b *testing.B) {
				compare(b,
					func() { sha256.Sum256(data) },
					func() { must(revocation.Open(data, ring)) })
			})
		})
	}
}

// BenchmarkRevoked compares looking licences up in a list with looking them up in an
// empty one. Half of them are revoked, and they are of all keys and products of the
// list. A thousand of them leave what they need of the list in the caches; a hundred
// thousand need another part of it each time, and wait for memory. How long this
// machine waits for it is load-ns: the time of reading one word of 16 MB that the word
// read before points to.
func BenchmarkRevoked(b *testing.B) {
	for _, n := range []int{1_000_000, 10_000_000} {
		l, none := scattered(n), listOf()
		licences := licencesOf(l)
		for _, count := range []int{1_000, 100_000} {
			b.Run(fmt.Sprintf("%d/%d-licences/ratio", n, count), func(b *testing.B) {
				load := chase()
				loads := timed(10_000, load)
				compare(b, lookup(none, licences[:count]), lookup(l, licences[:count]))
				b.ReportMetric(min(loads, timed(10_000, load)), "load-ns")
			})
		}
	}
}

type licence struct {
	key             keys.ID
	product, serial uint64
}

// licencesOf returns a hundred thousand licences, half of them in the list, in any
// order.
func licencesOf(l *revocation.List) []licence {
	const count = 100_000
	var all []licence
	r := rand.New(rand.NewPCG(3, 4))
	for e := range l.Entries() {
		if r.IntN(l.Len()) < count {
			all = append(all, licence{e.KeyID, e.Product, e.First + uint64(len(all)%2)})
		}
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return append(all, all...)[:count]
}

func lookup(l *revocation.List, licences []licence) func() {
	i, revoked := 0, 0
	return func() {
		c := &licences[i]
		if i++; i == len(licences) {
			i = 0
		}
		revoked += l.Revoked(c.key, c.product, c.serial)
	}
}

// chase returns a function that reads one word, whose place the word before says.
func chase() func() {
	type line struct {
		next int
		_    [56]byte // to the end of the cache line
	}
	lines := make([]line, 16<<20/64)
	order := rand.New(rand.NewPCG(5, 6)).Perm(len(lines))
	for i, at := range order {
		lines[at].next = order[(i+1)%len(order)]
	}
	at := 0
	return func() { at = lines[at].next }
}

// timed returns how many nanoseconds one call of f takes, of n.
func timed(n int, f func()) float64 {
	start := time.Now()
	for range n {
		f()
	}
	return float64(time.Since(start).Nanoseconds()) / float64(n)
}

// compare runs bare and real alternately, as often at a time as the clock needs, and
// reports the median of real as a multiple of that of bare, and their difference.
// The two see the same machine that way, which on a shared one is never twice the
// same.
func compare(b *testing.B, bare, real func()) {
	var times [2][]float64
	n := 1
	for b.Loop() {
		for i, f := range []func(){bare, real} {
			took := timed(n, f)
			times[i] = append(times[i], took)
			if took*float64(n) < 50_000 { // too short for the clock
				n *= 2
			}
		}
	}
	for _, t := range times {
		slices.Sort(t)
	}
	bareTime, realTime := times[0][len(times[0])/2], times[1][len(times[1])/2]
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(bareTime, "bare-ns")
	b.ReportMetric(realTime/bareTime, "times-bare")
	b.ReportMetric(realTime-bareTime, "more-ns")
}
