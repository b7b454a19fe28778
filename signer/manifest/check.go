package manifest

import (
	"crypto/sha256"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
)

const (
	maxName = 128 // bytes of an issuer, as in a ring
	maxDay  = payload.Day(1<<21 - 1)
)

// check reports the first field with a value that no manifest may have.
func (m *Manifest) check() *Error {
	checks := []*Error{
		checkText("issuer", m.Issuer, maxName),
		checkID(m.KeyID),
		checkNumber("key-number", uint64(max(m.KeyNumber, 0)), 1, payload.MaxKey),
		checkNumber("product", m.Product, 1, maxNumber),
		m.checkVersion(),
		m.checkExpiry(),
		m.checkStart(),
		m.checkFields(),
		checkNumber("first-serial", m.First, 1, maxNumber),
		checkNumber("last-serial", m.Last, 1, maxNumber),
		m.checkCount(),
		checkWord("kind", m.Kind, Mint, Again, Renew),
		checkWord("format", m.Format, TXT, CSV, JSONL, XLSX),
		checkFile(m.File),
		checkDigest("", &m.Digest),
		checkDigest("plaintext-", m.Plaintext),
		checkTime(m.Time),
		checkText("tool", m.Tool, MaxTool),
		m.checkLabels(),
	}
	for _, err := range checks {
		if err != nil {
			return err
		}
	}
	return nil
}

func checkID(id keys.ID) *Error {
	if id == (keys.ID{}) {
		return badValue("key-id", "none given")
	}
	return nil
}

func checkNumber(field string, n, least, most uint64) *Error {
	if n < least || n > most {
		return badValue(field, "%d: want %d to %d", n, least, most)
	}
	return nil
}

// checkText holds texts to the rules for names in a ring. They keep a text on its
// line, too.
func checkText(field, s string, most int) *Error {
	switch {
	case s == "":
		return badValue(field, "it is empty")
	case len(s) > most:
		return badValue(field, "%d bytes, at most %d are allowed", len(s), most)
	case !utf8.ValidString(s):
		return badValue(field, "%q is not valid UTF-8", s)
	case strings.ContainsFunc(s, unicode.IsControl):
		return badValue(field, "%q has a newline or another control character", s)
	case strings.ContainsRune(s, utf8.RuneError):
		return badValue(field, "%q has U+FFFD in it, which stands for damaged text", s)
	}
	return nil
}

func checkWord[T ~string](field string, word T, allowed ...T) *Error {
	if !slices.Contains(allowed, word) {
		return badValue(field, "%q: want one of %v", word, allowed)
	}
	return nil
}

func (m *Manifest) checkVersion() *Error {
	if m.Version == nil {
		return nil
	}
	return checkNumber("version", *m.Version, 0, maxNumber)
}

func (m *Manifest) checkExpiry() *Error {
	if m.Expiry < 0 || m.Expiry > maxDay && m.Expiry != payload.Never {
		return badValue("expiry", "%s: want a date from %s to %s, or never", m.Expiry, payload.Day(1), maxDay)
	}
	return nil
}

func (m *Manifest) checkStart() *Error {
	if m.Start < 0 || m.Start > maxDay {
		return badValue("start", "%s: want a date from %s to %s", m.Start, payload.Day(1), maxDay)
	}
	if m.Expiry != 0 && m.Start > m.Expiry {
		return badValue("start", "%s is after the expiry, %s", m.Start, m.Expiry)
	}
	return nil
}

func (m *Manifest) checkFields() *Error {
	if len(m.Fields) > MaxFields {
		return errTooManyFields()
	}
	for _, name := range slices.Sorted(maps.Keys(m.Fields)) {
		if err := checkField(name, m.Fields[name]); err != nil {
			return err
		}
	}
	return nil
}

func errTooManyFields() *Error { return badValue("field", "more than %d fields", MaxFields) }

// ownLine has the fields that have a line of their own, or two.
var ownLine = []string{"product", "version", "expiry", "start", "serial"}

func checkField(name string, value uint64) *Error {
	switch {
	case !payload.ValidName(name):
		return badValue("field", "name %.40q: want a lower-case letter, then up to 15 lower-case letters or digits", name)
	case slices.Contains(ownLine, name):
		return badValue("field", "%s has a line of its own", name)
	case value < 1 || value > maxNumber:
		return badValue("field", "%s %d: want 1 to %d; a field that is 0 is left out", name, value, uint64(maxNumber))
	}
	return nil
}

func (m *Manifest) checkCount() *Error {
	if m.Last < m.First {
		return badValue("last-serial", "%d is before the first, %d", m.Last, m.First)
	}
	if want := m.Last - m.First + 1; m.Count != want {
		return badValue("count", "%d, but serials %d to %d are %d", m.Count, m.First, m.Last, want)
	}
	return nil
}

// checkFile refuses a path: whoever reads the manifest looks for the file beside it.
func checkFile(name string) *Error {
	if err := checkText("file", name, MaxFile); err != nil {
		return err
	}
	if strings.ContainsAny(name, `/\`) || name == "." || name == ".." {
		return badValue("file", "%q: want the name alone, without slashes and backslashes", name)
	}
	return nil
}

func checkDigest(prefix string, d *Digest) *Error {
	if d == nil {
		return nil
	}
	if err := checkNumber(prefix+"size", uint64(max(d.Size, 0)), 1, maxNumber); err != nil {
		return err
	}
	if d.SHA256 == [sha256.Size]byte{} {
		return badValue(prefix+"sha256", "zero bytes only: it was never computed")
	}
	return nil
}

func checkTime(t time.Time) *Error {
	if t = t.UTC(); t.Before(payload.Day(0).Time()) || t.Year() > 9999 {
		return badValue("time", "%s: want one from %s on; set the clock", t.Format(time.RFC3339), payload.Day(0))
	}
	return nil
}

func (m *Manifest) checkLabels() *Error {
	if len(m.Labels) > MaxLabels {
		return errTooManyLabels()
	}
	for _, key := range slices.Sorted(maps.Keys(m.Labels)) {
		if err := checkLabel(key, m.Labels[key]); err != nil {
			return err
		}
	}
	return nil
}

func errTooManyLabels() *Error { return badValue("label", "more than %d labels", MaxLabels) }

// CheckLabel reports whether a manifest can have a label with this key and value:
// a key of 1 to [MaxLabelKey] lower-case letters, digits and hyphens, a letter
// first, and a value of 1 to [MaxLabel] bytes of UTF-8 without control characters
// and U+FFFD. The error is an [*Error].
func CheckLabel(key, value string) error {
	if err := checkLabel(key, value); err != nil {
		return err
	}
	return nil
}

func checkLabel(key, value string) *Error {
	if !validLabelKey(key) {
		return badValue("label", "key %.40q: want a lower-case letter, then up to %d lower-case letters, digits or hyphens", key, MaxLabelKey-1)
	}
	err := checkText("label "+key, value, MaxLabel)
	if err != nil {
		err.Field = "label"
	}
	return err
}

func validLabelKey(s string) bool {
	if len(s) < 1 || len(s) > MaxLabelKey || s[0] < 'a' || s[0] > 'z' {
		return false
	}
	for _, c := range []byte(s) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}
