package payload_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/testvectors"
)

// A vector has what all vectors begin with.
type vector struct {
	ID      int
	Name    string
	Comment string
	Flags   []string
}

// vectors reads the vectors of one kind, as T, and checks that none is lost.
func vectors[T any](t *testing.T, kind string) []T {
	t.Helper()
	text, err := fs.ReadFile(testvectors.V1, kind+".json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Format, Kind, Comment string
		Count                 int
		Notes                 map[string]string
		Tests                 []T
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&file); err != nil {
		t.Fatalf("%s.json: %v", kind, err)
	}
	if file.Format != "licet-vectors/v1" || file.Kind != kind || file.Count != len(file.Tests) || file.Count == 0 {
		t.Fatalf("%s.json: format %q, kind %q, %d of %d tests", kind, file.Format, file.Kind, len(file.Tests), file.Count)
	}
	return file.Tests
}

func TestCheckVectors(t *testing.T) {
	for _, v := range vectors[struct {
		vector
		Op, Text, Check, Slip, Corrected string
		Positions                        []int
		Filled                           *string
	}](t, "check") {
		switch v.Op {
		case "encode":
			if got := string(payload.AppendCheck([]byte(v.Text))); got != v.Text+v.Check {
				t.Errorf("%s: AppendCheck gives %s, want %s", v.Name, got[len(v.Text):], v.Check)
			}
		case "explain":
			code := []byte(v.Text)
			slip, _ := payload.FindSlip(code)
			positions := []int{slip.First + 1, slip.Second + 1}
			positions = positions[:len(v.Positions)]
			want := v.Corrected
			if v.Slip == "none" {
				want = v.Text
			}
			if slip.Kind.String() != v.Slip || !slices.Equal(positions, v.Positions) || string(code) != want {
				t.Errorf("%s: %v with %s; want %s at %v with %s", v.Name, slip, code, v.Slip, v.Positions, want)
			}
		case "fill":
			code := []byte(v.Text)
			var places []int
			for i, c := range code {
				if c == payload.Placeholder {
					places = append(places, i)
				}
			}
			if ok := payload.Fill(code, places...); ok != (v.Filled != nil) || ok && string(code) != *v.Filled {
				t.Errorf("%s: %t, %s", v.Name, ok, code)
			}
		default:
			t.Errorf("%s: unknown op %q", v.Name, v.Op)
		}
	}
}

func TestNormalizeVectors(t *testing.T) {
	for _, v := range vectors[struct {
		vector
		Input      *string
		InputHex   *string `json:"input_hex"`
		Normalized *string
		TooLong    bool `json:"too_long"`
	}](t, "normalize") {
		var input string
		switch {
		case v.Input != nil:
			input = *v.Input
		case v.InputHex != nil:
			b, err := hex.DecodeString(*v.InputHex)
			if err != nil {
				t.Fatalf("%s: %v", v.Name, err)
			}
			input = string(b)
		default:
			t.Fatalf("%s: no input", v.Name)
		}
		got, err := payload.AppendNormalized(nil, input)
		if errors.Is(err, payload.TooLong) != v.TooLong || (err != nil) != v.TooLong {
			t.Errorf("%s: %v", v.Name, err)
		}
		if !v.TooLong && string(got) != *v.Normalized {
			t.Errorf("%s: %q becomes %q, want %q", v.Name, input, got, *v.Normalized)
		}
		if v.TooLong && v.Normalized != nil {
			t.Errorf("%s: both too long and normalised", v.Name)
		}
	}
}

func TestDaysVectors(t *testing.T) {
	for _, v := range vectors[struct {
		vector
		Time, Date string
		Day        int64
	}](t, "days") {
		var d payload.Day
		if v.Time != "" {
			at, err := time.Parse(time.RFC3339Nano, v.Time)
			if err != nil {
				t.Fatalf("%s: %v", v.Name, err)
			}
			d = payload.DayOf(at)
		} else {
			var err error
			if d, err = payload.ParseDay(v.Date); err != nil || d.String() != v.Date {
				t.Errorf("%s: %s, %v", v.Name, d, err)
			}
		}
		if int64(d) != v.Day {
			t.Errorf("%s: day %d, want %d", v.Name, d, v.Day)
		}
	}
}

// Accepted spellings are frozen (CT-02): the golden texts must be among the vectors for good.
func TestVectorsHaveEverySpelling(t *testing.T) {
	seen := map[rune]bool{}
	for _, v := range vectors[struct {
		vector
		Input      *string
		InputHex   *string `json:"input_hex"`
		Normalized *string
		TooLong    bool `json:"too_long"`
	}](t, "normalize") {
		if v.Input != nil && v.Normalized != nil && !strings.Contains(*v.Normalized, "?") {
			for _, r := range *v.Input {
				seen[r] = true
			}
		}
	}
	for _, x := range droppedBySpec(t) {
		if !seen[x.lo] || !seen[x.hi] {
			t.Errorf("no vector has %U to %U", x.lo, x.hi)
		}
	}
}
