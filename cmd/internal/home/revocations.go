package home

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/keyfile/atomicfile"
	"github.com/licet-dev/licet/keys/note"
	"github.com/licet-dev/licet/verifier/revocation"
)

const revocationsName = "revocations.txt"

// RevocationsPath returns the path of the revocation list of the home.
func (h *Home) RevocationsPath() string { return filepath.Join(h.Dir, revocationsName) }

// Revocations reads the revocation list of the home: the one that it issued last. It
// is nil when there is none. A list that can't be read is an error, never none.
func (h *Home) Revocations() (*revocation.List, error) {
	_, l, err := h.ReadList()
	return l, err
}

// ReadList is Revocations, and returns the signed text of the list too.
func (h *Home) ReadList() ([]byte, *revocation.List, error) {
	data, l, err := readList(h.RevocationsPath(), h.Ring)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	return data, l, err
}

// ReadRevocations reads a revocation list from a file. It must be of the issuer of
// the ring, and signed by one of its list keys.
func ReadRevocations(path string, ring *keys.Ring) (*revocation.List, error) {
	_, l, err := readList(path, ring)
	return l, err
}

func readList(path string, ring *keys.Ring) ([]byte, *revocation.List, error) {
	data, err := ReadNote(path)
	if err != nil {
		return nil, nil, err
	}
	l, err := revocation.Open(data, ring)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, l, nil
}

// maxNote is what is read of a file. Beside the longest note there is room for the
// carriage returns of a long list that went through Windows.
const maxNote = note.MaxText + note.MaxText/16

// ReadNote reads a file that should be a signed note. The path may be that of
// anything. A symbolic link that leads nowhere does not count as no file: the list
// behind it may only be out of reach.
func ReadNote(path string) ([]byte, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, linkErr := os.Lstat(path); linkErr == nil {
			return nil, fmt.Errorf("%s: a symbolic link that leads nowhere: remove it, or make what it leads to", path)
		}
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Mode().IsRegular() {
		if info.Size() > maxNote {
			return nil, fmt.Errorf("%s is no signed note: it has %d bytes, and at most %d are read", path, info.Size(), maxNote)
		}
		data := make([]byte, info.Size()) // in one piece: a long list is not copied while it grows
		_, err := io.ReadFull(f, data)
		return data, err
	}
	return io.ReadAll(io.LimitReader(f, maxNote)) // a note does not end where this cuts
}

// SaveRevocations signs a list with a list key and replaces that of the home with it.
// What the home could not read again is not written.
func (h *Home) SaveRevocations(l *revocation.List, key keys.PrivateKey) error {
	data, err := revocation.Sign(l, key)
	if err != nil {
		return err
	}
	back, err := revocation.Open(data, h.Ring)
	if err == nil && !back.Equal(l) {
		err = errors.New("it reads differently")
	}
	if err != nil {
		return fmt.Errorf("the new revocation list can't be read back, so the old one stays: %w", err)
	}
	return atomicfile.WriteFile(h.RevocationsPath(), data, 0o644)
}
