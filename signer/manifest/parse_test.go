package manifest_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/licet-dev/licet/signer/manifest"
)

func TestParse(t *testing.T) {
	if got, err := manifest.Parse(fullText); err != nil || !reflect.DeepEqual(got, full()) {
		t.Errorf("%+v, %v; want %+v", got, err, full())
	}
	text := must(bare().Marshal())
	if got, err := manifest.Parse(text); err != nil || !reflect.DeepEqual(got, bare()) {
		t.Errorf("%+v, %v; want %+v", got, err, bare())
	}
}

func TestParseFirstLine(t *testing.T) {
	for first, reason := range map[string]manifest.Reason{
		"":                                manifest.Malformed,
		"licet-manifest":                  manifest.Malformed,
		"licet-manifest/":                 manifest.Malformed,
		"licet-manifest/1":                manifest.Malformed,
		"licet-manifest/v":                manifest.Malformed,
		"licet-manifest/v0":               manifest.Malformed,
		"licet-manifest/v01":              manifest.Malformed,
		"licet-manifest/v+2":              manifest.Malformed,
		"licet-manifest/v1 ":              manifest.Malformed,
		" licet-manifest/v1":              manifest.Malformed,
		"\ufefflicet-manifest/v1":         manifest.Malformed,
		"licet-manifest/v1\r":             manifest.Malformed,
		"Licet-Manifest/v1":               manifest.Malformed,
		"licet-manifests/v1":              manifest.Malformed,
		"licet-manifest/v2":               manifest.LaterFormat,
		"licet-manifest/v10":              manifest.LaterFormat,
		"licet-revocations/v1":            manifest.RevocationList,
		"licet-revocations/v2":            manifest.RevocationList,
		"licet-ring/v1":                   manifest.Malformed,
		"— licet-list QUJDREU=":           manifest.Malformed,
		"key-id 55386a715adf3bb1":         manifest.Malformed,
		strings.Repeat("x", 1000):         manifest.Malformed,
		"licet-manifest/v99999999999999":  manifest.Malformed,
		"licet-manifest/v1licet-manifest": manifest.Malformed,
	} {
		got, err := manifest.Parse(replaced(t, "licet-manifest/v1", first))
		isError(t, err, reason, 1, "", "")
		if !reflect.DeepEqual(got, manifest.Manifest{}) {
			t.Errorf("%q: %+v", first, got)
		}
	}
}

