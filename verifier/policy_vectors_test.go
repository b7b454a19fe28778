package verifier_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"testing"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/testvectors"
	"github.com/licet-dev/licet/verifier"
)

// A policyVector is one test of policy.json: what is given, and policyOutcome.
type policyVector struct {
	ID      int      `json:"id"`
	Name    string   `json:"name"`
	Comment string   `json:"comment"`
	Flags   []string `json:"flags"`

	Ring        string   `json:"ring"`
	Input       string   `json:"input"`
	Products    []string `json:"products"`
	MinVersion  uint64   `json:"min_version,string"`
	Lists       []string `json:"lists"`
	MinSequence uint64   `json:"min_sequence,string"`
	Updates     []struct {
		List   string `json:"list"`
		Result string `json:"result"`
	} `json:"updates"`
	Stale          string    `json:"stale"`
	Now            time.Time `json:"now"`
	Leeway         int       `json:"leeway"`
	Built          time.Time `json:"built"`
	Grace          int       `json:"grace"`
	Warn           int       `json:"warn"`
	AllowShortTags bool      `json:"allow_short_tags"`
	Binding        string    `json:"binding"`

	policyOutcome
}

// A policyOutcome is everything that a verdict has which lists and time can change, in the
// terms of the vectors.
type policyOutcome struct {
	Family         string            `json:"family"`
	Reason         string            `json:"reason,omitempty"`
	Failures       []string          `json:"failures,omitempty"`
	RevokedFor     string            `json:"revoked_for,omitempty"`
	Status         string            `json:"status,omitempty"`
	Days           *int              `json:"days,omitempty"`
	JudgedBy       *policyList       `json:"judged_by,omitempty"`
	License        map[string]string `json:"license,omitempty"`
	KeyID          string            `json:"key_id,omitempty"`
	BindingIgnored bool              `json:"binding_ignored,omitempty"`
	Proposal       string            `json:"proposal,omitempty"`
}

type policyList struct {
	Sequence uint64    `json:"sequence,string"`
	Issued   time.Time `json:"issued"`
	Due      time.Time `json:"due"`
	Stale    bool      `json:"stale,omitempty"`
}

// policyFile returns the vectors of policy.json, the rings and the signed lists.
func policyFile(t *testing.T) (vectors []policyVector, rings map[string]*keys.Ring, lists map[string]string) {
	t.Helper()
	var file struct {
		Format  string            `json:"format"`
		Kind    string            `json:"kind"`
		Comment string            `json:"comment"`
		Count   int               `json:"count"`
		Notes   map[string]string `json:"notes"`
		Rings   map[string]string `json:"rings"`
		Lists   map[string]string `json:"lists"`
		Tests   []policyVector    `json:"tests"`
	}
	dec := json.NewDecoder(bytes.NewReader(must(fs.ReadFile(testvectors.V1, "policy.json"))))
	dec.DisallowUnknownFields() // a member that is not compared would prove nothing
	if err := dec.Decode(&file); err != nil {
		t.Fatal(err)
	}
	if file.Format != "licet-vectors/v1" || file.Kind != "policy" || file.Count != len(file.Tests) || file.Count == 0 {
		t.Fatalf("format %q, kind %q, count %d with %d tests", file.Format, file.Kind, file.Count, len(file.Tests))
	}
	rings = map[string]*keys.Ring{}
	for name, text := range file.Rings {
		rings[name] = must(keys.ParseRing([]byte(text)))
	}
	return file.Tests, rings, file.Lists
}

// Every verdict of the vectors by lists and time, with every detail.
func TestPolicyVectors(t *testing.T) {
	vectors, rings, lists := policyFile(t)
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			got := string(must(json.MarshalIndent(v.judge(t, rings[v.Ring], lists), "", " ")))
			want := string(must(json.MarshalIndent(v.policyOutcome, "", " ")))
			if got != want {
				t.Errorf("%s of ring %s (%s)\ngot  %s\nwant %s", v.Input, v.Ring, v.Comment, got, want)
			}
		})
	}
}

func (v *policyVector) options(lists map[string]string) verifier.Options {
	opts := verifier.Options{
		MinVersion: v.MinVersion, MinSequence: v.MinSequence, AllowShortTags: v.AllowShortTags,
		Clock: at(v.Now), Built: v.Built, Leeway: time.Duration(v.Leeway) * time.Second, Grace: v.Grace, Warn: v.Warn,
		Stale: map[string]verifier.StalePolicy{"refuse": verifier.RefuseStale, "report": verifier.ReportStale}[v.Stale],
	}
	for _, p := range v.Products {
		opts.Products = append(opts.Products, number(p))
	}
	for _, name := range v.Lists {
		opts.Lists = append(opts.Lists, []byte(lists[name]))
	}
	return opts
}

func number(s string) (n uint64) {
	if err := json.Unmarshal([]byte(s), &n); err != nil {
		panic(err)
	}
	return n
}

func (v *policyVector) judge(t *testing.T, ring *keys.Ring, lists map[string]string) policyOutcome {
	judge, err := verifier.New(ring, v.options(lists))
	if err != nil {
		return newPolicyOutcome(verifier.License{}, err, ring)
	}
	for _, u := range v.Updates {
		taken, err := judge.Update([]byte(lists[u.List]))
		result := "same"
		if e, ok := errors.AsType[*verifier.CannotJudgeError](err); ok {
			result = string(e.Reason)
		} else if err != nil {
			t.Fatal(err)
		} else if taken {
			result = "taken"
		}
		if result != u.Result || taken != (u.Result == "taken") {
			t.Errorf("update %s: %s, %t, %v; want %s", u.List, result, taken, err, u.Result)
		}
	}
	lic, err := judge.VerifyBound(v.Input, v.Binding)
	s := newPolicyOutcome(lic, err, ring)
	v.sameAt(t, lic, err, s, ring)
	return s
}

