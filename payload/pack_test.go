package payload_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/licet-dev/licet/payload"
)

// standardNames are the fields with a meaning, and how a test reads and writes them.
var standardNames = map[string]func(lic *payload.License) any{
	"product":  func(l *payload.License) any { return &l.Product },
	"version":  func(l *payload.License) any { return &l.Version },
	"serial":   func(l *payload.License) any { return &l.Serial },
	"edition":  func(l *payload.License) any { return &l.Edition },
	"features": func(l *payload.License) any { return &l.Features },
	"seats":    func(l *payload.License) any { return &l.Seats },
	"expiry":   func(l *payload.License) any { return &l.Expiry },
	"start":    func(l *payload.License) any { return &l.Start },
}

// set puts v, the bits of a field, into lic.
func set(lic *payload.License, name string, v uint64) {
	if field, ok := standardNames[name]; ok {
		switch p := field(lic).(type) {
		case *uint64:
			*p = v
		case *payload.Day:
			*p = payload.Day(v)
			if name == "expiry" && v == 0 {
				*p = payload.Never
			}
		}
		return
	}
	lic.Extra.Set(name, v)
}

// packed is SPEC.md, section 3: the fields in order, the first most significant.
func packed(l *payload.Layout, values map[string]uint64) []byte {
	n := new(big.Int)
	for _, f := range l.Fields() {
		n.Lsh(n, uint(f.Bits)).Or(n, new(big.Int).SetUint64(values[f.Name]))
	}
	return n.FillBytes(make([]byte, (l.Bits()+7)/8))
}

// randomLayout returns a layout of up to 16 fields and 160 bits.
func randomLayout(r *rand.Rand) string {
	names := []string{"product", "serial"}
	for _, name := range []string{"version", "expiry", "start", "edition", "features", "seats", "zone", "area", "x", "y1", "y2", "y3", "y4", "y5"} {
		if r.IntN(2) == 0 {
			names = append(names, name)
		}
	}
	r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	text, bits := "", 0
	for i, name := range names {
		lo, hi := 1, payload.MaxFieldBits
		if name == "expiry" || name == "start" {
			lo, hi = 8, 21
		}
		later := 8 * (len(names) - i - 1) // room for the rest
		w := min(lo+r.IntN(hi-lo+1), max(lo, payload.MaxPayloadBits-bits-later))
		bits += w
		text += fmt.Sprintf("%s:%d,", name, w)
	}
	return text[:len(text)-1]
}

func TestPackingAgainstBigIntegers(t *testing.T) {
	r := newRand(8)
	layouts := 0
	for range 20_000 {
		l, err := payload.ParseLayout(randomLayout(r))
		if err != nil {
			continue // no multiple of 5
		}
		layouts++
		values := map[string]uint64{}
		var lic payload.License
		lic.Expiry = payload.Never
		for _, f := range l.Fields() {
			v := r.Uint64() & f.Max()
			switch r.IntN(4) {
			case 0:
				v = f.Max()
			case 1:
				v = 0
			}
			if f.Name == "product" || f.Name == "serial" {
				v = max(v, 1)
			}
			if f.Name == "start" {
				v = 0 // must not be after expiry; the bits are tried in TestUnpackTakesAnyBits
			}
			values[f.Name] = v
			set(&lic, f.Name, v)
		}
		got, err := l.AppendPayload([]byte("dst"), &lic)
		if want := append([]byte("dst"), packed(l, values)...); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%s of %v: %x, %v; want %x", l, values, got, err, want)
		}
		back := payload.License{Product: 99, Start: 99, Seats: 99} // what stood there must not matter
		l.Unpack(&back, got[3:])
		if !sameLicense(back, lic) {
			t.Fatalf("%s of %v: unpacked %+v, want %+v", l, values, back, lic)
		}
	}
	if layouts < 2_000 {
		t.Errorf("only %d layouts tried", layouts)
	}
}

// sameLicense compares without regard to the order in which extra values were set.
func sameLicense(a, b payload.License) bool {
	extra := func(e payload.Extra) map[string]uint64 {
		m := map[string]uint64{}
		for name, v := range e.All() {
			m[name] = v
		}
		return m
	}
	if !reflect.DeepEqual(extra(a.Extra), extra(b.Extra)) {
		return false
	}
	a.Extra, b.Extra = payload.Extra{}, payload.Extra{}
	return reflect.DeepEqual(a, b)
}

