package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/verifier/revocation"
)

// Exit codes of revoke diff, which are those of diff.
const (
	exitDiffers = 1
	exitTrouble = 2
)

func newRevokeDiff(a *app) *cobra.Command {
	var f readListFlags
	cmd := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Show what changes from one revocation list to another",
		Long: `Show what the new list has that the old one has not, and the other way round: what
becomes good again (restored), what is revoked, which minimum versions and key states
change, and whose reason changes. Of each kind the first 20 ranges of serials are
shown, unless --all asks for all. Sequence numbers and times are no difference.

Exit codes are those of diff: 0 no difference, 1 a difference, 2 trouble; and 4 when a
list is not genuine.

With --json there is an object a line: one with the member diff, which has restores
(whether anything becomes good again); for each change one with the member minimum or
key; and with --all for each range of serials one with the member dropped, added or
reason.`,
		Example: "  licet revoke diff shipped/revocations.txt revocations.txt\n  licet revoke diff --json old.txt new.txt",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := a.diffLists(cmd.Context(), f, args[0], args[1])
			var exit *exitError
			if err != nil && (!errors.As(err, &exit) || exit.code == exitCannotJudge) {
				err = &exitError{exitTrouble, err}
			}
			return err
		},
	}
	f.addAll(cmd, "print JSON objects, one a line")
	f.add(cmd)
	return cmd
}

func (a *app) diffLists(ctx context.Context, f readListFlags, oldPath, newPath string) error {
	ring, err := a.publicRing(f.ring)
	if err != nil {
		return err
	}
	older, err := readList(oldPath, ring)
	if err != nil {
		return err
	}
	newer, err := readList(newPath, ring)
	if err != nil {
		return err
	}
	d := revocation.Compare(older.List, newer.List)
	names := newListNames(ring)
	w := bufio.NewWriter(a.out)
	if f.asJSON {
		err = writeDiffJSON(ctx, w, older, newer, d, names, f.all)
	} else {
		_, err = names.writeDiff(ctx, w, d, f.most())
	}
	if err == nil {
		err = w.Flush()
	}
	if err != nil {
		return err
	}
	if !f.asJSON {
		fmt.Fprintf(a.err, "From list %d, issued %s, to list %d, issued %s.\n", older.Sequence(), formatTime(older.Issued()), newer.Sequence(), formatTime(newer.Issued()))
		if newer.Sequence() <= older.Sequence() {
			fmt.Fprintf(a.err, "%s the second list is not the newer one.\n", a.err.paint(roleBad, "warning:"))
		}
	}
	if differ(d) {
		return &exitError{code: exitDiffers}
	}
	return nil
}
