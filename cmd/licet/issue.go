package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/licet-dev/licet/cmd/internal/build"
	"github.com/licet-dev/licet/cmd/internal/export"
	"github.com/licet-dev/licet/cmd/internal/home"
	"github.com/licet-dev/licet/cmd/internal/journal"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/keyfile/atomicfile"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/signer"
	"github.com/licet-dev/licet/signer/manifest"
)

// manifestSuffix comes after the name of a file of codes.
const manifestSuffix = ".manifest"

// An issue is a run that mints codes: new ones, the same once more, or renewals.
type issue struct {
	home    *home.Home
	key     keys.Key
	lic     payload.License // the terms; its serial is set when it is known
	binding string
	kind    journal.Kind
	count   uint64
	serials journal.Range // not used for journal.Mint, which chooses them
	output  outputFlags
}

// issue mints the codes of a run. Serials are on record before the first code is
// made, so a run that ends early can be repeated, and never gives a serial twice.
func (a *app) issue(ctx context.Context, i issue) error {
	j, err := a.openJournal(i.home)
	if err != nil {
		return err
	}
	out, err := a.openSink(i.output, i.key)
	if err != nil {
		return err
	}
	defer out.close()
	if out.format == export.XLSX && i.count > export.MaxXLSXRows { // so there are several
		return usageError("%d codes: a sheet of xlsx holds %d; mint several batches, or take csv", i.count, export.MaxXLSXRows)
	}
	request, err := i.request(out)
	if err != nil {
		return err
	}
	// What can be refused is refused now, before anybody is asked for a passphrase.
	serials, err := j.Check(i.kind, request)
	if err != nil {
		return explainOverlap(err)
	}
	i.lic.Serial = serials.First
	if _, err := i.key.Layout().AppendPayload(nil, &i.lic); err != nil {
		return usageError("%w", err)
	}
	m := i.manifest(request, out, serials)
	m.Tool, m.Time = a.tool(), a.now()
	if out.hasManifest() {
		if err := checkManifest(m, i.home.Ring); err != nil {
			return usageError("%w", err)
		}
	}
	s, list, err := a.unlockIssue(i, out.hasManifest())
	if err != nil {
		return err
	}

	entry, err := a.record(ctx, j, i.kind, request)
	if errors.As(err, new(*journal.OverlapError)) { // another program was faster
		return explainOverlap(err)
	}
	if err != nil {
		return err
	}
	m.First, m.Last = entry.Serials.First, entry.Serials.Last
	i.lic.Serial = entry.Serials.First
	if err := a.runIssue(ctx, i, s, out, m, list); err != nil {
		again := "repeat the run"
		if i.kind == journal.Renew {
			again = "state the same to licet mint"
		}
		r := entry.Serials
		fmt.Fprintf(a.err, "The run ended early. Of key %d and product %d, %s %s reserved for it; to mint %s, %s with --serials %s --again.\n",
			i.key.Number(), i.lic.Product, r, r.Verb("is", "are"), r.Verb("it", "them"), again, rangeText(r))
		return err
	}
	fmt.Fprintf(a.err, "Minted %d with key %d (%s): %s, %s.%s\n", i.count, i.key.Number(), i.key.ID(),
		describeTerms(i.home.Ring, i.lic, i.key), entry.Serials, out.describe())
	return nil
}

// explainOverlap adds to an error about serials that were handed out how to mint
// their codes once more, in a line to copy from.
func explainOverlap(err error) error {
	var overlap *journal.OverlapError
	if errors.As(err, &overlap) {
		return usageError("%w\nTo mint once more what was handed out:\n  --serials %s --again", err, rangeText(overlap.Taken))
	}
	return usageError("%w", err)
}

func (a *app) tool() string { return "licet " + build.Version() }

func (a *app) openJournal(h *home.Home) (*journal.Journal, error) {
	return journal.Open(filepath.Join(h.Dir, journal.Name), journal.Options{
		Tool:   a.tool(),
		Now:    a.now,
		Notice: func(text string) { fmt.Fprintln(a.err, text) },
	})
}

func (a *app) record(ctx context.Context, j *journal.Journal, kind journal.Kind, r journal.Request) (journal.Entry, error) {
	if kind == journal.Mint {
		return j.Reserve(ctx, r)
	}
	return j.Record(ctx, kind, r)
}

