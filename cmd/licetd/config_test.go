package main

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// environ returns an environment for settingsFlags.load.
func environ(pairs ...string) (func(string) (string, bool), []string) {
	all := map[string]string{}
	var list []string
	for i := 0; i < len(pairs); i += 2 {
		all[pairs[i]] = pairs[i+1]
		list = append(list, pairs[i]+"="+pairs[i+1])
	}
	return func(name string) (string, bool) { v, ok := all[name]; return v, ok }, list
}

// load returns the configuration of flags, an environment and the text of licetd.json,
// "" for no file, in a home.
func load(t *testing.T, dir, file string, env []string, flags ...string) (*config, error) {
	t.Helper()
	if file != "" {
		writeFile(t, filepath.Join(dir, configName), file)
	}
	var f settingsFlags
	cmd := newRoot(nil, nil)
	cmd.ResetFlags()
	f.add(cmd)
	if err := cmd.ParseFlags(append([]string{"--dir", dir}, flags...)); err != nil {
		t.Fatal(err)
	}
	return f.load(environ(env...))
}

// Each setting can be said in three ways, and means the same in all of them.
func TestSettings(t *testing.T) {
	abs := func(name string) string { return filepath.Join(t.TempDir(), name) }
	a, b := abs("a"), abs("b")
	quoted := strconv.Quote
	said := map[string]struct {
		flags    []string
		variable string
		file     string // the member with its value
	}{
		"listen":                  {[]string{"[::1]:9000"}, "[::1]:9000", `"listen": "[::1]:9000"`},
		"admin-listen":            {[]string{"127.0.0.1:0"}, "127.0.0.1:0", `"admin_listen": "127.0.0.1:0"`},
		"ledger":                  {[]string{"none"}, "none", `"ledger": "none"`},
		"identity":                {[]string{a, b}, a + " " + b, `"identity": [` + quoted(a) + `, ` + quoted(b) + `]`},
		"passphrase-file":         {[]string{a}, a, `"passphrase_file": ` + quoted(a)},
		"policy":                  {[]string{"7,seats=3,lease=90d,give-backs=0", "default,kind=account,hold=true,grace=12h"}, "7,seats=3,lease=90d,give_backs=0 default,kind=account,hold=true,grace=12h", `"policies": {"7": {"seats": 3, "lease": "90d", "give_backs": 0}, "default": {"kind": "account", "hold": true, "grace": "12h"}}`},
		"limit":                   {[]string{"address=5/1m", "forgeries=none", "entries=1000"}, "address=5/1m forgeries=none entries=1000", `"limits": {"address": "5/1m", "forgeries": "none", "entries": 1000}`},
		"revocations":             {[]string{"https://example.com/r.txt"}, "https://example.com/r.txt", `"revocations": "https://example.com/r.txt"`},
		"revocations-every":       {[]string{"90s"}, "90s", `"revocations_every": "90s"`},
		"stale":                   {[]string{"refuse"}, "refuse", `"stale": "refuse"`},
		"manifests":               {[]string{a, b}, a + " " + b, `"manifests": [` + quoted(a) + `, ` + quoted(b) + `]`},
		"min-version":             {[]string{"3"}, "3", `"min_version": 3`},
		"strict":                  {[]string{"true"}, "true", `"strict": true`},
		"tokens-file":             {[]string{a}, a, `"tokens_file": ` + quoted(a)},
		"trusted-proxies":         {[]string{"127.0.0.1", "10.0.0.0/8"}, "127.0.0.1 10.0.0.0/8", `"trusted_proxies": ["127.0.0.1", "10.0.0.0/8"]`},
		"connections":             {[]string{"17"}, "17", `"connections": 17`},
		"connections-per-address": {[]string{"3"}, "3", `"connections_per_address": 3`},
		"tls-cert":                {[]string{a}, a, `"tls_cert": ` + quoted(a)},
		"tls-key":                 {[]string{a}, a, `"tls_key": ` + quoted(a)},
		"log-level":               {[]string{"debug"}, "debug", `"log_level": "debug"`},
	}
	for i := range settings {
		s := &settings[i]
		if s.name == "dir" {
			continue // see TestConfigFile
		}
		c, ok := said[s.name]
		if !ok {
			t.Errorf("%s is not tried", s.name)
			continue
		}
		dir := t.TempDir()
		// The halves of TLS belong together.
		pair := map[string]string{"tls-cert": "tls-key", "tls-key": "tls-cert"}[s.name]
		var more []string
		if pair != "" {
			more = []string{"--" + pair, b}
		}
		plain, err := load(t, dir, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		var flags []string
		for _, v := range c.flags {
			flags = append(flags, "--"+s.name+"="+v)
		}
		byFlag, err := load(t, dir, "", nil, append(flags, more...)...)
		if err != nil {
			t.Errorf("%s: %v", s.name, err)
			continue
		}
		if reflect.DeepEqual(byFlag, plain) {
			t.Errorf("--%s has no effect", s.name)
		}
		byVariable, err := load(t, dir, "", []string{s.variable(), c.variable}, more...)
		if err != nil || !reflect.DeepEqual(byVariable, byFlag) {
			t.Errorf("%s: %+v, %v; by flag %+v", s.variable(), byVariable, err, byFlag)
		}
		byFile, err := load(t, dir, "{"+c.file+"}", nil, more...)
		if err != nil || !reflect.DeepEqual(byFile, byFlag) {
			t.Errorf("%s: %+v, %v; by flag %+v", c.file, byFile, err, byFlag)
		}
	}
}

// A flag counts before the environment, and that before the file.
func TestPrecedence(t *testing.T) {
	const file = `{"listen": "127.0.0.1:1", "trusted_proxies": ["10.0.0.1"], "policies": {"7": {"seats": 2, "grace": "1d"}}, "limits": {"address": "1/1m", "code": "1/1m"}}`
	env := []string{"LICETD_LISTEN", "127.0.0.1:2", "LICETD_TRUSTED_PROXIES", "10.0.0.2 10.0.0.3", "LICETD_POLICY", "7,seats=3", "LICETD_LIMIT", "address=2/1m"}
	c, err := load(t, t.TempDir(), file, env)
	if err != nil {
		t.Fatal(err)
	}
	if c.listen != "127.0.0.1:2" || fmt.Sprint(c.proxies) != "[10.0.0.2/32 10.0.0.3/32]" {
		t.Errorf("%s, %v", c.listen, c.proxies)
	}
	if p := c.policy(7); p.Seats != 3 || durationText(p.Lease.Grace) != "1d" || durationText(p.Lease.Refresh) != "30d" {
		t.Errorf("%+v", p)
	}
	if c.limits.Address.N != 2 || c.limits.Code.N != 1 || c.limits.Device.N != 20 {
		t.Errorf("%+v", c.limits)
	}
	c, err = load(t, t.TempDir(), file, env, "--listen", "127.0.0.1:3", "--trusted-proxies", "10.0.0.4", "--policy", "7,seats=unlimited", "--limit", "address=none")
	if err != nil {
		t.Fatal(err)
	}
	if p := c.policy(7); c.listen != "127.0.0.1:3" || fmt.Sprint(c.proxies) != "[10.0.0.4/32]" || p.Seats != 1<<31-1 || durationText(p.Lease.Grace) != "1d" || c.limits.Address.N != 0 {
		t.Errorf("%s, %v, %+v, %+v", c.listen, c.proxies, p, c.limits)
	}
	// Of a setting that is one value the last flag counts.
	if c, err = load(t, t.TempDir(), "", nil, "--listen", "127.0.0.1:4", "--listen", "127.0.0.1:5"); err != nil || c.listen != "127.0.0.1:5" {
		t.Errorf("%+v, %v", c, err)
	}
	// A policy takes what it leaves open from the policy default.
	c, err = load(t, t.TempDir(), "", nil, "--policy", "7,seats=3", "--policy", "default,seats=9,lease=never")
	if err != nil {
		t.Fatal(err)
	}
	if p, other := c.policy(7), c.policy(8); p.Seats != 3 || p.Lease.Refresh != 0 || other.Seats != 9 {
		t.Errorf("%+v, %+v", p, other)
	}
}

// What licetd.json says is read strictly, and the error names the place.
func TestFileErrors(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{`{"listen": "127.0.0.1:1"`, "line 1: it ends too early"},
		{``, "line 1: it ends too early"},
		{"{\n\n\"listen\" \"127.0.0.1:1\"}", "line 3: not JSON"},
		{"{\n\"liste\": \"127.0.0.1:1\"}", "line 2: liste: unknown member"},
		{`{"Listen": "127.0.0.1:1"}`, "line 1: Listen: unknown member; did you mean listen?"},
		{`{"admin-listen": "127.0.0.1:1"}`, "admin-listen: unknown member; did you mean admin_listen?"},
		{`{"policy": {}}`, "policy: unknown member"},
		{`{"\u006cisten": "127.0.0.1:1", "listen": "127.0.0.1:1"}`, "line 1: listen occurs twice"},
		{`{"limits": {"code": "1/1m",` + "\n" + `"code": "1/1m"}}`, "line 2: limits.code occurs twice"},
		{`{"policies": {"7": {"seats": 1}, "7": {}}}`, "policies.7 occurs twice"},
		{`{"policies": {"7": {"Seats": 1}}}`, "policies.7.Seats: unknown member; did you mean seats?"},
		{`{"policies": {"7": {"give-backs": 1}}}`, "policies.7.give-backs: unknown member; did you mean give_backs?"},
		{`{"policies": {"7": {"seats": 0}}}`, `policies.7.seats: "0": want a number from 1 to`},
		{`{"policies": {"7": {"seats": true}}}`, "policies.7.seats: want a number or a string"},
		{`{"policies": {"7": {"hold": "true"}}}`, "policies.7.hold: want true or false"},
		{`{"policies": {"7": 3}}`, "policies.7: want an object"},
		{`{"policies": {"07": {"seats": 3}}}`, `"07": want the number of a product, or default`},
		{`{"policies": {"7": {"kind": "user"}}}`, `"user": want device or account`},
		{`{"policies": {"7": {"lease": "1h", "hold": {}}}}`, "want no object or list here"},
		{`{"policies": {"7": {"lease": "never", "hold": true}}}`, "the policy of product 7 has hold"},
		{`{"policies": {"default": {"lease": "never", "hold": true}}}`, "the policy default has hold"},
		{`{"limits": {"addresses": "1/1m"}}`, "limits.addresses: unknown member"},
		{`{"limits": {"address": 5}}`, "limits.address: want a string"},
		{`{"limits": {"address": "5"}}`, `"5": want a number in a time, such as 60/1m, or none`},
		{`{"limits": {"entries": 0}}`, "limits.entries"},
		{`{"limits": []}`, "limits: want an object"},
		{`{"foo": {}}`, "foo: unknown member"},
		{`{"listen": null}`, "listen is null: leave it out"},
		{`{"listen": 8080}`, "listen: want a string"},
		{`{"listen": "8080"}`, `"8080": want an IP address and a port`},
		{`{"listen": "example.com:80"}`, "want an IP address and a port"},
		{`{"listen": "127.0.0.1:99999"}`, "want an IP address and a port"},
		{`{"listen": ["127.0.0.1:1"]}`, "listen: want a string"},
		{`{"min_version": "3"}`, "min_version: want a number"},
		{`{"min_version": 1.5}`, `"1.5": want a whole number`},
		{`{"min_version": -1}`, `"-1": want a whole number`},
		{`{"strict": 1}`, "strict: want true or false"},
		{`{"trusted_proxies": "127.0.0.1"}`, "trusted_proxies: want a list"},
		{`{"trusted_proxies": [1]}`, "trusted_proxies: want a string"},
		{`{"trusted_proxies": [["127.0.0.1"]]}`, "trusted_proxies: want no object or list here"},
		{`{"trusted_proxies": ["localhost"]}`, `"localhost": want an address`},
		{`{"trusted_proxies": ["0.0.0.0/0"]}`, "would let anybody say who he is"},
		{`{"trusted_proxies": ["10.0.0.1/8"]}`, "want 10.0.0.0/8"},
		{`{"connections": 0}`, "connections: "},
		{`{"manifests": [""]}`, "it is empty: name a file"},
		{`{"ledger": "mysql://root:secret@db"}`, "ledger: want none, sqlite:FILE, or a URL that begins with postgres://"},
		{`{"ledger": "postgres://u:se%cret@db"}`, "the URL can't be read"},
		{`{"ledger": "sqlite:"}`, "it is empty: name a file"},
		{`{"revocations": "https://u:secret@example.com/x"}`, "without a password"},
		{`{"revocations_every": "10ms"}`, "want a time"},
		{`{"revocations_every": "0s"}`, "want 1s or more"},
		{`{"stale": "ignore"}`, `"ignore": want report or refuse`},
		{`{"log_level": "INFO"}`, `"INFO": want debug, info, warn or error`},
		{`{"tls_cert": "a"}`, "tls_cert and tls_key belong together"},
		{`{"dir": "elsewhere"}`, "this file lies in the home, so it can't name another"},
		{`{} {}`, "there is something after the object"},
		{`[]`, "want an object"},
		{"{\"listen\": \"\xff\"}", "it is not UTF-8"},
		{`{"listen": "\ud800"}`, "half a character"},
		{`{"a":{"b":{"c":{"d":1}}}}`, "want no object or list here"},
		{`{` + strings.Repeat(" ", maxConfig) + `}`, "has more than 1048576 bytes"},
	} {
		dir := t.TempDir()
		file := c.file
		if file == "" {
			file = " "
		}
		_, err := load(t, dir, file, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "cret@") {
			t.Errorf("%.60s: %v, want %s", c.file, err, c.want)
		}
		if err != nil && !strings.HasPrefix(err.Error(), filepath.Join(dir, configName)) && !strings.Contains(c.want, "belong together") && !strings.Contains(c.want, "has hold") {
			t.Errorf("%.60s: %v does not name the file", c.file, err)
		}
	}
}

