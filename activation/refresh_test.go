package activation_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/receipt"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/verifier"
	"github.com/licet-dev/licet/verifier/revocation"
)

// signed returns a receipt of a licence of a key, signed with the receipt key unless
// another is given.
func signed(k testKey, lic payload.License, signer testKey, change ...func(*receipt.Receipt)) string {
	r := receipt.Receipt{
		Issuer: "Acme Tools", KeyID: k.ID(), License: lic, Subject: device(fingerprint), Nonce: nonce,
		Issued: noon, RefreshBy: noon.Add(lease.Refresh), End: noon.Add(lease.Refresh + lease.Grace), SeatsEnforced: true,
	}
	for _, f := range change {
		f(&r)
	}
	return must(receipt.Sign(r, signer.private))
}

// Refresh gives a receipt with new times and the new nonce, from a receipt alone, also
// long after that has ended.
func TestRefresh(t *testing.T) {
	for name, later := range map[string]time.Duration{"at once": 0, "due": lease.Refresh, "overdue": lease.Refresh + time.Hour, "ended": lease.Refresh + lease.Grace + time.Hour} {
		now := noon.Add(later)
		s := newService(func(c *activation.Config) { c.Clock, c.Ledger = at(now), activation.None{Clock: at(now)} })
		for _, tt := range []struct {
			key testKey
			lic payload.License
		}{{hs, license(1)}, {es, license(1)}, {bound, license(1)}, {coupon, couponLicense(1)}, {noSecret, license(1)}} {
			r := about(signed(tt.key, tt.lic, receiptKey))
			reply, err := s.Refresh(t.Context(), r)
			if err != nil {
				t.Errorf("%s, key %d: %v", name, tt.key.Number(), err)
				continue
			}
			if reply.Outcome != 0 || reply.Code != activation.NewCodeID(tt.key.ID(), 7, 1) || reply.KeyID != tt.key.ID() {
				t.Errorf("%s: %+v", name, reply)
			}
			lic, err := customer(t, now).VerifyReply(reply.Receipt, r.Subject, r.Nonce)
			if err != nil {
				t.Errorf("%s: the receipt: %v", name, err)
				continue
			}
			if h, _ := lic.Receipt(); !h.Issued.Equal(now) || !h.End.Equal(now.Add(lease.Refresh+lease.Grace)) || h.SeatsEnforced {
				t.Errorf("%s: receipt %+v", name, h)
			}
		}
		// One of a closed receipt key is replaced by one of the active key.
		reply, err := s.Refresh(t.Context(), about(signed(hs, license(1), closedReceipt)))
		if err != nil {
			t.Errorf("%s: of a closed receipt key: %v", name, err)
		} else if _, signer, err := receipt.Open(reply.Receipt, ring); err != nil || signer.ID() != receiptKey.ID() {
			t.Errorf("%s: signed by %s, error %v", name, signer.ID(), err)
		}
	}
}

// A receipt that is none of this endpoint, or of somebody else, gets one answer and
// reaches no ledger: EP-20, BD-07.
func TestReceiptRefused(t *testing.T) {
	withdraw := func(d *revocation.Draft) { d.KeyStates[es.ID()] = keys.Withdrawn }
	s := newService(func(c *activation.Config) {
		c.Ledger, c.Lists, c.Stale = guard{t: t}, [][]byte{newList(7, withdraw)}, verifier.RefuseStale
	})
	good := signed(hs, license(1), receiptKey)
	alike := device(fingerprint)
	alike.Hash[31] ^= 1
	for _, tt := range []struct {
		name, text, reason string
		change             func(*activation.ReceiptRequest)
	}{
		{"no receipt", "no receipt", "malformed", nil},
		{"a code", hs.mint(license(1)), "malformed", nil},
		{"cut off", good[:len(good)-2], "malformed", nil},
		{"too long", good + strings.Repeat(" ", receipt.MaxSize), "malformed", nil},
		{"changed", strings.Replace(good, ".eyJ", ".eyI", 1), "bad-signature", nil},
		{"other key's signature", good[:strings.LastIndex(good, ".")] + signed(hs, license(2), receiptKey)[strings.LastIndex(good, "."):], "bad-signature", nil},
		{"unknown receipt key", signed(hs, license(1), unknownReceipt), "unknown-key", nil},
		{"withdrawn receipt key", signed(hs, license(1), badReceipt), "key-withdrawn", nil},
		{"withdrawn mint key", signed(withdrawn, license(1), receiptKey), "key-withdrawn", nil},
		{"mint key withdrawn by a list", signed(es, license(1), receiptKey), "key-withdrawn", nil},
		{"unknown mint key", signed(notInTheRing, license(1), receiptKey), "unknown-mint-key", nil},
		{"other issuer", signed(hs, license(1), receiptKey, func(r *receipt.Receipt) { r.Issuer = "Other" }), "other-issuer", nil},
		{"other device", good, "wrong-subject", func(r *activation.ReceiptRequest) { r.Subject = device("other") }},
		{"nearly the same device", good, "wrong-subject", func(r *activation.ReceiptRequest) { r.Subject = alike }},
		{"account of the same hash", good, "wrong-subject", func(r *activation.ReceiptRequest) { r.Subject.Kind, r.Trusted = receipt.Account, true }},
	} {
		if tt.change == nil {
			tt.change = func(*activation.ReceiptRequest) {}
		}
		for what, do := range map[string]func(context.Context, activation.ReceiptRequest) (activation.Reply, error){"refresh": s.Refresh, "release": s.Release} {
			_, err := do(t.Context(), about(tt.text, tt.change))
			e := problem(t, err, activation.ReceiptRefused)
			if e.Reason != tt.reason || e.Code != (activation.CodeID{}) {
				t.Errorf("%s, %s: %#v, want the reason %s", what, tt.name, e, tt.reason)
			}
		}
	}
	if _, err := newService().Refresh(t.Context(), about(" "+good[:100]+"\r\n\t"+good[100:]+"\u200b")); err != nil { // BD-11
		t.Errorf("with white space: %v", err)
	}
}

