package main

import (
	"fmt"
	"log"
	"math/big"
	"strings"

	"github.com/licet-dev/licet/testvectors/internal/vectorfile"
)

var ringNotes = map[string]string{
	"accepted":   "Rings that a reader takes.",
	"json":       "What strict JSON refuses, and the forms of JSON that it takes.",
	"member":     "Members that are missing, unknown or of a wrong type.",
	"value":      "Members with a wrong value.",
	"descriptor": "The grammar and the bounds of section 2.1.",
	"unique":     "What may occur once in a ring.",
	"shape":      "The rule of section 5.2.",
}

type ringSuite struct {
	tests []vectorfile.RingsTest
}

func ringsFile() vectorfile.File[vectorfile.RingsTest] {
	var s ringSuite
	s.addAccepted()
	s.addJSON()
	s.addMembers()
	s.addValues()
	s.addDescriptors()
	s.addUnique()
	s.addShapes()
	return vectorfile.File[vectorfile.RingsTest]{
		Header: header("rings", "Section 9.1: rings that are accepted and rings that are refused. The problem is a help to the reader of a test; an implementation may name it in another way.", ringNotes, s.tests),
		Tests:  s.tests,
	}
}

// add adds a ring; want is the problem that is expected, "" for none.
func (s *ringSuite) add(name, comment string, want problem, flag, text string) {
	_, got := readRing(text)
	if got != want {
		log.Fatalf("rings: %s: problem %q, want %q", name, got, want)
	}
	s.tests = append(s.tests, vectorfile.RingsTest{
		Test: vectorfile.Test{Name: name, Comment: comment, Flags: []string{flag}},
		Ring: text, Accepted: got == "", Problem: string(got),
	})
}

// publicRing and secretRing are what most tests change.
var (
	listKey    = privateKey(counting(0x30))
	receiptKey = privateKey(counting(0x31))
	publicRing = ringOfTexts(false, sevenAndEight, mintKeyText(key8, false), mintKeyText(key9, false),
		roleKeyText("list", &listKey.PublicKey), roleKeyText("receipt", &receiptKey.PublicKey))
	secretRing = ringText(true, []int{7, 8}, key8, key9)
)

const sevenAndEight = `{"number":7,"name":"Widget"},{"number":8,"name":"Gadget"}`

// edit replaces the one occurrence of old.
func edit(text, old, new string) string {
	if strings.Count(text, old) != 1 {
		log.Fatalf("rings: %q occurs %d times", old, strings.Count(text, old))
	}
	return strings.Replace(text, old, new, 1)
}

// editFirst replaces the first of several occurrences.
func editFirst(text, old, new string) string {
	if !strings.Contains(text, old) {
		log.Fatalf("rings: %q does not occur", old)
	}
	return strings.Replace(text, old, new, 1)
}

