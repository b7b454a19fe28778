package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
)

// What is wrong with a command line is said in words that name the remedy: what is
// missing or too much, and what an unknown name was probably meant to be.

// explainArgs makes every complaint about the arguments of a command, and of those
// below it, a usage error of such words. The line after Use names the arguments.
func explainArgs(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return usageError("%w", argumentError(cmd, args, err))
			}
			return nil
		}
	}
	for _, sub := range cmd.Commands() {
		explainArgs(sub)
	}
}

// argumentError says what is missing or too much. Other complaints than those of
// cobra's checks, which only count, are left as they are.
func argumentError(cmd *cobra.Command, args []string, err error) error {
	text := err.Error()
	if !strings.HasPrefix(text, "unknown command") && !strings.Contains(text, "arg(s)") {
		return err
	}
	want := argumentNames(cmd)
	switch {
	case cmd.HasSubCommands() && len(args) > 0:
		return unknownCommand(cmd, args[0])
	case len(args) < len(want):
		return fmt.Errorf("%s is missing: %s", want[len(args)], usageLine(cmd))
	case len(want) == 0:
		return fmt.Errorf("%s takes no argument, but got %q", cmd.CommandPath(), printable(args[0]))
	}
	return fmt.Errorf("%q is one argument too many; one with spaces needs quotation marks: %s", printable(args[len(want)]), usageLine(cmd))
}

// argumentNames returns the names of the arguments that a command must have: the
// words in capitals after its name, up to the first flag or alternative.
func argumentNames(cmd *cobra.Command) []string {
	var names []string
	for _, word := range strings.Fields(cmd.Use)[1:] {
		if !unicode.IsUpper(rune(word[0])) {
			break
		}
		names = append(names, strings.TrimSuffix(word, "..."))
	}
	return names
}

// usageLine returns how a command is called, its flags left out unless it must have
// them.
func usageLine(cmd *cobra.Command) string {
	return strings.TrimSuffix(cmd.CommandPath(), cmd.Name()) + cmd.Use
}

// unknownCommand proposes commands anywhere, but first those right below cmd.
func unknownCommand(cmd *cobra.Command, name string) error {
	var below []candidate
	for _, sub := range cmd.Commands() {
		below = append(below, candidate{sub.Name(), sub.CommandPath()})
	}
	near := nearest(name, commandNames(cmd.Root()))
	if first := nearest(name, below); slices.ContainsFunc(first, func(s string) bool { return slices.Contains(near, s) }) {
		near = first
	}
	return fmt.Errorf("unknown command %q%s", cmd.CommandPath()+" "+printable(name), didYouMean(near))
}

// commandNames returns all commands below cmd, by name.
func commandNames(cmd *cobra.Command) []candidate {
	var all []candidate
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			all = append(append(all, candidate{sub.Name(), sub.CommandPath()}), commandNames(sub)...)
		}
	}
	return all
}

// flagError explains an argument that looks like a flag.
func flagError(cmd *cobra.Command, err error) error {
	text := err.Error()
	if strings.HasPrefix(text, "unknown shorthand") {
		return usageError("%w; put -- before an argument that begins with a hyphen", err)
	}
	if name, ok := strings.CutPrefix(text, "unknown flag: --"); ok {
		near := nearest(name, flagNames(cmd))
		if near == nil && !cmd.HasParent() {
			near = nearest(name, commandNames(cmd)) // licet --version
		}
		return usageError("%w%s", err, didYouMean(near))
	}
	var num *strconv.NumError
	if errors.As(err, &num) { // which tells of the inside of a program
		want := "want a number"
		if num.Func == "ParseBool" {
			want = "want true or false"
		}
		return usageError("%s", strings.Replace(text, num.Error(), want, 1))
	}
	return usageError("%w", err)
}

