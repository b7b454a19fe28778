package activation

import (
	"time"

	"github.com/licet-dev/licet/activation/limit"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/verifier"
)

// A Config says what a service serves. Ring, ReceiptKey and Ledger are mandatory, and
// so is Stale where there is a revocation list.
type Config struct {
	// Ring has the keys whose codes are activated, hs256 keys with their secrets. A key
	// that can't be judged is not served, see [Service.Unserved].
	Ring *keys.Ring

	// ReceiptKey signs the receipts. The ring must have it, as an active receipt key.
	ReceiptKey keys.PrivateKey

	// Ledger keeps the seats. [None] counts none, and has to be said.
	Ledger Ledger

	// Policies are those of products, by number, and Default is that of all others.
	Policies map[uint64]Policy
	Default  Policy

	// Products are the numbers of the products that are activated here. If empty, they
	// are all of the ring.
	Products []uint64

	// MinVersion is the lowest licence version accepted. Zero accepts all. A revocation
	// list may ask for more.
	MinVersion uint64

	// Leeway is how far clocks may be off at both ends of a licence, 0 to
	// [verifier.MaxLeeway].
	Leeway time.Duration

	// Lists are signed revocation lists; the newest decides. Stale says what to do when
	// it is past its due time. See also [Service.Update].
	Lists [][]byte
	Stale verifier.StalePolicy

	// Manifests are signed batch manifests, as package manifest reads them. They tell
	// which serials were issued: a code of a key with fewer than 65 tag bits counts as
	// genuine only if it is of one of these batches, and without manifests such a key
	// is not served. Those of other keys have no effect.
	Manifests [][]byte

	// Limits are on how often somebody may ask. If nil, they are [DefaultLimits].
	Limits *Limits

	// Clock tells the time that codes and limits are judged by. If nil, time.Now is
	// used. Seats go by the clock of the ledger.
	Clock func() time.Time
}

// Limits are how often somebody may ask. A zero rate is no limit. Memory is fixed,
// however many addresses and subjects there are: under a flood of them, who was not
// heard of for longest is forgotten.
type Limits struct {
	// Address is for requests from one address, IPv6 by /64. Requests of accounts, for
	// which a known caller speaks, and those without an address are not counted here.
	Address limit.Rate

	// Failures is for requests from one address whose code was malformed or refused, or
	// whose receipt was refused. When none is left, a request that fails gets
	// QuotaExceeded for an answer, and codes of keys with fewer than 65 tag bits are not
	// looked at. Genuine codes of other keys still are: others behind the same address
	// can activate.
	Failures limit.Rate

	// Device is for requests of one device with a genuine code or receipt, Account for
	// all of one account, and Code for attempts to get a seat of one licence. They are
	// forgotten when a seat was found.
	Device, Account, Code limit.Rate

	// Forgeries is for codes with a bad signature of keys with fewer than 65 tag bits,
	// whoever sends them: many addresses together may not guess faster either. Codes of
	// other keys are not touched when none is left.
	Forgeries limit.Rate

	// Entries is how many addresses, subjects and codes are remembered, at about 16
	// bytes each. Zero is 1<<20.
	Entries int
}

// DefaultLimits are the limits where none are given.
func DefaultLimits() Limits {
	return Limits{
		Address:   limit.Rate{N: 60, Per: time.Minute},
		Failures:  limit.Rate{N: 10, Per: time.Minute},
		Device:    limit.Rate{N: 20, Per: 10 * time.Minute},
		Account:   limit.Rate{N: 20, Per: 10 * time.Minute},
		Code:      limit.Rate{N: 100, Per: 10 * time.Minute},
		Forgeries: limit.Rate{N: 200, Per: 10 * time.Minute},
	}
}

// New returns a service. An error names the field of the configuration that is wrong,
// and what to do.
func New(c Config) (*Service, error) {
	return nil, nil
}

// An UnservedKey is a mint key of the ring whose codes are refused.
type UnservedKey struct {
	Number int
	ID     keys.ID
	Reason string // "no-secret", "no-manifest" or "key-withdrawn"
	Remedy string // what to do about it
}

// Unserved returns the keys of the ring whose codes are refused, by number, for a
// program to tell when it starts.
func (s *Service) Unserved() []UnservedKey { return nil }

// Update takes a newer revocation list while requests are served, and reports whether
// it is now the one that decides. After an error the one at hand stays. See
// verifier.Verifier.Update.
func (s *Service) Update(list []byte) (taken bool, err error) { return false, nil }

// List returns the revocation list at hand, and false when there is none.
func (s *Service) List() (verifier.List, bool) { return verifier.List{}, false }
