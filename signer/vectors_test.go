package signer_test

import (
	"bytes"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/signer"
	"github.com/licet-dev/licet/testvectors"
)

// mintVector is one test of mint.json.
type mintVector struct {
	ID      int      `json:"id"`
	Name    string   `json:"name"`
	Comment string   `json:"comment"`
	Flags   []string `json:"flags"`

	Descriptor string            `json:"descriptor"`
	Secret     string            `json:"secret"`
	Private    string            `json:"private"`
	KeyID      string            `json:"key_id"`
	State      keys.State        `json:"state"`
	Products   []string          `json:"products"`
	License    map[string]string `json:"license"`
	Binding    string            `json:"binding"`

	Refused payload.Refusal `json:"refused"`

	HKDF *struct {
		Tag   string `json:"tag"`
		Mask  string `json:"mask"`
		Cover string `json:"cover"`
	} `json:"hkdf"`
	Payload string `json:"payload"`
	Tag     string `json:"tag"`
	Digest  string `json:"digest"`
	R       string `json:"r"`
	S       string `json:"s"`
	SRaw    string `json:"s_raw"`
	Masked  string `json:"masked"`
	Shown   string `json:"shown"`
	Code    string `json:"code"`
}

func readMintVectors(t *testing.T) []mintVector {
	var file struct {
		Format  string            `json:"format"`
		Kind    string            `json:"kind"`
		Comment string            `json:"comment"`
		Count   int               `json:"count"`
		Notes   map[string]string `json:"notes"`
		Tests   []mintVector      `json:"tests"`
	}
	dec := json.NewDecoder(bytes.NewReader(must(fs.ReadFile(testvectors.V1, "mint.json"))))
	dec.DisallowUnknownFields() // a member that is not compared would prove nothing
	if err := dec.Decode(&file); err != nil {
		t.Fatal(err)
	}
	if file.Format != "licet-vectors/v1" || file.Kind != "mint" || file.Count != len(file.Tests) || file.Count == 0 {
		t.Fatalf("format %q, kind %q, count %d with %d tests", file.Format, file.Kind, file.Count, len(file.Tests))
	}
	return file.Tests
}

// license returns the licence of a vector.
func (v mintVector) license() (lic payload.License) {
	for _, name := range slices.Sorted(maps.Keys(v.License)) {
		text := v.License[name]
		switch {
		case name == "expiry" && text == "never":
			lic.Expiry = payload.Never
		case name == "expiry":
			lic.Expiry = must(payload.ParseDay(text))
		case name == "start":
			lic.Start = must(payload.ParseDay(text))
		default:
			set(&lic, name, must(strconv.ParseUint(text, 10, 64)))
		}
	}
	return lic
}

func TestMintVectors(t *testing.T) {
	for _, v := range readMintVectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			private := privateKey(v.Descriptor, unhex(v.Secret+v.Private))
			if private.ID().String() != v.KeyID {
				t.Errorf("key id %s, want %s", private.ID(), v.KeyID)
			}
			if v.Refused != "" {
				v.testRefused(t, private)
				return
			}
			v.testMinted(t, private)
			if v.Secret != "" {
				v.testHS256(t, private)
			} else {
				v.testES256(t, private)
			}
		})
	}
}

// key returns the key of a vector, which may mint the vector's products or else
// the product of its licence.
func (v mintVector) key(private keys.PrivateKey, fallback uint64) keys.Key {
	products := []uint64{fallback}
	if v.Products != nil {
		products = nil
		for _, p := range v.Products {
			products = append(products, must(strconv.ParseUint(p, 10, 64)))
		}
	}
	key := must(keys.NewKey(private, must(keys.ParseDescriptor(v.Descriptor)), products...))
	if v.State != "" {
		key = key.WithState(v.State)
	}
	return key
}

func (v mintVector) testMinted(t *testing.T, private keys.PrivateKey) {
	lic := v.license()
	key := v.key(private, lic.Product)
	code, err := must(signer.New(key, private, signer.Options{Binding: v.Binding})).Mint(lic)
	if err != nil || code != v.Code {
		t.Errorf("Mint(%+v) = %s, %v\nwant %s", lic, code, err, v.Code)
	}
	plain, err := key.Layout().AppendPayload(nil, &lic)
	if err != nil || hex.EncodeToString(plain) != v.Payload {
		t.Errorf("payload = %x, %v; want %s", plain, err, v.Payload)
	}
}

