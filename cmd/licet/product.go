package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/cmd/internal/home"
	"github.com/licet-dev/licet/keys"
)

func newProduct(a *app) *cobra.Command {
	return group("product", "Manage the products of a licensing home", newProductAdd(a))
}

func newProductAdd(a *app) *cobra.Command {
	var key number
	cmd := &cobra.Command{
		Use:   "add NUMBER=NAME",
		Short: "Add a product to the ring",
		Long: `Add a product to the ring. A product line is best given a key of its own (licet
key new), so that one stolen key is one product line. With --key, an existing key
may mint the product too.`,
		Example: `  licet product add 9=Gadget
  licet product add 9=Gadget --key 8`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.addProduct(cmd.Context(), args[0], key)
		},
	}
	cmd.Flags().Var(&key, "key", "number of an existing mint key that may mint the product")
	return cmd
}

func (a *app) addProduct(ctx context.Context, s string, keyNumber number) error {
	h, release, err := a.openLocked(ctx, a.dir)
	if err != nil {
		return err
	}
	defer release()
	p, err := parseProduct(s)
	if err != nil {
		return err
	}
	ring, err := keys.NewRing(h.Ring.Issuer(), append(h.Ring.Products(), p), h.Ring.Keys())
	if err != nil {
		return usageError("%w", err)
	}
	next := fmt.Sprintf("Next, make a key for it: licet key new --product %d", p.Number)
	if keyNumber.given {
		k, err := mintKey(h, keyNumber.value)
		if err != nil {
			return err
		}
		if k, err = k.WithProducts(append(k.Products(), p.Number)...); err != nil {
			return usageError("%w", err)
		}
		if ring, err = ring.Replace(k); err != nil {
			return err
		}
		next = fmt.Sprintf("Key %d may mint it. Ship the new ring before its first code.", k.Number())
	}
	if err := h.SaveRing(ring); err != nil {
		return err
	}
	fmt.Fprintf(a.err, "Added product %d, %s. %s\n", p.Number, p.Name, next)
	return nil
}

// mintKey returns a mint key of the home by number.
func mintKey(h *home.Home, n uint64) (keys.Key, error) {
	k, ok := h.Ring.MintKey(int(min(n, 1<<20)))
	if !ok {
		return k, usageError("the ring has no mint key %d; licet key list shows those it has", n)
	}
	return k, nil
}
