package home

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/licet-dev/licet/keys"
)

// An endpoint's home has receipt keys and hs256 secrets of the ring, and nothing else.
func TestCheckEndpoint(t *testing.T) {
	private, ring := endpointKeys(t)
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

// endpointKeys returns an hs256 and an es256 mint key, a list key and a receipt key, and
// their ring.
func endpointKeys(t *testing.T) ([]keys.PrivateKey, *keys.Ring) {
	t.Helper()
	var private []keys.PrivateKey
	var public []keys.Key
	add := func(k keys.PrivateKey, d keys.Descriptor, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		key, err := keys.NewKey(k, d, 7)
		if err != nil {
			t.Fatal(err)
		}
		private, public = append(private, k), append(public, key)
	}
	for _, s := range []string{
		"licet/v1 hs256 key=8 prefix= layout=product:9,version:8,expiry:15,serial:28 bind=none sig=80",
		"licet/v1 es256 key=9 prefix= layout=product:9,version:8,expiry:15,serial:28 bind=none sig=512",
	} {
		d, err := keys.ParseDescriptor(s)
		if err != nil {
			t.Fatal(err)
		}
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
	return private, ring
}
