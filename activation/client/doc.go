// Package client asks an activation endpoint for receipts. It imports only the
// standard library and packages of this module that do so, too.
//
//	c, err := client.New(client.Options{Server: "https://licences.example.com"})
//	...
//	r := client.Request{Code: code, Product: 7, Subject: device}
//	p, err := client.NewPending(r)
//	... // keep p
//	reply, err := c.Activate(ctx, r, p)
//	...
//	lic, err := v.VerifyReply(reply.Receipt, device, reply.Nonce)
//	... // keep reply.Receipt, and forget p
//
// The client does not look into receipts. A receipt counts only after
// verifier.Verifier's VerifyReply found it good, with the nonce of the reply; from then
// on VerifyReceipt judges it, offline.
//
// # Repeating
//
// A request that got no answer may have been granted. It is repeated with the same
// idempotency key and the same nonce, and then gets the same receipt and no second seat.
// The client does so by itself a few times, with growing pauses. Over restarts of the
// program the caller does: it keeps a [Pending] before the first attempt and hands it in
// again. It is done with when a receipt is kept, or on a refusal. On [Released] the seat
// that it stood for was given back or has lapsed, and it never gets another receipt: make
// a new one.
//
// # Errors
//
//   - [ErrUnreachable]: no endpoint answered, or it could decide nothing: the network, a
//     name, a certificate, a portal that wants a log-in, a server that is down. Nothing
//     is known of the code. Go on with the receipt at hand, for as long as it holds.
//   - [*Refused]: the endpoint said no. The [Problem] says why.
//   - [*BadReply]: it answered what no endpoint answers. Nothing is known of the code.
//
// No error has a code, a token or a receipt in it.
//
// # Devices
//
// No package of this module reads hardware: what tells machines apart is for the product
// to choose. Take one text that stays:
//
//   - An id that the product makes once, such as crypto/rand.Text, and stores beside the
//     receipt. It survives new disks, network cards and addresses, and goes with a copy
//     of the disk.
//   - Or one of the platform: /etc/machine-id on Linux, MachineGuid on Windows,
//     IOPlatformUUID on macOS. Clones of a virtual machine may share it.
//   - In containers neither stays: mount a volume for the id, or hand it in as a
//     setting. An id that is made at each start takes a seat at each start.
//
// Addresses, names of hosts, sizes and network cards change, or are shared. Do not mix
// several sources: whatever changes first makes it another machine. For several products
// put the name of the product before the text, so that their hashes differ.
//
// The endpoint gets a hash, which receipt.NewSubject makes of the text. It refuses texts
// that many machines share, such as "To be filled by O.E.M."; take the next source then.
// Texts that differ in a byte are two devices; [NormalizeFingerprint] brings ids to one
// spelling. Do this everywhere or nowhere.
package client
