package note_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"errors"
	"fmt"
	"strings"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/note"
)

// exampleKey returns a list key that everybody knows. A real one comes from
// keys.GenerateRole.
func exampleKey() (keys.PrivateKey, *keys.Ring) {
	scalar := make([]byte, 32)
	for i := range scalar {
		scalar[i] = byte(0x20 + i)
	}
	k, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), scalar)
	if err != nil {
		panic(err)
	}
	private, err := keys.NewRoleKey(keys.List, k)
	if err != nil {
		panic(err)
	}
	key, err := keys.NewKey(private, keys.Descriptor{})
	if err != nil {
		panic(err)
	}
	ring, err := keys.NewRing("Acme Tools", nil, []keys.Key{key})
	if err != nil {
		panic(err)
	}
	return private, ring
}

func Example() {
	private, ring := exampleKey()
	data, err := note.Sign("licet-revocations/v1\nAcme Tools\n", private)
	if err != nil {
		panic(err)
	}
	fmt.Print(string(data))

	text, signer, err := note.Open(data, ring)
	fmt.Printf("%q by %s: %v\n", text, signer.ID(), err)

	changed := strings.Replace(string(data), "Acme", "Evil", 1)
	_, _, err = note.Open([]byte(changed), ring)
	fmt.Println(errors.Is(err, note.BadSignature), err)
	// Output:
	// licet-revocations/v1
	// Acme Tools
	//
	// — licet-list JX1YcjBGAiEAxe9e+fU2CBhs2DLNmqensfua8wKlp20WVPT1hVC5iXQCIQDXwWCkNE6GLSxMQkHJbJ6RzRzvUuCnCBIqFa/dY9+pVg==
	// "licet-revocations/v1\nAcme Tools\n" by d41142f1d23dcc36: <nil>
	// true signed note: the signature of list key d41142f1d23dcc36 does not fit the text, which was changed after it was signed; get the file again from Acme Tools
}
