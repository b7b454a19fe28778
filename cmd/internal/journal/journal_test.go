package journal

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"pgregory.net/rapid"

	"github.com/licet-dev/licet/keys"
)

var (
	keyA = keys.ID{0x0a, 1, 2, 3, 4, 5, 6, 7}
	keyB = keys.ID{0x0b, 1, 2, 3, 4, 5, 6, 7}
	noon = time.Date(2026, 12, 1, 12, 0, 0, 999, time.UTC)
)

const most = 1000 // the largest serial, in most tests

// notices collects what a journal tells.
type notices struct {
	mu  sync.Mutex
	all []string
}

func (n *notices) add(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, text)
}

// take returns what was told since.
func (n *notices) take() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	all := strings.Join(n.all, "\n")
	n.all = nil
	return all
}

func options(n *notices) Options {
	o := Options{Tool: "licet test", Now: func() time.Time { return noon }}
	if n != nil {
		o.Notice = n.add
	}
	return o
}

// open opens a journal that does not wait for the disk.
func open(t rapid.TB, path string, n *notices) *Journal {
	t.Helper()
	j, err := Open(path, options(n))
	if err != nil {
		t.Fatal(err)
	}
	j.sync = func(*os.File) error { return nil }
	return j
}

func newPath(t testing.TB) string { return filepath.Join(t.TempDir(), Name) }

func count(key keys.ID, product, n uint64) Request {
	return Request{Key: 8, KeyID: key, Product: product, Count: n, Max: most}
}

func serials(key keys.ID, product, first, last uint64) Request {
	return Request{Key: 8, KeyID: key, Product: product, Serials: Range{first, last}, Max: most}
}

// do records as the kind says.
func do(j *Journal, kind Kind, r Request) (Entry, error) {
	if kind == Mint {
		return j.Reserve(context.Background(), r)
	}
	return j.Record(context.Background(), kind, r)
}

