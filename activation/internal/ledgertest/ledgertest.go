// Package ledgertest tests what every ledger that counts seats must do.
package ledgertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/keys/receipt"
)

// A Harness is a kind of ledger under test.
type Harness struct {
	// Open opens a ledger on the storage of the test, which each of its calls shares
	// where the ledger allows several.
	Open func(testing.TB) activation.Ledger

	// Other returns another ledger on the same storage, for races between two servers.
	// It is nil where there is none.
	Other func(testing.TB) activation.Ledger

	// Age makes everything on record of a licence older.
	Age func(t testing.TB, code activation.CodeID, by time.Duration)
}

// long tells whether tests may take minutes.
func long() bool { return os.Getenv("LICET_LONG") != "" }

var codes atomic.Uint64

// NewClaim returns the claim of a new licence by its subject n.
func NewClaim(seats int64, n int) activation.Claim {
	c := activation.Claim{Seats: seats, Lease: activation.Lease{Refresh: 30 * 24 * time.Hour, Grace: 24 * time.Hour}}
	copy(c.Code[:], fmt.Sprintf("%08x%08x", uint32(os.Getpid()), uint32(time.Now().UnixNano())))
	copy(c.Code[8:], strconv.FormatUint(codes.Add(1)+1<<40, 36))
	return By(c, n)
}

// By returns the same claim by another subject, with a request of its own.
func By(c activation.Claim, n int) activation.Claim {
	c.Subject = activation.NewSubjectID(c.Code, receipt.Subject{Kind: receipt.Device, Hash: [32]byte{byte(n), byte(n >> 8), byte(n >> 16), 1}})
	c.Key = activation.HashKey(strconv.Itoa(n))
	c.Request = [32]byte{byte(n), byte(n >> 8)}
	return c
}

// again returns the same claim with another key.
func again(c activation.Claim, key string) activation.Claim {
	c.Key = activation.HashKey(key)
	return c
}

// Run runs all tests.
func Run(t *testing.T, h Harness) {
	for name, test := range map[string]func(*suite){
		"claim": (*suite).claim, "window": (*suite).window, "full": (*suite).full, "keys": (*suite).keys,
		"renew": (*suite).renew, "lapse": (*suite).lapse, "release": (*suite).release, "hold": (*suite).hold,
		"give-backs": (*suite).giveBacks, "lowered": (*suite).lowered, "unlimited": (*suite).unlimited,
		"seats": (*suite).seats, "race": (*suite).race, "devices": (*suite).devices, "retries": (*suite).retries,
	} {
		t.Run(name, func(t *testing.T) { test(newSuite(t, h)) })
	}
}

type suite struct {
	*testing.T
	l   activation.Ledger
	all []activation.Ledger // l, and another on the same storage if there is one
	h   Harness
}

func newSuite(t *testing.T, h Harness) *suite {
	s := &suite{T: t, l: h.Open(t), h: h}
	s.all = []activation.Ledger{s.l}
	if h.Other != nil {
		s.all = append(s.all, h.Other(t))
	}
	return s
}

// claims makes a claim and checks what comes out.
func (s *suite) claims(c activation.Claim, want activation.Outcome, wantErr error) activation.Seat {
	s.Helper()
	seat, o, err := s.l.Claim(s.Context(), c)
	if o != want || !errors.Is(err, wantErr) {
		s.Fatalf("%v, %v; want %v, %v", o, err, want, wantErr)
	}
	if err != nil && seat != (activation.Seat{}) {
		s.Fatalf("%v comes with %v", seat, err)
	}
	return seat
}

func (s *suite) renews(c activation.Claim, want error) activation.Seat {
	s.Helper()
	seat, err := s.l.Renew(s.Context(), activation.Renewal{Code: c.Code, Subject: c.Subject, Lease: c.Lease})
	if !errors.Is(err, want) {
		s.Fatalf("Renew: %v; want %v", err, want)
	}
	return seat
}

func (s *suite) releases(c activation.Claim, giveBacks int, hold bool, want error) activation.Seat {
	s.Helper()
	seat, err := s.l.Release(s.Context(), activation.GiveBack{Code: c.Code, Subject: c.Subject, GiveBacks: giveBacks, Hold: hold})
	if !errors.Is(err, want) {
		s.Fatalf("Release: %v; want %v", err, want)
	}
	return seat
}

