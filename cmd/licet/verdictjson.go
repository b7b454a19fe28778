package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
	"github.com/licet-dev/licet/verifier"
)

// verdictJSON is what verify --json and inspect --json print of a code. Members
// are only ever added.
type verdictJSON struct {
	Line      int          `json:"line,omitempty"` // of standard input, from 1
	Input     string       `json:"input"`
	Verdict   string       `json:"verdict"` // valid, malformed, not-authentic, not-acceptable, cannot-judge
	Reason    string       `json:"reason,omitempty"`
	Failures  []string     `json:"failures,omitempty"`
	Message   string       `json:"message,omitempty"`
	Places    []placeJSON  `json:"places,omitempty"`
	Proposal  string       `json:"proposal,omitempty"`
	Confirmed bool         `json:"confirmed,omitempty"`
	Key       int          `json:"key,omitempty"`   // of inspect only
	Parts     []partJSON   `json:"parts,omitempty"` // of inspect only
	License   *licenseJSON `json:"license,omitempty"`

	RevokedFor string    `json:"revoked_for,omitempty"` // reason code of the list
	List       *listJSON `json:"list,omitempty"`        // by which an authentic code was judged
}

type listJSON struct {
	Sequence string `json:"sequence"`
	Issued   string `json:"issued"`
	Due      string `json:"due"`
	Stale    bool   `json:"stale,omitempty"`
}

type placeJSON struct {
	Group int    `json:"group,omitempty"`
	Char  int    `json:"char,omitempty"`
	Input int    `json:"input"`
	Got   string `json:"got"`
	Want  string `json:"want,omitempty"`
}

// licenseJSON has serials and values of other fields as strings, since not every
// reader of JSON keeps large integers exact.
type licenseJSON struct {
	Key            int               `json:"key"`
	KeyID          string            `json:"key_id"`
	Product        uint64            `json:"product"`
	Serial         string            `json:"serial"`
	Version        *uint64           `json:"version,omitempty"`
	Expiry         string            `json:"expiry,omitempty"` // a date or never
	Start          string            `json:"start,omitempty"`  // absent from the beginning
	Edition        *uint64           `json:"edition,omitempty"`
	Features       []uint64          `json:"features,omitempty"`
	Seats          *uint64           `json:"seats,omitempty"` // 0 is unlimited
	Extra          map[string]string `json:"extra,omitempty"`
	BindingIgnored bool              `json:"binding_ignored,omitempty"`
}

func newVerdictJSON(ring *keys.Ring, line int, input string, v verdict) verdictJSON {
	class, _ := v.class()
	j := verdictJSON{Line: line, Input: strings.ToValidUTF8(input, "\ufffd"), Verdict: verdictName(class)}
	if v.err != nil {
		j.Message = v.err.Error()
		j.Reason = reason(v.err)
	}
	var but *verifier.NotAcceptableError
	if errors.As(v.err, &but) {
		for _, f := range but.Failures {
			j.Failures = append(j.Failures, string(f))
		}
		j.RevokedFor = but.RevokedFor
	}
	var read *payload.ReadError
	if errors.As(v.err, &read) {
		j.Proposal, j.Confirmed = read.Proposal, read.Confirmed
		for _, p := range read.Places {
			place := placeJSON{Group: p.Group, Char: p.Char, Input: p.Input, Got: string(p.Got)}
			if p.Want != 0 {
				place.Want = string(rune(p.Want))
			}
			j.Places = append(j.Places, place)
		}
	}
	if lic, ok := v.license(); ok {
		key, _ := ring.MintKey(lic.KeyNumber)
		j.License = newLicenseJSON(lic, key.Layout())
		if l, ok := lic.List(); ok {
			j.List = &listJSON{strconv.FormatUint(l.Sequence, 10), l.Issued.Format(time.RFC3339), l.Due.Format(time.RFC3339), l.Stale}
		}
	}
	return j
}

// verdictName returns the stable name of a class of verdicts.
func verdictName(class string) string { return strings.ReplaceAll(class, " ", "-") }

// write writes the object as one line.
func (j verdictJSON) write(w io.Writer) error { return writeJSON(w, j) }

// writeJSON writes an object as one line. What could command a terminal is escaped,
// also where JSON does not ask for it.
func writeJSON(w io.Writer, v any) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	var line strings.Builder
	for _, r := range strings.TrimSuffix(text.String(), "\n") {
		if unicode.IsGraphic(r) {
			line.WriteRune(r)
			continue
		}
		for _, u := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&line, `\u%04x`, u)
		}
	}
	_, err := io.WriteString(w, line.String()+"\n")
	return err
}

// reason returns the stable code of why a code is not valid.
func reason(err error) string {
	var read payload.Reason
	var judged verifier.Reason
	var but *verifier.NotAcceptableError
	switch {
	case errors.As(err, &but):
		return string(but.Reason)
	case errors.As(err, &read):
		return string(read)
	case errors.As(err, &judged):
		return string(judged)
	}
	return ""
}

func newLicenseJSON(lic verifier.License, layout *payload.Layout) *licenseJSON {
	j := &licenseJSON{Key: lic.KeyNumber, KeyID: lic.KeyID.String(), Product: lic.Product, BindingIgnored: lic.BindingIgnored}
	for _, f := range layout.Fields() {
		switch f.Name {
		case "product":
		case "serial":
			j.Serial = (&number{lic.Serial, true}).String()
		case "version":
			j.Version = &lic.Version
		case "expiry":
			j.Expiry = lic.Expiry.String()
		case "start":
			if lic.Start != 0 {
				j.Start = lic.Start.String()
			}
		case "edition":
			j.Edition = &lic.Edition
		case "features":
			j.Features = featureList(lic.Features)
		case "seats":
			j.Seats = &lic.Seats
		default:
			if j.Extra == nil {
				j.Extra = map[string]string{}
			}
			v, _ := lic.Extra.Get(f.Name)
			j.Extra[f.Name] = (&number{v, true}).String()
		}
	}
	return j
}
