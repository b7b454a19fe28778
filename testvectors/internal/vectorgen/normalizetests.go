package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/licet-dev/licet/testvectors/internal/vectorfile"
)

func normalizeFile() vectorfile.File[vectorfile.NormalizeTest] {
	var tests []vectorfile.NormalizeTest
	add := func(name, comment, flag, input string) {
		t := vectorfile.NormalizeTest{Test: vectorfile.Test{Name: name, Comment: comment, Flags: []string{flag}}}
		t.Input, t.InputHex = inputOf(input)
		if marks, ok := normalize(input); ok {
			t.Normalized = pointer(textOf(marks))
		} else {
			t.TooLong = true
		}
		tests = append(tests, t)
	}

	add("empty", "", "text", "")
	add("code", "the code of section 10.1", "text", key8.issue("1000").code())
	add("lower-case", "a to z become A to Z", "text", "acme-ahjx-yqet")
	add("kept-characters", "every letter and digit, also 0, O, 1 and I", "text", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
	add("printable-ascii", "letters and digits stay, six others are dropped, the rest leaves placeholders", "text", asciiPrintable())
	add("full-width-printable-ascii", "the same in full width", "text", fullWidth(asciiPrintable()))
	add("full-width-code", "letters, digits and hyphens in full width", "text", fullWidth("ACME-AHJX-yqet"))
	add("sentence", "quotation marks and a full stop", "text", "Your code: \u201cAHJX-YQET\u201d.")
	add("lines", "a code broken over lines", "text", "AHJX-YQET-\r\n\t69FW-H3QZ\r\n")

	for _, row := range []string{"control", "space", "invisible", "dash", "stop-or-quote"} {
		for _, r := range droppedRanges(row) {
			points := []rune{r.first, r.last}
			if r.first == r.last {
				points = points[:1]
			}
			for _, c := range points {
				add(fmt.Sprintf("u-%04x-is-dropped", c), row, "table", around(c))
			}
		}
	}
	seen := map[rune]bool{}
	for _, row := range []string{"control", "space", "invisible", "dash", "stop-or-quote"} {
		for _, r := range droppedRanges(row) {
			for _, c := range []rune{r.first - 1, r.last + 1} {
				if c < 0 || seen[c] || dropped(c) {
					continue
				}
				seen[c] = true
				add(fmt.Sprintf("u-%04x-beside-the-table", c), "next to "+row, "beside", around(c))
			}
		}
	}
	for _, c := range []rune{0xFF01, 0xFF0D, 0xFF0F, 0xFF10, 0xFF19, 0xFF1A, 0xFF20, 0xFF21, 0xFF3A, 0xFF3F, 0xFF41, 0xFF5A, 0xFF5E, 0xFF5F, 0xFFE0} {
		add(fmt.Sprintf("u-%04x-full-width", c), "an end of a full-width range", "full-width", around(c))
	}
	for _, c := range []struct {
		name string
		r    rune
	}{
		{"cyrillic-a", 'А'}, {"cyrillic-er", 'Р'}, {"greek-alpha", 'Α'}, {"greek-small-omega", 'ω'}, {"hangul-mieum", 'ㅁ'},
		{"hangul-syllable", '가'}, {"dotted-capital-i", 'İ'}, {"dotless-small-i", 'ı'}, {"long-s", 'ſ'}, {"kelvin-sign", '\u212A'},
		{"sharp-s", 'ß'}, {"arabic-digit", '٣'}, {"superscript-two", '²'}, {"circled-a", 'Ⓐ'}, {"mathematical-bold-a", '𝐀'},
		{"combining-acute", '\u0301'}, {"replacement-character", '\uFFFD'}, {"emoji", '😀'}, {"last-code-point", '\U0010FFFF'},
	} {
		add(c.name, "no folding, no normalisation: one placeholder for each code point", "unreadable", around(c.r))
	}
	add("decomposed-letter", "a letter stays, the accent after it leaves a placeholder", "unreadable", "AE\u0301B")

	for _, c := range []struct{ name, bytes string }{
		{"lone-continuation-byte", "A\x80B"},
		{"byte-ff", "A\xffB"},
		{"two-bytes-of-three", "A\xe2\x82B"},
		{"three-bytes-of-four", "A\xf0\x9f\x98B"},
		{"cut-off-at-the-end", "AB\xe2\x80"},
		{"overlong-hyphen", "A\xc0\xadB"},
		{"overlong-letter-of-three", "A\xe0\x81\x81B"},
		{"surrogate-half", "A\xed\xa0\x80B"},
		{"beyond-the-last-code-point", "A\xf4\x90\x80\x80B"},
		{"latin-1-text", "M\xfcLLER"},
	} {
		add(c.name, "each byte that is not UTF-8 leaves one placeholder", "bytes", c.bytes)
	}

	add("longest", "1,024 bytes", "length", strings.Repeat("A", 1024))
	add("one-byte-too-long", "1,025 bytes", "length", strings.Repeat("A", 1025))
	add("longest-of-hyphens", "bytes are counted before anything is dropped", "length", strings.Repeat("-", 1024))
	add("too-long-of-hyphens", "also when nothing would be left", "length", strings.Repeat("-", 1025))
	add("longest-full-width", "341 characters of 3 bytes and 1 more", "length", strings.Repeat("\uff21", 341)+"B")
	add("too-long-full-width", "bytes are counted, not characters", "length", strings.Repeat("\uff21", 342))
	add("too-long-invalid", "the length comes before UTF-8", "length", strings.Repeat("\xff", 1025))

	return vectorfile.File[vectorfile.NormalizeTest]{
		Header: header("normalize", "Section 5.1: from an input to the normalised text, with ? for a placeholder.", map[string]string{
			"text":       "Ordinary texts.",
			"table":      "A code point or an end of a range of the table of section 5.1, at the start, inside, beside a hyphen and at the end.",
			"beside":     "A code point just outside the table.",
			"full-width": "U+FF01 to U+FF5E and its neighbours.",
			"unreadable": "Characters that look or fold like letters and digits and are none.",
			"bytes":      "Bytes that are not UTF-8, given in hexadecimal.",
			"length":     "The limit of 1,024 bytes.",
		}, tests),
		Tests: tests,
	}
}

// around puts a code point at the start, inside, beside a hyphen and at the end.
func around(r rune) string {
	c := string(r)
	return c + "A" + c + "B-" + c + "C" + c
}

func asciiPrintable() string {
	text := ""
	for c := ' '; c <= '~'; c++ {
		text += string(c)
	}
	return text
}

// fullWidth moves printable ASCII without the space to its full-width forms.
func fullWidth(text string) string {
	return strings.Map(func(r rune) rune {
		if r > ' ' && r <= '~' {
			return r + 0xFEE0
		}
		return r
	}, text)
}

// inputOf returns text as it stands or, if JSON can't hold it, in hexadecimal.
func inputOf(text string) (plain, hexadecimal *string) {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	var again string
	if err := json.Unmarshal(quoted, &again); err != nil {
		panic(err)
	}
	if again == text {
		return &text, nil
	}
	return nil, pointer(hexOf([]byte(text)))
}
