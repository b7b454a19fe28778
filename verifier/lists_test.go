package verifier_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/note"
	"github.com/licet-dev/licet/verifier"
	"github.com/licet-dev/licet/verifier/revocation"
)

// Every list that may come, given to New alone, and to Update where list 7 is at
// hand. What can't be read is an error, never an empty list, and the list at hand
// stays (RV-03, RV-12, RV-14, KY-03).
func TestListsThatAreTaken(t *testing.T) {
	hs := newKey(workedHS, 7)
	ours, closed, withdrawn, stranger := newListKey("ours"), newListKey("closed").in(keys.Closed), newListKey("withdrawn").in(keys.Withdrawn), newListKey("stranger")
	ring := newRing(hs, ours, closed, withdrawn)
	atHandList := ours.newList(revoke(hs, 1000, 1000, ""))
	next := newList(sequence(8), revoke(hs, 2000, 2000, ""), revoke(hs, 3000, 3000, ""))
	good := string(ours.sign(next))
	text := next.Marshal()
	swapped := strings.Replace(text, "2000 2000\n"+text[strings.Index(text, "revoked "):strings.Index(text, "2000 2000")]+"3000 3000", "3000 3000\n"+text[strings.Index(text, "revoked "):strings.Index(text, "2000 2000")]+"2000 2000", 1)
	if swapped == text {
		t.Fatal("nothing is swapped")
	}
	replace := func(old, new string) string {
		changed := strings.Replace(good, old, new, 1)
		if changed == good {
			t.Fatalf("the list has no %q", old)
		}
		return changed
	}
	const taken, same = "taken", "same" // by Update; else the reason of its error

	for _, c := range []struct {
		name, list string
		alone      error // of New; nil if it is taken
		cause      error
		update     string
	}{
		{"newer", good, nil, nil, taken},
		{"newer by many", string(ours.newList(sequence(1<<53 - 1))), nil, nil, taken},
		{"with CRLF", strings.ReplaceAll(good, "\n", "\r\n"), nil, nil, taken},
		{"signed with a closed list key", string(closed.sign(next)), nil, nil, taken},
		{"that revokes nothing", string(ours.newList(sequence(8))), nil, nil, taken},
		{"that names keys and products which the ring lacks", string(ours.newList(sequence(8), revoke(newKey(workedES, 7), 1, 9, ""), minimum(99, 9), stateOf(stranger, keys.Withdrawn))), nil, nil, taken},

		{"the one at hand", string(atHandList), nil, nil, same},
		{"the one at hand, signed anew", string(ours.resign(t, atHandList)), nil, nil, same},
		{"the one at hand, signed with another key", string(closed.newList(revoke(hs, 1000, 1000, ""))), nil, nil, same},
		{"the one at hand, with CRLF", strings.ReplaceAll(string(atHandList), "\n", "\r\n"), nil, nil, same},

		{"older", string(ours.newList(sequence(6))), nil, nil, "list-older"},
		{"the first of all", string(ours.newList(sequence(1))), nil, nil, "list-older"},
		{"older, issued later", string(ours.newList(sequence(6), issued("2026-05-31T00:00:00Z"))), nil, nil, "list-older"},

		{"same number, another serial", string(ours.newList(revoke(hs, 1001, 1001, ""))), nil, nil, "list-conflict"},
		{"same number, one serial more", string(ours.newList(revoke(hs, 1000, 1001, ""))), nil, nil, "list-conflict"},
		{"same number, another reason code", string(ours.newList(revoke(hs, 1000, 1000, "refund"))), nil, nil, "list-conflict"},
		{"same number, nothing revoked", string(ours.newList()), nil, nil, "list-conflict"},
		{"same number, issued a second later", string(ours.newList(revoke(hs, 1000, 1000, ""), issued("2026-05-01T00:00:01Z"))), nil, nil, "list-conflict"},
		{"same number, due a second later", string(ours.newList(revoke(hs, 1000, 1000, ""), due("2026-12-01T00:00:01Z"))), nil, nil, "list-conflict"},
		{"same number, a minimum", string(ours.newList(revoke(hs, 1000, 1000, ""), minimum(7, 1))), nil, nil, "list-conflict"},
		{"same number, a key state", string(ours.newList(revoke(hs, 1000, 1000, ""), stateOf(hs, keys.Closed))), nil, nil, "list-conflict"},

		{"nothing", "", verifier.ListUnreadable, note.Malformed, ""},
		{"a newline", "\n", verifier.ListUnreadable, note.Malformed, ""},
		{"text without signature", text, verifier.ListUnreadable, note.Malformed, ""},
		{"text with a blank line and no signature", text + "\n", verifier.ListUnreadable, note.Malformed, ""},
		{"last byte missing", good[:len(good)-1], verifier.ListUnreadable, note.Malformed, ""},
		{"first byte missing", good[1:], verifier.ListUnreadable, note.BadSignature, ""},
		{"byte order mark", "\ufeff" + good, verifier.ListUnreadable, note.Malformed, ""},
		{"UTF-16", strings.Join(strings.Split(good, ""), "\x00"), verifier.ListUnreadable, note.Malformed, ""},
		{"CR alone", strings.ReplaceAll(good, "\n", "\r"), verifier.ListUnreadable, note.Malformed, ""},
		{"two lines swapped", swapped + good[len(text):], verifier.ListUnreadable, note.BadSignature, ""},
		{"a serial changed", replace("3000 3000", "3000 3001"), verifier.ListUnreadable, note.BadSignature, ""},
		{"a line cut out", replace(" 2000 2000\n", " "), verifier.ListUnreadable, note.BadSignature, ""},
		{"its number changed", replace("sequence 8", "sequence 9"), verifier.ListUnreadable, note.BadSignature, ""},
		{"a blank at the end of a line", replace("sequence 8\n", "sequence 8 \n"), verifier.ListUnreadable, note.BadSignature, ""},
		{"signature of another text", text + string(atHandList[strings.Index(string(atHandList), "\n\n")+1:]), verifier.ListUnreadable, note.BadSignature, ""},
		{"signed with a key that the ring lacks", string(stranger.sign(next)), verifier.ListUnreadable, note.NoSignature, ""},
		{"signed with a withdrawn key", string(withdrawn.sign(next)), verifier.ListUnreadable, note.KeyWithdrawn, ""},

		{"another issuer's, signed with our key", string(ours.newList(sequence(8), func(d *revocation.Draft) { d.Issuer = "Acme Tool" })), verifier.ListUnreadable, revocation.OtherIssuer, ""},
		{"a batch manifest", string(ours.signText("licet-manifest/v1\nAcme Tools\n")), verifier.ListUnreadable, revocation.Manifest, ""},
		{"a later version of the format", string(ours.signText(strings.Replace(text, "/v1", "/v2", 1))), verifier.ListUnreadable, revocation.LaterFormat, ""},
		{"signed, another text", string(ours.signText("Dear customer\n")), verifier.ListUnreadable, revocation.Malformed, ""},
		{"signed, entries not in order", string(ours.signText(swapped)), verifier.ListUnreadable, revocation.BadOrder, ""},
		{"signed, number 0", string(ours.signText(strings.Replace(text, "sequence 8", "sequence 0", 1))), verifier.ListUnreadable, revocation.BadValue, ""},
		{"signed, serial 2^53", string(ours.signText(strings.Replace(text, "3000 3000", "3000 9007199254740992", 1))), verifier.ListUnreadable, revocation.BadValue, ""},
		{"signed, without due", string(ours.signText(strings.Replace(text, "due 2026-12-01T00:00:00Z\n", "", 1))), verifier.ListUnreadable, revocation.Malformed, ""},
		{"signed, due never", string(ours.signText(strings.Replace(text, "due 2026-12-01T00:00:00Z", "due never", 1))), verifier.ListUnreadable, revocation.BadValue, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, err := tryVerifier(ring, withLists([]byte(c.list)))
			requireReason(t, err, c.alone)
			if (err == nil) != (v != nil) || v != nil && atHand(v) == 0 {
				t.Errorf("New = %v, %v", v != nil, err)
			}
			if c.cause != nil {
				requireReason(t, err, c.cause)
			}
			if _, err := tryVerifier(ring, withLists(atHandList, []byte(c.list))); c.alone != nil && !errors.Is(err, c.alone) {
				t.Errorf("beside a good one: %v, want %v", err, c.alone)
			}

			v = must(tryVerifier(ring, withLists(atHandList)))
			got, err := v.Update([]byte(c.list))
			switch {
			case c.update == taken:
				if !got || err != nil || atHand(v) < 8 {
					t.Errorf("Update = %t, %v; list %d judges", got, err, atHand(v))
				}
				_, err = v.Verify(workedHSCode)
				requireReason(t, err, nil) // revoked by the list before alone
				return
			case c.update == same:
				if got || err != nil {
					t.Errorf("Update = %t, %v; want false and no error", got, err)
				}
			case c.update != "":
				requireReason(t, err, verifier.Reason(c.update))
			default:
				requireReason(t, err, c.alone)
				requireReason(t, err, c.cause)
			}
			if got || atHand(v) != 7 {
				t.Errorf("Update = %t, and list %d judges; want the one at hand", got, atHand(v))
			}
			_, err = v.Verify(workedHSCode)
			requireReason(t, err, verifier.Revoked)
		})
	}
}

