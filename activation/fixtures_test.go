package activation_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/activation/limit"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/receipt"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/signer"
	"github.com/licet-dev/licet/signer/manifest"
	"github.com/licet-dev/licet/verifier"
	"github.com/licet-dev/licet/verifier/revocation"
)

// must returns v, which can't fail in this test unless something else is broken.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func instant(s string) time.Time { return must(time.Parse(time.RFC3339Nano, s)) }

// noon is when the licences of these tests are valid.
var noon = instant("2026-12-01T12:00:00Z")

func at(t time.Time) func() time.Time { return func() time.Time { return t } }

// ecKey returns a P-256 key that follows from the name, so that tests repeat exactly.
func ecKey(name string) *ecdsa.PrivateKey {
	scalar := sha256.Sum256([]byte("test key " + name))
	return must(ecdsa.ParseRawPrivateKey(elliptic.P256(), scalar[:]))
}

// A testKey is a key of a ring with its private half.
type testKey struct {
	keys.Key
	private keys.PrivateKey
}

// newKey returns a mint key for products 7 and 8 whose secret follows from name and
// descriptor.
func newKey(name, descriptor string) testKey {
	d := must(keys.ParseDescriptor("licet/v1 " + descriptor))
	var private keys.PrivateKey
	if d.Suite == keys.HS256 {
		secret := sha256.Sum256([]byte(name + descriptor))
		private = must(keys.NewHS256(d, must(keys.NewSecret(secret[:]))))
	} else {
		private = must(keys.NewES256(d, ecKey(name+descriptor)))
	}
	key := must(keys.NewKey(private, d, 7, 8))
	return testKey{must(key.Attach(private)), private}
}

func roleKey(role keys.Role, name string) testKey {
	private := must(keys.NewRoleKey(role, ecKey(name)))
	return testKey{must(keys.NewKey(private, keys.Descriptor{})), private}
}

const (
	standard = "layout=product:9,version:8,expiry:15,serial:28"

	hsDescriptor     = "hs256 key=8 prefix=ACME " + standard + " bind=none sig=80"
	esDescriptor     = "es256 key=9 prefix= " + standard + " bind=none sig=512"
	seatsDescriptor  = "hs256 key=10 prefix= layout=product:9,version:8,start:15,expiry:15,seats:32,edition:2,serial:29 bind=none sig=80"
	couponDescriptor = "hs256 key=11 prefix= layout=product:15,serial:30 bind=none sig=35"
	boundDescriptor  = "hs256 key=12 prefix= " + standard + " bind=machine sig=80"
	richDescriptor   = "hs256 key=17 prefix= layout=product:9,version:8,start:15,expiry:15,features:4,rack:4,serial:30 bind=licensee sig=60"
)

var (
	hs     = newKey("", hsDescriptor)
	es     = newKey("", esDescriptor)
	seats  = newKey("", seatsDescriptor)
	coupon = newKey("", couponDescriptor)
	bound  = newKey("", boundDescriptor)
	rich   = newKey("", richDescriptor) // a short tag, a binding, and all kinds of fields

	noSecret     = newKey("", "hs256 key=13 prefix= "+standard+" bind=none sig=80")
	withdrawn    = newKey("", "hs256 key=14 prefix= "+standard+" bind=none sig=80")
	noManifest   = newKey("", "hs256 key=15 prefix= layout=product:15,serial:30 bind=none sig=60")
	justLong     = newKey("", "hs256 key=16 prefix= layout=product:15,serial:30 bind=none sig=65") // 65 bits need no manifest
	notInTheRing = newKey("", "hs256 key=20 prefix= "+standard+" bind=none sig=80")

	listKey        = roleKey(keys.List, "list")
	receiptKey     = roleKey(keys.Receipt, "receipt")
	closedReceipt  = roleKey(keys.Receipt, "closed")
	badReceipt     = roleKey(keys.Receipt, "withdrawn")
	unknownReceipt = roleKey(keys.Receipt, "unknown")
)

var products = []keys.Product{{Number: 7, Name: "Widget"}, {Number: 8, Name: "Gadget"}}

// ring has a key of each kind.
var ring = must(keys.NewRing("Acme Tools", products, []keys.Key{
	hs.Key, es.Key, seats.Key, coupon.Key, bound.Key, rich.Key,
	noSecret.WithoutSecret(), withdrawn.WithState(keys.Withdrawn), noManifest.Key, justLong.Key,
	listKey.Key, receiptKey.Key, closedReceipt.WithState(keys.Closed), badReceipt.WithState(keys.Withdrawn),
}))

// products's licence is one that holds at noon.
func license(serial uint64) payload.License {
	return payload.License{Product: 7, Version: 3, Expiry: payload.Date(2027, 12, 31), Serial: serial}
}

func couponLicense(serial uint64) payload.License {
	return payload.License{Product: 7, Serial: serial, Expiry: payload.Never}
}

// mint mints a code; a binding is needed for bound keys only.
func (k testKey) mint(lic payload.License, binding ...string) string {
	return must(must(signer.New(k.WithState(keys.Active), k.private, signer.Options{Binding: strings.Join(binding, "")})).Mint(lic))
}

// forger returns the key as somebody has it who knows all but its private half.
func (k testKey) forger() testKey {
	return newKey("forger", strings.TrimPrefix(k.Descriptor().String(), "licet/v1 "))
}

// symbols returns the symbols of a code of the key, without prefix and hyphens.
func (k testKey) symbols(code string) []byte {
	s := strings.ReplaceAll(code, "-", "")
	return []byte(s[len(s)-k.Descriptor().Symbols():])
}

