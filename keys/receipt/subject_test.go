package receipt_test

import (
	"crypto/rand"
	"crypto/sha256"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/keys/receipt"
)

// A text that many machines share is no subject (BD-06).
func TestNewSubject(t *testing.T) {
	for _, text := range []string{"x", fingerprint, "ana@example.com", "Ω許可", "00:1a", strings.Repeat("x", 1024)} {
		for _, kind := range []receipt.Kind{receipt.Device, receipt.Account} {
			s, err := receipt.NewSubject(kind, text)
			if err != nil || s.Kind != kind || s.Hash != sha256.Sum256([]byte(text)) || s.Check() != nil {
				t.Errorf("%s %q: %v, %v", kind, text, s, err)
			}
		}
	}
	for name, text := range map[string]string{
		"empty": "", "long": strings.Repeat("x", 1025), "not UTF-8": "\xff", "newline": "a\n", "tab": "a\tb",
		"placeholder": "Default string", "another": "To be filled by O.E.M.", "a third": "uninitialized",
		"zeros": "00000000-0000-0000-0000-000000000000", "Fs": "FFFFFFFF-FFFF", "a zero": "0",
	} {
		s, err := receipt.NewSubject(receipt.Device, text)
		if err == nil || s != (receipt.Subject{}) {
			t.Errorf("%s: %v", name, s)
		} else if !strings.HasPrefix(err.Error(), "device: ") || strings.Contains(err.Error(), "binding") {
			t.Errorf("%s: error %q", name, err)
		}
	}
	for _, kind := range []receipt.Kind{"", "machine", "Device"} {
		if _, err := receipt.NewSubject(kind, fingerprint); err == nil {
			t.Errorf("kind %q is accepted", kind)
		}
	}
}

// Subjects are the same or not; nothing is cut or folded (BD-07, EP-22).
func TestSubjectEqual(t *testing.T) {
	device := must(receipt.NewSubject(receipt.Device, fingerprint))
	if !device.Equal(must(receipt.NewSubject(receipt.Device, fingerprint))) {
		t.Error("the same device is another")
	}
	for _, other := range []receipt.Subject{
		{},
		must(receipt.NewSubject(receipt.Account, fingerprint)),
		must(receipt.NewSubject(receipt.Device, strings.ToLower(fingerprint))),
		must(receipt.NewSubject(receipt.Device, "{"+fingerprint+"}")),
		must(receipt.NewSubject(receipt.Device, fingerprint+" ")),
		must(receipt.NewSubject(receipt.Device, fingerprint[:8])),
		must(receipt.NewSubject(receipt.Device, fingerprint[:35]+"3")),
	} {
		if device.Equal(other) || other.Equal(device) {
			t.Errorf("%v is %v", other, device)
		}
	}
	for i := range device.Hash {
		for bit := range 8 {
			other := device
			other.Hash[i] ^= 1 << bit
			if device.Equal(other) {
				t.Fatalf("bit %d of byte %d makes no difference", bit, i)
			}
		}
	}
}

func TestCheckNonce(t *testing.T) {
	for _, s := range []string{nonce, rand.Text(), "8e03978e-40d5-43e8-bc93-6894a57f9324", strings.Repeat("0", 22), strings.Repeat("z", 128)} {
		if err := receipt.CheckNonce(s); err != nil {
			t.Errorf("%q: %v", s, err)
		}
	}
	for _, s := range []string{"", " ", strings.Repeat("0", 21), strings.Repeat("0", 129), nonce + ".", nonce + "=", nonce + "\n", nonce + "\x00", nonce + "é"} {
		if err := receipt.CheckNonce(s); err == nil {
			t.Errorf("%q is accepted", s)
		} else if len(s) > 3 && strings.Contains(err.Error(), s) {
			t.Errorf("error %q quotes the nonce", err)
		}
	}
}

func TestFormatTime(t *testing.T) {
	for _, c := range []struct {
		t    time.Time
		want string
	}{
		{time.Date(2026, 12, 1, 11, 30, 0, 999_999_999, time.FixedZone("", 2*3600)), "2026-12-01T09:30:00Z"},
		{receipt.Never.Add(-time.Second), "9999-12-31T23:59:58Z"},
		{receipt.Never.Add(-1), "9999-12-31T23:59:58Z"},
		{receipt.Never, "never"},
		{receipt.Never.Add(time.Hour), "never"},
	} {
		if got := receipt.FormatTime(c.t); got != c.want {
			t.Errorf("%s is written %s, want %s", c.t, got, c.want)
		}
	}
}
