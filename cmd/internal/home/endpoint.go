package home

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/keyfile/atomicfile"
	"github.com/licet-dev/licet/verifier/revocation"
)

// An endpoint's home is a licensing home that has no other private keys than those that
// an activation endpoint needs: receipt keys, and the secrets of hs256 mint keys. It
// stands on a machine that is reached from outside, so keys that could revoke licences
// or mint codes for programs in the field are not to be there.

// CreateEndpoint makes an endpoint's home in dir, which must have nothing of a home.
// List is the signed revocation list, nil for none. The ring is written last, as by
// [Create].
func CreateEndpoint(dir string, ring *keys.Ring, private []keys.PrivateKey, list []byte, e Encryption) (*Home, error) {
	if err := CheckFreeEndpoint(dir); err != nil {
		return nil, err
	}
	if list != nil {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		if err := atomicfile.WriteFile(filepath.Join(dir, revocationsName), list, 0o644); err != nil {
			return nil, err
		}
	}
	return Create(dir, ring, private, e)
}

// CheckFreeEndpoint refuses a folder that has anything of a home.
func CheckFreeEndpoint(dir string) error {
	for _, name := range []string{revocationsName, "journal.jsonl"} {
		if err := checkFree(filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("%w; nothing was changed: choose another folder", err)
		}
	}
	return CheckFree(dir)
}

// CheckEndpoint refuses a home that has a private key which no endpoint needs, or a file
// among its keys that is none of the ring. Hidden files are passed over: they are what a
// write left that was ended, or belong to whatever mounts the folder.
func CheckEndpoint(dir string, ring *keys.Ring) error {
	entries, err := os.ReadDir(filepath.Join(dir, keysName))
	if err != nil {
		return err
	}
	known := map[string]keys.Key{}
	h := &Home{dir, ring}
	for _, k := range ring.Keys() {
		known[filepath.Base(h.KeyPath(k.Role(), k.Number(), k.ID()))] = k
	}
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasPrefix(name, ".") {
			continue
		}
		what := ""
		switch k, ok := known[name]; {
		case !ok:
			what = "is no key of the ring"
		case k.Role() == keys.List:
			what = "is a list key, which can revoke every licence"
		case k.Role() == keys.Mint && k.Suite() != keys.HS256:
			what = fmt.Sprintf("is mint key %d of suite %s, whose codes are judged without it", k.Number(), k.Suite())
		}
		if what != "" {
			return fmt.Errorf("%s %s, and an endpoint must not have it: make the endpoint a home of its own with licet endpoint init, or move this file to where codes are minted", filepath.Join(dir, keysName, name), what)
		}
	}
	return nil
}

// Has reports whether the private key of a key is in the home.
func (h *Home) Has(key keys.Key) (bool, error) {
	_, err := os.Lstat(h.KeyPath(key.Role(), key.Number(), key.ID()))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// ReceiptKey returns the first receipt key whose private half is in the home, of those
// that ring and list call active. How many these are it returns too: 0 is none at all.
// The key is zero when no private half is there.
func (h *Home) ReceiptKey(list *revocation.List) (key keys.Key, active int, err error) {
	for _, k := range h.Ring.Keys() {
		if k.Role() != keys.Receipt || k.State() != keys.Active || list.KeyState(k.ID()) != keys.Active {
			continue
		}
		active++
		if has, err := h.Has(k); err != nil {
			return keys.Key{}, active, err
		} else if has {
			return k, active, nil
		}
	}
	return keys.Key{}, active, nil
}

// UpdateEndpoint brings an endpoint's home to another ring: it writes the private keys of
// add, the revocation list unless it is nil, and the ring, and removes the private keys
// of drop. All new files are on the disk before the first one takes its place: keys, list,
// ring. What is interrupted there is finished by doing it again.
func (h *Home) UpdateEndpoint(ring *keys.Ring, add []keys.PrivateKey, drop []keys.Key, list []byte, e Encryption) error {
	text, err := ring.Marshal()
	if err != nil {
		return err
	}
	s, err := h.stage(add, e)
	if err != nil {
		return err
	}
	defer s.close()
	if list != nil {
		if err := s.add(h.RevocationsPath(), list, 0o644); err != nil {
			return err
		}
	}
	if err := s.add(h.RingPath(), text, 0o644); err != nil {
		return err
	}
	if err := s.commit(); err != nil {
		return err
	}
	h.Ring = ring
	for _, k := range drop {
		if err := os.Remove(h.KeyPath(k.Role(), k.Number(), k.ID())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return atomicfile.SyncDir(filepath.Join(h.Dir, keysName))
}
