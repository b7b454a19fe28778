package revocation_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/verifier/revocation"
)

func TestDraft(t *testing.T) {
	if l := full(); l.Marshal() != fullText || !l.Equal(must(revocation.Parse(fullText))) {
		t.Errorf("the list is\n%s", l.Marshal())
	}
	text := must(full().Draft().List()).Marshal()
	if text != fullText {
		t.Errorf("unchanged, it is\n%s", text)
	}
}

// TestDraftSteps changes one series step by step and states what remains. A step is
// a range, with + and a reason code to revoke it, or with - to restore it.
func TestDraftSteps(t *testing.T) {
	for steps, want := range map[string]string{
		"+5-5":                        "5-5",
		"+5-5 +6-6":                   "5-6",
		"+6-6 +5-5":                   "5-6",
		"+5-5 +7-7":                   "5-5 7-7",
		"+5-5 +7-7 +6-6":              "5-7",
		"+5-9 +7-12":                  "5-12",
		"+5-9 +1-20":                  "1-20",
		"+1-20 +5-9":                  "1-20",
		"+5-9 +5-9":                   "5-9",
		"+5-9:a +1-20:b":              "1-4:b 5-9:a 10-20:b",
		"+1-20:b +5-9:a":              "1-20:b",
		"+1-20:b +5-30:a":             "1-20:b 21-30:a",
		"+5-9:a +10-12":               "5-9:a 10-12",
		"+5-9:a +10-12:a":             "5-12:a",
		"+5-9:a +5-9":                 "5-9:a",
		"+5-9 +5-9:a":                 "5-9",
		"-1-9":                        "",
		"+5-9 -5-9":                   "",
		"+5-9 -1-20":                  "",
		"-5-9 +5-9":                   "5-9",
		"+5-9 -7-7":                   "5-6 8-9",
		"+5-9 -5-7":                   "8-9",
		"+5-9 -7-9":                   "5-6",
		"+5-9 -9-20":                  "5-8",
		"+5-9 -10-20":                 "5-9",
		"+5-9:a -7-7 +7-7:b":          "5-6:a 7-7:b 8-9:a",
		"+5-9:a -7-7 +7-7:a":          "5-9:a",
		"+5-9:a -7-7 +1-20:b":         "1-4:b 5-6:a 7-7:b 8-9:a 10-20:b",
		"+5-9 +11-15 -8-12":           "5-7 13-15",
		"+5-9 +11-15 -8-12 +9-11":     "5-7 9-11 13-15",
		"+5-9:a +11-15:b -8-12 +5-15": "5-7:a 8-12 13-15:b",
		"+1-9007199254740991 -2-9007199254740990": "1-1 9007199254740991-9007199254740991",
		"+1-9007199254740991:a -1-1":              "2-9007199254740991:a",
	} {
		// Once in one draft, once with a list made after every step.
		one, each := draft(), draft()
		for step := range strings.FieldsSeq(steps) {
			e := revocation.Entry{KeyID: idB, Product: 7}
			var sign byte
			if n, _ := fmt.Sscanf(step, "%c%d-%d:%s", &sign, &e.First, &e.Last, &e.ReasonCode); n < 3 {
				t.Fatalf("step %q", step)
			}
			for _, d := range []*revocation.Draft{one, each} {
				if sign == '+' {
					check(d.Revoke(e))
				} else {
					check(d.Restore(e))
				}
			}
			each = must(each.List()).Draft()
		}
		for _, d := range []*revocation.Draft{one, each} {
			var got []string
			for e := range must(d.List()).Entries() {
				text := fmt.Sprintf("%d-%d:%s", e.First, e.Last, e.ReasonCode)
				got = append(got, strings.TrimSuffix(text, ":"))
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%s: %q, want %q", steps, got, want)
			}
		}
	}
}

