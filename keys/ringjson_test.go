package keys_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/licet-dev/licet/keys"
)

// ringText is a ring in one line: the two keys of SPEC.md, one with its secret.
const ringText = `{"format":"licet-ring/v1","issuer":"Acme Tools","secret":true,"products":[{"number":7,"name":"Widget"},{"number":8,"name":"Gadget"}],` +
	`"keys":[{"role":"mint","id":"` + esID + `","state":"active","descriptor":"` + esDescriptor + `","products":[7,8],"public":"` + esPublic + `"},` +
	`{"role":"mint","id":"` + hsID + `","state":"closed","descriptor":"` + hsDescriptor + `","products":[7],"secret":"` + hsSecret + `"}]}`

// edited returns ringText with one change.
func edited(t testing.TB, old, new string) string {
	t.Helper()
	if strings.Count(ringText, old) != 1 {
		t.Fatalf("%q occurs %d times in the ring", old, strings.Count(ringText, old))
	}
	return strings.Replace(ringText, old, new, 1)
}

func TestRingOfTheSpec(t *testing.T) {
	spec := string(must[[]byte](t)(os.ReadFile("../SPEC.md")))
	_, text, ok := strings.Cut(spec, "```json\n")
	text, _, ok2 := strings.Cut(text, "```")
	if !ok || !ok2 {
		t.Fatal("SPEC.md has no ring")
	}
	ring := must[*keys.Ring](t)(keys.ParseRing([]byte(text)))
	if k, ok := ring.MintKey(9); !ok || k.ID().String() != esID || k.Public().String() != esPublic || !k.Allows(7) {
		t.Errorf("key 9 is %v", k)
	}
	if k, ok := ring.MintKey(8); !ok || k.ID().String() != hsID || !k.Secret().IsZero() || k.Descriptor().String() != hsDescriptor {
		t.Errorf("key 8 is %v", k)
	}
	reads(t, "the ring of SPEC.md", ring)
}

