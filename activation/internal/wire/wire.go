// Package wire has the bodies of the activation endpoint's requests and replies, as
// both sides of it write them in JSON. SPEC.md, section 12, describes them.
package wire

// A Subject is who activates.
type Subject struct {
	Kind string `json:"kind"` // "device" or "account"
	Hash string `json:"hash"` // 64 lower-case hexadecimal digits
}

// Activation is the body of POST /v1/activations.
type Activation struct {
	Code    string  `json:"code"`
	Binding string  `json:"binding,omitempty"`
	Product uint64  `json:"product"`
	Subject Subject `json:"subject"`
	Nonce   string  `json:"nonce"`
}

// Preview is the body of POST /v1/activations/preview.
type Preview struct {
	Code    string `json:"code"`
	Binding string `json:"binding,omitempty"`
	Product uint64 `json:"product"`
}

// Refresh is the body of POST /v1/activations/refresh.
type Refresh struct {
	Receipt string  `json:"receipt"`
	Subject Subject `json:"subject"`
	Nonce   string  `json:"nonce"`
}

// Release is the body of POST /v1/activations/release.
type Release struct {
	Receipt string  `json:"receipt"`
	Subject Subject `json:"subject"`
}

// A License is what a code says. Serials are strings, dates such as 2027-12-31 or
// "never".
type License struct {
	KeyID   string            `json:"key_id"`
	Product uint64            `json:"product"`
	Serial  string            `json:"serial"`
	Version uint64            `json:"version"`
	Expiry  string            `json:"expiry"`
	Start   string            `json:"start,omitempty"`
	Fields  map[string]uint64 `json:"fields,omitempty"`
}

// A Reply is what a request that succeeded gets. Times are in RFC 3339, in UTC, or
// "never".
type Reply struct {
	Status        string  `json:"status"` // granted, replayed, held, refreshed, released
	Receipt       string  `json:"receipt,omitempty"`
	License       License `json:"license"`
	Seats         *int64  `json:"seats,omitempty"` // 0: no bound; left out where seats are not enforced
	SeatsEnforced bool    `json:"seats_enforced"`
	Issued        string  `json:"issued,omitempty"`
	RefreshBy     string  `json:"refresh_by,omitempty"`
	End           string  `json:"end,omitempty"`
	Revocations   uint64  `json:"revocations"` // sequence number of the list that judged, 0 for none
}

// A PreviewReply is what a preview that succeeded gets.
type PreviewReply struct {
	Status      string  `json:"status"` // previewed
	License     License `json:"license"`
	Seats       int64   `json:"seats"` // 0: no bound
	Kind        string  `json:"kind"`  // of subject that may activate
	Revocations uint64  `json:"revocations"`
}

// A Problem is the body of every error: RFC 9457.
type Problem struct {
	Type       string `json:"type"`  // "urn:licet:problem:" and the code
	Title      string `json:"title"` // the same for all of a type
	Status     int    `json:"status"`
	Detail     string `json:"detail,omitempty"`
	Instance   string `json:"instance,omitempty"` // the request id
	Reason     string `json:"reason,omitempty"`   // of a malformed code, such as "typo"
	Places     []int  `json:"places,omitempty"`
	Seats      int64  `json:"seats,omitempty"`
	MinVersion uint64 `json:"min_version,omitempty"`
}

// Lengths of an idempotency key, in characters.
const (
	MinKey = 16
	MaxKey = 128
)

// IsKey reports whether s can be an idempotency key: MinKey to MaxKey plain characters.
func IsKey(s string) bool { return len(s) >= MinKey && len(s) <= MaxKey && IsPlain(s) }

// IsPlain reports whether s has nothing but letters, digits, hyphens, underscores and
// full stops of ASCII.
func IsPlain(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.':
		default:
			return false
		}
	}
	return true
}
