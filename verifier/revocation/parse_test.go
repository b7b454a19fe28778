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

func TestParse(t *testing.T) {
	l, err := revocation.Parse(fullText)
	if err != nil {
		t.Fatal(err)
	}
	if l.Issuer() != "Acme Tools" || l.Sequence() != 12 || l.Len() != 5 ||
		!l.Issued().Equal(time.Date(2026, 12, 1, 9, 30, 0, 0, time.UTC)) || !l.Due().Equal(time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("%q, %d, %d entries, %s, %s", l.Issuer(), l.Sequence(), l.Len(), l.Issued(), l.Due())
	}
	var minimums, states []string
	for product, version := range l.Minimums() {
		minimums = append(minimums, fmt.Sprint(product, " ", version))
	}
	for id, state := range l.KeyStates() {
		states = append(states, fmt.Sprint(id, " ", state))
	}
	if want := []string{"7 3", "9007199254740991 1"}; !slices.Equal(minimums, want) {
		t.Errorf("minimums %q, want %q", minimums, want)
	}
	if want := []string{idA.String() + " withdrawn", idB.String() + " closed"}; !slices.Equal(states, want) {
		t.Errorf("states %q, want %q", states, want)
	}
	want := []revocation.Entry{
		{KeyID: idA, Product: 7, First: 1, Last: 1, ReasonCode: "refund"},
		{KeyID: idB, Product: 7, First: 1000, Last: 1999, ReasonCode: "leaked"},
		{KeyID: idB, Product: 7, First: 2000, Last: 2000},
		{KeyID: idB, Product: 7, First: 2042, Last: 2042},
		{KeyID: idB, Product: 8, First: 1, Last: 1<<53 - 1, ReasonCode: "a23456789-123456789-123456789-12"},
	}
	if got := slices.Collect(l.Entries()); !slices.Equal(got, want) {
		t.Errorf("entries %v, want %v", got, want)
	}
	if text := l.Marshal(); text != fullText {
		t.Errorf("written again it is\n%s", text)
	}
}

