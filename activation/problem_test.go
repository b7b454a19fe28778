package activation_test

import (
	"context"
	"crypto/elliptic"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/receipt"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/signer/manifest"
	"github.com/licet-dev/licet/verifier"
	"github.com/licet-dev/licet/verifier/revocation"
)

// A guard is a ledger that no request may reach.
type guard struct {
	activation.None
	t *testing.T
}

func (g guard) Claim(context.Context, activation.Claim) (activation.Seat, activation.Outcome, error) {
	g.t.Error("the ledger was asked for a seat")
	return activation.Seat{}, 0, activation.ErrFull
}

func (g guard) Renew(context.Context, activation.Renewal) (activation.Seat, error) {
	g.t.Error("the ledger was asked to renew")
	return activation.Seat{}, activation.ErrNoSeat
}

func (g guard) Release(context.Context, activation.GiveBack) (activation.Seat, error) {
	g.t.Error("the ledger was asked to take back")
	return activation.Seat{}, activation.ErrNoSeat
}

// What can't be meant is refused by its form, and takes no seat: EP-02, EP-12, BD-06.
// Beside each stands the nearest that can.
func TestBadRequest(t *testing.T) {
	set := func(f func(*activation.Request)) func(*activation.Request) { return f }
	hash := func(text string) func(*activation.Request) {
		return set(func(r *activation.Request) { r.Subject.Hash = sha256.Sum256([]byte(text)) })
	}
	code := hs.mint(license(1))
	s, none := newService(), newService(func(c *activation.Config) { c.Ledger = guard{t: t} })
	for _, tt := range []struct {
		member    string
		bad, good func(*activation.Request)
	}{
		{"product", set(func(r *activation.Request) { r.Product = 0 }), set(func(r *activation.Request) {})},
		{"product", set(func(r *activation.Request) { r.Product = 1 << 53 }), nil},
		{"subject", set(func(r *activation.Request) { r.Subject = receipt.Subject{} }), nil},
		{"subject", set(func(r *activation.Request) { r.Subject.Kind = "" }), nil},
		{"subject", set(func(r *activation.Request) { r.Subject.Kind = "Device" }), nil},
		{"subject", set(func(r *activation.Request) { r.Subject.Hash = [32]byte{} }), nil},
		{"subject", hash(""), hash("1")},
		{"subject", hash("null"), hash("null2")},
		{"subject", hash("To be filled by O.E.M."), nil},
		{"subject", hash("Default string"), nil},
		{"subject", hash("00000000-0000-0000-0000-000000000000"), hash("00000000-0000-0000-0000-000000000001")},
		{"subject", hash("FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"), nil},
		{"subject", set(func(r *activation.Request) { r.Subject = account("Mary") }), nil},
		{"nonce", set(func(r *activation.Request) { r.Nonce = "" }), set(func(r *activation.Request) { r.Nonce = strings.Repeat("A", 22) })},
		{"nonce", set(func(r *activation.Request) { r.Nonce = strings.Repeat("A", 21) }), set(func(r *activation.Request) { r.Nonce = strings.Repeat("A", 128) })},
		{"nonce", set(func(r *activation.Request) { r.Nonce = strings.Repeat("A", 129) }), nil},
		{"nonce", set(func(r *activation.Request) { r.Nonce += "+" }), set(func(r *activation.Request) { r.Nonce += "-_" })},
		{"idempotency key", set(func(r *activation.Request) { r.Key = "" }), nil},
		{"idempotency key", set(func(r *activation.Request) { r.Key = strings.Repeat("a", 15) }), set(func(r *activation.Request) { r.Key = strings.Repeat("a", 16) })},
		{"idempotency key", set(func(r *activation.Request) { r.Key = strings.Repeat("a", 129) }), set(func(r *activation.Request) { r.Key = strings.Repeat("a", 128) })},
		{"idempotency key", set(func(r *activation.Request) { r.Key += " " }), set(func(r *activation.Request) { r.Key += ".-_09azAZ" })},
		{"idempotency key", set(func(r *activation.Request) { r.Key += "é" }), nil},
		{"binding", set(func(r *activation.Request) { r.Binding = "a\nb" }), set(func(r *activation.Request) { r.Binding = "a b" })},
		{"binding", set(func(r *activation.Request) { r.Binding = strings.Repeat("a", 1025) }), set(func(r *activation.Request) { r.Binding = strings.Repeat("a", 1024) })},
		{"binding", set(func(r *activation.Request) { r.Binding = "a\xff" }), nil},
		{"binding", set(func(r *activation.Request) { r.Binding = "To be filled by O.E.M." }), nil},
	} {
		_, err := none.Activate(t.Context(), request(code, tt.bad))
		if e := problem(t, err, activation.BadRequest); !strings.HasPrefix(e.Detail, tt.member+": ") || e.Places != nil {
			t.Errorf("%s: %v", tt.member, err)
		}
		if tt.good == nil {
			continue
		}
		if _, err := s.Activate(t.Context(), request(code, tt.good)); err != nil {
			t.Errorf("%s, next to what is refused: %v", tt.member, err)
		}
	}

	text := must(s.Activate(t.Context(), request(code))).Receipt
	for _, tt := range []struct {
		member          string
		change          func(*activation.ReceiptRequest)
		refresh, giveUp bool // whether they are refused
	}{
		{"receipt", func(r *activation.ReceiptRequest) { r.Receipt = "" }, true, true},
		{"subject", func(r *activation.ReceiptRequest) { r.Subject = receipt.Subject{} }, true, true},
		{"subject", func(r *activation.ReceiptRequest) { r.Subject = account("Mary") }, true, true},
		{"nonce", func(r *activation.ReceiptRequest) { r.Nonce = "" }, true, false},
		{"nonce", func(r *activation.ReceiptRequest) { r.Nonce = "short" }, true, false},
	} {
		for what, do := range map[string]func(context.Context, activation.ReceiptRequest) (activation.Reply, error){"refresh": s.Refresh, "release": s.Release} {
			_, err := do(t.Context(), about(text, tt.change))
			if refused := what == "refresh" && tt.refresh || what == "release" && tt.giveUp; !refused {
				if err != nil {
					t.Errorf("%s: %v", what, err)
				}
			} else if e := problem(t, err, activation.BadRequest); !strings.HasPrefix(e.Detail, tt.member+": ") {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
}

// withTrust makes it a request of an account that a known caller speaks for.
func withTrust(name string) func(*activation.Request) {
	return func(r *activation.Request) { r.Subject, r.Trusted = account(name), true }
}

// What is typed wrongly is told with its place, whatever the signature.
func TestMalformedCode(t *testing.T) {
	s := newService(func(c *activation.Config) { c.Ledger = guard{t: t} })
	good := hs.mint(license(1)) // ACME-AHJX-...
	other := func(c byte) byte {
		v, _ := payload.SymbolValue(c)
		return payload.Symbol((v + 1) % 32)
	}
	typo := []byte(good)
	typo[6] = other(typo[6])
	typos := []byte(good)
	for _, i := range []int{6, 12, 18, 25} {
		typos[i] = other(typos[i])
	}
	for _, tt := range []struct {
		name, code, reason string
		places             []int
	}{
		{"nothing", "", "empty", nil},
		{"blanks", " -\u200b- ", "empty", nil},
		{"long", strings.Repeat("A", payload.MaxInput+1), "too-long", nil},
		{"prefix", "ACME-", "prefix-only", nil},
		{"one typo", string(typo), "typo", []int{6}},
		{"typos", string(typos), "typo", nil},
		{"short", good[:len(good)-1], "wrong-length", nil},
		{"Cyrillic", good[:6] + "\u0416" + good[7:], "unreadable", []int{6}},
		{"Cyrillic after a blank", "  " + good[:6] + "\u0416" + good[7:], "unreadable", []int{8}},
		{"not UTF-8", good[:6] + "\xff" + good[7:], "unreadable", []int{6}},
		{"twice", good + " " + good, "repeated", nil},
		{"other prefix", "ABCD-" + good[5:], "wrong-prefix", nil},
		{"more text", "CODE " + good + " B", "extra-text", nil},
	} {
		_, err := s.Activate(t.Context(), request(tt.code))
		e := problem(t, err, activation.MalformedCode)
		if e.Reason != tt.reason || !slices.Equal(e.Places, tt.places) || e.Code != (activation.CodeID{}) {
			t.Errorf("%s: %s at %v, want %s at %v", tt.name, e.Reason, e.Places, tt.reason, tt.places)
		}
	}
}

// A typing error in a genuine code and one in a forged code get the same answer, so
// nobody learns of a signature without sending the code (EP-10).
func TestTypoIsNoOracle(t *testing.T) {
	s := newService(func(c *activation.Config) { c.Ledger = guard{t: t} })
	for _, k := range []testKey{hs, es, coupon} {
		lic := license(1)
		if k.ID() == coupon.ID() {
			lic = couponLicense(1)
		}
		var answers [2]*activation.Error
		for i, code := range []string{k.mint(lic), k.forger().mint(lic)} {
			b := []byte(code)
			at := len(b) - 1 // a check symbol: what stands before it is the same as in the code
			v, _ := payload.SymbolValue(b[at])
			b[at] = payload.Symbol((v + 1) % 32)
			_, err := s.Activate(t.Context(), request(string(b)))
			answers[i] = problem(t, err, activation.MalformedCode)
			if answers[i].Places == nil {
				t.Errorf("key %d: no place", k.Number())
			}
		}
		if !reflect.DeepEqual(answers[0], answers[1]) {
			t.Errorf("key %d: %#v of a genuine code, %#v of a forged one", k.Number(), answers[0], answers[1])
		}
	}
}

// forgedES returns a code whose signature is in its other spelling or has a spare bit.
func forgedES() (highS, spareBit string) {
	code := es.mint(license(1))
	s := es.symbols(code)
	at := 1 + payload.SymbolCount(es.Layout().Bits())
	v, _ := payload.SymbolValue(s[at])
	spare := slices.Clone(s)
	spare[at] = payload.Symbol(v | 16)

	sig := make([]byte, 64)
	payload.DecodeSymbols(sig, s[at:len(s)-payload.CheckSymbols], 512)
	n := new(big.Int).Sub(elliptic.P256().Params().N, new(big.Int).SetBytes(sig[32:]))
	n.FillBytes(sig[32:])
	high := append(payload.AppendSymbols(slices.Clone(s[:at]), sig, 512), s[len(s)-payload.CheckSymbols:]...)
	return es.reprint(high), es.reprint(spare)
}

// All that is not genuine gets one answer (EP-10); only the log tells why.
func TestCodeRefused(t *testing.T) {
	withdraw := func(d *revocation.Draft) { d.KeyStates[es.ID()] = keys.Withdrawn }
	s := newService(func(c *activation.Config) { c.Ledger = guard{t: t} })
	listed := newService(func(c *activation.Config) {
		c.Ledger, c.Lists, c.Stale = guard{t: t}, [][]byte{newList(7, withdraw)}, verifier.RefuseStale
	})
	later := hs.symbols(hs.mint(license(1)))
	later[0] = payload.Symbol(0)
	highS, spareBit := forgedES()
	// The forger's key mints codes of products that the ring's may not.
	d := hs.Descriptor()
	wide := testKey{must(must(keys.NewKey(hs.private, d, 7, 8, 9)).Attach(hs.private)), hs.private}
	otherProduct := license(1)
	otherProduct.Product = 9

	var one *activation.Error
	for _, tt := range []struct {
		name, code, reason string
		s                  *activation.Service
		change             func(*activation.Request)
	}{
		{"later format", notInTheRing.reprint(later), "later-format", nil, nil},
		{"unknown key", notInTheRing.mint(license(1)), "unknown-key", nil, nil},
		{"other length", newKey("", "hs256 key=8 prefix=ACME "+standard+" bind=none sig=160").mint(license(1)), "wrong-length", nil, nil},
		{"spare bit", spareBit, "spare-bits", nil, nil},
		{"high s", highS, "signature-range", nil, nil},
		{"no secret", noSecret.mint(license(1)), "no-secret", nil, nil},
		{"no manifest", noManifest.mint(couponLicense(1)), "no-manifest", nil, nil},
		{"not in a manifest", coupon.mint(couponLicense(101)), "not-in-manifest", nil, nil},
		{"withdrawn", withdrawn.mint(license(1)), "key-withdrawn", nil, nil},
		{"withdrawn by a list", es.mint(license(1)), "key-withdrawn", listed, nil},
		{"no binding", bound.mint(license(1), "machine 1"), "binding-required", nil, nil},
		{"other binding", bound.mint(license(1), "machine 1"), "bad-signature", nil, func(r *activation.Request) { r.Binding = "machine 2" }},
		{"forged hs256", hs.forger().mint(license(1)), "bad-signature", nil, nil},
		{"forged es256", es.forger().mint(license(1)), "bad-signature", nil, nil},
		{"forged coupon", coupon.forger().mint(couponLicense(1)), "bad-signature", nil, nil},
		{"product of another key", wide.mint(otherProduct), "product-not-allowed", nil, nil},
	} {
		if tt.s == nil {
			tt.s = s
		}
		if tt.change == nil {
			tt.change = func(*activation.Request) {}
		}
		r := request(tt.code, tt.change)
		_, err := tt.s.Activate(t.Context(), r)
		e := problem(t, err, activation.CodeRefused)
		if e.Reason != tt.reason {
			t.Errorf("%s: reason %s, want %s", tt.name, e.Reason, tt.reason)
		}
		_, err = tt.s.Preview(t.Context(), r)
		if p := problem(t, err, activation.CodeRefused); !reflect.DeepEqual(p, e) {
			t.Errorf("%s: a preview gets %#v", tt.name, p)
		}
		e.Reason = ""
		if one == nil {
			one = e
		}
		if !reflect.DeepEqual(one, e) {
			t.Errorf("%s: %#v, want %#v", tt.name, e, one)
		}
	}
	if _, err := listed.Preview(t.Context(), request(hs.mint(license(1)))); err != nil {
		t.Errorf("a key that the list leaves alone: %v", err)
	}
}

// What comes after the signature is told to those who have a genuine code, and takes no
// seat. Beside each stands the nearest that is good.
func TestNotAcceptable(t *testing.T) {
	until := func(day payload.Day) payload.License { l := license(1); l.Expiry = day; return l }
	since := func(day payload.Day) payload.License { l := seatsLicense(1, 3); l.Start = day; return l }
	gadget := license(1)
	gadget.Product = 8
	today := payload.DayOf(noon)
	withList := func(change ...func(*revocation.Draft)) func(*activation.Config) {
		return func(c *activation.Config) {
			c.Lists, c.Stale = [][]byte{newList(7, change...)}, verifier.RefuseStale
		}
	}
	minVersion := func(v uint64) func(*activation.Config) {
		return func(c *activation.Config) { c.MinVersion = v }
	}
	kind := func(k receipt.Kind) func(*activation.Config) {
		return func(c *activation.Config) { c.Default.Kind = k }
	}
	nothing := func(*activation.Config) {}
	trusted := withTrust("Mary")
	for _, tt := range []struct {
		want            activation.Problem
		bad, good       string
		badCfg, goodCfg func(*activation.Config)
		badReq, goodReq func(*activation.Request)
		check           func(*activation.Error) bool
	}{
		{want: activation.WrongProduct, bad: hs.mint(gadget), good: hs.mint(license(1)),
			check: func(e *activation.Error) bool { return strings.Contains(e.Detail, "Gadget (product 8)") }}, // EP-21
		{want: activation.WrongProduct, bad: hs.mint(gadget), good: hs.mint(license(1)),
			badCfg: func(c *activation.Config) { c.Products = []uint64{7} }, badReq: func(r *activation.Request) { r.Product = 8 }},
		{want: activation.Revoked, bad: hs.mint(license(1)), good: hs.mint(license(2)), badCfg: withList(revoke(hs, 1)), goodCfg: withList(revoke(hs, 1)),
			check: func(e *activation.Error) bool { return strings.Contains(e.Detail, "leaked") }},
		{want: activation.VersionTooOld, bad: hs.mint(license(1)), good: hs.mint(license(1)), badCfg: minVersion(4), goodCfg: minVersion(3),
			check: func(e *activation.Error) bool { return e.MinVersion == 4 }},
		{want: activation.VersionTooOld, bad: hs.mint(license(1)), good: hs.mint(license(1)), badCfg: withList(func(d *revocation.Draft) { d.Minimums[7] = 5 }), goodCfg: withList(func(d *revocation.Draft) { d.Minimums[8] = 5 }),
			check: func(e *activation.Error) bool { return e.MinVersion == 5 }},
		{want: activation.Expired, bad: hs.mint(until(today - 1)), good: hs.mint(until(today)),
			check: func(e *activation.Error) bool { return strings.Contains(e.Detail, "2026-11-30") }},
		{want: activation.Expired, bad: hs.mint(until(today - 2)), good: hs.mint(until(today - 1)), badCfg: func(c *activation.Config) { c.Leeway = 24 * time.Hour }, goodCfg: func(c *activation.Config) { c.Leeway = 24 * time.Hour }},
		{want: activation.NotYetValid, bad: seats.mint(since(today + 1)), good: seats.mint(since(today)),
			check: func(e *activation.Error) bool { return strings.Contains(e.Detail, "2026-12-02") }},
		{want: activation.WrongKind, bad: hs.mint(license(1)), good: hs.mint(license(1)), badCfg: kind(receipt.Account), goodCfg: kind(receipt.Device)},
		{want: activation.WrongKind, bad: hs.mint(license(1)), good: hs.mint(license(1)), badReq: trusted, goodReq: trusted, goodCfg: kind(receipt.Account)},
	} {
		for _, f := range []*func(*activation.Config){&tt.badCfg, &tt.goodCfg} {
			if *f == nil {
				*f = nothing
			}
		}
		for _, f := range []*func(*activation.Request){&tt.badReq, &tt.goodReq} {
			if *f == nil {
				*f = func(*activation.Request) {}
			}
		}
		s := newService(tt.badCfg, func(c *activation.Config) { c.Ledger = guard{t: t} })
		_, err := s.Activate(t.Context(), request(tt.bad, tt.badReq))
		e := problem(t, err, tt.want)
		if tt.check != nil && !tt.check(e) {
			t.Errorf("%s: %#v", tt.want, e)
		}
		if e.Code == (activation.CodeID{}) || e.Reason != string(tt.want) && tt.want != activation.VersionTooOld {
			t.Errorf("%s: %#v", tt.want, e)
		}
		if _, err = s.Preview(t.Context(), request(tt.bad, tt.badReq)); tt.want != activation.WrongKind {
			problem(t, err, tt.want)
		}
		if _, err := newService(tt.goodCfg).Activate(t.Context(), request(tt.good, tt.goodReq)); err != nil {
			t.Errorf("next to %s: %v", tt.want, err)
		}
		// The same terms in a forged code tell nothing.
		if tt.want != activation.WrongKind {
			_, err = s.Activate(t.Context(), request(hs.forger().mint(until(today-1)), tt.badReq))
			problem(t, err, activation.CodeRefused)
		}
	}
}

// A licence with several faults is told one, in the order of package verifier, and the
// product before all.
func TestFirstProblem(t *testing.T) {
	lic := license(1)
	lic.Expiry = payload.DayOf(noon) - 1
	s := newService(func(c *activation.Config) {
		c.MinVersion, c.Lists, c.Stale = 4, [][]byte{newList(7, revoke(hs, 1))}, verifier.RefuseStale
	})
	_, err := s.Activate(t.Context(), request(hs.mint(lic)))
	problem(t, err, activation.Revoked)
	_, err = s.Activate(t.Context(), request(hs.mint(lic), func(r *activation.Request) { r.Product = 8 }))
	problem(t, err, activation.WrongProduct)
}

// A forged code of a short tag that has a right tag by chance is still refused unless
// all that it says was issued.
func TestManifestTerms(t *testing.T) {
	s := newService(withRich)
	for name, change := range map[string]func(*payload.License){
		"good":         func(*payload.License) {},
		"last":         func(l *payload.License) { l.Serial = 100 },
		"serial":       func(l *payload.License) { l.Serial = 101 },
		"version":      func(l *payload.License) { l.Version = 4 },
		"expiry":       func(l *payload.License) { l.Expiry = payload.Never },
		"start":        func(l *payload.License) { l.Start = payload.Date(2026, 1, 2) },
		"no start":     func(l *payload.License) { l.Start = 0 },
		"features":     func(l *payload.License) { l.Features = 15 },
		"no features":  func(l *payload.License) { l.Features = 0 },
		"other field":  func(l *payload.License) { l.Extra.Set("rack", 10) },
		"product":      func(l *payload.License) { l.Product = 8 },
		"serial, long": func(l *payload.License) { l.Serial = 1<<30 - 1 },
	} {
		lic := richLicense(1)
		change(&lic)
		_, err := s.Activate(t.Context(), request(rich.mint(lic, "Acme"), func(r *activation.Request) { r.Binding, r.Product = "Acme", lic.Product }))
		if name == "good" || name == "last" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if e := problem(t, err, activation.CodeRefused); e.Reason != "not-in-manifest" {
			t.Errorf("%s: %s", name, e.Reason)
		}
	}
	_, err := s.Activate(t.Context(), request(rich.mint(richLicense(1), "Other"), func(r *activation.Request) { r.Binding = "Other" }))
	if e := problem(t, err, activation.CodeRefused); e.Reason != "not-in-manifest" {
		t.Errorf("bound to something else: %s", e.Reason)
	}
	// Long tags need no manifest, and those of other keys say nothing of them.
	s = newService(func(c *activation.Config) {
		c.Manifests = append(c.Manifests, newManifest(func(m *manifest.Manifest) { m.KeyID, m.KeyNumber = justLong.ID(), 16 }))
	})
	if _, err := s.Activate(t.Context(), request(justLong.mint(couponLicense(1000)))); err != nil {
		t.Errorf("65 bits: %v", err)
	}
}

// No text of an error has a code, a fingerprint, a nonce or a key in it: EP-17. The log
// line is made of Error, the answer of Detail.
func TestNothingSecretInErrors(t *testing.T) {
	failing := newService(func(c *activation.Config) {
		c.Ledger = scripted{claim: func(context.Context, activation.Claim) (activation.Seat, activation.Outcome, error) {
			return activation.Seat{}, 0, errors.New("broken")
		}}
	})
	s := newService(func(c *activation.Config) {
		c.MinVersion, c.Lists, c.Stale = 3, [][]byte{newList(7, revoke(hs, 2))}, verifier.RefuseStale
	})
	good := hs.mint(license(1))
	old := license(3)
	old.Expiry = 1
	var errs []error
	for _, code := range []string{
		good, good[:len(good)-2], good + good, "X" + good, "PRE-" + good, strings.Replace(good, "ACME", "ACMA", 1), strings.ToLower(good[:8]) + "ж" + good[9:],
		good[:10] + "A" + good[11:], good[:10] + "!" + good[11:], hs.forger().mint(license(1)), hs.mint(license(2)), hs.mint(old), es.mint(license(1)),
		bound.mint(license(1), "m"), coupon.mint(couponLicense(500)), notInTheRing.mint(license(1)),
	} {
		for _, change := range []func(*activation.Request){
			func(*activation.Request) {},
			func(r *activation.Request) { r.Product = 8 },
			func(r *activation.Request) { r.Nonce += "!" },
			func(r *activation.Request) { r.Key += "!" },
			func(r *activation.Request) { r.Subject.Kind = receipt.Kind(fingerprint) },
			func(r *activation.Request) { r.Binding = fingerprint + "\n" },
		} {
			for _, s := range []*activation.Service{s, failing} {
				r := request(code, change)
				_, err := s.Activate(t.Context(), r)
				errs = append(errs, check(t, err, r.Code, r.Nonce, r.Key)...)
				_, err = s.Preview(t.Context(), r)
				errs = append(errs, check(t, err, r.Code, r.Nonce, r.Key)...)
			}
		}
	}
	text := must(s.Activate(t.Context(), request(good))).Receipt
	for _, r := range []activation.ReceiptRequest{
		about(text[1:]), about(text + "AAAA"), about(text[:len(text)-4]), about(good), about(text + "!"),
		about(text, func(r *activation.ReceiptRequest) { r.Subject = device("other") }),
		about(text, func(r *activation.ReceiptRequest) { r.Nonce += "!" }),
	} {
		_, err := s.Refresh(t.Context(), r)
		errs = append(errs, check(t, err, r.Receipt, r.Nonce, idemKey)...)
		_, err = s.Release(t.Context(), r)
		errs = append(errs, check(t, err, r.Receipt, r.Nonce, idemKey)...)
	}
	if len(errs) < 150 {
		t.Errorf("only %d errors were looked at", len(errs))
	}
}

// check fails when a text of an error has six characters in a row of what it must not
// tell, written as it may be.
func check(t *testing.T, err error, secrets ...string) []error {
	t.Helper()
	if err == nil {
		return nil
	}
	hash := device(fingerprint).Hash
	e, _ := errors.AsType[*activation.Error](err)
	plain := func(s string) string { return strings.NewReplacer("-", "", " ", "").Replace(strings.ToUpper(s)) }
	shown := plain(err.Error() + fmt.Sprintf("%+v %#v", *e, *e))
	for _, secret := range append(secrets, fingerprint, fmt.Sprintf("%x", hash)) {
		secret = strings.TrimPrefix(plain(secret), "ACME")
		for i := 0; i+6 <= len(secret); i++ {
			if strings.Contains(shown, secret[i:i+6]) {
				t.Errorf("%q has %q in it", shown, secret[i:i+6])
				return []error{err}
			}
		}
	}
	return []error{err}
}
