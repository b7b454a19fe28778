package receipt_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"encoding/base64"
	"fmt"
	"math/big"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/note"
	"github.com/licet-dev/licet/keys/receipt"
	"github.com/licet-dev/licet/payload"
)

// signed returns the text of newReceipt with the active key.
func signed(change ...func(*receipt.Receipt)) string {
	return must(receipt.Sign(newReceipt(change...), receiptKey("active")))
}

// headerOf returns the header that names a receipt key.
func headerOf(name string) string {
	return `{"alg":"ES256","kid":"` + receiptKey(name).ID().String() + `","typ":"licet-receipt+jwt"}`
}

func TestOpenKeys(t *testing.T) {
	opens(t, signed(), newReceipt(), "active")
	opens(t, must(receipt.Sign(newReceipt(), receiptKey("closed"))), newReceipt(), "closed")

	// A withdrawn key is not looked at: not even its bad signatures are another error.
	for _, k := range []*ecdsa.PrivateKey{ecKey("withdrawn"), ecKey("nobody's")} {
		e := refused(t, byHand(headerOf("withdrawn"), "{}", k), ring, receipt.KeyWithdrawn)
		if e.Key != receiptKey("withdrawn").ID() || !strings.Contains(e.Error(), e.Key.String()) {
			t.Errorf("error %v of key %s", e, e.Key)
		}
	}
	if e := refused(t, must(receipt.Sign(newReceipt(), receiptKey("nobody's"))), ring, receipt.UnknownKey); e.Key != receiptKey("nobody's").ID() {
		t.Errorf("key %s", e.Key)
	}
	// The key id picks the key: that another key of the ring signed makes it no better.
	_, claims, _ := parts(signed())
	for _, k := range []string{"closed", "withdrawn", "list", esDescriptor, "nobody's"} {
		refused(t, byHand(headerOf("active"), claims, ecKey(k)), ring, receipt.BadSignature)
	}
	// Keys of other roles sign no receipts, whatever the header says.
	for role, id := range map[string]keys.ID{
		"list": must(keys.NewRoleKey(keys.List, ecKey("list"))).ID(), esDescriptor: mintKey(esDescriptor).ID(),
	} {
		header := strings.Replace(headerOf("active"), receiptKey("active").ID().String(), id.String(), 1)
		refused(t, byHand(header, claims, ecKey(role)), ring, receipt.UnknownKey)
	}
	if r, _, err := receipt.Open(signed(), nil); err == nil || r.Issuer != "" {
		t.Errorf("without a ring: %v", err)
	}
}

