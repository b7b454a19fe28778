package main

import (
	"encoding/hex"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/licet-dev/licet/testvectors/internal/vectorfile"
)

var secretKeyGrammar = regexp.MustCompile(`\ALICET-SECRET-KEY-1-(MINT|LIST|RECEIPT)-(HS256|ES256)-(0|[1-9][0-9]?)-([0-9A-F]{16})-([0-9A-F]{64})-([0-9A-F]{8})\z`)

// secretKeyText is section 9.2.
func secretKeyText(role, suite string, number int, id string, secret []byte) string {
	text := strings.ToUpper("licet-secret-key-1-" + role + "-" + suite + "-" + strconv.Itoa(number) + "-" + id + "-" + hexOf(secret))
	return withChecksum(text)
}

// withChecksum completes the text of a private key, right or wrong.
func withChecksum(text string) string {
	return text + "-" + strings.ToUpper(hexOf(hash([]byte(text))[:4]))
}

// readSecretKey reads the text of a private key; nil means refused.
func readSecretKey(text string) *vectorfile.SecretKeysTest {
	text = strings.Trim(text, " \t\r\n")
	m := secretKeyGrammar.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	role, suite := strings.ToLower(m[1]), strings.ToLower(m[2])
	number, err := strconv.Atoi(m[3])
	if err != nil {
		panic(err)
	}
	secret, err := hex.DecodeString(m[5])
	if err != nil {
		panic(err)
	}
	if withChecksum(text[:strings.LastIndex(text, "-")]) != text {
		return nil
	}
	if role == "mint" && (number < 1 || number > 31) || role != "mint" && number != 0 {
		return nil
	}
	if suite == "hs256" && role != "mint" || isZero(secret) {
		return nil
	}
	if suite == "es256" && new(big.Int).SetBytes(secret).Cmp(order) >= 0 {
		return nil
	}
	return &vectorfile.SecretKeysTest{Role: role, Suite: suite, Number: &number, KeyID: strings.ToLower(m[4]), Secret: hexOf(secret)}
}
