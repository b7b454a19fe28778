package verifier

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/verifier/internal/policy"
	"github.com/licet-dev/licet/verifier/revocation"
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
	Revoked      Reason = "revoked"       // taken back by the revocation list
	BelowMinimum Reason = "below-minimum" // version below the minimum of the options or the list
	NotYetValid  Reason = "not-yet-valid" // before its first day
	Expired      Reason = "expired"       // after its last day
)

// More reasons why an authentic licence is not acceptable, for receipts only. The
// first two come before the others, the last two after.
const (
	WrongSubject Reason = "wrong-subject" // activated by another device or account
	WrongNonce   Reason = "wrong-nonce"   // the answer to another request
	ReceiptEnded Reason = "receipt-ended" // past the end of the receipt
	RefreshDue   Reason = "refresh-due"   // the receipt should have been replaced, and the grace is over
)

// Reasons why nothing can be said about a code.
const (
	ClockBehind    Reason = "clock-behind"    // the clock shows a time that can't be
	ClockWentBack  Reason = "clock-went-back" // the clock showed a later time before
	NoSecret       Reason = "no-secret"       // the ring lacks the secret of the hs256 key
	ShortTag       Reason = "short-tag"       // the tag is too short for use without a server
	ListStale      Reason = "list-stale"      // a newer revocation list was due
	ListOlder      Reason = "list-older"      // a newer revocation list was seen or is demanded
	ListConflict   Reason = "list-conflict"   // two lists have one number and different content
	ListUnreadable Reason = "list-unreadable" // a list is damaged, or not the issuer's
	BadState       Reason = "bad-state"       // the state of earlier runs is damaged or was edited
)

// Reasons why nothing can be said about a receipt.
const (
	SubjectRequired Reason = "subject-required" // no device or account was given
	NonceRequired   Reason = "nonce-required"   // no nonce of a request was given
)

// Error returns the reason as a code such as "expired".
func (r Reason) Error() string { return string(r) }

// A NotAuthenticError means that the text is not a genuine code of the issuer.
type NotAuthenticError struct {
	// Reason is a Reason of this package or, for a text that can't be read, the
	// [payload.ReadError] that has a [payload.Reason]; for a receipt also the
	// [receipt.Error] that has a [receipt.Reason]. Match it with errors.Is.
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
	Reason   Reason   // the verdict: the first of Failures
	Failures []Reason // everything that fails
	License  License

	// RevokedFor is the reason code that the revocation list gives, such as "leaked";
	// "" if it gives none, or the licence is not revoked.
	RevokedFor string

	text string
}

// Error describes the error to the user of the product.
func (e *NotAcceptableError) Error() string { return e.text }

// Is reports whether target is one of the failures.
func (e *NotAcceptableError) Is(target error) bool {
	r, ok := target.(Reason)
	return ok && slices.Contains(e.Failures, r)
}

// A CannotJudgeError means that the verifier can't tell anything about the code, or
// about any code.
type CannotJudgeError struct {
	Reason Reason
	Key    int // number of the key of the code, 0 where it has nothing to do with a code

	// Now is the time that the clock shows, for ClockBehind, ClockWentBack and
	// ListStale. Floor is the time that it can't be before, for ClockBehind, and the
	// latest time seen, for ClockWentBack.
	Now, Floor time.Time

	detail string
	cause  error
}

// Error says what is wrong and what to do.
func (e *CannotJudgeError) Error() string { return e.detail }

// Unwrap returns the reason and, for ListUnreadable, what is wrong with the list: a
// [note.Error] or a [revocation.Error].
func (e *CannotJudgeError) Unwrap() []error {
	if e.cause == nil {
		return []error{e.Reason}
	}
	return []error{e.Reason, e.cause}
}

func notAuthentic(r Reason, key int, format string, args ...any) error {
	return &NotAuthenticError{r, key, fmt.Sprintf(format, args...)}
}

func cannotJudge(r Reason, key int, format string, args ...any) error {
	return &CannotJudgeError{Reason: r, Key: key, detail: fmt.Sprintf(format, args...)}
}

func withdrawnError(key int) error {
	return notAuthentic(KeyWithdrawn, key, "codes of key %d are no longer accepted; ask for a new code", key)
}

// clockError is the error of a clock that can't be right.
func clockError(r Reason, key int, now, floor time.Time) error {
	text := "the clock is behind: it shows %s, but it is %s or later; set the clock"
	if r == ClockWentBack {
		text = "the clock was turned back: it shows %s, but %s was seen before; set the clock, or ask the issuer if it is right"
	}
	return &CannotJudgeError{Reason: r, Key: key, Now: now, Floor: floor.UTC(), detail: fmt.Sprintf(text, stamp(now), stamp(floor))}
}

func staleError(list *revocation.List, key int, now time.Time) error {
	return &CannotJudgeError{Reason: ListStale, Key: key, Now: now,
		detail: fmt.Sprintf("the revocation list %d is stale: the next one was due %s, and the clock shows %s; get the newest list from the issuer",
			list.Sequence(), stamp(list.Due()), stamp(now))}
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// graceText says how much grace there is, after a time that has passed.
func (o *Options) graceText() string {
	switch o.Grace {
	case 0:
		return ""
	case 1:
		return ", and 1 day of grace after that"
	}
	return fmt.Sprintf(", and %d days of grace after that", o.Grace)
}

// notAcceptable describes the failed checks of a licence.
func (v *Verifier) notAcceptable(lic License, failed policy.Failures, now time.Time) error {
	list := lic.rules.List
	e := &NotAcceptableError{License: lic}
	var texts []string
	add := func(bit policy.Failures, r Reason, format string, args ...any) {
		if failed&bit != 0 {
			e.Failures = append(e.Failures, r)
			texts = append(texts, fmt.Sprintf(format, args...))
		}
	}
	why := ""
	if entry, ok := list.Lookup(lic.KeyID, lic.Product, lic.Serial); ok && entry.ReasonCode != "" {
		e.RevokedFor, why = entry.ReasonCode, " ("+entry.ReasonCode+")"
	}
	add(policy.WrongProduct, WrongProduct, "for product %d, not for this one", lic.Product)
	add(policy.Revoked, Revoked, "revoked%s by list %d of %s", why, list.Sequence(), list.Issued().Format(time.DateOnly))
	add(policy.BelowMinimum, BelowMinimum, "version %d is no longer accepted; the minimum is %d", lic.Version, max(v.opts.MinVersion, list.Minimum(lic.Product)))
	add(policy.NotYetValid, NotYetValid, "valid from %s (UTC); the clock shows %s", lic.Start, stamp(now))
	add(policy.Expired, Expired, "was valid to the end of %s (UTC)%s; the clock shows %s", lic.Expiry, v.opts.graceText(), stamp(now))
	e.Reason, e.text = e.Failures[0], strings.Join(texts, "; ")
	return e
}
