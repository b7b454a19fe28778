package keys_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
)

func TestDescriptorBounds(t *testing.T) {
	const standard = "product:9,version:8,expiry:15,serial:28"
	hs := func(key, prefix, layout, bind, sig string) string {
		return fmt.Sprintf("licet/v1 hs256 key=%s prefix=%s layout=%s bind=%s sig=%s", key, prefix, layout, bind, sig)
	}
	es := func(sig string) string { return strings.Replace(esDescriptor, "512", sig, 1) }
	for _, c := range []struct {
		text string
		ok   bool
	}{
		{hsDescriptor, true},
		{esDescriptor, true},

		{hs("1", "", standard, "none", "80"), true},
		{hs("31", "", standard, "none", "80"), true},
		{hs("0", "", standard, "none", "80"), false},
		{hs("32", "", standard, "none", "80"), false},
		{hs("-1", "", standard, "none", "80"), false},
		{hs("", "", standard, "none", "80"), false},
		{hs("08", "", standard, "none", "80"), false},
		{hs("+8", "", standard, "none", "80"), false},
		{hs("8.0", "", standard, "none", "80"), false},
		{hs("0x8", "", standard, "none", "80"), false},
		{hs("٨", "", standard, "none", "80"), false},
		{hs("18446744073709551624", "", standard, "none", "80"), false}, // 2^64 + 8

		{hs("8", "AB", standard, "none", "80"), true},
		{hs("8", "ABCDEFGH", standard, "none", "80"), true},
		{hs("8", "A0123456", standard, "none", "80"), true},
		{hs("8", "OIOI", standard, "none", "80"), true},
		{hs("8", "A", standard, "none", "80"), false},
		{hs("8", "ABCDEFGHJ", standard, "none", "80"), false},
		{hs("8", "0A", standard, "none", "80"), false},
		{hs("8", "4777", standard, "none", "80"), false},
		{hs("8", "acme", standard, "none", "80"), false},
		{hs("8", "ACMe", standard, "none", "80"), false},
		{hs("8", "AC-ME", standard, "none", "80"), false},
		{hs("8", "AC ME", standard, "none", "80"), false},
		{hs("8", "ÄCME", standard, "none", "80"), false},
		{hs("8", "[A", standard, "none", "80"), false},
		{hs("8", "@A", standard, "none", "80"), false},
		{hs("8", "A:", standard, "none", "80"), false},
		{hs("8", "A/", standard, "none", "80"), false},
		{hs("8", "A[", standard, "none", "80"), false},

		{hs("8", "", standard, "none", "35"), true},
		{hs("8", "", standard, "none", "160"), true},
		{hs("8", "", standard, "none", "30"), false},
		{hs("8", "", standard, "none", "165"), false},
		{hs("8", "", standard, "none", "36"), false},
		{hs("8", "", standard, "none", "512"), false},
		{hs("8", "", standard, "none", "0"), false},
		{hs("8", "", standard, "none", "-80"), false},
		{hs("8", "", standard, "none", "080"), false},
		{hs("8", "", standard, "none", ""), false},
		{es("80"), false},
		{es("510"), false},
		{es("511"), false},
		{es("513"), false},
		{es("515"), false},
		{es("160"), false},

		{hs("8", "", standard, "a", "80"), true},
		{hs("8", "", standard, "machine", "80"), true},
		{hs("8", "", standard, "abcdefghij123456", "80"), true},
		{hs("8", "", standard, "abcdefghij1234567", "80"), false},
		{hs("8", "", standard, "", "80"), false},
		{hs("8", "", standard, "None", "80"), false},
		{hs("8", "", standard, "1st", "80"), false},
		{hs("8", "", standard, "a-b", "80"), false},

		{hs("8", "", "standard", "none", "80"), false}, // no names of layouts
		{hs("8", "", "", "none", "80"), false},
		{hs("8", "", "product:9", "none", "80"), false},
		{hs("8", "", "serial:28,product:9,version:8,expiry:15", "none", "80"), true},
		{hs("8", "", "product:7,serial:8", "none", "35"), true},

		{strings.Replace(esDescriptor, "es256", "es256t", 1), false},
		{strings.Replace(hsDescriptor, "hs256", "HS256", 1), false},
		{strings.Replace(hsDescriptor, "hs256", "hs512", 1), false},
		{strings.Replace(hsDescriptor, "hs256", "none", 1), false},
		{strings.Replace(hsDescriptor, "hs256", "", 1), false},
		{strings.Replace(hsDescriptor, "v1", "v2", 1), false},
		{strings.Replace(hsDescriptor, "licet", "Licet", 1), false},
		{strings.Replace(hsDescriptor, " key", "  key", 1), false},
		{strings.Replace(hsDescriptor, " key", "\tkey", 1), false},
		{strings.Replace(hsDescriptor, " key", "\u00a0key", 1), false},
		{strings.Replace(hsDescriptor, "key=", "KEY=", 1), false},
		{strings.Replace(hsDescriptor, "key=8 prefix=ACME", "prefix=ACME key=8", 1), false},
		{strings.Replace(hsDescriptor, " bind=none", "", 1), false},
		{hsDescriptor + " ", false},
		{hsDescriptor + " x=1", false},
		{hsDescriptor + "\n", false},
		{hsDescriptor + "\x00", false},
		{" " + hsDescriptor, false},
		{"licet/v1 list", false},
		{"licet/v1 ", false},
		{"", false},
	} {
		d, err := keys.ParseDescriptor(c.text)
		if (err == nil) != c.ok {
			t.Errorf("ParseDescriptor(%q): %v, want accepted: %t", c.text, err, c.ok)
			continue
		}
		if c.ok && (d.String() != c.text || d.Check() != nil) {
			t.Errorf("%q became %q, %v", c.text, d, d.Check())
		}
	}
}

