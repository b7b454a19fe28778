package keys_test

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/licet-dev/licet"

// dependencies returns what a package needs besides the standard library, itself
// left out. With tests it includes what its tests need.
func dependencies(t *testing.T, name string, tests bool) []string {
	t.Helper()
	args := []string{"list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}"}
	if tests {
		args = append(args, "-test")
	}
	cmd := exec.Command("go", append(args, module+"/"+name)...)
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		var stderr []byte
		if e, ok := err.(*exec.ExitError); ok {
			stderr = e.Stderr
		}
		t.Fatalf("%s: %v\n%s", cmd, err, stderr)
	}
	var found []string
	for line := range strings.Lines(string(out)) {
		path, _, _ := strings.Cut(strings.TrimSpace(line), " ") // a package built for a test has the test's name behind it
		path = strings.TrimSuffix(strings.TrimSuffix(path, ".test"), "_test")
		if path != module+"/"+name && !slices.Contains(found, path) {
			found = append(found, path)
		}
	}
	slices.Sort(found)
	return found
}

func needGo(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("the go command is not there")
	}
}

// A product that embeds the verifier gets these packages and the standard
// library, and nothing else. Signer and verifier never import each other.
func TestDependencies(t *testing.T) {
	needGo(t)
	for name, want := range map[string][]string{
		"payload":             nil,
		"keys":                {"payload"},
		"signer":              {"keys", "payload"},
		"verifier":            {"keys", "keys/note", "keys/receipt", "payload", "verifier/internal/policy", "verifier/revocation"},
		"verifier/revocation": {"keys", "keys/note", "payload"},
		"activation/client":   {"activation/internal/wire", "keys", "keys/receipt", "payload"},
		"keys/receipt":        {"keys", "payload"},
	} {
		for i := range want {
			want[i] = fmt.Sprintf("%s/%s", module, want[i])
		}
		if got := dependencies(t, name, false); !slices.Equal(got, want) {
			t.Errorf("%s needs %v, want %v", name, got, want)
		}
	}
}

// What the tests of a package import ends up in the go.sum of everyone who
// embeds it.
func TestDependenciesOfTests(t *testing.T) {
	needGo(t)
	for _, name := range []string{"payload", "keys", "keys/receipt", "verifier", "verifier/revocation"} {
		for _, path := range dependencies(t, name, true) {
			if !strings.HasPrefix(path, module+"/") {
				t.Errorf("the tests of %s need %s", name, path)
			}
		}
	}
}
