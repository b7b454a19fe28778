package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/verifier"
)

func newCheck(stdout, stderr io.Writer) *cobra.Command {
	var flags settingsFlags
	cmd := &cobra.Command{
		Use:   "check --dir FOLDER",
		Short: "Say what would be served, and whether it can be",
		Long: `Read the configuration, the home and all files that they name, unlock the keys, and
say what licetd would serve with the same flags and variables. No ledger is opened and
nothing is listened on, so it can run beside the server. Exit code 0: it could begin;
1: it could not, and why; 2: usage.`,
		Example: "  licetd check --dir endpoint\n  licetd check --dir endpoint --policy 7,seats=3",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := flags.load(os.LookupEnv, os.Environ())
			if err != nil {
				return err
			}
			e, err := openEndpoint(cmd.Context(), c)
			if err != nil {
				return err
			}
			s, err := e.service(activation.None{})
			if err != nil {
				return err
			}
			if _, err := e.certificate(); err != nil {
				return err
			}
			for _, note := range e.notes(s) {
				fmt.Fprintln(stderr, "note:", note)
			}
			return e.describe(stdout, s)
		},
	}
	flags.add(cmd)
	return cmd
}

// notes returns what an operator should know of the endpoint.
func (e *endpoint) notes(s *activation.Service) []string {
	notes := e.config.notes
	if e.lists.note != "" {
		notes = append(notes, e.lists.note)
	}
	if l, ok := s.List(); ok && l.Stale {
		notes = append(notes, fmt.Sprintf("the next revocation list was due at %s", l.Due.Format("2006-01-02 15:04")))
	}
	for _, k := range s.Unserved() {
		notes = append(notes, fmt.Sprintf("codes of key %d (%s) are refused: %s", k.Number, k.ID, k.Remedy))
	}
	if e.config.ledger.kind == none {
		notes = append(notes, "ledger none: seats are not counted, and the receipts say so")
	}
	return notes
}

// describe says what the endpoint serves.
func (e *endpoint) describe(to io.Writer, s *activation.Service) error {
	c := e.config
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) { fmt.Fprintf(w, "%s\t%s\n", name, fmt.Sprintf(format, args...)) }
	row("issuer", "%s", e.ring.Issuer())
	scheme := "http"
	if c.tlsCert != "" {
		scheme = "https"
	}
	row("listen", "%s, %s", c.listen, scheme)
	row("admin", "%s, http", c.adminListen)
	row("ledger", "%s", c.ledger)
	row("receipts", "signed with key %s", e.receiptKey.ID())
	unserved := map[int]string{}
	for _, k := range s.Unserved() {
		unserved[k.Number] = "refused: " + k.Reason
	}
	for _, k := range e.ring.MintKeys() {
		state := "activated"
		if why, ok := unserved[k.Number()]; ok {
			state = why
		}
		row(fmt.Sprintf("key %d", k.Number()), "%s, %s, %s", k.ID(), k.Suite(), state)
	}
	for _, p := range e.ring.Products() {
		row(fmt.Sprintf("product %d", p.Number), "%s: %s", p.Name, policyText(c.policy(p.Number)))
	}
	if c.minVersion > 0 {
		row("versions", "from %d", c.minVersion)
	}
	list := "none"
	if l, ok := s.List(); ok {
		list = fmt.Sprintf("%d, due %s", l.Sequence, l.Due.Format("2006-01-02"))
	}
	stale := "reported"
	if c.stale == verifier.RefuseStale {
		stale = "refused"
	}
	row("revocations", "%s; read every %s from %s; a stale one is %s", list, durationText(c.revocationsEvery), e.lists.source, stale)
	if n := len(e.manifests); n > 0 {
		row("manifests", "%d", n)
	}
	row("callers", "%d known", len(e.tokens))
	proxies := none
	if len(c.proxies) > 0 {
		proxies = strings.Trim(fmt.Sprint(c.proxies), "[]")
	}
	row("proxies", "%s", proxies)
	var limits []string
	for _, name := range limitNames {
		limits = append(limits, name+" "+rateText(*rateOf(&c.limits, name)))
	}
	row("limits", "%s", strings.Join(limits, ", "))
	row("connections", "%d, %d of one address", c.connections, c.connectionsPerAddress)
	if err := w.Flush(); err != nil {
		return errors.New("failed to write to standard output")
	}
	return nil
}
