package main

// The rules of output, for every command:
//
//   - Results go to standard output, talk goes to standard error.
//   - Colour and boxes appear only on a terminal, decided for each stream by
//     itself. NO_COLOR, when not empty, and TERM=dumb turn them off.
//   - A pipe gets plain text: no escape sequence, no carriage return.
//   - Text from outside never reaches the terminal raw, see printable.
//   - Messages begin in lower case and have no final stop; they name the thing,
//     the place and the remedy.
//
// This is the only file that knows how anything looks.

import (
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"unicode"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"
	"golang.org/x/term"
)

// A stream is standard output or standard error.
type stream struct {
	*os.File
	terminal bool
	styled   bool  // whether colour and boxes are shown
	lost     error // the first error of a write, which is then not overlooked
}

func newStream(f *os.File) *stream {
	terminal := term.IsTerminal(int(f.Fd()))
	return &stream{File: f, terminal: terminal, styled: terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

func (s *stream) Write(b []byte) (int, error) {
	n, err := s.File.Write(b)
	if s.lost == nil {
		s.lost = err
	}
	return n, err
}

func (s *stream) WriteString(text string) (int, error) { return s.Write([]byte(text)) }

// A role is what a piece of text is for.
type role int

const (
	roleHeading role = iota
	roleGood
	roleBad
	roleCode
	roleQuiet
)

var styles = map[role]lipgloss.Style{
	roleHeading: lipgloss.NewStyle().Bold(true),
	roleGood:    lipgloss.NewStyle().Foreground(lipgloss.Green),
	roleBad:     lipgloss.NewStyle().Foreground(lipgloss.Red).Bold(true),
	roleCode:    lipgloss.NewStyle().Foreground(lipgloss.Cyan),
	roleQuiet:   lipgloss.NewStyle().Faint(true),
}

// paint returns text in the style of its role, if the stream shows styles.
func (s *stream) paint(r role, text string) string {
	if !s.styled {
		return text
	}
	return styles[r].Render(text)
}

// table prints rows under headers: in a box on a terminal, else in columns.
func (s *stream) table(headers []string, rows [][]string) error {
	if s.styled {
		t := table.New().Border(lipgloss.RoundedBorder()).Headers(headers...).Rows(rows...).
			StyleFunc(func(row, _ int) lipgloss.Style {
				style := lipgloss.NewStyle().Padding(0, 1)
				if row == table.HeaderRow {
					return style.Bold(true)
				}
				return style
			})
		_, err := fmt.Fprintln(s, t.Render())
		return err
	}
	w := tabwriter.NewWriter(s, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{headers}, rows...) {
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return w.Flush()
}

// plural returns a number of things, such as 1 key or 2 keys.
func plural[N int | uint64](n N, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// maxShown is how many characters of foreign text are shown.
const maxShown = 200

// printable returns text from outside in a form that can't command a terminal
// and keeps to one line. Every character stays one character; where there is none,
// that is said.
func printable(text string) string {
	if text == "" {
		return "(empty)"
	}
	if isPlain(text) {
		return text
	}
	n, all := 0, utf8.RuneCountInString(text)
	return strings.Map(func(r rune) rune {
		n++
		switch {
		case n == maxShown && all > maxShown:
			return '…'
		case n > maxShown:
			return -1
		case unicode.IsGraphic(r):
			return r
		}
		return '·'
	}, text)
}

// isPlain reports whether a text is short and of ASCII letters, digits, marks and
// spaces only. Every line of a long list is looked at, so it takes eight bytes at once.
func isPlain(text string) bool {
	if len(text) > maxShown {
		return false
	}
	const ones = 0x0101010101010101
	var odd uint64 // the highest bit of each byte says that a character was none of those
	for ; len(text) >= 8; text = text[8:] {
		w := binary.LittleEndian.Uint64([]byte(text[:8]))
		odd |= w | (w - ' '*ones) | (w + ones) // a borrow or a carry comes from an odd byte only
	}
	for i := range len(text) {
		c := uint64(text[i])
		odd |= c | (c - ' ') | (c + 1)
	}
	return odd&(0x80*ones) == 0
}

// width returns how many columns of a terminal a text takes.
func width(text string) int { return lipgloss.Width(text) }
