package keys

import (
	"crypto/sha256"
	"encoding"
	"hash"
)

// An hmacKey is a key of HMAC-SHA-256 (RFC 2104) ready for use: the states of
// SHA-256 after the padded key. Package crypto/hmac keeps them too, but spends a
// twelfth more on messages as short as those of a code.
type hmacKey struct{ inner, outer []byte }

// newHMACKey prepares the key k, of at most 64 bytes.
func newHMACKey(k []byte) hmacKey { return hmacKey{paddedState(k, 0x36), paddedState(k, 0x5c)} }

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

// An hmacHash computes HMACs one after the other.
type hmacHash struct {
	hash interface {
		hash.Hash
		encoding.BinaryUnmarshaler
	}
	sum [sha256.Size]byte
}

func newHMACHash() *hmacHash {
	h := new(hmacHash)
	h.hash = sha256.New().(interface {
		hash.Hash
		encoding.BinaryUnmarshaler
	})
	return h
}

// of returns the HMAC of a || b, valid until the next call. The arguments escape.
func (h *hmacHash) of(k *hmacKey, a, b []byte) []byte {
	h.restore(k.inner)
	h.hash.Write(a)
	if len(b) > 0 {
		h.hash.Write(b)
	}
	inner := h.hash.Sum(h.sum[:0])
	h.restore(k.outer)
	h.hash.Write(inner)
	return h.hash.Sum(h.sum[:0])
}

func (h *hmacHash) restore(state []byte) {
	if err := h.hash.UnmarshalBinary(state); err != nil {
		panic(err) // the state is one that crypto/sha256 wrote
	}
}
