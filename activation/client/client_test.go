package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/activation/client"
	"github.com/licet-dev/licet/keys/receipt"
)

const (
	code        = "ACME-AHJX-YQET-69FW-H3QZ-JG9E-69PS-6HVK-ELWZ"
	fingerprint = "4C4C4544-0042-3510-8054-B9C04F564D32"
	token       = "tok_5f0c1f6e7a2d4b8c"
)

// must returns v, which can't fail in this test unless something else is broken.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

var (
	device  = must(receipt.NewSubject(receipt.Device, fingerprint))
	request = client.Request{Code: code, Binding: "Bindings GmbH", Product: 7, Subject: device}
)

// A script answers each request with its next step, and the last one for ever. It keeps
// what came.
type script struct {
	steps []http.HandlerFunc

	mu     sync.Mutex
	seen   []*http.Request
	bodies []string
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.seen, s.bodies = append(s.seen, r), append(s.bodies, string(body))
	step := s.steps[min(len(s.seen), len(s.steps))-1]
	s.mu.Unlock()
	step(w, r)
}

// requests returns what came so far, and sent its bodies.
func (s *script) requests() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

func (s *script) sent() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.bodies)
}

// endpoint starts a server that follows a script, and returns a client of it.
func endpoint(t *testing.T, steps ...http.HandlerFunc) (*client.Client, *script, *[]time.Duration) {
	t.Helper()
	s := &script{steps: steps}
	server := httptest.NewServer(s)
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	t.Cleanup(server.Close)
	c := must(client.New(client.Options{Server: server.URL, Token: token, HTTP: server.Client()}))
	return c, s, c.Quick()
}

func answer(status int, media, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", media)
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

func problem(status int, name, more string, header ...string) http.HandlerFunc {
	body := fmt.Sprintf(`{"type":"urn:licet:problem:%s","title":"x","status":%d%s}`, name, status, more)
	return answer(status, "application/problem+json", body, header...)
}

// hangUp ends the connection without an answer.
func hangUp(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }

const good = `{"status":"granted","receipt":"a.b.c","license":{"key_id":"00","product":7,"serial":"1","version":1,"expiry":"never"},"seats":3,"seats_enforced":true,"revocations":0,"later":{}}`

var granted = answer(200, "application/json", good)

func activate(c *client.Client) (client.Reply, client.Pending, error) {
	p := must(client.NewPending(request))
	reply, err := c.Activate(context.Background(), request, p)
	return reply, p, err
}

func TestRequests(t *testing.T) {
	c, s, _ := endpoint(t, granted,
		answer(200, "application/json; charset=utf-8", strings.Replace(good, "granted", "refreshed", 1)),
		answer(200, "application/json", `{"status":"released","license":{},"seats_enforced":false}`),
		answer(200, "application/json", `{"status":"previewed","license":{"product":7,"serial":"1000","version":3,"expiry":"2027-12-31","fields":{"seats":3}},"seats":3,"kind":"device"}`))
	ctx := context.Background()
	reply, p, err := activate(c)
	if want := (client.Reply{Receipt: "a.b.c", Nonce: p.Nonce, Status: "granted", Seats: 3, SeatsEnforced: true}); err != nil || reply != want {
		t.Errorf("Activate = %+v, %v; want %+v", reply, err, want)
	}
	refreshed, err := c.Refresh(ctx, "a.b.c", device)
	if err != nil || refreshed.Status != "refreshed" || refreshed.Receipt != "a.b.c" || receipt.CheckNonce(refreshed.Nonce) != nil {
		t.Errorf("Refresh = %+v, %v", refreshed, err)
	}
	if reply, err := c.Release(ctx, "a.b.c", device); err != nil || reply != (client.Reply{Status: "released"}) {
		t.Errorf("Release = %+v, %v", reply, err)
	}
	if v, err := c.Preview(ctx, client.Request{Code: code, Product: 7}); err != nil || v.Serial != "1000" || v.Fields["seats"] != 3 || v.Seats != 3 || v.Kind != receipt.Device {
		t.Errorf("Preview = %+v, %v", v, err)
	}
	subject := fmt.Sprintf(`"subject":{"kind":"device","hash":"%x"}`, device.Hash)
	for i, want := range []struct{ path, body string }{
		{"/v1/activations", `{"code":"` + code + `","binding":"Bindings GmbH","product":7,` + subject + `,"nonce":"` + p.Nonce + `"}`},
		{"/v1/activations/refresh", `{"receipt":"a.b.c",` + subject + `,"nonce":"` + refreshed.Nonce + `"}`},
		{"/v1/activations/release", `{"receipt":"a.b.c",` + subject + `}`},
		{"/v1/activations/preview", `{"code":"` + code + `","product":7}`},
	} {
		r := s.requests()[i]
		if r.Method != "POST" || r.RequestURI != want.path || s.sent()[i] != want.body || r.Header.Get("Authorization") != "Bearer "+token || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("request %d: %s %s %v\n%s\nwant %s\n%s", i, r.Method, r.RequestURI, r.Header, s.sent()[i], want.path, want.body)
		}
	}
	if got := s.requests()[0].Header["Idempotency-Key"]; !slices.Equal(got, []string{`"` + p.Key + `"`}) {
		t.Errorf("Idempotency-Key = %q", got)
	}
}

