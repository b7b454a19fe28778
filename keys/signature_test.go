package keys_test

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/asn1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/big"
	"testing"

	"github.com/licet-dev/licet/keys"
)

var (
	groupOrder = elliptic.P256().Params().N
	halfOrder  = new(big.Int).Rsh(groupOrder, 1) // (n-1)/2, since n is odd
)

func esSignature(t testing.TB) *keys.Signature {
	t.Helper()
	public := must[keys.PublicKey](t)(keys.ParsePublicKey(esPublic))
	return must[*keys.Signature](t)(keys.NewSignature(descriptor(t, esDescriptor), public))
}

// plainES256Mask is the mask of SPEC.md, section 6, for 60 bits.
func plainES256Mask(shown []byte) *big.Int {
	key := sha256.Sum256(plainLabel(esDescriptor, "mask"))
	return plainTop(plainHMAC(key[:], shown), 60)
}

func plainES256Digest(payload, context []byte) [32]byte {
	return sha256.Sum256(bytes.Join([][]byte{plainLabel(esDescriptor, "sig"), payload, context}, nil))
}

// SPEC.md, section 10.2.
func TestSignatureOfTheReferenceCode(t *testing.T) {
	s := esSignature(t)
	masked, shown, payload := make([]byte, 8), make([]byte, 64), unhex(t, "00381844600003e8")
	if err := s.Seal(masked, shown, payload, nil, ecKey(t, esPrivate)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, want string
		got        []byte
	}{
		{"r", "0a34541a64af0f64d5f35ae57ba7d16cedc875869180ade67fcf384c66c32fe5", shown[:32]},
		{"s", "2f286af66b3bbc3c27c020d41c28cde1df0c55a52130a5809e338cc03ef9b4c7", shown[32:]},
		{"masked", "0b6d5e0efa22bc76", masked},
	} {
		if hex.EncodeToString(c.got) != c.want {
			t.Errorf("%s is %x, want %s", c.name, c.got, c.want)
		}
	}
	digest := plainES256Digest(payload, nil)
	if got := hex.EncodeToString(digest[:]); got != "12528f5407e168d8d6d310cd05dc652c91968011923744a57eb768eb83042c86" {
		t.Errorf("digest %s", got)
	}
	opened := make([]byte, 8)
	if !s.Open(opened, masked, shown, nil) || !bytes.Equal(opened, payload) {
		t.Errorf("opened %x", opened)
	}
}

// CR-05, CR-06: signatures with short halves and with any first byte are written
// in full width, are low, and verify, every one of them.
func TestManySignatures(t *testing.T) {
	s, private := esSignature(t), ecKey(t, esPrivate)
	var shortR, shortS, first30, high int
	masked, shown, opened := make([]byte, 8), make([]byte, 64), make([]byte, 8)
	for i := range 5_000 {
		payload := plainBytes(big.NewInt(int64(i)<<20+1), 60)
		if err := s.Seal(masked, shown, payload, nil, private); err != nil {
			t.Fatal(err)
		}
		halves := []*big.Int{new(big.Int).SetBytes(shown[:32]), new(big.Int).SetBytes(shown[32:])}
		if halves[1].Cmp(halfOrder) > 0 {
			t.Fatalf("payload %d: s is high: %x", i, shown)
		}
		if want := xor(new(big.Int).SetBytes(payload), plainES256Mask(shown)); !bytes.Equal(masked, plainBytes(want, 60)) {
			t.Fatalf("payload %d: masked %x, want %x", i, masked, want)
		}
		clear(opened)
		if !keys.SignatureInRange(shown) || !s.Open(opened, masked, shown, nil) || !bytes.Equal(opened, payload) {
			t.Fatalf("payload %d: %x does not verify", i, shown)
		}
		count := func(n *int, ok bool) {
			if ok {
				*n++
			}
		}
		count(&shortR, shown[0] == 0)
		count(&shortS, shown[32] == 0)
		count(&first30, shown[0] == 0x30)
		if i < 200 { // s before it was made low
			digest := plainES256Digest(payload, nil)
			der := must[[]byte](t)(private.Sign(nil, digest[:], crypto.SHA256))
			var sig struct{ R, S *big.Int }
			if _, err := asn1.Unmarshal(der, &sig); err != nil {
				t.Fatal(err)
			}
			count(&high, sig.S.Cmp(halfOrder) > 0)
			low := sig.S
			if low.Cmp(halfOrder) > 0 {
				low = new(big.Int).Sub(groupOrder, low)
			}
			if sig.R.Cmp(halves[0]) != 0 || low.Cmp(halves[1]) != 0 {
				t.Fatalf("payload %d: sealed with another signature", i)
			}
		}
	}
	if shortR == 0 || shortS == 0 || first30 == 0 || high == 0 {
		t.Errorf("%d short r, %d short s, %d beginning with 30, %d high s: each should occur", shortR, shortS, first30, high)
	}
}

