package keys

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
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
	pool                 sync.Pool // of *macState
}

// macState has the three HMACs of a key in their keyed state, and the memory that
// their input and output need.
type macState struct {
	tag, mask, cover hash.Hash
	in               [payload.MaxPayloadBits / 8]byte
	context          [sha256.Size]byte
	sum              [sha256.Size]byte
	number           [payload.MaxPayloadBits / 8]byte
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
	m := &MAC{payloadBits: d.Layout.Bits(), tagBits: d.SigBits}
	m.pool.New = func() any {
		return &macState{
			tag:   hmac.New(sha256.New, s.derive(d, "tag")),
			mask:  hmac.New(sha256.New, s.derive(d, "mask")),
			cover: hmac.New(sha256.New, s.derive(d, "cover")),
		}
	}
	return m, nil
}

// Seal computes the masked payload and the shown tag. The context is that of the
// binding, nil for none. Masked has the length of the payload, shown that of the
// tag in bytes.
func (m *MAC) Seal(masked, shown, payload, context []byte) {
	st := m.pool.Get().(*macState)
	tag := st.top(st.tag, payload, context, m.tagBits)
	copy(shown, tag)
	subtle.XORBytes(masked, payload, st.top(st.mask, shown, nil, m.payloadBits))
	subtle.XORBytes(shown, shown, st.top(st.cover, masked, nil, m.tagBits))
	m.pool.Put(st)
}

// Open recovers the payload and reports whether the tag is good. The time it
// takes does not depend on how much of the tag is right. The payload is written
// in either case, and means nothing unless the tag is good.
func (m *MAC) Open(payload, masked, shown, context []byte) bool {
	st := m.pool.Get().(*macState)
	tag := st.number[:len(shown)]
	subtle.XORBytes(tag, shown, st.top(st.cover, masked, nil, m.tagBits))
	subtle.XORBytes(payload, masked, st.top(st.mask, tag, nil, m.payloadBits))
	good := subtle.ConstantTimeCompare(tag, st.top(st.tag, payload, context, m.tagBits)) == 1
	m.pool.Put(st)
	return good
}

// top returns top(HMAC(a || b), bits) as bytes, valid until the next call.
func (st *macState) top(h hash.Hash, a, b []byte, bits int) []byte {
	// Copied, so that the caller's slices don't escape to the heap through h.
	h.Reset()
	h.Write(st.in[:copy(st.in[:], a)])
	if len(b) > 0 {
		h.Write(st.context[:copy(st.context[:], b)])
	}
	return topBits(h.Sum(st.sum[:0]), bits)
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
