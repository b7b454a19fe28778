package home

import (
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	_ "unsafe" // for go:linkname

	"filippo.io/age"
	"golang.org/x/crypto/ssh"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/keyfile"
	"github.com/licet-dev/licet/payload"
)

// The work of scrypt, at a strength of the tests.
//
//go:linkname workFactor github.com/licet-dev/licet/keys/keyfile.workFactor
var workFactor int

func init() { workFactor = 4 }

// newKeys returns the ring and the private keys of a new home: mint keys 8 (hs256)
// and 9 (es256), a list key and a receipt key.
func newKeys(t *testing.T) (*keys.Ring, []keys.PrivateKey) {
	t.Helper()
	layout, err := payload.ParseLayout("standard")
	if err != nil {
		t.Fatal(err)
	}
	var public []keys.Key
	var private []keys.PrivateKey
	add := func(k keys.PrivateKey, d keys.Descriptor, err error) {
		if err != nil {
			t.Fatal(err)
		}
		key, err := keys.NewKey(k, d, 7)
		if err != nil {
			t.Fatal(err)
		}
		public, private = append(public, key), append(private, k)
	}
	for _, d := range []keys.Descriptor{
		{Suite: keys.HS256, Number: 8, Layout: layout, Bind: keys.BindNone, SigBits: 80},
		{Suite: keys.ES256, Number: 9, Layout: layout, Bind: keys.BindNone, SigBits: keys.ES256Bits},
	} {
		k, err := keys.GenerateMint(d)
		add(k, d, err)
	}
	for _, r := range []keys.Role{keys.List, keys.Receipt} {
		k, err := keys.GenerateRole(r)
		add(k, keys.Descriptor{}, err)
	}
	ring, err := keys.NewRing("Acme Tools", []keys.Product{{Number: 7, Name: "Widget"}}, public)
	if err != nil {
		t.Fatal(err)
	}
	return ring, private
}

