package journal

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// sample returns a journal of five lines, and the lines with their newlines.
func sample(t testing.TB) (path string, lines []string) {
	t.Helper()
	path = newPath(t)
	j := open(t, path, nil)
	for i := range uint64(5) {
		r := count(keyA, 7, i+1)
		r.Labels = map[string]string{"order": fmt.Sprint(1000 + i)}
		must(t, j, Mint, r)
	}
	return path, slices.Collect(strings.Lines(read(t, path)))
}

// reseal gives the lines right checksums.
func reseal(lines []string) string {
	var text, sum strings.Builder
	for _, line := range lines {
		body, _, ok := cutSum([]byte(strings.TrimSuffix(line, "\n")))
		if !ok {
			panic(line)
		}
		s := chain(sum.String(), body)
		sum.Reset()
		sum.WriteString(s)
		text.WriteString(string(body) + sumOpen + s + sumEnd + "\n")
	}
	return text.String()
}

// expectDamage opens the journal, which is damaged at a line.
func expectDamage(t *testing.T, path string, line int, want ...string) {
	t.Helper()
	before := read(t, path)
	_, err := Open(path, Options{})
	var damage *DamageError
	if !errors.As(err, &damage) || damage.Line != line || damage.Path != path {
		t.Fatalf("error %v, want damage at line %d", err, line)
	}
	expectError(t, err, want...)
	expectError(t, err, fmt.Sprintf("%s, line %d: ", path, line), damage.Remedy)
	// Nor does a writer, which has opened it before, go on.
	j := &Journal{path: path, options: options(&notices{}), sync: (*os.File).Sync, reader: newReader(path)}
	for kind, r := range map[Kind]Request{Mint: count(keyA, 7, 1), Stated: serials(keyA, 7, 900, 900)} {
		if _, err := do(j, kind, r); !errors.As(err, &damage) || damage.Line != line {
			t.Errorf("%s: error %v, want damage at line %d", kind, err, line)
		}
	}
	last := error(nil)
	for _, err := range j.Entries() {
		last = err
	}
	if !errors.As(last, &damage) || damage.Line != line {
		t.Errorf("Entries: error %v, want damage at line %d", last, line)
	}
	if read(t, path) != before {
		t.Error("a damaged journal was changed")
	}
}

