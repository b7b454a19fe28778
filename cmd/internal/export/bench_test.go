package export_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/licet-dev/licet/cmd/internal/export"
)

// BenchmarkAppend is the baseline: the code alone, into a buffer.
func BenchmarkAppend(b *testing.B) {
	code, buf := []byte(workedCode), make([]byte, 0, 64<<10)
	b.ReportAllocs()
	for b.Loop() {
		if len(buf) > 60<<10 {
			buf = buf[:0]
		}
		buf = append(append(buf, code...), '\n')
	}
}

func BenchmarkWrite(b *testing.B) {
	for _, f := range export.Formats() {
		b.Run(string(f), func(b *testing.B) {
			opts := options(f, "standard")
			opts.Labels = []export.Label{{"order", "4711"}, {"customer", "Jane Doe"}}
			w := must(export.New(io.Discard, opts))
			defer w.Close()
			lic, code, n := workedLicense, []byte(workedCode), 0
			b.ReportAllocs()
			for b.Loop() {
				if n++; n == export.MaxXLSXRows && f == export.XLSX {
					w, n = must(export.New(io.Discard, opts)), 0
				}
				if err := w.Write(code, &lic); err != nil {
					b.Fatal(err)
				}
				lic.Serial++
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	const codes = 10_000
	rows := mint(codes, prefixed)
	for _, f := range export.Formats() {
		for _, note := range []string{"Jane Doe", `Doe, "Jane"`} {
			opts := options(f, "standard")
			opts.Labels = []export.Label{{"customer", note}}
			text := list(b, opts, rows)
			b.Run(string(f)+"/"+note, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					r := must(export.NewReader(bytes.NewReader(text), f))
					for range codes {
						if _, err := r.Next(); err != nil {
							b.Fatal(err)
						}
					}
					r.Close()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/codes, "ns/code")
			})
		}
	}
}
