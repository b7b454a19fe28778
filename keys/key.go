package keys

import (
	"errors"
	"fmt"
	"slices"

	"github.com/licet-dev/licet/payload"
)

// A Key is what a ring tells of one key: everything but, as a rule, its secret.
// It is made by [NewKey] or read with a ring, and never changes.
type Key struct {
	role       Role
	id         ID
	state      State
	descriptor Descriptor
	products   []uint64
	public     PublicKey
	secret     Secret
}

// NewKey returns what a ring tells of the private key k: for a mint key its
// descriptor and the products it may mint, at least one; for other roles these
// are ignored. The key is active and without its secret.
func NewKey(k PrivateKey, d Descriptor, products ...uint64) (Key, error) {
	if k.secret.IsZero() {
		return Key{}, errors.New("no private key given")
	}
	key := Key{role: k.role, id: k.id, state: Active}
	if k.suite == ES256 {
		e, err := k.ECDSA()
		if err != nil {
			return Key{}, err
		}
		key.public = PublicKey{&e.PublicKey}
	}
	if k.role == Mint {
		key.descriptor = d
		if err := key.attaches(k); err != nil {
			return Key{}, err
		}
		return key.WithProducts(products...)
	}
	return key, nil
}

// attaches reports whether k is the private key of this key.
func (key Key) attaches(k PrivateKey) error {
	same := k.role == key.role && k.suite == key.Suite() && k.number == key.Number() && k.id == key.id
	switch {
	case !same: // nothing to compute: the key may lack the half that its id is made of
	case k.role == Mint && k.suite == HS256:
		same = k.secret.ID(key.descriptor) == key.id
	case k.role == Mint:
		same = key.public.ID(key.descriptor) == key.id
	}
	if !same {
		return fmt.Errorf("the private key is %s key %d (%s), not %s key %d (%s) of the ring", k.role, k.number, k.id, key.role, key.Number(), key.id)
	}
	return nil
}

// Attach checks that k is the private key of this key, and returns the key with
// the secret of an hs256 key in it. Other keys are returned as they are.
func (key Key) Attach(k PrivateKey) (Key, error) {
	if err := key.attaches(k); err != nil {
		return Key{}, err
	}
	if k.suite == ES256 {
		e, err := k.ECDSA()
		if err != nil {
			return Key{}, err
		}
		if !key.public.key.Equal(&e.PublicKey) {
			return Key{}, fmt.Errorf("the private key %s does not belong to the public key in the ring", k.id)
		}
		return key, nil
	}
	key.secret = k.secret
	return key, nil
}

// WithProducts returns the key with another list of products that it may mint.
func (key Key) WithProducts(products ...uint64) (Key, error) {
	if key.role != Mint {
		return Key{}, fmt.Errorf("key %s: a %s key mints no products", key.id, key.role)
	}
	if len(products) == 0 {
		return Key{}, ringError(ProblemAllowedProduct, "key %d: no product that it may mint", key.Number())
	}
	key.products = slices.Sorted(slices.Values(products))
	f, _ := key.descriptor.Layout.Field("product")
	for i, p := range key.products {
		switch {
		case p == 0:
			return Key{}, ringError(ProblemAllowedProduct, "key %d: 0 is not a product number", key.Number())
		case i > 0 && p == key.products[i-1]:
			return Key{}, ringError(ProblemAllowedProduct, "key %d: product %d is listed twice", key.Number(), p)
		case p > f.Max():
			return Key{}, ringError(ProblemAllowedProduct, "key %d: product %d does not fit the %d bits of its field; the largest is %d", key.Number(), p, f.Bits, f.Max())
		}
	}
	return key, nil
}

// WithState returns the key in another state.
func (key Key) WithState(s State) Key {
	key.state = s
	return key
}

// WithoutSecret returns the key without its secret.
func (key Key) WithoutSecret() Key {
	key.secret = Secret{}
	return key
}

// Role returns what the key may sign.
func (key Key) Role() Role { return key.role }

// ID returns the key id.
func (key Key) ID() ID { return key.id }

// State returns how far the key is trusted.
func (key Key) State() State { return key.state }

// Descriptor returns the descriptor of a mint key; it is zero for other roles.
func (key Key) Descriptor() Descriptor { return key.descriptor }

// Suite returns the suite of the key.
func (key Key) Suite() Suite {
	if key.role == Mint {
		return key.descriptor.Suite
	}
	return ES256
}

// Number returns the number of a mint key, 1 to 31, and 0 for other roles.
func (key Key) Number() int { return key.descriptor.Number }

// Layout returns the layout of a mint key, nil for other roles.
func (key Key) Layout() *payload.Layout { return key.descriptor.Layout }

// Products returns the products that a mint key may mint, in ascending order.
func (key Key) Products() []uint64 { return slices.Clone(key.products) }

// Allows reports whether the key may mint the product.
func (key Key) Allows(product uint64) bool {
	_, ok := slices.BinarySearch(key.products, product)
	return ok
}

// Public returns the public key; it is zero for hs256 keys.
func (key Key) Public() PublicKey { return key.public }

// Secret returns the secret of an hs256 key, or the zero Secret where the ring
// does not have it.
func (key Key) Secret() Secret { return key.secret }