// testRefused requires the refusal that the vector names. A product that is 0 or
// too wide for its field can't be a product of the key, so the vector's way to
// ask for it does not exist here: the signer refuses it as not allowed, and the
// layout with the reason of the vector.
func (v mintVector) testRefused(t *testing.T, private keys.PrivateKey) {
	lic := v.license()
	want := v.Refused
	if v.Name == "expiry-on-day-0" {
		want = payload.ExpiryMissing // day 0 is what an expiry that was left out looks like
	}
	d := must(keys.ParseDescriptor(v.Descriptor))
	field, _ := d.Layout.Field("product")
	impossible := v.Products == nil && (lic.Product == 0 || lic.Product > field.Max())
	fallback := lic.Product
	if impossible {
		fallback = 1
	}
	s, err := signer.New(v.key(private, fallback), private, signer.Options{Binding: v.Binding})
	if err == nil {
		var code string
		code, err = s.Mint(lic)
		if code != "" {
			t.Errorf("refused, but returned %s", code)
		}
	}
	if impossible {
		if err == nil {
			t.Errorf("minted %+v, want %s", lic, want)
		}
		_, err = d.Layout.AppendPayload(nil, &lic)
	}
	requireReason(t, err, want)
}

// testHS256 computes every value of the vector with the standard library, and
// the last ones with package keys too.
func (v mintVector) testHS256(t *testing.T, private keys.PrivateKey) {
	d := must(keys.ParseDescriptor(v.Descriptor))
	var context []byte
	if v.Binding != "" {
		sum := sha256.Sum256([]byte(v.Binding))
		context = sum[:]
	}
	compare := func(what string, got []byte, want string) {
		t.Helper()
		if hex.EncodeToString(got) != want {
			t.Errorf("%s = %x, want %s", what, got, want)
		}
	}
	for use, want := range map[string]string{"tag": v.HKDF.Tag, "mask": v.HKDF.Mask, "cover": v.HKDF.Cover} {
		compare("hkdf "+use, must(hkdf.Key(sha256.New, unhex(v.Secret), nil, v.Descriptor+"\x00"+use+"\x00", 32)), want)
	}
	tag := hmac.New(sha256.New, unhex(v.HKDF.Tag))
	tag.Write(unhex(v.Payload))
	tag.Write(context)
	compare("tag", topBits(tag.Sum(nil), d.SigBits), v.Tag)

	masked, shown := make([]byte, payload.ByteCount(d.Layout.Bits())), make([]byte, payload.ByteCount(d.SigBits))
	mac := must(keys.NewMAC(d, must(private.Secret())))
	mac.Seal(masked, shown, unhex(v.Payload), context)
	compare("masked", masked, v.Masked)
	compare("shown", shown, v.Shown)
	opened := make([]byte, len(masked))
	if !mac.Open(opened, masked, shown, context) {
		t.Error("Open says that the tag is bad")
	}
	compare("opened payload", opened, v.Payload)
}

// topBits returns the first bits of b as a number.
func topBits(b []byte, bits int) []byte {
	n := make([]byte, payload.ByteCount(bits))
	for i := range bits {
		if b[i/8]>>(7-i%8)&1 == 1 {
			to := 8*len(n) - bits + i
			n[to/8] |= 1 << (7 - to%8)
		}
	}
	return n
}

// testES256 asks the private key through a recorder, which sees the digest and
// the signature before s is made low.
func (v mintVector) testES256(t *testing.T, private keys.PrivateKey) {
	d := must(keys.ParseDescriptor(v.Descriptor))
	rec := &recorder{Signer: must(private.ECDSA())}
	key := v.key(private, v.license().Product)
	must(must(signer.NewES256(key, rec, signer.Options{Binding: v.Binding})).Mint(v.license()))
	r, raw := rec.raw()
	shown := signatureOf(d, v.Code)
	masked := make([]byte, payload.ByteCount(d.Layout.Bits()))
	_, symbols, _ := must(payload.NewReader(d.Shape())).Read(v.Code, nil)
	payload.DecodeSymbols(masked, symbols[1:1+payload.SymbolCount(d.Layout.Bits())], d.Layout.Bits())
	for _, c := range []struct {
		what string
		got  []byte
		want string
	}{
		{"digest", rec.digest, v.Digest},
		{"r", r, v.R},
		{"s before", raw, v.SRaw},
		{"s", shown[32:], v.S},
		{"shown", shown, v.Shown},
		{"masked", masked, v.Masked},
	} {
		if hex.EncodeToString(c.got) != c.want {
			t.Errorf("%s = %x, want %s", c.what, c.got, c.want)
		}
	}
}
