package revocation_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/licet-dev/licet/verifier/revocation"
)

// FuzzParse checks that whatever is read would be written the same, has its entries
// in order, and finds all of them.
func FuzzParse(f *testing.F) {
	f.Add(fullText)
	f.Add(head)
	f.Add(strings.Replace(fullText, "2000 2000", "2000 2000 leaked", 1))
	f.Add(strings.Replace(fullText, "7 2042 2042", "7 9007199254740993 9007199254740993", 1))
	f.Add("licet-manifest/v1\nAcme Tools\n")
	f.Add("licet-revocations/v2\n")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := revocation.Parse(text)
		if err != nil {
			e, ok := errors.AsType[*revocation.Error](err)
			if !ok || l != nil || e.Line < 1 || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if got := l.Marshal(); got != text {
			t.Fatalf("%q was written as %q", text, got)
		}
		entries := slices.Collect(l.Entries())
		ascend(t, entries)
		for _, e := range entries {
			for _, serial := range []uint64{e.First, e.Last} {
				if got, ok := l.Lookup(e.KeyID, e.Product, serial); !ok || got != e || l.Revoked(e.KeyID, e.Product, serial) != 1 {
					t.Fatalf("%q: serial %d of %v is revoked by %v", text, serial, e, got)
				}
			}
		}
		next, err := l.Draft().List()
		if err != nil || !next.Equal(l) {
			t.Fatalf("%q: the draft of the list makes another: %v", text, err)
		}
	})
}
