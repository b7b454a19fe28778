package api

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/activation/internal/wire"
	"github.com/licet-dev/licet/activation/limit"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/receipt"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/verifier"
)

// EP-11: the reply has the nonce, the device and the time, signed.
func TestActivate(t *testing.T) {
	s := serve(t, newService(t, withLedger(&ledger{None: activation.None{Clock: clock}, enforced: true})))
	for name, fields := range map[string][]string{
		"bare key":     {},
		"quoted key":   {"Idempotency-Key", `"` + idemKey + `"`},
		"charset":      {"Content-Type", `application/json; charset="UTF-8"`},
		"upper case":   {"Content-Type", "Application/JSON"},
		"own id":       {"X-Request-Id", "order-4711_a.b"},
		"bearer token": {"Authorization", "bearer " + token},
	} {
		a := s.do(t, "POST", "/v1/activations", activationBody(), fields...)
		if a.StatusCode != 200 || a.Header.Get("Content-Type") != "application/json" || a.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d, %v, %s", name, a.StatusCode, a.Header, a.text)
			continue
		}
		var r wire.Reply
		read(t, a.text, &r)
		if r.Status != "granted" || !r.SeatsEnforced || r.Seats == nil || *r.Seats != 3 ||
			r.Issued != "2026-12-01T12:00:00Z" || r.RefreshBy != "2026-12-31T12:00:00Z" || r.End != "2027-01-07T12:00:00Z" ||
			r.License.KeyID != hsKey.ID().String() || r.License.Product != 7 || r.License.Serial != "1000" || r.License.Version != 3 ||
			r.License.Expiry != "2027-12-31" || r.License.Start != "" || r.License.Fields != nil {
			t.Errorf("%s: %s", name, a.text)
		}
		// The receipt says the same, and verifies with nothing but the ring.
		v := must(verifier.New(ring, verifier.Options{Products: []uint64{7}, Clock: clock}))
		if _, err := v.VerifyReply(r.Receipt, this, nonce); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if id := s.do(t, "POST", "/v1/activations", activationBody(), "X-Request-Id", "order-4711_a.b").Header.Get("X-Request-Id"); id != "order-4711_a.b" {
		t.Errorf("request id %q", id)
	}
	for _, id := range []string{"", "short", strings.Repeat("x", 65), "white space", "quote\"d-text", "ümlaut-text"} {
		if got := s.do(t, "GET", "/v1/keys", "", "X-Request-Id", id).Header.Get("X-Request-Id"); got == id || len(got) != 26 {
			t.Errorf("request id %q for %q", got, id)
		}
	}
}

// What a ledger without seats says.
func TestActivateWithoutLedger(t *testing.T) {
	s := serve(t, newService(t, func(c *activation.Config) { c.Default.Lease = activation.Lease{} }))
	a := s.do(t, "POST", "/v1/activations", activationBody())
	if strings.Contains(a.text, `"seats"`) || !strings.Contains(a.text, `"seats_enforced":false`) || !strings.Contains(a.text, `"refresh_by":"never","end":"never"`) {
		t.Error(a.text)
	}
}

// EP-18: unlimited is said in one way.
func TestUnlimitedSeats(t *testing.T) {
	s := serve(t, newService(t, withLedger(&ledger{None: activation.None{Clock: clock}, enforced: true}), func(c *activation.Config) { c.Default.Seats = activation.Unlimited }))
	for _, a := range []answer{s.do(t, "POST", "/v1/activations", activationBody()), s.do(t, "POST", "/v1/activations/preview", previewOf(code))} {
		if !strings.Contains(a.text, `"seats":0,`) {
			t.Error(a.text)
		}
	}
}

func TestPreviewRefreshRelease(t *testing.T) {
	s := serve(t, newService(t))
	text := s.activated(t)

	a := s.do(t, "POST", "/v1/activations/preview", previewOf(code))
	var p wire.PreviewReply
	read(t, a.text, &p)
	if a.StatusCode != 200 || p.Status != "previewed" || p.Seats != 3 || p.Kind != "device" || p.License.Serial != "1000" {
		t.Errorf("%d: %s", a.StatusCode, a.text)
	}
	a = s.do(t, "POST", "/v1/activations/refresh", refreshOf(text))
	var r wire.Reply
	read(t, a.text, &r)
	if a.StatusCode != 200 || r.Status != "refreshed" || r.Receipt == "" || r.RefreshBy != "2026-12-31T12:00:00Z" {
		t.Errorf("%d: %s", a.StatusCode, a.text)
	}
	a = s.do(t, "POST", "/v1/activations/release", releaseOf(text))
	r = wire.Reply{}
	read(t, a.text, &r)
	if a.StatusCode != 200 || r.Status != "released" || r.Receipt != "" || r.Issued != "" || r.License.Serial != "1000" {
		t.Errorf("%d: %s", a.StatusCode, a.text)
	}
}

