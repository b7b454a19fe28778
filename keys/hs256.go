package keys

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/licet-dev/licet/payload"
)

// A MAC has the keyed functions of one hs256 key: it seals payloads into the
// masked payload and the shown tag of a code, and opens them again. It is safe
// for concurrent use and allocates nothing per code.
//
// A MAC holds the secret. In a program that customers have, it lets whoever
// extracts it mint codes.
type MAC struct {
	payloadBits, tagBits int
	tag, mask, cover     hmacKey
	pool                 sync.Pool // of *macState
}

// macState is the memory that one call needs: on the stack it would escape to the
// heap through the hash.
type macState struct {
	hmac               *hmacHash
	plain, masked, tag [payload.MaxPayloadBits / 8]byte
	context            [sha256.Size]byte
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
	m := &MAC{
		payloadBits: d.Layout.Bits(), tagBits: d.SigBits,
		tag: newHMACKey(s.derive(d, "tag")), mask: newHMACKey(s.derive(d, "mask")), cover: newHMACKey(s.derive(d, "cover")),
	}
	m.pool.New = func() any { return &macState{hmac: newHMACHash()} }
	return m, nil
}

// Seal computes the masked payload and the shown tag. The context is that of the
// binding, nil for none. Masked has the length of the payload, shown that of the
// tag in bytes.
func (m *MAC) Seal(masked, shown, payload, context []byte) {
	st := m.pool.Get().(*macState)
	plain, hidden, tag := st.plain[:len(payload)], st.masked[:len(payload)], st.tag[:len(shown)]
	copy(plain, payload)
	copy(tag, st.top(&m.tag, plain, context, m.tagBits))
	subtle.XORBytes(hidden, plain, st.top(&m.mask, tag, nil, m.payloadBits))
	subtle.XORBytes(shown, tag, st.top(&m.cover, hidden, nil, m.tagBits))
	copy(masked, hidden)
	m.pool.Put(st)
}

// Open recovers the payload and reports whether the tag is good. The time it
// takes does not depend on how much of the tag is right. The payload is written
// in either case, and means nothing unless the tag is good.
func (m *MAC) Open(payload, masked, shown, context []byte) bool {
	st := m.pool.Get().(*macState)
	plain, hidden, tag := st.plain[:len(masked)], st.masked[:len(masked)], st.tag[:len(shown)]
	copy(hidden, masked)
	subtle.XORBytes(tag, shown, st.top(&m.cover, hidden, nil, m.tagBits))
	subtle.XORBytes(plain, hidden, st.top(&m.mask, tag, nil, m.payloadBits))
	good := subtle.ConstantTimeCompare(tag, st.top(&m.tag, plain, context, m.tagBits)) == 1
	copy(payload, plain)
	m.pool.Put(st)
	return good
}

// top returns top(HMAC(a || context), bits) as bytes, valid until the next call.
// a is memory of st.
func (st *macState) top(k *hmacKey, a, context []byte, bits int) []byte {
	return topBits(st.hmac.of(k, a, st.context[:copy(st.context[:], context)]), bits)
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
func (m *MAC) Format(f fmt.State, _ rune) { f.Write([]byte(redacted)) }
