package receipt_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/licet-dev/licet/keys/receipt"
)

// FuzzOpen looks for a text that opens as a receipt that nobody signed.
func FuzzOpen(f *testing.F) {
	all := []receipt.Receipt{newReceipt(), newReceipt(rich), newReceipt(coupon)}
	for _, r := range all {
		for _, name := range []string{"active", "closed", "withdrawn", "nobody's"} {
			text := must(receipt.Sign(r, receiptKey(name)))
			f.Add(text)
			f.Add(twin(text))
			f.Add("\ufeff" + strings.ReplaceAll(text, "A", "A\r\n"))
		}
	}
	f.Add(byHand("{}", "{}", ecKey("active")))
	f.Fuzz(func(t *testing.T, text string) {
		got, key, err := receipt.Open(text, ring)
		if err == nil {
			for _, r := range all {
				if equal(got, r) && included(got.License.Extra, r.License.Extra) && key.Role() == "receipt" {
					return
				}
			}
			t.Fatalf("%q: opened as %+v", text, got)
		}
		if _, ok := errors.AsType[*receipt.Error](err); !ok || got.Issuer != "" || key.Role() != "" {
			t.Fatalf("%q: %+v, error %v", text, got, err)
		}
	})
}

// FuzzClaims signs any claims. Those that open can be signed again, and say the same
// then: nothing is read that can't be written.
func FuzzClaims(f *testing.F) {
	for _, r := range []receipt.Receipt{newReceipt(), newReceipt(rich), newReceipt(coupon)} {
		_, claims, _ := parts(must(receipt.Sign(r, receiptKey("active"))))
		f.Add(claims)
		f.Add(strings.Replace(claims, "{", `{"iss":"x",`, 1))
		f.Add(strings.Replace(claims, `"iss"`, `"\u0069ss"`, 1))
	}
	for _, change := range changes {
		_, claims, _ := parts(must(receipt.Sign(newReceipt(rich, change), receiptKey("active"))))
		f.Add(claims)
	}
	f.Fuzz(func(t *testing.T, claims string) {
		got, key, err := receipt.Open(byHand(headerOf("active"), claims, ecKey("active")), ring)
		if err != nil {
			if _, ok := errors.AsType[*receipt.Error](err); !ok || errors.Is(err, receipt.BadSignature) || got.Issuer != "" || key.Role() != "" {
				t.Fatalf("%q: %+v, error %v", claims, got, err)
			}
			return
		}
		text, err := receipt.Sign(got, receiptKey("active"))
		if err != nil {
			t.Fatalf("%q: opens as %+v, which can't be signed: %v", claims, got, err)
		}
		opens(t, text, got, "active")
	})
}
