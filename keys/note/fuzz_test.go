package note_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/licet-dev/licet/keys/note"
)

// FuzzOpen looks for a note that opens with another text than those that were
// signed.
func FuzzOpen(f *testing.F) {
	texts := []string{text, "\n", "a\n\nb\n"}
	for _, text := range texts {
		for _, name := range []string{"active", "closed", "withdrawn", "nobody's"} {
			data := must(note.Sign(text, listKey(name)))
			f.Add(data)
			f.Add([]byte(crlf(string(data))))
			f.Add(cosign(data, must(note.Sign(text, listKey("second")))))
		}
	}
	f.Add([]byte("\ufeffa\n\n— licet-list QUJDREU=\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, key, err := note.Open(data, ring)
		if err == nil {
			for _, text := range texts {
				if got == text && key.Role() == "list" {
					return
				}
			}
			t.Fatalf("%q: opened with the text %q", data, got)
		}
		if _, ok := errors.AsType[*note.Error](err); !ok || got != "" || key.Role() != "" {
			t.Fatalf("%q: text %q, error %v", data, got, err)
		}
	})
}

// FuzzSign signs any text, and opens what came out.
func FuzzSign(f *testing.F) {
	for _, text := range []string{text, "\n", "a\n\n— licet-list QUJDREU=\n", "a", "\r\n", "\ufeff\n", "\x80\n", "\u0080\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		data, err := note.Sign(text, listKey("active"))
		if err != nil {
			if !errors.Is(err, note.Malformed) || data != nil {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if !strings.HasPrefix(string(data), text+"\n— ") {
			t.Fatalf("%q became %q", text, data)
		}
		opens(t, string(data), ring, text, "active")
		opens(t, crlf(string(data)), ring, text, "active")
	})
}
