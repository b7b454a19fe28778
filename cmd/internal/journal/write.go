package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/licet-dev/licet/keys/keyfile/atomicfile"
)

// add records one entry under the lock.
func (j *Journal) add(ctx context.Context, kind Kind, r Request) (Entry, error) {
	if err := r.check(kind); err != nil {
		return Entry{}, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	unlock, err := j.lock(ctx)
	if err != nil {
		return Entry{}, err
	}
	defer unlock()
	// Without O_APPEND, two programs that both believe to have the lock would write
	// over each other, and nobody would notice.
	flag := os.O_RDWR | os.O_APPEND
	if j.reader.lines == 0 {
		flag |= os.O_CREATE
	}
	f, err := j.open(flag)
	if errors.Is(err, fs.ErrNotExist) && j.reader.lines > 0 {
		return Entry{}, j.reader.changed()
	}
	if err != nil {
		return Entry{}, fmt.Errorf("nothing was recorded: %w", err)
	}
	defer f.Close()
	if err := j.catchUp(f); err != nil {
		return Entry{}, err
	}
	serials, err := j.decide(kind, r)
	if err != nil {
		return Entry{}, err
	}
	e := Entry{
		Time: j.options.Now().UTC().Truncate(time.Second), Kind: kind,
		Key: r.Key, KeyID: r.KeyID, Product: r.Product, Serials: serials,
		Terms:  Terms{valid(r.Version), valid(r.Expiry), valid(r.Start), maps.Clone(r.Fields), r.Binding},
		Labels: maps.Clone(r.Labels), Output: valid(r.Output), Format: valid(r.Format), Tool: valid(j.options.Tool),
	}
	return j.write(f, e)
}

// valid makes a text fit for JSON. A file name need not be UTF-8.
func valid(s string) string { return strings.ToValidUTF8(s, "\ufffd") }

// decide returns the serials that the request gets.
func (j *Journal) decide(kind Kind, r Request) (Range, error) {
	s := j.reader.index.of(r.KeyID, r.Product)
	if kind == Mint {
		highest := s.taken.highest()
		left := r.Max - min(highest, r.Max)
		if r.Count > left {
			return Range{}, &FullError{r.Key, r.KeyID, r.Product, r.Count, left, r.Max}
		}
		return Range{highest + 1, highest + r.Count}, nil
	}
	err := s.check(kind, r.Serials)
	var overlap *OverlapError
	var unknown *UnknownError
	switch {
	case errors.As(err, &overlap):
		overlap.Key, overlap.KeyID, overlap.Product, overlap.Max = r.Key, r.KeyID, r.Product, r.Max
		overlap.Earlier = j.find(r, overlap.Taken.First)
	case errors.As(err, &unknown):
		unknown.Key, unknown.KeyID, unknown.Product, unknown.Kind = r.Key, r.KeyID, r.Product, kind
	}
	return r.Serials, err
}

// find returns the entry that took the serial. The file is read anew: the index does
// not keep who took what, as only this error needs it.
func (j *Journal) find(r Request, serial uint64) (found Entry) {
	// An error here would only hide the one that is on its way.
	_, _ = j.readOn(newReader(j.path), func(e Entry) bool {
		if e.Kind.takes() && e.KeyID == r.KeyID && e.Product == r.Product && e.Serials.First <= serial && serial <= e.Serials.Last {
			found = e
		}
		return found.Line == 0
	})
	return found
}

// catchUp reads what was appended, under the lock, and puts the end of the file in
// order.
func (j *Journal) catchUp(f *os.File) error {
	all := func(Entry) bool { return true }
	r := j.reader
	tail, err := r.read(f, all)
	switch {
	case err != nil:
		return err
	case len(tail) == 0:
		return nil
	case !r.isWhole(tail):
		if err := j.cut(); err != nil {
			return err
		}
		j.notice("%s, line %d was incomplete and has been cut off: the program that wrote it was interrupted before it handed out the serials", j.path, r.lines+1)
		return nil
	}
	if err := j.finish(f, nil); err != nil {
		return fmt.Errorf("%s, line %d: its newline is missing and can't be written: %w", j.path, r.lines+1, cause(err))
	}
	j.notice("%s, line %d had no newline, but is complete: its serials count as handed out", j.path, r.lines+1)
	_, err = r.read(f, all)
	return err
}

// cut cuts off what comes behind the last line. It goes by the path, because Windows
// does not let a file be cut that is open for appending.
func (j *Journal) cut() error {
	if err := os.Truncate(j.path, j.reader.offset); err != nil {
		return fmt.Errorf("%s, line %d is incomplete and can't be cut off: %w", j.path, j.reader.lines+1, cause(err))
	}
	return nil
}

// finish appends a text and then a newline. The text is on the disk before the
// newline is, so that a line with newline is always a whole line, even after a power
// failure.
func (j *Journal) finish(f *os.File, text []byte) error {
	for _, part := range [][]byte{text, []byte("\n")} {
		if _, err := f.Write(part); err != nil {
			return err
		}
		if err := j.sync(f); err != nil {
			return err
		}
	}
	return nil
}

// write appends the entry.
func (j *Journal) write(f *os.File, e Entry) (Entry, error) {
	r := j.reader
	line := e.appendLine(nil, r.sum)
	if len(line) > maxLine {
		return Entry{}, fmt.Errorf("nothing was recorded: the entry has %d bytes, at most %d fit a line of the journal: shorten the labels", len(line), maxLine)
	}
	if back, err := parseEntry(line); err != nil || !back.equal(e) {
		return Entry{}, fmt.Errorf("nothing was recorded: the entry would not be read back: %v", err) // a mistake in this program
	}
	if r.offset == 0 {
		// Before the first line, so that a file with lines always has its name on
		// the disk, whoever made it.
		if err := atomicfile.SyncDir(filepath.Dir(j.path)); err != nil {
			return Entry{}, fmt.Errorf("nothing was recorded: %s: the folder could not be synced to the disk: %w", j.path, cause(err))
		}
	}
	if err := j.finish(f, line); err != nil {
		// What can't be cut off now, the next writer cuts off, or it is a gap.
		_ = j.cut()
		return Entry{}, fmt.Errorf("%s: nothing was handed out: %w", j.path, cause(err))
	}
	line = append(line, '\n')
	back := make([]byte, len(line)+1) // one more, to see whether anything follows
	n, err := f.ReadAt(back, r.offset)
	if err != nil && err != io.EOF {
		return Entry{}, fmt.Errorf("%s: nothing was handed out: the line can't be read back: %w", j.path, cause(err))
	}
	if !bytes.Equal(back[:n], line) {
		return Entry{}, r.damage(r.lines+1, "move the home to a local disk, and put back an undamaged copy of the journal if this line stays damaged", "another program wrote at the same time, so the lock does not work here; nothing was handed out")
	}
	return r.next(line[:len(line)-1])
}