// newHome returns a home encrypted to a new age identity, and the file with that.
func newHome(t *testing.T) (h *Home, identity, recipient string) {
	t.Helper()
	id, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	identity = filepath.Join(t.TempDir(), "identity.txt")
	write(t, identity, id.String()+"\n")
	ring, private := newKeys(t)
	h, err = Create(filepath.Join(t.TempDir(), "acme"), ring, private, Encryption{Recipients: []string{id.Recipient().String()}})
	if err != nil {
		t.Fatal(err)
	}
	return h, identity, id.Recipient().String()
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// snapshot returns the content of all files below dir, by path.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			files[path] = "" // folders count too
			return err
		}
		text, err := os.ReadFile(path)
		files[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// wantAllPrivate wants every private key of the home to open.
func wantAllPrivate(t *testing.T, h *Home, u *Unlocker) {
	t.Helper()
	for _, key := range h.Ring.Keys() {
		k, err := h.Private(key, u)
		if err != nil {
			t.Errorf("key %s: %v", key.ID(), err)
		} else if k.ID() != key.ID() {
			t.Errorf("key %s: got key %s", key.ID(), k.ID())
		}
	}
}

func TestCreateOpen(t *testing.T) {
	h, identity, recipient := newHome(t)
	again, err := Open(h.Dir)
	if err != nil {
		t.Fatal(err)
	}
	wantAllPrivate(t, again, &Unlocker{Identities: []string{identity}})
	got, err := again.Recipients()
	if err != nil || len(got) != 1 || got[0] != recipient {
		t.Errorf("recipients %q, %v", got, err)
	}
	if again.Ring.HasSecrets() {
		t.Error("the ring has secrets")
	}
	for path, text := range snapshot(t, h.Dir) {
		if strings.Contains(text, "LICET-SECRET-KEY") {
			t.Errorf("%s has a secret key", path)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		want := os.FileMode(0o600)
		switch name := filepath.Base(path); {
		case name == "ring.json" || name == "recipients.txt":
			want = 0o644
		case info.IsDir():
			want = 0o700
		}
		if got := info.Mode().Perm(); runtime.GOOS != "windows" && got != want {
			t.Errorf("%s has mode %o, want %o", path, got, want)
		}
	}
}

// KY-12
func TestCreateOverwritesNothing(t *testing.T) {
	ring, private := newKeys(t)
	for _, name := range []string{"ring.json", "recipients.txt", "keys", "keys/mint-08.age", "keys/old.txt"} {
		dir := t.TempDir()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if name == "keys" {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		} else {
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			write(t, path, "old\n")
		}
		before := snapshot(t, dir)
		if _, err := Create(dir, ring, private, Encryption{Passphrase: "open sesame"}); err == nil {
			t.Errorf("%s: created over it", name)
		}
		if !maps.Equal(before, snapshot(t, dir)) {
			t.Errorf("%s: the refusal changed something", name)
		}
	}
}

func TestOpenNone(t *testing.T) {
	if _, err := Open(t.TempDir()); !errors.Is(err, ErrNone) {
		t.Errorf("error %v, want ErrNone", err)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, ringName), "{}")
	if _, err := Open(dir); err == nil || errors.Is(err, ErrNone) {
		t.Errorf("a damaged ring: error %v", err)
	}
}

func TestWritePrivateNeverReplaces(t *testing.T) {
	h, _, recipient := newHome(t)
	_, private := newKeys(t)
	before := snapshot(t, h.Dir)
	if err := h.WritePrivate(private[0], Encryption{Recipients: []string{recipient}}); err == nil {
		t.Error("a private key was replaced")
	}
	if !maps.Equal(before, snapshot(t, h.Dir)) {
		t.Error("the refusal changed something")
	}
}

func TestSaveRingWithoutSecrets(t *testing.T) {
	h, identity, _ := newHome(t)
	key, _ := h.Ring.MintKey(8)
	private, err := h.Private(key, &Unlocker{Identities: []string{identity}})
	if err != nil {
		t.Fatal(err)
	}
	if key, err = key.Attach(private); err != nil {
		t.Fatal(err)
	}
	ring, err := h.Ring.Replace(key)
	if err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, h.Dir)
	if err := h.SaveRing(ring); err == nil {
		t.Error("a ring with secrets was saved")
	}
	if !maps.Equal(before, snapshot(t, h.Dir)) {
		t.Error("the refusal changed something")
	}
}

// A file under the name of another key opens, but is not that key.
func TestPrivateSwapped(t *testing.T) {
	h, identity, recipient := newHome(t)
	u := &Unlocker{Identities: []string{identity}}
	key, _ := h.Ring.MintKey(8)
	path := h.KeyPath(keys.Mint, 8, key.ID())
	original, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, others := newKeys(t) // key 8 of another issuer is among them
	r, err := keyfile.Recipient(recipient)
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range others {
		if err := keyfile.Write(path, other, r); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Private(key, u); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%v in place of key 8: error %v", other, err)
		}
		before := snapshot(t, h.Dir)
		if err := h.Rewrap(u, Encryption{Passphrase: "open sesame"}); err == nil {
			t.Errorf("%v in place of key 8 was rewrapped", other)
		}
		if !maps.Equal(before, snapshot(t, h.Dir)) {
			t.Error("the refusal changed something")
		}
	}
	write(t, path, string(original))
	wantAllPrivate(t, h, u)
}

