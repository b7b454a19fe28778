package verifier

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/verifier/internal/policy"
	"github.com/licet-dev/licet/verifier/revocation"
)

// rules are what codes are judged by, as long as no other list comes. They never
// change: an update replaces them as a whole, so that judging needs no lock.
type rules struct {
	policy.Rules
	ring      *keys.Ring               // with the states of keys that the list makes worse
	withdrawn [payload.MaxKey + 1]bool // by key number
	floor     time.Time                // the clock can't be before
	earliest  time.Time                // floor less leeway
	stale     time.Time                // when the list is past its due time; zero for never
}

// newRules returns the rules with a list, or without one if it is nil.
func (v *Verifier) newRules(list *revocation.List) (*rules, error) {
	ring, err := worsen(v.ring, list)
	if err != nil {
		return nil, err
	}
	r := &rules{
		Rules: policy.Rules{Products: v.opts.Products, MinVersion: v.opts.MinVersion, List: list, Grace: int32(v.opts.Grace)},
		ring:  ring,
		floor: v.opts.Built,
	}
	if list != nil {
		if list.Issued().After(r.floor) {
			r.floor = list.Issued()
		}
		r.stale = list.Due().Add(v.opts.Leeway)
	}
	r.earliest = r.floor.Add(-v.opts.Leeway)
	for _, k := range ring.MintKeys() {
		r.withdrawn[k.Number()] = k.State() == keys.Withdrawn
	}
	return r, nil
}

// worsen returns a ring with the key states of a list where they are worse than its
// own.
func worsen(ring *keys.Ring, list *revocation.List) (*keys.Ring, error) {
	var worse []keys.Key
	for _, k := range ring.Keys() {
		s := list.KeyState(k.ID())
		if s == keys.Withdrawn && k.State() != keys.Withdrawn || s == keys.Closed && k.State() == keys.Active {
			worse = append(worse, k.WithState(s))
		}
	}
	if worse == nil {
		return ring, nil
	}
	return ring.Replace(worse...)
}

// Update takes another revocation list, such as one that a newer release or an
// endpoint brought, while codes are judged. It reports whether the list is now the
// one that decides; it is not if it is the one at hand. A list once taken is never
// given up for an older one.
//
// A list that is not the issuer's, or damaged, is an error that has a
// [CannotJudgeError] with the reason [ListUnreadable]; the one at hand stays. So are a
// list that is older than the one at hand, or below [Options.MinSequence] or the
// sequence number in [Options.State] ([ListOlder]), and one with the number of the
// list at hand and other content ([ListConflict]). Signatures are judged with the key
// states of the list at hand, too: one that withdraws the key that signed it can't be
// read when it comes again.
func (v *Verifier) Update(list []byte) (taken bool, err error) {
	if v.opts.Stale == 0 {
		return false, errNoStale
	}
	v.updating.Lock() // before it is opened: the list at hand may withdraw the key that signed it
	defer v.updating.Unlock()
	l, err := v.openList(list)
	if err != nil {
		return false, err
	}
	return v.take(l)
}

func (v *Verifier) openList(data []byte) (*revocation.List, error) {
	l, err := revocation.Open(data, v.rules.Load().ring)
	if err != nil {
		return nil, &CannotJudgeError{Reason: ListUnreadable, cause: err, detail: "the revocation list can't be used: " + err.Error()}
	}
	return l, nil
}

// take makes a list the one that decides if it is the newest so far.
func (v *Verifier) take(l *revocation.List) (bool, error) {
	now := v.rules.Load().List
	switch {
	case l.Sequence() < v.sequence():
		return false, v.older(l)
	case l.Sequence() == now.Sequence():
		if !l.Equal(now) {
			return false, cannotJudge(ListConflict, 0, "two revocation lists have the sequence number %d and different content; get the newest list from the issuer", l.Sequence())
		}
		return false, nil
	}
	r, err := v.newRules(l)
	if err != nil {
		return false, err
	}
	v.rules.Store(r)
	v.signedTime(l.Issued())
	return true, nil
}

// sequence returns the lowest sequence number of a list that is accepted now.
func (v *Verifier) sequence() uint64 { return max(v.minSequence, v.rules.Load().List.Sequence()) }

// older is the error of a list, or of none, that is older than one known to be there.
func (v *Verifier) older(l *revocation.List) error {
	what := "there is no revocation list"
	if l != nil {
		what = fmt.Sprintf("the revocation list has the sequence number %d", l.Sequence())
	}
	return cannotJudge(ListOlder, 0, "%s, but one with %d or more is demanded or was used before; get the newest list from the issuer", what, v.sequence())
}

// takeAll takes the lists of the options, in any order: the older before the newer, as
// when they came one after the other.
func (v *Verifier) takeAll(lists [][]byte) error {
	type item struct {
		list *revocation.List
		data []byte
		name string
	}
	var items []item
	for i, data := range lists {
		it := item{data: data, name: fmt.Sprintf("list %d of %d", i+1, len(lists))}
		var err error
		if it.list, err = v.openList(data); err != nil {
			return fmt.Errorf("verifier: %s: %w", it.name, err)
		}
		items = append(items, it)
	}
	slices.SortStableFunc(items, func(a, b item) int { return cmp.Compare(a.list.Sequence(), b.list.Sequence()) })
	older := v.older(nil) // where none is new enough
	for _, it := range items {
		var err error
		if v.rules.Load().ring != v.ring { // the key that signed it may be withdrawn by now
			it.list, err = v.openList(it.data)
		}
		if err == nil {
			_, err = v.take(it.list)
		}
		if errors.Is(err, ListOlder) {
			older = err // the next one may be newer
		} else if err != nil {
			return fmt.Errorf("verifier: %s: %w", it.name, err)
		}
	}
	if v.rules.Load().List.Sequence() < v.minSequence {
		return fmt.Errorf("verifier: %w", older)
	}
	return nil
}

// A List tells which revocation list a licence was judged by.
type List struct {
	Sequence uint64    // its number, from 1
	Issued   time.Time // when it was made, in UTC
	Due      time.Time // when the next one is due, in UTC

	// Stale tells that it was past its due time, by more than the leeway.
	Stale bool
}

// List returns the list by which the licence was judged, and false when there was
// none.
func (l License) List() (List, bool) {
	if l.rules == nil || l.rules.List == nil {
		return List{}, false
	}
	list := l.rules.List
	return List{list.Sequence(), list.Issued(), list.Due(), l.stale}, true
}

// List returns the list by which codes are judged now, and false when there is
// none. Stale says whether it is past its due time by the verifier's clock.
func (v *Verifier) List() (List, bool) {
	r := v.rules.Load()
	if r.List == nil {
		return List{}, false
	}
	return List{r.List.Sequence(), r.List.Issued(), r.List.Due(), v.opts.Clock().After(r.stale)}, true
}
