// Package keys has the keys that make and judge licence codes, and the ring that
// lists them.
//
// # Kinds of key
//
// An hs256 key is a [Secret]: whoever can verify its codes can also mint them.
// Give it only to programs whose users you trust with that, such as a server of
// your own. An es256 key is an ECDSA key on P-256: its public half verifies and
// can be shipped anywhere. A [Descriptor] states everything a key fixes about its
// codes, and enters every computation with the key.
//
// # Ring
//
// A [Ring] is the list of an issuer's keys and products, kept in a file ring.json
// (SPEC.md, section 9.1). A product embeds it and gives it to verifier.New:
//
//	//go:embed ring.json
//	var ringJSON []byte
//
//	ring, err := keys.ParseRing(ringJSON)
//
// Take the ring from your own program, never from a file beside it: whoever can
// replace the ring decides which codes are good.
//
// # Secrets
//
// No secret prints: formatting a [Secret] or a [PrivateKey] with package fmt,
// log/slog or encoding/json yields a placeholder. Secrets are compared in
// constant time, and == on them does not compile. Package keyfile keeps private
// keys in encrypted files.
package keys
