package home

import (
	"os"
	"path/filepath"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/keyfile/atomicfile"
)

// A stage holds new files of a home that are all on the disk before the first takes its
// place.
type stage struct {
	home  *Home
	dir   string
	files []*atomicfile.File
}

// stage begins a stage with private keys.
func (h *Home) stage(private []keys.PrivateKey, e Encryption) (*stage, error) {
	dir, err := os.MkdirTemp(filepath.Join(h.Dir, keysName), ".stage-*")
	if err != nil {
		return nil, err
	}
	s := &stage{home: h, dir: dir}
	for _, k := range private {
		if err := s.addPrivate(k, e); err != nil {
			s.close()
			return nil, err
		}
	}
	return s, nil
}

// add writes a file that is to take its place at path.
func (s *stage) add(path string, text []byte, perm os.FileMode) error {
	f, err := atomicfile.Create(path, perm)
	if err != nil {
		return err
	}
	s.files = append(s.files, f)
	_, err = f.Write(text)
	return err
}

// addPrivate encrypts a private key, and reads it back where that can be done.
func (s *stage) addPrivate(k keys.PrivateKey, e Encryption) error {
	path := s.home.KeyPath(k.Role(), k.Number(), k.ID())
	staged := filepath.Join(s.dir, filepath.Base(path))
	if err := writePrivate(staged, k, e); err != nil {
		return err
	}
	text, err := os.ReadFile(staged)
	if err != nil {
		return err
	}
	return s.add(path, text, 0o600)
}

// commit puts the files in their places, in the order in which they were added.
func (s *stage) commit() error {
	for _, f := range s.files {
		if err := f.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// close removes what did not take its place.
func (s *stage) close() {
	for _, f := range s.files {
		f.Close()
	}
	os.RemoveAll(s.dir)
}
