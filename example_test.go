package licet_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/signer"
	"github.com/licet-dev/licet/verifier"
)

// From a key to a code, and from the code back to the licence. The secret is that
// of SPEC.md, section 10.1, so that the code is always the same; keys.GenerateMint
// makes a new one.
func Example() {
	// The key: everything that its codes have in common stands in its descriptor.
	descriptor, err := keys.ParseDescriptor("licet/v1 hs256 key=8 prefix=ACME layout=product:9,version:8,expiry:15,serial:28 bind=none sig=80")
	if err != nil {
		panic(err)
	}
	private, err := keys.ParsePrivateKey("LICET-SECRET-KEY-1-MINT-HS256-8-CA3F2093E4FE1455-000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F-8A9BA4AB")
	if err != nil {
		panic(err)
	}
	key, err := keys.NewKey(private, descriptor, 7) // it may mint product 7
	if err != nil {
		panic(err)
	}

	// The vendor mints.
	s, err := signer.New(key, private, signer.Options{})
	if err != nil {
		panic(err)
	}
	code, err := s.Mint(payload.License{
		Product: 7,
		Version: 3,
		Expiry:  payload.Date(2027, 12, 31),
		Serial:  1000,
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(code)

	// The product verifies, with a ring of the keys that it believes.
	withSecret, err := key.Attach(private) // an hs256 key needs its secret, an es256 key none
	if err != nil {
		panic(err)
	}
	ring, err := keys.NewRing("Acme Tools", []keys.Product{{Number: 7, Name: "Widget"}}, []keys.Key{withSecret})
	if err != nil {
		panic(err)
	}
	v, err := verifier.New(ring, verifier.Options{
		Products: []uint64{7},
		Clock:    func() time.Time { return time.Date(2027, 12, 31, 23, 59, 59, 0, time.UTC) },
	})
	if err != nil {
		panic(err)
	}
	lic, err := v.Verify("acme ahjx yqet 69fw h3qz jg9e 69ps 6hvk elwz")
	if err != nil {
		panic(err)
	}
	fmt.Printf("serial %d of product %d, valid to the end of %s (UTC)\n", lic.Serial, lic.Product, lic.Expiry)

	// A typing error is no forgery.
	_, err = v.Verify("ACME-AHJX-YQET-69FW-H3QZ-JG9E-69PS-6HVK-LEWZ")
	fmt.Println(errors.Is(err, payload.Typo), err)

	// A second later the year is over.
	_, err = lic.At(time.Date(2028, 1, 1, 0, 0, 0, 0, time.UTC))
	fmt.Println(errors.Is(err, verifier.Expired))
	// Output:
	// ACME-AHJX-YQET-69FW-H3QZ-JG9E-69PS-6HVK-ELWZ
	// serial 1000 of product 7, valid to the end of 2027-12-31 (UTC)
	// true typing error: L and E are exchanged (group 8, character 1 and group 8, character 2)
	// true
}
