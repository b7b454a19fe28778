package receipt_test

import (
	"bytes"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/asn1"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/receipt"
	"github.com/licet-dev/licet/payload"
)

// TestSignInterop takes receipts apart as RFC 7515 says, with none of the code under
// test, and reads the claims as any JSON.
func TestSignInterop(t *testing.T) {
	device := fmt.Sprintf("%x", sha256.Sum256([]byte(fingerprint)))
	for name, tt := range map[string]struct {
		receipt receipt.Receipt
		license map[string]any
	}{
		"plain": {newReceipt(), map[string]any{
			"key_id": mintKey(esDescriptor).ID().String(), "product": 7., "serial": "1000", "version": 3., "expiry": "2027-12-31",
		}},
		"rich": {newReceipt(rich), map[string]any{
			"key_id": mintKey(richDescriptor).ID().String(), "product": 7., "serial": "9007199254740991", "version": 255., "start": "2026-01-01", "expiry": "never",
			"fields": map[string]any{"edition": 2., "features": 524289., "seats": 4095., "colour": 5.},
		}},
		"coupon": {newReceipt(coupon), map[string]any{
			"key_id": mintKey(couponDescriptor).ID().String(), "product": 7., "serial": "1073741823", "version": 0., "expiry": "never",
		}},
	} {
		text := must(receipt.Sign(tt.receipt, receiptKey("active")))
		header, claims, sig := parts(text)
		if want := `{"alg":"ES256","kid":"` + receiptKey("active").ID().String() + `","typ":"licet-receipt+jwt"}`; header != want {
			t.Errorf("%s: header %s, want %s", name, header, want)
		}
		var got map[string]any
		if err := json.Unmarshal([]byte(claims), &got); err != nil {
			t.Fatal(err)
		}
		want := map[string]any{
			"iss": "Acme Tools", "sub": device, "sub_kind": "device", "license": tt.license, "seats_enforced": true,
			"iat": 1796117400., "refresh_by": 1798709400., "exp": 1799919000., "nonce": nonce,
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: claims\n%v, want\n%v", name, got, want)
		}

		digest := sha256.Sum256([]byte(text[:strings.LastIndex(text, ".")]))
		r, s := new(big.Int).SetBytes(sig[:32]), new(big.Int).SetBytes(sig[32:])
		if len(sig) != 64 || !ecdsa.VerifyASN1(&ecKey("active").PublicKey, digest[:], must(asn1.Marshal(struct{ R, S *big.Int }{r, s}))) {
			t.Errorf("%s: the signature %x does not verify", name, sig)
		}
		if text != byHand(header, claims, ecKey("active")) {
			t.Errorf("%s: the signature is not that of RFC 6979", name)
		}
		opens(t, text, tt.receipt, "active")
	}
}

// rfc6979 signs a digest as RFC 6979, section 3.2, says. It is slow and for tests.
func rfc6979(key *ecdsa.PrivateKey, digest []byte) (r, s *big.Int) {
	order := elliptic.P256().Params().N
	d := must(key.Bytes())
	z := new(big.Int).SetBytes(digest)
	mac := func(k []byte, parts ...[]byte) []byte {
		h := hmac.New(sha256.New, k)
		for _, p := range parts {
			h.Write(p)
		}
		return h.Sum(nil)
	}
	seed := append(bytes.Clone(d), new(big.Int).Mod(z, order).FillBytes(make([]byte, 32))...)
	v, k := bytes.Repeat([]byte{1}, 32), make([]byte, 32)
	for _, b := range []byte{0, 1} {
		k = mac(k, v, []byte{b}, seed)
		v = mac(k, v)
	}
	v = mac(k, v) // beyond the order with probability 2^-32 only, and then NewPrivateKey says so
	point := must(ecdh.P256().NewPrivateKey(v)).PublicKey().Bytes()
	n := new(big.Int).SetBytes(v)
	r = new(big.Int).SetBytes(point[1:33])
	r.Mod(r, order)
	s = new(big.Int).Mul(r, new(big.Int).SetBytes(d))
	s.Add(s, z).Mul(s, n.ModInverse(n, order)).Mod(s, order)
	return r, s
}

// Halves of a signature are 32 bytes each, also where they begin with zeros (CR-05).
func TestSignShortHalves(t *testing.T) {
	short := 0
	for serial := uint64(1); short < 4; serial++ {
		r := newReceipt(func(r *receipt.Receipt) { r.License.Serial = serial })
		text := must(receipt.Sign(r, receiptKey("active")))
		if _, _, sig := parts(text); len(sig) != 64 {
			t.Fatalf("a signature of %d bytes", len(sig))
		} else if sig[0] == 0 || sig[32] == 0 {
			short++
			opens(t, text, r, "active")
		}
	}
}

