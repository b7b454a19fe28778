package activation_test

import (
	"errors"
	"testing"

	"github.com/licet-dev/licet/activation"
)

// Public tells apart what everybody may know, which decides what a strict endpoint says.
func TestPublic(t *testing.T) {
	for p, want := range map[activation.Problem]bool{
		activation.BadRequest: true, activation.MalformedCode: true, activation.QuotaExceeded: true,
		activation.CodeRefused: true, activation.ReceiptRefused: true, activation.Unavailable: true,
		activation.WrongProduct: false, activation.WrongKind: false, activation.Revoked: false, activation.VersionTooOld: false,
		activation.NotYetValid: false, activation.Expired: false, activation.SeatsExhausted: false,
		activation.NoGiveBacks: false, activation.Released: false, activation.KeyReused: false,
	} {
		if p.Public() != want {
			t.Errorf("%s: public %t", p, p.Public())
		}
	}
}

func TestErrorText(t *testing.T) {
	cause := errors.New("disk full")
	for want, e := range map[string]*activation.Error{
		"unavailable (ledger-failed): nothing was decided: disk full": {Problem: activation.Unavailable, Reason: "ledger-failed", Detail: "nothing was decided", Err: cause},
		"expired: ended": {Problem: activation.Expired, Reason: "expired", Detail: "ended"},
		"expired":        {Problem: activation.Expired},
	} {
		if got := e.Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if !errors.Is(e, e.Problem) || errors.Is(e, cause) != (e.Err != nil) {
			t.Errorf("%q: not its problem, or not its cause", want)
		}
	}
}

func TestOutcomeText(t *testing.T) {
	for o, want := range map[activation.Outcome]string{0: "none", activation.Granted: "granted", activation.Replayed: "replayed", activation.Held: "held"} {
		if o.String() != want {
			t.Errorf("%q, want %q", o, want)
		}
	}
}
