package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/licet-dev/licet/cmd/internal/home"
	"github.com/licet-dev/licet/keys"
)

// check says what would be served, opens no ledger and listens on nothing.
func TestCheck(t *testing.T) {
	i := newIssuer(t)
	batches := filepath.Join(t.TempDir(), "batches[1]")
	writeFile(t, filepath.Join(batches, "a.csv.manifest"), i.manifest(1, 100))
	writeFile(t, filepath.Join(batches, "a.csv"), "no manifest")
	tokens := filepath.Join(t.TempDir(), "tokens")
	writeFile(t, tokens, "# of the shop\n0123456789abcdef0123456789abcdef\n")
	writeFile(t, filepath.Join(i.dir, "revocations.txt"), i.list(4, farAhead))
	code, out, errs := licetd("check", "--dir", i.dir, "--identity", i.identity, "--manifests", batches, "--tokens-file", tokens,
		"--policy", "9,kind=account,seats=unlimited,lease=never", "--trusted-proxies", "127.0.0.1", "--min-version", "3", "--ledger", "postgres://licet@db/licet")
	if code != 0 || errs != "" {
		t.Fatalf("%d: %s", code, errs)
	}
	for _, want := range []string{
		"issuer       Acme Tools\n",
		"listen       127.0.0.1:8080, http\n",
		"ledger       postgres://db/licet\n",
		"key 8        " + i.private["hs256"].ID().String() + ", hs256, activated\n",
		"key 9        " + i.private["es256"].ID().String() + ", es256, activated\n",
		"key 10       " + i.private["coupon"].ID().String() + ", hs256, activated\n",
		"product 7    Widget: device, 1 seat, lease 30d, grace 14d, 5 give-backs a year\n",
		"product 9    Gadget: account, unlimited seats, lease never, 5 give-backs a year\n",
		"versions     from 3\n",
		"revocations  4, due 2099-01-01; read every 1m from ",
		"manifests    1\n",
		"callers      1 known\n",
		"proxies      127.0.0.1/32\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(out, "0123456789abcdef") {
		t.Error("the token is shown")
	}
	entries, err := os.ReadDir(i.dir)
	if err != nil || len(entries) != 4 { // ring, keys, recipients, list
		t.Errorf("%v, %v", entries, err)
	}

	// What is odd is a note, and not wrong.
	writeFile(t, filepath.Join(i.dir, "revocations.txt"), i.list(5, pastDue))
	code, out, errs = licetd("check", "--dir", i.dir, "--identity", i.identity, "--ledger", "none")
	if code != 0 || !strings.Contains(out, "key 10       "+i.private["coupon"].ID().String()+", hs256, refused: no-manifest\n") {
		t.Errorf("%d:\n%s", code, out)
	}
	for _, want := range []string{
		"note: no trusted_proxies", "note: the next revocation list was due at 2026-01-02", "note: codes of key 10 ", "give the manifests of its batches", "note: ledger none: seats are not counted",
	} {
		if !strings.Contains(errs, want) {
			t.Errorf("no %q in\n%s", want, errs)
		}
	}
}