// TestParseRefuses replaces a part of a good text.
func TestParseRefuses(t *testing.T) {
	const sha = "sha256 3b9c358f36f0a31b6ad3e14f309c7cf198ac9246e8316f9ce543d5b19ac02b80"
	for name, tt := range map[string]struct {
		old, replacement string
		reason           manifest.Reason
		line             int
		field            string
	}{
		"no issuer":             {"Acme Tools\n", "\n", manifest.BadValue, 2, "issuer"},
		"issuer left out":       {"Acme Tools\n", "", manifest.Malformed, 3, "key-id"},
		"issuer control":        {"Acme Tools\n", "Acme\x7fTools\n", manifest.BadValue, 2, "issuer"},
		"id in capitals":        {"55386a715adf3bb1", "55386A715ADF3BB1", manifest.BadValue, 3, "key-id"},
		"id too short":          {"55386a715adf3bb1", "55386a715adf3b", manifest.BadValue, 3, "key-id"},
		"id too long":           {"55386a715adf3bb1", "55386a715adf3bb100", manifest.BadValue, 3, "key-id"},
		"id of zeros":           {"55386a715adf3bb1", "0000000000000000", manifest.BadValue, 3, "key-id"},
		"key 0":                 {"key-number 8", "key-number 0", manifest.BadValue, 4, "key-number"},
		"key 32":                {"key-number 8", "key-number 32", manifest.BadValue, 4, "key-number"},
		"key 8 in 32 bits":      {"key-number 8", "key-number 4294967304", manifest.BadValue, 4, "key-number"},
		"leading zero":          {"key-number 8", "key-number 08", manifest.BadValue, 4, "key-number"},
		"product 0":             {"product 7", "product 0", manifest.BadValue, 5, "product"},
		"product 00":            {"product 7", "product 00", manifest.BadValue, 5, "product"},
		"sign":                  {"product 7", "product +7", manifest.BadValue, 5, "product"},
		"minus":                 {"product 7", "product -7", manifest.BadValue, 5, "product"},
		"exponent":              {"product 7", "product 7e0", manifest.BadValue, 5, "product"},
		"fraction":              {"product 7", "product 7.0", manifest.BadValue, 5, "product"},
		"underscore":            {"product 7", "product 7_0", manifest.BadValue, 5, "product"},
		"hexadecimal":           {"product 7", "product 0x7", manifest.BadValue, 5, "product"},
		"other digits":          {"product 7", "product ７", manifest.BadValue, 5, "product"},
		"no number":             {"product 7", "product ", manifest.BadValue, 5, "product"},
		"no space":              {"product 7", "product", manifest.Malformed, 5, "product"},
		"two spaces":            {"product 7", "product  7", manifest.BadValue, 5, "product"},
		"space at the end":      {"product 7", "product 7 ", manifest.BadValue, 5, "product"},
		"tab":                   {"product 7", "product\t7", manifest.Malformed, 5, "product"},
		"CR":                    {"product 7", "product 7\r", manifest.BadValue, 5, "product"},
		"2^53":                  {"product 7", "product 9007199254740992", manifest.BadValue, 5, "product"},
		"2^64":                  {"product 7", "product 18446744073709551623", manifest.BadValue, 5, "product"},
		"name in capitals":      {"product 7", "Product 7", manifest.Malformed, 5, "product"},
		"another name":          {"product 7", "produkt 7", manifest.Malformed, 5, "product"},
		"blank line":            {"product 7", "\nproduct 7", manifest.Malformed, 5, "product"},
		"line left out":         {"product 7\n", "", manifest.Malformed, 5, "product"},
		"line twice":            {"product 7\n", "product 7\nproduct 7\n", manifest.Malformed, 6, "first-serial"},
		"lines exchanged":       {"product 7\nversion 3\n", "version 3\nproduct 7\n", manifest.Malformed, 5, "product"},
		"version 01":            {"version 3", "version 01", manifest.BadValue, 6, "version"},
		"version -":             {"version 3", "version -", manifest.BadValue, 6, "version"},
		"version empty":         {"version 3", "version ", manifest.BadValue, 6, "version"},
		"expiry before version": {"version 3\nexpiry 2027-12-31\n", "expiry 2027-12-31\nversion 3\n", manifest.Malformed, 7, "first-serial"},
		"expiry on day 0":       {"2027-12-31", "2025-01-01", manifest.BadValue, 7, "expiry"},
		"expiry before it":      {"2027-12-31", "2024-12-31", manifest.BadValue, 7, "expiry"},
		"expiry too late":       {"2027-12-31", "7766-10-23", manifest.BadValue, 7, "expiry"},
		"no such day":           {"2027-12-31", "2027-02-29", manifest.BadValue, 7, "expiry"},
		"short date":            {"2027-12-31", "2027-1-31", manifest.BadValue, 7, "expiry"},
		"Never":                 {"2027-12-31", "Never", manifest.BadValue, 7, "expiry"},
		"expiry 0":              {"2027-12-31", "0", manifest.BadValue, 7, "expiry"},
		"expiry with time":      {"2027-12-31", "2027-12-31T00:00:00Z", manifest.BadValue, 7, "expiry"},
		"serial 0":              {"first-serial 1000", "first-serial 0", manifest.BadValue, 8, "first-serial"},
		"backwards":             {"first-serial 1000", "first-serial 1500", manifest.BadValue, 9, "last-serial"},
		"count too small":       {"count 500", "count 499", manifest.BadValue, 10, "count"},
		"count 0":               {"count 500", "count 0", manifest.BadValue, 10, "count"},
		"other range":           {"last-serial 1499", "last-serial 1500", manifest.BadValue, 10, "count"},
		"kind":                  {"kind mint", "kind MINT", manifest.BadValue, 11, "kind"},
		"no kind":               {"kind mint", "kind ", manifest.BadValue, 11, "kind"},
		"format":                {"format csv", "format tsv", manifest.BadValue, 12, "format"},
		"file with path":        {"batch.csv.age", "../batch.csv.age", manifest.BadValue, 13, "file"},
		"no file":               {"file batch.csv.age", "file ", manifest.BadValue, 13, "file"},
		"size 0":                {"size 24800", "size 0", manifest.BadValue, 14, "size"},
		"size 2^63":             {"size 24800", "size 9223372036854775809", manifest.BadValue, 14, "size"},
		"digest in capitals":    {"sha256 3b9c", "sha256 3B9C", manifest.BadValue, 15, "sha256"},
		"digest too short":      {"sha256 3b9c", "sha256 3b", manifest.BadValue, 15, "sha256"},
		"digest odd":            {"sha256 3b9c", "sha256 3b9", manifest.BadValue, 15, "sha256"},
		"digest too long":       {"sha256 3b9c", "sha256 3b9c00", manifest.BadValue, 15, "sha256"},
		"digest of zeros":       {sha, "sha256 " + strings.Repeat("0", 64), manifest.BadValue, 15, "sha256"},
		"plaintext size only":   {"plaintext-sha256 96d62e2abd3e42de5f50330fb8efc4c5599835278077b21e9aa0b33c1df07a1c\n", "", manifest.Malformed, 17, "plaintext-sha256"},
		"plaintext hash only":   {"plaintext-size 23500\n", "", manifest.Malformed, 16, "time"},
		"plaintext size 0":      {"plaintext-size 23500", "plaintext-size 0", manifest.BadValue, 16, "plaintext-size"},
		"time with offset":      {"09:30:00Z", "09:30:00+00:00", manifest.BadValue, 18, "time"},
		"time with fraction":    {"09:30:00Z", "09:30:00.0Z", manifest.BadValue, 18, "time"},
		"time with comma":       {"09:30:00Z", "09:30:00,5Z", manifest.BadValue, 18, "time"},
		"time without zone":     {"09:30:00Z", "09:30:00", manifest.BadValue, 18, "time"},
		"time with space":       {"01T09", "01 09", manifest.BadValue, 18, "time"},
		"small z":               {"09:30:00Z", "09:30:00z", manifest.BadValue, 18, "time"},
		"short hour":            {"T09:30", "T9:30", manifest.BadValue, 18, "time"},
		"hour 24":               {"T09:30", "T24:30", manifest.BadValue, 18, "time"},
		"second 60":             {"09:30:00Z", "09:30:60Z", manifest.BadValue, 18, "time"},
		"time before day 0":     {"2026-12-01T", "2024-12-31T", manifest.BadValue, 18, "time"},
		"no tool":               {"tool licet v0.2.0", "tool ", manifest.BadValue, 19, "tool"},
		"tool left out":         {"tool licet v0.2.0\n", "", manifest.Malformed, 19, "tool"},
		"label without =":       {"label order=4711", "label order", manifest.BadValue, 21, "label"},
		"label without key":     {"label order=4711", "label =4711", manifest.BadValue, 21, "label"},
		"label without value":   {"label order=4711", "label order=", manifest.BadValue, 21, "label"},
		"label in capitals":     {"label order=4711", "label Order=4711", manifest.BadValue, 21, "label"},
		"label with space":      {"label order=4711", "label order =4711", manifest.BadValue, 21, "label"},
		"label twice":           {"label order=4711", "label customer=4711", manifest.Malformed, 21, "label"},
		"labels not in order":   {"label order=4711", "label a=4711", manifest.Malformed, 21, "label"},
		"labels":                {"label order=4711", "labels order=4711", manifest.Malformed, 21, ""},
		"no newline at the end": {"label order=4711\n", "label order=4711", manifest.Malformed, 21, "label"},
		"blank line at the end": {"label order=4711\n", "label order=4711\n\n", manifest.Malformed, 22, ""},
		"text at the end":       {"label order=4711\n", "label order=4711\nx", manifest.Malformed, 22, ""},
		"not UTF-8":             {"label order=4711", "label order=\xff", manifest.BadValue, 21, "label"},
		"U+FFFD":                {"label order=4711", "label order=\ufffd", manifest.BadValue, 21, "label"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := manifest.Parse(replaced(t, tt.old, tt.replacement))
			isError(t, err, tt.reason, tt.line, tt.field, "")
			if !reflect.DeepEqual(got, manifest.Manifest{}) {
				t.Errorf("a manifest with the error: %+v", got)
			}
		})
	}
}

