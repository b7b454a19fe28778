package main

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"path/filepath"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/boombuler/barcode/qr"
	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/cmd/internal/home"
	"github.com/licet-dev/licet/keys/keyfile/atomicfile"
	"github.com/licet-dev/licet/payload"
)

func newQR(a *app) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "qr CODE",
		Short: "Draw a code as a QR code, for labels, cards and screens",
		Long: `Draw a code as a QR code, in the terminal or to a PNG or SVG file. Who scans it gets
the code as it is printed, and whatever reads codes reads that.

A code with a typing error is refused; a licensing home is not needed, but with its
ring the place of an error after a prefix is known. Whether the code is genuine is
for licet verify to tell. In a pipe the QR code is plain text of dark blocks, to be
shown dark on light.`,
		Example: `  licet qr ACME-AHJX-YQET-69FW-H3QZ-JG9E-69PS-6HVK-ELWZ
  licet qr ACME-AHJX-YQET-69FW-H3QZ-JG9E-69PS-6HVK-ELWZ -o code.svg`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.qr(args[0], output) },
	}
	cmd.Flags().StringVarP(&output, "output", "o", "-", "write to `FILE`, a .png or .svg; - draws on standard output")
	return cmd
}

func (a *app) qr(input, output string) error {
	if input == "-" {
		return usageError("-: give the code as an argument; this command does not read standard input")
	}
	encode := map[string]func(qrCode) ([]byte, error){".png": qrCode.png, ".svg": qrCode.svg}[strings.ToLower(filepath.Ext(output))]
	if encode == nil && output != "-" {
		return usageError("-o %s: want a file that ends in .png or .svg", output)
	}
	code, err := a.printedCode(input)
	if err != nil {
		return err
	}
	q, err := newQRCode(code)
	if err != nil {
		return err
	}
	if encode == nil {
		_, err := fmt.Fprintf(a.out, "%s%s\n", q.draw(a.out.styled), code)
		return err
	}
	file, err := encode(q)
	if err != nil {
		return err
	}
	if err := atomicfile.WriteFile(output, file, 0o644); err != nil {
		return err
	}
	fmt.Fprintf(a.err, "Wrote %s: %s\n", output, code)
	return nil
}

// printedCode returns a text as its code is printed, once it has no typing error.
// The ring of a licensing home tells where the prefix ends, and so the place of an
// error. No ring is needed: a reader without keys takes a text without error for a
// code of a key that it does not know.
func (a *app) printedCode(input string) (string, error) {
	reader, err := payload.NewReader()
	if err != nil {
		return "", err
	}
	h, err := home.Open(a.dir)
	if err == nil {
		reader = h.Ring.Reader()
	} else if !errors.Is(err, home.ErrNone) {
		return "", err
	}
	n, symbols, err := reader.Read(input, nil)
	if err == nil {
		key, _ := h.Ring.MintKey(n)
		return string(payload.AppendCode(nil, key.Descriptor().Prefix, symbols, payload.GroupSize)), nil
	}
	var read *payload.ReadError // which every error of a reader is
	errors.As(err, &read)
	switch read.Reason {
	case payload.UnknownKey:
		return foreignCode(input)
	case payload.LaterFormat:
		return "", &exitError{exitNotAuthentic, fmt.Errorf("%s: %w", printable(input), read)}
	}
	if read.Proposal != "" {
		err = fmt.Errorf("%w; did you mean %s?", read, read.Proposal)
	}
	return "", &exitError{exitMalformed, fmt.Errorf("%s: %w", printable(input), err)}
}

// foreignCode returns the code of an unknown key as it is printed. The prefix is
// what stands before the first well-formed end, as in rule D of SPEC.md, section 5.3.
func foreignCode(input string) (string, error) {
	t, err := payload.AppendNormalized(nil, input)
	if err != nil {
		return "", err
	}
	d := 0
	for d == 1 || len(t)-d > payload.MaxCode || !payload.WellFormed(t[d:]) {
		d++
	}
	if d > 0 && (t[0] < 'A' || bytes.ContainsRune(t[:d], payload.Placeholder)) { // no prefix begins so, or has that
		return "", &exitError{exitMalformed, fmt.Errorf("%s: %w", printable(input), &payload.ReadError{Reason: payload.ExtraText, Before: d})}
	}
	return string(payload.AppendCode(nil, string(t[:d]), t[d:], payload.GroupSize)), nil
}

