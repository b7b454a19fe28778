// Package payload reads and writes what a licence code says: the bit fields,
// the symbols, and the text that people type. It knows no keys and judges no
// signature; packages signer and verifier do, and most programs need only them.
//
// A code as it is printed, taken apart (SPEC.md has the whole format):
//
//	ACME-AHJX-YQET-69FW-H3QZ-JG9E-69PS-6HVK-ELWZ
//
//	ACME-  A  HJXYQET69FWH  3QZJG9E69PS6HVKE  LWZ
//	|      |  |             |                 check symbols
//	|      |  |             signature symbols, 80 bits
//	|      |  payload symbols, 60 bits: product, version, expiry, serial
//	|      key number 8
//	prefix
//
// # Facts
//
// A [License] holds the facts, a [Layout] says which bit fields carry them, and
// [Layout.AppendPayload] and [Layout.Unpack] convert between the two. Dates are
// whole days in UTC, see [Day].
//
// # Text
//
// A [Reader] turns whatever a customer typed or pasted into the symbols of one
// code, or into a [ReadError] that says what is wrong with it and where. Three
// check symbols locate one wrong, exchanged or doubled character, and fill in up
// to two unreadable ones. They find typing errors; they are no security, and a
// text that passes them is not yet genuine.
package payload