// Series do not meet, whatever their serials.
func TestDraftSeries(t *testing.T) {
	d := draft()
	var want []revocation.Entry
	for _, id := range []keys.ID{idA, idB, idC} {
		for _, product := range []uint64{7, 8, 10} {
			want = append(want, revocation.Entry{KeyID: id, Product: product, First: 5, Last: 9})
		}
	}
	for _, e := range slices.Backward(want) {
		check(d.Revoke(e))
	}
	check(d.Restore(revocation.Entry{KeyID: idB, Product: 9, First: 1, Last: 1<<53 - 1}))
	check(d.Restore(revocation.Entry{KeyID: idB, Product: 8, First: 1, Last: 1<<53 - 1}))
	want = slices.Delete(want, 4, 5)
	if got := slices.Collect(must(d.List()).Entries()); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A list that was made stays as it is, and so does the draft.
func TestDraftAndListAreApart(t *testing.T) {
	old := full()
	d := old.Draft()
	next := must(d.List())
	check(d.Restore(revocation.Entry{KeyID: idB, Product: 8, First: 1, Last: 1<<53 - 1}))
	check(d.Revoke(revocation.Entry{KeyID: idC, Product: 1, First: 1, Last: 1}))
	d.Minimums[9] = 9
	delete(d.Minimums, 7)
	d.KeyStates[idC] = keys.Closed
	last := must(d.List())
	if old.Marshal() != fullText || next.Marshal() != fullText {
		t.Error("a list changed with its draft")
	}
	want := strings.Replace(fullText, "minimum 7 3\nminimum 9007", "minimum 9 9\nminimum 9007", 1)
	want = strings.Replace(want, "1455 closed\n", "1455 closed\nkey ff00000000000000 closed\n", 1)
	want = strings.Replace(want, "ca3f2093e4fe1455 8 1 9007199254740991 a23456789-123456789-123456789-12", "ff00000000000000 1 1 1", 1)
	if last.Marshal() != want {
		t.Errorf("the changed list is\n%s", last.Marshal())
	}
}

// Times are written to the second in UTC.
func TestDraftTimes(t *testing.T) {
	d := draft()
	zone := time.FixedZone("", 5*3600+1800)
	d.Issued = time.Date(2026, 12, 1, 15, 0, 0, 999_999_999, zone)
	d.Due = time.Date(2027, 1, 1, 5, 30, 0, 1, zone)
	l := must(d.List())
	if text := l.Marshal(); text != head {
		t.Error(text)
	}
	if !l.Equal(must(revocation.Parse(head))) || l.Issued().Location() != time.UTC || l.Issued().Nanosecond() != 0 {
		t.Errorf("issued %s", l.Issued())
	}
}

func TestDraftRefuses(t *testing.T) {
	for name, change := range map[string]func(*revocation.Draft){
		"issuer: name of 0 bytes": func(d *revocation.Draft) { d.Issuer = "" },
		"129 bytes":               func(d *revocation.Draft) { d.Issuer = strings.Repeat("x", 129) },
		"not valid UTF-8":         func(d *revocation.Draft) { d.Issuer = "\xff" },
		"control character":       func(d *revocation.Draft) { d.Issuer = "Acme\nsequence 1" },
		"U+FFFD":                  func(d *revocation.Draft) { d.Issuer = "Acme\ufffd" },
		"sequence: 0":             func(d *revocation.Draft) { d.Sequence = 0 },
		"sequence: 90071992":      func(d *revocation.Draft) { d.Sequence = 1 << 53 },
		"issued: 0001":            func(d *revocation.Draft) { d.Issued = time.Time{} },
		"issued: 2024":            func(d *revocation.Draft) { d.Issued = time.Date(2024, 12, 31, 23, 59, 59, 999_999_999, time.UTC) },
		"due: 10000":              func(d *revocation.Draft) { d.Due = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) },
		"due: 2026-12-01T09:30":   func(d *revocation.Draft) { d.Due = d.Issued.Add(time.Second - 1) },
		"not later":               func(d *revocation.Draft) { d.Due = d.Issued },
		"product: 0":              func(d *revocation.Draft) { d.Minimums[0] = 1 },
		"product: 9007":           func(d *revocation.Draft) { d.Minimums[1<<53] = 1 },
		"minimum version: 0":      func(d *revocation.Draft) { d.Minimums[7] = 0 },
		"minimum version: 90071":  func(d *revocation.Draft) { d.Minimums[7] = 1 << 53 },
		"zeros":                   func(d *revocation.Draft) { d.KeyStates[keys.ID{}] = keys.Closed },
		`state "active"`:          func(d *revocation.Draft) { d.KeyStates[idB] = keys.Active },
		`state ""`:                func(d *revocation.Draft) { d.KeyStates[idB] = "" },
		`state "closed\nrevoked`:  func(d *revocation.Draft) { d.KeyStates[idB] = "closed\nrevoked" },
	} {
		d := full().Draft()
		change(d)
		l, err := d.List()
		isError(t, err, revocation.BadValue, 0, name)
		if l != nil {
			t.Errorf("%s: a list and an error", name)
		}
	}
}

