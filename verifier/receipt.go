package verifier

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/receipt"
)

// receiptSkew is how far a clock may be before the issue of a receipt, besides the
// leeway. A receipt comes from another machine and is judged at once, so without it
// every clock that is a little slow would be behind.
const receiptSkew = 24 * time.Hour

// VerifyReceipt judges an activation receipt that the product kept, as [Verifier.Verify]
// judges a code: by the ring, the options, the time and the newest revocation list. The
// receipt must be for the subject, the device or account at hand, which
// receipt.NewSubject makes. A receipt that has just come in goes to
// [Verifier.VerifyReply] first.
//
// The errors are of the same three kinds. The licence has the facts of the receipt in
// [License.Receipt]. A binding of its code is not checked, and a short tag does not
// matter: the endpoint judged the code.
//
// The issue of a receipt is a time that was signed. The clock can't be a day before it,
// and the guard of Options.Tolerance notes it.
func (v *Verifier) VerifyReceipt(text string, subject receipt.Subject) (License, error) {
	return v.verifyReceipt(text, subject, "")
}

// VerifyReply is VerifyReceipt for the answer to a request that the product has just
// made: the receipt must have the nonce of that request, or it is an old answer that
// somebody kept, from before the licence was revoked, say.
func (v *Verifier) VerifyReply(text string, subject receipt.Subject, nonce string) (License, error) {
	if err := receipt.CheckNonce(nonce); err != nil {
		return License{}, cannotJudge(NonceRequired, 0, "no nonce of the request given: %s", detailOf(err))
	}
	return v.verifyReceipt(text, subject, nonce)
}

// verifyReceipt judges a receipt, by its nonce only if one is given.
func (v *Verifier) verifyReceipt(text string, subject receipt.Subject, nonce string) (License, error) {
	lic, err := v.openReceipt(text, subject, nonce)
	if err != nil {
		return License{}, err
	}
	now := v.opts.Clock()
	if err := v.checkIssued(&lic, now); err != nil {
		return License{}, err
	}
	v.signedTime(lic.receipt.Issued)
	if err := v.checkClock(lic.KeyNumber, now); err != nil {
		return License{}, err
	}
	if err := v.judgeReceipt(&lic, now); err != nil {
		return License{}, err
	}
	return lic, nil
}

// A heldReceipt is an authentic receipt, with what the product knows of itself. It
// never changes.
type heldReceipt struct {
	receipt.Receipt
	signer keys.ID
	others []failure // what does not fit, whatever the time
}

// A failure is a check that a licence fails.
type failure struct {
	Reason
	text string
}

// earliest returns the time that a clock can't be before.
func (h *heldReceipt) earliest(opts *Options) time.Time {
	return h.Issued.Add(-receiptSkew - opts.Leeway)
}

// due returns when the receipt should have been replaced, or receipt.Never.
func (h *heldReceipt) due(opts *Options) time.Time {
	if n := opts.MaxReceiptDays; n > 0 {
		if last := h.Issued.AddDate(0, 0, n); last.Before(h.RefreshBy) {
			return last
		}
	}
	return h.RefreshBy
}

// ends returns the times at which the verdict changes, as a clock without error shows
// them: when the receipt should have been replaced, when the grace after that is over,
// and when it ends. Each may be receipt.Never, or later.
func (h *heldReceipt) ends(opts *Options) (due, graceOver, end time.Time) {
	due = h.due(opts)
	return due, due.AddDate(0, 0, opts.Grace), h.End
}

func isNever(t time.Time) bool { return !t.Before(receipt.Never) }

// changes tells the times at which the verdict or what License.Receipt says of it may
// change.
func (h *heldReceipt) changes(opts *Options, consider func(time.Time)) {
	due, graceOver, end := h.ends(opts)
	for _, t := range []time.Time{due, graceOver, end} {
		if !isNever(t) {
			consider(t.Add(opts.Leeway))
		}
	}
}

// withdrawn reports whether the ring calls the key withdrawn that signed the receipt.
func (h *heldReceipt) withdrawn(ring *keys.Ring) bool {
	return slices.ContainsFunc(ring.Keys(), func(k keys.Key) bool { return k.ID() == h.signer && k.State() == keys.Withdrawn })
}