// sameAt holds a verdict to the one on the same licence at the same time.
func (v *policyVector) sameAt(t *testing.T, lic verifier.License, err error, want policyOutcome, ring *keys.Ring) {
	if e, ok := errors.AsType[*verifier.NotAcceptableError](err); ok {
		lic = e.License
	} else if err != nil {
		return
	}
	again, err := lic.At(v.Now)
	got := string(must(json.Marshal(newPolicyOutcome(again, err, ring))))
	if want := string(must(json.Marshal(want))); got != want {
		t.Errorf("At says %s, and Verify %s", got, want)
	}
}

// newPolicyOutcome returns a verdict in the terms of the vectors.
func newPolicyOutcome(lic verifier.License, err error, ring *keys.Ring) (s policyOutcome) {
	if err == nil {
		s.Family, s.Status = "valid", lic.Status.String()
		if lic.Status != verifier.Valid {
			s.Days = &lic.Days
		}
		s.setLicense(lic, ring)
		return s
	}
	if e, ok := errors.AsType[*verifier.NotAcceptableError](err); ok {
		s.Family, s.Reason, s.RevokedFor = "not-acceptable", string(e.Reason), e.RevokedFor
		for _, r := range e.Failures {
			s.Failures = append(s.Failures, string(r))
		}
		s.setLicense(e.License, ring)
	}
	if e, ok := errors.AsType[*verifier.CannotJudgeError](err); ok {
		s.Family, s.Reason = "cannot-judge", string(e.Reason)
	}
	if _, ok := errors.AsType[*verifier.NotAuthenticError](err); ok {
		s.Family = "not-authentic"
		if r, ok := errors.AsType[verifier.Reason](err); ok {
			s.Reason = string(r)
		}
	}
	if e, ok := errors.AsType[*payload.ReadError](err); ok {
		s.Reason, s.Proposal = string(e.Reason), e.Proposal
	}
	return s
}

func (s *policyOutcome) setLicense(lic verifier.License, ring *keys.Ring) {
	var o outcome
	o.setLicense(lic, ring)
	s.License, s.KeyID, s.BindingIgnored = o.License, o.KeyID, o.BindingIgnored
	if l, ok := lic.List(); ok {
		s.JudgedBy = &policyList{l.Sequence, l.Issued, l.Due, l.Stale}
	}
}

// The order in which a verifier is given its first lists makes no difference.
func TestPolicyVectorsInAnyOrder(t *testing.T) {
	vectors, rings, lists := policyFile(t)
	count := 0
	for _, v := range vectors {
		if len(v.Lists) < 2 {
			continue
		}
		count++
		slices.Reverse(v.Lists)
		got := string(must(json.Marshal(v.judge(t, rings[v.Ring], lists))))
		if want := string(must(json.Marshal(v.policyOutcome))); got != want {
			t.Errorf("%s with its lists in the other order\ngot  %s\nwant %s", v.Name, got, want)
		}
	}
	if count == 0 {
		t.Error("no vector has two lists")
	}
}

// Every signed list of lists.json is one that a verifier takes, or an error.
func TestListVectors(t *testing.T) {
	var file struct {
		Rings map[string]string `json:"rings"`
		Tests []struct {
			Name     string `json:"name"`
			Ring     string `json:"ring"`
			Note     string `json:"note"`
			NoteHex  string `json:"note_hex"`
			Accepted bool   `json:"accepted"`
		} `json:"tests"`
	}
	if err := json.Unmarshal(must(fs.ReadFile(testvectors.V1, "lists.json")), &file); err != nil {
		t.Fatal(err)
	}
	for _, v := range file.Tests {
		opts := verifier.Options{Products: []uint64{7}, Stale: verifier.RefuseStale, Lists: [][]byte{append([]byte(v.Note), unhex(v.NoteHex)...)}}
		judge, err := verifier.New(must(keys.ParseRing([]byte(file.Rings[v.Ring]))), opts)
		switch {
		case !v.Accepted:
			requireReason(t, err, verifier.ListUnreadable)
		case err != nil:
			t.Errorf("%s: %v", v.Name, err)
		default:
			if _, ok := judge.List(); !ok {
				t.Errorf("%s: accepted, and not the list that decides", v.Name)
			}
		}
	}
	if len(file.Tests) == 0 {
		t.Error("no vectors")
	}
}

// The vectors of both files have a case of each reason, but for those of what a
// verifier keeps over restarts, which is its own.
func TestPolicyVectorsHaveEveryReason(t *testing.T) {
	vectors, _, _ := policyFile(t)
	seen := map[string]bool{}
	for _, v := range vectors {
		seen[v.Reason], seen[v.Status] = true, true
		for _, u := range v.Updates {
			seen["update "+u.Result] = true
		}
	}
	for _, want := range []string{
		"wrong-product", "revoked", "below-minimum", "not-yet-valid", "expired", "key-withdrawn",
		"clock-behind", "list-stale", "list-older", "list-conflict", "list-unreadable",
		"valid", "expiring", "in-grace",
		"update taken", "update same", "update list-older", "update list-conflict", "update list-unreadable",
	} {
		if !seen[want] {
			t.Errorf("no vector has %s", want)
		}
	}
}