func (s *ringSuite) addAccepted() {
	s.add("public", "keys of every role, without secrets", "", "accepted", publicRing)
	s.add("specification", "the ring of section 9.1", "", "accepted", `{
  "format": "licet-ring/v1",
  "issuer": "Acme Tools",
  "secret": false,
  "products": [
    {"number": 7, "name": "Widget"}
  ],
  "keys": [
    {
      "role": "mint",
      "id": "e21531b141ba7c8d",
      "state": "active",
      "descriptor": "licet/v1 es256 key=9 prefix= layout=product:9,version:8,expiry:15,serial:28 bind=none sig=512",
      "products": [7],
      "public": "0460fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb67903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"
    },
    {
      "role": "mint",
      "id": "ca3f2093e4fe1455",
      "state": "active",
      "descriptor": "licet/v1 hs256 key=8 prefix=ACME layout=product:9,version:8,expiry:15,serial:28 bind=none sig=80",
      "products": [7]
    }
  ]
}
`)
	s.add("secret", "", "", "accepted", secretRing)
	s.add("seven-keys", "", "", "accepted", ringText(true, []int{7}, sevenKeys...))
	s.add("secret-left-out", "a ring with secrets may lack one", "", "accepted", edit(secretRing, `,"secret":"`+hexOf(key8.secret)+`"`, ""))
	s.add("closed-and-withdrawn", "", "", "accepted", ringText(false, []int{7}, key8.inState("closed"), key9.inState("withdrawn")))
	s.add("no-keys", "nothing says that a ring has keys", "", "accepted", ringOfTexts(false, sevenAndEight))
	s.add("no-products-and-no-keys", "", "", "accepted", ringOfTexts(false, ""))
	s.add("longest-names", "128 bytes, not characters", "", "accepted",
		edit(edit(publicRing, "Acme Tools", strings.Repeat("a", 128)), "Widget", strings.Repeat("\u00fc", 64)))
	s.add("same-product-name-twice", "only numbers are unique", "", "accepted", edit(publicRing, "Gadget", "Widget"))
	s.add("largest-product-number", "2^53-1", "", "accepted", edit(publicRing, `{"number":8,`, `{"number":9007199254740991,`))
	s.add("product-at-its-width", "product 511 in 9 bits", "", "accepted",
		strings.ReplaceAll(edit(publicRing, `"number":7,`, `"number":511,`), `"products":[7]`, `"products":[511]`))
	s.add("two-products-for-a-key", "", "", "accepted", editFirst(publicRing, `"products":[7]`, `"products":[8,7]`))
	s.add("any-id-without-secret", "nobody can recompute the id of an hs256 key without its secret", "", "accepted",
		edit(publicRing, key8.id, "0123456789abcdef"))
}

func (s *ringSuite) addJSON() {
	s.add("white-space", "between all tokens and around", "", "json",
		" \t\r\n"+strings.NewReplacer("{", "{ ", ":[", " :\t[", ",\"", "\n,\r\n\"").Replace(publicRing)+"\r\n")
	s.add("escaped-member-name", "an escape spells the same name", "", "json", edit(publicRing, `"issuer"`, `"\u0069ssuer"`))
	s.add("other-order", "members have no order", "", "json",
		edit(edit(publicRing, `"format":"licet-ring/v1",`, ""), `}]}`, `}],"format":"licet-ring/v1"}`))
	s.add("empty-text", "", "syntax", "json", "")
	s.add("array", "", "syntax", "json", "["+publicRing+"]")
	s.add("cut-off", "", "syntax", "json", publicRing[:len(publicRing)-1])
	s.add("trailing-comma", "", "syntax", "json", publicRing[:len(publicRing)-1]+",}")
	s.add("comment", "", "syntax", "json", "// ring\n"+publicRing)
	s.add("single-quotes", "", "syntax", "json", edit(publicRing, `"Acme Tools"`, `'Acme Tools'`))
	s.add("byte-order-mark", "", "syntax", "json", "\ufeff"+publicRing)
	s.add("object-after", "", "trailing-data", "json", publicRing+"{}")
	s.add("letter-after", "", "trailing-data", "json", publicRing+"\nx")
	s.add("duplicate-member", "with the same value", "duplicate-member", "json", edit(publicRing, `"secret":false,`, `"secret":false,"secret":false,`))
	s.add("duplicate-by-escape", "an escape spells the same name", "duplicate-member", "json",
		edit(publicRing, `"secret":false,`, `"secret":false,"s\u0065cret":true,`))
	s.add("duplicate-in-a-key", "", "duplicate-member", "json", edit(publicRing, `"id":"`+key8.id+`",`, `"id":"`+key8.id+`","id":"`+key8.id+`",`))
	s.add("duplicate-in-a-product", "", "duplicate-member", "json", edit(publicRing, `"name":"Widget"`, `"name":"Widget","name":"Gizmo"`))
	s.add("issuer-null", "", "syntax", "json", edit(publicRing, `"Acme Tools"`, `null`))
	s.add("secret-null", "a secret is left out, not null", "syntax", "json", edit(secretRing, `"secret":"`+hexOf(key8.secret)+`"`, `"secret":null`))
	s.add("keys-null", "", "syntax", "json", ringOfTexts(false, sevenAndEight)[:len(ringOfTexts(false, sevenAndEight))-3]+"null}")
}

