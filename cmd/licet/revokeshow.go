package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"time"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/cmd/internal/home"
	"github.com/licet-dev/licet/cmd/internal/journal"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/note"
	"github.com/licet-dev/licet/verifier"
	"github.com/licet-dev/licet/verifier/revocation"
)

// readListFlags say how a revocation list is read and shown.
type readListFlags struct {
	ring        string
	all, asJSON bool
}

func (f *readListFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.ring, "ring", "", "check by the ring in `FILE` instead of the licensing home")
}

func (f *readListFlags) addAll(cmd *cobra.Command, jsonUsage string) {
	cmd.Flags().BoolVar(&f.all, "all", false, "show all ranges of serials, however many there are")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, jsonUsage)
}

// most returns how many ranges of serials are shown of each kind.
func (f *readListFlags) most() int {
	if f.all {
		return math.MaxInt
	}
	return maxRanges
}

// A signedList is a revocation list with the key that signed it.
type signedList struct {
	*revocation.List
	path   string
	signer keys.Key
}

// readList reads a revocation list that a list key of the ring signed.
func readList(path string, ring *keys.Ring) (*signedList, error) {
	if path == "-" {
		return nil, errNotStandardInput
	}
	data, err := home.ReadNote(path)
	if err != nil {
		return nil, err
	}
	l, err := revocation.Open(data, ring)
	if err != nil {
		return nil, listFault(fmt.Errorf("%s: %w", path, err))
	}
	_, signer, err := note.Open(data, ring)
	if err != nil {
		return nil, err // unreachable: it was opened before
	}
	return &signedList{l, path, signer}, nil
}

// listFault gives an error about a revocation list its exit code.
func listFault(err error) error {
	switch {
	case errors.Is(err, revocation.LaterFormat):
		return &exitError{exitCannotJudge, err}
	case errors.As(err, new(*note.Error)), errors.As(err, new(*revocation.Error)):
		return &exitError{exitNotAuthentic, err}
	}
	return err
}

// check refuses a list that was issued later than the clock shows, or is stale.
func (l *signedList) check(now time.Time) error {
	switch {
	case now.Before(l.Issued()):
		return &exitError{exitCannotJudge, &listError{verifier.ClockBehind, fmt.Sprintf("%s: list %d was issued %s, but the clock shows %s; set the clock",
			l.path, l.Sequence(), formatTime(l.Issued()), formatTime(now))}}
	case now.After(l.Due()):
		return &exitError{exitNotAcceptable, &listError{verifier.ListStale, fmt.Sprintf("%s: list %d is genuine but stale: the next one was due %s; licet revoke renew issues it",
			l.path, l.Sequence(), formatTime(l.Due()))}}
	}
	return nil
}

// A listError is why a genuine list is not good now.
type listError struct {
	reason verifier.Reason
	text   string
}

func (e *listError) Error() string { return e.text }
func (e *listError) Unwrap() error { return e.reason }

func newRevokeShow(a *app) *cobra.Command {
	var f readListFlags
	cmd := &cobra.Command{
		Use:   "show [FILE]",
		Short: "Show what a revocation list says",
		Long: `Check the signature of a revocation list, and show what it says: that of the
licensing home, or the one in FILE. Of each key and product the first 20 ranges of
serials are shown, unless --all asks for all.

With --json there is an object a line: one with the member list; for each key and
product one with the member series; and with --all for each range of serials one with
the member entry.

The exit code is 4 when the list is not genuine, and 6 when it is of a later version
of the format. A stale list is shown like any other.`,
		Example: "  licet revoke show\n  licet revoke show --all --ring ring.json revocations.txt\n  licet revoke show --json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("%d files given; one is shown at a time", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.showList(cmd.Context(), f, args) },
	}
	f.addAll(cmd, "print JSON objects, one a line")
	f.add(cmd)
	return cmd
}

