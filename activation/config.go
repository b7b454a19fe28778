package activation

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/receipt"
	"github.com/licet-dev/licet/verifier"
	"github.com/licet-dev/licet/verifier/revocation"
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

// New returns a service. An error names the field of the configuration that is wrong,
// and what to do.
func New(c Config) (*Service, error) {
	s, err := newService(&c)
	if err != nil {
		return nil, fmt.Errorf("activation: %w", err)
	}
	return s, nil
}

func newService(c *Config) (*Service, error) {
	switch {
	case c.Ring == nil:
		return nil, errors.New("Config.Ring is not set: give the ring of the keys whose codes are activated")
	case c.Ledger == nil:
		return nil, errors.New("Config.Ledger is not set: give one that keeps seats, or None{} to count none")
	case c.Leeway < 0 || c.Leeway > verifier.MaxLeeway:
		return nil, fmt.Errorf("Config.Leeway is %s: want 0 to %s", c.Leeway, verifier.MaxLeeway)
	case c.Stale < 0 || c.Stale > verifier.ReportStale:
		return nil, fmt.Errorf("Config.Stale is %d: want RefuseStale or ReportStale of package verifier", c.Stale)
	case c.Stale == 0 && len(c.Lists) > 0:
		return nil, errors.New("Config.Stale is not set: choose RefuseStale or ReportStale of package verifier for a revocation list that is past its due time")
	}
	limits := DefaultLimits()
	if c.Limits != nil {
		limits = *c.Limits
	}
	if err := limits.check(); err != nil {
		return nil, err
	}
	s := &Service{ring: c.Ring, reader: c.Ring.Reader(), ledger: c.Ledger, minVersion: c.MinVersion, leeway: c.Leeway, counter: newCounter(limits), clock: c.Clock}
	if s.clock == nil {
		s.clock = time.Now
	}
	var err error
	if s.signer, err = newSigner(c.ReceiptKey, c.Ring); err != nil {
		return nil, err
	}
	s.receiptKey = c.ReceiptKey.ID()
	products, err := c.products()
	if err != nil {
		return nil, err
	}
	if s.policies, err = c.policies(products); err != nil {
		return nil, err
	}
	if err := s.useKeys(c.Manifests); err != nil {
		return nil, err
	}
	s.verifier, err = verifier.New(c.Ring, verifier.Options{
		Products: products, MinVersion: c.MinVersion, Leeway: c.Leeway, Clock: s.clock,
		Lists: c.Lists, Stale: c.Stale, AllowShortTags: true, // see admitShort
	})
	if err != nil {
		return nil, fmt.Errorf("Config.Lists: %w", err) // what else can be wrong was looked at
	}
	for _, list := range c.Lists {
		s.noteList(list)
	}
	if s.list.Load().KeyState(s.receiptKey) == keys.Withdrawn {
		return nil, fmt.Errorf("Config.ReceiptKey: receipt key %s is withdrawn by the revocation list: make another one, and add it to the ring", s.receiptKey)
	}
	return s, nil
}

// newSigner returns what signs with the receipt key, if the ring has it.
func newSigner(key keys.PrivateKey, ring *keys.Ring) (*receipt.Signer, error) {
	signer, err := receipt.NewSigner(key)
	if err != nil {
		return nil, fmt.Errorf("Config.ReceiptKey: %w", err)
	}
	for _, k := range ring.Keys() {
		switch {
		case k.ID() != key.ID():
		case k.State() == keys.Active:
			return signer, nil
		default:
			return nil, fmt.Errorf("Config.ReceiptKey: receipt key %s is %s in the ring: give an active one", key.ID(), k.State())
		}
	}
	return nil, fmt.Errorf("Config.ReceiptKey: the ring does not have receipt key %s: add it, or give the private key of one that it has", key.ID())
}

// products returns the numbers of those that are activated.
func (c *Config) products() ([]uint64, error) {
	if len(c.Products) > 0 {
		for _, n := range c.Products {
			if _, ok := c.Ring.Product(n); !ok {
				return nil, fmt.Errorf("Config.Products: the ring has no product %d: give numbers of the ring", n)
			}
		}
		return slices.Clone(c.Products), nil
	}
	var all []uint64
	for _, p := range c.Ring.Products() {
		all = append(all, p.Number)
	}
	if all == nil {
		return nil, errors.New("Config.Ring has no product: add one to the ring")
	}
	return all, nil
}

