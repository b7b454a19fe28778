//go:build unix

package home

import (
	"bytes"
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// readHidden reads a line from a terminal, which does not echo it. That is what
// term.ReadPassword does, but it reads on when the input has ended, as Ctrl-D does;
// here the error is then io.EOF.
func readHidden(in *os.File) ([]byte, error) {
	fd := int(in.Fd())
	before, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return nil, err
	}
	hidden := *before
	hidden.Lflag = hidden.Lflag&^unix.ECHO | unix.ICANON | unix.ISIG
	hidden.Iflag |= unix.ICRNL
	if err := unix.IoctlSetTermios(fd, setTermios, &hidden); err != nil {
		return nil, err
	}
	defer unix.IoctlSetTermios(fd, setTermios, before)
	var line []byte
	for buf := make([]byte, 4096); ; { // a terminal gives a line at a time
		n, err := in.Read(buf)
		line = append(line, buf[:n]...)
		if text, ok := bytes.CutSuffix(line, []byte("\n")); ok {
			return text, nil
		}
		if errors.Is(err, io.EOF) && len(line) > 0 {
			return line, nil
		}
		if err != nil {
			return nil, err
		}
	}
}
