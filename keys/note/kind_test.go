package note_test

import (
	"testing"

	"github.com/licet-dev/licet/keys/note"
)

func TestIsLater(t *testing.T) {
	for line, want := range map[string]bool{
		"licet-manifest/v2":     true,
		"licet-manifest/v10":    true,
		"licet-manifest/v65535": true,
		"licet-manifest/v1":     false, // this one
		"licet-manifest/v0":     false,
		"licet-manifest/v02":    false,
		"licet-manifest/v+2":    false,
		"licet-manifest/v2 ":    false,
		"licet-manifest/v65536": false,
		"licet-manifest/2":      false,
		"licet-manifest":        false,
		"licet-manifests/v2":    false,
		"licet-revocations/v2":  false,
		"":                      false,
	} {
		if got := note.IsLater(line, "licet-manifest/v1"); got != want {
			t.Errorf("IsLater(%q) = %t", line, got)
		}
	}
}
