package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/cmd/internal/home"
	"github.com/licet-dev/licet/cmd/internal/journal"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/keyfile"
	"github.com/licet-dev/licet/payload"
)

// A number is a flag that holds a number and knows whether it was given.
type number struct {
	value uint64
	given bool
}

func (n *number) String() string {
	if !n.given {
		return ""
	}
	return strconv.FormatUint(n.value, 10)
}

func (n *number) Set(s string) error {
	v, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return errors.New("want a whole number from 0 to 2^64-1")
	}
	n.value, n.given = v, true
	return nil
}

func (n *number) Type() string { return "N" }

// A numbers flag holds a list of numbers, separated by commas or repeated. One given
// twice counts once.
type numbers []uint64

func (l *numbers) String() string { return "" }

func (l *numbers) Set(s string) error {
	for part := range strings.SplitSeq(s, ",") {
		var n number
		if err := n.Set(part); err != nil {
			return err
		}
		if !slices.Contains(*l, n.value) {
			*l = append(*l, n.value)
		}
	}
	return nil
}

func (l *numbers) Type() string { return "N,..." }

// A serialRange flag holds serials in the form A-B or A.
type serialRange journal.Range

func (r *serialRange) String() string { return "" }

func (r *serialRange) Set(s string) error {
	left, right, both := strings.Cut(s, "-")
	if !both {
		right = left
	}
	var first, last number
	if first.Set(left) != nil || last.Set(right) != nil || first.value == 0 || last.value < first.value {
		return errors.New("want serials such as 1000-1999, the first from 1 and not above the last")
	}
	*r = serialRange{First: first.value, Last: last.value}
	return nil
}

func (r *serialRange) Type() string { return "A-B" }

// parseProduct reads a product of the form 7=Widget.
func parseProduct(s string) (keys.Product, error) {
	left, name, ok := strings.Cut(s, "=")
	v, err := strconv.ParseUint(left, 10, 64)
	if !ok || err != nil || name == "" {
		return keys.Product{}, usageError("product %q: want number=name, such as 7=Widget", s)
	}
	return keys.Product{Number: v, Name: name}, nil
}

// parseTime reads an instant: RFC 3339 with an offset, or a date meaning 00:00 UTC.
func parseTime(s string) (time.Time, error) {
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t, nil
	}
	d, err := payload.ParseDay(s)
	if err != nil {
		return time.Time{}, usageError("time %q: want a form such as 2027-12-31 or 2027-12-31T18:00:00+02:00", s)
	}
	return d.Time(), nil
}

// keyFlags say what kind of mint key to make.
type keyFlags struct {
	suite, layout, prefix, bind string
}

func (f *keyFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.suite, "suite", "hs256", "`SUITE`: hs256 for short codes that are judged where the secret is safe, es256 for long codes that anyone may judge")
	cmd.Flags().StringVar(&f.layout, "layout", "standard", "`LAYOUT`, the fields of the code: "+strings.Join(payload.LayoutNames(), ", ")+", or a list name:bits,...")
	cmd.Flags().StringVar(&f.prefix, "prefix", "", "`TEXT` before each code: 2 to 8 capital letters and digits, a letter first")
	cmd.Flags().StringVar(&f.bind, "bind", keys.BindNone, "`KIND` of text that each code is bound to: none, licensee, domain, machine")
	complete(cmd, "suite", "hs256", "es256")
	complete(cmd, "layout", payload.LayoutNames()...)
	complete(cmd, "bind", "none", "licensee", "domain", "machine")
}

// descriptor returns the descriptor of the key with this number.
func (f *keyFlags) descriptor(number int) (keys.Descriptor, error) {
	layout, err := payload.ParseLayout(f.layout)
	if err != nil {
		return keys.Descriptor{}, usageError("%w", err)
	}
	d := keys.Descriptor{Suite: keys.Suite(f.suite), Number: number, Prefix: f.prefix, Layout: layout, Bind: f.bind, SigBits: layout.TagBits()}
	if d.Suite == keys.ES256 {
		d.SigBits = keys.ES256Bits
	}
	if err := d.Check(); err != nil {
		return keys.Descriptor{}, usageError("%w", err)
	}
	return d, nil
}

// complete offers fixed values to the completion of a flag.
func complete(cmd *cobra.Command, flag string, values ...string) {
	err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // the flag does not exist: a mistake in this program
	}
}

// encryptFlags say to whom new private keys are encrypted.
type encryptFlags struct {
	recipients     []string
	recipientsFile string
	passphraseFile string

	cmd            *cobra.Command
	passphraseFlag string // the name of the flag for passphraseFile
}

func (f *encryptFlags) add(cmd *cobra.Command, passphraseFlag string) {
	f.cmd, f.passphraseFlag = cmd, passphraseFlag
	cmd.Flags().StringArrayVar(&f.recipients, "recipient", nil, "encrypt keys to `age1...`, ssh-ed25519 ... or ssh-rsa ... (repeatable)")
	cmd.Flags().StringVar(&f.recipientsFile, "recipients-file", "", "encrypt keys to the recipients in `FILE`, one a line")
	cmd.Flags().StringVar(&f.passphraseFile, passphraseFlag, "", "encrypt keys with the passphrase in `FILE` instead of asking for one")
}

// encryption returns to whom to encrypt. Without any flag a passphrase is asked,
// twice, on the terminal.
func (f *encryptFlags) encryption() (home.Encryption, error) {
	e := home.Encryption{Recipients: f.recipients}
	for _, r := range f.recipients {
		if _, err := keyfile.Recipient(r); err != nil {
			return e, usageError("%w", err)
		}
	}
	if f.recipientsFile != "" {
		more, err := home.ReadRecipients(f.recipientsFile)
		if err != nil {
			return e, err
		}
		e.Recipients = append(e.Recipients, more...)
	}
	var err error
	switch {
	case len(e.Recipients) > 0 && f.passphraseFile != "":
		return e, usageError("encrypt either to recipients or with a passphrase, not both")
	case len(e.Recipients) > 0:
	case f.recipientsFile != "":
		return e, fmt.Errorf("%s has no recipients", f.recipientsFile)
	case f.passphraseFile != "":
		e.Passphrase, err = keyfile.ReadPassphrase(f.passphraseFile)
	default:
		e.Passphrase, err = home.NewPassphrase(home.AskTerminal)
		if errors.Is(err, home.ErrNoTerminal) {
			err = fmt.Errorf("no terminal to ask for a passphrase: give --recipient, --recipients-file or --%s", f.passphraseFlag)
		}
	}
	if err == nil && e.Passphrase != "" {
		if talk, ok := f.cmd.ErrOrStderr().(*stream); ok && talk.terminal {
			fmt.Fprintln(talk, "Encrypting with a passphrase takes some seconds: it is slow on purpose, so that guessing is slow.")
		}
	}
	return e, err
}
