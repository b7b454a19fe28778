// Package vectorfile has the types of the vector files, shared by the program
// that writes them and the test that inspects them.
package vectorfile

import (
	"bytes"
	"encoding/json"
)

// Format is the value of the member "format" in every file.
const Format = "licet-vectors/v1"

// A Header begins every file.
type Header struct {
	Format  string            `json:"format"`
	Kind    string            `json:"kind"`
	Comment string            `json:"comment"`
	Count   int               `json:"count"`
	Notes   map[string]string `json:"notes"`
}

// A File is a vector file with tests of type T.
type File[T any] struct {
	Header
	Tests []T `json:"tests"`
}

// A VerifyFile is the vector file of kind "verify". The rings stand at its
// top, since many tests use the same one.
type VerifyFile struct {
	Header
	Rings map[string]string `json:"rings"`
	Tests []VerifyTest      `json:"tests"`
}

// A Test has the members that every test begins with.
type Test struct {
	ID      int      `json:"id"`
	Name    string   `json:"name"`
	Comment string   `json:"comment"`
	Flags   []string `json:"flags"`
}

// Common returns t, so that all kinds of tests can be treated alike.
func (t *Test) Common() *Test { return t }

// Fields are the fields of a licence: decimal numbers, dates, or "never".
type Fields map[string]string

// HKDF has the three keys that an hs256 secret is expanded to.
type HKDF struct {
	Tag   string `json:"tag"`
	Mask  string `json:"mask"`
	Cover string `json:"cover"`
}

// A MintTest is a licence and the code it becomes, or the reason for refusal.
type MintTest struct {
	Test
	Descriptor string   `json:"descriptor"`
	Secret     string   `json:"secret,omitempty"`
	Private    string   `json:"private,omitempty"`
	KeyID      string   `json:"key_id"`
	State      string   `json:"state,omitempty"`
	Products   []string `json:"products,omitempty"`
	License    Fields   `json:"license"`
	Binding    *string  `json:"binding,omitempty"`
	Refused    string   `json:"refused,omitempty"`
	HKDF       *HKDF    `json:"hkdf,omitempty"`
	Payload    string   `json:"payload,omitempty"`
	Tag        string   `json:"tag,omitempty"`
	Digest     string   `json:"digest,omitempty"`
	R          string   `json:"r,omitempty"`
	S          string   `json:"s,omitempty"`
	SRaw       string   `json:"s_raw,omitempty"`
	Masked     string   `json:"masked,omitempty"`
	Shown      string   `json:"shown,omitempty"`
	Code       string   `json:"code,omitempty"`
}

// A CheckTest is about check symbols alone. Filled is a JSON string, or null
// when nothing fills the text.
type CheckTest struct {
	Test
	Op        string          `json:"op"`
	Text      string          `json:"text"`
	Check     string          `json:"check,omitempty"`
	Slip      string          `json:"slip,omitempty"`
	Positions []int           `json:"positions,omitempty"`
	Corrected string          `json:"corrected,omitempty"`
	Filled    json.RawMessage `json:"filled,omitempty"`
}

// A NormalizeTest is a text and what section 5.1 makes of it.
type NormalizeTest struct {
	Test
	Input      *string `json:"input,omitempty"`
	InputHex   *string `json:"input_hex,omitempty"`
	Normalized *string `json:"normalized,omitempty"`
	TooLong    bool    `json:"too_long,omitempty"`
}

// A DaysTest is a time or a date and its day.
type DaysTest struct {
	Test
	Time string `json:"time,omitempty"`
	Date string `json:"date,omitempty"`
	Day  int64  `json:"day"`
}

// A RingsTest is the text of a ring and whether a reader takes it.
type RingsTest struct {
	Test
	Ring     string `json:"ring"`
	Accepted bool   `json:"accepted"`
	Problem  string `json:"problem,omitempty"`
}

// A SecretKeysTest is a private key as text.
type SecretKeysTest struct {
	Test
	Text    string `json:"text"`
	Refused bool   `json:"refused,omitempty"`
	Role    string `json:"role,omitempty"`
	Suite   string `json:"suite,omitempty"`
	Number  *int   `json:"number,omitempty"`
	KeyID   string `json:"key_id,omitempty"`
	Secret  string `json:"secret,omitempty"`
}

// A Place is a place in a code (group and character) or in the input.
type Place struct {
	Group int    `json:"group,omitempty"`
	Char  int    `json:"char,omitempty"`
	Input int    `json:"input,omitempty"`
	Got   string `json:"got"`
	Want  string `json:"want,omitempty"`
}

// A VerifyTest is a text, what a verifier was told, and its result.
type VerifyTest struct {
	Test
	Ring           string   `json:"ring"`
	Input          *string  `json:"input,omitempty"`
	InputHex       *string  `json:"input_hex,omitempty"`
	Products       []string `json:"products"`
	MinVersion     string   `json:"min_version,omitempty"`
	Now            string   `json:"now"`
	Leeway         int64    `json:"leeway,omitempty"`
	Built          string   `json:"built,omitempty"`
	AllowShortTags bool     `json:"allow_short_tags,omitempty"`
	Binding        *string  `json:"binding,omitempty"`

	Result
}

