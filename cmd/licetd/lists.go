package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/cmd/internal/home"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/note"
	"github.com/licet-dev/licet/verifier/revocation"
)

// lists reads the revocation list again and again. One that is older, or can't be read,
// is not taken: the one at hand stays.
type lists struct {
	source string // a file or a URL
	ring   *keys.Ring
	texts  [][]byte         // at the start, for the service
	first  *revocation.List // the newest of them, nil for none
	note   string           // what is odd about them

	client  *http.Client
	etag    string // of what was fetched last
	current atomic.Pointer[[]byte]
	failed  string       // what was wrong the last time, so that it is logged once
	seen    []byte       // the text that was looked at last
	fails   atomic.Int64 // how often the source could not be used
}

// openLists reads the list of the home, and that of the configuration. One of them must
// be there if the latter is configured: without any list every revoked code is good.
func openLists(ctx context.Context, h *home.Home, c *config) (*lists, error) {
	l := &lists{source: c.revocations, ring: h.Ring, client: &http.Client{Timeout: 30 * time.Second}}
	text, list, err := h.ReadList()
	if err != nil {
		return nil, err
	}
	if list != nil {
		l.texts, l.first = [][]byte{text}, list
	}
	l.keep(text)
	if l.source == "" {
		l.source = h.RevocationsPath()
		return l, nil
	}
	text, list, err = l.open(ctx)
	switch {
	case err == nil:
		l.texts = append(l.texts, text)
		if l.first == nil || list.Sequence() >= l.first.Sequence() {
			l.first = list
			l.keep(text)
		}
	case l.first == nil:
		return nil, fmt.Errorf("the revocation list can't be read, and without any every revoked code would be good: %w; put a list into %s to begin with", err, h.RevocationsPath())
	default:
		l.note = fmt.Sprintf("the revocation list can't be read, and list %d of the home is used meanwhile: %v", l.first.Sequence(), err)
		l.failed = err.Error()
	}
	return l, nil
}

// keep keeps the text of the list that decides.
func (l *lists) keep(text []byte) {
	if text != nil {
		l.current.Store(&text)
		l.seen = text
	}
}

// text returns the text of the list that decides, or nil.
func (l *lists) text() []byte {
	if t := l.current.Load(); t != nil {
		return *t
	}
	return nil
}

// errUnchanged means that the source has what it had before.
var errUnchanged = errors.New("unchanged")

// open reads the source, and checks the list.
func (l *lists) open(ctx context.Context) ([]byte, *revocation.List, error) {
	text, err := l.read(ctx)
	if err != nil {
		return nil, nil, err
	}
	list, err := revocation.Open(text, l.ring)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", l.source, err)
	}
	return text, list, nil
}

func (l *lists) read(ctx context.Context) ([]byte, error) {
	if !isURL(l.source) {
		return home.ReadNote(l.source)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, l.source, nil)
	if err != nil {
		return nil, err
	}
	if l.etag != "" {
		request.Header.Set("If-None-Match", l.etag)
	}
	response, err := l.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusOK:
	case http.StatusNotModified:
		return nil, errUnchanged
	default:
		return nil, fmt.Errorf("%s: the answer has status %s", l.source, response.Status)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, note.MaxText+1)) // a note does not end where this cuts
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.source, err)
	}
	l.etag = response.Header.Get("ETag")
	return text, nil
}

// follow looks at the source again and again, until ctx is done.
func (l *lists) follow(ctx context.Context, every time.Duration, s *activation.Service, log *slog.Logger) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			l.update(ctx, s, log)
		case <-ctx.Done():
			return
		}
	}
}

// update takes the list of the source if it is newer.
func (l *lists) update(ctx context.Context, s *activation.Service, log *slog.Logger) {
	text, err := l.read(ctx)
	_, had := s.List()
	switch {
	case ctx.Err() != nil:
		return
	case errors.Is(err, errUnchanged), err == nil && bytes.Equal(text, l.seen):
		l.failed = ""
		return
	case errors.Is(err, fs.ErrNotExist) && !had:
		return // there is none yet
	case err != nil:
		l.etag = ""
		l.fail(log, err.Error())
		return
	}
	taken, err := s.Update(text)
	list, _ := s.List()
	switch {
	case err != nil:
		l.etag = ""
		l.fail(log, err.Error())
		return
	case taken:
		l.keep(text)
		log.Info("revocation list taken", "sequence", list.Sequence, "issued", list.Issued, "due", list.Due, "source", l.source)
	default:
		l.seen = text // the same list, signed anew
	}
	l.failed = ""
}

// fail tells once what is wrong with the source.
func (l *lists) fail(log *slog.Logger, why string) {
	l.fails.Add(1)
	if why != l.failed {
		log.Warn("revocation list not taken", "source", l.source, "reason", why)
	}
	l.failed = why
}
