//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/licet-dev/licet/activation/client"
	"github.com/licet-dev/licet/keys/receipt"
	"github.com/licet-dev/licet/verifier"
)

// A process is a licetd that listens.
type process struct {
	cmd        *exec.Cmd
	api, admin string // URLs
	client     *client.Client
	done       chan struct{}
	err        error // of its end

	mu    sync.Mutex
	lines []string
	more  *sync.Cond
}

// start starts licetd for the home of an issuer, and waits until it listens.
func start(t *testing.T, i *issuer, args ...string) *process {
	t.Helper()
	p := launch(t, append([]string{"--dir", i.dir, "--identity", i.identity}, args...)...)
	for _, l := range []struct {
		to   *string
		line string
	}{{&p.api, `"for":"api"`}, {&p.admin, `"for":"admin"`}} {
		line := p.wait(t, l.line)
		var entry struct {
			Address string
			TLS     bool
		}
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatal(err)
		}
		*l.to = "http://" + entry.Address
		if entry.TLS {
			*l.to = "https://" + entry.Address
		}
	}
	p.client = must(client.New(client.Options{Server: p.api, Attempts: 1})) // one, as each keeps connections
	return p
}

// launch starts licetd on ports that are free.
func launch(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(os.Args[0], append([]string{"--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"}, args...)...), done: make(chan struct{})}
	p.more = sync.NewCond(&p.mu)
	p.cmd.Env = append(os.Environ(), beLicetd+"=1", "GORACE=atexit_sleep_ms=0")
	p.cmd.Stdout = os.Stdout
	log, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		s := bufio.NewScanner(log)
		for s.Scan() {
			p.mu.Lock()
			p.lines = append(p.lines, s.Text())
			p.more.Broadcast()
			p.mu.Unlock()
		}
		p.err = p.cmd.Wait()
		close(p.done)
		p.more.Broadcast()
	}()
	guard := time.AfterFunc(2*time.Minute, func() { p.cmd.Process.Kill() }) // so that a test that waits for it ends
	t.Cleanup(func() {
		guard.Stop()
		p.cmd.Process.Kill()
		<-p.done
	})
	return p
}

// wait waits for a line of the log with a text in it.
func (p *process) wait(t *testing.T, text string) string {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for n := 0; ; n++ {
		for ; n < len(p.lines); n++ {
			if strings.Contains(p.lines[n], text) {
				return p.lines[n]
			}
		}
		select {
		case <-p.done:
			t.Fatalf("licetd ended, %v, without %s:\n%s", p.err, text, strings.Join(p.lines, "\n"))
		default:
		}
		n--
		p.more.Wait()
	}
}

func (p *process) log() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.lines, "\n")
}

// stop ends the process as an operator does, and checks that it ends well.
func (p *process) stop(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-p.done
	if p.err != nil || !strings.Contains(p.log(), `"msg":"stopped"`) {
		t.Fatalf("%v:\n%s", p.err, p.log())
	}
}

// get asks the admin listener.
func (p *process) get(t *testing.T, path string) (status int, body string) {
	t.Helper()
	return ask(t, "GET", p.admin+path)
}

func ask(t *testing.T, method, url string, header ...string) (status int, body string) {
	t.Helper()
	r := must(http.NewRequest(method, url, nil))
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode, string(must(io.ReadAll(response.Body)))
}

// A device is one that asks, with what it has pending.
type device struct {
	request client.Request
	pending client.Pending
}

func newDevice(name, code string) device {
	d := device{request: client.Request{Code: code, Product: 7, Subject: must(receipt.NewSubject(receipt.Device, name))}}
	d.pending = must(client.NewPending(d.request))
	return d
}

func (d device) activate(p *process) (client.Reply, error) {
	return p.client.Activate(context.Background(), d.request, d.pending)
}

