package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/licet-dev/licet/keys"
)

// A Kind says how an entry came about.
type Kind string

// The kinds of entries.
const (
	Mint   Kind = "mint"   // serials that the journal chose
	Stated Kind = "stated" // serials that the issuer chose
	Again  Kind = "again"  // serials handed out before, for the same licences
	Renew  Kind = "renew"  // serials handed out before, for licences that go on
)

// takes reports whether an entry of this kind takes its serials, so that no other
// one can.
func (k Kind) takes() bool { return k == Mint || k == Stated }

func (k Kind) valid() bool { return k.takes() || k == Again || k == Renew }

// A Range is consecutive serials, both ends included.
type Range struct {
	First, Last uint64
}

// Count returns how many serials there are.
func (r Range) Count() uint64 { return r.Last - r.First + 1 }

// String returns "serial 7" or "serials 7 to 9".
func (r Range) String() string {
	if r.First == r.Last {
		return fmt.Sprintf("serial %d", r.First)
	}
	return fmt.Sprintf("serials %d to %d", r.First, r.Last)
}

// Verb returns the form of a verb, or of another word, for one serial or for several.
func (r Range) Verb(one, several string) string {
	if r.First == r.Last {
		return one
	}
	return several
}

// An Entry is one line of the journal.
type Entry struct {
	Line    int       // number of the line, from 1; it is not in the file
	Time    time.Time // UTC, whole seconds
	Kind    Kind
	Key     int // number of the key in the ring
	KeyID   keys.ID
	Product uint64
	Serials Range
	Terms
	Labels map[string]string
	Output string // base name of the file that the codes went to, or ""
	Format string // format of the output
	Tool   string // program that wrote the entry
	Sum    string // checksum over this line and all before
}

const (
	opening = `{"time":"` // how every line begins
	sumOpen = `,"sum":"`
	sumEnd  = `"}`
	sumSize = 16
	maxLine = 64 << 10 // bytes, without the newline
)

// appendLine appends the line of the entry, without newline, and sets the sum of the
// entry, which follows the sum of the line before.
func (e *Entry) appendLine(b []byte, before string) []byte {
	start := len(b)
	b = appendText(append(b, `{"time":`...), e.Time.UTC().Format(time.RFC3339))
	b = appendText(append(b, `,"kind":`...), string(e.Kind))
	b = strconv.AppendInt(append(b, `,"key":`...), int64(e.Key), 10)
	b = appendText(append(b, `,"key_id":`...), e.KeyID.String())
	b = strconv.AppendUint(append(b, `,"product":`...), e.Product, 10)
	b = appendText(append(b, `,"first":`...), strconv.FormatUint(e.Serials.First, 10))
	b = appendText(append(b, `,"last":`...), strconv.FormatUint(e.Serials.Last, 10))
	b = e.Terms.append(b)
	if len(e.Labels) > 0 {
		separator := byte('{')
		b = append(b, `,"labels":`...)
		for _, name := range slices.Sorted(maps.Keys(e.Labels)) {
			b = appendText(append(b, separator), name)
			b = appendText(append(b, ':'), e.Labels[name])
			separator = ','
		}
		b = append(b, '}')
	}
	b = appendText(append(b, `,"output":`...), e.Output)
	b = appendText(append(b, `,"format":`...), e.Format)
	b = appendText(append(b, `,"tool":`...), e.Tool)
	e.Sum = chain(before, b[start:])
	return append(append(append(b, sumOpen...), e.Sum...), sumEnd...)
}

// chain returns the sum of a line. The body is the line up to its sum.
func chain(before string, body []byte) string {
	b := make([]byte, 0, 512) // stays on the stack, for most lines
	b = append(append(append(b, before...), body...), '}')
	hash := sha256.Sum256(b)
	return hex.EncodeToString(hash[:sumSize/2])
}

// cutSum splits a line into what comes before the sum, and the sum.
func cutSum(line []byte) (body []byte, sum string, ok bool) {
	n := len(line) - len(sumOpen) - sumSize - len(sumEnd)
	if n < 0 || string(line[n:n+len(sumOpen)]) != sumOpen || string(line[len(line)-len(sumEnd):]) != sumEnd {
		return nil, "", false
	}
	return line[:n], string(line[n+len(sumOpen) : n+len(sumOpen)+sumSize]), true
}

// appendText appends a JSON string.
func appendText(b []byte, s string) []byte {
	if isPlain(s) {
		return append(append(append(b, '"'), s...), '"')
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // people search the file for "Smith & Sons"
	if err := encoder.Encode(s); err != nil {
		panic(err) // a string always has a JSON form
	}
	return append(b, bytes.TrimSuffix(text.Bytes(), []byte("\n"))...)
}

// isPlain reports whether s needs no escapes in JSON.
func isPlain[T string | []byte](s T) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
