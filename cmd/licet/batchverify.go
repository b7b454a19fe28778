package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"filippo.io/age"
	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/cmd/internal/export"
	"github.com/licet-dev/licet/cmd/internal/journal"
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
	asJSON   bool
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
content is checked too. A batch stays what it was when its key is closed or
withdrawn; of a withdrawn key that is said.

With --json there is one object: file, verdict (good, fault, cannot-judge), message,
content_checked, key_state, and manifest with what the manifest says.`,
		Example: `  licet batch verify batch.csv
  licet batch verify --json batch.csv
  licet batch verify --identity partner.txt batch.csv.age`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.verifyBatch(cmd.Context(), o, args[0]) },
	}
	cmd.Flags().StringVar(&o.manifest, "manifest", "", "manifest in `FILE` (default: that beside the file)")
	cmd.Flags().StringVar(&o.ring, "ring", "", "check by the ring in `FILE` instead of the licensing home")
	cmd.Flags().StringVar(&o.bind, "bind", "", "`TEXT` that the codes are bound to")
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print a JSON object")
	cmd.Flags().BoolVarP(&o.quiet, "quiet", "q", false, "tell no progress")
	a.unlockFlags(cmd)
	return cmd
}

// fault makes an error of something wrong with a batch.
func fault(format string, args ...any) error {
	return &exitError{exitNotAuthentic, fmt.Errorf(format, args...)}
}

func (a *app) verifyBatch(ctx context.Context, o batchVerifyOptions, path string) error {
	if path == "-" {
		return errNotStandardInput
	}
	r := batchReport{path: path}
	err := a.checkBatch(ctx, o, &r)
	if o.asJSON {
		return a.printBatchJSON(&r, err)
	}
	if err != nil {
		return err
	}
	if !r.content {
		fmt.Fprintf(a.err, "%s: the manifest is genuine and the file is the one it names. Its content is encrypted; give --identity to check it too.\n", path)
	} else if _, err := fmt.Fprintf(a.out, "%s: good: %s of key %d, product %d, %s\n", filepath.Base(path),
		plural(r.m.Count, "code"), r.m.KeyNumber, r.m.Product, journal.Range{First: r.m.First, Last: r.m.Last}); err != nil {
		return err
	}
	if r.state == keys.Withdrawn {
		fmt.Fprintf(a.err, "Key %d is withdrawn: whoever judges codes refuses all of it, these too.\n", r.m.KeyNumber)
	}
	return nil
}

// A batchReport is what was found out about a file of codes.
type batchReport struct {
	path    string
	m       *manifest.Manifest // nil until it is known to be genuine
	state   keys.State         // of the mint key
	content bool               // whether the codes were checked, not only the file
}

// checkBatch checks a file of codes. What is wrong with it is a fault.
func (a *app) checkBatch(ctx context.Context, o batchVerifyOptions, r *batchReport) error {
	path := r.path
	j, err := a.newJudge(judgeFlags{ring: o.ring, bind: o.bind, allowShortTags: true})
	if err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	m, err := manifestOf(path, o.manifest, j.ring())
	if err != nil {
		return err
	}
	r.m = &m
	if k, ok := j.ring().MintKey(m.KeyNumber); ok {
		r.state = k.State()
	}
	// The digest is computed meanwhile, and has the first word: of another file it does
	// not matter what is in it.
	digested := make(chan error, 1)
	go func() { digested <- checkDigest(path, f, m) }()
	contentErr := a.checkContent(ctx, j, o, r, io.NewSectionReader(f, 0, math.MaxInt64))
	select {
	case err := <-digested:
		if err != nil {
			return err
		}
		return contentErr
	case <-ctx.Done():
		return ctx.Err()
	}
}

// checkDigest compares a file with what the manifest says of it.
func checkDigest(path string, f io.ReaderAt, m manifest.Manifest) error {
	disk := newDigester(io.Discard)
	if _, err := io.Copy(disk, io.NewSectionReader(f, 0, math.MaxInt64)); err != nil {
		return err
	}
	if disk.digest() != m.Digest {
		return fault("%s: %d bytes with SHA-256 %x, but the manifest is about %d bytes with %x: the file was changed or is another",
			path, disk.size, disk.digest().SHA256, m.Digest.Size, m.Digest.SHA256)
	}
	return nil
}

// checkContent checks the codes in a file, unless it is encrypted and there is no
// identity.
func (a *app) checkContent(ctx context.Context, j *judge, o batchVerifyOptions, r *batchReport, f io.Reader) error {
	content, plain, err := a.plaintext(f, *r.m)
	if err != nil {
		return fmt.Errorf("%s: %w", r.path, err)
	}
	if content == nil {
		return nil
	}
	if err := a.verifyCodes(ctx, j, o, *r.m, content); err != nil {
		var exit *exitError
		if errors.As(err, &exit) && exit.err != nil {
			return &exitError{exit.code, fmt.Errorf("%s: %w", r.path, exit.err)}
		}
		return err
	}
	if plain != nil {
		// What follows the last code counts too.
		if _, err := io.Copy(io.Discard, content); err != nil {
			return fmt.Errorf("%s: %w", r.path, err)
		}
		if plain.digest() != *r.m.Plaintext {
			return fault("%s: the decrypted content is not what the manifest names", r.path)
		}
	}
	r.content = true
	return nil
}

// manifestOf reads the manifest of a file: the one that was named, else that beside
// the file.
func manifestOf(path, named string, ring *keys.Ring) (manifest.Manifest, error) {
	if named != "" {
		return readManifest(named, ring)
	}
	m, err := readManifest(path+manifestSuffix, ring)
	switch {
	case errors.Is(err, fs.ErrNotExist) && strings.HasSuffix(path, manifestSuffix):
		err = usageError("%s is a manifest: give the file of codes that it is about, and the manifest with --manifest if it is not beside it", path)
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("%s: its manifest is not beside it: put it there as %s, or name it with --manifest FILE", path, filepath.Base(path)+manifestSuffix)
	}
	return m, err
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

const batchPieceSize = 128

// verifyCodes checks every code of a batch.
func (a *app) verifyCodes(ctx context.Context, j *judge, o batchVerifyOptions, m manifest.Manifest, content io.Reader) error {
	newReader := export.NewReader
	if m.Plaintext != nil {
		newReader = export.NewMemoryReader
	}
	rows, err := newReader(content, export.Format(m.Format))
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
	last := 0 // line of the last code
	cut := func(piece *batchPiece) (bool, error) {
		piece.first, piece.text, piece.codes, piece.err = next, piece.text[:0], piece.codes[:0], nil
		for len(piece.codes) < batchPieceSize {
			row, err := rows.Next()
			if err == io.EOF {
				return len(piece.codes) > 0, nil
			}
			if err != nil && len(piece.codes) > 0 {
				return true, nil // the codes before come first; the error comes again
			}
			if err != nil {
				return false, fault("%w", err)
			}
			piece.text = append(piece.text, row.Code...)
			piece.codes = append(piece.codes, batchCode{row.Line, len(piece.text), row.Serial, row.HasSerial})
			next++
			last = row.Line
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
	if count := next - m.First; count == 0 {
		return fault("no codes, but the manifest names %d", m.Count)
	} else if count < m.Count { // more are a fault of their line
		return fault("line %d: the list ends with %s, but the manifest names %d", last, plural(count, "code"), m.Count)
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
	if err := checkBinding(m, key, j.bind); err != nil {
		return nil, err
	}
	// A batch is judged for what was minted. Whether the licences still hold and were
	// not revoked is another question, and so is whether the key is still trusted: the clock stands
	// at their last day, and the key is as it was then.
	ring, err := ringOfThen(j.ring(), m)
	if err != nil {
		return nil, err
	}
	opts := j.opts
	opts.Products = []uint64{m.Product}
	opts.MinVersion, opts.Lists = 0, nil
	last := m.Expiry.Time()
	if m.Expiry == 0 || m.Expiry == payload.Never {
		last = payload.Day(1<<21 - 1).Time() // the last day that any field holds
	}
	opts.Clock = func() time.Time { return last }
	v, err := verifier.New(ring, opts)
	if err != nil {
		return nil, err
	}
	var others []string // the fields that the batch may have besides those that checkCode knows
	for _, f := range key.Layout().Fields() {
		if !slices.Contains([]string{"product", "version", "expiry", "start", "serial"}, f.Name) {
			others = append(others, f.Name)
		}
	}
	return func(p *batchPiece) {
		text, begin := string(p.text), 0
		for i := range p.codes {
			c := &p.codes[i]
			if p.err = checkCode(v, &m, &key, others, text[begin:c.end], j.bind, p.first+uint64(i), c); p.err != nil {
				return
			}
			begin = c.end
		}
	}, nil
}

// ringOfThen returns the ring with the key of a batch as it was when the batch was
// made: active, and allowed to mint the product.
func ringOfThen(ring *keys.Ring, m manifest.Manifest) (*keys.Ring, error) {
	key, _ := ring.MintKey(m.KeyNumber)
	key = key.WithState(keys.Active)
	if !key.Allows(m.Product) {
		var err error
		if key, err = key.WithProducts(append(key.Products(), m.Product)...); err != nil {
			return nil, err
		}
	}
	return ring.Replace(key)
}

// checkBinding compares the text that was given with the hash in the manifest, so
// that a wrong text is not taken for a wrong batch.
func checkBinding(m manifest.Manifest, key keys.Key, text string) error {
	if m.Binding == [sha256.Size]byte{} {
		return nil
	}
	context, err := keys.BindingContext(text)
	switch {
	case text == "":
		return usageError("the codes are bound to a %s: give the text with --bind", key.Descriptor().Bind)
	case err != nil:
		return usageError("--bind: %w", err)
	case context != m.Binding:
		return usageError("--bind: not the text that the batch is bound to, whose SHA-256 is %x", m.Binding)
	}
	return nil
}

// checkCode checks one code: genuine, of the batch, and with the serial that its
// place demands.
func checkCode(v *verifier.Verifier, m *manifest.Manifest, key *keys.Key, others []string, code, bind string, want uint64, c *batchCode) error {
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
	other := slices.IndexFunc(others, func(name string) bool { return otherField(&lic.License, name) != m.Fields[name] })
	switch {
	case lic.KeyID != key.ID():
		return fault("line %d: made with key %d, but the batch is of key %d", c.line, lic.KeyNumber, m.KeyNumber)
	case lic.Product != m.Product:
		return fault("line %d: product %d, but the batch has %d", c.line, lic.Product, m.Product)
	case m.Version != nil && lic.Version != *m.Version:
		return fault("line %d: version %d, but the batch has %d", c.line, lic.Version, *m.Version)
	case m.Expiry != 0 && lic.Expiry != m.Expiry:
		return fault("line %d: expiry %s, but the batch has %s", c.line, lic.Expiry, m.Expiry)
	case lic.Start != m.Start:
		return fault("line %d: start %s, but the batch has %s", c.line, lic.Start, m.Start)
	case other >= 0:
		name := others[other]
		return fault("line %d: %s %s, but the batch has %s", c.line, name, fieldText(name, otherField(&lic.License, name)), fieldText(name, m.Fields[name]))
	case err != nil:
		return fault("line %d: %s: %w", c.line, printable(code), err)
	case lic.Serial != want:
		return fault("line %d: serial %d where %d is expected: codes are missing, repeated or out of order", c.line, lic.Serial, want)
	case want > m.Last:
		return fault("line %d: one more than the %s that the manifest names", c.line, plural(m.Count, "code"))
	case c.stated && c.serial != lic.Serial:
		return fault("line %d: the list says serial %d, but the code says %d", c.line, c.serial, lic.Serial)
	}
	return nil
}