// The whole life of an endpoint: seats are counted, receipts verify, a restart keeps both,
// and the operator sees and frees seats.
func TestServe(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	p := start(t, i, "--policy", "7,seats=2")
	one, two, three := newDevice("one", i.mint("hs256", 1)), newDevice("two", i.mint("hs256", 1)), newDevice("three", i.mint("hs256", 1))
	first, err := one.activate(p)
	if err != nil || first.Status != "granted" {
		t.Fatalf("%+v, %v", first, err)
	}
	v := must(verifier.New(i.ring, verifier.Options{Products: []uint64{7}}))
	if lic, err := v.VerifyReply(first.Receipt, one.request.Subject, one.pending.Nonce); err != nil || lic.Serial != 1 {
		t.Fatalf("%+v, %v", lic, err)
	}
	if _, err := two.activate(p); err != nil {
		t.Fatal(err)
	}
	if _, err := three.activate(p); !errors.Is(err, client.SeatsExhausted) {
		t.Fatal(err)
	}
	es := newDevice("one", i.mint("es256", 1)) // the same serial of another key is another licence
	if r, err := es.activate(p); err != nil || r.Status != "granted" {
		t.Fatalf("%+v, %v", r, err)
	}
	coupon := newDevice("one", i.mint("coupon", 1)) // without a manifest nobody has one
	if _, err := coupon.activate(p); !errors.Is(err, client.CodeRefused) {
		t.Fatal(err)
	}

	// A second server on the file is refused, and the first goes on.
	if code, _, errs := licetd("--dir", i.dir, "--identity", i.identity, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"); code != 1 || !strings.Contains(errs, "another server has it open") {
		t.Errorf("%d: %s", code, errs)
	}
	p.stop(t)

	// The receipt is the same after a restart, and so are the seats.
	p = start(t, i, "--policy", "7,seats=2")
	again, err := one.activate(p)
	if err != nil || again.Status != "replayed" || again.Receipt != first.Receipt {
		t.Fatalf("%+v, %v", again, err)
	}
	if _, err := three.activate(p); !errors.Is(err, client.SeatsExhausted) {
		t.Fatal(err)
	}

	// The operator frees a seat.
	licence := fmt.Sprintf("/seats/%s/7/1", i.private["hs256"].ID())
	status, body := p.get(t, licence)
	var seats seatsJSON
	if err := json.Unmarshal([]byte(body), &seats); err != nil || status != 200 || !seats.Enforced || len(seats.Seats) != 2 || seats.Seats[0].Seats != 2 {
		t.Fatalf("%d: %s", status, body)
	}
	if status, body := ask(t, "POST", p.admin+licence+"/"+seats.Seats[0].Subject+"/release", "Sec-Fetch-Site", "cross-site"); status != 403 {
		t.Errorf("a page of another site: %d: %s", status, body)
	}
	for range 2 { // twice is no error
		if status, body := ask(t, "POST", p.admin+licence+"/"+seats.Seats[0].Subject+"/release"); status != 200 || !strings.Contains(body, `"seat":null`) || !strings.Contains(body, `"released":"20`) {
			t.Errorf("%d: %s", status, body)
		}
	}
	if r, err := three.activate(p); err != nil || r.Status != "granted" {
		t.Fatalf("%+v, %v", r, err)
	}

	// What goes wrong at the operator's listener is a problem in JSON.
	for _, c := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/seats/0123456789abcdef/7/1", 404},
		{"GET", fmt.Sprintf("/seats/%s/8/1", i.private["hs256"].ID()), 404},
		{"GET", fmt.Sprintf("/seats/%s/7/1", i.private["list"].ID()), 404},
		{"GET", "/seats/ABC/7/1", 400},
		{"GET", fmt.Sprintf("/seats/%s/7/0", i.private["hs256"].ID()), 400},
		{"GET", fmt.Sprintf("/seats/%s/7/x", i.private["hs256"].ID()), 400},
		{"POST", licence, 405},
		{"GET", licence + "/" + seats.Seats[0].Subject + "/release", 405},
		{"POST", licence + "/00000000000000000000000000000000/release", 404},
		{"POST", licence + "/0000/release", 400},
		{"POST", licence + "/" + seats.Seats[0].Subject + "00/release", 400},
		{"GET", "/", 404},
		{"POST", "/healthz", 405},
	} {
		if status, body := ask(t, c.method, p.admin+c.path); status != c.status || !json.Valid([]byte(body)) || !strings.Contains(body, fmt.Sprintf(`"status":%d`, c.status)) {
			t.Errorf("%s %s: %d: %s, want %d", c.method, c.path, status, body, c.status)
		}
	}
	if status, body := p.get(t, "/healthz"); status != 200 || body != `{"status":"ok"}`+"\n" {
		t.Errorf("%d: %s", status, body)
	}
	if status, body := p.get(t, "/readyz"); status != 200 || body != `{"status":"ready"}`+"\n" {
		t.Errorf("%d: %s", status, body)
	}
	// The API has none of it.
	for _, path := range []string{"/healthz", "/metrics", licence} {
		if status, _ := ask(t, "GET", p.api+path); status != 404 {
			t.Errorf("%s at the API: %d", path, status)
		}
	}
	if status, body := ask(t, "GET", p.api+"/v1/keys"); status != 200 || !strings.Contains(body, i.private["receipt"].ID().String()) {
		t.Errorf("%d: %s", status, body)
	}

	// No code, device or address is in a metric or in the log.
	_, text := p.get(t, "/metrics")
	for _, want := range []string{
		`licetd_activations_total{outcome="granted",product="7",route="activate"} 1`,
		`licetd_activations_total{outcome="replayed",product="7",route="activate"} 1`,
		`licetd_activations_total{outcome="seats-exhausted",product="7",route="activate"} 1`,
		`licetd_http_requests_total{route="activate",status="409"} 1`,
		`licetd_http_requests_total{route="other",status="404"} 3`,
		`licetd_http_request_duration_seconds_count{route="activate"} 3`,
		`licetd_ledger_duration_seconds_count{route="activate"} 2`,
		"licetd_bad_signatures_total 0",
		"licetd_revocation_list_failures_total 0",
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if regexp.MustCompile(`127\.0\.0\.1|ACME|` + seats.Seats[0].Subject[:8]).MatchString(text) {
		t.Error("a metric tells of a code, a device or an address")
	}
	p.stop(t)
	if log := p.log(); strings.Contains(log, one.request.Code) || strings.Contains(log, first.Receipt) || strings.Contains(log, one.pending.Key) || strings.Contains(log, one.pending.Nonce) {
		t.Errorf("the log has what it must not:\n%s", log)
	}
}

