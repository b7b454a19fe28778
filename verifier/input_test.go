package verifier_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/licet-dev/licet/payload"
)

// droppedRanges is the dropping table of SPEC.md, section 5.1, copied by hand
// from there. A release that takes fewer spellings than this one breaks codes
// that customers have on paper (CT-02), so nothing may ever leave this table.
const droppedRanges = `
	0000-001F 007F-009F
	0020 00A0 1680 2000-200A 2028 2029 202F 205F 2800 3000
	00AD 034F 061C 115F 1160 17B4 17B5 180B-180F 200B-200F 202A-202E 2060-206F 3164 FE00-FE0F FEFF
	FFA0 FFF0-FFFC 1BCA0-1BCA3 1D173-1D17A E0000-E0FFF
	002D 005F 00B7 02D7 058A 05BE 1400 1806 2010-2015 2027 2043 2212 2500 2501 2796 2E17 2E1A 2E3A 2E3B 2E40
	2E5D 301C 3030 30A0 30FB 30FC FE31 FE32 FE58 FE63 FF65 FF70 10EAD
	002E 3002 FF61 0022 0027 0060 00AB 00B4 00BB 2018-201F 2039 203A 300C-300F`

func dropped() (all []rune) {
	for _, f := range strings.Fields(droppedRanges) {
		var lo, hi rune
		if n, _ := fmt.Sscanf(f, "%X-%X", &lo, &hi); n == 1 {
			hi = lo
		}
		for r := lo; r <= hi; r++ {
			all = append(all, r)
		}
	}
	return all
}

// CT-08, CT-09: each of these makes no difference, wherever it stands.
func TestDroppedCodePoints(t *testing.T) {
	v := newVerifier(newRing(newKey(workedHS, 7)))
	bare := strings.ReplaceAll(workedHSCode, "-", "")
	count := 0
	for _, r := range dropped() {
		s := string(r)
		for _, text := range []string{
			s + workedHSCode,
			workedHSCode + s,
			strings.Replace(workedHSCode, "-", s+"-", 3),
			strings.Replace(workedHSCode, "-", "-"+s, 3),
			strings.ReplaceAll(workedHSCode, "-", s),
			bare[:2] + s + bare[2:9] + s + s + bare[9:], // inside the prefix and inside a group
		} {
			if lic, err := v.Verify(text); err != nil || lic.Serial != 1000 {
				t.Errorf("U+%04X in %q: %v", r, text, err)
			}
		}
		count++
	}
	if count < 4000 {
		t.Errorf("only %d code points: the table was not read", count)
	}
}

// fullWidth writes ASCII from ! to ~ in the forms of East Asian keyboards.
func fullWidth(s string) string {
	return strings.Map(func(r rune) rune {
		if '!' <= r && r <= '~' {
			return r + 0xFEE0
		}
		return r
	}, s)
}

// CT-01, CT-04, CT-12, CT-13: the ways in which people hand on a code, with the
// verdict that each gets. Nothing of this depends on the locale.
func TestInputForms(t *testing.T) {
	v := newVerifier(newRing(newKey(workedHS, 7), newKey(workedES, 7)))
	for _, code := range []string{workedHSCode, workedESCode} {
		bare := strings.ReplaceAll(code, "-", "")
		for _, text := range []string{
			code, bare,
			strings.ToLower(code), strings.ToLower(bare), mixedCase(code),
			fullWidth(code), fullWidth(bare), fullWidth(strings.ToLower(code)),
			" " + code + "\t", code + "\n", code + "\r\n", "\ufeff" + code,
			strings.ReplaceAll(code, "-", " "), strings.ReplaceAll(code, "-", " - "), strings.ReplaceAll(code, "-", "\u2013"),
			strings.ReplaceAll(code, "-", "-\n"), strings.ReplaceAll(code, "-", "\r\n\t"), strings.ReplaceAll(code, "-", "\u00a0"),
			"\u201c" + code + ".\u201d", "'" + code + "'", "`" + code + "`", "\u300c" + code + "\u300d\u3002",
			payload.Regroup(code, "", 5), payload.Regroup(code, "", 1), payload.Regroup(code, "", 0),
			strings.Join(strings.Split(bare, ""), "\u200b"),
		} {
			if lic, err := v.Verify(text); err != nil || lic.Serial != 1000 {
				t.Errorf("%q: %v", text, err)
			}
		}
		// The prefix may be left out, since no check symbol covers it.
		if _, err := v.Verify(strings.TrimPrefix(code, "ACME-")); err != nil {
			t.Error(err)
		}
		// And these are not the code, whatever they look like.
		last := func(s string) string { return code[:len(code)-1] + s }
		for text, want := range map[string]error{
			last("\u2085"):                   payload.Unreadable, // subscript five
			last("\u2464"):                   payload.Unreadable, // circled five
			last("\u041d"):                   payload.Unreadable, // Cyrillic En, which looks like H
			last("\u0399"):                   payload.Unreadable, // Greek Iota
			last("\u0131"):                   payload.Unreadable, // dotless i
			last("\u0130"):                   payload.Unreadable, // dotted I
			last("i"):                        payload.Unreadable, // no code has an I; it is not taken for a 1
			last("\xff"):                     payload.Unreadable,
			last("\x82"):                     payload.Unreadable, // grows when it is turned to upper case
			code + "!":                       payload.ExtraText,
			code + code:                      payload.Repeated,
			code + "\n" + code + "\n" + code: payload.Repeated,
			code + " ABCD":                   payload.ExtraText,
			"Your code: " + code:             payload.ExtraText,
			code[:len(code)-2]:               payload.WrongLength,
			code[:len(code)-6]:               payload.WrongLength,
		} {
			lic, err := v.Verify(text)
			requireReason(t, err, want)
			if lic.Product != 0 {
				t.Errorf("%q: returned %+v", text, lic)
			}
		}
	}
}

