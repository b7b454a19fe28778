package signer_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/signer"
)

// refusedWith requires a RefusedError with this refusal and field.
func refusedWith(t *testing.T, err error, refusal payload.Refusal, field string) {
	t.Helper()
	if !errors.Is(err, refusal) {
		t.Errorf("got %v, want %v", err, refusal)
		return
	}
	if e, ok := errors.AsType[*payload.RefusedError](err); !ok || e.Field != field || e.Refusal != refusal {
		t.Errorf("got %+v, want refusal %s of field %s", e, refusal, field)
	}
}

// Each refusal from both sides: the last licence that is minted, and the first
// that isn't. DT-12: dates at and beyond every limit; BO-14: serials beyond it.
func TestRefusals(t *testing.T) {
	const (
		standard = "product:9,version:8,expiry:15,serial:28"
		coupon   = "product:15,serial:30"
		full     = "product:9,version:8,expiry:15,start:14,serial:28,edition:4,features:6,seats:10,colour:1"
		perpetua = "product:9,start:14,serial:27" // a start, but no expiry
	)
	last15, last14 := payload.Date(2114, 9, 19), payload.Day(1<<14-1)
	base := payload.License{Product: 7, Serial: 1, Expiry: 100}
	for _, c := range []struct {
		name, layout string
		good, bad    func(*payload.License)
		refusal      payload.Refusal
		field        string
	}{
		{"version too wide", standard,
			func(l *payload.License) { l.Version = 255 }, func(l *payload.License) { l.Version = 256 }, payload.FieldTooWide, "version"},
		{"version wraps to 0", standard,
			func(l *payload.License) {}, func(l *payload.License) { l.Version = 1 << 32 }, payload.FieldTooWide, "version"},
		{"serial too wide", standard,
			func(l *payload.License) { l.Serial = 1<<28 - 1 }, func(l *payload.License) { l.Serial = 1 << 28 }, payload.FieldTooWide, "serial"},
		{"serial of 64 bits", standard,
			func(l *payload.License) {}, func(l *payload.License) { l.Serial = math.MaxUint64 }, payload.FieldTooWide, "serial"},
		{"edition too wide", full,
			func(l *payload.License) { l.Edition = 15 }, func(l *payload.License) { l.Edition = 16 }, payload.FieldTooWide, "edition"},
		{"feature beyond the field", full,
			func(l *payload.License) { l.Features = 1 << 5 }, func(l *payload.License) { l.Features = 1 << 6 }, payload.FieldTooWide, "features"},
		{"seats too wide", full,
			func(l *payload.License) { l.Seats = 1023 }, func(l *payload.License) { l.Seats = 1024 }, payload.FieldTooWide, "seats"},
		{"own field too wide", full,
			func(l *payload.License) { l.Extra.Set("colour", 1) }, func(l *payload.License) { l.Extra.Set("colour", 2) }, payload.FieldTooWide, "colour"},

		{"product 0", standard,
			func(l *payload.License) {}, func(l *payload.License) { l.Product = 0 }, payload.ZeroProduct, "product"},
		{"serial 0", standard,
			func(l *payload.License) {}, func(l *payload.License) { l.Serial = 0 }, payload.ZeroSerial, "serial"},

		{"product of another key", standard,
			func(l *payload.License) { l.Product = 8 }, func(l *payload.License) { l.Product = 9 }, payload.ProductNotAllowed, "product"},
		{"product that wraps to an allowed one", standard,
			func(l *payload.License) {}, func(l *payload.License) { l.Product = 512 + 7 }, payload.ProductNotAllowed, "product"},

		{"version without the field", coupon,
			func(l *payload.License) { l.Expiry = payload.Never }, func(l *payload.License) { l.Expiry = payload.Never; l.Version = 1 }, payload.FieldNotInLayout, "version"},
		{"edition without the field", standard,
			func(l *payload.License) {}, func(l *payload.License) { l.Edition = 1 }, payload.FieldNotInLayout, "edition"},
		{"features without the field", standard,
			func(l *payload.License) {}, func(l *payload.License) { l.Features = 1 }, payload.FieldNotInLayout, "features"},
		{"seats without the field", standard,
			func(l *payload.License) {}, func(l *payload.License) { l.Seats = 1 }, payload.FieldNotInLayout, "seats"},
		{"start without the field", standard,
			func(l *payload.License) {}, func(l *payload.License) { l.Start = 1 }, payload.FieldNotInLayout, "start"},
		{"own field without the field", standard,
			func(l *payload.License) {}, func(l *payload.License) { l.Extra.Set("colour", 0) }, payload.FieldNotInLayout, "colour"},
		{"standard field given as an own one", standard,
			func(l *payload.License) {}, func(l *payload.License) { l.Extra.Set("version", 3) }, payload.FieldNotInLayout, "version"},
		{"expiry without the field", coupon,
			func(l *payload.License) { l.Expiry = 0 }, func(l *payload.License) { l.Expiry = 1 }, payload.FieldNotInLayout, "expiry"},
		{"expiry before day 0 without the field", coupon,
			func(l *payload.License) { l.Expiry = payload.Never }, func(l *payload.License) { l.Expiry = -1 }, payload.FieldNotInLayout, "expiry"},

		// Day 0 can't be told from a date that was forgotten; both are refused.
		{"no expiry stated", standard,
			func(l *payload.License) { l.Expiry = payload.Never }, func(l *payload.License) { l.Expiry = 0 }, payload.ExpiryMissing, "expiry"},
		{"expiry on day 0", standard,
			func(l *payload.License) { l.Expiry = payload.Date(2025, 1, 2) }, func(l *payload.License) { l.Expiry = payload.Date(2025, 1, 1) }, payload.ExpiryMissing, "expiry"},
		{"expiry before day 0", standard,
			func(l *payload.License) { l.Expiry = 1 }, func(l *payload.License) { l.Expiry = payload.Date(2024, 12, 31) }, payload.ExpiryTooEarly, "expiry"},
		{"expiry before 1970", standard,
			func(l *payload.License) {}, func(l *payload.License) { l.Expiry = payload.Date(1969, 12, 31) }, payload.ExpiryTooEarly, "expiry"},
		{"expiry beyond the field", standard,
			func(l *payload.License) { l.Expiry = last15 }, func(l *payload.License) { l.Expiry = last15 + 1 }, payload.ExpiryTooLate, "expiry"},
		{"expiry in 2038 fits, in 9999 doesn't", standard,
			func(l *payload.License) { l.Expiry = payload.Date(2038, 1, 20) }, func(l *payload.License) { l.Expiry = payload.Date(9999, 12, 31) }, payload.ExpiryTooLate, "expiry"},
		{"expiry in 2106 fits, the last day but one before Never doesn't", standard,
			func(l *payload.License) { l.Expiry = payload.Date(2106, 2, 8) }, func(l *payload.License) { l.Expiry = payload.Never - 1 }, payload.ExpiryTooLate, "expiry"},

		{"start before day 0", full,
			func(l *payload.License) { l.Start = 0 }, func(l *payload.License) { l.Start = -1 }, payload.StartOutOfRange, "start"},
		{"start beyond the field", full,
			func(l *payload.License) { l.Start, l.Expiry = last14, payload.Never }, func(l *payload.License) { l.Start, l.Expiry = last14+1, payload.Never }, payload.StartOutOfRange, "start"},
		{"start beyond the field without an expiry", perpetua,
			func(l *payload.License) { l.Start, l.Expiry = last14, 0 }, func(l *payload.License) { l.Start, l.Expiry = last14+1, 0 }, payload.StartOutOfRange, "start"},
		{"start of Never", full,
			func(l *payload.License) {}, func(l *payload.License) { l.Start = payload.Never }, payload.StartOutOfRange, "start"},
		{"start after expiry", full,
			func(l *payload.License) { l.Start = 100 }, func(l *payload.License) { l.Start = 101 }, payload.StartAfterExpiry, "start"},
	} {
		for _, suite := range []string{"hs256", "es256"} {
			t.Run(suite+" "+c.name, func(t *testing.T) {
				sig := "80"
				if suite == "es256" {
					sig = "512"
				}
				key, private := fixedKey("licet/v1 "+suite+" key=8 prefix= layout="+c.layout+" bind=none sig="+sig, 7, 8)
				s := newSigner(t, key, private)
				good, bad := base, base
				c.good(&good)
				c.bad(&bad)
				if code, err := s.Mint(good); err != nil || code == "" {
					t.Errorf("Mint(%+v) = %q, %v; want a code", good, code, err)
				}
				code, err := s.Mint(bad)
				refusedWith(t, err, c.refusal, c.field)
				if code != "" {
					t.Errorf("refused, but returned %q", code)
				}
			})
		}
	}
}

