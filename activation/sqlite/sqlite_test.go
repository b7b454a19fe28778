package sqlite

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/activation/internal/ledgertest"
)

func openTest(t testing.TB, path string) *Ledger {
	t.Helper()
	l, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func TestLedger(t *testing.T) {
	var l *Ledger
	ledgertest.Run(t, ledgertest.Harness{
		Open: func(t testing.TB) activation.Ledger {
			l = openTest(t, filepath.Join(t.TempDir(), "a b?c#d%41.db"))
			return l
		},
		Age: func(t testing.TB, code activation.CodeID, by time.Duration) {
			t.Helper()
			_, err := l.db.Exec("UPDATE activation SET issued_at = issued_at - ?2, refresh_by = refresh_by - ?2, lease_until = lease_until - ?2, released_at = released_at - ?2 WHERE code_id = ?1", code[:], by.Milliseconds())
			if err != nil {
				t.Fatal(err)
			}
		},
	})
}