func TestRingTextIsAFixedPoint(t *testing.T) {
	for name, text := range map[string]string{
		"with a secret":     ringText,
		"without":           strings.Replace(edited(t, `,"secret":"`+hsSecret+`"`, ""), `"secret":true`, `"secret":false`, 1),
		"nothing":           `{"format":"licet-ring/v1","issuer":"x","secret":false,"products":[],"keys":[]}`,
		"escapes in names":  edited(t, "Widget", `<W&\u0069\u2028dget> \"\\ \ud83d\ude00`),
		"members reordered": `{"keys":[],"products":[{"name":"a","number":2},{"name":"b","number":1}],"secret":false,"issuer":"x","format":"licet-ring/v1"}`,
		"white space":       " \t\r\n" + strings.ReplaceAll(ringText, ":", " :\r\n\t") + "\n\n ",
	} {
		if name == "white space" {
			text = " \t\r\n" + strings.NewReplacer(`":`, "\" :\r\n\t", `,"`, " , \"", "[", "[ ", "}", " }").Replace(ringText) + "\r\n\n "
		}
		ring, err := keys.ParseRing([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		reads(t, name, ring)
	}
	full := must[*keys.Ring](t)(keys.ParseRing([]byte(ringText)))
	if !full.HasSecrets() || !strings.Contains(string(must[[]byte](t)(full.Marshal())), hsSecret) {
		t.Error("the secret is lost")
	}
	reads(t, "four keys", referenceRing(t))
}

func TestRingProblems(t *testing.T) {
	const hsStart, esStart = `"id":"` + hsID + `"`, `"id":"` + esID + `"`
	list := ringKey(t, privateKeys(t)["list"], "")
	listText := `{"role":"list","id":"` + list.ID().String() + `","state":"active","public":"` + esPublic + `"}`
	withList := func(old, new string) string {
		text := strings.Replace(listText, old, new, 1)
		if old != "" && text == listText {
			t.Fatalf("%q does not occur", old)
		}
		return `{"format":"licet-ring/v1","issuer":"x","secret":true,"products":[],"keys":[` + text + `]}`
	}
	for _, c := range []struct {
		name, text string
		problem    keys.Problem // "" for none
	}{
		{"good", ringText, ""},
		{"a list key", withList("", ""), ""},

		{"nothing", "", keys.ProblemSyntax},
		{"a number", "1", keys.ProblemSyntax},
		{"a text", `"x"`, keys.ProblemSyntax},
		{"null", "null", keys.ProblemSyntax},
		{"an array", "[" + ringText + "]", keys.ProblemSyntax},
		{"cut off", ringText[:len(ringText)-1], keys.ProblemSyntax},
		{"a comma too many", edited(t, `"products":[7]`, `"products":[7,]`), keys.ProblemSyntax},
		{"a comma after the last member", ringText[:len(ringText)-1] + ",}", keys.ProblemSyntax},
		{"a comma missing", edited(t, `,"issuer"`, ` "issuer"`), keys.ProblemSyntax},
		{"a comment", edited(t, `"issuer"`, `/* who */"issuer"`), keys.ProblemSyntax},
		{"single quotes", strings.ReplaceAll(ringText, `"`, `'`), keys.ProblemSyntax},
		{"a control character in a name", edited(t, "Widget", "Wid\nget"), keys.ProblemSyntax},
		{"KY-02 a byte order mark", "\ufeff" + ringText, keys.ProblemSyntax},
		{"KY-02 UTF-16", utf16Text(ringText, true), keys.ProblemSyntax},
		{"UTF-16 without its mark", utf16Text(ringText, false), keys.ProblemSyntax},
		{"a byte that is not UTF-8", edited(t, "Widget", "Wid\xffget"), keys.ProblemSyntax},
		{"1 MiB", ringText + strings.Repeat(" ", 1<<20-len(ringText)), ""},
		{"1 MiB and a byte", ringText + strings.Repeat(" ", 1<<20-len(ringText)+1), keys.ProblemSyntax},

		{"EP-13 a second object", ringText + ringText, keys.ProblemTrailingData},
		{"EP-13 a letter after it", ringText + "x", keys.ProblemTrailingData},
		{"a bracket after it", ringText + "}", keys.ProblemTrailingData},
		{"NUL after it", ringText + "\x00", keys.ProblemTrailingData},
		{"null after it", ringText + " null", keys.ProblemTrailingData},
		{"a line end after it", ringText + "\r\n", ""},

		{"unknown member", edited(t, `"issuer"`, `"note":"x","issuer"`), keys.ProblemUnknownMember},
		{"unknown member of a product", edited(t, `"name":"Widget"`, `"name":"Widget","price":1`), keys.ProblemUnknownMember},
		{"unknown member of a key", edited(t, hsStart, hsStart+`,"note":"x"`), keys.ProblemUnknownMember},
		{"EP-13 the Kelvin sign in a name", edited(t, `"keys"`, `"`+"\u212a"+`eys"`), keys.ProblemUnknownMember},
		{"EP-13 a long s in a name", edited(t, `"issuer"`, `"i`+"\u017f"+`suer"`), keys.ProblemUnknownMember},
		{"an escaped name", edited(t, `"issuer"`, `"i\u0073suer"`), ""},
		{"an escaped duplicate", edited(t, `"issuer"`, `"i\u0073suer":"y","issuer"`), keys.ProblemDuplicateMember},

		{"another format", edited(t, "licet-ring/v1", "licet-ring/v2"), keys.ProblemFormat},
		{"format in capitals", edited(t, "licet-ring/v1", "LICET-RING/V1"), keys.ProblemFormat},
		{"no issuer", edited(t, "Acme Tools", ""), keys.ProblemIssuer},
		{"issuer with an escaped control character", edited(t, "Acme Tools", `Acme\u0007Tools`), keys.ProblemIssuer},
		{"issuer with half of a surrogate pair", edited(t, "Acme Tools", `Acme\ud800Tools`), keys.ProblemIssuer},
		{"secret as text", edited(t, `"secret":true`, `"secret":"true"`), keys.ProblemSyntax},
		{"secret as number", edited(t, `"secret":true`, `"secret":1`), keys.ProblemSyntax},
		{"a secret where there is none", edited(t, `"secret":true`, `"secret":false`), keys.ProblemSecretInPublic},
		{"an empty secret where there is none", strings.Replace(edited(t, `"secret":true`, `"secret":false`), hsSecret, "", 1), keys.ProblemSecretInPublic},

		{"products as object", edited(t, `"products":[{"number":7,"name":"Widget"},{"number":8,"name":"Gadget"}]`, `"products":{}`), keys.ProblemSyntax},
		{"product as number", edited(t, `{"number":7,"name":"Widget"}`, `7`), keys.ProblemSyntax},
		{"product 0", edited(t, `"number":8`, `"number":0`), keys.ProblemProduct},
		{"product -1", edited(t, `"number":8`, `"number":-1`), keys.ProblemSyntax},
		{"product 8.0", edited(t, `"number":8`, `"number":8.0`), keys.ProblemSyntax},
		{"product 8e0", edited(t, `"number":8`, `"number":8e0`), keys.ProblemSyntax},
		{"product 08", edited(t, `"number":8`, `"number":08`), keys.ProblemSyntax},
		{"product as text", edited(t, `"number":8`, `"number":"8"`), keys.ProblemSyntax},
		{"product 2^53", edited(t, `"number":8`, `"number":9007199254740992`), keys.ProblemProduct},
		{"product 2^64", edited(t, `"number":8`, `"number":18446744073709551616`), keys.ProblemSyntax},
		{"product 1 and 2^53-1", strings.Replace(edited(t, `"number":8`, `"number":9007199254740991`), "[7,8]", "[7]", 1), ""},
		{"product twice", strings.Replace(edited(t, `"number":8`, `"number":7`), "[7,8]", "[7]", 1), keys.ProblemProduct},
		{"product without name", edited(t, `"name":"Widget"`, `"name":""`), keys.ProblemProduct},
		{"product name with a control character", edited(t, "Widget", `Wid\nget`), keys.ProblemProduct},

		{"unknown role", edited(t, `"role":"mint",`+hsStart, `"role":"root",`+hsStart), keys.ProblemRole},
		{"role in capitals", edited(t, `"role":"mint",`+hsStart, `"role":"Mint",`+hsStart), keys.ProblemRole},
		{"unknown state", edited(t, `"state":"closed"`, `"state":"lost"`), keys.ProblemState},
		{"state in capitals", edited(t, `"state":"closed"`, `"state":"Closed"`), keys.ProblemState},
		{"id in capitals", edited(t, hsID, strings.ToUpper(hsID)), keys.ProblemIDMismatch},
		{"id too short", edited(t, hsID, hsID[:14]), keys.ProblemIDMismatch},
		{"id of an hs256 key edited", edited(t, hsID, "ca3f2093e4fe1456"), keys.ProblemIDMismatch},
		{"id of an es256 key edited", edited(t, esID, "e21531b141ba7c8e"), keys.ProblemIDMismatch},
		{"id of a list key edited", withList(`"id":"`+list.ID().String(), `"id":"`+hsID), keys.ProblemIDMismatch},
		{"a list key made a receipt key", withList(`"role":"list"`, `"role":"receipt"`), keys.ProblemIDMismatch},
		{"descriptor edited", edited(t, "key=9 prefix=", "key=9 prefix=ACME"), keys.ProblemIDMismatch},
		{"descriptor of a key with secret edited", edited(t, "prefix=ACME", "prefix=ACMF"), keys.ProblemIDMismatch},
		{"number edited", edited(t, "key=8", "key=10"), keys.ProblemIDMismatch},
		{"public key edited", edited(t, esPublic, must[keys.PublicKey](t)(keys.NewPublicKey(&ecKey(t, hsSecret).PublicKey)).String()), keys.ProblemIDMismatch},
		{"secret edited", edited(t, hsSecret, secretForRedaction), keys.ProblemIDMismatch},
		{"descriptor damaged", edited(t, "key=9 prefix=", "key=09 prefix="), keys.ProblemDescriptor},
		{"descriptor with a layout's name", edited(t, `key=9 prefix= layout=product:9,version:8,expiry:15,serial:28`, `key=9 prefix= layout=standard`), keys.ProblemDescriptor},
		{"descriptor empty", edited(t, `"descriptor":"`+esDescriptor+`"`, `"descriptor":""`), keys.ProblemDescriptor},

		{"no products", edited(t, `"products":[7]`, `"products":[]`), keys.ProblemAllowedProduct},
		{"product 0 allowed", edited(t, `"products":[7]`, `"products":[0]`), keys.ProblemAllowedProduct},
		{"a product allowed twice", edited(t, `"products":[7]`, `"products":[7,7]`), keys.ProblemAllowedProduct},
		{"a product that is not there", edited(t, `"products":[7]`, `"products":[9]`), keys.ProblemAllowedProduct},
		{"a product too wide", edited(t, `"products":[7]`, `"products":[512]`), keys.ProblemAllowedProduct},
		{"products as text", edited(t, `"products":[7]`, `"products":["7"]`), keys.ProblemSyntax},
		{"products as number", edited(t, `"products":[7]`, `"products":7`), keys.ProblemSyntax},
		{"products as object", edited(t, `"products":[7]`, `"products":{"a":7}`), keys.ProblemSyntax},

		{"public key too short", edited(t, esPublic, esPublic[:128]), keys.ProblemPublicKey},
		{"public key in capitals", edited(t, esPublic, strings.ToUpper(esPublic)), keys.ProblemPublicKey},
		{"public key not on the curve", edited(t, esPublic, esPublic[:129]+"8"), keys.ProblemPublicKey},
		{"public key empty", edited(t, esPublic, ""), keys.ProblemPublicKey},
		{"public key for hs256", edited(t, hsStart, hsStart+`,"public":"`+esPublic+`"`), keys.ProblemPublicKey},
		{"empty public key for hs256", edited(t, hsStart, hsStart+`,"public":""`), keys.ProblemPublicKey},
		{"secret too short", edited(t, hsSecret, hsSecret[:62]), keys.ProblemSecret},
		{"secret too long", edited(t, hsSecret, hsSecret+"00"), keys.ProblemSecret},
		{"secret in capitals", edited(t, hsSecret, strings.ToUpper(hsSecret)), keys.ProblemSecret},
		{"secret of zeros", edited(t, hsSecret, strings.Repeat("0", 64)), keys.ProblemSecret},
		{"secret empty", edited(t, hsSecret, ""), keys.ProblemSecret},
		{"secret left out", edited(t, `,"secret":"`+hsSecret+`"`, ""), ""},
		{"secret for es256", edited(t, esStart, esStart+`,"secret":"`+esPrivate+`"`), keys.ProblemSecret},
		{"empty secret for es256", edited(t, esStart, esStart+`,"secret":""`), keys.ProblemSecret},
		{"secret for a list key", withList(`"state"`, `"secret":"`+esPrivate+`","state"`), keys.ProblemSecret},
		{"empty secret for a list key", withList(`"state"`, `"secret":"","state"`), keys.ProblemSecret},
		{"descriptor for a list key", withList(`"state"`, `"descriptor":"`+esDescriptor+`","state"`), keys.ProblemRole},
		{"empty descriptor for a list key", withList(`"state"`, `"descriptor":"","state"`), keys.ProblemRole},
		{"products for a list key", withList(`"state"`, `"products":[7],"state"`), keys.ProblemRole},
		{"no products for a list key", withList(`"state"`, `"products":[],"state"`), keys.ProblemRole},
	} {
		ring, err := keys.ParseRing([]byte(c.text))
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
			continue
		}
		if quotes(err.Error(), hsSecret) || quotes(err.Error(), esPrivate) {
			t.Errorf("%s: the error quotes a secret: %v", c.name, err)
		}
	}
}

func utf16Text(s string, mark bool) string {
	var b []byte
	if mark {
		b = []byte{0xFF, 0xFE}
	}
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return string(b)
}

// A member is a member of an object in ringText.
type member struct {
	name, value string
	start, end  int // from the quotation mark of the name to the end of the value
}

// members finds all members of all objects.
func members(t *testing.T) []member {
	t.Helper()
	var found []member
	for _, at := range regexp.MustCompile(`"[a-z]+":`).FindAllStringIndex(ringText, -1) {
		dec := json.NewDecoder(strings.NewReader(ringText[at[1]:]))
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			t.Fatal(err)
		}
		found = append(found, member{ringText[at[0]+1 : at[1]-2], string(value), at[0], at[1] + int(dec.InputOffset())})
	}
	if len(found) != 21 {
		t.Fatalf("%d members found in the ring", len(found))
	}
	return found
}

