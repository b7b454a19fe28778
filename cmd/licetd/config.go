package main

import (
	"log/slog"
	"net/netip"
	"time"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/verifier"
)

// A config is what flags, environment and licetd.json say.
type config struct {
	dir         string
	listen      string
	adminListen string
	tlsCert     string
	tlsKey      string

	ledger ledgerName

	identities     []string
	passphraseFile string

	revocations      string // a file or a URL; "" is the list of the home
	revocationsEvery time.Duration
	stale            verifier.StalePolicy
	manifests        []string // files and folders

	minVersion uint64
	policies   map[uint64]policy
	otherwise  policy // the policy default
	limits     activation.Limits
	strict     bool

	tokensFile            string
	proxies               []netip.Prefix
	connections           int
	connectionsPerAddress int

	logLevel slog.Level

	notes []string // what is odd about it, for the log
}

// newConfig returns what holds where nothing is said.
func newConfig() *config {
	return &config{
		dir:              ".",
		listen:           "127.0.0.1:8080",
		adminListen:      "127.0.0.1:8081",
		revocationsEvery: time.Minute,
		stale:            verifier.ReportStale,
		policies:         map[uint64]policy{},
		limits:           activation.DefaultLimits(),
		connections:      4096, connectionsPerAddress: 64,
	}
}

// policy returns that of a product.
func (c *config) policy(product uint64) activation.Policy {
	return c.policies[product].over(c.otherwise).whole()
}
