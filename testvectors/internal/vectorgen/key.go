package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"encoding/hex"
	"math/big"
)

// order is n, the order of the group of P-256.
var order = elliptic.P256().Params().N

// highest is (n-1)/2, the highest s that is accepted.
var highest = new(big.Int).Rsh(order, 1)

// A key is a mint key, or the list or receipt key of a ring, which has no
// descriptor. A verifier's key has no private part, and an hs256 key without its
// secret can judge nothing.
type key struct {
	*descriptor
	role     string            // of a key that a reader took from a ring
	secret   []byte            // hs256
	private  *ecdsa.PrivateKey // es256
	public   *ecdsa.PublicKey  // es256
	id       string
	state    string
	products []*big.Int
}

// newKey makes a key from its descriptor and 32 bytes: the secret of an hs256
// key or the private scalar of an es256 key.
func newKey(desc string, secret []byte, products ...int64) *key {
	k := &key{descriptor: mustParseDescriptor(desc), state: "active"}
	if k.suite == "hs256" {
		k.secret = secret
		k.id = hexOf(hkdf(secret, desc, "id")[:8])
	} else {
		k.private = privateKey(secret)
		k.public = &k.private.PublicKey
		k.id = publicID(desc, k.public)
	}
	if len(products) == 0 {
		products = []int64{7}
	}
	for _, p := range products {
		k.products = append(k.products, big.NewInt(p))
	}
	return k
}

// inState returns a copy of k in another state.
func (k *key) inState(state string) *key {
	other := *k
	other.state = state
	return &other
}

// withoutSecret returns a copy of k as a ring without secrets shows it.
func (k *key) withoutSecret() *key {
	other := *k
	other.secret = nil
	return &other
}

func (k *key) allows(product *big.Int) bool {
	for _, p := range k.products {
		if p.Cmp(product) == 0 {
			return true
		}
	}
	return false
}

func privateKey(scalar []byte) *ecdsa.PrivateKey {
	private, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), scalar)
	if err != nil {
		panic(err)
	}
	return private
}

func publicBytes(public *ecdsa.PublicKey) []byte {
	b, err := public.Bytes()
	if err != nil {
		panic(err)
	}
	return b
}

func publicID(desc string, public *ecdsa.PublicKey) string {
	return hexOf(hash(label(desc, "id"), publicBytes(public))[:8])
}

func hexOf(b []byte) string { return hex.EncodeToString(b) }

// counting returns 32 bytes that count up from first: a secret that anyone can
// write down.
func counting(first byte) []byte {
	b := make([]byte, 32)
	for i := range b {
		b[i] = first + byte(i)
	}
	return b
}

func isZero(b []byte) bool { return bytes.Equal(b, make([]byte, len(b))) }
