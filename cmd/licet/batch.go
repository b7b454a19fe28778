package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/cmd/internal/home"
	"github.com/licet-dev/licet/cmd/internal/journal"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/signer/manifest"
)

func newBatch(a *app) *cobra.Command {
	return group("batch", "Audit the batches that were minted", newBatchVerify(a), newBatchList(a), newBatchOverlap(a))
}

func newBatchList(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List what the journal knows: ranges, gaps, dates, labels",
		Long: `List what the journal of the licensing home knows: every run with its serials and
all that its licences say, and for each key and product how many serials were
handed out, which is next, and which were left out. Of the text that codes are bound
to there is only the SHA-256.

With --json there is an object a line, with the member entry or series.`,
		Example: "  licet batch list\n  licet batch list --json",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return a.listBatches(asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON objects, one a line")
	return cmd
}

// entryJSON is what batch list --json prints of a run.
type entryJSON struct {
	Line    int               `json:"line"`
	Time    string            `json:"time"`
	Kind    journal.Kind      `json:"kind"`
	Key     int               `json:"key"`
	KeyID   string            `json:"key_id"`
	Product uint64            `json:"product"`
	First   string            `json:"first"`
	Last    string            `json:"last"`
	Count   uint64            `json:"count"`
	Version string            `json:"version,omitempty"`
	Expiry  string            `json:"expiry,omitempty"`
	Start   string            `json:"start,omitempty"`
	Fields  map[string]string `json:"fields,omitempty"`
	Binding string            `json:"binding,omitempty"` // SHA-256 of the text
	Output  string            `json:"output,omitempty"`
	Format  string            `json:"format,omitempty"`
	Labels  map[string]string `json:"labels,omitempty"`
	Tool    string            `json:"tool"`
}

// seriesJSON is what batch list --json prints of a key and product.
type seriesJSON struct {
	Key     int         `json:"key"`
	KeyID   string      `json:"key_id"`
	Product uint64      `json:"product"`
	Total   uint64      `json:"total"`
	Next    string      `json:"next,omitempty"`
	Gaps    [][2]string `json:"gaps,omitempty"`
}

func (a *app) listBatches(asJSON bool) error {
	h, err := home.Open(a.dir)
	if err != nil {
		return err
	}
	j, err := a.openJournal(h)
	if err != nil {
		return err
	}
	series, err := j.Summary()
	if err != nil {
		return err
	}
	var rows [][]string
	for e, err := range j.Entries() {
		if err != nil {
			return err
		}
		if asJSON {
			if err := writeJSON(a.out, map[string]entryJSON{"entry": newEntryJSON(e)}); err != nil {
				return err
			}
			continue
		}
		rows = append(rows, []string{
			e.Time.Format(time.RFC3339), string(e.Kind), strconv.Itoa(e.Key), strconv.FormatUint(e.Product, 10),
			rangeText(e.Serials), strconv.FormatUint(e.Serials.Count(), 10), orDash(e.Version), orDash(e.Expiry), orDash(furtherTerms(e.Terms)), orDash(e.Output), orDash(labelText(e.Labels)),
		})
	}
	if asJSON {
		for _, s := range series {
			if err := writeJSON(a.out, map[string]seriesJSON{"series": newSeriesJSON(s)}); err != nil {
				return err
			}
		}
		return nil
	}
	if len(rows) == 0 {
		fmt.Fprintln(a.err, "The journal is empty: nothing was minted yet.")
		return nil
	}
	if err := a.out.table([]string{"time", "kind", "key", "product", "serials", "count", "version", "expiry", "further terms", "file", "labels"}, rows); err != nil {
		return err
	}
	for _, s := range series {
		if _, err := fmt.Fprintf(a.out, "key %d, product %d: %s\n", s.Key, s.Product, seriesText(s)); err != nil {
			return err
		}
	}
	return nil
}

func seriesText(s journal.Series) string {
	next := "no serial is left"
	if s.Next > 0 {
		next = fmt.Sprintf("next is %d", s.Next)
	}
	text := fmt.Sprintf("%s handed out, %s", plural(s.Total, "serial"), next)
	const most = 8
	var gaps []string
	for i, g := range s.Gaps {
		if i == most {
			gaps = append(gaps, fmt.Sprintf("and %d more", len(s.Gaps)-most))
			break
		}
		gaps = append(gaps, rangeText(g))
	}
	if len(gaps) > 0 {
		text += ", gaps " + strings.Join(gaps, ", ")
	}
	return text
}

func newEntryJSON(e journal.Entry) entryJSON {
	return entryJSON{
		Line: e.Line, Time: e.Time.Format(time.RFC3339), Kind: e.Kind, Key: e.Key, KeyID: e.KeyID.String(), Product: e.Product,
		First: strconv.FormatUint(e.Serials.First, 10), Last: strconv.FormatUint(e.Serials.Last, 10), Count: e.Serials.Count(),
		Version: e.Version, Expiry: e.Expiry, Start: e.Start, Fields: numberTexts(e.Fields), Binding: e.Binding,
		Output: e.Output, Format: e.Format, Labels: e.Labels, Tool: e.Tool,
	}
}

func newSeriesJSON(s journal.Series) seriesJSON {
	j := seriesJSON{Key: s.Key, KeyID: s.KeyID.String(), Product: s.Product, Total: s.Total}
	if s.Next > 0 {
		j.Next = strconv.FormatUint(s.Next, 10)
	}
	for _, g := range s.Gaps {
		j.Gaps = append(j.Gaps, [2]string{strconv.FormatUint(g.First, 10), strconv.FormatUint(g.Last, 10)})
	}
	return j
}

func rangeText(r journal.Range) string {
	if r.First == r.Last {
		return strconv.FormatUint(r.First, 10)
	}
	return fmt.Sprintf("%d-%d", r.First, r.Last)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return printable(s)
}

func labelText(labels map[string]string) string {
	var parts []string
	for name, value := range labels {
		parts = append(parts, name+"="+value)
	}
	slices.Sort(parts)
	return strings.Join(parts, " ")
}

func newBatchOverlap(a *app) *cobra.Command {
	var ring string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "overlap MANIFEST...",
		Short: "Find serials that were issued twice, on different machines",
		Long: `Check the signatures of manifests, and find pairs that claim the same new serials
under the same key and product. Renewals and batches minted once more are no
overlap, and a manifest that is given twice counts once. The exit code is 4 when
there is an overlap.

With --json there is an object a line for each: manifests, key, key_id, product,
first, last, count.`,
		Example: "  licet batch overlap *.manifest\n  licet batch overlap --json --ring ring.json a.csv.manifest b.csv.manifest",
		Args:    cobra.MinimumNArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return a.findOverlaps(ring, asJSON, args) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON objects, one a line")
	cmd.Flags().StringVar(&ring, "ring", "", "check by the ring in `FILE` instead of the licensing home")
	return cmd
}

func (a *app) findOverlaps(ringFile string, asJSON bool, args []string) error {
	if slices.Contains(args, "-") {
		return errNotStandardInput
	}
	ring, err := a.publicRing(ringFile)
	if err != nil {
		return err
	}
	var all []manifest.Manifest
	var paths []string
	seen := map[string]string{} // paths by text, which is what a manifest is: signatures may differ
	for _, path := range args {
		m, err := readManifest(path, ring)
		if err != nil {
			return err
		}
		text, err := m.Marshal()
		if err != nil {
			return err
		}
		if first, ok := seen[text]; ok {
			fmt.Fprintf(a.err, "%s is the same manifest as %s and does not count again.\n", path, first)
			continue
		}
		seen[text] = path
		all, paths = append(all, m), append(paths, path)
	}
	found := 0
	for o := range manifest.Overlaps(all...) {
		found++
		m, r := all[o.A], journal.Range{First: o.First, Last: o.Last}
		if asJSON {
			err = writeJSON(a.out, overlapJSON{
				Manifests: [2]string{paths[o.A], paths[o.B]}, Key: m.KeyNumber, KeyID: m.KeyID.String(), Product: m.Product,
				First: strconv.FormatUint(r.First, 10), Last: strconv.FormatUint(r.Last, 10), Count: r.Count(),
			})
		} else {
			_, err = fmt.Fprintf(a.out, "%s and %s: key %d, product %d, %s %s issued twice\n",
				paths[o.A], paths[o.B], m.KeyNumber, m.Product, r, r.Verb("was", "were"))
		}
		if err != nil {
			return err
		}
	}
	if found > 0 {
		return &exitError{code: exitNotAuthentic}
	}
	fmt.Fprintf(a.err, "%s, no serial issued twice.\n", plural(len(all), "manifest"))
	return nil
}

// errNotStandardInput refuses an argument that means standard input elsewhere.
var errNotStandardInput = usageError("-: name a file; this command does not read standard input")

// publicRing returns the ring in a file, or that of the licensing home.
func (a *app) publicRing(file string) (*keys.Ring, error) {
	if file != "" {
		return home.ReadRing(file)
	}
	h, err := home.Open(a.dir)
	if err != nil {
		return nil, err
	}
	return h.Ring, nil
}

// readManifest reads a manifest whose signature is good.
func readManifest(path string, ring *keys.Ring) (manifest.Manifest, error) {
	info, err := os.Stat(path)
	if err != nil {
		return manifest.Manifest{}, err
	}
	if info.Size() > manifest.MaxSize {
		return manifest.Manifest{}, fmt.Errorf("%s: %d bytes, which no manifest has", path, info.Size())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return manifest.Manifest{}, err
	}
	m, err := manifest.Open(data, ring)
	if err != nil {
		return m, &exitError{exitNotAuthentic, fmt.Errorf("%s: %w", path, err)}
	}
	return m, nil
}