func TestEveryMemberOfARing(t *testing.T) {
	for _, m := range members(t) {
		before, after := ringText[:m.start], ringText[m.end:]
		without := before + strings.TrimPrefix(after, ",")
		if !strings.HasPrefix(after, ",") {
			without = strings.TrimSuffix(before, ",") + after
		}
		for _, c := range []struct {
			name, text string
			problem    keys.Problem // "" for any
		}{
			{"twice", before + `"` + m.name + `":` + m.value + "," + ringText[m.start:], keys.ProblemDuplicateMember},
			{"twice, first null", before + `"` + m.name + `":null,` + ringText[m.start:], ""},
			{"in capitals", before + `"` + strings.ToUpper(m.name) + `":` + m.value + after, keys.ProblemUnknownMember},
			{"with one capital", before + `"` + strings.ToUpper(m.name[:1]) + m.name[1:] + `":` + m.value + after, keys.ProblemUnknownMember},
			{"also in capitals", before + `"` + strings.ToUpper(m.name) + `":` + m.value + "," + ringText[m.start:], keys.ProblemUnknownMember},
			{"null", before + `"` + m.name + `":null` + after, keys.ProblemSyntax},
			{"an array of null", before + `"` + m.name + `":[null]` + after, keys.ProblemSyntax},
			{"an object", before + `"` + m.name + `":{"a":null}` + after, keys.ProblemSyntax},
			{"an array of arrays", before + `"` + m.name + `":[[]]` + after, keys.ProblemSyntax},
			{"missing", without, ""},
		} {
			ring, err := keys.ParseRing([]byte(c.text))
			if c.name == "missing" && m.name == "secret" && m.value != "true" {
				if err != nil { // the secret of a key may be left out
					t.Errorf("secret left out: %v", err)
				}
				continue
			}
			var re *keys.RingError
			if !errors.As(err, &re) || c.problem != "" && re.Problem != c.problem || ring != nil {
				t.Errorf("%s %s: %v, want %s", m.name, c.name, err, c.problem)
			}
			if err != nil && quotes(err.Error(), hsSecret) {
				t.Errorf("%s %s: the error quotes the secret: %v", m.name, c.name, err)
			}
		}
	}
}

