package keys

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxBinding is the length in bytes of the longest binding text.
const MaxBinding = 1024

// BindingContext returns the hash of a binding text that enters the codes of a
// bound key. The text is 1 to 1,024 bytes of UTF-8 without control characters.
// Texts that many machines share because nobody filled them in, such as "To be
// filled by O.E.M.", are refused: a code bound to one would be bound to all of
// them. Texts are compared bytewise: bring them to Unicode NFC first.
func BindingContext(text string) ([sha256.Size]byte, error) {
	switch {
	case text == "":
		return [sha256.Size]byte{}, errors.New("binding: the text is empty")
	case len(text) > MaxBinding:
		return [sha256.Size]byte{}, fmt.Errorf("binding: %d bytes, at most %d are allowed", len(text), MaxBinding)
	case !utf8.ValidString(text):
		return [sha256.Size]byte{}, errors.New("binding: the text is not valid UTF-8")
	case strings.ContainsFunc(text, unicode.IsControl):
		return [sha256.Size]byte{}, errors.New("binding: the text has control characters")
	case isPlaceholder(text):
		return [sha256.Size]byte{}, fmt.Errorf("binding: %q is a placeholder that many machines share", text)
	}
	return sha256.Sum256([]byte(text)), nil
}

func isPlaceholder(text string) bool {
	s := strings.Map(func(r rune) rune {
		switch {
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 'a'
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r >= utf8.RuneSelf:
			return r
		}
		return -1
	}, text)
	switch s {
	case "":
		return false // punctuation only: odd, but nobody's default
	case "defaultstring", "tobefilledbyoem", "uninitialized":
		return true
	}
	return strings.Trim(s, "0") == "" || strings.Trim(s, "f") == ""
}