// What can't be served is refused, with the file and the remedy, by check and by the
// server alike.
func TestRefusals(t *testing.T) {
	nobody := filepath.Join(t.TempDir(), "nobody.txt")
	writeFile(t, nobody, "AGE-SECRET-KEY-1AXFMDSURH7EECU3T2LKZPTEUM9R9MYNHVA2ZEHSVC5M9T4D5ZSJSUV46P5\n")
	for name, c := range map[string]struct {
		change func(t *testing.T, i *issuer) []string // returns more flags
		code   int
		want   string
	}{
		"list key": {func(t *testing.T, i *issuer) []string { i.put(t, "list"); return nil }, 1,
			"is a list key, which can revoke every licence, and an endpoint must not have it: make the endpoint a home of its own with licet endpoint init"},
		"es256 key": {func(t *testing.T, i *issuer) []string { i.put(t, "es256"); return nil }, 1,
			"mint-09.age is mint key 9 of suite es256"},
		"strange key": {func(t *testing.T, i *issuer) []string {
			writeFile(t, filepath.Join(i.dir, "keys", "mint-11.age"), "x")
			return nil
		}, 1, "mint-11.age is no key of the ring"},
		"no home": {func(t *testing.T, i *issuer) []string { return []string{"--dir", t.TempDir()} }, 1,
			"there is no endpoint's home in "},
		"no receipt key": {func(t *testing.T, i *issuer) []string {
			h := must(home.Open(i.dir))
			if err := os.Remove(h.KeyPath(keys.Receipt, 0, i.private["receipt"].ID())); err != nil {
				t.Fatal(err)
			}
			return nil
		}, 1, "has no private key of an active receipt key, and receipts are signed with it: bring it with licet endpoint update"},
		"closed receipt key": {func(t *testing.T, i *issuer) []string {
			h := must(home.Open(i.dir))
			if err := h.SaveRing(must(i.ring.Replace(i.key("receipt").WithState(keys.Closed)))); err != nil {
				t.Fatal(err)
			}
			return nil
		}, 1, "has no private key of an active receipt key"},
		"another identity": {func(t *testing.T, i *issuer) []string { return []string{"--identity", nobody} }, 1,
			"receipt-"},
		"damaged list": {func(t *testing.T, i *issuer) []string {
			writeFile(t, filepath.Join(i.dir, "revocations.txt"), strings.Replace(i.list(1, farAhead, 5), "5", "6", 1))
			return nil
		}, 1, "revocations.txt"},
		"no list where one is named": {func(t *testing.T, i *issuer) []string {
			return []string{"--revocations", filepath.Join(i.dir, "published.txt")}
		}, 1, "without any every revoked code would be good"},
		"policy of no product": {func(t *testing.T, i *issuer) []string { return []string{"--policy", "8,seats=2"} }, 1,
			"there is a policy of product 8, which "},
		"manifest that is none": {func(t *testing.T, i *issuer) []string {
			return []string{"--manifests", filepath.Join(i.dir, "ring.json")}
		}, 1,
			"ring.json: "},
		"folder without manifests": {func(t *testing.T, i *issuer) []string { return []string{"--manifests", i.dir} }, 1,
			"has no file whose name ends in .manifest"},
		"manifest of another issuer": {func(t *testing.T, i *issuer) []string {
			name := filepath.Join(t.TempDir(), "x.manifest")
			writeFile(t, name, newIssuer(t).manifest(1, 2))
			return []string{"--manifests", name}
		}, 1, "x.manifest: "},
		"short token": {func(t *testing.T, i *issuer) []string {
			name := filepath.Join(t.TempDir(), "tokens")
			writeFile(t, name, "\nsesame-123\n")
			return []string{"--tokens-file", name}
		}, 1, "tokens: line 2: a token has 22 to 512 characters"},
		"no token": {func(t *testing.T, i *issuer) []string {
			name := filepath.Join(t.TempDir(), "tokens")
			writeFile(t, name, "# none yet\n")
			return []string{"--tokens-file", name}
		}, 1, "tokens has no token"},
		"token with a blank": {func(t *testing.T, i *issuer) []string {
			name := filepath.Join(t.TempDir(), "tokens")
			writeFile(t, name, "sesame sesame sesame sesame\n")
			return []string{"--tokens-file", name}
		}, 1, "line 1: a token is of letters, digits and marks of ASCII"},
		"certificate that is none": {func(t *testing.T, i *issuer) []string {
			return []string{"--tls-cert", i.identity, "--tls-key", i.identity}
		}, 1, "tls_cert "},
		"half of TLS":  {func(t *testing.T, i *issuer) []string { return []string{"--tls-cert", i.identity} }, 1, "belong together"},
		"unknown flag": {func(t *testing.T, i *issuer) []string { return []string{"--listne", "x"} }, 2, "unknown flag: --listne"},
		"wrong flag":   {func(t *testing.T, i *issuer) []string { return []string{"--stale", "x"} }, 2, "--stale: "},
		"argument":     {func(t *testing.T, i *issuer) []string { return []string{"serve"} }, 2, `takes no argument, but got "serve"`},
		"file's mistake": {func(t *testing.T, i *issuer) []string {
			writeFile(t, filepath.Join(i.dir, configName), `{"x":1}`)
			return nil
		}, 1, "licetd.json: line 1: x: unknown member"},
	} {
		i := newIssuer(t)
		args := append([]string{"--dir", i.dir, "--identity", i.identity, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"}, c.change(t, i)...)
		if name == "another identity" {
			args = []string{"--dir", i.dir, "--identity", nobody}
		}
		for _, command := range [][]string{nil, {"check"}} {
			code, out, errs := licetd(append(command, args...)...)
			if code != c.code || out != "" || !strings.HasPrefix(errs, "licetd: ") || !strings.Contains(errs, c.want) || strings.Contains(errs, "sesame") && name != "argument" {
				t.Errorf("%s: %v: %d, %s%s\nwant %s", name, command, code, out, errs, c.want)
			}
		}
		if _, err := os.Stat(filepath.Join(i.dir, "activations.db")); err == nil {
			t.Errorf("%s: a ledger was made", name)
		}
	}
}

// The server alone opens the ledger.
func TestLedgerRefusals(t *testing.T) {
	i := newIssuer(t)
	base := []string{"--dir", i.dir, "--identity", i.identity, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"}
	code, _, errs := licetd(append(base, "--ledger", "sqlite:"+filepath.Join(i.dir, "no", "seats.db"))...)
	if code != 1 || !strings.Contains(errs, "there is no such folder for the ledger") {
		t.Errorf("%d: %s", code, errs)
	}
	t.Setenv("LICETD_LEDGER", "postgres://licet:secret@127.0.0.1:1/licet")
	code, _, errs = licetd(base...)
	if code != 1 || !strings.HasPrefix(errs, "licetd: postgres: ") || strings.Contains(errs, "secret") {
		t.Errorf("%d: %s", code, errs)
	}
}

// Keys are unlocked as systemd hands over what opens them, and by a file with their
// passphrase; flags count before.
func TestUnlock(t *testing.T) {
	i := newIssuer(t)
	credentials := t.TempDir()
	t.Setenv("CREDENTIALS_DIRECTORY", credentials)
	if code, _, errs := licetd("check", "--dir", i.dir); code != 1 || !strings.Contains(errs, "unlock it with --identity FILE") {
		t.Errorf("%d: %s", code, errs)
	}
	identity := must(os.ReadFile(i.identity))
	writeFile(t, filepath.Join(credentials, credentialIdentity), string(identity))
	if code, _, errs := licetd("check", "--dir", i.dir); code != 0 {
		t.Errorf("%d: %s", code, errs)
	}

	i.dir = filepath.Join(t.TempDir(), "passphrase")
	i.create(t, home.Encryption{Passphrase: "correct horse battery staple"})
	file := filepath.Join(t.TempDir(), "pass.txt")
	writeFile(t, file, "correct horse battery staple\n")
	if code, _, errs := licetd("check", "--dir", i.dir, "--passphrase-file", file); code != 0 {
		t.Errorf("%d: %s", code, errs)
	}
	writeFile(t, filepath.Join(credentials, credentialPassphrase), "wrong\n")
	if code, _, errs := licetd("check", "--dir", i.dir); code != 1 || !strings.Contains(errs, "wrong passphrase") {
		t.Errorf("%d: %s", code, errs)
	}
	if code, _, errs := licetd("check", "--dir", i.dir, "--passphrase-file", file); code != 0 {
		t.Errorf("%d: %s", code, errs)
	}
	writeFile(t, filepath.Join(credentials, credentialPassphrase), "correct horse battery staple\n")
	if code, _, errs := licetd("check", "--dir", i.dir); code != 0 {
		t.Errorf("%d: %s", code, errs)
	}
}

func TestVersionAndHelp(t *testing.T) {
	if code, out, errs := licetd("version"); code != 0 || !strings.HasPrefix(out, "licetd ") || !strings.Contains(out, "licet/v1") || errs != "" {
		t.Errorf("%d: %q, %q", code, out, errs)
	}
	code, out, _ := licetd("--help")
	if code != 0 || !strings.Contains(out, "licetd --dir endpoint\n") {
		t.Errorf("%d: %s", code, out)
	}
	for i := range settings {
		if !strings.Contains(out, "--"+settings[i].name) {
			t.Errorf("the help has no --%s", settings[i].name)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if code, out, errs := licetd("completion", shell); code != 0 || !strings.Contains(out, "licetd") || errs != "" {
			t.Errorf("%s: %d, %s", shell, code, errs)
		}
	}
}
