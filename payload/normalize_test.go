package payload_test

import (
	"errors"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/licet-dev/licet/payload"
)

type codePoints struct{ lo, hi rune }

// droppedBySpec reads from SPEC.md, section 5.1, what normalising drops.
func droppedBySpec(t *testing.T) []codePoints {
	t.Helper()
	spec, err := os.ReadFile("../SPEC.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(spec), "\n3. These are dropped:\n")
	text, _, ok2 := strings.Cut(text, "\n4. ")
	if !ok || !ok2 {
		t.Fatal("SPEC.md no longer lists what is dropped")
	}
	number := func(s string) rune {
		n, err := strconv.ParseUint(s, 16, 21)
		if err != nil {
			t.Fatal(err)
		}
		return rune(n)
	}
	var ranges []codePoints
	for _, m := range regexp.MustCompile(`\b([0-9A-F]{4,5})(?:-([0-9A-F]{4,5}))?\b`).FindAllStringSubmatch(text, -1) {
		r := codePoints{number(m[1]), number(m[1])}
		if m[2] != "" {
			r.hi = number(m[2])
		}
		ranges = append(ranges, r)
	}
	if len(ranges) < 75 {
		t.Fatalf("only %d ranges found in SPEC.md", len(ranges))
	}
	return ranges
}

func isIn(ranges []codePoints, r rune) bool {
	for _, x := range ranges {
		if x.lo <= r && r <= x.hi {
			return true
		}
	}
	return false
}

// formBySpec returns what SPEC.md, section 5.1, makes of one code point.
func formBySpec(dropped []codePoints, r rune) string {
	if 0xFF01 <= r && r <= 0xFF5E {
		r -= 0xFEE0
	}
	switch {
	case 'a' <= r && r <= 'z':
		return string(r - 'a' + 'A')
	case 'A' <= r && r <= 'Z' || '0' <= r && r <= '9':
		return string(r)
	case isIn(dropped, r):
		return ""
	}
	return "?"
}

func normalized(t *testing.T, input string) string {
	t.Helper()
	got, err := payload.AppendNormalized(nil, input)
	if err != nil {
		t.Fatalf("normalising %q: %v", input, err)
	}
	return string(got)
}

func TestNormalizeEveryCodePoint(t *testing.T) {
	dropped := droppedBySpec(t)
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		if got, want := normalized(t, string(r)), formBySpec(dropped, r); got != want {
			t.Errorf("%U becomes %q, want %q", r, got, want)
		}
	}
}

// CT-01, CT-08, CT-09: what is dropped is dropped anywhere, and nothing beside it is.
func TestNormalizeRangeEndsInEveryPlace(t *testing.T) {
	dropped := droppedBySpec(t)
	for _, x := range dropped {
		for _, r := range []rune{x.lo - 1, x.lo, x.hi, x.hi + 1} {
			if !utf8.ValidRune(r) {
				continue
			}
			c, form := string(r), formBySpec(dropped, r)
			for _, p := range []struct{ name, input, want string }{
				{"at the start", c + "ABCD-EFGH", form + "ABCDEFGH"},
				{"inside", "AB" + c + "CD-EFGH", "AB" + form + "CDEFGH"},
				{"before a hyphen", "ABCD" + c + "-EFGH", "ABCD" + form + "EFGH"},
				{"after a hyphen", "ABCD-" + c + "EFGH", "ABCD" + form + "EFGH"},
				{"for the hyphen", "ABCD" + c + "EFGH", "ABCD" + form + "EFGH"},
				{"at the end", "ABCD-EFGH" + c, "ABCDEFGH" + form},
				{"alone", c, form},
				{"three times", c + c + c, form + form + form},
			} {
				if got := normalized(t, p.input); got != p.want {
					t.Errorf("%U %s: %q, want %q", r, p.name, got, p.want)
				}
			}
		}
	}
}

