package main

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"":                        "(empty)",
		"ACME-AHJX":               "ACME-AHJX",
		"Großes Ding für 5 €":     "Großes Ding für 5 €",
		"日本語":                     "日本語",
		"a b\u00a0c\u3000d":       "a b\u00a0c\u3000d",
		"\x1b[2J\x1b]0;x\x07":     "·[2J·]0;x·",
		"one\r\ntwo\ttab\x00\x7f": "one··two·tab··",
		"c1 \u009b31m \u0085":     "c1 ·31m ·",
		"bidi \u202e\u2066":       "bidi ··",
		"zero\u200bwidth\ufeff":   "zero·width·",
		"line\u2028sep\u2029":     "line·sep·",
		"\xff\xc3(":               "\ufffd\ufffd(",
		"tag \U000e0041":          "tag ·",
		strings.Repeat("x", 199):  strings.Repeat("x", 199),
		strings.Repeat("x", 200):  strings.Repeat("x", 200),
		strings.Repeat("x", 201):  strings.Repeat("x", 199) + "…",
		strings.Repeat("é", 999):  strings.Repeat("é", 199) + "…",
	} {
		if got := printable(in); got != want {
			t.Errorf("printable(%q) = %q, want %q", in, got, want)
		}
	}
}

// Every byte at every place, beside others at the edges of what is plain.
func TestIsPlain(t *testing.T) {
	for _, rest := range []string{strings.Repeat("A", 19), strings.Repeat(" ", 19), strings.Repeat("~", 19)} {
		for at := range len(rest) {
			for c := range 256 {
				text := rest[:at] + string([]byte{byte(c)}) + rest[at+1:]
				if got, want := isPlain(text), c >= ' ' && c <= '~'; got != want {
					t.Errorf("isPlain(%q) = %t", text, got)
				}
			}
		}
	}
}

func TestPlural(t *testing.T) {
	for n, want := range map[int]string{0: "0 keys", 1: "1 key", 2: "2 keys"} {
		if got, wide := plural(n, "key"), plural(uint64(n), "key"); got != want || wide != want {
			t.Errorf("%d: %q, %q", n, got, wide)
		}
	}
}

func FuzzPrintable(f *testing.F) {
	f.Add("\x1b[2J")
	f.Add("\u009b\u202e\xff")
	f.Add(strings.Repeat("\xff", 300))
	f.Fuzz(func(t *testing.T, in string) {
		if in == "" { // has a word of its own
			return
		}
		out := printable(in)
		if strings.ContainsFunc(out, func(r rune) bool { return r < ' ' || 0x7f <= r && r < 0xa0 }) {
			t.Errorf("printable(%q) = %q has a control character", in, out)
		}
		if got, want := utf8.RuneCountInString(out), min(utf8.RuneCountInString(in), maxShown); got != want || !utf8.ValidString(out) {
			t.Errorf("printable(%q) = %q has %d characters, want %d", in, out, got, want)
		}
	})
}