// A list that is cut off anywhere is an error, and revokes what it did before.
func TestListsThatAreCutOff(t *testing.T) {
	hs, ours := newKey(workedHS, 7), newListKey("ours")
	v := must(tryVerifier(newRing(hs, ours), withLists(ours.newList(revoke(hs, 1000, 1000, "")))))
	next := ours.newList(sequence(8), revoke(hs, 2000, 2000, ""))
	for n := range next {
		if taken, err := v.Update(next[:n]); taken || !errors.Is(err, verifier.ListUnreadable) {
			t.Fatalf("the first %d of %d bytes: Update = %t, %v", n, len(next), taken, err)
		}
	}
	_, err := v.Verify(workedHSCode)
	requireReason(t, err, verifier.Revoked)
}

// Of several lists given to New the newest alone decides, whatever their order
// (RV-03, RV-11).
func TestNewestListDecides(t *testing.T) {
	hs, ours, second := newKey(workedHS, 7), newListKey("ours"), newListKey("second")
	ring := newRing(hs, ours, second)
	list := func(n uint64, change ...func(*revocation.Draft)) []byte {
		return ours.newList(append(change, sequence(n))...)
	}
	revoked := revoke(hs, 1000, 1000, "")
	for _, c := range []struct {
		name  string
		lists [][]byte
		min   uint64
		judge uint64 // number of the list that decides
		want  error  // of New, or of Verify where New is fine
	}{
		{"one", [][]byte{list(7)}, 0, 7, nil},
		{"the newest revokes", [][]byte{list(5), list(7), list(9, revoked)}, 0, 9, verifier.Revoked},
		{"only an older one revokes", [][]byte{list(5, revoked), list(7, revoked), list(9)}, 0, 9, nil},
		{"the newest has the earliest time", [][]byte{list(5, revoked), list(9, issued("2025-01-01T00:00:00Z"))}, 0, 9, nil},
		{"the same twice", [][]byte{list(7, revoked), list(7, revoked)}, 0, 7, verifier.Revoked},
		{"two of one number", [][]byte{list(7), list(7, revoked)}, 0, 0, verifier.ListConflict},
		{"two of one number and a newer one", [][]byte{list(7), list(7, revoked), list(9)}, 0, 0, verifier.ListConflict},
		{"a damaged one beside a newer one", [][]byte{list(7)[1:], list(9)}, 0, 0, verifier.ListUnreadable},

		{"the lowest that is accepted", [][]byte{list(7)}, 7, 7, nil},
		{"below the lowest", [][]byte{list(6)}, 7, 0, verifier.ListOlder},
		{"all below the lowest", [][]byte{list(5), list(6)}, 7, 0, verifier.ListOlder},
		{"one below the lowest and one above", [][]byte{list(6, revoked), list(8)}, 7, 8, nil},
		{"none, and one is demanded", nil, 1, 0, verifier.ListOlder},
		{"none, and none is demanded", nil, 0, 0, nil},

		// A list key that a list withdraws signs no newer one. Else whoever stole it
		// could give out a list that says the contrary.
		{"a newer one signed with a key that the older withdraws",
			[][]byte{list(7, stateOf(second, keys.Withdrawn), revoked), second.newList(sequence(8))}, 0, 0, verifier.ListUnreadable},
		{"the same, the contrary in it",
			[][]byte{list(7, stateOf(second, keys.Withdrawn), revoked), second.newList(sequence(8), stateOf(ours, keys.Withdrawn))}, 0, 0, verifier.ListUnreadable},
		{"an older one signed with a key that the newer withdraws",
			[][]byte{second.newList(sequence(6)), list(7, stateOf(second, keys.Withdrawn), revoked)}, 0, 7, verifier.Revoked},
		{"a newer one signed with a key that the older closes",
			[][]byte{list(7, stateOf(second, keys.Closed), revoked), second.newList(sequence(8))}, 0, 8, nil},
		{"one that withdraws the key that signed it", [][]byte{list(7, stateOf(ours, keys.Withdrawn), revoked)}, 0, 7, verifier.Revoked},
	} {
		for order := range permutations(c.lists) {
			v, err := tryVerifier(ring, withLists(order...), func(o *verifier.Options) { o.MinSequence = c.min })
			if v != nil {
				if atHand(v) != c.judge {
					t.Errorf("%s: list %d decides, want %d", c.name, atHand(v), c.judge)
				}
				_, err = v.Verify(workedHSCode)
			} else if c.judge != 0 {
				t.Errorf("%s: no verifier", c.name)
			}
			if !errors.Is(err, c.want) && (err != nil || c.want != nil) {
				t.Errorf("%s: got %v, want %v", c.name, err, c.want)
			}
		}
	}
}

