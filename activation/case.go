package activation

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/licet-dev/licet/keys/receipt"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/verifier"
)

// A claimCase is a request of a subject about a licence that is genuine.
type claimCase struct {
	s       *Service
	lic     *verifier.License
	code    CodeID
	id      SubjectID
	subject receipt.Subject
	nonce   string
	policy  Policy
	seats   int64
	now     time.Time
	old     verifier.Receipt // that the request came with, zero for a code
}

func (s *Service) newCase(lic *verifier.License, subject receipt.Subject, nonce string, now time.Time) *claimCase {
	code := NewCodeID(lic.KeyID, lic.Product, lic.Serial)
	p := s.policies[lic.Product]
	old, _ := lic.Receipt()
	return &claimCase{
		s: s, lic: lic, code: code, id: NewSubjectID(code, subject), subject: subject, nonce: nonce,
		policy: p, seats: s.seats(lic, p), now: now, old: old,
	}
}

// seats returns how many subjects may use a licence at once.
func (s *Service) seats(lic *verifier.License, p Policy) int64 {
	k, _ := s.ring.MintKey(lic.KeyNumber)
	if _, ok := k.Layout().Field("seats"); !ok {
		return p.Seats
	}
	if lic.Seats == 0 || lic.Seats > uint64(Unlimited) {
		return Unlimited
	}
	return int64(lic.Seats)
}

// admit refuses who can't have a receipt of the licence, whatever the ledger says.
func (c *claimCase) admit() error {
	switch {
	case c.subject.Kind != c.policy.Kind:
		return c.refuse(&Error{Problem: WrongKind, Reason: string(WrongKind), Detail: fmt.Sprintf("licences of this product are for one %s each, not for one %s; activate as that", c.policy.Kind, c.subject.Kind)})
	case c.s.receiptKeyWithdrawn():
		return c.refuse(unavailable("receipt-key-withdrawn", retryLater, nil))
	}
	return c.refuse(c.s.counter.admitSubject(c.subject, c.now))
}

// refuse notes the licence in an error.
func (c *claimCase) refuse(err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		e.Code = c.code
	}
	return err
}

// activation returns what the idempotency key of an activation stands for. It has all
// in it that the answer depends on.
func (c *claimCase) activation(binding string) ([32]byte, error) {
	k, _ := c.s.ring.MintKey(c.lic.KeyNumber)
	b := append([]byte("licet/request/v1\x00activate\x00"), c.lic.KeyID[:]...)
	b = binary.BigEndian.AppendUint64(b, c.lic.Product)
	bits, err := k.Layout().AppendPayload(nil, &c.lic.License)
	if err != nil { // the licence was read with this layout
		return [32]byte{}, c.refuse(unavailable("no-payload", retryLater, err))
	}
	for _, part := range [][]byte{bits, []byte(c.subject.Kind), c.subject.Hash[:], []byte(c.nonce), []byte(binding)} {
		b = binary.AppendUvarint(b, uint64(len(part)))
		b = append(b, part...)
	}
	return sha256.Sum256(b), nil
}

