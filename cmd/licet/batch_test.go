package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/xuri/excelize/v2"

	"github.com/licet-dev/licet/cmd/internal/home"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/keyfile"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/signer"
	"github.com/licet-dev/licet/signer/manifest"
)

// newTestApp returns the app of a run in a copy of the reference home. What it
// prints goes nowhere.
func newTestApp(t testing.TB) *app {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "home")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "home"))); err != nil {
		t.Fatal(err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { null.Close() })
	a := &app{stdin: null, out: newStream(null), err: newStream(null), now: time.Now, dir: dir}
	a.unlock.Identities = []string{filepath.Join(dir, "identity.txt")}
	return a
}

// captured runs f and returns what the app writes to standard output meanwhile.
func (a *app) captured(t testing.TB, f func()) string { return capture(t, &a.out, f) }

// told is captured for standard error.
func (a *app) told(t testing.TB, f func()) string { return capture(t, &a.err, f) }

func capture(t testing.TB, s **stream, f func()) string {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	old := *s
	*s = newStream(file)
	defer func() { *s = old }()
	f()
	text, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A batchMaker makes files of codes, and manifests that are about them although
// what is in the files is wrong: the digest fits, and the signature is good.
type batchMaker struct {
	t    *testing.T
	app  *app
	home *home.Home
	list keys.PrivateKey
	n    int
}

func newBatchMaker(t *testing.T) *batchMaker {
	t.Helper()
	b := &batchMaker{t: t, app: newTestApp(t)}
	b.reopen()
	for _, k := range b.home.Ring.Keys() {
		if k.Role() == keys.List {
			var err error
			if b.list, err = b.home.Private(k, &b.app.unlock); err != nil {
				t.Fatal(err)
			}
		}
	}
	return b
}

func (b *batchMaker) reopen() {
	b.t.Helper()
	h, err := home.Open(b.app.dir)
	if err != nil {
		b.t.Fatal(err)
	}
	b.home = h
}

// mint returns the code of a licence.
func (b *batchMaker) mint(key int, binding string, lic payload.License) string {
	b.t.Helper()
	k, ok := b.home.Ring.MintKey(key)
	if !ok {
		b.t.Fatalf("no key %d", key)
	}
	private, err := b.home.Private(k, &b.app.unlock)
	if err != nil {
		b.t.Fatal(err)
	}
	s, err := signer.New(k, private, signer.Options{Binding: binding})
	if err != nil {
		b.t.Fatal(err)
	}
	code, err := s.AppendCode(nil, &lic)
	if err != nil {
		b.t.Fatal(err)
	}
	return string(code)
}

// manifest returns the manifest of serials 1 to count of key 8, without digest.
func (b *batchMaker) manifest(count uint64, format manifest.Format) manifest.Manifest {
	k, _ := b.home.Ring.MintKey(8)
	version := uint64(3)
	return manifest.Manifest{
		Issuer: b.home.Ring.Issuer(), KeyID: k.ID(), KeyNumber: 8, Product: 7, Version: &version, Expiry: payload.Never,
		First: 1, Last: count, Count: count, Kind: manifest.Mint, Format: format, File: "batch." + string(format),
		Time: time.Now(), Tool: "test",
	}
}

// write writes a file of codes and beside it a manifest with the digest of the
// file, and returns the path of the file.
func (b *batchMaker) write(text []byte, m manifest.Manifest) string {
	b.t.Helper()
	m.Digest = manifest.Digest{Size: int64(len(text)), SHA256: sha256.Sum256(text)}
	return b.sign(text, m)
}

// sign is write with the digest that the manifest has.
func (b *batchMaker) sign(text []byte, m manifest.Manifest) string {
	b.t.Helper()
	note, err := manifest.Sign(m, b.list)
	if err != nil {
		b.t.Fatal(err)
	}
	b.n++
	path := filepath.Join(filepath.Dir(b.app.dir), fmt.Sprintf("batch-%d.%s", b.n, m.Format))
	for name, data := range map[string][]byte{path: text, path + manifestSuffix: note} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			b.t.Fatal(err)
		}
	}
	return path
}

