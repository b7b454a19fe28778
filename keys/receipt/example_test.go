package receipt_test

import (
	"errors"
	"fmt"
	"log"
	"strings"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/receipt"
	"github.com/licet-dev/licet/payload"
)

// A key from keys.GenerateRole is another one each time; here it follows from a name.
func Example() {
	mint, private := mintKey(esDescriptor), receiptKey("example")
	key, err := keys.NewKey(private, keys.Descriptor{})
	if err != nil {
		log.Fatal(err)
	}
	ring, err := keys.NewRing("Acme Tools", []keys.Product{{Number: 7, Name: "Widget"}}, []keys.Key{mint, key})
	if err != nil {
		log.Fatal(err)
	}

	device, err := receipt.NewSubject(receipt.Device, "4C4C4544-0042-3510-8054-B9C04F564D32")
	if err != nil {
		log.Fatal(err)
	}
	now := time.Date(2026, 12, 1, 9, 30, 0, 0, time.UTC)
	text, err := receipt.Sign(receipt.Receipt{
		Issuer:    ring.Issuer(),
		KeyID:     mint.ID(),
		License:   payload.License{Product: 7, Version: 3, Serial: 1000, Expiry: payload.Date(2027, 12, 31)},
		Subject:   device,
		Nonce:     "q2Jx0-9sV_7mKpZtR4wYbA",
		Issued:    now,
		RefreshBy: now.AddDate(0, 0, 30),
		End:       receipt.Never,
	}, private)
	if err != nil {
		log.Fatal(err)
	}

	r, signer, err := receipt.Open(text, ring)
	fmt.Println(r.License.Serial, r.Subject.Equal(device), r.RefreshBy, signer.ID() == key.ID(), err)

	_, _, err = receipt.Open(strings.Replace(text, ".eyJ", ".eyI", 1), ring)
	fmt.Println(errors.Is(err, receipt.BadSignature))
	// Output:
	// 1000 true 2026-12-31 09:30:00 +0000 UTC true <nil>
	// true
}
