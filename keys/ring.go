package keys

import (
	"cmp"
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/licet-dev/licet/payload"
)

// A Product is a product that an issuer licenses.
type Product struct {
	Number uint64 // 1 to 2^53-1
	Name   string // 1 to 128 bytes of UTF-8 without control characters or U+FFFD
}

// A Ring lists an issuer's products and keys. It is made by [NewRing] or
// [ParseRing], never changes, and is safe for concurrent use.
type Ring struct {
	issuer   string
	products []Product // by number
	keys     []Key     // mint keys by number, then list and receipt keys
	reader   *payload.Reader
}

// A Problem is why a ring is refused. It is an error, so that callers can match
// it with errors.Is.
type Problem string

// The problems of rings.
const (
	ProblemSyntax          Problem = "syntax"
	ProblemDuplicateMember Problem = "duplicate-member"
	ProblemUnknownMember   Problem = "unknown-member"
	ProblemTrailingData    Problem = "trailing-data"
	ProblemFormat          Problem = "format"
	ProblemIssuer          Problem = "issuer"
	ProblemSecretInPublic  Problem = "secret-in-public-ring"
	ProblemProduct         Problem = "product"
	ProblemDescriptor      Problem = "descriptor"
	ProblemIDMismatch      Problem = "id-mismatch"
	ProblemDuplicateKey    Problem = "duplicate-key"
	ProblemShape           Problem = "shape"
	ProblemAllowedProduct  Problem = "allowed-product"
	ProblemPublicKey       Problem = "public-key"
	ProblemSecret          Problem = "secret"
	ProblemState           Problem = "state"
	ProblemRole            Problem = "role"
)

// Error returns the problem as a code such as "duplicate-member".
func (p Problem) Error() string { return string(p) }

// A RingError says what is wrong with a ring and where.
type RingError struct {
	Problem Problem
	Message string
}

// Error returns the message.
func (e *RingError) Error() string { return "ring: " + e.Message }

// Unwrap returns the problem.
func (e *RingError) Unwrap() error { return e.Problem }

func ringError(p Problem, format string, args ...any) error {
	return &RingError{p, fmt.Sprintf(format, args...)}
}

// NewRing returns a ring with these products and keys, in any order. It refuses
// what SPEC.md, section 9.1, refuses, with a [RingError].
func NewRing(issuer string, products []Product, keys []Key) (*Ring, error) {
	if err := CheckName(issuer); err != nil {
		return nil, ringError(ProblemIssuer, "issuer: %v", err)
	}
	r := &Ring{
		issuer:   issuer,
		products: slices.SortedFunc(slices.Values(products), func(a, b Product) int { return cmp.Compare(a.Number, b.Number) }),
		keys:     slices.SortedStableFunc(slices.Values(keys), compareKeys),
	}
	if err := r.checkProducts(); err != nil {
		return nil, err
	}
	if err := r.checkKeys(); err != nil {
		return nil, err
	}
	var shapes []payload.Shape
	for _, k := range r.MintKeys() {
		shapes = append(shapes, k.descriptor.Shape())
	}
	var err error
	if r.reader, err = payload.NewReader(shapes...); err != nil {
		return nil, ringError(ProblemShape, "%v", err)
	}
	return r, nil
}

// compareKeys orders mint keys by number, then the other roles by role; keys of
// one such role keep their order.
func compareKeys(a, b Key) int {
	rank := func(k Key) int { return slices.Index([]Role{Mint, List, Receipt}, k.role) }
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Number(), b.Number()))
}

// CheckName reports what is wrong with the name of an issuer or a product, which is 1
// to 128 bytes of UTF-8 without control characters and U+FFFD, or nil.
func CheckName(s string) error {
	switch {
	case s == "" || len(s) > 128:
		return fmt.Errorf("name of %d bytes: want 1 to 128", len(s))
	case !utf8.ValidString(s):
		return fmt.Errorf("name %q is not valid UTF-8", s)
	}
	for _, c := range s {
		switch {
		case unicode.IsControl(c):
			return fmt.Errorf("name %q has a control character", s)
		case c == utf8.RuneError:
			return fmt.Errorf("name %q has U+FFFD in it, which stands for damaged text", s)
		}
	}
	return nil
}

