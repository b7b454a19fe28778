package main

import (
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/cmd/internal/build"
)

func newVersion(stdout io.Writer) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  licetd version",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(stdout, "licetd %s (code format licet/v1, %s)\n", build.Version(), runtime.Version())
			return err
		},
	}
}
