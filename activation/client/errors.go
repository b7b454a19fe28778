package client

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// ErrUnreachable means that nothing was decided: no endpoint answered, something else
// did in its place, or it said that it can't decide at present. What the error wraps
// besides says more.
var ErrUnreachable = errors.New("the activation endpoint can't be reached")

// An unreachableError is an ErrUnreachable and why.
type unreachableError struct {
	text  string
	cause error         // or nil
	after time.Duration // that the server asked to wait, or 0
	again bool          // whether another attempt may have another result
}

func (e *unreachableError) Error() string { return ErrUnreachable.Error() + ": " + e.text }

func (e *unreachableError) Unwrap() []error {
	if e.cause == nil {
		return []error{ErrUnreachable}
	}
	return []error{ErrUnreachable, e.cause}
}

// A Problem is why an endpoint refuses. It is an error, so that errors.Is finds it in a
// [*Refused], and its text is stable. An endpoint may have others than these.
type Problem string

// The problems of endpoints.
const (
	BadRequest     Problem = "malformed-request" // this client, or its caller, made a mistake
	Unauthorized   Problem = "unauthorized"      // the token is not one of the endpoint's
	MalformedCode  Problem = "malformed-code"    // a typing error; see Places
	QuotaExceeded  Problem = "quota-exceeded"    // too many requests; see RetryAfter
	CodeRefused    Problem = "code-refused"      // not a genuine code
	ReceiptRefused Problem = "receipt-refused"   // not a genuine receipt of this endpoint, or of another subject

	WrongProduct   Problem = "wrong-product"
	WrongKind      Problem = "wrong-kind" // activated by accounts and not devices, or the other way about
	Revoked        Problem = "revoked"
	VersionTooOld  Problem = "version-too-old" // see MinVersion
	NotYetValid    Problem = "not-yet-valid"
	Expired        Problem = "expired"
	SeatsExhausted Problem = "seats-exhausted"      // on all its seats; see Seats
	NoGiveBacks    Problem = "give-backs-exhausted" // the seat can't be given back at present

	// Released: the seat of this request was given back, or has lapsed. The [Pending]
	// is used up; make another one to ask for a seat anew.
	Released  Problem = "released"
	KeyReused Problem = "idempotency-key-reused" // the Pending was used for another request; make another one
)

// Error returns the problem as a code such as "seats-exhausted".
func (p Problem) Error() string { return string(p) }

// A Refused is a decision of the endpoint. The same request gets the same answer until
// something else has changed; only for [QuotaExceeded] that is time.
type Refused struct {
	Problem Problem
	Detail  string // for the customer: what is wrong and what to do; may be ""

	Reason     string        // of a MalformedCode, such as "typo"
	Places     []int         // the wrong characters of a MalformedCode, from 0
	Seats      int64         // how many there are, with SeatsExhausted
	MinVersion uint64        // the lowest version accepted, with VersionTooOld
	RetryAfter time.Duration // when to ask again, with QuotaExceeded; 0 if it did not say
	RequestID  string        // which line of the endpoint's log it is; may be ""
}

// Error describes the refusal to a person.
func (e *Refused) Error() string {
	if e.Detail == "" {
		return "the activation endpoint refuses: " + string(e.Problem)
	}
	return fmt.Sprintf("the activation endpoint refuses (%s): %s", e.Problem, e.Detail)
}

// Unwrap returns the problem.
func (e *Refused) Unwrap() error { return e.Problem }

// A BadReply means that an answer is not one of an endpoint, although it looks like it.
// The request may have been granted: repeat it with the same [Pending].
type BadReply struct {
	Status int    // of HTTP
	What   string // is wrong
}

// Error says what is wrong.
func (e *BadReply) Error() string {
	return fmt.Sprintf("the activation endpoint's answer (status %d) can't be used: %s", e.Status, e.What)
}

// clean returns a text that a server sent so that it can be shown: no control or
// invisible characters, not endless, and without the secrets.
func clean(s string, secrets []string) string {
	for _, secret := range secrets {
		if len(secret) >= 8 { // what is shorter is no code, and part of many words
			s = strings.ReplaceAll(s, secret, "...")
		}
	}
	var b strings.Builder
	for _, r := range s {
		if b.Len() >= 400 {
			b.WriteString("...")
			break
		}
		switch {
		case r == ' ' || unicode.IsGraphic(r) && !unicode.IsSpace(r) && r != unicode.ReplacementChar:
			b.WriteRune(r)
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		}
	}
	return strings.TrimSpace(b.String())
}

// isCode reports whether s has the form of a problem's code, or of a reason's.
func isCode(s string) bool {
	return s != "" && len(s) <= 64 && !strings.ContainsFunc(s, func(r rune) bool {
		return !('a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-')
	})
}
