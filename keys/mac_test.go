package keys_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/big"
	"sync"
	"testing"

	"github.com/licet-dev/licet/keys"
)

// The functions below are the formulas of SPEC.md, sections 1 and 6, once more,
// with big integers and HKDF written out. They share no code with the package.

func plainHMAC(key []byte, message ...[]byte) []byte {
	h := hmac.New(sha256.New, key)
	for _, m := range message {
		h.Write(m)
	}
	return h.Sum(nil)
}

func plainLabel(descriptor, x string) []byte {
	return []byte(descriptor + "\x00" + x + "\x00")
}

// plainHKDF is RFC 5869 with an empty salt and one block of output.
func plainHKDF(secret []byte, descriptor, x string) []byte {
	extracted := plainHMAC(make([]byte, sha256.Size), secret)
	return plainHMAC(extracted, plainLabel(descriptor, x), []byte{1})
}

func plainBytes(v *big.Int, bits int) []byte { return v.FillBytes(make([]byte, (bits+7)/8)) }

// plainTop is top(D,b) for at most 256 bits.
func plainTop(d []byte, bits int) *big.Int {
	return new(big.Int).Rsh(new(big.Int).SetBytes(d), uint(256-bits))
}

func xor(a, b *big.Int) *big.Int { return new(big.Int).Xor(a, b) }

// plainHS256 returns the masked payload and the shown tag.
func plainHS256(secret []byte, descriptor string, payload *big.Int, p, t int, context []byte) (masked, shown *big.Int) {
	tag := plainTop(plainHMAC(plainHKDF(secret, descriptor, "tag"), plainBytes(payload, p), context), t)
	masked = xor(payload, plainTop(plainHMAC(plainHKDF(secret, descriptor, "mask"), plainBytes(tag, t)), p))
	shown = xor(tag, plainTop(plainHMAC(plainHKDF(secret, descriptor, "cover"), plainBytes(masked, p)), t))
	return masked, shown
}

func TestPlainHKDFOfTheReferenceKey(t *testing.T) {
	for use, want := range map[string]string{
		"tag":   "bb5dac414b4b5ec65d616b048b524bbda420b4ce29b6793866ab185a2c871723",
		"mask":  "d2ab1b2b8a3e31a9c142f4f3b02cc9a352fccb74160493602b2a7757dcdca2fe",
		"cover": "ef470b5b7605d6e907310fb1251b478896127742322549f46e480c2357170c14",
	} {
		if got := hex.EncodeToString(plainHKDF(unhex(t, hsSecret), hsDescriptor, use)); got != want {
			t.Errorf("hkdf %s is %s, want %s", use, got, want)
		}
	}
	if got := hex.EncodeToString(plainHKDF(unhex(t, hsSecret), hsDescriptor, "id")[:8]); got != hsID {
		t.Errorf("id %s, want %s", got, hsID)
	}
}

// SPEC.md, section 10.1.
func TestMACOfTheReferenceCode(t *testing.T) {
	m := must[*keys.MAC](t)(keys.NewMAC(descriptor(t, hsDescriptor), secret(t, hsSecret)))
	masked, shown, payload := make([]byte, 8), make([]byte, 10), unhex(t, "00381844600003e8")
	m.Seal(masked, shown, payload, nil)
	if fmt.Sprintf("%x %x", masked, shown) != "07c3beb33243b78f 0dbf071d843d7047ee2c" {
		t.Errorf("masked %x, shown %x", masked, shown)
	}
	opened := make([]byte, 8)
	if !m.Open(opened, masked, shown, nil) || !bytes.Equal(opened, payload) {
		t.Errorf("opened %x", opened)
	}
}

// layoutOf returns a layout of p bits.
func layoutOf(p int) string {
	text := "product:7,serial:8"
	for i := 15; i < p; {
		w := min(p-i, 53)
		text += fmt.Sprintf(",f%d:%d", i, w)
		i += w
	}
	return text
}