// A fault that passes costs nothing: every attempt has the same key and the same body.
func TestRepeats(t *testing.T) {
	for name, fault := range map[string]http.HandlerFunc{
		"no answer":      hangUp,
		"502 of a proxy": answer(502, "text/html", "<html>"),
		"503":            answer(503, "text/plain", ""),
		"504":            answer(504, "text/plain", ""),
		"unavailable":    problem(503, "unavailable", ""),
		"timeout":        problem(408, "request-timeout", ""),
		"500":            answer(500, "text/plain", ""),
		"internal error": problem(500, "internal-error", ""),
		"quota":          problem(429, "quota-exceeded", ""),
		"429 of a proxy": answer(429, "text/plain", ""),
		"portal":         answer(200, "text/html", "<html>Log in"),
		"no media type":  answer(200, "", good),
		"cut off": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", fmt.Sprint(len(good)))
			io.WriteString(w, good[:50])
		},
		"half a body":    answer(200, "application/json", good[:50]),
		"other JSON":     answer(200, "application/json", `{"status":"ok"}`),
		"another answer": answer(200, "application/json", strings.Replace(good, "granted", "refreshed", 1)),
		"no receipt":     answer(200, "application/json", strings.Replace(good, "a.b.c", "", 1)),
		"seats":          answer(200, "application/json", strings.Replace(good, `"seats":3`, `"seats":-1`, 1)),
		"huge":           answer(200, "application/json", good+strings.Repeat(" ", 1<<20)),
		"endless": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, strings.Repeat(" ", 1<<12)); err != nil {
					return
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, s, pauses := endpoint(t, fault, fault, granted)
			if _, _, err := activate(c); err != nil {
				t.Fatal(err)
			}
			if len(s.requests()) != 3 || s.sent()[0] != s.sent()[2] || s.requests()[0].Header.Get("Idempotency-Key") != s.requests()[2].Header.Get("Idempotency-Key") {
				t.Errorf("%d requests: %q", len(s.requests()), s.sent())
			}
			if want := []time.Duration{500 * time.Millisecond, time.Second}; !slices.Equal(*pauses, want) {
				t.Errorf("pauses %v, want %v", *pauses, want)
			}

			c, s, _ = endpoint(t, fault)
			_, _, err := activate(c)
			_, isBad := errors.AsType[*client.BadReply](err)
			if len(s.requests()) != 4 || errors.Is(err, client.QuotaExceeded) != (name == "quota") {
				t.Errorf("%d requests, error %v", len(s.requests()), err)
			}
			if want := slices.Contains([]string{"half a body", "other JSON", "another answer", "no receipt", "seats", "huge", "endless"}, name); isBad != want {
				t.Errorf("a bad reply: %t, want %t: %v", isBad, want, err)
			}
			if want := !isBad && name != "quota"; errors.Is(err, client.ErrUnreachable) != want {
				t.Errorf("unreachable: %t, want %t: %v", !want, want, err)
			}
		})
	}
}

