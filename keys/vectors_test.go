package keys_test

import (
	"bytes"
	"crypto/ecdsa"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"strconv"
	"testing"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/testvectors"
)

// A vector has what all vectors begin with.
type vector struct {
	ID      int
	Name    string
	Comment string
	Flags   []string
}

// vectors reads the vectors of one kind, as T, and checks that none is lost.
func vectors[T any](t *testing.T, kind string) []T {
	t.Helper()
	text, err := fs.ReadFile(testvectors.V1, kind+".json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Format, Kind, Comment string
		Count                 int
		Notes                 map[string]string
		Tests                 []T
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&file); err != nil {
		t.Fatalf("%s.json: %v", kind, err)
	}
	if file.Format != "licet-vectors/v1" || file.Kind != kind || file.Count != len(file.Tests) || file.Count == 0 {
		t.Fatalf("%s.json: format %q, kind %q, %d of %d tests", kind, file.Format, file.Kind, len(file.Tests), file.Count)
	}
	return file.Tests
}

func TestRingsVectors(t *testing.T) {
	for _, v := range vectors[struct {
		vector
		Ring, Problem string
		Accepted      bool
	}](t, "rings") {
		ring, err := keys.ParseRing([]byte(v.Ring))
		if (err == nil) != v.Accepted {
			t.Errorf("%s (%s): %v, want accepted: %t", v.Name, v.Comment, err, v.Accepted)
			continue
		}
		if v.Accepted {
			reads(t, v.Name, ring)
		}
	}
}

func TestSecretKeysVectors(t *testing.T) {
	for _, v := range vectors[struct {
		vector
		Text                string
		Refused             bool
		Role, Suite, Secret string
		Number              *int
		KeyID               string `json:"key_id"`
	}](t, "secretkeys") {
		k, err := keys.ParsePrivateKey(v.Text)
		if (err != nil) != v.Refused {
			t.Errorf("%s (%s): %v, want refused: %t", v.Name, v.Comment, err, v.Refused)
			continue
		}
		if v.Refused {
			continue
		}
		if string(k.Role()) != v.Role || string(k.Suite()) != v.Suite || k.Number() != *v.Number || k.ID().String() != v.KeyID {
			t.Errorf("%s: %v", v.Name, k)
		}
		var raw []byte
		if k.Suite() == keys.HS256 {
			b := must[keys.Secret](t)(k.Secret()).Reveal()
			raw = b[:]
		} else {
			raw = must[[]byte](t)(must[*ecdsa.PrivateKey](t)(k.ECDSA()).Bytes())
		}
		if hex.EncodeToString(raw) != v.Secret {
			t.Errorf("%s: another secret", v.Name)
		}
	}
}

// licenseOf reads the fields of a licence in a vector.
func licenseOf(t *testing.T, fields map[string]string) payload.License {
	t.Helper()
	var lic payload.License
	for name, text := range fields {
		switch name {
		case "expiry", "start":
			d := payload.Never
			if text != "never" {
				d = must[payload.Day](t)(payload.ParseDay(text))
			}
			if name == "expiry" {
				lic.Expiry = d
			} else {
				lic.Start = d
			}
			continue
		}
		v := must[uint64](t)(strconv.ParseUint(text, 10, 64))
		if p, ok := map[string]*uint64{
			"product": &lic.Product, "version": &lic.Version, "serial": &lic.Serial,
			"edition": &lic.Edition, "features": &lic.Features, "seats": &lic.Seats,
		}[name]; ok {
			*p = v
		} else {
			lic.Extra.Set(name, v)
		}
	}
	return lic
}

type mintVector struct {
	vector
	Descriptor, Secret, Private string
	KeyID                       string `json:"key_id"`
	State                       string
	Products                    []string
	License                     map[string]string
	Binding                     *string
	Refused                     string
	HKDF                        *struct{ Tag, Mask, Cover string }
	Payload, Tag, Digest, R, S  string
	SRaw                        string `json:"s_raw"`
	Masked, Shown, Code         string
}

