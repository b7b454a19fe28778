package manifest_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/note"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/signer/manifest"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// exampleRing returns the keys of SPEC.md, section 10, and a list key that
// everybody knows, too. Real ones come from keys.GenerateMint and
// keys.GenerateRole.
func exampleRing() (mint keys.Key, list keys.PrivateKey, ring *keys.Ring) {
	secret, scalar := make([]byte, 32), make([]byte, 32)
	for i := range 32 {
		secret[i], scalar[i] = byte(i), byte(0x20+i)
	}
	d, err := keys.ParseDescriptor("licet/v1 hs256 key=8 prefix=ACME layout=product:9,version:8,expiry:15,serial:28 bind=none sig=80")
	check(err)
	s, err := keys.NewSecret(secret)
	check(err)
	private, err := keys.NewHS256(d, s)
	check(err)
	mint, err = keys.NewKey(private, d, 7)
	check(err)
	k, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), scalar)
	check(err)
	list, err = keys.NewRoleKey(keys.List, k)
	check(err)
	listKey, err := keys.NewKey(list, keys.Descriptor{})
	check(err)
	ring, err = keys.NewRing("Acme Tools", []keys.Product{{Number: 7, Name: "Widget"}}, []keys.Key{mint, listKey})
	check(err)
	return mint, list, ring
}

func Example() {
	mint, list, ring := exampleRing()
	const file = "ACME-AHJX-YQET-69FW-H3QZ-JG9E-69PS-6HVK-ELWZ\n"
	m := manifest.Manifest{
		Issuer:    ring.Issuer(),
		KeyID:     mint.ID(),
		KeyNumber: mint.Number(),
		Product:   7,
		Version:   new(uint64(3)),
		Expiry:    payload.Date(2027, 12, 31),
		First:     1000,
		Last:      1000,
		Count:     1,
		Kind:      manifest.Mint,
		Format:    manifest.TXT,
		File:      "batch.txt",
		Digest:    manifest.Digest{Size: int64(len(file)), SHA256: sha256.Sum256([]byte(file))},
		Time:      time.Date(2026, 12, 1, 9, 30, 0, 0, time.UTC),
		Tool:      "licet v0.2.0",
		Labels:    map[string]string{"order": "4711"},
	}
	check(m.CheckRing(ring))
	data, err := manifest.Sign(m, list)
	check(err)
	fmt.Print(string(data))

	got, err := manifest.Open(data, ring)
	fmt.Println(got.File, got.First, got.Last, err)

	changed := strings.Replace(string(data), "order=4711", "order=4712", 1)
	_, err = manifest.Open([]byte(changed), ring)
	fmt.Println(errors.Is(err, note.BadSignature))
	// Output:
	// licet-manifest/v1
	// Acme Tools
	// key-id ca3f2093e4fe1455
	// key-number 8
	// product 7
	// version 3
	// expiry 2027-12-31
	// first-serial 1000
	// last-serial 1000
	// count 1
	// kind mint
	// format txt
	// file batch.txt
	// size 45
	// sha256 bb8ee31be871c77cef1ed3ea2ecf23e522481b5a19f190718fdd4a02385ede34
	// time 2026-12-01T09:30:00Z
	// tool licet v0.2.0
	// label order=4711
	//
	// — licet-list JX1YcjBFAiAVvtQhpLspQt1vfYahUKPRJZBJ3Lc7L2pKZIXM8TdnfQIhAIdA/kU/zpkxXYJGkNFysEHnDLg9k7DBOf40UDZKOgQ5
	// batch.txt 1000 1000 <nil>
	// true
}

func ExampleOverlaps() {
	mint, _, _ := exampleRing()
	a := manifest.Manifest{KeyID: mint.ID(), Product: 7, First: 1000, Last: 1499, Kind: manifest.Mint, File: "january.csv"}
	b := manifest.Manifest{KeyID: mint.ID(), Product: 7, First: 1400, Last: 1899, Kind: manifest.Mint, File: "february.csv"}
	batches := []manifest.Manifest{a, b}
	for o := range manifest.Overlaps(batches...) {
		fmt.Printf("%s and %s both have serials %d to %d\n", batches[o.A].File, batches[o.B].File, o.First, o.Last)
	}
	// Output: january.csv and february.csv both have serials 1400 to 1499
}
