package activation

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/licet-dev/licet/activation/limit"
	"github.com/licet-dev/licet/keys/receipt"
)

// Limits are how often somebody may ask. A rate of zero is no limit. Memory is fixed,
// however many addresses and subjects there are: when there are more, those are
// forgotten first who have used up least.
type Limits struct {
	// Address is for requests from one address, IPv6 by /64. An account, for which a
	// known caller speaks, is not counted by address, and nor is a request without one.
	Address limit.Rate

	// Failures is for requests from one address whose code was malformed or refused, or
	// whose receipt was refused. When none is left, the answer to one more is
	// QuotaExceeded, and codes of keys with fewer than 65 tag bits are not looked at.
	// Genuine codes of other keys still are, so one who guesses does not keep others
	// behind the same address from activating.
	Failures limit.Rate

	// Account is for requests of one account, whatever comes of them. Device is for
	// those of one device with a genuine code or receipt, and Code for those that ask
	// for a seat of one licence. All three are forgotten when a seat was found, but not
	// for a request that was sent again.
	Account, Device, Code limit.Rate

	// Forgeries is for codes of keys with fewer than 65 tag bits that were not genuine,
	// whoever sends them: from many addresses one guesses no faster. When none is left,
	// codes of these keys are not looked at; those of other keys are.
	Forgeries limit.Rate

	// Entries is how many counts of addresses are kept, two for each, and how many of
	// accounts, devices and licences; each takes 16 bytes. Zero is 1<<20.
	Entries int
}

// DefaultLimits returns the limits that hold where none are given: 60 requests of an
// address in a minute, 10 of which may fail; in 10 minutes 20 of an account or a device,
// 100 of a licence, and 200 forgeries altogether.
func DefaultLimits() Limits {
	return Limits{
		Address:   limit.Rate{N: 60, Per: time.Minute},
		Failures:  limit.Rate{N: 10, Per: time.Minute},
		Account:   limit.Rate{N: 20, Per: 10 * time.Minute},
		Device:    limit.Rate{N: 20, Per: 10 * time.Minute},
		Code:      limit.Rate{N: 100, Per: 10 * time.Minute},
		Forgeries: limit.Rate{N: 200, Per: 10 * time.Minute},
	}
}

const (
	defaultEntries = 1 << 20
	maxEntries     = 1 << 30
)

func (l *Limits) check() error {
	for _, r := range []struct {
		name string
		limit.Rate
	}{
		{"Address", l.Address}, {"Failures", l.Failures}, {"Account", l.Account},
		{"Device", l.Device}, {"Code", l.Code}, {"Forgeries", l.Forgeries},
	} {
		if r.N < 0 || r.Per < 0 || (r.N == 0) != (r.Per == 0) {
			return fmt.Errorf("Config.Limits.%s is %d per %s: want a number and a time above zero, or neither for no limit", r.name, r.N, r.Per)
		}
	}
	if l.Entries < 0 || l.Entries > maxEntries {
		return fmt.Errorf("Config.Limits.Entries is %d: want 1 to %d, or 0 for %d", l.Entries, maxEntries, defaultEntries)
	}
	return nil
}

// A counter counts what the limits are on. Strangers fill the table of addresses only:
// an entry of the other needs a known caller or a genuine code. The one counter of all
// forgeries must never be forgotten.
type counter struct {
	Limits
	addresses, known, all *limit.Table
}

func newCounter(l Limits) *counter {
	entries := l.Entries
	if entries == 0 {
		entries = defaultEntries
	}
	return &counter{l, limit.New(entries), limit.New(entries), limit.New(1)}
}

// A caller is whom a request is counted for before anything else of it is known.
type caller struct {
	address, account bool // which of them, or neither
	requests         limit.Key
	failures         limit.Key // of an address
}

// caller returns the caller of a request from an address, or of a subject that a known
// caller speaks for.
func (c *counter) caller(from netip.Addr, s receipt.Subject) caller {
	switch {
	case s.Kind == receipt.Account:
		return caller{account: true, requests: c.subject(s)}
	case !from.IsValid():
		return caller{}
	}
	b := addressBytes(from)
	return caller{address: true, requests: c.addresses.Key("requests", b), failures: c.addresses.Key("failures", b)}
}

// addressBytes returns an IPv4 address, or the first half of an IPv6 address: whoever
// has one has all of the /64.
func addressBytes(a netip.Addr) []byte {
	a = a.Unmap()
	b := a.AsSlice()
	if a.Is6() {
		b = b[:8]
	}
	return b
}

// admit counts a request of the caller.
func (c *counter) admit(who caller, now time.Time) error {
	switch {
	case who.account:
		return quota("account")(c.known.Take(who.requests, c.Account, now))
	case who.address:
		return quota("address")(c.addresses.Take(who.requests, c.Address, now))
	}
	return nil
}

// admitShort refuses to look at a code with a short tag when too many were not genuine.
// Requests of the same moment see the same count, but nothing blocks between this and
// failed, so there are hardly more of them than processors.
func (c *counter) admitShort(who caller, now time.Time) error {
	if who.address {
		if err := quota("failures")(c.addresses.Look(who.failures, c.Failures, now)); err != nil {
			return err
		}
	}
	return quota("forgeries")(c.all.Look(c.all.Key("forgeries"), c.Forgeries, now))
}

// Left returns the limit on requests of an address, how many it has left at this moment,
// and after what time it has all of them again. Without a limit all are 0.
func (s *Service) Left(from netip.Addr) (r limit.Rate, n int, reset time.Duration) {
	c := s.counter
	who := c.caller(from, receipt.Subject{})
	if !who.address {
		return limit.Rate{}, 0, 0
	}
	n, reset = c.addresses.Left(who.requests, c.Address, s.clock())
	return c.Address, n, reset
}

// forged counts a code with a short tag that was not genuine.
func (c *counter) forged(now time.Time) {
	c.all.Take(c.all.Key("forgeries"), c.Forgeries, now)
}

// failed counts a failure of the caller and returns what to answer.
func (c *counter) failed(who caller, e *Error, now time.Time) error {
	if who.address {
		if err := quota("failures")(c.addresses.Take(who.failures, c.Failures, now)); err != nil {
			return err
		}
	}
	return e
}

// admitSubject counts a request of a device that has a genuine code or receipt.
func (c *counter) admitSubject(s receipt.Subject, now time.Time) error {
	if s.Kind == receipt.Account { // was counted before
		return nil
	}
	return quota("device")(c.known.Take(c.subject(s), c.Device, now))
}

func (c *counter) admitCode(id CodeID, now time.Time) error {
	return quota("code")(c.known.Take(c.known.Key("code", id[:]), c.Code, now))
}

// found forgets the attempts of a subject that has a seat now, and those at its licence.
func (c *counter) found(s receipt.Subject, id CodeID) {
	c.known.Forget(c.subject(s))
	c.known.Forget(c.known.Key("code", id[:]))
}

func (c *counter) subject(s receipt.Subject) limit.Key {
	return c.known.Key(string(s.Kind), s.Hash[:])
}

// quota returns what makes an error of the answer of a table.
func quota(of string) func(ok bool, retry time.Duration) error {
	return func(ok bool, retry time.Duration) error {
		if ok {
			return nil
		}
		return &Error{Problem: QuotaExceeded, Reason: of, RetryAfter: retry, Detail: "too many requests; wait, and ask again"}
	}
}
