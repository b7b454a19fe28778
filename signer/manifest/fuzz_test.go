package manifest_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/signer/manifest"
)

// FuzzParse checks that whatever is read would be written the same.
func FuzzParse(f *testing.F) {
	f.Add(fullText)
	f.Add(must(bare().Marshal()))
	f.Add(must(rich().Marshal()))
	f.Add("licet-revocations/v1\nAcme Tools\n")
	f.Add("licet-manifest/v2\n")
	f.Fuzz(func(t *testing.T, text string) {
		fixedPoint(t, text)
		if _, err := manifest.Parse(text); err != nil {
			if _, ok := errors.AsType[*manifest.Error](err); !ok {
				t.Fatalf("%q: %v", text, err)
			}
		}
	})
}

// FuzzMarshal checks that whatever is written is read the same.
func FuzzMarshal(f *testing.F) {
	f.Add("Acme Tools", 8, uint64(7), uint64(3), int32(1094), uint64(1000), uint64(500), "batch.csv", int64(1000), int64(1_796_117_400), "licet v1", "order", "4711")
	f.Add("a\nkey-id 0", 0, uint64(0), uint64(1<<53), int32(-1), uint64(1<<63), uint64(1<<63), "../x", int64(-1), int64(-1), "\u0085", "a=b", "")
	f.Fuzz(func(t *testing.T, issuer string, number int, product, version uint64, expiry int32, first, count uint64, file string, size, unix int64, tool, key, value string) {
		m := manifest.Manifest{
			Issuer: issuer, KeyID: keys.ID(standard.ID()), KeyNumber: number, Product: product,
			Expiry: payload.Day(expiry), First: first, Last: first + count - 1, Count: count,
			Kind: manifest.Renew, Format: manifest.TXT, File: file, Digest: manifest.Digest{Size: size, SHA256: hashOf(file)},
			Time: time.Unix(unix, 0).UTC(), Tool: tool,
		}
		if version%3 > 0 {
			m.Version = &version
		}
		if key+value != "" {
			m.Labels = map[string]string{key: value}
		}
		if version%5 > 2 {
			m.Start, m.Fields, m.Binding = payload.Day(expiry/2), map[string]uint64{file: product, tool: first}, hashOf(value)
		}
		if size%2 == 0 {
			m.Plaintext = &manifest.Digest{Size: size, SHA256: hashOf(tool)}
		}
		text, err := m.Marshal()
		if err != nil {
			if _, ok := errors.AsType[*manifest.Error](err); !ok || text != "" {
				t.Fatalf("%+v: %q, %v", m, text, err)
			}
			return
		}
		if back, err := manifest.Parse(text); err != nil || !reflect.DeepEqual(back, m) {
			t.Fatalf("%+v came back as %+v, %v", m, back, err)
		}
	})
}
