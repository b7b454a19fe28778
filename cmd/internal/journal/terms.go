package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/licet-dev/licet/payload"
)

// Terms are what licences say besides product and serial. Whoever has the text that
// they are bound to can make the very codes of an entry with them once more.
//
// Of the first entries that were ever written, nobody knows Start, Fields and Binding:
// they are not there.
type Terms struct {
	Version string            // "" when the licences have none
	Expiry  string            // "" when the licences have none
	Start   string            // "" when the licences have none
	Fields  map[string]uint64 // all other fields by name, also those that are 0
	Binding string            // SHA-256 of the text, 64 hexadecimal digits, or "" when they are bound to nothing
}

func (t *Terms) equal(o *Terms) bool {
	return t.Version == o.Version && t.Expiry == o.Expiry && t.Start == o.Start && maps.Equal(t.Fields, o.Fields) && t.Binding == o.Binding
}

func (t *Terms) check() error {
	for name := range t.Fields {
		if !payload.ValidName(name) {
			return fmt.Errorf("field %q: no name of a field", name)
		}
	}
	if t.Binding != "" && !isHash(t.Binding) {
		return fmt.Errorf("binding %.80q: want the 64 hexadecimal digits of a SHA-256", t.Binding)
	}
	return nil
}

// isHash reports whether s is a SHA-256 in lower-case digits.
func isHash(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == sha256.Size && hex.EncodeToString(b) == s
}

// append appends the members of a line that the terms are.
func (t *Terms) append(b []byte) []byte {
	text := func(name, value string) {
		if value != "" {
			b = appendText(append(append(append(b, `,"`...), name...), `":`...), value)
		}
	}
	text("version", t.Version)
	text("expiry", t.Expiry)
	text("start", t.Start)
	separator := `,"fields":{`
	for _, name := range slices.Sorted(maps.Keys(t.Fields)) {
		b = appendText(append(b, separator...), name)
		b = append(strconv.AppendUint(append(b, `:"`...), t.Fields[name], 10), '"')
		separator = ","
	}
	if len(t.Fields) > 0 {
		b = append(b, '}')
	}
	text("binding", t.Binding)
	return b
}

// terms reads the members that append writes, each with the comma behind it.
func (p *parser) terms() Terms {
	t := Terms{Version: p.optional("version"), Expiry: p.optional("expiry"), Start: p.optional("start")}
	p.object("fields", func(name, digits string) {
		if !payload.ValidName(name) {
			p.fail("field %q: no name of a field", name)
		}
		if t.Fields == nil {
			t.Fields = map[string]uint64{}
		}
		t.Fields[name] = p.decimal(digits, name)
	})
	if t.Binding = p.optional("binding"); t.Binding != "" && !isHash(t.Binding) {
		p.fail("binding %.80q: want the 64 hexadecimal digits of a SHA-256", t.Binding)
	}
	return t
}
