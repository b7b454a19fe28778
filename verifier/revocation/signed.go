package revocation

import (
	"errors"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/note"
)

// Sign returns the list as a note, signed with a list key. The same list and key
// give the same bytes.
//
// It knows no ring: see to it that the issuer is the ring's and the key is active.
func Sign(l *List, key keys.PrivateKey) ([]byte, error) {
	if l == nil {
		return nil, errors.New("revocation list: no list given to sign")
	}
	return note.Sign(l.Marshal(), key)
}

// Open reads a signed list of the issuer of the ring. What is wrong with the
// signature is told by a [*note.Error], what is wrong with the list by an [*Error].
// A list is handed out only when a list key of the ring signed all of it; one that
// does not open is an error, never an empty list.
//
// Whether the list is older than another or stale is for the caller to say. It may
// name keys and products that the ring does not have, such as those of another
// edition of the ring.
func Open(data []byte, ring *keys.Ring) (*List, error) {
	text, _, err := note.Open(data, ring)
	if err != nil {
		return nil, err
	}
	l, err := Parse(text)
	if err != nil {
		return nil, err
	}
	if l.issuer != ring.Issuer() {
		err := newError(OtherIssuer, "it is of the issuer %q; the ring is of %q; take the list that belongs to the ring", l.issuer, ring.Issuer())
		err.Line = 2
		return nil, err
	}
	return l, nil
}
