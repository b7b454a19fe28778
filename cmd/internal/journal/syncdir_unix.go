//go:build unix

package journal

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// syncDir brings the name of a new file in the folder to the disk.
func syncDir(folder string) error {
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
