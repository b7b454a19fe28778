package verifier_test

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/verifier"
	"github.com/licet-dev/licet/verifier/revocation"
)

// Lists come while eight goroutines verify. Every verdict is that of one list, as a
// whole, and after Update has returned of no older one. Run under -race.
func TestUpdateWhileVerifying(t *testing.T) {
	const lists = 30
	hs, ours := newKey(workedHS, 7), newListKey("ours")
	// Odd lists revoke serial 1 and ask for version 3 of serial 2; even ones the contrary.
	codes := [2]string{}
	for i := range codes {
		lic := workedLicense
		lic.Serial, lic.Version = uint64(i+1), 2
		codes[i] = hs.mint(lic)
	}
	var signed [][]byte
	for n := range uint64(lists) {
		changes := []func(*revocation.Draft){sequence(n + 1)}
		if (n+1)%2 == 1 {
			changes = append(changes, revoke(hs, 1, 1, "odd"))
		} else {
			changes = append(changes, minimum(7, 3))
		}
		signed = append(signed, ours.newList(changes...))
	}
	// want returns what list n says of the code of serial 1 or 2.
	want := func(n, serial uint64) error {
		switch {
		case n%2 == 0:
			return verifier.BelowMinimum
		case serial == 1:
			return verifier.Revoked
		}
		return nil
	}

	v := must(tryVerifier(newRing(hs, ours), withLists(signed[0]), func(o *verifier.Options) { o.Tolerance = 1 }))
	kept := must(v.Verify(codes[1]))
	var begun, done atomic.Uint64 // the list that Update was given last, and the one that it has taken
	begun.Store(1)
	done.Store(1)
	var judged [lists + 1]atomic.Int64 // verdicts by list
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			last := uint64(0)
			for i := g; done.Load() < lists || i < g+10; i++ {
				serial := uint64(i%2 + 1)
				oldest := done.Load()
				var lic verifier.License
				var err error
				if i%3 == 0 && serial == 2 {
					lic, err = kept.At(noon)
				} else {
					lic, err = v.Verify(codes[serial-1])
				}
				newest := begun.Load()
				if e, ok := errors.AsType[*verifier.NotAcceptableError](err); ok {
					lic = e.License
				} else if err != nil {
					t.Error(err)
					return
				}
				n := listOf(lic)
				if n < oldest || n > newest || n < last {
					t.Errorf("judged by list %d, after list %d; lists %d to %d may judge", n, last, oldest, newest)
				}
				if reason := want(n, serial); reason == nil && err != nil || reason != nil && !errors.Is(err, reason) || lic.Serial != serial {
					t.Errorf("list %d: serial %d: got %v, want %v", n, serial, err, reason)
				}
				last = n
				judged[n].Add(1)
			}
		})
	}
	for i, list := range signed[1:] {
		for judged[i+1].Load() == 0 && !t.Failed() { // so that every list judges
			runtime.Gosched()
		}
		begun.Store(uint64(i + 2))
		if taken, err := v.Update(list); !taken || err != nil {
			t.Errorf("list %d: %t, %v", i+2, taken, err)
		}
		done.Store(uint64(i + 2))
		if atHand(v) != uint64(i+2) {
			t.Errorf("list %d judges after %d was taken", atHand(v), i+2)
		}
	}
	wg.Wait()
}

// Many bring lists at once, in any order. The newest stays.
func TestConcurrentUpdates(t *testing.T) {
	hs, ours := newKey(workedHS, 7), newListKey("ours")
	v := must(tryVerifier(newRing(hs, ours), func(o *verifier.Options) { o.Stale = verifier.RefuseStale }))
	var wg sync.WaitGroup
	for g := range uint64(8) {
		wg.Go(func() {
			for n := range uint64(20) {
				number := (n*7+g*5)%40 + 1
				taken, err := v.Update(ours.newList(sequence(number)))
				if err != nil && !errors.Is(err, verifier.ListOlder) || taken && atHand(v) < number {
					t.Errorf("list %d: %t, %v; list %d judges", number, taken, err, atHand(v))
				}
			}
		})
	}
	wg.Wait()
	newest := uint64(0)
	for n := range uint64(20) {
		for g := range uint64(8) {
			newest = max(newest, (n*7+g*5)%40+1)
		}
	}
	if atHand(v) != newest {
		t.Errorf("list %d judges, want %d", atHand(v), newest)
	}
}

// A list that withdraws a list key, and a newer one signed with that key, come at the
// same moment. Whichever is first, never are both taken.
func TestWithdrawnListKeyAtTheSameMoment(t *testing.T) {
	hs, ours, second := newKey(workedHS, 7), newListKey("ours"), newListKey("second")
	ring := newRing(hs, ours, second)
	withdraws, signed := ours.newList(sequence(8), stateOf(second, keys.Withdrawn)), second.newList(sequence(9))
	for range 100 {
		v := must(tryVerifier(ring, withLists(ours.newList())))
		var taken [2]bool
		var errs [2]error
		var wg sync.WaitGroup
		wg.Go(func() { taken[0], errs[0] = v.Update(withdraws) })
		wg.Go(func() { taken[1], errs[1] = v.Update(signed) })
		wg.Wait()
		switch {
		case taken[0] && !taken[1] && errors.Is(errs[1], verifier.ListUnreadable):
		case taken[1] && !taken[0] && errors.Is(errs[0], verifier.ListOlder):
		default:
			t.Fatalf("taken: %t, %v", taken, errs)
		}
	}
}