// Replayed and held are told.
func TestOutcomes(t *testing.T) {
	for _, outcome := range []activation.Outcome{activation.Granted, activation.Replayed, activation.Held} {
		s := serve(t, newService(t, withLedger(&ledger{None: activation.None{Clock: clock}, enforced: true, outcome: outcome})))
		a := s.do(t, "POST", "/v1/activations", activationBody())
		if !strings.HasPrefix(a.text, fmt.Sprintf(`{"status":%q,`, outcome)) {
			t.Errorf("%v: %s", outcome, a.text)
		}
		if line := s.lines(t, 1)[0]; line["outcome"] != outcome.String() || line["seat"] != 1.0 || (line["replay"] == true) != (outcome == activation.Replayed) {
			t.Errorf("%v: %v", outcome, line)
		}
	}
}

// Every problem of the real service has its status and type.
func TestProblems(t *testing.T) {
	for name, c := range map[string]struct {
		config  func(*activation.Config)
		path    string // of activations, if empty
		body    string
		key     string
		status  int
		problem string
		check   func(wire.Problem) bool
	}{
		"typing error": {body: activationBody(withCode(strings.Replace(code, "Q", "R", 1))), status: 400, problem: "malformed-code",
			check: func(p wire.Problem) bool { return p.Reason == "typo" && p.Detail != "" && len(p.Places) == 1 }},
		"no code":                {body: activationBody(withCode("")), status: 400, problem: "malformed-code", check: func(p wire.Problem) bool { return p.Reason == "empty" }},
		"EP-10 bad signature":    {body: activationBody(withCode(forged())), status: 403, problem: "code-refused"},
		"EP-21 of another issue": {body: activationBody(withCode(minted(func(l *payload.License) { l.Product = 8 }))), status: 403, problem: "wrong-product"},
		"expired":                {body: activationBody(withCode(minted(func(l *payload.License) { l.Expiry = payload.Date(2026, 11, 30) }))), status: 403, problem: "expired"},
		"too old": {config: func(c *activation.Config) { c.MinVersion = 4 }, body: activationBody(), status: 403, problem: "version-too-old",
			check: func(p wire.Problem) bool { return p.MinVersion == 4 }},
		"EP-12 no nonce": {body: activationBody(func(b *wire.Activation) { b.Nonce = "" }), status: 400, problem: "malformed-request"},
		"EP-02 no device": {body: activationBody(func(b *wire.Activation) { b.Subject.Hash = "" }), status: 400, problem: "malformed-request",
			check: func(p wire.Problem) bool { return strings.Contains(p.Detail, "subject.hash") }},
		"EP-02 zeros":          {body: activationBody(func(b *wire.Activation) { b.Subject.Hash = strings.Repeat("0", 64) }), status: 400, problem: "malformed-request"},
		"EP-22 upper case":     {body: activationBody(func(b *wire.Activation) { b.Subject.Hash = strings.ToUpper(hash(this)) }), status: 400, problem: "malformed-request"},
		"account of a device":  {body: activationBody(func(b *wire.Activation) { b.Subject.Kind = "account" }), status: 400, problem: "malformed-request"},
		"wrong kind":           {config: func(c *activation.Config) { c.Default.Kind = receipt.Account }, body: activationBody(), status: 403, problem: "wrong-kind"},
		"EP-05 full":           {config: withLedger(&ledger{fail: activation.ErrFull}), body: activationBody(), status: 409, problem: "seats-exhausted", check: func(p wire.Problem) bool { return p.Seats == 3 }},
		"EP-04 key reused":     {config: withLedger(&ledger{fail: activation.ErrKeyReused}), body: activationBody(), status: 422, problem: "idempotency-key-reused"},
		"given back":           {config: withLedger(&ledger{fail: activation.ErrGone}), body: activationBody(), status: 410, problem: "released"},
		"EP-15 busy":           {config: withLedger(&ledger{fail: activation.ErrBusy}), body: activationBody(), status: 503, problem: "unavailable"},
		"disk full":            {config: withLedger(&ledger{fail: errors.New("disk is full")}), body: activationBody(), status: 503, problem: "unavailable"},
		"too many":             {config: withLimits(activation.Limits{Address: limit.Rate{N: 1, Per: 10 * time.Second}}), body: activationBody(), status: 429, problem: "quota-exceeded"},
		"preview, forged":      {path: "/preview", body: previewOf(forged()), status: 403, problem: "code-refused"},
		"preview, no code":     {path: "/preview", body: "{}", status: 400, problem: "malformed-request"},
		"EP-20 of another":     {path: "/refresh", body: strings.Replace(refreshOf("RECEIPT"), hash(this), hash(other), 1), status: 403, problem: "receipt-refused"},
		"no receipt":           {path: "/refresh", body: refreshOf("abc"), status: 403, problem: "receipt-refused"},
		"release of another":   {path: "/release", body: strings.Replace(releaseOf("RECEIPT"), hash(this), hash(other), 1), status: 403, problem: "receipt-refused"},
		"no give-backs left":   {config: withLedger(&ledger{None: activation.None{Clock: clock}, fail: activation.ErrGiveBacks}), path: "/release", body: releaseOf("RECEIPT"), status: 409, problem: "give-backs-exhausted"},
		"refresh of given up":  {config: withLedger(&ledger{None: activation.None{Clock: clock}, fail: activation.ErrGone}), path: "/refresh", body: refreshOf("RECEIPT"), status: 410, problem: "released"},
		"receipt of bad nonce": {path: "/refresh", body: strings.Replace(refreshOf("RECEIPT"), nonce, "abc", 1), status: 400, problem: "malformed-request"},
	} {
		t.Run(name, func(t *testing.T) {
			text := serve(t, newService(t)).activated(t)
			if c.config == nil {
				c.config = func(*activation.Config) {}
			}
			s := serve(t, newService(t, c.config))
			body := strings.Replace(c.body, "RECEIPT", text, 1)
			if c.problem == "quota-exceeded" {
				s.do(t, "POST", "/v1/activations", body)
			}
			a := s.do(t, "POST", "/v1/activations"+c.path, body)
			p := a.requireProblem(t, c.status, c.problem)
			if c.check != nil && !c.check(p) || p.Detail == "" {
				t.Errorf("%+v", p)
			}
			if a.Header.Get("Cache-Control") != "no-store" {
				t.Error("it may be cached")
			}
			wait, err := strconv.Atoi(a.Header.Get("Retry-After"))
			if needs := c.status == 429 || c.status == 503; needs != (err == nil && wait > 0) {
				t.Errorf("Retry-After %q", a.Header.Get("Retry-After"))
			}
			if c.status == 429 && (wait < 10 || wait > 14) {
				t.Errorf("Retry-After %d, want 10 to 14", wait)
			}
			if a.Header.Get("RateLimit") != "" {
				t.Errorf("RateLimit %q without a limit", a.Header.Get("RateLimit"))
			}
		})
	}
}

