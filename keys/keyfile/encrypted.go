package keyfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"filippo.io/age"
	"filippo.io/age/agessh"
	"filippo.io/age/armor"
)

var (
	// ErrNoMatch is wrapped by errors about a file that none of the given
	// identities opens, or the passphrase does not. Their text says which of
	// the two the file wants.
	ErrNoMatch = errors.New("cannot be opened with what was given")

	// ErrDamaged is wrapped by errors about a file that was changed or cut off
	// since it was written. Take it from a backup.
	ErrDamaged = errors.New("damaged")
)

// age names the files of all its versions like this.
const binaryHeader = "age-encryption.org/"

func isEncrypted(data []byte) bool {
	return isArmored(data) || bytes.HasPrefix(data, []byte(binaryHeader))
}

func isArmored(data []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(data), []byte(armor.Header)) }

// encrypted is an age file whose outer form is sound.
type encrypted struct {
	data    []byte // without armor
	header  []byte
	stanzas []string // their types
}

// parseEncrypted reads the outer form of an age file. The errors of age would quote
// lines; these don't.
func parseEncrypted(data []byte) (*encrypted, error) {
	if isArmored(data) {
		var err error
		if data, err = io.ReadAll(armor.NewReader(bytes.NewReader(bytes.TrimSpace(data)))); err != nil {
			return nil, damage(err, "the armor is not as age writes it")
		}
	}
	if line, _, ok := bytes.Cut(data, []byte("\n")); ok && bytes.HasPrefix(line, []byte(binaryHeader)) && bytes.HasSuffix(line, []byte("\r")) {
		return nil, fmt.Errorf("%w: its line ends were converted to CRLF, as git and copying as text do, though it is binary: "+
			"copy the original again as binary, or armor it with age -a", ErrDamaged)
	}
	f := &encrypted{data: data}
	var err error
	if f.header, err = age.ExtractHeader(bytes.NewReader(data)); err != nil {
		return nil, damage(err, "the header is not that of a file of age version 1")
	}
	_, err = age.DecryptHeader(f.header, nobody{})
	var none *age.NoIdentityMatchError
	if !errors.As(err, &none) {
		return nil, damage(err, "the header is unreadable") // unreachable
	}
	f.stanzas = none.StanzaTypes
	return f, nil
}

func damage(err error, what string) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		what = "it is cut off"
	}
	return fmt.Errorf("%w: %s", ErrDamaged, what)
}

// nobody is the identity that opens nothing.
type nobody struct{}

func (nobody) Unwrap([]*age.Stanza) ([]byte, error) { return nil, age.ErrIncorrectIdentity }

func (f *encrypted) passphrase() bool { return slices.Contains(f.stanzas, "scrypt") }

// decrypt returns the content of the file.
func (f *encrypted) decrypt(identities []age.Identity) ([]byte, error) {
	if len(identities) == 0 {
		return nil, f.noMatch(identities)
	}
	// age would do the ordering too, but not know our own identities.
	ordered := slices.Clone(identities)
	slices.SortStableFunc(ordered, func(a, b age.Identity) int { return rank(a) - rank(b) })
	var fatal error
	for i, id := range ordered {
		ordered[i] = watched{id, &fatal}
	}
	fileKey, err := age.DecryptHeader(f.header, ordered...)
	var none *age.NoIdentityMatchError
	switch {
	case fatal != nil:
		return nil, fatal
	case errors.As(err, &none):
		return nil, f.noMatch(identities)
	case err != nil:
		return nil, damage(err, "the header was changed")
	}
	r, err := age.Decrypt(bytes.NewReader(f.data), age.NewInjectedFileKeyIdentity(fileKey))
	if err != nil {
		return nil, damage(err, "the header was changed")
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		return nil, damage(err, "the encrypted content was changed")
	}
	return plain, nil
}

// rank puts identities that ask nobody first, and those that ask before they know
// whether they fit last.
func rank(id age.Identity) int {
	switch id.(type) {
	case *lockedFile:
		return 2
	case *age.X25519Identity, *age.HybridIdentity, *age.ScryptIdentity, *agessh.Ed25519Identity, *agessh.RSAIdentity:
		return 0
	}
	return 1
}

// watched keeps an error other than "does not fit", to tell it from those of age.
type watched struct {
	age.Identity
	fatal *error
}

func (w watched) Unwrap(stanzas []*age.Stanza) ([]byte, error) {
	key, err := unwrap(w.Identity, stanzas)
	if err != nil && !errors.Is(err, age.ErrIncorrectIdentity) {
		*w.fatal = err
	}
	return key, err
}

// unwrap is id.Unwrap. When an identity of age itself objects to a stanza, then
// the file is damaged.
func unwrap(id age.Identity, stanzas []*age.Stanza) ([]byte, error) {
	key, err := id.Unwrap(stanzas)
	if err != nil && !errors.Is(err, age.ErrIncorrectIdentity) && rank(id) == 0 {
		err = fmt.Errorf("%w: %v", ErrDamaged, err) // of public parts of the header only
	}
	return key, err
}

func (f *encrypted) noMatch(identities []age.Identity) error {
	phrases := 0
	for _, id := range identities {
		if _, ok := id.(*age.ScryptIdentity); ok {
			phrases++
		}
	}
	var why string
	switch others := len(identities) - phrases; {
	case f.passphrase() && phrases > 0:
		why = "wrong passphrase"
	case f.passphrase():
		why = "it is encrypted with a passphrase: give that passphrase"
	case others == 0:
		why = fmt.Sprintf("it is encrypted to recipients (%s), not with a passphrase: give the identity of one of them", f.types())
	default:
		why = fmt.Sprintf("it is encrypted to recipients (%s), and no identity given is that of one of them", f.types())
	}
	return fmt.Errorf("%w: %s", ErrNoMatch, why)
}

// types lists the kinds of the recipients, each once.
func (f *encrypted) types() string {
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(f.stanzas))), ", ")
}