// Any bits are a licence, also those that no mint makes.
func TestUnpackTakesAnyBits(t *testing.T) {
	r := newRand(9)
	for range 5_000 {
		l, err := payload.ParseLayout(randomLayout(r))
		if err != nil {
			continue
		}
		values := map[string]uint64{}
		want := payload.License{Expiry: payload.Never}
		for _, f := range l.Fields() {
			values[f.Name] = r.Uint64() & f.Max()
			set(&want, f.Name, values[f.Name])
		}
		var got payload.License
		l.Unpack(&got, packed(l, values))
		if !sameLicense(got, want) {
			t.Fatalf("%s of %v: unpacked %+v, want %+v", l, values, got, want)
		}
	}
}

// A field of 53 bits may lie across a word of 64 bits, in any position.
func TestLargestValuesAcrossWords(t *testing.T) {
	for before := 1; before <= 53; before++ {
		for after := 1; after <= 53; after++ {
			if (before+53+after)%5 != 0 {
				continue
			}
			l := mustLayout(t, fmt.Sprintf("product:%d,x:53,serial:%d", before, after))
			lic := payload.License{Product: 1, Serial: 1}
			lic.Extra.Set("x", 1<<53-1)
			got, err := l.AppendPayload(nil, &lic)
			want := packed(l, map[string]uint64{"product": 1, "x": 1<<53 - 1, "serial": 1})
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%s: %x, %v; want %x", l, got, err, want)
			}
			var back payload.License
			l.Unpack(&back, got)
			if v, _ := back.Extra.Get("x"); v != 1<<53-1 || back.Product != 1 || back.Serial != 1 {
				t.Fatalf("%s: unpacked %+v", l, back)
			}
		}
	}
	all := mustLayout(t, "product:53,x:53,serial:53,y:1")
	lic := payload.License{Product: 1<<53 - 1, Serial: 1<<53 - 1}
	lic.Extra.Set("x", 1<<53-1)
	lic.Extra.Set("y", 1)
	got, err := all.AppendPayload(nil, &lic)
	if err != nil || !bytes.Equal(got, bytes.Repeat([]byte{0xFF}, 20)) {
		t.Errorf("160 bits of ones are %x, %v", got, err)
	}
}

// SPEC.md, section 10.1.
func TestPayloadOfTheReferenceCode(t *testing.T) {
	l := mustLayout(t, "standard")
	lic := payload.License{Product: 7, Version: 3, Expiry: payload.Date(2027, 12, 31), Serial: 1000}
	got, err := l.AppendPayload(nil, &lic)
	if err != nil || fmt.Sprintf("%x", got) != "00381844600003e8" {
		t.Errorf("payload %x, %v", got, err)
	}
}

