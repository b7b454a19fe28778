package revocation_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/note"
	"github.com/licet-dev/licet/testvectors"
	"github.com/licet-dev/licet/verifier/revocation"
)

// A listVector is one test of lists.json.
type listVector struct {
	ID      int      `json:"id"`
	Name    string   `json:"name"`
	Comment string   `json:"comment"`
	Flags   []string `json:"flags"`

	Ring    string `json:"ring"`
	Note    string `json:"note"`
	NoteHex string `json:"note_hex"`

	Accepted bool        `json:"accepted"`
	Part     string      `json:"part"`
	Reason   string      `json:"reason"`
	Private  string      `json:"private"`
	List     *vectorList `json:"list"`
	Lookups  []struct {
		KeyID   string `json:"key_id"`
		Product uint64 `json:"product,string"`
		Serial  uint64 `json:"serial,string"`
		Revoked bool   `json:"revoked"`
		Reason  string `json:"reason"`
	} `json:"lookups"`
}

// A vectorList is what a list says, in the terms of the vectors.
type vectorList struct {
	Issuer   string          `json:"issuer"`
	Sequence uint64          `json:"sequence,string"`
	Issued   time.Time       `json:"issued"`
	Due      time.Time       `json:"due"`
	Minimums []vectorMinimum `json:"minimums,omitempty"`
	Keys     []vectorState   `json:"keys,omitempty"`
	Entries  []vectorEntry   `json:"entries,omitempty"`
}

type vectorMinimum struct {
	Product uint64 `json:"product,string"`
	Version uint64 `json:"version,string"`
}

type vectorState struct {
	KeyID string     `json:"key_id"`
	State keys.State `json:"state"`
}

type vectorEntry struct {
	KeyID   string `json:"key_id"`
	Product uint64 `json:"product,string"`
	First   uint64 `json:"first,string"`
	Last    uint64 `json:"last,string"`
	Reason  string `json:"reason,omitempty"`
}

func TestVectors(t *testing.T) {
	var file struct {
		Format  string            `json:"format"`
		Kind    string            `json:"kind"`
		Comment string            `json:"comment"`
		Count   int               `json:"count"`
		Notes   map[string]string `json:"notes"`
		Rings   map[string]string `json:"rings"`
		Tests   []listVector      `json:"tests"`
	}
	dec := json.NewDecoder(bytes.NewReader(must(fs.ReadFile(testvectors.V1, "lists.json"))))
	dec.DisallowUnknownFields() // a member that is not compared would prove nothing
	if err := dec.Decode(&file); err != nil {
		t.Fatal(err)
	}
	if file.Format != "licet-vectors/v1" || file.Kind != "lists" || file.Count != len(file.Tests) || file.Count == 0 {
		t.Fatalf("format %q, kind %q, count %d with %d tests", file.Format, file.Kind, file.Count, len(file.Tests))
	}
	rings := map[string]*keys.Ring{}
	for name, text := range file.Rings {
		rings[name] = must(keys.ParseRing([]byte(text)))
	}
	for _, v := range file.Tests {
		t.Run(v.Name, func(t *testing.T) {
			data := append([]byte(v.Note), must(hex.DecodeString(v.NoteHex))...)
			l, err := revocation.Open(data, rings[v.Ring])
			if v.Accepted {
				if err != nil {
					t.Fatal(err)
				}
				v.compare(t, l, string(data))
				return
			}
			if l != nil || err == nil {
				t.Fatalf("list %v, error %v; want %s by the %s", l, err, v.Reason, v.Part)
			}
			v.compareError(t, err)
		})
	}
}

// compareError compares what refused a list, and why. An open reason may be any.
func (v *listVector) compareError(t *testing.T, err error) {
	part, reason := "", ""
	if e, ok := errors.AsType[*note.Error](err); ok {
		part, reason = "note", string(e.Reason)
	}
	if e, ok := errors.AsType[*revocation.Error](err); ok {
		part, reason = "list", string(e.Reason)
	}
	if part != v.Part || reason != v.Reason && v.Reason != "" {
		t.Errorf("refused by the %q as %q: %v; want by the %s as %s", part, reason, err, v.Part, v.Reason)
	}
}