// Every problem has a status and a title of its own.
func TestEveryProblem(t *testing.T) {
	titles := map[string]bool{}
	for _, p := range []activation.Problem{
		activation.BadRequest, activation.MalformedCode, activation.QuotaExceeded, activation.CodeRefused, activation.ReceiptRefused,
		activation.WrongProduct, activation.WrongKind, activation.Revoked, activation.VersionTooOld, activation.NotYetValid, activation.Expired,
		activation.SeatsExhausted, activation.NoGiveBacks, activation.Released, activation.KeyReused, activation.Unavailable,
		problemNotFound, problemMethodNotAllowed, problemTooLarge, problemMediaType, problemTimeout, problemUnauthorized, problemInternal,
	} {
		kind, ok := kinds[p]
		if !ok || kind.status < 400 || titles[kind.title] {
			t.Errorf("%s: %+v", p, kind)
		}
		titles[kind.title] = true
		a := serve(t, fake{err: &activation.Error{Problem: p, Detail: "a detail", Reason: "a-reason"}}).do(t, "POST", "/v1/activations", activationBody())
		a.requireProblem(t, kind.status, string(p))
		if limited := a.Header.Get("RateLimit") != ""; limited != isPrivate(p) {
			t.Errorf("%s: RateLimit %t, private %t", p, limited, isPrivate(p))
		}
	}
	if len(titles) != len(kinds) {
		t.Errorf("%d of %d problems", len(titles), len(kinds))
	}
	// What nobody knows is a fault of ours, and tells nothing.
	a := serve(t, fake{err: errors.New("secret " + code)}).do(t, "POST", "/v1/activations", activationBody())
	if p := a.requireProblem(t, 500, "internal-error"); p.Detail != "" {
		t.Errorf("%+v", p)
	}
}

