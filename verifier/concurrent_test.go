package verifier_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/verifier"
)

// One verifier serves many goroutines, and no code is judged by what another one
// left behind. Run under -race.
func TestConcurrentVerifying(t *testing.T) {
	hs, es, bound := newKey(workedHS, 7), newKey(workedES, 7), newKey(boundHS, 7)
	v := newVerifier(newRing(hs, es, bound))
	type item struct {
		code, binding string
		serial        uint64
		want          error
	}
	var items []item
	for serial := range uint64(150) {
		lic := workedLicense
		lic.Serial = serial + 1
		good := hs.mint(lic)
		items = append(items,
			item{good, "", serial + 1, nil},
			item{good[:len(good)-1] + "0", "", 0, payload.Unreadable},
			item{bound.mint(lic, "host-1"), "host-1", serial + 1, nil},
			item{bound.mint(lic, "host-1"), "host-2", 0, verifier.BadSignature},
		)
		if serial%10 == 0 {
			items = append(items, item{es.mint(lic), "", serial + 1, nil})
		}
	}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for k := range items {
				it := items[(k+g*len(items)/8)%len(items)]
				lic, err := v.VerifyBound(it.code, it.binding)
				if it.want == nil && (err != nil || lic.Serial != it.serial || errAt(lic, noon) != nil) ||
					it.want != nil && (!errors.Is(err, it.want) || lic.Serial != 0) {
					t.Errorf("VerifyBound(%s, %q) = serial %d, %v; want %d, %v", it.code, it.binding, lic.Serial, err, it.serial, it.want)
					return
				}
			}
		})
	}
	wg.Wait()
}