func TestDamagedLines(t *testing.T) {
	path, lines := sample(t)
	try := func(name string, line int, text string, want ...string) {
		t.Run(name, func(t *testing.T) {
			write(t, path, text)
			expectDamage(t, path, line, want...)
		})
	}
	join := func(lines ...string) string { return strings.Join(lines, "") }
	edit := func(i int, old, new string) string {
		edited := slices.Clone(lines)
		edited[i] = strings.Replace(edited[i], old, new, 1)
		if edited[i] == lines[i] {
			t.Fatalf("line %d has no %s", i+1, old)
		}
		return join(edited...)
	}
	for i := range lines {
		n := i + 1
		try(fmt.Sprint("edited ", n), n, edit(i, `"product":7`, `"product":8`), "the checksum is wrong")
		try(fmt.Sprint("label ", n), n, edit(i, `"order":"1`, `"order":"2`), "the checksum is wrong", restore)
		try(fmt.Sprint("sum ", n), n, edit(i, `"sum":"`+lineSum(lines[i])[:1], `"sum":"`+"x"), "the checksum is wrong")
		try(fmt.Sprint("carriage return ", n), n, edit(i, "\n", "\r\n"), "CR LF")
		try(fmt.Sprint("blank line ", n), n, join(lines[:i]...)+"\n"+join(lines[i:]...), "does not end with a checksum")
		try(fmt.Sprint("doubled ", n), n+1, join(lines[:n]...)+lines[i]+join(lines[n:]...), "the checksum is wrong")
		if n < len(lines) {
			try(fmt.Sprint("removed ", n), n, join(lines[:i]...)+join(lines[n:]...), "the checksum is wrong")
			try(fmt.Sprint("swapped ", n), n, join(lines[:i]...)+lines[n]+lines[i]+join(lines[n+1:]...), "the checksum is wrong")
			try(fmt.Sprint("joined ", n), n, edit(i, "\n", ""), "the checksum is wrong")
		}
	}
	try("moved to the end", 2, join(lines[0], lines[2], lines[3], lines[4], lines[1]))
	try("all reversed", 1, join(lines[4], lines[3], lines[2], lines[1], lines[0]))
	try("byte order mark", 1, "\ufeff"+join(lines...), "the checksum is wrong")
	try("UTF-16", 1, "\xff\xfe{\x00\"\x00t\x00", "does not begin as a line")
	try("no journal", 1, "hello", "does not begin as a line")
	try("no journal, lines", 1, "hello\nworld\n", "does not end with a checksum")
	try("text after the end", 6, join(lines...)+"hello", "does not begin as a line")
	try("long line", 6, join(lines...)+opening+strings.Repeat("x", maxLine)+"\n", "longer than 65536 bytes")
	try("long tail", 6, join(lines...)+opening+strings.Repeat("x", maxLine), "longer than 65536 bytes")
	try("zero bytes", 3, edit(2, `"kind"`, "\x00\x00\x00\x00\x00\x00"), "the checksum is wrong")

	// Whoever edits a line and its checksum must do so in all that follow.
	edited := slices.Clone(lines)
	edited[2] = strings.Replace(edited[2], "1002", "2002", 1)
	resealed := slices.Collect(strings.Lines(reseal(edited)))
	try("edited with its sum", 4, join(lines[0], lines[1], resealed[2], lines[3], lines[4]), "the checksum is wrong")

	// Lines with a right checksum that contradict each other.
	try("range twice", 3, reseal([]string{lines[0], lines[1], lines[1]}), "serials 2 to 3 of key 8 (0a01020304050607) and product 7 contradict an earlier line")
	try("serial twice", 2, reseal([]string{lines[0], lines[0]}), "serial 1 of key 8 (0a01020304050607) and product 7 contradicts an earlier line")
	try("repeat of nothing", 2, reseal([]string{lines[0], strings.Replace(lines[1], "mint", "again", 1)}), "contradict")
}

func lineSum(line string) string {
	_, sum, _ := cutSum([]byte(strings.TrimSuffix(line, "\n")))
	return sum
}

