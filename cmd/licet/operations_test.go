package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Every command of the runbooks is one that this program has, with these flags and
// that many arguments.
func TestOperationsCommands(t *testing.T) {
	text, err := os.ReadFile("../../OPERATIONS.md")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, m := range regexp.MustCompile("(?ms)^ *```sh\n(.*?)^ *```$").FindAllStringSubmatch(string(text), -1) {
		for line := range strings.Lines(m[1]) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "licet ") { // cmd/licetd looks after its own
				lines = append(lines, line)
			}
		}
	}
	for _, m := range regexp.MustCompile("`(licet [^`]*)`").FindAllStringSubmatch(string(text), -1) {
		lines = append(lines, strings.NewReplacer("A-B", "1-2", "FILE", "file", "sequence N", "sequence 13").Replace(m[1]))
	}
	if len(lines) < 20 {
		t.Fatalf("%d commands found in OPERATIONS.md", len(lines))
	}
	for _, line := range lines {
		root := newRoot(&app{out: newStream(os.Stdout), err: newStream(os.Stderr)})
		cmd, args, err := root.Find(strings.Fields(line)[1:])
		if err != nil || cmd == root || cmd.HasSubCommands() && len(args) == 0 { // which only prints its help
			t.Errorf("%s: no such command (%v)", line, err)
			continue
		}
		if err := cmd.ParseFlags(args); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		if rest := cmd.Flags().Args(); len(rest) > 0 {
			if err := cmd.ValidateArgs(rest); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
	}
}
