package keys

import (
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/licet-dev/licet/payload"
)

// A MAC has the keyed functions of one hs256 key: it seals payloads into the
// masked payload and the shown tag of a code, and opens them again. It is safe
// for concurrent use and allocates nothing per code.
//
// A MAC holds the secret. In a program that customers have, it lets whoever
// extracts it mint codes.
type MAC struct {
	_                    [0]func() // not comparable: == would take a time that depends on the secret
	payloadBits, tagBits int
	tag, mask, cover     *hmacKey // pointers, so that no print of a struct around a MAC reaches them
}

// NewMAC returns the keyed functions of the hs256 key with this descriptor.
func NewMAC(d Descriptor, s Secret) (*MAC, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	if d.Suite != HS256 {
		return nil, fmt.Errorf("key %d is of suite %s; a secret belongs to %s", d.Number, d.Suite, HS256)
	}
	if s.IsZero() {
		return nil, errors.New("no secret given")
	}
	return &MAC{
		payloadBits: d.Layout.Bits(), tagBits: d.SigBits,
		tag: newHMACKey(s.derive(d, "tag")), mask: newHMACKey(s.derive(d, "mask")), cover: newHMACKey(s.derive(d, "cover")),
	}, nil
}

// Seal computes the masked payload and the shown tag. The context is that of the
// binding, nil for none. Masked has the length of the payload, shown that of the
// tag in bytes.
func (m *MAC) Seal(masked, shown, payload, context []byte) {
	h := hmacHashes.Get().(*hmacHash)
	copy(shown, topBits(h.of(m.tag, payload, context), m.tagBits))
	subtle.XORBytes(masked, payload, topBits(h.of(m.mask, shown, nil), m.payloadBits))
	subtle.XORBytes(shown, shown, topBits(h.of(m.cover, masked, nil), m.tagBits))
	hmacHashes.Put(h)
}

// Open recovers the payload and reports whether the tag is good. The time it
// takes does not depend on how much of the tag is right. The payload is written
// in either case, and means nothing unless the tag is good.
func (m *MAC) Open(payload, masked, shown, context []byte) bool {
	h := hmacHashes.Get().(*hmacHash)
	var buf [maxTagBits / 8]byte
	tag := buf[:len(shown)]
	subtle.XORBytes(tag, shown, topBits(h.of(m.cover, masked, nil), m.tagBits))
	subtle.XORBytes(payload, masked, topBits(h.of(m.mask, tag, nil), m.payloadBits))
	good := subtle.ConstantTimeCompare(tag, topBits(h.of(m.tag, payload, context), m.tagBits)) == 1
	hmacHashes.Put(h)
	return good
}

// topBits returns the number of the first bits of b, big-endian; it works in
// place.
func topBits(b []byte, bits int) []byte {
	n := payload.ByteCount(bits)
	shift := 8*n - bits
	if shift == 0 {
		return b[:n]
	}
	if n == 8 { // the usual payloads are of this length
		binary.BigEndian.PutUint64(b, binary.BigEndian.Uint64(b)>>shift)
		return b[:n]
	}
	for i := n - 1; i > 0; i-- {
		b[i] = b[i]>>shift | b[i-1]<<(8-shift)
	}
	b[0] >>= shift
	return b[:n]
}

// Format writes a placeholder, whatever the verb.
func (m MAC) Format(f fmt.State, _ rune) { f.Write([]byte(redacted)) }
