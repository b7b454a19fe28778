package main

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/text/unicode/norm"

	"github.com/licet-dev/licet/cmd/internal/home"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/note"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/verifier"
	"github.com/licet-dev/licet/verifier/revocation"
)

// judgeFlags say by what codes are judged.
type judgeFlags struct {
	ring           string
	products       numbers
	minVersion     number
	at, bind       string
	revocations    []string
	refuseStale    bool
	allowShortTags bool
	asJSON         bool
}

func (f *judgeFlags) add(a *app, cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.ring, "ring", "", "judge by the ring in `FILE` instead of the licensing home")
	cmd.Flags().StringVar(&f.bind, "bind", "", "`TEXT` that the codes are bound to")
	cmd.Flags().StringVar(&f.at, "at", "", "judge as of `TIME`: a date, 00:00 UTC, or RFC 3339 with an offset")
	cmd.Flags().StringArrayVar(&f.revocations, "revocations", nil, "judge by the revocation list in `FILE` (repeatable, the newest counts; default: that of the licensing home)")
	cmd.Flags().BoolVar(&f.refuseStale, "refuse-stale", false, "give no verdict when the revocation list is past its due time")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print a JSON object for each code, one a line")
	a.unlockFlags(cmd)
}

// A judge judges codes by a ring. In a licensing home it unlocks the secret of an
// hs256 key when the first code needs it. It is safe for concurrent use.
type judge struct {
	home   *home.Home // nil when the ring is from elsewhere
	unlock *home.Unlocker
	opts   verifier.Options
	bind   string

	unlocking sync.Mutex
	failed    map[int]error // keys that could not be unlocked, which are not tried again
	state     atomic.Pointer[judgeState]
}

// A judgeState is a ring with the secrets unlocked so far, and its verifier.
type judgeState struct {
	ring *keys.Ring
	v    *verifier.Verifier
}

// ring returns the ring with the secrets unlocked so far.
func (j *judge) ring() *keys.Ring { return j.state.Load().ring }

// setRing makes a ring the one by which codes are judged.
func (j *judge) setRing(ring *keys.Ring) error {
	v, err := verifier.New(ring, j.opts)
	if err == nil {
		j.state.Store(&judgeState{ring, v})
	}
	return err
}

func (a *app) newJudge(f judgeFlags) (*judge, error) {
	j := &judge{unlock: &a.unlock, bind: norm.NFC.String(f.bind)}
	var ring *keys.Ring
	var err error
	if f.ring != "" {
		ring, err = home.ReadRing(f.ring)
	} else if j.home, err = home.Open(a.dir); err == nil {
		ring = j.home.Ring
	}
	if err != nil {
		return nil, err
	}
	now := a.now() // one instant for all codes of a run
	if f.at != "" {
		if now, err = parseTime(f.at); err != nil {
			return nil, err
		}
	}
	j.opts = verifier.Options{Products: f.products, MinVersion: f.minVersion.value, Clock: func() time.Time { return now }, AllowShortTags: f.allowShortTags}
	if len(f.products) == 0 {
		for _, p := range ring.Products() {
			j.opts.Products = append(j.opts.Products, p.Number)
		}
	}
	paths := f.revocations
	if len(paths) == 0 && j.home != nil {
		paths = []string{j.home.RevocationsPath()}
	}
	if j.opts.Lists, err = readLists(paths, len(f.revocations) > 0); err != nil {
		return nil, err
	}
	j.opts.Stale = verifier.ReportStale
	if f.refuseStale {
		j.opts.Stale = verifier.RefuseStale
	}
	if err := j.setRing(ring); errors.As(err, new(*verifier.CannotJudgeError)) { // a list that can't be used
		err = nameList(err, ring, paths, j.opts.Lists)
		if len(f.revocations) == 0 && errors.Is(err, note.KeyWithdrawn) {
			err = fmt.Errorf("%w; licet revoke renew signs the list of the home anew", err)
		}
		return nil, &exitError{exitCannotJudge, err}
	} else if err != nil {
		return nil, err
	}
	if list, ok := j.state.Load().v.List(); ok && list.Stale && !f.refuseStale {
		fmt.Fprintf(a.err, "The revocation list %d is stale: the next one was due %s. Codes that were revoked since then are not known.\n",
			list.Sequence, list.Due.Format(time.RFC3339))
	}
	return j, nil
}

