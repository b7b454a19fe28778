package manifest

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/note"
	"github.com/licet-dev/licet/payload"
)

// Sign returns the manifest as a note, signed with a list key. The same manifest
// and key give the same bytes. It refuses what [Manifest.Marshal] refuses.
//
// It knows no ring: use [Manifest.CheckRing] first, and see to it that the key is
// active.
func Sign(m Manifest, key keys.PrivateKey) ([]byte, error) {
	text, err := m.Marshal()
	if err != nil {
		return nil, err
	}
	return note.Sign(text, key)
}

// Open reads a signed manifest of the issuer of the ring. What is wrong with the
// signature is told by a [*note.Error], what is wrong with the manifest by an
// [*Error]. A manifest is handed out only when a list key of the ring signed it
// and [Manifest.CheckRing] finds nothing wrong.
func Open(data []byte, ring *keys.Ring) (Manifest, error) {
	if len(data) >= MaxSize {
		return Manifest{}, newError(Malformed, "", "%d bytes; a manifest has less than %d", len(data), MaxSize)
	}
	text, _, err := note.Open(data, ring)
	if err != nil {
		return Manifest{}, err
	}
	m, err := Parse(text)
	if err != nil {
		return Manifest{}, err
	}
	if err := m.CheckRing(ring); err != nil {
		return Manifest{}, err
	}
	return m, nil
}

// CheckRing reports whether a manifest can be of this ring: the issuer is the
// ring's, the ring has the mint key, the layout of the key has the fields and
// holds the numbers, and the key binds its codes where there is a binding. The
// error is an [*Error].
//
// It does not ask whether the key is withdrawn or may still mint the product: that
// a batch was made stays true.
func (m Manifest) CheckRing(ring *keys.Ring) error {
	if m.Issuer != ring.Issuer() {
		return newError(OtherIssuer, "issuer", "it is of the issuer %q; the ring is of %q", m.Issuer, ring.Issuer())
	}
	for _, k := range ring.MintKeys() {
		if k.ID() == m.KeyID {
			if err := m.checkKey(k); err != nil {
				return err
			}
			return nil
		}
	}
	return newError(UnknownKey, "key-id", "mint key %d (%s) is not in the ring; the ring may be older than the key", m.KeyNumber, m.KeyID)
}

func (m *Manifest) checkKey(k keys.Key) *Error {
	mismatch := func(field, format string, args ...any) *Error {
		return newError(KeyMismatch, field, "%s: key %d (%s) %s", field, k.Number(), k.ID(), fmt.Sprintf(format, args...))
	}
	if m.KeyNumber != k.Number() {
		return mismatch("key-number", "does not have the number %d", m.KeyNumber)
	}
	var version, expiry uint64
	if m.Version != nil {
		version = *m.Version
	}
	if m.Expiry != payload.Never {
		expiry = uint64(max(m.Expiry, 0))
	}
	type fact struct {
		line, field string
		there       bool
		value       uint64
	}
	facts := []fact{
		{"product", "product", true, m.Product},
		{"version", "version", m.Version != nil, version},
		{"expiry", "expiry", m.Expiry != 0, expiry},
		{"last-serial", "serial", true, m.Last},
	}
	if m.Start != 0 {
		facts = append(facts, fact{"start", "start", true, uint64(max(m.Start, 0))})
	}
	for _, name := range slices.Sorted(maps.Keys(m.Fields)) {
		facts = append(facts, fact{"field", name, true, m.Fields[name]})
	}
	for _, f := range facts {
		field, has := k.Layout().Field(f.field)
		switch {
		case has && !f.there:
			return mismatch(f.line, "has the field %s in its layout, but the manifest does not state it", f.field)
		case !has && f.there:
			return mismatch(f.line, "has no field %s in its layout, but the manifest states it", f.field)
		case has && f.value > field.Max():
			return mismatch(f.line, "has %d bits for the field %s; %d is the largest value, and the manifest has %d", field.Bits, f.field, field.Max(), f.value)
		}
	}
	switch bind, bound := k.Descriptor().Bind, m.Binding != [sha256.Size]byte{}; {
	case bind == keys.BindNone && bound:
		return mismatch("binding", "binds its codes to nothing, but the manifest states a binding")
	case bind != keys.BindNone && !bound:
		return mismatch("binding", "binds its codes to a %s, but the manifest does not state the binding", bind)
	}
	return nil
}
