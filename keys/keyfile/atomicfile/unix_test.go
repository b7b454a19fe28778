//go:build unix

package atomicfile_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/licet-dev/licet/keys/keyfile/atomicfile"
)

func TestUmask(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o077))
	path := filepath.Join(t.TempDir(), "ring.json")
	if err := atomicfile.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	expectMode(t, path, 0o644)
}

func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	got := make(chan string)
	go func() {
		b, err := os.ReadFile(path)
		got <- fmt.Sprint(string(b), err)
	}()
	if err := atomicfile.WriteFile(path, []byte("through"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s := <-got; s != "through<nil>" {
		t.Error(s)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		t.Errorf("no pipe any more: %v", err)
	}
}

func TestDevice(t *testing.T) {
	if err := atomicfile.WriteFile(os.DevNull, []byte("x"), 0o600); err != nil {
		t.Error(err)
	}
	f, err := atomicfile.Create(os.DevNull, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode()&fs.ModeCharDevice == 0 {
		t.Fatalf("no device any more: %v", err)
	}
}

func TestFull(t *testing.T) {
	const full = "/dev/full"
	if _, err := os.Stat(full); err != nil {
		t.Skip(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(full, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{full, link} {
		err := atomicfile.WriteFile(path, []byte("x"), 0o600)
		expectError(t, err, "write "+path+": ")
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%v is not ENOSPC", err)
		}
		// Whoever forgets to look at Write learns it from Commit.
		f, err := atomicfile.Create(path, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		f.Write([]byte("x"))
		if err := f.Commit(); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("Commit: %v", err)
		}
		if err := f.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
}

// What does not fit is never at the path, only in the temporary file, which goes.
func TestLimit(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere the signal may end the program")
	}
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Skip(err)
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "ring.json")
	write(t, path, "old", 0o600)
	limit := old
	limit.Cur = 1000
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Skip(err)
	}
	err := atomicfile.WriteFile(path, make([]byte, 2000), 0o600)
	if e := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old); e != nil {
		t.Fatal(e)
	}
	expectError(t, err, "write "+path+": ")
	expect(t, path, "old")
	if n := names(t, folder); n != "ring.json" {
		t.Errorf("in the folder: %s", n)
	}
}

// Standard output may lead to a file that others append to.
func TestDescriptor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	write(t, path, "before\n", 0o600)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	descriptor := fmt.Sprintf("/dev/fd/%d", f.Fd())
	if _, err := os.Stat(descriptor); err != nil {
		t.Skip(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(descriptor, link); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{descriptor, link} {
		if err := atomicfile.WriteFile(p, []byte("ours\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.WriteString("after\n"); err != nil {
		t.Fatal(err)
	}
	expect(t, path, "before\nours\nours\nafter\n")
	expectMode(t, path, 0o600)
}

func TestForbidden(t *testing.T) {
	folder := t.TempDir()
	if os.Getuid() == 0 { // root may do everything, so be nobody for a while
		const nobody = 65534
		if err := errors.Join(os.Chown(folder, nobody, nobody), os.Chmod(filepath.Dir(folder), 0o755), syscall.Seteuid(nobody)); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := syscall.Seteuid(0); err != nil {
				t.Fatal(err)
			}
		}()
	}
	if err := os.Chmod(folder, 0o500); err != nil {
		t.Fatal(err)
	}
	err := atomicfile.WriteFile(filepath.Join(folder, "x"), nil, 0o600)
	expectError(t, err, "in folder "+folder)
	if !errors.Is(err, fs.ErrPermission) || strings.Contains(err.Error(), "tmp-") {
		t.Error(err)
	}

	// A folder that can be written to but not listed cannot be synced.
	if err := os.Chmod(folder, 0o300); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.WriteFile(filepath.Join(folder, "x"), nil, 0o600); err != nil {
		t.Error(err)
	}
	if err := os.Chmod(folder, 0o700); err != nil {
		t.Fatal(err)
	}
}
