package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/verifier"
)

// A setting is one thing that can be said by a flag, by the environment or in
// licetd.json. The flag --admin-listen, the variable LICETD_ADMIN_LISTEN and the member
// admin_listen are one setting. The nearest of the three counts.
type setting struct {
	name  string // of the flag
	arg   string // what its value is called in the usage; "" for true or false
	usage string
	kind  valueKind // in licetd.json; that of the items for a list

	// set takes a value that was said at a place.
	set func(c *config, value string, at place) error

	// clear is of a list, which is said whole: it forgets what a farther place said.
	clear func(c *config)

	// object is of a setting that is an object in licetd.json, where each member is
	// said by itself. It returns the kinds that a member may have, nil for none.
	object func(path []string) []valueKind
}

// A place is where something was said.
type place struct {
	name   string // such as --listen
	folder string // from which relative paths go
	flag   bool   // it shows in the list of processes
}

func (s setting) variable() string {
	return "LICETD_" + strings.ToUpper(strings.ReplaceAll(s.name, "-", "_"))
}

func (s setting) member() string { return strings.ReplaceAll(s.name, "-", "_") }

// path returns a path that was said at a place.
func (p place) path(name string) (string, error) {
	if name == "" {
		return "", errors.New("it is empty: name a file")
	}
	if filepath.IsAbs(name) || p.folder == "" {
		return name, nil
	}
	return filepath.Join(p.folder, name), nil
}

var settings = []setting{
	{name: "dir", arg: "FOLDER", kind: aString, usage: "the endpoint's home, as licet endpoint init makes it (default: the current folder)",
		set: path(func(c *config) *string { return &c.dir })},
	{name: "listen", arg: "ADDRESS", kind: aString, usage: "serve the API on `ADDRESS` (default 127.0.0.1:8080)",
		set: address(func(c *config) *string { return &c.listen })},
	{name: "admin-listen", arg: "ADDRESS", kind: aString, usage: "serve health, metrics and seats on `ADDRESS`, which nobody else must reach (default 127.0.0.1:8081)",
		set: address(func(c *config) *string { return &c.adminListen })},
	{name: "ledger", arg: "URL", kind: aString, usage: "keep seats in sqlite:FILE, in postgres://..., or nowhere: none (default: sqlite, activations.db in the home)",
		set: setLedger},
	{name: "identity", arg: "FILE", kind: aString, usage: "unlock keys with an age identity or SSH private key `FILE` (repeatable)",
		set: paths(func(c *config) *[]string { return &c.identities }), clear: func(c *config) { c.identities = nil }},
	{name: "passphrase-file", arg: "FILE", kind: aString, usage: "unlock keys with the passphrase in `FILE`",
		set: path(func(c *config) *string { return &c.passphraseFile })},
	{name: "policy", arg: "N,MEMBER=VALUE,...", usage: "how product N, or default, is activated: kind, seats, lease, grace, give-backs, hold; such as 7,seats=3,lease=30d (repeatable)",
		set: setPolicyFlag, object: policyObject},
	{name: "limit", arg: "NAME=N/TIME", usage: "how often somebody may ask: address, failures, account, device, code, forgeries; such as address=60/1m, or none (repeatable)",
		set: setLimitFlag, object: limitObject},
	{name: "revocations", arg: "FILE|URL", kind: aString, usage: "read the revocation list from `FILE|URL` again and again (default: revocations.txt in the home)",
		set: setRevocations},
	{name: "revocations-every", arg: "TIME", kind: aString, usage: "how often (default 1m)",
		set: setEvery},
	{name: "stale", arg: "WORD", kind: aString, usage: "what a revocation list that is past its due time means: report it, or refuse to judge (default report)",
		set: setStale},
	{name: "manifests", arg: "FILE", kind: aString, usage: "manifests of batches, `FILE` or a folder of *.manifest: codes of keys with short tags are served only with them (repeatable)",
		set: paths(func(c *config) *[]string { return &c.manifests }), clear: func(c *config) { c.manifests = nil }},
	{name: "min-version", arg: "N", kind: aNumber, usage: "lowest licence version that is activated",
		set: func(c *config, value string, _ place) error { return number(&c.minVersion, value, 0, 1<<53-1) }},
	{name: "strict", kind: aBool, usage: "tell nobody more than that a code or receipt is refused",
		set: func(c *config, value string, _ place) (err error) { c.strict, err = parseBool(value); return err }},
	{name: "tokens-file", arg: "FILE", kind: aString, usage: "tokens of callers that may speak for accounts, in `FILE`, one a line",
		set: path(func(c *config) *string { return &c.tokensFile })},
	{name: "trusted-proxies", arg: "NETWORK", kind: aString, usage: "proxies whose X-Forwarded-For is believed, as addresses or networks (repeatable)",
		set: setProxy, clear: func(c *config) { c.proxies = nil }},
	{name: "connections", arg: "N", kind: aNumber, usage: "how many connections may be open at once (default 4096)",
		set: func(c *config, value string, _ place) error { return count(&c.connections, value) }},
	{name: "connections-per-address", arg: "N", kind: aNumber, usage: "how many of one address, trusted proxies aside (default 64)",
		set: func(c *config, value string, _ place) error { return count(&c.connectionsPerAddress, value) }},
	{name: "tls-cert", arg: "FILE", kind: aString, usage: "serve HTTPS with the certificate in `FILE`, its chain included",
		set: path(func(c *config) *string { return &c.tlsCert })},
	{name: "tls-key", arg: "FILE", kind: aString, usage: "and its private key in `FILE`",
		set: path(func(c *config) *string { return &c.tlsKey })},
	{name: "log-level", arg: "WORD", kind: aString, usage: "debug, info, warn or error (default info, with a line for each request)",
		set: setLogLevel},
}