// permutations yields all orders of a few lists; the order of no lists is one, too.
func permutations(lists [][]byte) func(yield func([][]byte) bool) {
	return func(yield func([][]byte) bool) {
		if len(lists) == 0 {
			yield(nil)
			return
		}
		for i := range lists {
			for rest := range permutations(slices.Delete(slices.Clone(lists), i, i+1)) {
				if !yield(append([][]byte{lists[i]}, rest...)) {
					return
				}
			}
		}
	}
}

// The lists of the options are read when the verifier is made, and not kept.
func TestListsAreNotKept(t *testing.T) {
	hs, ours := newKey(workedHS, 7), newListKey("ours")
	first, second := ours.newList(revoke(hs, 1000, 1000, "")), ours.newList(sequence(8), revoke(hs, 1000, 1000, ""))
	v := must(tryVerifier(newRing(hs, ours), withLists(first)))
	clear(first)
	_, err := v.Verify(workedHSCode)
	requireReason(t, err, verifier.Revoked)
	must(v.Update(second))
	clear(second)
	_, err = v.Verify(workedHSCode)
	requireReason(t, err, verifier.Revoked)
}

// What to do with a stale list is asked before there is one, and has no default
// (RV-14).
func TestStaleMustBeChosen(t *testing.T) {
	hs, ours := newKey(workedHS, 7), newListKey("ours")
	ring, list := newRing(hs, ours), ours.newList()
	for _, c := range []struct {
		stale       verifier.StalePolicy
		with, alone bool // whether New takes it with a list and without
	}{
		{-1, false, false}, {0, false, true}, {verifier.RefuseStale, true, true}, {verifier.ReportStale, true, true}, {3, false, false},
	} {
		for _, lists := range [][][]byte{nil, {list}} {
			want := c.alone
			if lists != nil {
				want = c.with
			}
			v, err := tryVerifier(ring, func(o *verifier.Options) { o.Lists, o.Stale = lists, c.stale })
			if (err == nil) != want || (v != nil) != want || err != nil && !strings.Contains(err.Error(), "Stale") {
				t.Errorf("Stale %d with %d lists: %v", c.stale, len(lists), err)
			}
		}
	}
	v := must(tryVerifier(ring))
	if taken, err := v.Update(list); taken || err == nil || !strings.Contains(err.Error(), "Options.Stale is not set") {
		t.Errorf("Update without a choice = %t, %v", taken, err)
	}
	if atHand(v) != 0 {
		t.Error("the list was taken")
	}
}

