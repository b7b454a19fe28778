package home_test

import (
	"errors"
	"os"
	"sync"
	"testing"

	"github.com/licet-dev/licet/cmd/internal/home"
	"github.com/licet-dev/licet/keys"
)

// Changes of a ring wait for each other: none is lost.
func TestOpenLocked(t *testing.T) {
	dir := t.TempDir()
	if _, _, err := home.OpenLocked(dir); !errors.Is(err, home.ErrNone) {
		t.Errorf("a folder without home: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("something was left in a folder without home: %v, %v", left, err)
	}
	ring, err := keys.NewRing("Acme Tools", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := (&home.Home{Dir: dir}).SaveRing(ring); err != nil {
		t.Fatal(err)
	}
	const changes = 20
	var all sync.WaitGroup
	for i := range changes {
		all.Go(func() {
			h, release, err := home.OpenLocked(dir)
			if err != nil {
				t.Error(err)
				return
			}
			defer release()
			ring, err := keys.NewRing(h.Ring.Issuer(), append(h.Ring.Products(), keys.Product{Number: uint64(i + 1), Name: "Widget"}), nil)
			if err != nil {
				t.Error(err)
				return
			}
			if err := h.SaveRing(ring); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	h, err := home.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(h.Ring.Products()); n != changes {
		t.Errorf("%d products after %d changes", n, changes)
	}
}
