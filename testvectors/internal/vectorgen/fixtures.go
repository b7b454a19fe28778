package main

import (
	"crypto/ecdsa"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/licet-dev/licet/testvectors/internal/vectorfile"
)

// The named layouts of section 3.
const (
	standard = "product:9,version:8,expiry:15,serial:28"
	wide     = "product:16,version:12,expiry:16,serial:32,edition:8,features:16"
	compact  = "product:6,version:5,expiry:13,serial:21"
	coupon   = "product:15,serial:30"
)

// describe writes a descriptor.
func describe(suite string, number int, prefix, layout, bind string, sig int) string {
	return fmt.Sprintf("licet/v1 %s key=%d prefix=%s layout=%s bind=%s sig=%d", suite, number, prefix, layout, bind, sig)
}

func hs256(number int, prefix, layout string, sig int, secret []byte) *key {
	return newKey(describe("hs256", number, prefix, layout, "none", sig), secret)
}

func es256(number int, prefix, layout string, scalar []byte) *key {
	return newKey(describe("es256", number, prefix, layout, "none", 512), scalar)
}

// rfc6979 is the private key of RFC 6979, section A.2.5.
var rfc6979 = unhex("c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721")

func unhex(text string) []byte {
	b, err := hex.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return b
}

// A ring of seven keys: four layouts, prefixes that are shared, that have
// 0, O, 1 and I, and that make a coupon as long as a compact code.
var (
	key3  = es256(3, "LIC2", wide, counting(0xA0))
	key8  = hs256(8, "ACME", standard, 80, counting(0x00))
	key9  = es256(9, "", standard, rfc6979)
	key10 = hs256(10, "", standard, 80, counting(0x20))
	key11 = hs256(11, "ACME", compact, 55, counting(0x40))
	key12 = hs256(12, "P477", coupon, 35, counting(0x60))
	key13 = hs256(13, "OI10", wide, 80, counting(0x80))

	sevenKeys = []*key{key3, key8, key9, key10, key11, key12, key13}
)

// example is the licence of section 10, and more where the layout has more.
func (k *key) example(serial string) vectorfile.Fields {
	all := vectorfile.Fields{"product": "7", "version": "3", "expiry": "2027-12-31", "edition": "2", "features": "5"}
	license := vectorfile.Fields{"serial": serial}
	for name, text := range all {
		if k.width(name) > 0 {
			license[name] = text
		}
	}
	return license
}

// issue mints the example licence with a serial.
func (k *key) issue(serial string) *minted {
	return k.mint(k.pack(fieldsOf(k.example(serial))), nil)
}

// with returns license with some members changed; an empty text removes one.
func with(license vectorfile.Fields, changes ...string) vectorfile.Fields {
	changed := vectorfile.Fields{}
	for name, text := range license {
		changed[name] = text
	}
	for i := 0; i < len(changes); i += 2 {
		changed[changes[i]] = changes[i+1]
		if changes[i+1] == "" {
			delete(changed, changes[i])
		}
	}
	return changed
}

// ringText writes a ring of mint keys.
func ringText(secrets bool, products []int, keys ...*key) string {
	var productTexts, keyTexts []string
	for _, p := range products {
		productTexts = append(productTexts, fmt.Sprintf(`{"number":%d,"name":"Product %d"}`, p, p))
	}
	for _, k := range keys {
		keyTexts = append(keyTexts, mintKeyText(k, secrets))
	}
	return ringOfTexts(secrets, strings.Join(productTexts, ","), keyTexts...)
}

func ringOfTexts(secrets bool, products string, keys ...string) string {
	return fmt.Sprintf(`{"format":"licet-ring/v1","issuer":"Acme Tools","secret":%t,"products":[%s],"keys":[%s]}`,
		secrets, products, strings.Join(keys, ","))
}

func mintKeyText(k *key, secrets bool) string {
	products := ""
	for i, p := range k.products {
		if i > 0 {
			products += ","
		}
		products += p.String()
	}
	text := fmt.Sprintf(`{"role":"mint","id":"%s","state":"%s","descriptor":"%s","products":[%s]`, k.id, k.state, k.text, products)
	switch {
	case k.public != nil:
		text += fmt.Sprintf(`,"public":"%s"`, hexOf(publicBytes(k.public)))
	case secrets && k.secret != nil:
		text += fmt.Sprintf(`,"secret":"%s"`, hexOf(k.secret))
	}
	return text + "}"
}

func roleKeyText(role string, public *ecdsa.PublicKey) string {
	return roleKeyTextIn("active", role, public)
}

func roleKeyTextIn(state, role string, public *ecdsa.PublicKey) string {
	return fmt.Sprintf(`{"role":"%s","id":"%s","state":"%s","public":"%s"}`,
		role, publicID("licet/v1 "+role, public), state, hexOf(publicBytes(public)))
}
