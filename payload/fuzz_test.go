package payload_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/licet-dev/licet/payload"
)

// normalizeSeeds are inputs and what they become; "too-long" for one that is not read.
var normalizeSeeds = map[string]string{
	"ACME-AHJX":               "ACMEAHJX",
	"ＡＣＭＥ－ａｈｊｘ":               "ACMEAHJX",
	"\u200bA\u00a0B\u3000C.":  "ABC",
	"\xffA\xe2\x80":           "?A??",
	"iıİ0O":                   "I??0O",
	strings.Repeat("-", 1024): "",
	strings.Repeat("-", 1025): "too-long",
}

func TestNormalizeSeeds(t *testing.T) {
	if len(normalizeSeeds) < 7 {
		t.Fatalf("only %d seeds", len(normalizeSeeds))
	}
	for input, want := range normalizeSeeds {
		got, err := payload.AppendNormalized(nil, input)
		if errors.Is(err, payload.TooLong) {
			got = []byte("too-long")
		}
		if string(got) != want {
			t.Errorf("%q becomes %q, want %q", input, got, want)
		}
	}
}

func FuzzNormalize(f *testing.F) {
	for input := range normalizeSeeds {
		f.Add(input)
	}
	f.Fuzz(func(t *testing.T, input string) {
		once, err := payload.AppendNormalized(nil, input)
		if (err != nil) != (len(input) > payload.MaxInput) {
			t.Fatalf("%d bytes: %v", len(input), err)
		}
		if err != nil {
			return
		}
		if len(once) > len(input) {
			t.Fatalf("%d bytes became %d", len(input), len(once))
		}
		for _, c := range once {
			if !('A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == payload.Placeholder) {
				t.Fatalf("%q became %q", input, once)
			}
		}
		if twice, err := payload.AppendNormalized(nil, string(once)); err != nil || string(twice) != string(once) {
			t.Fatalf("%q became %q, and that %q, %v", input, once, twice, err)
		}
		// A hyphen more at both ends makes no difference, nor does the case.
		if len(input) < payload.MaxInput-2 {
			if more, _ := payload.AppendNormalized(nil, "-"+strings.ToLower(string(once))+"-"); string(more) != string(once) {
				t.Fatalf("%q became %q, in lower case %q", input, once, more)
			}
		}
	})
}

// readSeeds are texts and how they read with the seven keys; "" for good codes.
var readSeeds = map[string]payload.Reason{
	printed("ACME", acme):               "",
	codes[1]:                            "",
	codes[9]:                            "",
	codes[10]:                           "",
	printed("P477", codes[11]):          "",
	codes[12]:                           "",
	printed("ZZZZZZZZ", codes[31]):      "",
	"":                                  payload.Empty,
	strings.Repeat(" ", 1025):           payload.TooLong,
	acme[:30]:                           payload.WrongLength,
	"B0O1":                              payload.PrefixOnly,
	replaced(acme, 3, '0'):              payload.Unreadable,
	replaced(acme, 3, 'Z'):              payload.Typo,
	exchanged(acme, 3, 4):               payload.Typo,
	acme + "ACME" + acme + acme:         payload.Repeated,
	"P477" + acme:                       payload.WrongPrefix,
	"(" + printed("ACME", acme) + ") -": payload.ExtraText,
	codes[5]:                            payload.UnknownKey,
	codes[0]:                            payload.LaterFormat,
}

func TestReadSeeds(t *testing.T) {
	reader := sevenKeys(t)
	seen := map[payload.Reason]bool{}
	for input, want := range readSeeds {
		_, _, err := reader.Read(input, nil)
		var got payload.Reason
		if err != nil && !errors.As(err, &got) {
			t.Errorf("%q: %v has no reason", input, err)
		}
		if got != want {
			t.Errorf("%q reads as %q, want %q", input, got, want)
		}
		seen[got] = true
	}
	if len(seen) != 12 {
		t.Errorf("the seeds have %d readings of 12: %v", len(seen), seen)
	}
}

