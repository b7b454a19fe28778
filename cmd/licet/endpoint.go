package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/cmd/internal/home"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/verifier/revocation"
)

func newEndpoint(a *app) *cobra.Command {
	return group("endpoint", "Make the home of an activation endpoint", newEndpointInit(a), newEndpointUpdate(a))
}

type endpointOptions struct {
	dir, from string
	keys      numbers
	encrypt   encryptFlags
	own       home.Unlocker // of the keys that the endpoint's home has
}

const endpointPassphrase = "endpoint-passphrase-file"

func (o *endpointOptions) add(a *app, cmd *cobra.Command) {
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVar(&o.from, "from", "", "take ring and keys from the licensing home in `FOLDER` (default: LICET_DIR, else the current folder)")
	cmd.Flags().Var(&o.keys, "key", "the hs256 mint keys whose codes are activated (repeatable; default: all that are not withdrawn)")
	a.unlockFlags(cmd)
}

func newEndpointInit(a *app) *cobra.Command {
	var o endpointOptions
	cmd := &cobra.Command{
		Use:   "init DIR --from FOLDER",
		Short: "Make an endpoint's home from a licensing home",
		Long: `Make the home of an activation endpoint in DIR, for licetd --dir DIR. It gets from
the licensing home: the ring, the active receipt key, which signs receipts, the
secrets of the hs256 mint keys, without which their codes can't be judged, and the
revocation list if there is one. It gets no list key and no es256 mint key.

Its private keys are encrypted with a passphrase of their own, which is asked for, or
to the given recipients. --identity and --passphrase-file unlock the licensing home.
Nothing that exists is overwritten.

Whoever gets hold of the keys of an endpoint can mint codes of its hs256 keys, and
sign receipts for any licence. Where the products' own keys are es256, and no hs256
code is activated, only the latter.`,
		Example: `  licet endpoint init endpoint --from acme --recipient age1...
  licetd --dir endpoint --identity endpoint.txt
  licet endpoint init endpoint --from acme --key 8 --endpoint-passphrase-file pass.txt`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			o.dir = args[0]
			return a.initEndpoint(o)
		},
	}
	o.add(a, cmd)
	o.encrypt.add(cmd, endpointPassphrase)
	return cmd
}

func newEndpointUpdate(a *app) *cobra.Command {
	var o endpointOptions
	cmd := &cobra.Command{
		Use:   "update DIR --from FOLDER",
		Short: "Bring an endpoint's home up to date: ring, keys, revocation list",
		Long: `Bring the endpoint's home in DIR to what its licensing home has now, and say what has
changed: the ring, new keys, the revocation list if it is newer. Keys that an endpoint
has no more use for are removed: withdrawn ones, receipt keys that are closed, and
those that --key no longer names.

New keys are encrypted like those that are there; where that is a passphrase it is
asked for, or read from --endpoint-passphrase-file. --identity and --passphrase-file
unlock the licensing home.

If the endpoint has the secrets of some hs256 keys only, --key must say which ones it
is to have. Start licetd again afterwards: it reads its keys when it starts.`,
		Example: `  licet endpoint update endpoint --from acme
  licet endpoint update endpoint --from acme --key 8,10`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.dir = args[0]
			return a.updateEndpoint(cmd.Context(), o)
		},
	}
	o.add(a, cmd)
	o.own.Ask = home.AskTerminal
	cmd.Flags().StringVar(&o.own.PassphraseFile, endpointPassphrase, "", "the passphrase of the endpoint's keys in `FILE` instead of asking for it")
	return cmd
}

// open opens the licensing home, and reads its revocation list and that list's text.
func (o *endpointOptions) open(a *app) (h *home.Home, text []byte, list *revocation.List, err error) {
	if o.dir == "" {
		return nil, nil, nil, usageError("DIR is empty; . is the current folder")
	}
	if o.from == "" {
		o.from = a.dir
	}
	if h, err = home.Open(o.from); err != nil {
		if errors.Is(err, home.ErrNone) {
			err = fmt.Errorf("%w in %s: name the licensing home with --from", home.ErrNone, o.from)
		}
		return nil, nil, nil, err
	}
	text, list, err = h.ReadList()
	return h, text, list, err
}

