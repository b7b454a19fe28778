package export_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"github.com/licet-dev/licet/cmd/internal/export"
)

func TestXLSX(t *testing.T) {
	full, bare := fullLicense(), workedLicense
	opts := options(export.XLSX, everything)
	opts.Labels = []export.Label{{"order", "0047"}, {"note", "=1+1"}}
	f, err := excelize.OpenReader(strings.NewReader(write(t, opts, full, bare)))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if sheets := f.GetSheetList(); !slices.Equal(sheets, []string{"codes"}) {
		t.Fatalf("sheets %q", sheets)
	}
	rows := must(f.GetRows("codes"))
	want := [][]string{
		{"code", "key", "product", "version", "expiry", "serial", "zone", "field_code", "start", "edition", "features", "seats", "field_labels", "order", "note"},
		{workedCode, "8", "7", "3", "2027-12-31", "9007199254740991", "30", "9", "2026-01-02", "2", "0 3 9", "5", "0", "0047", "=1+1"},
		{workedCode, "8", "7", "3", "2027-12-31", "1000", "0", "0", "2025-01-01", "0", "", "unlimited", "0", "0047", "=1+1"},
	}
	if !slices.EqualFunc(rows, want, slices.Equal) {
		t.Errorf("rows %q", rows)
	}
	for cell, want := range map[string]struct {
		typ    excelize.CellType
		format int
		bold   bool
	}{
		"A1": {excelize.CellTypeInlineString, 49, true},
		"O1": {excelize.CellTypeInlineString, 49, true},
		"A2": {excelize.CellTypeInlineString, 49, false},
		"B2": {excelize.CellTypeUnset, 1, false},
		"E2": {excelize.CellTypeInlineString, 49, false},
		"F3": {excelize.CellTypeInlineString, 49, false},
		"L2": {excelize.CellTypeUnset, 1, false},
		"L3": {excelize.CellTypeInlineString, 49, false},
		"O2": {excelize.CellTypeInlineString, 49, false},
	} {
		style := must(f.GetStyle(must(f.GetCellStyle("codes", cell))))
		if typ := must(f.GetCellType("codes", cell)); typ != want.typ || style.NumFmt != want.format || (style.Font != nil && style.Font.Bold) != want.bold {
			t.Errorf("%s: type %v, style %+v", cell, typ, style)
		}
		if formula := must(f.GetCellFormula("codes", cell)); formula != "" {
			t.Errorf("%s has the formula %q", cell, formula)
		}
	}
	if p := must(f.GetPanes("codes")); !p.Freeze || p.YSplit != 1 || p.XSplit != 0 {
		t.Errorf("panes %+v", p)
	}
	if w := must(f.GetColWidth("codes", "A")); w != float64(len(workedCode)+2) {
		t.Errorf("width of the codes %v", w)
	}
	if p := must(f.GetDocProps()); p.Creator != "licet" {
		t.Errorf("properties %+v", p)
	}
}

// TestXLSXLabels is about BO-04: labels are text as they are, without an apostrophe.
func TestXLSXLabels(t *testing.T) {
	for _, v := range labelValues {
		opts := options(export.XLSX, "standard")
		opts.Labels = []export.Label{{"note", v}}
		opts.Columns = []string{"note", "code"}
		text := write(t, opts, workedLicense)
		f := must(excelize.OpenReader(strings.NewReader(text)))
		if got := must(f.GetCellValue("codes", "A2")); got != v {
			t.Errorf("label %q comes back as %q", v, got)
		}
		if formula := must(f.GetCellFormula("codes", "A2")); formula != "" {
			t.Errorf("label %q is the formula %q", v, formula)
		}
		f.Close()
		if rows, lines, err := read(text, export.XLSX); err != nil || !slices.Equal(rows, []row{{code: workedCode}}) || lines[0] != 2 {
			t.Errorf("label %q: %v, %v", v, rows, err)
		}
	}
}

