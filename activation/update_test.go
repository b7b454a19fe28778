package activation_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/verifier"
	"github.com/licet-dev/licet/verifier/revocation"
)

func withLists(lists ...[]byte) func(*activation.Config) {
	return func(c *activation.Config) { c.Lists, c.Stale = lists, verifier.RefuseStale }
}

// A newer list decides from the next request on, an older one never again.
func TestUpdate(t *testing.T) {
	s := newService(withLists(newList(7)))
	activates := func(want activation.Problem, sequence uint64) {
		t.Helper()
		reply, err := s.Activate(t.Context(), request(hs.mint(license(1))))
		if want != "" {
			problem(t, err, want)
		} else if err != nil || reply.Sequence != sequence {
			t.Errorf("by list %d, error %v; want list %d", reply.Sequence, err, sequence)
		}
	}
	activates("", 7)
	for _, tt := range []struct {
		list     []byte
		taken    bool
		err      error
		want     activation.Problem
		sequence uint64
	}{
		{newList(8, revoke(hs, 1)), true, nil, activation.Revoked, 8},
		{newList(8, revoke(hs, 1)), false, nil, activation.Revoked, 8},
		{newList(7), false, verifier.ListOlder, activation.Revoked, 8},
		{newList(8), false, verifier.ListConflict, activation.Revoked, 8},
		{[]byte("no list"), false, verifier.ListUnreadable, activation.Revoked, 8},
		{newList(9), true, nil, "", 9},
		{newList(10, func(d *revocation.Draft) { d.Minimums[7] = 4 }), true, nil, activation.VersionTooOld, 10},
		{newList(11, func(d *revocation.Draft) { d.KeyStates[hs.ID()] = keys.Withdrawn }), true, nil, activation.CodeRefused, 11},
		{newList(12), true, nil, "", 12},
	} {
		taken, err := s.Update(tt.list)
		if taken != tt.taken || !errors.Is(err, tt.err) {
			t.Errorf("list %d: taken %t, error %v", tt.sequence, taken, err)
		}
		if l, ok := s.List(); !ok || l.Sequence != tt.sequence {
			t.Errorf("list %d at hand, want %d", l.Sequence, tt.sequence)
		}
		activates(tt.want, tt.sequence)
	}
	if l, ok := newService().List(); ok {
		t.Errorf("list %+v where there is none", l)
	}
	if taken, err := newService().Update(newList(7)); taken || err == nil {
		t.Errorf("without a policy for stale lists: taken %t, error %v", taken, err)
	}
}

// Once a list withdraws the receipt key, no seat is taken for a receipt that nobody
// would accept.
func TestReceiptKeyWithdrawn(t *testing.T) {
	text := signed(hs, license(1), closedReceipt)
	s := newService(withLists(newList(7)), func(c *activation.Config) { c.Ledger = guard{t: t} })
	if taken, err := s.Update(newList(8, func(d *revocation.Draft) { d.KeyStates[receiptKey.ID()] = keys.Withdrawn })); !taken || err != nil {
		t.Fatal(taken, err)
	}
	_, err := s.Activate(t.Context(), request(hs.mint(license(1))))
	if e := problem(t, err, activation.Unavailable); e.Reason != "receipt-key-withdrawn" {
		t.Errorf("%#v", e)
	}
	_, err = s.Refresh(t.Context(), about(text))
	if e := problem(t, err, activation.Unavailable); e.Reason != "receipt-key-withdrawn" {
		t.Errorf("%#v", e)
	}
	if _, err := s.Preview(t.Context(), request(hs.mint(license(1)))); err != nil {
		t.Error(err)
	}
	if taken, err := s.Update(newList(9, func(d *revocation.Draft) { d.KeyStates[receiptKey.ID()] = keys.Closed })); !taken || err != nil {
		t.Fatal(taken, err)
	}
}

// Lists come while requests are served: each request is judged by one of them.
func TestUpdateConcurrent(t *testing.T) {
	const lists = 40
	s := newService(withLists(newList(1)))
	var news [][]byte
	for n := uint64(2); n <= lists; n++ {
		if n%2 == 0 {
			news = append(news, newList(n, revoke(hs, 1)))
		} else {
			news = append(news, newList(n))
		}
	}
	code, other := hs.mint(license(1)), hs.mint(license(2))
	done := make(chan struct{})
	var updates, requests sync.WaitGroup
	for range 2 { // two that compete
		updates.Go(func() {
			for _, list := range news {
				if _, err := s.Update(list); err != nil && !errors.Is(err, verifier.ListOlder) {
					t.Error(err)
				}
			}
		})
	}
	for i := range 4 {
		requests.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-done:
					return
				default:
				}
				nonce := fmt.Sprintf("nonce-%020d-%d", n, i)
				reply, err := s.Activate(t.Context(), request(code, func(r *activation.Request) { r.Nonce = nonce }))
				switch {
				case errors.Is(err, activation.Revoked):
				case err != nil || reply.Sequence%2 == 0:
					t.Errorf("a revoked licence by list %d, error %v", reply.Sequence, err)
					return
				}
				if _, err := s.Activate(t.Context(), request(other, func(r *activation.Request) { r.Nonce = nonce })); err != nil {
					t.Errorf("a licence that no list revokes: %v", err)
					return
				}
			}
		})
	}
	updates.Wait()
	close(done)
	requests.Wait()
	if l, _ := s.List(); l.Sequence != lists {
		t.Errorf("list %d at hand, want %d", l.Sequence, lists)
	}
	_, err := s.Activate(t.Context(), request(code))
	problem(t, err, activation.Revoked)
}