// A Result is what a verifier says about a text.
type Result struct {
	Family         string   `json:"family"`
	Reason         string   `json:"reason,omitempty"`
	Failures       []string `json:"failures,omitempty"`
	License        Fields   `json:"license,omitempty"`
	KeyID          string   `json:"key_id,omitempty"`
	BindingIgnored bool     `json:"binding_ignored,omitempty"`
	Places         []Place  `json:"places,omitempty"`
	Proposal       string   `json:"proposal,omitempty"`
	Possible       bool     `json:"possible,omitempty"`
	Have           int      `json:"have,omitempty"`
	Want           int      `json:"want,omitempty"`
	Before         *int     `json:"before,omitempty"`
	After          *int     `json:"after,omitempty"`
	Copies         int      `json:"copies,omitempty"`
}

// A ListsFile is the vector file of kind "lists". The rings stand at its top.
type ListsFile struct {
	Header
	Rings map[string]string `json:"rings"`
	Tests []ListsTest       `json:"tests"`
}

// A ListsTest is a signed revocation list and whether a reader takes it. Part is
// "note" or "list": what refuses it.
type ListsTest struct {
	Test
	Ring     string   `json:"ring"`
	Note     *string  `json:"note,omitempty"`
	NoteHex  *string  `json:"note_hex,omitempty"`
	Accepted bool     `json:"accepted"`
	Part     string   `json:"part,omitempty"`
	Reason   string   `json:"reason,omitempty"`
	Private  string   `json:"private,omitempty"`
	List     *List    `json:"list,omitempty"`
	Lookups  []Lookup `json:"lookups,omitempty"`
}

// A List is what a revocation list says.
type List struct {
	Issuer   string     `json:"issuer"`
	Sequence string     `json:"sequence"`
	Issued   string     `json:"issued"`
	Due      string     `json:"due"`
	Minimums []Minimum  `json:"minimums,omitempty"`
	Keys     []KeyState `json:"keys,omitempty"`
	Entries  []Entry    `json:"entries,omitempty"`
}

// A Minimum is the lowest version of a product that is accepted.
type Minimum struct {
	Product string `json:"product"`
	Version string `json:"version"`
}

// A KeyState is what a list says of a key.
type KeyState struct {
	KeyID string `json:"key_id"`
	State string `json:"state"`
}

// An Entry is a range of revoked serials.
type Entry struct {
	KeyID   string `json:"key_id"`
	Product string `json:"product"`
	First   string `json:"first"`
	Last    string `json:"last"`
	Reason  string `json:"reason,omitempty"`
}

// A Lookup is a licence, and whether the list of the test revokes it.
type Lookup struct {
	KeyID   string `json:"key_id"`
	Product string `json:"product"`
	Serial  string `json:"serial"`
	Revoked bool   `json:"revoked"`
	Reason  string `json:"reason,omitempty"`
}

// A PolicyFile is the vector file of kind "policy". The rings and the signed lists
// stand at its top.
type PolicyFile struct {
	Header
	Rings map[string]string `json:"rings"`
	Lists map[string]string `json:"lists"`
	Tests []PolicyTest      `json:"tests"`
}

// A PolicyTest is a code, what a verifier was told, and its verdict.
type PolicyTest struct {
	Test
	Ring           string   `json:"ring"`
	Input          string   `json:"input"`
	Products       []string `json:"products"`
	MinVersion     string   `json:"min_version,omitempty"`
	Lists          []string `json:"lists,omitempty"`
	MinSequence    string   `json:"min_sequence,omitempty"`
	Updates        []Update `json:"updates,omitempty"`
	Stale          string   `json:"stale,omitempty"`
	Now            string   `json:"now"`
	Leeway         int64    `json:"leeway,omitempty"`
	Built          string   `json:"built,omitempty"`
	Grace          int64    `json:"grace,omitempty"`
	Warn           int64    `json:"warn,omitempty"`
	AllowShortTags bool     `json:"allow_short_tags,omitempty"`
	Binding        *string  `json:"binding,omitempty"`

	Family         string   `json:"family"`
	Reason         string   `json:"reason,omitempty"`
	Failures       []string `json:"failures,omitempty"`
	RevokedFor     string   `json:"revoked_for,omitempty"`
	Status         string   `json:"status,omitempty"`
	Days           *int64   `json:"days,omitempty"`
	JudgedBy       *Judge   `json:"judged_by,omitempty"`
	License        Fields   `json:"license,omitempty"`
	KeyID          string   `json:"key_id,omitempty"`
	BindingIgnored bool     `json:"binding_ignored,omitempty"`
	Proposal       string   `json:"proposal,omitempty"`
}

// An Update is a list that a verifier gets later, and what becomes of it.
type Update struct {
	List   string `json:"list"`
	Result string `json:"result"`
}

// A Judge is the list by which a licence was judged.
type Judge struct {
	Sequence string `json:"sequence"`
	Issued   string `json:"issued"`
	Due      string `json:"due"`
	Stale    bool   `json:"stale,omitempty"`
}

// Encode returns file in the one form in which vector files are kept.
func Encode(file any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(file); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}