func TestMACAgainstPlainComputation(t *testing.T) {
	r := newRand(1)
	for _, tagBits := range []int{35, 40, 55, 80, 160} {
		for p := 15; p <= 160; p += 5 {
			text := fmt.Sprintf("licet/v1 hs256 key=%d prefix= layout=%s bind=none sig=%d", 1+r.IntN(31), layoutOf(p), tagBits)
			raw := randomBytes(r, 32)
			m := must[*keys.MAC](t)(keys.NewMAC(descriptor(t, text), must[keys.Secret](t)(keys.NewSecret(raw))))
			all := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(p)), big.NewInt(1))
			for i := range 4 {
				v := new(big.Int).And(new(big.Int).SetBytes(randomBytes(r, 20)), all)
				var context []byte
				switch i {
				case 0:
					v = all
				case 1:
					v = new(big.Int)
				case 2:
					context = randomBytes(r, 32)
				}
				wantMasked, wantShown := plainHS256(raw, text, v, p, tagBits, context)
				payload := plainBytes(v, p)
				before := bytes.Clone(payload)
				masked, shown := make([]byte, len(payload)), make([]byte, (tagBits+7)/8)
				m.Seal(masked, shown, payload, context)
				if !bytes.Equal(masked, plainBytes(wantMasked, p)) || !bytes.Equal(shown, plainBytes(wantShown, tagBits)) {
					t.Fatalf("P = %d, t = %d: %x %x, want %x %x", p, tagBits, masked, shown, wantMasked, wantShown)
				}
				if !bytes.Equal(payload, before) {
					t.Fatalf("P = %d, t = %d: Seal changed the payload", p, tagBits)
				}
				opened := make([]byte, len(payload))
				if !m.Open(opened, masked, shown, context) || !bytes.Equal(opened, payload) {
					t.Fatalf("P = %d, t = %d: opened %x, want %x", p, tagBits, opened, payload)
				}
				if i == 2 {
					everyBitMatters(t, m, masked, shown, context, tagBits)
				}
			}
		}
	}
}

// everyBitMatters flips every bit of a sealed payload, also the spare ones that
// no symbol carries.
func everyBitMatters(t *testing.T, m *keys.MAC, masked, shown, context []byte, tagBits int) {
	t.Helper()
	opened := make([]byte, len(masked))
	good := 0
	for _, part := range [][]byte{masked, shown} {
		for i := range part {
			for bit := range 8 {
				part[i] ^= 1 << bit
				if m.Open(opened, masked, shown, context) {
					good++
				}
				part[i] ^= 1 << bit
			}
		}
	}
	if good > 0 {
		t.Fatalf("t = %d: %d changes of one bit pass", tagBits, good)
	}
	other := bytes.Repeat([]byte{0x5A}, 32)
	if m.Open(opened, masked, shown, other) {
		t.Fatalf("t = %d: passes with another context", tagBits)
	}
	if context != nil && m.Open(opened, masked, shown, nil) {
		t.Fatalf("t = %d: passes without its context", tagBits)
	}
}

// CR-15, CR-16: a tag that is right but for its last bit, or only at its beginning, is bad.
func TestNearlyRightTag(t *testing.T) {
	m := must[*keys.MAC](t)(keys.NewMAC(descriptor(t, hsDescriptor), secret(t, hsSecret)))
	masked, shown, opened := unhex(t, "07c3beb33243b78f"), unhex(t, "0dbf071d843d7047ee2c"), make([]byte, 8)
	for i := range shown {
		cut := bytes.Clone(shown)
		clear(cut[i:])
		if m.Open(opened, masked, cut, nil) {
			t.Errorf("the first %d bytes of the tag suffice", i)
		}
	}
	if !m.Open(opened, masked, shown, nil) {
		t.Error("the whole tag does not")
	}
}

