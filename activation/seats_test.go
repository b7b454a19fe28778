package activation_test

import (
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/keys/receipt"
	"github.com/licet-dev/licet/payload"
)

// A ledger that counts seats has a clock of its own in these tests: the licences
// hold for as long as there are days.
func forever(serial uint64) payload.License {
	return payload.License{Product: 7, Version: 3, Expiry: payload.Never, Serial: serial}
}

func withLedger(l activation.Ledger) func(*activation.Config) {
	return func(c *activation.Config) { c.Ledger, c.Clock = l, nil }
}

// on makes it a request of a device, with a nonce and a key that belong to it.
func on(machine int) func(*activation.Request) {
	return func(r *activation.Request) {
		r.Subject, r.Nonce, r.Key = device(number("machine", machine)), fmt.Sprintf("nonce-%020d", machine), number("key", machine)
	}
}

func anew(r *activation.Request) { r.Nonce, r.Key = r.Nonce+"-2", r.Key+"-2" }

// The same request gets the same bytes, from another service on the same ledger and
// after a restart of both (EP-25).
func TestReplay(t *testing.T) {
	ledger, restart := openLedger(t)
	s := newService(withLedger(ledger))
	r := request(es.mint(forever(1)))
	first := must(s.Activate(t.Context(), r))
	if first.Outcome != activation.Granted || !first.Seat.Enforced || first.Seat.Seats != 1 || first.Seat.Number != 0 {
		t.Errorf("%+v", first)
	}
	same := func(s *activation.Service, when string) {
		t.Helper()
		reply, err := s.Activate(t.Context(), r)
		if err != nil || reply.Outcome != activation.Replayed || reply.Receipt != first.Receipt {
			t.Errorf("%s: %+v, error %v; want %+v", when, reply, err, first)
		}
	}
	same(s, "at once")
	same(newService(withLedger(ledger)), "from another service")
	ledger = restart()
	s = newService(withLedger(ledger))
	same(s, "after a restart")
	lic := must(customer(t, first.Seat.Issued).VerifyReply(first.Receipt, r.Subject, r.Nonce))
	if h, _ := lic.Receipt(); !h.SeatsEnforced || !h.Issued.Equal(first.Seat.Issued.Truncate(time.Second)) {
		t.Errorf("receipt %+v", h)
	}

	// EP-04: the key stands for this request only.
	for name, change := range map[string]func(*activation.Request){
		"nonce":   func(r *activation.Request) { r.Nonce += "x" },
		"device":  func(r *activation.Request) { r.Subject = device("other") },
		"binding": func(r *activation.Request) { r.Binding = "x" },
	} {
		_, err := s.Activate(t.Context(), request(es.mint(forever(1)), change))
		if e := problem(t, err, activation.KeyReused); e.Code != first.Code {
			t.Errorf("another %s: %#v", name, e)
		}
	}
	// It is one of this licence only.
	if reply, err := s.Activate(t.Context(), request(es.mint(forever(2)))); err != nil || reply.Outcome != activation.Granted {
		t.Errorf("the key with another licence: %+v, error %v", reply, err)
	}
	// A device that asks anew has its seat already, and gets the answer to its request.
	reply := must(s.Activate(t.Context(), request(es.mint(forever(1)), anew)))
	if reply.Outcome != activation.Held || reply.Seat != first.Seat || reply.Receipt == first.Receipt {
		t.Errorf("anew: %+v", reply)
	}
	if _, err := customer(t, first.Seat.Issued).VerifyReply(reply.Receipt, r.Subject, nonce+"-2"); err != nil {
		t.Error(err)
	}
	same(s, "after that")
}

// EP-05, EP-24: what was refused may be granted later, and seats that were taken stay.
func TestSeats(t *testing.T) {
	ledger, _ := openLedger(t)
	policy := func(n int64) *activation.Service {
		return newService(withLedger(ledger), func(c *activation.Config) { c.Default.Seats, c.Default.GiveBacks = n, 2 })
	}
	code := hs.mint(forever(1))
	s := policy(3)
	var receipts []string
	for i := range 3 {
		receipts = append(receipts, must(s.Activate(t.Context(), request(code, on(i)))).Receipt)
	}
	_, err := s.Activate(t.Context(), request(code, on(3)))
	if e := problem(t, err, activation.SeatsExhausted); e.Seats != 3 || e.Code != activation.NewCodeID(hs.ID(), 7, 1) {
		t.Errorf("%#v", e)
	}
	if _, err := s.Activate(t.Context(), request(hs.mint(forever(2)), on(3))); err != nil {
		t.Errorf("another licence: %v", err)
	}

	fewer := policy(1)
	_, err = fewer.Activate(t.Context(), request(code, on(3)))
	problem(t, err, activation.SeatsExhausted)
	held := func(r *activation.ReceiptRequest) { r.Subject = device(number("machine", 2)) }
	if _, err := fewer.Refresh(t.Context(), about(receipts[2], held)); err != nil {
		t.Errorf("refresh of a seat beyond those that there are now: %v", err)
	}

	// Given back, and the same request that was refused is granted; EP-23.
	reply, err := s.Release(t.Context(), about(receipts[2], held))
	if err != nil || reply.Receipt != "" {
		t.Errorf("%+v, error %v", reply, err)
	}
	if reply, err := s.Activate(t.Context(), request(code, on(3))); err != nil || reply.Outcome != activation.Granted {
		t.Errorf("after a release: %+v, error %v", reply, err)
	}
	// A late repetition does not bring a seat back that was given back.
	_, err = s.Activate(t.Context(), request(code, on(2)))
	problem(t, err, activation.Released)
	_, err = s.Refresh(t.Context(), about(receipts[2], held))
	problem(t, err, activation.Released)
	if _, err := s.Release(t.Context(), about(receipts[2], held)); err != nil {
		t.Errorf("given back twice: %v", err)
	}
	_, err = s.Activate(t.Context(), request(code, on(2), anew))
	problem(t, err, activation.SeatsExhausted)
}