// policies returns the policy of each product.
func (c *Config) policies(products []uint64) (map[uint64]Policy, error) {
	for n := range c.Policies {
		if !slices.Contains(products, n) {
			return nil, fmt.Errorf("Config.Policies has product %d, which is not activated here: take it out, or add the product", n)
		}
	}
	all := map[uint64]Policy{}
	for _, n := range products {
		p, name := c.Default, "Config.Default"
		if own, ok := c.Policies[n]; ok {
			p, name = own, fmt.Sprintf("Config.Policies[%d]", n)
		}
		var err error
		if all[n], err = p.check(name); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// check refuses a policy that means nothing, and returns it with its defaults. Name is
// that of the policy.
func (p Policy) check(name string) (Policy, error) {
	if p.Kind == "" {
		p.Kind = receipt.Device
	}
	if p.Seats == 0 {
		p.Seats = 1
	}
	l := p.Lease
	switch {
	case p.Kind != receipt.Device && p.Kind != receipt.Account:
		return p, fmt.Errorf("%s.Kind is %q: want %s or %s", name, p.Kind, receipt.Device, receipt.Account)
	case p.Seats < 0 || p.Seats > Unlimited:
		return p, fmt.Errorf("%s.Seats is %d: want 1 to %d, which is unlimited, or 0 for 1", name, p.Seats, Unlimited)
	case l.Refresh < 0 || l.Refresh%time.Second != 0:
		return p, fmt.Errorf("%s.Lease.Refresh is %s: want whole seconds from 1, or 0 for no lease", name, l.Refresh)
	case l.Grace < 0 || l.Grace%time.Second != 0:
		return p, fmt.Errorf("%s.Lease.Grace is %s: want whole seconds from 0", name, l.Grace)
	case p.GiveBacks < 0:
		return p, fmt.Errorf("%s.GiveBacks is %d: want 0 or more", name, p.GiveBacks)
	case p.Hold && l.Refresh == 0:
		return p, fmt.Errorf("%s.Hold keeps a seat until its lease ends, which it never does without Lease.Refresh: set that, or not Hold", name)
	}
	return p, nil
}

// A mintKey is what the service has to know of a mint key.
type mintKey struct {
	short    bool // fewer than 65 tag bits
	bound    bool
	unserved string // reason why it is not served, or ""
}

// useKeys finds out which keys are served.
func (s *Service) useKeys(manifests [][]byte) error {
	short := map[keys.ID]bool{}
	for _, k := range s.ring.MintKeys() {
		short[k.ID()] = k.Suite() == keys.HS256 && k.Descriptor().SigBits < keys.ShortTagBits
	}
	var err error
	if s.issued, err = readManifests(manifests, s.ring, func(id keys.ID) bool { return short[id] }); err != nil {
		return fmt.Errorf("Config.Manifests: %w", err)
	}
	for _, k := range s.ring.MintKeys() {
		m := mintKey{short: short[k.ID()], bound: k.Descriptor().Bind != keys.BindNone}
		remedy := ""
		switch {
		case k.State() == keys.Withdrawn:
			m.unserved, remedy = "key-withdrawn", "it is withdrawn in the ring; give customers codes of another key"
		case k.Suite() == keys.HS256 && k.Secret().IsZero():
			m.unserved, remedy = "no-secret", "the ring does not have its secret; add it"
		case m.short && !s.issued.hasKey(k.ID()):
			m.unserved, remedy = "no-manifest", fmt.Sprintf("its tag of %d bits can be guessed; give the manifests of its batches", k.Descriptor().SigBits)
		}
		if m.unserved != "" {
			s.unserved = append(s.unserved, UnservedKey{k.Number(), k.ID(), m.unserved, remedy})
		}
		s.keys[k.Number()] = m
	}
	return nil
}

// An UnservedKey is a mint key of the ring whose codes are refused.
type UnservedKey struct {
	Number int
	ID     keys.ID
	Reason string // "key-withdrawn", "no-secret" or "no-manifest"
	Remedy string // what is wrong, and what to do about it
}

// Unserved returns the keys of the ring whose codes are refused, by number, for a
// program to tell when it starts. What a revocation list withdraws is not among them.
func (s *Service) Unserved() []UnservedKey { return slices.Clone(s.unserved) }

// Update takes a newer revocation list while requests are served, and reports whether
// it is now the one that decides. After an error the one at hand stays. See
// verifier.Verifier.Update.
func (s *Service) Update(list []byte) (taken bool, err error) {
	s.updating.Lock()
	defer s.updating.Unlock()
	taken, err = s.verifier.Update(list)
	if taken {
		s.noteList(list)
	}
	return taken, err
}

// noteList keeps a list if it is the one that decides.
func (s *Service) noteList(data []byte) {
	now, _ := s.verifier.List()
	if l, err := revocation.Open(data, s.ring); err == nil && l.Sequence() == now.Sequence {
		s.list.Store(l)
	}
}

// List returns the revocation list at hand, and false when there is none.
func (s *Service) List() (verifier.List, bool) { return s.verifier.List() }
