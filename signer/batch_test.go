package signer_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/signer"
)

func batchOf(first, count uint64, workers int) signer.Batch {
	lic := payload.License{Product: 7, Version: 3, Expiry: payload.Date(2027, 12, 31), Serial: first}
	return signer.Batch{License: lic, Count: count, Workers: workers}
}

// collect returns the codes of a batch and the error that ended it.
func collect(s *signer.Signer, ctx context.Context, b signer.Batch) ([]string, error) {
	var codes []string
	for code, err := range s.Codes(ctx, b) {
		if err != nil {
			return codes, err
		}
		codes = append(codes, string(code))
	}
	return codes, nil
}

// workedSigners returns signers with the keys of SPEC.md, section 10, by suite.
func workedSigners(t *testing.T) map[string]*signer.Signer {
	signers := map[string]*signer.Signer{}
	for suite, w := range map[string][2]string{"hs256": {workedHS, workedHSSecret}, "es256": {workedES, workedESSecret}} {
		key, private := workedKey(w[0], w[1], 7)
		signers[suite] = newSigner(t, key, private)
	}
	return signers
}

// The codes come by serial and are those of AppendCode, whatever the workers.
func TestBatchOrder(t *testing.T) {
	for suite, s := range workedSigners(t) {
		for _, workers := range []int{0, 1, 2, 7} {
			for _, count := range []uint64{1, 2, 15, 16, 17, 100} {
				t.Run(fmt.Sprintf("%s/%d workers/%d codes", suite, workers, count), func(t *testing.T) {
					b := batchOf(1000, count, workers)
					codes, err := collect(s, t.Context(), b)
					if err != nil || uint64(len(codes)) != count {
						t.Fatalf("%d codes, %v", len(codes), err)
					}
					for i, code := range codes {
						b.License.Serial = 1000 + uint64(i)
						if want, err := s.Mint(b.License); err != nil || code != want {
							t.Fatalf("code %d is %s, want %s (%v)", i, code, want, err)
						}
					}
				})
			}
		}
	}
}

// Many chunks, in order, without a hole.
func TestBatchLong(t *testing.T) {
	s := workedSigners(t)["hs256"]
	const count = 20_000
	b := batchOf(1, count, 3)
	i := uint64(0)
	for code, err := range s.Codes(t.Context(), b) {
		if err != nil {
			t.Fatal(err)
		}
		b.License.Serial = 1 + i
		if i%997 == 0 || i == count-1 {
			if want, _ := s.Mint(b.License); string(code) != want {
				t.Fatalf("code %d is %s, want %s", i, code, want)
			}
		}
		i++
	}
	if i != count {
		t.Errorf("%d codes, want %d", i, count)
	}
}

// What does not fit is refused before any code.
func TestBatchRefused(t *testing.T) {
	s := workedSigners(t)["hs256"]
	const last = 1<<28 - 1
	late := batchOf(1, 1, 1)
	late.License.Expiry = payload.Date(2150, 1, 1)
	other := batchOf(1, 1, 1)
	other.License.Product = 8
	for _, c := range []struct {
		name  string
		batch signer.Batch
		want  error
	}{
		{"the last serials", batchOf(last-1, 2, 1), nil},
		{"one too many", batchOf(last-1, 3, 1), payload.FieldTooWide},
		{"more than any field holds", batchOf(2, 1<<64-1, 1), payload.FieldTooWide},
		{"first serial too large", batchOf(last+1, 1, 1), payload.FieldTooWide},
		{"serial 0", batchOf(0, 1, 1), payload.ZeroSerial},
		{"late", late, payload.ExpiryTooLate},
		{"a product of another key", other, payload.ProductNotAllowed},
	} {
		codes, err := collect(s, t.Context(), c.batch)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		if err != nil && len(codes) > 0 {
			t.Errorf("%s: %d codes before the error", c.name, len(codes))
		}
	}
	if _, err := collect(s, t.Context(), batchOf(1, 0, 1)); err == nil {
		t.Error("a batch of no codes was minted")
	}
}

// A batch that is broken off or cancelled leaves no goroutine behind.
func TestBatchStops(t *testing.T) {
	for suite, s := range workedSigners(t) {
		before := runtime.NumGoroutine()
		for range s.Codes(t.Context(), batchOf(1, 1<<27, 3)) {
			break
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		n := 0
		var last error
		for _, err := range s.Codes(ctx, batchOf(1, 1<<27, 3)) {
			if n++; n == 3 {
				cancel()
			}
			last = err
		}
		if !errors.Is(last, context.Canceled) {
			t.Errorf("%s: the batch ended with %v, want a cancelled context", suite, last)
		}
		after := runtime.NumGoroutine()
		for range 1000 { // a goroutine that is done still counts until it is gone
			if after <= before {
				break
			}
			runtime.Gosched()
			after = runtime.NumGoroutine()
		}
		if after > before {
			t.Errorf("%s: %d goroutines before, %d after", suite, before, after)
		}
		if codes, err := collect(s, ctx, batchOf(1, 5, 1)); !errors.Is(err, context.Canceled) || len(codes) > 0 {
			t.Errorf("%s: %d codes with a context that was cancelled before, %v", suite, len(codes), err)
		}
	}
}

func ExampleSigner_Codes() {
	key, private := exampleKey()
	s, err := signer.New(key, private, signer.Options{})
	if err != nil {
		panic(err)
	}
	batch := signer.Batch{
		License: payload.License{Product: 7, Version: 3, Expiry: payload.Date(2027, 12, 31), Serial: 1000},
		Count:   3,
	}
	for code, err := range s.Codes(context.Background(), batch) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s\n", code)
	}
	// Output:
	// ACME-AHJX-YQET-69FW-H3QZ-JG9E-69PS-6HVK-ELWZ
	// ACME-A88S-KEYS-KQCE-3QEW-LLZD-9YKP-3CFS-JD3D
	// ACME-AA8P-5L8D-FJ66-QEGW-KT2Q-PEYG-CXGF-RTA6
}