// Give-backs are counted, so two machines can't take turns on one seat.
func TestGiveBacks(t *testing.T) {
	ledger, _ := openLedger(t)
	s := newService(withLedger(ledger))
	code := hs.mint(forever(1))
	for i := range 3 {
		text := must(s.Activate(t.Context(), request(code, on(i)))).Receipt
		_, err := s.Release(t.Context(), about(text, func(r *activation.ReceiptRequest) { r.Subject = device(number("machine", i)) }))
		if i < 2 {
			if err != nil {
				t.Errorf("give-back %d: %v", i+1, err)
			}
		} else {
			problem(t, err, activation.NoGiveBacks)
		}
	}
	_, err := s.Activate(t.Context(), request(code, on(4)))
	problem(t, err, activation.SeatsExhausted)
}

// EP-18: what a code says of seats counts, and the policy where it says nothing.
func TestSeatsField(t *testing.T) {
	ledger, _ := openLedger(t)
	s := newService(withLedger(ledger), func(c *activation.Config) { c.Default.Seats = 2 })
	lic := func(serial, n uint64) payload.License {
		l := forever(serial)
		l.Seats, l.Edition = n, 1
		return l
	}
	for i, tt := range []struct {
		code func(serial uint64) string
		want int // of 8 devices
	}{
		{func(serial uint64) string { return hs.mint(forever(serial)) }, 2},
		{func(serial uint64) string { return seats.mint(lic(serial, 1)) }, 1},
		{func(serial uint64) string { return seats.mint(lic(serial, 5)) }, 5},
		{func(serial uint64) string { return seats.mint(lic(serial, 0)) }, 8},
		{func(serial uint64) string { return seats.mint(lic(serial, 1<<32-1)) }, 8},
	} {
		code, granted := tt.code(uint64(100+i)), 0
		for machine := range 8 {
			_, err := s.Activate(t.Context(), request(code, on(machine)))
			if err == nil {
				granted++
			} else {
				problem(t, err, activation.SeatsExhausted)
			}
		}
		if granted != tt.want {
			t.Errorf("case %d: %d seats, want %d", i, granted, tt.want)
		}
	}
}

// EP-01: as many as there are seats, however many ask at once, of two services on one
// ledger.
func TestRace(t *testing.T) {
	ledger, _ := openLedger(t)
	services := []*activation.Service{newService(withLedger(ledger)), newService(withLedger(ledger))}
	for round := range 5 {
		lic := forever(uint64(round + 1))
		lic.Seats = uint64(round + 1)
		code := seats.mint(lic)
		var mu sync.Mutex
		granted := map[int64]bool{}
		var wg sync.WaitGroup
		for i := range 50 {
			wg.Go(func() {
				reply, err := services[i%2].Activate(t.Context(), request(code, on(i)))
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil && !granted[reply.Seat.Number]:
					granted[reply.Seat.Number] = true
				case !errors.Is(err, activation.SeatsExhausted):
					t.Errorf("round %d: %+v, error %v", round, reply, err)
				}
			})
		}
		wg.Wait()
		if len(granted) != round+1 {
			t.Errorf("round %d: %d seats were given", round, len(granted))
		}
		on := must(ledger.Seats(t.Context(), activation.NewCodeID(seats.ID(), 7, lic.Serial)))
		if len(on) != round+1 {
			t.Errorf("round %d: %d seats on record", round, len(on))
		}
	}
}

// The same request at the same time is one: EP-25.
func TestRaceOfOne(t *testing.T) {
	ledger, _ := openLedger(t)
	s := newService(withLedger(ledger))
	var receipts, granted sync.Map
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			reply, err := s.Activate(t.Context(), request(hs.mint(forever(1))))
			if err != nil {
				t.Error(err)
			}
			receipts.Store(reply.Receipt, true)
			if reply.Outcome == activation.Granted {
				granted.Store(i, true)
			}
		})
	}
	wg.Wait()
	count := func(m *sync.Map) (n int) {
		m.Range(func(any, any) bool { n++; return true })
		return n
	}
	if count(&receipts) != 1 || count(&granted) != 1 {
		t.Errorf("%d receipts, %d of them granted", count(&receipts), count(&granted))
	}
}