func TestSignIsDeterministic(t *testing.T) {
	a, b := must(receipt.Sign(newReceipt(rich), receiptKey("active"))), must(receipt.Sign(newReceipt(rich), receiptKey("active")))
	if a != b {
		t.Errorf("%s and %s", a, b)
	}
	seen := map[string]string{a: "the same"}
	for name, change := range changes {
		text := must(receipt.Sign(newReceipt(rich, change), receiptKey("active")))
		if other, ok := seen[text]; ok {
			t.Errorf("%s gives the same receipt as %s", name, other)
		}
		seen[text] = name
		opens(t, text, newReceipt(rich, change), "active")
	}
	if other := must(receipt.Sign(newReceipt(rich), receiptKey("closed"))); other == a {
		t.Error("another key gives the same receipt")
	}
}

// changes are one for each thing that a receipt says.
var changes = map[string]func(*receipt.Receipt){
	"version":  func(r *receipt.Receipt) { r.License.Version = 0 },
	"serial":   func(r *receipt.Receipt) { r.License.Serial = 1 },
	"expiry":   func(r *receipt.Receipt) { r.License.Expiry = payload.Date(2114, 9, 19) },
	"start":    func(r *receipt.Receipt) { r.License.Start = 0 },
	"edition":  func(r *receipt.Receipt) { r.License.Edition = 0 },
	"features": func(r *receipt.Receipt) { r.License.Features = 1 },
	"seats":    func(r *receipt.Receipt) { r.License.Seats = 0 },
	"colour":   func(r *receipt.Receipt) { r.License.Extra.Set("colour", 0) },
	"shape":    func(r *receipt.Receipt) { r.License.Extra.Set("shape", 127) },
	"device":   func(r *receipt.Receipt) { r.Subject.Hash[31] ^= 1 },
	"account":  func(r *receipt.Receipt) { r.Subject.Kind = receipt.Account },
	"nonce":    func(r *receipt.Receipt) { r.Nonce = strings.Repeat("-_", 64) },
	"short":    func(r *receipt.Receipt) { r.Nonce = strings.Repeat("A", 22) },
	"issued":   func(r *receipt.Receipt) { r.Issued = instant("2025-01-01T01:00:00+01:00") },
	"refresh":  func(r *receipt.Receipt) { r.RefreshBy = r.Issued.Add(time.Second) },
	"end":      func(r *receipt.Receipt) { r.End = r.RefreshBy },
	"no end":   func(r *receipt.Receipt) { r.End = receipt.Never },
	"no dates": func(r *receipt.Receipt) { r.RefreshBy, r.End = receipt.Never, receipt.Never },
	"seats not enforced": func(r *receipt.Receipt) {
		r.SeatsEnforced = false
	},
	"part of a second": func(r *receipt.Receipt) {
		r.Issued, r.End = r.Issued.Add(time.Second+time.Nanosecond), r.End.Add(2*time.Second-time.Nanosecond)
	},
}

