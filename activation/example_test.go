package activation_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/receipt"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/signer"
	"github.com/licet-dev/licet/verifier"
)

// An issuer's endpoint answers with a receipt, which the product verifies without it.
func Example() {
	descriptor, err := keys.ParseDescriptor("licet/v1 hs256 key=8 prefix=ACME layout=product:9,version:8,expiry:15,serial:28 bind=none sig=80")
	if err != nil {
		log.Fatal(err)
	}
	mintKey, err := keys.GenerateMint(descriptor)
	if err != nil {
		log.Fatal(err)
	}
	receiptKey, err := keys.GenerateRole(keys.Receipt)
	if err != nil {
		log.Fatal(err)
	}
	public, err := keys.NewKey(mintKey, descriptor, 7)
	if err != nil {
		log.Fatal(err)
	}
	withSecret, err := public.Attach(mintKey)
	if err != nil {
		log.Fatal(err)
	}
	receipts, err := keys.NewKey(receiptKey, keys.Descriptor{})
	if err != nil {
		log.Fatal(err)
	}
	products := []keys.Product{{Number: 7, Name: "Widget"}}
	endpointRing, err := keys.NewRing("Acme Tools", products, []keys.Key{withSecret, receipts})
	if err != nil {
		log.Fatal(err)
	}
	productRing, err := keys.NewRing("Acme Tools", products, []keys.Key{public, receipts})
	if err != nil {
		log.Fatal(err)
	}
	mint, err := signer.New(public, mintKey, signer.Options{})
	if err != nil {
		log.Fatal(err)
	}
	code, err := mint.Mint(payload.License{Product: 7, Version: 3, Serial: 1000, Expiry: payload.Date(2027, 12, 31)})
	if err != nil {
		log.Fatal(err)
	}

	// The endpoint.
	clock := func() time.Time { return time.Date(2026, 12, 1, 9, 30, 0, 0, time.UTC) }
	service, err := activation.New(activation.Config{
		Ring:       endpointRing,
		ReceiptKey: receiptKey,
		Ledger:     activation.None{Clock: clock},
		Default:    activation.Policy{Lease: activation.Lease{Refresh: 30 * 24 * time.Hour, Grace: 14 * 24 * time.Hour}},
		Clock:      clock,
	})
	if err != nil {
		log.Fatal(err)
	}

	// The product, on a customer's machine.
	device, err := receipt.NewSubject(receipt.Device, "4C4C4544-0042-3510-8054-B9C04F564D32")
	if err != nil {
		log.Fatal(err)
	}
	request := activation.Request{
		Code: code, Product: 7, Subject: device,
		Nonce: "q2Jx0-9sV_7mKpZtR4wYbA",               // new for each request
		Key:   "8e03978e-40d5-43e8-bc93-6894a57f9324", // new for each request, but the same when it is sent again
	}
	reply, err := service.Activate(context.Background(), request)
	if err != nil {
		log.Fatal(err)
	}
	v, err := verifier.New(productRing, verifier.Options{Products: []uint64{7}, Clock: clock})
	if err != nil {
		log.Fatal(err)
	}
	lic, err := v.VerifyReply(reply.Receipt, device, request.Nonce)
	if err != nil {
		log.Fatal(err)
	}
	r, _ := lic.Receipt()
	fmt.Println(reply.Outcome, lic.Serial, "to the end of", lic.Expiry)
	fmt.Println("refresh by", r.RefreshBy.Format(time.DateOnly), "seats enforced:", r.SeatsEnforced)

	request.Code = "ACME-" + code[5:9] + "-0000"
	_, err = service.Activate(context.Background(), request)
	fmt.Println(errors.Is(err, activation.MalformedCode))
	// Output:
	// granted 1000 to the end of 2027-12-31
	// refresh by 2026-12-31 seats enforced: false
	// true
}
