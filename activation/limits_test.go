package activation_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/activation/limit"
	"github.com/licet-dev/licet/keys/receipt"
)

// A clock shows the time that it is set to.
type clock struct{ unix atomic.Int64 }

func newClock() *clock {
	c := new(clock)
	c.unix.Store(noon.UnixNano())
	return c
}

func (c *clock) now() time.Time { return time.Unix(0, c.unix.Load()).UTC() }

func (c *clock) pass(d time.Duration) { c.unix.Add(int64(d)) }

// withLimits sets the limits and a clock.
func withLimits(c *clock, l activation.Limits) func(*activation.Config) {
	return func(cfg *activation.Config) {
		if l.Entries == 0 {
			l.Entries = 1 << 10
		}
		cfg.Limits, cfg.Clock, cfg.Ledger = &l, c.now, activation.None{Clock: c.now}
	}
}

// activates returns how many of n requests in a row were not over a limit, and the
// reason of the first that was.
func activates(t *testing.T, s *activation.Service, n int, r func(i int) activation.Request) (ok int, reason string) {
	t.Helper()
	for i := range n {
		_, err := s.Activate(t.Context(), r(i))
		if !errors.Is(err, activation.QuotaExceeded) {
			ok++
		} else if e := problem(t, err, activation.QuotaExceeded); reason == "" {
			reason = e.Reason
		}
	}
	return ok, reason
}

// Each address has its own number of requests, whatever comes of them; that of IPv6 is
// the first half.
func TestAddressLimit(t *testing.T) {
	c := newClock()
	s := newService(withLimits(c, activation.Limits{Address: minute}))
	code := hs.mint(license(1))
	for _, code := range []string{code, hs.forger().mint(license(1)), "typo"} {
		c.pass(time.Hour)
		for i, address := range []string{"192.0.2.1", "192.0.2.2", "2001:db8:0:1::1", "2001:db8:0:2::1"} {
			if n, reason := activates(t, s, 8, func(int) activation.Request { return request(code, from(address)) }); n != 5 || reason != "address" {
				t.Errorf("%d: %d requests from %s, then %q", i, n, address, reason)
			}
		}
		for _, address := range []string{"::ffff:192.0.2.1", "2001:db8:0:1:ffff::2"} { // the first and the third
			if n, _ := activates(t, s, 1, func(int) activation.Request { return request(code, from(address)) }); n != 0 {
				t.Errorf("%s is not the address it was", address)
			}
		}
	}
	c.pass(12 * time.Second)
	_, err := s.Activate(t.Context(), request(code))
	if err != nil {
		t.Errorf("a fifth of a minute later: %v", err)
	}
	_, err = s.Activate(t.Context(), request(code))
	if e := problem(t, err, activation.QuotaExceeded); e.RetryAfter != 12*time.Second {
		t.Errorf("ask again after %s", e.RetryAfter)
	}
	// The form comes first, and no address is none.
	_, err = s.Activate(t.Context(), request(code, func(r *activation.Request) { r.Nonce = "" }))
	problem(t, err, activation.BadRequest)
	if n, _ := activates(t, s, 20, func(int) activation.Request {
		return request(code, func(r *activation.Request) { r.From = netip.Addr{} })
	}); n != 20 {
		t.Errorf("%d requests without an address", n)
	}
	// Previews and requests about receipts count, too.
	for _, do := range []func() error{
		func() error { _, err := s.Preview(t.Context(), request(code, from("192.0.2.77"))); return err },
		func() error {
			_, err := s.Refresh(t.Context(), about(signed(hs, license(1), receiptKey), func(r *activation.ReceiptRequest) { r.From = netip.MustParseAddr("192.0.2.78") }))
			return err
		},
		func() error {
			_, err := s.Release(t.Context(), about(signed(hs, license(1), receiptKey), func(r *activation.ReceiptRequest) { r.From = netip.MustParseAddr("192.0.2.79") }))
			return err
		},
	} {
		for i := range 6 {
			if err := do(); errors.Is(err, activation.QuotaExceeded) != (i == 5) {
				t.Errorf("request %d: %v", i, err)
			}
		}
	}
}

func TestLeft(t *testing.T) {
	c := newClock()
	s := newService(withLimits(c, activation.Limits{Address: minute}))
	address := netip.MustParseAddr("192.0.2.1")
	for want := 5; want >= 0; want-- {
		if r, n, reset := s.Left(address); r != minute || n != want || reset != time.Duration(5-want)*12*time.Second {
			t.Errorf("%v, %d left, all after %s; want %d", r, n, reset, want)
		}
		activates(t, s, 1, func(int) activation.Request { return request(hs.mint(license(1))) })
	}
	if r, n, reset := s.Left(netip.Addr{}); r != (limit.Rate{}) || n != 0 || reset != 0 {
		t.Errorf("no address: %v, %d, %s", r, n, reset)
	}
}