// openReceipt returns the licence of a receipt that is authentic, whose policy is
// still to be checked.
func (v *Verifier) openReceipt(text string, subject receipt.Subject, nonce string) (License, error) {
	if err := subject.Check(); err != nil {
		return License{}, cannotJudge(SubjectRequired, 0, "no device or account to compare the receipt with: %s", detailOf(err))
	}
	rules := v.rules.Load()
	r, signer, err := receipt.Open(text, rules.ring)
	if err != nil {
		return License{}, receiptError(err)
	}
	number := 0
	for n, k := range v.keys {
		if k != nil && k.id == r.KeyID {
			number = n // there is one: Open found it in the ring
		}
	}
	if rules.withdrawn[number] {
		return License{}, withdrawnError(number)
	}
	h := &heldReceipt{Receipt: r, signer: signer.ID()}
	if !r.Subject.Equal(subject) {
		h.others = append(h.others, failure{WrongSubject, fmt.Sprintf("activated for another %s than this; activate here", r.Subject.Kind)})
	}
	if nonce != "" && subtle.ConstantTimeCompare([]byte(r.Nonce), []byte(nonce)) == 0 {
		h.others = append(h.others, failure{WrongNonce, "the answer to another request; activate again"})
	}
	return License{License: r.License, KeyID: r.KeyID, KeyNumber: number, v: v, rules: rules, receipt: h}, nil
}

// receiptError is the error of a receipt that does not open.
func receiptError(err error) error {
	e := &NotAuthenticError{Reason: err, detail: err.Error()}
	switch {
	case errors.Is(err, receipt.KeyWithdrawn):
		e.Reason = KeyWithdrawn
	case errors.Is(err, receipt.BadSignature):
		e.Reason = BadSignature
	}
	return e
}

// detailOf returns the text of an error of package receipt without its beginning.
func detailOf(err error) string { return strings.TrimPrefix(err.Error(), "receipt: ") }

// checkIssued refuses a clock that is before the issue of the receipt.
func (v *Verifier) checkIssued(lic *License, now time.Time) error {
	if h := lic.receipt; now.Before(h.earliest(&v.opts)) {
		return clockError(ClockBehind, lic.KeyNumber, now, h.Issued)
	}
	return nil
}

// judgeReceipt judges an authentic licence that came with a receipt as of the time now,
// and sets its status.
func (v *Verifier) judgeReceipt(lic *License, now time.Time) error {
	h := lic.receipt
	if h.withdrawn(lic.rules.ring) { // by a list that came later
		return notAuthentic(KeyWithdrawn, 0, "receipts of key %s are no longer accepted; activate again", h.signer)
	}
	if err := v.checkIssued(lic, now); err != nil {
		return err
	}
	due, graceOver, end := h.ends(&v.opts)
	past := func(t time.Time) bool { return !isNever(t) && !now.Add(-v.opts.Leeway).Before(t) }
	lic.overdue = past(due)

	err := v.judge(lic, now)
	e, notAcceptable := errors.AsType[*NotAcceptableError](err)
	if err != nil && !notAcceptable {
		return err
	}
	var failures []Reason
	var texts []string
	for _, f := range h.others {
		failures, texts = append(failures, f.Reason), append(texts, f.text)
	}
	all := NotAcceptableError{}
	if notAcceptable {
		all.RevokedFor = e.RevokedFor
		failures, texts = append(failures, e.Failures...), append(texts, e.text)
	}
	if past(end) {
		failures, texts = append(failures, ReceiptEnded), append(texts, fmt.Sprintf("the receipt ended %s; the clock shows %s", stamp(end), stamp(now)))
	}
	if past(graceOver) {
		failures, texts = append(failures, RefreshDue), append(texts, fmt.Sprintf("the receipt should have been replaced by %s%s; the clock shows %s; get another one", stamp(due), v.opts.graceText(), stamp(now)))
	}
	if len(failures) == 0 {
		return nil
	}
	lic.Status, lic.Days = Valid, 0
	all.Reason, all.Failures, all.License, all.text = failures[0], failures, *lic, strings.Join(texts, "; ")
	return &all
}

// A Receipt tells of the receipt that a licence came with. Times are in UTC.
type Receipt struct {
	KeyID   keys.ID // of the receipt key that signed it
	Subject receipt.Subject
	Nonce   string // of the request that it answers
	Issued  time.Time

	// RefreshBy is when another receipt should be there: what this one says, or
	// Options.MaxReceiptDays after its issue where that is earlier. End is when it is
	// no longer good at all. Either may be receipt.Never.
	RefreshBy time.Time
	End       time.Time

	// Overdue tells that RefreshBy has passed. The receipt is accepted for
	// Options.Grace days more: get another one.
	Overdue bool

	// SeatsEnforced tells that the endpoint counts on how many subjects the licence is
	// used. If it is false the licence may be in use anywhere else.
	SeatsEnforced bool
}

// Receipt returns the receipt that the licence came with, and false when it was a code.
func (l License) Receipt() (Receipt, bool) {
	h := l.receipt
	if h == nil {
		return Receipt{}, false
	}
	return Receipt{
		KeyID: h.signer, Subject: h.Subject, Nonce: h.Nonce, Issued: h.Issued,
		RefreshBy: h.due(&l.v.opts), End: h.End,
		Overdue: l.overdue, SeatsEnforced: h.SeatsEnforced,
	}, true
}
