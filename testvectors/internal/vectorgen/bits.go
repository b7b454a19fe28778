package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"math/big"
	"strings"
)

// This file has the functions of section 1 of the specification, by the same
// names.

const alphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"

func sym(v int) string { return alphabet[v : v+1] }

func allInAlphabet(text string) bool {
	return strings.Trim(text, alphabet) == ""
}

func bytesOf(v *big.Int, bits int) []byte {
	return v.FillBytes(make([]byte, (bits+7)/8))
}

func symbols(v *big.Int, bits int) string {
	thirtyTwo := big.NewInt(32)
	rest, digit := new(big.Int).Set(v), new(big.Int)
	text := ""
	for range (bits + 4) / 5 {
		rest.DivMod(rest, thirtyTwo, digit)
		text = sym(int(digit.Int64())) + text
	}
	if rest.Sign() != 0 {
		panic("symbols: the value is wider than its bits")
	}
	return text
}

func value(text string) *big.Int {
	v := new(big.Int)
	for _, c := range text {
		v.Mul(v, big.NewInt(32))
		v.Add(v, big.NewInt(int64(strings.IndexRune(alphabet, c))))
	}
	return v
}

func top(digest []byte, bits int) *big.Int {
	v := new(big.Int).SetBytes(digest)
	return v.Rsh(v, uint(256-bits))
}

func xor(a, b *big.Int) *big.Int { return new(big.Int).Xor(a, b) }

func label(descriptor, x string) []byte {
	return []byte(descriptor + "\x00" + x + "\x00")
}

func hash(parts ...[]byte) []byte {
	h := sha256.New()
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum(nil)
}

func mac(key []byte, parts ...[]byte) []byte {
	h := hmac.New(sha256.New, key)
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum(nil)
}

// hkdf is RFC 5869 with an empty salt and one block of output.
func hkdf(secret []byte, descriptor, x string) []byte {
	pseudorandom := mac(make([]byte, 32), secret)
	return mac(pseudorandom, label(descriptor, x), []byte{1})
}
