package verifier_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/testvectors"
	"github.com/licet-dev/licet/verifier"
)

// verifyVector is one test of verify.json: what is given, and outcome.
type verifyVector struct {
	ID      int      `json:"id"`
	Name    string   `json:"name"`
	Comment string   `json:"comment"`
	Flags   []string `json:"flags"`

	Ring           string    `json:"ring"`
	Input          string    `json:"input"`
	InputHex       string    `json:"input_hex"`
	Products       []string  `json:"products"`
	MinVersion     string    `json:"min_version"`
	Now            time.Time `json:"now"`
	Leeway         int       `json:"leeway"`
	Built          time.Time `json:"built"`
	AllowShortTags bool      `json:"allow_short_tags"`
	Binding        string    `json:"binding"`

	outcome
}

// outcome is everything that a verdict has, in the terms of the vectors.
type outcome struct {
	Family         string            `json:"family,omitempty"`
	Reason         string            `json:"reason,omitempty"`
	License        map[string]string `json:"license,omitempty"`
	KeyID          string            `json:"key_id,omitempty"`
	Failures       []string          `json:"failures,omitempty"`
	BindingIgnored bool              `json:"binding_ignored,omitempty"`
	Places         []place           `json:"places,omitempty"`
	Proposal       string            `json:"proposal,omitempty"`
	Possible       bool              `json:"possible,omitempty"`
	Have           int               `json:"have,omitempty"`
	Want           int               `json:"want,omitempty"`
	Before         *int              `json:"before,omitempty"`
	After          *int              `json:"after,omitempty"`
	Copies         int               `json:"copies,omitempty"`
}

type place struct {
	Group int    `json:"group,omitempty"`
	Char  int    `json:"char,omitempty"`
	Input int    `json:"input,omitempty"`
	Got   string `json:"got"`
	Want  string `json:"want,omitempty"`
}

// Every verdict of the vectors, with every detail: what the verifier says and
// the vector doesn't is a failure too.
func TestVerifyVectors(t *testing.T) {
	var file struct {
		Format  string            `json:"format"`
		Kind    string            `json:"kind"`
		Comment string            `json:"comment"`
		Count   int               `json:"count"`
		Notes   map[string]string `json:"notes"`
		Rings   map[string]string `json:"rings"`
		Tests   []verifyVector    `json:"tests"`
	}
	dec := json.NewDecoder(bytes.NewReader(must(fs.ReadFile(testvectors.V1, "verify.json"))))
	dec.DisallowUnknownFields() // a member that is not compared would prove nothing
	if err := dec.Decode(&file); err != nil {
		t.Fatal(err)
	}
	if file.Format != "licet-vectors/v1" || file.Kind != "verify" || file.Count != len(file.Tests) || file.Count == 0 {
		t.Fatalf("format %q, kind %q, count %d with %d tests", file.Format, file.Kind, file.Count, len(file.Tests))
	}
	rings := map[string]*keys.Ring{}
	for name, text := range file.Rings {
		rings[name] = must(keys.ParseRing([]byte(text)))
	}
	for _, v := range file.Tests {
		t.Run(v.Name, func(t *testing.T) {
			got := string(must(json.MarshalIndent(v.judge(rings[v.Ring]), "", " ")))
			want := string(must(json.MarshalIndent(v.outcome, "", " ")))
			if got != want {
				t.Errorf("%q of ring %s (%s)\ngot  %s\nwant %s", v.Input, v.Ring, v.Comment, got, want)
			}
		})
	}
}

