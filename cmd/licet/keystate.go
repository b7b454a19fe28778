package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/cmd/internal/home"
	"github.com/licet-dev/licet/keys"
)

func newKeyClose(a *app) *cobra.Command {
	return newKeyState(a, keys.Closed, &cobra.Command{
		Use:   "close KEY",
		Short: "Let a key sign nothing new; its codes stay good",
		Long: `Close a key, by the number of a mint key or the id of any key. It mints no new
serials; its codes stay good, and licet renew renews them. For a key that may be
stolen there is licet key withdraw.

What becomes of the codes that were sold is said first, then there is a question.
No command opens a closed key again.`,
		Example: "  licet key close 8\n  licet key close a8374be817307fdb --yes",
	})
}

func newKeyWithdraw(a *app) *cobra.Command {
	return newKeyState(a, keys.Withdrawn, &cobra.Command{
		Use:   "withdraw KEY",
		Short: "Refuse all that a stolen key signed",
		Long: `Withdraw a key that may be stolen, by the number of a mint key or the id of any
key. All its codes are refused, those that were sold too, for nobody can tell which
ones the thief made: their holders need codes of another key.

What becomes of the codes that were sold is said first, then there is a question.
No command takes a withdrawal back. Programs that have an older ring go on accepting
the codes until they get the new one: licet key export.`,
		Example: "  licet key withdraw 8\n  licet key withdraw a8374be817307fdb --yes",
	})
}

func newKeyState(a *app, to keys.State, cmd *cobra.Command) *cobra.Command {
	var yes bool
	cmd.Args = cobra.ExactArgs(1)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		h, release, err := a.openLocked(cmd.Context(), a.dir)
		if err != nil {
			return err
		}
		defer release()
		k, err := findKey(h.Ring, args[0])
		if err != nil {
			return err
		}
		return a.worsenKey(cmd.Context(), h, k, to, yes)
	}
	yesFlag(cmd, &yes)
	return cmd
}

func yesFlag(cmd *cobra.Command, yes *bool) {
	cmd.Flags().BoolVar(yes, "yes", false, "don't ask")
}

// findKey returns the mint key with a number, or the key with an id.
func findKey(ring *keys.Ring, name string) (keys.Key, error) {
	n, err := strconv.ParseUint(name, 10, 8)
	var has []string
	for _, k := range ring.Keys() {
		if k.ID().String() == name || err == nil && k.Role() == keys.Mint && k.Number() == int(n) {
			return k, nil
		}
		if k.Role() == keys.Mint {
			has = append(has, strconv.Itoa(k.Number()))
		} else {
			has = append(has, fmt.Sprintf("%s (%s)", k.ID(), k.Role()))
		}
	}
	if len(has) == 0 {
		has = []string{"none"}
	}
	return keys.Key{}, usageError("the ring has no key %q; its keys are: %s", printable(name), strings.Join(has, ", "))
}

// keyName names a key in a sentence.
func keyName(k keys.Key) string {
	if k.Role() == keys.Mint {
		return fmt.Sprintf("key %d (%s)", k.Number(), k.ID())
	}
	return fmt.Sprintf("%s key %s", k.Role(), k.ID())
}

// worsenKey puts a key of the home, which must be locked, into a worse state: closed
// or withdrawn. It says what that does and asks, unless yes says not to.
func (a *app) worsenKey(ctx context.Context, h *home.Home, k keys.Key, to keys.State, yes bool) error {
	switch {
	case k.State() == to:
		fmt.Fprintf(a.err, "Nothing to do: %s is %s already.\n", keyName(k), to)
		return nil
	case k.State() == keys.Withdrawn:
		return usageError("%s is withdrawn, which is worse than %s, and stays so", keyName(k), to)
	}
	ring, err := h.Ring.Replace(k.WithState(to))
	if err != nil {
		return err
	}
	fmt.Fprintln(a.err, strings.Join(a.consequences(h, ring, k, to), "\n"))
	verb, done, after := "Close", "Closed", "No program needs to know: what the key signed stays good."
	if to == keys.Withdrawn {
		verb, done, after = "Withdraw", "Withdrew", "Programs that have an older ring go on accepting what it signed, and what the thief signs, until they get the new ring (licet key export)"
		if k.Role() != keys.List {
			after += " or a revocation list that states the key withdrawn"
		}
		after += "."
	}
	if !yes {
		if err := a.confirm(ctx, verb+" "+keyName(k)+"?"); err != nil {
			return err
		}
	}
	if err := h.SaveRing(ring); err != nil {
		return err
	}
	fmt.Fprintf(a.err, "%s %s. %s\n", done, keyName(k), after)
	signed := ""
	if k.Role() == keys.List {
		signed = ", signed with another list key"
	}
	fmt.Fprintf(a.err, "The next revocation list states it%s; to issue it now: licet revoke renew\n", signed)
	return nil
}

