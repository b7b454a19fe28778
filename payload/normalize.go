package payload

import (
	"slices"
	"unicode/utf8"
)

const (
	// MaxInput is the length in bytes of the longest text that is read at all.
	MaxInput = 1024

	// Placeholder stands in normalised text for a character that no code has.
	Placeholder = '?'
)

// AppendNormalized appends the normalised form of input to dst: capital letters
// A to Z, digits, and a [Placeholder] for each unreadable character or byte that
// is not UTF-8. Case, full-width forms, white space, invisible characters,
// dashes, full stops and quotation marks make no difference. It does not depend
// on the locale. Input longer than [MaxInput] bytes is a [ReadError] with reason
// [TooLong].
func AppendNormalized(dst []byte, input string) ([]byte, error) {
	if len(input) > MaxInput {
		return dst, &ReadError{Reason: TooLong, Have: len(input), Want: MaxInput}
	}
	// Every character becomes one byte or none, so the input's length suffices.
	dst = slices.Grow(dst, len(input))
	n := len(dst)
	out := dst[n : n+len(input)]
	j := 0
	for i := 0; i < len(input); {
		c := input[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(input[i:])
			i += size
			if m := normalForm(r); m != 0 {
				out[j] = m
				j++
			}
			continue
		}
		i++
		m := asciiForm[c]
		out[j] = m // overwritten by the next character if this one is dropped
		if m != 0 {
			j++
		}
	}
	return dst[:n+j], nil
}

// normalForm returns what r becomes: a letter or digit, a placeholder, or 0 when
// it is dropped.
func normalForm(r rune) byte {
	if 0xFF01 <= r && r <= 0xFF5E { // full-width ASCII
		r -= 0xFEE0
	}
	if r < utf8.RuneSelf {
		return asciiForm[r]
	}
	_, drop := slices.BinarySearchFunc(dropped, r, func(x runeRange, r rune) int {
		switch {
		case x.hi < r:
			return -1
		case x.lo > r:
			return 1
		}
		return 0
	})
	if drop {
		return 0
	}
	return Placeholder
}

var asciiForm = func() (t [utf8.RuneSelf]byte) {
	for c := range t {
		switch {
		case c <= ' ', c == 0x7F, c == '-', c == '_', c == '.', c == '"', c == '\'', c == '`':
			// dropped
		case '0' <= c && c <= '9', 'A' <= c && c <= 'Z':
			t[c] = byte(c)
		case 'a' <= c && c <= 'z':
			t[c] = byte(c) - 'a' + 'A'
		default:
			t[c] = Placeholder
		}
	}
	return t
}()

type runeRange struct{ lo, hi rune }

// dropped lists, in order, the characters beyond ASCII that make no difference
// (SPEC.md, section 5.1). The table may grow; nothing is ever taken out, or a
// code that one release accepts would be refused by the next.
var dropped = []runeRange{
	{0x0080, 0x00A0}, // controls, no-break space
	{0x00AB, 0x00AB}, // quotation mark
	{0x00AD, 0x00AD}, // soft hyphen
	{0x00B4, 0x00B4}, // acute accent
	{0x00B7, 0x00B7}, // middle dot
	{0x00BB, 0x00BB}, // quotation mark
	{0x02D7, 0x02D7}, // minus sign
	{0x034F, 0x034F}, // grapheme joiner
	{0x058A, 0x058A}, // Armenian hyphen
	{0x05BE, 0x05BE}, // Hebrew maqaf
	{0x061C, 0x061C}, // Arabic letter mark
	{0x115F, 0x1160}, // Hangul fillers
	{0x1400, 0x1400}, // Canadian hyphen
	{0x1680, 0x1680}, // Ogham space
	{0x17B4, 0x17B5}, // Khmer inherent vowels
	{0x1806, 0x1806}, // Mongolian hyphen
	{0x180B, 0x180F}, // Mongolian selectors
	{0x2000, 0x200F}, // spaces, zero width, marks
	{0x2010, 0x2015}, // dashes
	{0x2018, 0x201F}, // quotation marks
	{0x2027, 0x202F}, // hyphenation point, separators, bidirectional controls
	{0x2039, 0x203A}, // quotation marks
	{0x2043, 0x2043}, // hyphen bullet
	{0x205F, 0x206F}, // space, word joiner, invisible operators
	{0x2212, 0x2212}, // minus
	{0x2500, 0x2501}, // box drawing lines
	{0x2796, 0x2796}, // heavy minus
	{0x2800, 0x2800}, // Braille blank
	{0x2E17, 0x2E17}, // hyphens and dashes
	{0x2E1A, 0x2E1A},
	{0x2E3A, 0x2E3B},
	{0x2E40, 0x2E40},
	{0x2E5D, 0x2E5D},
	{0x3000, 0x3000}, // ideographic space
	{0x3002, 0x3002}, // ideographic full stop
	{0x300C, 0x300F}, // corner brackets
	{0x301C, 0x301C}, // wave dash
	{0x3030, 0x3030}, // wavy dash
	{0x30A0, 0x30A0}, // Katakana hyphen
	{0x30FB, 0x30FC}, // Katakana dot and long mark
	{0x3164, 0x3164}, // Hangul filler
	{0xFE00, 0xFE0F}, // variation selectors
	{0xFE31, 0xFE32}, // vertical dashes
	{0xFE58, 0xFE58}, // small dash
	{0xFE63, 0xFE63}, // small hyphen
	{0xFEFF, 0xFEFF}, // byte order mark
	{0xFF61, 0xFF61}, // half-width full stop
	{0xFF65, 0xFF65}, // half-width dot
	{0xFF70, 0xFF70}, // half-width long mark
	{0xFFA0, 0xFFA0}, // half-width Hangul filler
	{0xFFF0, 0xFFFC}, // specials
	{0x10EAD, 0x10EAD},
	{0x1BCA0, 0x1BCA3}, // shorthand controls
	{0x1D173, 0x1D17A}, // musical controls
	{0xE0000, 0xE0FFF}, // tags, selectors
}
