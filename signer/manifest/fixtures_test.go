package manifest_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/signer/manifest"
)

// must returns v, which can't fail in this test unless something else is broken.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func hashOf(s string) [sha256.Size]byte { return sha256.Sum256([]byte(s)) }

// ecKey returns a P-256 key that follows from the name, so that tests repeat exactly.
func ecKey(name string) *ecdsa.PrivateKey {
	scalar := hashOf("test key " + name)
	return must(ecdsa.ParseRawPrivateKey(elliptic.P256(), scalar[:]))
}

func listKey(name string) keys.PrivateKey { return must(keys.NewRoleKey(keys.List, ecKey(name))) }

// mintKey returns an hs256 mint key that follows from its descriptor.
func mintKey(descriptor string) keys.Key {
	d := must(keys.ParseDescriptor(descriptor))
	secret := hashOf("test key " + descriptor)
	private := must(keys.NewHS256(d, must(keys.NewSecret(secret[:]))))
	return must(keys.NewKey(private, d, 7))
}

var (
	standard = mintKey("licet/v1 hs256 key=8 prefix=ACME layout=product:9,version:8,expiry:15,serial:28 bind=none sig=80")
	coupon   = mintKey("licet/v1 hs256 key=9 prefix= layout=product:15,serial:30 bind=none sig=35")
	bound    = mintKey("licet/v1 hs256 key=10 prefix= layout=start:15,expiry:16,product:9,edition:4,features:8,seats:10,rack:10,serial:28 bind=licensee sig=80")

	ring = newRing("Acme Tools", keys.Active)
)

func newRing(issuer string, state keys.State) *keys.Ring {
	list := must(keys.NewKey(listKey("list"), keys.Descriptor{})).WithState(state)
	return must(keys.NewRing(issuer, []keys.Product{{Number: 7, Name: "Widget"}}, []keys.Key{standard, coupon, bound, list}))
}

// full has every line that a manifest can have.
func full() manifest.Manifest {
	return manifest.Manifest{
		Issuer:    "Acme Tools",
		KeyID:     standard.ID(),
		KeyNumber: 8,
		Product:   7,
		Version:   new(uint64(3)),
		Expiry:    payload.Date(2027, 12, 31),
		First:     1000,
		Last:      1499,
		Count:     500,
		Kind:      manifest.Mint,
		Format:    manifest.CSV,
		File:      "batch.csv.age",
		Digest:    manifest.Digest{Size: 24800, SHA256: hashOf("file")},
		Plaintext: &manifest.Digest{Size: 23500, SHA256: hashOf("plaintext")},
		Time:      time.Date(2026, 12, 1, 9, 30, 0, 0, time.UTC),
		Tool:      "licet v0.2.0",
		Labels:    map[string]string{"order": "4711", "customer": "Łódź = Lodz"},
	}
}

const fullText = `licet-manifest/v1
Acme Tools
key-id 55386a715adf3bb1
key-number 8
product 7
version 3
expiry 2027-12-31
first-serial 1000
last-serial 1499
count 500
kind mint
format csv
file batch.csv.age
size 24800
sha256 3b9c358f36f0a31b6ad3e14f309c7cf198ac9246e8316f9ce543d5b19ac02b80
plaintext-size 23500
plaintext-sha256 96d62e2abd3e42de5f50330fb8efc4c5599835278077b21e9aa0b33c1df07a1c
time 2026-12-01T09:30:00Z
tool licet v0.2.0
label customer=Łódź = Lodz
label order=4711
`

// rich has the lines about further fields and the binding, too.
func rich() manifest.Manifest {
	m := full()
	m.KeyID, m.KeyNumber, m.Version = bound.ID(), 10, nil
	m.Start = payload.Date(2027, 1, 1)
	m.Fields = map[string]uint64{"seats": 25, "edition": 2, "features": 1<<0 | 1<<3, "rack": 1<<10 - 1}
	m.Binding = must(keys.BindingContext("Jane Doe"))
	return m
}

// richLines are what rich has between the expiry and the serials.
const richLines = `expiry 2027-12-31
start 2027-01-01
field edition 2
field features 9
field rack 1023
field seats 25
binding 01332c876518a793b7c1b8dfaf6d4b404ff5db09b21c6627ca59710cc24f696a
first-serial 1000
`

// bare has only the lines that every manifest has.
func bare() manifest.Manifest {
	m := full()
	m.KeyID, m.KeyNumber = coupon.ID(), 9
	m.Version, m.Expiry, m.Plaintext, m.Labels = nil, 0, nil, nil
	return m
}

// with returns the full manifest with a change.
func with(change func(*manifest.Manifest)) manifest.Manifest {
	m := full()
	m.Labels = maps.Clone(m.Labels)
	change(&m)
	return m
}

// richWith returns the rich manifest with a change.
func richWith(change func(*manifest.Manifest)) manifest.Manifest {
	m := rich()
	change(&m)
	return m
}

// replaced returns the text of the full manifest with old replaced, which it must have.
func replaced(t *testing.T, old, replacement string) string {
	t.Helper()
	return replacedIn(t, fullText, old, replacement)
}

func replacedIn(t *testing.T, text, old, replacement string) string {
	t.Helper()
	if !strings.Contains(text, old) {
		t.Fatalf("the text has no %q", old)
	}
	return strings.Replace(text, old, replacement, 1)
}

// isError checks what an error says about the place, and that it has no newline.
func isError(t *testing.T, err error, reason manifest.Reason, line int, field, want string) {
	t.Helper()
	e, ok := errors.AsType[*manifest.Error](err)
	switch {
	case !ok || !errors.Is(err, reason):
		t.Errorf("error %v, want %s", err, reason)
	case e.Reason != reason || e.Line != line || e.Field != field || !strings.Contains(err.Error(), want):
		t.Errorf("error %q: %s, line %d, field %q; want %s, line %d, field %q, %q", err, e.Reason, e.Line, e.Field, reason, line, field, want)
	case strings.Contains(err.Error(), "\n"):
		t.Errorf("error of several lines: %q", err)
	}
}