func (s *ringSuite) addMembers() {
	s.add("unknown-member", "", "unknown-member", "member", edit(publicRing, `"issuer"`, `"comment":"","issuer"`))
	s.add("unknown-member-of-a-key", "", "unknown-member", "member", edit(publicRing, `"id":"`+key8.id+`"`, `"id":"`+key8.id+`","note":"x"`))
	s.add("unknown-member-of-a-product", "", "unknown-member", "member", edit(publicRing, `"name":"Widget"`, `"name":"Widget","price":1`))
	s.add("other-case", "", "unknown-member", "member", edit(publicRing, `"issuer"`, `"Issuer"`))
	s.add("other-case-of-a-key", "", "unknown-member", "member", editFirst(publicRing, `"state"`, `"STATE"`))
	s.add("other-case-of-a-product", "", "unknown-member", "member", edit(publicRing, `"name":"Widget"`, `"Name":"Widget"`))
	s.add("other-case-beside", "the right spelling is there too", "unknown-member", "member", edit(publicRing, `"issuer"`, `"ISSUER":"x","issuer"`))
	s.add("format-missing", "", "format", "member", edit(publicRing, `"format":"licet-ring/v1",`, ""))
	s.add("issuer-missing", "", "issuer", "member", edit(publicRing, `"issuer":"Acme Tools",`, ""))
	s.add("secret-missing", "not even false may be left out", "secret", "member", edit(publicRing, `"secret":false,`, ""))
	s.add("products-missing", "", "product", "member", edit(publicRing, `"products":[`+sevenAndEight+`],`, ""))
	s.add("keys-missing", "", "syntax", "member", edit(ringOfTexts(false, sevenAndEight), `,"keys":[]`, ""))
	s.add("role-missing", "", "role", "member", editFirst(publicRing, `"role":"mint",`, ""))
	s.add("id-missing", "", "id-mismatch", "member", edit(publicRing, `"id":"`+key8.id+`",`, ""))
	s.add("state-missing", "", "state", "member", editFirst(publicRing, `"state":"active",`, ""))
	s.add("state-missing-of-a-list-key", "every key has a state", "state", "member",
		ringOfTexts(false, sevenAndEight, edit(roleKeyText("list", &listKey.PublicKey), `"state":"active",`, "")))
	s.add("descriptor-missing", "", "descriptor", "member", edit(publicRing, `"descriptor":"`+key8.text+`",`, ""))
	s.add("allowed-products-missing", "", "allowed-product", "member", editFirst(publicRing, `,"products":[7]`, ""))
	s.add("public-missing", "", "public-key", "member", edit(publicRing, `,"public":"`+hexOf(publicBytes(key9.public))+`"`, ""))
	s.add("product-name-missing", "", "product", "member", edit(publicRing, `,"name":"Widget"`, ""))
	s.add("product-number-missing", "", "product", "member", edit(publicRing, `"number":7,`, ""))
	s.add("secret-as-text", "", "syntax", "member", edit(publicRing, `"secret":false`, `"secret":"false"`))
	s.add("products-as-object", "", "syntax", "member", edit(publicRing, `[`+sevenAndEight+`]`, `{}`))
	s.add("product-number-as-text", "", "syntax", "member", edit(publicRing, `"number":7,`, `"number":"7",`))
	s.add("allowed-product-as-text", "", "syntax", "member", editFirst(publicRing, `"products":[7]`, `"products":["7"]`))
	s.add("public-for-hs256", "hs256 has no public key", "public-key", "member",
		edit(publicRing, `"id":"`+key8.id+`"`, `"id":"`+key8.id+`","public":"`+hexOf(publicBytes(key3.public))+`"`))
	s.add("secret-for-es256", "es256 has no secret in a ring", "secret", "member",
		edit(secretRing, `"id":"`+key9.id+`"`, `"id":"`+key9.id+`","secret":"`+hexOf(rfc6979)+`"`))
	s.add("descriptor-for-a-list-key", "", "descriptor", "member",
		edit(publicRing, `"role":"list"`, `"role":"list","descriptor":"licet/v1 list"`))
	s.add("products-for-a-receipt-key", "", "allowed-product", "member", edit(publicRing, `"role":"receipt"`, `"role":"receipt","products":[7]`))
	s.add("public-missing-of-a-list-key", "", "public-key", "member",
		edit(publicRing, `,"public":"`+hexOf(publicBytes(&listKey.PublicKey))+`"`, ""))
}

