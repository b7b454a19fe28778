package main

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// The table of section 5.1, copied from its text.
var droppedTable = map[string]string{
	"control": "0000-001F, 007F-009F",
	"space":   "0020, 00A0, 1680, 2000-200A, 2028, 2029, 202F, 205F, 2800, 3000",
	"invisible": "00AD, 034F, 061C, 115F, 1160, 17B4, 17B5, 180B-180F, 200B-200F, 202A-202E, 2060-206F, 3164, FE00-FE0F, FEFF, " +
		"FFA0, FFF0-FFFC, 1BCA0-1BCA3, 1D173-1D17A, E0000-E0FFF",
	"dash": "002D, 005F, 00B7, 02D7, 058A, 05BE, 1400, 1806, 2010-2015, 2027, 2043, 2212, 2500, 2501, 2796, 2E17, 2E1A, 2E3A, 2E3B, 2E40, " +
		"2E5D, 301C, 3030, 30A0, 30FB, 30FC, FE31, FE32, FE58, FE63, FF65, FF70, 10EAD",
	"stop-or-quote": "002E, 3002, FF61, 0022, 0027, 0060, 00AB, 00B4, 00BB, 2018-201F, 2039, 203A, 300C-300F",
}

type runeRange struct{ first, last rune }

// droppedRanges returns the ranges of one row of the table.
func droppedRanges(row string) []runeRange {
	var ranges []runeRange
	for _, item := range strings.Split(droppedTable[row], ", ") {
		first, last, ok := strings.Cut(item, "-")
		if !ok {
			last = first
		}
		ranges = append(ranges, runeRange{codePoint(first), codePoint(last)})
	}
	return ranges
}

func codePoint(hexadecimal string) rune {
	v, err := strconv.ParseInt(hexadecimal, 16, 32)
	if err != nil {
		panic(err)
	}
	return rune(v)
}

func dropped(r rune) bool {
	for row := range droppedTable {
		for _, x := range droppedRanges(row) {
			if x.first <= r && r <= x.last {
				return true
			}
		}
	}
	return false
}

const maxInput = 1024

// A mark is one character of a normalised text.
type mark struct {
	char  byte   // '?' for a placeholder
	got   string // the character as a person would name it
	input int    // the number of its code point in the input, from 1
}

// normalize is section 5.1. An input that is too long gives ok = false.
func normalize(input string) (marks []mark, ok bool) {
	if len(input) > maxInput {
		return nil, false
	}
	number := 0
	for input != "" {
		r, size := utf8.DecodeRuneInString(input)
		valid := !(r == utf8.RuneError && size == 1)
		original := input[:size]
		input = input[size:]
		number++
		if !valid {
			marks = append(marks, mark{'?', "\ufffd", number})
			continue
		}
		if r >= 0xFF01 && r <= 0xFF5E {
			r -= 0xFEE0
		}
		if r >= 'a' && r <= 'z' {
			r -= 'a' - 'A'
		}
		switch {
		case r >= 'A' && r <= 'Z' || r >= '0' && r <= '9':
			marks = append(marks, mark{byte(r), string(r), number})
		case dropped(r):
		default:
			marks = append(marks, mark{'?', original, number})
		}
	}
	return marks, true
}

func textOf(marks []mark) string {
	text := ""
	for _, m := range marks {
		text += string(m.char)
	}
	return text
}
