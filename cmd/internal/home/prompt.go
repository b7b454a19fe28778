package home

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"golang.org/x/term"
)

// ErrNoTerminal means that a passphrase is needed and there is nobody to ask.
var ErrNoTerminal = errors.New("there is no terminal to ask on; give --passphrase-file FILE")

// ErrInterrupted means that a signal ended the program while it asked.
var ErrInterrupted = errors.New("interrupted")

// AskTerminal asks for a secret on the terminal of the process, even when
// standard input and output are pipes. The input does not echo. Without a
// terminal the error is [ErrNoTerminal].
func AskTerminal(prompt string) (string, error) {
	in, out, err := openTerminal()
	if err != nil {
		return "", err
	}
	defer in.Close()
	defer out.Close()
	fmt.Fprintf(out, "%s: ", prompt)
	pass, err := readPassword(in)
	fmt.Fprintln(out)
	switch {
	case errors.Is(err, io.EOF):
		err = errors.New("nothing was typed: the input of the terminal was ended, as Ctrl-D does")
	case err != nil && !errors.Is(err, ErrInterrupted):
		err = fmt.Errorf("failed to read from the terminal: %w", err)
	}
	return string(pass), err
}

// openTerminal opens the terminal of the process, which need not be its standard
// input or output.
func openTerminal() (in, out *os.File, err error) {
	inName, outName := "/dev/tty", "/dev/tty"
	if runtime.GOOS == "windows" {
		inName, outName = "CONIN$", "CONOUT$"
	}
	if in, err = os.OpenFile(inName, os.O_RDWR, 0); err != nil {
		return nil, nil, ErrNoTerminal
	}
	if out, err = os.OpenFile(outName, os.O_WRONLY, 0); err != nil || !term.IsTerminal(int(in.Fd())) {
		in.Close()
		out.Close()
		return nil, nil, ErrNoTerminal
	}
	return in, out, nil
}

// readPassword reads a line that does not echo. A signal does not end the read, so
// it goes on in the background, and the terminal echoes again.
func readPassword(in *os.File) ([]byte, error) {
	fd := int(in.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return nil, err
	}
	interrupt := make(chan os.Signal, 1)
	signal.Notify(interrupt, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(interrupt)
	type answer struct {
		pass []byte
		err  error
	}
	done := make(chan answer, 1)
	go func() {
		pass, err := readHidden(in)
		done <- answer{pass, err}
	}()
	select {
	case a := <-done:
		return a.pass, a.err
	case <-interrupt:
		return nil, errors.Join(ErrInterrupted, term.Restore(fd, before))
	}
}