func (s *ringSuite) addValues() {
	s.add("other-format", "", "format", "value", edit(publicRing, "licet-ring/v1", "licet-ring/v2"))
	s.add("format-in-upper-case", "", "format", "value", edit(publicRing, "licet-ring/v1", "LICET-RING/V1"))
	s.add("issuer-empty", "", "issuer", "value", edit(publicRing, "Acme Tools", ""))
	s.add("issuer-too-long", "129 bytes", "issuer", "value", edit(publicRing, "Acme Tools", strings.Repeat("a", 129)))
	s.add("issuer-too-long-in-bytes", "65 characters of 2 bytes", "issuer", "value", edit(publicRing, "Acme Tools", strings.Repeat("\u00fc", 65)))
	s.add("issuer-with-control", "U+000A", "issuer", "value", edit(publicRing, "Acme Tools", `Acme\nTools`))
	s.add("issuer-with-delete", "U+007F", "issuer", "value", edit(publicRing, "Acme Tools", `Acme\u007fTools`))
	s.add("issuer-with-c1-control", "U+0085", "issuer", "value", edit(publicRing, "Acme Tools", `Acme\u0085Tools`))
	s.add("issuer-damaged", "U+FFFD", "issuer", "value", edit(publicRing, "Acme Tools", `Acme\ufffdTools`))
	s.add("product-name-empty", "", "product", "value", edit(publicRing, "Widget", ""))
	s.add("product-name-too-long", "", "product", "value", edit(publicRing, "Widget", strings.Repeat("a", 129)))
	s.add("product-name-with-control", "U+0000", "product", "value", edit(publicRing, "Widget", `Wid\u0000get`))
	s.add("product-0", "", "product", "value", edit(publicRing, `"number":8`, `"number":0`))
	s.add("product-negative", "", "product", "value", edit(publicRing, `"number":8`, `"number":-8`))
	s.add("product-with-fraction", "", "product", "value", edit(publicRing, `"number":8`, `"number":8.5`))
	s.add("product-with-zero-fraction", "a number is written in digits", "product", "value", edit(publicRing, `"number":8`, `"number":8.0`))
	s.add("product-with-exponent", "a number is written in digits", "product", "value", edit(publicRing, `"number":8`, `"number":8e0`))
	s.add("product-too-large", "2^53", "product", "value", edit(publicRing, `"number":8`, `"number":9007199254740992`))
	s.add("product-twice", "", "product", "value", edit(publicRing, `"number":8`, `"number":7`))
	s.add("role-unknown", "", "role", "value", edit(publicRing, `"role":"list"`, `"role":"manifest"`))
	s.add("role-in-upper-case", "", "role", "value", editFirst(publicRing, `"role":"mint"`, `"role":"MINT"`))
	s.add("state-unknown", "", "state", "value", editFirst(publicRing, `"active"`, `"revoked"`))
	s.add("state-in-upper-case", "", "state", "value", editFirst(publicRing, `"active"`, `"Active"`))
	s.add("id-changed", "es256", "id-mismatch", "value", edit(publicRing, key9.id, "e21531b141ba7c8e"))
	s.add("id-changed-hs256", "the secret is at hand", "id-mismatch", "value", edit(secretRing, key8.id, "ca3f2093e4fe1456"))
	s.add("id-changed-of-a-list-key", "", "id-mismatch", "value", edit(publicRing, publicID("licet/v1 list", &listKey.PublicKey), "0123456789abcdef"))
	s.add("id-of-the-other-role", "the role is in the id", "id-mismatch", "value", edit(publicRing, `"role":"list"`, `"role":"receipt"`))
	s.add("id-in-upper-case", "", "id-mismatch", "value", edit(publicRing, key8.id, strings.ToUpper(key8.id)))
	s.add("id-too-short", "", "id-mismatch", "value", edit(publicRing, key8.id, key8.id[:15]))
	s.add("id-too-long", "", "id-mismatch", "value", edit(publicRing, key8.id, key8.id+"0"))
	s.add("descriptor-edited", "any edit of the descriptor changes the id", "id-mismatch", "value", edit(publicRing, key9.text, edit(key9.text, "version:8", "edition:8")))
	s.add("descriptor-edited-hs256", "the secret is at hand", "id-mismatch", "value", edit(secretRing, key8.text, edit(key8.text, "ACME", "ACNE")))
	s.add("secret-in-a-public-ring", "", "secret-in-public-ring", "value", edit(secretRing, `"secret":true`, `"secret":false`))
	s.add("secret-too-short", "31 bytes", "secret", "value", edit(secretRing, hexOf(key8.secret), hexOf(key8.secret[:31])))
	s.add("secret-too-long", "33 bytes", "secret", "value", edit(secretRing, hexOf(key8.secret), hexOf(key8.secret)+"20"))
	s.add("secret-in-upper-case", "", "secret", "value", edit(secretRing, hexOf(key8.secret), strings.ToUpper(hexOf(key8.secret))))
	s.add("secret-not-hexadecimal", "", "secret", "value", edit(secretRing, hexOf(key8.secret), "g"+hexOf(key8.secret)[1:]))
	zero := make([]byte, 32)
	s.add("secret-of-zero-bytes", "with the id that belongs to it", "secret", "value",
		ringText(true, []int{7}, newKey(key8.text, zero)))
	point := hexOf(publicBytes(key9.public))
	bad := func(name, comment, text string) {
		s.add(name, comment, "public-key", "value", edit(publicRing, point, text))
	}
	bad("public-compressed", "33 bytes", "03"+point[2:66])
	bad("public-hybrid", "0x06 or 0x07 first", "07"+point[2:])
	bad("public-without-0x04", "64 bytes", point[2:])
	bad("public-too-long", "66 bytes", point+"00")
	bad("public-in-upper-case", "", strings.ToUpper(point))
	bad("public-off-the-curve", "", point[:129]+"8")
	bad("public-at-infinity", "", "00")
	bad("public-of-zeros", "(0,0) is not on the curve", "04"+strings.Repeat("00", 64))
	bad("public-beyond-the-field", "X is not below p", "04"+strings.Repeat("ff", 32)+point[66:])
	s.add("allows-no-product", "", "allowed-product", "value", editFirst(publicRing, `"products":[7]`, `"products":[]`))
	s.add("allows-a-product-twice", "", "allowed-product", "value", editFirst(publicRing, `"products":[7]`, `"products":[7,7]`))
	s.add("allows-an-unknown-product", "", "allowed-product", "value", editFirst(publicRing, `"products":[7]`, `"products":[7,9]`))
	s.add("allows-product-0", "", "allowed-product", "value", editFirst(publicRing, `"products":[7]`, `"products":[0]`))
	s.add("allows-a-product-too-wide", "product 512 in 9 bits", "allowed-product", "value",
		editFirst(edit(publicRing, `"number":8`, `"number":512`), `"products":[7]`, `"products":[512]`))
}

