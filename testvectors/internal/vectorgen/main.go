// Vectorgen writes the test vectors of the licet licence code.
//
// It is an implementation of the specification of its own: it is written from
// the formulas with big integers and by trying everything, it shares no code
// with the library, and it can make codes and rings that no honest program
// makes. Its output depends on nothing but its source, so that running it
// again changes no byte.
package main

import (
	"flag"
	"log"
	"os"
	"path/filepath"
	"regexp"

	"github.com/licet-dev/licet/testvectors/internal/vectorfile"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("vectorgen: ")
	dir := flag.String("dir", "v1", "write the vector files to `directory`")
	flag.Parse()

	selfCheck()
	for name, file := range files() {
		data, err := vectorfile.Encode(file)
		if err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(*dir, name+".json"), data, 0o666); err != nil {
			log.Fatal(err)
		}
	}
}

// files returns all vector files by their kinds.
func files() map[string]any {
	return map[string]any{
		"mint":       mintFile(),
		"check":      checkFile(),
		"normalize":  normalizeFile(),
		"days":       daysFile(),
		"rings":      ringsFile(),
		"secretkeys": secretKeysFile(),
		"verify":     verifyFile(),
		"lists":      listsFile(),
		"policy":     policyFile(),
	}
}

var kebab = regexp.MustCompile(`\A[a-z0-9]+(-[a-z0-9]+)*\z`)

// header numbers the tests and makes the header of their file. Notes explains
// every flag that may occur; the file gets the ones that do.
func header[T any, P interface {
	*T
	Common() *vectorfile.Test
}](kind, comment string, notes map[string]string, tests []T) vectorfile.Header {
	h := vectorfile.Header{
		Format:  vectorfile.Format,
		Kind:    kind,
		Comment: comment,
		Count:   len(tests),
		Notes:   map[string]string{},
	}
	names := map[string]bool{}
	for i := range tests {
		t := P(&tests[i]).Common()
		t.ID = i + 1
		if !kebab.MatchString(t.Name) || names[t.Name] {
			log.Fatalf("%s: bad or repeated name %q", kind, t.Name)
		}
		names[t.Name] = true
		if t.Flags == nil {
			t.Flags = []string{}
		}
		for _, f := range t.Flags {
			if notes[f] == "" {
				log.Fatalf("%s: %s: no note for flag %q", kind, t.Name, f)
			}
			h.Notes[f] = notes[f]
		}
	}
	return h
}

func pointer[T any](v T) *T { return &v }
