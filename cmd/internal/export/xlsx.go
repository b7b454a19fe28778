package export

import (
	"archive/zip"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/xuri/excelize/v2"

	"github.com/licet-dev/licet/payload"
)

// MaxXLSXRows is how many codes an xlsx file holds: the rows of a sheet, less the
// one that names the columns.
const MaxXLSXRows = excelize.TotalRows - 1

// maxExact is the largest integer that spreadsheets keep: they have 15 digits.
const maxExact = 999_999_999_999_999

// A sheet is the only sheet of an xlsx file. Package excelize keeps its rows in a
// temporary file once they are more than 16 MiB.
type sheet struct {
	columns *columns
	file    *excelize.File
	stream  *excelize.StreamWriter
	cells   []excelize.Cell
	row     []any // pointers to the cells
	rows    int   // codes written

	bold, text, number int // styles
}

func newSheet(cs *columns) (*sheet, error) {
	s := &sheet{columns: cs, file: excelize.NewFile(), cells: make([]excelize.Cell, len(cs.list))}
	for i := range s.cells {
		s.row = append(s.row, &s.cells[i])
	}
	const name = "codes"
	err := s.file.SetSheetName("Sheet1", name)
	if err == nil {
		now := time.Now().UTC().Format(time.RFC3339)
		err = s.file.SetDocProps(&excelize.DocProperties{Creator: "licet", Created: now, Modified: now})
	}
	for _, style := range []struct {
		id *int
		excelize.Style
	}{
		{&s.bold, excelize.Style{Font: &excelize.Font{Bold: true}, NumFmt: 49}},
		{&s.text, excelize.Style{NumFmt: 49}},  // @: what is typed over it stays text, too
		{&s.number, excelize.Style{NumFmt: 1}}, // 0: never 1E+11
	} {
		if err == nil {
			*style.id, err = s.file.NewStyle(&style.Style)
		}
	}
	if err == nil {
		s.stream, err = s.file.NewStreamWriter(name)
	}
	if err != nil {
		return nil, xlsxError(err)
	}
	return s, nil
}

func xlsxError(err error) error { return fmt.Errorf("xlsx: %w", err) }

// begin writes the row that names the columns. Widths must come before it, and
// that of the codes is known with the first one.
func (s *sheet) begin(code []byte) error {
	for i, c := range s.columns.list {
		width := 14
		switch c.kind {
		case kindCode:
			width = len(code) + 2
		case kindLabel:
			width = len(c.value) + 2
		case kindKeyID:
			width = 20
		}
		width = max(10, len(c.name)+2, min(width, 60))
		style := s.text
		if c.isNumber() {
			style = s.number
		}
		if err := s.stream.SetColWidth(i+1, i+1, float64(width)); err != nil {
			return err
		}
		if err := s.stream.SetColStyle(i+1, i+1, style); err != nil {
			return err
		}
		s.cells[i] = excelize.Cell{StyleID: s.bold, Value: c.name}
	}
	panes := &excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"}
	if err := s.stream.SetPanes(panes); err != nil {
		return err
	}
	return s.stream.SetRow("A1", s.row)
}

// isNumber reports whether the cells of a column are numbers of a spreadsheet.
func (c *column) isNumber() bool {
	switch c.kind {
	case kindKey, kindProduct, kindVersion, kindEdition, kindSeats:
		return true
	}
	return false
}

func (s *sheet) write(code []byte, lic *payload.License) error {
	if s.rows == MaxXLSXRows {
		return fmt.Errorf("xlsx: a sheet has %d codes at most; write several files, or choose csv", MaxXLSXRows)
	}
	if s.rows == 0 {
		if err := s.begin(code); err != nil {
			return xlsxError(err)
		}
	}
	s.rows++
	for i := range s.columns.list {
		c, cell := &s.columns.list[i], &s.cells[i]
		switch n := c.number(lic); {
		case c.kind == kindCode:
			*cell = excelize.Cell{StyleID: s.text, Value: string(code)}
		case c.kind == kindLabel:
			*cell = excelize.Cell{StyleID: s.text, Value: c.value}
		case c.kind == kindKey:
			*cell = excelize.Cell{StyleID: s.number, Value: s.columns.key}
		case c.isNumber() && n <= maxExact && !(c.kind == kindSeats && n == 0):
			*cell = excelize.Cell{StyleID: s.number, Value: n}
		default:
			var buf [128]byte
			*cell = excelize.Cell{StyleID: s.text, Value: string(s.columns.appendText(buf[:0], c, lic))}
		}
	}
	if err := s.stream.SetRow(fmt.Sprint("A", s.rows+1), s.row); err != nil {
		return xlsxError(err)
	}
	return nil
}

// close writes the file to w, unless there was an error, and removes what is
// temporary.
func (s *sheet) close(w io.Writer, err error) error {
	if err == nil {
		err = s.finish(w)
	}
	return errors.Join(err, s.file.Close())
}

func (s *sheet) finish(w io.Writer) error {
	if s.rows == 0 {
		if err := s.begin(nil); err != nil {
			return xlsxError(err)
		}
	}
	if err := s.stream.Flush(); err != nil {
		return xlsxError(err)
	}
	// Left alone, excelize makes the whole file in memory and then writes it.
	s.file.SetZipWriter(func(io.Writer) excelize.ZipWriter { return newArchive(w) })
	return s.file.Write(io.Discard)
}

// An archive is the zip file that an xlsx file is.
type archive struct{ *zip.Writer }

func newArchive(w io.Writer) archive {
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestSpeed) })
	return archive{z}
}

// Create begins a part of the file.
func (a archive) Create(name string) (io.Writer, error) {
	w, err := a.Writer.Create(name)
	return &part{w: w}, err
}

// A part refuses to grow over what spreadsheets open.
type part struct {
	w io.Writer
	n int64
}

func (p *part) Write(b []byte) (int, error) {
	if p.n += int64(len(b)); p.n > math.MaxUint32 {
		return 0, errors.New("xlsx: the sheet is larger than the 4 GiB that spreadsheets open; write several files, or choose csv")
	}
	return p.w.Write(b)
}
