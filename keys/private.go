package keys

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"

	"github.com/licet-dev/licet/payload"
)

// secretKeyPrefix begins the text of every private key, so that people and
// scanners recognise one.
const secretKeyPrefix = "LICET-SECRET-KEY-1-"

// A PrivateKey is one private key of an issuer with what it is for: the secret of
// an hs256 mint key, or the private half of an es256 mint, list or receipt key.
//
// A PrivateKey does not print, and == does not compile on it. Its text form is
// what [PrivateKey.Reveal] returns and [ParsePrivateKey] reads.
type PrivateKey struct {
	role   Role
	suite  Suite
	number int // of a mint key, else 0
	id     ID
	secret Secret // of an es256 key: the private scalar
}

// NewHS256 returns the private key of the hs256 mint key with this descriptor.
func NewHS256(d Descriptor, s Secret) (PrivateKey, error) {
	if _, err := NewMAC(d, s); err != nil {
		return PrivateKey{}, err
	}
	return PrivateKey{Mint, HS256, d.Number, s.ID(d), s}, nil
}

// NewES256 returns the private key of the es256 mint key with this descriptor.
func NewES256(d Descriptor, k *ecdsa.PrivateKey) (PrivateKey, error) {
	scalar, public, err := splitKey(k)
	if err != nil {
		return PrivateKey{}, err
	}
	if _, err := NewSignature(d, public); err != nil {
		return PrivateKey{}, err
	}
	return PrivateKey{Mint, ES256, d.Number, public.ID(d), scalar}, nil
}

// NewRoleKey returns the private key of a list or receipt key.
func NewRoleKey(r Role, k *ecdsa.PrivateKey) (PrivateKey, error) {
	if r != List && r != Receipt {
		return PrivateKey{}, fmt.Errorf("role %q: want list or receipt", r)
	}
	scalar, public, err := splitKey(k)
	if err != nil {
		return PrivateKey{}, err
	}
	return PrivateKey{r, ES256, 0, public.RoleID(r), scalar}, nil
}

func splitKey(k *ecdsa.PrivateKey) (Secret, PublicKey, error) {
	if k == nil {
		return Secret{}, PublicKey{}, errors.New("no private key given")
	}
	public, err := NewPublicKey(&k.PublicKey)
	if err != nil {
		return Secret{}, PublicKey{}, err
	}
	b, err := k.Bytes()
	if err != nil {
		return Secret{}, PublicKey{}, fmt.Errorf("private key: %w", err)
	}
	s, err := NewSecret(b)
	return s, public, err
}

// GenerateMint returns a new mint key with this descriptor, from crypto/rand.
func GenerateMint(d Descriptor) (PrivateKey, error) {
	if d.Suite == HS256 {
		return NewHS256(d, GenerateSecret())
	}
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return PrivateKey{}, err
	}
	return NewES256(d, k)
}

// GenerateRole returns a new list or receipt key, from crypto/rand.
func GenerateRole(r Role) (PrivateKey, error) {
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return PrivateKey{}, err
	}
	return NewRoleKey(r, k)
}

// Role returns what the key may sign.
func (k PrivateKey) Role() Role { return k.role }

// Suite returns the suite of the key.
func (k PrivateKey) Suite() Suite { return k.suite }

// Number returns the number of a mint key, and 0 for other roles.
func (k PrivateKey) Number() int { return k.number }

// ID returns the key id.
func (k PrivateKey) ID() ID { return k.id }

// Secret returns the secret of an hs256 key. It is an error for other keys.
func (k PrivateKey) Secret() (Secret, error) {
	if k.suite != HS256 {
		return Secret{}, fmt.Errorf("key %s is of suite %q and has no HMAC secret", k.id, k.suite)
	}
	return k.secret, nil
}

// ECDSA returns the private key of an es256 key. It is an error for other keys.
func (k PrivateKey) ECDSA() (*ecdsa.PrivateKey, error) {
	if k.suite != ES256 {
		return nil, fmt.Errorf("key %s is of suite %q and has no ECDSA key", k.id, k.suite)
	}
	b := k.secret.Reveal()
	return ecdsa.ParseRawPrivateKey(elliptic.P256(), b[:])
}

// Equal reports in constant time whether k and o are the same private key for
// the same use.
func (k PrivateKey) Equal(o PrivateKey) bool {
	return k.role == o.role && k.suite == o.suite && k.number == o.number && k.id == o.id && k.secret.Equal(o.secret)
}

