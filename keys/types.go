package keys

import (
	"encoding/hex"
	"fmt"
)

// A Suite is a way to sign codes.
type Suite string

// The suites.
const (
	HS256 Suite = "hs256" // HMAC-SHA-256, truncated to the descriptor's signature bits
	ES256 Suite = "es256" // ECDSA on P-256 with SHA-256, 512 bits
)

// A Role is what a key may sign.
type Role string

// The roles. A key has one for ever.
const (
	Mint    Role = "mint"    // licence codes
	List    Role = "list"    // revocation lists and batch manifests
	Receipt Role = "receipt" // activation receipts
)

// descriptorText returns what stands for a descriptor in the key id of roles
// that have none.
func (r Role) descriptorText() string { return "licet/v1 " + string(r) }

// A State is how far a key is trusted.
type State string

// The states.
const (
	Active    State = "active"    // mints and verifies
	Closed    State = "closed"    // mints no new serials; its codes stay good
	Withdrawn State = "withdrawn" // believed stolen: all its codes are refused
)

// An ID identifies a key: the first 8 bytes of a hash over the key and its
// descriptor (SPEC.md, section 2.2). It is public.
type ID [8]byte

// String returns the id as 16 lower-case hexadecimal digits.
func (id ID) String() string { return hex.EncodeToString(id[:]) }

// ParseID reads an id of 16 lower-case hexadecimal digits.
func ParseID(s string) (ID, error) {
	var id ID
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(id) || hex.EncodeToString(b) != s {
		return ID{}, fmt.Errorf("key id %q: want 16 lower-case hexadecimal digits", s)
	}
	copy(id[:], b)
	return id, nil
}
