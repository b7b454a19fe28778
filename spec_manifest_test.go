package licet_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"strings"
	"testing"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/signer/manifest"
)

// TestSpecManifest reads the manifest of SPEC.md, section 10.3, with the keys that
// the section names, and signs it again.
func TestSpecManifest(t *testing.T) {
	var text string
	for _, block := range blocks(t, "SPEC.md", "") {
		if strings.HasPrefix(block, "licet-manifest/v1\n") {
			text = block
		}
	}
	v := workedExample(t, "hs256")
	mint := workedMint(t)
	scalar := make([]byte, 32)
	for i := range scalar {
		scalar[i] = 0x20 + byte(i)
	}
	k, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), scalar)
	if err != nil {
		t.Fatal(err)
	}
	list, err := keys.NewRoleKey(keys.List, k)
	if err != nil {
		t.Fatal(err)
	}
	if got := list.ID().String(); got != "d41142f1d23dcc36" {
		t.Errorf("the list key has the id %s", got)
	}
	listKey, err := keys.NewKey(list, keys.Descriptor{})
	if err != nil {
		t.Fatal(err)
	}
	ring, err := keys.NewRing("Acme Tools", []keys.Product{{Number: 7, Name: "Widget"}}, []keys.Key{mint, listKey})
	if err != nil {
		t.Fatal(err)
	}
	m, err := manifest.Open([]byte(text), ring)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := manifest.Sign(m, list); err != nil || string(again) != text {
		t.Errorf("signed again it is\n%s%v", again, err)
	}
	file := v["code"] + "\n"
	if m.First != workedLicense.Serial || *m.Version != workedLicense.Version || m.Expiry != workedLicense.Expiry ||
		m.Digest != (manifest.Digest{Size: int64(len(file)), SHA256: sha256.Sum256([]byte(file))}) {
		t.Errorf("it is about another code than that of section 10.1: %+v", m)
	}
}
