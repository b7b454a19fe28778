package journal

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
)

// A reader reads lines and checks each against all before it. It can go on later
// where it stopped.
type reader struct {
	path   string // for errors
	offset int64  // where the next line begins
	lines  int    // how many were read
	sum    string // of the last one
	index  index
}

func newReader(path string) *reader { return &reader{path: path, index: index{}} }

func (r *reader) damage(line int, remedy, format string, args ...any) error {
	return &DamageError{Path: r.path, Line: line, Reason: fmt.Sprintf(format, args...), Remedy: remedy}
}

// read reads the lines up to the end, or until yield returns false, and returns what
// is left behind the last newline. After an error the reader is in front of the line
// that it could not read.
func (r *reader) read(f io.ReaderAt, yield func(Entry) bool) (tail []byte, err error) {
	if err := r.checkPlace(f); err != nil {
		return nil, err
	}
	b := bufio.NewReaderSize(io.NewSectionReader(f, r.offset, math.MaxInt64-r.offset), maxLine+1)
	for {
		line, err := b.ReadSlice('\n')
		switch err {
		case nil:
		case io.EOF:
			return bytes.Clone(line), r.checkTail(line)
		case bufio.ErrBufferFull:
			return nil, r.damage(r.lines+1, restore, "longer than %d bytes", maxLine)
		default:
			return nil, fmt.Errorf("%s, line %d: %w", r.path, r.lines+1, cause(err))
		}
		e, err := r.next(line[:len(line)-1])
		if err != nil {
			return nil, err
		}
		if !yield(e) {
			return nil, nil
		}
	}
}

// next takes in a line without its newline.
func (r *reader) next(line []byte) (Entry, error) {
	n := r.lines + 1
	body, sum, ok := cutSum(line)
	switch {
	case bytes.HasSuffix(line, []byte("\r")):
		return Entry{}, r.damage(n, restore, "it ends with CR LF: another program has converted the file")
	case !ok:
		return Entry{}, r.damage(n, restore, "it does not end with a checksum: it was edited, or this is no journal")
	case chain(r.sum, body) != sum:
		return Entry{}, r.damage(n, restore, "the checksum is wrong: this line was edited, or one before it was removed, added or moved")
	}
	e, err := parseEntry(line)
	if err != nil {
		return Entry{}, r.damage(n, newer, "%v", err)
	}
	if err := r.index.add(e); err != nil {
		return Entry{}, r.damage(n, restore, "%s of key %d (%s) and product %d %s an earlier line: two programs wrote at once, without a lock that works",
			e.Serials, e.Key, e.KeyID, e.Product, e.Serials.Verb("contradicts", "contradict"))
	}
	e.Line = n
	r.lines, r.sum, r.offset = n, sum, r.offset+int64(len(line))+1
	return e, nil
}

// checkPlace makes sure that the file is still the one that was read before. The sum
// of the last line stands for all lines up to it.
func (r *reader) checkPlace(f io.ReaderAt) error {
	if r.lines == 0 {
		return nil
	}
	want := sumOpen + r.sum + sumEnd + "\n"
	got := make([]byte, len(want))
	n, err := f.ReadAt(got, r.offset-int64(len(want)))
	if err != nil && err != io.EOF {
		return fmt.Errorf("%s, line %d: %w", r.path, r.lines, cause(err))
	}
	if string(got[:n]) != want {
		return r.changed()
	}
	return nil
}

func (r *reader) changed() error {
	return r.damage(r.lines, runAgain, "it is not there any more as this program read it: the file was replaced or cut meanwhile")
}

// checkTail refuses what no interrupted program leaves behind the last newline, as it
// would be cut off: the file may be another one. After a power failure, a file system
// may have zeros where it had no time to write.
func (r *reader) checkTail(tail []byte) error {
	for i := range min(len(tail), len(opening)) {
		if tail[i] != opening[i] && tail[i] != 0 {
			return r.damage(r.lines+1, restore, "it does not begin as a line of a journal does")
		}
	}
	return nil
}

// isWhole reports whether only the newline is missing after the tail.
func (r *reader) isWhole(tail []byte) bool {
	body, sum, ok := cutSum(tail)
	return ok && chain(r.sum, body) == sum
}
