package payload_test

import (
	"testing"

	"github.com/licet-dev/licet/payload"
)

// What runs for every code of a batch, or for every request of a server, must
// not allocate.
func TestNoAllocations(t *testing.T) {
	reader := sevenKeys(t)
	short, long := printed("ACME", acme), printed("", codes[9])
	l := mustLayout(t, "product:9,version:8,expiry:15,serial:28,zone:5")
	lic := payload.License{Product: 7, Version: 3, Expiry: 1094, Serial: 1000}
	lic.Extra.Set("zone", 9)
	packed, err := l.AppendPayload(nil, &lic)
	if err != nil {
		t.Fatal(err)
	}
	var text, scratch [256]byte
	var into payload.License
	body := []byte(acme[:29])
	symbols := payload.AppendSymbols(nil, packed, l.Bits())

	for _, c := range []struct {
		name string
		f    func()
	}{
		{"Reader.Read of a short code", func() {
			var buf [256]byte
			if _, _, err := reader.Read(short, buf[:]); err != nil {
				panic(err)
			}
		}},
		{"Reader.Read of a long code", func() {
			var buf [256]byte
			if _, _, err := reader.Read(long, buf[:]); err != nil {
				panic(err)
			}
		}},
		{"AppendNormalized", func() {
			var buf [256]byte
			if _, err := payload.AppendNormalized(buf[:0], short); err != nil {
				panic(err)
			}
		}},
		{"Layout.AppendPayload", func() {
			var buf [32]byte
			if _, err := l.AppendPayload(buf[:0], &lic); err != nil {
				panic(err)
			}
		}},
		{"Layout.Unpack", func() { l.Unpack(&into, packed) }},
		{"AppendSymbols", func() { payload.AppendSymbols(text[:0], packed, l.Bits()) }},
		{"DecodeSymbols", func() { payload.DecodeSymbols(scratch[:len(packed)], symbols, l.Bits()) }},
		{"AppendCheck", func() { payload.AppendCheck(append(text[:0], body...)) }},
		{"AppendCode", func() { payload.AppendCode(text[:0], "ACME", body, payload.GroupSize) }},
		{"FindSlip", func() { payload.FindSlip(append(text[:0], acme...)) }},
	} {
		if n := testing.AllocsPerRun(100, c.f); n != 0 {
			t.Errorf("%s allocates %v times", c.name, n)
		}
	}
}
