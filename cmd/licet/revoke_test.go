package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/cmd/internal/home"
	"github.com/licet-dev/licet/cmd/internal/journal"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/note"
	"github.com/licet-dev/licet/verifier/revocation"
)

// Sets of serials do the same as lists of all serials, one by one.
func TestSerialSets(t *testing.T) {
	const most = 40
	r := rand.New(rand.NewPCG(1, 2))
	random := func() (ranges []journal.Range, has [most + 1]bool) {
		for range r.IntN(6) {
			first := 1 + r.Uint64N(most)
			last := min(first+r.Uint64N(8), most)
			ranges = append(ranges, journal.Range{First: first, Last: last})
			for s := first; s <= last; s++ {
				has[s] = true
			}
		}
		return ranges, has
	}
	// The one form of a set: ascending, no two ranges touching.
	form := func(has [most + 1]bool) (ranges []journal.Range, n uint64) {
		for s := 1; s <= most; s++ {
			if !has[s] {
				continue
			}
			if n++; !has[s-1] {
				ranges = append(ranges, journal.Range{First: uint64(s)})
			}
			ranges[len(ranges)-1].Last = uint64(s)
		}
		return ranges, n
	}
	for range 5000 {
		a, hasA := random()
		b, hasB := random()
		wantA, n := form(hasA)
		if got := union(a); !slices.Equal(got, wantA) || count(got) != n {
			t.Fatalf("union(%v) = %v, %d serials; want %v, %d", a, got, count(got), wantA, n)
		}
		rest := hasA
		for s, in := range hasB {
			rest[s] = rest[s] && !in
		}
		want, _ := form(rest)
		if got := without(union(a), union(b)); !slices.Equal(got, want) {
			t.Fatalf("without(%v, %v) = %v; want %v", a, b, got, want)
		}
	}
}

// at runs f while the clock shows a time.
func (a *app) at(t time.Time, f func() error) error {
	old := a.now
	a.now = func() time.Time { return t }
	defer func() { a.now = old }()
	return f()
}

// revokeAt revokes serials of key 8 at a time.
func (a *app) revokeAt(t time.Time, serials ...journal.Range) error {
	return a.at(t, func() error {
		o := revokeOptions{product: number{7, true}, key: number{8, true}, serials: serials}
		return a.revoke(context.Background(), o)
	})
}

// list returns the list of the home.
func (a *app) list(t testing.TB) *revocation.List {
	t.Helper()
	h, err := home.Open(a.dir)
	if err != nil {
		t.Fatal(err)
	}
	l, err := h.Revocations()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (a *app) listPath() string { return (&home.Home{Dir: a.dir}).RevocationsPath() }

// exitCodeOfError returns the exit code that an error of a command leads to.
func exitCodeOfError(err error) int {
	var exit *exitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.code
	}
	return exitOther
}

// A list is issued now and due in 90 days; no list is issued before the one before it.
func TestRevokeTimes(t *testing.T) {
	a := newTestApp(t)
	noon := time.Date(2026, 12, 1, 12, 0, 0, 0, time.FixedZone("", 5*3600))
	if err := a.revokeAt(noon.Add(999*time.Millisecond), journal.Range{First: 1, Last: 1}); err != nil {
		t.Fatal(err)
	}
	l := a.list(t)
	if want := time.Date(2026, 12, 1, 7, 0, 0, 0, time.UTC); !l.Issued().Equal(want) || l.Due().Sub(l.Issued()) != 90*24*time.Hour {
		t.Errorf("issued %s, due %s; want %s and 90 days later", l.Issued(), l.Due(), want)
	}
	err := a.revokeAt(noon.Add(-time.Second), journal.Range{First: 2, Last: 2})
	if err == nil || !strings.Contains(err.Error(), "the clock shows 2026-12-01T06:59:59Z, but list 1 was issued 2026-12-01T07:00:00Z: set the clock") {
		t.Errorf("a clock that is behind: %v", err)
	}
	if !a.list(t).Equal(l) {
		t.Error("a clock that is behind changed the list")
	}
	// Several lists a second are told apart by their numbers.
	if err := a.revokeAt(noon, journal.Range{First: 2, Last: 2}); err != nil {
		t.Fatal(err)
	}
	if next := a.list(t); next.Sequence() != 2 || !next.Issued().Equal(l.Issued()) {
		t.Errorf("list %d, issued %s", next.Sequence(), next.Issued())
	}
}

