package verifier_test

import (
	"slices"
	"testing"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/verifier"
)

// A repair is named only if its signature is good; where the verifier can't tell,
// it is a mere possibility. One symbol is wrong or unreadable in each text.
func TestRepairs(t *testing.T) {
	hs, es, bound, short := newKey(workedHS, 7, 8), newKey(workedES, 7, 8), newKey(boundHS, 7),
		newKey("licet/v1 hs256 key=13 prefix= layout=product:15,serial:30 bind=none sig=35", 7)
	withdrawn := testKey{hs.WithState(keys.Withdrawn), hs.private}
	others := testKey{must(hs.WithProducts(8)), hs.private}
	public := func(k testKey) testKey { return testKey{k.Key.WithoutSecret(), k.private} }
	boundCode := bound.mint(workedLicense, "host-1")
	shortCode := short.mint(payload.License{Product: 7, Serial: 9})
	other := keyOf(workedHS, unhex(workedESSecret), 7).mint(workedLicense)
	otherES := keyOf(workedES, unhex(workedHSSecret), 7).mint(workedLicense)
	expired := func(o *verifier.Options) { o.Clock = at(noon.AddDate(10, 0, 0)) }
	behind := func(o *verifier.Options) { o.Clock = at(noon.AddDate(-10, 0, 0)) }

	type outcome int
	const (
		dropped outcome = iota
		possible
		confirmed
	)
	for _, c := range []struct {
		name          string
		key           testKey
		code, binding string
		change        func(*verifier.Options)
		want          outcome
	}{
		{"good", hs, workedHSCode, "", nil, confirmed},
		{"good es256", es, workedESCode, "", nil, confirmed},
		// The question is whether this is what was meant, not whether it still holds.
		{"expired", hs, workedHSCode, "", expired, confirmed},
		{"clock behind", hs, workedHSCode, "", behind, confirmed},
		{"forged", hs, other, "", nil, dropped},
		{"forged es256", es, otherES, "", nil, dropped},
		{"serial 0", hs, hs.forge(map[string]uint64{"product": 7}), "", nil, dropped},
		{"withdrawn", withdrawn, workedHSCode, "", nil, dropped},
		{"product not allowed", others, workedHSCode, "", nil, dropped},
		{"es256 out of range", es, es.assemble(make([]byte, 8), make([]byte, 64)), "", nil, dropped},
		{"no secret", public(hs), workedHSCode, "", nil, possible},
		{"no secret, forged", public(hs), other, "", nil, possible},
		{"short tag", short, shortCode, "", nil, possible},
		{"short tag, allowed", short, shortCode, "", shortTags, confirmed},
		{"binding", bound, boundCode, "host-1", nil, confirmed},
		{"no binding", bound, boundCode, "", nil, possible},
		{"unusable binding", bound, boundCode, "Default string", nil, possible},
		{"another binding", bound, boundCode, "host-2", nil, dropped},
	} {
		for _, place := range []int{0, 1, 9, 17} {
			for _, unreadable := range []bool{false, true} {
				right := c.key.symbols(c.code)
				wrong := slices.Clone(right)
				reason := payload.Typo
				if unreadable {
					wrong[place], reason = '0', payload.Unreadable
				} else {
					value, _ := payload.SymbolValue(right[place])
					wrong[place] = payload.Symbol(value ^ 1)
				}
				v := newVerifier(newRing(c.key), func(o *verifier.Options) {
					if c.change != nil {
						c.change(o)
					}
				})
				lic, err := v.VerifyBound(c.key.print(wrong), c.binding)
				requireReason(t, err, reason)
				if lic.Product != 0 {
					t.Errorf("%s: a repair was applied: %+v", c.name, lic)
				}
				re := readError(t, err)
				got := dropped
				switch {
				case re.Proposal != "" && re.Confirmed:
					got = confirmed
				case re.Proposal != "":
					got = possible
				}
				if got != c.want || re.Confirmed && got != confirmed {
					t.Errorf("%s, place %d, %s: outcome %d, want %d: %+v", c.name, place, reason, got, c.want, re)
				}
				if re.Proposal != "" && re.Proposal != c.key.print(right) {
					t.Errorf("%s: proposal %s, want %s", c.name, re.Proposal, c.key.print(right))
				}
				// A typo without a repair has no place either: the place says as much
				// as the repair. What is unreadable is plain to see, so it is named.
				want := expectedPlaces{right[place], 1, place}
				if c.want == dropped {
					want.symbol = 0
					if !unreadable {
						want.count = 0
					}
				}
				want.check(t, c.name, re)
			}
		}
	}
}

// expectedPlaces is how many places an error has, and what the one is.
type expectedPlaces struct {
	symbol byte
	count  int
	index  int
}

func (w expectedPlaces) check(t *testing.T, name string, re *payload.ReadError) {
	t.Helper()
	if len(re.Places) != w.count {
		t.Errorf("%s, %s: %d places, want %d", name, re.Reason, len(re.Places), w.count)
		return
	}
	for _, p := range re.Places {
		if p.Want != w.symbol || p.Group != w.index/4+1 || p.Char != w.index%4+1 {
			t.Errorf("%s, %s: place %+v, want %c at %d", name, re.Reason, p, w.symbol, w.index)
		}
	}
	if w.count == 0 && re.Slip != 0 {
		t.Errorf("%s: slip %s of a typo without place", name, re.Slip)
	}
}

// A proposal keeps the prefix that the text had, and adds none.
func TestProposalKeepsThePrefix(t *testing.T) {
	k := newKey(workedHS, 7)
	v := newVerifier(newRing(k))
	for text, want := range map[string]string{
		"ACME-AHJX-YQET-69FW-H3QZ-JG9E-69PS-6HVK-ELWY":        workedHSCode,
		"acmeahjxyqet69fwh3qzjg9e69ps6hvkelwy":                workedHSCode,
		"AHJX-YQET-69FW-H3QZ-JG9E-69PS-6HVK-ELWY":             workedHSCode[len("ACME-"):],
		"AHJX YQET 69FW H3QZ JG9E 69PS 6HVK 0LWZ":             workedHSCode[len("ACME-"):],
		"ACME-2HJX-YQET-69FW-H3QZ-JG9E-69PS-6HVK-ELWZ":        workedHSCode,
		"\u201cAHJX YQET 69FW H3QZ JG9E 69PS 6HVK ELZW\u201d": workedHSCode[len("ACME-"):],
	} {
		_, err := v.Verify(text)
		if re := readError(t, err); re.Proposal != want || !re.Confirmed {
			t.Errorf("%s: proposal %q, confirmed %t; want %q", text, re.Proposal, re.Confirmed, want)
		}
		// The proposal is a code: whoever says yes to the question is done.
		if _, err := v.Verify(want); err != nil {
			t.Error(err)
		}
	}
}
