package keyfile_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"filippo.io/age"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/keyfile"
)

func Example() {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "lists.key")

	identity, err := age.GenerateX25519Identity()
	if err != nil {
		log.Fatal(err)
	}
	key, err := keys.GenerateRole(keys.List)
	if err != nil {
		log.Fatal(err)
	}
	if err := keyfile.Write(path, key, identity.Recipient()); err != nil {
		log.Fatal(err)
	}

	again, err := keyfile.Read(path, identity)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(again.Equal(key))
	// Output: true
}
