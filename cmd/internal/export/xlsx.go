package export

import (
	"archive/zip"
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"

	"github.com/licet-dev/licet/payload"
)

// MaxXLSXRows is how many codes an xlsx file holds: the rows of a sheet, less the
// one that names the columns.
const MaxXLSXRows = excelize.TotalRows - 1

// maxExact is the largest integer that spreadsheets keep: they have 15 digits.
const maxExact = 999_999_999_999_999

// A sheet is the only sheet of an xlsx file. Package excelize makes the file around
// its rows; the rows go to the file as they come. Left to excelize they would be in
// a temporary file, in the clear, also where the list is to be encrypted.
type sheet struct {
	columns *columns
	letters []string // names of the columns: A, B, ...
	file    *excelize.File
	stream  *excelize.StreamWriter
	zip     *zip.Writer
	part    io.Writer // the part with the rows
	tail    []byte    // what follows the last row in it
	rows    int       // codes written

	bold, text, number int // styles
}

func newSheet(cs *columns) (*sheet, error) {
	s := &sheet{columns: cs, file: excelize.NewFile()}
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
	for i := range cs.list {
		if err == nil {
			var letter string
			letter, err = excelize.ColumnNumberToName(i + 1)
			s.letters = append(s.letters, letter)
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

// begin writes the file up to its first code. Widths of columns come before it, and
// that of the codes is known with the first one.
func (s *sheet) begin(w io.Writer, code []byte) error {
	if err := s.head(code); err != nil {
		return xlsxError(err)
	}
	parts := parts{}
	s.file.SetZipWriter(func(io.Writer) excelize.ZipWriter { return &parts })
	if err := errors.Join(s.file.Write(io.Discard), s.file.Close()); err != nil {
		return xlsxError(err)
	}
	s.zip = zip.NewWriter(w)
	s.zip.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestSpeed) })
	// The sheet comes last, since it is written bit by bit.
	slices.SortStableFunc(parts, func(a, b *part) int { return cmp.Compare(a.rank(), b.rank()) })
	for _, p := range parts {
		to, err := s.zip.Create(p.name)
		if err != nil {
			return err
		}
		head := p.Bytes()
		if p.isSheet() {
			end := bytes.Index(head, []byte("</sheetData>"))
			if end < 0 {
				return xlsxError(errors.New("the sheet has no end"))
			}
			head, s.tail = head[:end], head[end:]
			s.part = &sheetPart{w: to}
			to = s.part
		}
		if _, err := to.Write(head); err != nil {
			return err
		}
	}
	if s.part == nil {
		return xlsxError(errors.New("there is no sheet"))
	}
	return nil
}

// head makes what comes before the rows, and the row that names the columns.
func (s *sheet) head(code []byte) error {
	var names []any
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
		names = append(names, excelize.Cell{StyleID: s.bold, Value: c.name})
	}
	panes := &excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"}
	if err := s.stream.SetPanes(panes); err != nil {
		return err
	}
	if err := s.stream.SetRow("A1", names); err != nil {
		return err
	}
	return s.stream.Flush()
}

// isNumber reports whether the cells of a column are numbers of a spreadsheet.
func (c *column) isNumber() bool {
	switch c.kind {
	case kindKey, kindProduct, kindVersion, kindEdition, kindSeats:
		return true
	}
	return false
}

// next makes room for one more row and returns its number. The first row names the
// columns.
func (s *sheet) next(w io.Writer, code []byte) (int, error) {
	switch s.rows {
	case MaxXLSXRows:
		return 0, fmt.Errorf("xlsx: a sheet has %d codes at most; write several files, or choose csv", MaxXLSXRows)
	case 0:
		if err := s.begin(w, code); err != nil {
			return 0, err
		}
	}
	s.rows++
	return s.rows + 1, nil
}

// layRow lays out a row. But for labels, all texts are of letters, digits, spaces
// and hyphens.
func (s *sheet) layRow(r *row, cs *columns, lic *payload.License) {
	r.text = append(r.text, `<row r="`...)
	r.number()
	r.text = append(r.text, `">`...)
	for i := range cs.list {
		c := &cs.list[i]
		r.text = append(append(r.text, `<c r="`...), s.letters[i]...)
		r.number()
		isNumber := c.kind == kindKey
		if c.isNumber() && !isNumber {
			n := c.number(lic)
			isNumber = n <= maxExact && !(c.kind == kindSeats && n == 0)
		}
		if isNumber {
			r.text = fmt.Appendf(r.text, `" s="%d"><v>`, s.number)
			r.text = cs.appendText(r.text, c, lic)
			r.text = append(r.text, "</v></c>"...)
			continue
		}
		r.text = fmt.Appendf(r.text, `" s="%d" t="inlineStr"><is><t`, s.text)
		switch c.kind {
		case kindCode:
			r.text = append(r.text, '>')
			r.code()
		case kindSerial:
			r.text = append(r.text, '>')
			r.serial()
		case kindLabel:
			r.text = append(r.text, ` xml:space="preserve">`...)
			r.text = appendXML(r.text, c.value)
		default:
			r.text = append(r.text, '>')
			r.text = cs.appendText(r.text, c, lic)
		}
		r.text = append(r.text, "</t></is></c>"...)
	}
	r.text = append(r.text, "</row>"...)
}

// appendXML appends a text of a cell. Where it would be read as an escape such as
// _x000D_, its underscore is written as one.
func appendXML(dst []byte, s string) []byte {
	var plain strings.Builder
	for i := range len(s) {
		if s[i] == '_' && isEscape(s[i:]) {
			plain.WriteString("_x005F_")
		} else {
			plain.WriteByte(s[i])
		}
	}
	var text bytes.Buffer
	if err := xml.EscapeText(&text, []byte(plain.String())); err != nil {
		panic(err) // a buffer takes everything
	}
	return append(dst, text.Bytes()...)
}

// isEscape reports whether s begins with an escape of a text in a sheet.
func isEscape(s string) bool {
	if len(s) < len("_x005F_") || s[1] != 'x' || s[6] != '_' {
		return false
	}
	_, err := hex.DecodeString(s[2:6])
	return err == nil
}

// finish writes what comes behind the last row.
func (s *sheet) finish(w io.Writer) error {
	if s.rows == 0 {
		if err := s.begin(w, nil); err != nil {
			return err
		}
	}
	if _, err := s.part.Write(s.tail); err != nil {
		return err
	}
	return s.zip.Close()
}

// parts takes the parts of a file that package excelize makes.
type parts []*part

type part struct {
	name string
	bytes.Buffer
}

func (p *part) isSheet() bool { return strings.HasPrefix(p.name, "xl/worksheets/") }

func (p *part) rank() int {
	if p.isSheet() {
		return 1
	}
	return 0
}

// Create begins a part.
func (ps *parts) Create(name string) (io.Writer, error) {
	p := &part{name: name}
	*ps = append(*ps, p)
	return p, nil
}

// AddFS is there because package excelize asks for it.
func (*parts) AddFS(fs.FS) error { return errors.ErrUnsupported }

// Close is there because package excelize asks for it.
func (*parts) Close() error { return nil }

// A sheetPart refuses to grow over what spreadsheets open.
type sheetPart struct {
	w io.Writer
	n int64
}

func (p *sheetPart) Write(b []byte) (int, error) {
	if p.n += int64(len(b)); p.n > math.MaxUint32 {
		return 0, errors.New("xlsx: the sheet is larger than the 4 GiB that spreadsheets open; write several files, or choose csv")
	}
	return p.w.Write(b)
}
