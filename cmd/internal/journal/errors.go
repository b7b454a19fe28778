package journal

import (
	"fmt"

	"github.com/licet-dev/licet/keys"
)

// A FullError means that a key has too few serials left for a product.
type FullError struct {
	Key     int
	KeyID   keys.ID
	Product uint64
	Count   uint64 // how many were asked for
	Left    uint64
	Max     uint64 // the largest serial of the key
}

// Error names how many serials are left, and the remedy.
func (e *FullError) Error() string {
	left := fmt.Sprintf("%d serials", e.Left)
	switch e.Left {
	case 0:
		left = "no serials"
	case 1:
		left = "1 serial"
	}
	return fmt.Sprintf("count %d: key %d (%s) has %s left for product %d, the largest is %d; for more, make a new key",
		e.Count, e.Key, e.KeyID, left, e.Product, e.Max)
}

// An OverlapError means that serials were handed out before.
type OverlapError struct {
	Key     int
	KeyID   keys.ID
	Product uint64
	Want    Range
	Taken   Range  // the first part of Want that was handed out
	Earlier Entry  // the entry that has Taken, or the beginning of it
	Highest uint64 // the highest serial that was handed out
	Max     uint64 // the largest serial of the key
}

// Error names the serials, when they were handed out, and the remedy.
func (e *OverlapError) Error() string {
	text := fmt.Sprintf("%s of key %d (%s) and product %d: ", e.Want, e.Key, e.KeyID, e.Product)
	if e.Want == e.Taken {
		text += "handed out already"
	} else {
		text += fmt.Sprintf("%s handed out already", e.Taken)
	}
	if e.Earlier.Line > 0 {
		text += fmt.Sprintf(" on %s (line %d of the journal)", e.Earlier.Time.Format("2006-01-02"), e.Earlier.Line)
	}
	if e.Highest >= e.Max {
		return text + fmt.Sprintf("; serial %d, the largest of the key, is handed out too", e.Max)
	}
	return text + fmt.Sprintf("; take serials from %d on", e.Highest+1)
}

// An UnknownError means that serials were to be repeated or renewed that were never
// handed out.
type UnknownError struct {
	Key     int
	KeyID   keys.ID
	Product uint64
	Kind    Kind // [Again] or [Renew]
	Want    Range
	Unknown Range // the first part of Want that was never handed out
}

// Error names the serials and the remedy.
func (e *UnknownError) Error() string {
	what := "repeat"
	if e.Kind == Renew {
		what = "renew"
	}
	text := fmt.Sprintf("%s of key %d (%s) and product %d: ", e.Want, e.Key, e.KeyID, e.Product)
	if e.Want == e.Unknown {
		text += "never handed out"
	} else {
		text += fmt.Sprintf("%s never handed out", e.Unknown)
	}
	return text + fmt.Sprintf(" as far as this journal knows, so there is nothing to %s; if they were minted elsewhere, record them as stated first", what)
}

// A DamageError means that the journal can't be relied on. It is not changed, and
// nothing is handed out, until somebody has looked after it.
type DamageError struct {
	Path   string
	Line   int // number of the line, from 1
	Reason string
	Remedy string
}

// Error names the file, the line and the remedy.
func (e *DamageError) Error() string {
	return fmt.Sprintf("%s, line %d: %s; %s", e.Path, e.Line, e.Reason, e.Remedy)
}

const (
	restore = "put back an undamaged copy of the journal that knows all serials handed out; " +
		"if there is none, move the file away and mint with a new key"
	newer    = "the checksum is right, so another version of this program wrote the line: use that one"
	runAgain = "run the program again; if the journal came from a backup, first record as stated what was minted since"
)
