package verifier_test

import (
	"bytes"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/verifier"
)

// stateBytes makes a state as state.go describes it, authenticated with the public
// point or the secret of a key.
func stateBytes(id keys.ID, key []byte, sequence, latest, signed uint64) []byte {
	b := append([]byte{1}, id[:]...)
	for _, n := range []uint64{sequence, latest, signed} {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	h := hmac.New(sha256.New, must(hkdf.Key(sha256.New, key, nil, "licet/v1 state", 32)))
	h.Write(b)
	return h.Sum(b)
}

func withState(b []byte) func(*verifier.Options) {
	return func(o *verifier.Options) { o.State = b }
}

func minSequence(n uint64) func(*verifier.Options) {
	return func(o *verifier.Options) { o.MinSequence = n }
}

// The form of a state stays: what one release of a product kept, the next one reads.
func TestStateForm(t *testing.T) {
	es, hs, ours := newKey(workedES, 7), newKey(workedHS, 7), newListKey("ours")
	list, listIssued := ours.newList(sequence(12)), uint64(instant("2026-05-01T00:00:00Z").Unix())
	for _, c := range []struct {
		key  testKey
		from []byte // what it is authenticated with
		code string
		want uint64 // latest time of the clock
	}{
		{es, es.Public().Bytes(), workedESCode, uint64(noon.Unix())},
		{hs, unhex(workedHSSecret), workedHSCode, uint64(noon.Unix())},
		{ours, ours.Public().Bytes(), "", listIssued}, // no code is judged, so the clock is not looked at
	} {
		ring := newRing(ours)
		if c.code != "" {
			ring = newRing(c.key, ours)
		}
		v := must(tryVerifier(ring, withLists(list)))
		if c.code != "" {
			must(v.Verify(c.code))
		}
		if got, want := v.State(), stateBytes(c.key.ID(), c.from, 12, c.want, listIssued); !bytes.Equal(got, want) {
			t.Errorf("key %s:\ngot  %x\nwant %x", c.key.ID(), got, want)
		}
	}
	const kept = "01e21531b141ba7c8d000000000000000c000000006a1d74400000000069f3ed0054678a0d4093a216f236054cf05d78843cb2b5901c390a937667096750c951eb"
	v := must(tryVerifier(newRing(es, ours), withLists(list)))
	must(v.Verify(workedESCode))
	if got := hex.EncodeToString(v.State()); got != kept {
		t.Errorf("got %s", got)
	}
}

// What one run saw the next one knows: the highest number of a list and the latest
// time. It is handed on from run to run, be it that a run sees nothing new.
func TestStateOverRuns(t *testing.T) {
	hs, ours := newKey(workedHS, 7), newListKey("ours")
	ring := newRing(hs, ours)
	var clock testClock
	clock.set("2026-06-01T12:00:00.9Z")
	v := must(tryVerifier(ring, clock.use, withLists(ours.newList(sequence(9))), minSequence(3)))
	must(v.Verify(workedHSCode))
	state := v.State()
	clock.set("2026-01-01T00:00:00Z") // and no guard
	for run := range 3 {
		if _, err := tryVerifier(ring, withState(state)); err == nil || !strings.Contains(err.Error(), "there is no revocation list, but one with 9 or more") {
			t.Errorf("run %d without a list: %v", run, err)
		}
		_, err := tryVerifier(ring, withState(state), withLists(ours.newList(sequence(8))))
		requireReason(t, err, verifier.ListOlder)
		v = must(tryVerifier(ring, clock.use, withState(state), withLists(ours.newList(sequence(9)))))
		if want := instant("2026-06-01T12:00:00Z"); !v.Latest().Equal(want) {
			t.Errorf("run %d: latest %s, want %s", run, v.Latest(), want)
		}
		if got := v.State(); !bytes.Equal(got, state) {
			t.Errorf("run %d saw nothing new, but kept %x, not %x", run, got, state)
		}
		state = v.State()
	}
	// A newer list, and a later time.
	must(v.Update(ours.newList(sequence(12))))
	clock.set("2026-06-02T00:00:00Z")
	must(v.Verify(workedHSCode))
	_, err := tryVerifier(ring, withState(v.State()), withLists(ours.newList(sequence(11))))
	requireReason(t, err, verifier.ListOlder)
	again := must(tryVerifier(ring, withState(v.State()), withLists(ours.newList(sequence(12)))))
	if !again.Latest().Equal(clock.now) {
		t.Errorf("latest %s, want %s", again.Latest(), clock.now)
	}
	// Options count beside it, the higher.
	_, err = tryVerifier(ring, withState(v.State()), withLists(ours.newList(sequence(12))), minSequence(13))
	requireReason(t, err, verifier.ListOlder)
	_, err = tryVerifier(ring, withState(v.State()), withLists(ours.newList(sequence(12))), minSequence(3))
	requireReason(t, err, nil)
	// A run without lists, before there are any, demands none of the next.
	none := must(tryVerifier(ring))
	_, err = tryVerifier(ring, withState(none.State()))
	requireReason(t, err, nil)
}

// Every bit of a state counts, and every byte of its length.
func TestStateThatWasEdited(t *testing.T) {
	hs, ours := newKey(workedHS, 7), newListKey("ours")
	ring := newRing(hs, ours)
	list := ours.newList()
	v := must(tryVerifier(ring, withLists(list)))
	must(v.Verify(workedHSCode))
	state := v.State()
	if len(state) != 65 {
		t.Fatalf("%d bytes", len(state))
	}
	_, err := tryVerifier(ring, withLists(list), withState(state))
	requireReason(t, err, nil)
	_, err = tryVerifier(ring, withLists(list), withState([]byte{})) // nothing is known
	requireReason(t, err, nil)

	bad := func(what string, b []byte) {
		t.Helper()
		v, err := tryVerifier(ring, withLists(list), withState(b))
		requireReason(t, err, verifier.BadState)
		if v != nil || err == nil || !strings.Contains(err.Error(), "to go on without it, give none") {
			t.Errorf("%s: New = %v, %v", what, v != nil, err)
		}
	}
	for bit := range 8 * len(state) {
		b := slices.Clone(state)
		b[bit/8] ^= 1 << (bit % 8)
		bad("a bit flipped", b)
	}
	for n := 1; n < len(state); n++ {
		bad("cut off", state[:n])
	}
	bad("longer", append(slices.Clone(state), 0))
	bad("twice", append(slices.Clone(state), state...))
	bad("as text", []byte(hex.EncodeToString(state)))
	bad("zeros", make([]byte, 65))
	other := must(tryVerifier(ring, withLists(ours.newList(sequence(8))))).State()
	bad("two of them mixed", append(slices.Clone(state[:33]), other[33:]...))
}

// A state lives as long as the ring has the key that it was made with.
func TestStateAndRing(t *testing.T) {
	hs, es, ours := newKey(workedHS, 7), newKey(workedES, 7), newListKey("ours")
	early := newKey(strings.Replace(strings.Replace(workedHS, "key=8", "key=1", 1), "ACME", "", 1), 7)
	public := func(k testKey) testKey { return testKey{k.WithoutSecret(), k.private} }
	stranger := keyOf(workedES, unhex(workedHSSecret), 7)
	state := func(ks ...testKey) []byte { return must(tryVerifier(newRing(ks...))).State() }
	for _, c := range []struct {
		name  string
		state []byte
		ring  []testKey
		want  error
	}{
		{"the same ring", state(hs, es), []testKey{hs, es}, nil},
		{"a key more", state(hs), []testKey{hs, es, ours}, nil},
		{"a key more, before the others", state(hs), []testKey{early, hs}, nil},
		{"only its key is left", state(hs, es), []testKey{hs}, nil},
		{"its key is lost", state(hs, es), []testKey{es}, verifier.BadState},
		{"its key has no secret any more", state(hs, es), []testKey{public(hs), es}, verifier.BadState},
		{"another key had no secret and gets it", state(public(hs), es), []testKey{hs, es}, nil},
		{"its key is withdrawn", state(es), []testKey{es.in(keys.Withdrawn)}, nil},
		{"its key is closed", state(es), []testKey{es.in(keys.Closed)}, nil},
		{"another issuer's", state(stranger), []testKey{es, ours}, verifier.BadState},
		{"of a ring without keys", state(es), nil, verifier.BadState},
	} {
		_, err := tryVerifier(newRing(c.ring...), withState(c.state))
		requireReason(t, err, c.want)
		if t.Failed() {
			t.Fatal(c.name)
		}
	}
	for name, c := range map[string]struct {
		ring []testKey
		want bool
	}{
		"no keys":                                {nil, false},
		"hs256 keys without secrets":             {[]testKey{public(hs), public(early)}, false},
		"an hs256 key with its secret":           {[]testKey{hs}, true},
		"one hs256 key of two with its secret":   {[]testKey{public(early), hs}, true},
		"an hs256 key without, and an es256 one": {[]testKey{public(hs), es}, true},
		"a list key":                             {[]testKey{public(hs), ours}, true},
	} {
		if got := state(c.ring...); (got != nil) != c.want {
			t.Errorf("%s: state %x", name, got)
		}
	}
	// With a secret it is the secret that it takes to make one.
	forged := stateBytes(hs.ID(), es.Public().Bytes(), 1, 0, 0)
	_, err := tryVerifier(newRing(hs, es), withState(forged))
	requireReason(t, err, verifier.BadState)
	if bytes.Contains(state(hs), unhex(workedHSSecret)) {
		t.Error("the secret is in the state")
	}
}

// Whoever has the key can make any state. None makes the verifier panic or moves it
// behind what it knows itself.
func TestStatesAtTheLimits(t *testing.T) {
	es, ours := newKey(workedES, 7), newListKey("ours")
	ring := newRing(es, ours)
	const least = 1 << 63 // as a number with sign
	for _, c := range []struct {
		sequence, latest, signed uint64
		tolerance                time.Duration
		made, judged             error
	}{
		{0, 0, 0, time.Hour, nil, nil},
		{7, least, least, time.Hour, nil, nil},
		{7, math.MaxUint64, math.MaxUint64, time.Hour, nil, nil}, // a second before 1970
		{7, math.MaxInt64, 0, time.Hour, nil, verifier.ClockWentBack},
		{7, 0, math.MaxInt64, time.Hour, nil, verifier.ClockWentBack},
		{7, math.MaxInt64, math.MaxInt64, 0, nil, nil},
		{8, 0, 0, 0, verifier.ListOlder, nil},
		{math.MaxUint64, 0, 0, 0, verifier.ListOlder, nil},
	} {
		state := stateBytes(es.ID(), es.Public().Bytes(), c.sequence, c.latest, c.signed)
		v, err := tryVerifier(ring, withState(state), withLists(ours.newList()), func(o *verifier.Options) { o.Tolerance = c.tolerance })
		requireReason(t, err, c.made)
		if v == nil {
			continue
		}
		_, err = v.Verify(workedESCode)
		requireReason(t, err, c.judged)
		if floor := instant("2026-05-01T00:00:00Z"); v.Latest().Before(floor) && c.latest != math.MaxInt64 && c.signed != math.MaxInt64 {
			t.Errorf("%+v: latest %s is before the list that is at hand", c, v.Latest())
		}
		if again, err := tryVerifier(ring, withState(v.State()), withLists(ours.newList())); err != nil || again.Latest() != v.Latest() {
			t.Errorf("%+v: the next run: %v", c, err)
		}
	}
}