func (s *suite) claim() {
	c := NewClaim(3, 1)
	seat := s.claims(c, activation.Granted, nil)
	switch {
	case seat.Subject != c.Subject, seat.Number < 0, seat.Number > 2, seat.Seats != 3, !seat.Enforced, !seat.Released.IsZero():
		s.Errorf("the seat is %+v", seat)
	case seat.RefreshBy.Sub(seat.Issued) != c.Lease.Refresh, seat.End.Sub(seat.RefreshBy) != c.Lease.Grace:
		s.Errorf("the lease is %s, %s, %s", seat.Issued, seat.RefreshBy, seat.End)
	case time.Since(seat.Issued) > time.Hour, time.Since(seat.Issued) < -time.Hour, seat.Issued.Location() != time.UTC:
		s.Errorf("issued %s", seat.Issued)
	}
	if got := s.claims(c, activation.Replayed, nil); got != seat {
		s.Errorf("replayed %+v, granted %+v", got, seat)
	}
	if got := s.claims(again(c, "other"), activation.Held, nil); got != seat {
		s.Errorf("held %+v, granted %+v", got, seat)
	}
	forever := NewClaim(1, 1)
	forever.Lease = activation.Lease{Grace: time.Hour}
	if seat := s.claims(forever, activation.Granted, nil); !seat.RefreshBy.Equal(receipt.Never) || !seat.End.Equal(receipt.Never) {
		s.Errorf("without a lease: %+v", seat)
	}
	if _, _, err := s.l.Claim(s.Context(), NewClaim(0, 1)); err == nil || errors.Is(err, activation.ErrFull) {
		s.Errorf("no seats: %v", err)
	}
	if err := s.l.Ready(s.Context()); err != nil {
		s.Error(err)
	}
	done, cancel := context.WithCancel(s.Context())
	cancel()
	if _, _, err := s.l.Claim(done, NewClaim(1, 1)); !errors.Is(err, context.Canceled) {
		s.Errorf("with a context that is done: %v", err)
	}
}

func (s *suite) window() {
	c := NewClaim(1, 1)
	c.From, c.Until = time.Now().Add(time.Hour), time.Now().Add(2*time.Hour)
	s.claims(c, 0, activation.ErrNotYet)
	c.From, c.Until = time.Time{}, time.Now().Add(-time.Hour)
	s.claims(c, 0, activation.ErrOver)
	c.From, c.Until = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	s.claims(c, activation.Granted, nil)
	c.Until = time.Now().Add(-time.Minute)
	s.claims(c, activation.Replayed, nil) // what was granted stays so
}

func (s *suite) full() {
	c := NewClaim(2, 1)
	a, b := s.claims(c, activation.Granted, nil), s.claims(By(c, 2), activation.Granted, nil)
	if a.Number == b.Number {
		s.Errorf("both have seat %d", a.Number)
	}
	s.claims(By(c, 3), 0, activation.ErrFull)
	s.releases(c, 1, false, nil)
	s.claims(By(c, 3), activation.Granted, nil) // the same key as before: refusals are not kept (EP-05)
	s.claims(again(c, "new"), 0, activation.ErrFull)
}

func (s *suite) keys() {
	c := NewClaim(3, 1)
	s.claims(c, activation.Granted, nil)
	other := By(c, 2)
	other.Key = c.Key
	s.claims(other, 0, activation.ErrKeyReused)
	changed := c
	changed.Request[31]++
	s.claims(changed, 0, activation.ErrKeyReused)
	elsewhere := NewClaim(3, 1) // the same key for another licence
	s.claims(elsewhere, activation.Granted, nil)
}

func (s *suite) renew() {
	c := NewClaim(1, 1)
	s.renews(c, activation.ErrNoSeat)
	first := s.claims(c, activation.Granted, nil)
	s.h.Age(s, c.Code, 10*24*time.Hour)
	seat := s.renews(c, nil)
	if seat.Issued.Before(first.Issued) || seat.Number != first.Number || seat.End.Sub(seat.Issued) != 31*24*time.Hour {
		s.Errorf("renewed %+v, first %+v", seat, first)
	}
	if got := s.claims(c, activation.Replayed, nil); got != seat {
		s.Errorf("replayed %+v, renewed %+v", got, seat)
	}
	s.h.Age(s, c.Code, 40*24*time.Hour)
	s.renews(c, nil) // late, but nobody else has the seat
	s.renews(By(c, 2), activation.ErrNoSeat)
	s.releases(c, 1, false, nil)
	s.renews(c, activation.ErrGone)
}