// Update holds a list to the lowest number that was stated, too, while there is none.
func TestUpdateBelowTheLowestNumber(t *testing.T) {
	hs, ours := newKey(workedHS, 7), newListKey("ours")
	ring := newRing(hs, ours)
	first := must(tryVerifier(ring, withLists(ours.newList(sequence(9)))))
	for name, v := range map[string]*verifier.Verifier{
		"options": must(tryVerifier(ring, withLists(ours.newList(sequence(9))), func(o *verifier.Options) { o.MinSequence = 9 })),
		"state":   must(tryVerifier(ring, withLists(ours.newList(sequence(9))), func(o *verifier.Options) { o.State = first.State() })),
		"list":    first,
	} {
		taken, err := v.Update(ours.newList(sequence(8)))
		if taken || !errors.Is(err, verifier.ListOlder) {
			t.Errorf("%s: list 8 after 9: %t, %v", name, taken, err)
		}
		if taken, err = v.Update(ours.newList(sequence(10))); !taken || err != nil {
			t.Errorf("%s: list 10 after 9: %t, %v", name, taken, err)
		}
		if taken, err = v.Update(ours.newList(sequence(9))); taken || !errors.Is(err, verifier.ListOlder) {
			t.Errorf("%s: list 9 after 10: %t, %v", name, taken, err)
		}
	}
}

