// Package licet has no code of its own; it is the map of the module.
//
// Licet makes and judges licence codes: short texts that people can type, that
// carry product, version, expiry and serial, and that are signed, so that a
// program can judge one on the spot without a database or a network.
//
//   - payload: what a code says and how it is written: fields, symbols, text
//   - keys: the keys of an issuer, and the ring that lists them
//   - keys/keyfile: private keys in encrypted files
//   - keys/note: signed notes, such as manifests
//   - keys/receipt: activation receipts
//   - signer: mints codes
//   - signer/manifest: what an issuer says about a file of codes
//   - verifier: judges codes; the package that products embed
//   - verifier/revocation: signed revocation lists
//   - testvectors: vectors for other implementations of SPEC.md
//   - cmd/licet: the command
//
// A product needs packages keys and verifier only, and these need only the
// standard library.
package licet
