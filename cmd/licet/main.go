// Licet makes and judges licence codes: short texts that carry product, version,
// expiry and serial with their signature. See README.md, or licet --help.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