// A list may have nothing but its head.
func TestParseEmpty(t *testing.T) {
	for _, text := range []string{
		head,
		head + "minimum 7 3\n",
		head + "key ca3f2093e4fe1455 closed\n",
		head + "minimum 7 3\nkey ca3f2093e4fe1455 closed\n",
	} {
		l, err := revocation.Parse(text)
		if err != nil || l.Len() != 0 || l.Marshal() != text {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if l.Revoked(idA, 7, 1) != 0 || l.Revoked(keys.ID{}, 0, 0) != 0 {
			t.Errorf("%q revokes a licence", text)
		}
	}
}

func TestParseFirstLine(t *testing.T) {
	for first, reason := range map[string]revocation.Reason{
		"":                               revocation.Malformed,
		"licet-revocations":              revocation.Malformed,
		"licet-revocations/":             revocation.Malformed,
		"licet-revocations/1":            revocation.Malformed,
		"licet-revocations/v":            revocation.Malformed,
		"licet-revocations/v0":           revocation.Malformed,
		"licet-revocations/v01":          revocation.Malformed,
		"licet-revocations/v+2":          revocation.Malformed,
		"licet-revocations/v1 ":          revocation.Malformed,
		" licet-revocations/v1":          revocation.Malformed,
		"\ufefflicet-revocations/v1":     revocation.Malformed,
		"licet-revocations/v1\r":         revocation.Malformed,
		"Licet-Revocations/v1":           revocation.Malformed,
		"licet-revocation/v1":            revocation.Malformed,
		"licet-revocations/v99999999999": revocation.Malformed,
		"licet-ring/v1":                  revocation.Malformed,
		"Acme Tools":                     revocation.Malformed,
		strings.Repeat("x", 1000):        revocation.Malformed,
		"licet-revocations/v2":           revocation.LaterFormat,
		"licet-revocations/v10":          revocation.LaterFormat,
		"licet-manifest/v1":              revocation.Manifest,
		"licet-manifest/v2":              revocation.Manifest,
	} {
		l, err := revocation.Parse(strings.Replace(fullText, "licet-revocations/v1", first, 1))
		isError(t, err, reason, 1, "")
		if l != nil {
			t.Errorf("%q: a list and an error", first)
		}
	}
}

// TestParseRefuses replaces a part of a good text.
func TestParseRefuses(t *testing.T) {
	const last = "revoked ca3f2093e4fe1455 8 1 9007199254740991 a23456789-123456789-123456789-12\n"
	for name, tt := range map[string]struct {
		old, replacement string
		reason           revocation.Reason
		line             int
		want             string
	}{
		"no issuer":            {"Acme Tools\n", "\n", revocation.BadValue, 2, "issuer"},
		"issuer left out":      {"Acme Tools\n", "", revocation.Malformed, 3, "sequence"},
		"long issuer":          {"Acme Tools\n", strings.Repeat("é", 65) + "\n", revocation.BadValue, 2, "130 bytes"},
		"issuer control":       {"Acme Tools\n", "Acme\x7fTools\n", revocation.BadValue, 2, "control"},
		"issuer not UTF-8":     {"Acme Tools\n", "Acme\xffTools\n", revocation.BadValue, 2, "UTF-8"},
		"issuer damaged":       {"Acme Tools\n", "Acme\ufffdTools\n", revocation.BadValue, 2, "U+FFFD"},
		"sequence 0":           {"sequence 12", "sequence 0", revocation.BadValue, 3, "sequence"},
		"sequence 012":         {"sequence 12", "sequence 012", revocation.BadValue, 3, `"012"`},
		"sequence 2^53":        {"sequence 12", "sequence 9007199254740992", revocation.BadValue, 3, "2^53-1"},
		"sequence 2^53+1":      {"sequence 12", "sequence 9007199254740993", revocation.BadValue, 3, "2^53-1"},
		"sequence 2^64+12":     {"sequence 12", "sequence 18446744073709551628", revocation.BadValue, 3, "2^53-1"},
		"sign":                 {"sequence 12", "sequence +12", revocation.BadValue, 3, "sequence"},
		"minus":                {"sequence 12", "sequence -12", revocation.BadValue, 3, "sequence"},
		"fraction":             {"sequence 12", "sequence 12.0", revocation.BadValue, 3, "sequence"},
		"exponent":             {"sequence 12", "sequence 1e1", revocation.BadValue, 3, "sequence"},
		"underscore":           {"sequence 12", "sequence 1_2", revocation.BadValue, 3, "sequence"},
		"other digits":         {"sequence 12", "sequence １２", revocation.BadValue, 3, "sequence"},
		"no number":            {"sequence 12", "sequence ", revocation.BadValue, 3, "sequence"},
		"two numbers":          {"sequence 12", "sequence 12 13", revocation.Malformed, 3, "sequence"},
		"two spaces":           {"sequence 12", "sequence  12", revocation.BadValue, 3, "sequence"},
		"space at the end":     {"sequence 12", "sequence 12 ", revocation.Malformed, 3, "sequence"},
		"tab":                  {"sequence 12", "sequence\t12", revocation.Malformed, 3, "sequence"},
		"CR":                   {"sequence 12", "sequence 12\r", revocation.BadValue, 3, "sequence"},
		"capital":              {"sequence 12", "Sequence 12", revocation.Malformed, 3, "sequence"},
		"no sequence":          {"sequence 12\n", "", revocation.Malformed, 3, "sequence"},
		"sequence twice":       {"sequence 12\n", "sequence 12\nsequence 12\n", revocation.Malformed, 4, "issued"},
		"issued after due":     {"issued 2026", "issued 2027", revocation.BadValue, 5, "not later"},
		"due when issued":      {"due 2027-01-01T00:00:00Z", "due 2026-12-01T09:30:00Z", revocation.BadValue, 5, "not later"},
		"exchanged":            {"issued 2026-12-01T09:30:00Z\ndue 2027-01-01T00:00:00Z\n", "due 2027-01-01T00:00:00Z\nissued 2026-12-01T09:30:00Z\n", revocation.Malformed, 4, "issued"},
		"no due":               {"due 2027-01-01T00:00:00Z\n", "", revocation.Malformed, 5, "due"},
		"offset":               {"09:30:00Z", "09:30:00+00:00", revocation.BadValue, 4, "issued"},
		"fraction of a second": {"09:30:00Z", "09:30:00.0Z", revocation.BadValue, 4, "issued"},
		"small z":              {"09:30:00Z", "09:30:00z", revocation.BadValue, 4, "issued"},
		"hour 24":              {"T09:30", "T24:30", revocation.BadValue, 4, "issued"},
		"second 60":            {"09:30:00", "09:30:60", revocation.BadValue, 4, "issued"},
		"no such day":          {"2026-12-01", "2026-02-29", revocation.BadValue, 4, "issued"},
		"before 2025":          {"2026-12-01", "2024-12-31", revocation.BadValue, 4, "2025-01-01"},
		"date alone":           {"2027-01-01T00:00:00Z", "2027-01-01", revocation.BadValue, 5, "due"},

		"minimum of 0":         {"minimum 7 3", "minimum 7 0", revocation.BadValue, 6, "minimum version"},
		"minimum of product 0": {"minimum 7 3", "minimum 0 3", revocation.BadValue, 6, "product"},
		"minimum 03":           {"minimum 7 3", "minimum 7 03", revocation.BadValue, 6, "minimum version"},
		"minimum of 07":        {"minimum 7 3", "minimum 07 3", revocation.BadValue, 6, "product"},
		"minimum of 2^53":      {"minimum 9007199254740991 1", "minimum 9007199254740992 1", revocation.BadValue, 7, "product"},
		"no minimum":           {"minimum 7 3", "minimum 7", revocation.BadValue, 6, "minimum version"},
		"minimum and more":     {"minimum 7 3", "minimum 7 3 ", revocation.Malformed, 6, "minimum version"},
		"minimum twice":        {"minimum 7 3\n", "minimum 7 3\nminimum 7 3\n", revocation.BadOrder, 7, "product 7"},
		"two minimums":         {"minimum 7 3\n", "minimum 7 3\nminimum 7 4\n", revocation.BadOrder, 7, "product 7"},
		"minimums descend":     {"minimum 7 3\n", "minimum 8 3\nminimum 7 3\n", revocation.BadOrder, 7, "product 8"},
		"minimum by text":      {"minimum 9007199254740991 1\n", "minimum 10 1\nminimum 8 1\n", revocation.BadOrder, 8, "product 10"},
		"minimum after key":    {"key ca3f", "minimum 8 1\nkey ca3f", revocation.Malformed, 9, "before"},
		"minimum after entry":  {last, "minimum 8 1\n", revocation.Malformed, 14, "before"},

		"key active":        {"1455 closed", "1455 active", revocation.BadValue, 9, "active"},
		"key Closed":        {"1455 closed", "1455 Closed", revocation.BadValue, 9, "Closed"},
		"key and more":      {"1455 closed", "1455 closed ", revocation.BadValue, 9, "closed "},
		"key without state": {"1455 closed", "1455", revocation.BadValue, 9, "state"},
		"key in capitals":   {"key ca3f2093e4fe1455", "key CA3F2093E4FE1455", revocation.BadValue, 9, "lower-case"},
		"key too short":     {"key ca3f2093e4fe1455", "key ca3f2093e4fe14", revocation.BadValue, 9, "16"},
		"key of zeros":      {"key 00000000000000ff", "key 0000000000000000", revocation.BadValue, 8, "zeros"},
		"key twice":         {"key ca3f2093e4fe1455 closed\n", "key ca3f2093e4fe1455 closed\nkey ca3f2093e4fe1455 withdrawn\n", revocation.BadOrder, 10, "ca3f"},
		"keys descend":      {"key ca3f2093e4fe1455 closed\n", "key 00000000000000fe closed\n", revocation.BadOrder, 9, "00ff"},
		"key after entry":   {last, "key fffffffffffffff0 closed\n", revocation.Malformed, 14, "before"},

		"RV-12 id in capitals":    {"revoked ca3f2093e4fe1455 7 1000", "revoked CA3F2093E4FE1455 7 1000", revocation.BadValue, 11, "lower-case"},
		"RV-12 serial 2^53":       {"1 9007199254740991", "1 9007199254740992", revocation.BadValue, 14, "2^53-1"},
		"RV-12 serial 2^53+1":     {"1 9007199254740991", "1 9007199254740993", revocation.BadValue, 14, "2^53-1"},
		"RV-12 serial 2^64+1":     {"7 1 1 refund", "7 18446744073709551617 18446744073709551617", revocation.BadValue, 10, "2^53-1"},
		"RV-12 O for 0":           {"7 2000 2000", "7 2OOO 2000", revocation.BadValue, 12, `"2OOO"`},
		"id too long":             {"revoked ca3f2093e4fe1455 7 1000", "revoked ca3f2093e4fe145500 7 1000", revocation.BadValue, 11, "16"},
		"id of zeros":             {"revoked 00000000000000ff", "revoked 0000000000000000", revocation.BadValue, 10, "zeros"},
		"no id":                   {"revoked ca3f2093e4fe1455 7 1000", "revoked  7 1000", revocation.BadValue, 11, "id"},
		"product 0":               {"1455 7 1000 1999", "1455 0 1000 1999", revocation.BadValue, 11, "product"},
		"product 07":              {"1455 7 1000 1999", "1455 07 1000 1999", revocation.BadValue, 11, `"07"`},
		"product 2^53":            {"1455 8", "1455 9007199254740992", revocation.BadValue, 14, "product"},
		"serial 0":                {"1 1 refund", "0 1 refund", revocation.BadValue, 10, "first serial"},
		"last serial 0":           {"1 1 refund", "1 0 refund", revocation.BadValue, 10, "last serial"},
		"leading zero":            {"1000 1999", "01000 1999", revocation.BadValue, 11, "leading zeros"},
		"leading zero at the end": {"1000 1999", "1000 01999", revocation.BadValue, 11, "leading zeros"},
		"plus":                    {"1000 1999", "+1000 1999", revocation.BadValue, 11, "first serial"},
		"comma":                   {"1000 1999", "1,000 1999", revocation.BadValue, 11, "first serial"},
		"hyphen":                  {"1000 1999", "1000-1999", revocation.BadValue, 11, "first serial"},
		"first serial only":       {"1455 7 2042 2042", "1455 7 2042", revocation.Malformed, 13, "revoked"},
		"id only":                 {"revoked ca3f2093e4fe1455 7 1000 1999 leaked", "revoked ca3f2093e4fe1455", revocation.BadValue, 11, "product"},
		"id and product only":     {"revoked ca3f2093e4fe1455 7 1000 1999 leaked", "revoked ca3f2093e4fe1455 7", revocation.Malformed, 11, "serial"},
		"kind only":               {"revoked ca3f2093e4fe1455 7 1000 1999 leaked", "revoked", revocation.Malformed, 11, "entry"},
		"three serials":           {"7 2042 2042", "7 2042 2042 2042", revocation.BadValue, 13, "reason"},
		"space after entry":       {"7 2042 2042", "7 2042 2042 ", revocation.BadValue, 13, "reason"},
		"two spaces in entry":     {"7 2042 2042", "7  2042 2042", revocation.BadValue, 13, "first serial"},
		"tab in entry":            {"7 2042 2042", "7 2042\t2042", revocation.BadValue, 13, "first serial"},
		"CR after entry":          {"7 2042 2042", "7 2042 2042\r", revocation.BadValue, 13, "last serial"},
		"backwards":               {"1000 1999", "1999 1000", revocation.BadValue, 11, "exchange"},
		"Revoked":                 {"revoked ca3f2093e4fe1455 7 2042", "Revoked ca3f2093e4fe1455 7 2042", revocation.Malformed, 13, "entry"},
		"reason in capitals":      {"leaked", "Leaked", revocation.BadValue, 11, `"Leaked"`},
		"reason with a space":     {"leaked", "was leaked", revocation.BadValue, 11, "reason"},
		"reason with digit first": {"leaked", "2leaked", revocation.BadValue, 11, "reason"},
		"reason with hyphen":      {"leaked", "-leaked", revocation.BadValue, 11, "reason"},
		"reason with underscore":  {"leaked", "was_leaked", revocation.BadValue, 11, "reason"},
		"reason beyond ASCII":     {"leaked", "geändert", revocation.BadValue, 11, "reason"},
		"reason of 33":            {"789-12\n", "789-123\n", revocation.BadValue, 14, "reason"},

		"entries exchanged":                    {"revoked ca3f2093e4fe1455 7 2000 2000\nrevoked ca3f2093e4fe1455 7 2042 2042\n", "revoked ca3f2093e4fe1455 7 2042 2042\nrevoked ca3f2093e4fe1455 7 2000 2000\n", revocation.BadOrder, 13, "ascend"},
		"entry twice":                          {"revoked ca3f2093e4fe1455 7 2042 2042\n", "revoked ca3f2093e4fe1455 7 2042 2042\nrevoked ca3f2093e4fe1455 7 2042 2042\n", revocation.BadOrder, 14, "each serial once"},
		"overlap by one":                       {"7 2000 2000", "7 1999 2000", revocation.BadOrder, 12, "each serial once"},
		"overlap":                              {"7 2000 2000", "7 1000 2000", revocation.BadOrder, 12, "each serial once"},
		"inside":                               {"7 2000 2000", "7 1500 1600", revocation.BadOrder, 12, "each serial once"},
		"before, by number":                    {"7 2042 2042", "7 999 999", revocation.BadOrder, 13, "ascend"},
		"adjacent, same reason":                {"7 2000 2000", "7 2000 2000 leaked", revocation.BadOrder, 12, "one entry"},
		"adjacent, no reason":                  {"7 2042 2042", "7 2001 2042", revocation.BadOrder, 13, "one entry"},
		"products descend":                     {"revoked ca3f2093e4fe1455 8 1", "revoked ca3f2093e4fe1455 6 1", revocation.BadOrder, 14, "product 6"},
		"products descend and serials ascend":  {"revoked ca3f2093e4fe1455 8 1", "revoked ca3f2093e4fe1455 6 3000", revocation.BadOrder, 14, "product 6"},
		"ids descend and serials ascend":       {"revoked ca3f2093e4fe1455 8 1", "revoked 00000000000000ff 8 3000", revocation.BadOrder, 14, "key 00000000000000ff"},
		"ids descend and the rest is the same": {"revoked ca3f2093e4fe1455 8 1", "revoked 00000000000000ff 7 3000", revocation.BadOrder, 14, "key 00000000000000ff"},
		"ids descend":                          {"revoked ca3f2093e4fe1455 8 1", "revoked 00000000000000ff 8 1", revocation.BadOrder, 14, "key 00000000000000ff"},

		"blank line":        {"revoked ca3f2093e4fe1455 7 2042", "\nrevoked ca3f2093e4fe1455 7 2042", revocation.Malformed, 13, "entry"},
		"blank line at end": {last, last + "\n", revocation.Malformed, 15, "entry"},
		"comment":           {last, "# nothing\n", revocation.Malformed, 14, "entry"},
		"unknown line":      {last, "restored ca3f2093e4fe1455 8 1 1\n", revocation.Malformed, 14, "entry"},
		"cut off":           {last, last[:len(last)-1], revocation.Malformed, 14, "ends here"},
		"cut off in head":   {fullText[len(head)-1:], "", revocation.Malformed, 5, "ends here"},
		"head only":         {fullText[strings.Index(fullText, "sequence"):], "", revocation.Malformed, 3, "ends here"},
	} {
		if strings.Count(fullText, tt.old) != 1 {
			t.Errorf("%s: the text has %q %d times", name, tt.old, strings.Count(fullText, tt.old))
		}
		l, err := revocation.Parse(strings.Replace(fullText, tt.old, tt.replacement, 1))
		if l != nil || err == nil {
			t.Errorf("%s: list %v, error %v", name, l, err)
			continue
		}
		t.Run(name, func(t *testing.T) { isError(t, err, tt.reason, tt.line, tt.want) })
	}
}

// TestParseAccepts replaces a part of a good text by what is just good.
func TestParseAccepts(t *testing.T) {
	for name, tt := range map[string][2]string{
		"issuer of 128 bytes":     {"Acme Tools\n", strings.Repeat("é", 64) + "\n"},
		"sequence 1":              {"sequence 12", "sequence 1"},
		"sequence 2^53-1":         {"sequence 12", "sequence 9007199254740991"},
		"issued on day 0":         {"2026-12-01T09:30:00Z", "2025-01-01T00:00:00Z"},
		"due a second later":      {"2027-01-01T00:00:00Z", "2026-12-01T09:30:01Z"},
		"due in 9999":             {"2027-01-01T00:00:00Z", "9999-12-31T23:59:59Z"},
		"minimum 1":               {"minimum 7 3", "minimum 7 1"},
		"minimum 2^53-1":          {"minimum 7 3", "minimum 7 9007199254740991"},
		"products by number":      {"minimum 9007199254740991 1\n", "minimum 8 1\nminimum 10 1\n"},
		"largest serial alone":    {"8 1 9007199254740991", "8 9007199254740991 9007199254740991"},
		"one below it":            {"8 1 9007199254740991", "8 9007199254740990 9007199254740990"},
		"serials by number":       {"7 1000 1999", "7 9 99"},
		"adjacent, other reason":  {"7 2042 2042", "7 2001 2042 refund"},
		"reason of one letter":    {"leaked", "l"},
		"reason ends in a hyphen": {"leaked", "l-"},
		"next id":                 {"revoked ca3f2093e4fe1455 8", "revoked ca3f2093e4fe1456 1"},
	} {
		text := strings.Replace(fullText, tt[0], tt[1], 1)
		if l, err := revocation.Parse(text); text == fullText || err != nil || l.Marshal() != text {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An entry may be the first with a reason of the last allowed number, and no more.
func TestParseReasonCodes(t *testing.T) {
	var b strings.Builder
	b.WriteString(head)
	for i := range revocation.MaxReasonCodes {
		fmt.Fprintf(&b, "revoked ca3f2093e4fe1455 7 %d %d r%d\n", i+1, i+1, i)
	}
	for i := range revocation.MaxReasonCodes { // all of them once more
		fmt.Fprintf(&b, "revoked ca3f2093e4fe1455 8 %d %d r%d\n", 2*i+1, 2*i+2, i)
	}
	text := b.String()
	l := must(revocation.Parse(text))
	if l.Marshal() != text {
		t.Error("written again, it is another text")
	}
	for i := range uint64(revocation.MaxReasonCodes) {
		want := fmt.Sprintf("r%d", i)
		one, ok1 := l.Lookup(idB, 7, i+1)
		two, ok2 := l.Lookup(idB, 8, 2*i+2)
		if !ok1 || !ok2 || one.ReasonCode != want || two.ReasonCode != want {
			t.Fatalf("reasons %q and %q, want %q", one.ReasonCode, two.ReasonCode, want)
		}
	}
	_, err := revocation.Parse(text + "revoked ca3f2093e4fe1455 9 1 1 one-more\n")
	isError(t, err, revocation.BadValue, 5+2*revocation.MaxReasonCodes+1, "one-more")
}
