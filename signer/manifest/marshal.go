package manifest

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

const (
	firstLine  = "licet-manifest/v1"
	timeLayout = "2006-01-02T15:04:05Z"
)

// Marshal returns the manifest in its one spelling. It refuses what the grammar of
// this package does not have with an [*Error] of the reason [BadValue].
//
// To find out before a batch whether its names and labels are allowed, marshal a
// manifest with any count and digest.
func (m Manifest) Marshal() (string, error) {
	if err := m.check(); err != nil {
		return "", err
	}
	var b strings.Builder
	line := func(name string, value any) { fmt.Fprintf(&b, "%s %v\n", name, value) }
	b.WriteString(firstLine + "\n" + m.Issuer + "\n")
	line("key-id", m.KeyID)
	line("key-number", m.KeyNumber)
	line("product", m.Product)
	if m.Version != nil {
		line("version", *m.Version)
	}
	if m.Expiry != 0 {
		line("expiry", m.Expiry)
	}
	if m.Start != 0 {
		line("start", m.Start)
	}
	for _, name := range slices.Sorted(maps.Keys(m.Fields)) {
		line("field", fmt.Sprintf("%s %d", name, m.Fields[name]))
	}
	if m.Binding != [sha256.Size]byte{} {
		line("binding", fmt.Sprintf("%x", m.Binding))
	}
	line("first-serial", m.First)
	line("last-serial", m.Last)
	line("count", m.Count)
	line("kind", m.Kind)
	line("format", m.Format)
	line("file", m.File)
	digest := func(prefix string, d Digest) {
		line(prefix+"size", d.Size)
		line(prefix+"sha256", fmt.Sprintf("%x", d.SHA256))
	}
	digest("", m.Digest)
	if m.Plaintext != nil {
		digest("plaintext-", *m.Plaintext)
	}
	line("time", formatTime(m.Time))
	line("tool", m.Tool)
	for _, key := range slices.Sorted(maps.Keys(m.Labels)) {
		line("label", key+"="+m.Labels[key])
	}
	return b.String(), nil
}

func formatTime(t time.Time) string { return t.UTC().Format(timeLayout) }
