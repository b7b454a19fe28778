package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/cmd/internal/home"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/keyfile"
)

func newKey(a *app) *cobra.Command {
	return group("key", "Manage the keys of a licensing home",
		newKeyList(a), newKeyNew(a), newKeyRotate(a), newKeyClose(a), newKeyWithdraw(a), newKeyExport(a), newKeyRewrap(a))
}

func newKeyList(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the keys of the ring",
		Example: "  licet key list\n  licet key list --json",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return a.listKeys(asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object for each key, one a line")
	return cmd
}

// keyJSON is what key list --json prints of a key.
type keyJSON struct {
	Role       keys.Role  `json:"role"`
	Number     int        `json:"number,omitempty"`
	ID         string     `json:"id"`
	Suite      keys.Suite `json:"suite"`
	State      keys.State `json:"state"`
	Descriptor string     `json:"descriptor,omitempty"`
	Products   []uint64   `json:"products,omitempty"`
	Symbols    int        `json:"symbols,omitempty"`
}

func (a *app) listKeys(asJSON bool) error {
	h, err := home.Open(a.dir)
	if err != nil {
		return err
	}
	var rows [][]string
	for _, k := range h.Ring.Keys() {
		j := keyJSON{Role: k.Role(), Number: k.Number(), ID: k.ID().String(), Suite: k.Suite(), State: k.State(), Products: k.Products()}
		row := []string{string(k.Role()), "-", j.ID, string(k.Suite()), "-", "-", "-", "-", "-", string(k.State())}
		if k.Role() == keys.Mint {
			d := k.Descriptor()
			j.Descriptor, j.Symbols = d.String(), d.Symbols()
			layout := d.Layout.Name()
			if layout == "" {
				layout = d.Layout.String()
			}
			prefix := d.Prefix
			if prefix == "" {
				prefix = "-"
			}
			row[1], row[4], row[5], row[6], row[7], row[8] = strconv.Itoa(d.Number), layout, prefix, d.Bind, strconv.Itoa(d.Symbols()), joinNumbers(k.Products())
		}
		rows = append(rows, row)
		if asJSON {
			if err := json.NewEncoder(a.out).Encode(j); err != nil {
				return err
			}
		}
	}
	if asJSON {
		return nil
	}
	return a.out.table([]string{"role", "key", "id", "suite", "layout", "prefix", "bind", "symbols", "products", "state"}, rows)
}

func newKeyNew(a *app) *cobra.Command {
	var products numbers
	var role string
	var f keyFlags
	cmd := &cobra.Command{
		Use:   "new --product N",
		Short: "Make another key",
		Long: `Make another mint key, with the next free number, or with --role another key that
signs revocation lists and batch manifests, or activation receipts. It is encrypted
like the other keys of the home. Products in the field don't know the key until you
ship them a ring that has it: licet key export.

Of keys that differ in nothing but the number, or that are of the same role, the
older one is used until it is closed.`,
		Example: `  licet key new --product 9 --prefix GADG
  licet key new --product 7,9 --suite es256
  licet key new --role list`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch keys.Role(role) {
			case keys.Mint:
				return a.newMintKey(cmd.Context(), products, f)
			case keys.List, keys.Receipt:
			default:
				return usageError("--role %q: want mint, list or receipt", role)
			}
			for _, name := range append([]string{"product"}, kindFlags...) {
				if cmd.Flags().Changed(name) {
					return usageError("--%s is about codes, and a %s key mints none; leave it out", name, role)
				}
			}
			return a.newRoleKey(cmd.Context(), keys.Role(role))
		},
	}
	cmd.Flags().Var(&products, "product", "products that the key may mint (repeatable)")
	f.add(cmd)
	cmd.Flags().StringVar(&role, "role", string(keys.Mint), "what the key signs: `mint`, list or receipt")
	complete(cmd, "role", string(keys.Mint), string(keys.List), string(keys.Receipt))
	a.unlockFlags(cmd)
	return cmd
}

