package export

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/licet-dev/licet/payload"
)

// A Reader reads the codes of a list, made by this package or by others and
// perhaps saved again by a spreadsheet.
//
//   - txt: a code a line; blank lines are skipped.
//   - csv: the first row names the columns, one of them code, and perhaps one
//     serial, in any case. Commas separate the cells, or semicolons or tabs where
//     the first row says so, as some spreadsheets save them.
//   - jsonl: an object a line with a member code, and perhaps serial.
//   - xlsx: the first sheet that has a column code, as csv.
//
// A byte order mark is skipped, and so are blank rows. Codes come as they stand in
// the list; it is for the verifier to judge them.
type Reader struct {
	source source
	row    Row
	err    error
}

// A source yields the rows of a list in some format.
type source interface {
	// next sets all of the row to the next one, and of the row that an error is about
	// the line. At the end the error is io.EOF. The code is good until the next call.
	next(*Row) error
	close() error
}

// A Row is a row of a list.
type Row struct {
	Line      int    // from 1; where the row begins
	Code      []byte // good until the next row is read
	Serial    uint64 // beside the code
	HasSerial bool   // whether there was one
}

// NewReader returns a reader of the list in r. For csv and xlsx it reads the names
// of the columns; an xlsx file it reads as a whole, and the text of a sheet of more
// than 16 MiB is in a temporary file meanwhile.
func NewReader(r io.Reader, format Format) (*Reader, error) {
	return newReader(r, format, maxInMemory)
}

// NewMemoryReader is NewReader for a list that must not touch the disk, since it was
// encrypted. A full sheet of xlsx then takes a gigabyte of memory; the other formats
// take next to nothing.
func NewMemoryReader(r io.Reader, format Format) (*Reader, error) {
	return newReader(r, format, maxUnzipped)
}

func newReader(r io.Reader, format Format, inMemory int64) (*Reader, error) {
	if err := format.check(); err != nil {
		return nil, err
	}
	if format == XLSX {
		s, err := newSheetSource(r, inMemory)
		if err != nil {
			return nil, err
		}
		return &Reader{source: s}, nil
	}
	l, err := newLines(r)
	if err != nil {
		return nil, err
	}
	switch format {
	case TXT:
		return &Reader{source: textSource{l}}, nil
	case CSV:
		s, err := newCSVSource(l)
		if err != nil {
			return nil, err
		}
		return &Reader{source: s}, nil
	}
	return &Reader{source: &jsonSource{lines: l}}, nil
}

// Next returns the next row, which it may change with the next call. At the end the
// error is [io.EOF]; any other names the line, which is that of the row then, and
// what comes after it can't be read.
func (r *Reader) Next() (*Row, error) {
	if r.err == nil {
		r.err = r.source.next(&r.row)
	}
	return &r.row, r.err
}

// Close removes what is temporary, which there is with a large xlsx file. It does
// not close the file that the list is read from.
func (r *Reader) Close() error {
	if r.err == nil {
		r.err = errors.New("export: the reader is closed")
	}
	return r.source.close()
}

const maxLine = 1 << 20 // bytes of a row

// lines reads lines of any length up to maxLine.
type lines struct {
	r    *bufio.Reader
	n    int    // number of the line last read
	long []byte // a line that is longer than the buffer
}

func newLines(r io.Reader) (*lines, error) {
	b := bufio.NewReaderSize(r, 64<<10)
	head, err := b.Peek(4)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(head, []byte("\xEF\xBB\xBF")):
		b.Discard(3)
	case bytes.HasPrefix(head, []byte("\xFF\xFE")), bytes.HasPrefix(head, []byte("\xFE\xFF")):
		return nil, errors.New("line 1: the text is UTF-16; save it as UTF-8")
	case bytes.Equal(head, []byte("PK\x03\x04")):
		return nil, errors.New("line 1: this is no text but a zip file, such as xlsx; name its format")
	}
	return &lines{r: b}, nil
}

// next returns the next line without its end, LF or CRLF. It is good until the
// next call.
func (l *lines) next() ([]byte, error) {
	line, err := l.r.ReadSlice('\n')
	l.n++
	if err == bufio.ErrBufferFull {
		l.long = l.long[:0]
		for err == bufio.ErrBufferFull && len(l.long) <= maxLine {
			l.long = append(l.long, line...)
			line, err = l.r.ReadSlice('\n')
		}
		l.long = append(l.long, line...)
		line = l.long
	}
	switch {
	case len(line) > maxLine:
		return nil, l.errorf("it is longer than 1 MiB; is this a list of codes?")
	case err == io.EOF && len(line) == 0:
		return nil, io.EOF
	case err != nil && err != io.EOF:
		return nil, l.errorf("%w", err)
	}
	line = bytes.TrimSuffix(line, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r")), nil
}

// errorf returns an error about the line last read.
func (l *lines) errorf(format string, args ...any) error { return lineError(l.n, format, args...) }

func lineError(line int, format string, args ...any) error {
	return fmt.Errorf("line %d: %w", line, fmt.Errorf(format, args...))
}

// blank reports whether there is nothing to read in a code, as a verifier sees it.
func blank(code []byte) bool {
	if len(code) == 0 {
		return true
	}
	if len(code) > payload.MaxInput || notCode[code[0]] == 0 && code[0] != '-' {
		return false
	}
	var buf [payload.MaxInput]byte
	t, err := payload.AppendNormalized(buf[:0], string(code))
	return err == nil && len(t) == 0
}

type textSource struct{ *lines }

func (s textSource) next(row *Row) error {
	for {
		line, err := s.lines.next()
		*row = Row{Line: s.n, Code: line}
		if err != nil || !blank(line) {
			return err
		}
	}
}

func (textSource) close() error { return nil }

// parseSerial reads the serial beside a code; none is no error.
func parseSerial(cell []byte) (serial uint64, has bool, err error) {
	cell = bytes.TrimSpace(cell)
	if len(cell) == 0 {
		return 0, false, nil
	}
	for _, c := range cell {
		if c < '0' || c > '9' || serial > (1<<53)/10 {
			return 0, false, badSerial(cell)
		}
		serial = serial*10 + uint64(c-'0')
	}
	if serial >= 1<<53 {
		return 0, false, badSerial(cell)
	}
	return serial, true, nil
}

func badSerial(cell []byte) error {
	if _, err := strconv.ParseFloat(string(cell), 64); err == nil && bytes.ContainsAny(cell, ".eE") {
		return fmt.Errorf("serial %q: a spreadsheet has rounded it; take the list as it was made, or as xlsx", cell)
	}
	return fmt.Errorf("serial %q: want digits only, below 2^53", cell[:min(len(cell), 40)])
}