func TestRateLimitFields(t *testing.T) {
	s := serve(t, newService(t, withLimits(activation.Limits{Address: limit.Rate{N: 60, Per: time.Minute}})), func(o *Options) { o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	for i, c := range []struct {
		body string
		want string
	}{
		{activationBody(), `"address";r=59;t=1`},
		{activationBody(withCode(forged())), ""},
		{activationBody(withCode("ACME")), ""},
		{activationBody(withCode(minted(func(l *payload.License) { l.Product = 8 }))), `"address";r=56;t=4`},
		{"{}", ""},
		{activationBody(), `"address";r=55;t=5`},
	} {
		a := s.do(t, "POST", "/v1/activations", c.body, "X-Forwarded-For", "192.0.2.1")
		policy := ""
		if c.want != "" {
			policy = `"address";q=60;w=60`
		}
		if got := a.Header.Get("RateLimit"); got != c.want || a.Header.Get("RateLimit-Policy") != policy {
			t.Errorf("%d: RateLimit %q, policy %q, want %q", i, got, a.Header.Get("RateLimit-Policy"), c.want)
		}
	}
}

// EP-09: who guesses behind an address does not keep others there from activating, up
// to the rate of the address; then they are told for how long.
func TestManyBehindOneAddress(t *testing.T) {
	s := serve(t, newService(t, withLimits(activation.DefaultLimits())))
	refused, limited := 0, 0
	for range 30 {
		switch a := s.do(t, "POST", "/v1/activations", activationBody(withCode(forged()))); a.StatusCode {
		case 403:
			refused++
		case 429:
			limited++
		}
	}
	if refused != 10 || limited != 20 {
		t.Errorf("%d refused, %d limited, want 10 and 20", refused, limited)
	}
	for i := range 31 {
		subject := must(receipt.NewSubject(receipt.Device, fmt.Sprint("machine ", i)))
		a := s.do(t, "POST", "/v1/activations", activationBody(func(b *wire.Activation) { b.Subject.Hash = hash(subject) }))
		if i < 30 && a.StatusCode != 200 || i == 30 && (a.StatusCode != 429 || a.Header.Get("Retry-After") == "") {
			t.Errorf("customer %d: %d: %s", i, a.StatusCode, a.text)
		}
	}
}

// An account needs a known caller, and is not counted by address.
func TestAccounts(t *testing.T) {
	forAccounts := func(c *activation.Config) { c.Default.Kind = receipt.Account }
	s := serve(t, newService(t, forAccounts, withLimits(activation.Limits{Address: limit.Rate{N: 60, Per: time.Minute}})))
	body := activationBody(func(b *wire.Activation) { b.Subject = wire.Subject{Kind: "account", Hash: hash(account)} })
	a := s.do(t, "POST", "/v1/activations", body, "Authorization", "Bearer "+token)
	if a.StatusCode != 200 || a.Header.Get("RateLimit") != "" {
		t.Errorf("%d, RateLimit %q: %s", a.StatusCode, a.Header.Get("RateLimit"), a.text)
	}
	s.do(t, "POST", "/v1/activations", body).requireProblem(t, 400, "malformed-request")
	for _, wrong := range []string{"Bearer " + token + "x", "Bearer ", "Bearer", "Basic " + token, token} {
		a := s.do(t, "POST", "/v1/activations", body, "Authorization", wrong)
		a.requireProblem(t, 401, "unauthorized")
		if a.Header.Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("%v", a.Header)
		}
	}
	a = s.do(t, "POST", "/v1/activations", body, "Authorization", "Bearer "+token, "Authorization", "Bearer "+token)
	a.requireProblem(t, 400, "malformed-request")
	// Without tokens nobody is known, not even with an empty one.
	s = serve(t, newService(t, forAccounts), func(o *Options) { o.Tokens = nil })
	s.do(t, "POST", "/v1/activations", body, "Authorization", "Bearer "+token).requireProblem(t, 401, "unauthorized")
}

// EP-10: everything from the key number to the signature has one answer.
func TestOneRefusal(t *testing.T) {
	unknown := must(keys.ParseDescriptor(strings.Replace(strings.Replace(hsDescriptor, "key=8", "key=9", 1), "ACME", "", 1)))
	private := must(keys.NewHS256(unknown, must(keys.NewSecret([]byte("01234567890123456789012345678901")))))
	s := serve(t, newService(t))
	first, last := forged(), strings.Replace(forged(), "-", "", -1)
	var want string
	for name, text := range map[string]string{
		"bad signature": first, "bad signature, without hyphens": last,
		"unknown key": mintedWith(private, unknown),
	} {
		a := s.do(t, "POST", "/v1/activations", activationBody(withCode(text)), "X-Request-Id", "the-same-id")
		a.requireProblem(t, 403, "code-refused")
		a.Header.Del("Date")
		got := fmt.Sprint(a.Header, a.text)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
	}
	// Strict, so has what is wrong with a genuine code.
	strict := serve(t, newService(t, withLimits(activation.Limits{Address: limit.Rate{N: 60, Per: time.Minute}})), func(o *Options) { o.Strict = true })
	for name, change := range map[string]func(*payload.License){
		"expired": func(l *payload.License) { l.Expiry = payload.Date(2026, 11, 30) }, "other product": func(l *payload.License) { l.Product = 8 },
	} {
		a := strict.do(t, "POST", "/v1/activations", activationBody(withCode(minted(change))), "X-Request-Id", "the-same-id")
		a.Header.Del("Date")
		if got := fmt.Sprint(a.Header, a.text); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
	}
	for _, fail := range []error{activation.ErrFull, activation.ErrGone, activation.ErrKeyReused} {
		strict := serve(t, newService(t, withLedger(&ledger{fail: fail})), func(o *Options) { o.Strict = true })
		a := strict.do(t, "POST", "/v1/activations", activationBody(), "X-Request-Id", "the-same-id")
		a.Header.Del("Date")
		if got := fmt.Sprint(a.Header, a.text); got != want {
			t.Errorf("%v:\n%s\nwant\n%s", fail, got, want)
		}
		if line := strict.lines(t, 1)[0]; line["outcome"] == "code-refused" || line["status"] != 403.0 {
			t.Errorf("the log has %v", line)
		}
	}
	// What has no part in the code stays as it is.
	strict.do(t, "POST", "/v1/activations", "{}").requireProblem(t, 400, "malformed-request")
	strict.do(t, "POST", "/v1/nothing", "{}").requireProblem(t, 404, "not-found")
	strict = serve(t, newService(t, withLedger(&ledger{fail: activation.ErrGone})), func(o *Options) { o.Strict = true })
	text := s.activated(t)
	strict.do(t, "POST", "/v1/activations/refresh", refreshOf(text)).requireProblem(t, 403, "receipt-refused")
}

func TestRoutes(t *testing.T) {
	s := serve(t, newService(t))
	for _, path := range []string{"/", "/v1", "/v1/", "/v1/activations/", "/v1/activations/x", "/V1/activations", "/v1/keys/", "/v1//keys", "/healthz", "/v1/activations/%70review/"} {
		for _, method := range []string{"GET", "POST", "DELETE"} {
			s.do(t, method, path, "").requireProblem(t, 404, "not-found")
		}
	}
	for path, allow := range map[string]string{
		"/v1/activations": "POST", "/v1/activations/preview": "POST", "/v1/activations/refresh": "POST", "/v1/activations/release": "POST",
		"/v1/keys": "GET, HEAD", "/v1/revocations": "GET, HEAD",
	} {
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "HEAD"} {
			if strings.Contains(allow, method) {
				continue
			}
			a := s.do(t, method, path, "")
			if a.StatusCode != 405 || a.Header.Get("Allow") != allow {
				t.Errorf("%s %s: %d, Allow %q", method, path, a.StatusCode, a.Header.Get("Allow"))
			}
			if method != "HEAD" {
				a.requireProblem(t, 405, "method-not-allowed")
			}
		}
	}
}