// RV-04, RV-05: a list is good from the second in which it was issued to the one in
// which the next is due.
func TestRevokeVerifyTimes(t *testing.T) {
	a := newTestApp(t)
	issued := time.Date(2026, 12, 1, 7, 0, 0, 0, time.UTC)
	if err := a.revokeAt(issued, journal.Range{First: 1, Last: 1}); err != nil {
		t.Fatal(err)
	}
	due := a.list(t).Due()
	for _, c := range []struct {
		now     time.Time
		code    int
		message string
		json    string
	}{
		{issued.Add(-time.Second), 6, "list 1 was issued 2026-12-01T07:00:00Z, but the clock shows 2026-12-01T06:59:59Z; set the clock", `"verdict":"cannot-judge","reason":"clock-behind","message":"`},
		{issued, 0, "", `"verdict":"valid","list":{`},
		{due, 0, "", `"verdict":"valid","list":{`},
		{due.Add(time.Second), 5, "list 1 is genuine but stale: the next one was due 2027-03-01T07:00:00Z; licet revoke renew issues it", `"verdict":"not-acceptable","reason":"list-stale","message":"`},
	} {
		err := a.at(c.now, func() error { return a.verifyList(readListFlags{}, a.listPath()) })
		if exitCodeOfError(err) != c.code || c.message != "" && !strings.Contains(err.Error(), c.message) {
			t.Errorf("at %s: %v; want exit code %d and %q", c.now, err, c.code, c.message)
		}
		out := a.captured(t, func() {
			err = a.at(c.now, func() error { return a.verifyList(readListFlags{asJSON: true}, a.listPath()) })
		})
		if exitCodeOfError(err) != c.code || !strings.Contains(out, c.json) || !strings.Contains(out, `"list":{"file"`) {
			t.Errorf("at %s: %v, %s; want exit code %d and %s", c.now, err, out, c.code, c.json)
		}
		out = a.captured(t, func() {
			err = a.at(c.now, func() error { return a.showList(context.Background(), readListFlags{}, nil) })
		})
		if stale := strings.Contains(out, "\ndue        2027-03-01T07:00:00Z, so it is stale\n"); err != nil || stale != (c.code == 5) {
			t.Errorf("at %s: %v, shown as\n%s", c.now, err, out)
		}
	}
}

