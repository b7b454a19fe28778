package receipt_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/receipt"
	"github.com/licet-dev/licet/payload"
)

const (
	esDescriptor = "licet/v1 es256 key=9 prefix= layout=product:9,version:8,expiry:15,serial:28 bind=none sig=512"

	// A layout with every kind of field, and one with neither version nor dates.
	richDescriptor   = "licet/v1 es256 key=10 prefix= layout=product:9,version:8,start:15,expiry:15,edition:8,features:20,seats:12,colour:3,shape:7,serial:53 bind=none sig=512"
	couponDescriptor = "licet/v1 es256 key=11 prefix= layout=product:15,serial:30 bind=none sig=512"

	fingerprint = "4C4C4544-0042-3510-8054-B9C04F564D32"
	nonce       = "q2Jx0-9sV_7mKpZtR4wYbA"
)

// must returns v, which can't fail in this test unless something else is broken.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// ecKey returns a P-256 key that follows from the name, so that tests repeat exactly.
func ecKey(name string) *ecdsa.PrivateKey {
	scalar := sha256.Sum256([]byte("test key " + name))
	return must(ecdsa.ParseRawPrivateKey(elliptic.P256(), scalar[:]))
}

func receiptKey(name string) keys.PrivateKey {
	return must(keys.NewRoleKey(keys.Receipt, ecKey(name)))
}

// roleKey returns what a ring tells of a list or receipt key.
func roleKey(k keys.PrivateKey, s keys.State) keys.Key {
	return must(keys.NewKey(k, keys.Descriptor{})).WithState(s)
}

// mintKey returns what a ring tells of the mint key with this descriptor.
func mintKey(descriptor string) keys.Key {
	d := must(keys.ParseDescriptor(descriptor))
	return must(keys.NewKey(must(keys.NewES256(d, ecKey(descriptor))), d, 7))
}

func newRing(issuer string, ringKeys ...keys.Key) *keys.Ring {
	return must(keys.NewRing(issuer, []keys.Product{{Number: 7, Name: "Widget"}, {Number: 8, Name: "Gadget"}}, ringKeys))
}

// ring has a receipt key in each state, a list key, and three mint keys.
var ring = newRing("Acme Tools",
	mintKey(esDescriptor), mintKey(richDescriptor), mintKey(couponDescriptor),
	roleKey(must(keys.NewRoleKey(keys.List, ecKey("list"))), keys.Active),
	roleKey(receiptKey("active"), keys.Active),
	roleKey(receiptKey("closed"), keys.Closed),
	roleKey(receiptKey("withdrawn"), keys.Withdrawn),
)

// instant reads a time of RFC 3339.
func instant(s string) time.Time { return must(time.Parse(time.RFC3339Nano, s)) }

// newReceipt returns a receipt that is good, unless change says else.
func newReceipt(change ...func(*receipt.Receipt)) receipt.Receipt {
	r := receipt.Receipt{
		Issuer:    "Acme Tools",
		KeyID:     mintKey(esDescriptor).ID(),
		License:   payload.License{Product: 7, Version: 3, Expiry: payload.Date(2027, 12, 31), Serial: 1000},
		Subject:   must(receipt.NewSubject(receipt.Device, fingerprint)),
		Nonce:     nonce,
		Issued:    instant("2026-12-01T09:30:00Z"),
		RefreshBy: instant("2026-12-31T09:30:00Z"),
		End:       instant("2027-01-14T09:30:00Z"),

		SeatsEnforced: true,
	}
	for _, f := range change {
		f(&r)
	}
	return r
}

// rich makes it a receipt of a licence with all that a licence can say.
func rich(r *receipt.Receipt) {
	r.KeyID = mintKey(richDescriptor).ID()
	r.License = payload.License{
		Product: 7, Version: 255, Serial: 1<<53 - 1, Start: payload.Date(2026, 1, 1), Expiry: payload.Never,
		Edition: 2, Features: 1<<19 | 1, Seats: 4095,
	}
	r.License.Extra.Set("colour", 5)
	r.License.Extra.Set("shape", 0)
}

