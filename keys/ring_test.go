package keys_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/licet-dev/licet/keys"
)

// mintKey returns an hs256 key of the given number whose secret is at hand.
func mintKey(t testing.TB, number int, prefix, layoutText string, sig int, products ...uint64) keys.Key {
	t.Helper()
	d := keys.Descriptor{Suite: keys.HS256, Number: number, Prefix: prefix, Layout: layout(t, layoutText), Bind: keys.BindNone, SigBits: sig}
	raw := make([]byte, keys.SecretSize)
	raw[0], raw[31] = byte(number), byte(sig)
	private := must[keys.PrivateKey](t)(keys.NewHS256(d, must[keys.Secret](t)(keys.NewSecret(raw))))
	return must[keys.Key](t)(must[keys.Key](t)(keys.NewKey(private, d, products...)).Attach(private))
}

var widget = []keys.Product{{Number: 7, Name: "Widget"}}

// referenceRing is the ring of SPEC.md, section 9.1, with keys of other roles beside.
func referenceRing(t testing.TB) *keys.Ring {
	t.Helper()
	receipt := must[keys.PrivateKey](t)(keys.NewRoleKey(keys.Receipt, ecKey(t, strings.Repeat("1", 64))))
	list := must[keys.PrivateKey](t)(keys.NewRoleKey(keys.List, ecKey(t, strings.Repeat("2", 64))))
	return must[*keys.Ring](t)(keys.NewRing("Acme Tools", widget, []keys.Key{
		ringKey(t, receipt, ""), ringKey(t, esKey(t), esDescriptor, 7), ringKey(t, list, ""), ringKey(t, hsKey(t), hsDescriptor, 7),
	}))
}

func TestRing(t *testing.T) {
	r := referenceRing(t)
	var order []string
	for _, k := range r.Keys() {
		order = append(order, fmt.Sprintf("%s %d", k.Role(), k.Number()))
	}
	if got := strings.Join(order, ", "); got != "mint 8, mint 9, list 0, receipt 0" {
		t.Errorf("keys are %s", got)
	}
	if r.Issuer() != "Acme Tools" || r.HasSecrets() || len(r.MintKeys()) != 2 {
		t.Errorf("issuer %q, secrets: %t, %d mint keys", r.Issuer(), r.HasSecrets(), len(r.MintKeys()))
	}
	for number := -1; number <= 32; number++ {
		if k, ok := r.MintKey(number); ok != (number == 8 || number == 9) || ok && k.Number() != number {
			t.Errorf("MintKey(%d): %t", number, ok)
		}
	}
	if p, ok := r.Product(7); !ok || p != widget[0] {
		t.Errorf("Product(7) = %v, %t", p, ok)
	}
	for _, n := range []uint64{0, 6, 8, 1<<64 - 1} {
		if p, ok := r.Product(n); ok {
			t.Errorf("Product(%d) = %v", n, p)
		}
	}
	r.Products()[0].Name = "changed" // must be copies
	r.Keys()[0] = keys.Key{}
	r.MintKeys()[0] = keys.Key{}
	if p, _ := r.Product(7); p.Name != "Widget" || r.Keys()[0].Number() != 8 {
		t.Error("the ring changed with what it returned")
	}
	key, symbols, err := r.Reader().Read("ACME-AHJX-YQET-69FW-H3QZ-JG9E-69PS-6HVK-ELWZ", nil)
	if key != 8 || len(symbols) != 32 || err != nil {
		t.Errorf("the ring's reader: %d, %s, %v", key, symbols, err)
	}
}

