package verifier

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/licet-dev/licet/payload"
)

// A Reason is why a code is not accepted. It is an error, so that callers can
// match it with errors.Is, and its text is stable. The reasons why a text can't
// be read are of type [payload.Reason].
type Reason string

// Reasons why a code that can be read is not authentic.
const (
	KeyWithdrawn      Reason = "key-withdrawn"       // its key is believed stolen
	BindingRequired   Reason = "binding-required"    // its key binds codes, and no usable binding was given
	BadSignature      Reason = "bad-signature"       // forged, altered, or bound to something else
	ProductNotAllowed Reason = "product-not-allowed" // its key may not mint this product
)

// Reasons why an authentic licence is not acceptable, in the order in which the
// verdict is chosen.
const (
	WrongProduct Reason = "wrong-product" // not a product that this verifier accepts
	Revoked      Reason = "revoked"       // withdrawn by a revocation list; this version has none
	BelowMinimum Reason = "below-minimum" // version below the minimum
	NotYetValid  Reason = "not-yet-valid" // before its first day
	Expired      Reason = "expired"       // after its last day
)

// Reasons why nothing can be said about a code.
const (
	ClockBehind Reason = "clock-behind" // the clock shows a time that can't be
	NoSecret    Reason = "no-secret"    // the ring lacks the secret of the hs256 key
	ShortTag    Reason = "short-tag"    // the tag is too short for use without a server
)

// Error returns the reason as a code such as "expired".
func (r Reason) Error() string { return string(r) }

// A NotAuthenticError means that the text is not a genuine code of the issuer.
type NotAuthenticError struct {
	// Reason is a Reason of this package or, for a text that can't be read, the
	// [payload.ReadError] that has a [payload.Reason]. Match it with errors.Is.
	Reason error

	Key    int    // key number that the text names, 0 when it can't be told
	detail string // what to say
}

// Error describes the error to the person who typed the code.
func (e *NotAuthenticError) Error() string { return e.detail }

// Unwrap returns the reason; for a text that can't be read, the
// [payload.ReadError], which has the reason in it.
func (e *NotAuthenticError) Unwrap() error {
	return e.Reason
}

// Malformed returns what is wrong with the text when it can't be read as a code,
// or nil.
func (e *NotAuthenticError) Malformed() *payload.ReadError {
	var re *payload.ReadError
	if errors.As(e.Reason, &re) && re.Reason.Malformed() {
		return re
	}
	return nil
}

// A NotAcceptableError means that the code is genuine, but that its licence does
// not hold here and now.
type NotAcceptableError struct {
	License  License
	Failures []Reason // everything that fails; the first is the verdict
	text     string
}

// Error describes the error to the user of the product.
func (e *NotAcceptableError) Error() string { return e.text }

// Reason returns the verdict.
func (e *NotAcceptableError) Reason() Reason { return e.Failures[0] }

// Is reports whether target is one of the failures.
func (e *NotAcceptableError) Is(target error) bool {
	r, ok := target.(Reason)
	return ok && slices.Contains(e.Failures, r)
}

// A CannotJudgeError means that the verifier can't tell anything about the code.
type CannotJudgeError struct {
	Reason Reason
	Key    int       // number of the key of the code
	Now    time.Time // the clock's time, for ClockBehind
	Floor  time.Time // the time it can't be before, for ClockBehind
	detail string
}

// Error says what is wrong and what to do.
func (e *CannotJudgeError) Error() string { return e.detail }

// Unwrap returns the reason.
func (e *CannotJudgeError) Unwrap() error { return e.Reason }

func notAuthentic(r Reason, key int, format string, args ...any) error {
	return &NotAuthenticError{r, key, fmt.Sprintf(format, args...)}
}

func cannotJudge(r Reason, key int, format string, args ...any) error {
	return &CannotJudgeError{Reason: r, Key: key, detail: fmt.Sprintf(format, args...)}
}

// notAcceptable describes the failed checks of a licence.
func (v *Verifier) notAcceptable(lic License, failed failures, now time.Time) error {
	e := &NotAcceptableError{License: lic}
	var texts []string
	add := func(bit failures, r Reason, format string, args ...any) {
		if failed&bit != 0 {
			e.Failures = append(e.Failures, r)
			texts = append(texts, fmt.Sprintf(format, args...))
		}
	}
	stamp := now.UTC().Format(time.RFC3339)
	add(failWrongProduct, WrongProduct, "for product %d, not for this one", lic.Product)
	add(failBelowMinimum, BelowMinimum, "version %d is no longer accepted; the minimum is %d", lic.Version, v.opts.MinVersion)
	add(failNotYetValid, NotYetValid, "valid from %s (UTC); the clock shows %s", lic.Start, stamp)
	add(failExpired, Expired, "was valid to the end of %s (UTC); the clock shows %s", lic.Expiry, stamp)
	e.text = strings.Join(texts, "; ")
	return e
}