// reprint prints symbols as a code of the key, with fitting check symbols.
func (k testKey) reprint(symbols []byte) string {
	s := payload.AppendCheck(slices.Clone(symbols[:len(symbols)-payload.CheckSymbols]))
	return string(payload.AppendCode(nil, k.Descriptor().Prefix, s, payload.GroupSize))
}

// newManifest returns a signed manifest of coupons 1 to 100, unless change says else.
func newManifest(change ...func(*manifest.Manifest)) []byte {
	m := manifest.Manifest{
		Issuer: "Acme Tools", KeyID: coupon.ID(), KeyNumber: 11, Product: 7,
		First: 1, Last: 100, Kind: manifest.Mint, Format: manifest.TXT, File: "batch.txt",
		Digest: manifest.Digest{Size: 4500, SHA256: sha256.Sum256([]byte("file"))},
		Time:   instant("2026-11-01T09:30:00Z"), Tool: "licet v0.2.0",
	}
	for _, f := range change {
		f(&m)
	}
	m.Count = m.Last - m.First + 1
	return must(manifest.Sign(m, listKey.private))
}

// newList returns a signed revocation list, issued a month before noon.
func newList(sequence uint64, change ...func(*revocation.Draft)) []byte {
	d := (*revocation.List)(nil).Draft()
	d.Issuer, d.Sequence = "Acme Tools", sequence
	d.Issued, d.Due = instant("2026-11-01T00:00:00Z"), instant("2027-06-01T00:00:00Z")
	for _, f := range change {
		f(d)
	}
	return must(revocation.Sign(must(d.List()), listKey.private))
}

func revoke(k testKey, serial uint64) func(*revocation.Draft) {
	return func(d *revocation.Draft) {
		if err := d.Revoke(revocation.Entry{KeyID: k.ID(), Product: 7, First: serial, Last: serial, ReasonCode: "leaked"}); err != nil {
			panic(err)
		}
	}
}

// lease is that of the default policy of these tests.
var lease = activation.Lease{Refresh: 30 * 24 * time.Hour, Grace: 14 * 24 * time.Hour}

// newConfig returns a configuration without limits, at noon, unless change says else.
func newConfig(change ...func(*activation.Config)) activation.Config {
	c := activation.Config{
		Ring: ring, ReceiptKey: receiptKey.private, Ledger: activation.None{Clock: at(noon)},
		Default:   activation.Policy{Lease: lease, GiveBacks: 2},
		Manifests: [][]byte{newManifest()},
		Limits:    &activation.Limits{Entries: 64},
		Clock:     at(noon),
	}
	for _, f := range change {
		f(&c)
	}
	return c
}

func newService(change ...func(*activation.Config)) *activation.Service {
	return must(activation.New(newConfig(change...)))
}

func device(name string) receipt.Subject { return must(receipt.NewSubject(receipt.Device, name)) }

func account(name string) receipt.Subject { return must(receipt.NewSubject(receipt.Account, name)) }

const (
	fingerprint = "4C4C4544-0042-3510-8054-B9C04F564D32"
	nonce       = "q2Jx0-9sV_7mKpZtR4wYbA"
	idemKey     = "8e03978e-40d5-43e8-bc93-6894a57f9324"
)

// request returns one that is good for a good code, unless change says else.
func request(code string, change ...func(*activation.Request)) activation.Request {
	r := activation.Request{
		Code: code, Product: 7, Subject: device(fingerprint), Nonce: nonce, Key: idemKey,
		From: netip.MustParseAddr("192.0.2.1"),
	}
	for _, f := range change {
		f(&r)
	}
	return r
}

// about returns a request about a receipt.
func about(text string, change ...func(*activation.ReceiptRequest)) activation.ReceiptRequest {
	r := activation.ReceiptRequest{
		Receipt: text, Subject: device(fingerprint), Nonce: "another-nonce_of_24_chars", From: netip.MustParseAddr("192.0.2.1"),
	}
	for _, f := range change {
		f(&r)
	}
	return r
}

// from makes it a request from an address.
func from(address string) func(*activation.Request) {
	return func(r *activation.Request) { r.From = netip.MustParseAddr(address) }
}

// problem returns the Error in the chain of err, which must be of this problem.
func problem(t *testing.T, err error, want activation.Problem) *activation.Error {
	t.Helper()
	e, ok := errors.AsType[*activation.Error](err)
	if !ok || e.Problem != want || !errors.Is(err, want) {
		t.Fatalf("error %v, want %s", err, want)
	}
	if e.Detail == "" || e.Reason == "" {
		t.Fatalf("error %#v has no detail or no reason", e)
	}
	if temporary := want == activation.Unavailable || want == activation.QuotaExceeded; (e.RetryAfter > 0) != temporary {
		t.Fatalf("error %#v: to be asked again after %s", e, e.RetryAfter)
	}
	return e
}

// customer returns a verifier as a product has it: without secrets.
func customer(t *testing.T, now time.Time) *verifier.Verifier {
	t.Helper()
	var public []keys.Key
	for _, k := range ring.Keys() {
		public = append(public, k.WithoutSecret())
	}
	r := must(keys.NewRing(ring.Issuer(), ring.Products(), public))
	return must(verifier.New(r, verifier.Options{Products: []uint64{7}, Clock: at(now)}))
}

// number returns a fingerprint, a nonce or a key that differs from number to number.
func number(what string, n int) string { return fmt.Sprintf("%s-%032d", what, n) }

var minute = limit.Rate{N: 5, Per: time.Minute}
