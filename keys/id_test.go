package keys_test

import (
	"strings"
	"testing"

	"github.com/licet-dev/licet/keys"
)

func TestIDsOfTheReferenceKeys(t *testing.T) {
	public := must[keys.PublicKey](t)(keys.ParsePublicKey(esPublic))
	for _, c := range []struct {
		name string
		got  keys.ID
		want string
	}{
		{"hs256", secret(t, hsSecret).ID(descriptor(t, hsDescriptor)), hsID},
		{"hs256 private key", hsKey(t).ID(), hsID},
		{"es256", public.ID(descriptor(t, esDescriptor)), esID},
		{"es256 private key", esKey(t).ID(), esID},
	} {
		if c.got.String() != c.want {
			t.Errorf("%s: id %s, want %s", c.name, c.got, c.want)
		}
	}
	if public.RoleID(keys.List) == public.RoleID(keys.Receipt) || public.RoleID(keys.List).String() == esID {
		t.Error("the same key has one id in two roles")
	}
}

func TestParseID(t *testing.T) {
	id := must[keys.ID](t)(keys.ParseID(hsID))
	if id.String() != hsID || id != (keys.ID{0xca, 0x3f, 0x20, 0x93, 0xe4, 0xfe, 0x14, 0x55}) {
		t.Errorf("id %s", id)
	}
	// CR-11
	for _, s := range []string{
		"", "../x", hsID[:15], hsID[:14], hsID + "0", hsID + "00", strings.ToUpper(hsID), hsID[:15] + "g", hsID[:15] + "\x00",
		" " + hsID, hsID + "\n", "0x" + hsID[2:], hsID[:4] + "-" + hsID[5:], strings.Repeat("a", 300), "ｃa3f2093e4fe1455",
	} {
		if id, err := keys.ParseID(s); err == nil || id != (keys.ID{}) {
			t.Errorf("ParseID(%q) = %s, %v", s, id, err)
		}
	}
}
