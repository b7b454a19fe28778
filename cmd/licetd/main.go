// Licetd is the activation endpoint of an issuer: it judges licence codes, counts their
// seats, and answers with receipts that programs verify offline. See README.md, or
// licetd --help.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}
