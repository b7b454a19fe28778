package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/licet-dev/licet/payload"
)

// readLines reads all lines of a text, with a buffer so small that most lines
// don't fit it.
func readLines(t *testing.T, in io.Reader) []string {
	t.Helper()
	var lines []string
	r := bufio.NewReaderSize(in, 16)
	for {
		b, err := appendLine(nil, r)
		line := string(b)
		if err == io.EOF {
			if line != "" {
				lines = append(lines, line)
			}
			return lines
		}
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
}

func TestAppendLine(t *testing.T) {
	long := strings.Repeat("A", 70_000)
	for in, want := range map[string][]string{
		"":                                nil,
		"\n":                              {""},
		"one":                             {"one"},
		"one\n":                           {"one"},
		"one\r\ntwo\r\n":                  {"one", "two"},
		"one\n\ntwo":                      {"one", "", "two"},
		"a\rb\n":                          {"a\rb"},
		"\xff\n\x00\n":                    {"\xff", "\x00"},
		"one\n" + long + "\ntwo\n" + long: {"one", long[:payload.MaxInput+2], "two", long[:payload.MaxInput+2]},
		strings.Repeat("B", payload.MaxInput) + "\r\nend": {strings.Repeat("B", payload.MaxInput), "end"},
	} {
		for name, r := range map[string]io.Reader{"whole": strings.NewReader(in), "by bytes": iotest.OneByteReader(strings.NewReader(in))} {
			got := readLines(t, r)
			if strings.Join(got, "|") != strings.Join(want, "|") || len(got) != len(want) {
				t.Errorf("%s: lines of %.40q: %.80q, want %.80q", name, in, got, want)
			}
		}
	}
	// a line that is too long stays too long
	if _, err := payload.AppendNormalized(nil, readLines(t, strings.NewReader(long))[0]); err == nil {
		t.Error("what is left of a long line is read as a code")
	}
}

func TestWorst(t *testing.T) {
	order := []int{0, exitNotAcceptable, exitMalformed, exitNotAuthentic, exitCannotJudge, exitOther}
	for i, a := range order {
		for j, b := range order {
			if got, want := worst(a, b), order[max(i, j)]; got != want {
				t.Errorf("worst(%d, %d) = %d, want %d", a, b, got, want)
			}
		}
	}
}

func TestVerdictJSONEscapes(t *testing.T) {
	in := "<&>\x1b\u009b\u202e\u2028\U000e0041é€"
	var out bytes.Buffer
	if err := (verdictJSON{Input: in, Verdict: "valid"}).write(&out); err != nil {
		t.Fatal(err)
	}
	if want := `{"input":"<&>\u001b\u009b\u202e\u2028\udb40\udc41é€","verdict":"valid"}` + "\n"; out.String() != want {
		t.Errorf("got  %swant %s", out.String(), want)
	}
	var back verdictJSON
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || back.Input != in {
		t.Errorf("reads back as %q, %v", back.Input, err)
	}
}

// A reader that never answers does not keep the program from ending (CL-08).
func TestCancelReader(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	silent, _ := io.Pipe()
	r := &cancelReader{ctx: ctx, in: io.MultiReader(strings.NewReader("one\ntwo\n"), silent)}
	got := make([]byte, 5)
	if n, err := io.ReadFull(r, got); n != 5 || err != nil || string(got) != "one\nt" {
		t.Fatalf("%q, %v", got[:n], err)
	}
	if n, err := io.ReadFull(r, got[:3]); n != 3 || err != nil || string(got[:3]) != "wo\n" {
		t.Fatalf("%q, %v", got[:n], err)
	}
	cancel()
	if n, err := r.Read(got); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d bytes, %v; want the error of the context", n, err)
	}
}

func TestNumberedText(t *testing.T) {
	text := numberedText{before: "line 9", after: ": 9"}
	for _, n := range []uint64{0, 1, 2, 9, 10, 11, 11, 10, 99, 100, 101, 109, 110, 199, 200, 201, 150, 5, 1050, 1099, 1 << 53, 1<<53 + 1, math.MaxUint64, 0, 1} {
		if got, want := string(text.append([]byte("> "), n)), "> line 9"+strconv.FormatUint(n, 10)+": 9"; got != want {
			t.Errorf("%d is written %q", n, got)
		}
	}
}
