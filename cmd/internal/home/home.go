// Package home keeps an issuer's licensing home: a folder with the ring and the
// encrypted private keys.
//
//	ring.json               the ring, without secrets
//	ring.lock               held while the ring or the keys change
//	recipients.txt          to whom the keys are encrypted, unless it is a passphrase
//	revocations.txt         the revocation list that was issued last
//	keys/mint-08.age        one private key a file
//	keys/list-<id>.age
//	keys/receipt-<id>.age
package home

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"filippo.io/age"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/keyfile"
	"github.com/licet-dev/licet/keys/keyfile/atomicfile"
)

const (
	ringName       = "ring.json"
	recipientsName = "recipients.txt"
	keysName       = "keys"
	lockName       = "ring.lock"
)

// A Home is an open licensing home.
type Home struct {
	Dir  string
	Ring *keys.Ring
}

// ErrNone means that there is no licensing home in the folder.
var ErrNone = errors.New("no licensing home")

// Open opens the licensing home in dir. Without one the error is [ErrNone].
func Open(dir string) (*Home, error) {
	path := filepath.Join(dir, ringName)
	ring, err := ReadRing(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w in %s (%s is missing): make one with licet init, or name another with --dir", ErrNone, dir, path)
	}
	if err != nil {
		return nil, err
	}
	return &Home{dir, ring}, nil
}

// readFile reads a file that should be what is said, and no longer than the longest
// ring. The path may be that of anything.
func readFile(path, what string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, keys.MaxRingSize+1))
	if err != nil || len(text) <= keys.MaxRingSize {
		return text, err
	}
	size := "more"
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		size = strconv.FormatInt(info.Size(), 10)
	}
	return nil, fmt.Errorf("%s is no %s: it has %s bytes, and at most %d are read", path, what, size, keys.MaxRingSize)
}

