package journal

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whatever is in the file: what can be read is exactly what would have been written,
// no serial is in it twice, and the next reservation takes new ones.
func FuzzRead(f *testing.F) {
	path, lines := sample(f)
	whole := strings.Join(lines, "")
	f.Add([]byte(whole), false)
	f.Add([]byte(whole[:len(whole)-1]), false)
	f.Add([]byte(whole+lines[0]), true)
	f.Add([]byte(whole+whole[:40]), true)
	f.Add([]byte(strings.Replace(whole, "mint", "stated", 1)), true)
	f.Add([]byte(strings.Replace(whole, `"labels"`, `"version":"3","expiry":"x","labels"`, 2)), true)
	f.Add([]byte(strings.Replace(whole, `"labels"`, `"start":"2027-01-01","fields":{"edition":"2","seats":"0"},"binding":"`+strings.Repeat("0a", 32)+`","labels"`, 2)), true)
	f.Add([]byte{}, false)
	f.Add([]byte("\x00\x00"), false)
	f.Add([]byte("{}\n"), false)
	os.Remove(path)
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte, seal bool) {
		if seal { // else hardly any text would come through the checksums
			text = sealAll(text)
		}
		r := newReader("journal.jsonl")
		var written []byte
		before := ""
		tail, err := r.read(bytes.NewReader(text), func(e Entry) bool {
			written = append(e.appendLine(written, before), '\n')
			before = e.Sum
			return true
		})
		if !bytes.HasPrefix(text, written) || int64(len(written)) != r.offset {
			t.Fatalf("read %q as %q", text, written)
		}
		if err != nil {
			return
		}
		if !bytes.Equal(text, append(written, tail...)) {
			t.Fatalf("read %q as %q and %q", text, written, tail)
		}
		path := filepath.Join(folder, Name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		j := open(t, path, nil)
		e, err := j.Reserve(context.Background(), Request{Key: 8, KeyID: keyA, Product: 7, Max: 1<<64 - 1, Count: 1})
		if err != nil && !r.isWhole(tail) && r.index.of(keyA, 7).taken.highest() < 1<<64-1 {
			t.Fatal(err)
		}
		if err != nil {
			return
		}
		if part, ok := r.index.of(keyA, 7).taken.overlap(e.Serials); ok {
			t.Fatalf("%v twice", part)
		}
		if _, err := Open(path, Options{}); err != nil {
			t.Fatal(err)
		}
	})
}

// sealAll puts right checksums where checksums are.
func sealAll(text []byte) []byte {
	var sealed []byte
	sum := ""
	for line := range bytes.Lines(text) {
		body, _, ok := cutSum(bytes.TrimSuffix(line, []byte("\n")))
		if !ok {
			sealed = append(sealed, line...)
			continue
		}
		sum = chain(sum, body)
		sealed = append(append(append(append(sealed, body...), sumOpen...), sum...), sumEnd...)
		if bytes.HasSuffix(line, []byte("\n")) {
			sealed = append(sealed, '\n')
		}
	}
	return sealed
}
