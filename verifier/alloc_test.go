//go:build !race

// Under the race detector sync.Pool drops items at random.

package verifier_test

import (
	"testing"

	"github.com/licet-dev/licet/payload"
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
