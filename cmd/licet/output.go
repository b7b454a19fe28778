package main

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"path/filepath"
	"strings"

	"filippo.io/age"
	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/cmd/internal/export"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/keyfile"
	"github.com/licet-dev/licet/keys/keyfile/atomicfile"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/signer/manifest"
)

// outputFlags say where codes go and what the list of them looks like.
type outputFlags struct {
	path      string
	format    string
	columns   []string
	labels    []string
	encryptTo []string
	group     int
	quiet     bool
}

func (f *outputFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&f.path, "output", "o", "-", "write to `FILE`, with a signed manifest beside it; - is standard output")
	cmd.Flags().StringVar(&f.format, "format", "", "`txt`, csv, jsonl or xlsx (default: by the name of the file, else txt)")
	cmd.Flags().StringSliceVar(&f.columns, "columns", nil, "`NAMES` of the columns to write, in order, the code and all labels among them; txt has only the code")
	cmd.Flags().StringArrayVar(&f.labels, "label", nil, "another column, as `name=value`, which the journal and the manifest have too (repeatable)")
	cmd.Flags().StringArrayVar(&f.encryptTo, "encrypt-to", nil, "encrypt the file to `age1...`, ssh-ed25519 ... or ssh-rsa ... (repeatable)")
	cmd.Flags().IntVar(&f.group, "group", payload.GroupSize, "print symbols in groups of `N`; 0 prints no hyphens")
	cmd.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "tell no progress")
	complete(cmd, "format", "txt", "csv", "jsonl", "xlsx")
}

// exportFormat returns the format that was asked for, or that the name of the file
// tells; .age, which an encrypted file has at its end, does not count.
func (f *outputFlags) exportFormat() (export.Format, error) {
	if f.format != "" {
		format, err := export.ParseFormat(f.format)
		if err != nil {
			err = usageError("--format: %w", err)
		}
		return format, err
	}
	ext := strings.TrimPrefix(filepath.Ext(strings.TrimSuffix(f.path, ".age")), ".")
	if format, err := export.ParseFormat(ext); err == nil {
		return format, nil
	}
	return export.TXT, nil
}

// exportLabels returns the labels. They are held to what a manifest can have also
// where there is none, so that no run depends on where its codes go.
func (f *outputFlags) exportLabels() ([]export.Label, error) {
	var labels []export.Label
	for _, s := range f.labels {
		name, value, ok := strings.Cut(s, "=")
		if !ok {
			return nil, usageError("--label %s: want name=value", s)
		}
		if err := manifest.CheckLabel(name, value); err != nil {
			return nil, usageError("--label %s: %w", name, err)
		}
		labels = append(labels, export.Label{Name: name, Value: value})
	}
	if len(labels) > manifest.MaxLabels {
		return nil, usageError("%d labels; at most %d are allowed", len(labels), manifest.MaxLabels)
	}
	return labels, nil
}

// A sink takes the codes of a run and writes them where they are to go. What it
// writes to a file appears whole, or not at all.
type sink struct {
	path       string
	format     export.Format
	list       export.Options
	recipients []age.Recipient
	to         io.Writer
	file       *atomicfile.File // nil for standard output

	// From begin on.
	disk   *digester // over what goes to the file
	plain  *digester // over what is encrypted, nil when nothing is
	cipher io.WriteCloser
	rows   *export.Writer
}

// A digester passes bytes on, and computes their length and hash.
type digester struct {
	to   io.Writer
	hash hash.Hash
	size int64
}

func newDigester(to io.Writer) *digester { return &digester{to: to, hash: sha256.New()} }

func (d *digester) Write(b []byte) (int, error) {
	n, err := d.to.Write(b)
	d.hash.Write(b[:n])
	d.size += int64(n)
	return n, err
}

func (d *digester) digest() manifest.Digest {
	return manifest.Digest{Size: d.size, SHA256: [sha256.Size]byte(d.hash.Sum(nil))}
}

// openSink opens the output for codes of a key. Whatever is wrong with the flags is
// found here, before any serial is taken. Nothing is written yet.
func (a *app) openSink(f outputFlags, key keys.Key) (*sink, error) {
	if f.group < 0 {
		return nil, usageError("--group %d: want 0 or more", f.group)
	}
	format, err := f.exportFormat()
	if err != nil {
		return nil, err
	}
	labels, err := f.exportLabels()
	if err != nil {
		return nil, err
	}
	list := export.Options{Format: format, Layout: key.Layout(), Key: key.Number(), KeyID: key.ID(), Columns: f.columns, Labels: labels}
	if _, err := export.New(io.Discard, list); err != nil {
		return nil, usageError("%w", err)
	}
	var recipients []age.Recipient
	for _, r := range f.encryptTo {
		to, err := keyfile.Recipient(r)
		if err != nil {
			return nil, usageError("--encrypt-to: %w", err)
		}
		recipients = append(recipients, to)
	}
	if binary := format == export.XLSX || len(recipients) > 0; binary && f.path == "-" && a.out.terminal {
		return nil, usageError("this output is not for a terminal: name a file with -o")
	}
	s := &sink{path: f.path, format: format, list: list, recipients: recipients, to: a.out}
	if f.path != "-" {
		if s.file, err = atomicfile.Create(f.path, 0o600); err != nil {
			return nil, err
		}
		s.to = s.file
	}
	return s, nil
}

// begin makes the output ready for codes. It comes after all checks: an encrypted
// output begins with a header, which is written here.
func (s *sink) begin() error {
	s.disk = newDigester(s.to)
	var to io.Writer = s.disk
	var err error
	if len(s.recipients) > 0 {
		if s.cipher, err = age.Encrypt(to, s.recipients...); err != nil {
			return err
		}
		s.plain = newDigester(s.cipher)
		to = s.plain
	}
	s.rows, err = export.New(to, s.list)
	return err
}

// hasManifest reports whether a manifest belongs beside the output: only beside a
// file, not beside a device or a pipe.
func (s *sink) hasManifest() bool { return s.file != nil && !s.file.Direct() }

// finish writes what is left. The output is not at its place before commit.
func (s *sink) finish() error {
	if err := s.rows.Close(); err != nil {
		return err
	}
	if s.cipher != nil {
		return s.cipher.Close()
	}
	return nil
}

func (s *sink) commit() error {
	if s.file == nil {
		return nil
	}
	return s.file.Commit()
}

// close gives up what was not committed. What is in buffers stays there: a list that
// is not whole must not get the end of one.
func (s *sink) close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// describe says where the codes went.
func (s *sink) describe() string {
	if s.file == nil {
		return ""
	}
	return fmt.Sprintf(" Wrote %s.", s.path)
}
