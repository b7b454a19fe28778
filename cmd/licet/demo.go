package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"filippo.io/age"
	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/keys/keyfile/atomicfile"
	"github.com/licet-dev/licet/payload"
)

const demoDir = "licet-demo"

func newDemo(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Make keys, mint 1,000 codes and judge them, in " + demoDir,
		Long: `Make a licensing home in ` + demoDir + ` with keys encrypted to a new age identity,
mint 1,000 codes into a file, judge them all, and show a typing error being
located and an expired and a forged code being refused.`,
		Example: "  licet demo",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.demo(cmd.Context()) },
	}
}

// demo runs the functions behind init, mint and verify; it has no logic of its own.
func (a *app) demo(ctx context.Context) error {
	if _, err := os.Lstat(demoDir); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is there already: remove it, or run the demo in another folder", demoDir)
	}
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		return err
	}
	if err := os.Mkdir(demoDir, 0o700); err != nil {
		return err
	}
	identityFile := filepath.Join(demoDir, "identity.txt")
	text := fmt.Sprintf("# public key: %s\n%s\n", identity.Recipient(), identity)
	if err := atomicfile.WriteFile(identityFile, []byte(text), 0o600); err != nil {
		return err
	}
	a.dir, a.unlock.Identities = demoDir, []string{identityFile}

	a.step("1. Make a licensing home, its keys encrypted to " + identityFile)
	if _, err := a.initHome(initOptions{
		dir: demoDir, issuer: "Demo Tools", products: []string{"7=Widget"},
		key:     keyFlags{suite: "hs256", layout: "standard", prefix: "DEMO", bind: "none"},
		encrypt: encryptFlags{recipients: []string{identity.Recipient().String()}},
	}); err != nil {
		return err
	}

	codesFile := filepath.Join(demoDir, "codes.txt")
	a.step("2. Mint 1,000 codes into " + codesFile)
	batch := mintOptions{
		product: number{7, true}, version: number{3, true}, days: number{365, true}, count: number{1000, true},
		output: outputFlags{path: codesFile, group: payload.GroupSize},
	}
	if err := a.mint(ctx, batch); err != nil {
		return err
	}
	codes, err := os.ReadFile(codesFile)
	if err != nil {
		return err
	}
	all := strings.Fields(string(codes))

	a.step("3. Judge all of them")
	if err := a.demoVerifyFile(ctx, codesFile); err != nil {
		return err
	}

	a.step("4. A typing error is located")
	typo := []byte(all[0])
	typo[7] = payload.Alphabet[(strings.IndexByte(payload.Alphabet, typo[7])+1)%len(payload.Alphabet)]
	if err := a.demoRefused(ctx, string(typo)); err != nil {
		return err
	}

	a.step("5. An expired code is refused")
	expired := batch
	expired.days, expired.expires, expired.allowExpired = number{}, "2025-12-31", true
	expired.count, expired.output.path = number{}, filepath.Join(demoDir, "expired.txt")
	if err := a.mint(ctx, expired); err != nil {
		return err
	}
	codes, err = os.ReadFile(expired.output.path)
	if err != nil {
		return err
	}
	if err := a.demoRefused(ctx, strings.TrimSpace(string(codes))); err != nil {
		return err
	}

	a.step("6. A forged code is refused, although its check symbols fit")
	body := []byte(strings.ReplaceAll(strings.TrimPrefix(all[0], "DEMO"), "-", ""))
	body = body[:len(body)-payload.CheckSymbols]
	body[3] = payload.Alphabet[(strings.IndexByte(payload.Alphabet, body[3])+1)%len(payload.Alphabet)]
	forged := payload.AppendCode(nil, "DEMO", payload.AppendCheck(body), payload.GroupSize)
	if err := a.demoRefused(ctx, string(forged)); err != nil {
		return err
	}

	a.step("Go on with")
	unlock := " --dir " + demoDir + " --identity " + identityFile
	for _, line := range []string{
		"licet mint" + unlock + " --product 7 --version 3 --days 30",
		"licet verify" + unlock + " - < " + codesFile,
		"licet inspect" + unlock + " " + string(typo),
		"licet batch verify" + unlock + " " + codesFile,
		"licet batch list --dir " + demoDir,
	} {
		fmt.Fprintf(a.err, "  %s\n", a.err.paint(roleCode, line))
	}
	return nil
}

func (a *app) step(text string) {
	fmt.Fprintf(a.err, "\n%s\n", a.err.paint(roleHeading, text))
}

// demoVerifyFile judges the codes in a file, of which the first and the count are
// of interest, not all thousand lines.
func (a *app) demoVerifyFile(ctx context.Context, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	quiet := *a
	quiet.stdin, quiet.out = f, newStream(null)
	return quiet.verify(ctx, judgeFlags{}, []string{"-"})
}

// demoRefused judges a code that must be refused.
func (a *app) demoRefused(ctx context.Context, code string) error {
	err := a.verify(ctx, judgeFlags{}, []string{code})
	var exit *exitError
	if errors.As(err, &exit) && exit.err == nil {
		return nil
	}
	if err == nil {
		err = fmt.Errorf("%s was accepted", code)
	}
	return err
}
