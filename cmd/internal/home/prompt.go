package home

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"golang.org/x/term"
)

// ErrNoTerminal means that a passphrase is needed and there is nobody to ask.
var ErrNoTerminal = errors.New("there is no terminal to ask on; give --passphrase-file FILE")

// AskTerminal asks for a secret on the terminal of the process, even when
// standard input and output are pipes. The input does not echo. Without a
// terminal the error is [ErrNoTerminal].
func AskTerminal(prompt string) (string, error) {
	inName, outName := "/dev/tty", "/dev/tty"
	if runtime.GOOS == "windows" {
		inName, outName = "CONIN$", "CONOUT$"
	}
	in, err := os.OpenFile(inName, os.O_RDWR, 0)
	if err != nil {
		return "", ErrNoTerminal
	}
	defer in.Close()
	out, err := os.OpenFile(outName, os.O_WRONLY, 0)
	if err != nil {
		return "", ErrNoTerminal
	}
	defer out.Close()
	if !term.IsTerminal(int(in.Fd())) {
		return "", ErrNoTerminal
	}
	fmt.Fprintf(out, "%s: ", prompt)
	pass, err := term.ReadPassword(int(in.Fd()))
	fmt.Fprintln(out)
	if err != nil {
		return "", fmt.Errorf("failed to read from the terminal: %w", err)
	}
	return string(pass), nil
}