// Each change of the form of a line is refused, though its checksum is right.
func TestStrictLines(t *testing.T) {
	path, lines := sample(t)
	for _, c := range [][3]string{
		{`"kind":"mint"`, `"Kind":"mint"`, `byte 32: found the member "Kind", want "kind"`},
		{`"kind":"mint"`, `"kind":"mint","kind":"mint"`, `found the member "kind", want "key"`},
		{`"kind":"mint"`, `"kind":"mint","colour":"red"`, `found the member "colour", want "key"`},
		{`"kind":"mint",`, ``, `found the member "key", want "kind"`},
		{`"kind":"mint"`, `"kind":"MINT"`, `unknown kind "MINT"`},
		{`"kind":"mint"`, `"kind":"sold"`, `unknown kind "sold"`},
		{`"kind":"mint"`, `"kind":null`, "want a string"},
		{`"kind":"mint"`, `"kind": "mint"`, "want a string"},
		{`"kind":"mint"`, `"kind":"m\u0069nt"`, "not written as it should be"},
		{`"kind":"mint"`, "\"kind\":\"m\xffnt\"", "not written as it should be"},
		{`"kind":"mint"`, "\"kind\":\"m\tnt\"", "not written as it should be"},
		{`"kind":"mint"`, `"kind":"m\ud800nt"`, "not written as it should be"},
		{`"time":"2026-12-01T12:00:00Z"`, `"time":"2026-12-01T12:00:00.5Z"`, "want UTC"},
		{`"time":"2026-12-01T12:00:00Z"`, `"time":"2026-12-01T12:00:00+00:00"`, "want UTC"},
		{`"time":"2026-12-01T12:00:00Z"`, `"time":"2026-02-30T12:00:00Z"`, "want UTC"},
		{`"key":8`, `"key":"8"`, "want a number"},
		{`"key":8`, `"key":08`, "want a number"},
		{`"key":8`, `"key":-8`, "want a number"},
		{`"key":8`, `"key":8.0`, `want ","`},
		{`"key":8`, `"key":2147483648`, "key is too large"},
		{`"product":7`, `"product":18446744073709551616`, "want a number"},
		{`"product":7`, `"product":7e0`, `want ","`},
		{`"key_id":"0a`, `"key_id":"0A`, "16 lower-case hexadecimal digits"},
		{`"first":"1"`, `"first":1`, "want a string"},
		{`"first":"1"`, `"first":"01"`, "want a number"},
		{`"first":"1"`, `"first":"+1"`, "want a number"},
		{`"first":"1"`, `"first":""`, "want a number"},
		{`"first":"1"`, `"first":"0"`, "are no range"},
		{`"first":"1"`, `"first":"2"`, "serials 2 to 1 are no range"},
		{`"output":""`, `"version":"","output":""`, `found the member "version", want "output"`},
		{`"labels":`, `"version":"","labels":`, "version is empty"},
		{`"labels":`, `"expiry":"x","version":"3","labels":`, `found the member "version", want "output"`},
		{`"labels":{"order":"1000"}`, `"labels":{}`, "want a string"},
		{`"labels":{"order":"1000"}`, `"labels":{"order":1}`, "want a string"},
		{`"labels":{"order":"1000"}`, `"labels":{"order":"1","order":"1"}`, "out of order or there twice"},
		{`"labels":{"order":"1000"}`, `"labels":{"order":"1","a":"1"}`, "out of order or there twice"},
		{`"labels":{"order":"1000"}`, `"labels":{"":"1"}`, "empty"},
		{`"labels":{"order":"1000"}`, `"labels":[]`, `want "{"`},
		{`"labels":`, `"start":"","labels":`, "start is empty"},
		{`"labels":`, `"start":"2027-01-01","expiry":"x","labels":`, `found the member "expiry", want "output"`},
		{`"labels":`, `"fields":{"edition":"2"},"start":"2027-01-01","labels":`, `found the member "start", want "output"`},
		{`"labels":`, `"fields":{},"labels":`, "want a string"},
		{`"labels":`, `"fields":{"edition":2},"labels":`, "want a string"},
		{`"labels":`, `"fields":{"edition":"02"},"labels":`, `edition "02": want a number`},
		{`"labels":`, `"fields":{"edition":""},"labels":`, "want a number"},
		{`"labels":`, `"fields":{"edition":"-2"},"labels":`, "want a number"},
		{`"labels":`, `"fields":{"edition":"18446744073709551616"},"labels":`, "want a number"},
		{`"labels":`, `"fields":{"Edition":"2"},"labels":`, `field "Edition": no name of a field`},
		{`"labels":`, `"fields":{"seats":"2","edition":"2"},"labels":`, "out of order or there twice"},
		{`"labels":`, `"fields":{"seats":"2","seats":"2"},"labels":`, "out of order or there twice"},
		{`"labels":`, `"binding":"","labels":`, "binding is empty"},
		{`"labels":`, `"binding":"Jane Doe","labels":`, "want the 64 hexadecimal digits of a SHA-256"},
		{`"labels":`, `"binding":"` + strings.Repeat("0A", 32) + `","labels":`, "want the 64 hexadecimal digits of a SHA-256"},
		{`"labels":`, `"binding":"` + strings.Repeat("0a", 33) + `","labels":`, "want the 64 hexadecimal digits of a SHA-256"},
		{`"labels":`, `"binding":"` + strings.Repeat("0a", 32) + `","fields":{"edition":"2"},"labels":`, `found the member "fields", want "output"`},
		{`"tool":"licet test"`, `"tool":"licet test","extra":"x"`, `found the member "extra", want "sum"`},
		{`"tool":"licet test"`, `"tool":"licet test" `, `want ","`},
		{`{"time"`, `[{"time"`, `want "{"`},
	} {
		edited := strings.Replace(lines[0], c[0], c[1], 1)
		if edited == lines[0] {
			t.Fatalf("the line has no %s", c[0])
		}
		write(t, path, reseal([]string{edited}))
		_, err := Open(path, Options{})
		var damage *DamageError
		if !errors.As(err, &damage) || damage.Line != 1 {
			t.Errorf("%s: %v", c[1], err)
			continue
		}
		expectError(t, err, c[2], newer)
	}
}

