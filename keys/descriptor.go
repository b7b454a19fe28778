package keys

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/licet-dev/licet/payload"
)

// BindNone is the kind of binding of keys whose codes are bound to nothing.
const BindNone = "none"

// ShortTagBits is the tag length, in bits, from which on an offline verifier
// accepts a key without being told to. Whoever can try codes without limit finds
// one with a shorter tag.
const ShortTagBits = 65

// Bounds of the tag of an hs256 key, in bits.
const (
	minTagBits = 35
	maxTagBits = 160
)

// A Descriptor states everything that a mint key fixes about its codes. Changing
// any of it makes another key.
type Descriptor struct {
	Suite   Suite
	Number  int             // 1 to 31, the first symbol of every code
	Prefix  string          // 2 to 8 capital letters and digits, a letter first; or ""
	Layout  *payload.Layout // fields of the payload
	Bind    string          // kind of binding, such as "machine"; "none" for no binding
	SigBits int             // hs256: 35 to 160, a multiple of 5; es256: 512
}

// Check reports what is wrong with a descriptor, or nil.
func (d Descriptor) Check() error {
	switch d.Suite {
	case HS256:
		if d.SigBits < minTagBits || d.SigBits > maxTagBits || d.SigBits%5 != 0 {
			return fmt.Errorf("descriptor: sig=%d: an hs256 tag has %d to %d bits, a multiple of 5", d.SigBits, minTagBits, maxTagBits)
		}
	case ES256:
		if d.SigBits != ES256Bits {
			return fmt.Errorf("descriptor: sig=%d: an es256 signature has %d bits", d.SigBits, ES256Bits)
		}
	default:
		return fmt.Errorf("descriptor: suite %q is not known; this version has hs256 and es256", d.Suite)
	}
	switch {
	case d.Number < 1 || d.Number > payload.MaxKey:
		return fmt.Errorf("descriptor: key=%d: key numbers are 1 to %d", d.Number, payload.MaxKey)
	case d.Prefix != "" && !validPrefix(d.Prefix):
		return fmt.Errorf("descriptor: prefix %q: want 2 to 8 capital letters and digits, beginning with a letter", d.Prefix)
	case d.Layout == nil || d.Layout.Bits() == 0:
		return fmt.Errorf("descriptor: no layout")
	case !payload.ValidName(d.Bind):
		return fmt.Errorf("descriptor: bind=%q: want none, or a kind of binding such as licensee, domain or machine", d.Bind)
	}
	return nil
}

func validPrefix(s string) bool {
	if len(s) < 2 || len(s) > 8 || s[0] < 'A' || s[0] > 'Z' {
		return false
	}
	for _, c := range []byte(s) {
		if (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// String returns the one spelling of the descriptor, the text that enters every
// computation with its key.
func (d Descriptor) String() string {
	layout := ""
	if d.Layout != nil {
		layout = d.Layout.String()
	}
	return fmt.Sprintf("licet/v1 %s key=%d prefix=%s layout=%s bind=%s sig=%d", d.Suite, d.Number, d.Prefix, layout, d.Bind, d.SigBits)
}

// ParseDescriptor reads a descriptor in its one spelling. Names of built-in
// layouts are not part of it.
func ParseDescriptor(s string) (Descriptor, error) {
	var d Descriptor
	rest, ok := strings.CutPrefix(s, "licet/v1 ")
	if !ok {
		return d, fmt.Errorf("descriptor %q: does not begin with \"licet/v1 \"", s)
	}
	parts := strings.Split(rest, " ")
	if len(parts) != 6 {
		return d, fmt.Errorf("descriptor %q: want suite, key, prefix, layout, bind and sig, one space between", s)
	}
	d.Suite = Suite(parts[0])
	var layout, number, sig string
	for i, m := range []struct {
		name string
		dst  *string
	}{{"key", &number}, {"prefix", &d.Prefix}, {"layout", &layout}, {"bind", &d.Bind}, {"sig", &sig}} {
		if *m.dst, ok = strings.CutPrefix(parts[i+1], m.name+"="); !ok {
			return d, fmt.Errorf("descriptor %q: %q stands where %s= is expected", s, parts[i+1], m.name)
		}
	}
	var err error
	if d.Layout, err = payload.ParseLayout(layout); err != nil {
		return d, fmt.Errorf("descriptor: %w", err)
	}
	d.Number, _ = strconv.Atoi(number)
	d.SigBits, _ = strconv.Atoi(sig)
	if err := d.Check(); err != nil {
		return d, err
	}
	if d.String() != s {
		return d, fmt.Errorf("descriptor %q: the one spelling is %q", s, d)
	}
	return d, nil
}

// Symbols returns the number of symbols of a code, check symbols included,
// prefix not.
func (d Descriptor) Symbols() int {
	return 1 + payload.SymbolCount(d.Layout.Bits()) + payload.SymbolCount(d.SigBits) + payload.CheckSymbols
}

// Shape returns what the text of the key's codes looks like.
func (d Descriptor) Shape() payload.Shape {
	return payload.Shape{Number: d.Number, Prefix: d.Prefix, Symbols: d.Symbols()}
}

// label separates the uses of a key from each other and from other keys.
func label(descriptor, use string) []byte {
	return []byte(descriptor + "\x00" + use + "\x00")
}
