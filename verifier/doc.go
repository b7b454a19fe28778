// Package verifier judges licence codes with nothing but a ring of keys: no
// database, no network, no file. It is the package that a product embeds, and it
// imports only the standard library besides packages payload and keys.
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
//   - [NotAuthenticError]: the text is no code of this issuer. A typing error is
//     located; show the message to the customer.
//   - [NotAcceptableError]: the code is genuine, but its licence is expired, not
//     yet valid, of another product or of an old generation. The licence is in
//     the error, with all that fails.
//   - [CannotJudgeError]: something is wrong on this side, such as the clock.
//     Nothing is known about the code.
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
// ([License.Until]), so a program that keeps one running need not keep a stale
// verdict.
//
// # Constant time
//
// For hs256 keys the time to judge a well-formed code does not depend on how much
// of its tag is right. Nothing else is claimed.
package verifier
