// Package export writes lists of licence codes for people, shops and
// spreadsheets, and reads them again to have the codes verified.
//
//	w, err := export.New(file, export.Options{Format: export.CSV, Layout: key.Layout(), Key: key.Number(), KeyID: key.ID()})
//	...
//	for ... {
//		if err := w.Write(code, &lic); err != nil { ... }
//	}
//	err = w.Close()
//
// A list has a row for each code and these columns: code, key, product, version,
// expiry, serial, the other fields of the layout, then the labels. Fields that
// the layout lacks are left out. The column key_id is there for whoever asks for
// it. A vendor's own field that is named code, key or labels becomes the column
// field_code, field_key or field_labels.
//
// The formats:
//
//   - txt: one code a line, ended by LF, and nothing else.
//   - csv: RFC 4180, so CRLF ends a line; UTF-8 without byte order mark, whatever
//     the locale. The first row names the columns. Dates are written 2027-12-31,
//     no expiry is the word never, no limit of seats the word unlimited; features
//     are a list such as "0 3". Labels are made safe, see [Neutralize]. No other
//     cell is ever altered.
//   - jsonl: one object a line, its members in the order of the columns. Code,
//     dates, serial and the vendor's own fields are strings, since not every
//     reader of JSON keeps large integers exact; key, product, version, edition
//     and seats are numbers (0 seats are unlimited), features an array. The labels
//     come last, in an object of their own named labels, so that no later column
//     can meet a customer's name. It is left out where there are none. Members are
//     only ever added.
//   - xlsx: one sheet of at most [MaxXLSXRows] codes. Code, serial, dates and
//     labels are text, which no spreadsheet reads as a number, a date or a formula.
//
// A spreadsheet that opens a csv file keeps every code as it is. It shows a serial
// of 12 digits or more as 1.23457E+11, takes a label such as 0047 or 12-05 for a
// number or a date, and may save them so; with such serials and labels use xlsx.
package export

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
)

// A Format is a kind of file.
type Format string

// The formats.
const (
	TXT   Format = "txt"
	CSV   Format = "csv"
	JSONL Format = "jsonl"
	XLSX  Format = "xlsx"
)

// Formats returns all formats.
func Formats() []Format { return []Format{TXT, CSV, JSONL, XLSX} }

// ParseFormat reads the name of a format.
func ParseFormat(s string) (Format, error) {
	f := Format(s)
	return f, f.check()
}

func (f Format) check() error {
	if slices.Contains(Formats(), f) {
		return nil
	}
	return fmt.Errorf("format %q: want txt, csv, jsonl or xlsx", string(f))
}

// Options say what a list looks like and what its codes have in common.
type Options struct {
	Format Format
	Layout *payload.Layout // of the key
	Key    int             // number of the key
	KeyID  keys.ID

	// Columns selects and orders the columns, by the names of columns and labels.
	// Code and all labels are among them. Nil means the default: all but key_id.
	Columns []string

	// Labels are columns of a name and the same value in all rows, in this order.
	Labels []Label
}

// A Label is a column with the same value in every row: an order number, a
// customer.
type Label struct {
	Name  string // a letter, then letters, digits, - and _, 64 bytes at most; no name of a column
	Value string // UTF-8 without U+0000, 1,024 bytes at most
}

// flushSize is how much is written at a time.
const flushSize = 64 << 10

// A Writer writes a list of codes. After an error all its methods return that
// error.
type Writer struct {
	w       io.Writer
	buf     []byte
	columns *columns
	sheet   *sheet // of an xlsx file

	// A row is the same for all licences with the same terms, but for the code and
	// the serial.
	layRow func(*row, *columns, *payload.License)
	row    row
	terms  terms // that row was made of
	laid   bool  // whether it was made

	err    error
	closed bool
}

// New returns a writer of the list to w. The caller closes w, after
// [Writer.Close]. Nothing is written yet, so an error leaves w untouched.
func New(w io.Writer, opts Options) (*Writer, error) {
	columns, err := newColumns(opts)
	if err != nil {
		return nil, err
	}
	x := &Writer{w: w, columns: columns}
	switch opts.Format {
	case TXT:
		x.layRow = layText
	case CSV:
		x.layRow = layCSV
		x.buf = appendHeader(x.buf, columns)
	case JSONL:
		x.layRow = layJSON
	case XLSX:
		if x.sheet, err = newSheet(columns); err != nil {
			return nil, err
		}
		x.layRow = x.sheet.layRow
	}
	x.buf = slices.Grow(x.buf, flushSize+4096) // the last row goes over the edge
	return x, nil
}

// Write adds the row of a code and its licence. It keeps neither.
func (w *Writer) Write(code []byte, lic *payload.License) error {
	switch {
	case w.err != nil:
		return w.err
	case w.closed:
		return errors.New("export: the list is closed")
	case !isCode(code):
		return w.fail(fmt.Errorf("export: %q is no licence code: want capital letters, digits and hyphens", code))
	}
	number := 0
	if w.sheet != nil {
		var err error
		if number, err = w.sheet.next(w.w, code); err != nil {
			return w.fail(err)
		}
	}
	if !w.laid || !w.columns.same(&w.terms, lic) {
		w.row.reset()
		w.layRow(&w.row, w.columns, lic)
		w.terms, w.laid = w.columns.terms(lic), true
	}
	w.buf = w.row.append(w.buf, code, lic.Serial, number)
	if len(w.buf) >= flushSize {
		return w.flush()
	}
	return nil
}

