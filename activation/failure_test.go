package activation_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/activation"
)

// scripted is a ledger that fails as it is told; where it is told nothing it is None.
type scripted struct {
	activation.None
	claim   func(context.Context, activation.Claim) (activation.Seat, activation.Outcome, error)
	renew   func(context.Context, activation.Renewal) (activation.Seat, error)
	release func(context.Context, activation.GiveBack) (activation.Seat, error)
}

func (s scripted) Claim(ctx context.Context, c activation.Claim) (activation.Seat, activation.Outcome, error) {
	if s.claim == nil {
		return s.None.Claim(ctx, c)
	}
	return s.claim(ctx, c)
}

func (s scripted) Renew(ctx context.Context, r activation.Renewal) (activation.Seat, error) {
	if s.renew == nil {
		return s.None.Renew(ctx, r)
	}
	return s.renew(ctx, r)
}

func (s scripted) Release(ctx context.Context, g activation.GiveBack) (activation.Seat, error) {
	if s.release == nil {
		return s.None.Release(ctx, g)
	}
	return s.release(ctx, g)
}

// failing returns a ledger whose methods all return err.
func failing(err error) activation.Ledger {
	return scripted{
		claim: func(context.Context, activation.Claim) (activation.Seat, activation.Outcome, error) {
			return activation.Seat{}, 0, err
		},
		renew:   func(context.Context, activation.Renewal) (activation.Seat, error) { return activation.Seat{}, err },
		release: func(context.Context, activation.GiveBack) (activation.Seat, error) { return activation.Seat{}, err },
	}
}

// What a ledger decides is told; what is no decision is no refusal, EP-15.
func TestLedgerErrors(t *testing.T) {
	text := must(newService().Activate(t.Context(), request(hs.mint(license(1))))).Receipt
	code := activation.NewCodeID(hs.ID(), 7, 1)
	down := errors.New("connection refused")
	for _, tt := range []struct {
		err    error
		want   activation.Problem
		reason string
	}{
		{activation.ErrFull, activation.SeatsExhausted, "seats-exhausted"},
		{activation.ErrKeyReused, activation.KeyReused, "idempotency-key-reused"},
		{activation.ErrGone, activation.Released, "released"},
		{activation.ErrGiveBacks, activation.NoGiveBacks, "give-backs-exhausted"},
		{activation.ErrNotYet, activation.NotYetValid, "not-yet-valid"},
		{activation.ErrOver, activation.Expired, "expired"},
		{activation.ErrBusy, activation.Unavailable, "ledger-busy"},
		{context.DeadlineExceeded, activation.Unavailable, "ledger-timeout"},
		{context.Canceled, activation.Unavailable, "ledger-timeout"},
		{down, activation.Unavailable, "ledger-failed"},
	} {
		for _, err := range []error{tt.err, fmt.Errorf("statement 1: %w", tt.err)} {
			s := newService(func(c *activation.Config) { c.Ledger = failing(err) })
			for what, do := range map[string]func() (activation.Reply, error){
				"activate": func() (activation.Reply, error) { return s.Activate(t.Context(), request(hs.mint(license(1)))) },
				"refresh":  func() (activation.Reply, error) { return s.Refresh(t.Context(), about(text)) },
				"release":  func() (activation.Reply, error) { return s.Release(t.Context(), about(text)) },
			} {
				reply, got := do()
				e := problem(t, got, tt.want)
				if e.Reason != tt.reason || e.Code != code || reply.Receipt != "" || reply.Outcome != 0 {
					t.Errorf("%s: %v: %#v, reply %+v", what, err, e, reply)
				}
				if temporary := tt.want == activation.Unavailable; errors.Is(got, tt.err) != temporary {
					t.Errorf("%s: %v: cause %v", what, err, e.Err)
				}
				if (e.Seats == 1) != (tt.want == activation.SeatsExhausted) {
					t.Errorf("%s: %v: %d seats", what, err, e.Seats)
				}
			}
		}
	}
	s := newService(func(c *activation.Config) { c.Ledger = failing(activation.ErrNoSeat) })
	_, err := s.Release(t.Context(), about(text))
	if e := problem(t, err, activation.Released); e.Reason != "no-seat" {
		t.Errorf("release of a seat that is not on record: %#v", e)
	}
}