func TestOpenRing(t *testing.T) {
	others := []keys.Key{mintKey(esDescriptor), roleKey(receiptKey("active"), keys.Active)}
	refused(t, signed(), newRing("Acme Tool", others...), receipt.OtherIssuer)
	refused(t, signed(), newRing("acme tools", others...), receipt.OtherIssuer)
	refused(t, signed(), newRing("Acme Tools", mintKey(richDescriptor), others[1]), receipt.UnknownMintKey)

	for name, change := range map[string]func(*receipt.Receipt){
		"wide version":     func(r *receipt.Receipt) { r.License.Version = 256 },
		"wide serial":      func(r *receipt.Receipt) { r.License.Serial = 1 << 28 },
		"wide product":     func(r *receipt.Receipt) { r.License.Product = 512 },
		"late expiry":      func(r *receipt.Receipt) { r.License.Expiry = payload.Date(2114, 9, 20) },
		"start":            func(r *receipt.Receipt) { r.License.Start = 1 },
		"seats":            func(r *receipt.Receipt) { r.License.Seats = 1 },
		"field":            func(r *receipt.Receipt) { r.License.Extra.Set("colour", 1) },
		"other product":    func(r *receipt.Receipt) { r.License.Product = 8 }, // of the ring, but not of the key
		"version, coupon":  func(r *receipt.Receipt) { coupon(r); r.License.Version = 1 },
		"expiry, coupon":   func(r *receipt.Receipt) { coupon(r); r.License.Expiry = 1 },
		"features, coupon": func(r *receipt.Receipt) { coupon(r); r.License.Features = 1 },
	} {
		if e := refused(t, signed(change), ring, receipt.KeyMismatch); e.Key != receiptKey("active").ID() {
			t.Errorf("%s: key %s", name, e.Key)
		}
	}
	// Mint keys may be in any state: what the licence is worth then, others say.
	for _, s := range []keys.State{keys.Active, keys.Closed, keys.Withdrawn} {
		if _, _, err := receipt.Open(signed(), newRing("Acme Tools", mintKey(esDescriptor).WithState(s), others[1])); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
	// All fields of the layout come back, also those that are 0.
	r, _, err := receipt.Open(signed(rich), ring)
	if shape, ok := r.License.Extra.Get("shape"); err != nil || shape != 0 || !ok {
		t.Errorf("shape %d, %v; error %v", shape, ok, err)
	}
}

// Changes of a single bit are refused, whatever they hit.
func TestOpenMangled(t *testing.T) {
	text := signed(rich)
	for i := range text {
		for bit := range 8 {
			b := []byte(text)
			b[i] ^= 1 << bit
			if r, _, err := receipt.Open(string(b), ring); err == nil {
				t.Fatalf("byte %d: %q becomes %q and opens: %+v", i, text[i], b[i], r)
			}
		}
	}
	for i := range text {
		refused(t, text[:i], ring, receipt.Malformed)
	}
	for _, extra := range []string{"A", "-", ".", ".A", "=", text, "." + text} {
		refused(t, text+extra, ring, receipt.Malformed)
		refused(t, extra+text, ring, receipt.Malformed)
	}
}

// The last symbol of a part may have bits that count for nothing; they must be zero
// (CT-16).
func TestOpenSpareBits(t *testing.T) {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	text := signed()
	last := strings.IndexByte(alphabet, text[len(text)-1])
	if last%4 != 0 { // 64 bytes leave two bits
		t.Fatalf("the last symbol is %q", text[len(text)-1])
	}
	for i := last + 1; i < last+4; i++ {
		refused(t, text[:len(text)-1]+alphabet[i:i+1], ring, receipt.Malformed)
	}
}

// Both spellings of a signature are good, so the text of a receipt is no identity
// (CR-02, CR-03).
func TestOpenTwin(t *testing.T) {
	other := twin(signed())
	if other == signed() {
		t.Fatal("the twin is the same: the test proves nothing")
	}
	opens(t, other, newReceipt(), "active")
}

func TestOpenSignatureRange(t *testing.T) {
	head := signed()[:strings.LastIndex(signed(), ".")+1]
	_, _, good := parts(signed())
	n := elliptic.P256().Params().N
	half := func(v *big.Int) []byte { return v.FillBytes(make([]byte, 32)) }
	values := map[string][]byte{
		"0": make([]byte, 32), "1": half(big.NewInt(1)), "n-1": half(new(big.Int).Sub(n, big.NewInt(1))),
		"n": half(n), "n+1": half(new(big.Int).Add(n, big.NewInt(1))), "all ones": bytes.Repeat([]byte{0xff}, 32),
	}
	for name, v := range values {
		for which, sig := range map[string][]byte{"r": append(bytes.Clone(v), good[32:]...), "s": append(bytes.Clone(good[:32]), v...), "both": append(bytes.Clone(v), v...)} {
			t.Run(which+"="+name, func(t *testing.T) {
				refused(t, head+base64.RawURLEncoding.EncodeToString(sig), ring, receipt.BadSignature)
			})
		}
	}
	for _, size := range []int{0, 1, 32, 63, 65, 70, 72, 128} {
		refused(t, head+base64.RawURLEncoding.EncodeToString(append(good[:64:64], make([]byte, 64)...)[:size]), ring, receipt.Malformed)
	}
	// The signature in DER, as other formats have it, is none here.
	refused(t, head+base64.RawURLEncoding.EncodeToString(append([]byte{0x30, 68, 2, 32}, append(append(bytes.Clone(good[:32]), 2, 32), good[32:]...)...)), ring, receipt.Malformed)
}

// TestVerifyRFC7515 verifies the example of RFC 7515, section A.3.
func TestVerifyRFC7515(t *testing.T) {
	const signed = "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
	decode := func(s string) []byte { return must(base64.RawURLEncoding.DecodeString(s)) }
	point := append([]byte{4}, append(decode("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"), decode("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")...)...)
	public := must(ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point))
	sig := decode("DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q")
	if !receipt.Verify(signed, sig, public) {
		t.Error("the signature is refused")
	}
	if receipt.Verify(signed+"Q", sig, public) {
		t.Error("the signature is accepted for another text")
	}
}

