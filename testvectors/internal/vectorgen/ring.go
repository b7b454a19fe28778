package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A problem is why a ring is refused.
type problem string

// An object is a JSON object; its values are objects, []any, string, bool or
// json.Number. Readers panic with a problem; readRing returns it.
type object map[string]any

var (
	productNumber = regexp.MustCompile(`\A[1-9][0-9]*\z`)
	idText        = regexp.MustCompile(`\A[0-9a-f]{16}\z`)
	hexText       = regexp.MustCompile(`\A[0-9a-f]*\z`)
	maxProduct    = big.NewInt(1<<53 - 1)
)

// A ring is what a reader takes from the text of one.
type ring struct {
	issuer string
	mint   []*key // by number
	others []*key // of the roles list and receipt
}

// readRing is section 9.1.
func readRing(text string) (r *ring, refused problem) {
	defer recoverProblem(func(p problem) { r, refused = nil, p })
	return ringOf(parseObject(text)), ""
}

// recoverProblem, deferred, gives the problem that a reader panicked with to refuse.
func recoverProblem(refuse func(problem)) {
	switch p := recover().(type) {
	case nil:
	case problem:
		refuse(p)
	default:
		panic(p)
	}
}

// parseObject reads one strict JSON object and nothing after it.
func parseObject(text string) object {
	dec := json.NewDecoder(strings.NewReader(text))
	var whole json.RawMessage
	need(dec.Decode(&whole) == nil, "syntax")
	need(strings.Trim(text[dec.InputOffset():], " \t\r\n") == "", "trailing-data")
	dec = json.NewDecoder(bytes.NewReader(whole))
	dec.UseNumber()
	return as[object](parseValue(dec))
}

// parseValue reads the next value of text known to be JSON.
func parseValue(dec *json.Decoder) any {
	token, err := dec.Token()
	if err != nil {
		panic(err)
	}
	switch token {
	case json.Delim('{'):
		o := object{}
		for dec.More() {
			name := parseValue(dec).(string)
			if _, ok := o[name]; ok {
				panic(problem("duplicate-member"))
			}
			o[name] = parseValue(dec)
		}
		dec.Token()
		return o
	case json.Delim('['):
		a := []any{}
		for dec.More() {
			a = append(a, parseValue(dec))
		}
		dec.Token()
		return a
	}
	return token
}

// as returns a value that must have type T. null has none.
func as[T any](v any) T {
	t, ok := v.(T)
	if !ok {
		panic(problem("syntax"))
	}
	return t
}

func need(ok bool, p problem) {
	if !ok {
		panic(p)
	}
}

// member returns a mandatory member; without it the ring has problem p.
func member[T any](o object, name string, p problem) T {
	v, ok := o[name]
	need(ok, p)
	return as[T](v)
}

func onlyMembers(o object, names ...string) {
	for name := range o {
		need(slices.Contains(names, name), "unknown-member")
	}
}

func ringOf(o object) *ring {
	onlyMembers(o, "format", "issuer", "secret", "products", "keys")
	need(member[string](o, "format", "format") == "licet-ring/v1", "format")
	r := &ring{issuer: member[string](o, "issuer", "issuer")}
	need(goodName(r.issuer), "issuer")
	secret := member[bool](o, "secret", "secret")
	var products []*big.Int
	for _, v := range member[[]any](o, "products", "product") {
		p := as[object](v)
		onlyMembers(p, "number", "name")
		number := numberOf(member[json.Number](p, "number", "product"), "product")
		need(!containsNumber(products, number), "product")
		need(goodName(member[string](p, "name", "product")), "product")
		products = append(products, number)
	}
	seen := map[string]bool{}
	once := func(kind, what string) {
		need(!seen[kind+what], "duplicate-key")
		seen[kind+what] = true
	}
	for _, v := range member[[]any](o, "keys", "syntax") {
		k := ringKey(as[object](v), secret, products)
		once("id ", k.id)
		if k.public != nil {
			once("public ", hexOf(publicBytes(k.public)))
		}
		if k.secret != nil {
			once("secret ", hexOf(k.secret))
		}
		if k.descriptor == nil {
			r.others = append(r.others, k)
			continue
		}
		once("number ", sym(k.number))
		r.mint = append(r.mint, k)
	}
	slices.SortFunc(r.mint, func(a, b *key) int { return a.number - b.number })
	needShapes(r.mint)
	return r
}