// Refresh judges the licence again; what no longer holds gets no receipt, but its seat
// can be given back.
func TestRefreshNotAcceptable(t *testing.T) {
	short := license(1)
	short.Expiry = payload.DayOf(noon)
	old := func(r *receipt.Receipt) {
		r.Issued, r.RefreshBy, r.End = noon.AddDate(0, -3, 0), noon.AddDate(0, -2, 0), noon.AddDate(0, -1, 0)
	}
	gadget := license(1)
	gadget.Product = 8
	for _, tt := range []struct {
		want activation.Problem
		text string
		cfg  func(*activation.Config)
	}{
		{activation.Revoked, signed(hs, license(1), receiptKey), func(c *activation.Config) {
			c.Lists, c.Stale = [][]byte{newList(7, revoke(hs, 1))}, verifier.RefuseStale
		}},
		{activation.Revoked, signed(hs, license(1), receiptKey, old), func(c *activation.Config) { // and ended, which does not matter
			c.Lists, c.Stale = [][]byte{newList(7, revoke(hs, 1))}, verifier.RefuseStale
		}},
		{activation.VersionTooOld, signed(hs, license(1), receiptKey), func(c *activation.Config) { c.MinVersion = 4 }},
		{activation.Expired, signed(hs, short, receiptKey), func(c *activation.Config) { c.Clock = at(noon.AddDate(0, 0, 1)) }},
		{activation.WrongProduct, signed(hs, gadget, receiptKey), func(c *activation.Config) { c.Products = []uint64{7} }},
		{activation.WrongKind, signed(hs, license(1), receiptKey), func(c *activation.Config) { c.Default.Kind = receipt.Account }},
	} {
		s := newService(tt.cfg, func(c *activation.Config) { c.Ledger = guard{t: t} })
		_, err := s.Refresh(t.Context(), about(tt.text))
		if e := problem(t, err, tt.want); e.Code == (activation.CodeID{}) {
			t.Errorf("%s: no licence in %#v", tt.want, e)
		}
		if reply, err := newService(tt.cfg).Release(t.Context(), about(tt.text)); err != nil || reply.Receipt != "" {
			t.Errorf("%s: release: %+v, error %v", tt.want, reply, err)
		}
		if tt.want == activation.Revoked || tt.want == activation.WrongProduct {
			continue
		}
		if _, err := newService().Refresh(t.Context(), about(tt.text)); err != nil {
			t.Errorf("next to %s: %v", tt.want, err)
		}
	}
}

// A ledger that lost a seat, as after an old backup was restored, gives it anew, once
// for each receipt; one that is full does not.
func TestRefreshWithoutSeat(t *testing.T) {
	var claims []activation.Claim
	var answer error
	s := newService(func(c *activation.Config) {
		c.Ledger = scripted{
			renew: func(context.Context, activation.Renewal) (activation.Seat, error) {
				return activation.Seat{}, activation.ErrNoSeat
			},
			claim: func(ctx context.Context, claim activation.Claim) (activation.Seat, activation.Outcome, error) {
				claims = append(claims, claim)
				if answer != nil {
					return activation.Seat{}, 0, answer
				}
				return activation.None{Clock: at(noon)}.Claim(ctx, claim)
			},
		}
	})
	text := signed(hs, license(1), receiptKey)
	for _, r := range []activation.ReceiptRequest{
		about(text),
		about(text, func(r *activation.ReceiptRequest) { r.Nonce += "x" }),
		about(signed(hs, license(1), receiptKey, func(r *receipt.Receipt) { r.Issued = r.Issued.Add(time.Second) })),
		about(signed(hs, license(1), receiptKey, func(r *receipt.Receipt) { r.Nonce += "x" })),
		about(signed(hs, license(2), receiptKey)),
		about(signed(hs, license(1), receiptKey, func(r *receipt.Receipt) { r.Subject = device("other") }), func(r *activation.ReceiptRequest) { r.Subject = device("other") }),
	} {
		reply, err := s.Refresh(t.Context(), r)
		if err != nil || reply.Outcome != activation.Granted {
			t.Fatalf("%+v, error %v", reply, err)
		}
		if _, err := customer(t, noon).VerifyReply(reply.Receipt, r.Subject, r.Nonce); err != nil {
			t.Error(err)
		}
	}
	if claims[0] != claims[1] {
		t.Errorf("the same receipt: %+v and %+v", claims[0], claims[1])
	}
	if c := claims[0]; c.Seats != 1 || c.Lease != lease || !c.Until.Equal(instant("2028-01-01T00:00:00Z")) {
		t.Errorf("%+v", c)
	}
	for i, c := range claims[2:] {
		if c.Key == claims[0].Key || c.Request == claims[0].Request {
			t.Errorf("receipt %d: the key or the request of another receipt", i+2)
		}
	}
	for err, want := range map[error]activation.Problem{activation.ErrFull: activation.SeatsExhausted, activation.ErrGone: activation.Released, activation.ErrBusy: activation.Unavailable} {
		answer = err
		_, err := s.Refresh(t.Context(), about(text))
		problem(t, err, want)
	}
}

