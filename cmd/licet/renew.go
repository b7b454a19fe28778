package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/cmd/internal/home"
	"github.com/licet-dev/licet/cmd/internal/journal"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
)

func newRenew(a *app) *cobra.Command {
	o := mintOptions{kind: journal.Renew}
	cmd := &cobra.Command{
		Use:   "renew --product N --serials A-B --expires DATE",
		Short: "Mint codes for licences that go on: a later expiry or a higher version",
		Long: `Mint codes with the serials of licences that were minted before, and with a later
expiry or a higher version. A renewed licence keeps its identity: whoever revokes
it revokes all its codes. State everything that the licence says; the old code
stays good until its own expiry.

The journal of the licensing home must know the serials. A closed key renews too.`,
		Example: `  licet renew --product 7 --version 3 --serials 1-500 --expires 2028-12-31 -o renewed.csv
  licet renew --product 7 --version 4 --serials 42 --expires 2028-12-31`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.mint(cmd.Context(), o) },
	}
	o.addTerms(cmd)
	cmd.Flags().Var(&o.serials, "serials", "serials to renew, as `A-B` or A")
	o.output.add(cmd)
	a.unlockFlags(cmd)
	return cmd
}

// checkRenewal refuses terms that would not make every licence last longer or
// count as newer than the journal knows it.
func (a *app) checkRenewal(h *home.Home, key keys.Key, lic payload.License, serials journal.Range) error {
	ends := lastDay(key, lic)
	return a.eachEntry(h, key, lic, serials, func(e journal.Entry, version uint64, expiry payload.Day) error {
		if ends < expiry || lic.Version < version || ends == expiry && lic.Version == version {
			return usageError("the journal, line %d, has %s with version %d and expiry %s: a renewal has a later expiry or a higher version, and neither lower; for the same codes once more use licet mint --again",
				e.Line, e.Serials, version, expiry)
		}
		return nil
	})
}

// checkAgain refuses other terms than the journal knows: they would not make the
// same codes once more, but other codes for the same licences. Serials that it does
// not know at all are left for the journal to refuse.
func (a *app) checkAgain(h *home.Home, key keys.Key, lic payload.License, serials journal.Range, stated journal.Terms) error {
	var same []journal.Range
	var others []journal.Entry
	err := a.eachEntry(h, key, lic, serials, func(e journal.Entry, _ uint64, _ payload.Day) error {
		if otherTerms(e.Terms, stated) == "" {
			same = append(same, e.Serials)
		} else if e.Kind != journal.Again { // which has the terms of an entry before
			others = append(others, e)
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(same, func(a, b journal.Range) int { return cmp.Compare(a.First, b.First) })
	next := serials.First // the first serial that no entry of the same terms has
	for _, r := range same {
		if r.First > next {
			break
		}
		next = max(next, r.Last+1)
	}
	if next > serials.Last {
		return nil
	}
	// A licence that was renewed has several entries. The one that differs least is
	// most likely meant, the last of them if there are more.
	differ := ""
	var entry journal.Entry
	for _, e := range others {
		if e.Serials.First > next || next > e.Serials.Last {
			continue
		}
		if text := otherTerms(e.Terms, stated); differ == "" || strings.Count(text, ", ") <= strings.Count(differ, ", ") {
			differ, entry = text, e
		}
	}
	if differ == "" {
		return nil
	}
	return usageError("--again: the journal, line %d, has %s with %s; state the same, or use licet renew", entry.Line, entry.Serials, differ)
}

// eachEntry calls f for the entries of the journal about any of the serials.
func (a *app) eachEntry(h *home.Home, key keys.Key, lic payload.License, serials journal.Range, f func(journal.Entry, uint64, payload.Day) error) error {
	j, err := a.openJournal(h)
	if err != nil {
		return err
	}
	for e, err := range j.Entries() {
		if err != nil {
			return err
		}
		if e.KeyID != key.ID() || e.Product != lic.Product || e.Serials.Last < serials.First || e.Serials.First > serials.Last {
			continue
		}
		version, expiry, err := entryTerms(e)
		if err != nil {
			return err
		}
		if err := f(e, version, expiry); err != nil {
			return err
		}
	}
	return nil
}

// lastDay returns the expiry of a licence, which is never where the layout has none.
func lastDay(key keys.Key, lic payload.License) payload.Day {
	if _, ok := key.Layout().Field("expiry"); !ok {
		return payload.Never
	}
	return lic.Expiry
}

// entryTerms returns the version and the expiry of a journal entry, as comparable
// values: a layout without a field is always at the same.
func entryTerms(e journal.Entry) (version uint64, expiry payload.Day, err error) {
	expiry = payload.Never
	if e.Version != "" {
		if version, err = strconv.ParseUint(e.Version, 10, 64); err != nil {
			return 0, 0, fmt.Errorf("journal, line %d: version %q is no number", e.Line, e.Version)
		}
	}
	if e.Expiry != "" && e.Expiry != payload.Never.String() {
		if expiry, err = payload.ParseDay(e.Expiry); err != nil {
			return 0, 0, fmt.Errorf("journal, line %d: %w", e.Line, err)
		}
	}
	return version, expiry, nil
}
