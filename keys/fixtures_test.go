package keys_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"encoding/hex"
	"math/rand/v2"
	"testing"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
)

// The two keys of SPEC.md, section 10. Everybody knows their secrets.
const (
	hsDescriptor = "licet/v1 hs256 key=8 prefix=ACME layout=product:9,version:8,expiry:15,serial:28 bind=none sig=80"
	hsSecret     = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	hsID         = "ca3f2093e4fe1455"
	hsLine       = "LICET-SECRET-KEY-1-MINT-HS256-8-CA3F2093E4FE1455-000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F-8A9BA4AB"

	esDescriptor = "licet/v1 es256 key=9 prefix= layout=product:9,version:8,expiry:15,serial:28 bind=none sig=512"
	esPrivate    = "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721" // RFC 6979, A.2.5
	esPublic     = "0460fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb67903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"
	esID         = "e21531b141ba7c8d"
)

// must returns v, and ends the test if there is an error.
func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	return must[[]byte](t)(hex.DecodeString(s))
}

func descriptor(t testing.TB, s string) keys.Descriptor {
	t.Helper()
	return must[keys.Descriptor](t)(keys.ParseDescriptor(s))
}

func secret(t testing.TB, s string) keys.Secret {
	t.Helper()
	return must[keys.Secret](t)(keys.NewSecret(unhex(t, s)))
}

func ecKey(t testing.TB, s string) *ecdsa.PrivateKey {
	t.Helper()
	return must[*ecdsa.PrivateKey](t)(ecdsa.ParseRawPrivateKey(elliptic.P256(), unhex(t, s)))
}

func layout(t testing.TB, s string) *payload.Layout {
	t.Helper()
	return must[*payload.Layout](t)(payload.ParseLayout(s))
}

// hsKey returns the private hs256 key of SPEC.md.
func hsKey(t testing.TB) keys.PrivateKey {
	t.Helper()
	return must[keys.PrivateKey](t)(keys.NewHS256(descriptor(t, hsDescriptor), secret(t, hsSecret)))
}

// esKey returns the private es256 key of SPEC.md.
func esKey(t testing.TB) keys.PrivateKey {
	t.Helper()
	return must[keys.PrivateKey](t)(keys.NewES256(descriptor(t, esDescriptor), ecKey(t, esPrivate)))
}

// Tests draw from a stream with a fixed seed, so that a failure repeats.
func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 2025)) }

func randomBytes(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}