// The members of licetd.json whose names are those of no flag: there can be many of them.
var memberNames = map[string]string{"policies": "policy", "limits": "limit"}

func path(field func(*config) *string) func(*config, string, place) error {
	return func(c *config, value string, at place) (err error) {
		*field(c), err = at.path(value)
		return err
	}
}

func paths(field func(*config) *[]string) func(*config, string, place) error {
	return func(c *config, value string, at place) error {
		p, err := at.path(value)
		if err == nil {
			*field(c) = append(*field(c), p)
		}
		return err
	}
}

func address(field func(*config) *string) func(*config, string, place) error {
	return func(c *config, value string, _ place) error {
		host, port, err := net.SplitHostPort(value)
		if err == nil {
			_, err = strconv.ParseUint(port, 10, 16)
		}
		if err == nil && host != "" {
			if _, ipErr := netip.ParseAddr(host); ipErr != nil && host != "localhost" {
				err = ipErr
			}
		}
		if err != nil {
			return fmt.Errorf("%q: want an IP address and a port, such as 127.0.0.1:8080, [::1]:8080, or :8080 for all addresses", value)
		}
		*field(c) = value
		return nil
	}
}

func number(to *uint64, value string, least, most uint64) error {
	n, err := strconv.ParseUint(value, 10, 64)
	if err != nil || n < least || n > most {
		return fmt.Errorf("%q: want a whole number from %d to %d", value, least, most)
	}
	*to = n
	return nil
}

func count(to *int, value string) error {
	var n uint64
	if err := number(&n, value, 1, 1<<20); err != nil {
		return err
	}
	*to = int(n)
	return nil
}

// A ledgerName is where seats are kept.
type ledgerName struct {
	kind string // none, sqlite or postgres; "" is an SQLite file in the home
	at   string // path or URL
}

