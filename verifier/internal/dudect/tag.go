package main

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"hash"

	"github.com/licet-dev/licet/keys"
)

// The standard layout: payloads of 60 bits in 8 bytes, tags of 80 bits.
const (
	descriptor   = "licet/v1 hs256 key=8 prefix= layout=product:9,version:8,expiry:15,serial:28 bind=none sig=80"
	payloadBits  = 60
	payloadBytes = 8
	tagBytes     = 10
)

// A forger has the keyed functions of a key, as SPEC.md has them in sections 1 and 6.
// With the secret it can do what package keys does not: carry a tag that is almost right.
type forger struct {
	tagKey, maskKey, coverKey hash.Hash
	sum, number               []byte
}

func newForger(secret []byte) *forger {
	keyed := func(use string) hash.Hash {
		k, err := hkdf.Key(sha256.New, secret, nil, descriptor+"\x00"+use+"\x00", sha256.Size)
		if err != nil {
			panic(err) // only for more than 255 sums
		}
		return hmac.New(sha256.New, k)
	}
	return &forger{
		tagKey: keyed("tag"), maskKey: keyed("mask"), coverKey: keyed("cover"),
		sum: make([]byte, 0, sha256.Size), number: make([]byte, payloadBytes),
	}
}

// hmac returns an HMAC that is valid until the next call.
func (f *forger) hmac(h hash.Hash, message []byte) []byte {
	h.Reset()
	h.Write(message)
	return h.Sum(f.sum)
}

func (f *forger) hmacOfNumber(h hash.Hash, n uint64) []byte {
	binary.BigEndian.PutUint64(f.number, n)
	return f.hmac(h, f.number)
}

// tag sets t to the tag of a payload.
func (f *forger) tag(t *[tagBytes]byte, payload uint64) {
	copy(t[:], f.hmacOfNumber(f.tagKey, payload))
}

// mask masks a payload, and unmasks it, with its tag.
func (f *forger) mask(payload uint64, t *[tagBytes]byte) uint64 {
	return payload ^ binary.BigEndian.Uint64(f.hmac(f.maskKey, t[:]))>>(8*payloadBytes-payloadBits)
}

// cover covers a tag, and uncovers it, with its masked payload.
func (f *forger) cover(t *[tagBytes]byte, masked uint64) {
	subtle.XORBytes(t[:], t[:], f.hmacOfNumber(f.coverKey, masked)[:tagBytes])
}

// A sealed licence is the two parts of a code that depend on the secret.
type sealed struct {
	masked [payloadBytes]byte
	shown  [tagBytes]byte
}

// seal seals a payload with a tag from which some bits are flipped. Everything else is
// computed for the tag that is carried, so that opening leads to this payload.
func (f *forger) seal(s *sealed, payload uint64, flip *[tagBytes]byte) {
	f.tag(&s.shown, payload)
	subtle.XORBytes(s.shown[:], s.shown[:], flip[:])
	masked := f.mask(payload, &s.shown)
	f.cover(&s.shown, masked)
	binary.BigEndian.PutUint64(s.masked[:], masked)
}

// flips are the bits that are wrong in the tags of each class: the first and the last.
var flips = [2][tagBytes]byte{{0: 0x80}, {tagBytes - 1: 0x01}}

// leakyOpen is what [keys.MAC.Open] must not be: it stops at the first wrong byte.
func (f *forger) leakyOpen(s *sealed) bool {
	masked, carried := binary.BigEndian.Uint64(s.masked[:]), s.shown
	f.cover(&carried, masked)
	var right [tagBytes]byte
	f.tag(&right, f.mask(masked, &carried))
	for i := range right {
		if right[i] != carried[i] {
			return false
		}
	}
	return true
}

func tagExperiments(r *random) []*experiment {
	secret := keys.GenerateSecret()
	raw := secret.Reveal()
	d, err := keys.ParseDescriptor(descriptor)
	if err != nil {
		panic(err)
	}
	mac, err := keys.NewMAC(d, secret)
	if err != nil {
		panic(err)
	}
	const calls = 2
	f := newForger(raw[:])
	forgeries := make([]sealed, batch*calls)
	fill := func(i, class int) { f.seal(&forgeries[i], r.bits(payloadBits), &flips[class]) }
	classes := [2]string{"first bit wrong", "last bit wrong"}
	var payload [payloadBytes]byte
	return []*experiment{
		{
			name: "tag", classes: classes, calls: calls, random: r, fill: fill,
			run: func(a, b int) (good int) {
				for i := a; i < b; i++ {
					if s := &forgeries[i]; mac.Open(payload[:], s.masked[:], s.shown[:], nil) {
						good++
					}
				}
				return good
			},
		},
		{
			name: "leaky-tag", classes: classes, control: true, calls: calls, random: r, fill: fill,
			run: func(a, b int) (good int) {
				for i := a; i < b; i++ {
					if f.leakyOpen(&forgeries[i]) {
						good++
					}
				}
				return good
			},
		},
	}
}
