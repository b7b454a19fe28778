package signer_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"testing"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/signer"
	"github.com/licet-dev/licet/verifier"
)

// The two keys and the licence of SPEC.md, section 10.
const (
	workedHS       = "licet/v1 hs256 key=8 prefix=ACME layout=product:9,version:8,expiry:15,serial:28 bind=none sig=80"
	workedHSSecret = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	workedHSCode   = "ACME-AHJX-YQET-69FW-H3QZ-JG9E-69PS-6HVK-ELWZ"

	workedES       = "licet/v1 es256 key=9 prefix= layout=product:9,version:8,expiry:15,serial:28 bind=none sig=512"
	workedESSecret = "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721"
	workedESCode   = "BQVC-Y3VX-47H5-Q275-AP2U-ELRJ-YT8P-YFFG-CYX9-U7QG-VL5P-JUAS-3DH8-HZ9M-JM58-SERY-CDTA-FDV8-QGXW-9JMW-2A8N-5JNE-VSGZ-3KCU-CABJ-NQ2B-WEWE-S2ZH-MF89-E2Y"
)

var workedLicense = payload.License{Product: 7, Version: 3, Expiry: payload.Date(2027, 12, 31), Serial: 1000}

// must returns v, which can't fail in this test unless something else is broken.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func unhex(s string) []byte { return must(hex.DecodeString(s)) }

// scalarKey returns the P-256 key with the given private scalar.
func scalarKey(b []byte) *ecdsa.PrivateKey {
	return must(ecdsa.ParseRawPrivateKey(elliptic.P256(), b))
}

// privateKey returns the private key with this descriptor and secret or scalar.
func privateKey(descriptor string, secret []byte) keys.PrivateKey {
	d := must(keys.ParseDescriptor(descriptor))
	if d.Suite == keys.HS256 {
		return must(keys.NewHS256(d, must(keys.NewSecret(secret))))
	}
	return must(keys.NewES256(d, scalarKey(secret)))
}

// fixedKey returns a key whose secret follows from its descriptor, so that tests
// repeat exactly.
func fixedKey(descriptor string, products ...uint64) (keys.Key, keys.PrivateKey) {
	secret := sha256.Sum256([]byte("test key " + descriptor))
	private := privateKey(descriptor, secret[:])
	return must(keys.NewKey(private, must(keys.ParseDescriptor(descriptor)), products...)), private
}

func workedKey(descriptor, secret string, products ...uint64) (keys.Key, keys.PrivateKey) {
	private := privateKey(descriptor, unhex(secret))
	return must(keys.NewKey(private, must(keys.ParseDescriptor(descriptor)), products...)), private
}

// newRing returns a ring of one key, with its secret, and products to match.
func newRing(key keys.Key, private keys.PrivateKey) *keys.Ring {
	var products []keys.Product
	for _, p := range key.Products() {
		products = append(products, keys.Product{Number: p, Name: "product"})
	}
	return must(keys.NewRing("test", products, []keys.Key{must(key.Attach(private))}))
}

// A judge verifies codes of one key at a time that the test sets.
type judge struct {
	*verifier.Verifier
	now time.Time
}

func newJudge(key keys.Key, private keys.PrivateKey) *judge {
	j := &judge{now: payload.Day(1).Time()}
	j.Verifier = must(verifier.New(newRing(key, private), verifier.Options{
		Products:       key.Products(),
		Clock:          func() time.Time { return j.now },
		AllowShortTags: true,
	}))
	return j
}

// sameLicense compares what was minted with what was read. Fields that a layout
// lacks come back as zero, and an expiry that it lacks as Never.
func sameLicense(l *payload.Layout, minted, read payload.License) bool {
	if _, ok := l.Field("expiry"); !ok {
		minted.Expiry = payload.Never
	}
	for _, f := range l.Fields() {
		m, _ := minted.Extra.Get(f.Name)
		r, _ := read.Extra.Get(f.Name)
		if m != r {
			return false
		}
	}
	return minted.Product == read.Product && minted.Version == read.Version && minted.Serial == read.Serial &&
		minted.Expiry == read.Expiry && minted.Start == read.Start && minted.Edition == read.Edition &&
		minted.Features == read.Features && minted.Seats == read.Seats
}

// set gives a licence the value of the field with this name. For the expiry, 0
// means Never.
func set(lic *payload.License, name string, v uint64) {
	switch name {
	case "product":
		lic.Product = v
	case "version":
		lic.Version = v
	case "expiry":
		lic.Expiry = payload.Day(v)
		if v == 0 {
			lic.Expiry = payload.Never
		}
	case "start":
		lic.Start = payload.Day(v)
	case "serial":
		lic.Serial = v
	case "edition":
		lic.Edition = v
	case "features":
		lic.Features = v
	case "seats":
		lic.Seats = v
	default:
		lic.Extra.Set(name, v)
	}
}

// parseAndPrint reads a code and prints the symbols again.
func parseAndPrint(t interface{ Fatalf(string, ...any) }, d keys.Descriptor, code string) string {
	r := must(payload.NewReader(d.Shape()))
	number, symbols, err := r.Read(code, nil)
	if err != nil || number != d.Number {
		t.Fatalf("Read(%s) = key %d, %v; want key %d", code, number, err, d.Number)
	}
	return string(payload.AppendCode(nil, d.Prefix, symbols, payload.GroupSize))
}

// signatureOf returns the signature bytes that a code shows.
func signatureOf(d keys.Descriptor, code string) []byte {
	_, symbols, err := must(payload.NewReader(d.Shape())).Read(code, nil)
	if err != nil {
		panic(err)
	}
	b := make([]byte, payload.ByteCount(d.SigBits))
	split := 1 + payload.SymbolCount(d.Layout.Bits())
	payload.DecodeSymbols(b, symbols[split:len(symbols)-payload.CheckSymbols], d.SigBits)
	return b
}

// newSigner returns a signer of the key, without binding.
func newSigner(tb testing.TB, key keys.Key, private keys.PrivateKey) *signer.Signer {
	tb.Helper()
	s, err := signer.New(key, private, signer.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// builtinSuites calls f for every built-in layout and suite, with a descriptor.
func builtinSuites(f func(name, descriptor string)) {
	for _, layout := range payload.LayoutNames() {
		l := must(payload.ParseLayout(layout))
		for _, suite := range []keys.Suite{keys.HS256, keys.ES256} {
			d := keys.Descriptor{Suite: suite, Number: 8, Prefix: "ACME", Layout: l, Bind: keys.BindNone, SigBits: l.TagBits()}
			if suite == keys.ES256 {
				d.SigBits = keys.ES256Bits
			}
			f(string(suite)+"-"+layout, d.String())
		}
	}
}

// allowed returns products for a key of this layout: the smallest, the largest
// and one between.
func allowed(l *payload.Layout) []uint64 {
	f, _ := l.Field("product")
	products := []uint64{1, f.Max()/2 + 1, f.Max()}
	slices.Sort(products)
	return slices.Compact(products)
}