// Headers are exact: with any of these, the good signature does not help.
func TestOpenHeader(t *testing.T) {
	_, claims, _ := parts(signed())
	id := receiptKey("active").ID().String()
	try := func(header string) string { return byHand(header, claims, ecKey("active")) }
	for _, header := range []string{
		headerOf("active"),
		`{"typ":"licet-receipt+jwt","kid":"` + id + `","alg":"ES256"}`,
		"{\n  \"alg\": \"ES256\",\n  \"kid\": \"" + id + "\",\n  \"typ\": \"licet-receipt+jwt\"\n}\n",
		`{"\u0061lg":"ES256","kid":"` + id + `","typ":"licet-receipt\u002bjwt"}`,
	} {
		opens(t, try(header), newReceipt(), "active")
	}
	change := func(from, to string) string {
		if !strings.Contains(headerOf("active"), from) {
			t.Fatalf("the header has no %s", from)
		}
		return strings.Replace(headerOf("active"), from, to, 1)
	}
	for name, header := range map[string]string{
		"no algorithm":       change(`"alg":"ES256",`, ""),
		"none":               change("ES256", "none"),
		"None":               change("ES256", "None"),
		"empty algorithm":    change("ES256", ""),
		"HS256":              change("ES256", "HS256"),
		"ES384":              change("ES256", "ES384"),
		"ES256K":             change("ES256", "ES256K"),
		"small letters":      change("ES256", "es256"),
		"null":               change(`"ES256"`, "null"),
		"algorithm a list":   change(`"ES256"`, `["ES256"]`),
		"algorithm a number": change(`"ES256"`, `256`),
		"no type":            change(`,"typ":"licet-receipt+jwt"`, ""),
		"JWT":                change("licet-receipt+jwt", "JWT"),
		"media type":         change("licet-receipt+jwt", "application/licet-receipt+jwt"),
		"capital type":       change("licet-receipt+jwt", "Licet-Receipt+JWT"),
		"type with blank":    change("licet-receipt+jwt", "licet-receipt+jwt "),
		"no key":             change(`"kid":"`+id+`",`, ""),
		"empty key":          change(id, ""),
		"capital key":        change(id, strings.ToUpper(id)),
		"short key":          change(id, id[:15]),
		"long key":           change(id, id+"0"),
		"path":               change(id, "../../dev/null"),
		"NUL":                change(id, `\u0000`),
		"key a number":       change(`"`+id+`"`, "1"),
		"capital name":       change(`"alg"`, `"Alg"`),
		"long s":             change(`"alg"`, `"al\u0261"`),
		"Kelvin sign":        change(`"kid"`, `"`+"\u212a"+`id"`),
		"crit":               change("{", `{"crit":["exp"],`),
		"b64":                change("{", `{"b64":false,`),
		"jwk":                change("{", `{"jwk":{"kty":"EC"},`),
		"jku":                change("{", `{"jku":"https://example.com/keys",`),
		"x5c":                change("{", `{"x5c":"",`),
		"twice":              change("{", `{"alg":"ES256",`),
		"twice, another":     change("{", `{"alg":"none",`),
		"twice, escaped":     change("{", `{"\u0061lg":"ES256",`),
		"empty":              "",
		"empty object":       "{}",
		"list":               "[" + headerOf("active") + "]",
		"text":               `"ES256"`,
		"null header":        "null",
		"two objects":        headerOf("active") + headerOf("active"),
		"comma":              change("}", ",}"),
		"cut off":            change("}", ""),
		"byte order mark":    "\ufeff" + headerOf("active"),
		"not UTF-8":          change("ES256", "ES256\xff"),
		"nested":             change("{", `{"a":`+strings.Repeat(`{"a":`, 500)+"1"+strings.Repeat("}", 500)+","),
	} {
		t.Run(name, func(t *testing.T) { refused(t, try(header), ring, receipt.Malformed) })
	}
	// As RFC 7515 writes what is not signed at all.
	none := base64.RawURLEncoding.EncodeToString([]byte(change("ES256", "none"))) + "." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + "."
	refused(t, none, ring, receipt.Malformed)
}