// A product that the ring does not have is told apart by no label, so that nobody makes
// a million of them; and a bad signature is counted.
func TestMetricLabels(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	p := start(t, i)
	for n := range uint64(3) {
		d := newDevice("one", newIssuer(t).mint("hs256", 1))
		d.request.Product = 1000 + n
		d.pending = must(client.NewPending(d.request))
		if _, err := d.activate(p); !errors.Is(err, client.CodeRefused) {
			t.Fatal(err)
		}
	}
	_, text := p.get(t, "/metrics")
	for _, want := range []string{`licetd_activations_total{outcome="code-refused",product="other",route="activate"} 3`, "licetd_bad_signatures_total 3"} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

// What has begun when the signal comes is finished: its answer arrives, and the seat is
// kept. Nothing new begins.
func TestGracefulStop(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	p := start(t, i)
	d := newDevice("one", i.mint("hs256", 1))
	body := fmt.Sprintf(`{"code":%q,"product":7,"subject":{"kind":"device","hash":"%x"},"nonce":%q}`, d.request.Code, d.request.Subject.Hash, d.pending.Nonce)
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.api, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /v1/activations HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nIdempotency-Key: %s\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", d.pending.Key, len(body))
	in := bufio.NewReader(conn)
	if line, err := in.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") { // it reads the body now
		t.Fatalf("%q, %v", line, err)
	}
	in.ReadString('\n')
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.wait(t, `"msg":"stopping"`)
	io.WriteString(conn, body)
	response, err := http.ReadResponse(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	text := must(io.ReadAll(response.Body))
	var reply struct{ Status, Receipt string }
	if err := json.Unmarshal(text, &reply); err != nil || response.StatusCode != 200 || reply.Status != "granted" {
		t.Fatalf("%s: %s", response.Status, text)
	}
	<-p.done
	if p.err != nil || !strings.Contains(p.log(), `"msg":"stopped"`) {
		t.Fatalf("%v:\n%s", p.err, p.log())
	}
	if _, err := d.activate(p); !errors.Is(err, client.ErrUnreachable) {
		t.Error(err)
	}
	p = start(t, i)
	if again, err := d.activate(p); err != nil || again.Receipt != reply.Receipt {
		t.Errorf("%+v, %v", again, err)
	}
}

// A second signal ends the program at once, whatever has begun.
func TestSecondSignal(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	p := start(t, i)
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.api, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, "POST /v1/activations HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nIdempotency-Key: 0123456789abcdef\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n")
	if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("%q, %v", line, err)
	}
	p.cmd.Process.Signal(syscall.SIGTERM)
	p.wait(t, `"msg":"stopping"`)
	for ended := false; !ended; { // one that comes within the same microseconds may count as the first
		p.cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-p.done:
			ended = true
		case <-time.After(20 * time.Millisecond):
		}
	}
	var exit *exec.ExitError
	if !errors.As(p.err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGTERM {
		t.Errorf("%v:\n%s", p.err, p.log())
	}
}