// What a list key signed and is still no list of this issuer that can be read.
func TestRevokeOtherTexts(t *testing.T) {
	b := newBatchMaker(t)
	a := b.app
	if err := a.revokeAt(time.Now(), journal.Range{First: 1, Last: 1}); err != nil {
		t.Fatal(err)
	}
	good := a.list(t).Marshal()
	goodPath := filepath.Join(t.TempDir(), "good.txt")
	data, err := os.ReadFile(a.listPath())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(goodPath, data, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, old, new string
		code, diff     int
		reason, remedy string
	}{
		{"a later version", "/v1\n", "/v2\n", exitCannotJudge, exitTrouble, "later-format", "Take the licet that issued it, or a newer one"},
		{"another issuer", "\nAcme Tools\n", "\nAcme\n", exitNotAuthentic, exitNotAuthentic, "other-issuer", "Put back the newest list"},
		{"leading zeros", " 1 1\n", " 01 1\n", exitNotAuthentic, exitNotAuthentic, "bad-value", "Put back the newest list"},
		{"another text", "licet-revocations/v1\n", "something else\n", exitNotAuthentic, exitNotAuthentic, "malformed", "Put back the newest list"},
	} {
		text := strings.Replace(good, c.old, c.new, 1)
		if text == good {
			t.Fatalf("%s: nothing was replaced in\n%s", c.name, good)
		}
		data, err := note.Sign(text, b.list)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(a.listPath(), data, 0o600); err != nil {
			t.Fatal(err)
		}
		out := a.captured(t, func() { err = a.verifyList(readListFlags{asJSON: true}, a.listPath()) })
		if exitCodeOfError(err) != c.code || !strings.Contains(out, `"reason":"`+c.reason+`"`) {
			t.Errorf("%s: verify: %v, %s", c.name, err, out)
		}
		if err := a.showList(context.Background(), readListFlags{}, nil); exitCodeOfError(err) != c.code {
			t.Errorf("%s: show: %v", c.name, err)
		}
		diff := newRevokeDiff(a)
		if err := diff.RunE(diff, []string{goodPath, a.listPath()}); exitCodeOfError(err) != c.diff {
			t.Errorf("%s: diff: %v", c.name, err)
		}
		err = a.revokeAt(time.Now(), journal.Range{First: 2, Last: 2})
		if exitCodeOfError(err) != c.code || !strings.Contains(err.Error(), c.remedy) {
			t.Errorf("%s: revoke: %v", c.name, err)
		}
		if left, err := os.ReadFile(a.listPath()); err != nil || string(left) != string(data) {
			t.Errorf("%s: the list was changed: %v", c.name, err)
		}
	}
}

// saveScattered makes a list of n serials of key 9 that do not touch, beside what the
// home has, and puts it into the home.
func (a *app) saveScattered(t testing.TB, list keys.PrivateKey, n int) {
	t.Helper()
	h, err := home.Open(a.dir)
	if err != nil {
		t.Fatal(err)
	}
	key, _ := h.Ring.MintKey(9)
	d := a.list(t).Draft()
	d.Issuer, d.Sequence, d.Issued = h.Ring.Issuer(), d.Sequence+1, a.now()
	d.Due = d.Issued.AddDate(0, 0, 1)
	for i := range uint64(n) {
		if err := d.Revoke(revocation.Entry{KeyID: key.ID(), Product: 7, First: 1 + 2*i, Last: 1 + 2*i, ReasonCode: []string{"", "leaked"}[i%2]}); err != nil {
			t.Fatal(err)
		}
	}
	l, err := d.List()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.SaveRevocations(l, list); err != nil {
		t.Fatal(err)
	}
}

