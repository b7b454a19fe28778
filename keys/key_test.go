package keys_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/licet-dev/licet/keys"
)

// ringKey returns what a ring tells of a private key.
func ringKey(t testing.TB, k keys.PrivateKey, descriptorText string, products ...uint64) keys.Key {
	t.Helper()
	var d keys.Descriptor
	if descriptorText != "" {
		d = descriptor(t, descriptorText)
	}
	return must[keys.Key](t)(keys.NewKey(k, d, products...))
}

func TestNewKey(t *testing.T) {
	for _, c := range []struct {
		name       string
		private    keys.PrivateKey
		descriptor string
		suite      keys.Suite
		number     int
		public     bool
	}{
		{"hs256", hsKey(t), hsDescriptor, keys.HS256, 8, false},
		{"es256", esKey(t), esDescriptor, keys.ES256, 9, true},
		{"list", privateKeys(t)["list"], "", keys.ES256, 0, true},
		{"receipt", privateKeys(t)["receipt"], "", keys.ES256, 0, true},
	} {
		k := ringKey(t, c.private, c.descriptor, 9, 7, 8)
		if k.Role() != c.private.Role() || k.ID() != c.private.ID() || k.State() != keys.Active || k.Suite() != c.suite ||
			k.Number() != c.number || k.Public().IsZero() == c.public || !k.Secret().IsZero() {
			t.Errorf("%s: %+v", c.name, k)
		}
		if c.descriptor == "" {
			if k.Layout() != nil || len(k.Products()) != 0 || k.Descriptor() != (keys.Descriptor{}) {
				t.Errorf("%s: has a layout or products", c.name)
			}
			continue
		}
		if k.Descriptor().String() != c.descriptor || k.Layout().Bits() != 60 || !slices.Equal(k.Products(), []uint64{7, 8, 9}) {
			t.Errorf("%s: descriptor %s, products %v", c.name, k.Descriptor(), k.Products())
		}
		k.Products()[0] = 99 // must be a copy
		for product, want := range map[uint64]bool{0: false, 6: false, 7: true, 9: true, 10: false, 99: false} {
			if k.Allows(product) != want {
				t.Errorf("%s: allows %d: %t", c.name, product, !want)
			}
		}
	}
}

func TestNewKeyRefuses(t *testing.T) {
	hs, es := descriptor(t, hsDescriptor), descriptor(t, esDescriptor)
	other := descriptor(t, "licet/v1 hs256 key=8 prefix=ACMF layout=product:9,version:8,expiry:15,serial:28 bind=none sig=80")
	for name, err := range map[string]error{
		"another suite":      second(keys.NewKey(hsKey(t), es, 7)),
		"another descriptor": second(keys.NewKey(hsKey(t), other, 7)),
		"no descriptor":      second(keys.NewKey(hsKey(t), keys.Descriptor{}, 7)),
		"es256 as hs256":     second(keys.NewKey(esKey(t), hs, 7)),
		"no private key":     second(keys.NewKey(keys.PrivateKey{}, hs, 7)),
		"nothing":            second(keys.NewKey(keys.PrivateKey{}, keys.Descriptor{})),
	} {
		if err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

func TestAllowedProducts(t *testing.T) {
	k := ringKey(t, hsKey(t), hsDescriptor, 7)
	for _, c := range []struct {
		name     string
		products []uint64
		ok       bool
	}{
		{"one", []uint64{1}, true},
		{"the largest of 9 bits", []uint64{511}, true},
		{"one more", []uint64{512}, false},
		{"2^64-1", []uint64{1<<64 - 1}, false},
		{"zero", []uint64{0}, false},
		{"zero among others", []uint64{3, 0}, false},
		{"none", nil, false},
		{"twice", []uint64{3, 5, 3}, false},
		{"in any order", []uint64{5, 3, 4}, true},
	} {
		got, err := k.WithProducts(c.products...)
		if (err == nil) != c.ok || err != nil && !errors.Is(err, keys.ProblemAllowedProduct) {
			t.Errorf("%s: %v", c.name, err)
		}
		if c.ok && (!slices.IsSorted(got.Products()) || len(got.Products()) != len(c.products)) {
			t.Errorf("%s: products %v", c.name, got.Products())
		}
		if !slices.Equal(k.Products(), []uint64{7}) {
			t.Fatalf("%s: the key itself changed", c.name)
		}
	}
	if _, err := ringKey(t, privateKeys(t)["list"], "").WithProducts(7); err == nil {
		t.Error("a list key mints products")
	}
}

// CR-10: no private key attaches to a key that is not its own.
func TestAttach(t *testing.T) {
	private := privateKeys(t)
	private["hs256 of another descriptor"] = must[keys.PrivateKey](t)(keys.NewHS256(descriptor(t,
		"licet/v1 hs256 key=8 prefix= layout=product:9,version:8,expiry:15,serial:28 bind=none sig=80"), secret(t, hsSecret)))
	private["hs256 of another secret"] = must[keys.PrivateKey](t)(keys.NewHS256(descriptor(t, hsDescriptor), secret(t, secretForRedaction)))
	private["nothing"] = keys.PrivateKey{}
	// The id in the text of a mint key is taken as it is, so it may be another key's.
	before, _ := cutLast(hsLine)
	private["hs256 with another secret and the same id"] = must[keys.PrivateKey](t)(keys.ParsePrivateKey(withChecksum(before[:len(before)-1] + "E")))
	before, _ = cutLast(esKey(t).Reveal())
	private["es256 with another scalar and the same id"] = must[keys.PrivateKey](t)(keys.ParsePrivateKey(withChecksum(before[:len(before)-1] + "2")))

	public := map[string]keys.Key{
		"hs256":   ringKey(t, private["hs256"], hsDescriptor, 7),
		"es256":   ringKey(t, private["es256"], esDescriptor, 7),
		"list":    ringKey(t, private["list"], ""),
		"receipt": ringKey(t, private["receipt"], ""),
	}
	for name, k := range public {
		for other, p := range private {
			got, err := k.Attach(p)
			if (err == nil) != (name == other) {
				t.Errorf("%s attaches to %s: %v", other, name, err)
			}
			if err == nil && got.Secret().IsZero() != (name != "hs256") {
				t.Errorf("%s: secret is there: %t", name, !got.Secret().IsZero())
			}
		}
	}
	withSecret := must[keys.Key](t)(public["hs256"].Attach(private["hs256"]))
	if !withSecret.Secret().Equal(secret(t, hsSecret)) || !withSecret.WithoutSecret().Secret().IsZero() || withSecret.Secret().IsZero() {
		t.Error("the secret comes or goes as it should not")
	}
	if closed := withSecret.WithState(keys.Closed); closed.State() != keys.Closed || withSecret.State() != keys.Active {
		t.Error("WithState changed the key itself")
	}
	if _, err := (keys.Key{}).Attach(private["hs256"]); err == nil {
		t.Error("a private key attaches to no key")
	}
}
