// Package signer mints licence codes.
//
// A [Signer] is made from a key of a ring and its private key, and turns a
// licence into a code:
//
//	s, err := signer.New(key, private, signer.Options{})
//	...
//	code, err := s.Mint(payload.License{
//		Product: 7,
//		Version: 3,
//		Expiry:  payload.Date(2027, 12, 31),
//		Serial:  1000,
//	})
//
// A code is a function of the licence and the key: minting the same licence again
// gives the same code. That holds for hs256 keys, and for es256 keys whose private
// half is in memory. [NewES256] takes keys held in an HSM or KMS too; a device that
// chooses its nonces at random gives the same licence another code each time, all of
// them good.
//
// What does not fit is refused with a [payload.RefusedError]; nothing wraps, is cut
// or is left out. Serials are the caller's to allocate. Two licences of one key and
// product must never have the same serial.
package signer

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
)

// Options are what all codes of a signer share. The zero value is for a key
// without binding.
type Options struct {
	// Binding is the text that the codes of a bound key are bound to: a licensee,
	// a domain, a machine. It is mandatory for a bound key and refused for
	// others. See [keys.BindingContext] for what it may be.
	Binding string

	// Renewal states that all licences have serials that the key minted before:
	// they are renewed, or minted once more. A closed key mints nothing else.
	Renewal bool
}

// A Signer mints codes with one key. It is safe for concurrent use.
type Signer struct {
	number   int
	prefix   string
	products []uint64
	layout   *payload.Layout
	sigBits  int
	context  []byte // of the binding, nil for none

	mac     *keys.MAC       // of an hs256 key
	checked atomic.Bool     // whether the first code of this signer was verified
	sig     *keys.Signature // of an es256 key
	private crypto.Signer
}

// New returns a signer for the key with its private key.
func New(key keys.Key, private keys.PrivateKey, opts Options) (*Signer, error) {
	attached, err := key.Attach(private)
	if err != nil {
		return nil, fmt.Errorf("signer: %w", err)
	}
	if attached.Suite() == keys.HS256 {
		return NewHS256(key, attached.Secret(), opts)
	}
	ec, err := private.ECDSA()
	if err != nil {
		return nil, fmt.Errorf("signer: %w", err)
	}
	return NewES256(key, ec, opts)
}

// NewHS256 returns a signer for an hs256 key with its secret.
func NewHS256(key keys.Key, secret keys.Secret, opts Options) (*Signer, error) {
	s, err := newSigner(key, opts)
	if err != nil {
		return nil, err
	}
	if s.mac, err = keys.NewMAC(key.Descriptor(), secret); err != nil {
		return nil, fmt.Errorf("signer: %w", err)
	}
	if secret.ID(key.Descriptor()) != key.ID() {
		return nil, fmt.Errorf("signer: the secret is not that of key %d (%s)", key.Number(), key.ID())
	}
	return s, nil
}

// NewES256 returns a signer for an es256 key whose private half is in signer, for
// example in an HSM or a KMS. The signer gets a SHA-256 digest and returns an
// ASN.1 signature, as [crypto.Signer] says for ECDSA; every code is verified before
// it is returned. With an [*ecdsa.PrivateKey] the codes are deterministic (RFC 6979),
// with another signer they are as it makes them.
func NewES256(key keys.Key, signer crypto.Signer, opts Options) (*Signer, error) {
	s, err := newSigner(key, opts)
	if err != nil {
		return nil, err
	}
	if s.sig, err = keys.NewSignature(key.Descriptor(), key.Public()); err != nil {
		return nil, fmt.Errorf("signer: %w", err)
	}
	if ec, ours := signer.(*ecdsa.PrivateKey); signer == nil || ours && ec == nil {
		return nil, errors.New("signer: no private key given")
	}
	public, ok := signer.Public().(*ecdsa.PublicKey)
	if !ok || !key.Public().ECDSA().Equal(public) {
		return nil, fmt.Errorf("signer: the private key is not that of key %d (%s)", key.Number(), key.ID())
	}
	s.private = signer
	return s, nil
}