func mixedCase(s string) string {
	b := []byte(s)
	for i := 0; i < len(b); i += 2 {
		b[i] = strings.ToLower(string(b[i]))[0]
	}
	return string(b)
}

// A text of 1,024 bytes is read, one of 1,025 is not looked at. CT-26: no length
// of any of them makes a panic.
func TestLongInput(t *testing.T) {
	v := newVerifier(newRing(newKey(workedHS, 7), newKey(workedES, 7)))
	for _, code := range []string{workedHSCode, workedESCode} {
		fill := strings.Repeat(" ", 1024-len(code))
		for _, text := range []string{code + fill, fill + code, strings.Replace(code, "-", "-"+fill, 1)} {
			_, err := v.Verify(text)
			requireReason(t, err, nil)
			lic, err := v.Verify(text + " ")
			requireReason(t, err, payload.TooLong)
			if re := readError(t, err); lic.Product != 0 || re.Have != 1025 || re.Want != 1024 {
				t.Errorf("got %+v", re)
			}
		}
		// Bytes count, not characters.
		wide := code + strings.Repeat("\u3000", (1024-len(code))/3)
		_, err := v.Verify(wide)
		requireReason(t, err, nil)
		_, err = v.Verify(wide + "\u3000")
		requireReason(t, err, payload.TooLong)

		for n := range len(code) {
			for _, text := range []string{code[:n], code[n:], code[:n] + "\xf0\x9f" + code[n:], code[:n] + code} {
				_, err := v.Verify(text)
				// Without its prefix, whole or in part, only the code itself is left.
				whole := strings.Trim(text, "-")
				if accepted := whole == code || whole == strings.TrimPrefix(code, "ACME-"); accepted != (err == nil) {
					t.Errorf("%q: %v", text, err)
				}
				requireFamily(t, err)
			}
		}
	}
	for n := range 2000 {
		_, err := v.Verify(strings.Repeat("A", n))
		requireFamily(t, err)
		if err == nil {
			t.Errorf("%d times A was accepted", n)
		}
	}
}

// CT-15: places count code points of the input, bytes that are no UTF-8 among
// them, so that a form can mark the very character.
func TestPlacesInTheInput(t *testing.T) {
	v := newVerifier(newRing(newKey(workedHS, 7)))
	for _, c := range []struct {
		text  string
		place int
		got   rune
	}{
		{"ACME-AHJX-0QET-69FW-H3QZ-JG9E-69PS-6HVK-ELWZ", 11, '0'},
		{"\ufeff\ufeffACME-AHJX-0QET-69FW-H3QZ-JG9E-69PS-6HVK-ELWZ", 13, '0'},
		{"\u3000acme ahjx \uff10qet 69fw h3qz jg9e 69ps 6hvk elwz", 12, '0'},
		{"ACME-AHJX-\xffQET-69FW-H3QZ-JG9E-69PS-6HVK-ELWZ", 11, utf8.RuneError},
		{"ACME-AHJX-\u042fQET-69FW-H3QZ-JG9E-69PS-6HVK-ELWZ", 11, '\u042f'},
		{"ACME-AHJX-\U0001f600QET-69FW-H3QZ-JG9E-69PS-6HVK-ELWZ", 11, '\U0001f600'},
	} {
		_, err := v.Verify(c.text)
		requireReason(t, err, payload.Unreadable)
		re := readError(t, err)
		if len(re.Places) != 1 || re.Places[0] != (payload.Place{Group: 2, Char: 1, Input: c.place, Got: c.got, Want: 'Y'}) {
			t.Errorf("%q: places %+v", c.text, re.Places)
		}
	}
}