func (v verifyVector) judge(ring *keys.Ring) (o outcome) {
	opts := verifier.Options{
		Clock: at(v.Now), Built: v.Built, Leeway: time.Duration(v.Leeway) * time.Second, AllowShortTags: v.AllowShortTags,
	}
	for _, p := range v.Products {
		opts.Products = append(opts.Products, must(strconv.ParseUint(p, 10, 64)))
	}
	if v.MinVersion != "" {
		opts.MinVersion = must(strconv.ParseUint(v.MinVersion, 10, 64))
	}
	input := v.Input + string(unhex(v.InputHex))
	lic, err := must(verifier.New(ring, opts)).VerifyBound(input, v.Binding)
	if err == nil {
		o.Family = "valid"
		o.setLicense(lic, ring)
		return o
	}
	if e, ok := errors.AsType[*verifier.NotAcceptableError](err); ok {
		o.Family, o.Reason = "not-acceptable", string(e.Reason)
		for _, r := range e.Failures {
			o.Failures = append(o.Failures, string(r))
		}
		o.setLicense(e.License, ring)
	}
	if e, ok := errors.AsType[*verifier.CannotJudgeError](err); ok {
		o.Family, o.Reason = "cannot-judge", string(e.Reason)
	}
	if _, ok := errors.AsType[*verifier.NotAuthenticError](err); ok {
		o.Family = "not-authentic"
		if r, ok := errors.AsType[verifier.Reason](err); ok {
			o.Reason = string(r)
		}
	}
	if e, ok := errors.AsType[*payload.ReadError](err); ok {
		o.setReading(e)
	}
	return o
}

// setLicense sets all fields that the layout has, a start only where it isn't 0.
func (o *outcome) setLicense(lic verifier.License, ring *keys.Ring) {
	o.KeyID, o.BindingIgnored, o.License = lic.KeyID.String(), lic.BindingIgnored, map[string]string{}
	key, _ := ring.MintKey(lic.KeyNumber)
	numbers := map[string]uint64{
		"product": lic.Product, "version": lic.Version, "serial": lic.Serial,
		"edition": lic.Edition, "features": lic.Features, "seats": lic.Seats,
	}
	maps.Insert(numbers, lic.Extra.All())
	for _, f := range key.Layout().Fields() {
		switch {
		case f.Name == "expiry":
			o.License[f.Name] = lic.Expiry.String()
		case f.Name == "start" && lic.Start != 0:
			o.License[f.Name] = lic.Start.String()
		case f.Name != "start":
			o.License[f.Name] = strconv.FormatUint(numbers[f.Name], 10)
		}
	}
}

func (o *outcome) setReading(e *payload.ReadError) {
	o.Reason, o.Proposal, o.Possible = string(e.Reason), e.Proposal, e.Proposal != "" && !e.Confirmed
	switch e.Reason {
	case payload.WrongLength:
		o.Have, o.Want = e.Have, e.Want
	case payload.ExtraText:
		o.Before, o.After = &e.Before, &e.After
	case payload.Repeated:
		o.Copies = e.Copies
	}
	for _, p := range e.Places {
		q := place{Group: p.Group, Char: p.Char, Got: string(p.Got)}
		if p.Group == 0 {
			q.Input = p.Input
		}
		if p.Want != 0 {
			q.Want = string(rune(p.Want))
		}
		o.Places = append(o.Places, q)
	}
}

// The vectors have a case of each reason of this version; revocation is not in it.
func TestVectorsHaveEveryReason(t *testing.T) {
	var file struct {
		Tests []verifyVector `json:"tests"`
	}
	if err := json.Unmarshal(must(fs.ReadFile(testvectors.V1, "verify.json")), &file); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, v := range file.Tests {
		seen[v.Reason] = true
	}
	for _, r := range slices.Concat(
		[]error{
			payload.Empty, payload.TooLong, payload.WrongLength, payload.PrefixOnly, payload.Unreadable, payload.Typo,
			payload.Repeated, payload.WrongPrefix, payload.ExtraText, payload.SpareBits, payload.SignatureRange,
			payload.UnknownKey, payload.LaterFormat,
		},
		[]error{
			verifier.KeyWithdrawn, verifier.BindingRequired, verifier.BadSignature, verifier.ProductNotAllowed,
			verifier.WrongProduct, verifier.BelowMinimum, verifier.NotYetValid, verifier.Expired,
			verifier.ClockBehind, verifier.NoSecret, verifier.ShortTag,
		},
	) {
		if !seen[r.Error()] {
			t.Errorf("no vector has the reason %s", r)
		}
	}
}
