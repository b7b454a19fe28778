package home

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// patience is how long a program waits for the lock before it says so.
const patience = time.Second

// OpenLocked opens the licensing home in dir for a change of its ring, its keys or its
// revocation list. Until release is called, others who do the same wait, so that no
// change undoes another. Whoever waits long is told by notice, since the other program
// may be waiting for an answer; the end of ctx ends the wait.
func OpenLocked(ctx context.Context, dir string, notice func(text string)) (h *Home, release func(), err error) {
	if _, err := Open(dir); err != nil { // leaves no lock where there is no home
		return nil, nil, err
	}
	release, err = lock(ctx, filepath.Join(dir, lockName), notice)
	if err != nil {
		return nil, nil, err
	}
	if h, err = Open(dir); err != nil {
		release()
		return nil, nil, err
	}
	return h, release, nil
}

// lock asks for a lock again and again; the system's own waiting could not be
// interrupted.
func lock(ctx context.Context, path string, notice func(text string)) (unlock func(), err error) {
	l := flock.New(path, flock.SetPermissions(0o600))
	start, told := time.Now(), false
	for pause := time.Millisecond; ; pause = min(2*pause, 32*time.Millisecond) {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("%s: gave up waiting for the lock, nothing was changed: %w", path, err)
		}
		got, err := l.TryLock()
		if got {
			return func() { l.Unlock() }, nil
		}
		if err != nil && !errors.Is(err, syscall.EINTR) {
			return nil, fmt.Errorf("failed to lock %s: %w", path, err)
		}
		if !told && time.Since(start) >= patience {
			told = true
			notice(fmt.Sprintf("waiting for another program that changes the home and holds the lock %s", path))
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}
