package signer_test

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/signer"
)

// exampleKey returns the key of SPEC.md, section 10.1. A real secret comes from
// keys.GenerateMint.
func exampleKey() (keys.Key, keys.PrivateKey) {
	d, err := keys.ParseDescriptor("licet/v1 hs256 key=8 prefix=ACME layout=product:9,version:8,expiry:15,serial:28 bind=none sig=80")
	if err != nil {
		panic(err)
	}
	secret := make([]byte, keys.SecretSize)
	for i := range secret {
		secret[i] = byte(i)
	}
	s, err := keys.NewSecret(secret)
	if err != nil {
		panic(err)
	}
	private, err := keys.NewHS256(d, s)
	if err != nil {
		panic(err)
	}
	key, err := keys.NewKey(private, d, 7)
	if err != nil {
		panic(err)
	}
	return key, private
}

func ExampleSigner_Mint() {
	key, private := exampleKey()
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
	fmt.Println(code, err)

	// A date that was forgotten makes no licence for ever.
	_, err = s.Mint(payload.License{Product: 7, Version: 3, Serial: 1001})
	fmt.Println(errors.Is(err, payload.ExpiryMissing), err)
	// Output:
	// ACME-AHJX-YQET-69FW-H3QZ-JG9E-69PS-6HVK-ELWZ <nil>
	// true expiry: none given; give a date, or state that the licence never expires
}

// A batch reuses one buffer, and allocates nothing for a code.
func ExampleSigner_AppendCode() {
	key, private := exampleKey()
	s, err := signer.New(key, private, signer.Options{})
	if err != nil {
		panic(err)
	}
	var out bytes.Buffer
	var line []byte
	lic := payload.License{Product: 7, Version: 3, Expiry: payload.Never}
	for lic.Serial = 1; lic.Serial <= 3; lic.Serial++ {
		line, err = s.AppendCode(line[:0], &lic)
		if err != nil {
			panic(err) // nothing was minted; stop the batch
		}
		out.Write(append(line, '\n'))
	}
	fmt.Print(out.String())
	// Output:
	// ACME-ARA7-4XMN-XWUL-SABD-JULB-ADVM-YUMM-85UN
	// ACME-A8Z3-CXBD-T8ZB-TG3V-V3TN-LEJX-GU9A-QU2C
	// ACME-AXVR-CZ5A-AW2L-YDTR-8SVZ-KENX-ACKA-SHW6
}