// EP-09: who guesses is told nothing more after some failures, and does not keep others
// behind the same address from activating with a code that can't be guessed.
func TestFailureLimit(t *testing.T) {
	c := newClock()
	s := newService(withLimits(c, activation.Limits{Failures: minute}))
	bad := []string{hs.forger().mint(license(1)), "typo", "", notInTheRing.mint(license(1))}
	if n, reason := activates(t, s, 8, func(i int) activation.Request { return request(bad[i%4]) }); n != 5 || reason != "failures" {
		t.Errorf("%d failures, then %q", n, reason)
	}
	for i := range 100 {
		r := request(es.mint(license(uint64(i+1))), func(r *activation.Request) { r.Subject, r.Key = device(number("machine", i)), number("key", i) })
		if _, err := s.Activate(t.Context(), r); err != nil {
			t.Fatalf("user %d behind the same address: %v", i, err)
		}
	}
	// One that can be guessed is not looked at.
	_, err := s.Activate(t.Context(), request(coupon.mint(couponLicense(1))))
	if e := problem(t, err, activation.QuotaExceeded); e.Reason != "failures" {
		t.Errorf("%#v", e)
	}
	if _, err := s.Activate(t.Context(), request(coupon.mint(couponLicense(1)), from("192.0.2.2"))); err != nil {
		t.Errorf("from another address: %v", err)
	}
	// A success does not bring failures back.
	if n, _ := activates(t, s, 1, func(int) activation.Request { return request("typo") }); n != 0 {
		t.Error("a success reset the failures of the address")
	}
	c.pass(12 * time.Second)
	if _, err := s.Activate(t.Context(), request(coupon.mint(couponLicense(1)))); err != nil {
		t.Errorf("a fifth of a minute later: %v", err)
	}
	// Receipts count as well.
	c.pass(time.Hour)
	for i := range 7 {
		_, err := s.Refresh(t.Context(), about(signed(hs, license(1), unknownReceipt)))
		if errors.Is(err, activation.QuotaExceeded) != (i >= 5) {
			t.Errorf("receipt %d: %v", i, err)
		}
	}
}

// A flood of forgeries of a key with a short tag, from as many addresses as there are,
// ends at a ceiling, and never keeps a genuine code of a long tag out.
func TestForgeryCeiling(t *testing.T) {
	c := newClock()
	s := newService(withLimits(c, activation.Limits{
		Address: limit.Rate{N: 60, Per: time.Minute}, Failures: limit.Rate{N: 10, Per: time.Minute},
		Device: minute, Account: minute, Code: minute, Forgeries: limit.Rate{N: 50, Per: time.Minute}, Entries: 256,
	}))
	forged, issuedNever := coupon.forger().mint(couponLicense(1)), coupon.mint(couponLicense(101))
	genuine := func(code string, i int) activation.Request {
		return request(code, from(fmt.Sprintf("203.0.113.%d", i%256)), func(r *activation.Request) { r.Subject, r.Key = device(number("machine", i)), number("key", i) })
	}
	looked := 0
	for i := range 2000 {
		code := forged
		if i%2 == 0 {
			code = issuedNever // a right tag is no success either
		}
		_, err := s.Activate(t.Context(), request(code, func(r *activation.Request) {
			r.From = netip.AddrFrom4([4]byte{10, 1, byte(i >> 8), byte(i)})
			r.Subject = device(number("attacker", i))
		}))
		if errors.Is(err, activation.CodeRefused) {
			looked++
		} else if e := problem(t, err, activation.QuotaExceeded); e.Reason != "forgeries" {
			t.Fatalf("%d: %#v", i, e)
		}
		if i%100 == 99 {
			for _, code := range []string{hs.mint(license(uint64(i))), es.mint(license(uint64(i))), justLong.mint(couponLicense(uint64(i)))} {
				if _, err := s.Activate(t.Context(), genuine(code, i)); err != nil {
					t.Fatalf("a genuine code with a long tag, after %d forgeries: %v", i+1, err)
				}
			}
		}
	}
	if looked != 50 {
		t.Errorf("%d forgeries were looked at, want 50", looked)
	}
	_, err := s.Activate(t.Context(), genuine(coupon.mint(couponLicense(1)), 0))
	if e := problem(t, err, activation.QuotaExceeded); e.Reason != "forgeries" {
		t.Errorf("a genuine coupon meanwhile: %#v", e)
	}
	_, err = s.Preview(t.Context(), genuine(coupon.mint(couponLicense(1)), 0))
	problem(t, err, activation.QuotaExceeded)
	c.pass(2 * time.Second) // a bit more than one fiftieth of a minute
	if _, err := s.Activate(t.Context(), genuine(coupon.mint(couponLicense(1)), 0)); err != nil {
		t.Errorf("a genuine coupon later: %v", err)
	}
	// Genuine coupons are no forgeries.
	for i := range 200 {
		if _, err := s.Activate(t.Context(), genuine(coupon.mint(couponLicense(uint64(i%100+1))), i)); err != nil {
			t.Fatalf("genuine coupon %d: %v", i, err)
		}
	}
}

