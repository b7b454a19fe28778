package revocation

import "fmt"

// A Reason is why a list is refused. It is an error, so that callers can match it
// with errors.Is, and its text is stable.
type Reason string

// The reasons.
const (
	Malformed   Reason = "malformed"    // not the lines of a revocation list
	BadValue    Reason = "bad-value"    // a value is not allowed, or not in its one spelling
	BadOrder    Reason = "bad-order"    // lines that do not ascend, occur twice, overlap, or should be one
	Manifest    Reason = "manifest"     // a batch manifest in place of a list
	LaterFormat Reason = "later-format" // of a later version of the format
	OtherIssuer Reason = "other-issuer" // its issuer is not that of the ring
)

// Error returns the reason as a code such as "bad-value".
func (r Reason) Error() string { return string(r) }

// An Error says what is wrong with a list and where.
type Error struct {
	Reason  Reason
	Line    int // the wrong line, from 1; 0 where there is no text yet
	Message string
}

// Error returns the message.
func (e *Error) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("revocation list: line %d: %s", e.Line, e.Message)
	}
	return "revocation list: " + e.Message
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Reason }

func newError(r Reason, format string, args ...any) *Error {
	return &Error{Reason: r, Message: fmt.Sprintf(format, args...)}
}
