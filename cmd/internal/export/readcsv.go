package export

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A csvSource reads a csv file. Rows without quotation marks, which are nearly
// all, are split where they lie; the others are copied.
type csvSource struct {
	lines  *lines
	sep    byte
	header header
	long   []byte // a record of several lines
	cell   []byte // a quoted one, without its quotation marks
}

// A header says where the columns of interest are.
type header struct {
	code, serial int // -1: there is none
	columns      int
}

// errNoCode means that a row is not the header of a list.
var errNoCode = errors.New("no column is named code")

// newHeader finds the columns by their names.
func newHeader(names []string) (header, error) {
	h := header{code: -1, serial: -1, columns: len(names)}
	for i, name := range names {
		for _, c := range []struct {
			name string
			at   *int
		}{{"code", &h.code}, {"serial", &h.serial}} {
			switch {
			case !strings.EqualFold(strings.TrimSpace(name), c.name):
			case *c.at >= 0:
				return h, fmt.Errorf("two columns are named %s", c.name)
			default:
				*c.at = i
			}
		}
	}
	if h.code < 0 {
		return h, errNoCode
	}
	return h, nil
}

// newCSVSource reads the header. What separates its cells is what makes a column
// code of them.
func newCSVSource(l *lines) (*csvSource, error) {
	s := &csvSource{lines: l}
	var first []byte
	line := 1
	for len(bytes.Trim(first, " \t,;")) == 0 { // past blank rows
		var err error
		if first, _, line, err = s.record(); err == io.EOF {
			return nil, lineError(1, "there is no row that names the columns; is the file empty?")
		} else if err != nil {
			return nil, err
		}
	}
	for _, sep := range []byte(",;\t") {
		s.sep = sep
		names, err := s.split(first)
		if err == nil {
			s.header, err = newHeader(names)
		}
		switch {
		case err == nil:
			return s, nil
		case err != errNoCode && len(names) > 1: // this is what separates the cells
			return nil, lineError(line, "%w", err)
		}
	}
	return nil, lineError(line, "%w in %.100q; the first row must name the columns, and a plain list of codes is txt", errNoCode, first)
}

// record returns the next record, which has several lines when a quoted cell has,
// whether it has quotation marks, and the line it begins on.
func (s *csvSource) record() (record []byte, quoted bool, line int, err error) {
	part, err := s.lines.next()
	line = s.lines.n
	quotes := bytes.Count(part, quote)
	if err != nil || quotes%2 == 0 {
		return part, quotes > 0, line, err
	}
	s.long = append(s.long[:0], part...)
	for {
		part, err = s.lines.next()
		switch {
		case err == io.EOF:
			return nil, true, line, lineError(line, "a quotation mark without a second one")
		case err != nil:
			return nil, true, line, err
		case len(s.long)+len(part) > maxLine:
			return nil, true, line, lineError(line, "the row is longer than 1 MiB; is there a quotation mark without a second one?")
		}
		s.long = append(append(s.long, '\n'), part...)
		if bytes.Count(part, quote)%2 == 1 {
			return s.long, true, line, nil
		}
	}
}

var quote = []byte{'"'}

// cut cuts the first cell off a record. A quoted one comes with its quotation marks.
func (s *csvSource) cut(record []byte) (cell, rest []byte, more bool, err error) {
	end := 0
	if len(record) > 0 && record[0] == '"' {
		for end = 1; ; end += 2 { // past a pair of quotation marks, which stands for one
			i := bytes.IndexByte(record[end:], '"')
			if i < 0 {
				return nil, nil, false, errors.New("a quotation mark without a second one")
			}
			end += i
			if end+1 == len(record) || record[end+1] != '"' {
				break
			}
		}
		end++
		if end < len(record) && record[end] != s.sep {
			return nil, nil, false, errors.New("text after the quotation mark that ends a cell")
		}
	} else {
		if end = bytes.IndexByte(record, s.sep); end < 0 {
			end = len(record)
		}
		if bytes.IndexByte(record[:end], '"') >= 0 {
			return nil, nil, false, errors.New("a quotation mark in a cell that does not begin with one")
		}
	}
	if end == len(record) {
		return record, nil, false, nil
	}
	return record[:end], record[end+1:], true, nil
}

