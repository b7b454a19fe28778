package signer_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/signer"
	"github.com/licet-dev/licet/verifier"
)

// drawLayout draws a built-in layout or a random one: any of the fields with a
// meaning, names of the vendor's own, any widths, in any order.
func drawLayout(t *rapid.T) *payload.Layout {
	if rapid.Bool().Draw(t, "builtin") {
		return must(payload.ParseLayout(rapid.SampledFrom(payload.LayoutNames()).Draw(t, "layout")))
	}
	names := []string{"product", "serial"}
	for _, name := range []string{"version", "expiry", "start", "edition", "features", "seats"} {
		if rapid.Bool().Draw(t, "with "+name) {
			names = append(names, name)
		}
	}
	for range rapid.IntRange(0, payload.MaxFields-1-len(names)).Draw(t, "own fields") {
		name := "x" + rapid.StringMatching(`[a-z0-9]{0,14}`).Draw(t, "name")
		if !strings.Contains(","+strings.Join(names, ",")+",", ","+name+",") {
			names = append(names, name)
		}
	}
	names = rapid.Permutation(names).Draw(t, "order")

	var parts []string
	left, sum := payload.MaxPayloadBits, 0
	for i, name := range names {
		lo, hi := 1, payload.MaxFieldBits
		if name == "expiry" || name == "start" {
			lo, hi = 8, 21
		}
		reserve := 8 * (len(names) - i - 1) // enough for the narrowest of the rest
		w := rapid.IntRange(lo, max(lo, min(hi, left-reserve-4))).Draw(t, "bits of "+name)
		parts = append(parts, fmt.Sprintf("%s:%d", name, w))
		left, sum = left-w, sum+w
	}
	if fill := (5 - sum%5) % 5; fill > 0 {
		parts = append(parts, fmt.Sprintf("fill:%d", fill))
	}
	return must(payload.ParseLayout(strings.Join(parts, ",")))
}

func drawDescriptor(t *rapid.T) keys.Descriptor {
	d := keys.Descriptor{
		Suite:   rapid.SampledFrom([]keys.Suite{keys.HS256, keys.ES256}).Draw(t, "suite"),
		Number:  rapid.IntRange(1, payload.MaxKey).Draw(t, "number"),
		Prefix:  rapid.StringMatching(`([A-Z][A-Z0-9]{1,7})?`).Draw(t, "prefix"),
		Layout:  drawLayout(t),
		Bind:    rapid.SampledFrom([]string{"none", "licensee", "domain", "machine", "x9"}).Draw(t, "bind"),
		SigBits: keys.ES256Bits,
	}
	if d.Suite == keys.HS256 {
		d.SigBits = 5 * rapid.IntRange(7, 32).Draw(t, "sig")
	}
	return d
}

// drawLicense draws a licence that fits the layout, extremes among them, and a
// day on which it is valid.
func drawLicense(t *rapid.T, l *payload.Layout, product uint64) (payload.License, payload.Day) {
	lic := payload.License{Product: product}
	for _, f := range l.Fields() {
		switch f.Name {
		case "product":
		case "serial":
			lic.Serial = rapid.Uint64Range(1, f.Max()).Draw(t, f.Name)
		default:
			set(&lic, f.Name, rapid.Uint64Range(0, f.Max()).Draw(t, f.Name))
		}
	}
	_, dated := l.Field("expiry")
	if dated && lic.Expiry != payload.Never && lic.Start > lic.Expiry {
		lic.Start = 0 // no mint takes such dates
	}
	last := lic.Start + 1000
	if dated && lic.Expiry != payload.Never {
		last = lic.Expiry
	}
	return lic, payload.Day(rapid.Int32Range(int32(lic.Start), int32(last)).Draw(t, "today"))
}

// Whatever the key and the licence: what was minted verifies, every field comes
// back, and the text is the only spelling that printing gives.
func TestMintedCodesVerify(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDescriptor(t)
		if again, err := keys.ParseDescriptor(d.String()); err != nil || again.String() != d.String() {
			t.Fatalf("ParseDescriptor(%q) = %q, %v", d, again, err)
		}
		key, private := fixedKey(d.String(), allowed(d.Layout)...)
		opts := signer.Options{}
		if d.Bind != keys.BindNone {
			// A leading letter that is no placeholder; the rest is anything printable.
			opts.Binding = "Q" + rapid.StringMatching(`[ -~äöü東京]{0,40}`).Draw(t, "binding")
		}
		s := must(signer.New(key, private, opts))
		j := newJudge(key, private)
		for range 3 {
			lic, today := drawLicense(t, d.Layout, rapid.SampledFrom(key.Products()).Draw(t, "product"))
			code, err := s.Mint(lic)
			if err != nil {
				t.Fatalf("Mint(%+v) of %s: %v", lic, d, err)
			}
			j.now = today.Time()
			got, err := j.VerifyBound(code, opts.Binding)
			if err != nil {
				t.Fatalf("Verify(%s) of %s at %s: %v", code, d, today, err)
			}
			if !sameLicense(d.Layout, lic, got.License) {
				t.Fatalf("%s: minted %+v, read %+v", d, lic, got.License)
			}
			if got.KeyID != key.ID() || got.KeyNumber != d.Number || got.BindingIgnored {
				t.Fatalf("%s: read key %s, %d, ignored %t", d, got.KeyID, got.KeyNumber, got.BindingIgnored)
			}
			if printed := parseAndPrint(t, d, code); printed != code {
				t.Fatalf("read and printed %s, minted %s", printed, code)
			}
		}
	})
}

// A code bound to one text is not good for another, for none, or under a key
// that differs in a single part of its descriptor.
func TestMintedCodesVerifyUnderNoOtherKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDescriptor(t)
		d.Bind = keys.BindNone
		if d.Suite == keys.HS256 {
			d.SigBits = max(d.SigBits, 80) // so that chance has no part in this test
		}
		key, private := fixedKey(d.String(), allowed(d.Layout)...)
		lic, today := drawLicense(t, d.Layout, key.Products()[0])
		code := must(must(signer.New(key, private, signer.Options{})).Mint(lic))

		// The other key has the same secret and reads the same texts.
		o := d
		if rapid.Bool().Draw(t, "bind") {
			o.Bind = "machine"
		} else {
			o.Prefix = rapid.StringMatching(`Z[A-Z0-9]{1,7}`).Draw(t, "other prefix")
			code = strings.TrimPrefix(code, d.Prefix+"-") // a prefix may be left out
		}
		if o.String() == d.String() {
			t.Skip("the same key")
		}
		var other keys.PrivateKey
		if d.Suite == keys.HS256 {
			other = must(keys.NewHS256(o, must(private.Secret())))
		} else {
			other = must(keys.NewES256(o, must(private.ECDSA())))
		}
		j := newJudge(must(keys.NewKey(other, o, key.Products()...)), other)
		j.now = today.Time()
		_, err := j.VerifyBound(code, "host-1")
		requireReason(t, err, verifier.BadSignature)
	})
}
