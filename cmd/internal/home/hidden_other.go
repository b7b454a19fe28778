//go:build !unix

package home

import (
	"os"

	"golang.org/x/term"
)

// readHidden reads a line from a terminal, which does not echo it.
func readHidden(in *os.File) ([]byte, error) { return term.ReadPassword(int(in.Fd())) }
