package activation

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/receipt"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/verifier"
	"github.com/licet-dev/licet/verifier/revocation"
)

// A Policy says how licences of a product are activated.
type Policy struct {
	// Kind is who may activate. Zero is receipt.Device.
	Kind receipt.Kind

	// Seats is on how many subjects at once, where the layout of the code has no field
	// seats, which else decides. Unlimited is no bound. Zero is 1.
	Seats int64

	Lease Lease

	// GiveBacks and Hold are those of a [GiveBack].
	GiveBacks int
	Hold      bool
}

// Unlimited seats. A field seats with the value 0 says the same.
const Unlimited int64 = 1<<31 - 1

// A Request asks for a receipt.
type Request struct {
	Code    string // as somebody typed it
	Binding string // what a bound code is bound to, in Unicode NFC; else ""
	Product uint64 // which product asks, from 1
	Subject receipt.Subject
	Nonce   string // see receipt.CheckNonce
	Key     string // idempotency key: 16 to 128 letters, digits, hyphens, underscores and full stops of ASCII
	From    netip.Addr
	Trusted bool // whether the caller is known and may speak for accounts
}

// A Reply is what a request that succeeded gets.
type Reply struct {
	Receipt string  // the text; "" for Release
	Outcome Outcome // 0 unless a claim was made
	Seat    Seat
	License payload.License
	Code    CodeID
	KeyID   keys.ID // of the mint key

	// Sequence is the sequence number of the revocation list that judged, 0 if none did.
	Sequence uint64

	Ledger time.Duration // how long the ledger took
}

// A ReceiptRequest is about a receipt that this endpoint has signed.
type ReceiptRequest struct {
	Receipt string
	Subject receipt.Subject
	Nonce   string // for a new receipt; "" for Release
	From    netip.Addr
	Trusted bool
}

// A Preview is what a code says and whether it holds, without a seat.
type Preview struct {
	License  payload.License
	KeyID    keys.ID
	Code     CodeID
	Seats    int64 // how many subjects may use it at once, or Unlimited
	Kind     receipt.Kind
	Sequence uint64
}

// A Service decides on activations. It is safe for concurrent use.
type Service struct {
	ring       *keys.Ring
	reader     *payload.Reader
	verifier   *verifier.Verifier
	signer     *receipt.Signer
	receiptKey keys.ID
	ledger     Ledger
	policies   map[uint64]Policy // of the products that are activated
	keys       [payload.MaxKey + 1]mintKey
	unserved   []UnservedKey
	issued     issued
	minVersion uint64
	leeway     time.Duration
	counter    *counter
	clock      func() time.Time

	updating sync.Mutex                      // held while a list is taken
	list     atomic.Pointer[revocation.List] // at hand, nil without any
}

// Activate takes a seat and returns a receipt. An error is an [*Error].
//
// The same request with the same idempotency key gets the same receipt, until the seat
// is refreshed or given back; whoever got no answer asks again in the same way. Only
// what was granted is remembered: what was refused may be granted later.
func (s *Service) Activate(ctx context.Context, r Request) (Reply, error) {
	if err := checkRequest(&r); err != nil {
		return Reply{}, err
	}
	now := s.clock()
	who := s.counter.caller(r.From, r.Subject)
	if err := s.counter.admit(who, now); err != nil {
		return Reply{}, err
	}
	lic, err := s.judge(&r, who, now)
	if err != nil {
		return Reply{}, err
	}
	c := s.newCase(&lic, r.Subject, r.Nonce, now)
	if err := c.admit(); err != nil {
		return Reply{}, err
	}
	request, err := c.activation(r.Binding)
	if err != nil {
		return Reply{}, err
	}
	return c.claim(ctx, HashKey(r.Key), request)
}

// Preview judges a code as Activate does, and takes no seat. Subject, Nonce and Key
// have no part in it.
func (s *Service) Preview(_ context.Context, r Request) (Preview, error) {
	if err := checkCode(&r); err != nil {
		return Preview{}, err
	}
	now := s.clock()
	who := s.counter.caller(r.From, receipt.Subject{})
	if err := s.counter.admit(who, now); err != nil {
		return Preview{}, err
	}
	lic, err := s.judge(&r, who, now)
	if err != nil {
		return Preview{}, err
	}
	list, _ := lic.List()
	p := s.policies[lic.Product]
	return Preview{
		License: lic.License, KeyID: lic.KeyID, Code: NewCodeID(lic.KeyID, lic.Product, lic.Serial),
		Seats: s.seats(&lic, p), Kind: p.Kind, Sequence: list.Sequence,
	}, nil
}

// Refresh begins a new lease and returns a receipt for it. The licence is judged anew,
// by its receipt, which may have ended. Where the ledger has lost the seat, as after an
// old backup was restored, or gave it to nobody else since, it takes one.
func (s *Service) Refresh(ctx context.Context, r ReceiptRequest) (Reply, error) {
	c, err := s.openCase(&r, true)
	if err != nil {
		return Reply{}, err
	}
	if err := c.admit(); err != nil {
		return Reply{}, err
	}
	start := time.Now()
	seat, err := s.ledger.Renew(ctx, Renewal{Code: c.code, Subject: c.id, Lease: c.policy.Lease})
	took := time.Since(start)
	if errors.Is(err, ErrNoSeat) {
		key, request := c.again()
		reply, err := c.claim(ctx, key, request)
		reply.Ledger += took
		return reply, err
	}
	if err != nil {
		return Reply{}, c.refusal(err)
	}
	return c.reply(seat, 0, took)
}

// Release gives a seat back. Whether the licence still holds does not matter.
func (s *Service) Release(ctx context.Context, r ReceiptRequest) (Reply, error) {
	c, err := s.openCase(&r, false)
	if err != nil {
		return Reply{}, err
	}
	if err := c.refuse(s.counter.admitSubject(r.Subject, c.now)); err != nil {
		return Reply{}, err
	}
	start := time.Now()
	seat, err := s.ledger.Release(ctx, GiveBack{Code: c.code, Subject: c.id, GiveBacks: c.policy.GiveBacks, Hold: c.policy.Hold})
	if err != nil {
		return Reply{}, c.refusal(err)
	}
	return c.facts(seat, 0, time.Since(start)), nil
}
