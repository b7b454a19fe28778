package api

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/activation/limit"
)

// raw sends bytes as they are, part by part, and returns the answer.
func (s *site) raw(t *testing.T, parts ...string) (answer, error) {
	t.Helper()
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(30 * time.Second))
	go func() {
		for _, p := range parts {
			if _, err := io.WriteString(conn, p); err != nil {
				return // it has heard enough
			}
		}
	}()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	return answer{resp, string(text)}, nil
}

const head = "POST /v1/activations HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nIdempotency-Key: " + idemKey + "\r\n"

func TestMediaType(t *testing.T) {
	s := serve(t, newService(t))
	for _, ct := range []string{"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/problem+json", "text/json",
		"application/json; charset=latin1", "application/json; version=1", "application/json; charset=utf-8; charset=utf-8", "application/json;;", "application/json, text/plain", "*/*"} {
		s.do(t, "POST", "/v1/activations", activationBody(), "Content-Type", ct).requireProblem(t, 415, "unsupported-media-type")
	}
	for _, ce := range []string{"gzip", "identity", "br"} {
		s.do(t, "POST", "/v1/activations", activationBody(), "Content-Encoding", ce).requireProblem(t, 415, "unsupported-media-type")
	}
}

func TestIdempotencyKey(t *testing.T) {
	s := serve(t, newService(t))
	for _, key := range []string{
		"", `""`, "short", strings.Repeat("x", 15), strings.Repeat("x", 129), `"` + idemKey, idemKey + `"`, `"` + idemKey + `";a=1`,
		idemKey + ", " + idemKey, `"` + idemKey + `", "` + idemKey + `"`, "white space in it all", "umlaut-ä-umlaut-ä", `"\"0123456789012345"`,
	} {
		s.do(t, "POST", "/v1/activations", activationBody(), "Idempotency-Key", key).requireProblem(t, 400, "malformed-request")
	}
	for _, key := range []string{strings.Repeat("x", 16), strings.Repeat("x", 128), `"` + strings.Repeat("x", 128) + `"`, " \t" + idemKey + " "} {
		if a := s.do(t, "POST", "/v1/activations", activationBody(), "Idempotency-Key", key); a.StatusCode != 200 {
			t.Errorf("%q: %d: %s", key, a.StatusCode, a.text)
		}
	}
	// Quotes are no part of it, and the service gets it as it is.
	for _, key := range []string{idemKey, `"` + idemKey + `"`} {
		got := ""
		serve(t, fake{asked: func(r activation.Request) { got = r.Key }}).do(t, "POST", "/v1/activations", activationBody(), "Idempotency-Key", key)
		if got != idemKey {
			t.Errorf("%s: %q", key, got)
		}
	}
}

func TestDuplicateHeaders(t *testing.T) {
	s := serve(t, newService(t))
	for name, value := range map[string]string{"Idempotency-Key": idemKey, "Content-Type": "application/json", "Authorization": "Bearer " + token} {
		s.do(t, "POST", "/v1/activations", activationBody(), name, value, name, value).requireProblem(t, 400, "malformed-request")
	}
	// Two ids are none.
	if id := s.do(t, "GET", "/v1/keys", "", "X-Request-Id", "order-4711", "X-Request-Id", "order-4712").Header.Get("X-Request-Id"); strings.HasPrefix(id, "order") {
		t.Errorf("request id %q", id)
	}
	// The server itself refuses what two readers could take in two ways.
	body := activationBody()
	for name, fields := range map[string]string{
		"two lengths":    fmt.Sprintf("Content-Length: %d\r\nContent-Length: %d\r\n", len(body), len(body)+1),
		"unknown coding": "Transfer-Encoding: gzip, chunked\r\n",
	} {
		a, err := s.raw(t, head+fields+"\r\n"+body)
		if err != nil || a.StatusCode != 400 && a.StatusCode != 501 {
			t.Errorf("%s: %v, %v", name, a.Response, err)
		}
	}
}

// EP-14: bodies at and above the bound, with and without a length.
func TestLargeBody(t *testing.T) {
	asked := 0
	s := serve(t, fake{asked: func(activation.Request) { asked++ }})
	exact := activationBody()
	exact += strings.Repeat(" ", maxBody-len(exact))
	if a := s.do(t, "POST", "/v1/activations", exact); a.StatusCode != 200 {
		t.Errorf("%d bytes: %d", len(exact), a.StatusCode)
	}
	s.do(t, "POST", "/v1/activations", exact+" ").requireProblem(t, 413, "body-too-large")
	chunk := func(text string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(text), text) }
	if a, err := s.raw(t, head+"Transfer-Encoding: chunked\r\n\r\n"+chunk(exact)+"0\r\n\r\n"); err != nil || a.StatusCode != 200 {
		t.Errorf("%v, %v", a.Response, err)
	}
	for name, parts := range map[string][]string{
		"1 MiB":            {head + "Content-Length: 1048576\r\n\r\n", strings.Repeat(" ", 1<<20)},
		"10 GB, announced": {head + "Content-Length: 10000000000\r\n\r\n"},
		"chunked":          {head + "Transfer-Encoding: chunked\r\n\r\n", chunk(exact + " "), "0\r\n\r\n"},
		"chunked, no end":  append([]string{head + "Transfer-Encoding: chunked\r\n\r\n"}, repeat(chunk(strings.Repeat(" ", 1<<16)), 100)...),
	} {
		a, err := s.raw(t, parts...)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		a.requireProblem(t, 413, "body-too-large")
		if !a.Close {
			t.Errorf("%s: the connection stays", name)
		}
	}
	if asked != 2 {
		t.Errorf("the service was asked %d times, want 2", asked)
	}
}

