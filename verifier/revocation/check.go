package revocation

import (
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
)

func checkIssuer(s string) *Error {
	if err := keys.CheckName(s); err != nil {
		return newError(BadValue, "issuer: %v; state it as the ring does", err)
	}
	return nil
}

func checkNumber(what string, n uint64) *Error {
	if n < 1 || n > maxNumber {
		return newError(BadValue, "%s: %d: want 1 to 2^53-1", what, n)
	}
	return nil
}

func checkTime(what string, t time.Time) *Error {
	if t.Before(payload.Day(0).Time()) || t.Year() > 9999 {
		return newError(BadValue, "%s: %s: want one from %s to 9999; set the clock", what, formatTime(t), payload.Day(0))
	}
	return nil
}

// checkDue reports whether the next list is due later than this one was issued.
func checkDue(issued, due time.Time) *Error {
	if !due.After(issued) {
		return newError(BadValue, "due: %s is not later than %s, when the list was issued", formatTime(due), formatTime(issued))
	}
	return nil
}

func checkID(id keys.ID) *Error {
	if id == (keys.ID{}) {
		return newError(BadValue, "a key id of zeros only: it was never computed; state that of the key")
	}
	return nil
}

func checkState(s keys.State) *Error {
	if s != keys.Closed && s != keys.Withdrawn {
		return newError(BadValue, "key: state %.40q: want %s or %s; a list can't make a key better", string(s), keys.Closed, keys.Withdrawn)
	}
	return nil
}

// check reports what is wrong with the numbers and the reason code of an entry.
func (e *Entry) check() *Error {
	if err := checkID(e.KeyID); err != nil {
		return err
	}
	if err := checkNumber("product", e.Product); err != nil {
		return err
	}
	if err := checkNumber("first serial", e.First); err != nil {
		return err
	}
	if err := checkNumber("last serial", e.Last); err != nil {
		return err
	}
	if e.Last < e.First {
		return errBackwards(e)
	}
	if e.ReasonCode != "" && !validCode(e.ReasonCode) {
		return errBadCode(e.ReasonCode)
	}
	return nil
}

func errBackwards(e *Entry) *Error {
	return newError(BadValue, "serials %d to %d: the last is before the first; exchange them", e.First, e.Last)
}

func errBadCode(code string) *Error {
	return newError(BadValue, "reason code %.40q: want a lower-case letter, then up to %d lower-case letters, digits or hyphens", code, MaxReasonCode-1)
}

func validCode(s string) bool {
	if len(s) < 1 || len(s) > MaxReasonCode || s[0] < 'a' || s[0] > 'z' {
		return false
	}
	for _, c := range []byte(s) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}
