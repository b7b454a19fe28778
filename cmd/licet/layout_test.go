package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The command that mints has no server in it: it listens on nothing, and has none of the
// packages that the endpoint is made of. Only licet activate opens a connection.
func TestNoServer(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	if len(deps) < 100 {
		t.Fatalf("%d packages", len(deps))
	}
	client := false
	for _, d := range deps {
		client = client || strings.HasSuffix(d, "/activation/client")
		for _, not := range []string{"/activation/api", "/activation/sqlite", "/activation/postgres", "prometheus", "modernc.org", "jackc"} {
			if strings.Contains(d, not) {
				t.Errorf("licet has %s in it", d)
			}
		}
	}
	if !client {
		t.Error("what licet activate asks with is not found, so nothing else would be")
	}
	names, err := filepath.Glob("*.go")
	if err != nil || len(names) < 20 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if m := regexp.MustCompile(`\b(net\.Listen|ListenAndServe|\.Listen\()`).FindString(string(text)); m != "" && !strings.HasSuffix(name, "_test.go") {
			t.Errorf("%s: %s", name, m)
		}
	}
}