// A mask and a cover that change with every payload make codes look unrelated.
func TestMaskAndCoverDependOnThePayload(t *testing.T) {
	m := must[*keys.MAC](t)(keys.NewMAC(descriptor(t, hsDescriptor), secret(t, hsSecret)))
	seen := map[string]bool{}
	for serial := range 1000 {
		payload := plainBytes(big.NewInt(int64(serial)), 60)
		masked, shown := make([]byte, 8), make([]byte, 10)
		m.Seal(masked, shown, payload, nil)
		var mask [8]byte
		for i := range mask {
			mask[i] = masked[i] ^ payload[i]
		}
		if seen[string(mask[:])] || seen[string(shown)] {
			t.Fatalf("serial %d has the mask or the tag of another", serial)
		}
		seen[string(mask[:])], seen[string(shown)] = true, true
	}
}

// Any part of the descriptor makes another key.
func TestEveryPartOfTheDescriptorMatters(t *testing.T) {
	base := "licet/v1 hs256 key=8 prefix=ACME layout=product:9,version:8,expiry:15,serial:28 bind=none sig=80"
	masked, shown := make([]byte, 8), make([]byte, 10)
	must[*keys.MAC](t)(keys.NewMAC(descriptor(t, base), secret(t, hsSecret))).Seal(masked, shown, unhex(t, "00381844600003e8"), nil)
	for _, other := range []string{
		"licet/v1 hs256 key=9 prefix=ACME layout=product:9,version:8,expiry:15,serial:28 bind=none sig=80",
		"licet/v1 hs256 key=8 prefix= layout=product:9,version:8,expiry:15,serial:28 bind=none sig=80",
		"licet/v1 hs256 key=8 prefix=ACMF layout=product:9,version:8,expiry:15,serial:28 bind=none sig=80",
		"licet/v1 hs256 key=8 prefix=ACME layout=product:9,version:8,expiry:15,serial:27,x:1 bind=none sig=80",
		"licet/v1 hs256 key=8 prefix=ACME layout=product:9,edition:8,expiry:15,serial:28 bind=none sig=80",
		"licet/v1 hs256 key=8 prefix=ACME layout=product:9,version:8,expiry:15,serial:28 bind=machine sig=80",
	} {
		m := must[*keys.MAC](t)(keys.NewMAC(descriptor(t, other), secret(t, hsSecret)))
		if m.Open(make([]byte, 8), masked, shown, nil) {
			t.Errorf("a code of one key is good under %s", other)
		}
		if secret(t, hsSecret).ID(descriptor(t, other)).String() == hsID {
			t.Errorf("the same id for %s", other)
		}
	}
}

func TestMACIsSafeForConcurrentUse(t *testing.T) {
	m := must[*keys.MAC](t)(keys.NewMAC(descriptor(t, hsDescriptor), secret(t, hsSecret)))
	raw := unhex(t, hsSecret)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 200 {
				v := big.NewInt(int64(g*1000 + i))
				payload := plainBytes(v, 60)
				masked, shown, opened := make([]byte, 8), make([]byte, 10), make([]byte, 8)
				m.Seal(masked, shown, payload, nil)
				if wm, ws := plainHS256(raw, hsDescriptor, v, 60, 80, nil); !bytes.Equal(masked, plainBytes(wm, 60)) || !bytes.Equal(shown, plainBytes(ws, 80)) {
					t.Errorf("%d sealed wrongly beside others", v)
				}
				if !m.Open(opened, masked, shown, nil) || !bytes.Equal(opened, payload) {
					t.Errorf("%d opened wrongly beside others", v)
				}
			}
		})
	}
	wg.Wait()
}

func TestNewMACRefuses(t *testing.T) {
	if _, err := keys.NewMAC(descriptor(t, esDescriptor), secret(t, hsSecret)); err == nil {
		t.Error("a MAC for an es256 descriptor (CR-10)")
	}
	if _, err := keys.NewMAC(descriptor(t, hsDescriptor), keys.Secret{}); err == nil {
		t.Error("a MAC without secret")
	}
}