// A newer list is taken while codes are judged; one that is older or damaged is not, is
// told once, and the one at hand goes on to decide. It is served, too.
func TestRevocationFile(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	name := filepath.Join(i.dir, "revocations.txt")
	p := start(t, i, "--revocations-every", "1s", "--policy", "default,seats=5")
	try := func(serial uint64) error {
		_, err := newDevice("one", i.mint("hs256", serial)).activate(p)
		return err
	}
	if err := try(1); err != nil {
		t.Fatal(err)
	}
	if status, body := ask(t, "GET", p.api+"/v1/revocations"); status != 404 {
		t.Errorf("%d: %s", status, body)
	}
	replaceFile(t, name, i.list(5, pastDue, 1))
	p.wait(t, `"msg":"revocation list taken","sequence":5`)
	if err := try(1); !errors.Is(err, client.Revoked) {
		t.Error(err)
	}
	if err := try(2); err != nil { // a stale list is reported, and judges
		t.Error(err)
	}
	if status, body := p.get(t, "/readyz"); status != 200 || !strings.Contains(body, `"warnings":["the next revocation list was due at 2026-01-02T00:00:00Z, and list 5 is still at hand"]`) {
		t.Errorf("%d: %s", status, body)
	}
	for _, bad := range []struct{ text, reason string }{
		{i.list(4, farAhead, 2), "has the sequence number 4, but one with 5 or more"},
		{strings.Replace(i.list(6, farAhead, 2), "Acme Tools", "Acme Fools", 1), "signature"},
		{newIssuer(t).list(7, farAhead, 2), ""},
		{"", ""},
	} {
		replaceFile(t, name, bad.text)
		before := strings.Count(p.log(), "revocation list not taken")
		for strings.Count(p.log(), "revocation list not taken") == before {
			p.next(t)
		}
		if log := p.log(); !strings.Contains(log[strings.LastIndex(log, "revocation list not taken"):], bad.reason) {
			t.Errorf("%s:\n%s", bad.reason, log)
		}
		if err := try(1); !errors.Is(err, client.Revoked) {
			t.Error(err)
		}
		if err := try(3); err != nil {
			t.Error(err)
		}
	}
	replaceFile(t, name, i.list(8, farAhead, 1, 3))
	p.wait(t, `"msg":"revocation list taken","sequence":8`)
	if err := try(3); !errors.Is(err, client.Revoked) {
		t.Error(err)
	}
	if status, body := ask(t, "GET", p.api+"/v1/revocations"); status != 200 || body != string(must(os.ReadFile(name))) {
		t.Errorf("%d: %s", status, body)
	}
	if status, body := p.get(t, "/readyz"); status != 200 || strings.Contains(body, "warnings") {
		t.Errorf("%d: %s", status, body)
	}
	if _, text := p.get(t, "/metrics"); !strings.Contains(text, "licetd_revocation_list_sequence 8\n") || !strings.Contains(text, "licetd_revocation_list_age_seconds ") || strings.Contains(text, "list_failures_total 0\n") {
		t.Error(text)
	}
	p.stop(t)
}