func TestNewRingProblems(t *testing.T) {
	const standard = "standard"
	key := func(number int) keys.Key { return mintKey(t, number, "", standard, 80, 7) }
	list := func(scalar string) keys.Key {
		return ringKey(t, must[keys.PrivateKey](t)(keys.NewRoleKey(keys.List, ecKey(t, scalar))), "")
	}
	receipt := func(scalar string) keys.Key {
		return ringKey(t, must[keys.PrivateKey](t)(keys.NewRoleKey(keys.Receipt, ecKey(t, scalar))), "")
	}
	es := ringKey(t, esKey(t), esDescriptor, 7)
	es10 := strings.Replace(esDescriptor, "key=9", "key=10", 1)
	sameAsES := ringKey(t, must[keys.PrivateKey](t)(keys.NewES256(descriptor(t, es10), ecKey(t, esPrivate))), es10, 7)
	hs9 := strings.Replace(hsDescriptor, "key=8", "key=9", 1)
	hs := must[keys.Key](t)(ringKey(t, hsKey(t), hsDescriptor, 7).Attach(hsKey(t)))
	private9 := must[keys.PrivateKey](t)(keys.NewHS256(descriptor(t, hs9), secret(t, hsSecret)))
	sameAsHS := must[keys.Key](t)(ringKey(t, private9, hs9, 7).Attach(private9))
	name := func(n int) string { return strings.Repeat("x", n) }
	products := func(p ...keys.Product) []keys.Product { return p }

	for _, c := range []struct {
		name     string
		issuer   string
		products []keys.Product
		keys     []keys.Key
		problem  keys.Problem // "" for none
	}{
		{"nothing but an issuer", "x", nil, nil, ""},
		{"issuer of 128 bytes", name(128), nil, nil, ""},
		{"issuer of 129 bytes", name(129), nil, nil, keys.ProblemIssuer},
		{"issuer of 128 bytes, not all ASCII", name(126) + "é", nil, nil, ""},
		{"issuer of 129 bytes, 128 characters", name(127) + "é", nil, nil, keys.ProblemIssuer},
		{"no issuer", "", nil, nil, keys.ProblemIssuer},
		{"issuer with a line break", "a\nb", nil, nil, keys.ProblemIssuer},
		{"issuer with U+009F", "a\u009fb", nil, nil, keys.ProblemIssuer},
		{"issuer with U+00A0", "a\u00a0b", nil, nil, ""},
		{"issuer with U+007F", "a\u007fb", nil, nil, keys.ProblemIssuer},
		{"issuer that is not UTF-8", "a\xffb", nil, nil, keys.ProblemIssuer},
		{"issuer with U+FFFD", "a\ufffdb", nil, nil, keys.ProblemIssuer},
		{"issuer with U+FFFC", "a\ufffcb", nil, nil, ""},

		{"product 1", "x", products(keys.Product{1, "a"}), nil, ""},
		{"product 0", "x", products(keys.Product{0, "a"}), nil, keys.ProblemProduct},
		{"product 2^53-1", "x", products(keys.Product{1<<53 - 1, "a"}), nil, ""},
		{"product 2^53", "x", products(keys.Product{1 << 53, "a"}), nil, keys.ProblemProduct},
		{"a product twice", "x", products(keys.Product{1, "a"}, keys.Product{2, "b"}, keys.Product{1, "c"}), nil, keys.ProblemProduct},
		{"two products of one name", "x", products(keys.Product{2, "a"}, keys.Product{1, "a"}), nil, ""},
		{"product name of 128 bytes", "x", products(keys.Product{1, name(128)}), nil, ""},
		{"product name of 129 bytes", "x", products(keys.Product{1, name(129)}), nil, keys.ProblemProduct},
		{"product without name", "x", products(keys.Product{1, ""}), nil, keys.ProblemProduct},
		{"product name with a tab", "x", products(keys.Product{1, "a\tb"}), nil, keys.ProblemProduct},

		{"a key", "x", widget, []keys.Key{hs}, ""},
		{"a key for a product that is not there", "x", products(keys.Product{8, "a"}), []keys.Key{hs}, keys.ProblemAllowedProduct},
		{"two keys", "x", widget, []keys.Key{key(8), key(9)}, ""},
		{"two keys of one number", "x", widget, []keys.Key{key(8), mintKey(t, 8, "", "wide", 80, 7)}, keys.ProblemDuplicateKey},
		{"a key twice", "x", widget, []keys.Key{hs, hs}, keys.ProblemDuplicateKey},
		{"one secret under two numbers", "x", widget, []keys.Key{hs, sameAsHS}, keys.ProblemDuplicateKey},
		{"the same, but a secret is not at hand", "x", widget, []keys.Key{hs, sameAsHS.WithoutSecret()}, ""},
		{"one public key under two numbers", "x", widget, []keys.Key{es, sameAsES}, keys.ProblemDuplicateKey},
		{"one public key to mint and for lists", "x", widget, []keys.Key{es, list(esPrivate)}, keys.ProblemDuplicateKey},
		{"one public key for lists and receipts", "x", widget, []keys.Key{receipt(esPrivate), list(esPrivate)}, keys.ProblemDuplicateKey},
		{"a list key twice", "x", widget, []keys.Key{list(esPrivate), list(esPrivate)}, keys.ProblemDuplicateKey},
		{"two list keys, two receipt keys", "x", nil, []keys.Key{list(esPrivate), list(hsSecret), receipt(secretForRedaction), receipt(strings.Repeat("3", 64))}, ""},

		{"prefix P477 beside compact", "x", widget, []keys.Key{mintKey(t, 11, "P477", "coupon", 35, 7), mintKey(t, 12, "", "compact", 55, 7)}, ""},
		{"prefix P477 beside compact of key P", "x", widget, []keys.Key{mintKey(t, 11, "P477", "coupon", 35, 7), mintKey(t, 21, "", "compact", 55, 7)}, keys.ProblemShape},

		{"a key in a state that is not there", "x", widget, []keys.Key{hs.WithState("lost")}, keys.ProblemState},
		{"a key in no state", "x", widget, []keys.Key{hs.WithState("")}, keys.ProblemState},
		{"a closed key", "x", widget, []keys.Key{hs.WithState(keys.Closed)}, ""},
		{"a withdrawn key", "x", widget, []keys.Key{hs.WithState(keys.Withdrawn)}, ""},
		{"a key that is none", "x", widget, []keys.Key{{}}, keys.ProblemRole},
	} {
		ring, err := keys.NewRing(c.issuer, c.products, c.keys)
		if c.problem == "" {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			} else {
				reads(t, c.name, ring)
			}
			continue
		}
		var re *keys.RingError
		if !errors.As(err, &re) || re.Problem != c.problem || !errors.Is(err, c.problem) || ring != nil {
			t.Errorf("%s: %v, want %s", c.name, err, c.problem)
		}
	}
}