// What is given back is told with the policy. A receipt is all that it takes: BD-04.
func TestRelease(t *testing.T) {
	var got activation.GiveBack
	s := newService(func(c *activation.Config) {
		c.Default.GiveBacks, c.Default.Hold = 5, true
		c.Ledger = scripted{release: func(ctx context.Context, g activation.GiveBack) (activation.Seat, error) {
			got = g
			return activation.None{Clock: at(noon)}.Release(ctx, g)
		}}
	})
	r := about(signed(hs, license(1), receiptKey), func(r *activation.ReceiptRequest) { r.Nonce = "" })
	reply, err := s.Release(t.Context(), r)
	code := activation.NewCodeID(hs.ID(), 7, 1)
	if err != nil || reply.Receipt != "" || reply.Outcome != 0 || reply.Seat.Number != -1 || reply.Code != code || reply.License.Serial != 1 {
		t.Errorf("%+v, error %v", reply, err)
	}
	if want := (activation.GiveBack{Code: code, Subject: activation.NewSubjectID(code, r.Subject), GiveBacks: 5, Hold: true}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// An account is spoken for by a known caller, in each request.
func TestAccount(t *testing.T) {
	s := newService(func(c *activation.Config) { c.Default.Kind = receipt.Account })
	code := coupon.mint(couponLicense(1))
	reply, err := s.Activate(t.Context(), request(code, withTrust("mary@example.org")))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := customer(t, noon).VerifyReply(reply.Receipt, account("mary@example.org"), nonce); err != nil {
		t.Error(err)
	}
	mary := func(trusted bool) func(*activation.ReceiptRequest) {
		return func(r *activation.ReceiptRequest) { r.Subject, r.Trusted = account("mary@example.org"), trusted }
	}
	for what, do := range map[string]func(context.Context, activation.ReceiptRequest) (activation.Reply, error){"refresh": s.Refresh, "release": s.Release} {
		if _, err := do(t.Context(), about(reply.Receipt, mary(true))); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		_, err := do(t.Context(), about(reply.Receipt, mary(false)))
		if e := problem(t, err, activation.BadRequest); e.Reason != "account-not-trusted" {
			t.Errorf("%s: %#v", what, e)
		}
	}
	_, err = s.Activate(t.Context(), request(code, withTrust("mary@example.org"), func(r *activation.Request) { r.Trusted = false }))
	if e := problem(t, err, activation.BadRequest); e.Reason != "account-not-trusted" {
		t.Errorf("%#v", e)
	}
}

// Where nothing can be judged, nothing is refused.
func TestUnjudged(t *testing.T) {
	code, text := hs.mint(license(1)), signed(hs, license(1), receiptKey)
	for reason, cfg := range map[string]func(*activation.Config){
		"clock-behind": func(c *activation.Config) { c.Clock = at(instant("2024-06-01T00:00:00Z")) },
		"list-stale": func(c *activation.Config) {
			c.Lists, c.Stale, c.Clock = [][]byte{newList(7)}, verifier.RefuseStale, at(instant("2027-06-01T00:00:01Z"))
		},
	} {
		s := newService(cfg, func(c *activation.Config) { c.Ledger = guard{t: t} })
		_, err := s.Activate(t.Context(), request(code))
		if e := problem(t, err, activation.Unavailable); e.Reason != reason {
			t.Errorf("activate: %#v, want %s", e, reason)
		}
		_, err = s.Refresh(t.Context(), about(text))
		if e := problem(t, err, activation.Unavailable); e.Reason != reason {
			t.Errorf("refresh: %#v, want %s", e, reason)
		}
		_, err = s.Activate(t.Context(), request(hs.forger().mint(license(1))))
		problem(t, err, activation.CodeRefused)
	}
	reported := newService(func(c *activation.Config) {
		c.Lists, c.Stale, c.Clock = [][]byte{newList(7)}, verifier.ReportStale, at(instant("2027-06-01T00:00:01Z"))
	})
	if _, err := reported.Preview(t.Context(), request(code)); err != nil {
		t.Errorf("with ReportStale: %v", err)
	}
}