// endpointKeys returns the keys whose private halves an endpoint needs: the first
// active receipt key that is in the home, and the hs256 mint keys that were asked for,
// else all that are not withdrawn.
func endpointKeys(h *home.Home, list *revocation.List, numbers numbers) ([]keys.Key, error) {
	var chosen []keys.Key
	for _, n := range numbers {
		k, err := mintKey(h, n)
		switch {
		case err != nil:
			return nil, err
		case k.Suite() != keys.HS256:
			return nil, usageError("--key %d: its suite is %s, so an endpoint judges its codes by the ring and needs no private key; leave it out", n, k.Suite())
		case withdrawn(k, list):
			return nil, usageError("--key %d: it is withdrawn, so an endpoint refuses its codes; leave it out", n)
		}
		chosen = append(chosen, k)
	}
	for _, k := range h.Ring.MintKeys() {
		if len(numbers) == 0 && k.Suite() == keys.HS256 && !withdrawn(k, list) {
			chosen = append(chosen, k)
		}
	}
	for _, k := range chosen {
		switch has, err := h.Has(k); {
		case err != nil:
			return nil, err
		case !has:
			return nil, fmt.Errorf("%s is missing, without which codes of key %d can't be judged: put it back, or name the other keys with --key", h.KeyPath(k.Role(), k.Number(), k.ID()), k.Number())
		}
	}
	k, active, err := h.ReceiptKey(list)
	switch {
	case err != nil:
		return nil, err
	case k.Role() == keys.Receipt:
		return append(chosen, k), nil
	case active > 0:
		return nil, fmt.Errorf("no private key of an active receipt key is in %s, and an endpoint signs receipts with it: put it back, or make another one: licet key new --role receipt --dir %s", h.Dir, shellWord(h.Dir))
	}
	return nil, fmt.Errorf("%s has no active receipt key, and an endpoint signs receipts with it; make one: licet key new --role receipt --dir %s", h.Dir, shellWord(h.Dir))
}

// withdrawn reports whether the ring or the list calls a key withdrawn.
func withdrawn(k keys.Key, list *revocation.List) bool {
	return k.State() == keys.Withdrawn || list.KeyState(k.ID()) == keys.Withdrawn
}

// privateKeys unlocks keys of a home.
func (a *app) privateKeys(h *home.Home, all []keys.Key) ([]keys.PrivateKey, error) {
	var private []keys.PrivateKey
	for _, k := range all {
		p, err := h.Private(k, &a.unlock)
		if err != nil {
			return nil, err
		}
		private = append(private, p)
	}
	return private, nil
}

func (a *app) initEndpoint(o endpointOptions) error {
	from, text, list, err := o.open(a)
	if err != nil {
		return err
	}
	if err := home.CheckFreeEndpoint(o.dir); err != nil {
		return err
	}
	chosen, err := endpointKeys(from, list, o.keys)
	if err != nil {
		return err
	}
	private, err := a.privateKeys(from, chosen)
	if err != nil {
		return err
	}
	e, err := o.encrypt.encryption()
	if err != nil {
		return err
	}
	h, err := home.CreateEndpoint(o.dir, from.Ring, private, text, e)
	if err != nil {
		return err
	}
	return a.reportEndpoint(h, chosen, list, e)
}

func (a *app) reportEndpoint(h *home.Home, chosen []keys.Key, list *revocation.List, e home.Encryption) error {
	fmt.Fprintf(a.out, "%s\n", a.out.paint(roleHeading, "Activation endpoint of "+h.Ring.Issuer()+" in "+h.Dir))
	rows := [][]string{{h.RingPath(), "public", "which keys and products there are"}}
	if list != nil {
		rows = append(rows, []string{h.RevocationsPath(), "public", fmt.Sprintf("revocation list %d", list.Sequence())})
	}
	secrets := ""
	for _, k := range chosen {
		rows = append(rows, []string{h.KeyPath(k.Role(), k.Number(), k.ID()), "private", describeEndpointKey(k)})
		if k.Role() == keys.Mint {
			secrets = "mint codes of its hs256 keys, and "
		}
	}
	if err := a.out.table([]string{"file", "kind", "what it is"}, rows); err != nil {
		return err
	}
	kept, unlock := "with its passphrase", ""
	if e.Passphrase == "" {
		kept, unlock = "to "+plural(len(e.Recipients), "recipient"), " --identity FILE"
	}
	fmt.Fprintf(a.err, "\nThe private keys are encrypted %s. Whoever opens them can %ssign receipts for any licence.\n", kept, secrets)
	fmt.Fprintf(a.err, "Next, serve:\n  %s\n", a.err.paint(roleCode, "licetd --dir "+shellWord(h.Dir)+unlock))
	return nil
}

