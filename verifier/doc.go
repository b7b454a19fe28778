// Package verifier judges licence codes with nothing but a ring of keys: no
// database, no network, no file. It is the package that a product embeds, and it
// imports only the standard library and packages of this module that do so, too.
//
//	v, err := verifier.New(ring, verifier.Options{Products: []uint64{7}})
//	...
//	lic, err := v.Verify(code)
//	if err != nil {
//		return err // says what to do, see below
//	}
//	fmt.Println("licensed to the end of", lic.Expiry)
//
// # Errors
//
// An error is of one of three kinds, which errors.As tells apart:
//
//   - [NotAuthenticError]: the text is no code, or no receipt, of this issuer. A
//     typing error is located; show the message to the customer.
//   - [NotAcceptableError]: the code is genuine, but its licence is revoked,
//     expired, not yet valid, of another product or of an old generation. The
//     licence is in the error, with all that fails.
//   - [CannotJudgeError]: something is wrong on this side, such as the clock or
//     the revocation list. Nothing is known about the code.
//
// Each has a [Reason], which errors.Is finds: errors.Is(err, verifier.Expired).
// No field of a licence comes out of this package unless its signature was good.
//
// # Keys
//
// The ring comes from package keys; embed it in the program. With hs256 keys the
// ring must have their secrets, and whoever extracts one can mint codes: use them
// only where the secret is safe, and es256 keys in what customers hold.
//
// # Time
//
// Dates are days in UTC. The clock is a field of the options, and so are the
// floor below which it is not believed and the leeway at both ends. A result
// tells its verdict at another time ([License.At]) and how long it holds
// ([License.Until]), so a program that keeps one running need not keep a verdict that
// no longer holds.
//
// Options.Grace accepts a licence for some days after its last, and Options.Warn
// tells that its end is near. Status and Days of a [License] say which it is, and how
// many days are left, so that the product can ask for a renewal in time.
//
// # Revocation
//
// Options.Lists are signed revocation lists (package revocation), such as one that
// the product embeds and a newer one from a file. The one with the highest number
// alone decides: which licences are revoked, which keys are withdrawn, and which
// version of a product is the lowest that is still good. A list that can't be read
// is an error and never an empty list. [Verifier.Update] takes a newer one while
// codes are judged. A list has a time at which the next one is due; Options.Stale
// says what to do after that, and has no default. [License.List] tells which list
// judged, or that none did.
//
// # State and clock
//
// A verifier remembers nothing beyond its run. [Verifier.State] returns 65 bytes to
// keep for the next one: the highest number of a list, so that no older list takes
// its place, and the latest time seen. Once a list was used, the next run needs that
// one or a newer one to begin with: a product that gets lists through Update keeps
// the last one beside the state.
//
// Options.Tolerance turns on a guard against a clock that is turned back, at run
// time or between two runs. It is off unless it is set, as a clock that stood in the
// future once then needs [Verifier.ResetClock]. State and guard stop whoever edits
// files and sets clocks, and nobody who deletes the state, puts an older one back,
// or takes the product apart.
//
// # Receipts
//
// Where codes are judged online, a product in customers' hands keeps the receipt that
// it gets for one, and judges that without network and without the secret of the code's
// key. It makes a request with a new nonce, judges the answer with
// [Verifier.VerifyReply], keeps it, and judges it at each start with
// [Verifier.VerifyReceipt].
//
//	device, err := receipt.NewSubject(receipt.Device, fingerprint)
//	...
//	lic, err := v.VerifyReceipt(text, device)
//
// # Constant time
//
// For hs256 keys the time to judge a well-formed code does not depend on how much
// of its tag is right, and the search in the revocation list takes a number of steps
// that depends on its size, not on the answer. Nothing else is claimed.
package verifier
