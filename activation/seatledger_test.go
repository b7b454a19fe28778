package activation_test

import (
	"path/filepath"
	"testing"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/activation/sqlite"
)

// openLedger returns an empty ledger that counts seats, and what closes it and opens it
// again.
func openLedger(t testing.TB) (l activation.Ledger, restart func() activation.Ledger) {
	path := filepath.Join(t.TempDir(), "activations.db")
	open := func() activation.Ledger {
		now, err := sqlite.Open(path, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { now.Close() })
		l = now
		return now
	}
	return open(), func() activation.Ledger {
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		return open()
	}
}
