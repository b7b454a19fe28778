package api

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
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
	"github.com/licet-dev/licet/signer"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// The keys and the code of SPEC.md, section 10.
const (
	hsDescriptor = "licet/v1 hs256 key=8 prefix=ACME layout=product:9,version:8,expiry:15,serial:28 bind=none sig=80"
	code         = "ACME-AHJX-YQET-69FW-H3QZ-JG9E-69PS-6HVK-ELWZ"
	fingerprint  = "4C4C4544-0042-3510-8054-B9C04F564D32"
	nonce        = "q2Jx0-9sV_7mKpZtR4wYbA"
	idemKey      = "8e03978e-40d5-43e8-bc93-6894a57f9324"
	token        = "n5cUoFjz9tVqkW2dRbXy7A"
)

var (
	noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

	hsPrivate, hsKey      = newKey(hsDescriptor)
	receiptPrivate, recpt = newReceiptKey(0x40)
	_, withdrawnReceipt   = newReceiptKey(0x60)
	ring                  = must(keys.NewRing("Acme Tools", []keys.Product{{Number: 7, Name: "Widget"}, {Number: 8, Name: "Gadget"}},
		[]keys.Key{hsKey, recpt, withdrawnReceipt.WithState(keys.Withdrawn)}))

	this    = must(receipt.NewSubject(receipt.Device, fingerprint))
	other   = must(receipt.NewSubject(receipt.Device, fingerprint+"0"))
	account = must(receipt.NewSubject(receipt.Account, "a.lovelace"))
)

func newKey(descriptor string) (keys.PrivateKey, keys.Key) {
	d := must(keys.ParseDescriptor(descriptor))
	var secret [32]byte
	for i := range secret {
		secret[i] = byte(i)
	}
	private := must(keys.NewHS256(d, must(keys.NewSecret(secret[:]))))
	return private, must(must(keys.NewKey(private, d, 7, 8)).Attach(private))
}

func newReceiptKey(first byte) (keys.PrivateKey, keys.Key) {
	var scalar [32]byte
	for i := range scalar {
		scalar[i] = first + byte(i)
	}
	private := must(keys.NewRoleKey(keys.Receipt, must(ecdsa.ParseRawPrivateKey(elliptic.P256(), scalar[:]))))
	return private, must(keys.NewKey(private, keys.Descriptor{}))
}

// minted returns the code of section 10.1 with something else in it.
func minted(change func(*payload.License)) string {
	lic := payload.License{Product: 7, Version: 3, Expiry: payload.Date(2027, 12, 31), Serial: 1000}
	change(&lic)
	return must(must(signer.New(hsKey, hsPrivate, signer.Options{})).Mint(lic))
}

// forged returns a code with good check symbols and a bad signature: the one that
// another secret makes.
func forged() string {
	d := must(keys.ParseDescriptor(hsDescriptor))
	var secret [32]byte
	secret[0] = 0xff
	private := must(keys.NewHS256(d, must(keys.NewSecret(secret[:]))))
	s := must(signer.New(must(keys.NewKey(private, d, 7)), private, signer.Options{}))
	return must(s.Mint(payload.License{Product: 7, Version: 3, Expiry: payload.Date(2027, 12, 31), Serial: 1000}))
}

// A ledger grants everything, unless it is told an error. Seats count for nothing.
type ledger struct {
	activation.None
	enforced bool
	fail     error // what each method returns
	outcome  activation.Outcome
}

func (l *ledger) Claim(ctx context.Context, c activation.Claim) (activation.Seat, activation.Outcome, error) {
	if l.fail != nil {
		return activation.Seat{}, 0, l.fail
	}
	s, outcome, err := l.None.Claim(ctx, c)
	if s.Enforced = l.enforced; l.enforced {
		s.Number, s.Seats = 1, c.Seats
	}
	if l.outcome != 0 {
		outcome = l.outcome
	}
	return s, outcome, err
}

func (l *ledger) Renew(ctx context.Context, r activation.Renewal) (activation.Seat, error) {
	if l.fail != nil {
		return activation.Seat{}, l.fail
	}
	return l.None.Renew(ctx, r)
}

func (l *ledger) Release(ctx context.Context, g activation.GiveBack) (activation.Seat, error) {
	if l.fail != nil {
		return activation.Seat{}, l.fail
	}
	return l.None.Release(ctx, g)
}

// clock is that of service and ledger.
func clock() time.Time { return noon }