// again returns the idempotency key and the request of a claim in place of a seat that
// the ledger does not have. They follow from the receipt, so that two such claims at
// the same time are one. The nonce is that of the receipt: a request that is repeated
// may have another.
func (c *claimCase) again() (key [16]byte, request [32]byte) {
	b := append([]byte("licet/request/v1\x00again\x00"), c.code[:]...)
	b = append(b, c.id[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(c.old.Issued.Unix()))
	request = sha256.Sum256(append(b, c.old.Nonce...))
	return HashKey(string(request[:])), request
}

// claim takes a seat, or finds the one that there is.
func (c *claimCase) claim(ctx context.Context, key [16]byte, request [32]byte) (Reply, error) {
	if err := c.s.counter.admitCode(c.code, c.now); err != nil {
		return Reply{}, c.refuse(err)
	}
	from, until := window(&c.lic.License, c.s.leeway)
	start := time.Now()
	seat, outcome, err := c.s.ledger.Claim(ctx, Claim{
		Code: c.code, Subject: c.id, Key: key, Request: request, Seats: c.seats,
		From: from, Until: until, Lease: c.policy.Lease,
	})
	if err == nil && outcome == Held && !seat.End.After(c.now) {
		// Its lease is over, and nobody else was given the seat.
		seat, err = c.s.ledger.Renew(ctx, Renewal{Code: c.code, Subject: c.id, Lease: c.policy.Lease})
	}
	took := time.Since(start)
	if err != nil {
		return Reply{}, c.refusal(err)
	}
	if outcome != Replayed { // or one request, sent again between attempts, would undo all limits
		c.s.counter.found(c.subject, c.code)
	}
	return c.reply(seat, outcome, took)
}

// window returns the time in which a licence holds, half-open. The zero time is no
// bound.
func window(lic *payload.License, leeway time.Duration) (from, until time.Time) {
	if lic.Start != 0 {
		from = lic.Start.Time().Add(-leeway)
	}
	if lic.Expiry != payload.Never {
		until = (lic.Expiry + 1).Time().Add(leeway)
	}
	return from, until
}

// reply returns the reply with a receipt. That is a function of the seat, the licence,
// the subject and the nonce, so that it can be made again.
func (c *claimCase) reply(seat Seat, outcome Outcome, took time.Duration) (Reply, error) {
	text, err := c.s.signer.Sign(receipt.Receipt{
		Issuer: c.s.ring.Issuer(), KeyID: c.lic.KeyID, License: c.lic.License,
		Subject: c.subject, Nonce: c.nonce,
		Issued: seat.Issued, RefreshBy: seat.RefreshBy, End: seat.End,
		SeatsEnforced: seat.Enforced,
	})
	if err != nil { // the seat is taken; the same request finds it
		return Reply{}, c.refuse(unavailable("receipt-not-signed", retryLater, err))
	}
	r := c.facts(seat, outcome, took)
	r.Receipt = text
	return r, nil
}

// facts returns the reply without a receipt.
func (c *claimCase) facts(seat Seat, outcome Outcome, took time.Duration) Reply {
	list, _ := c.lic.List()
	return Reply{
		Outcome: outcome, Seat: seat, License: c.lic.License, Code: c.code, KeyID: c.lic.KeyID,
		Sequence: list.Sequence, Ledger: took,
	}
}

// When to ask again after nothing was decided.
const (
	retrySoon  = 2 * time.Second  // the ledger has too much to do, or was slow
	retryLater = 30 * time.Second // somebody has to put something right
)

func unavailable(reason string, retry time.Duration, err error) *Error {
	return &Error{
		Problem: Unavailable, Reason: reason, RetryAfter: retry, Err: err,
		Detail: "nothing was decided, as something is wrong at the endpoint; send the same request again later",
	}
}

// refusal returns the error for that of a ledger. What is no decision is no refusal.
func (c *claimCase) refusal(err error) error {
	e := &Error{Code: c.code}
	switch {
	case errors.Is(err, ErrFull):
		e.Problem, e.Seats = SeatsExhausted, c.seats
		e.Detail = fmt.Sprintf("the licence is in use on as many as it may be (%d); give a seat back there, or ask whoever sold it for more", c.seats)
	case errors.Is(err, ErrKeyReused):
		e.Problem, e.Detail = KeyReused, "the idempotency key belongs to another request; make a new one for each that is not a repetition"
	case errors.Is(err, ErrGone):
		e.Problem, e.Detail = Released, "the seat was given back, or its lease is over; activate anew with the code and a new idempotency key"
	case errors.Is(err, ErrNoSeat):
		e.Problem, e.Reason, e.Detail = Released, "no-seat", "there is no seat on record; nothing needs to be given back"
	case errors.Is(err, ErrGiveBacks):
		e.Problem, e.Detail = NoGiveBacks, "the licence was given back as often as it may be for now; ask whoever sold it"
	case errors.Is(err, ErrNotYet):
		e.Problem, e.Detail = NotYetValid, notYetText(&c.lic.License)
	case errors.Is(err, ErrOver):
		e.Problem, e.Detail = Expired, expiredText(&c.lic.License)
	case errors.Is(err, ErrBusy):
		e = unavailable("ledger-busy", retrySoon, err)
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled):
		e = unavailable("ledger-timeout", retrySoon, err)
	default:
		e = unavailable("ledger-failed", retryLater, err)
	}
	if e.Reason == "" {
		e.Reason = string(e.Problem)
	}
	e.Code = c.code
	return e
}