// Any byte that is changed makes another ring or none, and no error quotes the secret.
func TestMangledRings(t *testing.T) {
	good := must[[]byte](t)(must[*keys.Ring](t)(keys.ParseRing([]byte(ringText))).Marshal())
	accepted := 0
	for i := range len(ringText) {
		for _, c := range []byte("\x00\t 0aA\"\\{}[],:7g\xff") {
			if c == ringText[i] {
				continue
			}
			ring, err := keys.ParseRing([]byte(ringText[:i] + string([]byte{c}) + ringText[i+1:]))
			if err != nil {
				var re *keys.RingError
				if !errors.As(err, &re) || quotes(err.Error(), hsSecret) {
					t.Fatalf("byte %d made %q: %v", i, c, err)
				}
				continue
			}
			accepted++
			if text := must[[]byte](t)(ring.Marshal()); bytes.Equal(text, good) {
				t.Errorf("byte %d made %q: nothing changed", i, c)
			}
		}
	}
	if accepted == 0 || accepted > 500 {
		t.Errorf("%d changes were accepted; only names may change", accepted)
	}
}

func TestRingErrorText(t *testing.T) {
	err := second(keys.ParseRing([]byte(edited(t, esID, "e21531b141ba7c8e"))))
	const want = "ring: keys[0]: id e21531b141ba7c8e, but the key and its descriptor give e21531b141ba7c8d: the ring was edited"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	for problem, text := range map[keys.Problem]string{
		keys.ProblemSyntax: "syntax", keys.ProblemDuplicateMember: "duplicate-member", keys.ProblemUnknownMember: "unknown-member",
		keys.ProblemTrailingData: "trailing-data", keys.ProblemFormat: "format", keys.ProblemIssuer: "issuer",
		keys.ProblemSecretInPublic: "secret-in-public-ring", keys.ProblemProduct: "product", keys.ProblemDescriptor: "descriptor",
		keys.ProblemIDMismatch: "id-mismatch", keys.ProblemDuplicateKey: "duplicate-key", keys.ProblemShape: "shape",
		keys.ProblemAllowedProduct: "allowed-product", keys.ProblemPublicKey: "public-key", keys.ProblemSecret: "secret",
		keys.ProblemState: "state", keys.ProblemRole: "role",
	} {
		if problem.Error() != text {
			t.Errorf("problem %q, want %q", problem.Error(), text)
		}
	}
}

// A ring that could not be read is not written.
func TestMarshalSize(t *testing.T) {
	var products []keys.Product
	for n := range uint64(6000) {
		products = append(products, keys.Product{Number: n + 1, Name: strings.Repeat("n", 128)})
	}
	marshal := func(products []keys.Product) ([]byte, error) {
		r, err := keys.NewRing("Acme Tools", products, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r.Marshal()
	}
	if _, err := marshal(products); !errors.Is(err, keys.ProblemSyntax) {
		t.Errorf("a ring of 6000 products: error %v", err)
	}
	text, err := marshal(products[:5500])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := keys.ParseRing(text); err != nil {
		t.Errorf("a ring of %d bytes: %v", len(text), err)
	}
}
