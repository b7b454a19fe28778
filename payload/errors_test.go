package payload_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/licet-dev/licet/payload"
)

// What people who mistyped a code get to see.
func TestReadErrorTexts(t *testing.T) {
	reader, err := payload.NewReader(payload.Shape{Number: 8, Prefix: "ACME", Symbols: 32})
	if err != nil {
		t.Fatal(err)
	}
	code := "ACME-" + printed("", acme)
	edit := func(old, new string) string {
		if strings.Count(code, old) != 1 {
			t.Fatalf("%s does not occur once", old)
		}
		return strings.Replace(code, old, new, 1)
	}
	for _, c := range []struct{ input, possibly, confirmed string }{
		{"", "no code given", ""},
		{strings.Repeat("A", 1025), "text of 1025 bytes; no more than 1024 are read, and a code has at most 139 symbols", ""},
		{"ACME", "only the prefix, the code itself is missing", ""},
		{edit("-ELWZ", ""), "28 characters instead of 32: 4 missing", ""},
		{edit("69FW", "69FW69FW"), "36 characters instead of 32: 4 too many", ""},
		{code + code, "the code was pasted 2 times", ""},
		{edit("ACME", "P477"), "the prefix belongs to another product or issuer", ""},
		{"(" + code + ")!", "text around the code: 1 character before it, 2 after it", ""},
		{codes[5], "made with key 5, which is not known here", ""},
		{codes[0], "made for a later version of the format", ""},
		{edit("YQET", "YQEB"), "typing error: group 2, character 4 is possibly T, not B", "typing error: group 2, character 4 should be T, not B"},
		{edit("YQET", "YQTE"), "typing error: T and E are possibly exchanged (group 2, character 3 and group 2, character 4)",
			"typing error: T and E are exchanged (group 2, character 3 and group 2, character 4)"},
		{edit("YQET", "YBBT"), "typing error: more than one character is wrong, or text stands before or after the code", ""},
		{edit("YQET", "YQE0"), "group 2, character 4: '0' is never used in a code; it is possibly T", "group 2, character 4: '0' is never used in a code; it should be T"},
		{edit("YQET", "Y00T"), "group 2, character 2: '0' is never used in a code; it is possibly Q; group 2, character 3: '0' is never used in a code; it is possibly E",
			"group 2, character 2: '0' is never used in a code; it should be Q; group 2, character 3: '0' is never used in a code; it should be E"},
		{edit("YQET", "000T"), "group 2, character 1: '0' is never used in a code; group 2, character 2: '0' is never used in a code; group 2, character 3: '0' is never used in a code", ""},
		{edit("YQET", "YQЕT"), "group 2, character 3: 'Е' is a Cyrillic letter; switch the keyboard to Latin letters; it is possibly E",
			"group 2, character 3: 'Е' is a Cyrillic letter; switch the keyboard to Latin letters; it should be E"},
		{edit("YQET", "YQΕT"), "group 2, character 3: 'Ε' is a Greek letter; switch the keyboard to Latin letters; it is possibly E",
			"group 2, character 3: 'Ε' is a Greek letter; switch the keyboard to Latin letters; it should be E"},
		{edit("YQET", "YQㄷT"), "group 2, character 3: 'ㄷ' is a Hangul letter; switch the keyboard to Latin letters; it is possibly E",
			"group 2, character 3: 'ㄷ' is a Hangul letter; switch the keyboard to Latin letters; it should be E"},
		{edit("YQET", "YQ\xffT"), "group 2, character 3: a byte that is not UTF-8 text; it is possibly E", "group 2, character 3: a byte that is not UTF-8 text; it should be E"},
		{edit("-ELWZ", "-!"), "character 41 of the input: '!' is never used in a code", ""},
	} {
		_, _, err := reader.Read(c.input, nil)
		var e *payload.ReadError
		if !errors.As(err, &e) {
			t.Errorf("%q: %v", c.input, err)
			continue
		}
		if e.Error() != c.possibly {
			t.Errorf("%q:\n got %s\nwant %s", c.input, e, c.possibly)
		}
		if (e.Proposal != "") != (c.confirmed != "") {
			t.Errorf("%q: proposal %q", c.input, e.Proposal)
		}
		e.Confirmed = true
		if c.confirmed != "" && e.Error() != c.confirmed {
			t.Errorf("%q, confirmed:\n got %s\nwant %s", c.input, e, c.confirmed)
		}
	}
	twin := codeWithTwins(newRand(18), 32, 4, 5)
	wrong := replaced(replaced(twin, 4, other(twin[4])), 5, other(twin[4]))
	_, _, err = reader.Read(wrong, nil)
	c, o := twin[4], other(twin[4])
	want := fmt.Sprintf("typing error: group 2, character 1 is possibly %c, not %c; group 2, character 2 is possibly %c, not %c", c, o, c, o)
	if err == nil || err.Error() != want {
		t.Errorf("twins:\n got %v\nwant %s", err, want)
	}
}

