package receipt

import (
	"fmt"

	"github.com/licet-dev/licet/keys"
)

// A Reason is why a receipt is refused. It is an error, so that callers can match it
// with errors.Is, and its text is stable.
type Reason string

// The reasons. When several apply, the first in this order decides, but claims are
// not looked at before the signature was found good.
const (
	Malformed      Reason = "malformed"        // not a receipt, or damaged
	UnknownKey     Reason = "unknown-key"      // it names no receipt key of the ring
	KeyWithdrawn   Reason = "key-withdrawn"    // it names a receipt key that the ring calls withdrawn
	BadSignature   Reason = "bad-signature"    // the signature is not that key's over these claims
	OtherIssuer    Reason = "other-issuer"     // it names another issuer than the ring
	UnknownMintKey Reason = "unknown-mint-key" // its licence is of a mint key that the ring does not have
	KeyMismatch    Reason = "key-mismatch"     // its licence is none that this mint key can make
)

// Error returns the reason as a code such as "bad-signature".
func (r Reason) Error() string { return string(r) }

// An Error says why a receipt is refused, or can't be made. No claim of a receipt
// whose signature is not good is in it.
type Error struct {
	Reason  Reason
	Key     keys.ID // the receipt key that the receipt names; zero for Malformed
	Message string
}

// Error returns the message.
func (e *Error) Error() string { return "receipt: " + e.Message }

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Reason }

func malformed(format string, args ...any) *Error {
	return &Error{Reason: Malformed, Message: fmt.Sprintf(format, args...)}
}
