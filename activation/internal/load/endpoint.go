package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/activation/api"
	"github.com/licet-dev/licet/activation/postgres"
	"github.com/licet-dev/licet/activation/sqlite"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/receipt"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/signer"
)

// An endpoint is what the servers have in common: keys, and what mints codes for them.
type endpoint struct {
	ring    *keys.Ring
	private keys.PrivateKey // of the receipts
	signer  *signer.Signer
	serial  atomic.Uint64
}

const descriptor = "licet/v1 hs256 key=8 prefix= layout=product:9,version:8,expiry:15,serial:28 bind=none sig=80"

func newEndpoint() (*endpoint, error) {
	d, err := keys.ParseDescriptor(descriptor)
	if err != nil {
		return nil, err
	}
	mint, err := keys.GenerateMint(d)
	if err != nil {
		return nil, err
	}
	key, err := keys.NewKey(mint, d, 7)
	if err != nil {
		return nil, err
	}
	e := new(endpoint)
	if e.signer, err = signer.New(key, mint, signer.Options{}); err != nil {
		return nil, err
	}
	if key, err = key.Attach(mint); err != nil {
		return nil, err
	}
	if e.private, err = keys.GenerateRole(keys.Receipt); err != nil {
		return nil, err
	}
	receipts, err := keys.NewKey(e.private, keys.Descriptor{})
	if err != nil {
		return nil, err
	}
	e.ring, err = keys.NewRing("Load", []keys.Product{{Number: 7, Name: "Widget"}}, []keys.Key{key, receipts})
	return e, err
}

// A server serves on a port of this machine.
type server struct {
	address string
	http    *http.Server
	ledger  activation.Ledger // nil for none
}

func serve(h http.Handler, ledger activation.Ledger) (*server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &server{l.Addr().String(), &http.Server{Handler: h, ReadHeaderTimeout: 3 * time.Second, ReadTimeout: 5 * time.Second, WriteTimeout: 40 * time.Second}, ledger}
	go s.http.Serve(l)
	return s, nil
}

func (s *server) close() error {
	err := s.http.Close()
	if s.ledger != nil && err == nil {
		err = s.ledger.Close()
	}
	return err
}

func serveEmpty() (*server, error) {
	return serve(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), nil)
}

func (e *endpoint) serve(ledger activation.Ledger) (*server, error) {
	s, err := activation.New(activation.Config{
		Ring: e.ring, ReceiptKey: e.private, Ledger: ledger, Limits: &activation.Limits{},
		Default: activation.Policy{Seats: 3, Lease: activation.Lease{Refresh: 30 * 24 * time.Hour, Grace: 7 * 24 * time.Hour}},
	})
	if err != nil {
		return nil, err
	}
	return serve(api.New(s, api.Options{Ring: e.ring, Log: slog.New(slog.NewJSONHandler(io.Discard, nil))}), ledger)
}

func (e *endpoint) serveNone() (*server, error) { return e.serve(activation.None{}) }

func (e *endpoint) serveSQLite(path string) (*server, error) {
	l, err := sqlite.Open(path, sqlite.Options{})
	if err != nil {
		return nil, err
	}
	return e.serve(l)
}

func (e *endpoint) servePostgres(url string) (*server, error) {
	l, err := postgres.Open(context.Background(), url, postgres.Options{})
	if err != nil {
		return nil, err
	}
	return e.serve(l)
}

// code appends the code of a licence that nobody has.
func (e *endpoint) code(dst []byte) []byte {
	lic := payload.License{Product: 7, Version: 3, Expiry: payload.Never, Serial: e.serial.Add(1)}
	dst, err := e.signer.AppendCode(dst, &lic)
	if err != nil {
		panic(err) // 2^28 serials are enough for any run
	}
	return dst
}

// appendRequest appends a request.
func appendRequest(dst []byte, path, key string, body []byte) []byte {
	dst = fmt.Appendf(dst, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n", path)
	if key != "" {
		dst = fmt.Appendf(dst, "Idempotency-Key: %q\r\n", key)
	}
	return append(fmt.Appendf(dst, "Content-Length: %d\r\n\r\n", len(body)), body...)
}

func (e *endpoint) previews(int) requests {
	text := appendRequest(nil, "/v1/activations/preview", "", fmt.Appendf(nil, `{"code":"%s","product":7}`, e.code(nil)))
	return func() ([]byte, int) { return text, http.StatusOK }
}

// forgeries are codes without a typing error whose signature is another code's.
func (e *endpoint) forgeries(int) requests {
	code := bytes.ReplaceAll(e.code(nil), []byte("-"), nil)
	other := bytes.ReplaceAll(e.code(nil), []byte("-"), nil)
	forged := payload.AppendCheck(append(bytes.Clone(code[:13]), other[13:len(other)-payload.CheckSymbols]...))
	forged = payload.AppendCode(nil, "", forged, payload.GroupSize)
	text := appendRequest(nil, "/v1/activations/preview", "", fmt.Appendf(nil, `{"code":"%s","product":7}`, forged))
	return func() ([]byte, int) { return text, http.StatusForbidden }
}

// activations are of a new licence and a new device each time.
func (e *endpoint) activations(connection int) requests {
	var text, body, code []byte
	n := 0
	return func() ([]byte, int) {
		n++
		code = e.code(code[:0])
		subject, err := receipt.NewSubject(receipt.Device, fmt.Sprintf("machine %d of client %d", n, connection))
		if err != nil {
			panic(err)
		}
		body = fmt.Appendf(body[:0], `{"code":"%s","product":7,"subject":{"kind":"device","hash":"%s"},"nonce":"nonce-%08d-%08d-%08d"}`,
			code, hex.EncodeToString(subject.Hash[:]), connection, n, n)
		text = appendRequest(text[:0], "/v1/activations", fmt.Sprintf("key-%08d-%08d", connection, n), body)
		return text, http.StatusOK
	}
}