// describeEndpointKey says in a few words what an endpoint does with a key.
func describeEndpointKey(k keys.Key) string {
	if k.Role() == keys.Receipt {
		return describeKey(k)
	}
	return fmt.Sprintf("judges codes of product %s with key %d, %s", joinNumbers(k.Products()), k.Number(), k.Suite())
}

func (a *app) updateEndpoint(ctx context.Context, o endpointOptions) error {
	from, text, list, err := o.open(a)
	if err != nil {
		return err
	}
	h, release, err := a.openLocked(ctx, o.dir)
	if err != nil {
		if errors.Is(err, home.ErrNone) {
			err = fmt.Errorf("%w in %s: make the endpoint's with licet endpoint init", home.ErrNone, o.dir)
		}
		return err
	}
	defer release()
	if err := sameIssuer(h, from); err != nil {
		return err
	}
	// By the newer ring, which knows what an update that was interrupted has left. In a
	// licensing home, from's own above all, something would be removed below.
	if err := home.CheckEndpoint(h.Dir, from.Ring); err != nil {
		return err
	}
	if err := checkChoice(h, list, o.keys); err != nil {
		return err
	}
	chosen, err := endpointKeys(from, list, o.keys)
	if err != nil {
		return err
	}
	u, err := planUpdate(h, from, chosen)
	if err != nil {
		return err
	}
	if text, err = u.takeList(h, from, text, list); err != nil {
		return err
	}
	if len(u.lines) == 0 {
		fmt.Fprintf(a.err, "Nothing to do: %s has what %s has.\n", h.Dir, from.Dir)
		return nil
	}
	private, err := a.privateKeys(from, u.add)
	if err != nil {
		return err
	}
	var e home.Encryption
	if len(private) > 0 {
		if e, err = o.encryption(a, h); err != nil {
			return err
		}
	}
	if err := h.UpdateEndpoint(from.Ring, private, u.drop, text, e); err != nil {
		return err
	}
	for _, line := range u.lines {
		if _, err := fmt.Fprintln(a.out, line); err != nil {
			return err
		}
	}
	fmt.Fprintf(a.err, "Brought %s up to date. Start licetd again: it reads ring and keys when it starts.\n", h.Dir)
	return nil
}

// encryption returns how the keys of the endpoint's home are encrypted.
func (o *endpointOptions) encryption(a *app, h *home.Home) (home.Encryption, error) {
	if o.own.PassphraseFile == "" {
		o.own.Ask = func(prompt string) (string, error) {
			pass, err := home.AskTerminal(prompt)
			if errors.Is(err, home.ErrNoTerminal) {
				err = fmt.Errorf("there is no terminal to ask on; give --%s FILE", endpointPassphrase)
			}
			return pass, err
		}
	}
	return sameEncryption(h, &o.own)
}

// sameIssuer refuses to update the home of another endpoint, and a licensing home by
// itself.
func sameIssuer(h, from *home.Home) error {
	known := map[keys.ID]bool{}
	for _, k := range from.Ring.Keys() {
		known[k.ID()] = true
	}
	for _, k := range h.Ring.Keys() {
		if !known[k.ID()] {
			return fmt.Errorf("%s is not the home of an endpoint of %s: it has %s, which %s does not have", h.Dir, from.Dir, keyName(k), from.RingPath())
		}
	}
	return nil
}

