package verifier_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const module = "github.com/licet-dev/licet"

// goTool runs the go command without network and without the settings of whoever
// runs this test, and returns what it printed.
func goTool(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "GOTOOLCHAIN=local")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, &stderr)
	}
	return string(out)
}

func needGo(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
}

// Whoever embeds the verifier takes on this module and the standard library,
// nothing else. That holds for its tests as well: go mod tidy of a customer looks
// at them.
func TestDependencies(t *testing.T) {
	needGo(t)
	type pkg struct {
		ImportPath string
		Standard   bool
		Module     *struct{ Path string }
	}
	for _, args := range [][]string{{"list", "-deps", "-json", "."}, {"list", "-deps", "-test", "-json", "."}} {
		dec := json.NewDecoder(strings.NewReader(goTool(t, ".", args...)))
		own := 0
		for dec.More() {
			var p pkg
			if err := dec.Decode(&p); err != nil {
				t.Fatal(err)
			}
			switch {
			case p.Standard:
			case p.Module != nil && p.Module.Path == module || strings.HasPrefix(p.ImportPath, module+"/verifier"):
				own++
			default:
				t.Errorf("go %s: %s is of another module", strings.Join(args, " "), p.ImportPath)
			}
		}
		if own < 3 {
			t.Errorf("go %s: only %d packages of this module", strings.Join(args, " "), own)
		}
	}
}

// A program of another module that imports packages verifier and keys builds
// without network, and needs no checksum of any other module.
func TestEmbedding(t *testing.T) {
	needGo(t)
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/product\n\ngo 1.26.0\n\nrequire " + module + " v0.0.0\n\nreplace " + module + " => " + root + "\n",
		"main.go": `package main

import (
	"fmt"
	"os"

	"` + module + `/keys"
	"` + module + `/verifier"
)

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	ring, err := keys.ParseRing(text)
	if err != nil {
		panic(err)
	}
	v, err := verifier.New(ring, verifier.Options{Products: []uint64{7}})
	if err != nil {
		panic(err)
	}
	lic, err := v.Verify(os.Args[2])
	if err != nil {
		panic(err)
	}
	fmt.Print("serial ", lic.Serial)
}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	goTool(t, dir, "build", "-o", "product.exe", ".")
	if sum, err := os.ReadFile(filepath.Join(dir, "go.sum")); err == nil && len(sum) > 0 {
		t.Errorf("go.sum has\n%s", sum)
	}
	mod := must(os.ReadFile(filepath.Join(dir, "go.mod")))
	if strings.Count(string(mod), " v") != 1 {
		t.Errorf("go.mod has other modules:\n%s", mod)
	}

	// The program works, with a licence that never ends so that its clock is no matter.
	k := newKey(workedES, 7)
	if err := os.WriteFile(filepath.Join(dir, "ring.json"), must(newRing(k).Marshal()), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(filepath.Join(dir, "product.exe"), filepath.Join(dir, "ring.json"), codeOf(k)).CombinedOutput()
	if err != nil || string(out) != "serial 1000" {
		t.Errorf("the program says %q, %v", out, err)
	}
}
