package verifier_test

import (
	"strings"
	"testing"

	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/verifier"
)

// seven are keys of mixed layouts, prefixes and suites in one ring. OI10 is a
// prefix of characters that no body has, P477 makes a coupon as long as a compact
// code, and two keys share ACME.
var seven = []testKey{
	newKey("licet/v1 es256 key=3 prefix=LIC2 layout=product:16,version:12,expiry:16,serial:32,edition:8,features:16 bind=none sig=512", 7),
	newKey(workedHS, 7),
	newKey(workedES, 7),
	newKey("licet/v1 hs256 key=10 prefix= layout=product:9,version:8,expiry:15,serial:28 bind=none sig=80", 7),
	newKey("licet/v1 hs256 key=11 prefix=ACME layout=product:6,version:5,expiry:13,serial:21 bind=none sig=55", 7),
	newKey("licet/v1 hs256 key=12 prefix=P477 layout=product:15,serial:30 bind=none sig=35", 7),
	newKey("licet/v1 hs256 key=13 prefix=OI10 layout=product:16,version:12,expiry:16,serial:32,edition:8,features:16 bind=none sig=80", 7),
}

// wellFormed returns symbols of a key number and a length that are well formed,
// with a signature of nobody.
func wellFormed(number, length int) string {
	body := []byte{payload.Symbol(number)}
	for i := 1; i < length-payload.CheckSymbols; i++ {
		body = append(body, payload.Symbol(i*i%31))
	}
	return string(payload.AppendCheck(body))
}

func codeOf(k testKey) string {
	lic := payload.License{Product: 7, Serial: 1000, Expiry: payload.Never}
	return k.mint(lic)
}

// Each key's code in each form that SPEC.md, section 5, names, read among all
// seven keys.
func TestReadingOfEveryKey(t *testing.T) {
	v := newVerifier(newRing(seven...), shortTags)
	for _, k := range seven {
		code := codeOf(k)
		d := k.Descriptor()
		bare := string(k.symbols(code))
		full := d.Prefix + bare
		read := func(text string, want error) *payload.ReadError {
			t.Helper()
			lic, err := v.Verify(text)
			if want == nil {
				if err != nil || lic.Serial != 1000 || lic.KeyNumber != d.Number || lic.KeyID != k.ID() {
					t.Errorf("key %d: Verify(%q) = key %d, serial %d, %v", d.Number, text, lic.KeyNumber, lic.Serial, err)
				}
				return nil
			}
			requireReason(t, err, want)
			if lic.Product != 0 {
				t.Errorf("key %d: Verify(%q) returned %+v", d.Number, text, lic)
			}
			return readError(t, err)
		}

		// A: exact, with the prefix and without.
		read(code, nil)
		read(bare, nil)
		read(strings.ToLower(code), nil)

		// B: the same code several times.
		for copies := 2; copies*len(full) <= 1000 && copies <= 4; copies++ {
			for _, text := range []string{strings.Repeat(code+"\n", copies), strings.Repeat(bare, copies), strings.Repeat(full, copies-1) + bare} {
				if re := read(text, payload.Repeated); re.Copies != copies {
					t.Errorf("key %d: %d copies, want %d", d.Number, re.Copies, copies)
				}
			}
		}

		// C: text around a good code. A prefix of the key belongs to the code.
		for _, c := range []struct {
			before, after string
			want          payload.Reason
		}{
			{"ZZ", "", payload.WrongPrefix},
			{"NOTOURS8", "", payload.WrongPrefix},
			{"CODENUMBER", "", payload.ExtraText}, // longer than any prefix
			{"X", "", payload.ExtraText},          // shorter than any
			{"", "X", payload.ExtraText},
			{"", "ABCD", payload.ExtraText},
			{"ZZ", "X", payload.ExtraText},
			{"Z?", "", payload.ExtraText}, // no prefix has such a character
			{"12345678", "12345678", payload.ExtraText},
		} {
			re := read(c.before+bare+c.after, c.want)
			if re.Before != len(c.before) || re.After != len(c.after) {
				t.Errorf("key %d: %q: %d before, %d after", d.Number, c.before+bare+c.after, re.Before, re.After)
			}
			if d.Prefix != "" {
				re := read(c.before+code+c.after, payload.ExtraText)
				if re.Before != len(c.before) || re.After != len(c.after) {
					t.Errorf("key %d: %q: %d before, %d after", d.Number, c.before+code+c.after, re.Before, re.After)
				}
			}
		}
		// The prefix of another key before a good body is one of those.
		for _, o := range seven {
			if p := o.Descriptor().Prefix; p != "" && p != d.Prefix {
				read(p+"-"+bare, payload.WrongPrefix)
			}
		}

		// E: symbols missing or too many, at the end, where the key still shows.
		for missing := 1; missing <= 4; missing++ {
			re := read(full[:len(full)-missing], payload.WrongLength)
			if re.Have != len(bare)-missing && !sameLengthElsewhere(len(bare)-missing) || re.Want != len(bare) {
				t.Errorf("key %d: %d of %d characters: have %d, want %d", d.Number, len(bare)-missing, len(bare), re.Have, re.Want)
			}
		}
		// A wrong symbol and an unreadable one, at every place.
		for i := range bare {
			wrong := []byte(bare)
			value, _ := payload.SymbolValue(wrong[i])
			wrong[i] = payload.Symbol((value + 1) % 32)
			re := read(d.Prefix+string(wrong), payload.Typo)
			if re.Proposal != code || !re.Confirmed || len(re.Places) != 1 || re.Places[0].Group != i/4+1 || re.Places[0].Char != i%4+1 {
				t.Errorf("key %d: typo in symbol %d: %+v", d.Number, i+1, re)
			}
			wrong[i] = '!'
			re = read(d.Prefix+string(wrong), payload.Unreadable)
			if re.Proposal != code || !re.Confirmed || len(re.Places) != 1 || re.Places[0].Input != len(d.Prefix)+i+1 {
				t.Errorf("key %d: unreadable symbol %d: %+v", d.Number, i+1, re)
			}
		}
		// Three unreadable ones are named and not filled.
		wrong := []byte(full)
		wrong[len(wrong)-1], wrong[len(wrong)-5], wrong[len(wrong)-9] = '0', '0', '0'
		if re := read(string(wrong), payload.Unreadable); re.Proposal != "" || len(re.Places) != 3 {
			t.Errorf("key %d: three unreadable: %+v", d.Number, re)
		}
	}
}