func (a *app) newMintKey(ctx context.Context, products []uint64, f keyFlags) error {
	if len(products) == 0 {
		return usageError("--product is needed: which products may the key mint?")
	}
	h, release, err := a.openLocked(ctx, a.dir)
	if err != nil {
		return err
	}
	defer release()
	n, err := nextNumber(h.Ring)
	if err != nil {
		return err
	}
	d, err := f.descriptor(n)
	if err != nil {
		return err
	}
	if _, err := a.addKey(h, keys.Mint, d, products); err != nil {
		return err
	}
	fmt.Fprintf(a.err, "Ship a ring that has the key before its first code: licet key export -o ring.json\n")
	return nil
}

// newRoleKey makes a key that mints no codes.
func (a *app) newRoleKey(ctx context.Context, r keys.Role) error {
	h, release, err := a.openLocked(ctx, a.dir)
	if err != nil {
		return err
	}
	defer release()
	if _, err := a.addKey(h, r, keys.Descriptor{}, nil); err != nil {
		return err
	}
	fmt.Fprintf(a.err, "Ship a ring that has the key before what it signs: licet key export -o ring.json\n")
	return nil
}

// nextNumber returns the number of the next mint key.
func nextNumber(ring *keys.Ring) (int, error) {
	n, ok := ring.NextNumber()
	if !ok {
		return 0, errors.New("all 31 key numbers are used; make a new licensing home with other prefixes (licet init DIR --prefix TEXT), and ship its ring beside this one")
	}
	return n, nil
}

// addKey makes a key, writes its private half into the home, and puts it into the
// ring.
func (a *app) addKey(h *home.Home, r keys.Role, d keys.Descriptor, products []uint64) (keys.Key, error) {
	k, key, err := generate(r, d, products)
	if err != nil {
		return key, usageError("%w", err)
	}
	ring, err := h.Ring.Replace(key)
	if err != nil {
		return key, usageError("%w", err)
	}
	e, err := sameEncryption(h, &a.unlock)
	if err != nil {
		return key, err
	}
	if err := h.WritePrivate(k, e); err != nil {
		return key, err
	}
	if err := h.SaveRing(ring); err != nil {
		return key, err
	}
	_, err = fmt.Fprintf(a.out, "%s: %s\n", h.KeyPath(r, key.Number(), key.ID()), describeKey(key))
	return key, err
}