func must(t rapid.TB, j *Journal, kind Kind, r Request) Entry {
	t.Helper()
	e, err := do(j, kind, r)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func entries(t rapid.TB, j *Journal) []Entry {
	t.Helper()
	var all []Entry
	for e, err := range j.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

func summary(t rapid.TB, j *Journal) []Series {
	t.Helper()
	s, err := j.Summary()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func read(t rapid.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func expectError(t rapid.TB, err error, want ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %q", want)
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q lacks %q", err, w)
		}
	}
}

func TestRules(t *testing.T) {
	type step struct {
		kind Kind
		r    Request
		want Range
		err  string // empty when it works
	}
	never, huge := Range{}, uint64(1<<64-1)
	for name, steps := range map[string][]step{
		"from 1, one after the other": {
			{Mint, count(keyA, 7, 1), Range{1, 1}, ""},
			{Mint, count(keyA, 7, 9), Range{2, 10}, ""},
			{Mint, count(keyA, 7, 1), Range{11, 11}, ""},
		},
		"keys and products do not meet": {
			{Mint, count(keyA, 7, 5), Range{1, 5}, ""},
			{Mint, count(keyB, 7, 5), Range{1, 5}, ""},
			{Mint, count(keyA, 8, 5), Range{1, 5}, ""},
			{Stated, serials(keyB, 8, 1, 5), Range{1, 5}, ""},
			{Again, serials(keyB, 9, 1, 5), never, "never handed out"},
		},
		"after the highest, not into gaps": {
			{Stated, serials(keyA, 7, 100, 110), Range{100, 110}, ""},
			{Mint, count(keyA, 7, 1), Range{111, 111}, ""},
			{Stated, serials(keyA, 7, 50, 50), Range{50, 50}, ""},
			{Mint, count(keyA, 7, 1), Range{112, 112}, ""},
		},
		"up to the last serial": {
			{Mint, count(keyA, 7, most+1), never, "count 1001: key 8 (0a01020304050607) has 1000 serials left for product 7, the largest is 1000; for more, make a new key"},
			{Mint, count(keyA, 7, most), Range{1, most}, ""},
			{Mint, count(keyA, 7, 1), never, "has no serials left"},
			{Mint, count(keyA, 7, huge), never, "has no serials left"},
			{Mint, count(keyA, 8, 1), Range{1, 1}, ""},
		},
		"from max-1": {
			{Stated, serials(keyA, 7, most-1, most-1), Range{most - 1, most - 1}, ""},
			{Mint, count(keyA, 7, 3), never, "has 1 serial left"},
			{Mint, count(keyA, 7, 2), never, "has 1 serial left"},
			{Mint, count(keyA, 7, 1), Range{most, most}, ""},
			{Mint, count(keyA, 7, 1), never, "has no serials left"},
			{Mint, count(keyA, 7, 1), never, "has no serials left"},
		},
		"64 bits": {
			{Stated, Request{KeyID: keyA, Product: huge, Max: huge, Serials: Range{huge - 1, huge - 1}}, Range{huge - 1, huge - 1}, ""},
			{Mint, Request{KeyID: keyA, Product: huge, Max: huge, Count: huge}, never, "has 1 serial left"},
			{Mint, Request{KeyID: keyA, Product: huge, Max: huge, Count: 1}, Range{huge, huge}, ""},
			{Mint, Request{KeyID: keyA, Product: huge, Max: huge, Count: 1}, never, "has no serials left"},
			{Stated, Request{KeyID: keyA, Product: huge, Max: huge, Serials: Range{1, huge}}, never, "serial 18446744073709551615, the largest of the key, is handed out too"},
			{Stated, Request{KeyID: keyA, Product: huge, Max: huge, Serials: Range{1, huge - 2}}, Range{1, huge - 2}, ""},
			{Again, Request{KeyID: keyA, Product: huge, Serials: Range{1, huge}}, Range{1, huge}, ""},
		},
		"a journal above the largest serial": {
			{Stated, serials(keyA, 7, 900, 900), Range{900, 900}, ""},
			{Mint, Request{KeyID: keyA, Product: 7, Max: 15, Count: 1}, never, "has no serials left"},
		},
		"overlap": {
			{Mint, count(keyA, 7, 10), Range{1, 10}, ""},
			{Stated, serials(keyA, 7, 21, 30), Range{21, 30}, ""},
			{Stated, serials(keyA, 7, 10, 10), never, "serial 10 of key 8 (0a01020304050607) and product 7: handed out already on 2026-12-01 (line 1 of the journal); take serials from 31 on"},
			{Stated, serials(keyA, 7, 5, 40), never, "serials 5 to 10 handed out already"},
			{Stated, serials(keyA, 7, 15, 25), never, "serials 21 to 25 handed out already on 2026-12-01 (line 2"},
			{Stated, serials(keyA, 7, 22, 23), never, "handed out already on 2026-12-01 (line 2"},
			{Stated, serials(keyA, 7, 11, 21), never, "serial 21 handed out already"},
			{Stated, serials(keyA, 7, 11, 20), Range{11, 20}, ""},
			{Stated, serials(keyA, 7, 31, most), Range{31, most}, ""},
			{Stated, serials(keyA, 7, 5, 5), never, "; serial 1000, the largest of the key, is handed out too"},
		},
		"repeat and renew": {
			{Again, serials(keyA, 7, 1, 1), never, "serial 1 of key 8 (0a01020304050607) and product 7: never handed out as far as this journal knows, so there is nothing to repeat"},
			{Mint, count(keyA, 7, 10), Range{1, 10}, ""},
			{Stated, serials(keyA, 7, 12, 20), Range{12, 20}, ""},
			{Again, serials(keyA, 7, 1, 10), Range{1, 10}, ""},
			{Again, serials(keyA, 7, 1, 10), Range{1, 10}, ""},
			{Again, serials(keyA, 7, 3, 11), never, "serial 11 never handed out"},
			{Again, serials(keyA, 7, 3, 20), never, "serial 11 never handed out"},
			{Again, serials(keyA, 7, 15, 25), never, "serials 21 to 25 never handed out"},
			{Renew, serials(keyA, 7, 11, 12), never, "nothing to renew"},
			{Renew, serials(keyA, 7, 12, 12), Range{12, 12}, ""},
			{Stated, serials(keyA, 7, 11, 11), Range{11, 11}, ""},
			{Renew, serials(keyA, 7, 1, 20), Range{1, 20}, ""},
			{Mint, count(keyA, 7, 1), Range{21, 21}, ""},
		},
		"wrong requests": {
			{Mint, count(keyA, 7, 0), never, "count 0: want 1 or more"},
			{Mint, Request{KeyID: keyA, Count: 1}, never, "the largest serial is not known"},
			{Stated, Request{KeyID: keyA, Serials: Range{1, 1}}, never, "the largest serial is not known"},
			{Stated, serials(keyA, 7, 0, 0), never, "serials start at 1"},
			{Again, serials(keyA, 7, 0, 5), never, "serials start at 1"},
			{Stated, serials(keyA, 7, 6, 5), never, "serials 6 to 5"},
			{Stated, serials(keyA, 7, most, most+1), never, "serial 1001: the largest serial of key 8 is 1000"},
			{"", serials(keyA, 7, 1, 1), never, `kind ""`},
			{"sold", serials(keyA, 7, 1, 1), never, `kind "sold"`},
			{Mint, Request{Key: -1, KeyID: keyA, Count: 1, Max: 1}, never, "key -1"},
			{Mint, Request{KeyID: keyA, Count: 1, Max: 1, Output: "a/b"}, never, "without its folder"},
			{Mint, Request{KeyID: keyA, Count: 1, Max: 1, Output: ".." + string(filepath.Separator)}, never, "without its folder"},
			{Mint, Request{KeyID: keyA, Count: 1, Max: 1, Labels: map[string]string{"": "x"}}, never, "a label has no name"},
			{Mint, Request{KeyID: keyA, Count: 1, Max: 1, Labels: map[string]string{"a": "\xff"}}, never, "not UTF-8"},
			{Mint, Request{KeyID: keyA, Count: 1, Max: 1, Labels: map[string]string{"a": strings.Repeat("x", maxLine)}}, never, "shorten the labels"},
			{Mint, Request{KeyID: keyA, Count: 1, Max: 1, Terms: Terms{Fields: map[string]uint64{"": 1}}}, never, "no name of a field"},
			{Mint, Request{KeyID: keyA, Count: 1, Max: 1, Terms: Terms{Fields: map[string]uint64{"a\nb": 1}}}, never, "no name of a field"},
			{Mint, Request{KeyID: keyA, Count: 1, Max: 1, Terms: Terms{Binding: "Jane Doe"}}, never, "64 hexadecimal digits"},
			{Mint, Request{KeyID: keyA, Count: 1, Max: 1, Terms: Terms{Binding: strings.Repeat("0A", 32)}}, never, "64 hexadecimal digits"},
			{Mint, Request{KeyID: keyA, Count: 1, Max: 1}, Range{1, 1}, ""},
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := newPath(t)
			j := open(t, path, nil)
			for i, s := range steps {
				if s.kind == "" || s.kind == "sold" || strings.HasPrefix(s.err, "shorten") {
				} else if r, err := j.Check(s.kind, s.r); (err == nil) != (s.err == "") || err == nil && r != s.want {
					t.Errorf("step %d: Check: %v, %v", i, r, err)
				} else if err != nil {
					expectError(t, err, s.err)
				}
				before := ""
				if i > 0 {
					before = readIfThere(path)
				}
				e, err := do(j, s.kind, s.r)
				if s.err != "" {
					expectError(t, err, s.err)
					if after := readIfThere(path); after != before {
						t.Errorf("step %d: a refusal changed the journal:\n%s", i, after)
					}
					continue
				}
				if err != nil || e.Serials != s.want || e.Kind != s.kind {
					t.Fatalf("step %d: %v %v, %v, want %v", i, e.Kind, e.Serials, err, s.want)
				}
			}
			again := open(t, path, nil)
			if a, b := summary(t, j), summary(t, again); !reflect.DeepEqual(a, b) {
				t.Errorf("opened anew: %v, want %v", b, a)
			}
		})
	}
}

func readIfThere(path string) string {
	b, _ := os.ReadFile(path)
	return string(b)
}

func TestErrorTypes(t *testing.T) {
	j := open(t, newPath(t), nil)
	must(t, j, Mint, count(keyA, 7, 10))
	must(t, j, Again, serials(keyA, 7, 2, 3))

	var full *FullError
	if _, err := do(j, Mint, count(keyA, 7, most)); !errors.As(err, &full) || *full != (FullError{8, keyA, 7, most, most - 10, most}) {
		t.Errorf("%+v", full)
	}
	var overlap *OverlapError
	if _, err := do(j, Stated, serials(keyA, 7, 2, 12)); !errors.As(err, &overlap) ||
		overlap.Want != (Range{2, 12}) || overlap.Taken != (Range{2, 10}) || overlap.Earlier.Line != 1 || overlap.Earlier.Kind != Mint ||
		overlap.Highest != 10 || overlap.Max != most || overlap.Key != 8 || overlap.KeyID != keyA || overlap.Product != 7 {
		t.Errorf("%+v", overlap)
	}
	var unknown *UnknownError
	if _, err := do(j, Renew, serials(keyA, 7, 2, 12)); !errors.As(err, &unknown) || *unknown != (UnknownError{8, keyA, 7, Renew, Range{2, 12}, Range{11, 12}}) {
		t.Errorf("%+v", unknown)
	}
}

// The text of a journal is fixed: other programs read it, and a later version must.
func TestText(t *testing.T) {
	path := newPath(t)
	j := open(t, path, nil)
	must(t, j, Mint, Request{Key: 8, KeyID: keyA, Product: 7, Count: 500, Max: most, Terms: Terms{Version: "3", Expiry: "2027-12-31"},
		Labels: map[string]string{"shop": "Smith & \"Sons\" \u2028ä", "order": "1017"}, Output: "batch.txt", Format: "text"})
	must(t, j, Renew, serials(keyA, 7, 2, 2))
	must(t, j, Again, Request{Key: 8, KeyID: keyA, Product: 7, Serials: Range{1, 1}, Terms: Terms{Start: "2027-01-01",
		Fields: map[string]uint64{"seats": 0, "edition": 2}, Binding: strings.Repeat("0a", 32)}})
	want := `{"time":"2026-12-01T12:00:00Z","kind":"mint","key":8,"key_id":"0a01020304050607","product":7,"first":"1","last":"500","version":"3","expiry":"2027-12-31","labels":{"order":"1017","shop":"Smith & \"Sons\" \u2028ä"},"output":"batch.txt","format":"text","tool":"licet test","sum":"SUM1"}
{"time":"2026-12-01T12:00:00Z","kind":"renew","key":8,"key_id":"0a01020304050607","product":7,"first":"2","last":"2","output":"","format":"","tool":"licet test","sum":"SUM2"}
{"time":"2026-12-01T12:00:00Z","kind":"again","key":8,"key_id":"0a01020304050607","product":7,"first":"1","last":"1","start":"2027-01-01","fields":{"edition":"2","seats":"0"},"binding":"0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a","output":"","format":"","tool":"licet test","sum":"SUM3"}
`
	all := entries(t, j)
	want = strings.NewReplacer("SUM1", all[0].Sum, "SUM2", all[1].Sum, "SUM3", all[2].Sum).Replace(want)
	if got := read(t, path); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	// As sha256sum computes them.
	if all[0].Sum != "eeb8b1f349bd7eb0" || all[1].Sum != "078d7bff62a00efa" {
		t.Errorf("sums %s, %s", all[0].Sum, all[1].Sum)
	}
}

func TestEntries(t *testing.T) {
	path := newPath(t)
	j := open(t, path, nil)
	if all := entries(t, j); all != nil {
		t.Errorf("no file: %v", all)
	}
	var want []Entry
	want = append(want,
		must(t, j, Mint, Request{Key: 8, KeyID: keyA, Product: 7, Count: 5, Max: most, Terms: Terms{Version: "0", Expiry: "never", Start: "2025-01-01", Fields: map[string]uint64{"edition": 0, "rack": 1<<64 - 1}, Binding: strings.Repeat("0a", 32)}, Labels: map[string]string{"a": "", "\x00\u2028\"\\": "ä\n"}, Output: "\xffäöü.csv", Format: "csv"}),
		must(t, j, Stated, serials(keyB, 0, 7, 7)),
		must(t, j, Again, serials(keyA, 7, 2, 3)))
	got := entries(t, j)
	for i := range want {
		if i >= len(got) || !got[i].equal(want[i]) || got[i].Line != i+1 {
			t.Fatalf("got %+v\nwant %+v", got, want)
		}
	}
	if e := got[0]; e.Output != "\ufffdäöü.csv" || !e.Time.Equal(noon.Truncate(time.Second)) || e.Tool != "licet test" || e.Serials.Count() != 5 {
		t.Errorf("%+v", e)
	}
	n := 0
	for range j.Entries() {
		if n++; n == 2 {
			break
		}
	}
	// The journal can be used within the loop.
	for e := range j.Entries() {
		if e.Line == 1 {
			must(t, j, Mint, count(keyA, 7, 1))
		}
	}
}

func TestSummary(t *testing.T) {
	j := open(t, newPath(t), nil)
	if s := summary(t, j); len(s) != 0 {
		t.Error(s)
	}
	must(t, j, Stated, serials(keyB, 7, 3, 5))
	must(t, j, Stated, serials(keyB, 7, 10, 12))
	must(t, j, Mint, count(keyB, 7, 2))
	must(t, j, Renew, serials(keyB, 7, 3, 4))
	must(t, j, Mint, count(keyA, 9, 2))
	must(t, j, Mint, count(keyA, 7, 2))
	other := count(keyB, 1, 2)
	other.Key = 3
	must(t, j, Mint, other)
	want := []Series{
		{3, keyB, 1, []Range{{1, 2}}, nil, 3, 2},
		{8, keyA, 7, []Range{{1, 2}}, nil, 3, 2},
		{8, keyA, 9, []Range{{1, 2}}, nil, 3, 2},
		{8, keyB, 7, []Range{{3, 5}, {10, 14}}, []Range{{1, 2}, {6, 9}}, 15, 8},
	}
	if got := summary(t, j); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

// Each journal sees what the other one writes.
func TestTwoOpen(t *testing.T) {
	path := newPath(t)
	a, b := open(t, path, nil), open(t, path, nil)
	next := uint64(1)
	for range 20 {
		for _, j := range []*Journal{a, b, a, a, b} {
			if e := must(t, j, Mint, count(keyA, 7, 3)); e.Serials != (Range{next, next + 2}) {
				t.Fatal(e.Serials, next)
			}
			next += 3
		}
	}
	if a, b := summary(t, a), summary(t, b); !reflect.DeepEqual(a, b) || a[0].Total != 300 {
		t.Error(a, b)
	}
}

func TestGoroutines(t *testing.T) {
	path := newPath(t)
	var mu sync.Mutex
	var taken rangeSet
	var group sync.WaitGroup
	shared := open(t, path, nil)
	for i := range 6 {
		j := shared
		if i%2 == 0 {
			j = open(t, path, nil)
		}
		group.Go(func() {
			for range 20 {
				e, err := do(j, Mint, count(keyA, 7, 2))
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				if part, ok := taken.overlap(e.Serials); ok {
					t.Errorf("%v twice", part)
				} else {
					taken.add(e.Serials)
				}
				mu.Unlock()
				for _, err := range j.Entries() {
					if err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	group.Wait()
	if taken.highest() != 240 {
		t.Error(taken.highest())
	}
}

func TestFiles(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, Name)
	j := open(t, path, nil)
	if _, err := j.Check(Mint, count(keyA, 7, 1)); err != nil {
		t.Error(err)
	}
	if list, _ := os.ReadDir(folder); len(list) != 0 {
		t.Errorf("reading made files: %v", list)
	}
	must(t, j, Mint, count(keyA, 7, 1))
	list, _ := os.ReadDir(folder)
	if len(list) != 2 || list[0].Name() != "journal.jsonl" || list[1].Name() != "journal.lock" {
		t.Errorf("in the folder: %v", list)
	}
	for _, e := range list {
		if info, err := e.Info(); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
			t.Errorf("%s: %v, %v", e.Name(), info.Mode(), err)
		}
	}
	if j.Path() != path {
		t.Error(j.Path())
	}
}

// Where no journal can be.
func TestPlaces(t *testing.T) {
	folder := t.TempDir()
	none := open(t, filepath.Join(folder, "none", Name), nil)
	_, err := do(none, Mint, count(keyA, 7, 1))
	expectError(t, err, filepath.Join(folder, "none", "journal.lock"), "can't be locked", "nothing was recorded")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is not ErrNotExist", err)
	}

	_, err = Open(folder, Options{})
	expectError(t, err, folder+" is no regular file: move it away")

	path, link := filepath.Join(folder, Name), filepath.Join(folder, "link.jsonl")
	j := open(t, path, nil)
	must(t, j, Mint, count(keyA, 7, 1))
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err) // Windows may forbid it
	}
	_, err = Open(link, Options{})
	expectError(t, err, link+" is a symbolic link")
}

func TestWaitForLock(t *testing.T) {
	path := newPath(t)
	n := &notices{}
	j := open(t, path, n)
	held := flock.New(lockPath(path))
	if err := held.Lock(); err != nil {
		t.Fatal(err)
	}
	// Readers do not wait.
	if _, err := j.Check(Mint, count(keyA, 7, 1)); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err := j.Reserve(ctx, count(keyA, 7, 1))
	expectError(t, err, lockPath(path), "gave up waiting", "nothing was recorded")
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v is not DeadlineExceeded", err)
	}
	if text := n.take(); text != "" {
		t.Errorf("told too early: %s", text)
	}
	go func() {
		time.Sleep(patience + 200*time.Millisecond)
		held.Unlock()
	}()
	if e := must(t, j, Mint, count(keyA, 7, 1)); e.Serials != (Range{1, 1}) {
		t.Error(e.Serials)
	}
	if text := n.take(); !strings.Contains(text, "waiting for another program") || strings.Contains(text, "\n") {
		t.Errorf("told %q", text)
	}
	// An ended context records nothing, even when the lock is free.
	ctx, cancel = context.WithCancel(context.Background())
	cancel()
	if _, err := j.Reserve(ctx, count(keyA, 7, 1)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if e := must(t, j, Mint, count(keyA, 7, 1)); e.Serials != (Range{2, 2}) {
		t.Error(e.Serials)
	}
}