// TestParseRichRefuses replaces a part of a good text with further fields and a
// binding.
func TestParseRichRefuses(t *testing.T) {
	text := must(rich().Marshal())
	const binding = "binding 01332c876518a793b7c1b8dfaf6d4b404ff5db09b21c6627ca59710cc24f696a"
	for name, tt := range map[string]struct {
		old, replacement string
		reason           manifest.Reason
		line             int
		field            string
	}{
		"start on day 0":     {"start 2027-01-01", "start 2025-01-01", manifest.BadValue, 7, "start"},
		"start before it":    {"start 2027-01-01", "start 2024-12-31", manifest.BadValue, 7, "start"},
		"start too late":     {"start 2027-01-01", "start 7766-10-23", manifest.BadValue, 7, "start"},
		"start after expiry": {"start 2027-01-01", "start 2028-01-01", manifest.BadValue, 7, "start"},
		"start never":        {"start 2027-01-01", "start never", manifest.BadValue, 7, "start"},
		"no such day":        {"start 2027-01-01", "start 2027-02-29", manifest.BadValue, 7, "start"},
		"start twice":        {"start 2027-01-01\n", "start 2027-01-01\nstart 2027-01-01\n", manifest.Malformed, 8, "first-serial"},
		"start first":        {"expiry 2027-12-31\nstart 2027-01-01\n", "start 2027-01-01\nexpiry 2027-12-31\n", manifest.Malformed, 7, "first-serial"},
		"field before start": {"start 2027-01-01\nfield edition 2\n", "field edition 2\nstart 2027-01-01\n", manifest.Malformed, 8, "first-serial"},
		"field 0":            {"field edition 2", "field edition 0", manifest.BadValue, 8, "field"},
		"leading zero":       {"field edition 2", "field edition 02", manifest.BadValue, 8, "field"},
		"sign":               {"field edition 2", "field edition +2", manifest.BadValue, 8, "field"},
		"two spaces":         {"field edition 2", "field edition  2", manifest.BadValue, 8, "field"},
		"no number":          {"field edition 2", "field edition", manifest.BadValue, 8, "field"},
		"no name":            {"field edition 2", "field 2", manifest.BadValue, 8, "field"},
		"no space":           {"field edition 2", "field", manifest.Malformed, 8, "first-serial"},
		"2^53":               {"field edition 2", "field edition 9007199254740992", manifest.BadValue, 8, "field"},
		"name in capitals":   {"field edition 2", "field Edition 2", manifest.BadValue, 8, "field"},
		"name of a line":     {"field edition 2", "field serial 2", manifest.BadValue, 8, "field"},
		"not in order":       {"field edition 2\nfield features 9\n", "field features 9\nfield edition 2\n", manifest.Malformed, 9, "field"},
		"field twice":        {"field features 9", "field edition 2", manifest.Malformed, 9, "field"},
		"binding in capitals": {
			binding, strings.ToUpper(binding[:9]) + binding[9:], manifest.Malformed, 12, "first-serial"},
		"digest in capitals":   {"binding 01332c", "binding 01332C", manifest.BadValue, 12, "binding"},
		"digest too short":     {"binding 01", "binding ", manifest.BadValue, 12, "binding"},
		"digest too long":      {"binding 01", "binding 0101", manifest.BadValue, 12, "binding"},
		"digest of zeros":      {binding, "binding " + strings.Repeat("0", 64), manifest.BadValue, 12, "binding"},
		"the text itself":      {binding, "binding Jane Doe", manifest.BadValue, 12, "binding"},
		"binding twice":        {binding, binding + "\n" + binding, manifest.Malformed, 13, "first-serial"},
		"binding before field": {"field seats 25\n" + binding, binding + "\nfield seats 25", manifest.Malformed, 12, "first-serial"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := manifest.Parse(replacedIn(t, text, tt.old, tt.replacement))
			isError(t, err, tt.reason, tt.line, tt.field, "")
			if !reflect.DeepEqual(got, manifest.Manifest{}) {
				t.Errorf("a manifest with the error: %+v", got)
			}
		})
	}
	m := rich()
	m.Fields = fields(14)
	text = must(m.Marshal())
	_, err := manifest.Parse(replacedIn(t, text, "binding ", "field zz 1\nbinding "))
	isError(t, err, manifest.BadValue, 22, "field", "more than 14")
}