// quietZone is the light margin of a QR code, in modules.
const quietZone = 4

// A qrCode is a QR code with its quiet zone.
type qrCode struct {
	image.Image        // a pixel for each module, without the quiet zone
	code        string // what it says
	size        int    // modules in a row, with the quiet zone
}

// newQRCode encodes a code as it is printed, hyphens and prefix included: what a
// scanner shows can be compared with the print, and read out and pasted like it.
// Prefix and symbols alone would read the same (SPEC.md, section 5.3) but gain only
// one size, 25 modules instead of 29 for a code of 32 symbols, since in alphanumeric
// mode, which has capital letters, digits and the hyphen, a hyphen takes 5.5 bits.
func newQRCode(code string) (qrCode, error) {
	b, err := qr.Encode(code, qr.M, qr.AlphaNumeric)
	if err != nil {
		return qrCode{}, fmt.Errorf("QR code: %w", err)
	}
	return qrCode{b, code, b.Bounds().Dx() + 2*quietZone}, nil
}

// dark reports whether a module is dark.
func (q qrCode) dark(x, y int) bool {
	p := image.Pt(x-quietZone, y-quietZone)
	return p.In(q.Bounds()) && color.GrayModel.Convert(q.At(p.X, p.Y)).(color.Gray).Y == 0
}

// qrStyle is black on white of the part of the palette that no terminal changes:
// a scanner wants dark on light, and most terminals are light on dark.
var qrStyle = lipgloss.NewStyle().Foreground(lipgloss.Color("16")).Background(lipgloss.Color("231"))

// draw returns the QR code in half blocks, two modules a character.
func (q qrCode) draw(styled bool) string {
	halves := map[[2]bool]rune{{false, false}: ' ', {true, false}: '▀', {false, true}: '▄', {true, true}: '█'}
	var b strings.Builder
	for y := 0; y < q.size; y += 2 {
		var line strings.Builder
		for x := range q.size {
			line.WriteRune(halves[[2]bool{q.dark(x, y), q.dark(x, y+1)}])
		}
		if styled {
			b.WriteString(qrStyle.Render(line.String()) + "\n")
		} else {
			b.WriteString(line.String() + "\n")
		}
	}
	return b.String()
}

// png returns the QR code as a PNG file of two colours.
func (q qrCode) png() ([]byte, error) {
	const pixels = 10 // of a module
	img := image.NewPaletted(image.Rect(0, 0, q.size*pixels, q.size*pixels), color.Palette{color.White, color.Black})
	for y := range q.size * pixels {
		for x := range q.size * pixels {
			if q.dark(x/pixels, y/pixels) {
				img.SetColorIndex(x, y, 1)
			}
		}
	}
	var b bytes.Buffer
	err := png.Encode(&b, img)
	return b.Bytes(), err
}

// svg returns the QR code as an SVG file: a path of the dark runs of each row, a
// module being a millimetre.
func (q qrCode) svg() ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %[1]d" width="%[1]dmm" height="%[1]dmm" shape-rendering="crispEdges">`+"\n", q.size)
	fmt.Fprintf(&b, "<title>%s</title>\n", q.code)
	fmt.Fprintf(&b, `<rect width="%d" height="%[1]d" fill="#fff"/>`+"\n"+`<path fill="#000" d="`, q.size)
	for y := range q.size {
		for x := 0; x < q.size; x++ {
			start := x
			for q.dark(x, y) {
				x++
			}
			if x > start {
				fmt.Fprintf(&b, "M%d %dh%dv1h-%[3]dz", start, y, x-start)
			}
		}
	}
	b.WriteString("\"/>\n</svg>\n")
	return b.Bytes(), nil
}