// A key that is not active mints nothing at all, not even with its private key.
func TestOnlyActiveKeysMint(t *testing.T) {
	for _, descriptor := range []string{workedHS, workedES} {
		key, private := fixedKey(descriptor, 7)
		for _, state := range []keys.State{keys.Active, keys.Closed, keys.Withdrawn} {
			s, err := signer.New(key.WithState(state), private, signer.Options{})
			if state == keys.Active {
				if err != nil || s == nil {
					t.Errorf("%s: %v", state, err)
				}
				continue
			}
			refusedWith(t, err, payload.KeyNotActive, "key")
			if s != nil {
				t.Errorf("%s: refused, but returned a signer", state)
			}
		}
	}
}

// A closed key mints again what it minted before, if that is stated, and the code
// is the one that it was. A withdrawn key mints nothing, whatever is stated.
func TestRenewalWithAClosedKey(t *testing.T) {
	renewal := signer.Options{Renewal: true}
	for _, descriptor := range []string{workedHS, workedES} {
		key, private := fixedKey(descriptor, 7)
		before := must(newSigner(t, key, private).Mint(workedLicense))
		for _, state := range []keys.State{keys.Active, keys.Closed} {
			s, err := signer.New(key.WithState(state), private, renewal)
			if err != nil {
				t.Errorf("%s: %v", state, err)
				continue
			}
			if again, err := s.Mint(workedLicense); err != nil || again != before {
				t.Errorf("%s: Mint = %s, %v; want %s", state, again, err, before)
			}
		}
		for state, want := range map[keys.State]string{keys.Withdrawn: "it mints and renews nothing", keys.Closed: "only an active key mints new serials"} {
			_, err := signer.New(key.WithState(state), private, signer.Options{Renewal: state == keys.Withdrawn})
			refusedWith(t, err, payload.KeyNotActive, "key")
			if err != nil && !strings.HasSuffix(err.Error(), string(state)+"; "+want) {
				t.Errorf("%s: %v", state, err)
			}
		}
	}
}