// ReadRing reads a ring from a file.
func ReadRing(path string) (*keys.Ring, error) {
	text, err := readFile(path, "ring")
	if err != nil {
		return nil, err
	}
	ring, err := keys.ParseRing(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return ring, nil
}

// WriteRing writes a ring to a file. The file is for its owner alone when the
// ring has secrets.
func WriteRing(path string, ring *keys.Ring) error {
	text, err := ring.Marshal()
	if err != nil {
		return err
	}
	perm := os.FileMode(0o644)
	if ring.HasSecrets() {
		perm = 0o600
	}
	return atomicfile.WriteFile(path, text, perm)
}

// Create makes a licensing home in dir, which must not have one, not even half
// of one. The ring is written last, so a home without ring was never finished.
func Create(dir string, ring *keys.Ring, private []keys.PrivateKey, e Encryption) (*Home, error) {
	if err := CheckFree(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(dir, keysName), 0o700); err != nil {
		return nil, err
	}
	h := &Home{dir, ring}
	for _, k := range private {
		if err := h.WritePrivate(k, e); err != nil {
			return nil, err
		}
	}
	if e.Passphrase == "" {
		if err := atomicfile.WriteFile(filepath.Join(dir, recipientsName), e.recipientsText(), 0o644); err != nil {
			return nil, err
		}
	}
	return h, h.SaveRing(ring)
}

// CheckFree refuses a folder that has a licensing home, or half of one.
func CheckFree(dir string) error {
	for _, name := range []string{ringName, keysName, recipientsName} {
		if err := checkFree(filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("%w; nothing was changed: choose another folder, or move the old home away", err)
		}
	}
	return nil
}

// checkFree refuses a path where something is.
func checkFree(path string) error {
	_, err := os.Lstat(path)
	switch {
	case err == nil:
		return fmt.Errorf("%s is there already", path)
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return err
}

// SaveRing replaces the ring of the home. It never has secrets.
func (h *Home) SaveRing(ring *keys.Ring) error {
	if ring.HasSecrets() {
		return errors.New("the ring of a licensing home has no secrets") // a mistake in this program
	}
	if err := WriteRing(h.RingPath(), ring); err != nil {
		return err
	}
	h.Ring = ring
	return nil
}

// RingPath returns the path of the ring.
func (h *Home) RingPath() string { return filepath.Join(h.Dir, ringName) }

// KeyPath returns the path of the file that has the private key with this role,
// number and id.
func (h *Home) KeyPath(role keys.Role, number int, id keys.ID) string {
	name := fmt.Sprintf("%s-%s.age", role, id)
	if role == keys.Mint {
		name = fmt.Sprintf("%s-%02d.age", role, number)
	}
	return filepath.Join(h.Dir, keysName, name)
}

// WritePrivate encrypts a private key into its file, which must not be there: it
// would be that of a key which the ring has forgotten.
func (h *Home) WritePrivate(k keys.PrivateKey, e Encryption) error {
	path := h.KeyPath(k.Role(), k.Number(), k.ID())
	if err := checkFree(path); err != nil {
		return fmt.Errorf("%w, though the ring does not tell of it: put back the ring that does, or move the file away", err)
	}
	return writePrivate(path, k, e)
}

// writePrivate encrypts a private key into a file, and reads it back where that
// can be done: with a passphrase.
func writePrivate(path string, k keys.PrivateKey, e Encryption) error {
	recipients, err := e.ageRecipients()
	if err != nil {
		return err
	}
	if err := keyfile.Write(path, k, recipients...); err != nil {
		return err
	}
	if e.Passphrase == "" {
		return nil
	}
	id, err := keyfile.PassphraseIdentity(e.Passphrase)
	if err != nil {
		return err
	}
	back, err := keyfile.Read(path, id)
	if err != nil {
		return fmt.Errorf("%s was written but can't be read back: %w", path, err)
	}
	if !back.Equal(k) {
		return fmt.Errorf("%s was written but holds another key", path)
	}
	return nil
}

// Private decrypts the private key of a key in the ring, and checks that it is
// the right one.
func (h *Home) Private(key keys.Key, u *Unlocker) (keys.PrivateKey, error) {
	path := h.KeyPath(key.Role(), key.Number(), key.ID())
	k, err := u.read(path)
	if err != nil {
		return keys.PrivateKey{}, err
	}
	if _, err := key.Attach(k); err != nil {
		return keys.PrivateKey{}, fmt.Errorf("%s: %w", path, err)
	}
	return k, nil
}

// An Encryption is to whom private keys are encrypted: either a passphrase or a
// list of recipients.
type Encryption struct {
	Passphrase string
	Recipients []string // age1..., ssh-ed25519 ..., ssh-rsa ...
}

func (e Encryption) ageRecipients() ([]age.Recipient, error) {
	if e.Passphrase != "" {
		r, err := keyfile.PassphraseRecipient(e.Passphrase)
		return []age.Recipient{r}, err
	}
	var all []age.Recipient
	for _, s := range e.Recipients {
		r, err := keyfile.Recipient(s)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// Recipients returns to whom the keys of the home are encrypted. There are none
// when it is a passphrase.
func (h *Home) Recipients() ([]string, error) {
	path := filepath.Join(h.Dir, recipientsName)
	text, err := readFile(path, "list of recipients")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return splitLines(string(text)), nil
}

// Rewrap encrypts the private keys anew. All are decrypted, and the new files are
// all on the disk, before the first file is replaced.
func (h *Home) Rewrap(u *Unlocker, e Encryption) error {
	private, err := h.allPrivate(u)
	if err != nil {
		return err
	}
	s, err := h.stage(private, e)
	if err != nil {
		return err
	}
	defer s.close()
	if e.Passphrase == "" {
		if err := s.add(filepath.Join(h.Dir, recipientsName), e.recipientsText(), 0o644); err != nil {
			return err
		}
	}
	if err := s.commit(); err != nil {
		return err
	}
	return h.removeRecipients(e)
}

// allPrivate decrypts the private keys that are in the home.
func (h *Home) allPrivate(u *Unlocker) ([]keys.PrivateKey, error) {
	var private []keys.PrivateKey
	for _, key := range h.Ring.Keys() {
		path := h.KeyPath(key.Role(), key.Number(), key.ID())
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			continue // kept elsewhere: an HSM, another machine
		}
		k, err := h.Private(key, u)
		if err != nil {
			return nil, err
		}
		private = append(private, k)
	}
	if len(private) == 0 {
		return nil, fmt.Errorf("there are no private keys in %s", filepath.Join(h.Dir, keysName))
	}
	return private, nil
}

// removeRecipients removes the list of recipients where there are none.
func (h *Home) removeRecipients(e Encryption) error {
	if e.Passphrase == "" {
		return nil
	}
	err := os.Remove(filepath.Join(h.Dir, recipientsName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// recipientsText returns the content of recipients.txt.
func (e Encryption) recipientsText() []byte {
	text := "# The private keys of this licensing home are encrypted to these recipients.\n"
	for _, r := range e.Recipients {
		text += r + "\n"
	}
	return []byte(text)
}
