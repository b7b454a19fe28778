package main

import (
	"bytes"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"testing"

	"github.com/licet-dev/licet/keys"
)

func newMAC(t *testing.T, secret []byte) *keys.MAC {
	t.Helper()
	d, err := keys.ParseDescriptor(descriptor)
	if err != nil {
		t.Fatal(err)
	}
	if d.Layout.Bits() != payloadBits || d.SigBits != 8*tagBytes {
		t.Fatalf("the layout has %d bits, the tag %d", d.Layout.Bits(), d.SigBits)
	}
	s, err := keys.NewSecret(secret)
	if err != nil {
		t.Fatal(err)
	}
	mac, err := keys.NewMAC(d, s)
	if err != nil {
		t.Fatal(err)
	}
	return mac
}

// uncover returns the tag that a code carries.
func uncover(t *testing.T, secret, masked, shown []byte) []byte {
	t.Helper()
	k, err := hkdf.Key(sha256.New, secret, nil, descriptor+"\x00cover\x00", sha256.Size)
	if err != nil {
		t.Fatal(err)
	}
	h := hmac.New(sha256.New, k)
	h.Write(masked)
	tag := bytes.Clone(shown)
	for i, b := range h.Sum(nil)[:len(tag)] {
		tag[i] ^= b
	}
	return tag
}

// Without a flipped bit the forger makes what the key makes; with one, the key opens
// the payload that was sealed, and refuses it, as the tag is wrong in this bit and
// nowhere else.
func TestForgeries(t *testing.T) {
	secret := bytes.Repeat([]byte{0x5a}, 32)
	mac, f, r := newMAC(t, secret), newForger(secret), newRandom()
	for range 200 {
		number := r.bits(payloadBits)
		payload := binary.BigEndian.AppendUint64(nil, number)

		var genuine sealed
		f.seal(&genuine, number, new([tagBytes]byte))
		var masked [payloadBytes]byte
		var shown [tagBytes]byte
		mac.Seal(masked[:], shown[:], payload, nil)
		if masked != genuine.masked || shown != genuine.shown {
			t.Fatalf("payload %x: sealed as %x %x, want %x %x", payload, genuine.masked, genuine.shown, masked, shown)
		}
		right := uncover(t, secret, masked[:], shown[:])

		for class, want := range [2]string{"80000000000000000000", "00000000000000000001"} {
			var s sealed
			f.seal(&s, number, &flips[class])
			opened := make([]byte, payloadBytes)
			if mac.Open(opened, s.masked[:], s.shown[:], nil) {
				t.Fatalf("class %d: payload %x: the forgery is good", class, payload)
			}
			if !bytes.Equal(opened, payload) {
				t.Fatalf("class %d: opened %x, want %x", class, opened, payload)
			}
			wrong := uncover(t, secret, s.masked[:], s.shown[:])
			for i := range wrong {
				wrong[i] ^= right[i]
			}
			if got := hex.EncodeToString(wrong); got != want {
				t.Fatalf("class %d: the tag is wrong by %s, want %s", class, got, want)
			}
			if f.leakyOpen(&s) {
				t.Fatalf("class %d: the control takes the forgery", class)
			}
		}
		if !mac.Open(payload, genuine.masked[:], genuine.shown[:], nil) || !f.leakyOpen(&genuine) {
			t.Fatalf("payload %x: refused", payload)
		}
	}
}