// The values on the way to a code; the code itself is a matter of package signer.
func TestMintVectors(t *testing.T) {
	for _, v := range vectors[mintVector](t, "mint") {
		t.Run(v.Name, func(t *testing.T) {
			d := descriptor(t, v.Descriptor)
			if v.Suite(t) != d.Suite {
				t.Fatalf("suite %s", d.Suite)
			}
			checkIDAndHKDF(t, v, d)
			lic := licenseOf(t, v.License)
			packed, err := d.Layout.AppendPayload(nil, &lic)
			if v.Payload == "" {
				checkRefusal(t, v, err)
				return
			}
			if err != nil || hex.EncodeToString(packed) != v.Payload {
				t.Fatalf("payload %x, %v; want %s", packed, err, v.Payload)
			}
			var context []byte
			if d.Bind != keys.BindNone {
				sum := must[[32]byte](t)(keys.BindingContext(*v.Binding))
				context = sum[:]
			}
			masked, shown := make([]byte, len(packed)), make([]byte, payload.ByteCount(d.SigBits))
			if d.Suite == keys.HS256 {
				must[*keys.MAC](t)(keys.NewMAC(d, secret(t, v.Secret))).Seal(masked, shown, packed, context)
			} else {
				private := ecKey(t, v.Private)
				public := must[keys.PublicKey](t)(keys.NewPublicKey(&private.PublicKey))
				if err := must[*keys.Signature](t)(keys.NewSignature(d, public)).Seal(masked, shown, packed, context, private); err != nil {
					t.Fatal(err)
				}
				if hex.EncodeToString(shown) != v.R+v.S {
					t.Errorf("r and s are %x, want %s%s", shown, v.R, v.S)
				}
			}
			if hex.EncodeToString(masked) != v.Masked || hex.EncodeToString(shown) != v.Shown {
				t.Errorf("masked %x, shown %x; want %s, %s", masked, shown, v.Masked, v.Shown)
			}
		})
	}
}

// Suite returns the suite that the kind of secret tells.
func (v mintVector) Suite(t *testing.T) keys.Suite {
	t.Helper()
	if (v.Secret == "") == (v.Private == "") {
		t.Fatal("neither one secret nor the other")
	}
	if v.Secret != "" {
		return keys.HS256
	}
	return keys.ES256
}

func checkIDAndHKDF(t *testing.T, v mintVector, d keys.Descriptor) {
	t.Helper()
	var id keys.ID
	if v.Secret != "" {
		id = secret(t, v.Secret).ID(d)
	} else {
		id = must[keys.PublicKey](t)(keys.NewPublicKey(&ecKey(t, v.Private).PublicKey)).ID(d)
	}
	if id.String() != v.KeyID {
		t.Errorf("id %s, want %s", id, v.KeyID)
	}
	if v.HKDF == nil {
		return
	}
	// The keys themselves stay inside; the plain computation of TestMACAgainstPlainComputation stands for them.
	for use, want := range map[string]string{"tag": v.HKDF.Tag, "mask": v.HKDF.Mask, "cover": v.HKDF.Cover} {
		if got := hex.EncodeToString(plainHKDF(unhex(t, v.Secret), v.Descriptor, use)); got != want {
			t.Errorf("hkdf %s is %s, want %s", use, got, want)
		}
	}
	if v.Tag != "" {
		p := new(big.Int).SetBytes(unhex(t, v.Payload))
		var context []byte
		if d.Bind != keys.BindNone {
			sum := must[[32]byte](t)(keys.BindingContext(*v.Binding))
			context = sum[:]
		}
		masked, shown := plainHS256(unhex(t, v.Secret), v.Descriptor, p, d.Layout.Bits(), d.SigBits, context)
		if fmt.Sprintf("%x", plainBytes(masked, d.Layout.Bits())) != v.Masked || fmt.Sprintf("%x", plainBytes(shown, d.SigBits)) != v.Shown {
			t.Errorf("the plain computation gives %x, %x", masked, shown)
		}
	}
}

// checkRefusal compares the refusals of package payload; others are the signer's.
func checkRefusal(t *testing.T, v mintVector, err error) {
	t.Helper()
	want := payload.Refusal(v.Refused)
	switch want {
	case payload.ProductNotAllowed, payload.KeyNotActive:
		return
	case payload.ExpiryTooEarly:
		if v.License["expiry"] == payload.Day(0).String() {
			want = payload.ExpiryMissing // the zero Day is no expiry at all
		}
	}
	var got payload.Refusal
	if !errors.As(err, &got) || got != want {
		t.Errorf("refused with %v, want %s", err, want)
	}
}