// sameLengthElsewhere reports whether a text of n symbols has the length of
// another key's code, and so is read as that one's.
func sameLengthElsewhere(n int) bool {
	for _, k := range seven {
		if k.Descriptor().Symbols() == n {
			return true
		}
	}
	return false
}

// Texts that belong to no key of the ring, by their reasons and numbers.
func TestReadingTable(t *testing.T) {
	v := newVerifier(newRing(seven...), shortTags)
	for _, c := range []struct {
		name, text string
		reason     payload.Reason
		check      func(re *payload.ReadError) bool
	}{
		{"nothing", "", payload.Empty, nil},
		{"white space", " \t\r\n", payload.Empty, nil},
		{"hyphens and invisible characters", "--\u200b\ufeff\u2014", payload.Empty, nil},
		{"a known prefix alone", "ACME-", payload.PrefixOnly, nil},
		{"a prefix of 0, 1, I and O alone", "oi10", payload.PrefixOnly, nil},
		{"a number that the ring lacks", wellFormed(20, 32), payload.UnknownKey, func(re *payload.ReadError) bool { return re.Key == 20 }},
		{"the same after a prefix", "ACME" + wellFormed(20, 32), payload.UnknownKey, func(re *payload.ReadError) bool { return re.Key == 20 }},
		{"the same after a prefix of somebody", "FOREIGN8" + wellFormed(20, 40), payload.UnknownKey, func(re *payload.ReadError) bool { return re.Key == 20 }},
		{"the shortest foreign code", wellFormed(31, 12), payload.UnknownKey, func(re *payload.ReadError) bool { return re.Key == 31 }},
		{"the longest foreign code", wellFormed(31, 139), payload.UnknownKey, func(re *payload.ReadError) bool { return re.Key == 31 }},
		{"key number 0", wellFormed(0, 32), payload.LaterFormat, nil},
		{"key number 0 after a prefix", "ACME" + wellFormed(0, 56), payload.LaterFormat, nil},
		{"a known number of another length", wellFormed(8, 40), payload.WrongLength, func(re *payload.ReadError) bool { return re.Have == 40 && re.Want == 32 }},
		{"the same after a prefix", "ACME" + wellFormed(8, 28), payload.WrongLength, func(re *payload.ReadError) bool { return re.Have == 28 && re.Want == 32 }},
		{"one group too many", "ACME" + strings.Repeat("AHJX", 9), payload.WrongLength, func(re *payload.ReadError) bool { return re.Have == 36 && re.Want == 32 }},
		{"a word", "HELLO", payload.WrongLength, nil},
		{"a word with an unreadable character", "HE?LO", payload.Unreadable, func(re *payload.ReadError) bool {
			return len(re.Places) == 1 && re.Places[0] == payload.Place{Input: 3, Got: '?'}
		}},
		{"too long", strings.Repeat("A", 1025), payload.TooLong, func(re *payload.ReadError) bool { return re.Have == 1025 && re.Want == 1024 }},
	} {
		lic, err := v.Verify(c.text)
		requireReason(t, err, c.reason)
		re := readError(t, err)
		if re.Reason != c.reason || c.check != nil && !c.check(re) || lic.Product != 0 {
			t.Errorf("%s: %+v", c.name, re)
		}
		e := err.(*verifier.NotAuthenticError)
		if malformed := e.Malformed() != nil; malformed != c.reason.Malformed() {
			t.Errorf("%s: malformed %t", c.name, malformed)
		}
	}
}

// A typo in the first symbol names another key or none; it is still a typo of
// the code that it was, if only one key has that length.
func TestTypoInTheFirstSymbol(t *testing.T) {
	v := newVerifier(newRing(seven...), shortTags)
	code := codeOf(seven[1]) // of key 8, which has the prefix ACME
	for _, c := range []byte(payload.Alphabet) {
		if c == payload.Symbol(8) {
			continue
		}
		_, err := v.Verify("ACME-" + string(c) + code[len("ACME-A"):])
		requireReason(t, err, payload.Typo)
		if re := readError(t, err); re.Proposal != code || len(re.Places) != 1 || re.Places[0].Want != 'A' {
			t.Errorf("%c: %+v", c, re)
		}
	}
}