func repeat(s string, n int) (all []string) {
	for range n {
		all = append(all, s)
	}
	return all
}

// EP-14: who sends slowly is cut off by the server's timeouts, and keeps nobody else
// waiting.
func TestSlow(t *testing.T) {
	s := serve(t, newService(t))
	body := activationBody()
	length := fmt.Sprintf("Content-Length: %d\r\n", len(body))
	a, err := s.raw(t, head+length+"\r\n"+body[:10]) // and no more
	if err != nil {
		t.Fatal(err)
	}
	a.requireProblem(t, 408, "request-timeout")
	if _, err := s.raw(t, head[:40]); err == nil { // headers without end
		t.Error("an answer to half a header")
	}
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, head) // while this one waits
	if a := s.do(t, "POST", "/v1/activations", body); a.StatusCode != 200 {
		t.Errorf("%d: %s", a.StatusCode, a.text)
	}
}

// A body that ends before it is complete is no request.
func TestCutBody(t *testing.T) {
	asked := false
	s := serve(t, fake{asked: func(activation.Request) { asked = true }})
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	body := activationBody()
	fmt.Fprintf(conn, "%sContent-Length: %d\r\n\r\n%s", head, len(body)+1, body)
	conn.(*net.TCPConn).CloseWrite()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(resp.Body)
	answer{resp, string(text)}.requireProblem(t, 400, "malformed-request")
	if asked {
		t.Error("the service was asked")
	}
}

// What net/http answers by itself is plain text; the documentation says so.
func TestServerItself(t *testing.T) {
	s := serve(t, newService(t))
	for name, c := range map[string]struct {
		text   string
		status int
	}{
		"64 KiB of header": {head + "X-Padding: " + strings.Repeat("x", 64<<10) + "\r\n\r\n", 431},
		"no HTTP":          {"hello\r\n\r\n", 400},
		"no host":          {strings.Replace(head, "Host: x\r\n", "", 1) + "\r\n", 400},
		"HTTP/3.0":         {strings.Replace(head, "HTTP/1.1", "HTTP/3.0", 1) + "\r\n", 505},
	} {
		a, err := s.raw(t, c.text)
		if err != nil || a.StatusCode != c.status || !strings.HasPrefix(a.Header.Get("Content-Type"), "text/plain") {
			t.Errorf("%s: %v, %v", name, a.Response, err)
		}
	}
}