func newSigner(key keys.Key, opts Options) (*Signer, error) {
	if key.Role() != keys.Mint {
		return nil, fmt.Errorf("signer: key %s is a %s key and mints no codes", key.ID(), key.Role())
	}
	if key.State() != keys.Active && !(key.State() == keys.Closed && opts.Renewal) {
		mints := "only an active key mints new serials"
		if key.State() == keys.Withdrawn {
			mints = "it mints and renews nothing"
		}
		return nil, &payload.RefusedError{Refusal: payload.KeyNotActive, Field: "key",
			Message: fmt.Sprintf("key %d is %s; %s", key.Number(), key.State(), mints)}
	}
	d := key.Descriptor()
	s := &Signer{number: d.Number, prefix: d.Prefix, products: key.Products(), layout: d.Layout, sigBits: d.SigBits}
	switch bind := d.Bind; {
	case bind == keys.BindNone && opts.Binding != "":
		return nil, fmt.Errorf("signer: key %d binds its codes to nothing, but a binding was given", key.Number())
	case bind != keys.BindNone:
		context, err := keys.BindingContext(opts.Binding)
		if err != nil {
			return nil, fmt.Errorf("signer: key %d binds its codes to a %s: %w", key.Number(), bind, err)
		}
		s.context = context[:]
	}
	return s, nil
}

// Mint returns the code of a licence, as it is printed: prefix, and groups of 4.
// It is [Signer.AppendCode] for a single code.
func (s *Signer) Mint(lic payload.License) (string, error) {
	b, err := s.AppendCode(nil, &lic)
	return string(b), err
}

// AppendCode appends the code of a licence, as it is printed, to dst. With an
// hs256 key it allocates nothing when dst has room. It refuses, with a
// [payload.RefusedError], a licence that the key's layout can't carry or whose
// product the key may not mint.
//
// Every es256 code is verified before it is returned, since a fault in a
// deterministic signature would give the key away; so is the first hs256 code.
func (s *Signer) AppendCode(dst []byte, lic *payload.License) ([]byte, error) {
	if err := s.checkProduct(lic.Product); err != nil {
		return dst, err
	}
	var plain [payload.MaxPayloadBits / 8]byte
	p, err := s.layout.AppendPayload(plain[:0], lic)
	if err != nil {
		return dst, err
	}
	return s.appendPayload(dst, p)
}

// appendPayload appends the code of a payload.
func (s *Signer) appendPayload(dst, p []byte) ([]byte, error) {
	var masked [payload.MaxPayloadBits / 8]byte
	var shown [64]byte
	m, sig := masked[:len(p)], shown[:payload.ByteCount(s.sigBits)]
	if err := s.seal(m, sig, p); err != nil {
		return dst, err
	}
	var code [payload.MaxCode]byte
	body := append(code[:0], payload.Symbol(s.number))
	body = payload.AppendSymbols(body, m, s.layout.Bits())
	body = payload.AppendSymbols(body, sig, s.sigBits)
	body = payload.AppendCheck(body)
	return payload.AppendCode(dst, s.prefix, body, payload.GroupSize), nil
}

func (s *Signer) checkProduct(product uint64) error {
	if slices.Contains(s.products, product) || product == 0 { // product 0 is refused for what it is
		return nil
	}
	return &payload.RefusedError{Refusal: payload.ProductNotAllowed, Field: "product",
		Message: fmt.Sprintf("product: key %d may not mint product %d; it mints %v", s.number, product, s.products)}
}

// ErrFault means that a code which was just made does not verify: the machine or
// the signing device computed something wrong. Stop, and trust neither.
var ErrFault = errors.New("signer: the new code does not verify; nothing was minted, and this machine or signing device should not be trusted")

// seal signs the payload and, where it must be, verifies what came out.
func (s *Signer) seal(masked, shown, plain []byte) error {
	if s.mac != nil {
		s.mac.Seal(masked, shown, plain, s.context)
		if s.checked.Load() {
			return nil
		}
	} else if err := s.sig.Seal(masked, shown, plain, s.context, s.private); err != nil {
		return fmt.Errorf("signer: key %d: %w", s.number, err)
	}
	var buf [payload.MaxPayloadBits / 8]byte
	opened := buf[:len(plain)]
	good := false
	if s.mac != nil {
		good = s.mac.Open(opened, masked, shown, s.context)
	} else {
		good = s.sig.Open(opened, masked, shown, s.context)
	}
	if !good || !bytes.Equal(opened, plain) {
		return ErrFault
	}
	s.checked.Store(true)
	return nil
}