// A last line that is cut short at any byte does not count, and is cut off by the next
// writer, whose serials follow those that count.
func TestTornLine(t *testing.T) {
	path, lines := sample(t)
	whole := strings.Join(lines[:4], "")
	last := lines[4]
	for n := range len(last) {
		write(t, path, whole+last[:n])
		told := &notices{}
		reader, writer := open(t, path, told), open(t, path, nil)
		if got := entries(t, reader); len(got) != 4 {
			t.Fatalf("%d bytes: %d entries", n, len(got))
		}
		if s := summary(t, reader); s[0].Next != 11 {
			t.Fatalf("%d bytes: next %d", n, s[0].Next)
		}
		text := told.take()
		if n == 0 && text != "" || n > 0 && text != path+", line 5 is incomplete and does not count: the program that wrote it was interrupted, or is just writing it" {
			t.Fatalf("%d bytes: told %q", n, text)
		}
		writer.options.Notice = told.add
		e := must(t, writer, Mint, count(keyA, 7, 1))
		text = told.take()
		switch {
		case n == 0:
			if e.Line != 5 || e.Serials.First != 11 || text != "" {
				t.Fatalf("%d bytes: %+v, %s", n, e, text)
			}
		case n < len(last)-1:
			if e.Line != 5 || e.Serials.First != 11 || !strings.Contains(text, "line 5 was incomplete and has been cut off") {
				t.Fatalf("%d bytes: %+v, %s", n, e, text)
			}
		default: // only the newline is missing: an editor may have removed it
			if e.Line != 6 || e.Serials.First != 16 || !strings.Contains(text, "line 5 had no newline, but is complete") {
				t.Fatalf("%d bytes: %+v, %s", n, e, text)
			}
		}
		if a, b := summary(t, reader), summary(t, open(t, path, nil)); !reflect.DeepEqual(a, b) {
			t.Fatalf("%d bytes: %v, %v", n, a, b)
		}
		if got := read(t, path); !strings.HasPrefix(got, whole) || !strings.HasSuffix(got, "\n") {
			t.Fatalf("%d bytes: the journal is\n%s", n, got)
		}
	}
}

// The first line can be torn too, and after a power failure there may be zeros.
func TestTornTails(t *testing.T) {
	path, lines := sample(t)
	for _, whole := range []string{"", lines[0]} {
		for _, tail := range []string{"{", lines[1][:50], "\x00", strings.Repeat("\x00", 5000), "{\"t\x00\x00\x00\x00\x00\x00\x00", "\x00\x00\x00\x00" + lines[1][4:70]} {
			write(t, path, whole+tail)
			n := &notices{}
			j := open(t, path, n)
			if text := n.take(); !strings.Contains(text, "is incomplete") {
				t.Errorf("%q: told %q", tail, text)
			}
			e := must(t, j, Mint, count(keyA, 7, 1))
			if want := strings.Count(whole, "\n") + 1; e.Line != want || e.Serials.First != uint64(want) {
				t.Errorf("%q: %+v", tail, e)
			}
			if got := read(t, path); !strings.HasPrefix(got, whole+opening) || strings.Contains(got, "\x00") {
				t.Errorf("%q: the journal is\n%s", tail, got)
			}
		}
	}
}

