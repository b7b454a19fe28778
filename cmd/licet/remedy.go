package main

import (
	"errors"
	"fmt"

	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/verifier"
)

// remedy says what to do on the command line about a code that could not be judged,
// or was put together wrongly. It is "" where the message itself says all.
func remedy(err error) string {
	var cannot *verifier.CannotJudgeError
	switch {
	case errors.Is(err, verifier.NoSecret) && errors.As(err, &cannot):
		return fmt.Sprintf("judge it in the licensing home, or by a ring of licet key export --with-secret %d", cannot.Key)
	case errors.Is(err, verifier.ShortTag):
		return "give --allow-short-tags if attempts are counted where this is judged"
	case errors.Is(err, payload.WrongPrefix):
		return "ask for which product the code is, or leave out the prefix"
	}
	return ""
}