// What no receipt can say is refused when signing, and when somebody signed it all the
// same.
func TestSignValues(t *testing.T) {
	set := func(f func(*payload.License)) func(*receipt.Receipt) {
		return func(r *receipt.Receipt) { f(&r.License) }
	}
	extra := func(name string, value uint64) func(*receipt.Receipt) {
		return set(func(l *payload.License) { l.Extra.Set(name, value) })
	}
	for name, change := range map[string]func(*receipt.Receipt){
		"issuer":            func(r *receipt.Receipt) { r.Issuer = "" },
		"long issuer":       func(r *receipt.Receipt) { r.Issuer = strings.Repeat("x", 129) },
		"control character": func(r *receipt.Receipt) { r.Issuer = "Acme\nTools" },
		"not UTF-8":         func(r *receipt.Receipt) { r.Issuer = "Acme\xff" },
		"U+FFFD":            func(r *receipt.Receipt) { r.Issuer = "Acme\ufffd" },
		"zero subject":      func(r *receipt.Receipt) { r.Subject = receipt.Subject{} },
		"no subject":        func(r *receipt.Receipt) { r.Subject.Hash = [32]byte{} },
		"no kind":           func(r *receipt.Receipt) { r.Subject.Kind = "" },
		"other kind":        func(r *receipt.Receipt) { r.Subject.Kind = "Device" },
		"no key":            func(r *receipt.Receipt) { r.KeyID = keys.ID{} },
		"product 0":         set(func(l *payload.License) { l.Product = 0 }),
		"large product":     set(func(l *payload.License) { l.Product = 1 << 53 }),
		"serial 0":          set(func(l *payload.License) { l.Serial = 0 }),
		"large serial":      set(func(l *payload.License) { l.Serial = 1 << 53 }),
		"large version":     set(func(l *payload.License) { l.Version = 1 << 53 }),
		"no expiry":         set(func(l *payload.License) { l.Expiry = 0 }),
		"early expiry":      set(func(l *payload.License) { l.Expiry = -1 }),
		"late expiry":       set(func(l *payload.License) { l.Expiry = 1 << 21 }),
		"early start":       set(func(l *payload.License) { l.Start = -1 }),
		"late start":        set(func(l *payload.License) { l.Start, l.Expiry = 1<<21, payload.Never }),
		"start past expiry": set(func(l *payload.License) { l.Start = l.Expiry + 1 }),
		"large edition":     set(func(l *payload.License) { l.Edition = 1 << 53 }),
		"large features":    set(func(l *payload.License) { l.Features = 1 << 63 }),
		"large seats":       set(func(l *payload.License) { l.Seats = 1 << 53 }),
		"large field":       extra("colour", 1<<53),
		"capital field":     extra("Colour", 1),
		"empty field":       extra("", 1),
		"long field":        extra("abcdefghijklmnopq", 1),
		"version as field":  extra("version", 1),
		"seats as field":    extra("seats", 1),
		"no nonce":          func(r *receipt.Receipt) { r.Nonce = "" },
		"short nonce":       func(r *receipt.Receipt) { r.Nonce = r.Nonce[1:] },
		"long nonce":        func(r *receipt.Receipt) { r.Nonce = strings.Repeat("A", 129) },
		"nonce with blank":  func(r *receipt.Receipt) { r.Nonce += " " },
		"nonce with plus":   func(r *receipt.Receipt) { r.Nonce += "+" },
		"nonce of letters":  func(r *receipt.Receipt) { r.Nonce += "é" },
		"no issue":          func(r *receipt.Receipt) { r.Issued = time.Time{} },
		"early issue":       func(r *receipt.Receipt) { r.Issued = instant("2024-12-31T23:59:59Z") },
		"no refresh":        func(r *receipt.Receipt) { r.RefreshBy = time.Time{} },
		"refresh at issue":  func(r *receipt.Receipt) { r.RefreshBy = r.Issued.Add(999 * time.Millisecond) },
		"no end":            func(r *receipt.Receipt) { r.End = time.Time{} },
		"end past Never":    func(r *receipt.Receipt) { r.End = receipt.Never.Add(time.Second) },
		"early end":         func(r *receipt.Receipt) { r.End = r.RefreshBy.Add(-time.Second) },
	} {
		text, err := receipt.Sign(newReceipt(change), receiptKey("active"))
		if e, ok := errors.AsType[*receipt.Error](err); !ok || text != "" || e.Reason != receipt.Malformed || e.Key != (keys.ID{}) {
			t.Errorf("%s: %q, error %v", name, text, err)
		}
	}
}

// The largest receipt leaves half of what is read for white space.
func TestSignLargest(t *testing.T) {
	for _, issuer := range []string{strings.Repeat(`"`, 128), strings.Repeat("\u2028", 42), strings.Repeat("許", 42), strings.Repeat("<&", 64)} {
		text := must(receipt.Sign(newReceipt(func(r *receipt.Receipt) {
			r.Issuer = issuer
			r.License = payload.License{Product: 1<<53 - 1, Serial: 1<<53 - 1, Version: 1<<53 - 1, Start: 1, Expiry: payload.Never, Edition: 1<<53 - 1, Features: 1<<53 - 1, Seats: 1<<53 - 1}
			for i := range 11 {
				r.License.Extra.Set(fmt.Sprintf("abcdefghijklmn%02d", i), 1<<53-1)
			}
			r.Nonce = strings.Repeat("A", receipt.MaxNonce)
			r.RefreshBy, r.End = receipt.Never, receipt.Never
		}), receiptKey("active")))
		if len(text) > receipt.MaxSize/2 {
			t.Errorf("issuer %q: %d bytes", issuer, len(text))
		}
		if _, _, err := receipt.Open(text, newRing(issuer, roleKey(receiptKey("active"), keys.Active))); !errors.Is(err, receipt.UnknownMintKey) { // the last thing that Open looks at
			t.Errorf("issuer %q: %v", issuer, err)
		}
	}
	var r receipt.Receipt
	rich(&r)
	for i := range 12 {
		r.License.Extra.Set(fmt.Sprintf("field%d", i), 1)
	}
	full := newReceipt(func(n *receipt.Receipt) { n.License = r.License })
	if _, err := receipt.Sign(full, receiptKey("active")); !errors.Is(err, receipt.Malformed) {
		t.Errorf("more than %d fields: %v", payload.MaxFields-2, err)
	}
}

