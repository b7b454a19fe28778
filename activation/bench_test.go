package activation_test

import (
	"errors"
	"testing"

	"github.com/licet-dev/licet/activation"
)

// What a request costs beside HTTP and the ledger.

func BenchmarkActivate(b *testing.B) {
	s, r := newService(), request(hs.mint(license(1)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Activate(b.Context(), r); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPreview(b *testing.B) {
	s, r := newService(), request(hs.mint(license(1)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Preview(b.Context(), r); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRefused(b *testing.B) {
	s, r := newService(), request(hs.forger().mint(license(1)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Preview(b.Context(), r); !errors.Is(err, activation.CodeRefused) {
			b.Fatal(err)
		}
	}
}
