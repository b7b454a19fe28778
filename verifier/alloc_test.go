//go:build !race

// Under the race detector sync.Pool drops items at random.

package verifier_test

import (
	"testing"
	"time"

	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/verifier"
	"github.com/licet-dev/licet/verifier/revocation"
)

// An accepted hs256 code makes no work for the garbage collector, however it is
// typed.
func TestVerifyAllocatesNothing(t *testing.T) {
	own := newKey("licet/v1 hs256 key=13 prefix= layout=product:9,colour:3,seats:11,serial:27 bind=none sig=160", 7)
	v := newVerifier(newRing(newKey(workedHS, 7), newKey(workedES, 7), own))
	for _, code := range []string{
		workedHSCode,
		"  acme ahjx yqet 69fw h3qz jg9e 69ps 6hvk elwz.",
		fullWidth(workedHSCode),
		own.mint(payload.License{Product: 7, Serial: 1, Seats: 2}),
	} {
		var err error
		allocs := testing.AllocsPerRun(1000, func() { _, err = v.Verify(code) })
		if err != nil || allocs != 0 {
			t.Errorf("Verify(%q) allocates %v times, %v", code, allocs, err)
		}
	}
}

// Nor does a large list, a clock that goes on, or a licence in its grace.
func TestVerifyWithListAllocatesNothing(t *testing.T) {
	hs, ours := newKey(workedHS, 7), newListKey("ours")
	list := newList(due("2099-01-01T00:00:00Z"), minimum(7, 1), func(d *revocation.Draft) {
		for i := range uint64(100_000) {
			revoke(hs, 2000+2*i, 2000+2*i, "")(d)
		}
	})
	if list.Len() != 100_000 {
		t.Fatalf("%d entries", list.Len())
	}
	data := ours.sign(list)
	for name, begin := range map[string]string{"valid": "2027-06-01T00:00:00Z", "expiring": "2027-12-01T00:00:00Z", "in-grace": "2028-01-01T00:00:00Z"} {
		var clock testClock
		clock.set(begin)
		v := must(tryVerifier(newRing(hs, ours), withLists(data), func(o *verifier.Options) {
			o.Clock = func() time.Time {
				clock.now = clock.now.Add(time.Second) // so that the latest time moves
				return clock.now
			}
			o.Tolerance, o.Grace, o.Warn, o.Leeway = time.Hour, 31, 31, time.Second
		}))
		var lic verifier.License
		var err error
		verify := func() { lic, err = v.Verify(workedHSCode) }
		verify() // reserves the room that later ones use
		for range 3 {
			before := v.Latest()
			allocs := testing.AllocsPerRun(1000, verify)
			if err != nil || allocs != 0 || listOf(lic) != 7 {
				t.Errorf("%s: Verify allocates %v times, %v", name, allocs, err)
			}
			if v.Latest().Sub(before) < 1000*time.Second {
				t.Errorf("%s: the latest time did not move", name)
			}
		}
		if lic.Status.String() != name {
			t.Errorf("%s: %s", name, lic.Status)
		}
		if allocs := testing.AllocsPerRun(1000, func() { _, err = lic.At(clock.now) }); err != nil || allocs != 0 {
			t.Errorf("%s: At allocates %v times, %v", name, allocs, err)
		}
	}
}
