package keyfile

import (
	"filippo.io/age"

	"github.com/licet-dev/licet/keys"
)

func init() { workFactor = 4 }

const MaxSize = maxSize

// ReadBytes is Read without a file.
func ReadBytes(data []byte, identities ...age.Identity) (keys.PrivateKey, error) {
	data, err := withoutMark(data)
	if err != nil {
		return keys.PrivateKey{}, err
	}
	return decrypt(data, identities)
}