// Claims are exact, too. Each of these is signed by the right key.
func TestOpenClaims(t *testing.T) {
	_, claims, _ := parts(signed(rich))
	try := func(claims string) string { return byHand(headerOf("active"), claims, ecKey("active")) }
	opens(t, try(claims), newReceipt(rich), "active")
	opens(t, try(strings.NewReplacer(",", " ,\r\n\t", ":", " : ").Replace(claims)), newReceipt(rich), "active")
	// Members in another order.
	seats := `"seats_enforced":true,`
	opens(t, try("{"+seats+strings.Replace(claims, seats, "", 1)[1:]), newReceipt(rich), "active")

	change := func(from, to string) string {
		if !strings.Contains(claims, from) {
			t.Fatalf("the claims have no %s: %s", from, claims)
		}
		return strings.Replace(claims, from, to, 1)
	}
	cases := map[string]string{
		"null":                  change("true", "null"),
		"truth in a string":     change("true", `"true"`),
		"truth in a number":     change("true", "1"),
		"serial a number":       change(`"9007199254740991"`, "9007199254740991"),
		"serial of 2^53":        change("9007199254740991", "9007199254740992"),
		"serial with zero":      change("9007199254740991", "09"),
		"serial with plus":      change("9007199254740991", "+9"),
		"serial with blank":     change("9007199254740991", " 9"),
		"empty serial":          change("9007199254740991", ""),
		"negative serial":       change("9007199254740991", "-1"),
		"serial 0":              change("9007199254740991", "0"),
		"serial of letters":     change("9007199254740991", "9e3"),
		"product in a string":   change(`"product":7`, `"product":"7"`),
		"product fraction":      change(`"product":7`, `"product":7.0`),
		"product exponent":      change(`"product":7`, `"product":7e0`),
		"negative product":      change(`"product":7`, `"product":-7`),
		"product 0":             change(`"product":7`, `"product":0`),
		"minus zero":            change(`"version":255`, `"version":-0`),
		"huge version":          change(`"version":255`, `"version":1`+strings.Repeat("0", 400)),
		"version of 2^53":       change(`"version":255`, `"version":9007199254740992`),
		"no version":            change(`"version":255,`, ""),
		"time with fraction":    change(`"iat":1796117400`, `"iat":1796117400.5`),
		"time in a string":      change(`"iat":1796117400`, `"iat":"1796117400"`),
		"time of RFC 3339":      change(`"iat":1796117400`, `"iat":"2026-12-01T09:30:00Z"`),
		"early time":            change(`"iat":1796117400`, `"iat":1735689599`),
		"end before refresh":    change(`"exp":1799919000`, `"exp":1798709399`),
		"refresh at issue":      change(`"refresh_by":1798709400`, `"refresh_by":1796117400`),
		"end after 9999":        change(`"exp":1799919000`, `"exp":253402300800`),
		"end in milliseconds":   change(`"exp":1799919000`, `"exp":1799919000000`),
		"no end":                change(`"exp":1799919000,`, ""),
		"no refresh":            change(`"refresh_by":1798709400,`, ""),
		"no issue":              change(`"iat":1796117400,`, ""),
		"no seats":              change(seats, ""),
		"no issuer":             change(`"iss":"Acme Tools",`, ""),
		"no subject":            change(`"sub":"`, `"bus":"`),
		"no kind":               change(`"sub_kind":"device",`, ""),
		"other kind":            change(`"device"`, `"user"`),
		"capital kind":          change(`"device"`, `"DEVICE"`),
		"no nonce":              change(`,"nonce":"`+nonce+`"`, ""), // EP-12
		"empty nonce":           change(nonce, ""),
		"short nonce":           change(nonce, nonce[1:]),
		"nonce a number":        change(`"`+nonce+`"`, "1234567890123456789012"),
		"nonce null":            change(`"`+nonce+`"`, "null"),
		"no licence":            change(`"license":{`, `"licence":{`),
		"licence a string":      change(claims[strings.Index(claims, `{"key_id`):strings.Index(claims, `,"seats_enforced"`)], `"7"`),
		"licence null":          change(claims[strings.Index(claims, `{"key_id`):strings.Index(claims, `,"seats_enforced"`)], "null"),
		"expiry a number":       change(`"never"`, "0"),
		"Never":                 change(`"never"`, `"Never"`),
		"date without zeros":    change(`"never"`, `"2027-1-1"`),
		"date of RFC 3339":      change(`"never"`, `"2027-12-31T00:00:00Z"`),
		"no such date":          change(`"never"`, `"2027-02-29"`),
		"day 0":                 change(`"never"`, `"2025-01-01"`),
		"start on day 0":        change(`"2026-01-01"`, `"2025-01-01"`),
		"start never":           change(`"2026-01-01"`, `"never"`),
		"start null":            change(`"2026-01-01"`, "null"),
		"start after expiry":    change(`"never","start":"2026-01-01"`, `"2026-01-01","start":"2026-01-02"`),
		"empty fields":          change(`{"colour":5,"edition":2,"features":524289,"seats":4095}`, "{}"),
		"fields a list":         change(`{"colour":5,"edition":2,"features":524289,"seats":4095}`, "[]"),
		"fields null":           change(`{"colour":5,"edition":2,"features":524289,"seats":4095}`, "null"),
		"field 0":               change(`"colour":5`, `"colour":0`),
		"field null":            change(`"colour":5`, `"colour":null`),
		"field a string":        change(`"colour":5`, `"colour":"5"`),
		"field an object":       change(`"colour":5`, `"colour":{}`),
		"field twice":           change(`"colour":5`, `"colour":5,"colour":5`),
		"capital field":         change(`"colour":5`, `"Colour":5`),
		"field of its own":      change(`"colour":5`, `"version":255`),
		"nbf":                   change("{", `{"nbf":1796117400,`),
		"jti":                   change("{", `{"jti":"1",`),
		"aud":                   change("{", `{"aud":"product 7",`),
		"capital name":          change(`"iss"`, `"ISS"`),
		"capital in licence":    change(`"product"`, `"Product"`),
		"unknown in licence":    change(`"product"`, `"plan":"pro","product"`),
		"long s":                change(`"seats_enforced"`, `"`+"\u017f"+`eats_enforced"`),
		"issuer twice":          change("{", `{"iss":"Acme Tools",`),
		"issuer twice, escaped": change("{", `{"\u0069ss":"Acme Tools",`),
		"serial twice":          change(`"product"`, `"serial":"1","product"`),
		"upper-case hash":       change(claims[strings.Index(claims, `"sub":"`)+7:][:64], strings.ToUpper(claims[strings.Index(claims, `"sub":"`)+7:][:64])),
		"short hash":            change(claims[strings.Index(claims, `"sub":"`)+7:][:64], strings.Repeat("1", 62)),
		"long hash":             change(claims[strings.Index(claims, `"sub":"`)+7:][:64], strings.Repeat("1", 66)),
		"zero hash":             change(claims[strings.Index(claims, `"sub":"`)+7:][:64], strings.Repeat("0", 64)),
		"zero key":              change(mintKey(richDescriptor).ID().String(), "0000000000000000"),
		"capital key":           change(mintKey(richDescriptor).ID().String(), strings.ToUpper(mintKey(richDescriptor).ID().String())),
		"text after":            claims + "{}",
		"empty":                 "",
		"list":                  "[" + claims + "]",
		"number":                "1",
		"text":                  `"x"`,
		"not UTF-8":             change("Acme", "Acme\xff"),
		"surrogate":             change("Acme", `Acme\ud800`),
		"deep":                  change("{", `{"a":{"a":{"a":{"a":1}}},`),
	}
	many := `"field0":1`
	for i := 1; i < 15; i++ {
		many += fmt.Sprintf(`,"field%d":1`, i)
	}
	cases["too many fields"] = change(`"colour":5,"edition":2,"features":524289,"seats":4095`, many)
	for name, claims := range cases {
		t.Run(name, func(t *testing.T) { refused(t, try(claims), ring, receipt.Malformed) })
	}
	// Without a good signature it does not matter what the claims say.
	for name, claims := range cases {
		t.Run("unsigned "+name, func(t *testing.T) {
			refused(t, byHand(headerOf("active"), claims, ecKey("nobody's")), ring, receipt.BadSignature)
		})
	}
}

