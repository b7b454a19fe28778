package receipt

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"strings"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
)

// Bounds of receipts.
const (
	// MaxSize is the length in bytes of the longest text that is read as a receipt,
	// white space included. Receipts that Sign makes have at most half of it, so
	// there is room for what mail and chat put between the lines.
	MaxSize = 8192

	MinNonce = 22  // characters of the shortest nonce: 128 bits in base64url
	MaxNonce = 128 // characters of the longest
)

// Never is the time of what never ends: the last second of the year 9999.
var Never = time.Unix(lastSecond, 0).UTC()

// FormatTime returns a time as people read it: in RFC 3339 and UTC, in whole seconds,
// fractions cut off, or "never" from [Never] on.
func FormatTime(t time.Time) string {
	if t.Unix() >= lastSecond {
		return "never"
	}
	return stamp(t)
}

const lastSecond = 253402300799 // 9999-12-31T23:59:59Z

// A Receipt is what an issuer's endpoint says about a licence that was activated.
// It is checked when it is signed and when it is opened, not before. Times are
// written in whole seconds, fractions cut off.
type Receipt struct {
	Issuer string // as the ring names it

	// KeyID is the id of the mint key of the licence; with product and serial it is
	// the licence's identity. License is what its code says.
	KeyID   keys.ID
	License payload.License

	Subject Subject   // who activated it
	Nonce   string    // of the request, see CheckNonce
	Issued  time.Time // from 2025 on

	// RefreshBy is when the subject should have got another receipt, later than
	// Issued. End is when this one is no longer good, whoever asks: at or after
	// RefreshBy. Either may be Never. The licence has an end of its own, too.
	RefreshBy time.Time
	End       time.Time

	// SeatsEnforced tells that the endpoint counts on how many subjects the licence
	// is used. Without a ledger it can't, and then the receipt says so.
	SeatsEnforced bool
}

// A Kind is what a subject is.
type Kind string

// The kinds.
const (
	Device  Kind = "device"  // a machine, by its fingerprint
	Account Kind = "account" // a user, by the name of the account
)

// A Subject is a device or an account that activates a licence: what it is, and the
// SHA-256 of its text. The zero Subject is none.
type Subject struct {
	Kind Kind
	Hash [sha256.Size]byte
}

// NewSubject returns the subject of a machine's fingerprint or of the name of an
// account: 1 to 1,024 bytes of UTF-8 without control characters. As for bindings,
// texts that many machines share because nobody filled them in are refused, such as
// "To be filled by O.E.M."; take another source then.
//
// Texts that differ in a single byte are different subjects. To bring fingerprint or
// name to one spelling (case, braces, Unicode NFC) is for the caller to do, the same
// way each time.
func NewSubject(kind Kind, text string) (Subject, error) {
	if err := checkKind(kind); err != nil {
		return Subject{}, err
	}
	hash, err := keys.BindingContext(text)
	if err != nil {
		return Subject{}, fmt.Errorf("%s: %s", kind, strings.TrimPrefix(err.Error(), "binding: "))
	}
	return Subject{kind, hash}, nil
}

// Check returns an error unless s is one that a receipt can have: of a known kind,
// with a hash that is not zero.
func (s Subject) Check() error {
	if s == (Subject{}) {
		return malformed("no subject given; NewSubject makes one")
	}
	if err := checkKind(s.Kind); err != nil {
		return err
	}
	if s.Hash == [sha256.Size]byte{} {
		return malformed("the hash of the %s has zero bytes only: it was never computed", s.Kind)
	}
	return nil
}

// Equal reports whether s and o are the same subject, in a time that does not depend
// on how much of the hashes is the same.
func (s Subject) Equal(o Subject) bool {
	return s.Kind == o.Kind && subtle.ConstantTimeCompare(s.Hash[:], o.Hash[:]) == 1
}

// CheckNonce returns an error unless s can be the nonce of a request: [MinNonce] to
// [MaxNonce] letters, digits, hyphens and underscores of ASCII. It must be one that
// was never used, as crypto/rand.Text returns.
func CheckNonce(s string) error {
	if len(s) < MinNonce || len(s) > MaxNonce {
		return malformed("nonce of %d characters: want %d to %d", len(s), MinNonce, MaxNonce)
	}
	for _, c := range []byte(s) {
		if !isBase64(c) {
			return malformed("the nonce has a character that is no letter, digit, hyphen or underscore of ASCII")
		}
	}
	return nil
}
