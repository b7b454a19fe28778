package export

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/xuri/excelize/v2"
)

// maxUnzipped is how many bytes the parts of an xlsx file may have. A small file
// can unfold to any size.
const maxUnzipped = 8 << 30

// maxInMemory is how many bytes of a part of it are in memory, and not in a temporary
// file, unless the list must not touch the disk.
const maxInMemory = 16 << 20

// A sheetSource reads a sheet of an xlsx file.
type sheetSource struct {
	file   *excelize.File
	rows   *excelize.Rows
	n      int // number of the row last read
	header header
}

// newSheetSource finds the first sheet whose first row names a column code.
func newSheetSource(r io.Reader, inMemory int64) (*sheetSource, error) {
	f, err := excelize.OpenReader(r, excelize.Options{RawCellValue: true, UnzipSizeLimit: maxUnzipped, UnzipXMLSizeLimit: inMemory})
	if err != nil {
		return nil, fmt.Errorf("not an xlsx file that can be read: %w", err)
	}
	s := &sheetSource{file: f}
	for _, name := range f.GetSheetList() {
		if err = s.open(name); err == nil {
			return s, nil
		}
		if s.rows != nil {
			s.rows.Close()
		}
		if err != errNoCode && err != io.EOF {
			break
		}
	}
	if err == errNoCode || err == io.EOF {
		err = fmt.Errorf("%w in any sheet; the first row must name the columns", errNoCode)
	}
	return nil, errors.Join(err, f.Close())
}

// open goes to a sheet and reads its header.
func (s *sheetSource) open(sheet string) error {
	rows, err := s.file.Rows(sheet)
	if err != nil {
		return fmt.Errorf("sheet %q: %w", sheet, err)
	}
	s.rows, s.n = rows, 0
	names, err := s.row()
	if err != nil {
		return err
	}
	if s.header, err = newHeader(names); err != nil && err != errNoCode {
		err = lineError(s.n, "%w", err)
	}
	return err
}

// row returns the next row that is not blank, or io.EOF.
func (s *sheetSource) row() ([]string, error) {
	for s.rows.Next() {
		s.n++
		cells, err := s.rows.Columns()
		if err != nil {
			return nil, lineError(s.n, "%w", err)
		}
		if strings.TrimSpace(strings.Join(cells, "")) != "" {
			return cells, nil
		}
	}
	if err := s.rows.Error(); err != nil {
		return nil, lineError(s.n, "%w", err)
	}
	return nil, io.EOF
}

func (s *sheetSource) next(row *Row) error {
	cells, err := s.row()
	*row = Row{Line: s.n}
	if err != nil {
		return err
	}
	cell := func(i int) []byte {
		if i < 0 || i >= len(cells) {
			return nil
		}
		return []byte(cells[i])
	}
	if row.Code = cell(s.header.code); blank(row.Code) {
		return lineError(s.n, "there is no code, but other cells are filled")
	}
	if row.Serial, row.HasSerial, err = parseSerial(cell(s.header.serial)); err != nil {
		return lineError(s.n, "%w", err)
	}
	return nil
}

func (s *sheetSource) close() error { return errors.Join(s.rows.Close(), s.file.Close()) }