func (s *suite) lapse() {
	c := NewClaim(1, 1)
	s.claims(c, activation.Granted, nil)
	s.h.Age(s, c.Code, 30*24*time.Hour)
	s.claims(By(c, 2), 0, activation.ErrFull) // in grace
	s.h.Age(s, c.Code, 2*24*time.Hour)
	s.claims(c, 0, activation.ErrGone)
	s.claims(By(c, 2), activation.Granted, nil)
	s.renews(c, activation.ErrNoSeat)
	s.claims(again(c, "new"), 0, activation.ErrFull)
	if seat := s.releases(c, 0, false, nil); seat.Number != -1 { // nothing is left to give back
		s.Errorf("lapsed and released: %+v", seat)
	}
	s.h.Age(s, c.Code, 32*24*time.Hour)
	s.claims(again(By(c, 2), "new"), activation.Granted, nil) // its own seat had lapsed
}

func (s *suite) release() {
	c := NewClaim(1, 1)
	s.releases(c, 1, false, activation.ErrNoSeat)
	s.claims(c, activation.Granted, nil)
	first := s.releases(c, 1, false, nil)
	if first.Number != -1 || first.Released.IsZero() {
		s.Errorf("released: %+v", first)
	}
	if second := s.releases(c, 1, false, nil); second != first {
		s.Errorf("released again: %+v, %+v", second, first)
	}
	s.claims(c, 0, activation.ErrGone) // a late retry takes nothing
	s.claims(again(c, "new"), activation.Granted, nil)
}

func (s *suite) hold() {
	c := NewClaim(1, 1)
	s.claims(c, activation.Granted, nil)
	held := s.releases(c, 0, true, nil)
	if held.Number != 0 || held.Released.IsZero() {
		s.Errorf("held: %+v", held)
	}
	s.claims(By(c, 2), 0, activation.ErrFull)
	s.claims(c, 0, activation.ErrGone)
	s.renews(c, activation.ErrGone)
	if back := s.claims(again(c, "new"), activation.Held, nil); !back.Released.IsZero() || !back.End.Equal(held.End) {
		s.Errorf("given back to its subject: %+v", back)
	}
	s.releases(c, 0, true, nil)
	s.h.Age(s, c.Code, 32*24*time.Hour)
	s.claims(By(c, 2), activation.Granted, nil)
}

func (s *suite) giveBacks() {
	c := NewClaim(2, 1)
	for n := range 2 {
		s.claims(again(c, "key "+strconv.Itoa(n)), activation.Granted, nil)
		s.releases(c, 2, false, nil)
	}
	s.claims(c, activation.Granted, nil)
	s.releases(c, 2, false, activation.ErrGiveBacks)
	s.claims(c, activation.Replayed, nil)
	if seat := s.releases(c, 2, true, nil); seat.Number < 0 {
		s.Errorf("without a give-back: %+v", seat)
	}
	other := NewClaim(1, 1) // another licence has give-backs of its own
	s.claims(other, activation.Granted, nil)
	s.releases(other, 1, false, nil)
}

// EP-24: fewer seats than are taken change nothing for who has one.
func (s *suite) lowered() {
	c := NewClaim(5, 0)
	for n := range 5 {
		s.claims(By(c, n), activation.Granted, nil)
	}
	low := c
	low.Seats = 2
	for n := range 5 {
		l := By(low, n)
		s.claims(l, activation.Replayed, nil)
		s.renews(l, nil)
	}
	s.claims(By(low, 6), 0, activation.ErrFull)
	for n := range 4 {
		s.releases(By(low, n), 10, false, nil)
		if n < 3 {
			s.claims(By(low, 6+n), 0, activation.ErrFull)
		}
	}
	high := c
	high.Seats = 7
	s.claims(By(high, 20), activation.Granted, nil)
}

func (s *suite) unlimited() {
	c := NewClaim(activation.Unlimited, 0)
	for n := range 50 {
		s.claims(By(c, n), activation.Granted, nil)
	}
}

func (s *suite) seats() {
	c := NewClaim(3, 1)
	for n := range 3 {
		s.claims(By(c, n), activation.Granted, nil)
	}
	s.releases(By(c, 1), 1, false, nil)
	on, err := s.l.Seats(s.Context(), c.Code)
	if err != nil || len(on) != 3 || on[0].Number != -1 || on[0].Subject != By(c, 1).Subject || on[1].Number >= on[2].Number {
		s.Errorf("%+v, %v", on, err)
	}
	if on, err := s.l.Seats(s.Context(), NewClaim(1, 1).Code); err != nil || len(on) != 0 {
		s.Errorf("of an unknown licence: %+v, %v", on, err)
	}
}