func (a *app) showList(ctx context.Context, f readListFlags, args []string) error {
	ring, err := a.publicRing(f.ring)
	if err != nil {
		return err
	}
	var path string
	switch {
	case len(args) > 0:
		path = args[0]
	case f.ring != "":
		return usageError("FILE is missing: --ring is for lists outside a licensing home")
	default:
		path = (&home.Home{Dir: a.dir}).RevocationsPath()
	}
	l, err := readList(path, ring)
	if len(args) == 0 && errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: no revocation list was issued yet; licet revoke renew issues one that revokes nothing", path)
	}
	if err != nil {
		return err
	}
	names := newListNames(ring)
	if f.asJSON {
		return a.printListJSON(ctx, l, names, f.all)
	}
	s := &sheet{app: a}
	s.line("issuer", "%s", l.Issuer())
	s.line("sequence", "%d", l.Sequence())
	s.line("issued", "%s", formatTime(l.Issued()))
	due := formatTime(l.Due())
	if a.now().After(l.Due()) {
		due += a.out.paint(roleBad, ", so it is stale")
	}
	s.line("due", "%s", due)
	s.line("signed by", "%s, which is %s", keyName(l.signer), l.signer.State())
	for product, version := range l.Minimums() {
		s.line("minimum", "product %s: version %d", productName(ring, product), version)
	}
	for id, state := range l.KeyStates() {
		s.line("key", "%s: %s", names.key(id), state)
	}
	s.line("revoked", "%s", sizeText(l.List))
	if err := s.print(); err != nil {
		return err
	}
	return a.printSeries(ctx, l.List, names, f.most())
}

// A listSeries is what a list has of one key and product.
type listSeries struct {
	revocation.Entry // the first
	ranges           int
	serials          uint64
}

// seriesOf returns the keys and products of a list, in its order.
func seriesOf(l *revocation.List) []listSeries {
	var all []listSeries
	for e := range l.Entries() {
		if n := len(all); n == 0 || all[n-1].KeyID != e.KeyID || all[n-1].Product != e.Product {
			all = append(all, listSeries{Entry: e})
		}
		s := &all[len(all)-1]
		s.ranges++
		s.serials += e.Last - e.First + 1
	}
	return all
}

// printSeries prints the ranges of serials, by key and product.
func (a *app) printSeries(ctx context.Context, l *revocation.List, names *listNames, most int) error {
	w := bufio.NewWriter(a.out)
	series := seriesOf(l)
	told := 0
	for e := range l.Entries() {
		s := &series[0]
		if told == 0 {
			fmt.Fprintf(w, "%s: %s in %s\n", names.series(e), plural(s.serials, "serial"), plural(s.ranges, "range"))
		}
		if told++; told <= most {
			fmt.Fprintf(w, "  %s", rangeText(journal.Range{First: e.First, Last: e.Last}))
			if e.ReasonCode != "" {
				fmt.Fprintf(w, " %s", e.ReasonCode)
			}
			w.WriteByte('\n')
		}
		if told%(1<<12) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if told < s.ranges {
			continue
		}
		if told > most {
			fmt.Fprintf(w, "  and %s, which --all shows\n", plural(told-most, "more range"))
		}
		series, told = series[1:], 0
	}
	return w.Flush()
}

func newRevokeVerify(a *app) *cobra.Command {
	var f readListFlags
	cmd := &cobra.Command{
		Use:   "verify FILE",
		Short: "Check a revocation list as programs do",
		Long: `Check a revocation list: that a list key of the ring signed all of it, that it is the
issuer's and well formed, and that it is neither stale (the next one was due) nor
issued later than the clock shows.

Exit codes: 0 good, 2 usage, 4 not genuine, 5 genuine but stale, 6 can't be judged
(the clock is behind, or it is of a later version of the format), 1 anything else.

With --json there is one object: file, verdict (valid, not-authentic, not-acceptable,
cannot-judge), reason, message, and list with what a genuine list says, as licet
revoke show has it.`,
		Example: "  licet revoke verify revocations.txt\n  licet revoke verify --ring ring.json --json revocations.txt",
		Args:    cobra.ExactArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return a.verifyList(f, args[0]) },
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print a JSON object")
	return cmd
}

func (a *app) verifyList(f readListFlags, path string) error {
	ring, err := a.publicRing(f.ring)
	if err != nil {
		return err
	}
	l, err := readList(path, ring)
	if err == nil {
		err = l.check(a.now())
	}
	if f.asJSON {
		return a.printListVerdictJSON(path, l, newListNames(ring), err)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.out, "%s: %s: list %d of %s, issued %s, due %s, %s\n", path, a.out.paint(roleGood, "valid"),
		l.Sequence(), l.Issuer(), formatTime(l.Issued()), formatTime(l.Due()), sizeText(l.List))
	return err
}
