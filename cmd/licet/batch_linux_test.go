package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// BO-15, BO-16: every failure to write ends the run with a message that names the
// stream and the cause, and with the serials.
func TestMintNoSpace(t *testing.T) {
	t.Parallel()
	a := newTestApp(t)
	for _, c := range []struct{ format, count string }{
		{"txt", "1"}, {"txt", "5000"}, {"csv", "1"}, {"jsonl", "2000"}, {"xlsx", "500"}, {"txt.age", "1"},
	} {
		args := []string{"--count", c.count, "--format", strings.TrimSuffix(c.format, ".age")}
		if strings.HasSuffix(c.format, ".age") {
			args = append(args, "--encrypt-to", a.recipient(t))
		}
		for stream, p := range map[string]*process{
			"/dev/stdout": a.newMint(t, 8, args...),
			"/dev/full":   a.newMint(t, 8, append(args, "-o", "/dev/full")...),
		} {
			if stream == "/dev/stdout" {
				p.Stdout = openFull(t)
			}
			p.exits(t, 1)
			p.wantReserved(t, a, 8)
			if want := "write " + stream + ": no space left on device\n"; !strings.HasSuffix(p.err.String(), want) {
				t.Errorf("%s %s to %s: standard error %q, want %q", c.count, c.format, stream, &p.err, want)
			}
		}
	}
	if left := a.files(t); len(left) > 0 {
		t.Errorf("%v left behind", left)
	}
	for _, args := range [][]string{{"batch", "list"}, {"batch", "list", "--json"}} {
		p := a.newProcess(t, args...)
		p.Stdout = openFull(t)
		p.exits(t, 1)
		if !strings.Contains(p.err.String(), "no space left on device") {
			t.Errorf("%v: standard error %q", args, &p.err)
		}
	}
}

// openFull opens a device that takes nothing.
func openFull(t *testing.T) *os.File {
	t.Helper()
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// BO-15: a disk that is full in the middle of a file.
func TestMintDiskFull(t *testing.T) {
	t.Parallel()
	for name, small := range smallDisks(t) {
		t.Run(name, func(t *testing.T) {
			a := newTestApp(t)
			for _, file := range []string{"out.csv", "out.xlsx"} {
				path := filepath.Join(small.dir(t), file)
				p := small.limit(a.newMint(t, 8, "--count", "4000", "-o", path))
				p.exits(t, 1)
				again := p.wantReserved(t, a, 8)
				if want := "licet: write " + path + ": " + small.cause + "\n"; !strings.HasSuffix(p.err.String(), want) {
					t.Errorf("standard error %q, want %q", &p.err, want)
				}
				if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) > 0 {
					t.Errorf("%v left on the disk, %v", left, err)
				}
				if file == "out.xlsx" {
					continue // slow to write and to read
				}
				// Elsewhere there is room.
				a.newMint(t, 8, "--serials", again, "--again", "-o", file).exits(t, 0)
				if err := a.verifyBatch(context.Background(), batchVerifyOptions{}, filepath.Join(filepath.Dir(a.dir), file)); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// A disk that is full when serials are to be recorded: none is handed out.
func TestMintJournalFull(t *testing.T) {
	t.Parallel()
	for name, small := range smallDisks(t) {
		t.Run(name, func(t *testing.T) {
			a := newTestApp(t)
			old := a.dir
			a.dir = filepath.Join(small.dir(t), "home")
			if err := os.CopyFS(a.dir, os.DirFS(old)); err != nil {
				t.Fatal(err)
			}
			a.unlock.Identities = []string{filepath.Join(old, "identity.txt")}
			small.fill(t)
			label := "order=" + strings.Repeat("x", 250)
			full := false
			for range 400 {
				p := small.limitJournal(a.newMint(t, 8, "--label", label))
				p.Dir = filepath.Dir(old)
				before := len(a.entries(t))
				if err := p.Start(); err != nil {
					t.Fatal(err)
				}
				if p.Wait(); p.ProcessState.ExitCode() == 0 {
					continue
				}
				full = true
				if got := p.ProcessState.ExitCode(); got != 1 {
					t.Errorf("exit code %d, want 1", got)
				}
				if !strings.Contains(p.err.String(), "journal.jsonl: nothing was handed out: "+small.cause) || p.out.Len() > 0 {
					t.Errorf("standard error %q, output %q", &p.err, &p.out)
				}
				if after := len(a.entries(t)); after != before {
					t.Errorf("%d entries, want %d", after, before)
				}
				break
			}
			if !full {
				t.Fatal("the disk was never full")
			}
			// With room again, the next serial is the next.
			small.free(t)
			n := uint64(len(a.entries(t)))
			p := a.newMint(t, 8)
			p.exits(t, 0)
			if got := a.serialsOf(t, strings.Fields(p.out.String())); len(got) != 1 || got[0] != n+1 {
				t.Errorf("serials %v, want %d", got, n+1)
			}
		})
	}
}

// A smallDisk is a place for little.
type smallDisk struct {
	root  string // "" where the size of files is limited instead
	cause string // of the error
}

// smallDisks returns the kinds of disks that are soon full: a small file system
// where the tests may mount one, and in any case a limit on the size of files.
func smallDisks(t *testing.T) map[string]*smallDisk {
	t.Helper()
	disks := map[string]*smallDisk{"limit": {cause: syscall.EFBIG.Error()}}
	if root := filepath.Join(t.TempDir(), "small"); mountSmall(t, root) {
		disks["tmpfs"] = &smallDisk{root, syscall.ENOSPC.Error()}
	}
	return disks
}

func (d *smallDisk) dir(t *testing.T) string {
	t.Helper()
	dir := d.root
	if dir == "" {
		return t.TempDir()
	}
	return dir
}

// limit makes a run of licet one that can write little, 60 KiB at most.
func (d *smallDisk) limit(p *process) *process { return d.limited(p, 60) }

func (d *smallDisk) limitJournal(p *process) *process { return d.limited(p, 4) }

func (d *smallDisk) limited(p *process, blocks int) *process {
	if d.root != "" {
		return p
	}
	sh := exec.Command("sh", append([]string{"-c", fmt.Sprintf(`ulimit -f %d && exec "$0" "$@"`, blocks), p.Path}, p.Args[1:]...)...)
	sh.Dir, sh.Env, sh.Stdout, sh.Stderr = p.Dir, p.Env, p.Stdout, p.Stderr
	p.Cmd = sh
	return p
}

// fill leaves room for some pages on the disk.
func (d *smallDisk) fill(t *testing.T) {
	t.Helper()
	if d.root == "" {
		return
	}
	f, err := os.Create(filepath.Join(d.root, "ballast"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n, err := io.Copy(f, zeros{})
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	if err := f.Truncate(n - int64(2*os.Getpagesize())); err != nil {
		t.Fatal(err)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// free makes room on the disk.
func (d *smallDisk) free(t *testing.T) {
	if d.root == "" {
		return
	}
	if err := os.Remove(filepath.Join(d.root, "ballast")); err != nil {
		t.Fatal(err)
	}
}

// mountSmall mounts a file system of 80 KiB, which only root can.
func mountSmall(t *testing.T, root string) bool {
	t.Helper()
	if err := os.Mkdir(root, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", root, "tmpfs", 0, "size=80k"); err != nil {
		t.Logf("no small file system: %v", err)
		return false
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(root, 0); err != nil {
			t.Error(err)
		}
	})
	return true
}
