package signer_test

import (
	"sync"
	"testing"

	"github.com/licet-dev/licet/keys"
)

// One signer serves many goroutines, from the first code on. Run under -race.
func TestConcurrentMinting(t *testing.T) {
	for _, descriptor := range []string{workedHS, workedES} {
		key, private := fixedKey(descriptor, 7)
		count := 2000
		if key.Suite() == keys.ES256 {
			count = 40
		}
		alone := newSigner(t, key, private)
		want := make([]string, count)
		for i := range want {
			lic := workedLicense
			lic.Serial = uint64(i + 1)
			want[i] = must(alone.Mint(lic))
		}
		shared := newSigner(t, key, private)
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				var buf []byte
				for k := range want {
					i := (k + g*count/8) % count // each goroutine begins elsewhere
					lic := workedLicense
					lic.Serial = uint64(i + 1)
					var err error
					if buf, err = shared.AppendCode(buf[:0], &lic); err != nil || string(buf) != want[i] {
						t.Errorf("serial %d: %s, %v; want %s", i+1, buf, err, want[i])
						return
					}
				}
			})
		}
		wg.Wait()
	}
}