// What flags and variables say is held to the same, and the error names them.
func TestFlagErrors(t *testing.T) {
	for _, c := range []struct {
		flags []string
		want  string
	}{
		{[]string{"--policy", "7"}, `--policy: "7": want a product or default and members`},
		{[]string{"--policy", "7,seats"}, `--policy: "7,seats": want members such as seats=3, but found "seats"`},
		{[]string{"--policy", "7,seats=1,seats=2"}, "seats occurs twice"},
		{[]string{"--policy", "7,seat=1"}, `a policy has no member "seat"`},
		{[]string{"--policy", "seven,seats=1"}, `"seven": want the number of a product, or default`},
		{[]string{"--policy", "7,lease=1s"}, "want 1m or more, or never"},
		{[]string{"--policy", "7,lease=1mo"}, "want a time"},
		{[]string{"--policy", "7,grace=never"}, "want a time"},
		{[]string{"--policy", "7,give-backs=-1"}, "0 or more"},
		{[]string{"--policy", "7,hold=yes"}, "want true or false"},
		{[]string{"--limit", "address"}, "want a name and a rate"},
		{[]string{"--limit", "all=1/1m"}, `there is no limit "all"`},
		{[]string{"--limit", "code=0/1m"}, "or none"},
		{[]string{"--listen", ""}, "want an IP address and a port"},
		{[]string{"--ledger", "postgres://licet:secret@db/licet"}, "a password in an argument shows in the list of processes"},
		{[]string{"--ledger", "postgres://db/licet?password=secret"}, "a password in an argument shows in the list of processes"},
		{[]string{"--strict=maybe"}, "want true or false"},
	} {
		_, err := load(t, t.TempDir(), "", nil, c.flags...)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), strings.SplitN(c.flags[0], "=", 2)[0]+": ") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v: %v, want %s", c.flags, err, c.want)
		}
		if _, ok := err.(*usageError); !ok {
			t.Errorf("%v: %T is no usage error", c.flags, err)
		}
	}
	_, err := load(t, t.TempDir(), "", []string{"LICETD_STALE", "ignore"})
	if err == nil || !strings.HasPrefix(err.Error(), "LICETD_STALE: ") {
		t.Error(err)
	}
	// Elsewhere a password is in its place, and shown nowhere.
	c, err := load(t, t.TempDir(), "", []string{"LICETD_LEDGER", "postgres://licet:secret@db:5433/licet?password=secret"})
	if err != nil || c.ledger.at != "postgres://licet:secret@db:5433/licet?password=secret" || c.ledger.String() != "postgres://db:5433/licet" {
		t.Errorf("%v, %v", c, err)
	}
}