func numberOf(n json.Number, p problem) *big.Int {
	need(productNumber.MatchString(n.String()), p)
	v := decimal(n.String())
	need(v.Cmp(maxProduct) <= 0, p)
	return v
}

func containsNumber(numbers []*big.Int, n *big.Int) bool {
	return slices.ContainsFunc(numbers, func(m *big.Int) bool { return m.Cmp(n) == 0 })
}

func goodName(name string) bool {
	return len(name) >= 1 && len(name) <= 128 && utf8.ValidString(name) &&
		!strings.ContainsFunc(name, func(r rune) bool { return isControl(r) || r == '\uFFFD' })
}

// ringKey reads one key. A list or receipt key comes without descriptor.
func ringKey(o object, secretRing bool, products []*big.Int) *key {
	onlyMembers(o, "role", "id", "state", "descriptor", "products", "public", "secret")
	k := &key{id: member[string](o, "id", "id-mismatch"), state: member[string](o, "state", "state")}
	need(idText.MatchString(k.id), "id-mismatch")
	need(slices.Contains([]string{"active", "closed", "withdrawn"}, k.state), "state")
	k.role = member[string](o, "role", "role")
	text := ""
	switch k.role {
	case "mint":
		text = member[string](o, "descriptor", "descriptor")
		d, ok := parseDescriptor(text)
		need(ok, "descriptor")
		k.descriptor = d
		k.products = allowedProducts(member[[]any](o, "products", "allowed-product"), d, products)
	case "list", "receipt":
		text = "licet/v1 " + k.role
		_, ok := o["descriptor"]
		need(!ok, "descriptor")
		_, ok = o["products"]
		need(!ok, "allowed-product")
	default:
		panic(problem("role"))
	}
	if k.descriptor != nil && k.suite == "hs256" {
		k.readSecret(o, secretRing)
		return k
	}
	_, ok := o["secret"]
	need(!ok, "secret")
	k.public = publicKey(member[string](o, "public", "public-key"))
	need(k.id == publicID(text, k.public), "id-mismatch")
	return k
}

func allowedProducts(list []any, d *descriptor, products []*big.Int) []*big.Int {
	var allowed []*big.Int
	for _, v := range list {
		p := numberOf(as[json.Number](v), "allowed-product")
		need(!containsNumber(allowed, p) && containsNumber(products, p) && p.BitLen() <= d.width("product"), "allowed-product")
		allowed = append(allowed, p)
	}
	need(len(allowed) > 0, "allowed-product")
	return allowed
}

func (k *key) readSecret(o object, secretRing bool) {
	_, ok := o["public"]
	need(!ok, "public-key")
	if _, ok := o["secret"]; !ok {
		return
	}
	need(secretRing, "secret-in-public-ring")
	text := member[string](o, "secret", "secret")
	need(len(text) == 64 && hexText.MatchString(text), "secret")
	k.secret, _ = hex.DecodeString(text)
	need(!isZero(k.secret), "secret")
	need(k.id == hexOf(hkdf(k.secret, k.text, "id")[:8]), "id-mismatch")
}

func publicKey(text string) *ecdsa.PublicKey {
	need(len(text) == 130 && hexText.MatchString(text), "public-key")
	b, _ := hex.DecodeString(text)
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), b)
	need(err == nil, "public-key")
	return public
}

// needShapes is the rule of section 5.2.
func needShapes(keys []*key) {
	type shape struct {
		key *key
		w   string
		n   int
	}
	var shapes []shape
	for _, k := range keys {
		for _, p := range k.prefixes() {
			shapes = append(shapes, shape{k, p + sym(k.number), len(p) + k.length()})
		}
	}
	for _, a := range shapes {
		for _, b := range shapes {
			need(a.key == b.key || a.n != b.n || !strings.HasPrefix(b.w, a.w), "shape")
		}
	}
}
