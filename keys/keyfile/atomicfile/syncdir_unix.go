//go:build unix

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// SyncDir brings the names of a folder to the disk: a rename, or a new file. It
// does nothing, and returns nil, where the folder can't be opened or the file
// system has no such thing.
func SyncDir(folder string) error {
	d, err := os.Open(folder)
	if errors.Is(err, fs.ErrPermission) {
		return nil // a folder we may write to but not list
	}
	if err != nil {
		return err
	}
	defer d.Close()
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil // some network file systems have no sync of folders
	}
	return err
}
