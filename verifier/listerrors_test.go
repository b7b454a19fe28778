package verifier_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/note"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/verifier"
	"github.com/licet-dev/licet/verifier/revocation"
)

// What is wrong with lists, clocks and states, in the words that people read, and as
// programs find it: the kind of error, its reason, and what lies beneath.
func TestErrorsOfListsAndClocks(t *testing.T) {
	hs, ours, withdrawn := newKey(workedHS, 7), newListKey("ours"), newListKey("withdrawn").in(keys.Withdrawn)
	ring := newRing(hs, ours, withdrawn)
	list := ours.newList()
	state := must(tryVerifier(ring, withLists(ours.newList(sequence(9))))).State()
	failsNew := func(change ...func(*verifier.Options)) error {
		_, err := tryVerifier(ring, change...)
		return err
	}
	failsUpdate := func(next []byte) error {
		_, err := must(tryVerifier(ring, withLists(list))).Update(next)
		return err
	}
	failsVerify := func(change ...func(*verifier.Options)) error {
		_, err := must(tryVerifier(ring, change...)).Verify(workedHSCode)
		return err
	}
	edited := append([]byte{}, state...)
	edited[40] ^= 1
	lost := stateBytes(newKey(workedES, 7).ID(), newKey(workedES, 7).Public().Bytes(), 1, 0, 0)
	noSecret := newRing(testKey{hs.WithoutSecret(), hs.private})
	_, noSecretErr := tryVerifier(noSecret, withState(stateBytes(hs.ID(), unhex(workedHSSecret), 1, 0, 0)))
	went := stateBytes(hs.ID(), unhex(workedHSSecret), 0, uint64(noon.Unix())+3601, 0)

	for _, c := range []struct {
		name   string
		err    error
		reason verifier.Reason
		cause  error
		text   string
	}{
		{"older, by the state", failsNew(withLists(list), withState(state)), verifier.ListOlder, nil,
			"verifier: the revocation list has the sequence number 7, but one with 9 or more is demanded or was used before; get the newest list from the issuer"},
		{"none, and one is demanded", failsNew(minSequence(3)), verifier.ListOlder, nil,
			"verifier: there is no revocation list, but one with 3 or more is demanded or was used before; get the newest list from the issuer"},
		{"older than the one at hand", failsUpdate(ours.newList(sequence(6))), verifier.ListOlder, nil,
			"the revocation list has the sequence number 6, but one with 7 or more is demanded or was used before; get the newest list from the issuer"},
		{"conflict", failsUpdate(ours.newList(minimum(7, 1))), verifier.ListConflict, nil,
			"two revocation lists have the sequence number 7 and different content; get the newest list from the issuer"},
		{"conflict in the options", failsNew(withLists(list, ours.newList(minimum(7, 1)))), verifier.ListConflict, nil,
			"verifier: list 2 of 2: two revocation lists have the sequence number 7 and different content; get the newest list from the issuer"},
		{"unsigned", failsUpdate([]byte("licet-revocations/v1\n")), verifier.ListUnreadable, note.Malformed,
			"the revocation list can't be used: signed note: no blank line with signatures below it; it is not signed, or cut off"},
		{"unsigned, in the options", failsNew(withLists(list, nil)), verifier.ListUnreadable, note.Malformed, ""},
		{"signed with a withdrawn key", failsUpdate(withdrawn.newList(sequence(8))), verifier.ListUnreadable, note.KeyWithdrawn,
			"the revocation list can't be used: signed note: signed with list key " + withdrawn.ID().String() + ", which is withdrawn; get the file from Acme Tools signed with another key"},
		{"a manifest", failsUpdate(ours.signText("licet-manifest/v1\n")), verifier.ListUnreadable, revocation.Manifest, ""},
		{"stale", failsVerify(withLists(ours.newList(due("2026-06-01T11:59:59Z")))), verifier.ListStale, nil,
			"the revocation list 7 is stale: the next one was due 2026-06-01T11:59:59Z, and the clock shows 2026-06-01T12:00:00Z; get the newest list from the issuer"},
		{"from the future", failsVerify(withLists(ours.newList(issued("2026-06-02T00:00:00Z")))), verifier.ClockBehind, nil,
			"the clock is behind: it shows 2026-06-01T12:00:00Z, but it is 2026-06-02T00:00:00Z or later; set the clock"},
		{"clock went back", failsVerify(withState(went), tolerance(time.Hour)), verifier.ClockWentBack, nil,
			"the clock was turned back: it shows 2026-06-01T12:00:00Z, but 2026-06-01T13:00:01Z was seen before; set the clock, or ask the issuer if it is right"},
		{"edited state", failsNew(withState(edited)), verifier.BadState, nil,
			"verifier: the state of earlier runs can't be used: it was changed; to go on without it, give none"},
		{"state cut off", failsNew(withState(state[1:])), verifier.BadState, nil,
			"verifier: the state of earlier runs can't be used: it is not what was kept; to go on without it, give none"},
		{"state of a key that is lost", failsNew(withState(lost)), verifier.BadState, nil,
			"verifier: the state of earlier runs can't be used: it was made with key e21531b141ba7c8d, which the ring does not have; to go on without it, give none"},
		{"state of a secret that is lost", noSecretErr, verifier.BadState, nil,
			"verifier: the state of earlier runs can't be used: it was made with the secret of key ca3f2093e4fe1455, which the ring does not have; to go on without it, give none"},
	} {
		err := fmt.Errorf("product: %w", c.err)
		e, ok := errors.AsType[*verifier.CannotJudgeError](err)
		if !ok || e.Reason != c.reason {
			t.Errorf("%s: got %v, want a CannotJudgeError of the reason %s", c.name, c.err, c.reason)
			continue
		}
		if c.text != "" && c.err.Error() != c.text {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, c.err, c.text)
		}
		if byCode := e.Key != 0; byCode != (c.reason == verifier.ListStale || c.reason == verifier.ClockBehind || c.reason == verifier.ClockWentBack) {
			t.Errorf("%s: names key %d", c.name, e.Key)
		}
		if _, ok := errors.AsType[*verifier.NotAcceptableError](err); ok || errors.Is(err, verifier.Revoked) || errors.Is(err, payload.Typo) {
			t.Errorf("%s: %v is of another kind, too", c.name, err)
		}
		for _, r := range []verifier.Reason{verifier.ListStale, verifier.ListOlder, verifier.ListConflict, verifier.ListUnreadable, verifier.BadState, verifier.ClockBehind, verifier.ClockWentBack, verifier.KeyWithdrawn} {
			if errors.Is(err, r) != (r == c.reason) {
				t.Errorf("%s: errors.Is(%v, %s) is wrong", c.name, err, r)
			}
		}
		noteErr, isNote := errors.AsType[*note.Error](err)
		listErr, isList := errors.AsType[*revocation.Error](err)
		switch c.cause.(type) {
		case note.Reason:
			if !isNote || isList || noteErr.Reason != c.cause || !errors.Is(err, c.cause) {
				t.Errorf("%s: %v lacks its note.Error of the reason %s", c.name, err, c.cause)
			}
		case revocation.Reason:
			if !isList || isNote || listErr.Reason != c.cause || !errors.Is(err, c.cause) {
				t.Errorf("%s: %v lacks its revocation.Error of the reason %s", c.name, err, c.cause)
			}
		default:
			if isNote || isList {
				t.Errorf("%s: %v has something of a list beneath", c.name, err)
			}
		}
		if strings.Contains(c.err.Error(), "\n") {
			t.Errorf("%s: several lines: %q", c.name, c.err)
		}
	}
}
