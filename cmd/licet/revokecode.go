package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/text/unicode/norm"

	"github.com/licet-dev/licet/cmd/internal/home"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/verifier"
	"github.com/licet-dev/licet/verifier/revocation"
)

type revokeCodeOptions struct {
	reason, bind string
	list         listFlags
}

func newRevokeCode(a *app) *cobra.Command {
	var o revokeCodeOptions
	cmd := &cobra.Command{
		Use:   "code CODE... | -",
		Short: "Revoke the licences of codes",
		Long: `Revoke the licences of codes, given as arguments or, for the argument -, one a line on
standard input. The codes must be genuine, expired or not: one that is malformed or
not authentic is named with its line, and then nothing is changed. With a licence all
its codes are revoked.

Exit codes are those of licet verify for codes that are not genuine: 3 malformed, 4
not authentic otherwise, 6 can't be judged.`,
		Example: `  licet revoke code --reason refund ACME-AHJX-YQET-69FW-H3QZ-JG9E-69PS-6HVK-ELWZ
  licet revoke code --reason leaked - < codes.txt
  licet revoke code --restore -- "$CODE"`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("no code given; for codes on standard input, one a line, give the argument -")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.revokeCodes(cmd.Context(), o, args) },
	}
	cmd.Flags().SortFlags = false
	reasonFlag(cmd, &o.reason)
	cmd.Flags().StringVar(&o.bind, "bind", "", "`TEXT` that the codes are bound to")
	o.list.add(a, cmd)
	o.list.addRestore(cmd, "make the licences good again")
	return cmd
}

func (a *app) revokeCodes(ctx context.Context, o revokeCodeOptions, codes []string) error {
	if err := checkReason(o.reason, o.list.restore); err != nil {
		return err
	}
	if _, err := o.list.dueTime(a.now()); err != nil { // before anything is read or judged
		return err
	}
	found, err := a.licencesOf(ctx, o, codes)
	if err != nil {
		return err
	}
	return a.reviseList(ctx, o.list, func(r *revision) error { return r.change(found) })
}

// licencesOf returns the licences of codes, each once, in the order of a list. All
// must be genuine.
func (a *app) licencesOf(ctx context.Context, o revokeCodeOptions, codes []string) ([]revocation.Entry, error) {
	h, err := home.Open(a.dir)
	if err != nil {
		return nil, err
	}
	// Whatever a revocation list says, and the date, is no reason against revoking.
	now := a.now()
	j := &judge{home: h, unlock: &a.unlock, bind: norm.NFC.String(o.bind)}
	j.opts = verifier.Options{Clock: func() time.Time { return now }, AllowShortTags: true}
	for _, p := range h.Ring.Products() {
		j.opts.Products = append(j.opts.Products, p.Number)
	}
	if err := j.setRing(h.Ring); err != nil {
		return nil, err
	}
	c := &codeCollector{app: a, judge: j, reason: o.reason, found: map[revocation.Entry]bool{}}
	for _, code := range codes {
		if code == "-" {
			err = c.stream(ctx, a.stdin)
		} else {
			err = c.add(0, code)
		}
		if err != nil {
			return nil, err
		}
	}
	if c.faults > maxFaults {
		fmt.Fprintf(a.err, "%d more of the kind\n", c.faults-maxFaults)
	}
	switch {
	case c.faults > 0:
		return nil, &exitError{c.code, fmt.Errorf("nothing was changed: not genuine: %d of %s", c.faults, plural(c.total, "code"))}
	case c.total == 0:
		return nil, &exitError{exitMalformed, errors.New("no code on standard input")}
	}
	return slices.SortedFunc(maps.Keys(c.found), func(x, y revocation.Entry) int {
		return cmp.Or(slices.Compare(x.KeyID[:], y.KeyID[:]), cmp.Compare(x.Product, y.Product), cmp.Compare(x.First, y.First))
	}), nil
}

// A codeCollector judges codes, and collects the licences of those that are genuine.
type codeCollector struct {
	*app
	judge  *judge
	reason string
	found  map[revocation.Entry]bool
	total  int
	faults int
	code   int // exit code for the faults
}

// maxFaults is how many codes that are not genuine are told.
const maxFaults = 20

// stream collects a code a line. Blank lines are skipped.
func (c *codeCollector) stream(ctx context.Context, in io.Reader) error {
	lines := bufio.NewReaderSize(&cancelReader{ctx: ctx, in: in}, 64<<10)
	var line []byte
	for number := 1; ; number++ {
		text, err := appendLine(line[:0], lines)
		if err != nil && err != io.EOF {
			return fmt.Errorf("standard input, line %d: %w", number, err)
		}
		if code := string(text); !blank(code) {
			if err := c.add(number, code); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		line = text
	}
}

// add judges a code; line is 0 for one that is an argument.
func (c *codeCollector) add(line int, input string) error {
	c.total++
	v, err := c.judge.judge(input)
	if err != nil {
		return err
	}
	if lic, ok := v.license(); ok {
		c.found[revocation.Entry{KeyID: lic.KeyID, Product: lic.Product, First: lic.Serial, Last: lic.Serial, ReasonCode: c.reason}] = true
		return nil
	}
	class, code := v.class()
	c.code = worst(c.code, code)
	if c.faults++; c.faults > maxFaults {
		return nil
	}
	where := ""
	if line > 0 {
		where = fmt.Sprintf("line %d: ", line)
	}
	fmt.Fprintf(c.err, "%s%s: %s: %s\n", where, c.err.paint(roleBad, class), printable(input), codeFault(v.err))
	return nil
}

// codeFault says why a code is not one whose licence can be revoked, and what to do.
func codeFault(err error) string {
	text := err.Error()
	var read *payload.ReadError
	switch {
	case errors.As(err, &read) && read.Proposal != "":
		return text + "; did you mean " + read.Proposal + "?"
	case errors.Is(err, verifier.KeyWithdrawn):
		return "its key is withdrawn, so all its codes are refused; leave it out"
	}
	if do := remedy(err); do != "" {
		text += "; " + do
	}
	return text
}