// verify checks a batch, in which a fault with this text is to be found, or none.
func (b *batchMaker) verify(path, bind, want string) {
	b.t.Helper()
	err := b.app.verifyBatch(context.Background(), batchVerifyOptions{bind: bind}, path)
	if want == "" {
		if err != nil {
			b.t.Errorf("a good batch: %v", err)
		}
		return
	}
	var exit *exitError
	if !errors.As(err, &exit) || exit.code != exitNotAuthentic || exit.err == nil {
		b.t.Errorf("error %v, want a fault with %q", err, want)
		return
	}
	if got := err.Error(); !strings.Contains(got, want) || !strings.HasPrefix(got, path+": ") {
		b.t.Errorf("error %q, want the path and %q", got, want)
	}
}

// terms are the licences of most batches here, their serials left out.
var terms = payload.License{Product: 7, Version: 3, Expiry: payload.Never}

func withSerial(lic payload.License, serial uint64) payload.License {
	lic.Serial = serial
	return lic
}

// codes returns the codes of serials first to last of key 8.
func (b *batchMaker) codes(first, last uint64) []string {
	b.t.Helper()
	var all []string
	for n := first; n <= last; n++ {
		all = append(all, b.mint(8, "", withSerial(terms, n)))
	}
	return all
}

// A list whose digest is that of the manifest, and which is wrong nevertheless.
// Only a vendor's own mistake makes one, so all of this is found code by code.
func TestBatchVerifyCodes(t *testing.T) {
	b := newBatchMaker(t)
	if err := b.app.addProduct(context.Background(), "9=Gadget", number{8, true}); err != nil {
		t.Fatal(err)
	}
	b.reopen()
	good := b.codes(1, 6)
	other := func(change func(*payload.License)) string {
		lic := withSerial(terms, 3)
		change(&lic)
		return b.mint(8, "", lic)
	}
	put := func(line int, code string) func([]string) []string {
		return func(c []string) []string { c[line-1] = code; return c }
	}
	same := func(c []string) []string { return c }
	typo := []byte(good[2])
	typo[7] = payload.Alphabet[(strings.IndexByte(payload.Alphabet, typo[7])+1)%len(payload.Alphabet)]
	for _, c := range []struct {
		name   string
		edit   func([]string) []string
		change func(*manifest.Manifest)
		want   string // "" is a good batch
	}{
		{"as it was", same, nil, ""},
		{"blank lines and spaces", func(c []string) []string { return slices.Insert(c, 2, "", "  ") }, nil, ""},
		{"swapped", func(c []string) []string { c[2], c[3] = c[3], c[2]; return c }, nil, "line 3: serial 4 where 3 is expected: codes are missing, repeated or out of order"},
		{"backwards", func(c []string) []string { slices.Reverse(c); return c }, nil, "line 1: serial 6 where 1 is expected"},
		{"a gap", func(c []string) []string { return slices.Delete(c, 2, 3) }, nil, "line 3: serial 4 where 3 is expected"},
		{"the first missing", func(c []string) []string { return c[1:] }, nil, "line 1: serial 2 where 1 is expected"},
		{"the last missing", func(c []string) []string { return c[:5] }, nil, "line 5: the list ends with 5 codes, but the manifest names 6"},
		{"all missing", func(c []string) []string { return nil }, nil, "no codes, but the manifest names 6"},
		{"doubled", func(c []string) []string { return slices.Insert(c, 3, c[2]) }, nil, "line 4: serial 3 where 4 is expected"},
		{"the last doubled", func(c []string) []string { return append(c, c[5]) }, nil, "line 7: serial 6 where 7 is expected"},
		{"doubled in place of another", put(4, good[2]), nil, "line 4: serial 3 where 4 is expected"},
		{"one more", func(c []string) []string { return append(c, b.codes(7, 7)...) }, nil, "line 7: one more than the 6 codes that the manifest names"},
		{"count too large", same, func(m *manifest.Manifest) { m.Last, m.Count = 7, 7 }, "line 6: the list ends with 6 codes, but the manifest names 7"},
		{"count too small", same, func(m *manifest.Manifest) { m.Last, m.Count = 5, 5 }, "line 6: one more than the 5 codes that the manifest names"},
		{"first serial wrong", same, func(m *manifest.Manifest) { m.First, m.Last = 2, 7 }, "line 1: serial 1 where 2 is expected"},
		{"another product", put(3, other(func(l *payload.License) { l.Product = 9 })), nil, "line 3: product 9, but the batch has 7"},
		{"another version", put(3, other(func(l *payload.License) { l.Version = 4 })), nil, "line 3: version 4, but the batch has 3"},
		{"another expiry", put(3, other(func(l *payload.License) { l.Expiry = 9000 })), nil, "line 3: expiry " + payload.Day(9000).String() + ", but the batch has never"},
		{"another key", put(3, b.mint(9, "", withSerial(terms, 3))), nil, "line 3: made with key 9, but the batch is of key 8"},
		{"the manifest of another product", same, func(m *manifest.Manifest) { m.Product = 9 }, "line 1: product 7, but the batch has 9"},
		{"the manifest of another version", same, func(m *manifest.Manifest) { v := uint64(0); m.Version = &v }, "line 1: version 3, but the batch has 0"},
		{"the manifest of another expiry", same, func(m *manifest.Manifest) { m.Expiry = 9000 }, "line 1: expiry never, but the batch has " + payload.Day(9000).String()},
		{"forged", put(3, forgedCode), nil, "line 3: " + forgedCode + ": the code is not genuine"},
		{"of a key that is not in the ring", put(3, otherCode), nil, "line 3: " + otherCode + ": "},
		{"one left", func(c []string) []string { return c[:1] }, nil, "line 1: the list ends with 1 code, but the manifest names 6"},
		{"one more than one", func(c []string) []string { return c[:2] }, func(m *manifest.Manifest) { m.Last, m.Count = 1, 1 }, "line 2: one more than the 1 code that the manifest names"},
		{"blank lines at the end", func(c []string) []string { return append(c, "", " ", "") }, nil, ""},
		{"blank lines only", func(c []string) []string { return []string{"", " "} }, nil, "no codes, but the manifest names 6"},
		{"text at the end", func(c []string) []string { return append(c, "total 6") }, nil, "line 7: total 6: "},
		{"text at the beginning", func(c []string) []string { return slices.Insert(c, 0, "code") }, nil, "line 1: code: "},
		{"a typing error", put(3, string(typo)), nil, "line 3: " + string(typo) + ": typing error"},
		{"no code at all", put(3, "hello"), nil, "line 3: hello: "},
		{"what commands a terminal", put(3, "\x1b[2J"), nil, "line 3: ·[2J: "},
		{"the first of several faults", func(c []string) []string { c[5], c[2], c[4] = forgedCode, c[4], "x"; return c }, nil, "line 3: serial 5 where 3 is expected"},
		{"a fault before a line that can't be read", func(c []string) []string {
			c[2] = forgedCode
			return append(c, strings.Repeat("A", 2<<20))
		}, nil, "line 3: " + forgedCode},
		{"a line that can't be read", func(c []string) []string { return append(c, strings.Repeat("A", 2<<20)) }, nil, "line 7: it is longer than 1 MiB"},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "-"), func(t *testing.T) {
			b.t = t
			m := b.manifest(6, manifest.TXT)
			if c.change != nil {
				c.change(&m)
			}
			text := strings.Join(c.edit(slices.Clone(good)), "\n") + "\n"
			b.verify(b.write([]byte(text), m), "", c.want)
			// A digest that does not fit is found first, whatever else is wrong.
			m.Digest = manifest.Digest{Size: 1, SHA256: sha256.Sum256(nil)}
			b.verify(b.sign([]byte(text), m), "", "the file was changed or is another")
		})
	}
}