// String returns the name without a password.
func (l ledgerName) String() string {
	if l.kind != "postgres" {
		return strings.TrimSuffix(l.kind+":"+l.at, ":")
	}
	u, err := url.Parse(l.at)
	if err != nil {
		return l.kind
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

func setLedger(c *config, value string, at place) error {
	file, isFile := strings.CutPrefix(value, "sqlite:")
	switch {
	case value == none:
		c.ledger = ledgerName{kind: none}
	case isFile:
		p, err := at.path(file)
		if err != nil {
			return err
		}
		c.ledger = ledgerName{"sqlite", p}
	case strings.HasPrefix(value, "postgres://"), strings.HasPrefix(value, "postgresql://"):
		u, err := url.Parse(value) // whose error would have the password in it
		if err != nil {
			return errors.New("the URL can't be read: want one such as postgres://user@host/licet; % stands for itself as %25")
		}
		if _, has := u.User.Password(); at.flag && (has || u.Query().Has("password")) {
			return fmt.Errorf("a password in an argument shows in the list of processes: say it in LICETD_LEDGER, in licetd.json or in the file that PGPASSFILE names")
		}
		c.ledger = ledgerName{"postgres", value}
	default:
		return errors.New("want none, sqlite:FILE, or a URL that begins with postgres://") // it may have a password in it
	}
	return nil
}

func setRevocations(c *config, value string, at place) (err error) {
	if isURL(value) {
		u, err := url.Parse(value)
		if err != nil || u.Host == "" || u.User != nil {
			return errors.New("want a file, or a URL such as https://example.com/revocations.txt, without a password")
		}
		c.revocations = value
		return nil
	}
	c.revocations, err = at.path(value)
	return err
}

// isURL reports whether a list is fetched over the network.
func isURL(s string) bool {
	return strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "http://")
}

func setEvery(c *config, value string, _ place) error {
	d, err := parseDuration(value)
	if err == nil && d < time.Second {
		err = fmt.Errorf("%q: want 1s or more", value)
	}
	c.revocationsEvery = d
	return err
}

func setStale(c *config, value string, _ place) error {
	switch value {
	case "report":
		c.stale = verifier.ReportStale
	case "refuse":
		c.stale = verifier.RefuseStale
	default:
		return fmt.Errorf("%q: want report or refuse", value)
	}
	return nil
}

func setProxy(c *config, value string, _ place) error {
	p, err := parsePrefix(value)
	if err == nil {
		c.proxies = append(c.proxies, p)
	}
	return err
}

func setLogLevel(c *config, value string, _ place) error {
	if !slices.Contains([]string{"debug", "info", "warn", "error"}, value) {
		return fmt.Errorf("%q: want debug, info, warn or error", value)
	}
	return c.logLevel.UnmarshalText([]byte(value))
}

func setPolicyFlag(c *config, value string, _ place) error {
	product, members, err := splitPolicy(value)
	if err != nil {
		return err
	}
	for _, m := range members {
		if err := c.setPolicy(product, m[0], m[1]); err != nil {
			return err
		}
	}
	return nil
}

func (c *config) setPolicy(product, name, value string) error {
	if product == "default" {
		return c.otherwise.set(name, value)
	}
	n, err := strconv.ParseUint(product, 10, 64)
	if err != nil || n == 0 || strconv.FormatUint(n, 10) != product {
		return fmt.Errorf("%q: want the number of a product, or default", product)
	}
	p := c.policies[n]
	err = p.set(name, value)
	c.policies[n] = p
	return err
}

// policyObject tells the kinds of policies.7.seats and the like.
func policyObject(path []string) []valueKind {
	switch {
	case len(path) < 3:
		return []valueKind{anObject}
	case !slices.Contains(policyMembers, path[2]):
		return nil
	case path[2] == "seats":
		return []valueKind{aNumber, aString}
	case path[2] == "give_backs":
		return []valueKind{aNumber}
	case path[2] == "hold":
		return []valueKind{aBool}
	}
	return []valueKind{aString}
}

func setLimitFlag(c *config, value string, _ place) error {
	name, rate, ok := strings.Cut(value, "=")
	if !ok {
		return fmt.Errorf("%q: want a name and a rate, such as address=60/1m", value)
	}
	return setLimit(&c.limits, name, rate)
}

// limitObject tells the kinds of limits.address and the like.
func limitObject(path []string) []valueKind {
	switch {
	case len(path) == 1:
		return []valueKind{anObject}
	case path[1] == entries:
		return []valueKind{aNumber}
	case slices.Contains(limitNames, path[1]):
		return []valueKind{aString}
	}
	return nil
}

// configName is the file in the home.
const configName = "licetd.json"

// maxConfig is the length in bytes of the longest licetd.json.
const maxConfig = 1 << 20

// readFile takes what a file says.
func (c *config) readFile(name string, own bool) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err != nil {
		return err
	}
	if len(text) > maxConfig {
		return fmt.Errorf("%s has more than %d bytes", name, maxConfig)
	}
	values, err := readValues(text)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for _, v := range values {
		if err := c.take(v, filepath.Dir(name), own); err != nil {
			return fmt.Errorf("%s: line %d: %s: %w", name, v.line, strings.Join(v.path, "."), err)
		}
	}
	return nil
}