// What another attempt would not change is not tried again.
func TestDoesNotRepeat(t *testing.T) {
	for name, test := range map[string]struct {
		step        http.HandlerFunc
		unreachable bool
	}{
		"refused":      {problem(403, "code-refused", ""), false},
		"unknown":      {problem(451, "of-a-later-endpoint", ""), false},
		"not found":    {answer(404, "text/html", "<html>"), true},
		"proxy":        {answer(407, "text/html", "<html>"), true},
		"portal":       {answer(511, "text/html", "<html>"), true},
		"redirect":     {answer(307, "text/html", "", "Location", "http://portal.example/"), true},
		"other issuer": {answer(403, "application/problem+json", `{"type":"about:blank","status":403}`), true},
	} {
		t.Run(name, func(t *testing.T) {
			c, s, _ := endpoint(t, test.step, granted)
			_, _, err := activate(c)
			if err == nil || len(s.requests()) != 1 || errors.Is(err, client.ErrUnreachable) != test.unreachable {
				t.Errorf("%d requests, error %v; want 1, unreachable %t", len(s.requests()), err, test.unreachable)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	busy := func(after string) http.HandlerFunc { return problem(429, "quota-exceeded", "", "Retry-After", after) }
	c, _, pauses := endpoint(t, busy("7"), problem(503, "unavailable", "", "Retry-After", "30"), answer(503, "text/plain", "", "Retry-After", "soon"), granted)
	if _, _, err := activate(c); err != nil {
		t.Fatal(err)
	}
	if want := []time.Duration{7500 * time.Millisecond, 31 * time.Second, 2 * time.Second}; !slices.Equal(*pauses, want) {
		t.Errorf("pauses %v, want %v", *pauses, want)
	}
	c, s, _ := endpoint(t, busy("31"), granted)
	_, _, err := activate(c)
	if e, ok := errors.AsType[*client.Refused](err); !ok || e.RetryAfter != 31*time.Second || len(s.requests()) != 1 {
		t.Errorf("%d requests, error %v; want 1 and to ask again after 31 s", len(s.requests()), err)
	}
}

func TestRefused(t *testing.T) {
	c, _, _ := endpoint(t,
		problem(400, "malformed-code", `,"detail":"group 2: \u001b[31mB, not 8","reason":"typo","places":[7,9],"instance":"req-1"`),
		problem(409, "seats-exhausted", `,"seats":3`), problem(403, "version-too-old", `,"min_version":4`))
	_, _, err := activate(c)
	e, ok := errors.AsType[*client.Refused](err)
	if !ok || !errors.Is(err, client.MalformedCode) || errors.Is(err, client.Revoked) || e.Detail != "group 2: [31mB, not 8" || e.Reason != "typo" || !slices.Equal(e.Places, []int{7, 9}) || e.RequestID != "req-1" {
		t.Errorf("error %+v", err)
	}
	if _, _, err = activate(c); !errors.Is(err, client.SeatsExhausted) || err.(*client.Refused).Seats != 3 {
		t.Errorf("error %+v", err)
	}
	if _, _, err = activate(c); !errors.Is(err, client.VersionTooOld) || err.(*client.Refused).MinVersion != 4 {
		t.Errorf("error %+v", err)
	}
}

// A text that is too short for a code does not spoil what the endpoint says.
func TestShortCode(t *testing.T) {
	c, _, _ := endpoint(t, problem(400, "malformed-code", `,"detail":"a code has 32 characters"`))
	r := request
	r.Code, r.Binding = "a", "code"
	_, err := c.Activate(context.Background(), r, must(client.NewPending(r)))
	if e, ok := errors.AsType[*client.Refused](err); !ok || e.Detail != "a code has 32 characters" {
		t.Errorf("error %v", err)
	}
}

// The problems are those of the service.
func TestProblems(t *testing.T) {
	for p, want := range map[client.Problem]activation.Problem{
		client.BadRequest: activation.BadRequest, client.MalformedCode: activation.MalformedCode, client.QuotaExceeded: activation.QuotaExceeded,
		client.CodeRefused: activation.CodeRefused, client.ReceiptRefused: activation.ReceiptRefused, client.WrongProduct: activation.WrongProduct,
		client.WrongKind: activation.WrongKind, client.Revoked: activation.Revoked, client.VersionTooOld: activation.VersionTooOld,
		client.NotYetValid: activation.NotYetValid, client.Expired: activation.Expired, client.SeatsExhausted: activation.SeatsExhausted,
		client.NoGiveBacks: activation.NoGiveBacks, client.Released: activation.Released, client.KeyReused: activation.KeyReused,
	} {
		if string(p) != string(want) {
			t.Errorf("%s, want %s", p, want)
		}
	}
}

// Codes, bindings, tokens and receipts are in no URL and in no error, whatever a server
// sends back.
func TestSecrets(t *testing.T) {
	secrets := []string{code, request.Binding, token, "eyJhbGciOi.eyJpc3.uKme0"}
	everything := strings.Join(secrets, " ")
	for name, step := range map[string]http.HandlerFunc{
		"problem":  problem(403, "code-refused", `,"detail":"`+everything+`","instance":"`+everything+`","reason":"`+everything+`"`),
		"busy":     problem(503, "unavailable", `,"detail":"`+everything+`"`),
		"page":     answer(200, "text/html", everything),
		"body":     answer(200, "application/json", everything),
		"type":     answer(200, "text/"+strings.ReplaceAll(everything, " ", "-"), everything),
		"name":     problem(403, everything, ""),
		"redirect": answer(302, "text/html", "", "Location", "http://portal.example/?"+strings.ReplaceAll(everything, " ", "+")),
		"protocol": func(w http.ResponseWriter, _ *http.Request) {
			conn, _, _ := w.(http.Hijacker).Hijack()
			fmt.Fprintf(conn, "%s\r\n\r\n", everything)
			conn.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, s, _ := endpoint(t, step)
			_, _, err := activate(c)
			_, err2 := c.Refresh(context.Background(), secrets[3], device)
			if err == nil || err2 == nil {
				t.Fatalf("errors %v, %v", err, err2)
			}
			text := fmt.Sprintf("%v %+v %v", err, err, request)
			var log bytes.Buffer
			slog.New(slog.NewTextHandler(&log, nil)).Info("x", "err", err, "request", fmt.Sprintf("%+v", request))
			slog.New(slog.NewTextHandler(&log, nil)).Info("x", "options", fmt.Sprintf("%+v", client.Options{Token: token}))
			for _, r := range s.requests() {
				text += r.RequestURI + " "
			}
			text += log.String()
			for _, secret := range secrets[:3] {
				if strings.Contains(text, secret) {
					t.Errorf("%s is in %s", secret, text)
				}
			}
			if strings.Contains(err2.Error(), secrets[3]) {
				t.Errorf("the receipt is in %v", err2)
			}
		})
	}
}

func TestUnreachable(t *testing.T) {
	p := must(client.NewPending(request))
	try := func(t *testing.T, o client.Options, wantPauses int) error {
		t.Helper()
		c := must(client.New(o))
		pauses := c.Quick()
		_, err := c.Activate(context.Background(), request, p)
		if !errors.Is(err, client.ErrUnreachable) {
			t.Errorf("error %v, want unreachable", err)
		}
		if len(*pauses) != wantPauses {
			t.Errorf("%d pauses, want %d", len(*pauses), wantPauses)
		}
		if strings.Contains(err.Error(), "/v1/") {
			t.Errorf("error %v names the request", err)
		}
		return err
	}
	t.Run("down", func(t *testing.T) {
		l := must(net.Listen("tcp", "127.0.0.1:0"))
		l.Close()
		err := try(t, client.Options{Server: "http://" + l.Addr().String()}, 3)
		if _, ok := errors.AsType[*net.OpError](err); !ok {
			t.Errorf("error %v does not tell what is the matter", err)
		}
	})
	t.Run("name", func(t *testing.T) {
		dial := func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.DNSError{Err: "no such host", Name: "licences.example.com", IsNotFound: true}
		}
		try(t, client.Options{Server: "https://licences.example.com", HTTP: &http.Client{Transport: &http.Transport{DialContext: dial}}}, 3)
	})
	t.Run("slow", func(t *testing.T) {
		s := &script{steps: []http.HandlerFunc{func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }}}
		server := httptest.NewServer(s)
		defer server.Close()
		try(t, client.Options{Server: server.URL, HTTP: &http.Client{Timeout: 20 * time.Millisecond}, Attempts: 2}, 1)
		server.CloseClientConnections()
	})
	t.Run("certificate", func(t *testing.T) {
		s := &script{steps: []http.HandlerFunc{granted}}
		server := httptest.NewTLSServer(s)
		defer server.Close()
		server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
		try(t, client.Options{Server: server.URL}, 0) // of an authority that nobody knows
		_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
		h := server.Client()
		h.Transport.(*http.Transport).DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, "127.0.0.1:"+port)
		}
		try(t, client.Options{Server: "https://other.test:" + port, HTTP: h}, 0) // for another name
		if len(s.requests()) != 0 {
			t.Errorf("%d requests were sent to somebody else", len(s.requests()))
		}
		c := must(client.New(client.Options{Server: "https://example.com:" + port, HTTP: h}))
		if _, err := c.Activate(context.Background(), request, p); err != nil {
			t.Errorf("with the right name: %v", err)
		}
	})
	t.Run("given up", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		c, s, _ := endpoint(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503); cancel() })
		_, err := c.Activate(ctx, request, p)
		if !errors.Is(err, client.ErrUnreachable) || !errors.Is(err, context.Canceled) || len(s.requests()) != 1 {
			t.Errorf("%d requests, error %v", len(s.requests()), err)
		}
	})
}

