package receipt

import (
	"crypto/ecdsa"
	"crypto/sha256"
	"encoding/base64"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/licet-dev/licet/keys"
)

const (
	headerType = "licet-receipt+jwt"
	algorithm  = "ES256"

	scalarSize    = 32
	signatureSize = 2 * scalarSize
)

// encoding is base64url without padding, in its one spelling.
var encoding = base64.RawURLEncoding.Strict()

// header is the header of a receipt, in the order in which it is written.
type header struct {
	Algorithm string `json:"alg"`
	KeyID     string `json:"kid"`
	Type      string `json:"typ"`
}

// A token is a receipt taken apart. Nothing of it is verified.
type token struct {
	signed    string // what the signature is over
	key       keys.ID
	claims    []byte
	signature []byte
}

func parseToken(text string) (token, error) {
	text, err := squeeze(text)
	if err != nil {
		return token{}, err
	}
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return token{}, malformed("not of the form HEADER.CLAIMS.SIGNATURE; it is no receipt, or cut off")
	}
	var decoded [3][]byte
	for i, name := range []string{"header", "claims", "signature"} {
		if decoded[i], err = encoding.DecodeString(parts[i]); err != nil {
			return token{}, malformed("the %s is not base64url without padding; it is damaged or cut off", name)
		}
	}
	t := token{signed: parts[0] + "." + parts[1], claims: decoded[1], signature: decoded[2]}
	if t.key, err = parseHeader(decoded[0]); err != nil {
		return token{}, err
	}
	if len(t.signature) != signatureSize {
		return token{}, malformed("the signature has %d bytes instead of %d; it is damaged or cut off", len(t.signature), signatureSize)
	}
	return t, nil
}

// parseHeader returns the key that the header names, and takes nothing else of it.
func parseHeader(text []byte) (keys.ID, error) {
	o, err := parseObject("header", text)
	if err != nil {
		return keys.ID{}, err
	}
	h := header{Algorithm: o.text("alg"), KeyID: o.text("kid"), Type: o.text("typ")}
	if err := o.end(); err != nil {
		return keys.ID{}, err
	}
	id, err := keys.ParseID(h.KeyID)
	switch {
	case h.Type != headerType:
		return id, malformed("the type is %.40q; that of a receipt is %s", h.Type, headerType)
	case h.Algorithm != algorithm:
		return id, malformed("the algorithm is %.40q; that of a receipt is %s", h.Algorithm, algorithm)
	case err != nil:
		return id, malformed("the header has the key id %.40q: want 16 lower-case hexadecimal digits", h.KeyID)
	}
	return id, nil
}

// verify reports whether the signature of public data is good, in either of the two
// spellings that ECDSA accepts.
func (t *token) verify(public *ecdsa.PublicKey) bool {
	digest := sha256.Sum256([]byte(t.signed))
	r, s := new(big.Int).SetBytes(t.signature[:scalarSize]), new(big.Int).SetBytes(t.signature[scalarSize:])
	return ecdsa.Verify(public, digest[:], r, s)
}

// squeeze returns a text without the characters that make no difference.
func squeeze(text string) (string, error) {
	if len(text) > MaxSize {
		return "", malformed("%d bytes, at most %d are read", len(text), MaxSize)
	}
	out := make([]byte, 0, len(text))
	n := 0
	for i, c := range text {
		n++
		switch {
		case c < utf8.RuneSelf && (isBase64(byte(c)) || c == '.'):
			out = append(out, byte(c))
		case isBlank(c):
		case c == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)):
			return "", malformed("character %d is not UTF-8; copy it again", n)
		default:
			return "", malformed("character %d is %q, which no receipt has; copy the receipt alone, and all of it", n, c)
		}
	}
	if len(out) == 0 {
		return "", malformed("it is empty")
	}
	return string(out), nil
}

func isBase64(c byte) bool {
	return 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_'
}

func isBlank(c rune) bool {
	_, ok := slices.BinarySearchFunc(blanks, c, func(b [2]rune, c rune) int {
		switch {
		case b[1] < c:
			return -1
		case b[0] > c:
			return 1
		}
		return 0
	})
	return ok
}

// blanks lists, in order, the controls, spaces and invisible characters of SPEC.md,
// section 5.1. They make no difference in codes, and none in receipts. The table may
// grow; nothing is ever taken out.
var blanks = [][2]rune{
	{0x0000, 0x0020},   // controls, space
	{0x007F, 0x00A0},   // controls, no-break space
	{0x00AD, 0x00AD},   // soft hyphen
	{0x034F, 0x034F},   // grapheme joiner
	{0x061C, 0x061C},   // Arabic letter mark
	{0x115F, 0x1160},   // Hangul fillers
	{0x1680, 0x1680},   // Ogham space
	{0x17B4, 0x17B5},   // Khmer inherent vowels
	{0x180B, 0x180F},   // Mongolian selectors
	{0x2000, 0x200F},   // spaces, zero width, marks
	{0x2028, 0x202F},   // separators, bidirectional controls, narrow space
	{0x205F, 0x206F},   // space, word joiner, invisible operators
	{0x2800, 0x2800},   // Braille blank
	{0x3000, 0x3000},   // ideographic space
	{0x3164, 0x3164},   // Hangul filler
	{0xFE00, 0xFE0F},   // variation selectors
	{0xFEFF, 0xFEFF},   // byte order mark
	{0xFFA0, 0xFFA0},   // half-width Hangul filler
	{0xFFF0, 0xFFFC},   // specials
	{0x1BCA0, 0x1BCA3}, // shorthand controls
	{0x1D173, 0x1D17A}, // musical controls
	{0xE0000, 0xE0FFF}, // tags, selectors
}