// request returns what the journal is to record.
func (i issue) request(out *sink) (journal.Request, error) {
	serial, _ := i.key.Layout().Field("serial")
	r := journal.Request{
		Key: i.key.Number(), KeyID: i.key.ID(), Product: i.lic.Product, Max: serial.Max(),
		Count: i.count, Serials: i.serials, Format: string(out.format),
		Terms: recordedTerms(i.key, i.lic, i.binding),
	}
	if out.file != nil {
		r.Output = filepath.Base(out.path)
	}
	labels, err := i.output.exportLabels()
	for _, l := range labels {
		if r.Labels == nil {
			r.Labels = map[string]string{}
		}
		r.Labels[l.Name] = l.Value
	}
	return r, err
}

// manifest returns the manifest of the run, its digests left out.
func (i issue) manifest(r journal.Request, out *sink, serials journal.Range) manifest.Manifest {
	m := manifest.Manifest{
		Issuer: i.home.Ring.Issuer(), KeyID: i.key.ID(), KeyNumber: i.key.Number(), Product: i.lic.Product,
		First: serials.First, Last: serials.Last, Count: i.count,
		Kind: manifest.Mint, Format: manifest.Format(out.format), File: filepath.Base(out.path), Labels: r.Labels,
	}
	switch i.kind {
	case journal.Again:
		m.Kind = manifest.Again
	case journal.Renew:
		m.Kind = manifest.Renew
	}
	if r.Version != "" {
		m.Version = &i.lic.Version
	}
	if r.Expiry != "" {
		m.Expiry = i.lic.Expiry
	}
	m.Start = i.lic.Start
	for name, value := range r.Fields {
		if value == 0 {
			continue
		}
		if m.Fields == nil {
			m.Fields = map[string]uint64{}
		}
		m.Fields[name] = value
	}
	hex.Decode(m.Binding[:], []byte(r.Binding)) // its digits are those of recordedTerms
	return m
}

// checkManifest finds out whether the names and labels of a manifest are allowed.
func checkManifest(m manifest.Manifest, ring *keys.Ring) error {
	m.Digest = manifest.Digest{Size: 1, SHA256: [32]byte{1}}
	if _, err := m.Marshal(); err != nil {
		return err
	}
	return m.CheckRing(ring)
}

// unlockIssue unlocks the mint key and, for a manifest, an active list key.
func (a *app) unlockIssue(i issue, needList bool) (*signer.Signer, keys.PrivateKey, error) {
	private, err := i.home.Private(i.key, &a.unlock)
	if err != nil {
		return nil, keys.PrivateKey{}, err
	}
	renews := i.kind == journal.Again || i.kind == journal.Renew
	s, err := signer.New(i.key, private, signer.Options{Binding: i.binding, Renewal: renews})
	if err != nil || !needList {
		return s, keys.PrivateKey{}, err
	}
	list, ok, err := a.listKey(i.home, nil)
	if err == nil && !ok {
		err = fmt.Errorf("no list key in %s to sign the manifest of a file with; write to standard output, or mint where the list key is", i.home.Dir)
	}
	return s, list, err
}

// runIssue mints the codes and puts the file and its manifest in their places.
func (a *app) runIssue(ctx context.Context, i issue, s *signer.Signer, out *sink, m manifest.Manifest, list keys.PrivateKey) error {
	if err := out.begin(); err != nil {
		return err
	}
	p := a.newProgress(i.output.quiet || i.count == 1, "codes", i.count)
	err := i.write(ctx, s, out, p)
	p.end()
	if err != nil {
		return err
	}
	if err := out.finish(); err != nil {
		return err
	}
	if !out.hasManifest() {
		return out.commit()
	}
	m.Digest = out.disk.digest()
	if out.plain != nil {
		d := out.plain.digest()
		m.Plaintext = &d
	}
	note, err := manifest.Sign(m, list)
	if err != nil {
		return err
	}
	// Both are on the disk before either is in its place.
	beside, err := atomicfile.Create(out.path+manifestSuffix, 0o644)
	if err != nil {
		return err
	}
	defer beside.Close()
	if _, err := beside.Write(note); err != nil {
		return err
	}
	if err := out.commit(); err != nil {
		return err
	}
	return beside.Commit()
}

// write writes the codes into the output.
func (i issue) write(ctx context.Context, s *signer.Signer, out *sink, p *progress) error {
	lic, prefix := i.lic, i.key.Descriptor().Prefix
	for code, err := range s.Codes(ctx, signer.Batch{License: lic, Count: i.count}) {
		if err != nil {
			return err
		}
		if i.output.group != payload.GroupSize {
			code = []byte(payload.Regroup(string(code), prefix, i.output.group))
		}
		if err := out.rows.Write(code, &lic); err != nil {
			return err
		}
		lic.Serial++
		p.add(1)
	}
	return nil
}
