package main

import (
	"encoding/json"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/cmd/internal/build"
)

type versionJSON struct {
	Version string `json:"version"`
	Format  string `json:"format"`
	Go      string `json:"go"`
}

func newVersion(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  licet version --json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := versionJSON{build.Version(), "licet/v1", runtime.Version()}
			if asJSON {
				return json.NewEncoder(a.out).Encode(v)
			}
			_, err := fmt.Fprintf(a.out, "licet %s (code format %s, %s)\n", v.Version, v.Format, v.Go)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}