func TestParseLabels(t *testing.T) {
	m := full()
	m.Labels = labels(64)
	text := must(m.Marshal())
	if _, err := manifest.Parse(text); err != nil {
		t.Error(err)
	}
	_, err := manifest.Parse(text + "label zz=x\n")
	isError(t, err, manifest.BadValue, 84, "label", "more than 64")
}

// TestParseMangled cuts the text, cuts out of it, and changes each byte in many
// ways. What Parse still accepts, it must have read as it stands.
func TestParseMangled(t *testing.T) {
	for _, good := range []string{fullText, must(bare().Marshal()), must(rich().Marshal())} {
		for i := range len(good) {
			for j := i; j <= len(good); j++ {
				if (i+j)%(7*stride) == 0 && (i != 0 || j != len(good)) {
					fixedPoint(t, good[i:j])
				}
			}
		}
		for i := range len(good) {
			fixedPoint(t, good[:i]+good[i+1:])
			for x := 1 + i%(3*stride); x < 256; x += 3 * stride {
				b := []byte(good)
				b[i] ^= byte(x)
				fixedPoint(t, string(b))
			}
		}
	}
}

func fixedPoint(t *testing.T, text string) {
	t.Helper()
	m, err := manifest.Parse(text)
	if err != nil {
		if !reflect.DeepEqual(m, manifest.Manifest{}) {
			t.Fatalf("%q: error %v, and a manifest", text, err)
		}
		return
	}
	if again, err := m.Marshal(); err != nil || again != text {
		t.Fatalf("%q was read, and written as %q, %v", text, again, err)
	}
}
