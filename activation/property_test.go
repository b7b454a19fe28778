package activation_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/signer/manifest"
)

// Whatever is sent for a code that was never minted is malformed or refused, the places
// lie in the text, and no ledger hears of it.
func TestAnyText(t *testing.T) {
	s := newService(withRich, func(c *activation.Config) { c.Ledger = guard{t: t} })
	forged := []string{hs.forger().mint(license(1)), es.forger().mint(license(1)), coupon.forger().mint(couponLicense(1)), notInTheRing.mint(license(1))}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom(append(forged, "")).Draw(t, "code")
		for range rapid.IntRange(0, 4).Draw(t, "edits") {
			runes := []rune(text)
			at := rapid.IntRange(0, len(runes)).Draw(t, "at")
			put := []rune(rapid.OneOf(rapid.StringOfN(rapid.SampledFrom([]rune(payload.Alphabet+"-O01 \u0416\uFF21\u200B")), 0, 3, -1), rapid.String()).Draw(t, "put"))
			end := min(len(runes), at+rapid.IntRange(0, 3).Draw(t, "cut"))
			text = string(runes[:at]) + string(put) + string(runes[end:])
		}
		r := request(text)
		_, err := s.Activate(context.Background(), r)
		e, ok := errors.AsType[*activation.Error](err)
		if !ok || e.Problem != activation.MalformedCode && e.Problem != activation.CodeRefused {
			t.Fatalf("%q: %v", text, err)
		}
		if e.Problem == activation.CodeRefused && (e.Places != nil || e.Detail != refusedDetail(s)) {
			t.Fatalf("%q: %#v", text, e)
		}
		for _, p := range e.Places {
			if p < 0 || p >= utf8.RuneCountInString(text) {
				t.Fatalf("%q: place %d", text, p)
			}
		}
		_, again := s.Preview(context.Background(), r)
		if p, ok := errors.AsType[*activation.Error](again); !ok || p.Problem != e.Problem || p.Reason != e.Reason || !slices.Equal(p.Places, e.Places) {
			t.Fatalf("%q: a preview gets %v, an activation %v", text, again, err)
		}
	})
}

// refusedDetail is the one text of a code that is refused.
func refusedDetail(s *activation.Service) string {
	_, err := s.Preview(context.Background(), request(hs.forger().mint(license(2))))
	e, _ := errors.AsType[*activation.Error](err)
	return e.Detail
}

// A licence is served just where one of the manifests has its serial and its terms.
func TestManifestRanges(t *testing.T) {
	const last = 60
	codes := make([]string, last+2)
	for i := 1; i < len(codes); i++ {
		codes[i] = coupon.mint(couponLicense(uint64(i)))
	}
	rapid.Check(t, func(t *rapid.T) {
		var issued [last + 2]bool
		var manifests [][]byte
		for range rapid.IntRange(1, 6).Draw(t, "batches") {
			a, b := rapid.Uint64Range(1, last).Draw(t, "a"), rapid.Uint64Range(1, last).Draw(t, "b")
			kind := rapid.SampledFrom([]manifest.Kind{manifest.Mint, manifest.Again, manifest.Renew}).Draw(t, "kind")
			product := rapid.SampledFrom([]uint64{7, 7, 7, 8}).Draw(t, "product")
			manifests = append(manifests, newManifest(func(m *manifest.Manifest) {
				m.First, m.Last, m.Kind, m.Product = min(a, b), max(a, b), kind, product
			}))
			for n := min(a, b); n <= max(a, b) && product == 7; n++ {
				issued[n] = true
			}
		}
		s := newService(func(c *activation.Config) { c.Manifests = manifests })
		for n := 1; n < len(codes); n++ {
			_, err := s.Preview(context.Background(), request(codes[n]))
			if issued[n] != (err == nil) || err != nil && !errors.Is(err, activation.CodeRefused) {
				t.Fatalf("serial %d, issued %t: %v", n, issued[n], err)
			}
		}
	})
}

// A code that somebody typed as people do is the code.
func TestSloppyCode(t *testing.T) {
	s := newService()
	good := hs.mint(license(1))
	want := must(s.Activate(context.Background(), request(good))).Receipt
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for _, c := range strings.ReplaceAll(good, "-", "") {
			b.WriteString(rapid.SampledFrom([]string{"", "", "-", " ", "\n", "\u200b", "\u2013"}).Draw(t, "between"))
			b.WriteString(rapid.SampledFrom([]string{string(c), strings.ToLower(string(c)), string(c + 0xFEE0)}).Draw(t, "character"))
		}
		reply, err := s.Activate(context.Background(), request(b.String()))
		if err != nil || reply.Receipt != want {
			t.Fatalf("%q: another receipt, error %v", b.String(), err)
		}
	})
}
