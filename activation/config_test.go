package activation_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/activation/limit"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/receipt"
	"github.com/licet-dev/licet/signer/manifest"
	"github.com/licet-dev/licet/verifier"
	"github.com/licet-dev/licet/verifier/revocation"
)

// Each field of a configuration is checked, and the error names it. Beside each that is
// refused stands one that is nearly the same and is not.
func TestConfig(t *testing.T) {
	def := func(f func(*activation.Policy)) func(*activation.Config) {
		return func(c *activation.Config) { f(&c.Default) }
	}
	limits := func(f func(*activation.Limits)) func(*activation.Config) {
		return func(c *activation.Config) { f(c.Limits) }
	}
	withdrawReceiptKey := func(d *revocation.Draft) { d.KeyStates[receiptKey.ID()] = keys.Withdrawn }
	for _, tt := range []struct {
		want      string // in the error
		bad, good func(*activation.Config)
	}{
		{"Config.Ring", func(c *activation.Config) { c.Ring = nil }, func(c *activation.Config) {}},
		{"Config.Ring has no product", func(c *activation.Config) {
			c.Ring, c.Manifests = must(keys.NewRing("Acme Tools", nil, []keys.Key{receiptKey.Key})), nil
		}, func(c *activation.Config) {
			c.Ring, c.Manifests = must(keys.NewRing("Acme Tools", products, []keys.Key{receiptKey.Key})), nil
		}},
		{"Config.Ledger", func(c *activation.Config) { c.Ledger = nil }, func(c *activation.Config) { c.Ledger = activation.None{} }},

		{"Config.ReceiptKey: receipt: no private key", func(c *activation.Config) { c.ReceiptKey = keys.PrivateKey{} }, func(c *activation.Config) { c.ReceiptKey = receiptKey.private }},
		{"Config.ReceiptKey: receipt: key " + listKey.ID().String() + " is a list key", func(c *activation.Config) { c.ReceiptKey = listKey.private }, nil},
		{"Config.ReceiptKey: receipt key " + closedReceipt.ID().String() + " is closed", func(c *activation.Config) { c.ReceiptKey = closedReceipt.private }, nil},
		{"Config.ReceiptKey: receipt key " + badReceipt.ID().String() + " is withdrawn", func(c *activation.Config) { c.ReceiptKey = badReceipt.private }, nil},
		{"Config.ReceiptKey: the ring does not have receipt key " + unknownReceipt.ID().String(), func(c *activation.Config) { c.ReceiptKey = unknownReceipt.private }, nil},
		{"is withdrawn by the revocation list", func(c *activation.Config) {
			c.Lists, c.Stale = [][]byte{newList(6), newList(7, withdrawReceiptKey)}, verifier.RefuseStale
		}, func(c *activation.Config) { // the newest decides
			c.Lists, c.Stale = [][]byte{newList(7), newList(6, withdrawReceiptKey)}, verifier.RefuseStale
		}},

		{"Config.Products: the ring has no product 9", func(c *activation.Config) { c.Products = []uint64{7, 9} }, func(c *activation.Config) { c.Products = []uint64{7, 8} }},
		{"Config.Policies has product 9", func(c *activation.Config) { c.Policies = map[uint64]activation.Policy{9: {}} }, func(c *activation.Config) { c.Policies = map[uint64]activation.Policy{8: {}} }},
		{"Config.Policies has product 8", func(c *activation.Config) {
			c.Products, c.Policies = []uint64{7}, map[uint64]activation.Policy{8: {}}
		}, nil},
		{"Config.Policies[8].Seats", func(c *activation.Config) { c.Policies = map[uint64]activation.Policy{8: {Seats: -1}} }, nil},
		{"Config.Default.Kind", def(func(p *activation.Policy) { p.Kind = "Device" }), def(func(p *activation.Policy) { p.Kind = receipt.Account })},
		{"Config.Default.Seats", def(func(p *activation.Policy) { p.Seats = -1 }), def(func(p *activation.Policy) { p.Seats = 0 })},
		{"Config.Default.Seats", def(func(p *activation.Policy) { p.Seats = activation.Unlimited + 1 }), def(func(p *activation.Policy) { p.Seats = activation.Unlimited })},
		{"Config.Default.Lease.Refresh", def(func(p *activation.Policy) { p.Lease.Refresh = -time.Second }), def(func(p *activation.Policy) { p.Lease.Refresh = 0 })},
		{"Config.Default.Lease.Refresh", def(func(p *activation.Policy) { p.Lease.Refresh = 1500 * time.Millisecond }), def(func(p *activation.Policy) { p.Lease.Refresh = time.Second })},
		{"Config.Default.Lease.Grace", def(func(p *activation.Policy) { p.Lease.Grace = -time.Second }), def(func(p *activation.Policy) { p.Lease.Grace = 0 })},
		{"Config.Default.Lease.Grace", def(func(p *activation.Policy) { p.Lease.Grace = time.Millisecond }), def(func(p *activation.Policy) { p.Lease.Grace = time.Second })},
		{"Config.Default.GiveBacks", def(func(p *activation.Policy) { p.GiveBacks = -1 }), def(func(p *activation.Policy) { p.GiveBacks = 0 })},
		{"Config.Default.Hold", def(func(p *activation.Policy) { p.Hold, p.Lease.Refresh = true, 0 }), def(func(p *activation.Policy) { p.Hold = true })},

		{"Config.Leeway", func(c *activation.Config) { c.Leeway = -1 }, func(c *activation.Config) { c.Leeway = 0 }},
		{"Config.Leeway", func(c *activation.Config) { c.Leeway = verifier.MaxLeeway + 1 }, func(c *activation.Config) { c.Leeway = verifier.MaxLeeway }},
		{"Config.Stale", func(c *activation.Config) { c.Lists = [][]byte{newList(7)} }, func(c *activation.Config) { c.Lists, c.Stale = [][]byte{newList(7)}, verifier.ReportStale }},
		{"Config.Stale", func(c *activation.Config) { c.Stale = verifier.ReportStale + 1 }, func(c *activation.Config) { c.Stale = verifier.RefuseStale }},
		{"Config.Lists: verifier: list 2 of 2", func(c *activation.Config) {
			c.Lists, c.Stale = [][]byte{newList(7), []byte("no list")}, verifier.RefuseStale
		}, func(c *activation.Config) { c.Lists, c.Stale = [][]byte{newList(7), newList(8)}, verifier.RefuseStale }},
		{"Config.Manifests: manifest 2 of 2", func(c *activation.Config) { c.Manifests = append(c.Manifests, []byte("no manifest")) }, func(c *activation.Config) { c.Manifests = nil }},
		{"Config.Manifests: manifest 1 of 1", func(c *activation.Config) { // signed by somebody else
			c.Manifests = [][]byte{must(manifest.Sign(must(manifest.Open(newManifest(), ring)), roleKey(keys.List, "other").private))}
		}, nil},

		{"Config.Limits.Address", limits(func(l *activation.Limits) { l.Address = limit.Rate{N: -1, Per: time.Minute} }), limits(func(l *activation.Limits) { l.Address = minute })},
		{"Config.Limits.Failures", limits(func(l *activation.Limits) { l.Failures = limit.Rate{N: 1} }), limits(func(l *activation.Limits) { l.Failures = minute })},
		{"Config.Limits.Account", limits(func(l *activation.Limits) { l.Account = limit.Rate{Per: time.Minute} }), limits(func(l *activation.Limits) { l.Account = minute })},
		{"Config.Limits.Device", limits(func(l *activation.Limits) { l.Device = limit.Rate{N: 1, Per: -1} }), limits(func(l *activation.Limits) { l.Device = minute })},
		{"Config.Limits.Code", limits(func(l *activation.Limits) { l.Code = limit.Rate{N: 1} }), limits(func(l *activation.Limits) { l.Code = minute })},
		{"Config.Limits.Forgeries", limits(func(l *activation.Limits) { l.Forgeries = limit.Rate{N: 1} }), limits(func(l *activation.Limits) { l.Forgeries = minute })},
		{"Config.Limits.Entries", limits(func(l *activation.Limits) { l.Entries = -1 }), limits(func(l *activation.Limits) { l.Entries = 1 })},
		{"Config.Limits.Entries", limits(func(l *activation.Limits) { l.Entries = 1<<30 + 1 }), func(c *activation.Config) { c.Limits = nil }},
	} {
		s, err := activation.New(newConfig(tt.bad))
		if err == nil || s != nil || !strings.HasPrefix(err.Error(), "activation: ") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want one with %q", err, tt.want)
		}
		if tt.good == nil {
			tt.good = func(*activation.Config) {}
		}
		if _, err := activation.New(newConfig(tt.good)); err != nil {
			t.Errorf("what is next to %q: %v", tt.want, err)
		}
	}
}