// Reveal returns the key as one line of text, with the secret in the clear
// (SPEC.md, section 9.2). Encrypt it before it touches a disk.
func (k PrivateKey) Reveal() string {
	b := k.secret.Reveal()
	text := strings.ToUpper(fmt.Sprintf("%s%s-%s-%d-%s-%x", secretKeyPrefix, k.role, k.suite, k.number, k.id, b[:]))
	return text + "-" + checksum(text)
}

func checksum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return strings.ToUpper(hex.EncodeToString(sum[:4]))
}

// ParsePrivateKey reads the text form of a private key; white space around it is
// ignored. Its errors never quote the text.
//
// The id in the text is compared with the computed one for list and receipt keys.
// That of a mint key depends on the descriptor: [Key.Attach] compares it.
func ParsePrivateKey(s string) (PrivateKey, error) {
	s = strings.Trim(s, " \t\r\n")
	body, ok := strings.CutPrefix(s, secretKeyPrefix)
	if !ok {
		return PrivateKey{}, fmt.Errorf("secret key: %s", notASecretKey(s))
	}
	f := strings.Split(body, "-")
	if len(f) != 6 {
		return PrivateKey{}, errors.New("secret key: the line is damaged: want 6 parts after " + secretKeyPrefix)
	}
	if f[5] != checksum(s[:len(s)-len(f[5])-1]) {
		return PrivateKey{}, errors.New("secret key: the checksum does not fit; the line is damaged or cut off")
	}
	if strings.ContainsFunc(s, func(r rune) bool { return r > 'Z' }) { // other scripts have letters whose small form is ASCII
		return PrivateKey{}, errors.New("secret key: want capital letters only")
	}
	k := PrivateKey{role: Role(strings.ToLower(f[0])), suite: Suite(strings.ToLower(f[1]))}
	var err error
	if k.id, err = ParseID(strings.ToLower(f[3])); err != nil {
		return PrivateKey{}, errors.New("secret key: the key id is not 16 hexadecimal digits")
	}
	secret, err := hex.DecodeString(f[4])
	if err != nil {
		return PrivateKey{}, errors.New("secret key: the secret is not hexadecimal")
	}
	if k.secret, err = NewSecret(secret); err != nil {
		return PrivateKey{}, fmt.Errorf("secret key: %w", err)
	}
	k.number, _ = strconv.Atoi(f[2])
	mint := k.role == Mint && k.number >= 1 && k.number <= payload.MaxKey && (k.suite == HS256 || k.suite == ES256)
	other := (k.role == List || k.role == Receipt) && k.number == 0 && k.suite == ES256
	if !mint && !other || strconv.Itoa(k.number) != f[2] {
		return PrivateKey{}, errors.New("secret key: role, suite and number don't go together")
	}
	if k.suite == ES256 {
		e, err := k.ECDSA()
		if err != nil {
			return PrivateKey{}, errors.New("secret key: not a private key on P-256")
		}
		if public := (PublicKey{&e.PublicKey}); other && public.RoleID(k.role) != k.id {
			return PrivateKey{}, errors.New("secret key: the key id does not fit the key")
		}
	}
	return k, nil
}

// notASecretKey says what a text is that is no secret key, without quoting it.
func notASecretKey(s string) string {
	switch {
	case s == "":
		return "the text is empty"
	case strings.HasPrefix(s, "{"):
		return "this is JSON, perhaps a ring, which has public keys; a secret key begins with " + secretKeyPrefix
	case strings.HasPrefix(s, "-----BEGIN AGE"):
		return "this is still encrypted with age"
	case strings.HasPrefix(s, "age1"), strings.HasPrefix(s, "ssh-"):
		return "this is a public key; a secret key begins with " + secretKeyPrefix
	case strings.HasPrefix(s, "LICET-SECRET-KEY-"):
		return "this is of a later version of licet"
	}
	return "the text does not begin with " + secretKeyPrefix
}

// Format writes role, number and id, whatever the verb.
func (k PrivateKey) Format(f fmt.State, _ rune) { f.Write([]byte(k.describe())) }

// LogValue returns role, number and id.
func (k PrivateKey) LogValue() slog.Value { return slog.StringValue(k.describe()) }

// MarshalText returns role, number and id. It is not the text form: [PrivateKey.Reveal]
// is, whose name is easy to find.
func (k PrivateKey) MarshalText() ([]byte, error) { return []byte(k.describe()), nil }

func (k PrivateKey) describe() string {
	return fmt.Sprintf("%s key %d %s %s", k.role, k.number, k.id, redacted)
}
