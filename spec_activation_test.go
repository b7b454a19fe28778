package licet_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/activation/api"
	"github.com/licet-dev/licet/keys"
)

// specEndpoint returns an endpoint with the keys of SPEC.md, sections 10.1 and 10.5.
func specEndpoint(t *testing.T) *httptest.Server {
	t.Helper()
	mint := workedMint(t)
	private := workedReceiptKey(t, "404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f")
	key, err := keys.NewKey(private, keys.Descriptor{})
	if err != nil {
		t.Fatal(err)
	}
	ring, err := keys.NewRing("Acme Tools", []keys.Product{{Number: 7, Name: "Widget"}}, []keys.Key{mint, key})
	if err != nil {
		t.Fatal(err)
	}
	clock := func() time.Time { return time.Date(2026, 12, 1, 9, 30, 0, 0, time.UTC) }
	const day = 24 * time.Hour
	s, err := activation.New(activation.Config{
		Ring: ring, ReceiptKey: private, Ledger: activation.None{Clock: clock}, Clock: clock,
		Default: activation.Policy{Lease: activation.Lease{Refresh: 30 * day, Grace: 7 * day}},
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(api.New(s, api.Options{Ring: ring}))
	t.Cleanup(server.Close)
	return server
}

// TestSpecActivation sends the requests of SPEC.md, section 12.6, and compares the
// answers.
func TestSpecActivation(t *testing.T) {
	server := specEndpoint(t)
	text, err := os.ReadFile("SPEC.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n### 12.6 Example\n")
	section, _, _ = strings.Cut(section, "\n## ")
	parts := regexp.MustCompile("(?ms)^```\n(.*?)^```$").FindAllStringSubmatch(section, -1)
	if len(parts) < 4 || len(parts)%2 != 0 {
		t.Fatalf("%d blocks, want requests and answers", len(parts))
	}
	for i := 0; i < len(parts); i += 2 {
		request, want := parts[i][1], parts[i+1][1]
		head, body, _ := strings.Cut(request, "\n\n")
		lines := strings.Split(strings.TrimSpace(head), "\n")
		method, path, _ := strings.Cut(lines[0], " ")
		r, err := http.NewRequest(method, server.URL+path, strings.NewReader(joined(body)))
		if err != nil {
			t.Fatal(err)
		}
		for _, field := range lines[1:] {
			name, value, _ := strings.Cut(field, ": ")
			r.Header.Set(name, value)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("%d\n", resp.StatusCode)
		for _, name := range []string{"Content-Type", "Cache-Control", "RateLimit-Policy", "RateLimit", "X-Request-Id"} {
			if value := resp.Header.Get(name); value != "" {
				got += name + ": " + value + "\n"
			}
		}
		got += "\n" + broken(string(answer))
		if got != want {
			t.Errorf("%s: the answer is\n%s\nbut SPEC.md has\n%s", lines[0], got, want)
		}
	}
}

// broken breaks a text into lines of 120 characters, and joined puts them together.
func broken(s string) string {
	var lines []string
	for part := range slices.Chunk([]byte(s), 120) {
		lines = append(lines, string(part))
	}
	return strings.Join(lines, "\n") + "\n"
}

func joined(s string) string { return strings.ReplaceAll(s, "\n", "") }

// TestSpecProblems holds SPEC.md, section 12.3, and package activation to the same
// problems.
func TestSpecProblems(t *testing.T) {
	text, err := os.ReadFile("SPEC.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "| status | problem | further members |")
	table, _, _ = strings.Cut(table, "\n\n")
	for _, p := range []activation.Problem{
		activation.BadRequest, activation.MalformedCode, activation.QuotaExceeded, activation.CodeRefused, activation.ReceiptRefused,
		activation.WrongProduct, activation.WrongKind, activation.Revoked, activation.VersionTooOld, activation.NotYetValid, activation.Expired,
		activation.SeatsExhausted, activation.NoGiveBacks, activation.Released, activation.KeyReused, activation.Unavailable,
	} {
		if !strings.Contains(table, "`"+p.Error()+"`") {
			t.Errorf("SPEC.md does not have %s", p)
		}
	}
}