// What somebody else signed for another use is no receipt, and the reverse (CR-12).
func TestOpenOthers(t *testing.T) {
	list := must(keys.NewRoleKey(keys.List, ecKey("list")))
	refused(t, string(must(note.Sign("licet-revocations/v1\nAcme Tools\n", list))), ring, receipt.Malformed)
	refused(t, "ACME-AHJX-YQET-69FW-H3QZ-JG9E-69PS-6HVK-ELWZ", ring, receipt.Malformed)
	refused(t, "", ring, receipt.Malformed)
	refused(t, "..", ring, receipt.Malformed)
	refused(t, " \n", ring, receipt.Malformed)
	refused(t, `{"alg":"ES256"}`, ring, receipt.Malformed)
	if _, _, err := note.Open([]byte(signed()), ring); err == nil {
		t.Error("a receipt opens as a note")
	}
}

// White space makes no difference, wherever mail and chat put it (BD-11, CT-07, CT-08).
func TestOpenWhiteSpace(t *testing.T) {
	text := signed()
	wrap := func(sep string) string {
		var b strings.Builder
		for i, c := range text {
			if i > 0 && i%76 == 0 {
				b.WriteString(sep)
			}
			b.WriteRune(c)
		}
		return b.String()
	}
	for _, s := range []string{
		text + "\n", text + "\r\n", " " + text + "\t", "\ufeff" + text, "\u200b" + text + "\u200e\n\n",
		wrap("\n"), wrap("\r\n"), wrap(" "), wrap("\u00a0"), wrap("\u2028"), wrap("\n\u200b\t"), wrap("\u00ad"),
		strings.ReplaceAll(text, ".", "\n.\n"), strings.Join(strings.Split(text, ""), " "), strings.Join(strings.Split(text, ""), "\u2060"),
	} {
		opens(t, s, newReceipt(), "active")
	}
	for _, s := range []string{
		text[:40] + "!" + text[40:], "> " + text, `"` + text + `"`, text + "=", text + "\u2026", strings.ReplaceAll(text, ".", "\u3002"),
		text + "\xff", text + "\ufffd", text + "é", strings.Replace(text, "e", "ｅ", 1), "Bearer: " + text,
	} {
		refused(t, s, ring, receipt.Malformed)
	}
	opens(t, text+strings.Repeat(" ", receipt.MaxSize-len(text)), newReceipt(), "active")
	refused(t, text+strings.Repeat(" ", receipt.MaxSize-len(text)+1), ring, receipt.Malformed)

	e := refused(t, "\ufeff ä\u200bé", ring, receipt.Malformed)
	if !strings.Contains(e.Error(), `character 3 is 'ä'`) {
		t.Errorf("error %q", e)
	}
}

