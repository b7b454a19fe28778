package main

import (
	"context"
	"fmt"
	"slices"

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