// readLists reads the revocation lists to judge by. Unless they must be there, none is
// one that was not issued yet.
func readLists(paths []string, must bool) ([][]byte, error) {
	var lists [][]byte
	for _, path := range paths {
		list, err := home.ReadNote(path)
		if !must && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		lists = append(lists, list)
	}
	return lists, nil
}

// nameList adds to an error about lists the file of the first that does not open.
func nameList(err error, ring *keys.Ring, paths []string, lists [][]byte) error {
	cannot, ok := errors.AsType[*verifier.CannotJudgeError](err)
	if !ok || cannot.Reason != verifier.ListUnreadable {
		return err
	}
	for i, list := range lists {
		if _, fault := revocation.Open(list, ring); fault != nil {
			return fmt.Errorf("%s: %w", paths[i], cannot)
		}
	}
	return err
}

// A verdict is what came out for a code: a licence, or an error of one of the
// families of package verifier.
type verdict struct {
	lic verifier.License
	err error
}

// judge judges a code. The error says that it could not even try.
func (j *judge) judge(code string) (v verdict, err error) {
	err = j.judgeInto(&v, code)
	return v, err
}

// judgeInto is judge for many codes: it spares a copy of each licence.
func (j *judge) judgeInto(v *verdict, code string) error {
	state := j.state.Load()
	v.lic, v.err = state.v.VerifyBound(code, j.bind)
	if v.err == nil || j.home == nil {
		return nil
	}
	n := state.wants(v.err)
	if n == 0 {
		return nil
	}
	if err := j.unlockKey(n); err != nil {
		return err
	}
	v.lic, v.err = j.state.Load().v.VerifyBound(code, j.bind)
	return nil
}

// unlockKey takes the secret of an hs256 key from the licensing home into the ring,
// unless it is there, or there is no home.
func (j *judge) unlockKey(n int) error {
	j.unlocking.Lock()
	defer j.unlocking.Unlock()
	ring := j.ring()
	key, ok := ring.MintKey(n)
	if !ok || j.home == nil || key.Suite() != keys.HS256 || !key.Secret().IsZero() {
		return nil
	}
	if err, ok := j.failed[n]; ok {
		return err
	}
	private, err := j.home.Private(key, j.unlock)
	if err != nil {
		j.failed = map[int]error{n: err}
		return err
	}
	if key, err = key.Attach(private); err != nil {
		return err
	}
	if ring, err = ring.Replace(key); err != nil {
		return err
	}
	return j.setRing(ring)
}

// wants returns the number of the key whose secret, which is not in the ring,
// would tell more than err does, or 0.
func (s *judgeState) wants(err error) int {
	var cannot *verifier.CannotJudgeError
	var read *payload.ReadError
	n := 0
	switch {
	case errors.Is(err, verifier.NoSecret) && errors.As(err, &cannot):
		n = cannot.Key
	case errors.As(err, &read) && read.Proposal != "" && !read.Confirmed:
		n, _, _ = s.ring.Reader().Read(read.Proposal, nil)
	}
	if k, ok := s.ring.MintKey(n); !ok || k.Suite() != keys.HS256 || !k.Secret().IsZero() {
		return 0
	}
	return n
}

// class returns the name of a verdict and the exit code that stands for it.
func (v *verdict) class() (string, int) {
	var not *verifier.NotAuthenticError
	var but *verifier.NotAcceptableError
	switch {
	case v.err == nil:
		return "valid", 0
	case errors.As(v.err, &but):
		return "not acceptable", exitNotAcceptable
	case errors.As(v.err, &not) && not.Malformed() != nil:
		return "malformed", exitMalformed
	case errors.As(v.err, &not):
		return "not authentic", exitNotAuthentic
	}
	return "cannot judge", exitCannotJudge
}

// license returns the licence of an authentic code, accepted or not.
func (v *verdict) license() (verifier.License, bool) {
	var but *verifier.NotAcceptableError
	if errors.As(v.err, &but) {
		return but.License, true
	}
	return v.lic, v.err == nil
}

// worst returns the exit code for several: the first of 1, 6, 4, 3, 5 that occurred.
func worst(a, b int) int {
	order := []int{0, exitNotAcceptable, exitMalformed, exitNotAuthentic, exitCannotJudge, exitOther}
	if slices.Index(order, b) > slices.Index(order, a) {
		return b
	}
	return a
}