func TestDraftRefusesEntries(t *testing.T) {
	const most = 1<<53 - 1
	for _, tt := range []struct {
		e    revocation.Entry
		want string
	}{
		{revocation.Entry{Product: 7, First: 1, Last: 1}, "zeros"},
		{revocation.Entry{KeyID: idB, First: 1, Last: 1}, "product: 0"},
		{revocation.Entry{KeyID: idB, Product: most + 1, First: 1, Last: 1}, "product: 9"},
		{revocation.Entry{KeyID: idB, Product: 7, First: 0, Last: 1}, "first serial: 0"},
		{revocation.Entry{KeyID: idB, Product: 7, First: 1, Last: 0}, "last serial: 0"},
		{revocation.Entry{KeyID: idB, Product: 7, First: most + 1, Last: most + 1}, "first serial: 9"},
		{revocation.Entry{KeyID: idB, Product: 7, First: 1, Last: most + 1}, "last serial: 9"},
		{revocation.Entry{KeyID: idB, Product: 7, First: 2, Last: 1}, "exchange"},
		{revocation.Entry{KeyID: idB, Product: 7, First: 1, Last: 1, ReasonCode: "Leaked"}, `"Leaked"`},
		{revocation.Entry{KeyID: idB, Product: 7, First: 1, Last: 1, ReasonCode: "a\nb"}, `"a\nb"`},
		{revocation.Entry{KeyID: idB, Product: 7, First: 1, Last: 1, ReasonCode: strings.Repeat("x", revocation.MaxReasonCode+1)}, "reason code"},
	} {
		d := full().Draft()
		isError(t, d.Revoke(tt.e), revocation.BadValue, 0, tt.want)
		isError(t, d.Restore(tt.e), revocation.BadValue, 0, tt.want)
		if l := must(d.List()); !l.Equal(full()) {
			t.Errorf("%v was refused and changed the list", tt.e)
		}
	}
	d := draft()
	check(d.Revoke(revocation.Entry{KeyID: idB, Product: most, First: 1, Last: most, ReasonCode: strings.Repeat("x", revocation.MaxReasonCode)}))
	check(d.Restore(revocation.Entry{KeyID: idB, Product: most, First: most, Last: most}))
	if l := must(d.List()); l.Len() != 1 {
		t.Errorf("%d entries", l.Len())
	}
}

// Too many reason codes are refused when the list is made: what a later change
// restores does not count. A draft with many changes works them in earlier.
func TestDraftReasonCodes(t *testing.T) {
	for _, repeat := range []uint64{1, 200} {
		d := draft()
		for i := range repeat * (revocation.MaxReasonCodes + 1) {
			check(d.Revoke(revocation.Entry{KeyID: idB, Product: 7, First: 2*i + 1, Last: 2*i + 1, ReasonCode: fmt.Sprintf("r%d", i%(revocation.MaxReasonCodes+1))}))
		}
		_, err := d.List()
		isError(t, err, revocation.BadValue, 0, "1000 others")
		for i := range repeat {
			serial := 2*i*(revocation.MaxReasonCodes+1) + 1 // of r0
			check(d.Restore(revocation.Entry{KeyID: idB, Product: 7, First: serial, Last: serial}))
		}
		l := must(d.List())
		if want := int(repeat * revocation.MaxReasonCodes); l.Len() != want {
			t.Errorf("%d entries, want %d", l.Len(), want)
		}
		if e, ok := l.Lookup(idB, 7, 3); !ok || e.ReasonCode != "r1" {
			t.Errorf("serial 3: %v", e)
		}
	}
}

// A draft made without a list has no maps. That is no error.
func TestDraftLiteral(t *testing.T) {
	d := revocation.Draft{Issuer: "Acme Tools", Sequence: 12, Issued: draft().Issued, Due: draft().Due}
	check(d.Revoke(revocation.Entry{KeyID: idB, Product: 7, First: 1, Last: 1}))
	if text := must(d.List()).Marshal(); text != head+"revoked ca3f2093e4fe1455 7 1 1\n" {
		t.Error(text)
	}
	if m := (*revocation.List)(nil).Draft(); m.Minimums == nil || m.KeyStates == nil || len(m.Minimums)+len(m.KeyStates) > 0 {
		t.Error("the draft of a nil list has no maps")
	}
}
