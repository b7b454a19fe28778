package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/activation/api"
	"github.com/licet-dev/licet/cmd/internal/home"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/receipt"
)

// cmdEndpoint starts an endpoint for the home of REFHOME, which counts no seats and by
// whose clock it is 2026-12-01 at 09:30, and puts its URL into a variable:
//
//	endpoint SERVER good
//
// Its kinds are good; accounts, which serves accounts with the token "sesame-0123456789";
// lost, whose first four answers are lost, and which refuses another idempotency key from
// then on; gone, which says at first that the seat was given back; full; quota; portal,
// which wants a log-in; old, which repeats its first answer; down.
func cmdEndpoint(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: endpoint variable kind")
	}
	h, err := home.Open(ts.Getenv("REFHOME"))
	ts.Check(err)
	var private keys.PrivateKey
	for _, k := range h.Ring.Keys() {
		if k.Role() == keys.Receipt {
			private, err = h.Private(k, &home.Unlocker{Identities: []string{ts.Getenv("ID")}})
			ts.Check(err)
		}
	}
	clock := func() time.Time { return time.Date(2026, 12, 1, 9, 30, 0, 0, time.UTC) }
	c := activation.Config{
		Ring: h.Ring, ReceiptKey: private, Ledger: activation.None{Clock: clock}, Clock: clock,
		Default: activation.Policy{Lease: activation.Lease{Refresh: 30 * 24 * time.Hour, Grace: 14 * 24 * time.Hour}},
	}
	if args[1] == "accounts" {
		c.Default.Kind = receipt.Account
	}
	service, err := activation.New(c)
	ts.Check(err)
	good := api.New(service, api.Options{Tokens: [][sha256.Size]byte{sha256.Sum256([]byte("sesame-0123456789"))}})
	problem := func(w http.ResponseWriter, status int, name string) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"type":"urn:licet:problem:%s","title":"x","status":%d,"detail":"as the test wants it"}`, name, status)
	}
	var mu sync.Mutex
	var count int
	var firstKey string
	var first *httptest.ResponseRecorder
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		count++
		key := r.Header.Get("Idempotency-Key")
		if count == 1 {
			firstKey = key
		}
		switch args[1] {
		case "lost":
			if key != firstKey {
				problem(w, 400, "malformed-request")
				return
			}
			if count <= 4 {
				good.ServeHTTP(httptest.NewRecorder(), r)
				panic(http.ErrAbortHandler)
			}
		case "gone":
			if key == firstKey && count > 4 {
				problem(w, 410, "released")
				return
			}
			if count <= 4 {
				panic(http.ErrAbortHandler)
			}
		case "full":
			problem(w, 409, "seats-exhausted")
			return
		case "quota":
			w.Header().Set("Retry-After", "3600")
			problem(w, 429, "quota-exceeded")
			return
		case "portal":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<html>Log in")
			return
		case "old":
			if first == nil {
				first = httptest.NewRecorder()
				good.ServeHTTP(first, r)
			}
			w.Header().Set("Content-Type", "application/json")
			w.Write(bytes.Clone(first.Body.Bytes()))
			return
		}
		good.ServeHTTP(w, r)
	}))
	ts.Defer(server.Close)
	ts.Setenv(args[0], server.URL)
	if args[1] == "down" {
		server.Close()
	}
}