// coupon makes it a receipt of a licence that has no version and no dates.
func coupon(r *receipt.Receipt) {
	r.KeyID = mintKey(couponDescriptor).ID()
	r.License = payload.License{Product: 7, Serial: 1<<30 - 1, Expiry: payload.Never}
}

// byHand signs any header and claims, without the code under test.
func byHand(header, claims string, k *ecdsa.PrivateKey) string {
	signed := base64.RawURLEncoding.EncodeToString([]byte(header)) + "." + base64.RawURLEncoding.EncodeToString([]byte(claims))
	digest := sha256.Sum256([]byte(signed))
	r, s := rfc6979(k, digest[:])
	sig := append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
	return signed + "." + base64.RawURLEncoding.EncodeToString(sig)
}

// parts returns header, claims and signature of a receipt.
func parts(text string) (header, claims string, sig []byte) {
	p := strings.Split(text, ".")
	if len(p) != 3 {
		panic("not three parts: " + text)
	}
	return string(must(base64.RawURLEncoding.DecodeString(p[0]))), string(must(base64.RawURLEncoding.DecodeString(p[1]))), must(base64.RawURLEncoding.DecodeString(p[2]))
}

// twin returns the receipt with the other spelling of its signature, s replaced by n-s.
func twin(text string) string {
	_, _, sig := parts(text)
	s := new(big.Int).SetBytes(sig[32:])
	s.Sub(elliptic.P256().Params().N, s).FillBytes(sig[32:])
	return text[:strings.LastIndex(text, ".")+1] + base64.RawURLEncoding.EncodeToString(sig)
}

// refused checks that Open refuses the text for the reason and hands out nothing.
func refused(t *testing.T, text string, r *keys.Ring, want receipt.Reason) *receipt.Error {
	t.Helper()
	got, key, err := receipt.Open(text, r)
	e, ok := errors.AsType[*receipt.Error](err)
	if !ok || !errors.Is(err, want) || e.Reason != want {
		t.Fatalf("%.300q: error %v, want %s", text, err, want)
	}
	if got.Issuer != "" || got.License.Product != 0 || got.Subject != (receipt.Subject{}) || key.Role() != "" {
		t.Fatalf("%.300q: an error, and the receipt %+v of key %s", text, got, key.ID())
	}
	return e
}

// opens checks that Open finds in the text what was signed.
func opens(t *testing.T, text string, want receipt.Receipt, signer string) {
	t.Helper()
	got, key, err := receipt.Open(text, ring)
	if err != nil || key.ID() != receiptKey(signer).ID() {
		t.Fatalf("%.300q: key %s, error %v; want key %q", text, key.ID(), err, signer)
	}
	same(t, got, want)
}

// same compares receipts, fields of the licence that are 0 left out.
func same(t *testing.T, got, want receipt.Receipt) {
	t.Helper()
	a, b := got, want
	a.License.Extra, b.License.Extra = payload.Extra{}, payload.Extra{}
	for _, at := range []*time.Time{&a.Issued, &a.RefreshBy, &a.End, &b.Issued, &b.RefreshBy, &b.End} {
		*at = at.Truncate(time.Second).UTC()
	}
	if !equal(a, b) || !included(got.License.Extra, want.License.Extra) || !included(want.License.Extra, got.License.Extra) {
		t.Fatalf("the receipt says\n%+v, want\n%+v", got, want)
	}
}

func equal(a, b receipt.Receipt) bool {
	l, m := a.License, b.License
	return a.Issuer == b.Issuer && a.KeyID == b.KeyID && a.Subject == b.Subject && a.Nonce == b.Nonce &&
		a.Issued.Equal(b.Issued) && a.RefreshBy.Equal(b.RefreshBy) && a.End.Equal(b.End) && a.SeatsEnforced == b.SeatsEnforced &&
		l.Product == m.Product && l.Version == m.Version && l.Serial == m.Serial && l.Expiry == m.Expiry && l.Start == m.Start &&
		l.Edition == m.Edition && l.Features == m.Features && l.Seats == m.Seats
}

func included(a, b payload.Extra) bool {
	for name, value := range a.All() {
		if other, _ := b.Get(name); other != value {
			return false
		}
	}
	return true
}