// CR-02, CR-08: one spelling for each signature, and no value makes Open panic.
func TestSignatureRange(t *testing.T) {
	s := esSignature(t)
	masked, shown, payload := make([]byte, 8), make([]byte, 64), unhex(t, "00381844600003e8")
	if err := s.Seal(masked, shown, payload, nil, ecKey(t, esPrivate)); err != nil {
		t.Fatal(err)
	}
	r, low := new(big.Int).SetBytes(shown[:32]), new(big.Int).SetBytes(shown[32:])
	zero, one := new(big.Int), big.NewInt(1)
	plus := func(v *big.Int, d int64) *big.Int { return new(big.Int).Add(v, big.NewInt(d)) }
	all := new(big.Int).Sub(new(big.Int).Lsh(one, 256), one)
	for _, c := range []struct {
		name    string
		r, s    *big.Int
		inRange bool
	}{
		{"the signature", r, low, true},
		{"its twin n-s", r, new(big.Int).Sub(groupOrder, low), false},
		{"s = 1", r, one, true},
		{"s = 0", r, zero, false},
		{"s = (n-1)/2", r, halfOrder, true},
		{"s = (n+1)/2", r, plus(halfOrder, 1), false},
		{"s = n-1", r, plus(groupOrder, -1), false},
		{"s = n", r, groupOrder, false},
		{"s = 2^256-1", r, all, false},
		{"r = 1", one, low, true},
		{"r = 0", zero, low, false},
		{"r = n-1", plus(groupOrder, -1), low, true},
		{"r = n", groupOrder, low, false},
		{"r = n+1", plus(groupOrder, 1), low, false},
		{"r = 2^256-1", all, low, false},
		{"both 0", zero, zero, false},
		{"both n", groupOrder, groupOrder, false},
		{"both exchanged", low, new(big.Int).Mod(r, halfOrder), true},
	} {
		sig := append(plainBytes(c.r, 256), plainBytes(c.s, 256)...)
		if got := keys.SignatureInRange(sig); got != c.inRange {
			t.Errorf("%s: in range: %t", c.name, got)
		}
		// The payload is masked for this signature, so that only the signature decides.
		m := plainBytes(xor(new(big.Int).SetBytes(payload), plainES256Mask(sig)), 60)
		opened := make([]byte, 8)
		if got := s.Open(opened, m, sig, nil); got != (c.name == "the signature") {
			t.Errorf("%s: good: %t", c.name, got)
		}
	}
	// Go itself takes the twin; the check of the range must not go away.
	digest := plainES256Digest(payload, nil)
	twin := must[[]byte](t)(asn1.Marshal(struct{ R, S *big.Int }{r, new(big.Int).Sub(groupOrder, low)}))
	if !ecdsa.VerifyASN1(&ecKey(t, esPrivate).PublicKey, digest[:], twin) {
		t.Log("crypto/ecdsa no longer takes the twin")
	}
}

func TestOpenRefusesEveryFlippedBit(t *testing.T) {
	s := esSignature(t)
	masked, shown, opened := make([]byte, 8), make([]byte, 64), make([]byte, 8)
	context := sha256.Sum256([]byte("machine"))
	if err := s.Seal(masked, shown, unhex(t, "00381844600003e8"), context[:], ecKey(t, esPrivate)); err != nil {
		t.Fatal(err)
	}
	if !s.Open(opened, masked, shown, context[:]) || s.Open(opened, masked, shown, nil) {
		t.Error("the context makes no difference")
	}
	for _, part := range [][]byte{masked, shown} {
		for i := range part {
			for bit := range 8 {
				part[i] ^= 1 << bit
				if s.Open(opened, masked, shown, context[:]) {
					t.Errorf("good with bit %d of byte %d flipped", bit, i)
				}
				part[i] ^= 1 << bit
			}
		}
	}
}

// A device is a signer from outside: it has a key, and sends what its reply makes of the signature.
type device struct {
	key    *ecdsa.PrivateKey
	reply  func(der []byte) ([]byte, error)
	digest []byte
	random io.Reader
	hash   crypto.Hash
}

func (d *device) Public() crypto.PublicKey { return &d.key.PublicKey }

func (d *device) Sign(random io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	d.digest, d.random, d.hash = bytes.Clone(digest), random, opts.HashFunc()
	der, err := d.key.Sign(random, digest, opts)
	if err != nil || d.reply == nil {
		return der, err
	}
	return d.reply(der)
}

