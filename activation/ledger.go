package activation

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/receipt"
)

// A Ledger keeps who holds which seat. Its clock is the one that counts. It is safe
// for concurrent use, and so are two processes on one ledger where it allows them.
//
// A method that returns nil has its effect on stable storage. After an error other
// than those below nothing is known: the request is to be repeated as it was, and the
// ledger then answers as if the first had not failed.
type Ledger interface {
	// Claim takes a seat of a licence for a subject, or finds the one that it has. Its
	// errors are ErrFull, ErrKeyReused, ErrGone, ErrNotYet and ErrOver.
	Claim(ctx context.Context, c Claim) (Seat, Outcome, error)

	// Renew begins a new lease of the seat that a subject has, whether or not the old
	// one has ended, as long as nobody else was given the seat. Its errors are
	// ErrNoSeat when the ledger has none on record, and ErrGone when it was given back.
	Renew(ctx context.Context, r Renewal) (Seat, error)

	// Release gives back the seat of a subject. Where a give-back is left for the
	// period, the seat is free at once; else Hold decides: the seat is kept until its
	// lease ends, or the error is ErrGiveBacks. To give back what was given back, or
	// has lapsed, is no error and changes nothing. Without any on record the error is
	// ErrNoSeat.
	Release(ctx context.Context, g GiveBack) (Seat, error)

	// Seats lists what is on record of a licence, by seat number and then by time.
	Seats(ctx context.Context, id CodeID) ([]Seat, error)

	// Ready reports whether the ledger can commit, by doing so.
	Ready(ctx context.Context) error

	// Close ends the ledger after what it has begun.
	Close() error
}

// Errors of a ledger. They are decisions, and not failures: asking again in the same
// way gives the same answer until something else has changed.
var (
	ErrFull      = errors.New("activation: all seats are taken")
	ErrKeyReused = errors.New("activation: the idempotency key was used for another request")
	ErrGone      = errors.New("activation: the seat was given back, or has lapsed")
	ErrNoSeat    = errors.New("activation: the subject has no seat on record")
	ErrGiveBacks = errors.New("activation: no give-back is left")
	ErrNotYet    = errors.New("activation: the licence has not begun")
	ErrOver      = errors.New("activation: the licence has ended")
)

// ErrBusy means that a ledger has more to do than it can take on. Nothing was done.
var ErrBusy = errors.New("activation: the ledger is busy")

// An Outcome is what a claim that succeeded found.
type Outcome int

const (
	Granted  Outcome = iota + 1 // a free seat
	Replayed                    // the very same request was granted before
	Held                        // the subject has a seat already, by another request
)

// String returns the outcome as a word such as "granted".
func (o Outcome) String() string {
	switch o {
	case Granted:
		return "granted"
	case Replayed:
		return "replayed"
	case Held:
		return "held"
	}
	return "none"
}

// A CodeID is what a ledger knows a licence by. It does not cover the signature, so a
// ledger that leaks tells nobody a code, and a code that was minted anew with another
// expiry is the same licence.
type CodeID [16]byte

// NewCodeID returns the id of the licence with this identity: the first 16 bytes of
// SHA-256 over "licet/code-id/v1", a zero byte, the id of its mint key, and product and
// serial as eight bytes each, big-endian.
func NewCodeID(key keys.ID, product, serial uint64) CodeID {
	b := append([]byte("licet/code-id/v1\x00"), key[:]...)
	b = binary.BigEndian.AppendUint64(b, product)
	b = binary.BigEndian.AppendUint64(b, serial)
	sum := sha256.Sum256(b)
	return CodeID(sum[:16])
}

// String returns the id as 32 hexadecimal digits.
func (c CodeID) String() string { return hex.EncodeToString(c[:]) }

// A SubjectID is what a ledger knows a subject by. It differs from licence to licence,
// so a ledger does not tell which licences belong to one machine.
type SubjectID [16]byte

// NewSubjectID returns the id of a subject of a licence: the first 16 bytes of SHA-256
// over "licet/subject-id/v1", a zero byte, the id of the licence, the kind of the
// subject, a zero byte and the hash of the subject.
func NewSubjectID(id CodeID, s receipt.Subject) SubjectID {
	b := append([]byte("licet/subject-id/v1\x00"), id[:]...)
	b = append(append(b, s.Kind...), 0)
	sum := sha256.Sum256(append(b, s.Hash[:]...))
	return SubjectID(sum[:16])
}

// String returns the id as 32 hexadecimal digits.
func (s SubjectID) String() string { return hex.EncodeToString(s[:]) }

// A Claim asks for a seat.
type Claim struct {
	Code    CodeID
	Subject SubjectID
	Key     [16]byte // of the idempotency key, see HashKey; it counts for this licence only
	Request [32]byte // what the key stands for: the SHA-256 of the whole request
	Seats   int64    // how many there are, from 1

	// From and Until bound the licence, half-open, by the clock of the ledger. The
	// zero time is no bound.
	From, Until time.Time

	Lease Lease
}

// A Lease is for how long a seat is kept for somebody who is not heard of.
type Lease struct {
	// Refresh is after how long the subject should ask again, and Grace how long after
	// that its receipt stays good; then the seat is free for others. Zero Refresh is
	// for ever; Grace then has no meaning. Whole seconds.
	Refresh, Grace time.Duration
}

// A Renewal asks for a new lease of a seat.
type Renewal struct {
	Code    CodeID
	Subject SubjectID
	Lease   Lease
}

// A GiveBack gives a seat back.
type GiveBack struct {
	Code    CodeID
	Subject SubjectID

	// GiveBacks is how many seats of the licence may be given back with effect at once
	// in one period of 365 days, counted from 1970. Receipts that were handed out stay good offline, so
	// without a bound two machines could take turns on one seat.
	GiveBacks int

	// Hold keeps the seat until the end of its lease when no give-back is left. If
	// false, it is not given back then, and the error is ErrGiveBacks.
	Hold bool
}

// A Seat is a seat on record. Times are in whole milliseconds by the ledger's clock.
type Seat struct {
	Subject SubjectID
	Number  int64 // from 0; -1 when it was given back or has lapsed
	Seats   int64 // how many there were when it was claimed

	// Issued is when the lease began, RefreshBy when it should be renewed, and End when
	// others may have the seat. The latter are receipt.Never without a lease.
	Issued, RefreshBy, End time.Time

	// Released is when it was given back. If zero, it was not.
	Released time.Time

	// Enforced tells that the ledger counts seats.
	Enforced bool
}

// HashKey returns what a ledger knows an idempotency key by.
func HashKey(key string) [16]byte {
	sum := sha256.Sum256([]byte("licet/idempotency-key/v1\x00" + key))
	return [16]byte(sum[:16])
}
