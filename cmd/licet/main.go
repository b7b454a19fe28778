// Licet makes and judges licence codes: short texts that carry product, version,
// expiry and serial with their signature. See README.md, or licet --help.
package main

import (
	"os"
	"runtime/debug"
)

// gcPercent lets the heap grow to 20 MiB or so before garbage is collected. Long
// lists of codes leave little of it, but steadily.
const gcPercent = 400

func main() {
	debug.SetGCPercent(gcPercent)
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