func TestXLSXOfNoCodes(t *testing.T) {
	text := write(t, options(export.XLSX, "coupon"))
	f := must(excelize.OpenReader(strings.NewReader(text)))
	defer f.Close()
	if rows := must(f.GetRows("codes")); len(rows) != 1 || rows[0][0] != "code" {
		t.Errorf("rows %q", rows)
	}
	if rows, _, err := read(text, export.XLSX); err != nil || len(rows) != 0 {
		t.Errorf("%v, %v", rows, err)
	}
}

// TestXLSXTemporaryFile holds a large list to its rows, and to leave nothing behind,
// whether it succeeds or not.
func TestXLSXTemporaryFile(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, dir)
	}
	temporary := func() int { return len(must(os.ReadDir(dir))) }
	rows := mint(2500, digital)
	opts := options(export.XLSX, "standard") // 10 KB a row, so that few make a large list
	for i := range 10 {
		opts.Labels = append(opts.Labels, export.Label{fmt.Sprint("label", i), strings.Repeat("x", 1024)})
	}
	for _, broken := range []bool{true, false} {
		var out bytes.Buffer
		var w io.Writer = &out
		if broken {
			w = &full{100, errFull}
		}
		x := must(export.New(w, opts))
		lic := workedLicense
		for _, r := range rows {
			lic.Serial = r.serial
			if err := x.Write([]byte(r.code), &lic); err != nil {
				t.Fatal(err)
			}
		}
		if temporary() == 0 {
			t.Error("no temporary file: the rows are in memory, and this test tests nothing")
		}
		if err := x.Close(); errors.Is(err, errFull) != broken {
			t.Errorf("Close: %v", err)
		}
		if temporary() != 0 {
			t.Error("a temporary file is left behind")
		}
		if broken {
			continue
		}
		got, lines, err := read(out.String(), export.XLSX)
		if err != nil || !slices.Equal(got, rows) || lines[len(lines)-1] != len(rows)+1 {
			t.Errorf("%d rows of %d, error %v", len(got), len(rows), err)
		}
		if temporary() != 0 {
			t.Error("a temporary file of the reader is left behind")
		}
	}
}

// workbook returns an xlsx file with sheets of the given rows, as others make it.
func workbook(t *testing.T, sheets ...[][]any) string {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	for i, rows := range sheets {
		name := "Sheet" + string(rune('1'+i))
		must(f.NewSheet(name))
		for j, row := range rows {
			if row == nil {
				continue
			}
			if err := f.SetSheetRow(name, must(excelize.CoordinatesToCellName(1, j+1)), &row); err != nil {
				t.Fatal(err)
			}
		}
	}
	return must(f.WriteToBuffer()).String()
}

func TestReadXLSX(t *testing.T) {
	rows, lines, err := read(workbook(t,
		[][]any{{"notes"}, {"not here"}},
		[][]any{nil, {"Serial", nil, "Code"}, {1000, "x", workedCode}, nil, {nil, nil, two}, {" "}, {"9007199254740991", nil, workedCode, "a note"}},
	), export.XLSX)
	want := []row{{workedCode, 1000, true}, {code: two}, {workedCode, 1<<53 - 1, true}}
	if err != nil || !slices.Equal(rows, want) || !slices.Equal(lines, []int{3, 5, 7}) {
		t.Errorf("%v on lines %v, %v", rows, lines, err)
	}
	for _, c := range []struct {
		rows [][]any
		want string
	}{
		{[][]any{{"key"}, {8}}, "no column is named code in any sheet"},
		{nil, "no column is named code in any sheet"},
		{[][]any{{"code", "CODE"}}, "line 1: two columns are named code"},
		{[][]any{{"code", "serial"}, {workedCode, 1}, {nil, 2}}, "line 3: there is no code, but other cells are filled"},
		{[][]any{{"code", "serial"}, {workedCode, 1.5}}, `line 2: serial "1.5": a spreadsheet has rounded it`},
	} {
		if _, _, err := read(workbook(t, c.rows), export.XLSX); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}
