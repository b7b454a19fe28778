package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"filippo.io/age"
	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/cmd/internal/export"
	"github.com/licet-dev/licet/cmd/internal/ordered"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/keyfile"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/signer/manifest"
	"github.com/licet-dev/licet/verifier"
)

type batchVerifyOptions struct {
	ring     string
	manifest string
	bind     string
	quiet    bool
}

func newBatchVerify(a *app) *cobra.Command {
	var o batchVerifyOptions
	cmd := &cobra.Command{
		Use:   "verify FILE",
		Short: "Check a file of codes against its manifest",
		Long: `Check the signature of the manifest, the digest of the file, and every code in it:
that it is genuine, of the key, product and terms that the manifest names, and that
the serials come in order without gap or repetition. The first fault is reported
with its line; the exit code is then 4.

Of an encrypted file the digest of the file is always checked. With --identity its
content is checked too.`,
		Example: `  licet batch verify batch.csv
  licet batch verify --identity partner.txt batch.csv.age`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.verifyBatch(cmd.Context(), o, args[0]) },
	}
	cmd.Flags().StringVar(&o.manifest, "manifest", "", "manifest in `FILE` (default: that beside the file)")
	cmd.Flags().StringVar(&o.ring, "ring", "", "check by the ring in `FILE` instead of the licensing home")
	cmd.Flags().StringVar(&o.bind, "bind", "", "`TEXT` that the codes are bound to")
	cmd.Flags().BoolVarP(&o.quiet, "quiet", "q", false, "tell no progress")
	a.unlockFlags(cmd)
	return cmd
}

// fault makes an error of something wrong with a batch.
func fault(format string, args ...any) error {
	return &exitError{exitNotAuthentic, fmt.Errorf(format, args...)}
}