// confirm asks whether to do what no command undoes.
func (a *app) confirm(ctx context.Context, question string) error {
	yes, err := home.Confirm(ctx, "No command undoes this. "+question)
	switch {
	case errors.Is(err, home.ErrNoTerminal):
		return errors.New("nothing was changed: no command undoes this, and there is no terminal to ask on; give --yes if you mean it")
	case err == nil && !yes:
		return errors.New("nothing was changed: the answer was not yes")
	}
	return err
}

// consequences says, a sentence a line, what it does that a key gets into a worse
// state; ring is the ring in which it has it.
func (a *app) consequences(h *home.Home, ring *keys.Ring, k keys.Key, to keys.State) []string {
	if k.Role() != keys.Mint {
		return roleConsequences(ring, k, to)
	}
	sold := a.soldText(h, k)
	var lines []string
	if to == keys.Withdrawn {
		lines = append(lines, fmt.Sprintf("Withdrawing %s: all its codes are refused, genuine ones too, whether they were sold or made by a thief.", keyName(k)),
			sold+" Whoever has one of its codes needs one of another key.")
	} else {
		lines = append(lines, fmt.Sprintf("Closing %s: it mints no new serials. Its codes stay good, and licet renew renews them.", keyName(k)), sold)
	}
	if k.State() != keys.Active {
		return lines // it mints nothing now
	}
	return append(lines, whoMints(ring, k.Products())...)
}

// whoMints says, a sentence a line, which keys of the ring mint the products.
func whoMints(ring *keys.Ring, products []uint64) []string {
	var lines []string
	for len(products) > 0 {
		next := minters(ring, products[0])
		var names []string
		rest := products[:0:0]
		for _, p := range products {
			if joinKeys(minters(ring, p)) == joinKeys(next) {
				names = append(names, productName(ring, p))
			} else {
				rest = append(rest, p)
			}
		}
		what := "product " + strings.Join(names, ", ")
		switch len(next) {
		case 0:
			lines = append(lines, fmt.Sprintf("No key will mint %s: licet key new --product %d makes one, and programs must have a ring with it before its first code.", what, products[0]))
		case 1:
			with := fmt.Sprintf("a ring with key %d", next[0].Number())
			if next[0].Suite() == keys.HS256 {
				with += " and its secret"
			}
			lines = append(lines, fmt.Sprintf("Key %d will mint %s: whatever judges its codes must have %s by now.", next[0].Number(), what, with))
		default:
			lines = append(lines, fmt.Sprintf("Keys %s will mint %s, as --key says.", joinKeys(next), what))
		}
		products = rest
	}
	return lines
}

func roleConsequences(ring *keys.Ring, k keys.Key, to keys.State) []string {
	signs := "revocation lists and batch manifests"
	if k.Role() == keys.Receipt {
		signs = "activation receipts"
	}
	var lines []string
	if to == keys.Withdrawn {
		lines = append(lines, fmt.Sprintf("Withdrawing %s: all %s that it alone signed are refused, and must be signed anew by another key.", keyName(k), signs))
	} else {
		lines = append(lines, fmt.Sprintf("Closing %s: it signs no more %s. Those that it signed stay good.", keyName(k), signs))
	}
	if !slices.ContainsFunc(ring.Keys(), func(o keys.Key) bool { return o.Role() == k.Role() && o.State() == keys.Active }) {
		lines = append(lines, fmt.Sprintf("No active %s key will be left: licet key new --role %s makes one, and programs must have a ring with it before they get what it signs.", k.Role(), k.Role()))
	}
	return lines
}

// soldText says how many codes of a mint key were sold, as far as the journal knows. A
// journal that can't be read is no reason to keep a stolen key in use.
func (a *app) soldText(h *home.Home, k keys.Key) string {
	series, err := a.mintedSeries(h)
	if err != nil {
		return fmt.Sprintf("How many serials it has is not known: %v.", err)
	}
	var parts []string
	for _, s := range series {
		if s.KeyID == k.ID() && s.Total > 0 {
			parts = append(parts, plural(s.Total, "serial")+" of product "+productName(h.Ring, s.Product))
		}
	}
	if parts == nil {
		return "The journal of this home has no serial of it."
	}
	return fmt.Sprintf("The journal of this home has %s under this key.", strings.Join(parts, ", "))
}

// productName returns the number of a product and its name.
func productName(ring *keys.Ring, n uint64) string {
	p, _ := ring.Product(n)
	return strings.TrimSpace(fmt.Sprintf("%d %s", n, p.Name))
}

func joinKeys(all []keys.Key) string {
	var numbers []uint64
	for _, k := range all {
		numbers = append(numbers, uint64(k.Number()))
	}
	return joinNumbers(numbers)
}
