package api

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
)

// A repeatable body is read again for each request.
type repeatable struct{ bytes.Reader }

func (*repeatable) Close() error { return nil }

// benchmark answers the same request on all processors.
func benchmark(b *testing.B, path, text string, want int) {
	h := newHandler(newService(b), Options{Log: slog.New(slog.NewJSONHandler(io.Discard, nil))})
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		var body repeatable
		r := httptest.NewRequest("POST", path, nil)
		r.Header = http.Header{"Content-Type": {"application/json"}, "Idempotency-Key": {idemKey}}
		r.Body, r.ContentLength = &body, int64(len(text))
		w := &discard{header: http.Header{}}
		for pb.Next() {
			body.Reset([]byte(text))
			clear(w.header)
			h.ServeHTTP(w, r)
			if w.status != want {
				b.Errorf("status %d", w.status)
				return
			}
		}
	})
}

func BenchmarkPreview(b *testing.B)  { benchmark(b, "/v1/activations/preview", previewOf(code), 200) }
func BenchmarkForged(b *testing.B)   { benchmark(b, "/v1/activations/preview", previewOf(forged()), 403) }
func BenchmarkActivate(b *testing.B) { benchmark(b, "/v1/activations", activationBody(), 200) }

// BenchmarkNotFound is what the handler costs without a service.
func BenchmarkNotFound(b *testing.B) { benchmark(b, "/nothing", "", 404) }

func BenchmarkParse(b *testing.B) {
	text := []byte(activationBody())
	b.ReportAllocs()
	for b.Loop() {
		var body body
		if e := body.parse(text, needs, allows); e != nil {
			b.Fatal(e)
		}
	}
}
