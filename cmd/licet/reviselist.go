package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/cmd/internal/home"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/note"
	"github.com/licet-dev/licet/verifier/revocation"
)

// dueDays is after how many days a list is due, unless the flags say otherwise.
const dueDays = 90

// maxSequence is the highest number that a list can have.
const maxSequence = 1<<53 - 1

// listFlags say how the next revocation list is issued.
type listFlags struct {
	due      string
	days     number
	restore  bool
	sequence number // that it is to have
	always   bool   // issue it also if it says nothing new
}

func (f *listFlags) add(a *app, cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.due, "due", "", "when the next list is due, as `TIME`: a date, 00:00 UTC, or RFC 3339 with an offset")
	cmd.Flags().Var(&f.days, "due-days", fmt.Sprintf("after how many days the next list is due (default %d)", dueDays))
	a.unlockFlags(cmd)
}

func (f *listFlags) addRestore(cmd *cobra.Command, usage string) {
	cmd.Flags().BoolVar(&f.restore, "restore", false, usage)
}

// dueTime returns when the list after one that is issued now is due.
func (f *listFlags) dueTime(now time.Time) (time.Time, error) {
	days := uint64(dueDays)
	switch {
	case f.due != "" && f.days.given:
		return time.Time{}, usageError("--due and --due-days exclude each other")
	case f.due != "":
		due, err := parseTime(f.due)
		if err != nil {
			return due, usageError("--due: %w", err)
		}
		if !due.After(now) {
			return due, usageError("--due %s: want a time later than now, %s", f.due, formatTime(now))
		}
		return due, nil
	case f.days.given:
		days = f.days.value
	}
	if days == 0 || days > 1<<20 {
		return time.Time{}, usageError("--due-days %d: want 1 to %d", days, 1<<20)
	}
	return now.AddDate(0, 0, int(days)), nil
}

// nextSequence returns the number of the list after the one before.
func (f *listFlags) nextSequence(old *revocation.List) (uint64, error) {
	switch n := f.sequence.value; {
	case old.Sequence() == maxSequence:
		return 0, fmt.Errorf("list %d has the highest number that there is, so no list can follow it; if it was never shipped, put back the one before it; if it was, see OPERATIONS.md, \"The list key\"", old.Sequence())
	case !f.sequence.given:
		return old.Sequence() + 1, nil
	case n <= old.Sequence() || n > maxSequence:
		return 0, usageError("--sequence %d: want %d to %d, higher than the number of the list at hand", n, old.Sequence()+1, uint64(maxSequence))
	default:
		return n, nil
	}
}

func formatTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// A revision is the next revocation list of a home in the making.
type revision struct {
	*app
	home    *home.Home
	restore bool
	old     *revocation.List // the one before, nil for the first
	draft   *revocation.Draft
	asked   uint64 // how many serials were to be changed
}

// change revokes serials, or makes them good again.
func (r *revision) change(all []revocation.Entry) error {
	apply := r.draft.Revoke
	if r.restore {
		apply = r.draft.Restore
	}
	for _, e := range all {
		if err := apply(e); err != nil {
			return usageError("%w", err)
		}
		r.asked += e.Last - e.First + 1
	}
	return nil
}

// openLocked opens a home for a change. It says so when others keep it waiting.
func (a *app) openLocked(ctx context.Context, dir string) (*home.Home, func(), error) {
	return home.OpenLocked(ctx, dir, func(text string) { fmt.Fprintln(a.err, text) })
}

// reviseList issues the next revocation list of the home, with a change. Meanwhile the
// home is locked, so that no change undoes another.
func (a *app) reviseList(ctx context.Context, f listFlags, change func(*revision) error) error {
	now := a.now().UTC().Truncate(time.Second)
	due, err := f.dueTime(now)
	if err != nil {
		return err
	}
	h, release, err := a.openLocked(ctx, a.dir)
	if err != nil {
		return err
	}
	defer release()
	r := &revision{app: a, home: h, restore: f.restore}
	if r.old, err = a.latestList(h, f.always); err != nil {
		return err
	}
	if now.Before(r.old.Issued()) {
		return fmt.Errorf("the clock shows %s, but list %d was issued %s: set the clock; or, if that list was issued by a wrong clock, put back the one before it as %s, and go on with licet revoke renew --sequence %d",
			formatTime(now), r.old.Sequence(), formatTime(r.old.Issued()), h.RevocationsPath(), min(r.old.Sequence()+1, maxSequence))
	}
	r.draft = r.old.Draft()
	r.draft.Issuer = h.Ring.Issuer()
	if r.draft.Sequence, err = f.nextSequence(r.old); err != nil {
		return err
	}
	r.draft.Issued, r.draft.Due = now, due
	if err := change(r); err != nil {
		return err
	}
	for _, k := range h.Ring.Keys() {
		if worse(k.State(), r.draft.KeyStates[k.ID()]) {
			r.draft.KeyStates[k.ID()] = k.State()
		}
	}
	next, err := r.draft.List()
	if err != nil {
		return err
	}
	return r.issue(ctx, next, f.always)
}

// worse reports whether a key in state s is trusted less than one in state than; the
// empty state counts as active.
func worse(s, than keys.State) bool {
	return s == keys.Withdrawn && than != keys.Withdrawn || s == keys.Closed && (than == keys.Active || than == "")
}

