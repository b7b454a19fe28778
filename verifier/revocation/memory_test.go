package revocation_test

import (
	"bytes"
	"os"
	"runtime"
	"testing"

	"github.com/licet-dev/licet/verifier/revocation"
)

// live returns the bytes in use after a collection.
func live() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestMemory holds a list of scattered serials to 16 bytes each, however it came about (RV-09).
// LICET_LONG has a million of them; without it a tenth.
func TestMemory(t *testing.T) {
	n := 100_000
	if os.Getenv("LICET_LONG") != "" {
		n = 1_000_000
	}
	made := scattered(n)
	data := must(revocation.Sign(made, listKey("list")))
	var l *revocation.List
	for name, f := range map[string]func(){
		"read": func() { l = must(revocation.Open(data, ring)) },
		"made": func() { l = scattered(n) },
	} {
		l = nil
		before := live()
		f()
		used := int64(live() - before)
		if each := float64(used) / float64(n); each > 16 {
			t.Errorf("%s: %d bytes, %.2f for each of %d entries", name, used, each, n)
		} else {
			t.Logf("%s: %d bytes, %.2f for each of %d entries", name, used, each, n)
		}
		if l.Len() != n {
			t.Errorf("%s: %d entries", name, l.Len())
		}
		runtime.KeepAlive(l)
	}
	runtime.KeepAlive(data)
}

// TestLarge opens a list of ten million entries and looks all of them up, and what is
// beside them. LICET_LONG has all; without it a hundredth.
func TestLarge(t *testing.T) {
	n := 100_000
	if os.Getenv("LICET_LONG") != "" {
		n = 10_000_000
	}
	made := scattered(n)
	data := must(revocation.Sign(made, listKey("list")))
	l := must(revocation.Open(data, ring))
	if !l.Equal(made) || l.Len() != n {
		t.Fatalf("%d entries were read, of %d", l.Len(), n)
	}
	for e := range made.Entries() {
		if l.Revoked(e.KeyID, e.Product, e.First) != 1 || l.Revoked(e.KeyID, e.Product, e.First-1) != 0 || l.Revoked(e.KeyID, e.Product, e.First+1) != 0 {
			t.Fatalf("%v, or what is beside it, is taken for something else", e)
		}
	}
	if !bytes.Equal(must(revocation.Sign(must(l.Draft().List()), listKey("list"))), data) {
		t.Error("signed again, it is another note")
	}
	d := l.Draft()
	check(d.Revoke(revocation.Entry{KeyID: idA, Product: 7, First: 1, Last: 1<<53 - 1, ReasonCode: "all"}))
	check(d.Restore(revocation.Entry{KeyID: idB, Product: 8, First: 1, Last: 1<<53 - 1}))
	diff := revocation.Compare(l, must(d.List()))
	var dropped, added int
	for range diff.Dropped() {
		dropped++
	}
	for range diff.Added() {
		added++
	}
	if dropped != n/4 || added < n/4 || added > n/4+1 {
		t.Errorf("%d entries dropped, %d ranges added; each about %d", dropped, added, n/4)
	}
}

// TestMarshalMemory counts the copies of a text that are made while it is written.
func TestMarshalMemory(t *testing.T) {
	l := scattered(100_000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	text := l.Marshal()
	runtime.ReadMemStats(&after)
	if copies := float64(after.TotalAlloc-before.TotalAlloc) / float64(len(text)); copies > 1.1 {
		t.Errorf("%.2f copies, want one", copies)
	}
}
