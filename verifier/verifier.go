package verifier

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
)

// A Verifier judges codes. It is safe for concurrent use. What it says of a code
// depends on the ring, the options, the time and the newest revocation list.
type Verifier struct {
	opts   Options
	ring   *keys.Ring
	reader *payload.Reader
	keys   [payload.MaxKey + 1]*openKey // by key number

	rules       atomic.Pointer[rules]
	updating    sync.Mutex // held while the rules are replaced
	minSequence uint64     // lowest sequence number of a list that is accepted

	latest atomic.Int64 // latest time seen, in seconds since 1970
	signed atomic.Int64 // latest of those that were signed or built in
}

// An openKey is a mint key, ready to open codes.
type openKey struct {
	id       keys.ID
	products []uint64
	bound    bool
	bind     string // what a bound key binds its codes to
	layout   *payload.Layout
	sigBits  int
	mac      *keys.MAC       // of an hs256 key, nil without its secret
	sig      *keys.Signature // of an es256 key
}

// New returns a verifier for the codes of a ring. The ring and the options are
// copied. It is an error to give no products, a number out of range, or lists without
// a policy for stale ones. What is wrong with the lists or the state is told by a
// [CannotJudgeError] in the error.
func New(ring *keys.Ring, opts Options) (*Verifier, error) {
	if ring == nil {
		return nil, errors.New("verifier: no ring given")
	}
	lists, state := opts.Lists, opts.State
	opts, err := opts.check()
	if err != nil {
		return nil, err
	}
	v := &Verifier{opts: opts, ring: ring, reader: ring.Reader(), minSequence: opts.MinSequence}
	for _, k := range ring.MintKeys() {
		d := k.Descriptor()
		o := &openKey{
			id: k.ID(), products: k.Products(),
			bound: d.Bind != keys.BindNone, bind: d.Bind, layout: d.Layout, sigBits: d.SigBits,
		}
		switch {
		case k.Suite() == keys.ES256:
			o.sig, err = keys.NewSignature(d, k.Public())
		case !k.Secret().IsZero():
			o.mac, err = keys.NewMAC(d, k.Secret())
		}
		if err != nil {
			return nil, fmt.Errorf("verifier: %w", err)
		}
		v.keys[k.Number()] = o
	}
	v.signedTime(opts.Built)
	r, err := v.newRules(nil)
	if err != nil {
		return nil, fmt.Errorf("verifier: %w", err)
	}
	v.rules.Store(r)
	if err := v.useState(state); err != nil {
		return nil, fmt.Errorf("verifier: %w", err)
	}
	if err := v.takeAll(lists); err != nil {
		return nil, err
	}
	return v, nil
}

// A License is a licence that a verifier found to be authentic.
type License struct {
	payload.License
	KeyID     keys.ID // with product and serial the identity of the licence
	KeyNumber int     // 1 to 31

	// BindingIgnored tells that a binding was given although the key binds its
	// codes to nothing: the licence is good for any licensee or machine.
	BindingIgnored bool

	stale   bool // whether the list was past its due time
	overdue bool // whether the receipt should have been replaced

	// Status and Days tell how the licence stands with time. Days is 0 unless it is
	// Expiring or InGrace.
	Status Status
	Days   int

	v       *Verifier
	rules   *rules       // by which it was judged
	receipt *heldReceipt // that it came with, nil for a code
}

// Verify judges a code of a key without binding, as somebody typed or pasted it.
// It returns the licence, or one of the errors that the package comment lists.
// For an accepted hs256 code it allocates nothing.
func (v *Verifier) Verify(code string) (lic License, err error) {
	if err = v.verify(&lic, code, ""); err != nil {
		lic = License{}
	}
	return lic, err
}

// VerifyBound judges a code that is bound to a licensee, a domain or a machine.
// The binding is the text that was given when minting, compared bytewise; bring
// it to Unicode NFC first. For a key without binding it is ignored, and the
// result says so.
func (v *Verifier) VerifyBound(code, binding string) (lic License, err error) {
	if err = v.verify(&lic, code, binding); err != nil {
		lic = License{}
	}
	return lic, err
}

