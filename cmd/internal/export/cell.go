package export

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Neutralize returns a label as it stands in a csv file. A spreadsheet takes a
// cell for a formula, and runs it, when it begins with = + - or @, with one of
// their full-width forms, or with a tab or the end of a line; spaces before it
// make no difference. Such a label gets an apostrophe in front, which makes it
// text. So does a label that begins with apostrophes and then as a formula does,
// so that [Restore] gives every label back.
func Neutralize(s string) string {
	if startsFormula(strings.TrimLeft(s, "'")) {
		return "'" + s
	}
	return s
}

// Restore returns the label whose cell in a csv file is s: it takes away the
// apostrophe that [Neutralize] put there.
func Restore(s string) string {
	if bare := strings.TrimLeft(s, "'"); len(bare) < len(s) && startsFormula(bare) {
		return s[1:]
	}
	return s
}

func startsFormula(s string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(s, " "))
	switch r {
	case '=', '+', '-', '@', '\t', '\r', '\n', '\uFF1D', '\uFF0B', '\uFF0D', '\uFF20':
		return true
	}
	return false
}

// appendCell appends a cell of a csv file, quoted where it must be. Spaces at the
// ends, and what separates cells elsewhere in the world, are quoted as well: some
// readers drop or split them.
func appendCell(dst []byte, s string) []byte {
	if !strings.ContainsAny(s, "\",;\t\r\n") && strings.Trim(s, " ") == s {
		return append(dst, s...)
	}
	dst = append(dst, '"')
	dst = append(dst, strings.ReplaceAll(s, `"`, `""`)...)
	return append(dst, '"')
}

// appendJSON appends a string of JSON. What could command a terminal is escaped,
// also where JSON does not ask for it.
func appendJSON(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case unicode.IsGraphic(r):
			dst = utf8.AppendRune(dst, r)
		default:
			for _, u := range utf16.AppendRune(nil, r) {
				dst = fmt.Appendf(dst, `\u%04x`, u)
			}
		}
	}
	return append(dst, '"')
}
