package activation

import (
	"context"
	"net/netip"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/receipt"
	"github.com/licet-dev/licet/payload"
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
type Service struct{}

// Activate takes a seat and returns a receipt. An error is an [*Error].
func (s *Service) Activate(ctx context.Context, r Request) (Reply, error) {
	return Reply{}, &Error{Problem: Unavailable}
}

// Preview judges a code as Activate does, and takes no seat. Subject, Nonce and Key
// have no part in it.
func (s *Service) Preview(ctx context.Context, r Request) (Preview, error) {
	return Preview{}, &Error{Problem: Unavailable}
}

// Refresh begins a new lease and returns a receipt for it.
func (s *Service) Refresh(ctx context.Context, r ReceiptRequest) (Reply, error) {
	return Reply{}, &Error{Problem: Unavailable}
}

// Release gives a seat back.
func (s *Service) Release(ctx context.Context, r ReceiptRequest) (Reply, error) {
	return Reply{}, &Error{Problem: Unavailable}
}