// verify sets lic to the licence of a code. After an error lic means nothing.
func (v *Verifier) verify(lic *License, code, binding string) error {
	var buf [192]byte // room for any code as it is printed; longer text allocates
	key, symbols, err := v.reader.Read(code, buf[:])
	if err != nil {
		return v.unreadable(err, binding)
	}
	if err := v.open(lic, key, symbols, binding); err != nil {
		return err
	}
	now := v.opts.Clock()
	if err := v.checkClock(lic.KeyNumber, now); err != nil {
		return err
	}
	return v.judge(lic, now)
}

// open checks the signature of a well-formed code and sets lic to its licence,
// whose policy is still to be checked. After an error lic means nothing.
func (v *Verifier) open(lic *License, key int, symbols []byte, binding string) error {
	k, rules := v.keys[key], v.rules.Load()
	if rules.withdrawn[key] {
		return withdrawnError(key)
	}
	var context []byte
	if k.bound {
		sum, err := keys.BindingContext(binding)
		if err != nil {
			return notAuthentic(BindingRequired, key, "the code is bound to a %s: %v", k.bind, err)
		}
		context = sum[:]
	}
	var plain, masked [payload.MaxPayloadBits / 8]byte
	var sigBytes [64]byte
	bits := k.layout.Bits()
	p, m := plain[:payload.ByteCount(bits)], masked[:payload.ByteCount(bits)]
	shown := sigBytes[:payload.ByteCount(k.sigBits)]
	split := 1 + payload.SymbolCount(bits)
	payload.DecodeSymbols(m, symbols[1:split], bits)
	if !payload.DecodeSymbols(shown, symbols[split:len(symbols)-payload.CheckSymbols], k.sigBits) {
		return v.unreadable(&payload.ReadError{Reason: payload.SpareBits, Key: key}, "")
	}
	good := false
	switch {
	case k.sig != nil:
		if !keys.SignatureInRange(shown) {
			return v.unreadable(&payload.ReadError{Reason: payload.SignatureRange, Key: key}, "")
		}
		good = k.sig.Open(p, m, shown, context)
	case k.mac == nil:
		return cannotJudge(NoSecret, key, "the ring does not have the secret of key %d (%s)", key, k.id)
	case k.sigBits < keys.ShortTagBits && !v.opts.AllowShortTags:
		return cannotJudge(ShortTag, key, "key %d has a tag of %d bits, too short to be judged where nobody counts attempts", key, k.sigBits)
	default:
		good = k.mac.Open(p, m, shown, context)
	}
	if good {
		k.layout.Unpack(&lic.License, p)
	}
	if !good || lic.Product == 0 || lic.Serial == 0 { // a licence with a 0 there was never minted
		return notAuthentic(BadSignature, key, "the code is not genuine")
	}
	if !slices.Contains(k.products, lic.Product) {
		return notAuthentic(ProductNotAllowed, key, "the code is not genuine: its key may not license its product")
	}
	lic.KeyID, lic.KeyNumber, lic.v, lic.rules = k.id, key, v, rules
	lic.BindingIgnored = !k.bound && binding != ""
	return nil
}

// unreadable judges the repair that a ReadError may propose, and wraps the error.
func (v *Verifier) unreadable(err error, binding string) error {
	var re *payload.ReadError
	if !errors.As(err, &re) {
		return err
	}
	e := &NotAuthenticError{Reason: re, Key: re.Key}
	if re.Proposal != "" {
		v.confirm(re, binding)
	}
	e.detail = re.Error()
	return e
}

// confirm keeps a proposal that is authentic, drops one that is not, and leaves
// one that can't be judged as a mere possibility.
func (v *Verifier) confirm(re *payload.ReadError, binding string) {
	key, symbols, err := v.reader.Read(re.Proposal, nil)
	if err == nil {
		err = v.open(new(License), key, symbols, binding)
	}
	var cannot *CannotJudgeError
	switch {
	case err == nil:
		re.Confirmed = true
	case errors.As(err, &cannot) || errors.Is(err, BindingRequired):
	default:
		re.Forget()
	}
}