// What happens to the file while a program has the journal open.
func TestChangedMeanwhile(t *testing.T) {
	for name, change := range map[string]func(path string, lines []string){
		"removed":       func(path string, _ []string) { os.Remove(path) },
		"emptied":       func(path string, _ []string) { os.Truncate(path, 0) },
		"cut":           func(path string, lines []string) { os.Truncate(path, int64(len(lines[0]))) },
		"cut in a line": func(path string, lines []string) { os.Truncate(path, int64(len(strings.Join(lines, ""))-10)) },
		"newline cut":   func(path string, lines []string) { os.Truncate(path, int64(len(strings.Join(lines, ""))-1)) },
		"another one": func(path string, lines []string) {
			lines = slices.Clone(lines)
			lines[0] = strings.Replace(lines[0], "1000", "2000", 1)
			os.WriteFile(path, []byte(reseal(lines)), 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			path, lines := sample(t)
			j := open(t, path, nil)
			change(path, lines)
			before := readIfThere(path)
			for range 2 {
				_, err := do(j, Mint, count(keyA, 7, 1))
				var damage *DamageError
				if !errors.As(err, &damage) || damage.Line != 5 {
					t.Errorf("error %v", err)
				}
				expectError(t, err, "replaced or cut meanwhile", runAgain)
				_, err = j.Summary()
				expectError(t, err, "replaced or cut meanwhile")
			}
			if readIfThere(path) != before {
				t.Error("the journal was changed")
			}
			if name == "removed" {
				if _, err := os.Stat(path); !os.IsNotExist(err) {
					t.Error("the journal was made anew")
				}
			}
		})
	}
	// A copy of the same journal that has more lines is as good.
	path, lines := sample(t)
	write(t, path, lines[0])
	j := open(t, path, nil)
	os.Remove(path)
	write(t, path, strings.Join(lines, ""))
	if e := must(t, j, Mint, count(keyA, 7, 1)); e.Line != 6 || e.Serials.First != 16 {
		t.Errorf("%+v", e)
	}
}

// When the disk fails, nothing is handed out, and the journal is as it was.
func TestSyncFails(t *testing.T) {
	bad := errors.New("input/output error")
	for failing := 1; failing <= 2; failing++ {
		path, lines := sample(t)
		j := open(t, path, nil)
		n := 0
		j.sync = func(*os.File) error {
			if n++; n == failing {
				return bad
			}
			return nil
		}
		_, err := do(j, Mint, count(keyA, 7, 1))
		expectError(t, err, path, "nothing was handed out")
		if !errors.Is(err, bad) {
			t.Errorf("%v is not the error of the disk", err)
		}
		if got := read(t, path); got != strings.Join(lines, "") {
			t.Errorf("the journal is\n%s", got)
		}
		if e := must(t, j, Mint, count(keyA, 7, 1)); e.Line != 6 || e.Serials.First != 16 {
			t.Errorf("%+v", e)
		}
	}
}

// A line is on the disk before its newline is written, and that before it is told.
func TestSyncOrder(t *testing.T) {
	path := newPath(t)
	j := open(t, path, nil)
	var states []bool // whether the file ends with a newline, at each sync
	j.sync = func(f *os.File) error {
		states = append(states, strings.HasSuffix(read(t, path), "\n"))
		return f.Sync()
	}
	must(t, j, Mint, count(keyA, 7, 1))
	must(t, j, Mint, count(keyA, 7, 1))
	if !slices.Equal(states, []bool{false, true, false, true}) {
		t.Error(states)
	}
}

// Where a lock does not keep others out, it is noticed, not overwritten.
func TestNoLock(t *testing.T) {
	for when := 1; when <= 2; when++ {
		path, lines := sample(t)
		j := open(t, path, nil)
		other := sealLine(lines, 11)
		n := 0
		j.sync = func(*os.File) error {
			if n++; n == when {
				f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
				if err != nil {
					t.Fatal(err)
				}
				f.WriteString(other)
				f.Close()
			}
			return nil
		}
		_, err := do(j, Mint, count(keyA, 7, 1))
		expectError(t, err, "line 6", "another program wrote at the same time", "nothing was handed out")
		if got := read(t, path); !strings.Contains(got, other) {
			t.Error("the line of the other program is gone")
		}
		if _, err := Open(path, Options{}); err == nil {
			t.Error("nobody notices it")
		}
	}
}

// sealLine returns the line that a writer without lock would append.
func sealLine(lines []string, product int) string {
	line := strings.Replace(lines[4], `"product":7`, fmt.Sprintf(`"product":%d`, product), 1)
	body, _, _ := cutSum([]byte(strings.TrimSuffix(line, "\n")))
	return string(body) + sumOpen + chain(lineSum(lines[4]), body) + sumEnd + "\n"
}