// What stands beside the codes in csv, jsonl and xlsx.
func TestBatchVerifyColumns(t *testing.T) {
	b := newBatchMaker(t)
	codes := b.codes(1, 3)
	list := func(format string) string { return fmt.Sprintf(format, codes[0], codes[1], codes[2]) }
	for _, c := range []struct {
		name   string
		format manifest.Format
		text   string
		want   string
	}{
		{"as it was", manifest.CSV, list("code,serial\r\n%s,1\r\n%s,2\r\n%s,3\r\n"), ""},
		{"without serials", manifest.CSV, list("a,code\n1,%s\n2,%s\n3,%s\n"), ""},
		{"another serial", manifest.CSV, list("code,serial\r\n%s,1\r\n%s,3\r\n%s,3\r\n"), "line 3: the list says serial 3, but the code says 2"},
		{"serials moved by one", manifest.CSV, list("serial,code\n2,%s\n3,%s\n4,%s\n"), "line 2: the list says serial 2, but the code says 1"},
		{"a rounded serial", manifest.CSV, list("code,serial\r\n%s,1\r\n%s,2E+00\r\n%s,3\r\n"), `line 3: serial "2E+00": a spreadsheet has rounded it`},
		{"a row without code", manifest.CSV, list("code,serial\r\n%s,1\r\n%s,2\r\n,3\r\n%s,3\r\n"), "line 4: there is no code, but other cells are filled"},
		{"a row too wide", manifest.CSV, list("code,serial\r\n%s,1\r\n%s,2,9\r\n%s,3\r\n"), "line 3: a row of 3 cells or more"},
		{"no column of codes", manifest.CSV, list("kode,serial\r\n%s,1\r\n%s,2\r\n%s,3\r\n"), "line 1: no column is named code"},
		{"a label with line ends", manifest.CSV, list("code,note\n%s,\"a\r\nb\"\n%s,\"a\"\"b\"\n" + forgedCode + ",x\n%s,y\n"), "line 5: " + forgedCode},
		{"a fault before a row too wide", manifest.CSV, list("code,serial\r\n%s,2\r\n%s,2,9\r\n%s,3\r\n"), "line 2: the list says serial 2, but the code says 1"},
		{"as it was", manifest.JSONL, list(`{"code":"%s","serial":"1"}` + "\n" + `{"serial":2,"code":"%s"}` + "\n" + `{"code":"%s"}` + "\n"), ""},
		{"another serial", manifest.JSONL, list(`{"code":"%s","serial":"1"}` + "\n" + `{"serial":3,"code":"%s"}` + "\n" + `{"code":"%s"}` + "\n"), "line 2: the list says serial 3, but the code says 2"},
		{"half an object", manifest.JSONL, list(`{"code":"%s"}` + "\n" + `{"code":"%s"` + "\n" + `{"code":"%s"}` + "\n"), "line 2: "},
		{"no code", manifest.JSONL, list(`{"code":"%s"}` + "\n" + `{"code":"%s"}` + "\n" + `{"kode":"%s"}` + "\n"), "line 3: "},
		{"csv called jsonl", manifest.JSONL, list("code\n%s\n%s\n%s\n"), "line 1: "},
		{"txt called csv", manifest.CSV, list("%s\n%s\n%s\n"), "no column is named code"},
		{"txt called xlsx", manifest.XLSX, list("%s\n%s\n%s\n"), "not an xlsx file that can be read"},
		{"csv called txt", manifest.TXT, list("code\n%s\n%s\n%s\n"), "line 1: code: "},
	} {
		t.Run(string(c.format)+"/"+strings.ReplaceAll(c.name, " ", "-"), func(t *testing.T) {
			b.t = t
			b.verify(b.write([]byte(c.text), b.manifest(3, c.format)), "", c.want)
		})
	}
	for name, c := range map[string]struct {
		cells [][]any
		want  string
	}{
		"as-it-was":      {[][]any{{"code", "serial"}, {codes[0], "1"}, {codes[1], 2}, {codes[2]}}, ""},
		"another-serial": {[][]any{{"code", "serial"}, {codes[0], "1"}, {codes[1], 7}, {codes[2]}}, "line 3: the list says serial 7, but the code says 2"},
		"swapped":        {[][]any{{"code"}, {codes[1]}, {codes[0]}, {codes[2]}}, "line 2: serial 2 where 1 is expected"},
		"no-codes":       {[][]any{{"serial"}, {1}, {2}, {3}}, "no column is named code in any sheet"},
	} {
		t.Run("xlsx/"+name, func(t *testing.T) {
			b.t = t
			f := excelize.NewFile()
			defer f.Close()
			for i, row := range c.cells {
				if err := f.SetSheetRow("Sheet1", fmt.Sprint("A", i+1), &row); err != nil {
					t.Fatal(err)
				}
			}
			text, err := f.WriteToBuffer()
			if err != nil {
				t.Fatal(err)
			}
			b.verify(b.write(text.Bytes(), b.manifest(3, manifest.XLSX)), "", c.want)
		})
	}
}