// The ceiling holds for many at once.
func TestForgeryCeilingConcurrent(t *testing.T) {
	c := newClock()
	s := newService(withLimits(c, activation.Limits{Forgeries: limit.Rate{N: 50, Per: time.Minute}}))
	forged := coupon.forger().mint(couponLicense(1))
	const workers = 8
	var looked atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for range 50 {
				if _, err := s.Activate(t.Context(), request(forged)); errors.Is(err, activation.CodeRefused) {
					looked.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if n := looked.Load(); n < 50 || n >= 50+workers {
		t.Errorf("%d forgeries were looked at, want 50, and fewer than %d more", n, workers)
	}
}

// found is a ledger that answers every claim with one outcome or error.
func found(c *clock, outcome *activation.Outcome, err *error) func(*activation.Config) {
	return func(cfg *activation.Config) {
		cfg.Ledger = scripted{claim: func(ctx context.Context, claim activation.Claim) (activation.Seat, activation.Outcome, error) {
			seat, _, e := activation.None{Clock: c.now}.Claim(ctx, claim)
			if *err != nil {
				e = *err
			}
			return seat, *outcome, e
		}}
	}
}

// A success gives a device, an account and a licence their attempts back; a request
// that is sent again gives nothing back, or it would undo every limit.
func TestReset(t *testing.T) {
	var outcome activation.Outcome
	var answer error
	for reason, tt := range map[string]struct {
		limits activation.Limits
		req    func(i int) activation.Request // that share what is counted, and nothing else
		kind   receipt.Kind
	}{
		"device": {activation.Limits{Device: minute}, func(i int) activation.Request {
			return request(hs.mint(license(uint64(i+1))), from(fmt.Sprintf("192.0.2.%d", i)))
		}, receipt.Device},
		"account": {activation.Limits{Account: minute}, func(i int) activation.Request {
			return request(hs.mint(license(uint64(i+1))), from(fmt.Sprintf("192.0.2.%d", i)), withTrust("Mary"))
		}, receipt.Account},
		"code": {activation.Limits{Code: minute}, func(i int) activation.Request {
			return request(hs.mint(license(1)), from(fmt.Sprintf("192.0.2.%d", i)), func(r *activation.Request) { r.Subject = device(number("machine", i)) })
		}, receipt.Device},
	} {
		for _, step := range []struct {
			name    string
			outcome activation.Outcome
			err     error
			want    int // of 12 requests
		}{
			{"full", 0, activation.ErrFull, 5},
			{"replayed", activation.Replayed, nil, 5},
			{"granted", activation.Granted, nil, 12},
			{"held", activation.Held, nil, 12},
		} {
			c := newClock()
			s := newService(withLimits(c, tt.limits), found(c, &outcome, &answer), func(c *activation.Config) { c.Default.Kind = tt.kind })
			outcome, answer = step.outcome, step.err
			n, got := activates(t, s, 12, tt.req)
			if n != step.want || n < 12 && got != reason {
				t.Errorf("%s, %s: %d requests, then %q", reason, step.name, n, got)
			}
			if n == 12 {
				continue
			}
			// One more with a success in between: four of five were used up.
			c.pass(time.Hour)
			activates(t, s, 4, tt.req)
			outcome, answer = activation.Granted, nil
			activates(t, s, 1, tt.req)
			outcome, answer = step.outcome, step.err
			if n, _ := activates(t, s, 12, tt.req); n != 5 {
				t.Errorf("%s, %s: %d requests after a success", reason, step.name, n)
			}
			// Others are counted apart.
			if _, err := s.Activate(t.Context(), request(es.mint(license(50)), func(r *activation.Request) {
				r.Subject.Kind, r.Subject.Hash, r.Trusted = tt.kind, device("other").Hash, true
			})); errors.Is(err, activation.QuotaExceeded) {
				t.Errorf("%s, %s: another: %v", reason, step.name, err)
			}
		}
	}
}

// No success gives back what an address has used up, nor the ceiling of forgeries.
func TestNoReset(t *testing.T) {
	c := newClock()
	s := newService(withLimits(c, activation.Limits{Address: minute, Forgeries: minute}))
	if n, reason := activates(t, s, 12, func(i int) activation.Request { return request(hs.mint(license(uint64(i + 1)))) }); n != 5 || reason != "address" {
		t.Errorf("%d successes, then %q", n, reason)
	}
	forged := coupon.forger().mint(couponLicense(1))
	other := func(i int) func(*activation.Request) { return from(fmt.Sprintf("192.0.2.%d", i+10)) }
	looked := 0
	for i := range 12 {
		if _, err := s.Activate(t.Context(), request(coupon.mint(couponLicense(1)), other(2*i))); err != nil && looked < 5 {
			t.Fatal(err)
		}
		if _, err := s.Activate(t.Context(), request(forged, other(2*i+1))); errors.Is(err, activation.CodeRefused) {
			looked++
		}
	}
	if looked != 5 {
		t.Errorf("%d forgeries were looked at, with a success after each", looked)
	}
}

// A device is counted only when its code is genuine, so nobody is locked out by who
// knows the hash of the device; an account is counted whatever comes, so nobody guesses
// in its name.
func TestWhoIsCounted(t *testing.T) {
	c := newClock()
	s := newService(withLimits(c, activation.Limits{Device: minute, Account: minute}))
	forged := hs.forger().mint(license(1))
	if n, _ := activates(t, s, 20, func(int) activation.Request { return request(forged) }); n != 20 {
		t.Errorf("a device without a genuine code: %d", n)
	}
	if n, reason := activates(t, s, 20, func(int) activation.Request { return request(forged, withTrust("Mary")) }); n != 5 || reason != "account" {
		t.Errorf("an account without a genuine code: %d, then %q", n, reason)
	}
	// An account is not counted by address: all of a shop come from one.
	s = newService(withLimits(c, activation.Limits{Address: minute, Failures: minute, Account: minute}), func(c *activation.Config) { c.Default.Kind = receipt.Account })
	for i := range 50 {
		if _, err := s.Activate(t.Context(), request(coupon.mint(couponLicense(uint64(i+1))), withTrust(number("user", i)))); err != nil {
			t.Fatalf("account %d: %v", i, err)
		}
		_, err := s.Activate(t.Context(), request("typo", withTrust(number("user", i))))
		problem(t, err, activation.MalformedCode)
	}
}

// Who refreshes and gives back is counted as a device, too; an account never is.
func TestDeviceLimitOfReceipts(t *testing.T) {
	text := signed(hs, license(1), receiptKey)
	for what, do := range map[string]func(*activation.Service) error{
		"refresh": func(s *activation.Service) error { _, err := s.Refresh(t.Context(), about(text)); return err },
		"release": func(s *activation.Service) error { _, err := s.Release(t.Context(), about(text)); return err },
	} {
		s := newService(withLimits(newClock(), activation.Limits{Device: minute}))
		for i := range 7 {
			err := do(s)
			if errors.Is(err, activation.QuotaExceeded) != (i >= 5) {
				t.Errorf("%s %d: %v", what, i, err)
			}
			if i >= 5 {
				if e := problem(t, err, activation.QuotaExceeded); e.Reason != "device" || e.Code != activation.NewCodeID(hs.ID(), 7, 1) {
					t.Errorf("%s: %#v", what, e)
				}
			}
		}
	}
	c, outcome, answer := newClock(), activation.Replayed, error(nil)
	s := newService(withLimits(c, activation.Limits{Device: minute}), found(c, &outcome, &answer), func(c *activation.Config) { c.Default.Kind = receipt.Account })
	if n, reason := activates(t, s, 20, func(int) activation.Request { return request(hs.mint(license(1)), withTrust("Mary")) }); n != 20 {
		t.Errorf("%d requests of an account, then %q", n, reason)
	}
}

// Strangers can't make an account be forgotten, however many addresses they have.
func TestFloodForgetsNoAccount(t *testing.T) {
	c := newClock()
	s := newService(withLimits(c, activation.Limits{Address: minute, Failures: minute, Account: minute, Entries: 64}))
	forged := coupon.forger().mint(couponLicense(1))
	mary := func(int) activation.Request { return request(forged, withTrust("Mary")) }
	activates(t, s, 5, mary)
	c.pass(time.Millisecond)
	for i := range 2000 { // each of which has used up more than the account
		activates(t, s, 5, func(int) activation.Request {
			return request("typo", func(r *activation.Request) { r.From = netip.AddrFrom4([4]byte{10, 2, byte(i >> 8), byte(i)}) })
		})
	}
	if n, _ := activates(t, s, 1, mary); n != 0 {
		t.Error("a flood made an account be forgotten")
	}
}
