package receipt

import (
	"errors"
	"fmt"

	"github.com/licet-dev/licet/keys"
)

// Open returns what a receipt says and the receipt key that signed it, if that is an
// active or closed one of the ring. Everything else is refused with an [*Error], and
// nothing of the claims is looked at before the signature was found good.
//
// White space and invisible characters make no difference, wherever they are: receipts
// pass through mail and chat.
//
// Open tells that the issuer's endpoint said it, and of a licence that its mint key can
// have. For whom, until when, and whether the licence holds here and now is for the
// caller to judge; package verifier does.
func Open(text string, ring *keys.Ring) (r Receipt, signer keys.Key, err error) {
	if ring == nil {
		return Receipt{}, keys.Key{}, errors.New("receipt: no ring given")
	}
	t, err := parseToken(text)
	if err != nil {
		return Receipt{}, keys.Key{}, err
	}
	if signer, err = t.signer(ring); err != nil {
		return Receipt{}, keys.Key{}, err
	}
	if r, err = parseClaims(t.claims); err == nil {
		err = r.trusted(ring, signer.ID())
	}
	if err != nil {
		return Receipt{}, keys.Key{}, err
	}
	return r, signer, nil
}

// signer returns the receipt key that made the signature.
func (t *token) signer(ring *keys.Ring) (keys.Key, error) {
	refuse := func(reason Reason, format string, args ...any) (keys.Key, error) {
		return keys.Key{}, &Error{Reason: reason, Key: t.key, Message: fmt.Sprintf(format, args...)}
	}
	for _, k := range ring.Keys() {
		switch {
		case k.Role() != keys.Receipt || k.ID() != t.key:
			continue
		case k.State() == keys.Withdrawn:
			return refuse(KeyWithdrawn, "signed with receipt key %s, which is withdrawn; activate again", t.key)
		case !t.verify(k.Public().ECDSA()):
			return refuse(BadSignature, "the signature of receipt key %s does not fit; the receipt was changed after it was signed, activate again", t.key)
		}
		return k, nil
	}
	return refuse(UnknownKey, "%s has no receipt key %s in the ring; the receipt is another issuer's, or the ring is older than the key", ring.Issuer(), t.key)
}

// trusted checks what the receipt says against the ring.
func (r *Receipt) trusted(ring *keys.Ring, signer keys.ID) error {
	if r.Issuer != ring.Issuer() {
		return &Error{Reason: OtherIssuer, Key: signer, Message: fmt.Sprintf("of %q, and the ring is that of %q", r.Issuer, ring.Issuer())}
	}
	return r.fits(ring, signer)
}
