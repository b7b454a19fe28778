package export_test

import (
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"

	"github.com/licet-dev/licet/cmd/internal/export"
)

// labelValues are labels that spreadsheets, csv and JSON could each take for
// something else.
var labelValues = []string{
	"", "Jane Doe", "O'Neil", "'", "''", "a=b", " padded ", "1E5", "12-05", "007", "TRUE",
	"=1+1", "=HYPERLINK(\"http://x\")", "+1", "-x", "@a", "\t=1", "\tx", "\r=1", "\n=1", "  =1",
	"\uFF1D1", "\uFF0B1", "\uFF0D1", "\uFF201", "'=1", "''=1", "' =1", "'' @", "'x", "'''\t",
	"two\nlines", "two\r\nlines", "a,b", "a;b", "a\tb", `say "hi"`, `"`, `""`, "ende\r",
	"_x0041_", "_x005F_", "_x0041_x0042_", "__x0041_", "_x004_", "_x00g1_", "&amp;", "<c>", "]]>", "日本", "e\u0301", "\u2028", "\U0001F600",
}

// TestNeutralize is about BO-04.
func TestNeutralize(t *testing.T) {
	for in, want := range map[string]string{
		"=1+1": "'=1+1", "+1": "'+1", "-x": "'-x", "@a": "'@a", "\tx": "'\tx", "\rx": "'\rx", "\nx": "'\nx",
		"\uFF1D1": "'\uFF1D1", "\uFF0B1": "'\uFF0B1", "\uFF0D1": "'\uFF0D1", "\uFF201": "'\uFF201", " =1": "' =1",
		"'=1": "''=1", "''=1": "'''=1",
		"x": "x", "": "", "'x": "'x", "'": "'", "O'Neil": "O'Neil", "a=1": "a=1", " x": " x",
	} {
		if got := export.Neutralize(in); got != want {
			t.Errorf("Neutralize(%q) = %q, want %q", in, got, want)
		}
	}
	for _, v := range labelValues {
		if got := export.Restore(export.Neutralize(v)); got != v {
			t.Errorf("Restore(Neutralize(%q)) = %q", v, got)
		}
	}
}

// checkLabel writes a list with a label and reads it as others would: the label
// comes back and the code, the cell beside it, is untouched (BO-05, BO-18).
func checkLabel(t *testing.T, value string) {
	t.Helper()
	for _, f := range []export.Format{export.CSV, export.JSONL} {
		opts := options(f, "standard")
		opts.Labels = []export.Label{{"note", value}, {"after", "last"}}
		opts.Columns = []string{"note", "code", "serial", "after"}
		text := write(t, opts, workedLicense, workedLicense)
		if f == export.JSONL {
			for line := range strings.Lines(text) {
				var v struct {
					Code   string
					Labels map[string]string
				}
				if err := json.Unmarshal([]byte(line), &v); err != nil || v.Code != workedCode || v.Labels["note"] != value {
					t.Errorf("jsonl of %q: %v, %+v", value, err, v)
				}
			}
		} else {
			records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
			if err != nil || len(records) != 3 {
				t.Fatalf("csv of %q: %d records, %v", value, len(records), err)
			}
			// What encoding/csv does to the ends of lines in cells.
			want := strings.ReplaceAll(value, "\r\n", "\n")
			for _, r := range records[1:] {
				if export.Restore(r[0]) != want || r[1] != workedCode || r[2] != "1000" || r[3] != "last" {
					t.Errorf("csv of %q: %q", value, r)
				}
				if startsFormula(r[0]) {
					t.Errorf("csv of %q: the cell %q is a formula", value, r[0])
				}
			}
		}
		rows, _, err := read(text, f)
		want := row{workedCode, 1000, true}
		if err != nil || len(rows) != 2 || rows[0] != want || rows[1] != want {
			t.Errorf("%s of %q: %v, %v", f, value, rows, err)
		}
	}
}

func startsFormula(s string) bool {
	return strings.IndexAny(strings.TrimLeft(s, " "), "=+-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20") == 0
}

func TestLabels(t *testing.T) {
	for _, v := range labelValues {
		checkLabel(t, v)
	}
}

func FuzzLabel(f *testing.F) {
	for _, v := range labelValues {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, v string) {
		opts := options(export.CSV, "standard")
		opts.Labels = []export.Label{{"note", v}}
		if _, err := export.New(nil, opts); err != nil {
			return // refused: too long, not UTF-8, U+0000
		}
		checkLabel(t, v)
	})
}