func TestNormalize(t *testing.T) {
	const want = "ACMEAHJXYQET"
	for _, c := range []struct{ name, input, want string }{
		{"as printed", "ACME-AHJX-YQET", want},
		{"lower case", "acme-ahjx-yqet", want},
		{"mixed case", "AcMe-aHjX-YqEt", want},
		{"CT-01 a line of a file", " \tACME-AHJX-YQET\r\n", want},
		{"CT-07 no line breaks left", "ACME AHJX YQET", want},
		{"CT-07 a line break inside", "ACME-AHJX-\r\nYQET", want},
		{"CT-08 a byte order mark", "\ufeffACME-AHJX-YQET", want},
		{"CT-09 no-break spaces", "ACME\u00a0AHJX\u202fYQET", want},
		{"CT-12 full-width", "ＡＣＭＥ－ａｈｊｘ－ＹＱＥＴ", want},
		{"full-width punctuation", "ＡＣＭＥ＿ＡＨＪＸ．ＹＱＥＴ＂", want},
		{"full-width that no code has", "ＡＣＭＥ／ＡＨＪＸ", "ACME?AHJX"},
		{"every kind of quotation mark", "\"ACME\" 'AHJX' «YQET» “” ‘’ ‚„ ‹› 「」『』 `´", want},
		{"a sentence's end", "ACME-AHJX-YQET.", want},
		{"typographic dashes", "ACME–AHJX—YQET", want},
		{"digits of other scripts", "A٢B２", "A?B2"},
		{"CT-12 no wider folding", "A²①Ⓐ𝐀ℵ", "A?????"},
		{"accents are not removed", "ÀA\u0301", "?A?"},
		{"CT-13 Turkish letters are refused whatever the locale", "iıİI", "I??I"},
		{"look-alikes are kept apart", "0O1Il", "0O1IL"},
		{"the long s and the Kelvin sign are no letters here", "\u017f\u212a", "??"},
		{"Cyrillic and Greek", "АΑA", "??A"},
		{"a slash and an exclamation mark", "AB/CD!", "AB?CD?"},
		{"the placeholder itself", "A?B", "A?B"},
		{"CT-15 a lone continuation byte", "\x82A", "?A"},
		{"bytes that are not UTF-8", "A\xffB\xfe\xfdC", "A?B??C"},
		{"a sequence cut off", "A\xe2\x80", "A??"},
		{"a sequence cut off before a letter", "\xe2\x80A", "??A"},
		{"an overlong hyphen", "A\xc0\xadB", "A??B"},
		{"a surrogate", "A\xed\xa0\x80B", "A???B"},
		{"beyond Unicode", "\xf4\x90\x80\x80", "????"},
		{"the replacement character is one character", "A\ufffdB", "A?B"},
		{"NUL", "A\x00B", "AB"},
		{"nothing", "", ""},
		{"nothing but what is dropped", " -–\u200b\u00ad\n", ""},
	} {
		if got := normalized(t, c.input); got != c.want {
			t.Errorf("%s: %q becomes %q, want %q", c.name, c.input, got, c.want)
		}
	}
}

// The locale must make no difference, so no environment variable may.
func TestNormalizeUnderTurkishLocale(t *testing.T) {
	for _, name := range []string{"LANG", "LC_ALL", "LC_CTYPE"} {
		t.Setenv(name, "tr_TR.UTF-8")
	}
	if got := normalized(t, "acmei-ıİ"); got != "ACMEI??" {
		t.Errorf("normalised to %q", got)
	}
}

func TestNormalizeLengthBound(t *testing.T) {
	for _, c := range []struct {
		name, input string
		want        int // symbols
		tooLong     bool
	}{
		{"1,024 letters", strings.Repeat("A", 1024), 1024, false},
		{"1,025 letters", strings.Repeat("A", 1025), 0, true},
		{"1,024 bytes of spaces", strings.Repeat("\u3000", 341) + " ", 0, false},
		{"1,026 bytes of spaces", strings.Repeat("\u3000", 342), 0, true},
		{"1,024 bytes that are not UTF-8", strings.Repeat("\xff", 1024), 1024, false},
		{"1,025 bytes that are not UTF-8", strings.Repeat("\xff", 1025), 0, true},
	} {
		got, err := payload.AppendNormalized([]byte("dst"), c.input)
		if c.tooLong {
			var re *payload.ReadError
			if !errors.As(err, &re) || !errors.Is(err, payload.TooLong) || re.Have != len(c.input) || re.Want != payload.MaxInput {
				t.Errorf("%s: error %#v", c.name, err)
			}
			if string(got) != "dst" {
				t.Errorf("%s: dst became %q", c.name, got)
			}
			continue
		}
		if err != nil || len(got) != 3+c.want || string(got[:3]) != "dst" {
			t.Errorf("%s: %d bytes, %v", c.name, len(got), err)
		}
	}
}

func TestNormalizeIsIdempotent(t *testing.T) {
	r := newRand(6)
	for range 5_000 {
		input := make([]rune, r.IntN(60))
		for i := range input {
			input[i] = rune(r.IntN(0x3100))
			if r.IntN(3) == 0 {
				input[i] = rune(r.IntN(0x110000))
			}
		}
		once := normalized(t, string(input))
		if twice := normalized(t, once); twice != once {
			t.Fatalf("%q becomes %q, and that becomes %q", string(input), once, twice)
		}
	}
}
