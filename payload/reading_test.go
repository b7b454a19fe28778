package payload_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/licet-dev/licet/payload"
)

func TestNearest(t *testing.T) {
	reader := sevenKeys(t)
	typo := replaced(acme, 19, 'F')
	for _, c := range []struct {
		name, input                    string
		key                            int
		before, prefix, symbols, after string
	}{
		{"a code", printed("ACME", acme), 8, "", "ACME", acme, ""},
		{"without its prefix", acme, 8, "", "", acme, ""},
		{"in lower case", strings.ToLower(printed("ACME", acme)), 8, "", "ACME", acme, ""},
		{"a typing error", printed("ACME", typo), 8, "", "ACME", typo, ""},
		{"in the first symbol", "ACMEZ" + acme[1:], 8, "", "ACME", "Z" + acme[1:], ""},
		{"an unreadable character", "ACME" + replaced(acme, 3, '!'), 8, "", "ACME", replaced(acme, 3, '?'), ""},
		{"cut off", "ACME" + acme[:9], 8, "", "ACME", acme[:9], ""},
		{"cut off, without prefix", acme[:30], 8, "", "", acme[:30], ""},
		{"too long", acme + "XY", 8, "", "", acme, "XY"}, // the code is inside
		{"too long, with a typing error", "ACME" + typo + "XY", 8, "", "ACME", typo + "XY", ""},
		{"text around", "(" + printed("ACME", acme) + ")", 8, "?", "ACME", acme, "?"},
		{"another prefix", "P477" + acme, 8, "P477", "", acme, ""},
		{"pasted twice", "ACME" + acme + acme, 8, "", "ACME", acme, acme},
		{"pasted three times", acme + "ACME" + acme + acme, 8, "", "", acme, "ACME" + acme + acme},
		{"a code of an unknown key", codes[5], 5, "", "", codes[5], ""},
		{"with a prefix", "NEW-" + codes[30], 30, "", "NEW", codes[30], ""},
		{"of a later format", codes[0], 0, "", "", codes[0], ""},
		{"of a known key, but longer", randomCode(newRand(31), 'A', 36), 8, "", "", randomCode(newRand(31), 'A', 36), ""},
	} {
		got, ok := reader.Nearest(c.input)
		if !ok || got.Key != c.key || got.Before != c.before || got.Prefix != c.prefix || string(got.Symbols) != c.symbols || got.After != c.after {
			t.Errorf("%s: %+v, %t", c.name, got, ok)
		}
	}
	for _, input := range []string{"", " - ", "ACME", "acme-", "ABC", acme[:23][2:] + strings.Repeat("9", 200), strings.Repeat("A", payload.MaxInput+1)} {
		if got, ok := reader.Nearest(input); ok {
			t.Errorf("%.40q resembles a code: %+v", input, got)
		}
	}
}

// Without keys a text may be a code as long as it has the length of one.
func TestNearestWithoutKeys(t *testing.T) {
	reader, err := payload.NewReader()
	if err != nil {
		t.Fatal(err)
	}
	typo := replaced(acme, 19, 'F')
	for input, key := range map[string]int{acme: 8, typo: 0, acme[:12]: 0, replaced(acme, 3, '!'): 0} {
		got, ok := reader.Nearest(input)
		if want := strings.ReplaceAll(input, "!", "?"); !ok || got.Key != key || string(got.Symbols) != want {
			t.Errorf("%s: %+v, %t", input, got, ok)
		}
	}
	for _, input := range []string{"", acme[:11], strings.Repeat("A", 140)} {
		if got, ok := reader.Nearest(input); ok {
			t.Errorf("%q resembles a code: %+v", input, got)
		}
	}
}

// checkNearest holds a reading against the text, and against what Read says of it.
func checkNearest(t *testing.T, reader *payload.Reader, input string) {
	t.Helper()
	got, ok := reader.Nearest(input)
	key, symbols, err := reader.Read(input, nil)
	if !ok {
		if err == nil {
			t.Fatalf("%q is a code and resembles none", input)
		}
		return
	}
	text, tooLong := payload.AppendNormalized(nil, input)
	if whole := got.Before + got.Prefix + string(got.Symbols) + got.After; tooLong != nil || whole != string(text) || len(got.Symbols) == 0 {
		t.Fatalf("%q is %q, but taken apart %+v", input, text, got)
	}
	runes := []rune(input)
	for i, n := range got.Inputs {
		if one, _ := payload.AppendNormalized(nil, string(runes[n-1])); string(one) != string(got.Symbols[i:i+1]) || len(got.Inputs) != len(got.Symbols) {
			t.Fatalf("%q: symbol %d is %c, but character %d of the input is %c", input, i, got.Symbols[i], n, runes[n-1])
		}
	}
	if err == nil && (key != got.Key || string(symbols) != string(got.Symbols)) {
		t.Fatalf("%q is read as key %d, %s, but taken apart %+v", input, key, symbols, got)
	}
	var e *payload.ReadError
	if !errors.As(err, &e) {
		return
	}
	for _, p := range e.Places {
		i := (p.Group-1)*payload.GroupSize + p.Char - 1
		if p.Group == 0 {
			i = slices.Index(got.Inputs, p.Input)
		}
		if i < 0 || i >= len(got.Inputs) || got.Inputs[i] != p.Input {
			t.Fatalf("%q: %+v is symbol %d of %+v", input, p, i, got)
		}
	}
	if e.Reason == payload.WrongLength && e.Have != len(got.Symbols) || e.Reason == payload.UnknownKey && e.Key != got.Key {
		t.Fatalf("%q: %+v, but taken apart %+v", input, e, got)
	}
}

func FuzzNearest(f *testing.F) {
	for input := range readSeeds {
		f.Add(input)
		f.Add(strings.Replace(input, "A", "!", 1))
		f.Add("ACME" + strings.Replace(input, "X", "", 1))
	}
	r := newRand(41)
	for n := range 150 {
		f.Add(noise(r, n, payload.Alphabet+"01IO?- "))
		f.Add("acme-a" + noise(r, n, payload.Alphabet))
	}
	seven := sevenKeys(f)
	none, err := payload.NewReader()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, input string) {
		checkNearest(t, seven, input)
		checkNearest(t, none, input)
	})
}
