package activation

import "time"

// A Problem is why a request gets no receipt. It is an error, so that callers can
// match it with errors.Is, and its text is stable.
type Problem string

// The problems. The first three need no key: whoever asks could find out without the
// endpoint. CodeRefused stands for everything from the key number to the signature.
// What comes after it is told to those only who have a genuine code.
const (
	BadRequest    Problem = "malformed-request" // a member is missing or can't be meant
	MalformedCode Problem = "malformed-code"    // a typing error
	QuotaExceeded Problem = "quota-exceeded"    // too many requests, or too many that failed

	CodeRefused    Problem = "code-refused"    // not a genuine code of this endpoint
	ReceiptRefused Problem = "receipt-refused" // not a genuine receipt of this endpoint, or of another subject

	WrongProduct  Problem = "wrong-product"
	WrongKind     Problem = "wrong-kind" // the product is activated by subjects of the other kind
	Revoked       Problem = "revoked"
	VersionTooOld Problem = "version-too-old"
	NotYetValid   Problem = "not-yet-valid"
	Expired       Problem = "expired"

	SeatsExhausted Problem = "seats-exhausted"
	NoGiveBacks    Problem = "give-backs-exhausted"
	Released       Problem = "released" // the request is of a seat that was given back or has lapsed
	KeyReused      Problem = "idempotency-key-reused"

	Unavailable Problem = "unavailable" // nothing was decided; ask again in the same way
)

// Error returns the problem as a code such as "seats-exhausted".
func (p Problem) Error() string { return string(p) }

// Public reports whether a problem is told to everybody, and not only to those who have
// a genuine code or receipt.
func (p Problem) Public() bool {
	switch p {
	case BadRequest, MalformedCode, QuotaExceeded, CodeRefused, ReceiptRefused, Unavailable:
		return true
	}
	return false
}

// An Error says why a request gets no receipt. Its texts never have a code or a
// fingerprint in them.
type Error struct {
	Problem Problem

	// Detail is for whoever asked. It tells nothing that the problem must not tell, and
	// what to do.
	Detail string

	// Reason is for the log: exactly why, as a code such as "bad-signature".
	Reason string

	// Places are the places in the code, from 0 in what was sent, counted in
	// characters, that a malformed code is wrong at.
	Places []int

	Code       CodeID        // zero unless the code is genuine
	Seats      int64         // of the licence, with SeatsExhausted
	MinVersion uint64        // lowest version that is accepted, with VersionTooOld
	RetryAfter time.Duration // with QuotaExceeded and Unavailable
	Err        error         // what failed, or nil
}

// Error describes the error for a log.
func (e *Error) Error() string {
	text := string(e.Problem)
	if e.Reason != "" && e.Reason != text {
		text += " (" + e.Reason + ")"
	}
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns the problem and what failed.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Problem}
	}
	return []error{e.Problem, e.Err}
}