// addDescriptor adds a ring with one key; only the descriptor is in question.
// Without the secret the id of an hs256 key can't be recomputed, and the id
// of an es256 key is right.
func (s *ringSuite) addDescriptor(accepted bool, name, comment, descriptor string) {
	id, public := "0123456789abcdef", ""
	if strings.Contains(descriptor, "es256") {
		id = publicID(descriptor, key9.public)
		public = fmt.Sprintf(`,"public":"%s"`, hexOf(publicBytes(key9.public)))
	}
	want := problem("descriptor")
	if accepted {
		want = ""
	}
	s.add("descriptor-"+name, comment, want, "descriptor", ringOfTexts(false, `{"number":1,"name":"Widget"}`,
		fmt.Sprintf(`{"role":"mint","id":"%s","state":"active","descriptor":"%s","products":[1]%s}`, id, descriptor, public)))
}

func (s *ringSuite) addDescriptors() {
	const base = "licet/v1 hs256 key=8 prefix= layout=product:9,version:8,expiry:15,serial:28 bind=none sig=80"
	yes := func(name, comment, old, new string) { s.addDescriptor(true, name, comment, edit(base, old, new)) }
	no := func(name, comment, old, new string) { s.addDescriptor(false, name, comment, edit(base, old, new)) }
	const layout = "product:9,version:8,expiry:15,serial:28"

	yes("key-1", "", "key=8", "key=1")
	yes("key-31", "", "key=8", "key=31")
	no("key-0", "reserved", "key=8", "key=0")
	no("key-32", "", "key=8", "key=32")
	no("key-with-leading-zero", "", "key=8", "key=08")
	no("key-missing", "", "key=8", "key=")
	no("key-with-sign", "", "key=8", "key=+8")
	no("key-264", "8 if it is cut to 8 bits", "key=8", "key=264")

	yes("prefix-of-2", "", "prefix=", "prefix=AB")
	yes("prefix-of-8", "", "prefix=", "prefix=ABCDEFG8")
	yes("prefix-with-0-o-1-i", "", "prefix=", "prefix=OI10")
	no("prefix-of-1", "", "prefix=", "prefix=A")
	no("prefix-of-9", "", "prefix=", "prefix=ABCDEFGHJ")
	no("prefix-begins-with-digit", "", "prefix=", "prefix=4ME")
	no("prefix-in-lower-case", "", "prefix=", "prefix=acme")
	no("prefix-with-hyphen", "", "prefix=", "prefix=AC-ME")
	no("prefix-not-ascii", "", "prefix=", "prefix=\u00c4CME")

	yes("widths-of-1", "", layout, "product:1,serial:1,a:1,b:1,c:1")
	yes("width-of-53", "", layout, "product:9,a:53,serial:28")
	no("width-of-54", "", layout, "product:9,a:54,serial:27")
	no("width-of-0", "", layout, "product:9,a:0,serial:26")
	no("width-with-leading-zero", "", "product:9", "product:09")
	no("width-missing", "", "version:8", "version")
	yes("expiry-of-8", "", layout, "product:9,expiry:8,serial:28")
	yes("expiry-of-21", "", layout, "product:9,expiry:21,serial:30")
	no("expiry-of-7", "", layout, "product:9,expiry:7,serial:29")
	no("expiry-of-22", "", layout, "product:9,expiry:22,serial:29")
	yes("start-of-8", "", layout, "product:9,start:8,serial:28")
	yes("start-of-21", "", layout, "product:9,start:21,serial:30")
	no("start-of-7", "", layout, "product:9,start:7,serial:29")
	no("start-of-22", "", layout, "product:9,start:22,serial:29")
	yes("p-of-5", "the smallest layout", layout, tiniest)
	yes("p-of-160", "", layout, "product:9,serial:53,a:53,b:45")
	no("p-of-165", "", layout, "product:9,serial:53,a:53,b:50")
	no("p-of-61", "not a multiple of 5", "serial:28", "serial:29")
	no("p-of-59", "not a multiple of 5", "serial:28", "serial:27")
	yes("sixteen-fields", "", layout, sixteen)
	no("seventeen-fields", "", layout, sixteen+",o:5")
	no("name-twice", "", layout, "product:9,version:8,version:15,serial:28")
	no("product-missing", "", "product:9", "products:9")
	no("serial-missing", "", "serial:28", "number:28")
	yes("other-order", "the fields may come in any order", layout, "serial:28,expiry:15,version:8,product:9")
	yes("field-name-of-16", "", "version", "abcdefghijklmno6")
	no("field-name-of-17", "", "version", "abcdefghijklmnop7")
	no("field-name-in-upper-case", "", "version", "Version")
	no("field-name-begins-with-digit", "", "version", "2version")
	no("field-name-with-underscore", "", "version", "max_users")
	no("field-name-empty", "", "version:8", ":8")
	no("layout-empty", "", layout, "")
	no("layout-with-comma-at-the-end", "", "serial:28", "serial:28,")
	no("layout-with-space", "", ",version", ", version")
	no("layout-by-its-name", "the names of layouts never stand in a descriptor", layout, "standard")

	yes("bind-of-16", "", "bind=none", "bind=abcdefghijklmno6")
	no("bind-of-17", "", "bind=none", "bind=abcdefghijklmnop7")
	no("bind-empty", "", "bind=none", "bind=")
	no("bind-in-upper-case", "", "bind=none", "bind=None")

	for _, t := range []string{"35", "40", "55", "80", "155", "160"} {
		yes("sig-"+t, "", "sig=80", "sig="+t)
	}
	for _, t := range []string{"5", "30", "34", "36", "79", "81", "128", "165", "256", "512"} {
		no("sig-"+t, "", "sig=80", "sig="+t)
	}
	no("sig-with-leading-zero", "", "sig=80", "sig=080")
	no("sig-of-four-digits", "", "sig=80", "sig=0080")

	es := strings.NewReplacer("hs256", "es256", "sig=80", "sig=512").Replace(base)
	s.addDescriptor(true, "es256", "", es)
	s.addDescriptor(true, "es256-p-of-160", "the longest code, 139 symbols", edit(es, layout, "product:9,serial:53,a:53,b:45"))
	for _, t := range []string{"80", "160", "510", "511", "515", "5120"} {
		s.addDescriptor(false, "es256-sig-"+t, "", edit(es, "sig=512", "sig="+t))
	}
	s.addDescriptor(false, "es256t", "reserved and refused", edit(es, "es256", "es256t"))
	no("suite-unknown", "", "hs256", "hs512")
	no("suite-in-upper-case", "the grammar has one spelling", "hs256", "HS256")
	no("licet-in-upper-case", "the grammar has one spelling", "licet/v1", "LICET/V1")
	no("version-2", "", "licet/v1", "licet/v2")
	no("space-before", "", "licet/v1", " licet/v1")
	no("space-after", "", "sig=80", "sig=80 ")
	no("two-spaces", "", " key=8", "  key=8")
	no("newline-after", "", "sig=80", `sig=80\n`)
	no("tab-for-space", "", " key=8", `\tkey=8`)
	no("parts-exchanged", "", "bind=none sig=80", "sig=80 bind=none")
	no("part-missing", "", " bind=none", "")
	no("part-more", "", "sig=80", "sig=80 x=1")
	s.addDescriptor(false, "empty", "", "")
	s.addDescriptor(false, "of-a-list-key", "not for role mint", "licet/v1 list")
}

