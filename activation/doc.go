// Package activation is an issuer's activation endpoint: it judges a licence code,
// takes a seat for the device or account that asks, and answers with a signed receipt
// that a product verifies without the endpoint from then on (package keys/receipt).
//
// A [Service] decides. It knows nothing of HTTP; package activation/api has the
// handler that maps it. A [Ledger] keeps who holds which seat: [None] keeps nothing,
// activation/sqlite and activation/postgres are real ones.
//
// The order of a request is: its form, the limits of the address or the account, the
// code, the limits of device and licence, and then one atomic claim. A code that does
// not verify never reaches the ledger.
package activation
