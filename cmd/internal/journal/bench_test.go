package journal

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
)

// million returns the text of a journal with a million lines, of one serial each.
func million(random bool) []byte {
	var text []byte
	sum := ""
	order := func(i int) int { return i }
	if random {
		p := rand.New(rand.NewPCG(1, 2)).Perm(1e6)
		order = func(i int) int { return 3 * p[i] } // no two of them touch
	}
	for i := range int(1e6) {
		n := uint64(order(i)) + 1
		e := Entry{Time: noon, Kind: Stated, Key: 8, KeyID: keyA, Product: 7, Serials: Range{n, n}, Terms: Terms{Version: "3", Expiry: "2027-12-31"},
			Labels: map[string]string{"order": fmt.Sprint(i)}, Output: "batch.txt", Format: "text", Tool: "licet 1.0.0"}
		text = append(e.appendLine(text, sum), '\n')
		sum = e.Sum
	}
	return text
}

// A million entries are to be read in a few seconds.
func BenchmarkReadMillion(b *testing.B) {
	for _, random := range []bool{false, true} {
		b.Run(map[bool]string{false: "ascending", true: "random"}[random], func(b *testing.B) {
			text := million(random)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r := newReader("journal.jsonl")
				if _, err := r.read(bytes.NewReader(text), func(Entry) bool { return true }); err != nil || r.lines != 1e6 {
					b.Fatal(r.lines, err)
				}
			}
		})
	}
}

// A reservation costs the same however long the journal is.
func BenchmarkReserve(b *testing.B) {
	for _, long := range []bool{false, true} {
		b.Run(map[bool]string{false: "empty", true: "million"}[long], func(b *testing.B) {
			path := newPath(b)
			if long {
				if err := os.WriteFile(path, million(false), 0o600); err != nil {
					b.Fatal(err)
				}
			}
			j := open(b, path, nil)
			r := count(keyA, 7, 1)
			r.Max = 1 << 40
			for b.Loop() {
				must(b, j, Mint, r)
			}
		})
	}
}
