package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/licet-dev/licet/testvectors/internal/vectorfile"
)

func TestSelfCheck(t *testing.T) { selfCheck() }

// TestFiles makes the files again and compares them with the ones kept.
func TestFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	for kind, file := range files() {
		want, err := vectorfile.Encode(file)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile("../../v1/" + kind + ".json")
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s.json is not what vectorgen writes; run go generate", kind)
		}
	}
}