func TestMounted(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("/licences/", http.StripPrefix("/licences", New(newService(t), Options{Ring: ring})))
	server := httptest.NewServer(mux)
	defer server.Close()
	s := &site{Server: server, log: &lockedBuffer{}}
	if a := s.do(t, "POST", "/licences/v1/activations", activationBody(), "Idempotency-Key", idemKey); a.StatusCode != 200 {
		t.Errorf("%d: %s", a.StatusCode, a.text)
	}
	s.do(t, "GET", "/licences/v1/activation", "").requireProblem(t, 404, "not-found")
}

func TestKeys(t *testing.T) {
	s := serve(t, newService(t))
	a := s.do(t, "GET", "/v1/keys", "")
	var set struct {
		Keys []map[string]string `json:"keys"`
	}
	read(t, a.text, &set)
	if a.StatusCode != 200 || a.Header.Get("Content-Type") != "application/jwk-set+json" || !strings.Contains(a.Header.Get("Cache-Control"), "public") || len(set.Keys) != 1 {
		t.Fatalf("%d, %v: %s", a.StatusCode, a.Header, a.text)
	}
	// With that alone, and nothing of this module, a receipt verifies.
	k := set.Keys[0]
	if k["kid"] != recpt.ID().String() || k["alg"] != "ES256" || k["kty"] != "EC" || k["crv"] != "P-256" || k["use"] != "sig" || len(k) != 7 {
		t.Errorf("%v", k)
	}
	number := func(s string) *big.Int { return new(big.Int).SetBytes(must(base64.RawURLEncoding.DecodeString(s))) }
	public := must(ecdsa.ParseUncompressedPublicKey(elliptic.P256(), append(append([]byte{4}, number(k["x"]).FillBytes(make([]byte, 32))...), number(k["y"]).FillBytes(make([]byte, 32))...)))
	text := s.activated(t)
	dot := strings.LastIndex(text, ".")
	sig := must(base64.RawURLEncoding.DecodeString(text[dot+1:]))
	if !ecdsa.Verify(public, digest(text[:dot]), new(big.Int).SetBytes(sig[:32]), new(big.Int).SetBytes(sig[32:])) {
		t.Error("the signature is not good")
	}

	serve(t, newService(t), func(o *Options) { o.Ring = nil }).do(t, "GET", "/v1/keys", "").requireProblem(t, 404, "not-found")
}