func (s *ringSuite) addUnique() {
	at := func(number int) *key { return hs256(number, "", standard, 80, counting(byte(number))) }
	s.add("keys-31-and-1", "the order of keys is free", "", "unique", ringText(true, []int{7}, at(31), at(1)))
	s.add("number-twice", "", "duplicate-key", "unique", ringText(true, []int{7}, at(8), hs256(8, "", wide, 80, counting(0x33))))
	s.add("number-twice-with-suites", "the number is one for both suites", "duplicate-key", "unique", ringText(true, []int{7}, at(9), key9))
	s.add("number-twice-with-prefixes", "", "duplicate-key", "unique", ringText(true, []int{7}, key8, hs256(8, "ZETA", wide, 80, counting(0x33))))
	s.add("secret-twice", "under two numbers", "duplicate-key", "unique",
		ringText(true, []int{7}, at(8), hs256(9, "", standard, 80, counting(8))))
	s.add("public-twice", "under two numbers", "duplicate-key", "unique",
		ringText(true, []int{7}, key9, es256(10, "", standard, rfc6979)))
	s.add("public-twice-in-roles", "mint and list", "duplicate-key", "unique",
		ringOfTexts(false, sevenAndEight, mintKeyText(key9, false), roleKeyText("list", key9.public)))
	s.add("public-twice-list-and-receipt", "", "duplicate-key", "unique",
		ringOfTexts(false, sevenAndEight, roleKeyText("list", &listKey.PublicKey), roleKeyText("receipt", &listKey.PublicKey)))
	s.add("list-key-twice", "", "duplicate-key", "unique",
		ringOfTexts(false, sevenAndEight, roleKeyText("list", &listKey.PublicKey), roleKeyText("list", &listKey.PublicKey)))
	s.add("two-list-keys", "a role may have several keys", "", "unique",
		ringOfTexts(false, sevenAndEight, roleKeyText("list", &listKey.PublicKey), roleKeyText("list", &receiptKey.PublicKey)))
	one, two := at(8), at(9)
	two.id = one.id
	s.add("id-twice", "nobody can recompute them, but they are the same", "duplicate-key", "unique", ringText(false, []int{7}, one, two))
	negated := negatedScalar(rfc6979)
	s.add("opposite-public", "the same X with the other Y is another key", "", "unique", ringText(false, []int{7}, key9, es256(10, "", standard, negated)))
}