func TestRefusals(t *testing.T) {
	const all = "product:9,version:8,start:10,expiry:15,serial:28,edition:8,features:16,seats:6,zone:5"
	good := func() payload.License {
		return payload.License{Product: 1, Serial: 1, Expiry: 1}
	}
	for _, c := range []struct {
		name, layout string
		edit         func(l *payload.License)
		refusal      payload.Refusal // "" for none
		field        string
	}{
		{"nothing special", all, func(l *payload.License) {}, "", ""},

		{"product at its largest", all, func(l *payload.License) { l.Product = 511 }, "", ""},
		{"product too wide", all, func(l *payload.License) { l.Product = 512 }, payload.FieldTooWide, "product"},
		{"product 2^64-1", all, func(l *payload.License) { l.Product = 1<<64 - 1 }, payload.FieldTooWide, "product"},
		{"product 0", all, func(l *payload.License) { l.Product = 0 }, payload.ZeroProduct, "product"},
		{"BO-14 serial at its largest", all, func(l *payload.License) { l.Serial = 1<<28 - 1 }, "", ""},
		{"BO-14 serial too wide", all, func(l *payload.License) { l.Serial = 1 << 28 }, payload.FieldTooWide, "serial"},
		{"serial 0", all, func(l *payload.License) { l.Serial = 0 }, payload.ZeroSerial, "serial"},
		{"version at its largest", all, func(l *payload.License) { l.Version = 255 }, "", ""},
		{"version too wide", all, func(l *payload.License) { l.Version = 256 }, payload.FieldTooWide, "version"},
		{"edition at its largest", all, func(l *payload.License) { l.Edition = 255 }, "", ""},
		{"edition too wide", all, func(l *payload.License) { l.Edition = 256 }, payload.FieldTooWide, "edition"},
		{"all features", all, func(l *payload.License) { l.Features = 1<<16 - 1 }, "", ""},
		{"a feature too many", all, func(l *payload.License) { l.Features = 1 << 16 }, payload.FieldTooWide, "features"},
		{"seats at their largest", all, func(l *payload.License) { l.Seats = 63 }, "", ""},
		{"seats too wide", all, func(l *payload.License) { l.Seats = 64 }, payload.FieldTooWide, "seats"},
		{"extra at its largest", all, func(l *payload.License) { l.Extra.Set("zone", 31) }, "", ""},
		{"extra too wide", all, func(l *payload.License) { l.Extra.Set("zone", 32) }, payload.FieldTooWide, "zone"},

		{"no version to write to", "coupon", func(l *payload.License) { l.Expiry, l.Version = 0, 1 }, payload.FieldNotInLayout, "version"},
		{"no edition to write to", "standard", func(l *payload.License) { l.Edition = 1 }, payload.FieldNotInLayout, "edition"},
		{"no features to write to", "standard", func(l *payload.License) { l.Features = 1 }, payload.FieldNotInLayout, "features"},
		{"no seats to write to", "standard", func(l *payload.License) { l.Seats = 1 }, payload.FieldNotInLayout, "seats"},
		{"no start to write to", "standard", func(l *payload.License) { l.Start = 1 }, payload.FieldNotInLayout, "start"},
		{"no expiry to write to", "coupon", func(l *payload.License) { l.Expiry = 1 }, payload.FieldNotInLayout, "expiry"},
		{"a negative expiry without field", "coupon", func(l *payload.License) { l.Expiry = -1 }, payload.FieldNotInLayout, "expiry"},
		{"no zone to write to", "standard", func(l *payload.License) { l.Extra.Set("zone", 1) }, payload.FieldNotInLayout, "zone"},
		{"no zone to write 0 to", "standard", func(l *payload.License) { l.Extra.Set("zone", 0) }, payload.FieldNotInLayout, "zone"},
		{"a field with a meaning given as extra", all, func(l *payload.License) { l.Extra.Set("seats", 1) }, payload.FieldNotInLayout, "seats"},
		{"all zero where the layout has nothing", "coupon", func(l *payload.License) { l.Expiry = 0 }, "", ""},

		{"DT-14 expiry forgotten", all, func(l *payload.License) { l.Expiry = 0 }, payload.ExpiryMissing, "expiry"},
		{"no expiry stated", all, func(l *payload.License) { l.Expiry = payload.Never }, "", ""},
		{"no expiry stated without field", "coupon", func(l *payload.License) { l.Expiry = payload.Never }, "", ""},
		{"expiry before day 0", all, func(l *payload.License) { l.Expiry = -1 }, payload.ExpiryTooEarly, "expiry"},
		{"expiry on the first day", all, func(l *payload.License) { l.Expiry = 1 }, "", ""},
		{"DT-12 expiry on the last day", all, func(l *payload.License) { l.Expiry = payload.Date(2114, 9, 19) }, "", ""},
		{"DT-12 expiry a day later", all, func(l *payload.License) { l.Expiry = payload.Date(2114, 9, 20) }, payload.ExpiryTooLate, "expiry"},
		{"DT-12 expiry in 9999", all, func(l *payload.License) { l.Expiry = payload.Date(9999, 12, 31) }, payload.ExpiryTooLate, "expiry"},
		{"expiry just before Never", all, func(l *payload.License) { l.Expiry = payload.Never - 1 }, payload.ExpiryTooLate, "expiry"},
		{"DT-12 2038 and later", all, func(l *payload.License) { l.Expiry = payload.Date(2038, 1, 20) }, "", ""},

		{"start from the beginning", all, func(l *payload.License) { l.Start = 0 }, "", ""},
		{"start before day 0", all, func(l *payload.License) { l.Start = -1 }, payload.StartOutOfRange, "start"},
		{"start on its last day", all, func(l *payload.License) { l.Start, l.Expiry = 1023, 1023 }, "", ""},
		{"start a day later", all, func(l *payload.License) { l.Start, l.Expiry = 1024, 2000 }, payload.StartOutOfRange, "start"},
		{"start never", all, func(l *payload.License) { l.Start = payload.Never }, payload.StartOutOfRange, "start"},
		{"start on the last day of validity", all, func(l *payload.License) { l.Start, l.Expiry = 500, 500 }, "", ""},
		{"start after the expiry", all, func(l *payload.License) { l.Start, l.Expiry = 501, 500 }, payload.StartAfterExpiry, "start"},
		{"start without end", all, func(l *payload.License) { l.Start, l.Expiry = 501, payload.Never }, "", ""},
		{"start where there is no expiry field", "product:5,serial:7,start:8", func(l *payload.License) { l.Start, l.Expiry = 200, 0 }, "", ""},
	} {
		l := mustLayout(t, c.layout)
		lic := good()
		c.edit(&lic)
		got, err := l.AppendPayload([]byte("dst"), &lic)
		if c.refusal == "" {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			var back payload.License
			l.Unpack(&back, got[3:])
			if lic.Expiry == 0 { // a licence without the field comes back without end
				lic.Expiry = payload.Never
			}
			lic.Extra.Set("zone", 0)
			back.Extra.Set("zone", 0)
			if !sameLicense(back, lic) {
				t.Errorf("%s: %+v became %+v", c.name, lic, back)
			}
			continue
		}
		var refused *payload.RefusedError
		if !errors.As(err, &refused) || !errors.Is(err, c.refusal) || refused.Refusal != c.refusal || refused.Field != c.field {
			t.Errorf("%s: error %#v, want %s for %s", c.name, err, c.refusal, c.field)
		}
		if string(got) != "dst" {
			t.Errorf("%s: dst became %q", c.name, got)
		}
	}
}