func TestRevocations(t *testing.T) {
	var list []byte
	var mu sync.Mutex
	s := serve(t, newService(t), func(o *Options) {
		o.List = func() []byte { mu.Lock(); defer mu.Unlock(); return list }
	})
	s.do(t, "GET", "/v1/revocations", "").requireProblem(t, 404, "not-found")
	tags := map[string]bool{}
	for _, text := range []string{"list one\n", "list two\n"} {
		mu.Lock()
		list = []byte(text)
		mu.Unlock()
		a := s.do(t, "GET", "/v1/revocations", "")
		tag := a.Header.Get("ETag")
		if a.StatusCode != 200 || a.text != text || tag == "" || tags[tag] || a.Header.Get("Cache-Control") != "public, max-age=300" || a.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Errorf("%d, %v, %q", a.StatusCode, a.Header, a.text)
		}
		tags[tag] = true
		for field, want := range map[string]int{tag: 304, "W/" + tag: 304, `"x", ` + tag: 304, "*": 304, `"x"`: 200, "": 200} {
			a := s.do(t, "GET", "/v1/revocations", "", "If-None-Match", field)
			if a.StatusCode != want || (a.text == "") != (want == 304) || a.Header.Get("ETag") != tag {
				t.Errorf("If-None-Match %s: %d, %q", field, a.StatusCode, a.text)
			}
		}
		if a := s.do(t, "HEAD", "/v1/revocations", ""); a.StatusCode != 200 || a.text != "" || a.Header.Get("ETag") != tag || a.ContentLength != int64(len(text)) {
			t.Errorf("HEAD: %d, %q, %v", a.StatusCode, a.text, a.Header)
		}
	}
	serve(t, newService(t)).do(t, "GET", "/v1/revocations", "").requireProblem(t, 404, "not-found")
}

// Retry-After is never early, in whole seconds, and spread.
func TestRetryAfter(t *testing.T) {
	for wait, bounds := range map[time.Duration][2]int{
		-1: {1, 3}, 0: {1, 3}, 1: {1, 3}, time.Second: {1, 3}, time.Second + 1: {2, 4}, 10 * time.Second: {10, 14}, time.Minute: {60, 74}, 1<<63 - 1: {9223372037, 11068046446},
	} {
		seen := map[int]bool{}
		for range 500 {
			n := must(strconv.Atoi(retryAfter(wait)))
			if n < bounds[0] || n > bounds[1] {
				t.Fatalf("%v: %d, want %v", wait, n, bounds)
			}
			seen[n] = true
		}
		if len(seen) < 3 {
			t.Errorf("%v: always %v", wait, seen)
		}
	}
}