// next waits for the next line of the log.
func (p *process) next(t *testing.T) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for n := len(p.lines); len(p.lines) == n; {
		select {
		case <-p.done:
			t.Fatalf("licetd ended, %v", p.err)
		default:
		}
		p.more.Wait()
	}
}

// replaceFile replaces a file as programs do that write it whole.
func replaceFile(t *testing.T, name, text string) {
	t.Helper()
	writeFile(t, name+".new", text)
	if err := os.Rename(name+".new", name); err != nil {
		t.Fatal(err)
	}
}

// A list is fetched by its URL. When it can't be, the list of the home judges.
func TestRevocationURL(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	var published atomic.Pointer[string]
	set := func(s string) { published.Store(&s) }
	set(i.list(3, farAhead, 1))
	var unchanged atomic.Int64
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := *published.Load()
		tag := fmt.Sprintf(`"%x"`, sha256.Sum256([]byte(text)))
		switch {
		case text == "":
			w.WriteHeader(500)
		case r.Header.Get("If-None-Match") == tag:
			unchanged.Add(1)
			w.WriteHeader(304)
		default:
			w.Header().Set("ETag", tag)
			io.WriteString(w, text)
		}
	}))
	defer site.Close()
	p := start(t, i, "--revocations", site.URL+"/list", "--revocations-every", "1s")
	if _, err := newDevice("one", i.mint("hs256", 1)).activate(p); !errors.Is(err, client.Revoked) {
		t.Error(err)
	}
	for unchanged.Load() == 0 {
		time.Sleep(10 * time.Millisecond)
	}
	set(i.list(4, farAhead, 1, 2))
	p.wait(t, `"msg":"revocation list taken","sequence":4`)
	set("")
	p.wait(t, "the answer has status 500")
	if _, err := newDevice("one", i.mint("hs256", 2)).activate(p); !errors.Is(err, client.Revoked) {
		t.Error(err)
	}
	p.stop(t)

	// Without any list it does not begin; with an older one of the home it does.
	if code, _, errs := licetd("--dir", i.dir, "--identity", i.identity, "--revocations", site.URL+"/list"); code != 1 || !strings.Contains(errs, "put a list into "+filepath.Join(i.dir, "revocations.txt")) {
		t.Errorf("%d: %s", code, errs)
	}
	writeFile(t, filepath.Join(i.dir, "revocations.txt"), i.list(2, farAhead, 9))
	p = start(t, i, "--revocations", site.URL+"/list", "--revocations-every", "1s")
	p.wait(t, "the revocation list can't be read, and list 2 of the home is used meanwhile")
	if _, err := newDevice("one", i.mint("hs256", 9)).activate(p); !errors.Is(err, client.Revoked) {
		t.Error(err)
	}
	set(i.list(5, farAhead, 1, 2, 9))
	p.wait(t, `"msg":"revocation list taken","sequence":5`)
}

