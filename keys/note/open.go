package note

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/licet-dev/licet/keys"
)

// Open returns the text of a note and the key that signed it, the first one when
// there are several. It accepts a note that a list key of the ring signed which is
// active or closed. Everything else is refused with an [*Error].
//
//   - Signatures by keys that the ring does not have as list keys count for
//     nothing, whatever they are called.
//   - So do signatures by withdrawn keys, which are not looked at. A note that has
//     no better one is refused with [KeyWithdrawn].
//   - A wrong signature by any other list key of the ring is an error, even when
//     another signature is good.
//
// CRLF counts as LF: files pass through mail and version control on Windows. Any
// other control character is refused, and so is all that [Sign] would not write
// in a text.
//
// The text is copied once, after it was verified, and once more before that where
// there is a CRLF.
func Open(data []byte, ring *keys.Ring) (text string, signer keys.Key, err error) {
	return open(data, ring, MaxText)
}

func open(data []byte, ring *keys.Ring, maxText int) (string, keys.Key, error) {
	if ring == nil {
		return "", keys.Key{}, errors.New("signed note: no ring given")
	}
	n, err := parse(data, maxText)
	if err != nil {
		return "", keys.Key{}, err
	}
	signer, err := n.signer(ring)
	if err != nil {
		return "", keys.Key{}, err
	}
	return string(n.text), signer, nil
}

// A parsed note has the right form. Nothing of it is verified.
type parsed struct {
	text       []byte
	signatures []signature
}

type signature struct {
	name string
	hash [4]byte
	der  []byte
}

func parse(data []byte, maxText int) (parsed, error) {
	crlf := bytes.Count(data, []byte("\r\n"))
	if size, most := len(data)-crlf, maxText+maxBlock; size > most { // before anything is copied
		return parsed{}, malformed(0, "%d bytes, at most %d are read", size, most)
	}
	if crlf > 0 {
		data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	}
	if err := checkText(data); err != nil {
		return parsed{}, err
	}
	// The last blank line is the one before the signatures: they have none.
	tail := max(0, len(data)-maxBlock-2)
	blank := bytes.LastIndex(data[tail:], []byte("\n\n"))
	if blank < 0 {
		return parsed{}, malformed(0, "no blank line with signatures below it; it is not signed, or cut off")
	}
	n := parsed{text: data[:tail+blank+1]}
	if len(n.text) > maxText {
		return parsed{}, malformed(0, "the text has %d bytes, at most %d are read", len(n.text), maxText)
	}
	err := n.readSignatures(string(data[len(n.text)+1:]), lineOf(n.text, len(n.text))+1)
	return n, err
}

// readSignatures reads the lines below the blank line; first is the number of the
// first of them.
func (n *parsed) readSignatures(block string, first int) error {
	switch count := strings.Count(block, "\n"); {
	case count == 0:
		return malformed(first, "no signature below the blank line; it is not signed, or cut off")
	case count > MaxSignatures:
		return malformed(first, "%d signatures, at most %d are read", count, MaxSignatures)
	}
	for line := range strings.Lines(block) {
		s, err := parseSignature(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return malformed(first+len(n.signatures), "%v", err)
		}
		n.signatures = append(n.signatures, s)
	}
	return nil
}

func parseSignature(line string) (signature, error) {
	rest, isSignature := strings.CutPrefix(line, linePrefix)
	name, encoded, hasTwo := strings.Cut(rest, " ")
	if !isSignature || !hasTwo {
		return signature{}, fmt.Errorf("not of the form \"%s%s BASE64\", below the last blank line", linePrefix, KeyName)
	}
	if name == "" || strings.Contains(name, "+") || strings.ContainsFunc(name, unicode.IsSpace) {
		return signature{}, errors.New("the name of the key is empty, or has a space or a plus sign in it")
	}
	b, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if err != nil {
		return signature{}, errors.New("the signature is not base64; it is damaged or cut off")
	}
	if len(b) < 5 {
		return signature{}, fmt.Errorf("a signature of %d bytes; it is cut off", len(b))
	}
	return signature{name, [4]byte(b), b[4:]}, nil
}

// signer returns the list key with the first good signature.
func (n *parsed) signer(ring *keys.Ring) (keys.Key, error) {
	digest := sha256.Sum256(n.text)
	var good, withdrawn []keys.Key
	for _, s := range n.signatures {
		trusted, stolen := s.keys(ring)
		i := slices.IndexFunc(trusted, func(k keys.Key) bool { return ecdsa.VerifyASN1(k.Public().ECDSA(), digest[:], s.der) })
		switch {
		case i >= 0:
			good = append(good, trusted[i])
		case len(trusted) > 0:
			id := trusted[0].ID()
			return keys.Key{}, &Error{Reason: BadSignature, Key: id,
				Message: fmt.Sprintf("the signature of list key %s does not fit the text, which was changed after it was signed; get the file again from %s", id, ring.Issuer())}
		}
		withdrawn = append(withdrawn, stolen...)
	}
	switch {
	case len(good) > 0:
		return good[0], nil
	case len(withdrawn) > 0:
		id := withdrawn[0].ID()
		return keys.Key{}, &Error{Reason: KeyWithdrawn, Key: id,
			Message: fmt.Sprintf("signed with list key %s, which is withdrawn; get the file from %s signed with another key", id, ring.Issuer())}
	}
	return keys.Key{}, &Error{Reason: NoSignature,
		Message: fmt.Sprintf("no signature by a list key of %s in the ring; the file is another issuer's, or the ring is older than the key", ring.Issuer())}
}

// keys returns the list keys of the ring that the signature names. It is one at
// most, unless four bytes of two hashes happen to be the same.
func (s signature) keys(ring *keys.Ring) (trusted, withdrawn []keys.Key) {
	for _, k := range ring.Keys() {
		switch {
		case k.Role() != keys.List || s.name != KeyName || s.hash != keyHash(k.Public()):
		case k.State() == keys.Withdrawn:
			withdrawn = append(withdrawn, k)
		default:
			trusted = append(trusted, k)
		}
	}
	return trusted, withdrawn
}
