package payload

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// MaxKey is the largest key number. Number 0 is reserved for later formats.
const MaxKey = 31

// signatureSymbols is the number of symbols of the longest signature, of 512 bits.
const signatureSymbols = 103

// MaxCode is the number of symbols of the longest code.
const MaxCode = 1 + MaxPayloadBits/5 + signatureSymbols + CheckSymbols

// A Shape is what the text of a key's codes looks like.
type Shape struct {
	Number  int    // key number, 1 to 31, which the first symbol tells
	Prefix  string // prefix of the key, or ""; a text may leave it out
	Symbols int    // symbols of a code, check symbols included, prefix not
}

// fits reports whether t begins like a code of this shape, with its prefix or without.
func (s Shape) fits(t []byte, prefixed bool) bool {
	if prefixed {
		if s.Prefix == "" || len(t) < len(s.Prefix) || string(t[:len(s.Prefix)]) != s.Prefix {
			return false
		}
		t = t[len(s.Prefix):]
	}
	return len(t) > 0 && t[0] == Alphabet[s.Number]
}

// A Reader reads text as codes of a fixed set of keys. It is safe for concurrent use.
type Reader struct {
	shapes []Shape // by number
}

// NewReader returns a reader for codes of these shapes. It refuses shapes that a
// text could not be told apart by: two keys of which one could take the other's
// codes for its own (SPEC.md, section 5.2), and numbers that no key has. A reader
// without shapes tells typing errors only.
func NewReader(shapes ...Shape) (*Reader, error) {
	r := &Reader{slices.SortedFunc(slices.Values(shapes), func(a, b Shape) int { return cmp.Compare(a.Number, b.Number) })}
	for i, a := range r.shapes {
		if a.Number < 1 || a.Number > MaxKey {
			return nil, fmt.Errorf("key number %d: want 1 to %d", a.Number, MaxKey)
		}
		if a.Symbols < minForeign || a.Symbols > MaxCode {
			return nil, fmt.Errorf("key %d: codes of %d symbols: want %d to %d", a.Number, a.Symbols, minForeign, MaxCode)
		}
		for _, b := range r.shapes[:i] {
			if a.Number == b.Number {
				return nil, fmt.Errorf("two keys have the number %d", a.Number)
			}
			if a.clashes(b) {
				return nil, fmt.Errorf("codes of key %d and key %d can't be told apart: their prefixes (%q, %q) and lengths (%d, %d symbols) collide; use another prefix or layout",
					b.Number, a.Number, b.Prefix, a.Prefix, b.Symbols, a.Symbols)
			}
		}
	}
	return r, nil
}

func (s Shape) clashes(o Shape) bool {
	for _, p := range s.forms() {
		for _, q := range o.forms() {
			if len(p)+s.Symbols == len(q)+o.Symbols && (strings.HasPrefix(p, q) || strings.HasPrefix(q, p)) {
				return true
			}
		}
	}
	return false
}

// forms returns how codes of the shape begin.
func (s Shape) forms() []string {
	bare := string(Alphabet[s.Number])
	if s.Prefix == "" {
		return []string{bare}
	}
	return []string{bare, s.Prefix + bare}
}

// Read reads input as one code. It returns the key number and the symbols of the
// code, which are well formed and have the length of the key; they stand in buf.
// For a good code Read allocates nothing when buf has room for the input. Any
// other text is a [ReadError].
//
// What Read returns is not authentic: anybody can write a well-formed code.
func (r *Reader) Read(input string, buf []byte) (key int, symbols []byte, err error) {
	if key, symbols := r.printed(input, buf[:0]); symbols != nil {
		return key, symbols, nil
	}
	t, err := AppendNormalized(buf[:0], input)
	if err != nil {
		return 0, nil, err
	}
	if s, symbols := r.exact(t); symbols != nil {
		return s.Number, symbols, nil
	}
	return 0, nil, r.explain(input, bytes.Clone(t)) // cloned, so that buf can stay on the stack
}

// printed reads a code that is written just as [AppendCode] prints it, which most
// are. It finds nothing that rule A would not find; it is faster, since it looks
// at groups and not at characters.
func (r *Reader) printed(input string, dst []byte) (key int, symbols []byte) {
	for i := range r.shapes {
		s := &r.shapes[i]
		rest := input
		if n := len(s.Prefix); n > 0 && len(input) > n && input[n] == '-' && input[:n] == s.Prefix {
			rest = input[n+1:]
		}
		if len(rest) != s.Symbols+(s.Symbols-1)/GroupSize || rest[0] != Alphabet[s.Number] {
			continue
		}
		t := slices.Grow(dst, s.Symbols)[:s.Symbols]
		out := t
		for len(rest) > GroupSize && len(out) > GroupSize && rest[GroupSize] == '-' {
			out[0], out[1], out[2], out[3] = rest[0], rest[1], rest[2], rest[3]
			rest, out = rest[GroupSize+1:], out[GroupSize:]
		}
		if len(rest) == len(out) && copy(out, rest) == len(out) && WellFormed(t) {
			return s.Number, t
		}
	}
	return 0, nil
}

