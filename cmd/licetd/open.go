package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/activation/postgres"
	"github.com/licet-dev/licet/activation/sqlite"
	"github.com/licet-dev/licet/cmd/internal/home"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/signer/manifest"
)

// An endpoint is what the home and the files of the configuration make together.
type endpoint struct {
	config     *config
	ring       *keys.Ring // with the secrets of its hs256 keys
	receiptKey keys.PrivateKey
	lists      *lists
	manifests  [][]byte
	tokens     [][sha256.Size]byte
}

// openEndpoint reads all that is needed to serve but the ledger.
func openEndpoint(ctx context.Context, c *config) (*endpoint, error) {
	h, err := home.Open(c.dir)
	if errors.Is(err, home.ErrNone) {
		err = fmt.Errorf("there is no endpoint's home in %s: make one with licet endpoint init, or name another with --dir", c.dir)
	}
	if err != nil {
		return nil, err
	}
	if err := home.CheckEndpoint(h.Dir, h.Ring); err != nil {
		return nil, err
	}
	for n := range c.policies {
		if _, ok := h.Ring.Product(n); !ok {
			return nil, fmt.Errorf("there is a policy of product %d, which %s does not have: take it out, or add the product", n, h.RingPath())
		}
	}
	e := &endpoint{config: c, ring: h.Ring}
	if e.lists, err = openLists(ctx, h, c); err != nil {
		return nil, err
	}
	for _, name := range c.manifests {
		if err := e.readManifests(name); err != nil {
			return nil, err
		}
	}
	if c.tokensFile != "" {
		if e.tokens, err = readTokens(c.tokensFile); err != nil {
			return nil, err
		}
	}
	return e, e.unlock(h, unlocker(c))
}

// Names of systemd's credentials that unlock the keys.
const (
	credentialPassphrase = "licet-passphrase"
	credentialIdentity   = "licet-identity"
)

// unlocker returns what opens the private keys: what the configuration names, else the
// credentials that systemd hands over, else whoever sits at the terminal.
func unlocker(c *config) *home.Unlocker {
	u := &home.Unlocker{Identities: c.identities, PassphraseFile: c.passphraseFile, Ask: home.AskTerminal}
	folder := os.Getenv("CREDENTIALS_DIRECTORY")
	if folder == "" {
		return u
	}
	if name := filepath.Join(folder, credentialPassphrase); u.PassphraseFile == "" && exists(name) {
		u.PassphraseFile = name
	}
	if name := filepath.Join(folder, credentialIdentity); len(u.Identities) == 0 && exists(name) {
		u.Identities = []string{name}
	}
	return u
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// unlock opens the receipt key, and the secrets that are in the home.
func (e *endpoint) unlock(h *home.Home, u *home.Unlocker) error {
	key, _, err := h.ReceiptKey(e.lists.first)
	if err == nil && key.Role() != keys.Receipt {
		err = fmt.Errorf("%s has no private key of an active receipt key, and receipts are signed with it: bring it with licet endpoint update %s --from the licensing home", h.Dir, h.Dir)
	}
	if err != nil {
		return err
	}
	if e.receiptKey, err = h.Private(key, u); err != nil {
		return err
	}
	for _, k := range h.Ring.MintKeys() {
		has, err := h.Has(k)
		if err != nil {
			return err
		}
		if !has || k.State() == keys.Withdrawn {
			continue
		}
		private, err := h.Private(k, u)
		if err != nil {
			return err
		}
		if k, err = k.Attach(private); err != nil {
			return err
		}
		if e.ring, err = e.ring.Replace(k); err != nil {
			return err
		}
	}
	return nil
}

// readManifests reads a manifest, or all in a folder.
func (e *endpoint) readManifests(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return e.readManifest(name)
	}
	names, err := filepath.Glob(filepath.Join(escapeGlob(name), "*.manifest"))
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return fmt.Errorf("%s has no file whose name ends in .manifest", name)
	}
	for _, n := range names {
		if err := e.readManifest(n); err != nil {
			return err
		}
	}
	return nil
}

// escapeGlob returns a pattern that matches a path and nothing else.
func escapeGlob(name string) string {
	if filepath.Separator == '\\' {
		return name // where a backslash can't escape, such characters are rare
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(name)
}

func (e *endpoint) readManifest(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, manifest.MaxSize))
	if err != nil {
		return err
	}
	if _, err := manifest.Open(data, e.ring); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	e.manifests = append(e.manifests, data)
	return nil
}

// minToken is the length of 128 random bits in base64.
const minToken = 22

// readTokens reads the tokens of known callers, one a line, and keeps their hashes. No
// error has anything of a token in it.
func readTokens(name string) ([][sha256.Size]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all [][sha256.Size]byte
	s := bufio.NewScanner(f)
	for n := 1; s.Scan(); n++ {
		line := strings.TrimSpace(strings.TrimPrefix(s.Text(), "\ufeff"))
		switch {
		case line == "" || line[0] == '#':
			continue
		case len(line) < minToken || len(line) > 512:
			return nil, fmt.Errorf("%s: line %d: a token has %d to 512 characters: make one with openssl rand -hex 32", name, n, minToken)
		case strings.ContainsFunc(line, func(r rune) bool { return r <= ' ' || r > '~' }):
			return nil, fmt.Errorf("%s: line %d: a token is of letters, digits and marks of ASCII", name, n)
		}
		all = append(all, sha256.Sum256([]byte(line)))
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no token", name)
	}
	return all, nil
}

// openLedger opens the ledger of the configuration.
func openLedger(ctx context.Context, name ledgerName) (activation.Ledger, error) {
	switch name.kind {
	case none:
		return activation.None{}, nil
	case "postgres":
		return opened(postgres.Open(ctx, name.at, postgres.Options{}))
	}
	if _, err := os.Stat(filepath.Dir(name.at)); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: there is no such folder for the ledger: make it, or name another file with --ledger", filepath.Dir(name.at))
	}
	return opened(sqlite.Open(name.at, sqlite.Options{}))
}

// opened keeps a nil pointer from being a ledger.
func opened[L activation.Ledger](l L, err error) (activation.Ledger, error) {
	if err != nil {
		return nil, err
	}
	return l, nil
}

// service returns the service with a ledger.
func (e *endpoint) service(ledger activation.Ledger) (*activation.Service, error) {
	c := activation.Config{
		Ring: e.ring, ReceiptKey: e.receiptKey, Ledger: ledger,
		Policies: map[uint64]activation.Policy{}, Default: e.config.policy(0),
		MinVersion: e.config.minVersion, Lists: e.lists.texts, Stale: e.config.stale,
		Manifests: e.manifests, Limits: &e.config.limits,
	}
	for n := range e.config.policies {
		c.Policies[n] = e.config.policy(n)
	}
	return activation.New(c)
}