// A list key that the list at hand withdraws signs nothing that Update takes, and a
// later list may trust it again.
func TestListKeyWithdrawnByList(t *testing.T) {
	hs, ours, second := newKey(workedHS, 7), newListKey("ours"), newListKey("second")
	v := must(tryVerifier(newRing(hs, ours, second), withLists(second.newList())))
	update := func(list []byte, want error) {
		t.Helper()
		taken, err := v.Update(list)
		requireReason(t, err, want)
		if taken != (want == nil) {
			t.Errorf("taken: %t", taken)
		}
	}
	update(ours.newList(sequence(8), stateOf(second, keys.Withdrawn)), nil)
	update(second.newList(sequence(9)), note.KeyWithdrawn)
	update(ours.newList(sequence(9), stateOf(second, keys.Closed)), nil)
	update(second.newList(sequence(10)), nil)
	itself := ours.newList(sequence(11), stateOf(ours, keys.Withdrawn))
	update(itself, nil)
	update(itself, note.KeyWithdrawn) // though it is the one at hand
	update(ours.newList(sequence(12)), note.KeyWithdrawn)
	update(second.newList(sequence(12)), nil)
	update(ours.newList(sequence(13)), nil)
}

// A thief of a list key signs a list with a high number, be it of a time to come. A
// release whose ring withdraws that key, with a list that has a higher number, goes on,
// except where the state remembers a number or a time that nothing follows: then it
// goes on without the state.
func TestStolenListKey(t *testing.T) {
	hs, ours, second := newKey(workedHS, 7), newListKey("ours"), newListKey("second")
	before, after := newRing(hs, ours, second), newRing(hs, ours.in(keys.Withdrawn), second)
	guard := func(o *verifier.Options) { o.Tolerance = time.Hour }
	mine := func(n uint64) []byte { return second.newList(sequence(n), revoke(hs, 1000, 1000, "")) }
	const most = 1<<53 - 1
	for _, c := range []struct {
		thief      []byte
		number     uint64 // of the list that the release brings
		start, end error  // with the state: what New says, and then the verdict
	}{
		{ours.newList(sequence(1000)), 8, verifier.ListOlder, nil},
		{ours.newList(sequence(1000)), 999, verifier.ListOlder, nil},
		{ours.newList(sequence(1000)), 1001, nil, verifier.Revoked},
		{ours.newList(sequence(most)), most - 1, verifier.ListOlder, nil},
		{ours.newList(sequence(most)), most, nil, verifier.Revoked}, // and that was the last
		{ours.newList(sequence(1000), issued("2099-01-01T00:00:00Z"), due("2099-02-01T00:00:00Z")), 1001, nil, verifier.ClockWentBack},
	} {
		v := must(tryVerifier(before, guard, withLists(mine(7))))
		if taken, err := v.Update(c.thief); !taken || err != nil {
			t.Fatalf("%t, %v", taken, err)
		}
		state := v.State()

		_, err := tryVerifier(after, guard, withLists(mine(c.number), c.thief))
		requireReason(t, err, note.KeyWithdrawn)
		v, err = tryVerifier(after, guard, withState(state), withLists(mine(c.number)))
		requireReason(t, err, c.start)
		if err == nil {
			_, err = v.Verify(workedHSCode)
			requireReason(t, err, c.end)
		}
		v = must(tryVerifier(after, guard, withLists(mine(c.number))))
		_, err = v.Verify(workedHSCode)
		requireReason(t, err, verifier.Revoked)
	}
}
