package export_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/licet-dev/licet/cmd/internal/export"
	"github.com/licet-dev/licet/payload"
)

// everything has each field that means something, and three of a vendor's own, two
// of them with names that are taken.
const everything = "product:9,zone:5,serial:53,version:8,expiry:15,code:4,start:15,edition:8,features:10,seats:8,labels:5"

func fullLicense() payload.License {
	lic := workedLicense
	lic.Serial = 1<<53 - 1
	lic.Start, lic.Edition, lic.Features, lic.Seats = payload.Date(2026, 1, 2), 2, 1<<0|1<<3|1<<9, 5
	lic.Extra.Set("zone", 30)
	lic.Extra.Set("code", 9)
	lic.Extra.Set("labels", 0)
	return lic
}

func TestGolden(t *testing.T) {
	full := fullLicense()
	bare := payload.License{Product: 7, Serial: 1, Expiry: payload.Never}
	labels := []export.Label{{"order", "4711"}, {"customer", `Doe, "Jane"`}}
	for _, c := range []struct {
		name, layout string
		format       export.Format
		columns      []string
		labels       []export.Label
		lics         []payload.License
		want         string
	}{
		{"txt", "standard", export.TXT, nil, labels, []payload.License{workedLicense, workedLicense},
			workedCode + "\n" + workedCode + "\n"},
		{"csv", "standard", export.CSV, nil, nil, []payload.License{workedLicense},
			"code,key,product,version,expiry,serial\r\n" + workedCode + ",8,7,3,2027-12-31,1000\r\n"},
		{"csv of a layout with little", "coupon", export.CSV, nil, labels[:1], []payload.License{bare},
			"code,key,product,serial,order\r\n" + workedCode + ",8,7,1,4711\r\n"},
		{"csv of a layout with everything", everything, export.CSV, nil, labels, []payload.License{full, bare},
			"code,key,product,version,expiry,serial,zone,field_code,start,edition,features,seats,field_labels,order,customer\r\n" +
				workedCode + `,8,7,3,2027-12-31,9007199254740991,30,9,2026-01-02,2,0 3 9,5,0,4711,"Doe, ""Jane"""` + "\r\n" +
				workedCode + `,8,7,0,never,1,0,0,2025-01-01,0,,unlimited,0,4711,"Doe, ""Jane"""` + "\r\n"},
		{"csv with columns chosen", "standard", export.CSV, []string{"order", "serial", "key_id", "code"}, labels[:1], []payload.License{workedLicense},
			"order,serial,key_id,code\r\n4711,1000,ca3f2093e4fe1455," + workedCode + "\r\n"},
		{"csv of no codes", "coupon", export.CSV, nil, nil, nil, "code,key,product,serial\r\n"},
		{"jsonl", "standard", export.JSONL, nil, nil, []payload.License{workedLicense},
			`{"code":"` + workedCode + `","key":8,"product":7,"version":3,"expiry":"2027-12-31","serial":"1000"}` + "\n"},
		{"jsonl of a layout with everything", everything, export.JSONL, nil, labels, []payload.License{full, bare},
			`{"code":"` + workedCode + `","key":8,"product":7,"version":3,"expiry":"2027-12-31","serial":"9007199254740991","zone":"30","field_code":"9",` +
				`"start":"2026-01-02","edition":2,"features":[0,3,9],"seats":5,"field_labels":"0","labels":{"order":"4711","customer":"Doe, \"Jane\""}}` + "\n" +
				`{"code":"` + workedCode + `","key":8,"product":7,"version":0,"expiry":"never","serial":"1","zone":"0","field_code":"0",` +
				`"start":"2025-01-01","edition":0,"features":[],"seats":0,"field_labels":"0","labels":{"order":"4711","customer":"Doe, \"Jane\""}}` + "\n"},
		{"jsonl with columns chosen", "standard", export.JSONL, []string{"order", "code"}, labels[:1], []payload.License{workedLicense},
			`{"code":"` + workedCode + `","labels":{"order":"4711"}}` + "\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			opts := options(c.format, c.layout)
			opts.Columns, opts.Labels = c.columns, c.labels
			if got := write(t, opts, c.lics...); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

// TestChangingLicense holds rows to their own licence, whichever fact changes from
// one to the next.
func TestChangingLicense(t *testing.T) {
	lics := []payload.License{fullLicense()}
	for _, change := range []func(*payload.License){
		func(l *payload.License) { l.Product++ },
		func(l *payload.License) { l.Version++ },
		func(l *payload.License) { l.Expiry++ },
		func(l *payload.License) { l.Start++ },
		func(l *payload.License) { l.Edition++ },
		func(l *payload.License) { l.Features ^= 2 },
		func(l *payload.License) { l.Seats++ },
		func(l *payload.License) { l.Extra.Set("zone", 1) },
		func(l *payload.License) { l.Extra.Set("labels", 1) },
		func(l *payload.License) {},
		func(l *payload.License) { l.Serial-- },
	} {
		lic := lics[len(lics)-1]
		change(&lic)
		lics = append(lics, lic)
	}
	for _, f := range []export.Format{export.CSV, export.JSONL} {
		opts := options(f, everything)
		got := slices.Collect(strings.Lines(write(t, opts, lics...)))
		if f == export.CSV {
			got = got[1:]
		}
		for i, lic := range lics {
			alone := slices.Collect(strings.Lines(write(t, opts, lic)))
			if got[i] != alone[len(alone)-1] {
				t.Errorf("%s, row %d: %s, alone it is %s", f, i, got[i], alone[len(alone)-1])
			}
		}
	}
}

// TestSpreadsheetsSeeText is about BO-01 and BO-02: no code looks like a number or
// a date, whatever the grouping, and no serial like a date.
func TestSpreadsheetsSeeText(t *testing.T) {
	number := regexp.MustCompile(`^[+-]?[0-9., ']*([eE][+-]?[0-9]+)?%?$`)
	digits := regexp.MustCompile(`^([0-9]{1,4}[-./ ]){1,2}[0-9]{1,4}$|^[0-9]{1,2}:[0-9]{2}`)
	month := regexp.MustCompile(`^([0-9]{1,4}[-./ ]?)?(JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)[A-Z]{0,6}([-./ ]?[0-9]{1,4}){0,2}$`)
	date := func(s string) bool { return digits.MatchString(s) || month.MatchString(s) }
	// A number has one letter, a month nine at most: with more the patterns, which
	// are slow, need not be tried.
	wordy := func(s string) bool {
		n := 0
		for _, c := range []byte(s) {
			if 'A' <= c && c <= 'Z' {
				n++
			}
		}
		return n > 9
	}
	for _, s := range []string{"219E01", "12E45", "1E5", "123"} {
		if !number.MatchString(s) {
			t.Fatalf("the pattern does not see a number in %s", s)
		}
	}
	for _, s := range []string{"3-12-2024", "12-05", "MAR-12", "DEC1", "2027-12-31"} {
		if !date(s) {
			t.Fatalf("the pattern does not see a date in %s", s)
		}
	}
	codes := 50_000
	if os.Getenv("LICET_LONG") != "" {
		codes = 500_000
	}
	for _, descriptor := range []string{prefixed, digital} {
		rows := mint(codes, descriptor)
		records := must(csv.NewReader(bytes.NewReader(list(t, options(export.CSV, "standard"), rows))).ReadAll())[1:]
		if len(records) != len(rows) {
			t.Fatalf("%d records of %d codes", len(records), len(rows))
		}
		for i, rec := range records {
			for _, code := range []string{rec[0], strings.ReplaceAll(rec[0], "-", "")} {
				if !wordy(code) && (number.MatchString(code) || date(code)) {
					t.Errorf("code %s reads as a number or a date", code)
				}
			}
			if rec[0] != rows[i].code || date(rec[5]) || rec[5] != fmt.Sprint(rows[i].serial) {
				t.Fatalf("row %d: %q", i, rec)
			}
		}
	}
}

// TestLocale is about BO-07: what is written does not depend on the locale.
func TestLocale(t *testing.T) {
	opts := options(export.CSV, "standard")
	want := write(t, opts, workedLicense)
	for _, locale := range []string{"de_DE.UTF-8", "fr_FR.UTF-8"} {
		t.Setenv("LC_ALL", locale)
		t.Setenv("LANG", locale)
		if got := write(t, opts, workedLicense); got != want {
			t.Errorf("%s: %s", locale, got)
		}
	}
}

// TestJSONKeepsSerials is about BO-19: a reader that takes numbers for floats
// still gets every digit.
func TestJSONKeepsSerials(t *testing.T) {
	for line := range strings.Lines(write(t, options(export.JSONL, everything), fullLicense())) {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		if v["serial"] != strconv.FormatUint(1<<53-1, 10) || v["zone"] != "30" {
			t.Errorf("serial %v, zone %v", v["serial"], v["zone"])
		}
	}
}

func TestRefusedOptions(t *testing.T) {
	edit := func(f func(*export.Options)) export.Options {
		o := options(export.CSV, "standard")
		f(&o)
		return o
	}
	label := func(name, value string) export.Options {
		return edit(func(o *export.Options) { o.Labels = []export.Label{{name, value}} })
	}
	const known = "the columns are code, key, product, version, expiry, serial, key_id"
	for _, c := range []struct {
		opts export.Options
		want string
	}{
		{edit(func(o *export.Options) { o.Format = "ods" }), `format "ods": want txt, csv, jsonl or xlsx`},
		{edit(func(o *export.Options) { o.Format = "" }), `format ""`},
		{edit(func(o *export.Options) { o.Layout = nil }), "no layout"},
		{edit(func(o *export.Options) { o.Columns = []string{"code", "seats"} }), `column "seats": there is none of this name; ` + known},
		{edit(func(o *export.Options) { o.Columns = []string{"Code"} }), `column "Code": there is none`},
		{edit(func(o *export.Options) { o.Columns = []string{"code", "code"} }), `column "code": given twice; ` + known},
		{edit(func(o *export.Options) { o.Columns = []string{} }), "no column given; " + known},
		{edit(func(o *export.Options) { o.Format, o.Columns = export.TXT, []string{"code", "serial"} }), "columns code,serial: a txt file has codes only; choose csv, jsonl or xlsx"},
		{edit(func(o *export.Options) { o.Columns = []string{"serial", "key"} }), "columns serial,key: the codes are not among them; add code"},
		{edit(func(o *export.Options) {
			o.Columns, o.Labels = []string{"code", "b"}, []export.Label{{"b", "1"}, {"order", "1"}}
		}), "columns code,b: the label order is not among them; add it, or leave the label out"},
		{edit(func(o *export.Options) { o.Labels = []export.Label{{"order", "1"}, {"Order", "2"}} }), `label "Order": there are two of this name`},
		{label("serial", "1"), `label "serial": this is the name of a column`},
		{label("CODE", "1"), `label "CODE": this is the name of a column`},
		{label("key_id", "1"), `label "key_id": this is the name of a column`},
		{label("", "1"), `label "": want a name of 1 to 64 letters`},
		{label("=x", "1"), `label "=x": want a name`},
		{label("1x", "1"), `label "1x": want a name`},
		{label("a b", "1"), `label "a b": want a name`},
		{label("händler", "1"), `label "händler": want a name`},
		{label(strings.Repeat("x", 65), "1"), "want a name of 1 to 64"},
		{label("order", strings.Repeat("x", 1025)), `label "order": the value has 1025 bytes; want 1024 at most`},
		{label("order", "a\xff"), `label "order": the value is not UTF-8`},
		{label("order", "a\x00b"), `label "order": the value has a character U+0000`},
		{edit(func(o *export.Options) { o.Format, o.Labels = export.XLSX, []export.Label{{"order", "a\x1b[2J"}} }), `label "order": an xlsx file can't have the character U+001B; take it out, or choose csv or jsonl`},
	} {
		var out bytes.Buffer
		w, err := export.New(&out, c.opts)
		if err == nil || !strings.Contains(err.Error(), c.want) || w != nil {
			t.Errorf("error %v, want %s", err, c.want)
		}
		if out.Len() > 0 {
			t.Errorf("%s: %d bytes written", c.want, out.Len())
		}
	}
	longest := label(strings.Repeat("x", 64), strings.Repeat("x", 1024))
	write(t, longest, workedLicense)
	// A txt file has no labels, whether its only column is named or not.
	write(t, edit(func(o *export.Options) {
		o.Format, o.Columns, o.Labels = export.TXT, []string{"code"}, []export.Label{{"order", "1"}}
	}), workedLicense)
	for _, f := range export.Formats() {
		if got, err := export.ParseFormat(string(f)); got != f || err != nil {
			t.Errorf("ParseFormat(%q) = %q, %v", f, got, err)
		}
	}
}

func TestRefusedCodes(t *testing.T) {
	for _, f := range export.Formats() {
		for _, code := range []string{"", "-A", "=1", "ACME,1", "acme", "A\n", `A"`, "\uFEFFA"} {
			w := must(export.New(io.Discard, options(f, "standard")))
			err := w.Write([]byte(code), &workedLicense)
			if err == nil {
				t.Errorf("%s: %q was written", f, code)
			}
			if again := w.Close(); again != err {
				t.Errorf("%s: Close after a refused code: %v", f, again)
			}
		}
	}
}

var errFull = errors.New("no space left on device")

// A full writer takes some bytes and then fails, or, without an error, falls
// silent.
type full struct {
	room int
	err  error
}

func (w *full) Write(b []byte) (int, error) {
	n := min(len(b), w.room)
	w.room -= n
	if n < len(b) {
		return n, w.err
	}
	return n, nil
}

// TestFullDisk is about BO-15: an error that comes late is not lost, neither by
// Write nor by Close.
func TestFullDisk(t *testing.T) {
	for _, f := range export.Formats() {
		for _, c := range []struct {
			room, codes int
			err, want   error
		}{
			{0, 1, errFull, errFull},
			{0, 1, nil, io.ErrShortWrite},
			{1000, 100, errFull, errFull},
			{100_000, 20_000, errFull, errFull},
		} {
			w := must(export.New(&full{c.room, c.err}, options(f, "standard")))
			lic := workedLicense
			var first error
			for range c.codes {
				if err := w.Write([]byte(workedCode), &lic); err != nil && first == nil {
					first = err
				}
				lic.Serial++
			}
			if err := w.Close(); !errors.Is(err, c.want) || first != nil && err != first {
				t.Errorf("%s, room for %d bytes: Close: %v, before it %v, want %v", f, c.room, err, first, c.want)
			}
			if w.Write([]byte(workedCode), &lic) == nil || w.Close() == nil {
				t.Errorf("%s: the error is forgotten", f)
			}
		}
	}
}

func TestClosed(t *testing.T) {
	for _, f := range export.Formats() {
		w := must(export.New(io.Discard, options(f, "standard")))
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := w.Write([]byte(workedCode), &workedLicense); err == nil {
			t.Errorf("%s: written after Close", f)
		}
		if err := w.Close(); err != nil {
			t.Errorf("%s: Close again: %v", f, err)
		}
	}
}

// TestNoAllocations holds the text formats to none, also when each licence differs
// from the one before.
func TestNoAllocations(t *testing.T) {
	for _, f := range []export.Format{export.TXT, export.CSV, export.JSONL} {
		opts := options(f, everything)
		opts.Labels = []export.Label{{"order", "=1"}, {"customer", `Doe, "Jane"`}}
		w := must(export.New(io.Discard, opts))
		lic, code := fullLicense(), []byte(workedCode)
		for _, change := range []uint64{0, 1} {
			n := testing.AllocsPerRun(2000, func() {
				if err := w.Write(code, &lic); err != nil {
					panic(err)
				}
				lic.Serial--
				lic.Edition += change
			})
			if n != 0 {
				t.Errorf("%s: Write allocates %v times (change %d)", f, n, change)
			}
		}
	}
}

// TestManyRows holds a list of several buffers to its rows.
func TestManyRows(t *testing.T) {
	rows := mint(20_000, digital)
	for _, f := range []export.Format{export.TXT, export.CSV, export.JSONL} {
		got, lines, err := read(string(list(t, options(f, "standard"), rows)), f)
		if err != nil {
			t.Fatal(err)
		}
		want := slices.Clone(rows)
		first := 1
		switch f {
		case export.TXT:
			for i := range want {
				want[i] = row{code: want[i].code}
			}
		case export.CSV:
			first = 2
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: the rows changed", f)
		}
		if lines[0] != first || lines[len(lines)-1] != first+len(rows)-1 {
			t.Errorf("%s: lines %d to %d", f, lines[0], lines[len(lines)-1])
		}
	}
}

func TestMaxSerialIsExact(t *testing.T) {
	lic := fullLicense()
	for _, f := range export.Formats()[1:] {
		rows, _, err := read(write(t, options(f, everything), lic), f)
		if err != nil || len(rows) != 1 || rows[0] != (row{workedCode, lic.Serial, true}) {
			t.Errorf("%s: %v, %v", f, rows, err)
		}
	}
	if lic.Serial != 1<<53-1 {
		t.Fatal("not the largest serial")
	}
}
