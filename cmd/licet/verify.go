package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/payload"
)

func newVerify(a *app) *cobra.Command {
	var f judgeFlags
	cmd := &cobra.Command{
		Use:   "verify CODE... | -",
		Short: "Judge licence codes",
		Long: `Judge licence codes, given as arguments or, for the argument -, one a line on
standard input. In a licensing home its ring and its products are the default, and
the first code of an hs256 key unlocks the secret of that key.

Exit codes: 0 all valid, 2 usage, 3 malformed (a typing error), 4 not authentic
otherwise, 5 authentic but not acceptable (expired, wrong product, ...), 6 cannot
judge, 1 anything else. For several codes it is the first of 1, 6, 4, 3, 5 that
occurred.`,
		Example: `  licet verify ACME-AHJX-YQET-69FW-H3QZ-JG9E-69PS-6HVK-ELWZ
  licet verify --ring ring.json --product 7 --min-version 3 - < codes.txt
  licet verify --at 2028-01-01 --json ACME-AHJX-YQET-69FW-H3QZ-JG9E-69PS-6HVK-ELWZ`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("no code given; for codes on standard input, one a line, give the argument -")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.verify(cmd.Context(), f, args) },
	}
	f.add(a, cmd)
	cmd.Flags().Var(&f.products, "product", "accept these products only (repeatable; default: all of the ring)")
	cmd.Flags().Var(&f.minVersion, "min-version", "lowest licence version to accept")
	cmd.Flags().BoolVar(&f.allowShortTags, "allow-short-tags", false, "judge keys with fewer than 65 tag bits, which are meant for a server that counts attempts")
	return cmd
}

// verify judges codes and reports them; its error has the exit code.
func (a *app) verify(ctx context.Context, f judgeFlags, codes []string) error {
	j, err := a.newJudge(f)
	if err != nil {
		return err
	}
	r := &report{app: a, judge: j, asJSON: f.asJSON, out: bufio.NewWriter(a.out), counts: map[string]int{}}
	for _, code := range codes {
		if code == "-" {
			err = r.stream(ctx, a.stdin)
		} else {
			err = r.add(0, code)
		}
		if err != nil {
			return errors.Join(r.out.Flush(), err)
		}
	}
	if err := r.out.Flush(); err != nil {
		return err
	}
	r.summary()
	if r.total == 0 { // nothing is valid: an empty variable piped in must not pass
		return &exitError{exitMalformed, errors.New("no code on standard input")}
	}
	if r.code != 0 {
		return &exitError{code: r.code}
	}
	return nil
}

// A report prints verdicts and counts them.
type report struct {
	*app
	judge  *judge
	asJSON bool
	out    *bufio.Writer
	counts map[string]int
	total  int
	code   int // worst exit code so far
}

// stream judges a code a line. Lines may be of any length; blank ones are skipped.
func (r *report) stream(ctx context.Context, in io.Reader) error {
	lines := bufio.NewReaderSize(in, 64<<10)
	for n := 1; ; n++ {
		if ctx.Err() != nil {
			return errors.New("interrupted")
		}
		line, err := readLine(lines)
		if blank(line) && err == nil {
			continue
		}
		if !blank(line) {
			if err := r.add(n, line); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("standard input, line %d: %w", n, err)
		}
		if lines.Buffered() == 0 { // whoever writes the lines may wait for the answer
			if err := r.out.Flush(); err != nil {
				return err
			}
		}
	}
}

// readLine reads a line without its end. Of a line longer than any code it keeps
// just enough to tell.
func readLine(r *bufio.Reader) (string, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part[:min(len(part), payload.MaxInput+2-len(line))]...)
		if err == bufio.ErrBufferFull {
			continue
		}
		for len(line) > 0 && (line[len(line)-1] == '\n' || line[len(line)-1] == '\r') {
			line = line[:len(line)-1]
		}
		return string(line), err
	}
}

func blank(line string) bool {
	t, err := payload.AppendNormalized(nil, line)
	return err == nil && len(t) == 0
}

// add judges and prints one code; line is 0 for an argument.
func (r *report) add(line int, input string) error {
	v, err := r.judge.judge(input)
	if err != nil {
		return err
	}
	class, code := v.class()
	r.total++
	r.counts[class]++
	r.code = worst(r.code, code)
	if r.asJSON {
		return newVerdictJSON(r.judge.ring, line, input, v).write(r.out)
	}
	paint := roleBad
	if code == 0 {
		paint = roleGood
	}
	where := ""
	if line > 0 {
		where = fmt.Sprintf("line %d: ", line)
	}
	_, err = fmt.Fprintf(r.out, "%s%s: %s: %s\n", where, r.app.out.paint(paint, class), printable(input), r.explain(v))
	return err
}

// explain says what a code is good for, or why it is not.
func (r *report) explain(v verdict) string {
	text := ""
	if v.err != nil {
		text = v.err.Error()
		var read *payload.ReadError
		if errors.As(v.err, &read) && read.Proposal != "" {
			text += "; did you mean " + read.Proposal + "?"
		}
	}
	lic, ok := v.license()
	if !ok {
		return text
	}
	key, _ := r.judge.ring.MintKey(lic.KeyNumber)
	terms := describeTerms(r.judge.ring, lic.License, key) + fmt.Sprintf(", serial %d", lic.Serial)
	if lic.BindingIgnored {
		terms += "; the binding was ignored, since the key binds its codes to nothing"
	}
	if text == "" {
		return terms
	}
	return text + " (" + terms + ")"
}

// summary tells the counts when there were several codes.
func (r *report) summary() {
	if r.total < 2 || r.asJSON {
		return
	}
	fmt.Fprintf(r.err, "%d codes:", r.total)
	sep := " "
	for _, class := range []string{"valid", "malformed", "not authentic", "not acceptable", "cannot judge"} {
		if n := r.counts[class]; n > 0 {
			fmt.Fprintf(r.err, "%s%d %s", sep, n, class)
			sep = ", "
		}
	}
	fmt.Fprintln(r.err)
}
