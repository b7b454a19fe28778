package home_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/licet-dev/licet/cmd/internal/home"
	"github.com/licet-dev/licet/keys"
)

// quiet is told of no wait.
func quiet(t *testing.T) func(string) {
	return func(text string) { t.Errorf("told %q", text) }
}

// Changes of a ring wait for each other: none is lost.
func TestOpenLocked(t *testing.T) {
	dir := t.TempDir()
	if _, _, err := home.OpenLocked(t.Context(), dir, quiet(t)); !errors.Is(err, home.ErrNone) {
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
			h, release, err := home.OpenLocked(t.Context(), dir, func(string) {}) // on a slow disk the last waits long
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

// Whoever waits is told for what, and waits no longer than he wants to. The home is as
// it was then, and free when the other has ended.
func TestOpenLockedGivesUp(t *testing.T) {
	dir := t.TempDir()
	ring, err := keys.NewRing("Acme Tools", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := (&home.Home{Dir: dir}).SaveRing(ring); err != nil {
		t.Fatal(err)
	}
	_, release, err := home.OpenLocked(t.Context(), dir, quiet(t))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var told []string
	h, _, err := home.OpenLocked(ctx, dir, func(text string) {
		told = append(told, text)
		cancel()
	})
	if h != nil || !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "ring.lock: gave up waiting for the lock, nothing was changed") {
		t.Errorf("%v, %v", h, err)
	}
	if len(told) != 1 || !strings.HasPrefix(told[0], "waiting for another program that changes the home and holds the lock ") {
		t.Errorf("told %q", told)
	}
	if _, _, err := home.OpenLocked(ctx, dir, quiet(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
	release()
	_, release, err = home.OpenLocked(t.Context(), dir, quiet(t))
	if err != nil {
		t.Fatal(err)
	}
	release()
}