// flagNames returns the flags that a command takes.
func flagNames(cmd *cobra.Command) []candidate {
	var all []candidate
	for line := range strings.Lines(cmd.LocalFlags().FlagUsages() + cmd.InheritedFlags().FlagUsages()) {
		_, rest, ok := strings.Cut(line, "--")
		if name, _, _ := strings.Cut(rest, " "); ok {
			all = append(all, candidate{name, "--" + name})
		}
	}
	return all
}

// A candidate is a name that an unknown one may have been meant to be, and how to
// write it in full.
type candidate struct{ name, full string }

// didYouMean returns the end of a message that proposes names.
func didYouMean(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(names, " or ") + "?"
}

// nearest returns the candidates that are the fewest slips away from a name: two at
// most, and fewer for short names. One that goes on where the name ends is a slip away.
func nearest(name string, all []candidate) []string {
	best := min(2, len(name)/2)
	var near []string
	for _, c := range all {
		d := slips(name, c.name)
		if len(name) > 1 && d > 1 && strings.HasPrefix(c.name, name) {
			d = 1
		}
		if d < best {
			near = nil
		}
		if d <= best {
			best, near = d, append(near, c.full)
		}
	}
	return near
}

// slips returns how many characters must be put in, left out or replaced, or
// neighbours exchanged, to turn a into b.
func slips(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			switch {
			case i == 0 || j == 0:
				rows[i][j] = i + j
				continue
			case a[i-1] == b[j-1]:
				rows[i][j] = rows[i-1][j-1]
			default:
				rows[i][j] = 1 + min(rows[i-1][j-1], rows[i-1][j], rows[i][j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], 1+rows[i-2][j-2])
			}
		}
	}
	return rows[len(a)][len(b)]
}

// homeless is the annotation of commands that use no licensing home; it ends the
// sentence that says so.
const homeless = "homeless"

// refuseHome makes the command of this name, and those below it, refuse --dir,
// which they would ignore.
func refuseHome(root *cobra.Command, name, instead string) {
	cmd, _, err := root.Find([]string{name})
	if err != nil || cmd == root {
		panic("no command " + name) // a mistake in this program
	}
	for _, c := range append(cmd.Commands(), cmd) {
		c.Annotations = map[string]string{homeless: instead}
	}
}

// checkHome refuses a licensing home that the command would not use. LICET_DIR is
// not given for one command, so it is no mistake.
func checkHome(cmd *cobra.Command) error {
	if !cmd.Flags().Changed("dir") {
		return nil
	}
	if instead, ok := cmd.Annotations[homeless]; ok {
		return usageError("--dir is of no use to %s%s", cmd.CommandPath(), instead)
	}
	if ring := cmd.Flags().Lookup("ring"); ring != nil && ring.Changed {
		return usageError("--dir and --ring exclude each other: %s goes by one ring", cmd.CommandPath())
	}
	return nil
}

// newHelp returns the command help, which knows when there is nothing to explain.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND...]",
		Short:   "Explain a command, as --help does",
		Example: "  licet help key new",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var names []cobra.Completion
			if about, rest, err := cmd.Root().Find(args); err == nil && len(rest) == 0 {
				for _, sub := range about.Commands() {
					names = append(names, cobra.CompletionWithDesc(sub.Name(), sub.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil {
				return usageError("%w", err)
			}
			if len(rest) > 0 {
				return usageError("%w", unknownCommand(about, rest[0]))
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

// wholeHelp returns a help function that writes with one write, and leaves out the
// flag --dir where it is refused.
func (a *app) wholeHelp(help func(*cobra.Command, []string)) func(*cobra.Command, []string) {
	return func(cmd *cobra.Command, args []string) {
		root := cmd.Root()
		_, root.PersistentFlags().Lookup("dir").Hidden = cmd.Annotations[homeless]
		var text bytes.Buffer
		root.SetOut(&text)
		help(cmd, args)
		root.SetOut(a.out)
		a.out.Write(text.Bytes()) // the stream remembers an error
	}
}