func TestObserve(t *testing.T) {
	seen := make(chan Observation, 1)
	s := serve(t, newService(t, withLedger(&ledger{None: activation.None{Clock: clock}})), func(o *Options) { o.Observe = func(ob Observation) { seen <- ob } })
	for _, c := range []struct {
		method, path, body string
		want               Observation
	}{
		{"POST", "/v1/activations", activationBody(), Observation{Route: "activate", Status: 200, Outcome: "granted", Product: 7}},
		{"POST", "/v1/activations", activationBody(withCode(forged())), Observation{Route: "activate", Status: 403, Outcome: "code-refused", Reason: "bad-signature", Product: 7}},
		{"POST", "/v1/activations", `{"x":1}`, Observation{Route: "activate", Status: 400, Outcome: "malformed-request", Reason: "unknown-member"}},
		{"POST", "/v1/activations/preview", previewOf(code), Observation{Route: "preview", Status: 200, Outcome: "previewed", Product: 7}},
		{"GET", "/v1/keys", "", Observation{Route: "keys", Status: 200, Outcome: "sent"}},
		{"GET", "/" + code, "", Observation{Route: "other", Status: 404, Outcome: "not-found"}},
	} {
		s.do(t, c.method, c.path, c.body)
		got := <-seen
		if got.Total <= 0 || got.Ledger < 0 {
			t.Errorf("%+v", got)
		}
		got.Total, got.Ledger = 0, 0
		if got != c.want {
			t.Errorf("%+v, want %+v", got, c.want)
		}
	}
}

func TestLog(t *testing.T) {
	s := serve(t, newService(t, withLedger(&ledger{None: activation.None{Clock: clock}, enforced: true})))
	s.do(t, "POST", "/v1/activations", activationBody(), "X-Request-Id", "order-4711")
	line := s.lines(t, 1)[0]
	id := activation.NewCodeID(hsKey.ID(), 7, 1000)
	for name, want := range map[string]any{
		"level": "INFO", "msg": "request", "request_id": "order-4711", "route": "activate", "status": 200.0, "outcome": "granted",
		"code": id.String(), "subject": activation.NewSubjectID(id, this).String()[:8], "address": "127.0.0.1", "seat": 1.0,
	} {
		if line[name] != want {
			t.Errorf("%s is %v, want %v", name, line[name], want)
		}
	}
	for _, name := range []string{"ledger_ms", "total_ms", "time"} {
		if _, ok := line[name]; !ok {
			t.Errorf("no %s in %v", name, line)
		}
	}
	if len(line) != 13 {
		t.Errorf("%d members in %v", len(line), line)
	}
	// A peer on a Unix socket has no address.
	var unix bytes.Buffer
	r := httptest.NewRequest("GET", "/v1/keys", nil)
	r.RemoteAddr = "@"
	newHandler(newService(t), Options{Ring: ring, Log: slog.New(slog.NewTextHandler(&unix, nil))}).ServeHTTP(httptest.NewRecorder(), r)
	if got := unix.String(); !strings.Contains(got, "status=200") || strings.Contains(got, "address") || strings.Contains(got, "invalid") {
		t.Error(got)
	}
	// A genuine code that is refused is named, one that is not is nobody's.
	s.do(t, "POST", "/v1/activations", activationBody(withCode(minted(func(l *payload.License) { l.Product = 8 }))))
	s.do(t, "POST", "/v1/activations", activationBody(withCode(forged())))
	lines := s.lines(t, 3)
	if lines[1]["code"] != activation.NewCodeID(hsKey.ID(), 8, 1000).String() || lines[1]["reason"] != "wrong-product" {
		t.Errorf("%v", lines[1])
	}
	if lines[2]["code"] != nil || lines[2]["subject"] != nil || lines[2]["reason"] != "bad-signature" {
		t.Errorf("%v", lines[2])
	}
}