func TestRewrap(t *testing.T) {
	h, identity, _ := newHome(t)
	u := &Unlocker{Identities: []string{identity}}
	if err := h.Rewrap(u, Encryption{Passphrase: "open sesame"}); err != nil {
		t.Fatal(err)
	}
	if got, err := h.Recipients(); err != nil || got != nil {
		t.Errorf("recipients %q, %v", got, err)
	}
	asked := 0
	u = &Unlocker{Ask: func(string) (string, error) { asked++; return "open sesame", nil }}
	wantAllPrivate(t, h, u)
	if asked != 1 {
		t.Errorf("asked %d times, want once", asked)
	}

	other, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Rewrap(u, Encryption{Recipients: []string{other.Recipient().String()}}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "other.txt")
	write(t, file, other.String())
	wantAllPrivate(t, h, &Unlocker{Identities: []string{identity, file}})
	if _, err := h.Private(h.Ring.Keys()[0], &Unlocker{Identities: []string{identity}}); !errors.Is(err, keyfile.ErrNoMatch) {
		t.Errorf("the old identity: error %v", err)
	}
	for path := range snapshot(t, h.Dir) {
		if strings.HasPrefix(filepath.Base(path), ".") {
			t.Errorf("%s was left over", path)
		}
	}
}

// Rewrap changes all files or none.
func TestRewrapFails(t *testing.T) {
	for name, c := range map[string]struct {
		damage func(h *Home)     // to the home
		u      func(u *Unlocker) // to what unlocks it
		e      Encryption
	}{
		"wrong identity": {u: func(u *Unlocker) {
			id, _ := age.GenerateX25519Identity()
			write(t, u.Identities[0], id.String())
		}},
		"no identity":      {u: func(u *Unlocker) { u.Identities = nil }},
		"missing identity": {u: func(u *Unlocker) { u.Identities = []string{"nosuch.txt"} }},
		"bad recipient":    {e: Encryption{Recipients: []string{"age1qqq"}}},
		"last key damaged": {damage: func(h *Home) {
			last := h.Ring.Keys()[len(h.Ring.Keys())-1]
			write(t, h.KeyPath(last.Role(), last.Number(), last.ID()), "damaged")
		}},
		"last file can't be written": {damage: func(h *Home) {
			path := filepath.Join(h.Dir, recipientsName)
			if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil {
				t.Fatal(err)
			}
		}},
		"no keys at all": {damage: func(h *Home) {
			dir := filepath.Join(h.Dir, keysName)
			if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700)); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			h, identity, recipient := newHome(t)
			u := &Unlocker{Identities: []string{identity}}
			if c.damage != nil {
				c.damage(h)
			}
			if c.u != nil {
				c.u(u)
			}
			if c.e.Recipients == nil {
				c.e.Recipients = []string{recipient, recipient}
			}
			before := snapshot(t, h.Dir)
			if err := h.Rewrap(u, c.e); err == nil {
				t.Error("no error")
			}
			if !maps.Equal(before, snapshot(t, h.Dir)) {
				t.Error("the failure changed something")
			}
		})
	}
}

// A key that is kept elsewhere does not hinder the others.
func TestRewrapKeyElsewhere(t *testing.T) {
	h, identity, recipient := newHome(t)
	key, _ := h.Ring.MintKey(9)
	path := h.KeyPath(keys.Mint, 9, key.ID())
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := h.Rewrap(&Unlocker{Identities: []string{identity}}, Encryption{Recipients: []string{recipient}}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: %v", path, err)
	}
}

func TestSSHIdentities(t *testing.T) {
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for name, k := range map[string]crypto.Signer{"ed25519": ed, "rsa": rsaKey} {
		public, err := ssh.NewPublicKey(k.Public())
		if err != nil {
			t.Fatal(err)
		}
		plain, err := ssh.MarshalPrivateKey(k, "")
		if err != nil {
			t.Fatal(err)
		}
		locked, err := ssh.MarshalPrivateKeyWithPassphrase(k, "", []byte("open sesame"))
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		plainFile, lockedFile := filepath.Join(dir, "plain"), filepath.Join(dir, "locked")
		write(t, plainFile, string(pem.EncodeToMemory(plain)))
		write(t, lockedFile, string(pem.EncodeToMemory(locked)))

		ring, private := newKeys(t)
		h, err := Create(filepath.Join(dir, "acme"), ring, private, Encryption{Recipients: []string{string(ssh.MarshalAuthorizedKey(public))}})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		wantAllPrivate(t, h, &Unlocker{Identities: []string{plainFile}})
		asked := 0
		ask := func(string) (string, error) { asked++; return "open sesame", nil }
		wantAllPrivate(t, h, &Unlocker{Identities: []string{lockedFile}, Ask: ask})
		if asked != 1 {
			t.Errorf("%s: asked %d times, want once", name, asked)
		}
		ask = func(string) (string, error) { return "open barley", nil }
		if _, err := h.Private(ring.Keys()[0], &Unlocker{Identities: []string{lockedFile}, Ask: ask}); !errors.Is(err, keyfile.ErrNoMatch) {
			t.Errorf("%s: wrong passphrase: error %v", name, err)
		}
	}
}

