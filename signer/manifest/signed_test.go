package manifest_test

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/note"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/signer/manifest"
)

func TestSignOpen(t *testing.T) {
	for name, m := range map[string]manifest.Manifest{"full": full(), "bare": bare(), "rich": rich()} {
		data := must(manifest.Sign(m, listKey("list")))
		if !bytes.Equal(data, must(manifest.Sign(m, listKey("list")))) {
			t.Errorf("%s: signed twice, two notes", name)
		}
		for _, state := range []keys.State{keys.Active, keys.Closed} {
			got, err := manifest.Open(data, newRing("Acme Tools", state))
			if err != nil || !reflect.DeepEqual(got, m) {
				t.Errorf("%s: %+v, %v; want %+v", name, got, err, m)
			}
		}
		got, err := manifest.Open([]byte(strings.ReplaceAll(string(data), "\n", "\r\n")), ring)
		if err != nil || !reflect.DeepEqual(got, m) {
			t.Errorf("%s with CRLF: %+v, %v; want %+v", name, got, err, m)
		}
	}
}

func TestSignKey(t *testing.T) {
	receipt := must(keys.NewRoleKey(keys.Receipt, ecKey("list")))
	if data, err := manifest.Sign(full(), receipt); err == nil || data != nil {
		t.Error("signed with a receipt key")
	}
}

// TestOpenSignature has notes that are no good, whatever is in them.
func TestOpenSignature(t *testing.T) {
	good := must(manifest.Sign(full(), listKey("list")))
	for name, tt := range map[string]struct {
		data []byte
		ring *keys.Ring
		want note.Reason
	}{
		"unsigned":    {[]byte(fullText), ring, note.Malformed},
		"empty":       {nil, ring, note.Malformed},
		"changed":     {bytes.Replace(good, []byte("order=4711"), []byte("order=4712"), 1), ring, note.BadSignature},
		"another key": {must(manifest.Sign(full(), listKey("other"))), ring, note.NoSignature},
		"withdrawn":   {good, newRing("Acme Tools", keys.Withdrawn), note.KeyWithdrawn},
	} {
		m, err := manifest.Open(tt.data, tt.ring)
		if !errors.Is(err, tt.want) || !reflect.DeepEqual(m, manifest.Manifest{}) {
			t.Errorf("%s: %+v, %v; want %s", name, m, err, tt.want)
		}
	}
	if _, err := manifest.Open(good, nil); err == nil {
		t.Error("opened without a ring")
	}
}

func TestOpenMangled(t *testing.T) {
	good := must(manifest.Sign(full(), listKey("list")))
	for i := range good {
		for x := 1 + i%(25*stride); x < 256; x += 25 * stride {
			b := bytes.Clone(good)
			b[i] ^= byte(x)
			if m, err := manifest.Open(b, ring); err == nil || !reflect.DeepEqual(m, manifest.Manifest{}) {
				t.Fatalf("%q: opened as %+v", b, m)
			}
		}
	}
}

// TestOpenText has texts that a list key signed and that are no manifest.
func TestOpenText(t *testing.T) {
	for text, want := range map[string]manifest.Reason{
		"licet-revocations/v1\nAcme Tools\n": manifest.RevocationList,
		"licet-manifest/v2\n":                manifest.LaterFormat,
		"\n":                                 manifest.Malformed,
		fullText + "\n":                      manifest.Malformed,
		strings.Replace(fullText, "count 500", "count 501", 1): manifest.BadValue,
	} {
		data := must(note.Sign(text, listKey("list")))
		m, err := manifest.Open(data, ring)
		if !errors.Is(err, want) || !reflect.DeepEqual(m, manifest.Manifest{}) {
			t.Errorf("%.40q: %+v, %v; want %s", text, m, err, want)
		}
	}
}

func TestOpenSize(t *testing.T) {
	m := full()
	m.Labels = map[string]string{}
	for i := range manifest.MaxLabels {
		m.Labels[string(rune('a'+i%26))+strings.Repeat("-", 28)+strings.Repeat("x", 1+i/26)] = strings.Repeat("é", manifest.MaxLabel/2)
	}
	data := must(manifest.Sign(m, listKey("list")))
	if _, err := manifest.Open([]byte(strings.ReplaceAll(string(data), "\n", "\r\n")), ring); err != nil {
		t.Errorf("%d bytes: %v", len(data), err)
	}
	if len(data)+note.MaxSignatures*8<<10 > manifest.MaxSize {
		t.Errorf("%d bytes leave no room for signatures of other kinds", len(data))
	}
	_, err := manifest.Open(make([]byte, manifest.MaxSize), ring)
	isError(t, err, manifest.Malformed, 0, "", "bytes")
}

