package journal

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/licet-dev/licet/keys"
)

// A Request says what is to be recorded.
type Request struct {
	Key     int // number of the key in the ring
	KeyID   keys.ID
	Product uint64
	Max     uint64 // the largest serial that the key can have

	Count   uint64 // how many serials, for [Journal.Reserve]
	Serials Range  // which serials, for [Journal.Record]

	Terms
	Labels map[string]string
	Output string // base name of the file that the codes go to, or ""
	Format string // format of the output
}

// check refuses what is wrong whatever the journal has.
func (r *Request) check(kind Kind) error {
	switch {
	case r.Key < 0 || r.Key > 1<<31-1:
		return fmt.Errorf("key %d: no number of a key", r.Key)
	case kind == Mint && r.Count == 0:
		return errors.New("count 0: want 1 or more")
	case kind == Mint && r.Max == 0, kind == Stated && r.Max == 0:
		return errors.New("the largest serial is not known") // a mistake in this program
	case kind == Mint:
	case r.Serials.First == 0:
		return errors.New("serial 0: serials start at 1")
	case r.Serials.First > r.Serials.Last:
		return fmt.Errorf("serials %d to %d: the last one is before the first", r.Serials.First, r.Serials.Last)
	case kind == Stated && r.Serials.Last > r.Max:
		return fmt.Errorf("serial %d: the largest serial of key %d is %d; when they are used up, make a new key", r.Serials.Last, r.Key, r.Max)
	}
	if strings.ContainsAny(r.Output, `/`) || r.Output != "" && filepath.Base(r.Output) != r.Output {
		return fmt.Errorf("output %q: want the name without its folder", r.Output)
	}
	for name, value := range r.Labels {
		if name == "" {
			return errors.New("a label has no name")
		}
		if !utf8.ValidString(name) || !utf8.ValidString(value) {
			return fmt.Errorf("label %q: not UTF-8", name)
		}
	}
	return r.Terms.check()
}
