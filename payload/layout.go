package payload

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Bounds of layouts.
const (
	MaxFields      = 16  // fields of a layout
	MaxFieldBits   = 53  // bits of a field: exact in JavaScript numbers
	MaxPayloadBits = 160 // bits of all fields together
)

// A Field is a bit field of a layout.
type Field struct {
	Name string // lower-case letter, then up to 15 lower-case letters and digits
	Bits int    // width, 1 to 53 bits; 8 to 21 for expiry and start
}

// Max returns the largest value that fits the field.
func (f Field) Max() uint64 { return 1<<f.Bits - 1 }

// A Layout is an ordered list of bit fields. It is made by [ParseLayout] and
// never changes; the zero value has no fields and is of no use.
type Layout struct {
	name   string
	fields []Field
	slots  []slot   // what each field is, in the order of fields
	absent []slot   // fields with a meaning that the layout lacks, dates left out
	extra  []string // names without meaning here, in the order of fields
	bits   int
	width  [slotExtra]int // bits of the fields with a meaning, 0 where there is none
	ranges [slotExtra + MaxFields]bitRange
}

// A bitRange says where in a payload a field is. The mask is zero for a field
// that the layout lacks.
type bitRange struct {
	low  uint   // number of bits below it
	mask uint64 // its bits, shifted down
}

// A slot says where in a License the value of a field lives: one of the fields
// with a meaning, or slotExtra plus an index.
type slot int

const (
	slotProduct slot = iota
	slotVersion
	slotExpiry
	slotStart
	slotSerial
	slotEdition
	slotFeatures
	slotSeats
	slotExtra
)

var slotNames = [slotExtra]string{"product", "version", "expiry", "start", "serial", "edition", "features", "seats"}

// builtin lists the layouts that have a name.
var builtin = []struct {
	name, layout string
	sigBits      int
}{
	{"standard", "product:9,version:8,expiry:15,serial:28", 80},
	{"wide", "product:16,version:12,expiry:16,serial:32,edition:8,features:16", 80},
	{"compact", "product:6,version:5,expiry:13,serial:21", 55},
	{"coupon", "product:15,serial:30", 35},
}

// LayoutNames returns the names of the built-in layouts, the usual one first.
func LayoutNames() []string {
	var names []string
	for _, b := range builtin {
		names = append(names, b.name)
	}
	return names
}

// ParseLayout reads a layout: the name of a built-in one (standard, wide,
// compact, coupon) or a list such as "product:9,version:8,expiry:15,serial:28".
// A list must have product and serial, and its widths must add up to a multiple
// of 5 bits, [MaxPayloadBits] at most.
func ParseLayout(s string) (*Layout, error) {
	for _, b := range builtin {
		if s == b.name {
			s = b.layout
		}
	}
	if n := strings.Count(s, ",") + 1; n > MaxFields {
		return nil, fmt.Errorf("layout of %d fields: at most %d fit", n, MaxFields)
	}
	l := new(Layout)
	for part := range strings.SplitSeq(s, ",") {
		f, err := parseField(part)
		if err != nil {
			return nil, fmt.Errorf("layout %q: %w", s, err)
		}
		if slices.ContainsFunc(l.fields, func(g Field) bool { return g.Name == f.Name }) {
			return nil, fmt.Errorf("layout %q: field %s occurs twice", s, f.Name)
		}
		l.add(f)
	}
	switch {
	case l.width[slotProduct] == 0 || l.width[slotSerial] == 0:
		return nil, fmt.Errorf("layout %q: fields product and serial must be there", s)
	case l.bits > MaxPayloadBits:
		return nil, fmt.Errorf("layout %q: %d bits, at most %d fit", s, l.bits, MaxPayloadBits)
	case l.bits%5 != 0:
		return nil, fmt.Errorf("layout %q: %d bits; make it a multiple of 5, such as %d", s, l.bits, (l.bits+4)/5*5)
	}
	for s := range slotExtra {
		if l.width[s] == 0 && s != slotExpiry && s != slotStart {
			l.absent = append(l.absent, s)
		}
	}
	for _, b := range builtin {
		if l.String() == b.layout {
			l.name = b.name
		}
	}
	return l, nil
}

func parseField(s string) (Field, error) {
	name, width, ok := strings.Cut(s, ":")
	if !ok {
		return Field{}, fmt.Errorf("%q is not of the form name:bits, nor the name of a built-in layout (%s)", s, strings.Join(LayoutNames(), ", "))
	}
	if !ValidName(name) {
		return Field{}, fmt.Errorf("field name %q: want a lower-case letter, then up to 15 lower-case letters or digits", name)
	}
	lo, hi := 1, MaxFieldBits
	if name == "expiry" || name == "start" {
		lo, hi = 8, maxDayBits
	}
	bits, err := strconv.Atoi(width)
	if err != nil || strconv.Itoa(bits) != width || bits < lo || bits > hi {
		return Field{}, fmt.Errorf("field %s: width %q: want %d to %d bits", name, width, lo, hi)
	}
	return Field{name, bits}, nil
}

// ValidName reports whether s may name a field or a kind of binding: a
// lower-case letter, then up to 15 lower-case letters or digits.
func ValidName(s string) bool {
	if len(s) < 1 || len(s) > 16 || s[0] < 'a' || s[0] > 'z' {
		return false
	}
	for _, c := range []byte(s) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// add adds a field below those that are there.
func (l *Layout) add(f Field) {
	s := slot(slices.Index(slotNames[:], f.Name))
	if s < 0 {
		s = slotExtra + slot(len(l.extra))
		l.extra = append(l.extra, f.Name)
	} else {
		l.width[s] = f.Bits
	}
	l.fields = append(l.fields, f)
	l.slots = append(l.slots, s)
	l.bits += f.Bits
	for i := range l.ranges {
		l.ranges[i].low += uint(f.Bits)
	}
	l.ranges[s] = bitRange{0, f.Max()}
}

// Fields returns the fields, the most significant first.
func (l *Layout) Fields() []Field { return slices.Clone(l.fields) }

// Field returns the field with the given name, and whether there is one.
func (l *Layout) Field(name string) (Field, bool) {
	for _, f := range l.fields {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}

// Bits returns the width of the payload in bits, a multiple of 5.
func (l *Layout) Bits() int { return l.bits }

// Name returns the name of a built-in layout, or "" for any other.
func (l *Layout) Name() string { return l.name }

// TagBits returns the usual length in bits of the tag of hs256 keys: what the
// built-in layouts fix, 80 for any other.
func (l *Layout) TagBits() int {
	for _, b := range builtin {
		if b.name == l.name {
			return b.sigBits
		}
	}
	return 80
}

// String returns the layout as a list of name:bits, the one spelling that
// descriptors use.
func (l *Layout) String() string {
	var b strings.Builder
	for i, f := range l.fields {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(f.Name)
		b.WriteByte(':')
		b.WriteString(strconv.Itoa(f.Bits))
	}
	return b.String()
}
