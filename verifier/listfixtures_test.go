package verifier_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/note"
	"github.com/licet-dev/licet/verifier"
	"github.com/licet-dev/licet/verifier/revocation"
)

// newListKey returns a list key that follows from the name, so that tests repeat
// exactly.
func newListKey(name string) testKey {
	scalar := sha256.Sum256([]byte("test list key " + name))
	private := must(keys.NewRoleKey(keys.List, must(ecdsa.ParseRawPrivateKey(elliptic.P256(), scalar[:]))))
	return testKey{must(keys.NewKey(private, keys.Descriptor{})), private}
}

// in returns the key in another state.
func (k testKey) in(s keys.State) testKey { return testKey{k.WithState(s), k.private} }

// newList returns a list with the number 7 that says nothing, unless change says
// else. It was issued a month before noon and the next is due half a year after.
func newList(change ...func(*revocation.Draft)) *revocation.List {
	d := (*revocation.List)(nil).Draft()
	d.Issuer, d.Sequence = "Acme Tools", 7
	d.Issued, d.Due = instant("2026-05-01T00:00:00Z"), instant("2026-12-01T00:00:00Z")
	for _, f := range change {
		f(d)
	}
	return must(d.List())
}

func sequence(n uint64) func(*revocation.Draft) {
	return func(d *revocation.Draft) { d.Sequence = n }
}

func issued(s string) func(*revocation.Draft) {
	return func(d *revocation.Draft) { d.Issued = instant(s) }
}

func due(s string) func(*revocation.Draft) {
	return func(d *revocation.Draft) { d.Due = instant(s) }
}

// revoke revokes serials of product 7.
func revoke(k testKey, first, last uint64, reason string) func(*revocation.Draft) {
	return func(d *revocation.Draft) {
		e := revocation.Entry{KeyID: k.ID(), Product: 7, First: first, Last: last, ReasonCode: reason}
		if err := d.Revoke(e); err != nil {
			panic(err)
		}
	}
}

func minimum(product, version uint64) func(*revocation.Draft) {
	return func(d *revocation.Draft) { d.Minimums[product] = version }
}

func stateOf(k testKey, s keys.State) func(*revocation.Draft) {
	return func(d *revocation.Draft) { d.KeyStates[k.ID()] = s }
}

// sign signs a list with a list key.
func (k testKey) sign(l *revocation.List) []byte { return must(revocation.Sign(l, k.private)) }

// newList returns a list of newList, signed with the key.
func (k testKey) newList(change ...func(*revocation.Draft)) []byte { return k.sign(newList(change...)) }

// signText signs any text as if it were a list.
func (k testKey) signText(text string) []byte { return must(note.Sign(text, k.private)) }

// resign returns the same list with another signature of the same key, which
// without RFC 6979 is not the same twice.
func (k testKey) resign(t *testing.T, list []byte) []byte {
	t.Helper()
	head, line, _ := strings.Cut(string(list), "\n\n")
	digest := sha256.Sum256([]byte(head + "\n"))
	der := must(must(k.private.ECDSA()).Sign(rand.Reader, digest[:], crypto.SHA256))
	at := strings.LastIndex(line, " ") + 1
	name := must(base64.StdEncoding.DecodeString(strings.TrimSpace(line[at:])))[:4]
	again := []byte(head + "\n\n" + line[:at] + base64.StdEncoding.EncodeToString(append(name, der...)) + "\n")
	if slices.Equal(again, list) {
		t.Fatal("the signature is the same: the test proves nothing")
	}
	return again
}

// withLists gives a verifier lists, and refuses stale ones.
func withLists(lists ...[]byte) func(*verifier.Options) {
	return func(o *verifier.Options) { o.Lists, o.Stale = lists, verifier.RefuseStale }
}

// tryVerifier is newVerifier where New may fail.
func tryVerifier(ring *keys.Ring, change ...func(*verifier.Options)) (*verifier.Verifier, error) {
	opts := verifier.Options{Products: []uint64{7}, Clock: at(noon)}
	for _, f := range change {
		f(&opts)
	}
	return verifier.New(ring, opts)
}

// listOf returns the number of the list that a licence was judged by, 0 for none.
func listOf(lic verifier.License) uint64 {
	l, _ := lic.List()
	return l.Sequence
}

// atHand returns the number of the list that a verifier judges by, 0 for none.
func atHand(v *verifier.Verifier) uint64 {
	l, _ := v.List()
	return l.Sequence
}

// A testClock shows the time that it is set to.
type testClock struct{ now time.Time }

func (c *testClock) use(o *verifier.Options) { o.Clock = func() time.Time { return c.now } }

func (c *testClock) set(s string) { c.now = instant(s) }
