package main

import (
	"crypto"
	"crypto/ecdsa"
	"encoding/asn1"
	"math/big"
)

// A minted is a code with everything that was computed on the way to it.
type minted struct {
	key     *key
	payload *big.Int
	tag     *big.Int // hs256
	digest  []byte   // es256
	r, s    *big.Int // es256
	sRaw    *big.Int // es256: s as it came, high or low
	masked  *big.Int
	shown   *big.Int
	body    string // with the check symbols
}

// fields are the fields of a licence by name. A missing one is 0.
type fields map[string]*big.Int

// pack puts the fields into a payload. The callers have checked the widths,
// or want them wrong.
func (k *key) pack(values fields) *big.Int {
	payload := new(big.Int)
	for _, f := range k.layout {
		payload.Lsh(payload, uint(f.bits))
		if v := values[f.name]; v != nil {
			if v.BitLen() > f.bits {
				panic("pack: " + f.name + " is too wide")
			}
			payload.Add(payload, v)
		}
	}
	return payload
}

func (k *key) unpack(payload *big.Int) fields {
	values := fields{}
	rest := new(big.Int).Set(payload)
	for i := len(k.layout) - 1; i >= 0; i-- {
		f := k.layout[i]
		v := new(big.Int)
		rest.DivMod(rest, new(big.Int).Lsh(big.NewInt(1), uint(f.bits)), v)
		values[f.name] = v
	}
	return values
}

// contextOf returns the context of section 6.
func (k *key) contextOf(binding *string) []byte {
	if k.bind == "none" {
		return nil
	}
	return hash([]byte(*binding))
}

// mint makes a code of whatever payload it is given: the refusals of section 6
// are in refusal, so that this can also make codes that must be refused.
func (k *key) mint(payload *big.Int, binding *string) *minted {
	if k.suite == "hs256" {
		return k.mintHS256(payload, k.contextOf(binding))
	}
	return k.mintES256(payload, k.contextOf(binding))
}

func (k *key) mintHS256(payload *big.Int, context []byte) *minted {
	m := &minted{key: k, payload: payload}
	m.tag = k.tagOf(payload, context)
	m.masked = xor(payload, top(mac(hkdf(k.secret, k.text, "mask"), bytesOf(m.tag, k.sig)), k.payloadBits()))
	m.shown = xor(m.tag, k.coverOf(m.masked))
	m.body = k.assemble(m.masked, m.shown)
	return m
}

func (k *key) tagOf(payload *big.Int, context []byte) *big.Int {
	return top(mac(hkdf(k.secret, k.text, "tag"), bytesOf(payload, k.payloadBits()), context), k.sig)
}

func (k *key) coverOf(masked *big.Int) *big.Int {
	return top(mac(hkdf(k.secret, k.text, "cover"), bytesOf(masked, k.payloadBits())), k.sig)
}

func (k *key) mintES256(payload *big.Int, context []byte) *minted {
	m := &minted{key: k, payload: payload}
	m.digest = k.digestOf(payload, context)
	m.r, m.sRaw = sign(k.private, m.digest)
	m.s = new(big.Int).Set(m.sRaw)
	if m.s.Cmp(highest) > 0 {
		m.s.Sub(order, m.s)
	}
	return k.withSignature(m, m.r, m.s)
}

// withSignature masks the payload of m under the signature (r,s), good or not.
func (k *key) withSignature(m *minted, r, s *big.Int) *minted {
	n := *m
	n.r, n.s = r, s
	n.shown = new(big.Int).Lsh(r, 256)
	n.shown.Add(n.shown, s)
	n.masked = xor(n.payload, k.publicMask(n.shown))
	n.body = k.assemble(n.masked, n.shown)
	return &n
}

func (k *key) digestOf(payload *big.Int, context []byte) []byte {
	return hash(label(k.text, "sig"), bytesOf(payload, k.payloadBits()), context)
}

func (k *key) publicMask(shown *big.Int) *big.Int {
	return top(mac(hash(label(k.text, "mask")), bytesOf(shown, 512)), k.payloadBits())
}

// sign returns the signature of RFC 6979: with no random source crypto/ecdsa
// computes exactly that.
func sign(private *ecdsa.PrivateKey, digest []byte) (r, s *big.Int) {
	der, err := private.Sign(nil, digest, crypto.SHA256)
	if err != nil {
		panic(err)
	}
	var signature struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(der, &signature); err != nil {
		panic(err)
	}
	return signature.R, signature.S
}

// assemble puts a body together. Shown may have more bits than the key's
// signature as long as its symbols have room for them.
func (k *key) assemble(masked, shown *big.Int) string {
	return withCheck(sym(k.number) + symbols(masked, k.payloadBits()) + symbols(shown, k.sig))
}

func withCheck(text string) string { return text + checkOf(text) }

// printed is section 5.5.
func printed(prefix, body string) string {
	text := prefix
	for i, c := range body {
		if i%4 == 0 && text != "" {
			text += "-"
		}
		text += string(c)
	}
	return text
}

func (m *minted) code() string { return printed(m.key.prefix, m.body) }
func (m *minted) bare() string { return printed("", m.body) }