// The messages are what the person who mints gets to see.
func TestRefusalMessages(t *testing.T) {
	for _, c := range []struct {
		layout string
		lic    payload.License
		want   string
	}{
		{"standard", payload.License{Product: 512, Serial: 1, Expiry: 1}, "product: 512 does not fit 9 bits; the largest value is 511"},
		{"wide", payload.License{Product: 1, Serial: 1, Expiry: 1, Features: 1 << 16}, "features: the layout has features 0 to 15 only"},
		{"standard", payload.License{Product: 1, Serial: 1, Expiry: 32768}, "expiry: 2114-09-20 is too late; the last day that fits 15 bits is 2114-09-19"},
		{"standard", payload.License{Product: 1, Serial: 1, Expiry: -1}, "expiry: 2024-12-31 is too early; the first day a code can carry is 2025-01-02"},
		{"standard", payload.License{Product: 1, Serial: 1}, "expiry: none given; give a date, or state that the licence never expires"},
		{"coupon", payload.License{Product: 1, Serial: 1, Version: 2}, "version: 2 given, but the layout product:15,serial:30 has no such field"},
		{"coupon", payload.License{Serial: 1}, "product: 0 is not a product number; products start at 1"},
	} {
		_, err := mustLayout(t, c.layout).AppendPayload(nil, &c.lic)
		if err == nil || err.Error() != c.want {
			t.Errorf("message %q, want %q", err, c.want)
		}
	}
}

// The payload of the next serial is that of the licence with the next serial,
// wherever the field lies.
func TestNextSerial(t *testing.T) {
	for _, text := range []string{
		"standard", "wide", "compact", "coupon",
		"serial:53,product:7", "product:7,serial:53", "product:4,serial:2,seats:53,other:53,more:48",
		"seats:3,serial:50,product:53,other:53,last:1", "product:1,serial:11,edition:3",
	} {
		l, err := payload.ParseLayout(text)
		if err != nil {
			t.Fatal(err)
		}
		f, _ := l.Field("serial")
		for _, bits := range []int{1, 7, 8, 9, 15, 16, 17, 31, 32, 40, 52, 53} {
			serial := uint64(1)<<(min(bits, f.Bits)) - 1 // all ones: the carry goes through
			if serial == f.Max() {
				serial--
			}
			lic := payload.License{Product: 1, Serial: serial, Expiry: payload.Never}
			if serial == 0 {
				continue
			}
			got, err := l.AppendPayload(nil, &lic)
			if err != nil {
				t.Fatal(err)
			}
			l.NextSerial(got)
			lic.Serial++
			want, err := l.AppendPayload(nil, &lic)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s: after serial %d comes %x, want %x", text, serial, got, want)
			}
		}
	}
}
