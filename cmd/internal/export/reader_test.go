package export_test

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/licet-dev/licet/cmd/internal/export"
)

const (
	bom = "\uFEFF"
	two = "BQVC-Y3VX"
)

func TestRead(t *testing.T) {
	a, b := row{workedCode, 1000, true}, row{two, 1001, true}
	a0, b0 := row{code: workedCode}, row{code: two}
	for _, c := range []struct {
		name   string
		format export.Format
		list   string
		want   []row
		lines  []int
	}{
		{"txt", export.TXT, workedCode + "\n" + two + "\n", []row{a0, b0}, []int{1, 2}},
		{"txt, CRLF, blank lines, no end", export.TXT, "\r\n" + workedCode + "\r\n \t\r\n\u3000\n---\n" + two, []row{a0, b0}, []int{2, 6}},
		{"txt, BOM (BO-06)", export.TXT, bom + workedCode + "\n" + two, []row{a0, b0}, []int{1, 2}},
		{"txt, as it stands", export.TXT, " acme-ahjx \n?\n", []row{{code: " acme-ahjx "}, {code: "?"}}, []int{1, 2}},
		{"txt, empty", export.TXT, "", nil, nil},
		{"csv", export.CSV, "code,serial\r\n" + workedCode + ",1000\r\n" + two + ",1001\r\n", []row{a, b}, []int{2, 3}},
		{"csv, LF, no end", export.CSV, "code,serial\n" + workedCode + ",1000\n" + two + ",1001", []row{a, b}, []int{2, 3}},
		{"csv, BOM (BO-06)", export.CSV, bom + "code,serial\n" + workedCode + ",1000\n", []row{a}, []int{2}},
		{"csv, BOM and quotes (BO-06)", export.CSV, bom + `"code","serial"` + "\n" + `"` + workedCode + `","1000"` + "\n", []row{a}, []int{2}},
		{"csv, semicolons (BO-07)", export.CSV, "code;x;serial\r\n" + workedCode + ";\"a;b\";1000\r\n", []row{a}, []int{2}},
		{"csv, semicolons, commas in names (BO-07)", export.CSV, "code;\"a,b\";serial\r\n" + workedCode + ";1,5;1000\r\n", []row{a}, []int{2}},
		{"csv, tabs", export.CSV, "x\tcode\tserial\n\t" + workedCode + "\t1000\n", []row{a}, []int{2}},
		{"csv, code alone", export.CSV, "code\n" + workedCode + "\n", []row{a0}, []int{2}},
		{"csv, in another order and case", export.CSV, "Serial,x, Code \n1000,,\"" + workedCode + "\"\n", []row{a}, []int{2}},
		{"csv, a serial missing", export.CSV, "code,serial\n" + workedCode + ",\n" + two + "\n", []row{a0, b0}, []int{2, 3}},
		{"csv, blank rows (BO-18)", export.CSV, ",,\ncode,serial,x\n\n,,\n" + workedCode + ",1000,\n\"\", ,\n" + two + ",1001,y", []row{a, b}, []int{5, 7}},
		{"csv, quoted newlines (BO-18)", export.CSV, "x,code,serial\n\"two\r\nli,nes\n\"," + workedCode + ",1000\n\"one\"\"\"," + two + ",1001\n", []row{a, b}, []int{2, 5}},
		{"csv, trailing comma (BO-18)", export.CSV, "code,serial\n" + workedCode + ",1000,,\"\",\n" + two + ",1001\n", []row{a, b}, []int{2, 3}},
		{"csv, quotes within a code", export.CSV, "code,serial\n\"A\"\"B\",1000\n", []row{{`A"B`, 1000, true}}, []int{2}},
		{"csv, header only", export.CSV, "code,serial\n", nil, nil},
		{"jsonl", export.JSONL, `{"code":"` + workedCode + `","serial":"1000"}` + "\n\n" + ` { "x": {"code":1}, "serial" : 1001, "code":"` + two + `" } ` + "\r\n", []row{a, b}, []int{1, 3}},
		{"jsonl, BOM, no serial", export.JSONL, bom + `{"code":"` + workedCode + `"}`, []row{a0}, []int{1}},
		{"jsonl, largest serial (BO-19)", export.JSONL, `{"code":"` + two + `","serial":9007199254740991}`, []row{{two, 1<<53 - 1, true}}, []int{1}},
	} {
		rows, lines, err := read(c.list, c.format)
		if err != nil || !slices.Equal(rows, c.want) || !slices.Equal(lines, c.lines) {
			t.Errorf("%s: %v on lines %v, error %v; want %v on lines %v", c.name, rows, lines, err, c.want, c.lines)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for _, c := range []struct {
		format     export.Format
		list, want string
	}{
		{export.Format("ods"), "", `format "ods"`},
		{export.CSV, "", "line 1: there is no row that names the columns"},
		{export.CSV, "\n\n", "line 1: there is no row"},
		{export.CSV, workedCode + "\n" + two + "\n", `line 1: no column is named code in "` + workedCode + `"; the first row must name the columns, and a plain list of codes is txt`},
		{export.CSV, "\nkey,serial\n8,1000\n", `line 2: no column is named code in "key,serial"`},
		{export.CSV, "code,serial,Code\n", "line 1: two columns are named code"},
		{export.CSV, "code;serial;serial\n", "line 1: two columns are named serial"},
		{export.CSV, "code,serial\nA,1\n,7\n", "line 3: there is no code, but other cells are filled"},
		{export.CSV, "code,serial\n-,7\n", "line 2: there is no code, but other cells are filled"},
		{export.CSV, "x,code\nA,B\nA\n", "line 3: there is no code"},
		{export.CSV, "code,serial\nA,1,x\n", "line 2: a row of 3 cells or more, where the first row names 2"},
		{export.CSV, "code,serial\nA,1\n\"B,2\nC,3\n", "line 3: a quotation mark without a second one"},
		{export.CSV, "code,serial\nA,1\n\"B\"x,2\n", "line 3: text after the quotation mark that ends a cell"},
		{export.CSV, "x,code\n5\" pipe\",B\n", "line 2: a quotation mark in a cell that does not begin with one"},
		{export.CSV, "code,serial\nA,1\nB,1.23457E+11\n", `line 3: serial "1.23457E+11": a spreadsheet has rounded it`},
		{export.CSV, "code,serial\nA,1.000\n", `line 2: serial "1.000": a spreadsheet has rounded it`},
		{export.CSV, "code,serial\nA,-1\n", `line 2: serial "-1": want digits only, below 2^53`},
		{export.CSV, "code,serial\nA,9007199254740992\n", `line 2: serial "9007199254740992": want digits only, below 2^53`},
		{export.CSV, "code,serial\nA,99999999999999999999999\n", "line 2: serial"},
		{export.CSV, "code\n\"" + strings.Repeat("\n", 1<<21), "line 2: the row is longer than 1 MiB"},
		{export.TXT, "A\n" + strings.Repeat("x", 1<<20+1), "line 2: it is longer than 1 MiB"},
		{export.TXT, "\xFF\xFEA\x00", "line 1: the text is UTF-16; save it as UTF-8"},
		{export.CSV, "PK\x03\x04...", "line 1: this is no text but a zip file, such as xlsx"},
		{export.XLSX, "code,serial\n", "not an xlsx file that can be read"},
		{export.XLSX, "", "not an xlsx file that can be read"},
		{export.JSONL, "{\"code\":\"A\"}\n[]\n", "line 2: want one JSON object a line, with a member code"},
		{export.JSONL, "A\n", "line 1: want one JSON object"},
		{export.JSONL, `{}`, "line 1: the object has no member code"},
		{export.JSONL, `{"Code":"A"}`, "line 1: the object has no member code"},
		{export.JSONL, `{"code":"A","code":"B"}`, `line 1: member "code" occurs twice`},
		{export.JSONL, `{"code":"A","x":1,"x":2}`, `line 1: member "x" occurs twice`},
		{export.JSONL, `{"code":null}`, "line 1: member code: want a string with a code"},
		{export.JSONL, `{"code":" "}`, "line 1: member code: want a string with a code"},
		{export.JSONL, `{"code":"A","serial":1.5}`, `line 1: serial "1.5"`},
		{export.JSONL, `{"code":"A","serial":null}`, "line 1: member serial: want a string of digits"},
		{export.JSONL, `{"code":"A","serial":[]}`, "line 1: member serial: want a string of digits"},
		{export.JSONL, `{"code":"A"`, "line 1: JSON: unexpected EOF"},
		{export.JSONL, `{"code":"A"} {}`, "line 1: text after the object"},
		{export.JSONL, `{"code":"A","x":tru}`, "line 1: JSON: invalid character"},
		{export.JSONL, "{\"code\":\"A\xff\"}", "line 1: the text is not UTF-8"},
	} {
		_, _, err := read(c.list, c.format)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %.40q: error %v, want %s", c.format, c.list, err, c.want)
		}
	}
}

// TestReadStaysFailed holds a Reader to its error, and to say the line of a
// failing file.
func TestReadStaysFailed(t *testing.T) {
	broken := errors.New("broken")
	for _, f := range []export.Format{export.TXT, export.CSV, export.JSONL} {
		text := string(list(t, options(f, "standard"), mint(3, prefixed)))
		cut := text[:strings.LastIndexByte(text[:len(text)-1], '\n')+5]
		r, err := export.NewReader(io.MultiReader(strings.NewReader(cut), iotest.ErrReader(broken)), f)
		if err != nil {
			t.Fatal(err)
		}
		for err == nil {
			_, err = r.Next()
		}
		if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "line ") {
			t.Errorf("%s: %v", f, err)
		}
		if _, again := r.Next(); again != err {
			t.Errorf("%s: after %v comes %v", f, err, again)
		}
		if _, err := export.NewReader(iotest.ErrReader(broken), f); !errors.Is(err, broken) {
			t.Errorf("%s: NewReader: %v", f, err)
		}
	}
}