// TestCheckRing has good manifests, for another ring. Sign and Open agree with it.
func TestCheckRing(t *testing.T) {
	couponWith := func(change func(*manifest.Manifest)) manifest.Manifest {
		m := bare()
		change(&m)
		return m
	}
	for name, tt := range map[string]struct {
		m      manifest.Manifest
		reason manifest.Reason // "" for a good one
		field  string
		want   string
	}{
		"full":          {full(), "", "", ""},
		"bare":          {bare(), "", "", ""},
		"never":         {with(func(m *manifest.Manifest) { m.Expiry = payload.Never }), "", "", ""},
		"other issuer":  {with(func(m *manifest.Manifest) { m.Issuer = "Acme tools" }), manifest.OtherIssuer, "issuer", `"Acme tools"`},
		"unknown key":   {with(func(m *manifest.Manifest) { m.KeyID[0]++ }), manifest.UnknownKey, "key-id", "56386a715adf3bb1"},
		"list key":      {with(func(m *manifest.Manifest) { m.KeyID = listKey("list").ID() }), manifest.UnknownKey, "key-id", "mint key"},
		"other number":  {with(func(m *manifest.Manifest) { m.KeyNumber = 9 }), manifest.KeyMismatch, "key-number", "number 9"},
		"no version":    {with(func(m *manifest.Manifest) { m.Version = nil }), manifest.KeyMismatch, "version", "does not state it"},
		"no expiry":     {with(func(m *manifest.Manifest) { m.Expiry = 0 }), manifest.KeyMismatch, "expiry", "does not state it"},
		"extra version": {couponWith(func(m *manifest.Manifest) { m.Version = new(uint64(0)) }), manifest.KeyMismatch, "version", "no field version"},
		"extra expiry":  {couponWith(func(m *manifest.Manifest) { m.Expiry = payload.Never }), manifest.KeyMismatch, "expiry", "no field expiry"},
		"rich":          {rich(), "", "", ""},
		"zeros":         {richWith(func(m *manifest.Manifest) { m.Start, m.Fields = 0, nil }), "", "", ""},
		"no binding":    {richWith(func(m *manifest.Manifest) { m.Binding = [32]byte{} }), manifest.KeyMismatch, "binding", "binds its codes to a licensee, but"},
		"extra binding": {with(func(m *manifest.Manifest) { m.Binding = hashOf("x") }), manifest.KeyMismatch, "binding", "binds its codes to nothing"},
		"extra start":   {with(func(m *manifest.Manifest) { m.Start = 1 }), manifest.KeyMismatch, "start", "no field start"},
		"last start":    {richWith(func(m *manifest.Manifest) { m.Start, m.Expiry = 1<<15-1, 1<<16-1 }), "", "", ""},
		"start":         {richWith(func(m *manifest.Manifest) { m.Start, m.Expiry = 1<<15, 1<<16-1 }), manifest.KeyMismatch, "start", "15 bits"},
		"extra field":   {with(func(m *manifest.Manifest) { m.Fields = map[string]uint64{"edition": 1} }), manifest.KeyMismatch, "field", "no field edition"},
		"other field":   {richWith(func(m *manifest.Manifest) { m.Fields["shelf"] = 1 }), manifest.KeyMismatch, "field", "no field shelf"},
		"field":         {richWith(func(m *manifest.Manifest) { m.Fields["rack"] = 1 << 10 }), manifest.KeyMismatch, "field", "10 bits for the field rack; 1023 is the largest"},
		"last product":  {with(func(m *manifest.Manifest) { m.Product = 1<<9 - 1 }), "", "", ""},
		"product":       {with(func(m *manifest.Manifest) { m.Product = 1 << 9 }), manifest.KeyMismatch, "product", "9 bits"},
		"last version":  {with(func(m *manifest.Manifest) { m.Version = new(uint64(1<<8 - 1)) }), "", "", ""},
		"version":       {with(func(m *manifest.Manifest) { m.Version = new(uint64(1 << 8)) }), manifest.KeyMismatch, "version", "255 is the largest"},
		"last expiry":   {with(func(m *manifest.Manifest) { m.Expiry = 1<<15 - 1 }), "", "", ""},
		"expiry":        {with(func(m *manifest.Manifest) { m.Expiry = 1 << 15 }), manifest.KeyMismatch, "expiry", "15 bits"},
		"last serial":   {with(func(m *manifest.Manifest) { m.First, m.Last, m.Count = 1<<28-2, 1<<28-1, 2 }), "", "", ""},
		"serial":        {with(func(m *manifest.Manifest) { m.First, m.Last, m.Count = 1<<28-1, 1<<28, 2 }), manifest.KeyMismatch, "last-serial", "28 bits"},
	} {
		t.Run(name, func(t *testing.T) {
			got, openErr := manifest.Open(must(manifest.Sign(tt.m, listKey("list"))), ring)
			for _, err := range []error{tt.m.CheckRing(ring), openErr} {
				if tt.reason != "" {
					isError(t, err, tt.reason, 0, tt.field, tt.want)
				} else if err != nil {
					t.Error(err)
				}
			}
			if (tt.reason == "") != reflect.DeepEqual(got, tt.m) {
				t.Errorf("opened as %+v", got)
			}
		})
	}
}