// negatedScalar returns n less the scalar.
func negatedScalar(scalar []byte) []byte {
	v := new(big.Int).SetBytes(scalar)
	return bytesOf(v.Sub(order, v), 256)
}

func (s *ringSuite) addShapes() {
	public := func(keys ...*key) string { return ringText(false, []int{7}, keys...) }
	make := func(number int, prefix, layout string, sig int) *key {
		return hs256(number, prefix, layout, sig, counting(byte(0x70+number)))
	}
	s.add("same-prefix", "several keys may share a prefix", "", "shape", public(key8, key11))
	s.add("same-prefix-same-length", "their first symbols differ", "", "shape", public(key8, make(10, "ACME", standard, 80)))
	s.add("same-length-no-prefix", "", "", "shape", public(make(8, "", standard, 80), make(10, "", standard, 80)))
	s.add("coupon-with-prefix-beside-compact", "P477 and 20 symbols are 24, as compact, but the compact codes begin with D", "", "shape", public(key11, key12))
	s.add("coupon-with-prefix-like-compact", "P477 and 20 symbols are 24, as compact, and the compact codes begin with P", "shape", "shape",
		public(make(21, "", compact, 55), key12))
	s.add("coupon-with-prefix-like-compact-reversed", "the order of keys does not matter", "shape", "shape", public(key12, make(21, "", compact, 55)))
	s.add("prefix-begins-with-the-symbol-of-another-length", "the lengths differ, so nothing collides", "", "shape",
		public(make(21, "", standard, 80), key12))
	s.add("prefix-like-another-prefix-and-symbol", "AB and C are 34 symbols, ABCD and E too", "shape", "shape",
		public(make(10, "AB", standard, 80), make(12, "ABCD", "product:9,version:8,expiry:15,serial:18", 80)))
	s.add("prefix-like-another-prefix-only", "AB and C are 34 symbols, ABED and F too, but C is not E", "", "shape",
		public(make(10, "AB", standard, 80), make(13, "ABED", "product:9,version:8,expiry:15,serial:18", 80)))
	s.add("own-shapes", "the shapes of one key never count against each other", "", "shape", public(make(8, "AA", standard, 80)))
}