// Close writes what is left and finishes the list.
func (w *Writer) Close() error {
	if w.closed {
		return w.err
	}
	w.closed = true
	if w.err != nil {
		return w.err
	}
	if err := w.flush(); err != nil || w.sheet == nil {
		return err
	}
	return w.fail(w.sheet.finish(w.w))
}

func (w *Writer) flush() error {
	if len(w.buf) == 0 {
		return nil
	}
	to := w.w
	if w.sheet != nil {
		to = w.sheet.part
	}
	n, err := to.Write(w.buf)
	if err == nil && n < len(w.buf) {
		err = io.ErrShortWrite
	}
	w.buf = w.buf[:0]
	return w.fail(err)
}

// fail keeps the first error.
func (w *Writer) fail(err error) error {
	if w.err == nil {
		w.err = err
	}
	return w.err
}

// notCode is 1 for what is no character of codes. None of those means anything to csv
// or JSON, so codes go into both as they are.
var notCode = func() (t [256]byte) {
	for c := range t {
		if c != '-' && (c < '0' || '9' < c) && (c < 'A' || 'Z' < c) {
			t[c] = 1
		}
	}
	return t
}()

// isCode reports whether a code has only the characters of codes and begins with
// none that makes a cell a formula.
func isCode(code []byte) bool {
	var not byte // no return from the loop: nearly all codes are good
	for _, c := range code {
		not |= notCode[c]
	}
	return not == 0 && len(code) > 0 && code[0] != '-'
}

// A row is a line with holes for the code and the serial.
type row struct {
	text  []byte
	holes []hole
}

// A hole is a place in the text of a row.
type hole struct {
	at   int
	what filling
}

// A filling is what comes into a hole.
type filling int

const (
	fillCode filling = iota
	fillSerial
	fillNumber // of the row in a sheet
)

func (r *row) reset() { r.text, r.holes = r.text[:0], r.holes[:0] }

func (r *row) code()   { r.holes = append(r.holes, hole{len(r.text), fillCode}) }
func (r *row) serial() { r.holes = append(r.holes, hole{len(r.text), fillSerial}) }
func (r *row) number() { r.holes = append(r.holes, hole{len(r.text), fillNumber}) }

func (r *row) append(dst, code []byte, serial uint64, number int) []byte {
	from := 0
	for _, h := range r.holes {
		dst = append(dst, r.text[from:h.at]...)
		from = h.at
		switch h.what {
		case fillCode:
			dst = append(dst, code...)
		case fillSerial:
			dst = strconv.AppendUint(dst, serial, 10)
		case fillNumber:
			dst = strconv.AppendInt(dst, int64(number), 10)
		}
	}
	return append(dst, r.text[from:]...)
}

func layText(r *row, _ *columns, _ *payload.License) {
	r.code()
	r.text = append(r.text, '\n')
}

func layCSV(r *row, cs *columns, lic *payload.License) {
	for i := range cs.list {
		c := &cs.list[i]
		if i > 0 {
			r.text = append(r.text, ',')
		}
		switch c.kind {
		case kindCode:
			r.code()
		case kindSerial:
			r.serial()
		case kindLabel:
			r.text = append(r.text, c.cell...)
		default:
			r.text = cs.appendText(r.text, c, lic)
		}
	}
	r.text = append(r.text, "\r\n"...)
}

func appendHeader(dst []byte, cs *columns) []byte {
	return append(append(dst, strings.Join(cs.names(), ",")...), "\r\n"...)
}

func layJSON(r *row, cs *columns, lic *payload.License) {
	r.text = append(r.text, '{')
	for i := range cs.list {
		c := &cs.list[i]
		if c.kind == kindLabel {
			continue
		}
		r.member(c.name)
		switch c.kind {
		case kindCode:
			r.text = append(r.text, '"')
			r.code()
			r.text = append(r.text, '"')
		case kindSerial:
			r.text = append(r.text, '"')
			r.serial()
			r.text = append(r.text, '"')
		case kindSeats:
			r.text = strconv.AppendUint(r.text, lic.Seats, 10)
		case kindFeatures:
			r.text = append(r.text, '[')
			r.text = appendFeatures(r.text, lic.Features, ',')
			r.text = append(r.text, ']')
		case kindKey, kindProduct, kindVersion, kindEdition:
			r.text = cs.appendText(r.text, c, lic)
		default:
			r.text = append(r.text, '"')
			r.text = cs.appendText(r.text, c, lic)
			r.text = append(r.text, '"')
		}
	}
	open := false
	for i := range cs.list {
		c := &cs.list[i]
		if c.kind != kindLabel {
			continue
		}
		if !open {
			r.member("labels")
			r.text = append(r.text, '{')
			open = true
		}
		r.member(c.name)
		r.text = append(r.text, c.json...)
	}
	if open {
		r.text = append(r.text, '}')
	}
	r.text = append(r.text, "}\n"...)
}

// member begins a member of a JSON object. No name of a column needs escapes.
func (r *row) member(name string) {
	if r.text[len(r.text)-1] != '{' {
		r.text = append(r.text, ',')
	}
	r.text = append(append(append(r.text, '"'), name...), `":`...)
}
