package keys

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/asn1"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
)

const (
	scalarSize    = 32
	signatureSize = 2 * scalarSize
)

// ES256Bits is the length in bits of an es256 signature: r and s, 256 bits each.
const ES256Bits = 8 * signatureSize

var (
	order     = elliptic.P256().Params().N.FillBytes(make([]byte, scalarSize))
	halfOrder = new(big.Int).Rsh(elliptic.P256().Params().N, 1).FillBytes(make([]byte, scalarSize))
)

// A PublicKey is the public half of an ECDSA key on P-256.
type PublicKey struct {
	key *ecdsa.PublicKey
}

// NewPublicKey returns the public key of k, which must be on P-256.
func NewPublicKey(k *ecdsa.PublicKey) (PublicKey, error) {
	if k == nil || k.Curve != elliptic.P256() {
		return PublicKey{}, errors.New("public key: not an ECDSA key on P-256")
	}
	b, err := k.Bytes()
	if err != nil {
		return PublicKey{}, fmt.Errorf("public key: %w", err)
	}
	return parsePoint(b)
}

// ParsePublicKey reads a public key of 130 lower-case hexadecimal digits, the
// uncompressed point 0x04 || X || Y. The point must be on the curve.
func ParsePublicKey(s string) (PublicKey, error) {
	b, err := hex.DecodeString(s)
	if err != nil || hex.EncodeToString(b) != s {
		// Not quoted: people also give a private key here by mistake.
		return PublicKey{}, errors.New("public key: want 130 lower-case hexadecimal digits")
	}
	return parsePoint(b)
}

func parsePoint(b []byte) (PublicKey, error) {
	k, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), b)
	if err != nil {
		return PublicKey{}, errors.New("public key: not an uncompressed point on P-256 (04, then X and Y, 65 bytes)")
	}
	return PublicKey{k}, nil
}

// IsZero reports whether p is the zero PublicKey, which is no key.
func (p PublicKey) IsZero() bool { return p.key == nil }

// ECDSA returns the key for package crypto/ecdsa, nil for the zero PublicKey.
func (p PublicKey) ECDSA() *ecdsa.PublicKey { return p.key }

// Bytes returns the uncompressed point, 65 bytes.
func (p PublicKey) Bytes() []byte {
	b, err := p.key.Bytes()
	if err != nil {
		panic(err) // unreachable: the point was checked when the key was made
	}
	return b
}

// String returns the point in hexadecimal digits, or "" for the zero PublicKey.
func (p PublicKey) String() string {
	if p.IsZero() {
		return ""
	}
	return hex.EncodeToString(p.Bytes())
}

// ID returns the id of the es256 mint key that has this public key and descriptor.
func (p PublicKey) ID(d Descriptor) ID { return p.id(d.String()) }

// RoleID returns the id of the list or receipt key that has this public key.
func (p PublicKey) RoleID(r Role) ID { return p.id(r.descriptorText()) }

func (p PublicKey) id(descriptor string) ID {
	sum := sha256.Sum256(append(label(descriptor, "id"), p.Bytes()...))
	return ID(sum[:8])
}

// A Signature has the functions of one es256 key that need no secret: it seals
// payloads with a signer from outside, and opens codes with the public key. It
// is safe for concurrent use.
type Signature struct {
	public      PublicKey
	payloadBits int
	sigLabel    []byte
	maskKey     [sha256.Size]byte
}

// NewSignature returns the functions of the es256 key with this descriptor.
func NewSignature(d Descriptor, p PublicKey) (*Signature, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	if d.Suite != ES256 {
		return nil, fmt.Errorf("key %d is of suite %s; a public key belongs to %s", d.Number, d.Suite, ES256)
	}
	if p.IsZero() {
		return nil, errors.New("no public key given")
	}
	return &Signature{p, d.Layout.Bits(), label(d.String(), "sig"), sha256.Sum256(label(d.String(), "mask"))}, nil
}

// Seal computes the masked payload and the shown signature, 64 bytes, with the
// private key in signer. An [*ecdsa.PrivateKey] signs deterministically (RFC
// 6979); a key in an HSM or KMS does what it does. The result is not verified
// here: use Open on it before giving the code away.
func (s *Signature) Seal(masked, shown, payload, context []byte, signer crypto.Signer) error {
	digest := s.digest(payload, context)
	random := rand.Reader
	if _, ours := signer.(*ecdsa.PrivateKey); ours {
		random = nil // RFC 6979
	}
	der, err := signer.Sign(random, digest[:], crypto.SHA256)
	if err != nil {
		return fmt.Errorf("failed to sign: %w", err)
	}
	var sig struct{ R, S *big.Int }
	rest, err := asn1.Unmarshal(der, &sig)
	if err != nil || len(rest) > 0 || sig.R.Sign() <= 0 || sig.S.Sign() <= 0 || sig.R.BitLen() > 256 || sig.S.BitLen() > 256 {
		return errors.New("failed to sign: the signer returned no ECDSA signature on P-256")
	}
	sig.R.FillBytes(shown[:scalarSize])
	sig.S.FillBytes(shown[scalarSize:])
	if bytes.Compare(shown[scalarSize:], halfOrder) > 0 {
		sig.S.Sub(elliptic.P256().Params().N, sig.S)
		if sig.S.Sign() <= 0 {
			return errors.New("failed to sign: the signer returned s beyond the order of the group")
		}
		sig.S.FillBytes(shown[scalarSize:])
	}
	s.mask(masked, payload, shown)
	return nil
}

// Open recovers the payload and reports whether the signature is good. It
// verifies public data, so its time may depend on them. A signature outside the
// range that [SignatureInRange] checks is never good.
func (s *Signature) Open(payload, masked, shown, context []byte) bool {
	s.mask(payload, masked, shown)
	if !SignatureInRange(shown) {
		return false
	}
	digest := s.digest(payload, context)
	return ecdsa.VerifyASN1(s.public.key, digest[:], encodeDER(shown))
}

// SignatureInRange reports whether the signature r || s, 64 bytes, is in its one
// spelling: r and s are in 1..n-1, and s is at most (n-1)/2. ECDSA accepts n-s
// too, so without this bound every code would have a twin.
func SignatureInRange(shown []byte) bool {
	r, s := shown[:scalarSize], shown[scalarSize:]
	return !isZero(r) && bytes.Compare(r, order) < 0 && !isZero(s) && bytes.Compare(s, halfOrder) <= 0
}

func (s *Signature) digest(payload, context []byte) [sha256.Size]byte {
	in := make([]byte, 0, 512)
	in = append(in, s.sigLabel...)
	in = append(in, payload...)
	return sha256.Sum256(append(in, context...))
}

// mask writes in XOR the mask of the signature to out.
func (s *Signature) mask(out, in, shown []byte) {
	h := hmac.New(sha256.New, s.maskKey[:])
	h.Write(bytes.Clone(shown)) // cloned, so that the caller's slice doesn't escape to the heap
	subtle.XORBytes(out, in, topBits(h.Sum(nil), s.payloadBits))
}

// encodeDER writes r || s as the ASN.1 structure that crypto/ecdsa takes.
func encodeDER(sig []byte) []byte {
	der := make([]byte, 2, 72)
	for _, v := range [][]byte{sig[:scalarSize], sig[scalarSize:]} {
		v = bytes.TrimLeft(v, "\x00")
		der = append(der, 0x02, byte(len(v)))
		if v[0] >= 0x80 { // a leading zero keeps the number positive
			der[len(der)-1]++
			der = append(der, 0)
		}
		der = append(der, v...)
	}
	der[0], der[1] = 0x30, byte(len(der)-2)
	return der
}
