package signer_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"strings"
	"testing"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/signer"
)

const boundHS = "licet/v1 hs256 key=8 prefix=ACME layout=product:9,version:8,expiry:15,serial:28 bind=machine sig=80"

// A binding must be given for a bound key and for no other, or codes would be
// good for everybody, or for nobody.
func TestBindingMustFitTheKey(t *testing.T) {
	long := strings.Repeat("x", keys.MaxBinding)
	for _, c := range []struct {
		name, descriptor, binding string
		good                      bool
	}{
		{"bound key, text", boundHS, "4c4c4544-0042", true},
		{"bound key, longest text", boundHS, long, true},
		{"bound key, text beyond ASCII", boundHS, "Zoë 東京", true},
		{"bound key, no text", boundHS, "", false},
		{"bound key, text too long", boundHS, long + "x", false},
		{"bound key, not UTF-8", boundHS, "a\xff", false},
		{"bound key, line break", boundHS, "host\n", false},
		{"bound key, C1 control", boundHS, "host\u0085", false},
		{"bound key, placeholder", boundHS, "Default string", false},
		{"bound key, placeholder in other spelling", boundHS, "TO BE FILLED BY O.E.M", false},
		{"bound key, all zeros", boundHS, "00000000-0000-0000", false},
		{"bound key, all F", boundHS, "FFFF-ffff", false},
		{"key without binding, no text", workedHS, "", true},
		{"key without binding, text", workedHS, "host", false},
		{"es256 without binding, text", workedES, "host", false},
	} {
		key, private := fixedKey(c.descriptor, 7)
		s, err := signer.New(key, private, signer.Options{Binding: c.binding})
		if good := err == nil; good != c.good || good != (s != nil) {
			t.Errorf("%s: New = %v, %v", c.name, s != nil, err)
		}
	}
}

// Another binding makes another code, and the same one the same.
func TestBindingEntersTheCode(t *testing.T) {
	for _, descriptor := range []string{boundHS, strings.Replace(strings.Replace(boundHS, "hs256", "es256", 1), "sig=80", "sig=512", 1)} {
		key, private := fixedKey(descriptor, 7)
		mint := func(binding string) string {
			return must(must(signer.New(key, private, signer.Options{Binding: binding})).Mint(workedLicense))
		}
		first := mint("host-1")
		if mint("host-1") != first || mint("host-2") == first {
			t.Errorf("%s: the binding does not decide about the code", key.Suite())
		}
		// Bytes are compared, so a trailing blank or another case is another text.
		if mint("host-1 ") == first || mint("HOST-1") == first {
			t.Errorf("%s: the binding was changed on its way", key.Suite())
		}
	}
}

// CR-08: a private key that is not that of the key is found when the signer is
// made, not when the first customer's code fails.
func TestWrongPrivateKey(t *testing.T) {
	hs, hsPrivate := fixedKey(workedHS, 7)
	es, esPrivate := fixedKey(workedES, 7)
	_, otherHS := workedKey(workedHS, workedHSSecret, 7) // same descriptor, other secret
	_, otherES := workedKey(workedES, workedESSecret, 7)
	_, otherNumber := fixedKey(strings.Replace(workedHS, "key=8", "key=10", 1), 7)
	sameSecret := must(keys.NewHS256(must(keys.ParseDescriptor(boundHS)), must(hsPrivate.Secret())))
	role := must(keys.NewRoleKey(keys.List, must(esPrivate.ECDSA())))

	for _, c := range []struct {
		name    string
		key     keys.Key
		private keys.PrivateKey
	}{
		{"another secret", hs, otherHS},
		{"another scalar", es, otherES},
		{"another number", hs, otherNumber},
		{"another descriptor, same secret", hs, sameSecret},
		{"a list key with the same scalar", es, role},
		{"another suite", hs, esPrivate},
		{"another suite, the other way round", es, hsPrivate},
		{"none", hs, keys.PrivateKey{}},
		{"no key", keys.Key{}, hsPrivate},
		{"nothing at all", keys.Key{}, keys.PrivateKey{}},
	} {
		if s, err := signer.New(c.key, c.private, signer.Options{}); err == nil || s != nil {
			t.Errorf("%s: New accepted it", c.name)
		}
	}

	list := must(keys.NewKey(role, keys.Descriptor{}))
	if _, err := signer.New(list, role, signer.Options{}); err == nil {
		t.Error("a list key mints codes")
	}
	if _, err := signer.NewES256(list, must(role.ECDSA()), signer.Options{}); err == nil {
		t.Error("a list key mints codes with a signer from outside")
	}
	if _, err := signer.NewHS256(hs, must(otherHS.Secret()), signer.Options{}); err == nil {
		t.Error("NewHS256 accepted another secret")
	}
	if _, err := signer.NewHS256(hs, keys.Secret{}, signer.Options{}); err == nil {
		t.Error("NewHS256 accepted no secret")
	}
	if _, err := signer.NewHS256(es, must(hsPrivate.Secret()), signer.Options{}); err == nil {
		t.Error("NewHS256 accepted an es256 key")
	}
	if _, err := signer.NewES256(hs, must(esPrivate.ECDSA()), signer.Options{}); err == nil {
		t.Error("NewES256 accepted an hs256 key")
	}
}

// publicOnly is a crypto.Signer with another public key than it should have.
type publicOnly struct {
	crypto.Signer
	public crypto.PublicKey
}

func (p publicOnly) Public() crypto.PublicKey { return p.public }

// The public key of a signer from outside must be that of the ring.
func TestWrongSignerFromOutside(t *testing.T) {
	key, private := fixedKey(workedES, 7)
	own := must(private.ECDSA())
	p384 := must(ecdsa.GenerateKey(elliptic.P384(), rand.Reader))
	edPublic, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]crypto.Signer{
		"nil":                  nil,
		"no public key":        publicOnly{own, nil},
		"another public key":   publicOnly{own, scalarKey(unhex(workedESSecret)).Public()},
		"a key on P-384":       p384,
		"an Ed25519 key":       publicOnly{own, edPublic},
		"a key that's no key":  publicOnly{own, "public key"},
		"the key as its bytes": publicOnly{own, key.Public().Bytes()},
	} {
		if s, err := signer.NewES256(key, s, signer.Options{}); err == nil || s != nil {
			t.Errorf("%s: NewES256 accepted it", name)
		}
	}
	if _, err := signer.NewES256(key, own, signer.Options{}); err != nil {
		t.Errorf("the right key: %v", err)
	}
}

// A signer holds what it was made with: keys are values, and products that the
// ring takes away later need a new signer.
func TestProductsAreThoseOfTheKey(t *testing.T) {
	key, private := fixedKey(workedHS, 7, 511)
	s := newSigner(t, key, private)
	for product, good := range map[uint64]bool{6: false, 7: true, 8: false, 510: false, 511: true} {
		lic := workedLicense
		lic.Product = product
		_, err := s.Mint(lic)
		if good != (err == nil) {
			t.Errorf("product %d: %v", product, err)
		}
		if !good {
			refusedWith(t, err, payload.ProductNotAllowed, "product")
		}
	}
}
