package revocation_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/note"
	"github.com/licet-dev/licet/verifier/revocation"
)

// exampleKeys returns the id of the mint key of SPEC.md, section 10.1, and a list key
// that everybody knows. A real one comes from keys.GenerateRole.
func exampleKeys() (mint keys.ID, list keys.PrivateKey, ring *keys.Ring) {
	mint, err := keys.ParseID("ca3f2093e4fe1455")
	check(err)
	scalar := make([]byte, 32)
	for i := range scalar {
		scalar[i] = byte(0x20 + i)
	}
	k, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), scalar)
	check(err)
	list, err = keys.NewRoleKey(keys.List, k)
	check(err)
	listKey, err := keys.NewKey(list, keys.Descriptor{})
	check(err)
	ring, err = keys.NewRing("Acme Tools", nil, []keys.Key{listKey})
	check(err)
	return mint, list, ring
}

func Example() {
	mint, list, ring := exampleKeys()
	draft := revocation.Draft{
		Issuer:    ring.Issuer(),
		Sequence:  12,
		Issued:    time.Date(2026, 12, 1, 9, 30, 0, 0, time.UTC),
		Due:       time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC),
		Minimums:  map[uint64]uint64{7: 3},
		KeyStates: map[keys.ID]keys.State{mint: keys.Closed},
	}
	check(draft.Revoke(revocation.Entry{KeyID: mint, Product: 7, First: 1000, Last: 1999, ReasonCode: "leaked"}))
	check(draft.Revoke(revocation.Entry{KeyID: mint, Product: 7, First: 2042, Last: 2042}))
	made, err := draft.List()
	check(err)
	data, err := revocation.Sign(made, list)
	check(err)
	fmt.Print(string(data))

	l, err := revocation.Open(data, ring)
	check(err)
	e, revoked := l.Lookup(mint, 7, 1500)
	fmt.Println(revoked, e.ReasonCode)

	changed := strings.Replace(string(data), " 1999 ", " 1499 ", 1)
	_, err = revocation.Open([]byte(changed), ring)
	fmt.Println(errors.Is(err, note.BadSignature))
	// Output:
	// licet-revocations/v1
	// Acme Tools
	// sequence 12
	// issued 2026-12-01T09:30:00Z
	// due 2027-01-01T00:00:00Z
	// minimum 7 3
	// key ca3f2093e4fe1455 closed
	// revoked ca3f2093e4fe1455 7 1000 1999 leaked
	// revoked ca3f2093e4fe1455 7 2042 2042
	//
	// — licet-list JX1YcjBFAiEA+/5Dmc2GYosjG8Y2vONktrnOoB+Iulp3EBgH1p8GC9ICIBFkInnYABZKhf9CkMzzwQux572TX0U2yibepjVkxqzF
	// true leaked
	// true
}

// The next list begins as the one before.
func ExampleCompare() {
	mint, _, _ := exampleKeys()
	draft := revocation.Draft{
		Issuer:   "Acme Tools",
		Sequence: 12,
		Issued:   time.Date(2026, 12, 1, 9, 30, 0, 0, time.UTC),
		Due:      time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	check(draft.Revoke(revocation.Entry{KeyID: mint, Product: 7, First: 1000, Last: 1999, ReasonCode: "leaked"}))
	list, err := draft.List()
	check(err)

	next := list.Draft()
	next.Sequence++
	check(next.Restore(revocation.Entry{KeyID: mint, Product: 7, First: 1500, Last: 1500}))
	check(next.Revoke(revocation.Entry{KeyID: mint, Product: 7, First: 1900, Last: 2099, ReasonCode: "refund"}))
	newer, err := next.List()
	check(err)

	diff := revocation.Compare(list, newer)
	for e := range diff.Dropped() {
		fmt.Println("dropped", e.First, e.Last, e.ReasonCode)
	}
	for e := range diff.Added() {
		fmt.Println("added", e.First, e.Last, e.ReasonCode)
	}
	fmt.Println("makes something good again:", diff.Restores())
	// Output:
	// dropped 1500 1500 leaked
	// added 2000 2099 refund
	// makes something good again: true
}
