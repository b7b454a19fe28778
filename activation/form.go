package activation

import (
	"crypto/sha256"
	"fmt"

	"github.com/licet-dev/licet/activation/internal/wire"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/receipt"
)

const maxProduct = 1<<53 - 1

func badRequest(format string, args ...any) *Error {
	return &Error{Problem: BadRequest, Reason: string(BadRequest), Detail: fmt.Sprintf(format, args...)}
}

// checkRequest refuses what can't be meant in a request for a receipt. No value is told
// in an error: a fingerprint may stand anywhere.
func checkRequest(r *Request) error {
	if err := checkCode(r); err != nil {
		return err
	}
	if err := checkSubject(r.Subject, r.Trusted); err != nil {
		return err
	}
	if err := checkNonce(r.Nonce); err != nil {
		return err
	}
	switch {
	case len(r.Key) < wire.MinKey || len(r.Key) > wire.MaxKey:
		return badRequest("idempotency key: %d characters, want %d to %d", len(r.Key), wire.MinKey, wire.MaxKey)
	case !wire.IsKey(r.Key):
		return badRequest("idempotency key: a character that is no letter, digit, hyphen, underscore or full stop of ASCII")
	}
	return nil
}

// checkCode refuses what can't be meant about a code. What is wrong with its text is
// for judge to find.
func checkCode(r *Request) error {
	if r.Product < 1 || r.Product > maxProduct {
		return badRequest("product: want the number of the product that asks, 1 to 2^53-1")
	}
	if r.Binding != "" {
		if _, err := keys.BindingContext(r.Binding); err != nil {
			return badRequest("binding: want 1 to %d bytes of UTF-8 without control characters, and no placeholder that many machines share", keys.MaxBinding)
		}
	}
	return nil
}

func checkReceiptRequest(r *ReceiptRequest, nonce bool) error {
	if r.Receipt == "" {
		return badRequest("receipt: none given")
	}
	if err := checkSubject(r.Subject, r.Trusted); err != nil {
		return err
	}
	if nonce {
		return checkNonce(r.Nonce)
	}
	return nil
}

func checkNonce(s string) error {
	if receipt.CheckNonce(s) != nil {
		return badRequest("nonce: want %d to %d letters, digits, hyphens and underscores of ASCII, new for each request", receipt.MinNonce, receipt.MaxNonce)
	}
	return nil
}

func checkSubject(s receipt.Subject, trusted bool) error {
	switch {
	case s.Kind != receipt.Device && s.Kind != receipt.Account:
		return badRequest("subject: want one of the kind %s or %s", receipt.Device, receipt.Account)
	case s.Check() != nil:
		return badRequest("subject: want the SHA-256 of a fingerprint or of the name of an account, and not zeros")
	case shared[s.Hash]:
		return badRequest("subject: the hash is that of a text that many machines share because nobody filled it in; take another source")
	case s.Kind == receipt.Account && !trusted:
		return &Error{Problem: BadRequest, Reason: "account-not-trusted", Detail: "subject: an account needs a caller that the endpoint knows; activate through the issuer's service"}
	}
	return nil
}

// shared has the hashes of what programs take for a fingerprint when there is none.
// Those that go through receipt.NewSubject never send them.
var shared = func() map[[sha256.Size]byte]bool {
	all := map[[sha256.Size]byte]bool{}
	for _, text := range []string{
		"", " ", "\n", "0", "null", "(null)", "nil", "<nil>", "None", "none", "undefined", "[object Object]",
		"unknown", "Unknown", "N/A", "n/a", "uninitialized", "uninitialized\n",
		"Default string", "default string", "To be filled by O.E.M.", "To Be Filled By O.E.M.",
		"00000000-0000-0000-0000-000000000000", "00000000000000000000000000000000",
		"FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF", "ffffffff-ffff-ffff-ffff-ffffffffffff",
		"00:00:00:00:00:00", "ff:ff:ff:ff:ff:ff", "FF:FF:FF:FF:FF:FF",
	} {
		all[sha256.Sum256([]byte(text))] = true
	}
	return all
}()
