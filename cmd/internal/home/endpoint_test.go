package home

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An endpoint's home has receipt keys and hs256 secrets of the ring, and nothing else.
func TestCheckEndpoint(t *testing.T) {
	ring, private := newKeys(t)
	for name, c := range map[string]struct {
		file, want string
	}{
		"hs256":        {"mint-08.age", ""},
		"receipt":      {"receipt-" + private[3].ID().String() + ".age", ""},
		"hidden":       {".mint-09.age.licet-tmp-1", ""},
		"es256":        {"mint-09.age", "is mint key 9 of suite es256, whose codes are judged without it"},
		"list":         {"list-" + private[2].ID().String() + ".age", "is a list key, which can revoke every licence"},
		"another list": {"list-0123456789abcdef.age", "is no key of the ring"},
		"unknown mint": {"mint-10.age", "is no key of the ring"},
		"copy":         {"mint-08.age.bak", "is no key of the ring"},
	} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, keysName), 0o700); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, keysName, c.file)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		err := CheckEndpoint(dir, ring)
		switch {
		case c.want == "":
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		case err == nil || !strings.HasPrefix(err.Error(), path+" "+c.want) || !strings.Contains(err.Error(), "licet endpoint init"):
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	if err := CheckEndpoint(t.TempDir(), ring); err == nil {
		t.Error("a home without a folder of keys passes")
	}
}
