package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/cmd/internal/home"
)

// An app is what all commands share: the streams, the clock and the flags that
// say which licensing home to use and how to unlock it.
type app struct {
	stdin    *os.File
	out, err *stream
	now      func() time.Time

	dir    string
	unlock home.Unlocker
}

// Exit codes. README.md documents them.
const (
	exitOther         = 1
	exitUsage         = 2
	exitMalformed     = 3
	exitNotAuthentic  = 4
	exitNotAcceptable = 5
	exitCannotJudge   = 6
	exitInterrupted   = 130 // as shells report SIGINT
	exitBrokenPipe    = 141 // as shells report SIGPIPE
)

// An exitError ends the program with a code. Without err nothing is printed,
// since the command has said what there is to say.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

func usageError(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// run runs the program and returns its exit code.
func run(args []string, stdin, stdout, stderr *os.File) int {
	// A closed pipe is an error of a write like any other, so that temporary files
	// are removed before the program ends.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once

	a := &app{stdin: stdin, out: newStream(stdout), err: newStream(stderr), now: time.Now}
	root := newRoot(a)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(a.out)
	root.SetErr(a.err)
	cmd, err := root.ExecuteContextC(ctx)
	if err != nil && (ctx.Err() != nil || errors.Is(err, home.ErrInterrupted)) {
		err = &exitError{exitInterrupted, errors.New("interrupted")}
	}
	return a.exitCode(cmd, err)
}

// exitCode reports an error to the user and returns the exit code for it. Output
// that was lost is an error, whoever wrote it.
func (a *app) exitCode(cmd *cobra.Command, err error) int {
	var exit *exitError
	if a.out.lost != nil && (err == nil || errors.As(err, &exit) && exit.err == nil) {
		err, exit = a.out.lost, nil
	}
	if err == nil {
		return 0
	}
	if errors.Is(err, syscall.EPIPE) {
		return exitBrokenPipe
	}
	code := exitOther
	if errors.As(err, &exit) {
		code = exit.code
		if exit.err == nil {
			return code
		}
	}
	fmt.Fprintf(a.err, "%s %v\n", a.err.paint(roleBad, "licet:"), err)
	if code == exitUsage {
		fmt.Fprintf(a.err, "See %q.\n", cmd.CommandPath()+" --help")
	}
	return code
}

func newRoot(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "licet",
		Short: "Make and judge licence codes that need no database",
		Long: `Licet makes and judges licence codes: short texts that people can type, that
carry product, version, expiry and serial, and that are signed.

A licensing home is a folder with the ring (which keys there are) and the
encrypted private keys. Commands use the one named by --dir or LICET_DIR, else
the current folder.`,
		Example: `  licet init acme --issuer "Acme Tools" --product 7=Widget --prefix ACME
  licet mint --dir acme --product 7 --version 3 --expires 2027-12-31
  licet verify --dir acme ACME-AHJX-YQET-69FW-H3QZ-JG9E-69PS-6HVK-ELWZ
  licet demo`,
		SilenceErrors:     true,
		SilenceUsage:      true,
		Args:              cobra.NoArgs,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return checkHome(cmd) },
		RunE:              help,
	}
	dir := os.Getenv("LICET_DIR")
	if dir == "" {
		dir = "."
	}
	cmd.PersistentFlags().StringVar(&a.dir, "dir", dir, "licensing home in `FOLDER` (default: LICET_DIR, else the current folder)")
	cmd.PersistentFlags().Lookup("dir").DefValue = "" // the usage says it in words
	cmd.PersistentFlags().SortFlags = false
	cmd.SetFlagErrorFunc(flagError)
	cmd.SetHelpFunc(a.wholeHelp(cmd.HelpFunc()))
	cmd.SetHelpCommand(newHelp())
	cmd.AddCommand(newInit(a), newProduct(a), newKey(a), newMint(a), newRenew(a), newRevoke(a), newBatch(a), newVerify(a), newActivate(a), newEndpoint(a), newInspect(a), newEstimate(a), newQR(a), newDemo(a), newVersion(a))
	cmd.InitDefaultCompletionCmd()
	groupCommands(cmd, "Begin with:", "demo", "init")
	groupCommands(cmd, "Keys and products:", "key", "product")
	groupCommands(cmd, "Codes:", "mint", "renew", "revoke", "batch", "verify", "activate", "inspect", "qr")
	groupCommands(cmd, "Activation:", "endpoint")
	completion, _, _ := cmd.Find([]string{"completion"})
	completion.Short, completion.RunE = "Write a completion script for bash, zsh, fish or PowerShell", help
	explainArgs(cmd)
	refuseHome(cmd, "init", ": give the new folder as its argument, licet init DIR")
	refuseHome(cmd, "demo", ": it makes its home in "+demoDir+" of the current folder")
	refuseHome(cmd, "endpoint", ": name the licensing home with --from, and the endpoint's as the argument DIR")
	for _, name := range []string{"estimate", "version", "completion"} {
		refuseHome(cmd, name, ", which needs no licensing home: leave it out")
	}
	return cmd
}

// unlockFlags adds the flags that unlock private keys.
func (a *app) unlockFlags(cmd *cobra.Command) {
	a.unlock.Ask = home.AskTerminal
	cmd.Flags().StringArrayVar(&a.unlock.Identities, "identity", nil, "unlock keys with an age identity or SSH private key `FILE` (repeatable)")
	cmd.Flags().StringVar(&a.unlock.PassphraseFile, "passphrase-file", "", "unlock keys with the passphrase in `FILE` instead of asking")
}

// groupCommands puts commands under a title in the help of cmd.
func groupCommands(cmd *cobra.Command, title string, names ...string) {
	cmd.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, sub := range cmd.Commands() {
		if slices.Contains(names, sub.Name()) {
			sub.GroupID = title
		}
	}
}

// group returns a command that only has other commands below it.
func group(use, short string, sub ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Args: cobra.NoArgs,
		RunE: help,
	}
	cmd.AddCommand(sub...)
	return cmd
}

// help is what a command does that only has others below it.
func help(cmd *cobra.Command, _ []string) error { return cmd.Help() }