// exact applies rule A. The shape rule leaves at most one fitting shape.
func (r *Reader) exact(t []byte) (Shape, []byte) {
	for _, s := range r.shapes {
		switch {
		case len(t) == s.Symbols && s.fits(t, false):
		case len(t) == len(s.Prefix)+s.Symbols && s.fits(t, true):
		default:
			continue
		}
		if symbols := t[len(t)-s.Symbols:]; WellFormed(symbols) {
			return s, symbols
		}
		return Shape{}, nil
	}
	return Shape{}, nil
}

// explain finds out why t, the normalised input, is not a code.
func (r *Reader) explain(input string, t []byte) *ReadError {
	if len(t) == 0 {
		return &ReadError{Reason: Empty}
	}
	for _, rule := range []func([]byte) *ReadError{r.repeated, r.inside, r.foreign} {
		if err := rule(t); err != nil {
			return err
		}
	}
	return r.nearest(input, t)
}

// repeated applies rule B: the same code several times, each with or without its prefix.
func (r *Reader) repeated(t []byte) *ReadError {
	for _, s := range r.shapes {
		for _, prefix := range s.prefixes() {
			code, ok := s.codeAt(t, prefix)
			if !ok {
				continue
			}
			rest, copies := t[len(prefix)+len(code):], 1
			for len(rest) > 0 {
				next, ok := bytes.CutPrefix(rest, append([]byte(s.Prefix), code...))
				if !ok {
					next, ok = bytes.CutPrefix(rest, code)
				}
				if !ok {
					break
				}
				rest = next
				copies++
			}
			if len(rest) == 0 && copies > 1 {
				return &ReadError{Reason: Repeated, Copies: copies}
			}
		}
	}
	return nil
}

// prefixes returns the ways to write the prefix, the full one first.
func (s Shape) prefixes() []string {
	if s.Prefix == "" {
		return []string{""}
	}
	return []string{s.Prefix, ""}
}

// codeAt returns the well-formed code of the shape that t begins with, after the
// given prefix.
func (s Shape) codeAt(t []byte, prefix string) ([]byte, bool) {
	rest, ok := bytes.CutPrefix(t, []byte(prefix))
	if !ok || len(rest) < s.Symbols || !s.fits(rest, false) {
		return nil, false
	}
	code := rest[:s.Symbols]
	return code, WellFormed(code)
}

// maxAround is how much text around a code is told apart from a wrong code.
const maxAround = 16

// inside applies rule C: a good code with other text around it.
func (r *Reader) inside(t []byte) *ReadError {
	for _, s := range r.shapes {
		for _, prefix := range s.prefixes() {
			for x := 0; x <= maxAround && x < len(t); x++ {
				after := len(t) - x - len(prefix) - s.Symbols
				if after < 0 || x+after == 0 || x+after > maxAround {
					continue
				}
				if _, ok := s.codeAt(t[x:], prefix); !ok {
					continue
				}
				e := &ReadError{Reason: ExtraText, Before: x, After: after}
				if after == 0 && prefix == "" && 2 <= x && x <= 8 && !bytes.ContainsRune(t[:x], Placeholder) {
					e.Reason = WrongPrefix
				}
				return e
			}
		}
	}
	return nil
}

// Lengths between which a well-formed text is taken for a code of somebody.
const (
	minForeign = 12
	maxForeign = MaxCode
)

// foreign applies rule D: a code of a key or a format that is not known here.
func (r *Reader) foreign(t []byte) *ReadError {
	for _, d := range r.foreignOffsets(t) {
		n := len(t) - d
		if n < minForeign || n > maxForeign || !WellFormed(t[d:]) {
			continue
		}
		number, _ := SymbolValue(t[d])
		if number == 0 {
			return &ReadError{Reason: LaterFormat}
		}
		for _, s := range r.shapes {
			if s.Number == number {
				return &ReadError{Reason: WrongLength, Have: n, Want: s.Symbols}
			}
		}
		return &ReadError{Reason: UnknownKey, Key: number}
	}
	return nil
}

// foreignOffsets returns where a foreign code may begin in t. The end of a text
// that has the beginning and the length of a known code is not looked at: once in
// a thousand times a typing error would make it well formed by chance.
func (r *Reader) foreignOffsets(t []byte) []int {
	for _, s := range r.shapes {
		if s.Prefix != "" && len(t) == len(s.Prefix)+s.Symbols && bytes.HasPrefix(t, []byte(s.Prefix)) {
			return []int{len(s.Prefix)}
		}
	}
	for _, s := range r.shapes {
		if len(t) == s.Symbols && s.fits(t, false) {
			return []int{0}
		}
	}
	return []int{0, 2, 3, 4, 5, 6, 7, 8}
}