// together makes claims at once and counts what comes out. Those refused must be so for
// a full code.
func (s *suite) together(claims []activation.Claim) (granted, held, full int64) {
	s.Helper()
	var g, h, f atomic.Int64
	var all sync.WaitGroup
	begin := make(chan struct{})
	for i, c := range claims {
		all.Go(func() {
			<-begin
			_, o, err := s.all[i%len(s.all)].Claim(s.Context(), c)
			switch {
			case o == activation.Granted:
				g.Add(1)
			case err == nil:
				h.Add(1)
			case errors.Is(err, activation.ErrFull):
				f.Add(1)
			default:
				s.Error(err)
			}
		})
	}
	close(begin)
	all.Wait()
	return g.Load(), h.Load(), f.Load()
}

// holders returns how many have a seat, after it checked that no two have the same.
func (s *suite) holders(code activation.CodeID) int64 {
	s.Helper()
	on, err := s.l.Seats(s.Context(), code)
	if err != nil {
		s.Fatal(err)
	}
	numbers, subjects := map[int64]bool{}, map[activation.SubjectID]bool{}
	for _, seat := range on {
		if seat.Number < 0 {
			continue
		}
		if numbers[seat.Number] || subjects[seat.Subject] || seat.Number >= seat.Seats {
			s.Errorf("seat %d of %d, subject %s: there twice, or too high", seat.Number, seat.Seats, seat.Subject)
		}
		numbers[seat.Number], subjects[seat.Subject] = true, true
	}
	return int64(len(numbers))
}

// EP-01: 64 clients at a time for all the seats of one licence.
func (s *suite) race() {
	for _, seats := range []int64{1, 3, 20, 1000} {
		c := NewClaim(seats, 0)
		devices := int(max(64, seats+24))
		var granted, full int64
		for begin := 0; begin < devices; begin += 64 {
			var claims []activation.Claim
			for n := begin; n < min(begin+64, devices); n++ {
				claims = append(claims, By(c, n))
			}
			g, h, f := s.together(claims)
			granted, full = granted+g, full+f
			if h != 0 {
				s.Errorf("%d held", h)
			}
		}
		if n := s.holders(c.Code); granted != seats || n != seats || full != int64(devices)-seats {
			s.Errorf("%d seats: %d granted, %d on record, %d refused of %d", seats, granted, n, full, devices)
		}
	}
}

// Twenty devices for three seats, on many licences at once.
func (s *suite) devices() {
	licences := 100
	if long() {
		licences = 10_000
	}
	for begin := 0; begin < licences; begin += 20 {
		var claims []activation.Claim
		for range 20 {
			c := NewClaim(3, 0)
			for n := range 20 {
				claims = append(claims, By(c, n))
			}
		}
		if g, h, f := s.together(claims); g != 60 || h != 0 || f != 340 {
			s.Fatalf("%d granted, %d held, %d refused; want 60, 0, 340", g, h, f)
		}
		for i := 0; i < len(claims); i += 20 {
			if n := s.holders(claims[i].Code); n != 3 {
				s.Fatalf("%d have a seat", n)
			}
		}
	}
}

// Retries at once never take a second seat.
func (s *suite) retries() {
	rounds := 5
	if long() {
		rounds = 60
	}
	for range rounds {
		c := NewClaim(5, 0)
		var sameDevice, sameKey, sameRequest []activation.Claim
		for n := range 24 {
			sameDevice = append(sameDevice, again(c, "key "+strconv.Itoa(n)))
			sameRequest = append(sameRequest, c)
		}
		if g, h, f := s.together(sameDevice); g != 1 || h != 23 || f != 0 || s.holders(c.Code) != 1 {
			s.Fatalf("one device, 24 keys: %d granted, %d held, %d refused", g, h, f)
		}
		c = NewClaim(5, 0)
		for i := range sameRequest {
			sameRequest[i] = c
		}
		if g, h, f := s.together(sameRequest); g != 1 || h != 23 || f != 0 || s.holders(c.Code) != 1 {
			s.Fatalf("one request, 24 times: %d granted, %d replayed, %d refused", g, h, f)
		}
		c = NewClaim(5, 0)
		for n := range 24 {
			k := By(c, n)
			k.Key = c.Key
			sameKey = append(sameKey, k)
		}
		var granted, reused atomic.Int64
		var all sync.WaitGroup
		for i, k := range sameKey {
			all.Go(func() {
				switch _, _, err := s.all[i%len(s.all)].Claim(s.Context(), k); {
				case err == nil:
					granted.Add(1)
				case errors.Is(err, activation.ErrKeyReused):
					reused.Add(1)
				default:
					s.Error(err)
				}
			})
		}
		all.Wait()
		if granted.Load() != 1 || reused.Load() != 23 || s.holders(c.Code) != 1 {
			s.Fatalf("24 devices, one key: %d granted, %d reused", granted.Load(), reused.Load())
		}
	}
}
