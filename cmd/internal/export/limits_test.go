package export

import (
	"bytes"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/licet-dev/licet/payload"
)

// TestMaxXLSXRows is the only way to see the limit without a million rows.
func TestMaxXLSXRows(t *testing.T) {
	if MaxXLSXRows != 1_048_575 {
		t.Fatalf("MaxXLSXRows is %d", MaxXLSXRows)
	}
	layout, err := payload.ParseLayout("coupon")
	if err != nil {
		t.Fatal(err)
	}
	w, err := New(io.Discard, Options{Format: XLSX, Layout: layout})
	if err != nil {
		t.Fatal(err)
	}
	lic := payload.License{Product: 7, Serial: 1}
	if err := w.Write([]byte("ABC"), &lic); err != nil {
		t.Fatal(err)
	}
	w.sheet.rows = MaxXLSXRows - 1
	if err := w.Write([]byte("ABC"), &lic); err != nil {
		t.Fatal(err)
	}
	err = w.Write([]byte("ABC"), &lic)
	if err == nil || !strings.Contains(err.Error(), "1048575 codes at most; write several files, or choose csv") {
		t.Errorf("one more: %v", err)
	}
	if again := w.Close(); again == nil || again.Error() != err.Error() {
		t.Errorf("Close: %v", again)
	}
}

func TestPartOf4GiB(t *testing.T) {
	var out bytes.Buffer
	p := &sheetPart{w: &out, n: math.MaxUint32 - 3}
	if n, err := p.Write([]byte("abc")); n != 3 || err != nil {
		t.Errorf("up to 4 GiB: %d, %v", n, err)
	}
	if _, err := p.Write([]byte("d")); err == nil || out.String() != "abc" {
		t.Errorf("beyond 4 GiB: %v, %q", err, out.String())
	}
}