// Of many ranges the first are shown, unless all are asked for.
func TestRevokeManyRanges(t *testing.T) {
	b := newBatchMaker(t)
	a, ctx := b.app, context.Background()
	serials := serialRanges{}
	for i := range uint64(maxRanges) {
		serials = append(serials, journal.Range{First: 10 * (i + 1), Last: 10*(i+1) + 4})
	}
	told := a.told(t, func() {
		if err := a.revokeAt(time.Now(), serials...); err != nil {
			t.Fatal(err)
		}
	})
	if n := strings.Count(told, "\nrevoked "); n != maxRanges || strings.Contains(told, "\nrevoked   1 more range\n") {
		t.Errorf("%d ranges told:\n%s", n, told)
	}
	serials = append(serials, journal.Range{First: 10_000, Last: 10_000})
	told = a.told(t, func() {
		o := revokeOptions{product: number{7, true}, key: number{8, true}, serials: serials, list: listFlags{restore: true}}
		if err := a.revoke(ctx, o); err != nil {
			t.Fatal(err)
		}
		if err := a.revokeAt(time.Now(), serials...); err != nil {
			t.Fatal(err)
		}
	})
	if restored, revoked := strings.Count(told, "restored "), strings.Count(told, "\nrevoked "); restored != maxRanges || revoked != maxRanges+1 || !strings.Contains(told, "\nrevoked   1 more range\n") {
		t.Errorf("%d ranges restored, %d revoked:\n%s", restored, revoked, told)
	}
	first := filepath.Join(t.TempDir(), "first.txt")
	data, err := os.ReadFile(a.listPath())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(first, data, 0o600); err != nil {
		t.Fatal(err)
	}
	const n = 30_000
	a.saveScattered(t, b.list, n)
	second := a.listPath()
	for _, c := range []struct {
		name       string
		show       func(readListFlags) error
		row        string // what a line of a range has
		some, more string // with how many, unless all are asked for
		code       int
	}{
		{"show", func(f readListFlags) error { return a.showList(ctx, f, nil) }, "\n  ", "  and 29980 more ranges, which --all shows\n", "", 0},
		{"diff", func(f readListFlags) error { return a.diffLists(ctx, f, first, second) }, "revoked ", "revoked   29980 more ranges\n", "", exitDiffers},
		{"diff back", func(f readListFlags) error { return a.diffLists(ctx, f, second, first) }, "restored ", "restored  29980 more ranges\n", "", exitDiffers},
	} {
		for _, all := range []bool{false, true} {
			out := a.captured(t, func() {
				if err := c.show(readListFlags{all: all}); exitCodeOfError(err) != c.code {
					t.Errorf("%s: %v", c.name, err)
				}
			})
			want := maxRanges + 1
			if all {
				want = n
			}
			if c.name == "show" {
				want += min(maxRanges+1, want) // of key 8
			}
			if got := strings.Count(out, c.row); got != want || strings.Contains(out, c.some) == all {
				t.Errorf("%s, all %t: %d ranges told, want %d; begins\n%s", c.name, all, got, want, out[:min(len(out), 2000)])
			}
			out = a.captured(t, func() {
				if err := c.show(readListFlags{all: all, asJSON: true}); exitCodeOfError(err) != c.code {
					t.Errorf("%s --json: %v", c.name, err)
				}
			})
			want = 0
			if all {
				want = n
				if c.name == "show" {
					want += maxRanges + 1
				}
			}
			if got := strings.Count(out, `"first":"`); got != want {
				t.Errorf("%s --json, all %t: %d ranges, want %d", c.name, all, got, want)
			}
		}
	}
}

// Long lists go through all commands, and little of them is printed.
func TestRevokeLongList(t *testing.T) {
	n := 200_000
	if os.Getenv("LICET_LONG") != "" {
		n = 10_000_000
	}
	b := newBatchMaker(t)
	a, ctx := b.app, context.Background()
	a.saveScattered(t, b.list, n)
	old := filepath.Join(t.TempDir(), "old.txt")
	if err := os.Rename(a.listPath(), old); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(old, a.listPath()); err != nil { // which the next list does not touch
		t.Fatal(err)
	}
	if err := a.revokeAt(time.Now(), journal.Range{First: 1, Last: 3}); err != nil {
		t.Fatal(err)
	}
	out := a.captured(t, func() {
		if err := a.showList(ctx, readListFlags{}, nil); err != nil {
			t.Error(err)
		}
		if err := a.verifyList(readListFlags{}, a.listPath()); err != nil {
			t.Error(err)
		}
		if err := a.diffLists(ctx, readListFlags{}, old, a.listPath()); exitCodeOfError(err) != exitDiffers {
			t.Error(err)
		}
	})
	for _, want := range []string{
		fmt.Sprintf("\nrevoked    %d serials in %d ranges\n", n+3, n+1),
		": valid: list 2 of Acme Tools, ",
		"\nrevoked   product 7 Widget, key 8 (ca3f2093e4fe1455), serials 1 to 3\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("want %q in\n%s", want, out)
		}
	}
	if len(out) > 3000 {
		t.Errorf("%d bytes were printed", len(out))
	}
}
