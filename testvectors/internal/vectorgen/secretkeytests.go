package main

import (
	"log"
	"math/big"
	"strings"

	"github.com/licet-dev/licet/testvectors/internal/vectorfile"
)

func secretKeysFile() vectorfile.File[vectorfile.SecretKeysTest] {
	var tests []vectorfile.SecretKeysTest
	add := func(accepted bool, name, comment, flag, text string) {
		t := vectorfile.SecretKeysTest{Refused: true}
		if got := readSecretKey(text); got != nil {
			t = *got
		}
		if t.Refused == accepted {
			log.Fatalf("secretkeys: %s: refused is %t", name, t.Refused)
		}
		t.Text = text
		t.Test = vectorfile.Test{Name: name, Comment: comment, Flags: []string{flag}}
		tests = append(tests, t)
	}
	good := secretKeyText("mint", "hs256", 8, key8.id, key8.secret)
	list := privateKey(counting(0x30))
	listText := secretKeyText("list", "es256", 0, publicID("licet/v1 list", &list.PublicKey), counting(0x30))
	add(true, "hs256", "the line of section 9.2", "good", good)
	add(true, "es256", "the key of section 10.2", "good", secretKeyText("mint", "es256", 9, key9.id, rfc6979))
	add(true, "list", "a key for revocation lists", "good", listText)
	receipt := privateKey(counting(0x31))
	add(true, "receipt", "a key for receipts", "good", secretKeyText("receipt", "es256", 0, publicID("licet/v1 receipt", &receipt.PublicKey), counting(0x31)))
	add(true, "number-1", "the lowest number", "good", secretKeyText("mint", "hs256", 1, "0011223344556677", counting(1)))
	add(true, "number-31", "the highest number", "good", secretKeyText("mint", "hs256", 31, "0011223344556677", counting(1)))
	add(true, "newline-after", "white space around the line is ignored", "space", good+"\n")
	add(true, "spaces-around", "white space around the line is ignored", "space", " \t\r\n"+good+"\r\n\t ")
	highestScalar := bytesOf(new(big.Int).Sub(order, big.NewInt(1)), 256)
	lowestScalar := bytesOf(big.NewInt(1), 256)
	add(true, "scalar-1", "the lowest private scalar", "scalar", secretKeyText("mint", "es256", 9, publicID(key9.text, &privateKey(lowestScalar).PublicKey), lowestScalar))
	add(true, "scalar-n-minus-1", "the highest private scalar", "scalar", secretKeyText("mint", "es256", 9, publicID(key9.text, &privateKey(highestScalar).PublicKey), highestScalar))

	add(false, "empty", "no line", "damaged", "")
	add(false, "lower-case", "", "damaged", strings.ToLower(good))
	add(false, "one-digit-changed", "the checksum notices", "damaged", strings.Replace(good, "0102", "0112", 1))
	add(false, "checksum-changed", "", "damaged", good[:len(good)-1]+"C")
	add(false, "checksum-missing", "", "damaged", good[:len(good)-9])
	add(false, "checksum-lower-case", "", "damaged", good[:len(good)-8]+strings.ToLower(good[len(good)-8:]))
	add(false, "cut-off", "", "damaged", good[:len(good)-1])
	add(false, "something-after", "", "damaged", good+"-")
	add(false, "two-lines", "one key a text", "damaged", good+"\n"+good)
	add(false, "space-inside", "", "space", strings.Replace(good, "-MINT", "- MINT", 1))
	add(false, "line-break-inside", "", "space", strings.Replace(good, "-MINT", "-\nMINT", 1))
	add(false, "byte-order-mark", "not white space", "space", "\ufeff"+good)

	// The texts from here on have a right checksum.
	remade := func(old, new string) string {
		text := good[:strings.LastIndex(good, "-")]
		if strings.Count(text, old) != 1 {
			panic("secretkeys: " + old)
		}
		return withChecksum(strings.Replace(text, old, new, 1))
	}
	add(false, "other-name", "", "strict", remade("LICET-", "LICENCE-"))
	add(false, "other-version", "", "strict", remade("KEY-1-", "KEY-2-"))
	add(false, "unknown-role", "", "strict", remade("MINT", "ROOT"))
	add(false, "unknown-suite", "", "strict", remade("HS256", "HS512"))
	add(false, "suite-es256t", "reserved", "strict", remade("HS256", "ES256T"))
	add(false, "number-0", "a mint key has a number", "strict", remade("256-8-", "256-0-"))
	add(false, "number-32", "", "strict", remade("256-8-", "256-32-"))
	add(false, "number-with-leading-zero", "", "strict", remade("256-8-", "256-08-"))
	add(false, "number-missing", "", "strict", remade("256-8-", "256--"))
	add(false, "number-with-sign", "", "strict", remade("256-8-", "256-+8-"))
	add(false, "id-too-short", "", "strict", remade("CA3F2093E4FE1455", "CA3F2093E4FE145"))
	add(false, "id-lower-case", "", "strict", remade("CA3F2093E4FE1455", "ca3f2093e4fe1455"))
	add(false, "id-not-hexadecimal", "", "strict", remade("CA3F2093E4FE1455", "GA3F2093E4FE1455"))
	add(false, "secret-too-short", "31 bytes", "strict", remade("1D1E1F", "1D1E"))
	add(false, "secret-too-long", "33 bytes", "strict", remade("1D1E1F", "1D1E1F20"))
	add(false, "secret-lower-case", "", "strict", remade("1D1E1F", "1d1e1f"))
	add(false, "secret-of-zero-bytes", "refused for hs256", "strict", secretKeyText("mint", "hs256", 8, key8.id, make([]byte, 32)))
	add(false, "hs256-list", "hs256 occurs with MINT only", "strict", secretKeyText("list", "hs256", 0, key8.id, key8.secret))
	add(false, "hs256-receipt", "hs256 occurs with MINT only", "strict", secretKeyText("receipt", "hs256", 0, key8.id, key8.secret))
	add(false, "list-with-number", "a list key has none", "strict", withChecksum(strings.Replace(listText[:strings.LastIndex(listText, "-")], "256-0-", "256-8-", 1)))
	add(false, "scalar-0", "", "scalar", secretKeyText("mint", "es256", 9, key9.id, make([]byte, 32)))
	add(false, "scalar-n", "", "scalar", secretKeyText("mint", "es256", 9, key9.id, bytesOf(order, 256)))
	add(false, "scalar-of-ones", "2^256-1", "scalar", secretKeyText("mint", "es256", 9, key9.id, []byte(strings.Repeat("\xff", 32))))

	return vectorfile.File[vectorfile.SecretKeysTest]{
		Header: header("secretkeys", "Section 9.2: private keys as text.", map[string]string{
			"good":    "Lines that are read.",
			"space":   "White space: around the line it is ignored, elsewhere it is refused.",
			"damaged": "Lines that were cut or changed, so that the checksum or the form is wrong.",
			"strict":  "Lines with a right checksum that break another rule.",
			"scalar":  "The bounds of the private scalar of es256.",
		}, tests),
		Tests: tests,
	}
}