// Batches are judged in pieces on all processors; the first fault of the list is
// told, not the first one found.
func TestBatchVerifyFirstFault(t *testing.T) {
	b := newBatchMaker(t)
	path := filepath.Join(filepath.Dir(b.app.dir), "all.txt")
	const piece, count = batchPieceSize, 5 * batchPieceSize
	if err := b.app.mint(context.Background(), mintOptions{
		key: number{8, true}, product: number{7, true}, version: number{3, true}, perpetual: true, count: number{count, true},
		output: outputFlags{path: path, group: payload.GroupSize, quiet: true},
	}); err != nil {
		t.Fatal(err)
	}
	b.verify(path, "", "")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	good := strings.Fields(string(text))
	for _, bad := range [][]int{{1, 2}, {piece - 1, piece + 1, 4 * piece}, {piece, 2*piece + 1}, {piece + 1}, {2 * piece, 2*piece + 1}, {count - 1, count}, {count}} {
		codes := slices.Clone(good)
		for _, line := range bad {
			codes[line-1] = forgedCode
		}
		text := strings.Join(codes, "\n") + "\n"
		b.verify(b.write([]byte(text), b.manifest(count, manifest.TXT)), "", fmt.Sprintf("line %d: %s", bad[0], forgedCode))
	}
	// Serials are counted across pieces.
	b.verify(b.write([]byte(strings.Join(slices.Delete(slices.Clone(good), 3*piece+5, 3*piece+6), "\n")), b.manifest(count-1, manifest.TXT)), "",
		fmt.Sprintf("line %d: serial %d where %[1]d is expected", 3*piece+6, 3*piece+7))
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if err := b.app.verifyBatch(ctx, batchVerifyOptions{}, path); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted verification: %v", err)
	}
}

