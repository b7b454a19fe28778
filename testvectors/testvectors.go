// Package testvectors holds the test vectors of the licet licence code and
// their JSON schemas. The files are described in README.md and are in the
// public domain (CC0-1.0), so that any implementation can carry them along.
package testvectors

import (
	"embed"
	"io/fs"
)

//go:generate go run ./internal/vectorgen -dir v1

//go:embed v1/*.json
var v1 embed.FS

//go:embed schema/*.json
var schemas embed.FS

// V1 holds the vectors of version 1 of the format: "mint.json", "verify.json"
// and so on.
var V1 fs.FS = sub(v1, "v1")

// Schemas holds one JSON Schema (draft-07) for each file of V1, under the same
// name, and "common.json", to which they refer.
var Schemas fs.FS = sub(schemas, "schema")

func sub(files embed.FS, dir string) fs.FS {
	f, err := fs.Sub(files, dir)
	if err != nil {
		panic(err) // the name is a constant above
	}
	return f
}