// unquote returns the text of a cell, appended to dst if it was quoted.
func unquote(dst, cell []byte) (text, grown []byte) {
	if len(cell) == 0 || cell[0] != '"' {
		return cell, dst
	}
	n := len(dst)
	for cell = cell[1 : len(cell)-1]; ; {
		i := bytes.IndexByte(cell, '"')
		if i < 0 {
			break
		}
		dst = append(dst, cell[:i+1]...)
		cell = cell[i+2:]
	}
	dst = append(dst, cell...)
	return dst[n:], dst
}

func (s *csvSource) split(record []byte) ([]string, error) {
	var cells []string
	for more := true; more; {
		var cell []byte
		var err error
		if cell, record, more, err = s.cut(record); err != nil {
			return nil, err
		}
		text, _ := unquote(nil, cell)
		cells = append(cells, string(text))
	}
	return cells, nil
}

func (s *csvSource) next(row *Row) error {
	for {
		record, quoted, line, err := s.record()
		row.Line = line
		if err != nil {
			return err
		}
		code, serial, ok := s.plainCells(record, quoted)
		if !ok {
			if code, serial, err = s.cells(record); err != nil {
				return lineError(line, "%w", err)
			}
		}
		if code == nil {
			continue
		}
		row.Code = code
		if row.Serial, row.HasSerial, err = parseSerial(serial); err != nil {
			return lineError(line, "%w", err)
		}
		return nil
	}
}

func (*csvSource) close() error { return nil }

// cells returns the cells of a record. A blank one has no code.
func (s *csvSource) cells(record []byte) (code, serial []byte, err error) {
	s.cell = s.cell[:0]
	filled := false // whether any cell is
	columns := 0
	for more := true; more; columns++ {
		var cell []byte
		if cell, record, more, err = s.cut(record); err != nil {
			return nil, nil, err
		}
		filled = filled || len(bytes.Trim(cell, ` "`)) > 0
		switch {
		case columns == s.header.code:
			code, s.cell = unquote(s.cell, cell)
		case columns == s.header.serial:
			serial, s.cell = unquote(s.cell, cell)
		case columns >= s.header.columns && len(bytes.Trim(cell, ` "`)) > 0: // spreadsheets add empty ones
			return nil, nil, fmt.Errorf("a row of %d cells or more, where the first row names %d", columns+1, s.header.columns)
		}
	}
	if blank(code) {
		if filled {
			return nil, nil, errors.New("there is no code, but other cells are filled")
		}
		return nil, nil, nil
	}
	return code, serial, nil
}

// plainCells returns the code and the serial of a record without quotation marks.
// It leaves those to cells that have some, are blank, or have too few cells or too many.
func (s *csvSource) plainCells(record []byte, quoted bool) (code, serial []byte, ok bool) {
	last := s.header.columns - 1
	if quoted || bytes.Count(record, []byte{s.sep}) != last {
		return nil, nil, false
	}
	code = s.plainCell(record, s.header.code, last)
	if s.header.serial >= 0 {
		serial = s.plainCell(record, s.header.serial, last)
	}
	return code, serial, !blank(code)
}

// plainCell returns a cell of a record without quotation marks, whose last cell has
// the given number.
func (s *csvSource) plainCell(record []byte, n, last int) []byte {
	if n == last { // as the serial is in the lists of this program
		return record[bytes.LastIndexByte(record, s.sep)+1:]
	}
	for range n {
		record = record[bytes.IndexByte(record, s.sep)+1:]
	}
	return record[:bytes.IndexByte(record, s.sep)]
}
