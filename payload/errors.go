package payload

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// A Reason is why a text can't be read as a code of a known key. It is an error,
// so that callers can match it with errors.Is, and its text is stable.
type Reason string

// The reasons. All but [UnknownKey] and [LaterFormat] mean that the text is
// malformed: typed, copied or cut wrongly.
const (
	Empty          Reason = "empty"           // nothing but characters that make no difference
	TooLong        Reason = "too-long"        // more than MaxInput bytes
	WrongLength    Reason = "wrong-length"    // Have characters instead of Want
	PrefixOnly     Reason = "prefix-only"     // the prefix without a code
	Unreadable     Reason = "unreadable"      // characters that no code has, see Places
	Typo           Reason = "typo"            // the check symbols don't fit
	Repeated       Reason = "repeated"        // the same code Copies times
	WrongPrefix    Reason = "wrong-prefix"    // a good code after the prefix of something else
	ExtraText      Reason = "extra-text"      // a good code with Before and After characters around it
	SpareBits      Reason = "spare-bits"      // a bit that must be zero is not
	SignatureRange Reason = "signature-range" // the signature is not in its one spelling

	UnknownKey  Reason = "unknown-key"  // a good text, but no known key has its number
	LaterFormat Reason = "later-format" // key number 0, reserved for later versions
)

// Error returns the reason as a code such as "wrong-length".
func (r Reason) Error() string { return string(r) }

// Malformed reports whether the reason is an error of typing or copying.
func (r Reason) Malformed() bool { return r != UnknownKey && r != LaterFormat }

// A Place is the place of one wrong character.
type Place struct {
	// Group and Char say where the character is in the code as it is printed in
	// groups of 4, the prefix not counted, from 1. They are 0 for texts of the
	// wrong length.
	Group, Char int

	Input int  // number of the character in the input, from 1
	Got   rune // what stands there; utf8.RuneError for a byte that is not UTF-8
	Want  byte // the right symbol, or 0 when it is not known
}

// A ReadError says why a text can't be read as a code. No fields of a licence
// come with it.
type ReadError struct {
	Reason Reason
	Key    int     // key number, for UnknownKey, SpareBits and SignatureRange
	Places []Place // the wrong characters, for Unreadable and Typo
	Slip   SlipKind

	// Proposal is the code with the wrong characters put right, as it is printed,
	// or "". Show it as a question: only a good signature tells that it is what
	// was meant. Confirmed says that whoever returned the error checked that.
	Proposal  string
	Confirmed bool

	Have, Want    int // characters; bytes for TooLong
	Before, After int // characters around the code, for ExtraText and WrongPrefix
	Copies        int // how often the code was pasted, for Repeated
}

// Unwrap returns the reason.
func (e *ReadError) Unwrap() error { return e.Reason }

// Forget removes the repair and the places that follow from it, for callers that
// found its signature to be bad.
func (e *ReadError) Forget() {
	e.Proposal = ""
	if e.Reason == Typo {
		e.Places, e.Slip = nil, 0
	}
	for i := range e.Places {
		e.Places[i].Want = 0
	}
}

// Error describes the error to the person who typed the code.
func (e *ReadError) Error() string {
	switch e.Reason {
	case Empty:
		return "no code given"
	case TooLong:
		return fmt.Sprintf("text of %d bytes; no more than %d are read, and a code has at most %d symbols", e.Have, e.Want, MaxCode)
	case WrongLength:
		return e.lengthText()
	case PrefixOnly:
		return "only the prefix, the code itself is missing"
	case Unreadable:
		return e.placesText()
	case Typo:
		if len(e.Places) == 0 {
			return "typing error: more than one character is wrong, or text stands before or after the code"
		}
		return "typing error: " + e.placesText()
	case Repeated:
		return fmt.Sprintf("the code was pasted %d times", e.Copies)
	case WrongPrefix:
		return "the prefix belongs to another product or issuer"
	case ExtraText:
		return fmt.Sprintf("text around the code: %s before it, %d after it", characters(e.Before), e.After)
	case SpareBits, SignatureRange:
		return fmt.Sprintf("the signature is not written as it must be (%s)", string(e.Reason))
	case UnknownKey:
		return fmt.Sprintf("made with key %d, which is not known here", e.Key)
	case LaterFormat:
		return "made for a later version of the format"
	}
	return string(e.Reason)
}

func (e *ReadError) lengthText() string {
	switch {
	case e.Want == 0:
		return characters(e.Have) + "; no code has this length"
	case e.Have < e.Want:
		return fmt.Sprintf("%s instead of %d: %d missing", characters(e.Have), e.Want, e.Want-e.Have)
	default:
		return fmt.Sprintf("%s instead of %d: %d too many", characters(e.Have), e.Want, e.Have-e.Want)
	}
}

func characters(n int) string {
	if n == 1 {
		return "1 character"
	}
	return strconv.Itoa(n) + " characters"
}

// maxPlacesTold is how many places a message names.
const maxPlacesTold = 8

func (e *ReadError) placesText() string {
	should, are := "is possibly", "are possibly"
	if e.Confirmed {
		should, are = "should be", "are"
	}
	if e.Slip == Transposition && len(e.Places) == 2 {
		a, b := e.Places[0], e.Places[1]
		return fmt.Sprintf("%c and %c %s exchanged (%s and %s)", a.Got, b.Got, are, a.where(), b.where())
	}
	var parts []string
	for i, p := range e.Places {
		if i == maxPlacesTold {
			parts = append(parts, fmt.Sprintf("and %d more", len(e.Places)-i))
			break
		}
		switch {
		case p.Want != 0 && e.Reason == Typo:
			parts = append(parts, fmt.Sprintf("%s %s %c, not %c", p.where(), should, p.Want, p.Got))
		case p.Want != 0:
			parts = append(parts, fmt.Sprintf("%s: %s; it %s %c", p.where(), p.what(), should, p.Want))
		default:
			parts = append(parts, fmt.Sprintf("%s: %s", p.where(), p.what()))
		}
	}
	return strings.Join(parts, "; ")
}

func (p Place) where() string {
	if p.Group == 0 {
		return fmt.Sprintf("character %d of the input", p.Input)
	}
	return fmt.Sprintf("group %d, character %d", p.Group, p.Char)
}

// what describes a character that no code has. Letters of other scripts look
// like Latin ones, so the message names the script and the remedy.
func (p Place) what() string {
	for name, table := range map[string]*unicode.RangeTable{"Cyrillic": unicode.Cyrillic, "Greek": unicode.Greek, "Hangul": unicode.Hangul} {
		if unicode.Is(table, p.Got) {
			return fmt.Sprintf("%q is a %s letter; switch the keyboard to Latin letters", p.Got, name)
		}
	}
	if p.Got == unicode.ReplacementChar {
		return "a byte that is not UTF-8 text"
	}
	return fmt.Sprintf("%q is never used in a code", p.Got)
}