// Only what a trusted proxy says counts, and of that the first from the right that is
// none.
func TestAddresses(t *testing.T) {
	h := &handler{Options: Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}}}
	for name, c := range map[string]struct {
		peer   string
		fields []string
		want   string
	}{
		"no proxy":                {"192.0.2.1:1234", nil, "192.0.2.1"},
		"spoofed":                 {"192.0.2.1:1234", []string{"198.51.100.7"}, "192.0.2.1"},
		"spoofed as a proxy":      {"192.0.2.1:1234", []string{"10.0.0.1"}, "192.0.2.1"},
		"proxy":                   {"10.0.0.1:1234", []string{"198.51.100.7"}, "198.51.100.7"},
		"proxy without field":     {"10.0.0.1:1234", nil, "10.0.0.1"},
		"spoofed through a proxy": {"10.0.0.1:1234", []string{"203.0.113.9, 198.51.100.7"}, "198.51.100.7"},
		"two proxies":             {"10.0.0.1:1234", []string{"203.0.113.9, 198.51.100.7 ,10.0.0.2"}, "198.51.100.7"},
		"two fields":              {"10.0.0.1:1234", []string{"203.0.113.9", "198.51.100.7,\t10.0.0.2"}, "198.51.100.7"},
		"over two fields":         {"10.0.0.1:1234", []string{"203.0.113.9, 198.51.100.7", "10.0.0.3,10.0.0.2"}, "198.51.100.7"},
		"proxies only":            {"10.0.0.1:1234", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3"},
		"spoofed proxy":           {"10.0.0.1:1234", []string{"198.51.100.7, 203.0.113.9, 10.0.0.2"}, "203.0.113.9"},
		"unreadable":              {"10.0.0.1:1234", []string{"unknown"}, "10.0.0.1"},
		"unreadable to the right": {"10.0.0.1:1234", []string{"198.51.100.7, x, 10.0.0.2"}, "10.0.0.1"},
		"unreadable to the left":  {"10.0.0.1:1234", []string{"x, 198.51.100.7"}, "198.51.100.7"},
		"empty":                   {"10.0.0.1:1234", []string{""}, "10.0.0.1"},
		"comma":                   {"10.0.0.1:1234", []string{"198.51.100.7,"}, "10.0.0.1"},
		"with port":               {"10.0.0.1:1234", []string{"198.51.100.7:80"}, "10.0.0.1"},
		"zone":                    {"10.0.0.1:1234", []string{"fe80::1%eth0"}, "10.0.0.1"},
		"IPv6":                    {"[fd00::1]:1234", []string{"2001:db8::7"}, "2001:db8::7"},
		"IPv4 in IPv6":            {"[::ffff:10.0.0.1]:1234", []string{"::ffff:198.51.100.7"}, "198.51.100.7"},
		"peer with zone":          {"[fe80::1%eth0]:1234", nil, "fe80::1"},
		"no address":              {"@", []string{"198.51.100.7"}, "invalid IP"},
	} {
		r := httptest.NewRequest("POST", "/v1/activations", nil)
		r.RemoteAddr = c.peer
		if c.fields != nil {
			r.Header["X-Forwarded-For"] = c.fields
		}
		if _, got := h.addresses(r); got.String() != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// The address that counts is the one that is limited and logged, with the peer beside
// it.
func TestSpoofedAddress(t *testing.T) {
	limits := withLimits(activation.Limits{Address: limit.Rate{N: 2, Per: time.Hour}})
	trust := func(o *Options) { o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")} }
	s := serve(t, newService(t, limits))
	for i := range 4 {
		a := s.do(t, "POST", "/v1/activations", activationBody(), "X-Forwarded-For", fmt.Sprintf("192.0.2.%d", i))
		if limited := a.StatusCode == 429; limited != (i >= 2) {
			t.Errorf("spoofed, %d: %d", i, a.StatusCode)
		}
	}
	if line := s.lines(t, 4)[0]; line["address"] != "127.0.0.1" || line["peer"] != nil {
		t.Errorf("%v", line)
	}
	s = serve(t, newService(t, limits), trust)
	for i := range 4 {
		if a := s.do(t, "POST", "/v1/activations", activationBody(), "X-Forwarded-For", fmt.Sprintf("192.0.2.%d", i)); a.StatusCode != 200 {
			t.Errorf("proxy, %d: %d", i, a.StatusCode)
		}
	}
	if line := s.lines(t, 4)[3]; line["address"] != "192.0.2.3" || line["peer"] != "127.0.0.1" {
		t.Errorf("%v", line)
	}
	for i := range 4 { // what a customer puts to the left does not help
		a := s.do(t, "POST", "/v1/activations", activationBody(), "X-Forwarded-For", fmt.Sprintf("203.0.113.%d, 198.51.100.7", i))
		if limited := a.StatusCode == 429; limited != (i >= 2) {
			t.Errorf("spoofed through the proxy, %d: %d", i, a.StatusCode)
		}
	}
}

// EP-14: many addresses, a million with LICET_LONG, each with a code that is none, in
// memory of a fixed size. The customer who comes last is served.
func TestMillionAddresses(t *testing.T) {
	const entries = 1 << 14
	distinct := uint32(100_000)
	if os.Getenv("LICET_LONG") != "" {
		distinct = 1_000_000
	}
	limits := activation.DefaultLimits()
	limits.Entries = entries
	h := newHandler(newService(t, withLimits(limits)), Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.1/32")}})
	body := `{"code":"ACME-AHJX","product":7}`
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	r := httptest.NewRequest("POST", "/v1/activations/preview", nil)
	r.RemoteAddr = "10.0.0.1:1234"
	r.Header.Set("Content-Type", "application/json")
	ask := func(n uint32, body string) int {
		var b [4]byte
		binary.BigEndian.PutUint32(b[:], n)
		r.Header["X-Forwarded-For"] = []string{netip.AddrFrom4(b).String()}
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		w := &discard{header: http.Header{}}
		h.ServeHTTP(w, r)
		return w.status
	}
	ask(0, body)
	before := heap()
	for i := range distinct {
		if status := ask(1<<28+i, body); status != 400 {
			t.Fatalf("address %d: %d", i, status)
		}
	}
	if after := heap(); after > before+1<<20 {
		t.Errorf("%d bytes more after a million addresses", after-before)
	}
	if status := ask(42, previewOf(code)); status != 200 {
		t.Errorf("a customer gets %d", status)
	}
	runtime.KeepAlive(h)
}

// discard is a ResponseWriter that keeps the status.
type discard struct {
	header http.Header
	status int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }
func (d *discard) WriteHeader(status int)      { d.status = status }