func TestOtherReadErrorTexts(t *testing.T) {
	for _, c := range []struct {
		e    payload.ReadError
		want string
	}{
		{payload.ReadError{Reason: payload.WrongLength, Have: 11}, "11 characters; no code has this length"},
		{payload.ReadError{Reason: payload.SpareBits}, "the signature is not written as it must be (spare-bits)"},
		{payload.ReadError{Reason: payload.SignatureRange}, "the signature is not written as it must be (signature-range)"},
		{payload.ReadError{Reason: "something-later"}, "something-later"},
	} {
		if got := c.e.Error(); got != c.want {
			t.Errorf("%s: %q, want %q", c.e.Reason, got, c.want)
		}
	}
}

func TestReasons(t *testing.T) {
	for _, c := range []struct {
		reason    payload.Reason
		text      string
		malformed bool
	}{
		{payload.Empty, "empty", true},
		{payload.TooLong, "too-long", true},
		{payload.WrongLength, "wrong-length", true},
		{payload.PrefixOnly, "prefix-only", true},
		{payload.Unreadable, "unreadable", true},
		{payload.Typo, "typo", true},
		{payload.Repeated, "repeated", true},
		{payload.WrongPrefix, "wrong-prefix", true},
		{payload.ExtraText, "extra-text", true},
		{payload.SpareBits, "spare-bits", true},
		{payload.SignatureRange, "signature-range", true},
		{payload.UnknownKey, "unknown-key", false},
		{payload.LaterFormat, "later-format", false},
	} {
		if c.reason.Error() != c.text || c.reason.Malformed() != c.malformed {
			t.Errorf("reason %q, malformed: %t", c.reason.Error(), c.reason.Malformed())
		}
		if err := fmt.Errorf("reading: %w", &payload.ReadError{Reason: c.reason}); !errors.Is(err, c.reason) || errors.Is(err, payload.Reason("other")) {
			t.Errorf("errors.Is does not find %s", c.reason)
		}
	}
}

// A repair whose signature is bad is forgotten: neither it nor a place that
// follows from it may be told. What can be seen in the text stays.
func TestForget(t *testing.T) {
	reader := sevenKeys(t)
	for _, c := range []struct {
		name, input string
		want        payload.ReadError
	}{
		{"typo", replaced(acme, 4, 'Z'), payload.ReadError{Reason: payload.Typo}},
		{"exchanged", exchanged(acme, 4, 5), payload.ReadError{Reason: payload.Typo}},
		{"unreadable", replaced(acme, 4, '0'), payload.ReadError{Reason: payload.Unreadable, Places: []payload.Place{{Group: 2, Char: 1, Input: 5, Got: '0'}}}},
		{"wrong length", acme[1:], payload.ReadError{Reason: payload.WrongLength, Have: 31, Want: 32}},
	} {
		_, _, err := reader.Read(c.input, nil)
		var e *payload.ReadError
		if !errors.As(err, &e) {
			t.Fatalf("%s: %v", c.name, err)
		}
		e.Forget()
		if !reflect.DeepEqual(*e, c.want) {
			t.Errorf("%s: %+v is left, want %+v", c.name, *e, c.want)
		}
		if strings.Contains(e.Error(), "possibly") {
			t.Errorf("%s: still says %s", c.name, e)
		}
	}
}