// The characters that make no difference in a receipt are those that SPEC.md, section
// 5.1, lists as controls, spaces and invisible.
func TestBlanks(t *testing.T) {
	spec := string(must(os.ReadFile("../../SPEC.md")))
	_, spec, _ = strings.Cut(spec, "3. These are dropped:")
	spec, _, ok := strings.Cut(spec, "   - dashes")
	if !ok {
		t.Fatal("SPEC.md has no such list")
	}
	listed := map[rune]bool{}
	for _, m := range regexp.MustCompile(`\b([0-9A-F]{4,5})(?:-([0-9A-F]{4,5}))?\b`).FindAllStringSubmatch(spec, -1) {
		lo := must(strconv.ParseInt(m[1], 16, 32))
		hi := lo
		if m[2] != "" {
			hi = must(strconv.ParseInt(m[2], 16, 32))
		}
		for c := lo; c <= hi; c++ {
			listed[rune(c)] = true
		}
	}
	if len(listed) < 4000 || !listed[0] || !listed[0xE0FFF] {
		t.Fatalf("%d characters in SPEC.md", len(listed))
	}
	for c := rune(0); c <= unicode.MaxRune; c++ {
		if got := receipt.IsBlank(c); got != listed[c] {
			t.Errorf("%U: %v, SPEC.md says %v", c, got, listed[c])
		}
	}
}
