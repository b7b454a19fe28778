package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/cmd/internal/home"
	"github.com/licet-dev/licet/cmd/internal/journal"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/verifier/revocation"
)

type revokeOptions struct {
	product, key number
	serials      serialRanges
	reason       string
	list         listFlags
}

func newRevoke(a *app) *cobra.Command {
	var o revokeOptions
	cmd := &cobra.Command{
		Use:   "revoke --product N --serials A-B,...",
		Short: "Revoke licences, with a signed list that programs judge by",
		Long: `Revoke licences by their serials. Every change issues the next revocation list: the
file revocations.txt of the licensing home, signed with the list key. Ship it to
whatever judges codes. A licence is revoked with all its codes, renewed ones too.

The key of the serials is the one that minted them, as the journal knows, or --key.
Serials that the journal does not know, such as those minted on other machines, are
revoked too, with a warning. Those that are revoked already keep their reason.

What is revoked becomes good again only with --restore, which shows the difference.

The list says when the next one is due: in 90 days, unless --due or --due-days says
otherwise. After that programs call it stale; licet revoke renew issues it anew. It
also states which keys are closed or withdrawn.`,
		Example: `  licet revoke --product 7 --serials 1000-1999,2042 --reason leaked
  licet revoke --product 7 --serials 2042 --key 8 --due-days 30
  licet revoke --product 7 --serials 2042 --restore`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.revoke(cmd.Context(), o) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.Var(&o.product, "product", "product number")
	f.Var(&o.serials, "serials", "serials to revoke, as `A-B` or A (repeatable)")
	f.Var(&o.key, "key", "number of the key that minted them (default: as the journal knows)")
	reasonFlag(cmd, &o.reason)
	o.list.add(a, cmd)
	o.list.addRestore(cmd, "make the serials good again")
	cmd.AddCommand(newRevokeCode(a), newRevokeMinVersion(a), newRevokeRenew(a), newRevokeShow(a), newRevokeVerify(a), newRevokeDiff(a))
	return cmd
}

func reasonFlag(cmd *cobra.Command, reason *string) {
	cmd.Flags().StringVar(reason, "reason", "", "reason code, a `WORD` such as leaked: small letters, digits, hyphens")
}

// checkReason refuses a reason code that no list can have, and one for what is
// restored.
func checkReason(reason string, restore bool) error {
	switch {
	case reason == "":
	case restore:
		return usageError("--reason is why licences are revoked, and --restore makes them good again; leave one out")
	default:
		// Any entry will do.
		if err := new(revocation.Draft).Revoke(revocation.Entry{KeyID: keys.ID{1}, Product: 1, First: 1, Last: 1, ReasonCode: reason}); err != nil {
			return usageError("--reason: %w", err)
		}
	}
	return nil
}

// A serialRanges flag holds ranges of serials, separated by commas or repeated.
type serialRanges []journal.Range

func (l *serialRanges) String() string { return "" }

func (l *serialRanges) Set(s string) error {
	for part := range strings.SplitSeq(s, ",") {
		var r serialRange
		if err := r.Set(part); err != nil {
			return err
		}
		*l = append(*l, journal.Range(r))
	}
	return nil
}

func (l *serialRanges) Type() string { return "A-B,..." }

// union returns the ranges in ascending order, those that overlap or touch joined.
func union(ranges []journal.Range) []journal.Range {
	var all []journal.Range
	for _, r := range slices.SortedFunc(slices.Values(ranges), func(a, b journal.Range) int { return cmp.Compare(a.First, b.First) }) {
		if n := len(all); n > 0 && r.First-1 <= all[n-1].Last {
			all[n-1].Last = max(all[n-1].Last, r.Last)
		} else {
			all = append(all, r)
		}
	}
	return all
}

// without returns the parts of ranges that are in none of others. All are in the form
// of union.
func without(ranges, others []journal.Range) []journal.Range {
	var all []journal.Range
	for _, r := range ranges {
		for len(others) > 0 && others[0].Last < r.First {
			others = others[1:]
		}
		for _, o := range others {
			if o.First > r.Last {
				break
			}
			if o.First > r.First {
				all = append(all, journal.Range{First: r.First, Last: o.First - 1})
			}
			r.First = o.Last + 1
		}
		if r.First <= r.Last {
			all = append(all, r)
		}
	}
	return all
}

// count returns how many serials there are.
func count(ranges []journal.Range) uint64 {
	n := uint64(0)
	for _, r := range ranges {
		n += r.Count()
	}
	return n
}

func (a *app) revoke(ctx context.Context, o revokeOptions) error {
	switch {
	case !o.product.given:
		return usageError("--product is needed")
	case len(o.serials) == 0:
		return usageError("--serials is needed: which licences?")
	}
	if err := checkReason(o.reason, o.list.restore); err != nil {
		return err
	}
	return a.reviseList(ctx, o.list, func(r *revision) error {
		serials := union(o.serials)
		key, err := a.revokedKey(r.home, o, serials)
		if err != nil {
			return err
		}
		var all []revocation.Entry
		for _, s := range serials {
			all = append(all, revocation.Entry{KeyID: key.ID(), Product: o.product.value, First: s.First, Last: s.Last, ReasonCode: o.reason})
		}
		return r.change(all)
	})
}

// revokedKey returns the key of the serials, and warns of those that the journal does
// not know.
func (a *app) revokedKey(h *home.Home, o revokeOptions, serials []journal.Range) (keys.Key, error) {
	product := o.product.value
	if _, ok := h.Ring.Product(product); !ok {
		return keys.Key{}, usageError("the ring has no product %d", product)
	}
	series, unread := a.mintedSeries(h) // a damaged journal is no reason to leave a licence good
	key, err := chooseKey(h, o, serials, series, unread)
	if err != nil {
		return key, err
	}
	// A ring has no key that may mint a product which its layout can't hold.
	if f, _ := key.Layout().Field("serial"); serials[len(serials)-1].Last > f.Max() {
		return key, usageError("--serials %s: the layout of key %d has serials up to %d", rangeText(serials[len(serials)-1]), key.Number(), f.Max())
	}
	if !o.list.restore {
		a.warnUnknown(key, product, serials, series, unread)
	}
	return key, nil
}

// chooseKey returns the key that was asked for, else the one that minted the serials.
func chooseKey(h *home.Home, o revokeOptions, serials []journal.Range, series []journal.Series, unread error) (keys.Key, error) {
	product := o.product.value
	if o.key.given {
		k, err := mintKey(h, o.key.value)
		if err == nil && !k.Allows(product) {
			err = usageError("--product %d: key %d mints product %s only", product, k.Number(), joinNumbers(k.Products()))
		}
		return k, err
	}
	able := mintKeysOf(h.Ring, product, func(keys.Key) bool { return true })
	minted := slices.DeleteFunc(slices.Clone(able), func(k keys.Key) bool {
		return count(without(serials, mintedRanges(series, k.ID(), product))) == count(serials)
	})
	switch {
	case len(minted) == 1:
		return minted[0], nil
	case len(minted) > 1:
		return keys.Key{}, usageError("each of keys %s minted some of these serials of product %d; choose one with --key", joinKeys(minted), product)
	case len(able) == 1:
		return able[0], nil
	case len(able) == 0:
		return keys.Key{}, usageError("no key of the ring may mint product %d", product)
	case unread != nil:
		return keys.Key{}, usageError("keys %s may have minted these serials of product %d; choose one with --key (the journal can't tell: %w)", joinKeys(able), product, unread)
	}
	return keys.Key{}, usageError("keys %s may mint product %d, and the journal knows none of these serials; choose one with --key", joinKeys(able), product)
}

// mintedRanges returns the serials of a key and product that the journal knows.
func mintedRanges(series []journal.Series, id keys.ID, product uint64) []journal.Range {
	for _, s := range series {
		if s.KeyID == id && s.Product == product {
			return s.Ranges
		}
	}
	return nil
}

// warnUnknown tells of serials that the journal does not know.
func (a *app) warnUnknown(k keys.Key, product uint64, serials []journal.Range, series []journal.Series, unread error) {
	warning := a.err.paint(roleBad, "warning:")
	if unread != nil {
		fmt.Fprintf(a.err, "%s whether these serials were minted is not known: %v\n", warning, unread)
		return
	}
	unknown := without(serials, mintedRanges(series, k.ID(), product))
	if len(unknown) == 0 {
		return
	}
	text := unknown[0].String()
	if more := len(unknown) - 1; more > 0 {
		text += " and " + plural(more, "more range")
	}
	fmt.Fprintf(a.err, "%s the journal of this home knows nothing of %s of key %d and product %d. If they were not minted elsewhere, this is a mistake.\n",
		warning, text, k.Number(), product)
}

func newRevokeRenew(a *app) *cobra.Command {
	f := listFlags{always: true}
	cmd := &cobra.Command{
		Use:   "renew",
		Short: "Issue the list anew before it is due, with the states of all keys",
		Long: `Issue the revocation list anew: with the next sequence number, the time of now, a new
due time, and the states that keys have in the ring since licet key close or
withdraw. What is revoked stays the same. Where there is no list yet, it is one that
revokes nothing.

A list that was signed with a list key which is withdrawn now is signed anew with
another.

A state of a key that the list has and the ring no longer has stays in the list,
unless --restore says that the ring is right.`,
		Example: "  licet revoke renew\n  licet revoke renew --due 2027-07-01",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.reviseList(cmd.Context(), f, func(r *revision) error {
				if f.restore {
					for _, k := range r.home.Ring.Keys() {
						delete(r.draft.KeyStates, k.ID())
					}
				}
				return nil
			})
		},
	}
	f.add(a, cmd)
	f.addRestore(cmd, "take back states of keys that the ring does not have")
	return cmd
}

