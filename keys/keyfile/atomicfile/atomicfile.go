// Package atomicfile writes a file as a whole or not at all: whoever reads the
// path sees the old content or the new one, never a part, also after a crash.
//
// The content goes to a temporary file in the same folder, which is renamed over
// the path once it is on the disk:
//
//	f, err := atomicfile.Create(path, 0o600)
//	if err != nil {
//		return err
//	}
//	defer f.Close()
//	...
//	return f.Commit()
//
// A program that is killed in between leaves a file named
// .NAME.licet-tmp-NUMBER, which can be deleted.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// A File is a file being written. It takes its place at [File.Commit].
type File struct {
	f      *os.File
	path   string // as the caller gave it, for errors
	target string // what the temporary file replaces; "" when written directly
	perm   os.FileMode
	err    error // the first error of Write or Commit
	closed bool
}

// Create begins to write the file at path, which has the mode perm in the end,
// whatever the umask and whatever mode it had before.
//
// Where path is a symbolic link, the file it leads to is replaced, and the link
// stays. Where it is there and no regular file (a device, a named pipe) or a
// descriptor of the process such as /dev/stdout, it is written directly:
// renaming over it would destroy it. Then a part can remain after an error, and
// perm has no effect.
func Create(path string, perm os.FileMode) (*File, error) {
	target, err := resolve(path)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", path, cause(err))
	}
	if target == "" {
		// O_APPEND: where standard output leads to a regular file, what is there
		// already stays.
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", path, cause(err))
		}
		return &File{f: f, path: path}, nil
	}
	folder, name := filepath.Split(target)
	if folder == "" {
		folder = "." // else CreateTemp takes the folder for temporary files
	}
	if len(name) > 200 { // the longest name of most file systems is 255
		name = strings.ToValidUTF8(name[:200], "")
	}
	f, err := os.CreateTemp(folder, "."+name+".licet-tmp-*") // O_EXCL and 0600
	if err != nil {
		return nil, fmt.Errorf("write %s: a temporary file in folder %s: %w", path, filepath.Clean(folder), cause(err))
	}
	return &File{f: f, path: path, target: target, perm: perm.Perm()}, nil
}

// resolve returns the regular file that is to be at path, and "" when path must be
// written directly.
func resolve(path string) (string, error) {
	if path == "" {
		return "", errors.New("the path is empty")
	}
	if isDescriptor(path) {
		return "", nil
	}
	link, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if os.IsPathSeparator(path[len(path)-1]) {
			return "", errors.New("the path ends as that of a folder does: want that of a file")
		}
		return path, nil
	}
	if err != nil {
		return "", err
	}
	info := link
	if link.Mode()&fs.ModeSymlink != 0 {
		if to, err := os.Readlink(path); err == nil && isDescriptor(to) {
			return "", nil
		}
		if info, err = os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return "", errors.New("a symbolic link that leads nowhere: remove it, or make what it leads to")
		} else if err != nil {
			return "", err
		}
	}
	switch {
	case info.IsDir():
		return "", errors.New("it is a folder: want the path of a file")
	case !info.Mode().IsRegular():
		return "", nil
	case link.Mode()&fs.ModeSymlink != 0:
		return filepath.EvalSymlinks(path)
	}
	return path, nil
}

// isDescriptor reports whether path names something the process has open. It may
// lead to a regular file that others append to, so it is never replaced.
func isDescriptor(path string) bool {
	if runtime.GOOS == "windows" {
		return false
	}
	path = filepath.Clean(path)
	return path == "/dev/stdout" || path == "/dev/stderr" ||
		strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/")
}

// cause returns err without the path in it: that of the temporary file would
// tell nobody anything.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		return l.Err
	}
	return err
}

// Direct reports whether the path is written directly, see [Create].
func (f *File) Direct() bool { return f.target == "" }

// Write implements io.Writer. Nothing is buffered.
func (f *File) Write(b []byte) (int, error) {
	n, err := f.f.Write(b)
	return n, f.fail(err)
}

// fail wraps an error and keeps the first one, so that Commit cannot succeed
// after a Write whose error nobody looked at.
func (f *File) fail(err error) error {
	if err == nil {
		return nil
	}
	err = fmt.Errorf("write %s: %w", f.path, cause(err))
	if f.err == nil {
		f.err = err
	}
	return err
}

// Commit brings the content to the disk and then to its path. After an error the
// path has its old content, unless the error says otherwise.
func (f *File) Commit() error {
	switch {
	case f.closed:
		return f.fail(errors.New("already committed or closed"))
	case f.err != nil:
		return f.err
	case f.target == "":
		f.closed = true
		return f.fail(f.f.Close())
	}
	f.closed = true
	// The mode comes first, so that the disk has it before the name appears.
	err := f.f.Chmod(f.perm)
	if err == nil {
		err = f.f.Sync()
	}
	if e := f.f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.f.Name(), f.target)
	}
	if err != nil {
		os.Remove(f.f.Name())
		return f.fail(err)
	}
	if err = SyncDir(filepath.Dir(f.target)); err != nil {
		return f.fail(fmt.Errorf("the file is complete, but its folder could not be synced to the disk: %w", cause(err)))
	}
	return nil
}

// Close gives up: it removes the temporary file and leaves the path as it was.
// After [File.Commit] or another Close it does nothing, so it can be deferred.
func (f *File) Close() error {
	if f.closed {
		return nil
	}
	f.closed = true
	err := f.f.Close()
	if f.target != "" {
		err = errors.Join(err, os.Remove(f.f.Name()))
	}
	return f.fail(err)
}

// WriteFile writes data to the file at path, see [Create].
func WriteFile(path string, data []byte, perm os.FileMode) error {
	f, err := Create(path, perm)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Commit()
}
