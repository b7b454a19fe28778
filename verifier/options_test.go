package verifier_test

import (
	"math"
	"testing"
	"time"

	"github.com/licet-dev/licet/verifier"
)

// A verifier that was set up wrongly is found when it is made. Above all the
// zero Options are refused: nobody accepts every product because a list was
// forgotten.
func TestOptions(t *testing.T) {
	ring := newRing(newKey(workedHS, 7))
	products := []uint64{7}
	for _, c := range []struct {
		name string
		opts verifier.Options
		good bool
	}{
		{"zero value", verifier.Options{}, false},
		{"no products", verifier.Options{Products: []uint64{}, Clock: at(noon)}, false},
		{"products alone", verifier.Options{Products: products}, true},
		{"products that the ring lacks", verifier.Options{Products: []uint64{8}}, true},
		{"leeway below zero", verifier.Options{Products: products, Leeway: -1}, false},
		{"least leeway below zero", verifier.Options{Products: products, Leeway: math.MinInt64}, false},
		{"smallest leeway", verifier.Options{Products: products, Leeway: 1}, true},
		{"largest leeway", verifier.Options{Products: products, Leeway: 48 * time.Hour}, true},
		{"leeway too large", verifier.Options{Products: products, Leeway: 48*time.Hour + 1}, false},
		{"largest number for a leeway", verifier.Options{Products: products, Leeway: math.MaxInt64}, false},
		{"grace below zero", verifier.Options{Products: products, Grace: -1}, false},
		{"longest grace", verifier.Options{Products: products, Grace: 3660}, true},
		{"grace too long", verifier.Options{Products: products, Grace: 3661}, false},
		{"largest number for a grace", verifier.Options{Products: products, Grace: math.MaxInt}, false},
		{"warning below zero", verifier.Options{Products: products, Warn: -1}, false},
		{"longest warning", verifier.Options{Products: products, Warn: 3660}, true},
		{"warning too long", verifier.Options{Products: products, Warn: 3661}, false},
		{"grace and warning", verifier.Options{Products: products, Grace: 1, Warn: 1}, true},
	} {
		v, err := verifier.New(ring, c.opts)
		if good := err == nil; good != c.good || good != (v != nil) {
			t.Errorf("%s: New = %v, %v", c.name, v != nil, err)
		}
	}
	if v, err := verifier.New(nil, verifier.Options{Products: products}); err == nil || v != nil {
		t.Error("New accepted no ring")
	}
}

// The options are copied: a caller who changes his slice changes no verdict.
func TestOptionsAreCopied(t *testing.T) {
	products := []uint64{7}
	v := newVerifier(newRing(newKey(workedHS, 7)), func(o *verifier.Options) { o.Products = products })
	products[0] = 8
	if _, err := v.Verify(workedHSCode); err != nil {
		t.Error(err)
	}
}

// A ring without mint keys judges nothing, and says what a text looks like.
func TestRingWithoutKeys(t *testing.T) {
	v := newVerifier(newRing())
	for _, code := range []string{"", workedHSCode, workedESCode, "ACME", "HELLO"} {
		if lic, err := v.Verify(code); err == nil || lic.Product != 0 {
			t.Errorf("Verify(%q) = %+v, %v", code, lic, err)
		}
	}
}