// Batches of other keys: es256, bound, without version and expiry.
func TestBatchVerifyKeys(t *testing.T) {
	b := newBatchMaker(t)
	for _, o := range []testKey{
		{keyFlags{suite: "hs256", layout: "standard", bind: "licensee"}, 10},
		{keyFlags{suite: "hs256", layout: "coupon", bind: "none"}, 11},
		{keyFlags{suite: "es256", layout: "start:15,expiry:15,product:9,serial:24,rack:17", bind: "domain"}, 12},
	} {
		b.addKey(o)
	}
	m := b.manifest(1, manifest.TXT)
	about := func(key int, change func(*manifest.Manifest)) manifest.Manifest {
		m := m
		k, _ := b.home.Ring.MintKey(key)
		m.KeyNumber, m.KeyID = key, k.ID()
		if change != nil {
			change(&m)
		}
		return m
	}
	lic := withSerial(terms, 1)
	es := b.write([]byte(b.mint(9, "", lic)+"\n"), about(9, nil))
	b.verify(es, "", "")

	to := func(text string) func(*manifest.Manifest) {
		return func(m *manifest.Manifest) { m.Binding = mustBinding(t, text) }
	}
	bound := b.write([]byte(b.mint(10, "Jane Doe", lic)+"\n"), about(10, to("Jane Doe")))
	b.verify(bound, "Jane Doe", "")
	// A wrong text is no fault of the batch.
	for text, want := range map[string]string{
		"":          "the codes are bound to a licensee: give the text with --bind",
		"John Doe":  "--bind: not the text that the batch is bound to, whose SHA-256 is 01332c876518a793",
		"000":       "--bind: binding: ",
		" Jane Doe": "--bind: not the text",
	} {
		err := b.app.verifyBatch(context.Background(), batchVerifyOptions{bind: text}, bound)
		wantUsage(t, text, err)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("--bind %q: %v, want %q", text, err, want)
		}
	}
	// Codes that are bound to something else than their manifest says.
	b.verify(b.write([]byte(b.mint(10, "John Doe", lic)+"\n"), about(10, to("Jane Doe"))), "Jane Doe", "line 1: ")
	// A key that binds nothing takes any text.
	b.verify(es, "Jane Doe", "")

	coupon := b.write([]byte(b.mint(11, "", payload.License{Product: 7, Serial: 1})+"\n"), about(11, func(m *manifest.Manifest) { m.Version, m.Expiry = nil, 0 }))
	b.verify(coupon, "", "")

	// A licence that begins later, and one that is long expired, were minted as they are.
	own := payload.License{Product: 7, Serial: 1, Start: 20000, Expiry: 20001}
	own.Extra.Set("rack", 99)
	own2 := own
	own2.Start, own2.Expiry = 1, 2
	states := func(lic payload.License) manifest.Manifest {
		return about(12, func(m *manifest.Manifest) {
			m.Version, m.Expiry, m.Start, m.Fields, m.Binding = nil, lic.Expiry, lic.Start, map[string]uint64{"rack": 99}, mustBinding(t, "example.com")
		})
	}
	for _, lic := range []payload.License{own, own2} {
		b.verify(b.write([]byte(b.mint(12, "example.com", lic)+"\n"), states(lic)), "example.com", "")
	}
	// What the manifest says of the further fields holds for each code.
	other, rack, zero := own, own, own
	other.Start--
	rack.Extra.Set("rack", 98)
	zero.Start = 0
	for want, lic := range map[string]payload.License{
		"line 1: start " + other.Start.String() + ", but the batch has " + own.Start.String(): other,
		"line 1: rack 98, but the batch has 99":                                               rack,
		"line 1: start 2025-01-01, but the batch has " + own.Start.String():                   zero,
	} {
		b.verify(b.write([]byte(b.mint(12, "example.com", lic)+"\n"), states(own)), "example.com", want)
	}
	silent := states(own)
	silent.Fields = nil
	b.verify(b.write([]byte(b.mint(12, "example.com", own)+"\n"), silent), "example.com", "line 1: rack 99, but the batch has 0")
	silent = states(own)
	silent.Start = 0
	b.verify(b.write([]byte(b.mint(12, "example.com", own)+"\n"), silent), "example.com", "line 1: start "+own.Start.String()+", but the batch has 2025-01-01")

	// A ring without secrets judges es256 codes, and says what it can't judge.
	ring := filepath.Join(b.app.dir, "ring.json")
	if err := b.app.verifyBatch(context.Background(), batchVerifyOptions{ring: ring}, es); err != nil {
		t.Errorf("an es256 batch, by the ring: %v", err)
	}
	var exit *exitError
	if err := b.app.verifyBatch(context.Background(), batchVerifyOptions{ring: ring}, coupon); !errors.As(err, &exit) || exit.code != exitCannotJudge || !strings.Contains(err.Error(), "line 1: ") {
		t.Errorf("an hs256 batch, by a ring without secrets: %v", err)
	}
}