// EP-17: no code, fingerprint, nonce, key, receipt or token is in log, answer or panic.
func TestSecretsStayOut(t *testing.T) {
	text := serve(t, newService(t)).activated(t)
	near := strings.Replace(code, "Q", "R", 1)
	secrets := []string{code, strings.ReplaceAll(code, "-", ""), strings.ToLower(code), near, forged(), "YQET-69FW", fingerprint, hash(this), nonce, idemKey, token, text, text[:40], text[len(text)-40:]}
	check := func(t *testing.T, what, in string) {
		t.Helper()
		for _, secret := range secrets {
			if strings.Contains(in, secret) {
				t.Errorf("%s: %q in\n%s", what, secret, in)
			}
		}
	}
	bearer := []string{"Authorization", "Bearer " + token}
	for name, service := range map[string]service{
		"good":          newService(t, withLedger(&ledger{None: activation.None{Clock: clock}, enforced: true})),
		"full":          newService(t, withLedger(&ledger{fail: activation.ErrFull})),
		"broken":        newService(t, withLedger(&ledger{fail: errors.New("no connection")})),
		"limited":       newService(t, withLimits(activation.Limits{Address: limit.Rate{N: 1, Per: time.Hour}})),
		"panic, text":   fake{panic: "at " + code + fingerprint + nonce + idemKey + text},
		"panic, error":  fake{panic: fmt.Errorf("at %s", code)},
		"unknown error": fake{err: errors.New(code)},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, service)
			n := 0
			ask := func(method, path, body string, fields ...string) {
				t.Helper()
				n++
				a := s.do(t, method, path, body, fields...)
				if a.StatusCode != 200 {
					check(t, method+" "+path, fmt.Sprint(a.Header, a.text))
				}
			}
			for _, c := range []string{code, near, forged(), code + "?"} {
				ask("POST", "/v1/activations", activationBody(withCode(c)))
				ask("POST", "/v1/activations", activationBody(withCode(c)), bearer...)
				ask("POST", "/v1/activations/preview", previewOf(c))
				ask("POST", "/v1/activations?code="+c, activationBody(withCode(c)))
				ask("GET", "/v1/activations?code="+c, "")
				ask("GET", "/v1/"+c, "")
				ask("POST", "/v1/activations", fmt.Sprintf(`{%q:1}`, c))
				ask("POST", "/v1/activations", fmt.Sprintf(`{"code":%q`, c))
				ask("POST", "/v1/activations", c)
				ask("POST", "/v1/activations", activationBody(), "Content-Type", c)
			}
			ask("POST", "/v1/activations", activationBody(), "Idempotency-Key", idemKey+"!")
			ask("POST", "/v1/activations", activationBody(func(b *wire.Activation) { b.Nonce += "!" }))
			ask("POST", "/v1/activations", activationBody(func(b *wire.Activation) { b.Subject.Hash = fingerprint }))
			ask("POST", "/v1/activations", activationBody(func(b *wire.Activation) { b.Subject.Kind = fingerprint }))
			ask("POST", "/v1/activations", activationBody(), "Authorization", "Basic "+token)
			ask("POST", "/v1/activations/refresh", refreshOf(text))
			ask("POST", "/v1/activations/refresh", refreshOf(text[1:]))
			ask("POST", "/v1/activations/release", releaseOf(text))
			ask("POST", "/v1/activations/release", refreshOf(text))
			s.lines(t, n)
			check(t, "log", s.log.String())
		})
	}
}

// A handler that panics answers, tells where, and goes on.
func TestPanic(t *testing.T) {
	s := serve(t, fake{panic: "at " + code})
	for range 2 {
		s.do(t, "POST", "/v1/activations", activationBody()).requireProblem(t, 500, "internal-error")
	}
	line := s.lines(t, 4)[0]
	if line["msg"] != "panic" || line["level"] != "ERROR" || line["reason"] != "panic of type string" || !strings.Contains(line["stack"].(string), "fixtures_test.go") {
		t.Errorf("%v", line)
	}
	var m map[string]int
	line = serveAndAsk(t, fake{asked: func(activation.Request) { m["x"] = 1 }}).lines(t, 2)[0]
	if line["reason"] != "assignment to entry in nil map" {
		t.Errorf("%v", line)
	}
	// Who aborts on purpose is not answered.
	r := httptest.NewRequest("POST", "/v1/activations", strings.NewReader(activationBody()))
	r.Header = http.Header{"Content-Type": {"application/json"}, "Idempotency-Key": {idemKey}}
	defer func() {
		if p := recover(); p != http.ErrAbortHandler {
			t.Errorf("panic %v", p)
		}
	}()
	newHandler(fake{panic: http.ErrAbortHandler}, Options{}).ServeHTTP(httptest.NewRecorder(), r)
}

func serveAndAsk(t *testing.T, f fake) *site {
	s := serve(t, f)
	s.do(t, "POST", "/v1/activations", activationBody()).requireProblem(t, 500, "internal-error")
	return s
}

// The body of an answer is what package wire says.
func TestLicenseBody(t *testing.T) {
	lic := payload.License{Product: 7, Serial: 12, Expiry: payload.Never, Start: payload.Date(2026, 1, 2), Edition: 1, Features: 5, Seats: 3}
	lic.Extra.Set("region", 4)
	got := string(must(json.Marshal(licenseBody(keys.ID{1}, &lic))))
	const want = `{"key_id":"0100000000000000","product":7,"serial":"12","version":0,"expiry":"never","start":"2026-01-02","fields":{"edition":1,"features":5,"region":4,"seats":3}}`
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
