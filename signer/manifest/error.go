package manifest

import "fmt"

// A Reason is why a manifest is refused. It is an error, so that callers can
// match it with errors.Is, and its text is stable.
type Reason string

// The reasons.
const (
	Malformed      Reason = "malformed"       // not the lines of a manifest in their order
	BadValue       Reason = "bad-value"       // the value of a field is not allowed, or not in its one spelling
	RevocationList Reason = "revocation-list" // a revocation list in place of a manifest
	LaterFormat    Reason = "later-format"    // of a later version of the format
	OtherIssuer    Reason = "other-issuer"    // its issuer is not that of the ring
	UnknownKey     Reason = "unknown-key"     // the ring has no mint key with its key id
	KeyMismatch    Reason = "key-mismatch"    // the key of the ring makes no such codes
)

// Error returns the reason as a code such as "bad-value".
func (r Reason) Error() string { return string(r) }

// An Error says what is wrong with a manifest and where.
type Error struct {
	Reason  Reason
	Line    int    // the wrong line, from 1; 0 where it is no single one, or there is no text yet
	Field   string // the name that the field has in the text, "issuer" for the second line, or ""
	Message string
}

// Error returns the message.
func (e *Error) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("manifest: line %d: %s", e.Line, e.Message)
	}
	return "manifest: " + e.Message
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Reason }

func newError(r Reason, field, format string, args ...any) *Error {
	return &Error{Reason: r, Field: field, Message: fmt.Sprintf(format, args...)}
}

func badValue(field, format string, args ...any) *Error {
	return newError(BadValue, field, field+": "+format, args...)
}