// checkChoice refuses to guess which keys an endpoint is to have that was made with some
// of them only.
func checkChoice(h *home.Home, list *revocation.List, numbers numbers) error {
	if len(numbers) > 0 {
		return nil
	}
	for _, k := range h.Ring.MintKeys() {
		if k.Suite() != keys.HS256 || withdrawn(k, list) {
			continue
		}
		switch has, err := h.Has(k); {
		case err != nil:
			return err
		case !has:
			return usageError("%s does not have the secret of key %d: say with --key which keys it is to have", h.Dir, k.Number())
		}
	}
	return nil
}

// An endpointUpdate is what changes in an endpoint's home.
type endpointUpdate struct {
	add, drop []keys.Key
	lines     []string // for people, one change each
}

// planUpdate compares an endpoint's home with the licensing home and the keys that were
// chosen of it.
func planUpdate(h, from *home.Home, chosen []keys.Key) (*endpointUpdate, error) {
	u := &endpointUpdate{}
	wanted := map[keys.ID]bool{}
	for _, k := range chosen {
		wanted[k.ID()] = true
	}
	old := map[keys.ID]keys.Key{}
	for _, k := range h.Ring.Keys() {
		old[k.ID()] = k
	}
	for _, k := range from.Ring.Keys() {
		path := h.KeyPath(k.Role(), k.Number(), k.ID())
		was, known := old[k.ID()]
		switch {
		case !known:
			u.lines = append(u.lines, fmt.Sprintf("ring: %s is new", keyName(k)))
		case was.State() != k.State():
			u.lines = append(u.lines, fmt.Sprintf("ring: %s is %s, and was %s", keyName(k), k.State(), was.State()))
		case fmt.Sprint(was.Products()) != fmt.Sprint(k.Products()):
			u.lines = append(u.lines, fmt.Sprintf("ring: %s may mint product %s", keyName(k), joinNumbers(k.Products())))
		}
		has, err := h.Has(k)
		if err != nil {
			return nil, err
		}
		switch {
		case wanted[k.ID()] && (!has || !known): // of an unknown one the file is what an interrupted update left
			u.add = append(u.add, k)
			u.lines = append(u.lines, fmt.Sprintf("added %s: %s", path, describeEndpointKey(k)))
		case !wanted[k.ID()] && has:
			u.drop = append(u.drop, k)
			u.lines = append(u.lines, fmt.Sprintf("removed %s", path))
		}
	}
	for _, p := range from.Ring.Products() {
		was, known := h.Ring.Product(p.Number)
		switch {
		case !known:
			u.lines = append(u.lines, fmt.Sprintf("ring: product %s is new", productName(from.Ring, p.Number)))
		case was.Name != p.Name:
			u.lines = append(u.lines, fmt.Sprintf("ring: product %s was named %s", productName(from.Ring, p.Number), was.Name))
		}
	}
	now, err := from.Ring.Marshal()
	if err != nil {
		return nil, err
	}
	if before, err := h.Ring.Marshal(); err != nil || !bytes.Equal(before, now) && len(u.lines) == 0 {
		u.lines = append(u.lines, "ring: of issuer "+from.Ring.Issuer())
	}
	return u, nil
}

// takeList returns the text of the list if the endpoint's home is to have it: if it is
// newer than the one there, or if that one can't be read by the ring any more.
func (u *endpointUpdate) takeList(h, from *home.Home, text []byte, list *revocation.List) ([]byte, error) {
	_, has, err := (&home.Home{Dir: h.Dir, Ring: from.Ring}).ReadList()
	switch {
	case err != nil && list == nil:
		return nil, fmt.Errorf("%w; issue one that can be used, licet revoke renew, or remove it", err)
	case list == nil:
		return nil, nil
	case err != nil:
		u.lines = append(u.lines, fmt.Sprintf("revocation list: %d instead of one that can't be read: %v", list.Sequence(), err))
	case has == nil:
		u.lines = append(u.lines, fmt.Sprintf("revocation list: %d, and there was none", list.Sequence()))
	case list.Sequence() > has.Sequence():
		u.lines = append(u.lines, fmt.Sprintf("revocation list: %d instead of %d", list.Sequence(), has.Sequence()))
	default:
		return nil, nil
	}
	return text, nil
}