// take takes a value of licetd.json in a folder.
func (c *config) take(v value, folder string, own bool) error {
	s := settingOf(v.path[0])
	if s == nil {
		return unknownMember(v.path[0])
	}
	if s.name == "dir" && own {
		return errors.New("this file lies in the home, so it can't name another: leave it out")
	}
	at := place{name: s.member(), folder: folder}
	if s.object != nil {
		kinds := s.object(v.path)
		switch {
		case kinds == nil:
			return unknownMember(v.path[len(v.path)-1])
		case !slices.Contains(kinds, v.kind):
			return wrongKind(kinds...)
		case v.kind == anObject:
			return nil
		case s.name == "limit":
			return setLimit(&c.limits, v.path[1], v.text)
		}
		return c.setPolicy(v.path[1], v.path[2], v.text)
	}
	switch {
	case s.clear != nil && v.kind == aList:
		s.clear(c)
		return nil
	case s.clear != nil && !v.item:
		return wrongKind(aList)
	case v.kind != s.kind:
		return wrongKind(s.kind)
	}
	return s.set(c, v.text, at)
}

func wrongKind(kinds ...valueKind) error {
	var want []string
	for _, k := range kinds {
		want = append(want, string(k))
	}
	return fmt.Errorf("want %s", strings.Join(want, " or "))
}

// settingOf returns the setting that a member of licetd.json is of, or nil.
func settingOf(member string) *setting {
	for i := range settings {
		s := &settings[i]
		if s.object == nil && s.member() == member || s.object != nil && memberNames[member] == s.name {
			return s
		}
	}
	return nil
}

// unknownMember proposes the name that differs in its spelling only.
func unknownMember(name string) error {
	plain := func(s string) string { return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(s)) }
	known := slices.Concat(policyMembers, limitNames, []string{entries, "policies", "limits"})
	for _, s := range settings {
		if s.object == nil {
			known = append(known, s.member())
		}
	}
	for _, k := range known {
		if plain(k) == plain(name) {
			return fmt.Errorf("unknown member; did you mean %s?", k)
		}
	}
	return errors.New("unknown member")
}

// A flag holds what was said by a flag, until all places are known.
type flag struct {
	setting *setting
	values  []string
}

func (f *flag) String() string { return "" }

func (f *flag) Set(s string) error {
	if f.setting.clear == nil && f.setting.object == nil {
		f.values = nil
	}
	f.values = append(f.values, s)
	return nil
}

func (f *flag) Type() string { return f.setting.arg }

// settingsFlags are the flags of a command.
type settingsFlags struct {
	flags  []*flag
	config string // --config
}

func (f *settingsFlags) add(cmd *cobra.Command) {
	cmd.Flags().SortFlags = false
	for i := range settings {
		one := &flag{setting: &settings[i]}
		f.flags = append(f.flags, one)
		cmd.Flags().Var(one, one.setting.name, one.setting.usage)
		if one.setting.kind == aBool {
			cmd.Flags().Lookup(one.setting.name).NoOptDefVal = "true"
		}
	}
	cmd.Flags().StringVar(&f.config, "config", "", "read `FILE` instead of licetd.json in the home, if there is one")
	for name, words := range map[string][]string{"stale": {"report", "refuse"}, "log-level": {"debug", "info", "warn", "error"}} {
		if err := cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)); err != nil {
			panic(err) // the flag does not exist: a mistake in this program
		}
	}
}

