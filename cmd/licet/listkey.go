package main

import (
	"errors"
	"io/fs"

	"github.com/licet-dev/licet/cmd/internal/home"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/verifier/revocation"
)

// listKey unlocks the key that signs manifests and revocation lists: the first list
// key of the ring that is active, also as the list says, and whose private half is in
// the home. It reports whether there is one.
func (a *app) listKey(h *home.Home, l *revocation.List) (k keys.PrivateKey, ok bool, err error) {
	for _, key := range h.Ring.Keys() {
		if key.Role() != keys.List || key.State() != keys.Active || l.KeyState(key.ID()) != keys.Active {
			continue
		}
		k, err := h.Private(key, &a.unlock)
		if errors.Is(err, fs.ErrNotExist) {
			continue // kept on another machine
		}
		return k, err == nil, err
	}
	return keys.PrivateKey{}, false, nil
}