// SPEC.md, section 9.5: that a batch was made stays true, whatever became of the key
// and of its products. Of a withdrawn key it is said, once.
func TestBatchVerifyKeyState(t *testing.T) {
	b := newBatchMaker(t)
	good := b.codes(1, 3)
	bad := slices.Clone(good)
	bad[1] = forgedCode
	path := b.write([]byte(strings.Join(good, "\n")+"\n"), b.manifest(3, manifest.TXT))
	forged := b.write([]byte(strings.Join(bad, "\n")+"\n"), b.manifest(3, manifest.TXT))
	recipients, err := b.home.Recipients()
	if err != nil {
		t.Fatal(err)
	}
	encrypted := b.manifest(1, manifest.TXT)
	plain := good[0] + "\n"
	encrypted.Plaintext = &manifest.Digest{Size: int64(len(plain)), SHA256: sha256.Sum256([]byte(plain))}
	sealed := b.write(sealFor(t, plain, recipients[0]), encrypted)
	key, _ := b.home.Ring.MintKey(8)
	ring, err := keys.NewRing(b.home.Ring.Issuer(), append(b.home.Ring.Products(), keys.Product{Number: 9, Name: "Gadget"}), b.home.Ring.Keys())
	if err != nil {
		t.Fatal(err)
	}
	gadget, err := key.WithProducts(9)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		key  keys.Key
		says string
	}{
		"active":          {key, ""},
		"closed":          {key.WithState(keys.Closed), ""},
		"withdrawn":       {key.WithState(keys.Withdrawn), "Key 8 is withdrawn: whoever judges codes refuses all of it, these too.\n"},
		"another product": {gadget, ""},
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			b.t = t
			edited, err := ring.Replace(c.key)
			if err == nil {
				err = b.home.SaveRing(edited)
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, identities := range [][]string{b.app.unlock.Identities, nil} {
				if identities == nil {
					path = sealed // only the file can be checked then
				}
				old := b.app.unlock.Identities
				b.app.unlock.Identities = identities
				told := b.app.told(t, func() { b.verify(path, "", "") })
				b.app.unlock.Identities = old
				if !strings.HasSuffix(told, c.says) || strings.Contains(told, "withdrawn") != (c.says != "") {
					t.Errorf("told %q, want %q", told, c.says)
				}
			}
			b.verify(forged, "", "line 2: "+forgedCode)
		})
	}
}

func mustBinding(t *testing.T, text string) [sha256.Size]byte {
	t.Helper()
	hash, err := keys.BindingContext(text)
	if err != nil {
		t.Fatal(err)
	}
	return hash
}

// A testKey is a mint key to make.
type testKey struct {
	flags  keyFlags
	number int
}