// checkReading holds whatever a reader says of a text against what it promises.
func checkReading(t *testing.T, reader *payload.Reader, shapes []payload.Shape, input string) {
	t.Helper()
	key, symbols, err := reader.Read(input, nil)
	if err != nil {
		var e *payload.ReadError
		if !errors.As(err, &e) || key != 0 || symbols != nil || e.Error() == "" || !errors.Is(err, e.Reason) {
			t.Fatalf("%q: %d, %q, %#v", input, key, symbols, err)
		}
		if e.Proposal != "" {
			if _, _, err := reader.Read(e.Proposal, nil); err != nil && len(shapes) > 0 {
				t.Fatalf("%q: the proposal %s does not read: %v", input, e.Proposal, err)
			}
		}
		if (e.Proposal != "") != (len(e.Places) > 0 && e.Places[0].Want != 0) {
			t.Fatalf("%q: proposal %q with places %v", input, e.Proposal, e.Places)
		}
		if e.Confirmed {
			t.Fatalf("%q: confirmed by nobody", input)
		}
		return
	}
	for _, s := range shapes {
		if s.Number != key {
			continue
		}
		if len(symbols) != s.Symbols || !payload.WellFormed(symbols) || symbols[0] != payload.Symbol(key) {
			t.Fatalf("%q reads as key %d, %s", input, key, symbols)
		}
		for _, prefix := range prefixesOf(s) {
			text := printed(prefix, string(symbols))
			again, back, err := reader.Read(text, nil)
			if err != nil || again != key || string(back) != string(symbols) {
				t.Fatalf("%q is %s, which reads as %d, %s, %v", input, text, again, back, err)
			}
		}
		return
	}
	t.Fatalf("%q reads as key %d, which is not there", input, key)
}

func FuzzRead(f *testing.F) {
	for input := range readSeeds {
		f.Add(input)
	}
	seven := sevenKeys(f)
	none, err := payload.NewReader()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, input string) {
		checkReading(t, seven, sevenShapes, input)
		checkReading(t, none, nil, input)
	})
}

// CT-26: every beginning of every code, and every length.
func TestEveryPrefixAndEveryLength(t *testing.T) {
	seven := sevenKeys(t)
	none, err := payload.NewReader()
	if err != nil {
		t.Fatal(err)
	}
	r := newRand(19)
	var inputs []string
	for seed := range readSeeds {
		if len(seed) > payload.MaxInput {
			continue
		}
		for i := range len(seed) + 1 {
			inputs = append(inputs, seed[:i], seed[i:])
		}
	}
	for n := range 1030 {
		if n > 300 && n%41 != 0 && n < 1020 {
			continue // too long for any code; a sample does
		}
		inputs = append(inputs, strings.Repeat("A", n), strings.Repeat("?", n), strings.Repeat("\xff", n), noise(r, n, payload.Alphabet))
	}
	for n := range 300 {
		inputs = append(inputs, noise(r, n, payload.Alphabet+"01IO?- "), noise(r, n, "ACME2"))
	}
	for _, input := range inputs {
		checkReading(t, seven, sevenShapes, input)
		checkReading(t, none, nil, input)
	}
}

// noise returns n characters of an alphabet.
func noise(r *rand.Rand, n int, alphabet string) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}

// layoutSeeds are layouts and whether they are good.
var layoutSeeds = map[string]bool{
	"standard": true, "wide": true, "compact": true, "coupon": true,
	"product:9,version:8,expiry:15,serial:28": true,
	"serial:53,zone:53,product:53,x:1":        true,
	"product:1,serial:4":                      true,
	"product:1,serial:3":                      false,
	"product:01,serial:4":                     false,
	"product:1,serial:4,expiry:5":             false,
	"":                                        false,
}

func TestLayoutSeeds(t *testing.T) {
	if len(layoutSeeds) < 11 {
		t.Fatalf("only %d seeds", len(layoutSeeds))
	}
	for s, want := range layoutSeeds {
		if _, err := payload.ParseLayout(s); (err == nil) != want {
			t.Errorf("ParseLayout(%q): %v", s, err)
		}
	}
}

func FuzzLayout(f *testing.F) {
	for s := range layoutSeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		l, err := payload.ParseLayout(s)
		if err != nil {
			return
		}
		if l.String() != s && l.Name() != s {
			t.Fatalf("%q became %q", s, l)
		}
		again, err := payload.ParseLayout(l.String())
		if err != nil || again.String() != l.String() || again.Name() != l.Name() || again.Bits() != l.Bits() {
			t.Fatalf("%q became %q, and that %v, %v", s, l, again, err)
		}
		if l.Bits()%5 != 0 || l.Bits() > payload.MaxPayloadBits {
			t.Fatalf("%q has %d bits", s, l.Bits())
		}
		ones := make([]byte, payload.ByteCount(l.Bits()))
		for i := range ones {
			ones[i] = 0xFF
		}
		ones[0] >>= 8*len(ones) - l.Bits()
		var lic payload.License
		l.Unpack(&lic, ones)
		if back, err := l.AppendPayload(nil, &lic); err == nil && string(back) != string(ones) {
			t.Fatalf("%q: %x became %x", s, ones, back)
		}
	})
}