func TestNewPassphrase(t *testing.T) {
	noTerminal := errors.New("no terminal")
	for _, c := range []struct {
		answers []string
		want    string
		asked   int
	}{
		{[]string{"open sesame", "open sesame"}, "open sesame", 2},
		{[]string{" spaces count ", " spaces count "}, " spaces count ", 2},
		{[]string{"open sesame", "open barley"}, "", 2},
		{[]string{"open sesame", ""}, "", 2},
		{[]string{""}, "", 1},
		{[]string{"not UTF-8 \xff"}, "", 1},
		{[]string{"open sesame"}, "", 2}, // the terminal is gone
		{nil, "", 1},
	} {
		asked := 0
		got, err := NewPassphrase(func(string) (string, error) {
			asked++
			if asked > len(c.answers) {
				return "", noTerminal
			}
			return c.answers[asked-1], nil
		})
		if got != c.want || (err == nil) != (c.want != "") || asked != c.asked {
			t.Errorf("answers %q: %q, %v, asked %d times", c.answers, got, err, asked)
		}
	}
}

func TestReadRecipients(t *testing.T) {
	_, _, recipient := newHome(t)
	path := filepath.Join(t.TempDir(), "recipients.txt")
	write(t, path, "\ufeff# team\r\n\r\n  "+recipient+"  \r\n#\r\n"+recipient)
	got, err := ReadRecipients(path)
	if err != nil || len(got) != 2 || got[0] != recipient || got[1] != recipient {
		t.Errorf("got %q, %v", got, err)
	}
	if runtime.GOOS == "linux" { // a pipe can be read once only
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if _, err := w.WriteString(recipient + "\n"); err != nil {
			t.Fatal(err)
		}
		w.Close()
		if got, err := ReadRecipients(fmt.Sprintf("/dev/fd/%d", r.Fd())); err != nil || len(got) != 1 || got[0] != recipient {
			t.Errorf("from a pipe: %q, %v", got, err)
		}
	}
	for _, text := range []string{"", "# nobody\n", recipient + "\nage1qqq\n", "\xff\xfea\x00"} {
		write(t, path, text)
		if _, err := ReadRecipients(path); err == nil {
			t.Errorf("%q accepted", text)
		}
	}
}

// What is longer than any ring is not read to its end.
func TestReadRingSize(t *testing.T) {
	h, _, _ := newHome(t)
	text, err := os.ReadFile(h.RingPath())
	if err != nil {
		t.Fatal(err)
	}
	long := string(text) + strings.Repeat(" ", keys.MaxRingSize-len(text))
	write(t, h.RingPath(), long)
	if _, err := ReadRing(h.RingPath()); err != nil {
		t.Error(err)
	}
	paths := map[string]string{h.RingPath(): "it has 1048577 bytes, and at most 1048576 are read"}
	write(t, h.RingPath(), long+" ")
	if runtime.GOOS != "windows" {
		paths["/dev/zero"] = "/dev/zero is no ring: it has more bytes"
	}
	for path, want := range paths {
		if _, err := ReadRing(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	write(t, filepath.Join(h.Dir, recipientsName), long+" ")
	if got, err := h.Recipients(); err == nil || !strings.Contains(err.Error(), "recipients.txt is no list of recipients: it has 1048577 bytes") {
		t.Errorf("recipients of %d bytes: %d lines, %v", len(long)+1, len(got), err)
	}
}
