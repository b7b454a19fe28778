package payload_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/licet-dev/licet/payload"
)

func mustLayout(t testing.TB, s string) *payload.Layout {
	t.Helper()
	l, err := payload.ParseLayout(s)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestBuiltInLayouts(t *testing.T) {
	var names []string
	for _, c := range []struct {
		name, text        string
		bits, tag, hs, es int // bits of payload and tag, symbols of a code
	}{
		{"standard", "product:9,version:8,expiry:15,serial:28", 60, 80, 32, 119},
		{"wide", "product:16,version:12,expiry:16,serial:32,edition:8,features:16", 100, 80, 40, 127},
		{"compact", "product:6,version:5,expiry:13,serial:21", 45, 55, 24, 116},
		{"coupon", "product:15,serial:30", 45, 35, 20, 116},
	} {
		names = append(names, c.name)
		for _, s := range []string{c.name, c.text} {
			l := mustLayout(t, s)
			symbols := func(sig int) int {
				return 1 + payload.SymbolCount(l.Bits()) + payload.SymbolCount(sig) + payload.CheckSymbols
			}
			if l.Name() != c.name || l.String() != c.text || l.Bits() != c.bits || l.TagBits() != c.tag {
				t.Errorf("%s: name %q, %s, %d bits, tag of %d", s, l.Name(), l, l.Bits(), l.TagBits())
			}
			if hs, es := symbols(l.TagBits()), symbols(512); hs != c.hs || es != c.es {
				t.Errorf("%s: %d and %d symbols, want %d and %d", s, hs, es, c.hs, c.es)
			}
		}
	}
	if got := payload.LayoutNames(); !slices.Equal(got, names) {
		t.Errorf("LayoutNames() = %v, want %v", got, names)
	}
}

// fields returns n fields of one bit, product and serial among them, and pads
// their sum to a multiple of 5 bits.
func fields(n int) string {
	text := "product:1,serial:1"
	for i := range n - 3 {
		text += fmt.Sprintf(",f%d:1", i)
	}
	return text + fmt.Sprintf(",pad:%d", 5-(n-1)%5)
}

// widths returns a layout of the given number of bits.
func widths(bits int) string {
	text := "product:1,serial:1"
	for i := 0; bits > 2; i++ {
		w := min(bits-2, payload.MaxFieldBits)
		text += fmt.Sprintf(",f%d:%d", i, w)
		bits -= w
	}
	return text
}

func TestLayoutBounds(t *testing.T) {
	for _, c := range []struct {
		layout string
		ok     bool
	}{
		{"product:1,serial:4", true},
		{"serial:4,product:1", true},
		{"product:53,serial:2", true},
		{"product:54,serial:1", false},
		{"product:2,serial:53", true},
		{"product:1,serial:54", false},
		{"product:0,serial:5", false},
		{"product:1,serial:4,x:0", false},
		{"product:1,serial:3,x:1", true},

		{"product:1,serial:1,expiry:8", true},
		{"product:1,serial:2,expiry:7", false},
		{"product:2,serial:2,expiry:21", true},
		{"product:2,serial:1,expiry:22", false},
		{"product:1,serial:1,start:8", true},
		{"product:1,serial:2,start:7", false},
		{"product:2,serial:2,start:21", true},
		{"product:2,serial:1,start:22", false},

		{widths(155), true},
		{widths(160), true},
		{widths(165), false},
		{"product:2,serial:2", false}, // 4 bits
		{"product:2,serial:4", false}, // 6 bits
		{widths(159), false},

		{fields(16), true},
		{fields(17), false},

		{"product:5", false},
		{"serial:5", false},
		{"version:5", false},
		{"product:2,product:3,serial:5", false},
		{"product:2,serial:2,serial:1", false},
		{"product:1,serial:2,x:1,x:1", false},

		{"product:1,serial:3,abcdefghij123456:1", true},
		{"product:1,serial:3,abcdefghij1234567:1", false},
		{"product:1,serial:3,a:1", true},
		{"product:1,serial:3,:1", false},
		{"product:1,serial:3,1a:1", false},
		{"product:1,serial:3,a1:1", true},
		{"product:1,serial:3,A:1", false},
		{"product:1,serial:3,aB:1", false},
		{"product:1,serial:3,a_b:1", false},
		{"product:1,serial:3,a-b:1", false},
		{"product:1,serial:3,é:1", false},
		{"product:1,serial:3,a b:1", false},
		{"product:1,serial:3,none:1", true},

		// one spelling
		{"product:01,serial:4", false},
		{"product:+1,serial:4", false},
		{"product:-1,serial:4", false},
		{"product:1.0,serial:4", false},
		{"product:,serial:4", false},
		{"product: 1,serial:4", false},
		{"product:1, serial:4", false},
		{" product:1,serial:4", false},
		{"product:1,serial:4 ", false},
		{"product:1,serial:4,", false},
		{",product:1,serial:4", false},
		{"product:1,,serial:4", false},
		{"product=1,serial=4", false},
		{"product:1:1,serial:4", false},
		{"product:1;serial:4", false},
		{"product:1,serial:4\n", false},
		{"product:1,serial:4\x00", false},
		{"product:٤,serial:1", false},
		{"product:18446744073709551617,serial:4", false},
		{"Standard", false},
		{"standard ", false},
		{"", false},
		{":", false},
		{",", false},
	} {
		l, err := payload.ParseLayout(c.layout)
		if (err == nil) != c.ok {
			t.Errorf("ParseLayout(%q): %v, want accepted: %t", c.layout, err, c.ok)
			continue
		}
		if c.ok && l.String() != c.layout {
			t.Errorf("%q became %q", c.layout, l)
		}
	}
}

func TestLayoutFields(t *testing.T) {
	const text = "serial:20,seats:10,product:5,zone:3,start:8,expiry:9,edition:53,features:2"
	l := mustLayout(t, text)
	var parts []string
	for _, f := range l.Fields() {
		parts = append(parts, fmt.Sprintf("%s:%d", f.Name, f.Bits))
		if g, ok := l.Field(f.Name); !ok || g != f {
			t.Errorf("Field(%q) = %v, %t", f.Name, g, ok)
		}
		if f.Max() != 1<<f.Bits-1 {
			t.Errorf("%v: largest value %d", f, f.Max())
		}
	}
	if got := strings.Join(parts, ","); got != text {
		t.Errorf("Fields() gives %s, want %s", got, text)
	}
	for _, name := range []string{"", "version", "Serial", "none"} {
		if f, ok := l.Field(name); ok {
			t.Errorf("Field(%q) = %v", name, f)
		}
	}
	if l.Name() != "" || l.TagBits() != 80 || l.Bits() != 110 {
		t.Errorf("name %q, tag of %d bits, %d bits", l.Name(), l.TagBits(), l.Bits())
	}
	l.Fields()[0].Bits = 1 // must be a copy
	if l.String() != text {
		t.Errorf("the layout changed to %s", l)
	}
}

func TestValidName(t *testing.T) {
	for name, want := range map[string]bool{
		"a": true, "z": true, "a0": true, "a9z": true, "abcdefghij123456": true,
		"": false, "abcdefghij1234567": false, "A": false, "0a": false, "a.b": false, "a b": false, "{": false, "`": false, "a/": false, "a:": false, "aé": false,
	} {
		if got := payload.ValidName(name); got != want {
			t.Errorf("ValidName(%q) = %t", name, got)
		}
	}
}