func TestDescriptorCheck(t *testing.T) {
	good := descriptor(t, hsDescriptor)
	for name, edit := range map[string]func(d *keys.Descriptor){
		"no layout":    func(d *keys.Descriptor) { d.Layout = nil },
		"empty layout": func(d *keys.Descriptor) { d.Layout = new(payload.Layout) },
		"no suite":     func(d *keys.Descriptor) { d.Suite = "" },
		"other suite":  func(d *keys.Descriptor) { d.Suite = keys.ES256 },
		"number 0":     func(d *keys.Descriptor) { d.Number = 0 },
		"number 32":    func(d *keys.Descriptor) { d.Number = 32 },
		"prefix":       func(d *keys.Descriptor) { d.Prefix = "acme" },
		"bind":         func(d *keys.Descriptor) { d.Bind = "" },
		"space":        func(d *keys.Descriptor) { d.Bind = "none sig=80" },
		"sig":          func(d *keys.Descriptor) { d.SigBits = 0 },
		"everything":   func(d *keys.Descriptor) { *d = keys.Descriptor{} },
	} {
		d := good
		edit(&d)
		if d.Check() == nil {
			t.Errorf("%s: Check finds nothing wrong with %q", name, d)
		}
		if _, err := keys.NewHS256(d, secret(t, hsSecret)); err == nil {
			t.Errorf("%s: NewHS256 takes %q", name, d)
		}
		if _, err := keys.NewMAC(d, secret(t, hsSecret)); err == nil {
			t.Errorf("%s: NewMAC takes %q", name, d)
		}
		if _, err := keys.GenerateMint(d); err == nil && name != "other suite" {
			t.Errorf("%s: GenerateMint takes %q", name, d)
		}
	}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
}

// Any byte that is changed, removed or added makes another descriptor or none,
// and another descriptor is another key.
func TestMangledDescriptors(t *testing.T) {
	for _, good := range []string{hsDescriptor, esDescriptor} {
		d := descriptor(t, good)
		id := secret(t, hsSecret).ID(d)
		try := func(text string) {
			t.Helper()
			got, err := keys.ParseDescriptor(text)
			if err != nil {
				return
			}
			if got.String() == good || got.String() != text || secret(t, hsSecret).ID(got) == id {
				t.Errorf("%q became %q", text, got)
			}
		}
		for i := range len(good) {
			try(good[:i] + good[i+1:])
			try(good[:i])
			try(good[i+1:])
			for c := range 256 {
				if byte(c) != good[i] {
					try(good[:i] + string([]byte{byte(c)}) + good[i+1:])
				}
				if i == 0 || byte(c) != good[i-1] {
					try(good[:i] + string([]byte{byte(c)}) + good[i:])
				}
			}
		}
	}
}

func TestShapeOfDescriptor(t *testing.T) {
	for text, want := range map[string]payload.Shape{
		hsDescriptor: {Number: 8, Prefix: "ACME", Symbols: 32},
		esDescriptor: {Number: 9, Prefix: "", Symbols: 119},
		"licet/v1 es256 key=31 prefix=P477 layout=product:53,x:53,serial:53,y:1 bind=machine sig=512": {Number: 31, Prefix: "P477", Symbols: payload.MaxCode},
		"licet/v1 hs256 key=1 prefix= layout=product:7,serial:8 bind=none sig=35":                     {Number: 1, Prefix: "", Symbols: 14},
	} {
		d := descriptor(t, text)
		if got := d.Shape(); got != want || d.Symbols() != want.Symbols {
			t.Errorf("%s: %+v, %d symbols; want %+v", text, got, d.Symbols(), want)
		}
	}
}