// compare compares a list with what the vector says of it, its text with the one
// that was signed, and the licences that are looked up.
func (v *listVector) compare(t *testing.T, l *revocation.List, signed string) {
	got := string(must(json.MarshalIndent(say(l), "", " ")))
	want := string(must(json.MarshalIndent(v.List, "", " ")))
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if text := l.Marshal(); !strings.HasPrefix(strings.ReplaceAll(signed, "\r\n", "\n"), text+"\n\u2014 ") {
		t.Errorf("written again, it is\n%s", text)
	}
	if !v.List.draft(t).Equal(l) {
		t.Error("made as a draft, it is another list")
	}
	if v.Private != "" {
		private := must(keys.NewRoleKey(keys.List, must(ecdsa.ParseRawPrivateKey(elliptic.P256(), must(hex.DecodeString(v.Private))))))
		if again := must(revocation.Sign(v.List.draft(t), private)); string(again) != signed {
			t.Errorf("signed again, it is\n%s", again)
		}
	}
	for _, q := range v.Lookups {
		id := must(keys.ParseID(q.KeyID))
		e, found := l.Lookup(id, q.Product, q.Serial)
		if found != q.Revoked || e.ReasonCode != q.Reason || (l.Revoked(id, q.Product, q.Serial) == 1) != q.Revoked {
			t.Errorf("key %s, product %d, serial %d: %+v, %t; want %t, %q", id, q.Product, q.Serial, e, found, q.Revoked, q.Reason)
		}
	}
}

// say returns what a list says.
func say(l *revocation.List) *vectorList {
	v := &vectorList{Issuer: l.Issuer(), Sequence: l.Sequence(), Issued: l.Issued(), Due: l.Due()}
	for product, version := range l.Minimums() {
		v.Minimums = append(v.Minimums, vectorMinimum{product, version})
	}
	for id, state := range l.KeyStates() {
		v.Keys = append(v.Keys, vectorState{id.String(), state})
	}
	for e := range l.Entries() {
		v.Entries = append(v.Entries, vectorEntry{e.KeyID.String(), e.Product, e.First, e.Last, e.ReasonCode})
	}
	return v
}

// draft returns a list that says the same, made and not read.
func (v *vectorList) draft(t *testing.T) *revocation.List {
	d := &revocation.Draft{
		Issuer: v.Issuer, Sequence: v.Sequence, Issued: v.Issued, Due: v.Due,
		Minimums: map[uint64]uint64{}, KeyStates: map[keys.ID]keys.State{},
	}
	for _, m := range v.Minimums {
		d.Minimums[m.Product] = m.Version
	}
	for _, k := range v.Keys {
		d.KeyStates[must(keys.ParseID(k.KeyID))] = k.State
	}
	for _, e := range v.Entries {
		entry := revocation.Entry{KeyID: must(keys.ParseID(e.KeyID)), Product: e.Product, First: e.First, Last: e.Last, ReasonCode: e.Reason}
		if err := d.Revoke(entry); err != nil {
			t.Fatal(err)
		}
	}
	return must(d.List())
}

// The vectors have a case of each reason.
func TestVectorsHaveEveryReason(t *testing.T) {
	var file struct{ Tests []listVector }
	if err := json.Unmarshal(must(fs.ReadFile(testvectors.V1, "lists.json")), &file); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, v := range file.Tests {
		seen[v.Part+" "+v.Reason+" "+strconv.FormatBool(v.Accepted)] = true
	}
	for _, r := range []note.Reason{note.Malformed, note.BadSignature, note.KeyWithdrawn, note.NoSignature} {
		if !seen["note "+string(r)+" false"] {
			t.Errorf("no note is refused as %s", r)
		}
	}
	for _, r := range []revocation.Reason{
		revocation.Malformed, revocation.BadValue, revocation.BadOrder, revocation.Manifest, revocation.LaterFormat, revocation.OtherIssuer,
	} {
		if !seen["list "+string(r)+" false"] {
			t.Errorf("no list is refused as %s", r)
		}
	}
}
