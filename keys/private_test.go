package keys_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/licet-dev/licet/keys"
)

// withChecksum ends the text of a private key with its right checksum, so that
// what else is wrong with it is reached.
func withChecksum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return text + "-" + strings.ToUpper(hex.EncodeToString(sum[:4]))
}

func TestReferenceLine(t *testing.T) {
	if got := hsKey(t).Reveal(); got != hsLine {
		t.Errorf("the line is %s", got)
	}
	k := must[keys.PrivateKey](t)(keys.ParsePrivateKey(hsLine))
	if k.Role() != keys.Mint || k.Suite() != keys.HS256 || k.Number() != 8 || k.ID().String() != hsID || !k.Equal(hsKey(t)) {
		t.Errorf("parsed %v", k)
	}
	if s := must[keys.Secret](t)(k.Secret()); !s.Equal(secret(t, hsSecret)) {
		t.Error("the secret is another one")
	}
	if _, err := k.ECDSA(); err == nil {
		t.Error("an hs256 key has an ECDSA key")
	}
}

func privateKeys(t testing.TB) map[string]keys.PrivateKey {
	t.Helper()
	role := func(r keys.Role, scalar string) keys.PrivateKey {
		return must[keys.PrivateKey](t)(keys.NewRoleKey(r, ecKey(t, scalar)))
	}
	return map[string]keys.PrivateKey{
		"hs256":                      hsKey(t),
		"es256":                      esKey(t),
		"list":                       role(keys.List, esPrivate),
		"receipt":                    role(keys.Receipt, esPrivate),
		"scalar with zeros in front": role(keys.List, strings.Repeat("0", 62)+"2a"),
	}
}

