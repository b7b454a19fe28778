package note_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/note"
)

const (
	esDescriptor = "licet/v1 es256 key=9 prefix= layout=product:9,version:8,expiry:15,serial:28 bind=none sig=512"

	text = "licet-revocations/v1\nAcme Tools\n\ned è subito sera\n"
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

func listKey(name string) keys.PrivateKey { return must(keys.NewRoleKey(keys.List, ecKey(name))) }

// ringKey returns what a ring tells of a private key.
func ringKey(k keys.PrivateKey, s keys.State) keys.Key {
	var d keys.Descriptor
	var products []uint64
	if k.Role() == keys.Mint {
		d, products = must(keys.ParseDescriptor(esDescriptor)), []uint64{7}
	}
	return must(keys.NewKey(k, d, products...)).WithState(s)
}

func newRing(ringKeys ...keys.Key) *keys.Ring {
	return must(keys.NewRing("Acme Tools", []keys.Product{{Number: 7, Name: "Widget"}}, ringKeys))
}

// ring has a list key in each state.
var ring = newRing(
	ringKey(listKey("active"), keys.Active),
	ringKey(listKey("second"), keys.Active),
	ringKey(listKey("closed"), keys.Closed),
	ringKey(listKey("withdrawn"), keys.Withdrawn),
)

// cosign returns the note with the signature lines of the others below its own.
func cosign(notes ...[]byte) []byte {
	all := notes[0]
	for _, n := range notes[1:] {
		all = append(all[:len(all):len(all)], signatureLine(n)...)
	}
	return all
}

func signatureLine(n []byte) string {
	s := string(n)
	return s[strings.LastIndex(s, "\n\n")+2:]
}

// byHand returns a signature line made without package note.
func byHand(name, text string, k *ecdsa.PrivateKey) string {
	spki := sha256.Sum256(must(x509.MarshalPKIXPublicKey(&k.PublicKey)))
	digest := sha256.Sum256([]byte(text))
	der := must(ecdsa.SignASN1(nil, k, digest[:]))
	return "— " + name + " " + base64.StdEncoding.EncodeToString(append(spki[:4], der...)) + "\n"
}

func crlf(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }

// refused checks that Open refuses the note for the reason and hands out nothing.
func refused(t *testing.T, data string, r *keys.Ring, want note.Reason) *note.Error {
	t.Helper()
	got, key, err := note.Open([]byte(data), r)
	e, ok := errors.AsType[*note.Error](err)
	if !ok || !errors.Is(err, want) || e.Reason != want {
		t.Fatalf("%.200q: error %v, want %s", data, err, want)
	}
	if got != "" || key.Role() != "" {
		t.Fatalf("%.200q: an error, and the text %q of key %s", data, got, key.ID())
	}
	if strings.Contains(err.Error(), "subito") {
		t.Fatalf("error quotes the text: %v", err)
	}
	return e
}

// opens checks that Open accepts the note as one of the named key.
func opens(t *testing.T, data string, r *keys.Ring, want, signer string) {
	t.Helper()
	got, key, err := note.Open([]byte(data), r)
	if err != nil || got != want || key.ID() != listKey(signer).ID() {
		t.Fatalf("%.200q: text %q of key %s, error %v; want %q of the key %q", data, got, key.ID(), err, want, signer)
	}
}
