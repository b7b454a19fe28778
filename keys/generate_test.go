package keys_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/licet-dev/licet/keys"
)

func TestGeneratedKeysDiffer(t *testing.T) {
	seen := map[string]bool{}
	ids := map[keys.ID]bool{}
	add := func(k keys.PrivateKey, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		line := k.Reveal()
		f := strings.Split(line, "-")
		if seen[f[8]] || ids[k.ID()] {
			t.Fatal("a generated key came twice")
		}
		seen[f[8]], ids[k.ID()] = true, true
		back, err := keys.ParsePrivateKey(line)
		if err != nil || !back.Equal(k) {
			t.Fatalf("a generated key does not read: %v", err)
		}
	}
	for range 40 {
		add(keys.GenerateMint(descriptor(t, hsDescriptor)))
		add(keys.GenerateMint(descriptor(t, esDescriptor)))
		add(keys.GenerateRole(keys.List))
		add(keys.GenerateRole(keys.Receipt))
		if s := keys.GenerateSecret(); s.IsZero() || s.Equal(keys.GenerateSecret()) {
			t.Fatal("a generated secret is zero or came twice")
		}
	}
}

// spreads are the files that draw at random what is no secret: how long to wait, and
// which of several free seats to take.
var spreads = map[string]bool{
	"../activation/api/problem.go":     true,
	"../activation/client/exchange.go": true,
	"../activation/postgres/ledger.go": true,
	"../activation/sqlite/ledger.go":   true,
}

// CR-17: nothing in this module but tests may draw
// random numbers that can be predicted.
func TestOnlyCryptoRand(t *testing.T) {
	files := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		files++
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, source, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range f.Imports {
			if strings.HasPrefix(strings.Trim(i.Path.Value, "\"`"), "math/rand") && !spreads[filepath.ToSlash(path)] {
				t.Errorf("%s imports %s", path, i.Path.Value)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 20 {
		t.Errorf("only %d source files found", files)
	}
}
