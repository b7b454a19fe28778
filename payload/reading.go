package payload

import "bytes"

// A Reading is a text taken apart as a code, be it one or not: it shows people where
// a text went wrong. Nothing of it is authentic.
type Reading struct {
	// Key is the number of the key as whose code the text is read, 1 to 31. For a
	// well-formed text of a key that the reader does not have, it is what the first
	// symbol says. It is 0 for a later format, and when no key can be told.
	Key int

	Before  string // what stands before the code and its prefix, normalised
	Prefix  string // the prefix, or ""; of a key that is not known, what stands before the code
	Symbols []byte // what stands for the symbols of the code, normalised
	Inputs  []int  // of each symbol the number of its character in the input, from 1
	After   string // what stands after the code, normalised
}

// maxMissing is by how many characters a text without prefix may miss the length of a
// code and still resemble it, as in rule E of SPEC.md, section 5.3.
const maxMissing = 8

// Nearest takes input apart as the code that [Reader.Read] takes it for, or that it
// resembles most when it is none: as the code inside for a text with more around it,
// as the first copy for a code pasted several times. It reports false when the text
// resembles no code.
func (r *Reader) Nearest(input string) (Reading, bool) {
	t, err := AppendNormalized(nil, input)
	if err != nil || len(t) == 0 {
		return Reading{}, false
	}
	s, begin, end := r.span(input, t)
	if begin == end {
		return Reading{}, false
	}
	n := Reading{Key: s.Number, Before: string(t[:begin]), Symbols: t[begin:end], After: string(t[end:])}
	if before, ok := bytes.CutSuffix(t[:begin], []byte(s.Prefix)); ok {
		n.Before, n.Prefix = string(before), s.Prefix
	}
	for _, c := range locate(input)[begin:end] {
		n.Inputs = append(n.Inputs, c.input)
	}
	return n, true
}

// span returns what is read as a code in t, the normalised input, and as which shape.
func (r *Reader) span(input string, t []byte) (s Shape, begin, end int) {
	if s, symbols := r.exact(t); symbols != nil {
		return s, len(t) - len(symbols), len(t)
	}
	switch e := r.explain(input, t); e.Reason {
	case PrefixOnly:
		return Shape{}, 0, 0
	case ExtraText, WrongPrefix:
		end := len(t) - e.After
		s, symbols := r.exact(t[e.Before:end])
		return s, end - len(symbols), end
	case Repeated:
		return r.firstCopy(t, e.Copies)
	}
	for _, d := range r.foreignOffsets(t) {
		if n := len(t) - d; minForeign <= n && n <= maxForeign && WellFormed(t[d:]) {
			number, _ := SymbolValue(t[d])
			for _, s := range r.shapes {
				if s.Number == number {
					return s, d, len(t)
				}
			}
			return Shape{Number: number, Prefix: string(t[:d])}, d, len(t)
		}
	}
	c, ok := r.resemblance(t)
	if ok && !c.prefixed && c.distance(len(t)) > maxMissing || !ok && (len(t) < minForeign || len(t) > maxForeign) {
		return Shape{}, 0, 0
	}
	return c.Shape, c.offset(), len(t)
}

// firstCopy returns the first of the copies that t consists of.
func (r *Reader) firstCopy(t []byte, copies int) (s Shape, begin, end int) {
	for _, s := range r.shapes {
		for _, prefix := range s.prefixes() {
			if code, ok := s.codeAt(t, prefix); ok && bytes.Count(t, code) == copies {
				return s, len(prefix), len(prefix) + len(code)
			}
		}
	}
	return Shape{}, 0, 0
}