// What is not served, and why, is told at start.
func TestUnserved(t *testing.T) {
	all := func(s *activation.Service) (out []string) {
		for _, u := range s.Unserved() {
			if k, ok := ring.MintKey(u.Number); !ok || k.ID() != u.ID || u.Remedy == "" {
				t.Errorf("%+v", u)
			}
			out = append(out, u.ID.String()+" "+u.Reason)
		}
		return out
	}
	want := []string{
		noSecret.ID().String() + " no-secret", withdrawn.ID().String() + " key-withdrawn",
		noManifest.ID().String() + " no-manifest", rich.ID().String() + " no-manifest",
	}
	if got := all(newService()); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := all(newService(withRich)); !slices.Equal(got, want[:3]) {
		t.Errorf("with the manifest: %q, want %q", got, want[:3])
	}
	if got := all(newService(func(c *activation.Config) { c.Manifests = nil })); len(got) != 5 || got[0] != coupon.ID().String()+" no-manifest" {
		t.Errorf("without manifests: %q", got)
	}
}

// Somebody who changes a configuration afterwards changes nothing.
func TestConfigIsCopied(t *testing.T) {
	c := newConfig(func(c *activation.Config) {
		c.Products, c.Policies = []uint64{7}, map[uint64]activation.Policy{7: {Seats: 3}}
	})
	s := must(activation.New(c))
	c.Products[0], c.Policies[7] = 8, activation.Policy{Seats: 9}
	*c.Limits = activation.Limits{Address: limit.Rate{N: 1, Per: time.Hour}}
	for range 3 {
		if p, err := s.Preview(t.Context(), request(hs.mint(license(1)))); err != nil || p.Seats != 3 {
			t.Errorf("%d seats, error %v", p.Seats, err)
		}
	}
}
