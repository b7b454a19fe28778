package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"regexp"
	"strconv"
	"strings"
	"testing"

	goqr "github.com/piglig/go-qr" // a decoder that shares no code with the encoder

	"github.com/licet-dev/licet/payload"
)

// qrCodes are codes as they are printed, with the version of their QR code, which
// has 17 + 4 * version modules in a row. A version takes so many characters in
// alphanumeric mode at level M: 20, 38, 61, 90, 122, 154, 178, 221.
var qrCodes = []struct {
	name, code string
	version    int
}{
	{"hs256", hs256Code, 3},
	{"es256", es256Code, 6},
	{"shortest", string(payload.AppendCode(nil, "", payload.AppendCheck([]byte("AZ23456789")), 4)), 1},
	{"longest", string(payload.AppendCode(nil, "Z0O1I789", payload.AppendCheck(bytes.Repeat([]byte("Z"), payload.MaxCode-payload.CheckSymbols)), 4)), 8},
}

func TestQRDecodes(t *testing.T) {
	for _, c := range qrCodes {
		t.Run(c.name, func(t *testing.T) {
			q, err := newQRCode(c.code)
			if err != nil {
				t.Fatal(err)
			}
			file, err := q.png()
			if err != nil {
				t.Fatal(err)
			}
			img, err := png.Decode(bytes.NewReader(file))
			if err != nil {
				t.Fatal(err)
			}
			checkQR(t, img, c.code, c.version)
			if again, _ := q.png(); !bytes.Equal(again, file) {
				t.Error("the same code gives two PNG files")
			}
			svg, err := q.svg()
			if err != nil {
				t.Fatal(err)
			}
			for name, m := range map[string]modules{
				"png": pngModules(img, q.size), "svg": svgModules(t, svg, c.code, q.size), "text": textModules(t, q.draw(false), q.size),
			} {
				for y := range q.size {
					for x := range q.size {
						margin := min(x, y, q.size-1-x, q.size-1-y) < quietZone
						if m[image.Pt(x, y)] != q.dark(x, y) || margin && q.dark(x, y) {
							t.Fatalf("%s: module %d,%d is wrong", name, x, y)
						}
					}
				}
			}
		})
	}
}

// checkQR decodes an image, as it is and with a part of it damaged.
func checkQR(t *testing.T, img image.Image, code string, version int) {
	t.Helper()
	damaged := image.NewGray(img.Bounds())
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			c := color.GrayModel.Convert(img.At(x, y)).(color.Gray)
			if x := x/10 - quietZone; version > 1 && x >= 10 && x < 13 && y/10-quietZone >= 10 && y/10-quietZone < 13 {
				c.Y = ^c.Y
			}
			damaged.SetGray(x, y, c)
		}
	}
	for _, img := range []image.Image{img, damaged} {
		got, err := goqr.DecodeDetailed(img)
		if err != nil {
			t.Fatal(err)
		}
		if got.Text != code || got.Version != version || got.Ecc != goqr.Medium {
			t.Errorf("decoded %q, version %d, level %d; want %q, version %d, level %d", got.Text, got.Version, got.Ecc, code, version, goqr.Medium)
		}
		if len(got.Segments) != 1 || got.Segments[0].Mode != 2 || got.Segments[0].NumChars != len(code) {
			t.Errorf("segments %+v, want one in alphanumeric mode", got.Segments)
		}
	}
}

// modules tells which modules are dark.
type modules map[image.Point]bool

func pngModules(img image.Image, size int) modules {
	m := modules{}
	scale := img.Bounds().Dx() / size
	for y := range size {
		for x := range size {
			r, g, b, a := img.At(x*scale+scale/2, y*scale+scale/2).RGBA()
			m[image.Pt(x, y)] = r+g+b == 0 && a == 0xffff
		}
	}
	return m
}

func svgModules(t *testing.T, file []byte, code string, size int) modules {
	t.Helper()
	var svg struct {
		XMLName xml.Name `xml:"http://www.w3.org/2000/svg svg"`
		ViewBox string   `xml:"viewBox,attr"`
		Title   string   `xml:"title"`
		Rect    struct {
			Width int `xml:"width,attr"`
		} `xml:"rect"`
		Path []struct {
			D string `xml:"d,attr"`
		} `xml:"path"`
	}
	if err := xml.Unmarshal(file, &svg); err != nil {
		t.Fatal(err)
	}
	if svg.ViewBox != fmt.Sprintf("0 0 %d %d", size, size) || svg.Title != code || svg.Rect.Width != size || len(svg.Path) != 1 {
		t.Fatalf("SVG %+v", svg)
	}
	m := modules{}
	run := regexp.MustCompile(`M(\d+) (\d+)h(\d+)v1h-(\d+)z`)
	if rest := run.ReplaceAllString(svg.Path[0].D, ""); rest != "" {
		t.Fatalf("path has %q", rest)
	}
	for _, r := range run.FindAllStringSubmatch(svg.Path[0].D, -1) {
		var n [4]int
		for i := range n {
			n[i], _ = strconv.Atoi(r[i+1])
		}
		if n[2] != n[3] {
			t.Fatalf("run %s is not closed", r[0])
		}
		for x := range n[2] {
			m[image.Pt(n[0]+x, n[1])] = true
		}
	}
	return m
}

func textModules(t *testing.T, text string, size int) modules {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) != (size+1)/2 {
		t.Fatalf("%d lines, want %d", len(lines), (size+1)/2)
	}
	m := modules{}
	for y, line := range lines {
		if n := len([]rune(line)); n != size {
			t.Fatalf("line of %d characters, want %d", n, size)
		}
		for x, r := range []rune(line) {
			m[image.Pt(x, 2*y)] = r == '▀' || r == '█'
			m[image.Pt(x, 2*y+1)] = r == '▄' || r == '█'
		}
	}
	return m
}

// On a terminal every line is black on white, whatever its own colours are.
func TestQRColours(t *testing.T) {
	q, err := newQRCode(hs256Code)
	if err != nil {
		t.Fatal(err)
	}
	plain := strings.Split(q.draw(false), "\n")
	for i, line := range strings.Split(q.draw(true), "\n") {
		want := "\x1b[38;5;16;48;5;231m" + plain[i] + "\x1b[m"
		if plain[i] == "" {
			want = ""
		}
		if line != want {
			t.Errorf("line %d: %q, want %q", i, line, want)
		}
	}
	if q, err := newQRCode("lower case"); err == nil {
		t.Errorf("a text that alphanumeric mode lacks: %+v", q)
	}
}

func TestQRForeignCode(t *testing.T) {
	body := strings.ReplaceAll(strings.TrimPrefix(hs256Code, "ACME-"), "-", "")
	for _, c := range []struct{ input, want string }{
		{body, strings.TrimPrefix(hs256Code, "ACME-")},
		{strings.ToLower(hs256Code) + ".", hs256Code},
		{"a0-" + body, "A0-" + strings.TrimPrefix(hs256Code, "ACME-")},
		{"A1234567" + body, "A1234567-" + strings.TrimPrefix(hs256Code, "ACME-")},
		{"7A" + body, ""}, // no prefix begins so
		{"?A" + body, ""},
		{"A?" + body, ""},
	} {
		got, err := foreignCode(c.input)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%q: %q, %v; want %q", c.input, got, err, c.want)
		}
		if err == nil {
			continue
		}
		if want := "text around the code: 2 characters before it, 0 after it"; !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: %v, want ... %s", c.input, err, want)
		}
	}
}