func TestSealWithSignerFromOutside(t *testing.T) {
	s, payload := esSignature(t), unhex(t, "00381844600003e8")
	d := &device{key: ecKey(t, esPrivate)}
	for range 50 {
		masked, shown, opened := make([]byte, 8), make([]byte, 64), make([]byte, 8)
		if err := s.Seal(masked, shown, payload, nil, d); err != nil {
			t.Fatal(err)
		}
		if !s.Open(opened, masked, shown, nil) || !bytes.Equal(opened, payload) {
			t.Fatal("a code of a device does not verify")
		}
	}
	if want := plainES256Digest(payload, nil); !bytes.Equal(d.digest, want[:]) || d.hash != crypto.SHA256 || d.random == nil {
		t.Errorf("the device got digest %x, hash %v, random %v", d.digest, d.hash, d.random)
	}
}

func TestSealWithBrokenSigner(t *testing.T) {
	s, payload := esSignature(t), unhex(t, "00381844600003e8")
	errDevice := errors.New("device is gone")
	encode := func(r, s *big.Int) func([]byte) ([]byte, error) {
		return func([]byte) ([]byte, error) { return asn1.Marshal(struct{ R, S *big.Int }{r, s}) }
	}
	reply := func(b []byte) func([]byte) ([]byte, error) {
		return func([]byte) ([]byte, error) { return b, nil }
	}
	one := big.NewInt(1)
	wide := new(big.Int).Lsh(one, 256)
	all := new(big.Int).Sub(wide, one)
	for _, c := range []struct {
		name  string
		reply func(der []byte) ([]byte, error)
		// Some replies are signatures in form. Then Seal has nothing to refuse, and
		// Open, which the caller owes, finds them bad.
		sealed bool
	}{
		{"an error", func([]byte) ([]byte, error) { return nil, errDevice }, false},
		{"nothing", reply(nil), false},
		{"garbage", reply([]byte("garbage")), false},
		{"64 raw bytes", reply(bytes.Repeat([]byte{0x30}, 64)), false},
		{"one number", reply(unhex(t, "3003020101")), false},
		{"negative r", encode(big.NewInt(-1), one), false},
		{"negative s", encode(one, big.NewInt(-1)), false},
		{"r = 0", encode(new(big.Int), one), false},
		{"s = 0", encode(one, new(big.Int)), false},
		{"r of 257 bits", encode(wide, one), false},
		{"s of 257 bits", encode(one, wide), false},
		{"s of 521 bits", encode(one, new(big.Int).Lsh(one, 520)), false},
		{"s = n", encode(one, groupOrder), false},
		{"s = 2^256-1", encode(one, all), false},
		{"something after it", func(der []byte) ([]byte, error) { return append(der, 0), nil }, false},
		{"cut off", func(der []byte) ([]byte, error) { return der[:len(der)-1], nil }, false},
		{"a number with a zero too many", reply(unhex(t, "300702020001020101")), false},
		{"a long length", reply(unhex(t, "308106020101020101")), false},

		{"r = n", encode(groupOrder, one), true},
		{"r = 2^256-1", encode(all, one), true},
		{"s = n-1", encode(one, new(big.Int).Sub(groupOrder, one)), true},
		{"a signature of something else", encode(one, one), true},
	} {
		masked, shown, opened := make([]byte, 8), make([]byte, 64), make([]byte, 8)
		err := s.Seal(masked, shown, payload, nil, &device{key: ecKey(t, esPrivate), reply: c.reply})
		if (err == nil) != c.sealed {
			t.Errorf("%s: %v", c.name, err)
		}
		if c.name == "an error" && !errors.Is(err, errDevice) {
			t.Errorf("%s: the cause is lost: %v", c.name, err)
		}
		if c.sealed && s.Open(opened, masked, shown, nil) {
			t.Errorf("%s: good", c.name)
		}
	}
}

func TestNewSignatureRefuses(t *testing.T) {
	public := must[keys.PublicKey](t)(keys.ParsePublicKey(esPublic))
	for name, err := range map[string]error{
		"an hs256 descriptor (CR-10)": second(keys.NewSignature(descriptor(t, hsDescriptor), public)),
		"no public key":               second(keys.NewSignature(descriptor(t, esDescriptor), keys.PublicKey{})),
		"no descriptor":               second(keys.NewSignature(keys.Descriptor{}, public)),
	} {
		if err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

// With the private key at hand a signature is a function of the payload.
func TestSealIsDeterministic(t *testing.T) {
	s, private := esSignature(t), ecKey(t, esPrivate)
	var first string
	for range 5 {
		masked, shown := make([]byte, 8), make([]byte, 64)
		if err := s.Seal(masked, shown, unhex(t, "00381844600003e8"), nil, private); err != nil {
			t.Fatal(err)
		}
		if now := fmt.Sprintf("%x %x", masked, shown); first == "" {
			first = now
		} else if now != first {
			t.Errorf("%s and then %s", first, now)
		}
	}
}