// latestList returns the list of the home, nil where there is none. One that does not
// open is an error with what to do about it; it never counts as none. For a list that
// is only to be signed anew, its key may be withdrawn.
func (a *app) latestList(h *home.Home, signAnew bool) (*revocation.List, error) {
	l, err := h.Revocations()
	switch {
	case err == nil:
		return l, nil
	case errors.Is(err, note.KeyWithdrawn) && signAnew:
		return a.listOfWithdrawn(h)
	case errors.Is(err, note.KeyWithdrawn):
		return nil, listFault(fmt.Errorf("%w\nNothing was changed. See that this is the list that you issued last, then sign it anew: licet revoke renew", err))
	}
	return nil, brokenList(err)
}

// brokenList adds to an error about the list of a home what to do.
func brokenList(err error) error {
	switch {
	case errors.Is(err, revocation.LaterFormat):
		err = fmt.Errorf("%w\nNothing was changed. Take the licet that issued it, or a newer one", err)
	case errors.As(err, new(*note.Error)), errors.As(err, new(*revocation.Error)):
		err = fmt.Errorf("%w\nNothing was changed. Put back the newest list that was issued, from a backup or from where it was published: every copy of it is good", err)
	}
	return listFault(err)
}

// listOfWithdrawn returns the list of a home whose key was withdrawn after it had
// signed the list. What lies in the home counts, as the ring there does, which nobody
// signed.
func (a *app) listOfWithdrawn(h *home.Home) (*revocation.List, error) {
	var then []keys.Key
	for _, k := range h.Ring.Keys() {
		if k.Role() == keys.List && k.State() == keys.Withdrawn {
			then = append(then, k.WithState(keys.Closed))
		}
	}
	ring, err := h.Ring.Replace(then...)
	if err != nil {
		return nil, err
	}
	l, err := home.ReadRevocations(h.RevocationsPath(), ring)
	if err != nil {
		return nil, brokenList(err)
	}
	fmt.Fprintf(a.err, "%s list %d, issued %s, was signed with a list key that is withdrawn; it is signed anew as it lies in the home. See that it is the one that you issued last.\n",
		a.err.paint(roleBad, "warning:"), l.Sequence(), formatTime(l.Issued()))
	return l, nil
}

// issue signs the next list and puts it into the home, unless it takes back what
// nobody asked for.
func (r *revision) issue(ctx context.Context, next *revocation.List, always bool) error {
	d := revocation.Compare(r.old, next)
	names := newListNames(r.home.Ring)
	if d.Restores() && !r.restore {
		if _, err := names.writeDiff(ctx, r.err, d, maxRanges); err != nil {
			return err
		}
		return usageError("nothing was changed: this would make licences good again; give --restore if you mean it")
	}
	if !always && !differ(d) {
		fmt.Fprintln(r.err, r.nothingToDo())
		return nil
	}
	key, ok, err := r.listKey(r.home, next)
	if err == nil && !ok {
		err = fmt.Errorf("no active list key in %s to sign the list with; do this where it is, or make one with licet key new --role list", r.home.Dir)
	}
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := r.home.SaveRevocations(next, key); err != nil {
		return err
	}
	changed, _ := names.writeDiff(context.WithoutCancel(ctx), r.err, d, maxRanges)
	r.tellUnchanged(changed)
	for _, k := range r.home.Ring.Keys() {
		if worse(next.KeyState(k.ID()), k.State()) {
			fmt.Fprintf(r.err, "The list goes on stating that %s is %s, though it is %s in the ring; if the ring is right: licet revoke renew --restore\n", keyName(k), next.KeyState(k.ID()), k.State())
		}
	}
	fmt.Fprintf(r.err, "Issued list %d, %s, due %s: %s\n", next.Sequence(), sizeText(next), formatTime(next.Due()), r.home.RevocationsPath())
	if r.old == nil {
		fmt.Fprintf(r.err, "It is the first list of this home. If there was one before, put that back as %s and do this once more: programs refuse lower numbers.\n", r.home.RevocationsPath())
	}
	return nil
}

// nothingToDo says that the list has all that was asked for.
func (r *revision) nothingToDo() string {
	switch {
	case r.asked == 0:
		return "Nothing to do: the list says that already."
	case r.restore:
		return "Nothing to do: none of them is revoked."
	}
	return "Nothing to do: all of them are revoked already, and keep their reason."
}

// tellUnchanged says how many of the serials that were asked for were in the list, or
// not in it, before.
func (r *revision) tellUnchanged(changed diffCounts) {
	switch {
	case r.restore && changed.dropped < r.asked:
		fmt.Fprintf(r.err, "%s of those asked for %s not revoked.\n", plural(r.asked-changed.dropped, "serial"), wasWere(r.asked-changed.dropped))
	case !r.restore && changed.added < r.asked:
		keeps := "keep their reason"
		if r.asked-changed.added == 1 {
			keeps = "keeps its reason"
		}
		fmt.Fprintf(r.err, "%s of those asked for %s revoked before, and %s.\n", plural(r.asked-changed.added, "serial"), wasWere(r.asked-changed.added), keeps)
	}
}