// reads checks that a ring that can be made can be written and read again.
func reads(t *testing.T, name string, ring *keys.Ring) {
	t.Helper()
	text, err := ring.Marshal()
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	back, err := keys.ParseRing(text)
	if err != nil {
		t.Errorf("%s: %v in\n%s", name, err, text)
		return
	}
	again, err := back.Marshal()
	if err != nil || string(again) != string(text) {
		t.Errorf("%s: %v\n%s\nbecame\n%s", name, err, text, again)
	}
}

func TestNextNumber(t *testing.T) {
	var want []int
	for n := 8; n <= 31; n++ {
		want = append(want, n)
	}
	for n := 1; n <= 7; n++ {
		want = append(want, n)
	}
	ring := must[*keys.Ring](t)(keys.NewRing("x", widget, nil))
	var got []int
	for {
		n, ok := ring.NextNumber()
		if !ok {
			break
		}
		got = append(got, n)
		state := []keys.State{keys.Active, keys.Closed, keys.Withdrawn}[n%3] // a number is taken for ever
		ring = must[*keys.Ring](t)(ring.Replace(mintKey(t, n, "", "standard", 80, 7).WithState(state)))
	}
	if !slices.Equal(got, want) {
		t.Errorf("numbers are allotted as %v, want %v", got, want)
	}
	// A gap is filled.
	var few []keys.Key
	for _, k := range ring.Keys() {
		if k.Number() != 20 && k.Number() != 3 {
			few = append(few, k)
		}
	}
	ring = must[*keys.Ring](t)(keys.NewRing("x", widget, few))
	if n, ok := ring.NextNumber(); n != 20 || !ok {
		t.Errorf("the next number is %d, %t; want 20", n, ok)
	}
}

func TestReplace(t *testing.T) {
	ring := referenceRing(t)
	before := must[[]byte](t)(ring.Marshal())
	k, _ := ring.MintKey(8)
	changed := must[*keys.Ring](t)(ring.Replace(k.WithState(keys.Withdrawn), mintKey(t, 10, "", "wide", 80, 7)))
	if len(changed.Keys()) != len(ring.Keys())+1 {
		t.Errorf("%d keys became %d", len(ring.Keys()), len(changed.Keys()))
	}
	if k, _ := changed.MintKey(8); k.State() != keys.Withdrawn {
		t.Errorf("key 8 is %s", k.State())
	}
	if _, ok := changed.MintKey(10); !ok {
		t.Error("key 10 was not added")
	}
	if after := must[[]byte](t)(ring.Marshal()); string(after) != string(before) {
		t.Error("the ring itself changed")
	}
	same := must[*keys.Ring](t)(ring.Replace())
	if after := must[[]byte](t)(same.Marshal()); string(after) != string(before) {
		t.Error("replacing nothing changed something")
	}
	if _, err := ring.Replace(mintKey(t, 8, "", "wide", 80, 7)); !errors.Is(err, keys.ProblemDuplicateKey) {
		t.Errorf("another key 8: %v", err)
	}
	if _, err := ring.Replace(mintKey(t, 10, "", "wide", 80, 5)); !errors.Is(err, keys.ProblemAllowedProduct) {
		t.Errorf("a key for product 5: %v", err)
	}
}