// sameEncryption returns how the keys of the home are encrypted, which an existing
// key file tells. A passphrase must open it, so that one passphrase opens all.
func sameEncryption(h *home.Home, u *home.Unlocker) (home.Encryption, error) {
	var key keys.Key
	var path string
	var passphrase bool
	err := fs.ErrNotExist
	for _, key = range h.Ring.Keys() { // the first whose file is here: some may be kept elsewhere
		path = h.KeyPath(key.Role(), key.Number(), key.ID())
		if passphrase, err = keyfile.NeedsPassphrase(path); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if err != nil {
		return home.Encryption{}, err
	}
	if !passphrase {
		recipients, err := h.Recipients()
		if err == nil && len(recipients) == 0 {
			err = fmt.Errorf("%s is encrypted to recipients, but the home does not list them: encrypt the keys anew with licet key rewrap", path)
		}
		return home.Encryption{Recipients: recipients}, err
	}
	if _, err := h.Private(key, u); err != nil {
		return home.Encryption{}, err
	}
	pass, err := u.Passphrase("Passphrase")
	return home.Encryption{Passphrase: pass}, err
}

type exportOptions struct {
	output  string
	secrets numbers
}

func newKeyExport(a *app) *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write the ring that a product embeds",
		Long: `Write the ring that a product embeds. It has the public keys, and tells of hs256
keys without their secrets.

With --with-secret N it also has the secret of hs256 key N, without which codes
of that key can't be judged. Whoever gets hold of that file, or of a program with
it inside, can mint codes of key N without limit. Use it on servers of your own
only; for what customers hold, make an es256 key.`,
		Example: `  licet key export -o ring.json
  licet key export --with-secret 8 -o server-ring.json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.exportRing(o) },
	}
	cmd.Flags().StringVarP(&o.output, "output", "o", "-", "write to `FILE`; - is standard output")
	cmd.Flags().Var(&o.secrets, "with-secret", "include the secret of these hs256 keys (repeatable)")
	a.unlockFlags(cmd)
	return cmd
}

func (a *app) exportRing(o exportOptions) error {
	h, err := home.Open(a.dir)
	if err != nil {
		return err
	}
	ring := h.Ring
	if len(o.secrets) > 0 {
		if err := a.checkSecretFile(h, o.output); err != nil {
			return err
		}
	}
	for _, n := range o.secrets {
		if ring, err = a.withSecret(h, ring, n); err != nil {
			return err
		}
		fmt.Fprintf(a.err, "%s %s will have the secret of key %d: whoever reads that file, or a program with it inside, can mint codes of key %d without limit, and only withdrawing the key stops them.\n",
			a.err.paint(roleBad, "warning:"), o.output, n, n)
	}
	if o.output == "-" {
		text, err := ring.Marshal()
		if err != nil {
			return err
		}
		_, err = a.out.Write(text)
		return err
	}
	if err := home.WriteRing(o.output, ring); err != nil {
		return err
	}
	fmt.Fprintf(a.err, "Wrote %s: %s, %s.\n", o.output, plural(len(ring.Keys()), "key"), plural(len(ring.Products()), "product"))
	return nil
}

// checkSecretFile refuses to write secrets where others read: to standard output,
// to a device or a pipe, and over the ring of the home, which is public.
func (a *app) checkSecretFile(h *home.Home, path string) error {
	if path == "-" {
		return usageError("a secret is never printed: name a file with -o")
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil // not there yet, or the error comes back when writing
	}
	out, _ := a.out.Stat()
	if !info.Mode().IsRegular() || os.SameFile(info, out) {
		return usageError("a secret is never printed: %s is no file of its own; name one with -o", path)
	}
	if ring, err := os.Stat(h.RingPath()); err == nil && os.SameFile(info, ring) {
		return usageError("%s is the ring of the licensing home, which has no secrets: name another file with -o", path)
	}
	return nil
}

// withSecret returns the ring with the secret of hs256 key n in it.
func (a *app) withSecret(h *home.Home, ring *keys.Ring, n uint64) (*keys.Ring, error) {
	k, err := mintKey(h, n)
	if err != nil {
		return nil, err
	}
	if k.Suite() != keys.HS256 {
		return nil, usageError("key %d is of suite %s: its ring needs no secret", n, k.Suite())
	}
	private, err := h.Private(k, &a.unlock)
	if err != nil {
		return nil, err
	}
	if k, err = k.Attach(private); err != nil {
		return nil, err
	}
	return ring.Replace(k)
}

func newKeyRewrap(a *app) *cobra.Command {
	var f encryptFlags
	cmd := &cobra.Command{
		Use:   "rewrap",
		Short: "Encrypt the private keys to other recipients or with another passphrase",
		Long: `Encrypt the private keys of the home anew: to the given recipients, or with a new
passphrase, which is asked for when none is given. Unlock them as they are now
with --identity or --passphrase-file.

Copies of the old files, in backups for example, still open as before.`,
		Example: `  licet key rewrap --identity me.txt --recipient age1... --recipient "ssh-ed25519 AAAA..."
  licet key rewrap --passphrase-file old.txt --new-passphrase-file new.txt`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.rewrap(cmd.Context(), f) },
	}
	f.add(cmd, "new-passphrase-file")
	a.unlockFlags(cmd)
	return cmd
}

func (a *app) rewrap(ctx context.Context, f encryptFlags) error {
	h, release, err := a.openLocked(ctx, a.dir)
	if err != nil {
		return err
	}
	defer release()
	e, err := f.encryption()
	if err != nil {
		return err
	}
	if err := h.Rewrap(&a.unlock, e); err != nil {
		return err
	}
	fmt.Fprintf(a.err, "Encrypted the private keys in %s anew.\n", h.Dir)
	return nil
}
