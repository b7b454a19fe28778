package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"sync"
	"time"
)

// Name is the name of the journal in a licensing home.
const Name = "journal.jsonl"

// A Journal is an open journal. Several goroutines can use it at once.
type Journal struct {
	path    string
	options Options
	sync    func(*os.File) error // replaced in tests

	mu     sync.Mutex
	reader *reader
	told   string // about an incomplete last line
}

// Options are what a journal needs from the program that opens it.
type Options struct {
	Tool   string            // name and version of the program, for the entries
	Notice func(text string) // tells the user something that is no error; it must not use the journal
	Now    func() time.Time  // tells the time; nil means time.Now
}

// Open opens the journal at path and reads it. It takes no lock and writes nothing. A
// file that is not there is an empty journal, which the first entry will make.
func Open(path string, o Options) (*Journal, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Notice == nil {
		o.Notice = func(string) {}
	}
	j := &Journal{path: path, options: o, sync: (*os.File).Sync, reader: newReader(path)}
	return j, j.refresh()
}

// Path returns the path of the journal.
func (j *Journal) Path() string { return j.path }

// Reserve chooses the next r.Count serials of a key and product and records them as
// [Mint]. They follow the highest that was ever handed out, up to r.Max; too few left
// is a [*FullError]. The serials belong to the caller when the entry is returned, and
// to nobody else ever after. The Serials of r are not used.
func (j *Journal) Reserve(ctx context.Context, r Request) (Entry, error) {
	return j.add(ctx, Mint, r)
}

// Record records r.Serials, which the caller chose. With [Stated]
// they must be new, else the error is an [*OverlapError]. With [Again] and [Renew]
// they must all have been handed out, else the error is an [*UnknownError].
func (j *Journal) Record(ctx context.Context, kind Kind, r Request) (Entry, error) {
	if kind != Stated && kind != Again && kind != Renew {
		return Entry{}, fmt.Errorf("kind %q can't be recorded", kind) // a mistake in this program
	}
	return j.add(ctx, kind, r)
}

// Check returns the serials that [Journal.Reserve], for [Mint], or else
// [Journal.Record] would record now, or the error. It takes no lock and writes
// nothing, so another program may still come first.
func (j *Journal) Check(kind Kind, r Request) (Range, error) {
	if err := r.check(kind); err != nil {
		return Range{}, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.refresh(); err != nil {
		return Range{}, err
	}
	return j.decide(kind, r)
}

// Entries returns the entries in order, read from the file anew. The last pair has
// an error when there is one. It takes no lock.
func (j *Journal) Entries() iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		stopped := false
		r := newReader(j.path)
		tail, err := j.readOn(r, func(e Entry) bool {
			stopped = !yield(e, nil)
			return !stopped
		})
		switch {
		case stopped:
		case err != nil:
			yield(Entry{}, err)
		default:
			j.mu.Lock()
			defer j.mu.Unlock()
			j.tell(r, tail)
		}
	}
}

// Summary returns what is known of each key and product, in the order of key numbers,
// key ids and products. It takes no lock.
func (j *Journal) Summary() ([]Series, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.refresh(); err != nil {
		return nil, err
	}
	return j.reader.index.summary(), nil
}

// refresh reads what was appended, without a lock.
func (j *Journal) refresh() error {
	tail, err := j.readOn(j.reader, func(Entry) bool { return true })
	if err != nil {
		return err
	}
	j.tell(j.reader, tail)
	return nil
}

// readOn reads on without a lock. While it reads, a writer may cut off an incomplete
// line and write another, so that it sees the head of one and the end of the other.
// So before a line counts as damaged it is read a few times more.
func (j *Journal) readOn(r *reader, yield func(Entry) bool) ([]byte, error) {
	for try := 1; ; try++ {
		f, err := j.open(os.O_RDONLY)
		if errors.Is(err, fs.ErrNotExist) {
			if r.lines > 0 {
				return nil, r.changed()
			}
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		tail, err := r.read(f, yield)
		f.Close()
		var damage *DamageError
		if try == 4 || !errors.As(err, &damage) {
			return tail, err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// open opens the file. The error is that of package os when the file is not there.
func (j *Journal) open(flag int) (*os.File, error) {
	switch info, err := os.Lstat(j.path); {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w", j.path, cause(err))
	case err != nil:
	case info.Mode()&fs.ModeSymlink != 0:
		// Two links to one journal would have a lock each.
		return nil, fmt.Errorf("%s is a symbolic link: put the journal itself there, or make a link to the whole home", j.path)
	case info.Mode()&(fs.ModeDir|fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice) != 0:
		return nil, fmt.Errorf("%s is no regular file: move it away", j.path)
	}
	f, err := os.OpenFile(j.path, flag, 0o600)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", j.path, cause(err))
	}
	return f, err
}

// tell tells of an incomplete last line, once.
func (j *Journal) tell(r *reader, tail []byte) {
	if len(tail) == 0 || j.told == string(tail) {
		return
	}
	j.told = string(tail)
	j.notice("%s, line %d is incomplete and does not count: the program that wrote it was interrupted, or is just writing it", j.path, r.lines+1)
}

func (j *Journal) notice(format string, args ...any) {
	j.options.Notice(fmt.Sprintf(format, args...))
}

// cause returns err without the operation and path in it, where the error that wraps
// it names the path.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
