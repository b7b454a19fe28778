package keys

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"testing"
)

// TestHMAC holds the HMACs of codes to those of crypto/hmac: keys and messages of
// every length, the message in one piece and in two, with knowledge of the state of a
// hash and without.
func TestHMAC(t *testing.T) {
	if !stateReadable {
		t.Error("the state of crypto/sha256 is not what it was: codes are right, but slow")
	}
	defer func(was bool) { stateReadable = was }(stateReadable)
	text := bytes.Repeat([]byte("licet/v1 \x00\x80\xff"), 8)
	h := newHMACHash() // one for all: nothing of a message may be left for the next
	for _, stateReadable = range []bool{true, false} {
		for keyLen := range sha256.BlockSize + 1 {
			key := newHMACKey(text[:keyLen])
			for n := maxHMAC; n >= 0; n-- {
				message := text[3 : 3+n]
				plain := hmac.New(sha256.New, text[:keyLen])
				plain.Write(message)
				want := plain.Sum(nil)
				for _, cut := range []int{0, n / 2, n} {
					if got := h.of(key, message[:cut], message[cut:]); !bytes.Equal(got, want) {
						t.Fatalf("state readable: %t, key of %d bytes, message of %d + %d bytes: %x, want %x", stateReadable, keyLen, cut, n-cut, got, want)
					}
				}
			}
		}
	}
}
