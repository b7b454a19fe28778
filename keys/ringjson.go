package keys

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"unicode/utf8"
)

const ringFormat = "licet-ring/v1"

// MaxRingSize is the length in bytes of the longest text of a ring: 1 MiB (SPEC.md,
// section 9.1).
const MaxRingSize = 1 << 20

// ringFile is ring.json, its members in the order in which they are written.
type ringFile struct {
	Format   string        `json:"format"`
	Issuer   string        `json:"issuer"`
	Secret   bool          `json:"secret"`
	Products []productFile `json:"products"`
	Keys     []keyFile     `json:"keys"`
}

type productFile struct {
	Number uint64 `json:"number"`
	Name   string `json:"name"`
}

type keyFile struct {
	Role       Role     `json:"role"`
	ID         string   `json:"id"`
	State      State    `json:"state"`
	Descriptor *string  `json:"descriptor,omitempty"` // nil where there is no such member
	Products   []uint64 `json:"products,omitempty"`
	Public     *string  `json:"public,omitempty"`
	Secret     *string  `json:"secret,omitempty"`
}

// Marshal returns the ring as the text of ring.json. Where a key has its secret,
// the text has it too, in the clear: keep that file from others. It is an error when
// the text would be longer than [MaxRingSize].
func (r *Ring) Marshal() ([]byte, error) {
	f := ringFile{Format: ringFormat, Issuer: r.issuer, Secret: r.HasSecrets(), Products: []productFile{}, Keys: []keyFile{}}
	for _, p := range r.products {
		f.Products = append(f.Products, productFile(p))
	}
	for _, k := range r.keys {
		kf := keyFile{Role: k.role, ID: k.id.String(), State: k.state, Products: k.products}
		if k.role == Mint {
			kf.Descriptor = new(k.descriptor.String())
		}
		if !k.public.IsZero() {
			kf.Public = new(k.public.String())
		}
		if !k.secret.IsZero() {
			b := k.secret.Reveal()
			kf.Secret = new(hex.EncodeToString(b[:]))
		}
		f.Keys = append(f.Keys, kf)
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(f); err != nil {
		return nil, err
	}
	if buf.Len() > MaxRingSize {
		return nil, ringError(ProblemSyntax, "it would have %d bytes, and at most %d are read: leave out products", buf.Len(), MaxRingSize)
	}
	return buf.Bytes(), nil
}

// ParseRing reads the text of ring.json. It is strict: unknown, repeated or
// differently-cased members, null, and anything after the object are refused, and
// ids that can be computed are compared. Every error is a [RingError].
func ParseRing(text []byte) (*Ring, error) {
	if err := checkRingText(text); err != nil {
		return nil, err
	}
	var f ringFile
	dec := json.NewDecoder(bytes.NewReader(text))
	err := object(dec, "", members{
		"format": &f.Format, "issuer": &f.Issuer, "secret": &f.Secret,
		"products": list(&f.Products, func(p *productFile) members {
			return members{"number": &p.Number, "name": &p.Name}
		}),
		"keys": list(&f.Keys, keyFileMembers),
	}, "format", "issuer", "secret", "products", "keys")
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, ringError(ProblemTrailingData, "text after the end of the object")
	}
	return f.ring()
}

func checkRingText(text []byte) error {
	switch {
	case len(text) > MaxRingSize:
		return ringError(ProblemSyntax, "%d bytes, at most %d are read", len(text), MaxRingSize)
	case bytes.HasPrefix(text, []byte("\xef\xbb\xbf")):
		return ringError(ProblemSyntax, "begins with a byte order mark; save it as UTF-8 without one")
	case !utf8.Valid(text):
		return ringError(ProblemSyntax, "not UTF-8 text; a shell redirection may have written UTF-16, use -o instead")
	}
	return nil
}

func keyFileMembers(k *keyFile) members {
	return members{
		"role": &k.Role, "id": &k.ID, "state": &k.State, "descriptor": &k.Descriptor,
		"products": &k.Products, "public": &k.Public, "secret": &k.Secret,
	}
}

func (f ringFile) ring() (*Ring, error) {
	if f.Format != ringFormat {
		return nil, ringError(ProblemFormat, "format %q: this version reads %s", f.Format, ringFormat)
	}
	var products []Product
	for _, p := range f.Products {
		products = append(products, Product(p))
	}
	var keys []Key
	for i, kf := range f.Keys {
		if kf.Secret != nil && !f.Secret {
			return nil, ringError(ProblemSecretInPublic, "key %s has a secret, but the ring says \"secret\": false", kf.ID)
		}
		k, err := kf.key()
		if err != nil {
			var re *RingError
			if errors.As(err, &re) {
				return nil, ringError(re.Problem, "keys[%d]: %s", i, re.Message)
			}
			return nil, err
		}
		keys = append(keys, k)
	}
	return NewRing(f.Issuer, products, keys)
}

func (kf keyFile) key() (Key, error) {
	k := Key{role: kf.Role, state: kf.State}
	var err error
	if !slices.Contains([]Role{Mint, List, Receipt}, k.role) {
		return k, ringError(ProblemRole, "role %q: want mint, list or receipt", kf.Role)
	}
	if !slices.Contains([]State{Active, Closed, Withdrawn}, k.state) {
		return k, ringError(ProblemState, "state %q: want active, closed or withdrawn", kf.State)
	}
	if k.id, err = ParseID(kf.ID); err != nil {
		return k, ringError(ProblemIDMismatch, "%v", err)
	}
	if k.role == Mint {
		if k.descriptor, err = ParseDescriptor(textOf(kf.Descriptor)); err != nil {
			return k, ringError(ProblemDescriptor, "%v", err)
		}
		if k, err = k.WithProducts(kf.Products...); err != nil {
			return k, err
		}
	} else if kf.Descriptor != nil || kf.Products != nil {
		return k, ringError(ProblemRole, "a %s key has no descriptor and no products", k.role)
	}
	if k.Suite() == ES256 {
		err = kf.attachPublic(&k)
	} else {
		err = kf.attachSecret(&k)
	}
	return k, err
}

// textOf returns the text of a member, "" where there is none.
func textOf(member *string) string {
	if member == nil {
		return ""
	}
	return *member
}

func (kf keyFile) attachPublic(k *Key) error {
	if kf.Secret != nil {
		return ringError(ProblemSecret, "an es256 key never has its secret in a ring")
	}
	var err error
	if k.public, err = ParsePublicKey(textOf(kf.Public)); err != nil {
		return ringError(ProblemPublicKey, "%v", err)
	}
	computed := k.public.RoleID(k.role)
	if k.role == Mint {
		computed = k.public.ID(k.descriptor)
	}
	if computed != k.id {
		return ringError(ProblemIDMismatch, "id %s, but the key and its descriptor give %s: the ring was edited", k.id, computed)
	}
	return nil
}

func (kf keyFile) attachSecret(k *Key) error {
	if kf.Public != nil {
		return ringError(ProblemPublicKey, "an hs256 key has no public key")
	}
	if kf.Secret == nil {
		return nil
	}
	b, err := hex.DecodeString(*kf.Secret)
	if err != nil || hex.EncodeToString(b) != *kf.Secret {
		return ringError(ProblemSecret, "secret: want 64 lower-case hexadecimal digits")
	}
	if k.secret, err = NewSecret(b); err != nil {
		return ringError(ProblemSecret, "%v", err)
	}
	if computed := k.secret.ID(k.descriptor); computed != k.id {
		return ringError(ProblemIDMismatch, "id %s, but the secret and the descriptor give %s: the ring was edited", k.id, computed)
	}
	return nil
}