func TestReadNoAllocations(t *testing.T) {
	for _, f := range []export.Format{export.TXT, export.CSV} {
		opts := options(f, "standard")
		opts.Labels = []export.Label{{"note", `Doe, "Jane"`}}
		text := string(list(t, opts, mint(3000, prefixed)))
		r := must(export.NewReader(strings.NewReader(text), f))
		n := testing.AllocsPerRun(2000, func() {
			if _, err := r.Next(); err != nil {
				panic(err)
			}
		})
		if n != 0 {
			t.Errorf("%s: Next allocates %v times", f, n)
		}
	}
}

// FuzzReadCSV compares with encoding/csv: what it reads as a rectangle, this
// package reads as the same codes or refuses.
func FuzzReadCSV(f *testing.F) {
	f.Add("code,serial\r\nA,1\r\n")
	f.Add("x,code\n\"a\nb\",B\n\n,\n")
	f.Add("code\n\"A\"\"\",\n")
	f.Fuzz(func(t *testing.T, text string) {
		rows, lines, err := read(text, export.CSV)
		if err != nil {
			return
		}
		if !slices.IsSorted(lines) {
			t.Errorf("lines %v", lines)
		}
		if strings.HasPrefix(text, bom) || strings.Contains(text, "\r") {
			return
		}
		for _, comma := range ",;\t" {
			c := csv.NewReader(strings.NewReader(text))
			c.Comma, c.FieldsPerRecord = comma, -1
			records, err := c.ReadAll()
			if err != nil {
				continue
			}
			if i := slices.IndexFunc(records, func(r []string) bool { return strings.Trim(strings.Join(r, ""), " \t,;") != "" }); i > 0 {
				records = records[i:]
			}
			at := -1
			if len(records) > 0 {
				at = slices.IndexFunc(records[0], func(s string) bool { return strings.EqualFold(strings.TrimSpace(s), "code") })
			}
			if at < 0 {
				continue
			}
			var codes []string
			for _, r := range records[1:] {
				if at < len(r) {
					codes = append(codes, r[at])
				}
			}
			for _, r := range rows {
				if !slices.Contains(codes, r.code) {
					t.Errorf("code %q is not one of %q", r.code, codes)
				}
			}
			return
		}
	})
}