// addKey makes a mint key of product 7.
func (b *batchMaker) addKey(o testKey) {
	b.t.Helper()
	d, err := o.flags.descriptor(o.number)
	if err != nil {
		b.t.Fatal(err)
	}
	private, key, err := generate(keys.Mint, d, []uint64{7})
	if err != nil {
		b.t.Fatal(err)
	}
	ring, err := keys.NewRing(b.home.Ring.Issuer(), b.home.Ring.Products(), append(b.home.Ring.Keys(), key))
	if err != nil {
		b.t.Fatal(err)
	}
	recipients, err := b.home.Recipients()
	if err == nil {
		err = b.home.WritePrivate(private, home.Encryption{Recipients: recipients})
	}
	if err == nil {
		err = b.home.SaveRing(ring)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// An encrypted file whose digest fits, and whose content does not: what was
// encrypted is another list, or more than the list.
func TestBatchVerifyPlaintext(t *testing.T) {
	b := newBatchMaker(t)
	recipients, err := b.home.Recipients()
	if err != nil {
		t.Fatal(err)
	}
	seal := func(text string) []byte { return sealFor(t, text, recipients[0]) }
	text := strings.Join(b.codes(1, 3), "\n") + "\n"
	write := func(cipher []byte, plain string) string {
		m := b.manifest(3, manifest.TXT)
		m.Plaintext = &manifest.Digest{Size: int64(len(plain)), SHA256: sha256.Sum256([]byte(plain))}
		return b.write(cipher, m)
	}
	b.verify(write(seal(text), text), "", "")
	b.verify(write(seal(text+"\n\n"), text), "", "the decrypted content is not what the manifest names")
	b.verify(write(seal(text), text+"\n"), "", "the decrypted content is not what the manifest names")
	b.verify(write(seal(text+forgedCode+"\n"), text), "", "line 4: "+forgedCode)
	broken := seal(text)
	broken[len(broken)-1] ^= 1
	b.verify(write(broken, text), "", "failed to decrypt")
}

func sealFor(t *testing.T, text, recipient string) []byte {
	t.Helper()
	var out bytes.Buffer
	to, err := keyfile.Recipient(recipient)
	if err != nil {
		t.Fatal(err)
	}
	w, err := age.Encrypt(&out, to)
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// BO-11, BO-17: whatever is refused leaves no serial taken, no file and nothing
// temporary.
func TestMintRefusesBeforeSerials(t *testing.T) {
	a := newTestApp(t)
	dir := t.TempDir()
	base := mintOptions{
		key: number{8, true}, product: number{7, true}, version: number{3, true}, perpetual: true, count: number{3, true},
		output: outputFlags{path: filepath.Join(dir, "out.csv"), group: payload.GroupSize},
	}
	for name, change := range map[string]func(*mintOptions){
		"a format":                      func(o *mintOptions) { o.output.format = "pdf" },
		"a column":                      func(o *mintOptions) { o.output.columns = []string{"code", "colour"} },
		"a column twice":                func(o *mintOptions) { o.output.columns = []string{"code", "code"} },
		"columns of txt":                func(o *mintOptions) { o.output.format, o.output.columns = "txt", []string{"serial"} },
		"a label without value":         func(o *mintOptions) { o.output.labels = []string{"order"} },
		"an empty label":                func(o *mintOptions) { o.output.labels = []string{"order="} },
		"a label that no manifest has":  func(o *mintOptions) { o.output.labels = []string{"Order=1"} },
		"a label with an underscore":    func(o *mintOptions) { o.output.labels = []string{"order_no=1"} },
		"a label named as a column":     func(o *mintOptions) { o.output.labels = []string{"serial=1"} },
		"two labels of a name":          func(o *mintOptions) { o.output.labels = []string{"a=1", "a=2"} },
		"a label of several lines":      func(o *mintOptions) { o.output.labels = []string{"a=1\n2"} },
		"a label too long":              func(o *mintOptions) { o.output.labels = []string{"a=" + strings.Repeat("x", 257)} },
		"more labels than any manifest": func(o *mintOptions) { o.output.labels = manyLabels(65) },
		"a recipient":                   func(o *mintOptions) { o.output.encryptTo = []string{"age1x"} },
		"more than a sheet holds":       func(o *mintOptions) { o.count.value, o.output.format = 1<<20, "xlsx" },
		"more than the serials":         func(o *mintOptions) { o.count.value = 1 << 28 },
		"a group":                       func(o *mintOptions) { o.output.group = -1 },
		"a name that no manifest has":   func(o *mintOptions) { o.output.path = filepath.Join(dir, "a\u0085b.csv") },
		"serials that were not handed out": func(o *mintOptions) {
			o.serials, o.count, o.again = serialRange{1, 3}, number{}, true
		},
		"a renewal of nothing": func(o *mintOptions) { o.serials, o.count, o.kind = serialRange{1, 3}, number{}, "renew" },
	} {
		o := base
		change(&o)
		wantUsage(t, name, a.mint(context.Background(), o))
		if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
			t.Errorf("%s: %v left behind, %v", name, entries, err)
		}
		if _, err := os.Lstat(filepath.Join(a.dir, "journal.jsonl")); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("%s: the journal was written", name)
		}
	}
	if err := a.mint(context.Background(), base); err != nil {
		t.Errorf("what all of them began with: %v", err)
	}
}

func manyLabels(n int) []string {
	var labels []string
	for i := range n {
		labels = append(labels, fmt.Sprintf("l%d=x", i))
	}
	return labels
}

// A list that is to be encrypted never touches the disk in the clear, neither when it
// is written nor when it is checked: no file is made in the folder for temporary ones.
func TestEncryptedXLSXTouchesNoDisk(t *testing.T) {
	a := newTestApp(t)
	tmp := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, tmp)
	}
	recipients, err := (&home.Home{Dir: a.dir}).Recipients()
	if err != nil {
		t.Fatal(err)
	}
	// touched reports whether a file was made in the folder meanwhile.
	touched := func(f func() error) bool {
		t.Helper()
		past := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		if err := os.Chtimes(tmp, past, past); err != nil {
			t.Fatal(err)
		}
		if err := f(); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(tmp)
		if err != nil {
			t.Fatal(err)
		}
		return !info.ModTime().Equal(past)
	}
	o := mintOptions{
		key: number{8, true}, product: number{7, true}, version: number{3, true}, perpetual: true, count: number{4000, true},
		output: outputFlags{path: filepath.Join(t.TempDir(), "out.xlsx"), group: payload.GroupSize, quiet: true, labels: manyLabels(16)},
	}
	for i := range o.output.labels { // 4 KB a row, so that few make a large sheet
		o.output.labels[i] += strings.Repeat("x", 250)
	}
	mint := func() error { return a.mint(context.Background(), o) }
	verify := func() error {
		return a.verifyBatch(context.Background(), batchVerifyOptions{quiet: true}, o.output.path)
	}
	if touched(mint) {
		t.Error("a temporary file of a list that is written")
	}
	if !touched(verify) {
		t.Error("no temporary file of a large list: this test would not see one")
	}
	o.output.path += ".age"
	o.output.encryptTo = recipients
	if touched(mint) || touched(verify) {
		t.Error("a temporary file of a list that is encrypted")
	}
}