// A Signer gives the bytes that Sign gives, the first time and every other.
func TestSigner(t *testing.T) {
	s := must(receipt.NewSigner(receiptKey("active")))
	for name, change := range changes {
		r := newReceipt(rich, change)
		want := must(receipt.Sign(r, receiptKey("active")))
		for range 2 {
			if got := must(s.Sign(r)); got != want {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
		}
	}
	if text, err := s.Sign(newReceipt(func(r *receipt.Receipt) { r.Nonce = "" })); !errors.Is(err, receipt.Malformed) || text != "" {
		t.Errorf("no nonce: %q, error %v", text, err)
	}
}

func TestSignerConcurrent(t *testing.T) {
	s, want := must(receipt.NewSigner(receiptKey("active"))), must(receipt.Sign(newReceipt(), receiptKey("active")))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				if got, err := s.Sign(newReceipt()); got != want || err != nil {
					t.Errorf("%s, error %v", got, err)
				}
			}
		})
	}
	wg.Wait()
}

// Two signatures that differ are none: each would be good to find the key with.
func TestSignFault(t *testing.T) {
	good, fault, broken := []byte("good"), []byte("gold"), errors.New("broken")
	for name, tt := range map[string]struct {
		first, second []byte
		err           error
		ok            bool
	}{
		"same":         {good, good, nil, true},
		"first":        {fault, good, nil, false},
		"second":       {good, fault, nil, false},
		"cut off":      {good, good[:3], nil, false},
		"second fails": {good, good, broken, false},
	} {
		n := 0
		got, err := receipt.Twice(func() ([]byte, error) {
			if n++; n == 1 {
				return tt.first, nil
			}
			return tt.second, tt.err
		})
		if (err == nil) != tt.ok || tt.ok != bytes.Equal(got, good) || tt.err != nil && !errors.Is(err, tt.err) {
			t.Errorf("%s: %q, error %v", name, got, err)
		}
		if n != 2 {
			t.Errorf("%s: signed %d times", name, n)
		}
	}
}

// The first signature of a signer is verified, and when it is bad there is no second.
func TestSignFirst(t *testing.T) {
	s := must(receipt.NewSigner(receiptKey("active")))
	for other, ok := range map[string]bool{"active": true, "closed": false} {
		s := s.WithPublic(ecKey(other).PublicKey)
		for range 2 {
			if text, err := s.Sign(newReceipt()); (err == nil) != ok || (text != "") != ok {
				t.Errorf("the private half of active, the public one of %s: %q, error %v", other, text, err)
			}
		}
	}
}

// A signer prints the id of its key and nothing of the key itself.
func TestSignerPrints(t *testing.T) {
	s := must(receipt.NewSigner(receiptKey("active")))
	for _, verb := range []string{"%v", "%+v", "%#v", "%x", "%d", "%s"} {
		if got, want := fmt.Sprintf(verb, s), "receipt key "+receiptKey("active").ID().String(); got != want {
			t.Errorf("%s: %q, want %q", verb, got, want)
		}
	}
	if got := must(json.Marshal([]any{s})); string(got) != "[{}]" {
		t.Errorf("JSON %s", got)
	}
}

func TestSignKeys(t *testing.T) {
	same := ecKey("active")
	for name, key := range map[string]keys.PrivateKey{
		"no key": {},
		"list":   must(keys.NewRoleKey(keys.List, same)),
		"mint":   must(keys.NewES256(must(keys.ParseDescriptor(esDescriptor)), same)),
	} {
		if s, err := receipt.NewSigner(key); err == nil || s != nil {
			t.Errorf("%s: a signer", name)
		}
		if text, err := receipt.Sign(newReceipt(), key); err == nil || text != "" {
			t.Errorf("%s: signed", name)
		} else if key.Role() != "" && !strings.Contains(err.Error(), key.ID().String()) {
			t.Errorf("%s: error %q lacks the key", name, err)
		}
	}
}