func newService(t testing.TB, change ...func(*activation.Config)) *activation.Service {
	t.Helper()
	c := activation.Config{
		Ring: ring, ReceiptKey: receiptPrivate, Ledger: activation.None{Clock: clock}, Clock: clock, Limits: &activation.Limits{},
		Default: activation.Policy{Seats: 3, Lease: activation.Lease{Refresh: 30 * 24 * time.Hour, Grace: 7 * 24 * time.Hour}},
	}
	for _, f := range change {
		f(&c)
	}
	s, err := activation.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func withLedger(l activation.Ledger) func(*activation.Config) {
	return func(c *activation.Config) { c.Ledger = l }
}

func withLimits(l activation.Limits) func(*activation.Config) {
	return func(c *activation.Config) { c.Limits = &l }
}

// A fake service answers each request with the same.
type fake struct {
	err   error
	panic any
	asked func(activation.Request)
}

func (f fake) Activate(_ context.Context, r activation.Request) (activation.Reply, error) {
	if f.asked != nil {
		f.asked(r)
	}
	if f.panic != nil {
		panic(f.panic)
	}
	return activation.Reply{Outcome: activation.Granted}, f.err
}

func (f fake) Preview(ctx context.Context, r activation.Request) (activation.Preview, error) {
	_, err := f.Activate(ctx, r)
	return activation.Preview{}, err
}

func (f fake) Refresh(ctx context.Context, r activation.ReceiptRequest) (activation.Reply, error) {
	return f.Activate(ctx, activation.Request{})
}

func (f fake) Release(ctx context.Context, r activation.ReceiptRequest) (activation.Reply, error) {
	return f.Activate(ctx, activation.Request{})
}

func (f fake) Left(netip.Addr) (limit.Rate, int, time.Duration) {
	return limit.Rate{N: 60, Per: time.Minute}, 59, 1
}

// A lockedBuffer is a log of several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// A site is a handler behind a real server.
type site struct {
	*httptest.Server
	log *lockedBuffer
}

func serve(t testing.TB, s service, change ...func(*Options)) *site {
	t.Helper()
	log := &lockedBuffer{}
	o := Options{Ring: ring, Log: slog.New(slog.NewJSONHandler(log, nil)), Tokens: [][32]byte{sha256.Sum256([]byte(token))}}
	for _, f := range change {
		f(&o)
	}
	server := httptest.NewUnstartedServer(newHandler(s, o))
	server.Config.ErrorLog = slog.NewLogLogger(slog.NewTextHandler(log, nil), slog.LevelError)
	server.Config.ReadHeaderTimeout = 300 * time.Millisecond
	server.Config.ReadTimeout = 300 * time.Millisecond
	server.Config.MaxHeaderBytes = 8 << 10
	server.Start()
	t.Cleanup(server.Close)
	return &site{server, log}
}

// lines returns the lines of the log, as soon as there are n of them.
func (s *site) lines(t testing.TB, n int) []map[string]any {
	t.Helper()
	var all []map[string]any
	for range 500 {
		text := s.log.String()
		if strings.Count(text, "\n") >= n {
			for line := range strings.Lines(text) {
				var m map[string]any
				if err := json.Unmarshal([]byte(line), &m); err != nil {
					t.Fatalf("%v: %s", err, line)
				}
				all = append(all, m)
			}
			return all
		}
		time.Sleep(10 * time.Millisecond) // the line is written after the answer
	}
	t.Fatalf("the log has %q, want %d lines", s.log.String(), n)
	return nil
}

// An answer is what a server has said.
type answer struct {
	*http.Response
	text string
}

func (a answer) problem(t testing.TB) wire.Problem {
	t.Helper()
	if ct := a.Header.Get("Content-Type"); ct != "application/problem+json" {
		t.Fatalf("status %d, content type %q: %s", a.StatusCode, ct, a.text)
	}
	var p wire.Problem
	read(t, a.text, &p)
	if p.Status != a.StatusCode || p.Instance != a.Header.Get("X-Request-Id") || p.Title == "" {
		t.Errorf("status %d, request id %q, problem %+v", a.StatusCode, a.Header.Get("X-Request-Id"), p)
	}
	return p
}

// read reads JSON that has nothing else in it than v.
func read(t testing.TB, text string, v any) {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}

// requireProblem fails unless the answer is this problem with this status.
func (a answer) requireProblem(t testing.TB, status int, problem string) wire.Problem {
	t.Helper()
	p := a.problem(t)
	if a.StatusCode != status || p.Type != "urn:licet:problem:"+problem {
		t.Fatalf("status %d, %+v; want %d, %s", a.StatusCode, p, status, problem)
	}
	return p
}

// do sends a request. Header fields come in pairs after the body; an empty value takes
// a field away.
func (s *site) do(t testing.TB, method, path, body string, fields ...string) answer {
	t.Helper()
	r, err := http.NewRequest(method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
		if path == "/v1/activations" {
			r.Header.Set("Idempotency-Key", idemKey)
		}
	}
	seen := map[string]bool{}
	for i := 0; i < len(fields); i += 2 {
		name := http.CanonicalHeaderKey(fields[i])
		if !seen[name] {
			r.Header.Del(name)
		}
		if seen[name] = true; fields[i+1] != "" {
			r.Header.Add(name, fields[i+1])
		}
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{resp, string(text)}
}

func hash(s receipt.Subject) string { return hex.EncodeToString(s.Hash[:]) }

func activationBody(change ...func(*wire.Activation)) string {
	b := wire.Activation{Code: code, Product: 7, Subject: wire.Subject{Kind: "device", Hash: hash(this)}, Nonce: nonce}
	for _, f := range change {
		f(&b)
	}
	return string(must(json.Marshal(b)))
}

func withCode(s string) func(*wire.Activation) { return func(b *wire.Activation) { b.Code = s } }

func previewOf(code string) string { return fmt.Sprintf(`{"code":%q,"product":7}`, code) }

func refreshOf(text string) string {
	return fmt.Sprintf(`{"receipt":%q,"subject":{"kind":"device","hash":%q},"nonce":%q}`, text, hash(this), nonce)
}

func releaseOf(text string) string {
	return fmt.Sprintf(`{"receipt":%q,"subject":{"kind":"device","hash":%q}}`, text, hash(this))
}

// activated returns the receipt of a new activation.
func (s *site) activated(t testing.TB) string {
	t.Helper()
	a := s.do(t, "POST", "/v1/activations", activationBody())
	if a.StatusCode != 200 {
		t.Fatalf("%d: %s", a.StatusCode, a.text)
	}
	var r wire.Reply
	read(t, a.text, &r)
	return r.Receipt
}

func digest(s string) []byte {
	sum := sha256.Sum256([]byte(s))
	return sum[:]
}

// mintedWith returns a code of another key.
func mintedWith(private keys.PrivateKey, d keys.Descriptor) string {
	s := must(signer.New(must(keys.NewKey(private, d, 7)), private, signer.Options{}))
	return must(s.Mint(payload.License{Product: 7, Version: 3, Expiry: payload.Date(2027, 12, 31), Serial: 1000}))
}
