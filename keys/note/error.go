package note

import (
	"fmt"

	"github.com/licet-dev/licet/keys"
)

// A Reason is why a note is refused. It is an error, so that callers can match it
// with errors.Is, and its text is stable.
type Reason string

// The reasons. When several apply, the first in this order decides.
const (
	Malformed    Reason = "malformed"                   // not a signed note, or damaged
	BadSignature Reason = "bad-signature"               // a key of the ring is named, but the signature is not its own over this text
	KeyWithdrawn Reason = "key-withdrawn"               // signed by keys that the ring calls withdrawn, and by no better one
	NoSignature  Reason = "no-signature-of-this-issuer" // signed by none of the list keys of the ring
)

// Error returns the reason as a code such as "bad-signature".
func (r Reason) Error() string { return string(r) }

// An Error says why a note is refused, or a text can't become one. Nothing of the
// text is in it.
type Error struct {
	Reason  Reason
	Line    int     // the wrong line, from 1, for Malformed; 0 where it is no single one
	Key     keys.ID // the list key, for BadSignature and KeyWithdrawn
	Message string
}

// Error returns the message.
func (e *Error) Error() string { return "signed note: " + e.Message }

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Reason }

func malformed(line int, format string, args ...any) error {
	message := fmt.Sprintf(format, args...)
	if line > 0 {
		message = fmt.Sprintf("line %d: %s", line, message)
	}
	return &Error{Reason: Malformed, Line: line, Message: message}
}