// A coupon is redeemed by one account, once.
func TestCoupon(t *testing.T) {
	ledger, _ := openLedger(t)
	s := newService(withLedger(ledger), func(c *activation.Config) { c.Default = activation.Policy{Kind: receipt.Account} })
	code := coupon.mint(couponLicense(7))
	if _, err := s.Activate(t.Context(), request(code, withTrust("Mary"))); err != nil {
		t.Fatal(err)
	}
	if reply, err := s.Activate(t.Context(), request(code, withTrust("Mary"), anew)); err != nil || reply.Outcome != activation.Held {
		t.Errorf("%+v, error %v", reply, err)
	}
	_, err := s.Activate(t.Context(), request(code, withTrust("John"), anew, func(r *activation.Request) { r.Key += "-3" }))
	problem(t, err, activation.SeatsExhausted)
	_, err = s.Activate(t.Context(), request(code, anew))
	problem(t, err, activation.WrongKind)
}

// A refresh begins a new lease; the request that got the seat gets the receipt of that
// lease then.
func TestRefreshOnLedger(t *testing.T) {
	ledger, _ := openLedger(t)
	s := newService(withLedger(ledger))
	r := request(hs.mint(forever(1)))
	first := must(s.Activate(t.Context(), r))
	reply, err := s.Refresh(t.Context(), about(first.Receipt))
	if err != nil || reply.Seat.Number != first.Seat.Number || reply.Seat.Issued.Before(first.Seat.Issued) || reply.Outcome != 0 {
		t.Fatalf("%+v, error %v", reply, err)
	}
	again := must(s.Activate(t.Context(), r))
	if again.Outcome != activation.Replayed || again.Seat != reply.Seat {
		t.Errorf("%+v, want the seat %+v", again, reply.Seat)
	}
	// A receipt of a ledger that is gone gets a seat, unless somebody else has it.
	empty, _ := openLedger(t)
	s = newService(withLedger(empty))
	if reply, err := s.Refresh(t.Context(), about(first.Receipt)); err != nil || reply.Outcome != activation.Granted {
		t.Errorf("on an empty ledger: %+v, error %v", reply, err)
	}
	if reply, err := s.Refresh(t.Context(), about(first.Receipt)); err != nil || reply.Outcome != 0 {
		t.Errorf("and again: %+v, error %v", reply, err)
	}
	other, _ := openLedger(t)
	s = newService(withLedger(other))
	if _, err := s.Activate(t.Context(), request(hs.mint(forever(1)), on(1))); err != nil {
		t.Fatal(err)
	}
	_, err = s.Refresh(t.Context(), about(first.Receipt))
	problem(t, err, activation.SeatsExhausted)
	_, err = s.Release(t.Context(), about(first.Receipt))
	if e := problem(t, err, activation.Released); e.Reason != "no-seat" {
		t.Errorf("%#v", e)
	}
}

// The bounds of a licence are judged by the ledger's clock, too.
func TestLedgerWindow(t *testing.T) {
	ledger, _ := openLedger(t)
	past := forever(1)
	past.Expiry = payload.Date(2025, 6, 1)
	before := func(c *activation.Config) { c.Clock = at(instant("2025-05-01T00:00:00Z")) } // behind
	s := newService(withLedger(ledger), before)
	_, err := s.Activate(t.Context(), request(hs.mint(past)))
	problem(t, err, activation.Expired)
	future := forever(2)
	future.Start, future.Seats = payload.Date(2100, 1, 1), 1
	s = newService(withLedger(ledger), func(c *activation.Config) { c.Clock = at(instant("2100-01-02T00:00:00Z")) })
	_, err = s.Activate(t.Context(), request(seats.mint(future)))
	problem(t, err, activation.NotYetValid)
	if on := must(ledger.Seats(t.Context(), activation.NewCodeID(hs.ID(), 7, 1))); len(on) != 0 {
		t.Errorf("%+v on record", on)
	}
}

// The address is no part of anything that is bound: BD-09.
func TestAnotherAddress(t *testing.T) {
	ledger, _ := openLedger(t)
	s := newService(withLedger(ledger))
	first := must(s.Activate(t.Context(), request(hs.mint(forever(1)))))
	reply := must(s.Activate(t.Context(), request(hs.mint(forever(1)), from("2001:db8::7"))))
	if reply.Receipt != first.Receipt {
		t.Error("another address, and another receipt")
	}
	if _, err := s.Refresh(t.Context(), about(first.Receipt, func(r *activation.ReceiptRequest) { r.From = netip.MustParseAddr("2001:db8::8") })); err != nil {
		t.Error(err)
	}
}