func newRevokeMinVersion(a *app) *cobra.Command {
	var product number
	var f listFlags
	cmd := &cobra.Command{
		Use:   "min-version VERSION --product N",
		Short: "Refuse all licences of a product below a version",
		Long: `State the lowest version of a product whose licences are still good, and issue the
next revocation list with it. Licences of keys whose codes have no version count as
version 0.

A lower minimum than before makes licences good again and needs --restore; with it, 0
means that there is no minimum any more.`,
		Example: "  licet revoke min-version 3 --product 7\n  licet revoke min-version 2 --product 7 --restore",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var version number
			if err := version.Set(args[0]); err != nil {
				return usageError("version %q: want a whole number, such as 3", printable(args[0]))
			}
			if !product.given {
				return usageError("--product is needed")
			}
			return a.reviseList(cmd.Context(), f, func(r *revision) error { return r.setMinimum(product.value, version.value) })
		},
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().Var(&product, "product", "product number")
	f.add(a, cmd)
	f.addRestore(cmd, "lower the minimum")
	return cmd
}

// setMinimum puts the lowest version of a product into the list. It refuses one that
// no code can have, and tells which keys have codes that can't.
func (r *revision) setMinimum(product, version uint64) error {
	if _, ok := r.home.Ring.Product(product); !ok {
		return usageError("the ring has no product %d", product)
	}
	if version == 0 {
		if r.old.Minimum(product) == 0 {
			return usageError("version 0: every version is at least that, and product %d has no minimum", product)
		}
		delete(r.draft.Minimums, product)
		return nil
	}
	able := false
	var lines []string
	for _, k := range mintKeysOf(r.home.Ring, product, func(k keys.Key) bool { return k.State() != keys.Withdrawn }) {
		f, has := k.Layout().Field("version") // without one all codes count as version 0
		switch {
		case f.Max() >= version && has:
			able = true
		case has:
			lines = append(lines, fmt.Sprintf("codes of key %d have versions up to %d", k.Number(), f.Max()))
		default:
			lines = append(lines, fmt.Sprintf("codes of key %d have no version", k.Number()))
		}
	}
	if !able {
		return usageError("version %d: no key has codes of product %d with it; %s", version, product, cmp.Or(strings.Join(lines, ", "), "none mints that product"))
	}
	for _, line := range lines {
		fmt.Fprintf(r.err, "%s %s, so all of product %d are refused from now on.\n", r.err.paint(roleBad, "warning:"), line, product)
	}
	r.draft.Minimums[product] = version
	return nil
}
