package manifest_test

import (
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/signer/manifest"
)

func TestMarshal(t *testing.T) {
	if got := must(full().Marshal()); got != fullText {
		t.Errorf("text\n%s\nwant\n%s", got, fullText)
	}
	if got := must(rich().Marshal()); !strings.Contains(got, "\n"+richLines) {
		t.Errorf("text\n%s\nwithout\n%s", got, richLines)
	}
}

// TestMarshalAccepts has values at the end of what is allowed. All of them come
// back.
func TestMarshalAccepts(t *testing.T) {
	const most = 1<<53 - 1
	for name, m := range map[string]manifest.Manifest{
		"full":              full(),
		"bare":              bare(),
		"rich":              rich(),
		"first start":       with(func(m *manifest.Manifest) { m.Start = 1 }),
		"last start":        with(func(m *manifest.Manifest) { m.Start, m.Expiry = 1<<21-1, payload.Never }),
		"start and expiry":  with(func(m *manifest.Manifest) { m.Start = m.Expiry }),
		"start alone":       with(func(m *manifest.Manifest) { m.Start, m.Expiry = 1<<21-1, 0 }),
		"one field":         with(func(m *manifest.Manifest) { m.Fields = map[string]uint64{"a": 1} }),
		"long field":        with(func(m *manifest.Manifest) { m.Fields = map[string]uint64{"a" + strings.Repeat("1", 15): most} }),
		"many fields":       with(func(m *manifest.Manifest) { m.Fields = fields(14) }),
		"binding":           with(func(m *manifest.Manifest) { m.Binding = [32]byte{31: 1} }),
		"never":             with(func(m *manifest.Manifest) { m.Expiry = payload.Never }),
		"first expiry":      with(func(m *manifest.Manifest) { m.Expiry = 1 }),
		"last expiry":       with(func(m *manifest.Manifest) { m.Expiry = 1<<21 - 1 }),
		"version 0":         with(func(m *manifest.Manifest) { m.Version = new(uint64(0)) }),
		"last version":      with(func(m *manifest.Manifest) { m.Version = new(uint64(most)) }),
		"one code":          with(func(m *manifest.Manifest) { m.First, m.Last, m.Count = 1, 1, 1 }),
		"all serials":       with(func(m *manifest.Manifest) { m.First, m.Last, m.Count = 1, most, most }),
		"last product":      with(func(m *manifest.Manifest) { m.Product = most }),
		"last key":          with(func(m *manifest.Manifest) { m.KeyNumber = 31 }),
		"again":             with(func(m *manifest.Manifest) { m.Kind = manifest.Again }),
		"renew":             with(func(m *manifest.Manifest) { m.Kind = manifest.Renew }),
		"txt":               with(func(m *manifest.Manifest) { m.Format = manifest.TXT }),
		"jsonl":             with(func(m *manifest.Manifest) { m.Format = manifest.JSONL }),
		"xlsx":              with(func(m *manifest.Manifest) { m.Format = manifest.XLSX }),
		"long issuer":       with(func(m *manifest.Manifest) { m.Issuer = strings.Repeat("é", 64) }),
		"issuer like line":  with(func(m *manifest.Manifest) { m.Issuer = "key-id 0011223344556677" }),
		"spaces":            with(func(m *manifest.Manifest) { m.Issuer, m.File, m.Tool = " a ", " b ", " c " }),
		"long file":         with(func(m *manifest.Manifest) { m.File = strings.Repeat("x", 255) }),
		"file with dots":    with(func(m *manifest.Manifest) { m.File = "...txt" }),
		"file with a colon": with(func(m *manifest.Manifest) { m.File = "batch 10:30.csv" }),
		"largest file":      with(func(m *manifest.Manifest) { m.Digest.Size = most }),
		"smallest file":     with(func(m *manifest.Manifest) { m.Digest.Size, m.Plaintext.Size = 1, 1 }),
		"first time":        with(func(m *manifest.Manifest) { m.Time = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC) }),
		"last time":         with(func(m *manifest.Manifest) { m.Time = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC) }),
		"label":             with(func(m *manifest.Manifest) { m.Labels = map[string]string{"a": "="} }),
		"long label": with(func(m *manifest.Manifest) {
			m.Labels = map[string]string{"a" + strings.Repeat("-", 31): strings.Repeat("x", 256)}
		}),
		"many labels": with(func(m *manifest.Manifest) { m.Labels = labels(64) }),
	} {
		text, err := m.Marshal()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		back, err := manifest.Parse(text)
		if err != nil || !reflect.DeepEqual(back, m) {
			t.Errorf("%s: %+v came back as %+v, %v", name, m, back, err)
		}
	}
}

