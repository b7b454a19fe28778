package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/cmd/internal/home"
	"github.com/licet-dev/licet/cmd/internal/journal"
	"github.com/licet-dev/licet/keys"
)

// kindFlags are the names of the flags that keyFlags adds.
var kindFlags = []string{"suite", "layout", "prefix", "bind"}

type rotateOptions struct {
	product, key number
	kind         keyFlags
	changed      []string // flags of kind that were given
	toNew, yes   bool
	where        string // flag that names the home, for commands to come
}

func newKeyRotate(a *app) *cobra.Command {
	var o rotateOptions
	cmd := &cobra.Command{
		Use:   "rotate --product N",
		Short: "Replace the key that mints a product, in two steps",
		Long: `Replace the key that mints a product, in the order in which no code is refused:

  1. licet key rotate --product N makes the new key, of the same kind and for the
     same products as the old one, which goes on minting.
  2. You ship a ring that has both keys to whatever judges the codes.
  3. licet key rotate --product N --switch, once it is everywhere, closes the old
     key, and so the new one mints. Codes of the old key stay good.

For a stolen key there is licet key withdraw besides. No command takes step 3 back.`,
		Example: `  licet key rotate --product 7
  licet key rotate --product 7 --switch
  licet key rotate --product 7 --key 8 --suite es256 --prefix WIDG`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, name := range kindFlags {
				if cmd.Flags().Changed(name) {
					o.changed = append(o.changed, name)
				}
			}
			if cmd.Flags().Changed("dir") {
				o.where = " --dir " + shellWord(a.dir)
			}
			return a.rotateKey(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.Var(&o.product, "product", "product number")
	f.Var(&o.key, "key", "number of the old key; needed when keys of several kinds mint the product")
	f.BoolVar(&o.toNew, "switch", false, "close the old key, so that the new one mints")
	yesFlag(cmd, &o.yes)
	o.kind.add(cmd)
	for _, name := range kindFlags {
		flag := f.Lookup(name)
		flag.DefValue = ""
		flag.Usage += " (default: as the old key)"
	}
	a.unlockFlags(cmd)
	return cmd
}

func (a *app) rotateKey(ctx context.Context, o rotateOptions) error {
	if !o.product.given {
		return usageError("--product is needed")
	}
	h, release, err := a.openLocked(ctx, a.dir)
	if err != nil {
		return err
	}
	defer release()
	old, err := a.mintKey(h, &mintOptions{product: o.product, key: o.key}, journal.Mint, journal.Range{})
	if err != nil {
		return err
	}
	if o.toNew {
		return a.switchKey(ctx, h, old, o)
	}
	return a.addSuccessor(h, old, o)
}

// addSuccessor makes the key that is to take over from the old one, and says what is
// left to do.
func (a *app) addSuccessor(h *home.Home, old keys.Key, o rotateOptions) error {
	product := o.product.value
	same := activeLike(h.Ring, product, old)
	if len(same) > 1 {
		return usageError("keys %s mint product %d and are of one kind: a rotation is under way; ship a ring that has them, then licet key rotate --product %d --switch",
			joinKeys(same), product, product)
	}
	n, err := nextNumber(h.Ring)
	if err != nil {
		return err
	}
	d, err := o.descriptor(old, n)
	if err != nil {
		return err
	}
	key, err := a.addKey(h, keys.Mint, d, old.Products())
	if err != nil {
		return err
	}
	mints, choose := "", ""
	if now := minters(h.Ring, product); len(now) != 1 || now[0].ID() != old.ID() {
		mints, choose = fmt.Sprintf(", with licet mint --key %d", old.Number()), fmt.Sprintf(" --key %d", old.Number())
	}
	fmt.Fprintf(a.err, "Key %d goes on minting product %s%s. What is left to do:\n", old.Number(), joinNumbers(old.Products()), mints)
	fmt.Fprintf(a.err, "  Ship a ring that has both keys to whatever judges the codes, and wait until it is everywhere:\n")
	fmt.Fprintf(a.err, "    %s\n", a.err.paint(roleCode, "licet key export"+o.where+exportFlags(old, key)))
	fmt.Fprintf(a.err, "  Then switch minting to key %d, which closes key %d:\n", key.Number(), old.Number())
	fmt.Fprintf(a.err, "    %s\n", a.err.paint(roleCode, fmt.Sprintf("licet key rotate%s --product %d%s --switch", o.where, product, choose)))
	return nil
}

// activeLike returns the active keys that mint the product and are alike to key k,
// which is one of them.
func activeLike(ring *keys.Ring, product uint64, k keys.Key) []keys.Key {
	return mintKeysOf(ring, product, func(o keys.Key) bool { return active(o) && alike(o, k) })
}

// descriptor returns the descriptor of the key that follows the old one.
func (o *rotateOptions) descriptor(old keys.Key, number int) (keys.Descriptor, error) {
	d := old.Descriptor()
	if len(o.changed) == 0 {
		d.Number = number
		return d, nil
	}
	f := keyFlags{suite: string(d.Suite), layout: d.Layout.String(), prefix: d.Prefix, bind: d.Bind}
	for _, name := range o.changed {
		switch name {
		case "suite":
			f.suite = o.kind.suite
		case "layout":
			f.layout = o.kind.layout
		case "prefix":
			f.prefix = o.kind.prefix
		case "bind":
			f.bind = o.kind.bind
		}
	}
	n, err := f.descriptor(number)
	if err == nil && n.Suite == d.Suite && n.Layout.String() == d.Layout.String() {
		n.SigBits = d.SigBits
	}
	return n, err
}

// exportFlags returns the flags that export a ring by which codes of the keys can be
// judged: those of hs256 keys only where the secret is.
func exportFlags(pair ...keys.Key) string {
	var secrets []string
	for _, k := range pair {
		if k.Suite() == keys.HS256 {
			secrets = append(secrets, strconv.Itoa(k.Number()))
		}
	}
	if secrets == nil {
		return " -o ring.json"
	}
	return " --with-secret " + strings.Join(secrets, ",") + " -o server-ring.json"
}

// switchKey closes the old key, if there is another for each of its products.
func (a *app) switchKey(ctx context.Context, h *home.Home, old keys.Key, o rotateOptions) error {
	if len(o.changed) > 0 {
		return usageError("--%s says what the new key is, which is made before the switch; leave it out", o.changed[0])
	}
	if first, _ := oldestAlike(activeLike(h.Ring, o.product.value, old)); first.ID() != old.ID() {
		return usageError("key %d, not key %d, mints product %d now; leave out --key, or close key %d with licet key close", first.Number(), old.Number(), o.product.value, old.Number())
	}
	for _, p := range old.Products() {
		able := mintKeysOf(h.Ring, p, active)
		if !slices.ContainsFunc(able, func(k keys.Key) bool { return k.ID() != old.ID() }) {
			return usageError("key %d is the only active key that mints product %d, so there is none to switch to; licet key rotate --product %d makes one", old.Number(), p, p)
		}
	}
	return a.worsenKey(ctx, h, old, keys.Closed, o.yes)
}
