package client_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/activation/api"
	"github.com/licet-dev/licet/activation/client"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/receipt"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/signer"
	"github.com/licet-dev/licet/verifier"
)

// now is the time of the issuer and of the product.
var now = time.Date(2026, 12, 1, 9, 30, 0, 0, time.UTC)

func clock() time.Time { return now }

// An issuer has a ring with one mint key and one receipt key.
type issuer struct {
	ring       *keys.Ring
	mint       *signer.Signer
	receiptKey keys.PrivateKey
}

// ecKey returns a P-256 key that follows from the name, so that tests repeat exactly.
func ecKey(name string) *ecdsa.PrivateKey {
	scalar := sha256.Sum256([]byte("test key " + name))
	return must(ecdsa.ParseRawPrivateKey(elliptic.P256(), scalar[:]))
}

func newIssuer() issuer {
	d := must(keys.ParseDescriptor("licet/v1 es256 key=9 prefix= layout=product:9,version:8,expiry:15,serial:28 bind=none sig=512"))
	private := must(keys.NewES256(d, ecKey("mint")))
	key := must(keys.NewKey(private, d, 7))
	i := issuer{receiptKey: must(keys.NewRoleKey(keys.Receipt, ecKey("receipt")))}
	i.ring = must(keys.NewRing("Acme Tools", []keys.Product{{Number: 7, Name: "Widget"}, {Number: 8, Name: "Gadget"}},
		[]keys.Key{key, must(keys.NewKey(i.receiptKey, keys.Descriptor{}))}))
	i.mint = must(signer.New(key, private, signer.Options{}))
	return i
}

func (i issuer) code(expiry payload.Day) string {
	return must(i.mint.Mint(payload.License{Product: 7, Version: 3, Expiry: expiry, Serial: 1000}))
}

// handler serves an endpoint that counts no seats.
func (i issuer) handler() http.Handler {
	s := must(activation.New(activation.Config{
		Ring: i.ring, ReceiptKey: i.receiptKey, Ledger: activation.None{Clock: clock}, Clock: clock,
		Default: activation.Policy{Lease: activation.Lease{Refresh: 30 * 24 * time.Hour, Grace: 14 * 24 * time.Hour}},
	}))
	return api.New(s, api.Options{Ring: i.ring})
}

func TestEndToEnd(t *testing.T) {
	i := newIssuer()
	endpoint := i.handler()
	var asked atomic.Bool // the first answer is lost
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !asked.Swap(true) {
			endpoint.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
		endpoint.ServeHTTP(w, r)
	}))
	defer server.Close()
	c := must(client.New(client.Options{Server: server.URL}))
	pauses := c.Quick()
	v := must(verifier.New(i.ring, verifier.Options{Products: []uint64{7}, Clock: clock}))
	ctx := context.Background()

	r := client.Request{Code: i.code(payload.Date(2027, 12, 31)), Product: 7, Subject: device}
	p := must(client.NewPending(r))
	reply, err := c.Activate(ctx, r, p)
	if err != nil || len(*pauses) != 1 || reply.SeatsEnforced || reply.Seats != 0 {
		t.Fatalf("Activate = %+v, %v after %d pauses", reply, err, len(*pauses))
	}
	lic, err := v.VerifyReply(reply.Receipt, device, reply.Nonce)
	if err != nil || lic.Serial != 1000 {
		t.Fatalf("VerifyReply = %+v, %v", lic, err)
	}
	if again, err := c.Activate(ctx, r, p); err != nil || again.Receipt != reply.Receipt {
		t.Errorf("the same request again: %+v, %v; want the receipt of before", again, err)
	}
	other := must(receipt.NewSubject(receipt.Device, fingerprint+"X"))
	if _, err := v.VerifyReceipt(reply.Receipt, other); !errors.Is(err, verifier.WrongSubject) {
		t.Errorf("on another machine: error %v", err)
	}
	if _, err := v.VerifyReply(reply.Receipt, device, must(client.NewPending(r)).Nonce); !errors.Is(err, verifier.WrongNonce) {
		t.Errorf("for another request: error %v", err)
	}

	fresh, err := c.Refresh(ctx, reply.Receipt, device)
	if err != nil || fresh.Status != "refreshed" {
		t.Fatalf("Refresh = %+v, %v", fresh, err)
	}
	if _, err := v.VerifyReply(fresh.Receipt, device, fresh.Nonce); err != nil {
		t.Errorf("the new receipt: %v", err)
	}
	if _, err := c.Refresh(ctx, reply.Receipt, other); !errors.Is(err, client.ReceiptRefused) {
		t.Errorf("Refresh for another machine: error %v", err)
	}
	if reply, err := c.Release(ctx, fresh.Receipt, device); err != nil || reply.Status != "released" {
		t.Errorf("Release = %+v, %v", reply, err)
	}

	if v, err := c.Preview(ctx, r); err != nil || v.Product != 7 || v.Serial != "1000" || v.Version != 3 || v.Expiry != "2027-12-31" || v.Seats != 1 || v.Kind != receipt.Device {
		t.Errorf("Preview = %+v, %v", v, err)
	}
	for name, test := range map[string]struct {
		code    string
		product uint64
		want    client.Problem
	}{
		"typo":    {r.Code[:len(r.Code)-1] + "9", 7, client.MalformedCode},
		"expired": {i.code(payload.Date(2026, 11, 30)), 7, client.Expired},
		"product": {r.Code, 8, client.WrongProduct},
	} {
		r := client.Request{Code: test.code, Product: test.product, Subject: device}
		_, err := c.Activate(ctx, r, must(client.NewPending(r)))
		_, err2 := c.Preview(ctx, r)
		if !errors.Is(err, test.want) || !errors.Is(err2, test.want) || errors.Is(err, client.ErrUnreachable) {
			t.Errorf("%s: errors %v, %v; want %s", name, err, err2, test.want)
		}
	}

	// An account needs a token that the endpoint knows.
	account := must(receipt.NewSubject(receipt.Account, "anna@example.com"))
	r.Subject = account
	if _, err := c.Activate(ctx, r, must(client.NewPending(r))); err == nil || errors.Is(err, client.ErrUnreachable) {
		t.Errorf("an account without token: error %v", err)
	}
	c = must(client.New(client.Options{Server: server.URL, Token: token}))
	if _, err := c.Activate(ctx, r, must(client.NewPending(r))); !errors.Is(err, client.Unauthorized) {
		t.Errorf("an unknown token: error %v", err)
	}
}
