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

// TestXLSXTemporaryFile holds a large list to its rows, and the writer to no file
// but the one it writes. The reader has one where the list may touch the disk, and
// leaves nothing behind.
func TestXLSXTemporaryFile(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, dir)
	}
	temporary := func() int { return len(must(os.ReadDir(dir))) }
	rows := mint(1700, digital)
	opts := options(export.XLSX, "standard") // 10 KB a row, so that few make a large list
	for i := range 10 {
		opts.Labels = append(opts.Labels, export.Label{fmt.Sprint("label", i), strings.Repeat("x", 1024)})
	}
	var out bytes.Buffer
	for _, broken := range []bool{true, false} {
		out.Reset()
		var w io.Writer = &out
		if broken {
			w = &full{100_000, errFull}
		}
		x := must(export.New(w, opts))
		lic := workedLicense
		var first error
		for _, r := range rows {
			lic.Serial = r.serial
			if err := x.Write([]byte(r.code), &lic); err != nil && first == nil {
				first = err
			}
		}
		if temporary() != 0 {
			t.Error("the writer has a temporary file")
		}
		err := x.Close()
		if errors.Is(err, errFull) != broken || first != nil && err != first {
			t.Errorf("Close: %v, before it %v", err, first)
		}
	}
	for name, open := range map[string]func(io.Reader, export.Format) (*export.Reader, error){"reader": export.NewReader, "memory reader": export.NewMemoryReader} {
		r := must(open(bytes.NewReader(out.Bytes()), export.XLSX))
		if want := name == "reader"; (temporary() > 0) != want {
			t.Errorf("%s: %d temporary files", name, temporary())
		}
		for i, want := range rows {
			got, err := r.Next()
			if err != nil || got.Line != i+2 || string(got.Code) != want.code || got.Serial != want.serial {
				t.Fatalf("%s: line %d, %s, %d, %v; want %v", name, got.Line, got.Code, got.Serial, err, want)
			}
		}
		if _, err := r.Next(); err != io.EOF {
			t.Errorf("%s: at the end: %v", name, err)
		}
		if err := r.Close(); err != nil || temporary() != 0 {
			t.Errorf("%s: %d temporary files are left behind, %v", name, temporary(), err)
		}
	}
}

// TestXLSXWritesAsItGoes: what was written is in the file, but for a buffer, so that
// memory does not grow with the list.
func TestXLSXWritesAsItGoes(t *testing.T) {
	var out bytes.Buffer
	w := must(export.New(&out, options(export.XLSX, "standard")))
	if out.Len() > 0 {
		t.Errorf("New wrote %d bytes", out.Len())
	}
	lic := workedLicense
	sizes := []int{}
	for range 3 {
		for range 4000 {
			if err := w.Write([]byte(workedCode), &lic); err != nil {
				t.Fatal(err)
			}
			lic.Serial++
		}
		sizes = append(sizes, out.Len())
	}
	if sizes[0] < 20_000 || sizes[1]-sizes[0] < sizes[0]/2 || sizes[2]-sizes[1] < sizes[0]/2 {
		t.Errorf("%d bytes after each 4,000 codes", sizes)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	rows, _, err := read(out.String(), export.XLSX)
	if err != nil || len(rows) != 12_000 || rows[11_999].serial != 12_999 {
		t.Errorf("%d rows, %v", len(rows), err)
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