// Paths of the file go from its folder, those of flags from the current one, and --config
// names another file, which may name the home.
func TestConfigFile(t *testing.T) {
	dir := t.TempDir()
	c, err := load(t, dir, `{"ledger": "sqlite:seats.db", "manifests": ["batches"], "tokens_file": "../tokens"}`, nil)
	if err != nil || c.ledger.at != filepath.Join(dir, "seats.db") || c.manifests[0] != filepath.Join(dir, "batches") || c.tokensFile != filepath.Join(filepath.Dir(dir), "tokens") {
		t.Errorf("%+v, %v", c, err)
	}
	c, err = load(t, dir, "", nil, "--ledger", "sqlite:seats.db", "--manifests", "batches")
	if err != nil || c.ledger.at != "seats.db" || c.manifests[0] != "batches" {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err = load(t, t.TempDir(), "", nil); err != nil || c.ledger.String() != "sqlite:"+filepath.Join(c.dir, "activations.db") {
		t.Errorf("%+v, %v", c, err)
	}

	other := filepath.Join(t.TempDir(), "other.json")
	writeFile(t, other, `{"dir": "home", "listen": "127.0.0.1:7"}`)
	var f settingsFlags
	cmd := newRoot(nil, nil)
	cmd.ResetFlags()
	f.add(cmd)
	if err := cmd.ParseFlags([]string{"--config", other}); err != nil {
		t.Fatal(err)
	}
	c, err = f.load(environ())
	if err != nil || c.dir != filepath.Join(filepath.Dir(other), "home") || c.listen != "127.0.0.1:7" || c.ledger.at != filepath.Join(c.dir, "activations.db") {
		t.Errorf("%+v, %v", c, err)
	}
	// One that is named must be there.
	if _, err := load(t, t.TempDir(), "", nil, "--config", filepath.Join(t.TempDir(), "none.json")); err == nil {
		t.Error("a file that is not there is passed over")
	}
	if _, err := load(t, t.TempDir(), "", []string{"LICETD_CONFIG", filepath.Join(t.TempDir(), "none.json")}); err == nil {
		t.Error("a file that is not there is passed over")
	}
}

// A variable that is no setting is told, and what is odd about the addresses.
func TestNotes(t *testing.T) {
	c, err := load(t, t.TempDir(), "", []string{"LICETD_PORT", "tcp://10.0.0.1:80", "LICETD_LISTEN", "127.0.0.1:0", "HOME", "/"}, "--admin-listen", ":8081")
	if err != nil || len(c.notes) != 3 || !strings.HasPrefix(c.notes[0], "the environment has LICETD_PORT, which is no setting") ||
		!strings.HasPrefix(c.notes[1], "admin_listen is :8081: whoever reaches it") || !strings.HasPrefix(c.notes[2], "no trusted_proxies") {
		t.Errorf("%q, %v", c.notes, err)
	}
	c, err = load(t, t.TempDir(), "", nil, "--trusted-proxies", "127.0.0.1")
	if err != nil || len(c.notes) != 0 {
		t.Errorf("%q, %v", c.notes, err)
	}
}

func TestDurations(t *testing.T) {
	for text, want := range map[string]string{
		"30d": "30d", "24h": "1d", "36h": "36h", "90m": "1h30m", "60s": "1m", "61s": "1m1s", "0s": "0s", "0d": "0s", "3660d": "3660d", "1h": "1h",
	} {
		d, err := parseDuration(text)
		if got := durationText(d); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", text, got, err, want)
		}
		if back, err := parseDuration(want); err != nil || back != d {
			t.Errorf("%s does not read back: %s, %v", want, back, err)
		}
	}
	for _, text := range []string{"", "30", "d", "-1d", "1.5d", "3661d", "99999d", "1ms", "1mo", "1y", "-1h", "100000h", "1h1ms"} {
		if d, err := parseDuration(text); err == nil {
			t.Errorf("%q: %s", text, d)
		}
	}
}