func (a *app) verifyBatch(ctx context.Context, o batchVerifyOptions, path string) error {
	j, err := a.newJudge(judgeFlags{ring: o.ring, bind: o.bind, allowShortTags: true})
	if err != nil {
		return err
	}
	if o.manifest == "" {
		o.manifest = path + manifestSuffix
	}
	m, err := readManifest(o.manifest, j.ring())
	if err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	disk := newDigester(io.Discard)
	if _, err := io.Copy(disk, f); err != nil {
		return err
	}
	if disk.digest() != m.Digest {
		return fault("%s: %d bytes with SHA-256 %x, but the manifest is about %d bytes with %x: the file was changed or is another",
			path, disk.size, disk.digest().SHA256, m.Digest.Size, m.Digest.SHA256)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	content, plain, err := a.plaintext(f, m)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if content == nil {
		fmt.Fprintf(a.err, "%s: the manifest is genuine and the file is the one it names. Its content is encrypted; give --identity to check it too.\n", path)
		return nil
	}
	if err := a.verifyCodes(ctx, j, o, m, content); err != nil {
		var exit *exitError
		if errors.As(err, &exit) && exit.err != nil {
			return &exitError{exit.code, fmt.Errorf("%s: %w", path, exit.err)}
		}
		return err
	}
	if plain != nil {
		// What follows the last code counts too.
		if _, err := io.Copy(io.Discard, content); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if plain.digest() != *m.Plaintext {
			return fault("%s: the decrypted content is not what the manifest names", path)
		}
	}
	fmt.Fprintf(a.out, "%s: good: %d codes of key %d, product %d, serials %d to %d\n", filepath.Base(path), m.Count, m.KeyNumber, m.Product, m.First, m.Last)
	return nil
}

// plaintext returns the content of the file, decrypted where the manifest says it
// is encrypted, and what computes its digest. It returns nil when there is no
// identity to decrypt with.
func (a *app) plaintext(f io.Reader, m manifest.Manifest) (io.Reader, *digester, error) {
	if m.Plaintext == nil {
		return f, nil, nil
	}
	if len(a.unlock.Identities) == 0 {
		return nil, nil, nil
	}
	var identities []age.Identity
	for _, name := range a.unlock.Identities {
		ids, err := keyfile.ReadIdentities(name, a.unlock.Ask)
		if err != nil {
			return nil, nil, err
		}
		identities = append(identities, ids...)
	}
	r, err := age.Decrypt(f, identities...)
	if err != nil {
		return nil, nil, fmt.Errorf("failed to decrypt: %w", err)
	}
	d := newDigester(io.Discard)
	return io.TeeReader(r, d), d, nil
}

// A batchPiece is some codes of a batch on their way through the verifier.
type batchPiece struct {
	first uint64 // serial that the first code must have
	text  []byte
	codes []batchCode
	err   error // the first fault
}

type batchCode struct {
	line, end int
	serial    uint64 // beside the code
	stated    bool
}

const batchPieceSize = 512

// verifyCodes checks every code of a batch.
func (a *app) verifyCodes(ctx context.Context, j *judge, o batchVerifyOptions, m manifest.Manifest, content io.Reader) error {
	rows, err := export.NewReader(content, export.Format(m.Format))
	if err != nil {
		return fault("%w", err)
	}
	defer rows.Close()
	check, err := j.batchCheck(m)
	if err != nil {
		return err
	}
	p := a.newProgress(o.quiet, "codes", m.Count)
	defer p.end()
	next := m.First
	cut := func(piece *batchPiece) (bool, error) {
		piece.first, piece.text, piece.codes, piece.err = next, piece.text[:0], piece.codes[:0], nil
		for len(piece.codes) < batchPieceSize {
			line, code, serial, stated, err := rows.Next()
			if err == io.EOF {
				return len(piece.codes) > 0, nil
			}
			if err != nil && len(piece.codes) > 0 {
				return true, nil // the codes before come first; the error comes again
			}
			if err != nil {
				return false, fault("%w", err)
			}
			piece.text = append(piece.text, code...)
			piece.codes = append(piece.codes, batchCode{line, len(piece.text), serial, stated})
			next++
		}
		return true, nil
	}
	deliver := func(piece *batchPiece) error {
		p.add(uint64(len(piece.codes)))
		return piece.err
	}
	if err := ordered.Run(ctx, cut, check, deliver); err != nil {
		return err
	}
	if count := next - m.First; count != m.Count {
		return fault("%d codes, but the manifest names %d", count, m.Count)
	}
	return nil
}

// batchCheck returns what checks a piece of a batch.
func (j *judge) batchCheck(m manifest.Manifest) (func(*batchPiece), error) {
	key, ok := j.ring().MintKey(m.KeyNumber)
	if !ok {
		return nil, fault("the ring has no key %d", m.KeyNumber) // unreachable: the manifest was checked by the ring
	}
	if err := j.unlockKey(key.Number()); err != nil {
		return nil, err
	}
	// A batch is judged for what was minted. Whether the licences still hold is
	// another question, so the clock stands at their last day.
	opts := j.opts
	opts.Products = []uint64{m.Product}
	opts.MinVersion = 0
	last := m.Expiry.Time()
	if m.Expiry == 0 || m.Expiry == payload.Never {
		last = payload.Day(1<<21 - 1).Time() // the last day that any field holds
	}
	opts.Clock = func() time.Time { return last }
	v, err := verifier.New(j.ring(), opts)
	if err != nil {
		return nil, err
	}
	return func(p *batchPiece) {
		begin := 0
		for i, c := range p.codes {
			want := p.first + uint64(i)
			if p.err = checkCode(v, m, key, string(p.text[begin:c.end]), j.bind, want, c); p.err != nil {
				return
			}
			begin = c.end
		}
	}, nil
}

// checkCode checks one code: genuine, of the batch, and with the serial that its
// place demands.
func checkCode(v *verifier.Verifier, m manifest.Manifest, key keys.Key, code, bind string, want uint64, c batchCode) error {
	lic, err := v.VerifyBound(code, bind)
	if err != nil {
		var but *verifier.NotAcceptableError // genuine, and most likely not of the batch
		switch {
		case errors.As(err, new(*verifier.CannotJudgeError)):
			return &exitError{exitCannotJudge, fmt.Errorf("line %d: %w", c.line, err)}
		case !errors.As(err, &but):
			return fault("line %d: %s: %w", c.line, printable(code), err)
		}
		lic = but.License
	}
	switch {
	case lic.KeyID != key.ID():
		return fault("line %d: made with key %d, but the batch is of key %d", c.line, lic.KeyNumber, m.KeyNumber)
	case lic.Product != m.Product:
		return fault("line %d: product %d, but the batch has %d", c.line, lic.Product, m.Product)
	case m.Version != nil && lic.Version != *m.Version:
		return fault("line %d: version %d, but the batch has %d", c.line, lic.Version, *m.Version)
	case m.Expiry != 0 && lic.Expiry != m.Expiry:
		return fault("line %d: expiry %s, but the batch has %s", c.line, lic.Expiry, m.Expiry)
	case err != nil:
		return fault("line %d: %s: %w", c.line, printable(code), err)
	case lic.Serial != want:
		return fault("line %d: serial %d where %d is expected: codes are missing, repeated or out of order", c.line, lic.Serial, want)
	case c.stated && c.serial != lic.Serial:
		return fault("line %d: the list says serial %d, but the code says %d", c.line, c.serial, lic.Serial)
	}
	return nil
}
