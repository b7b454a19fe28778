package payload_test

import (
	"strings"
	"testing"

	"github.com/licet-dev/licet/payload"
)

func TestAppendCode(t *testing.T) {
	for _, c := range []struct {
		prefix, symbols string
		size            int
		want            string
	}{
		{"ACME", "AHJXYQET", 4, "ACME-AHJX-YQET"},
		{"", "AHJXYQET", 4, "AHJX-YQET"},
		{"ACME", "AHJXYQETE", 4, "ACME-AHJX-YQET-E"},
		{"", "AHJXYQE", 4, "AHJX-YQE"},
		{"", "AHJX", 4, "AHJX"},
		{"", "AHJ", 4, "AHJ"},
		{"AB", "AHJXYQETE", 5, "AB-AHJXY-QETE"},
		{"AB", "AHJ", 1, "AB-A-H-J"},
		{"AB", "AHJXYQET", 0, "AB-AHJXYQET"},
		{"", "AHJXYQET", 0, "AHJXYQET"},
		{"", "AHJXYQET", 100, "AHJXYQET"},
	} {
		if got := string(payload.AppendCode([]byte(">"), c.prefix, []byte(c.symbols), c.size)); got != ">"+c.want {
			t.Errorf("AppendCode(%q, %q, %d) = %s, want %s", c.prefix, c.symbols, c.size, got[1:], c.want)
		}
	}
}

func TestRegroup(t *testing.T) {
	for _, c := range []struct {
		code, prefix string
		size         int
		want         string
	}{
		{"ACME-AHJX-YQET-E", "ACME", 5, "ACME-AHJXY-QETE"},
		{"ACME-AHJX-YQET-E", "ACME", 0, "ACME-AHJXYQETE"},
		{"ACME-AHJXYQETE", "ACME", 4, "ACME-AHJX-YQET-E"},
		{"AHJX-YQET-E", "", 3, "AHJ-XYQ-ETE"},
		{"AHJX-YQET-E", "", 4, "AHJX-YQET-E"},
		{"AA-AAJX-YQET", "AA", 6, "AA-AAJXYQ-ET"},
	} {
		if got := payload.Regroup(c.code, c.prefix, c.size); got != c.want {
			t.Errorf("Regroup(%s, %q, %d) = %s, want %s", c.code, c.prefix, c.size, got, c.want)
		}
	}
}

// What is printed reads, whatever the groups, and prints the same again.
func TestPrintedCodesReadAndPrintTheSame(t *testing.T) {
	r := newRand(7)
	reader := sevenKeys(t)
	for _, s := range sevenShapes {
		code := randomCode(r, payload.Symbol(s.Number), s.Symbols)
		for _, prefix := range []string{s.Prefix, ""} {
			for size := range 13 {
				text := string(payload.AppendCode(nil, prefix, []byte(code), size))
				for _, spelling := range []string{text, strings.ToLower(text), strings.ReplaceAll(text, "-", " ")} {
					key, symbols, err := reader.Read(spelling, nil)
					if err != nil || key != s.Number || string(symbols) != code {
						t.Fatalf("Read(%q) = %d, %s, %v; want %d, %s", spelling, key, symbols, err, s.Number, code)
					}
					if again := string(payload.AppendCode(nil, prefix, symbols, size)); again != text {
						t.Fatalf("%s printed again is %s", text, again)
					}
				}
			}
		}
	}
}