// No code goes where a redirect says, whatever client makes the requests.
func TestRedirect(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		portal := &script{steps: []http.HandlerFunc{granted}}
		other := httptest.NewServer(portal)
		defer other.Close()
		c, _, _ := endpoint(t, answer(status, "text/html", "", "Location", other.URL+"/v1/activations"))
		if _, _, err := activate(c); !errors.Is(err, client.ErrUnreachable) || !strings.Contains(err.Error(), other.URL) || len(portal.requests()) != 0 {
			t.Errorf("%d: error %v, %d requests elsewhere", status, err, len(portal.requests()))
		}
	}
}

func TestNew(t *testing.T) {
	for _, server := range []string{"https://a.example", "https://a.example:8443/licences/", "http://127.0.0.1:8080", "http://[::1]:1", "http://localhost"} {
		if _, err := client.New(client.Options{Server: server}); err != nil {
			t.Errorf("%s: %v", server, err)
		}
	}
	for _, server := range []string{"", "a.example", "http://a.example", "http://localhost.a.example", "ftp://a.example", "https://", "https://u:hunter2@a.example", "https://a.example?x=hunter2", "https://a.example#x", "https://a.example/%zzhunter2", ":"} {
		if _, err := client.New(client.Options{Server: server}); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: error %v", server, err)
		}
	}
	if _, err := client.New(client.Options{Server: "http://a.example", AllowHTTP: true}); err != nil {
		t.Error(err)
	}
	for _, o := range []client.Options{{Token: "a b"}, {Token: "a\n"}, {Token: "ä"}, {Attempts: -1}} {
		o.Server = "https://a.example"
		if _, err := client.New(o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
	s := &script{steps: []http.HandlerFunc{granted}}
	server := httptest.NewServer(s)
	defer server.Close()
	c := must(client.New(client.Options{Server: server.URL + "/licences/"}))
	if _, _, err := activate(c); err != nil || s.requests()[0].RequestURI != "/licences/v1/activations" {
		t.Errorf("error %v, %v", err, s.requests())
	}
}

// The proxy of the environment is used. It is read once in a process, so this takes
// another one.
func TestProxy(t *testing.T) {
	if server := os.Getenv("TEST_PROXY_SERVER"); server != "" {
		c := must(client.New(client.Options{Server: server, AllowHTTP: true}))
		c.Quick()
		if _, _, err := activate(c); err != nil {
			t.Fatal(err)
		}
		return
	}
	s := &script{steps: []http.HandlerFunc{granted}}
	proxy := httptest.NewServer(s)
	defer proxy.Close()
	cmd := exec.Command(os.Args[0], "-test.run=^TestProxy$")
	cmd.Env = append(os.Environ(), "TEST_PROXY_SERVER=http://licences.test", "HTTP_PROXY="+proxy.URL, "http_proxy="+proxy.URL, "NO_PROXY=", "no_proxy=", "REQUEST_METHOD=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if r := s.requests(); len(r) != 1 || r[0].RequestURI != "http://licences.test/v1/activations" {
		t.Errorf("%d requests to the proxy", len(r))
	}
}

func TestPending(t *testing.T) {
	p := must(client.NewPending(request))
	q := must(client.NewPending(request))
	if p.Key == q.Key || p.Nonce == q.Nonce || p.Digest == q.Digest || receipt.CheckNonce(p.Nonce) != nil {
		t.Errorf("%+v and %+v", p, q)
	}
	text := must(json.Marshal(p))
	var again client.Pending
	if err := json.Unmarshal(text, &again); err != nil || again != p || !again.For(request) {
		t.Errorf("%s is %+v, %v", text, again, err)
	}
	if strings.Contains(string(text), code[5:20]) || strings.Contains(string(text), fmt.Sprintf("%x", device.Hash)[:16]) {
		t.Errorf("%s has the code or the fingerprint in it", text)
	}
	same := request
	same.Code = " acme ahjx-yqet 69fw-h3qz-jg9e-69ps-6hvk-elwz\n"
	if !p.For(same) {
		t.Error("another spelling is another request")
	}
	account := must(receipt.NewSubject(receipt.Account, fingerprint))
	for name, change := range map[string]func(*client.Request, *client.Pending){
		"code":    func(r *client.Request, _ *client.Pending) { r.Code = code[:len(code)-1] },
		"binding": func(r *client.Request, _ *client.Pending) { r.Binding = "" },
		"moved":   func(r *client.Request, _ *client.Pending) { r.Code += "B"; r.Binding = r.Binding[1:] },
		"product": func(r *client.Request, _ *client.Pending) { r.Product = 8 },
		"kind":    func(r *client.Request, _ *client.Pending) { r.Subject = account },
		"nonce":   func(_ *client.Request, p *client.Pending) { p.Nonce = q.Nonce },
		"zero":    func(_ *client.Request, p *client.Pending) { *p = client.Pending{} },
		"key":     func(_ *client.Request, p *client.Pending) { p.Key = "short" },
		"header":  func(_ *client.Request, p *client.Pending) { p.Key = "0123456789abcdef\r\nX: y" },
		"digest":  func(_ *client.Request, p *client.Pending) { p.Digest = "" },
	} {
		r, p := request, p
		if change(&r, &p); p.For(r) {
			t.Errorf("%s: still of this request", name)
		}
		c, s, _ := endpoint(t, granted)
		if _, err := c.Activate(context.Background(), r, p); err == nil || errors.Is(err, client.ErrUnreachable) || len(s.requests()) != 0 {
			t.Errorf("%s: %d requests, error %v", name, len(s.requests()), err)
		}
	}
}

// EP-02: what can't be meant is found before anybody is asked.
func TestRequestErrors(t *testing.T) {
	c, s, _ := endpoint(t, granted)
	ctx := context.Background()
	for name, change := range map[string]func(*client.Request){
		"code":    func(r *client.Request) { r.Code = " " },
		"utf-8":   func(r *client.Request) { r.Code = "A\xff" },
		"binding": func(r *client.Request) { r.Binding = "A\xff" },
		"product": func(r *client.Request) { r.Product = 0 },
		"subject": func(r *client.Request) { r.Subject = receipt.Subject{} },
	} {
		r := request
		change(&r)
		if _, err := client.NewPending(r); err == nil {
			t.Errorf("%s: NewPending gives no error", name)
		}
		if _, err := c.Activate(ctx, r, client.Pending{}); err == nil {
			t.Errorf("%s: Activate gives no error", name)
		}
		if _, err := c.Preview(ctx, r); name != "subject" && err == nil {
			t.Errorf("%s: Preview gives no error", name)
		}
	}
	for _, text := range []string{"", " \n", strings.Repeat("A", receipt.MaxSize+1)} {
		if _, err := c.Refresh(ctx, text, device); err == nil {
			t.Errorf("Refresh of %.20q gives no error", text)
		}
	}
	if _, err := c.Release(ctx, "a.b.c", receipt.Subject{}); err == nil {
		t.Error("Release without a subject gives no error")
	}
	for _, r := range s.requests() { // the preview needs no subject
		if r.RequestURI != "/v1/activations/preview" {
			t.Errorf("a request of %s", r.RequestURI)
		}
	}
}

// EP-22: one id is one device, however it is written.
func TestNormalizeFingerprint(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{fingerprint, "4c4c4544004235108054b9c04f564d32"},
		{"{4c4c4544-0042-3510-8054-b9c04f564d32}\r\n", "4c4c4544004235108054b9c04f564d32"},
		{" { 4C4C45440042351080 54B9C04F564D32 } ", "4c4c45440042351080 54b9c04f564d32"},
		{"4c4c4544004235108054b9c04f564d32", "4c4c4544004235108054b9c04f564d32"},
		{"AB-12\n", "ab-12"},
		{"{Öl-1}", "Öl-1"},
		{"", ""},
		{"{}", ""},
		{"acme/{4C}", "acme/{4c"},
	} {
		got := client.NormalizeFingerprint(test.in)
		if got != test.want || client.NormalizeFingerprint(got) != got {
			t.Errorf("%q gives %q, want %q", test.in, got, test.want)
		}
	}
}

func TestJitter(t *testing.T) {
	var low, high bool
	for range 1000 {
		d := client.Random(time.Second)
		if d < 0 || d > time.Second {
			t.Fatalf("a pause of %s", d)
		}
		low, high = low || d < 300*time.Millisecond, high || d > 700*time.Millisecond
	}
	if !low || !high {
		t.Error("the pauses are all alike")
	}
}
