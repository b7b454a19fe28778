package keyfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// maxSize of every file that this package reads. A key file takes half a KiB, and
// a few hundred bytes for each further recipient.
const maxSize = 64 << 10

var (
	errUTF16 = errors.New("the text is UTF-16, which PowerShell 5 writes on redirection with >: save it as UTF-8")
	errSize  = fmt.Errorf("larger than %d KiB, so this is no such file", maxSize>>10)
)

// load reads the file at path without its byte order mark. Errors begin with kind,
// which says what sort of file it should be.
func load(kind, path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err) // has the path already
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	if len(data) > maxSize {
		return nil, fmt.Errorf("%s %s: %w", kind, path, errSize)
	}
	if data, err = withoutMark(data); err != nil {
		return nil, fmt.Errorf("%s %s: %w", kind, path, err)
	}
	return data, nil
}

const byteOrderMark = "\xef\xbb\xbf"

func withoutMark(data []byte) ([]byte, error) {
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return nil, errUTF16
	}
	return bytes.TrimPrefix(data, []byte(byteOrderMark)), nil
}

// eachLine calls f for every line that is neither blank nor a comment, without the
// white space around it. It adds the number of the line to an error.
func eachLine(data []byte, f func(line string) error) error {
	n := 0
	for line := range bytes.Lines(data) {
		n++
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if err := f(string(line)); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return nil
}