func TestPrivateKeysRoundTrip(t *testing.T) {
	all := privateKeys(t)
	for name, k := range all {
		line := k.Reveal()
		if strings.ToUpper(line) != line || strings.ContainsAny(line, " \r\n\t") {
			t.Errorf("%s: line %q", name, line)
		}
		// KY-01: line ends and blank lines around make no difference.
		for _, text := range []string{line, line + "\n", line + "\r\n", "\r\n \t" + line + "\n\n \r\n"} {
			back, err := keys.ParsePrivateKey(text)
			if err != nil || !back.Equal(k) || back.Reveal() != line {
				t.Errorf("%s: %v, %v", name, back, err)
			}
		}
		for other, o := range all {
			if k.Equal(o) != (name == other) {
				t.Errorf("%s equals %s: %t", name, other, k.Equal(o))
			}
		}
		if k.Suite() == keys.ES256 {
			if _, err := k.Secret(); err == nil {
				t.Errorf("%s: an es256 key has an HMAC secret", name)
			}
			if _, err := k.ECDSA(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// quotes reports whether a text has eight neighbouring digits of a secret.
func quotes(text, secret string) bool {
	text, secret = strings.ToLower(text), strings.ToLower(secret)
	for i := range len(secret) - 7 {
		if strings.Contains(text, secret[i:i+8]) {
			return true
		}
	}
	return false
}

func TestMangledPrivateKeys(t *testing.T) {
	for name, k := range privateKeys(t) {
		line := k.Reveal()
		f := strings.Split(line, "-")
		secret := f[len(f)-2]
		refused := func(text string) {
			t.Helper()
			got, err := keys.ParsePrivateKey(text)
			if err == nil {
				t.Fatalf("%s: %q is taken for %v", name, text, got)
			}
			if name != "scalar with zeros in front" && quotes(err.Error(), secret) {
				t.Fatalf("%s: the error for %q quotes the secret: %v", name, text, err)
			}
			if got.Equal(k) {
				t.Fatalf("%s: %q is refused, but the key comes with the error", name, text)
			}
		}
		for i := range len(line) {
			for j := i; j <= len(line); j++ {
				if i != 0 || j != len(line) {
					refused(line[i:j])
				}
			}
			for c := range 256 {
				if byte(c) != line[i] {
					refused(line[:i] + string([]byte{byte(c)}) + line[i+1:])
				}
				if i > 0 && byte(c) != line[i-1] {
					refused(line[:i] + string([]byte{byte(c)}) + line[i:])
				}
			}
			refused(line[:i] + line[i+1:])
		}
		refused(strings.ToLower(line))
		refused(line + line)
		refused(line + "\n" + line)
		refused("\ufeff" + line)
		refused("\u00a0" + line)
		refused(line + "\v")
		refused(line + "\x00")
		refused(strings.ReplaceAll(line, "-", "–"))
	}
}

// These lines have a right checksum, and something else is wrong.
func TestPrivateKeysWithRightChecksum(t *testing.T) {
	const n = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
	hs, _ := cutLast(hsLine)
	es, _ := cutLast(esKey(t).Reveal())
	list, _ := cutLast(privateKeys(t)["list"].Reveal())
	scalar := strings.ToUpper(esPrivate)
	edit := func(line, old, new string) string {
		if strings.Count(line, old) != 1 {
			t.Fatalf("%q does not occur once in the line", old)
		}
		return strings.Replace(line, old, new, 1)
	}
	for _, c := range []struct {
		name, line string
		ok         bool
	}{
		{"hs256", hs, true},
		{"es256", es, true},
		{"list", list, true},
		{"lowest number", edit(hs, "-8-", "-1-"), true},
		{"highest number", edit(hs, "-8-", "-31-"), true},
		{"number 0", edit(hs, "-8-", "-0-"), false},
		{"number 32", edit(hs, "-8-", "-32-"), false},
		{"number with a zero in front", edit(hs, "-8-", "-08-"), false},
		{"number with a sign", edit(hs, "-8-", "-+8-"), false},
		{"no number", edit(hs, "-8-", "--"), false},
		{"number that overflows", edit(hs, "-8-", "-18446744073709551624-"), false},
		{"a negative number", edit(hs, "-8-", "--8-"), false},
		{"list with number", edit(list, "-0-", "-8-"), false},
		{"list without number", edit(list, "-0-", "--"), false},
		{"list with 00", edit(list, "-0-", "-00-"), false},
		{"hs256 list", edit(edit(hs, "MINT", "LIST"), "-8-", "-0-"), false},
		{"hs256 receipt", edit(edit(hs, "MINT", "RECEIPT"), "-8-", "-0-"), false},
		{"list key as receipt key", edit(list, "LIST", "RECEIPT"), false},
		{"list key with another id", edit(list, strings.ToUpper(privateKeys(t)["list"].ID().String()), strings.ToUpper(hsID)), false},
		{"unknown role", edit(hs, "MINT", "ROOT"), false},
		{"no role", edit(hs, "MINT", ""), false},
		{"unknown suite", edit(hs, "HS256", "HS512"), false},
		{"es256t", edit(es, "ES256", "ES256T"), false},
		{"none", edit(es, "ES256", "NONE"), false},
		{"role in lower case", edit(hs, "MINT", "mint"), false},
		{"a dotted I in the role", edit(hs, "MINT", "M\u0130NT"), false},
		{"a dotted I in the role of a list key", edit(list, "LIST", "L\u0130ST"), false},
		{"a dotless i in the role", edit(hs, "MINT", "M\u0131NT"), false},
		{"a long s in the suite", edit(hs, "HS256", "H\u017f256"), false},
		{"full-width digits", edit(hs, "-8-", "-８-"), false},
		{"id in lower case", edit(hs, strings.ToUpper(hsID), hsID), false},
		{"id too short", edit(hs, strings.ToUpper(hsID), strings.ToUpper(hsID[:14])), false},
		{"id too long", edit(hs, strings.ToUpper(hsID), strings.ToUpper(hsID)+"00"), false},
		{"id not hexadecimal", edit(hs, strings.ToUpper(hsID), "GA3F2093E4FE1455"), false},
		{"secret in lower case", edit(hs, strings.ToUpper(hsSecret), hsSecret), false},
		{"secret too short", edit(hs, "1D1E1F", "1D1E"), false},
		{"secret too long", edit(hs, "1D1E1F", "1D1E1F20"), false},
		{"secret with half a byte more", edit(hs, "1D1E1F", "1D1E1F2"), false},
		{"secret not hexadecimal", edit(hs, "1D1E1F", "1D1E1G"), false},
		{"no secret", edit(hs, strings.ToUpper(hsSecret), ""), false},
		{"secret of zeros", edit(hs, strings.ToUpper(hsSecret), strings.Repeat("0", 64)), false},
		{"scalar 1", edit(es, scalar, strings.Repeat("0", 63)+"1"), true},
		{"scalar n-1", edit(es, scalar, strings.ToUpper(n[:63])+"0"), true},
		{"scalar n", edit(es, scalar, strings.ToUpper(n)), false},
		{"scalar 2^256-1", edit(es, scalar, strings.Repeat("F", 64)), false},
		{"scalar 0", edit(es, scalar, strings.Repeat("0", 64)), false},
		{"a part more", hs + "-AB", false},
		{"a part less", edit(hs, "-HS256", ""), false},
		{"a space inside", edit(hs, "-8-", "- 8-"), false},
		{"a line break inside", edit(hs, "-8-", "-\n8-"), false},
		{"NUL inside", edit(hs, "-8-", "-8\x00-"), false},
		{"a byte that is not UTF-8", edit(hs, "-8-", "-8\xff-"), false},
		{"a later version", edit(hs, "KEY-1-", "KEY-2-"), false},
		{"another beginning", edit(hs, "LICET", "LICES"), false},
	} {
		k, err := keys.ParsePrivateKey(withChecksum(c.line))
		if (err == nil) != c.ok {
			t.Errorf("%s: %v, %v; want accepted: %t", c.name, k, err, c.ok)
			continue
		}
		if c.ok && k.Reveal() != withChecksum(c.line) {
			t.Errorf("%s: the line changed", c.name)
		}
		if err != nil && (quotes(err.Error(), hsSecret) || quotes(err.Error(), esPrivate)) {
			t.Errorf("%s: the error quotes the secret: %v", c.name, err)
		}
	}
}

func cutLast(line string) (before, after string) {
	i := strings.LastIndex(line, "-")
	return line[:i], line[i+1:]
}

// KY-13: what people give for a private key by mistake is named, never quoted.
func TestNotAPrivateKey(t *testing.T) {
	for text, want := range map[string]string{
		"":               "secret key: the text is empty",
		" \n":            "secret key: the text is empty",
		`{"format":"x"}`: "secret key: this is JSON, perhaps a ring, which has public keys; a secret key begins with LICET-SECRET-KEY-1-",
		"-----BEGIN AGE ENCRYPTED FILE-----\nabc": "secret key: this is still encrypted with age",
		"age1qqqqqqqqqq":      "secret key: this is a public key; a secret key begins with LICET-SECRET-KEY-1-",
		"ssh-ed25519 AAAA":    "secret key: this is a public key; a secret key begins with LICET-SECRET-KEY-1-",
		"LICET-SECRET-KEY-2-": "secret key: this is of a later version of licet",
		hsSecret:              "secret key: the text does not begin with LICET-SECRET-KEY-1-",
		"\xff\xfeL\x00I\x00":  "secret key: the text does not begin with LICET-SECRET-KEY-1-",
	} {
		if _, err := keys.ParsePrivateKey(text); err == nil || err.Error() != want {
			t.Errorf("%.20q: %v, want %s", text, err, want)
		}
	}
}

// CR-08: what is no key of the right kind is refused when the key is made.
func TestKeysOfTheWrongKind(t *testing.T) {
	hs, es := descriptor(t, hsDescriptor), descriptor(t, esDescriptor)
	p384 := must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P384(), rand.Reader))
	good := ecKey(t, esPrivate)
	for name, err := range map[string]error{
		"hs256 key of an es256 descriptor": second(keys.NewHS256(es, secret(t, hsSecret))),
		"hs256 key without secret":         second(keys.NewHS256(hs, keys.Secret{})),
		"es256 key of an hs256 descriptor": second(keys.NewES256(hs, good)),
		"es256 key that is nil":            second(keys.NewES256(es, nil)),
		"es256 key that is empty":          second(keys.NewES256(es, new(ecdsa.PrivateKey))),
		"es256 key on P-384":               second(keys.NewES256(es, p384)),
		"list key that is nil":             second(keys.NewRoleKey(keys.List, nil)),
		"list key on P-384":                second(keys.NewRoleKey(keys.List, p384)),
		"mint key as role key":             second(keys.NewRoleKey(keys.Mint, good)),
		"a role that is not there":         second(keys.NewRoleKey("root", good)),
		"no role":                          second(keys.GenerateRole("")),
		"mint key generated as role":       second(keys.GenerateRole(keys.Mint)),
		"public key that is nil":           second(keys.NewPublicKey(nil)),
		"public key that is empty":         second(keys.NewPublicKey(new(ecdsa.PublicKey))),
		"public key on P-384":              second(keys.NewPublicKey(&p384.PublicKey)),
	} {
		if err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestParsePublicKey(t *testing.T) {
	p := must[keys.PublicKey](t)(keys.ParsePublicKey(esPublic))
	if p.String() != esPublic || fmt.Sprintf("%x", p.Bytes()) != esPublic || p.IsZero() || !p.ECDSA().Equal(&ecKey(t, esPrivate).PublicKey) {
		t.Errorf("public key %s", p)
	}
	var zero keys.PublicKey
	if !zero.IsZero() || zero.String() != "" || zero.ECDSA() != nil {
		t.Error("the zero public key is some key")
	}
	compressed := "03" + esPublic[2:66]
	for name, s := range map[string]string{
		"empty": "", "too short": esPublic[:128], "half a byte less": esPublic[:129], "too long": esPublic + "00",
		"capitals": strings.ToUpper(esPublic), "one capital": esPublic[:20] + strings.ToUpper(esPublic[20:30]) + esPublic[30:],
		"compressed": compressed, "hybrid": "06" + esPublic[2:], "infinity": "00", "no first byte": esPublic[2:],
		"not on the curve": esPublic[:129] + "8", "zeros": "04" + strings.Repeat("0", 128), "X beyond the field": "04" + strings.Repeat("f", 64) + esPublic[66:],
		"a space": " " + esPublic, "a line end": esPublic + "\n", "not hexadecimal": "g" + esPublic[1:],
	} {
		if p, err := keys.ParsePublicKey(s); err == nil || !p.IsZero() {
			t.Errorf("%s: taken for %s", name, p)
		}
	}
	// KY-13: a private key in place of the public one is refused and not quoted.
	for _, s := range []string{hsLine, hsSecret, strings.ToUpper(hsSecret), hsSecret + "\n"} {
		if _, err := keys.ParsePublicKey(s); err == nil || quotes(err.Error(), hsSecret) {
			t.Errorf("a private key as public key: %v", err)
		}
	}
}
