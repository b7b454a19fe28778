package sqlite

import (
	"path/filepath"
	"testing"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/activation/internal/ledgertest"
)

// BenchmarkClaim has 64 clients a processor take seats of licences of their own.
func BenchmarkClaim(b *testing.B) {
	l := openTest(b, filepath.Join(b.TempDir(), "activations.db"))
	b.SetParallelism(64)
	b.RunParallel(func(pb *testing.PB) {
		for n := 0; pb.Next(); n++ {
			if _, o, err := l.Claim(b.Context(), ledgertest.NewClaim(3, n)); o != activation.Granted {
				b.Error(o, err)
				return
			}
		}
	})
}