func fields(n int) map[string]uint64 {
	m := map[string]uint64{}
	for i := range n {
		m[fmt.Sprintf("field%d", i)] = uint64(i) + 1
	}
	return m
}

func labels(n int) map[string]string {
	m := map[string]string{}
	for i := range n {
		m[fmt.Sprintf("label%d", i)] = "x"
	}
	return m
}

func TestMarshalRefuses(t *testing.T) {
	const most = 1<<53 - 1
	type change = func(*manifest.Manifest)
	for name, tt := range map[string]struct {
		change change
		field  string
		want   string
	}{
		"no issuer":           {func(m *manifest.Manifest) { m.Issuer = "" }, "issuer", "empty"},
		"issuer newline":      {func(m *manifest.Manifest) { m.Issuer = "a\nb" }, "issuer", `"a\nb"`},
		"issuer too long":     {func(m *manifest.Manifest) { m.Issuer = strings.Repeat("x", 129) }, "issuer", "129 bytes"},
		"issuer U+FFFD":       {func(m *manifest.Manifest) { m.Issuer = "a\ufffd" }, "issuer", "U+FFFD"},
		"issuer not UTF-8":    {func(m *manifest.Manifest) { m.Issuer = "a\xff" }, "issuer", "UTF-8"},
		"no key id":           {func(m *manifest.Manifest) { m.KeyID = keys.ID{} }, "key-id", "none"},
		"key 0":               {func(m *manifest.Manifest) { m.KeyNumber = 0 }, "key-number", "1 to 31"},
		"key 32":              {func(m *manifest.Manifest) { m.KeyNumber = 32 }, "key-number", "1 to 31"},
		"key -1":              {func(m *manifest.Manifest) { m.KeyNumber = -1 }, "key-number", "1 to 31"},
		"product 0":           {func(m *manifest.Manifest) { m.Product = 0 }, "product", "0: want 1"},
		"product too large":   {func(m *manifest.Manifest) { m.Product = most + 1 }, "product", "want 1 to"},
		"version too large":   {func(m *manifest.Manifest) { m.Version = new(uint64(most + 1)) }, "version", "want 0 to"},
		"expiry before day 0": {func(m *manifest.Manifest) { m.Expiry = -1 }, "expiry", "2024-12-31: want a date from 2025-01-02"},
		"expiry too late":     {func(m *manifest.Manifest) { m.Expiry = 1 << 21 }, "expiry", "7766-10-22"},
		"start before day 0":  {func(m *manifest.Manifest) { m.Start = -1 }, "start", "2024-12-31: want a date from 2025-01-02"},
		"start too late":      {func(m *manifest.Manifest) { m.Start, m.Expiry = 1<<21, payload.Never }, "start", "7766-10-22"},
		"start never":         {func(m *manifest.Manifest) { m.Start, m.Expiry = payload.Never, payload.Never }, "start", "never: want a date"},
		"start after expiry":  {func(m *manifest.Manifest) { m.Start = m.Expiry + 1 }, "start", "2028-01-01 is after the expiry, 2027-12-31"},
		"field 0":             {func(m *manifest.Manifest) { m.Fields = map[string]uint64{"rack": 0} }, "field", "rack 0: want 1 to"},
		"field too large":     {func(m *manifest.Manifest) { m.Fields = map[string]uint64{"rack": most + 1} }, "field", "want 1 to"},
		"field without name":  {func(m *manifest.Manifest) { m.Fields = map[string]uint64{"": 1} }, "field", `name ""`},
		"field name capital":  {func(m *manifest.Manifest) { m.Fields = map[string]uint64{"Rack": 1} }, "field", `name "Rack"`},
		"field name newline":  {func(m *manifest.Manifest) { m.Fields = map[string]uint64{"a\nb": 1} }, "field", "name"},
		"field name too long": {func(m *manifest.Manifest) { m.Fields = map[string]uint64{strings.Repeat("a", 17): 1} }, "field", "name"},
		"field product":       {func(m *manifest.Manifest) { m.Fields = map[string]uint64{"product": 7} }, "field", "product has a line of its own"},
		"field version":       {func(m *manifest.Manifest) { m.Fields = map[string]uint64{"version": 7} }, "field", "version has a line of its own"},
		"field expiry":        {func(m *manifest.Manifest) { m.Fields = map[string]uint64{"expiry": 7} }, "field", "expiry has a line of its own"},
		"field start":         {func(m *manifest.Manifest) { m.Fields = map[string]uint64{"start": 7} }, "field", "start has a line of its own"},
		"field serial":        {func(m *manifest.Manifest) { m.Fields = map[string]uint64{"serial": 7} }, "field", "serial has a line of its own"},
		"too many fields":     {func(m *manifest.Manifest) { m.Fields = fields(15) }, "field", "more than 14"},
		"serial 0":            {func(m *manifest.Manifest) { m.First, m.Count = 0, 1500 }, "first-serial", "want 1"},
		"serial too large":    {func(m *manifest.Manifest) { m.Last, m.Count = most+1, most-998 }, "last-serial", "want 1"},
		"backwards":           {func(m *manifest.Manifest) { m.First = 1500 }, "last-serial", "1499 is before the first, 1500"},
		"one too few":         {func(m *manifest.Manifest) { m.Count-- }, "count", "499, but serials 1000 to 1499 are 500"},
		"one too many":        {func(m *manifest.Manifest) { m.Count++ }, "count", "501"},
		"nothing counted":     {func(m *manifest.Manifest) { m.Count = 0 }, "count", "0"},
		"no kind":             {func(m *manifest.Manifest) { m.Kind = "" }, "kind", "[mint again renew]"},
		"kind in capitals":    {func(m *manifest.Manifest) { m.Kind = "Mint" }, "kind", `"Mint"`},
		"no format":           {func(m *manifest.Manifest) { m.Format = "" }, "format", "[txt csv jsonl xlsx]"},
		"format json":         {func(m *manifest.Manifest) { m.Format = "json" }, "format", `"json"`},
		"no file":             {func(m *manifest.Manifest) { m.File = "" }, "file", "empty"},
		"file in a folder":    {func(m *manifest.Manifest) { m.File = "out/batch.csv" }, "file", "slashes"},
		"file on Windows":     {func(m *manifest.Manifest) { m.File = `out\batch.csv` }, "file", "backslashes"},
		"file .":              {func(m *manifest.Manifest) { m.File = "." }, "file", "slashes"},
		"file ..":             {func(m *manifest.Manifest) { m.File = ".." }, "file", "slashes"},
		"file newline":        {func(m *manifest.Manifest) { m.File = "a\n" }, "file", "newline"},
		"file NUL":            {func(m *manifest.Manifest) { m.File = "a\x00" }, "file", "control"},
		"file too long":       {func(m *manifest.Manifest) { m.File = strings.Repeat("x", 256) }, "file", "256 bytes"},
		"size 0":              {func(m *manifest.Manifest) { m.Digest.Size = 0 }, "size", "want 1"},
		"size -1":             {func(m *manifest.Manifest) { m.Digest.Size = -1 }, "size", "want 1"},
		"size too large":      {func(m *manifest.Manifest) { m.Digest.Size = most + 1 }, "size", "want 1"},
		"no digest":           {func(m *manifest.Manifest) { m.Digest.SHA256 = [32]byte{} }, "sha256", "never computed"},
		"empty plaintext":     {func(m *manifest.Manifest) { m.Plaintext = &manifest.Digest{} }, "plaintext-size", "want 1"},
		"plaintext unhashed":  {func(m *manifest.Manifest) { m.Plaintext.SHA256 = [32]byte{} }, "plaintext-sha256", "never computed"},
		"no time":             {func(m *manifest.Manifest) { m.Time = time.Time{} }, "time", "set the clock"},
		"1970":                {func(m *manifest.Manifest) { m.Time = time.Unix(0, 0) }, "time", "1970-01-01"},
		"a second too early":  {func(m *manifest.Manifest) { m.Time = time.Date(2024, 12, 31, 23, 59, 59, 0, time.UTC) }, "time", "2025-01-01"},
		"year 10000":          {func(m *manifest.Manifest) { m.Time = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) }, "time", "want"},
		"no tool":             {func(m *manifest.Manifest) { m.Tool = "" }, "tool", "empty"},
		"tool CR":             {func(m *manifest.Manifest) { m.Tool = "licet\r" }, "tool", "control"},
		"tool U+0085":         {func(m *manifest.Manifest) { m.Tool = "licet\u0085" }, "tool", "control"},
		"tool too long":       {func(m *manifest.Manifest) { m.Tool = strings.Repeat("x", 129) }, "tool", "129 bytes"},
		"label without key":   {func(m *manifest.Manifest) { m.Labels[""] = "x" }, "label", `key ""`},
		"label key capital":   {func(m *manifest.Manifest) { m.Labels["Order"] = "x" }, "label", `key "Order"`},
		"label key digit":     {func(m *manifest.Manifest) { m.Labels["1a"] = "x" }, "label", "lower-case letter"},
		"label key =":         {func(m *manifest.Manifest) { m.Labels["a=b"] = "x" }, "label", `key "a=b"`},
		"label key space":     {func(m *manifest.Manifest) { m.Labels["a b"] = "x" }, "label", "key"},
		"label key newline":   {func(m *manifest.Manifest) { m.Labels["a\nb"] = "x" }, "label", "key"},
		"label key too long":  {func(m *manifest.Manifest) { m.Labels[strings.Repeat("a", 33)] = "x" }, "label", "key"},
		"label empty":         {func(m *manifest.Manifest) { m.Labels["a"] = "" }, "label", "label a: it is empty"},
		"label newline":       {func(m *manifest.Manifest) { m.Labels["a"] = "x\ny" }, "label", "newline"},
		"label tab":           {func(m *manifest.Manifest) { m.Labels["a"] = "x\ty" }, "label", "control"},
		"label too long":      {func(m *manifest.Manifest) { m.Labels["a"] = strings.Repeat("é", 128) + "x" }, "label", "257 bytes"},
		"too many labels":     {func(m *manifest.Manifest) { m.Labels = labels(65) }, "label", "more than 64"},
	} {
		t.Run(name, func(t *testing.T) {
			m := with(tt.change)
			text, err := m.Marshal()
			if text != "" {
				t.Errorf("text %q", text)
			}
			isError(t, err, manifest.BadValue, 0, tt.field, tt.want)
			if _, err := manifest.Sign(m, listKey("list")); err == nil {
				t.Error("signed")
			}
		})
	}
}

// TestMarshalTime has times that are written in UTC, to the second.
func TestMarshalTime(t *testing.T) {
	for want, in := range map[string]time.Time{
		"2026-12-01T09:30:00Z": time.Date(2026, 12, 1, 10, 30, 0, 999_999_999, time.FixedZone("", 3600)),
		"2025-01-01T00:00:00Z": time.Date(2024, 12, 31, 10, 0, 0, 0, time.FixedZone("", -14*3600)),
		"2024-12-31T23:59:59Z": {},
	} {
		m := with(func(m *manifest.Manifest) { m.Time = in })
		text, err := m.Marshal()
		if in.IsZero() != (err != nil) {
			t.Errorf("%s: %v", in, err)
		}
		if err == nil && !strings.Contains(text, "\ntime "+want+"\n") {
			t.Errorf("%s is not written as %s:\n%s", in, want, text)
		}
	}
}

// TestMarshalLeavesLabels checks that the caller's map is only read.
func TestMarshalLeavesLabels(t *testing.T) {
	m := full()
	before := maps.Clone(m.Labels)
	must(m.Marshal())
	if !maps.Equal(m.Labels, before) {
		t.Errorf("labels became %v", m.Labels)
	}
}
