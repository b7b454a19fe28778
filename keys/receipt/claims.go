package receipt

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
)

// claimSet is the claims of a receipt, in the order in which they are written.
type claimSet struct {
	Issuer        string       `json:"iss"`
	Subject       string       `json:"sub"`
	SubjectKind   Kind         `json:"sub_kind"`
	License       licenseClaim `json:"license"`
	SeatsEnforced bool         `json:"seats_enforced"`
	Issued        int64        `json:"iat"`
	RefreshBy     int64        `json:"refresh_by"`
	End           int64        `json:"exp"`
	Nonce         string       `json:"nonce"`
}

type licenseClaim struct {
	KeyID   string            `json:"key_id"`
	Product uint64            `json:"product"`
	Serial  string            `json:"serial"` // a string: JSON readers that know only floating point keep it
	Version uint64            `json:"version"`
	Expiry  string            `json:"expiry"`
	Start   string            `json:"start,omitempty"`
	Fields  map[string]uint64 `json:"fields,omitempty"`
}

// marshal returns the claims of a receipt that was checked.
func (r *Receipt) marshal() ([]byte, error) {
	lic := &r.License
	c := claimSet{
		Issuer: r.Issuer, Subject: hex.EncodeToString(r.Subject.Hash[:]), SubjectKind: r.Subject.Kind,
		License: licenseClaim{
			KeyID: r.KeyID.String(), Product: lic.Product, Serial: strconv.FormatUint(lic.Serial, 10),
			Version: lic.Version, Expiry: lic.Expiry.String(), Fields: fieldsOf(lic),
		},
		SeatsEnforced: r.SeatsEnforced,
		Issued:        r.Issued.Unix(), RefreshBy: r.RefreshBy.Unix(), End: r.End.Unix(), Nonce: r.Nonce,
	}
	if lic.Start != 0 {
		c.License.Start = lic.Start.String()
	}
	return compactJSON(c)
}

func compactJSON(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), err
}

// parseClaims reads the claims of a receipt and checks their values.
func parseClaims(text []byte) (Receipt, error) {
	o, err := parseObject("claims", text)
	if err != nil {
		return Receipt{}, err
	}
	r := Receipt{Issuer: o.text("iss"), Subject: Subject{Kind: Kind(o.text("sub_kind"))}}
	hash := o.text("sub")
	b, err := hex.DecodeString(hash)
	if err != nil || len(b) != len(r.Subject.Hash) || hex.EncodeToString(b) != hash {
		o.fail("member %q: want 64 lower-case hexadecimal digits", "sub")
	}
	copy(r.Subject.Hash[:], b)
	lic := o.object("license")
	r.KeyID, r.License = lic.license()
	if err := lic.end(); err != nil && o.err == nil {
		o.err = err
	}
	r.SeatsEnforced = o.truth("seats_enforced")
	r.Issued, r.RefreshBy, r.End = o.time("iat"), o.time("refresh_by"), o.time("exp")
	r.Nonce = o.text("nonce")
	if err := o.end(); err != nil {
		return Receipt{}, err
	}
	if err := r.check(); err != nil {
		return Receipt{}, err
	}
	return r, nil
}

func (o *object) license() (keys.ID, payload.License) {
	id, err := keys.ParseID(o.text("key_id"))
	if err != nil {
		o.fail("member %q: want 16 lower-case hexadecimal digits", "key_id")
	}
	lic := payload.License{
		Product: o.number("product"), Serial: o.serial("serial"), Version: o.number("version"),
		Expiry: payload.Never,
	}
	if s := o.text("expiry"); s != payload.Never.String() {
		lic.Expiry = o.day("expiry", s)
	}
	if o.has("start") {
		if lic.Start = o.day("start", o.text("start")); lic.Start == 0 {
			o.fail("member %q: a licence that holds from the beginning has none", "start")
		}
	}
	if o.has("fields") {
		fields := o.object("fields")
		if len(fields.members) == 0 || len(fields.members) > maxFields {
			fields.fail("%d fields: want 1 to %d, or no such member", len(fields.members), maxFields)
		}
		fields.fields(&lic)
		if err := fields.end(); err != nil && o.err == nil {
			o.err = err
		}
	}
	return id, lic
}

// fields sets the fields of a licence that have no member of their own.
func (o *object) fields(lic *payload.License) {
	for _, name := range slices.Sorted(maps.Keys(o.members)) {
		value := o.number(name)
		if err := checkField(name, value); err != nil {
			o.fail("%s", err.(*Error).Message)
			return
		}
		switch name {
		case "edition":
			lic.Edition = value
		case "features":
			lic.Features = value
		case "seats":
			lic.Seats = value
		default:
			lic.Extra.Set(name, value)
		}
	}
}

// fieldsOf is the inverse of fields: those that are not 0, by name. It is nil where
// there are none.
func fieldsOf(lic *payload.License) map[string]uint64 {
	var m map[string]uint64
	set := func(name string, value uint64) {
		if value == 0 {
			return
		}
		if m == nil {
			m = map[string]uint64{}
		}
		m[name] = value
	}
	for name, value := range lic.Extra.All() {
		set(name, value)
	}
	set("edition", lic.Edition)
	set("features", lic.Features)
	set("seats", lic.Seats)
	return m
}

// day reads a date in the form 2027-12-31.
func (o *object) day(name, s string) payload.Day {
	d, err := payload.ParseDay(s)
	if err != nil {
		o.fail("member %q: want a date such as 2027-12-31", name)
	}
	return d
}

// time takes a number of seconds since 1970.
func (o *object) time(name string) time.Time {
	return time.Unix(int64(o.number(name)), 0).UTC()
}
