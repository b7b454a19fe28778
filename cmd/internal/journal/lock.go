package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// patience is how long a program waits for the lock before it says so.
const patience = time.Second

// lockPath returns the path of the file that is locked for the journal.
func lockPath(path string) string {
	return strings.TrimSuffix(path, filepath.Ext(path)) + ".lock"
}

// lock waits until this program alone may write. Whoever holds the lock holds it for
// milliseconds, so it is asked for again and again; the system's own waiting could
// not be interrupted.
func (j *Journal) lock(ctx context.Context) (unlock func(), err error) {
	// NFS wants a file that is open for writing.
	l := flock.New(lockPath(j.path), flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	start, told := time.Now(), false
	for pause := time.Millisecond; ; pause = min(2*pause, 32*time.Millisecond) {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("%s: gave up waiting for the lock, nothing was recorded: %w", l.Path(), err)
		}
		got, err := l.TryLock()
		if got {
			// An error would mean that it is locked until the program ends.
			return func() { l.Unlock() }, nil
		}
		if err != nil && !errors.Is(err, syscall.EINTR) {
			return nil, fmt.Errorf("%s: can't be locked, nothing was recorded: %w; the home must be writable and on a file system with locks, such as a local disk", l.Path(), cause(err))
		}
		if !told && time.Since(start) >= patience {
			told = true
			j.notice("waiting for another program that writes to the journal and holds the lock %s", l.Path())
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}
