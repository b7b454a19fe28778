package activation

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/receipt"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/verifier"
)

// judge returns the licence of a code, if it holds.
//
// A text that can't be read never reaches the verifier. For one that is nearly a code
// that would check the signature of its repair, and its answer would depend on it:
// whoever guesses would send codes with a typing error.
func (s *Service) judge(r *Request, who caller, now time.Time) (verifier.License, error) {
	fail := func(e *Error) (verifier.License, error) {
		return verifier.License{}, s.counter.failed(who, e, now)
	}
	var buf [192]byte // as in package verifier
	number, _, err := s.reader.Read(r.Code, buf[:])
	if err != nil {
		return fail(unreadable(err, r.Code))
	}
	k := &s.keys[number]
	if k.unserved != "" {
		return fail(refused(k.unserved))
	}
	if k.short {
		if err := s.counter.admitShort(who, now); err != nil {
			return verifier.License{}, err
		}
	}
	lic, err := s.verifier.VerifyBound(r.Code, r.Binding)
	notAcceptable, genuine := errors.AsType[*verifier.NotAcceptableError](err)
	if genuine {
		lic = notAcceptable.License
	}
	switch notAuthentic, ok := errors.AsType[*verifier.NotAuthenticError](err); {
	case ok:
		reason := reasonOf(notAuthentic)
		if k.short && (reason == string(verifier.BadSignature) || reason == string(verifier.ProductNotAllowed)) {
			s.counter.forged(now)
		}
		return fail(refused(reason))
	case err != nil && !genuine:
		return verifier.License{}, unjudged(err)
	}
	if k.short && !s.issued.has(&lic, k.context(r.Binding)) {
		s.counter.forged(now)
		return fail(refused("not-in-manifest"))
	}
	code := NewCodeID(lic.KeyID, lic.Product, lic.Serial)
	switch {
	case lic.Product != r.Product:
		return verifier.License{}, &Error{Problem: WrongProduct, Reason: string(WrongProduct), Detail: s.productText(lic.Product), Code: code}
	case genuine:
		return verifier.License{}, s.notAcceptable(notAcceptable, notAcceptable.Reason, code)
	}
	return lic, nil
}

// context returns the hash of what a code of the key is bound to, or zero.
func (k *mintKey) context(binding string) (sum [32]byte) {
	if k.bound {
		sum, _ = keys.BindingContext(binding) // or else the verifier had refused it
	}
	return sum
}

// openCase opens the receipt of a request, and where the licence matters judges that,
// too.
func (s *Service) openCase(r *ReceiptRequest, refresh bool) (*claimCase, error) {
	if err := checkReceiptRequest(r, refresh); err != nil {
		return nil, err
	}
	now := s.clock()
	who := s.counter.caller(r.From, r.Subject)
	if err := s.counter.admit(who, now); err != nil {
		return nil, err
	}
	lic, err := s.verifier.VerifyReceipt(r.Receipt, r.Subject)
	if err != nil {
		if notAuthentic, ok := errors.AsType[*verifier.NotAuthenticError](err); ok {
			return nil, s.counter.failed(who, receiptRefused(reasonOf(notAuthentic)), now)
		}
		notAcceptable, ok := errors.AsType[*verifier.NotAcceptableError](err)
		if !ok {
			return nil, unjudged(err)
		}
		if errors.Is(err, verifier.WrongSubject) {
			return nil, s.counter.failed(who, receiptRefused(string(verifier.WrongSubject)), now)
		}
		lic = notAcceptable.License
		// A receipt that has ended is what one refreshes.
		i := slices.IndexFunc(notAcceptable.Failures, func(f verifier.Reason) bool { return f != verifier.ReceiptEnded && f != verifier.RefreshDue })
		if refresh && i >= 0 {
			return nil, s.notAcceptable(notAcceptable, notAcceptable.Failures[i], NewCodeID(lic.KeyID, lic.Product, lic.Serial))
		}
	}
	return s.newCase(&lic, r.Subject, r.Nonce, now), nil
}

// refused is the one answer to all that is not a genuine code of a key that is served.
// The detail and all else that is told are the same; the reason is for the log.
//
// The time is not quite the same. Until the signature it depends on the key number, on
// whether its key binds codes, and on the suite, which are in the text or in the ring,
// and public: a code that names no key of the ring is refused before any cryptography,
// and ECDSA takes longer than HMAC. The comparison of a tag takes the same time for any
// two tags. What follows it for a tag that is right, a few comparisons of numbers, takes
// less than a microsecond.
func refused(reason string) *Error {
	return &Error{
		Problem: CodeRefused, Reason: reason,
		Detail: "this is no code that can be activated here; copy it again from where you got it, or ask whoever sold it",
	}
}

func receiptRefused(reason string) *Error {
	return &Error{
		Problem: ReceiptRefused, Reason: reason,
		Detail: "this is no receipt of this endpoint for this device or account; activate with the code",
	}
}

