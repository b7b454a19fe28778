package client

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/licet-dev/licet/activation/internal/wire"
	"github.com/licet-dev/licet/keys/receipt"
)

// A Request is a code that somebody wants to activate. It does not print.
type Request struct {
	Code    string          // as somebody typed it
	Binding string          // what a bound code is bound to, in Unicode NFC; else ""
	Product uint64          // which product asks, from 1
	Subject receipt.Subject // which device or account asks, see receipt.NewSubject
}

// Format writes what is no secret.
func (r Request) Format(f fmt.State, _ rune) {
	io.WriteString(f, fmt.Sprintf("(request for product %d)", r.Product))
}

func (r *Request) check(subject bool) error {
	switch {
	case strings.TrimSpace(r.Code) == "":
		return errors.New("client: no code given")
	case !utf8.ValidString(r.Code):
		return errors.New("client: the code is not valid UTF-8")
	case !utf8.ValidString(r.Binding):
		return errors.New("client: the binding is not valid UTF-8")
	case r.Product == 0:
		return errors.New("client: no product given")
	case subject:
		if err := r.Subject.Check(); err != nil {
			return fmt.Errorf("client: %w", err)
		}
	}
	return nil
}

// A Pending is what an activation keeps until it is answered. Store it before the first
// attempt, as JSON for example, and hand it in again after a crash or a lost reply: the
// answer is then the same, and no second seat is taken. Who reads it learns neither code
// nor fingerprint.
type Pending struct {
	Key   string `json:"key"`   // idempotency key
	Nonce string `json:"nonce"` // that the receipt will have

	// Digest tells which request it is of: 64 hexadecimal digits.
	Digest string `json:"digest"`
}

// NewPending returns what a new activation keeps, with a new key and a new nonce. The
// error says what the request lacks.
func NewPending(r Request) (Pending, error) {
	if err := r.check(true); err != nil {
		return Pending{}, err
	}
	p := Pending{Key: rand.Text(), Nonce: rand.Text()}
	p.Digest = r.digest(p.Nonce)
	return p, nil
}

// For reports whether p was made for the same code, binding, product and subject.
// Spaces, hyphens and case of the code make no difference. Where it is false, for a
// stored one, make a new one.
func (p Pending) For(r Request) bool {
	return receipt.CheckNonce(p.Nonce) == nil && wire.IsKey(p.Key) &&
		subtle.ConstantTimeCompare([]byte(p.Digest), []byte(r.digest(p.Nonce))) == 1
}

// digest returns a hash of the request. The nonce, which is another one each time,
// makes it useless to compare it with those of other machines.
func (r *Request) digest(nonce string) string {
	h := sha256.New()
	for _, s := range []string{"licet/pending/v1", nonce, plain(r.Code), r.Binding, string(r.Subject.Kind), string(r.Subject.Hash[:])} {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(s))))
		io.WriteString(h, s)
	}
	h.Write(binary.BigEndian.AppendUint64(nil, r.Product))
	return hex.EncodeToString(h.Sum(nil))
}

// plain returns the code without what most often differs between two spellings of it.
// Others make two requests of one code, which costs no seat.
func plain(code string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return r - 'a' + 'A'
		case r == '-' || r == ' ' || r == '\t' || r == '\n' || r == '\r':
			return -1
		}
		return r
	}, code)
}

// A Reply is what an endpoint answers. Only its receipt is signed; the rest is for
// people.
type Reply struct {
	// Receipt is the text of the receipt, "" for Release. It was not verified: give it
	// to verifier.Verifier's VerifyReply, with Nonce.
	Receipt string
	Nonce   string // of the request, "" for Release

	// Status is "granted", "replayed" (this very request was granted before), "held"
	// (the subject had a seat already), "refreshed" or "released".
	Status string

	// Seats is on how many subjects the licence may be used at once; 0 is no bound. It
	// means nothing unless SeatsEnforced tells that the endpoint counts.
	Seats         int64
	SeatsEnforced bool
}

// A Preview is what a code says, by an endpoint that found it good. It is not signed,
// and for people: who wants to go by it activates.
type Preview struct {
	Product uint64
	Serial  string
	Version uint64
	Expiry  string            // the last day, such as "2027-12-31", or "never"
	Start   string            // the first day, "" from the beginning
	Fields  map[string]uint64 // the others that are not 0
	Seats   int64             // on how many subjects at once; 0 is no bound
	Kind    receipt.Kind      // who may activate it
}

// NormalizeFingerprint brings the id of a machine to one spelling, so that the same id
// from two sources is the same device: white space and braces round it are dropped,
// letters of ASCII become lower-case, and an id of 32 hexadecimal digits loses its
// hyphens. Everything else stays. The receipts of a product that did not use it from the
// beginning are of other devices.
func NormalizeFingerprint(s string) string {
	for {
		t := strings.Trim(strings.TrimSpace(s), "{}")
		if t == s {
			break
		}
		s = t
	}
	s = strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r - 'A' + 'a'
		}
		return r
	}, s)
	bare := strings.ReplaceAll(s, "-", "")
	if _, err := hex.DecodeString(bare); err == nil && len(bare) == 32 {
		return bare
	}
	return s
}

// Activate asks for a seat and a receipt. p is from [NewPending] for the same request,
// and an error if it is not.
func (c *Client) Activate(ctx context.Context, r Request, p Pending) (Reply, error) {
	if err := r.check(true); err != nil {
		return Reply{}, err
	}
	if !p.For(r) {
		return Reply{}, errors.New("client: the pending activation is of another request, or damaged; make one with NewPending")
	}
	return c.activate(ctx, r, p)
}
