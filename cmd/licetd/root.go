package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/cmd/internal/home"
)

// Exit codes. README.md documents them.
const (
	exitOther       = 1
	exitUsage       = 2
	exitInterrupted = 130 // while a passphrase was asked for
)

// A usageError is one of the command line.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// run runs the program and returns its exit code.
func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once

	root := newRoot(stdout, stderr)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return 0
	}
	if errors.Is(err, home.ErrInterrupted) {
		fmt.Fprintln(stderr, "licetd: interrupted")
		return exitInterrupted
	}
	fmt.Fprintf(stderr, "licetd: %v\n", err)
	var usage *usageError
	if errors.As(err, &usage) {
		fmt.Fprintf(stderr, "See %q.\n", cmd.CommandPath()+" --help")
		return exitUsage
	}
	return exitOther
}

func newRoot(stdout, stderr io.Writer) *cobra.Command {
	var flags settingsFlags
	cmd := &cobra.Command{
		Use:   "licetd --dir FOLDER",
		Short: "Activate licence codes: an issuer's endpoint",
		Long: `Licetd is an issuer's activation endpoint. It judges licence codes, takes a seat for
the device or account that asks, and answers with a receipt that products verify
offline from then on. It serves HTTP until it gets SIGTERM or SIGINT, and then finishes
what it has begun; a second signal ends it at once.

Its home is a folder that licet endpoint init makes. One that has other private keys,
such as a list key, is refused. Ring and keys are read at the start, the revocation
list again and again.

Whatever a flag says can also be said by a variable, LICETD_ADMIN_LISTEN for
--admin-listen, or in licetd.json of the home, as a member admin_listen; the flag counts
before the variable, and that before the file. Lists are one string with spaces in a
variable, and lists in the file. Policies and limits are objects there:

  {"policies": {"default": {"lease": "30d"}, "7": {"seats": 3, "hold": true}},
   "limits": {"address": "60/1m", "forgeries": "none"}}

Relative paths in the file go from its folder. The keys are unlocked with --identity or
--passphrase-file, with the systemd credential licet-identity or licet-passphrase, or by
a passphrase that is asked for. No secret is taken from an argument.`,
		Example: `  licet endpoint init endpoint --from acme
  licetd --dir endpoint
  licetd --dir endpoint --policy 7,seats=3,lease=30d,grace=14d
  licetd --dir endpoint --ledger postgres://licet@db/licet --trusted-proxies 127.0.0.1
  licetd check --dir endpoint`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := flags.load(os.LookupEnv, os.Environ())
			if err != nil {
				return err
			}
			log := slog.New(slog.NewJSONHandler(stderr, &slog.HandlerOptions{Level: c.logLevel}))
			return serve(cmd.Context(), c, log)
		},
	}
	flags.add(cmd)
	cmd.SetOut(stdout) // before there are commands that keep it
	cmd.SetErr(stderr)
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err} })
	cmd.AddCommand(newCheck(stdout, stderr), newVersion(stdout))
	cmd.InitDefaultCompletionCmd()
	if completion, _, err := cmd.Find([]string{"completion"}); err == nil {
		completion.Short = "Write a completion script for bash, zsh, fish or PowerShell"
	}
	return cmd
}

// noArgs refuses arguments, among them commands that there are not.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return &usageError{fmt.Errorf("%s takes no argument, but got %q", cmd.CommandPath(), args[0])}
	}
	return nil
}