// BO-04: labels as they come out in every format, and as they are read again.
func TestMintLabels(t *testing.T) {
	a := newTestApp(t)
	for _, label := range []string{"=HYPERLINK(\"x\")", "+1", "-x", "@a", "＝1", "'=1", "plain", "a,b;c", `"quoted"`, "3-12-2024", "ünï"} {
		o := mintOptions{
			key: number{8, true}, product: number{7, true}, version: number{3, true}, perpetual: true,
			output: outputFlags{path: filepath.Join(t.TempDir(), "out.csv"), group: payload.GroupSize, labels: []string{"note=" + label}},
		}
		if err := a.mint(context.Background(), o); err != nil {
			t.Errorf("label %q: %v", label, err)
			continue
		}
		if err := a.verifyBatch(context.Background(), batchVerifyOptions{}, o.output.path); err != nil {
			t.Errorf("label %q: %v", label, err)
		}
		m, err := readManifest(o.output.path+manifestSuffix, mustRing(t, a))
		if err != nil || m.Labels["note"] != label {
			t.Errorf("label %q is %q in the manifest, %v", label, m.Labels["note"], err)
		}
	}
	list := a.captured(t, func() {
		if err := a.listBatches(false); err != nil {
			t.Error(err)
		}
	})
	for _, want := range []string{"note==HYPERLINK(\"x\")", "note=3-12-2024", "key 8, product 7: 11 serials handed out, next is 12"} {
		if !strings.Contains(list, want) {
			t.Errorf("%q is not in\n%s", want, list)
		}
	}
}

func mustRing(t *testing.T, a *app) *keys.Ring {
	t.Helper()
	ring, err := a.publicRing("")
	if err != nil {
		t.Fatal(err)
	}
	return ring
}
