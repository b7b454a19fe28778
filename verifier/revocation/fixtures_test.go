package revocation_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/verifier/revocation"
)

// must returns v, which can't fail in this test unless something else is broken.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// listKey returns a list key that follows from the name, so that tests repeat
// exactly.
func listKey(name string) keys.PrivateKey {
	scalar := sha256.Sum256([]byte("test key " + name))
	return must(keys.NewRoleKey(keys.List, must(ecdsa.ParseRawPrivateKey(elliptic.P256(), scalar[:]))))
}

func newRing(issuer string, state keys.State) *keys.Ring {
	key := must(keys.NewKey(listKey("list"), keys.Descriptor{})).WithState(state)
	return must(keys.NewRing(issuer, nil, []keys.Key{key}))
}

var ring = newRing("Acme Tools", keys.Active)

// Key ids in their order.
var (
	idA = must(keys.ParseID("00000000000000ff"))
	idB = must(keys.ParseID("ca3f2093e4fe1455"))
	idC = must(keys.ParseID("ff00000000000000"))
)

// draft returns a draft of a list that says nothing yet.
func draft() *revocation.Draft {
	d := (*revocation.List)(nil).Draft()
	d.Issuer, d.Sequence = "Acme Tools", 12
	d.Issued = time.Date(2026, 12, 1, 9, 30, 0, 0, time.UTC)
	d.Due = time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	return d
}

// listOf returns a list with these entries.
func listOf(entries ...revocation.Entry) *revocation.List {
	d := draft()
	for _, e := range entries {
		check(d.Revoke(e))
	}
	return must(d.List())
}

const head = "licet-revocations/v1\nAcme Tools\nsequence 12\nissued 2026-12-01T09:30:00Z\ndue 2027-01-01T00:00:00Z\n"

// fullText has every kind of line.
const fullText = head + `minimum 7 3
minimum 9007199254740991 1
key 00000000000000ff withdrawn
key ca3f2093e4fe1455 closed
revoked 00000000000000ff 7 1 1 refund
revoked ca3f2093e4fe1455 7 1000 1999 leaked
revoked ca3f2093e4fe1455 7 2000 2000
revoked ca3f2093e4fe1455 7 2042 2042
revoked ca3f2093e4fe1455 8 1 9007199254740991 a23456789-123456789-123456789-12
`

// full returns the list of fullText, made and not read.
func full() *revocation.List {
	d := draft()
	d.Minimums = map[uint64]uint64{7: 3, 1<<53 - 1: 1}
	d.KeyStates = map[keys.ID]keys.State{idB: keys.Closed, idA: keys.Withdrawn}
	for _, e := range []revocation.Entry{
		{KeyID: idB, Product: 8, First: 1, Last: 1<<53 - 1, ReasonCode: "a23456789-123456789-123456789-12"},
		{KeyID: idB, Product: 7, First: 1000, Last: 1999, ReasonCode: "leaked"},
		{KeyID: idB, Product: 7, First: 2042, Last: 2042},
		{KeyID: idA, Product: 7, First: 1, Last: 1, ReasonCode: "refund"},
		{KeyID: idB, Product: 7, First: 1000, Last: 2000},
	} {
		check(d.Revoke(e))
	}
	return must(d.List())
}

// scattered returns a list of n serials, none beside another, of four keys and
// products. A few reason codes are among them.
func scattered(n int) *revocation.List {
	r := rand.New(rand.NewPCG(1, 2))
	d := draft()
	codes := []string{"", "", "", "", "", "refund", "leaked", "chargeback"}
	for _, id := range []keys.ID{idA, idB} {
		for product := range uint64(2) {
			serial := uint64(0)
			for range n / 4 {
				serial += 2 + r.Uint64N(500) // 28 bits hold 250,000 of them, with room to spare
				check(d.Revoke(revocation.Entry{KeyID: id, Product: 7 + product, First: serial, Last: serial, ReasonCode: codes[r.IntN(len(codes))]}))
			}
		}
	}
	return must(d.List())
}

func isError(t *testing.T, err error, reason revocation.Reason, line int, want string) {
	t.Helper()
	e, ok := errors.AsType[*revocation.Error](err)
	switch {
	case !ok || !errors.Is(err, reason):
		t.Errorf("error %v, want %s", err, reason)
	case e.Reason != reason || e.Line != line || !strings.Contains(err.Error(), want):
		t.Errorf("error %q: %s, line %d; want %s, line %d, %q", err, e.Reason, e.Line, reason, line, want)
	case strings.Contains(err.Error(), "\n"):
		t.Errorf("error of several lines: %q", err)
	}
}