// A ledger that is slow costs the time that the caller gives, and no more; the same
// request later is what it was (EP-05, EP-15).
func TestSlowLedger(t *testing.T) {
	slow := true
	s := newService(func(c *activation.Config) {
		c.Ledger = scripted{claim: func(ctx context.Context, claim activation.Claim) (activation.Seat, activation.Outcome, error) {
			if !slow {
				return activation.None{Clock: at(noon)}.Claim(ctx, claim)
			}
			<-ctx.Done()
			return activation.Seat{}, 0, ctx.Err()
		}}
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err := s.Activate(ctx, request(hs.mint(license(1))))
	problem(t, err, activation.Unavailable)
	slow = false
	if _, err := s.Activate(t.Context(), request(hs.mint(license(1)))); err != nil {
		t.Errorf("the same request later: %v", err)
	}
}

// What a ledger is asked follows from the licence, the policy and the request.
func TestClaim(t *testing.T) {
	var got activation.Claim
	s := newService(func(c *activation.Config) {
		c.Leeway = time.Hour
		c.Ledger = scripted{claim: func(ctx context.Context, claim activation.Claim) (activation.Seat, activation.Outcome, error) {
			got = claim
			return activation.None{Clock: at(noon)}.Claim(ctx, claim)
		}}
	})
	claimOf := func(r activation.Request) activation.Claim {
		t.Helper()
		if _, err := s.Activate(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		return got
	}
	plain := claimOf(request(hs.mint(license(1))))
	if want := activation.NewCodeID(hs.ID(), 7, 1); plain.Code != want || plain.Subject != activation.NewSubjectID(want, device(fingerprint)) ||
		plain.Key != activation.HashKey(idemKey) || plain.Seats != 1 || plain.Lease != lease ||
		!plain.From.IsZero() || !plain.Until.Equal(instant("2028-01-01T01:00:00Z")) {
		t.Errorf("%+v", plain)
	}
	if c := claimOf(request(seats.mint(seatsLicense(1, 3)))); c.Seats != 3 || !c.From.Equal(instant("2025-12-31T23:00:00Z")) || !c.Until.Equal(plain.Until) {
		t.Errorf("with a start: %+v", c)
	}
	// EP-18: 0 is unlimited, and so is what is more than a ledger can hold.
	for n, want := range map[uint64]int64{0: activation.Unlimited, 1: 1, 2: 2, 1<<31 - 2: 1<<31 - 2, 1<<31 - 1: activation.Unlimited, 1 << 31: activation.Unlimited, 1<<32 - 1: activation.Unlimited} {
		if c := claimOf(request(seats.mint(seatsLicense(1, n)))); c.Seats != want {
			t.Errorf("%d seats: %d, want %d", n, c.Seats, want)
		}
	}
	if c := claimOf(request(coupon.mint(couponLicense(1)))); !c.From.IsZero() || !c.Until.IsZero() {
		t.Errorf("without dates: %+v", c)
	}

	// EP-04: the same key for anything else is another request.
	if again := claimOf(request(hs.mint(license(1)))); again != plain {
		t.Errorf("the same request: %+v, want %+v", again, plain)
	}
	renewed := license(1)
	renewed.Expiry++
	gadget := license(1)
	gadget.Product = 8
	for name, r := range map[string]activation.Request{
		"nonce":   request(hs.mint(license(1)), func(r *activation.Request) { r.Nonce += "x" }),
		"subject": request(hs.mint(license(1)), func(r *activation.Request) { r.Subject = device("other") }),
		"binding": request(hs.mint(license(1)), func(r *activation.Request) { r.Binding = "x" }),
		"expiry":  request(hs.mint(renewed)),
		"serial":  request(hs.mint(license(2))),
		"key":     request(es.mint(license(1))),
		"product": request(hs.mint(gadget), func(r *activation.Request) { r.Product = 8 }),
	} {
		c := claimOf(r)
		if c.Request == plain.Request || c.Key != plain.Key {
			t.Errorf("another %s: the same request, or another key", name)
		}
		if same := name == "nonce" || name == "subject" || name == "binding" || name == "expiry"; (c.Code == plain.Code) != same {
			t.Errorf("another %s: licence %s, want the same: %t", name, c.Code, same)
		}
	}
	// Another spelling of the code, another address and another caller are the same.
	for name, r := range map[string]activation.Request{
		"spelling": request(strings.ToLower(hs.mint(license(1)))),
		"address":  request(hs.mint(license(1)), from("2001:db8::1")), // BD-09
		"trust":    request(hs.mint(license(1)), func(r *activation.Request) { r.Trusted = true }),
	} {
		if c := claimOf(r); c != plain {
			t.Errorf("another %s: %+v, want %+v", name, c, plain)
		}
	}
}

// A receipt is a function of the seat, the licence, the subject and the nonce: services
// that know of each other by the ledger only give the same bytes.
func TestReceiptIsFunction(t *testing.T) {
	seat := activation.Seat{Number: 3, Seats: 5, Issued: noon.Add(999 * time.Millisecond), RefreshBy: noon.Add(time.Hour + 999*time.Millisecond), End: noon.Add(2 * time.Hour), Enforced: true}
	activate := func(seat activation.Seat, outcome activation.Outcome, clock time.Time, r activation.Request) activation.Reply {
		t.Helper()
		s := newService(func(c *activation.Config) {
			c.Clock = at(clock)
			c.Ledger = scripted{claim: func(context.Context, activation.Claim) (activation.Seat, activation.Outcome, error) {
				return seat, outcome, nil
			}}
		})
		return must(s.Activate(t.Context(), r))
	}
	r := request(es.mint(license(1)))
	first := activate(seat, activation.Granted, noon, r)
	if again := activate(seat, activation.Replayed, noon.Add(time.Minute), r); again.Receipt != first.Receipt || again.Outcome != activation.Replayed || again.Seat != seat {
		t.Errorf("%+v, want %+v", again, first)
	}
	h, _ := must(customer(t, noon).VerifyReceipt(first.Receipt, r.Subject)).Receipt()
	if !h.Issued.Equal(noon) || !h.RefreshBy.Equal(noon.Add(time.Hour)) || !h.End.Equal(noon.Add(2*time.Hour)) || !h.SeatsEnforced {
		t.Errorf("receipt %+v", h)
	}
	other := r
	other.Nonce += "x"
	if again := activate(seat, activation.Held, noon, other); again.Receipt == first.Receipt {
		t.Error("another nonce, and the same receipt")
	}
}

// A seat that is held beyond its lease gets a new one, so that its receipt is of use.
func TestHeldPastLease(t *testing.T) {
	for _, tt := range []struct {
		end   time.Time
		renew error
		want  activation.Problem // "" for none
		calls int
	}{
		{noon.Add(time.Second), nil, "", 0},
		{noon, nil, "", 1},
		{noon.Add(-time.Hour), nil, "", 1},
		{noon.Add(-time.Hour), activation.ErrGone, activation.Released, 1},
	} {
		calls := 0
		s := newService(func(c *activation.Config) {
			c.Ledger = scripted{
				claim: func(context.Context, activation.Claim) (activation.Seat, activation.Outcome, error) {
					return activation.Seat{Issued: tt.end.Add(-2 * time.Hour), RefreshBy: tt.end.Add(-time.Hour), End: tt.end}, activation.Held, nil
				},
				renew: func(ctx context.Context, r activation.Renewal) (activation.Seat, error) {
					calls++
					if tt.renew != nil {
						return activation.Seat{}, tt.renew
					}
					return activation.None{Clock: at(noon)}.Renew(ctx, r)
				},
			}
		})
		reply, err := s.Activate(t.Context(), request(hs.mint(license(1))))
		if tt.want != "" {
			problem(t, err, tt.want)
		} else if err != nil || reply.Outcome != activation.Held || !reply.Seat.End.After(noon) {
			t.Errorf("end %s: %+v, error %v", tt.end, reply, err)
		}
		if calls != tt.calls {
			t.Errorf("end %s: renewed %d times, want %d", tt.end, calls, tt.calls)
		}
	}
}

// A seat whose times no receipt can have gets none: the clock of the ledger is wrong.
func TestLedgerClock(t *testing.T) {
	s := newService(func(c *activation.Config) { c.Ledger = activation.None{Clock: at(instant("1970-01-01T00:00:00Z"))} })
	_, err := s.Activate(t.Context(), request(hs.mint(license(1))))
	if e := problem(t, err, activation.Unavailable); e.Reason != "receipt-not-signed" {
		t.Errorf("%#v", e)
	}
	s = newService(func(c *activation.Config) { c.Ledger = activation.None{Clock: at(instant("2028-01-01T00:00:00Z"))} })
	_, err = s.Activate(t.Context(), request(hs.mint(license(1))))
	problem(t, err, activation.Expired)
}
