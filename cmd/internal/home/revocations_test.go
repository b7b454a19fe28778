package home

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/keyfile/atomicfile"
	"github.com/licet-dev/licet/keys/note"
	"github.com/licet-dev/licet/verifier/revocation"
)

// listOf returns a list with one entry, and the list key of the home.
func listOf(t *testing.T, h *Home, identity string, sequence uint64) (*revocation.List, keys.PrivateKey) {
	t.Helper()
	mint, _ := h.Ring.MintKey(9)
	issued := time.Date(2026, 12, 1, 9, 30, 0, 0, time.UTC)
	d := revocation.Draft{Issuer: h.Ring.Issuer(), Sequence: sequence, Issued: issued, Due: issued.AddDate(0, 0, 90)}
	if err := d.Revoke(revocation.Entry{KeyID: mint.ID(), Product: 7, First: 1000, Last: 1999, ReasonCode: "leaked"}); err != nil {
		t.Fatal(err)
	}
	l, err := d.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range h.Ring.Keys() {
		if k.Role() == keys.List {
			private, err := h.Private(k, &Unlocker{Identities: []string{identity}})
			if err != nil {
				t.Fatal(err)
			}
			return l, private
		}
	}
	t.Fatal("no list key")
	return nil, keys.PrivateKey{}
}

func TestRevocations(t *testing.T) {
	h, identity, _ := newHome(t)
	if l, err := h.Revocations(); l != nil || err != nil {
		t.Errorf("before the first list: %v, %v", l, err)
	}
	for sequence := range uint64(3) {
		l, key := listOf(t, h, identity, sequence+1)
		if err := h.SaveRevocations(l, key); err != nil {
			t.Fatal(err)
		}
		if back, err := h.Revocations(); err != nil || !back.Equal(l) {
			t.Errorf("list %d: %v", sequence+1, err)
		}
	}
	info, err := os.Stat(h.RevocationsPath())
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o644 {
		t.Errorf("mode %v: a list is public", info.Mode())
	}
}

// A list that was damaged or edited is an error, never no list.
func TestRevocationsDamaged(t *testing.T) {
	h, identity, _ := newHome(t)
	l, key := listOf(t, h, identity, 12)
	if err := h.SaveRevocations(l, key); err != nil {
		t.Fatal(err)
	}
	data, err := ReadNote(h.RevocationsPath())
	if err != nil {
		t.Fatal(err)
	}
	good := string(data)
	crlf := strings.ReplaceAll(good, "\n", "\r\n")
	write(t, h.RevocationsPath(), crlf)
	if back, err := h.Revocations(); err != nil || !back.Equal(l) {
		t.Errorf("CRLF: %v", err)
	}
	for name, c := range map[string]struct {
		text string
		want note.Reason
	}{
		"empty":             {"", note.Malformed},
		"last byte missing": {good[:len(good)-1], note.Malformed},
		"a serial edited":   {strings.Replace(good, " 1999 ", " 1998 ", 1), note.BadSignature},
		"sequence edited":   {strings.Replace(good, "sequence 12", "sequence 13", 1), note.BadSignature},
		"not signed":        {good[:strings.Index(good, "\n\n")+1], note.Malformed},
	} {
		write(t, h.RevocationsPath(), c.text)
		l, err := h.Revocations()
		if l != nil || !errors.Is(err, c.want) || !strings.HasPrefix(err.Error(), h.RevocationsPath()+": ") {
			t.Errorf("%s: %v, %v; want %s", name, l, err, c.want)
		}
	}
}

// A link to a list that is out of reach, such as on a drive that is not there, does not
// count as no list.
func TestRevocationsOutOfReach(t *testing.T) {
	h, _, _ := newHome(t)
	if err := os.Symlink(filepath.Join(h.Dir, "nosuch.txt"), h.RevocationsPath()); err != nil {
		if runtime.GOOS != "windows" { // where it takes a privilege
			t.Fatal(err)
		}
		return
	}
	l, err := h.Revocations()
	if l != nil || err == nil || errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "revocations.txt: a symbolic link that leads nowhere") {
		t.Errorf("%v, %v", l, err)
	}
	if _, err := ReadNote(h.RevocationsPath()); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("ReadNote: %v", err)
	}
}

// What the home could not read again does not replace what it can.
func TestSaveRevocationsRefuses(t *testing.T) {
	h, identity, _ := newHome(t)
	l, key := listOf(t, h, identity, 12)
	if err := h.SaveRevocations(l, key); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, h.Dir)
	stranger, err := keys.GenerateRole(keys.List)
	if err != nil {
		t.Fatal(err)
	}
	next, _ := listOf(t, h, identity, 13)
	if err := h.SaveRevocations(next, stranger); !errors.Is(err, note.NoSignature) {
		t.Errorf("signed with a key that the ring does not have: %v", err)
	}
	d := next.Draft()
	d.Issuer = "Other Tools"
	other, err := d.List()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.SaveRevocations(other, key); !errors.Is(err, revocation.OtherIssuer) {
		t.Errorf("of another issuer: %v", err)
	}
	if err := h.SaveRevocations(nil, key); err == nil {
		t.Error("no list was saved")
	}
	for path, text := range snapshot(t, h.Dir) {
		if before[path] != text {
			t.Errorf("%s was changed", path)
		}
	}
}

// A program that ends between the temporary file and its renaming leaves the old
// list whole.
func TestRevocationsNotRenamed(t *testing.T) {
	h, identity, _ := newHome(t)
	l, key := listOf(t, h, identity, 12)
	if err := h.SaveRevocations(l, key); err != nil {
		t.Fatal(err)
	}
	f, err := atomicfile.Create(h.RevocationsPath(), 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write([]byte("licet-revocations/v1\nAcme")); err != nil {
		t.Fatal(err)
	}
	if back, err := h.Revocations(); err != nil || !back.Equal(l) {
		t.Errorf("beside a temporary file: %v", err)
	}
	next, _ := listOf(t, h, identity, 13)
	if err := h.SaveRevocations(next, key); err != nil {
		t.Fatal(err)
	}
	if back, err := h.Revocations(); err != nil || back.Sequence() != 13 {
		t.Errorf("after the next list: %v", err)
	}
}

func TestReadNoteSize(t *testing.T) {
	h, _, _ := newHome(t)
	if _, err := ReadNote(h.RevocationsPath()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	write(t, h.RevocationsPath(), "")
	if err := os.Truncate(h.RevocationsPath(), maxNote+1); err != nil { // a file of holes
		t.Fatal(err)
	}
	if _, err := ReadNote(h.RevocationsPath()); err == nil || !strings.Contains(err.Error(), "revocations.txt is no signed note: it has 1140850689 bytes, and at most 1140850688 are read") {
		t.Errorf("too long: %v", err)
	}
	if _, err := ReadNote(h.Dir); err == nil {
		t.Error("a folder was read")
	}
}
