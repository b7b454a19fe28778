package signer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
)

// The longest and the shortest of everything: payload bits, tag bits, fields.
// Fields of 53 bits cross the 64-bit words that the payload is packed in.
func TestExtremeLayouts(t *testing.T) {
	sixteen := make([]string, 14)
	for i := range sixteen {
		sixteen[i] = fmt.Sprintf("f%d:10", i+1)
	}
	for _, c := range []struct {
		layout  string
		sig     int
		symbols int // as SPEC.md, section 5.2, computes them
	}{
		{"product:53,serial:53,big:53,bit:1", 160, 68},
		{"product:53,serial:53,big:53,bit:1", 35, 43},
		{"product:53,serial:53,big:53,bit:1", 512, 139},
		{"product:7,serial:8", 35, 14},
		{"product:7,serial:8", 160, 39},
		{"product:7,serial:8", 512, 110},
		{"product:1,serial:4", 35, 12},
		{"bit:1,big:53,serial:53,product:53", 80, 52},
		{"serial:1,product:4,start:8,expiry:8,seats:4", 155, 40},
		{"product:10," + strings.Join(sixteen, ",") + ",serial:10", 80, 52},
		{"start:21,expiry:21,product:9,serial:9", 65, 29},
	} {
		suite := keys.HS256
		if c.sig == 512 {
			suite = keys.ES256
		}
		descriptor := fmt.Sprintf("licet/v1 %s key=31 prefix=LONGEST8 layout=%s bind=none sig=%d", suite, c.layout, c.sig)
		d, err := keys.ParseDescriptor(descriptor)
		if err != nil {
			t.Fatal(err)
		}
		if d.Symbols() != c.symbols {
			t.Errorf("%s, sig %d: %d symbols, want %d", c.layout, c.sig, d.Symbols(), c.symbols)
		}
		key, private := fixedKey(descriptor, allowed(d.Layout)...)
		s, j := newSigner(t, key, private), newJudge(key, private)
		ones, ends := payload.License{}, payload.License{}
		for i, f := range d.Layout.Fields() {
			set(&ones, f.Name, f.Max())
			set(&ends, f.Name, uint64(i%2)*f.Max()) // ones beside zeros show where a bit moves to
		}
		ends.Product, ends.Serial = max(ends.Product, 1), max(ends.Serial, 1)
		for _, lic := range []payload.License{ones, ends} {
			if lic.Expiry == 0 || lic.Start > lic.Expiry {
				lic.Expiry = payload.Never
			}
			j.now = lic.Start.Time()
			code, err := s.Mint(lic)
			if err != nil {
				t.Errorf("%s: Mint(%+v): %v", descriptor, lic, err)
				continue
			}
			if n := len(strings.ReplaceAll(code, "-", "")); n != len("LONGEST8")+c.symbols || !strings.HasPrefix(code, "LONGEST8-Z") {
				t.Errorf("%s: code %s of %d characters", descriptor, code, n)
			}
			got, err := j.Verify(code)
			if err != nil || !sameLicense(d.Layout, lic, got.License) {
				t.Errorf("%s: Verify(%s) = %+v, %v; minted %+v", descriptor, code, got.License, err, lic)
			}
		}
	}
}