// load returns what flags, environment and licetd.json say together.
func (f *settingsFlags) load(env func(string) (string, bool), environ []string) (*config, error) {
	c := newConfig()
	// The home first, which has the file.
	if err := f.overlay(c, env, func(s *setting) bool { return s.name == "dir" }); err != nil {
		return nil, err
	}
	file, own := f.config, false
	if file == "" {
		file, _ = env("LICETD_CONFIG")
	}
	if file == "" {
		file, own = filepath.Join(c.dir, configName), true
	}
	if err := c.readFile(file, own); err != nil && !(own && errors.Is(err, fs.ErrNotExist)) {
		return nil, err
	}
	if err := f.overlay(c, env, func(*setting) bool { return true }); err != nil {
		return nil, err
	}
	c.noteVariables(environ)
	return c, c.check()
}

// overlay takes what the environment says, and then what flags say, of some settings.
func (f *settingsFlags) overlay(c *config, env func(string) (string, bool), of func(*setting) bool) error {
	for i := range settings {
		s := &settings[i]
		text, ok := env(s.variable())
		if !ok || text == "" || !of(s) {
			continue
		}
		values := []string{text}
		if s.clear != nil || s.object != nil {
			values = strings.Fields(text)
		}
		if err := s.take(c, values, place{name: s.variable()}); err != nil {
			return err
		}
	}
	for _, one := range f.flags {
		if len(one.values) > 0 && of(one.setting) {
			if err := one.setting.take(c, one.values, place{name: "--" + one.setting.name, flag: true}); err != nil {
				return &usageError{err}
			}
		}
	}
	return nil
}

// take takes all that was said of a setting at a place.
func (s *setting) take(c *config, values []string, at place) error {
	if s.clear != nil {
		s.clear(c)
	}
	for _, v := range values {
		if err := s.set(c, v, at); err != nil {
			return fmt.Errorf("%s: %w", at.name, err)
		}
	}
	return nil
}

// noteVariables notes variables that look like settings and are none. They are no
// error: whatever starts programs may set some, such as LICETD_PORT in a cluster that
// has a service of that name.
func (c *config) noteVariables(environ []string) {
	for _, e := range environ {
		name, _, _ := strings.Cut(e, "=")
		if !strings.HasPrefix(name, "LICETD_") || name == "LICETD_CONFIG" {
			continue
		}
		if !slices.ContainsFunc(settings, func(s setting) bool { return s.variable() == name }) {
			c.notes = append(c.notes, fmt.Sprintf("the environment has %s, which is no setting and has no effect", name))
		}
	}
}

// check looks at what settings mean together.
func (c *config) check() error {
	if (c.tlsCert == "") != (c.tlsKey == "") {
		return errors.New("tls_cert and tls_key belong together: give both, or neither for plain HTTP")
	}
	for n := range c.policies {
		if p := c.policy(n); p.Hold && p.Lease.Refresh == 0 {
			return fmt.Errorf("the policy of product %d has hold, which keeps a seat until its lease ends, and lease %s: change one", n, never)
		}
	}
	if p := c.policy(0); p.Hold && p.Lease.Refresh == 0 {
		return fmt.Errorf("the policy default has hold, which keeps a seat until its lease ends, and lease %s: change one", never)
	}
	if c.ledger.kind == "" {
		c.ledger = ledgerName{"sqlite", filepath.Join(c.dir, "activations.db")}
	}
	if host, _, _ := net.SplitHostPort(c.adminListen); !isLocal(host) {
		c.notes = append(c.notes, fmt.Sprintf("admin_listen is %s: whoever reaches it can list and release seats, for it asks for no password", c.adminListen))
	}
	if host, _, _ := net.SplitHostPort(c.listen); isLocal(host) && len(c.proxies) == 0 {
		c.notes = append(c.notes, "no trusted_proxies: behind a proxy all customers would count as one address")
	}
	return nil
}

// isLocal reports whether a host is this machine only.
func isLocal(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.IsLoopback()
}
