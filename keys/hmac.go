package keys

import (
	"bytes"
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"hash"
	"sync"
)

// HMAC-SHA-256 (RFC 2104) for the short messages of a code. Three of them are most
// of what a code costs, and crypto/hmac spends two thirds of its time around the
// hashing: it buffers, copies and pads. Here one block, with the padding in it, is
// hashed after a state that is kept with the key.

// An hmacKey is a key: the states of SHA-256, as crypto/sha256 writes them, after
// the padded key.
type hmacKey struct{ inner, outer []byte }

// newHMACKey prepares the key k, of at most 64 bytes.
func newHMACKey(k []byte) *hmacKey { return &hmacKey{paddedState(k, 0x36), paddedState(k, 0x5c)} }

func paddedState(k []byte, pad byte) []byte {
	var block [sha256.BlockSize]byte
	copy(block[:], k)
	for i := range block {
		block[i] ^= pad
	}
	h := sha256.New()
	h.Write(block[:])
	state, err := h.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		panic(err) // there is no such error in crypto/sha256
	}
	return state
}

// maxHMAC is the length in bytes of the longest message: its block has to hold the
// padding too.
const maxHMAC = sha256.BlockSize - 9

// An hmacHash computes HMACs, one after the other.
type hmacHash struct {
	hash interface {
		hash.Hash
		encoding.BinaryAppender
		encoding.BinaryUnmarshaler
	}
	inner block
	outer block // of the inner sum, so that its padding always stands

	// The state that is read, which takes 108 bytes. With it inside, hashes that
	// several processors use have no cache line in common.
	out [112]byte
}

// A block is the last one of a hash: the end of what is hashed, and the padding.
type block [sha256.BlockSize]byte

// pad pads a block of n bytes after another block as FIPS 180-4 says, section 5.1.1.
// It must be zero from there on.
func (b *block) pad(n int) {
	b[n] = 0x80
	binary.BigEndian.PutUint64(b[maxHMAC+1:], 8*uint64(sha256.BlockSize+n))
}

// hmacHashes has hashes that are not in use, so that a code allocates nothing.
var hmacHashes = sync.Pool{New: func() any { return newHMACHash() }}

func newHMACHash() *hmacHash {
	h := new(hmacHash)
	h.hash = sha256.New().(interface {
		hash.Hash
		encoding.BinaryAppender
		encoding.BinaryUnmarshaler
	})
	h.outer.pad(sha256.Size)
	return h
}

// of returns the HMAC of a || b, of at most maxHMAC bytes. It is valid until the
// next call.
func (h *hmacHash) of(k *hmacKey, a, b []byte) []byte {
	h.inner = block{}
	n := copy(h.inner[:maxHMAC], a)
	if len(b) > 0 {
		n += copy(h.inner[n:maxHMAC], b)
	}
	if !stateReadable {
		copy(h.outer[:], h.plainSum(k.inner, h.inner[:n]))
		return h.plainSum(k.outer, h.outer[:sha256.Size])
	}
	h.inner.pad(n)
	h.restore(k.inner)
	inner := h.sum(&h.inner)
	h.restore(k.outer)
	*(*[sha256.Size]byte)(h.outer[:]) = [sha256.Size]byte(inner)
	return h.sum(&h.outer)
}

// sum returns the SHA-256 of the block that led to the state of the hash and of a
// padded one. It reads the sum off the state that the hash then has.
func (h *hmacHash) sum(last *block) []byte {
	h.hash.Write(last[:])
	out, _ := h.hash.AppendBinary(h.out[:0]) // there is no error in crypto/sha256
	return out[stateMagic:][:sha256.Size]
}

// plainSum is sum without knowledge of what a state looks like.
func (h *hmacHash) plainSum(state, end []byte) []byte {
	h.restore(state)
	h.hash.Write(end)
	return h.hash.Sum(h.out[:0])
}

func (h *hmacHash) restore(state []byte) {
	if err := h.hash.UnmarshalBinary(state); err != nil {
		panic(err) // the state is one that crypto/sha256 wrote
	}
}

// stateMagic is how many bytes come before the sum in a state of crypto/sha256.
const stateMagic = 4

// stateReadable tells whether a state has the sum where it has had it since Go
// 1.10. Nothing promises that, so it is tried out; codes are right in either case.
var stateReadable = func() bool {
	k, h := newHMACKey([]byte("key")), newHMACHash()
	h.inner.pad(copy(h.inner[:], "message"))
	h.restore(k.inner)
	sum := h.sum(&h.inner)
	plain := sha256.New()
	if err := plain.(encoding.BinaryUnmarshaler).UnmarshalBinary(k.inner); err != nil {
		return false
	}
	plain.Write([]byte("message"))
	return bytes.Equal(sum, plain.Sum(nil))
}()