func (r *Ring) checkProducts() error {
	for i, p := range r.products {
		switch {
		case p.Number < 1 || p.Number > 1<<53-1:
			return ringError(ProblemProduct, "product %d: numbers are 1 to 2^53-1", p.Number)
		case i > 0 && p.Number == r.products[i-1].Number:
			return ringError(ProblemProduct, "product %d is listed twice", p.Number)
		}
		if err := CheckName(p.Name); err != nil {
			return ringError(ProblemProduct, "product %d: %v", p.Number, err)
		}
	}
	return nil
}

func (r *Ring) checkKeys() error {
	for i, k := range r.keys {
		switch {
		case !slices.Contains([]Role{Mint, List, Receipt}, k.role):
			return ringError(ProblemRole, "key %s: role %q: want mint, list or receipt", k.id, k.role)
		case !slices.Contains([]State{Active, Closed, Withdrawn}, k.state):
			return ringError(ProblemState, "key %s: state %q: want active, closed or withdrawn", k.id, k.state)
		}
		for _, p := range k.products {
			if _, ok := r.Product(p); !ok {
				return ringError(ProblemAllowedProduct, "key %d may mint product %d, which the ring does not list", k.Number(), p)
			}
		}
		for _, o := range r.keys[:i] {
			switch {
			case k.role == Mint && o.role == Mint && k.Number() == o.Number():
				return ringError(ProblemDuplicateKey, "two mint keys have the number %d", k.Number())
			case k.id == o.id,
				!k.public.IsZero() && !o.public.IsZero() && k.public.key.Equal(o.public.key),
				k.secret.Equal(o.secret):
				return ringError(ProblemDuplicateKey, "%s key %s and %s key %s are one and the same; every use needs a key of its own", o.role, o.id, k.role, k.id)
			}
		}
	}
	return nil
}

// Issuer returns the name of the issuer.
func (r *Ring) Issuer() string { return r.issuer }

// Products returns the products, by number.
func (r *Ring) Products() []Product { return slices.Clone(r.products) }

// Product returns the product with the given number, and whether there is one.
func (r *Ring) Product(number uint64) (Product, bool) {
	i, ok := slices.BinarySearchFunc(r.products, number, func(p Product, n uint64) int { return cmp.Compare(p.Number, n) })
	if !ok {
		return Product{}, false
	}
	return r.products[i], true
}

// Keys returns all keys: mint keys by number, then list keys, then receipt keys.
func (r *Ring) Keys() []Key { return slices.Clone(r.keys) }

// MintKeys returns the mint keys, by number.
func (r *Ring) MintKeys() []Key {
	var mint []Key
	for _, k := range r.keys {
		if k.role == Mint {
			mint = append(mint, k)
		}
	}
	return mint
}

// MintKey returns the mint key with the given number, and whether there is one.
func (r *Ring) MintKey(number int) (Key, bool) {
	for _, k := range r.keys {
		if k.role == Mint && k.Number() == number {
			return k, true
		}
	}
	return Key{}, false
}

// HasSecrets reports whether any key has its secret in the ring.
func (r *Ring) HasSecrets() bool {
	return slices.ContainsFunc(r.keys, func(k Key) bool { return !k.secret.IsZero() })
}

// Replace returns a ring in which each of the given keys takes the place of the
// one with its id, or is added.
func (r *Ring) Replace(keys ...Key) (*Ring, error) {
	all := slices.Clone(r.keys)
	for _, k := range keys {
		if i := slices.IndexFunc(all, func(o Key) bool { return o.id == k.id }); i >= 0 {
			all[i] = k
		} else {
			all = append(all, k)
		}
	}
	return NewRing(r.issuer, r.products, all)
}

// Reader returns the reader of the texts of the ring's mint keys.
func (r *Ring) Reader() *payload.Reader { return r.reader }

// NextNumber returns the number for the next mint key: 8 to 31 first, so that
// codes begin with a letter, then 1 to 7. It reports false when all are taken;
// then the issuer needs a new ring with new prefixes.
func (r *Ring) NextNumber() (int, bool) {
	for i := range payload.MaxKey {
		n := (i+7)%payload.MaxKey + 1
		if _, taken := r.MintKey(n); !taken {
			return n, true
		}
	}
	return 0, false
}
