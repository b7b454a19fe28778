package keys_test

import (
	"crypto/sha256"
	"strings"
	"testing"

	"github.com/licet-dev/licet/keys"
)

func TestBindingTexts(t *testing.T) {
	for _, c := range []struct {
		name, text string
		ok         bool
	}{
		{"empty", "", false},
		{"one byte", "x", true},
		{"1,024 bytes", strings.Repeat("x", 1024), true},
		{"1,025 bytes", strings.Repeat("x", 1025), false},
		{"CT-27 a letter across the limit", strings.Repeat("x", 1023) + "é", false},
		{"CT-27 a letter up to the limit", strings.Repeat("x", 1022) + "é", true},
		{"a name", "Ärzte für Ägypten GmbH & Co. KG", true},
		{"Chinese", "北京市", true},
		{"a domain", "licences.example.com", true},

		{"not UTF-8", "a\xffb", false},
		{"cut off UTF-8", "a\xe2\x80", false},
		{"the replacement character", "a\ufffdb", true},
		{"BD-11 a line break at the end", "machine\n", false},
		{"a tab inside", "a\tb", false},
		{"U+0000", "a\x00b", false},
		{"U+001F", "a\x1fb", false},
		{"U+0020", "a\x20b", true},
		{"U+007E", "a\x7eb", true},
		{"U+007F", "a\x7fb", false},
		{"U+0080", "a\u0080b", false},
		{"U+009F", "a\u009fb", false},
		{"U+00A0", "a\u00a0b", true},
		{"U+200B is no control character", "a\u200bb", true},

		{"BD-06 default string", "Default string", false},
		{"BD-06 default string, spelled otherwise", "DEFAULT-STRING", false},
		{"nearly default string", "Default string 2", true},
		{"BD-06 to be filled", "To be filled by O.E.M.", false},
		{"to be filled, less", "to be filled by oem", false},
		{"nearly to be filled", "To be filled by O.E.M. Inc", true},
		{"BD-06 uninitialized", "uninitialized", false},
		{"uninitialized in capitals", "(UNINITIALIZED)", false},
		{"uninitialised", "uninitialised", true},
		{"BD-06 zeros", "00000000-0000-0000-0000-000000000000", false},
		{"one zero", "0", false},
		{"zeros and a one", "00000000-0000-0000-0000-000000000001", true},
		{"BD-06 nothing but F", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF", false},
		{"one f", "f", false},
		{"nothing but F in both cases", "ff:FF:ff", false},
		{"F and an E", "FFFF-FFFE", true},
		{"zeros and F", "00FF", true},
		{"other digits are not 0", "٠٠", true},
		{"full-width F is not F", "ＦＦ", true},
		{"zeros beside a letter of another script", "000é", true},
	} {
		context, err := keys.BindingContext(c.text)
		if (err == nil) != c.ok {
			t.Errorf("%s: BindingContext(%.40q): %v, want accepted: %t", c.name, c.text, err, c.ok)
			continue
		}
		if c.ok && context != sha256.Sum256([]byte(c.text)) {
			t.Errorf("%s: the context is not the hash of the text", c.name)
		}
		if !c.ok && context != [32]byte{} {
			t.Errorf("%s: refused, but there is a context", c.name)
		}
	}
}

// CT-28: composed and decomposed letters are different texts; bringing them to
// one form is the caller's duty.
func TestBindingTextsAreComparedBytewise(t *testing.T) {
	composed, err := keys.BindingContext("Ren\u00e9")
	if err != nil {
		t.Fatal(err)
	}
	decomposed, err := keys.BindingContext("Rene\u0301")
	if err != nil || composed == decomposed {
		t.Errorf("the two forms give one context, %v", err)
	}
}
