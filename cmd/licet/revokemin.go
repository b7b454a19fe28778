package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/keys"
)

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
		fmt.Fprintf(r.err, "%s %s, so this minimum refuses all of product %d.\n", r.err.paint(roleBad, "warning:"), line, product)
	}
	r.draft.Minimums[product] = version
	return nil
}
