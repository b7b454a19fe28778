package export_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/cmd/internal/export"
)

// Filters of LibreOffice. Both read cells as they are typed in, so that what looks
// like a number or a date becomes one: 1033 is American, 1031 German.
const (
	americanCSV = "CSV:44,34,76,1,,1033,false,true"
	germanCSV   = "CSV:44,34,76,1,,1031,false,true"
	toCSV       = "csv:Text - txt - csv (StarCalc):44,34,76,1,,1033"
	toGermanCSV = "csv:Text - txt - csv (StarCalc):59,34,76,1,,1031" // semicolons
)

// TestLibreOffice is about BO-01, BO-02, BO-04, BO-05 and BO-07: a spreadsheet
// opens 100,000 codes, saves them, and every code and serial is what it was. Ways
// that differ in little from these are taken with fewer codes.
func TestLibreOffice(t *testing.T) {
	if os.Getenv("LICET_LONG") == "" {
		t.Log("not checked that LibreOffice keeps codes: it takes minutes; set LICET_LONG to run it, as .ci/long does")
		return
	}
	soffice, err := exec.LookPath("soffice")
	if err != nil {
		t.Fatal("soffice is not on PATH; install libreoffice-calc-nogui")
	}
	rows := slices.Concat(mint(50_000, prefixed), mint(50_000, digital))
	lists := map[string][]row{"long": rows, "short": rows[45_000:55_000]}
	dir := t.TempDir()
	labels := []export.Label{{"formula", "=1+1"}, {"zeros", "0047"}, {"note", "Doe, \"Jane\"\nÖ"}}
	for _, f := range []export.Format{export.CSV, export.XLSX} {
		opts := options(f, "standard")
		opts.Labels = labels
		for name, rows := range lists {
			if err := os.WriteFile(filepath.Join(dir, name+"."+string(f)), list(t, opts, rows), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		name, list string
		from       export.Format
		infilter   string
		to         string
	}{
		{"csv to csv, American", "long", export.CSV, americanCSV, toCSV},
		{"xlsx to csv", "long", export.XLSX, "", toCSV},
		{"csv to csv, German", "short", export.CSV, germanCSV, toGermanCSV},
		{"csv to xlsx", "short", export.CSV, americanCSV, "xlsx"},
		{"xlsx to xlsx", "short", export.XLSX, "", "xlsx"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows := lists[c.list]
			out := t.TempDir()
			profile := "file:///" + strings.TrimPrefix(filepath.ToSlash(filepath.Join(dir, "profile")), "/")
			args := []string{"--headless", "--convert-to", c.to, "--outdir", out, "-env:UserInstallation=" + profile}
			if c.infilter != "" {
				args = append(args, "--infilter="+c.infilter)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			start := time.Now()
			said, err := exec.CommandContext(ctx, soffice, append(args, filepath.Join(dir, c.list+"."+string(c.from)))...).CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, said)
			}
			t.Logf("%d codes in %v", len(rows), time.Since(start).Round(time.Second/10))
			f := export.CSV
			if c.to == "xlsx" {
				f = export.XLSX
			}
			saved, err := os.ReadFile(filepath.Join(out, c.list+"."+string(f)))
			if err != nil {
				t.Fatalf("%v: %s", err, said)
			}
			got, _, err := read(string(saved), f)
			if err != nil || len(got) != len(rows) {
				t.Fatalf("%d rows of %d, error %v", len(got), len(rows), err)
			}
			for i := range rows {
				if got[i] != rows[i] {
					t.Fatalf("row %d: %v became %v", i+1, rows[i], got[i])
				}
			}
			if f == export.CSV {
				checkSavedLabels(t, saved, labels, c.from == export.CSV)
			}
		})
	}
}

// checkSavedLabels holds the labels of a saved list to what they were. Only
// "0047" may become a number: in a csv file nothing tells it from one.
func checkSavedLabels(t *testing.T, saved []byte, labels []export.Label, fromCSV bool) {
	r := csv.NewReader(bytes.NewReader(saved))
	if bytes.HasPrefix(saved, []byte("code;")) {
		r.Comma = ';'
	}
	record := must(r.ReadAll())[1][6:]
	for i, l := range labels {
		if got := export.Restore(record[i]); got != l.Value && !(fromCSV && l.Name == "zeros") {
			t.Errorf("label %s: %q became %q", l.Name, l.Value, record[i])
		}
	}
}
