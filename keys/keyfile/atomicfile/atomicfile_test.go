package atomicfile_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/licet-dev/licet/keys/keyfile/atomicfile"
)

func write(t *testing.T, path, data string, mode fs.FileMode) {
	t.Helper()
	if err := errors.Join(os.WriteFile(path, []byte(data), 0o600), os.Chmod(path, mode)); err != nil {
		t.Fatal(err)
	}
}

func expect(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s: %q, %v, want %q", path, got, err, want)
	}
}

func expectMode(t *testing.T, path string, want fs.FileMode) {
	t.Helper()
	if runtime.GOOS == "windows" {
		return // no modes
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != want {
		t.Errorf("%s: %v, %v, want %v", path, info.Mode(), err, want)
	}
}

// names returns what is in the folder.
func names(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var s []string
	for _, e := range entries {
		s = append(s, e.Name())
	}
	return strings.Join(s, " ")
}

func expectError(t *testing.T, err error, want ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %q", want)
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q lacks %q", err, w)
		}
	}
	if strings.Contains(err.Error(), "licet-tmp") {
		t.Errorf("error %q names the temporary file", err)
	}
}

func TestWriteFile(t *testing.T) {
	for _, old := range []fs.FileMode{0, 0o400, 0o600, 0o644, 0o777} {
		if old == 0o400 && runtime.GOOS == "windows" {
			continue // there a read-only file cannot be replaced
		}
		for _, perm := range []fs.FileMode{0o600, 0o644, 0o400, 0o666} {
			folder := t.TempDir()
			path := filepath.Join(folder, "ring.json")
			if old != 0 {
				write(t, path, "something longer", old)
			}
			if err := atomicfile.WriteFile(path, []byte("new"), perm); err != nil {
				t.Fatal(err)
			}
			expect(t, path, "new")
			expectMode(t, path, perm)
			if n := names(t, folder); n != "ring.json" {
				t.Errorf("in the folder: %s", n)
			}
		}
	}
}

func TestRelativePath(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := atomicfile.WriteFile("ring.json", []byte("new"), 0o644); err != nil {
		t.Fatal(err)
	}
	expect(t, "ring.json", "new")
	if n := names(t, "."); n != "ring.json" {
		t.Errorf("in the folder: %s", n)
	}
}

func TestNames(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"*", "a*b", ".hidden", "ä ö", strings.Repeat("n", 255), "x" + strings.Repeat("ä", 127)} {
		if runtime.GOOS == "windows" && strings.Contains(name, "*") {
			continue
		}
		if err := atomicfile.WriteFile(filepath.Join(folder, name), []byte(name), 0o600); err != nil {
			t.Error(err)
			continue
		}
		expect(t, filepath.Join(folder, name), name)
	}
}

// What a program that is killed before Commit leaves behind.
func TestNotCommitted(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "ring.json")
	write(t, path, "old", 0o644)
	f, err := atomicfile.Create(path, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("new")); err != nil {
		t.Fatal(err)
	}
	expect(t, path, "old")
	left, _ := filepath.Glob(filepath.Join(folder, ".ring.json.licet-tmp-*"))
	if len(left) != 1 {
		t.Fatalf("in the folder: %s", names(t, folder))
	}
	expect(t, left[0], "new") // nothing is buffered
	expectMode(t, left[0], 0o600)

	for range 2 {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	expect(t, path, "old")
	if n := names(t, folder); n != "ring.json" {
		t.Errorf("in the folder: %s", n)
	}
	expectError(t, f.Commit(), "ring.json", "already committed or closed")
	_, err = f.Write([]byte("more"))
	expectError(t, err, "ring.json")
	expect(t, path, "old")
}

func TestCommit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ring.json")
	f, err := atomicfile.Create(path, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"a", "", "b"} {
		if n, err := fmt.Fprint(f, s); n != len(s) || err != nil {
			t.Fatal(n, err)
		}
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there before Commit: %v", err)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Errorf("Close after Commit: %v", err)
	}
	expect(t, path, "ab")
	expectError(t, f.Commit(), "already committed or closed")
	expect(t, path, "ab")
}

func TestCommitFails(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "ring.json")
	f, err := atomicfile.Create(path, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	expectError(t, f.Commit(), "write "+path+": ")
	if n := names(t, folder); n != "ring.json" {
		t.Errorf("in the folder: %s", n)
	}
	if err := f.Close(); err != nil {
		t.Errorf("Close after Commit: %v", err)
	}
}

func TestCreateFails(t *testing.T) {
	folder := t.TempDir()
	write(t, filepath.Join(folder, "file"), "old", 0o600)
	for path, want := range map[string]string{
		"":                                     "the path is empty",
		folder:                                 "it is a folder",
		folder + string(os.PathSeparator):      "it is a folder",
		filepath.Join(folder, "none", "x"):     "a temporary file in folder " + filepath.Join(folder, "none"),
		filepath.Join(folder, "file", "x"):     "write ",
		filepath.Join(folder, "none") + "/":    "ends as that of a folder",
		filepath.Join(folder, "nul\x00inside"): "write ",
	} {
		f, err := atomicfile.Create(path, 0o600)
		if f != nil {
			t.Errorf("%q: got a file", path)
		}
		expectError(t, err, "write "+path+": ", want)
	}
	_, err := atomicfile.Create(filepath.Join(folder, "none", "x"), 0o600)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is not ErrNotExist", err)
	}
}

func TestSymbolicLink(t *testing.T) {
	folder, other := t.TempDir(), t.TempDir()
	target, link, second := filepath.Join(other, "real"), filepath.Join(folder, "link"), filepath.Join(folder, "second")
	write(t, target, "old", 0o644)
	if err := errors.Join(os.Symlink(target, link), os.Symlink("link", second)); err != nil {
		t.Skip(err) // Windows may forbid it
	}
	for _, path := range []string{link, second} {
		if err := atomicfile.WriteFile(path, []byte(path), 0o600); err != nil {
			t.Fatal(err)
		}
		expect(t, target, path)
		expectMode(t, target, 0o600)
		for _, l := range []string{link, second} {
			if info, err := os.Lstat(l); err != nil || info.Mode()&fs.ModeSymlink == 0 {
				t.Errorf("%s is no link any more: %v", l, err)
			}
		}
		if n := names(t, other); n != "real" {
			t.Errorf("in the folder: %s", n)
		}
	}

	toFolder, nowhere, loop := filepath.Join(folder, "folder"), filepath.Join(folder, "nowhere"), filepath.Join(folder, "loop")
	if err := errors.Join(os.Symlink(other, toFolder), os.Symlink("none", nowhere), os.Symlink("loop", loop)); err != nil {
		t.Fatal(err)
	}
	expectError(t, atomicfile.WriteFile(toFolder, nil, 0o600), "it is a folder")
	expectError(t, atomicfile.WriteFile(nowhere, nil, 0o600), "leads nowhere")
	expectError(t, atomicfile.WriteFile(loop, nil, 0o600), "write "+loop)
	if err := atomicfile.WriteFile(filepath.Join(toFolder, "real"), []byte("through"), 0o600); err != nil {
		t.Error(err)
	}
	expect(t, target, "through")
}