// reasonOf returns the code of what a NotAuthenticError is for.
func reasonOf(e *verifier.NotAuthenticError) string {
	if r, ok := errors.AsType[*receipt.Error](e.Reason); ok {
		return string(r.Reason)
	}
	if r, ok := errors.AsType[*payload.ReadError](e.Reason); ok {
		return string(r.Reason)
	}
	return e.Reason.Error()
}

// unjudged is the error when a verifier can't judge: something is wrong on this side.
func unjudged(err error) *Error {
	e := unavailable("not-judged", retryLater, err)
	if cannot, ok := errors.AsType[*verifier.CannotJudgeError](err); ok {
		e.Reason = string(cannot.Reason)
	}
	return e
}

// anyKey reads codes of any key.
var anyKey = func() *payload.Reader {
	r, err := payload.NewReader()
	if err != nil {
		panic(err) // without shapes none collide
	}
	return r
}()

// unreadable returns the error for a text that can't be read as a code of the ring. What
// is told needs no key: characters, length and check symbols. A proposal is never told.
func unreadable(err error, code string) *Error {
	re, ok := errors.AsType[*payload.ReadError](err)
	if !ok {
		return unavailable("not-read", retryLater, err)
	}
	foreign := func() bool {
		_, _, err := anyKey.Read(code, nil)
		return errors.Is(err, payload.UnknownKey)
	}
	if !re.Reason.Malformed() || re.Reason == payload.WrongLength && foreign() {
		return refused(string(re.Reason)) // well formed, but of no key, or of another length than its key has
	}
	e := &Error{Problem: MalformedCode, Reason: string(re.Reason), Detail: malformedText(re)}
	for _, p := range re.Places {
		e.Places = append(e.Places, p.Input-1)
	}
	return e
}

// malformedText says what is wrong with a text. The message of a ReadError names
// characters of the code.
func malformedText(re *payload.ReadError) string {
	switch re.Reason {
	case payload.Typo:
		if len(re.Places) == 0 {
			return "there is a typing error in the code; compare it with the original"
		}
		return "there is a typing error in the code, " + placesText(re.Places)
	case payload.Unreadable:
		return "there are characters that no code has, " + placesText(re.Places)
	}
	return re.Error() // numbers only
}

const maxPlacesTold = 8

func placesText(places []payload.Place) string {
	var parts []string
	for i, p := range places {
		switch {
		case i == maxPlacesTold:
			return strings.Join(parts, "; ") + fmt.Sprintf("; and %d more", len(places)-i)
		case p.Group == 0:
			parts = append(parts, fmt.Sprintf("character %d of the input", p.Input))
		default:
			parts = append(parts, fmt.Sprintf("group %d, character %d", p.Group, p.Char))
		}
	}
	return strings.Join(parts, "; ") + "; compare it with the original"
}

// notAcceptable returns the error for a genuine licence that does not hold.
func (s *Service) notAcceptable(err *verifier.NotAcceptableError, reason verifier.Reason, code CodeID) *Error {
	lic := &err.License.License
	e := &Error{Reason: string(reason), Code: code}
	switch reason {
	case verifier.WrongProduct:
		e.Problem, e.Detail = WrongProduct, s.productText(lic.Product)
	case verifier.Revoked:
		e.Problem, e.Detail = Revoked, "the licence was revoked; ask whoever sold it"
		if err.RevokedFor != "" {
			e.Detail = fmt.Sprintf("the licence was revoked (%s); ask whoever sold it", err.RevokedFor)
		}
	case verifier.BelowMinimum:
		e.Problem, e.MinVersion = VersionTooOld, max(s.minVersion, s.list.Load().Minimum(lic.Product))
		e.Detail = fmt.Sprintf("the licence is of version %d, and %d is the lowest that is accepted; ask for a newer code", lic.Version, e.MinVersion)
	case verifier.NotYetValid:
		e.Problem, e.Detail = NotYetValid, notYetText(lic)
	case verifier.Expired:
		e.Problem, e.Detail = Expired, expiredText(lic)
	default:
		return unavailable(string(reason), retryLater, err)
	}
	return e
}

func (s *Service) productText(number uint64) string {
	p, _ := s.ring.Product(number)
	return fmt.Sprintf("the licence is for %s (product %d), not for the product that asks; enter it there", p.Name, number)
}

func notYetText(lic *payload.License) string {
	return fmt.Sprintf("the licence begins on %s (UTC); activate then", lic.Start)
}

func expiredText(lic *payload.License) string {
	return fmt.Sprintf("the licence ended with %s (UTC); ask whoever sold it for another", lic.Expiry)
}

// receiptKeyWithdrawn reports whether the list at hand withdraws the receipt key: who has
// the list refuses what it signs.
func (s *Service) receiptKeyWithdrawn() bool {
	return s.list.Load().KeyState(s.receiptKey) == keys.Withdrawn
}
