package verifier_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/signer"
	"github.com/licet-dev/licet/verifier"
)

// The two keys of SPEC.md, section 10, and their codes.
const (
	workedHS       = "licet/v1 hs256 key=8 prefix=ACME layout=product:9,version:8,expiry:15,serial:28 bind=none sig=80"
	workedHSSecret = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	workedHSCode   = "ACME-AHJX-YQET-69FW-H3QZ-JG9E-69PS-6HVK-ELWZ"

	workedES       = "licet/v1 es256 key=9 prefix= layout=product:9,version:8,expiry:15,serial:28 bind=none sig=512"
	workedESSecret = "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721"
	workedESCode   = "BQVC-Y3VX-47H5-Q275-AP2U-ELRJ-YT8P-YFFG-CYX9-U7QG-VL5P-JUAS-3DH8-HZ9M-JM58-SERY-CDTA-FDV8-QGXW-9JMW-2A8N-5JNE-VSGZ-3KCU-CABJ-NQ2B-WEWE-S2ZH-MF89-E2Y"

	// A key whose licences have a start, and one bound to a machine.
	startHS = "licet/v1 hs256 key=10 prefix= layout=product:9,version:8,start:15,expiry:15,serial:28 bind=none sig=80"
	boundHS = "licet/v1 hs256 key=11 prefix=ACME layout=product:9,version:8,expiry:15,serial:28 bind=machine sig=80"
	boundES = "licet/v1 es256 key=12 prefix= layout=product:9,version:8,expiry:15,serial:28 bind=licensee sig=512"
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

// instant reads a time of RFC 3339.
func instant(s string) time.Time { return must(time.Parse(time.RFC3339Nano, s)) }

// A testKey is a key of a ring with its private half.
type testKey struct {
	keys.Key
	private keys.PrivateKey
}

// newKey returns a key whose secret follows from its descriptor, so that tests
// repeat exactly; the keys of SPEC.md have the secrets they have there.
func newKey(descriptor string, products ...uint64) testKey {
	sum := sha256.Sum256([]byte("test key " + descriptor))
	secret := sum[:]
	switch descriptor {
	case workedHS:
		secret = unhex(workedHSSecret)
	case workedES:
		secret = unhex(workedESSecret)
	}
	return keyOf(descriptor, secret, products...)
}

func keyOf(descriptor string, secret []byte, products ...uint64) testKey {
	d := must(keys.ParseDescriptor(descriptor))
	var private keys.PrivateKey
	if d.Suite == keys.HS256 {
		private = must(keys.NewHS256(d, must(keys.NewSecret(secret))))
	} else {
		private = must(keys.NewES256(d, must(ecdsa.ParseRawPrivateKey(elliptic.P256(), secret))))
	}
	key := must(keys.NewKey(private, d, products...))
	return testKey{must(key.Attach(private)), private}
}

// mint mints a code; a binding is needed for bound keys only.
func (k testKey) mint(lic payload.License, binding ...string) string {
	opts := signer.Options{Binding: strings.Join(binding, "")}
	return must(must(signer.New(k.Key, k.private, opts)).Mint(lic))
}

// forge makes a code with good check symbols and a good signature for a payload
// that no mint would take: any values, by the names of the fields.
func (k testKey) forge(fields map[string]uint64) string {
	d := k.Descriptor()
	n := new(big.Int)
	for _, f := range d.Layout.Fields() {
		n.Lsh(n, uint(f.Bits)).Or(n, new(big.Int).SetUint64(fields[f.Name]))
	}
	plain := n.FillBytes(make([]byte, payload.ByteCount(d.Layout.Bits())))
	masked, shown := make([]byte, len(plain)), make([]byte, payload.ByteCount(d.SigBits))
	if d.Suite == keys.HS256 {
		must(keys.NewMAC(d, must(k.private.Secret()))).Seal(masked, shown, plain, nil)
	} else if err := must(keys.NewSignature(d, k.Public())).Seal(masked, shown, plain, nil, must(k.private.ECDSA())); err != nil {
		panic(err)
	}
	return k.assemble(masked, shown)
}

// assemble prints the code that shows this masked payload and this signature.
func (k testKey) assemble(masked, shown []byte) string {
	d := k.Descriptor()
	body := payload.AppendSymbols([]byte{payload.Symbol(d.Number)}, masked, d.Layout.Bits())
	body = payload.AppendSymbols(body, shown, d.SigBits)
	return string(payload.AppendCode(nil, d.Prefix, payload.AppendCheck(body), payload.GroupSize))
}

// split is the inverse of assemble.
func (k testKey) split(code string) (masked, shown []byte) {
	d := k.Descriptor()
	symbols := k.symbols(code)
	masked, shown = make([]byte, payload.ByteCount(d.Layout.Bits())), make([]byte, payload.ByteCount(d.SigBits))
	at := 1 + payload.SymbolCount(d.Layout.Bits())
	payload.DecodeSymbols(masked, symbols[1:at], d.Layout.Bits())
	payload.DecodeSymbols(shown, symbols[at:len(symbols)-payload.CheckSymbols], d.SigBits)
	return masked, shown
}

// symbols returns the symbols of a code of the key, without prefix and hyphens.
func (k testKey) symbols(code string) []byte {
	s := strings.ReplaceAll(code, "-", "")
	return []byte(s[len(s)-k.Descriptor().Symbols():])
}

// print prints symbols as a code of the key.
func (k testKey) print(symbols []byte) string {
	return string(payload.AppendCode(nil, k.Descriptor().Prefix, symbols, payload.GroupSize))
}

// recheck replaces the check symbols with fitting ones: what a forger does.
func recheck(symbols []byte) []byte {
	return payload.AppendCheck(slices.Clone(symbols[:len(symbols)-payload.CheckSymbols]))
}

// newRing returns a ring of these keys and whatever products they have.
func newRing(ks ...testKey) *keys.Ring {
	seen := map[uint64]bool{}
	var products []keys.Product
	var list []keys.Key
	for _, k := range ks {
		list = append(list, k.Key)
		for _, p := range k.Products() {
			if !seen[p] {
				seen[p] = true
				products = append(products, keys.Product{Number: p, Name: fmt.Sprintf("Product %d", p)})
			}
		}
	}
	return must(keys.NewRing("Acme Tools", products, list))
}

// noon is a day on which the licences of these tests are valid.
var noon = instant("2026-06-01T12:00:00Z")

func at(t time.Time) func() time.Time { return func() time.Time { return t } }

// newVerifier returns a verifier of product 7 at noon, unless change says else.
func newVerifier(ring *keys.Ring, change ...func(*verifier.Options)) *verifier.Verifier {
	opts := verifier.Options{Products: []uint64{7}, Clock: at(noon)}
	for _, f := range change {
		f(&opts)
	}
	return must(verifier.New(ring, opts))
}

func shortTags(o *verifier.Options) { o.AllowShortTags = true }

// requireReason fails unless the chain of err has the reason, and a nil reason
// means that the code must be accepted.
func requireReason(t *testing.T, err, reason error) {
	t.Helper()
	if reason == nil && err != nil || reason != nil && !errors.Is(err, reason) {
		t.Errorf("got %v, want %v", err, reason)
	}
}

// readError returns the ReadError in the chain of err.
func readError(t *testing.T, err error) *payload.ReadError {
	t.Helper()
	re, ok := errors.AsType[*payload.ReadError](err)
	if !ok {
		t.Fatalf("got %v, want a ReadError", err)
	}
	return re
}

// errAt returns the verdict on a licence at a time.
func errAt(lic verifier.License, t time.Time) error {
	_, err := lic.At(t)
	return err
}
