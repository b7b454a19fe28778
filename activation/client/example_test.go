package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/licet-dev/licet/activation/client"
	"github.com/licet-dev/licet/keys/keyfile/atomicfile"
	"github.com/licet-dev/licet/keys/receipt"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/verifier"
)

// A product activates once, and judges the receipt at each start from then on.
func Example() {
	// The issuer's side, which a product does not have.
	issuer := newIssuer()
	server := httptest.NewServer(issuer.handler())
	defer server.Close()
	code := issuer.code(payload.Date(2027, 12, 31))
	folder, err := os.MkdirTemp("", "widget")
	check(err)
	defer os.RemoveAll(folder)

	// What the product has: a ring, a folder for settings, and an id of the machine.
	v, err := verifier.New(issuer.ring, verifier.Options{Products: []uint64{7}, Clock: clock})
	check(err)
	device, err := receipt.NewSubject(receipt.Device, client.NormalizeFingerprint("{4C4C4544-0042-3510-8054-B9C04F564D32}"))
	check(err)

	// Activate. What is pending is stored first, and used again after a crash.
	c, err := client.New(client.Options{Server: server.URL})
	check(err)
	request := client.Request{Code: code, Product: 7, Subject: device}
	path := filepath.Join(folder, "pending.json")
	var pending client.Pending
	if text, err := os.ReadFile(path); err == nil {
		json.Unmarshal(text, &pending) // one that is damaged is of no request
	}
	if !pending.For(request) {
		pending, err = client.NewPending(request)
		check(err)
		text, err := json.Marshal(pending)
		check(err)
		check(atomicfile.WriteFile(path, text, 0o600))
	}
	reply, err := c.Activate(context.Background(), request, pending)
	if errors.Is(err, client.ErrUnreachable) {
		log.Fatal("Please try again later: ", err) // and nothing is lost
	}
	if errors.Is(err, client.Released) {
		os.Remove(path) // the next attempt asks for a seat anew
	}
	check(err)
	_, err = v.VerifyReply(reply.Receipt, device, reply.Nonce)
	check(err)
	check(atomicfile.WriteFile(filepath.Join(folder, "receipt.jws"), []byte(reply.Receipt), 0o600))
	check(os.Remove(path))

	// At each start, without the endpoint.
	text, err := os.ReadFile(filepath.Join(folder, "receipt.jws"))
	check(err)
	lic, err := v.VerifyReceipt(string(text), device)
	check(err)
	r, _ := lic.Receipt()
	fmt.Println("licence", lic.Serial, "valid to the end of", lic.Expiry)
	fmt.Println("ask for a new receipt by", r.RefreshBy.Format("2006-01-02"))
	// Output:
	// licence 1000 valid to the end of 2027-12-31
	// ask for a new receipt by 2026-12-31
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