// Coupons are for what manifests cover, and accounts for callers that are known.
func TestCouponAndAccount(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	manifest := filepath.Join(t.TempDir(), "coupons.manifest")
	writeFile(t, manifest, i.manifest(1, 10))
	tokens := filepath.Join(t.TempDir(), "tokens")
	const token = "0123456789abcdef0123456789abcdef"
	writeFile(t, tokens, token+"\n")
	p := start(t, i, "--manifests", manifest, "--tokens-file", tokens, "--policy", "7,kind=account")
	ask := func(serial uint64, account, token string) error {
		d := device{request: client.Request{Code: i.mint("coupon", serial), Product: 7, Subject: must(receipt.NewSubject(receipt.Account, account))}}
		d.pending = must(client.NewPending(d.request))
		_, err := must(client.New(client.Options{Server: p.api, Attempts: 1, Token: client.Token(token)})).Activate(context.Background(), d.request, d.pending)
		return err
	}
	if err := ask(1, "anna", token); err != nil {
		t.Error(err)
	}
	if err := ask(1, "berta", token); !errors.Is(err, client.SeatsExhausted) {
		t.Error(err)
	}
	if err := ask(11, "anna", token); !errors.Is(err, client.CodeRefused) {
		t.Error(err)
	}
	if err := ask(2, "anna", ""); err == nil {
		t.Error("whoever has no token speaks for an account")
	}
	if err := ask(2, "anna", token+"0"); err == nil {
		t.Error("an unknown token is known")
	}
	p.stop(t)
	if strings.Contains(p.log(), token) {
		t.Error("the log has the token")
	}
}

// HTTPS is served with the files of the configuration.
func TestTLS(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: farAhead.Time(), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der := must(x509.CreateCertificate(rand.Reader, template, template, key.Public(), key))
	certFile, keyFile := filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	writeFile(t, certFile, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	writeFile(t, keyFile, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: must(x509.MarshalPKCS8PrivateKey(key))})))
	p := start(t, i, "--tls-cert", certFile, "--tls-key", keyFile)
	pool := x509.NewCertPool()
	pool.AddCert(must(x509.ParseCertificate(der)))
	for _, version := range []uint16{tls.VersionTLS11, tls.VersionTLS12, tls.VersionTLS13} {
		conn, err := tls.Dial("tcp", strings.TrimPrefix(p.api, "https://"), &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS10, MaxVersion: version})
		if (err == nil) != (version >= tls.VersionTLS12) {
			t.Errorf("version %#x: %v", version, err)
		}
		if err == nil {
			conn.Close()
		}
	}
	h := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}}
	d := newDevice("one", i.mint("hs256", 1))
	if r, err := must(client.New(client.Options{Server: p.api, HTTP: h, Attempts: 1})).Activate(context.Background(), d.request, d.pending); err != nil || r.Status != "granted" {
		t.Errorf("%+v, %v", r, err)
	}
	h.CloseIdleConnections()
	p.stop(t)
}

// One address has so many connections and no more, a slow one is ended, and what it
// leaves is free again.
func TestConnections(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	p := start(t, i, "--connections-per-address", "2")
	dial := func() net.Conn { return must(net.Dial("tcp", strings.TrimPrefix(p.api, "http://"))) }
	idle := []net.Conn{dial(), dial()}
	third := dial()
	if n, err := third.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("%d, %v", n, err)
	}
	third.Close()
	if _, text := p.get(t, "/metrics"); !strings.Contains(text, "licetd_connections_refused_total 1\n") {
		t.Error(text)
	}
	idle[0].Close()
	for { // until the server has noticed
		conn := dial()
		io.WriteString(conn, "GET /v1/keys HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
		text, err := io.ReadAll(conn)
		conn.Close()
		if err == nil && bytes.HasPrefix(text, []byte("HTTP/1.1 200 ")) {
			break
		}
	}
	// The other sends no header, so it is ended.
	if n, err := idle[1].Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("%d, %v", n, err)
	}
}
