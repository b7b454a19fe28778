package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/cmd/internal/home"
	"github.com/licet-dev/licet/keys"
)

type initOptions struct {
	dir      string
	issuer   string
	products []string
	key      keyFlags
	encrypt  encryptFlags
}

func newInit(a *app) *cobra.Command {
	var o initOptions
	cmd := &cobra.Command{
		Use:   "init DIR --issuer NAME --product 7=Widget",
		Short: "Make a licensing home: a ring and its encrypted private keys",
		Long: `Make a licensing home in DIR: ring.json, a mint key for the given products, a
list key, which signs revocation lists and the manifests of batches, and a receipt
key, which signs activation receipts.

Private keys are encrypted with a passphrase, which is asked for on the terminal,
or to age recipients or SSH public keys. Nothing that exists is overwritten.`,
		Example: `  licet init acme --issuer "Acme Tools" --product 7=Widget --prefix ACME
  licet init acme --issuer "Acme Tools" --product 7=Widget --product 9=Gadget \
      --suite es256 --recipient age1...`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			o.dir = args[0]
			_, err := a.initHome(o)
			return err
		},
	}
	cmd.Flags().StringVar(&o.issuer, "issuer", "", "`NAME` of the issuer")
	cmd.Flags().StringArrayVar(&o.products, "product", nil, "product, as `NUMBER=NAME` (repeatable)")
	o.key.add(cmd)
	o.encrypt.add(cmd, "passphrase-file")
	return cmd
}

// initHome makes a licensing home.
func (a *app) initHome(o initOptions) (*home.Home, error) {
	if o.dir == "" {
		return nil, usageError("DIR is empty; . is the current folder")
	}
	if o.issuer == "" || len(o.products) == 0 {
		return nil, usageError("--issuer and at least one --product are needed")
	}
	var products []keys.Product
	var allowed []uint64
	for _, s := range o.products {
		p, err := parseProduct(s)
		if err != nil {
			return nil, err
		}
		products = append(products, p)
		allowed = append(allowed, p.Number)
	}
	d, err := o.key.descriptor(8)
	if err != nil {
		return nil, err
	}
	var private []keys.PrivateKey
	var public []keys.Key
	for _, r := range []keys.Role{keys.Mint, keys.List, keys.Receipt} {
		k, key, err := generate(r, d, allowed)
		if err != nil {
			return nil, usageError("%w", err)
		}
		private, public = append(private, k), append(public, key)
	}
	ring, err := keys.NewRing(o.issuer, products, public)
	if err != nil {
		return nil, usageError("%w", err)
	}
	if err := home.CheckFree(o.dir); err != nil {
		return nil, err
	}
	// Asked last, so that nobody types a passphrase in vain.
	e, err := o.encrypt.encryption()
	if err != nil {
		return nil, err
	}
	h, err := home.Create(o.dir, ring, private, e)
	if err != nil {
		return nil, err
	}
	return h, a.reportInit(h, e)
}

// generate makes a key of any role, and what the ring tells of it.
func generate(r keys.Role, d keys.Descriptor, products []uint64) (keys.PrivateKey, keys.Key, error) {
	var k keys.PrivateKey
	var err error
	if r == keys.Mint {
		k, err = keys.GenerateMint(d)
	} else {
		k, err = keys.GenerateRole(r)
	}
	if err != nil {
		return k, keys.Key{}, err
	}
	key, err := keys.NewKey(k, d, products...)
	return k, key, err
}

func (a *app) reportInit(h *home.Home, e home.Encryption) error {
	fmt.Fprintf(a.out, "%s\n", a.out.paint(roleHeading, "Licensing home of "+h.Ring.Issuer()+" in "+h.Dir))
	rows := [][]string{{h.RingPath(), "public", "which keys and products there are"}}
	for _, k := range h.Ring.Keys() {
		rows = append(rows, []string{h.KeyPath(k.Role(), k.Number(), k.ID()), "private", describeKey(k)})
	}
	if err := a.out.table([]string{"file", "kind", "what it is"}, rows); err != nil {
		return err
	}
	kept, unlock := "with your passphrase", ""
	if e.Passphrase == "" {
		unlock = " --identity FILE"
		kept = "to " + plural(len(e.Recipients), "recipient")
	}
	fmt.Fprintf(a.err, "\nThe private keys are encrypted %s. Back up the folder: a lost mint key can't be made again.\n", kept)
	mint := h.Ring.MintKeys()[0]
	fmt.Fprintf(a.err, "Next, mint a code:\n  %s\n", a.err.paint(roleCode, "licet mint --dir "+shellWord(h.Dir)+unlock+mintExample(mint)))
	if mint.Suite() == keys.HS256 {
		fmt.Fprintf(a.err, "Codes of key %d can be judged only where its secret is, and whoever has the secret can mint.\n", mint.Number())
	}
	return nil
}

// shellWord quotes a word where a shell would take it apart.
func shellWord(s string) string {
	if strings.ContainsAny(s, " \t\n'\"\\$`&|;<>()*?[]#~!{}") {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}

// mintExample returns the flags that mint a first code with a key.
func mintExample(k keys.Key) string {
	s := fmt.Sprintf(" --product %d", k.Products()[0])
	if _, ok := k.Layout().Field("version"); ok {
		s += " --version 1"
	}
	if _, ok := k.Layout().Field("expiry"); ok {
		s += " --days 365"
	}
	if _, ok := k.Layout().Field("seats"); ok {
		s += " --seats 1"
	}
	if k.Descriptor().Bind != keys.BindNone {
		s += " --bind TEXT"
	}
	return s
}

// describeKey says in a few words what a key is.
func describeKey(k keys.Key) string {
	switch k.Role() {
	case keys.List:
		return "signs revocation lists and batch manifests"
	case keys.Receipt:
		return "signs activation receipts"
	}
	d := k.Descriptor()
	return fmt.Sprintf("mints product %s with key %d, %s, %d symbols a code", joinNumbers(k.Products()), d.Number, d.Suite, d.Symbols())
}

func joinNumbers(numbers []uint64) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ","), "[]")
}
