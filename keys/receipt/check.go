package receipt

import (
	"maps"
	"slices"
	"time"

	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/payload"
)

const (
	maxNumber = 1<<53 - 1 // exact in JavaScript
	maxDay    = payload.Day(1<<21 - 1)
	maxFields = payload.MaxFields - 2 // product and serial are none of them
)

// check reports the first value that no receipt may have. What only the mint key can
// tell is for fits to check.
func (r *Receipt) check() error {
	for _, err := range []error{
		checkIssuer(r.Issuer),
		r.Subject.Check(),
		checkLicense(r.KeyID, &r.License),
		r.checkTimes(),
		CheckNonce(r.Nonce),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

func checkIssuer(s string) error {
	if err := keys.CheckName(s); err != nil {
		return malformed("issuer: %v; state it as the ring does", err)
	}
	return nil
}

func checkKind(k Kind) error {
	if k != Device && k != Account {
		return malformed("a subject of the kind %.40q: want %s or %s", k, Device, Account)
	}
	return nil
}

func checkLicense(key keys.ID, lic *payload.License) error {
	fields := fieldsOf(lic)
	switch {
	case key == (keys.ID{}):
		return malformed("the key id of the licence has zeros only: it was never computed")
	case lic.Product < 1 || lic.Product > maxNumber:
		return malformed("product %d: want 1 to 2^53-1", lic.Product)
	case lic.Serial < 1 || lic.Serial > maxNumber:
		return malformed("serial %d: want 1 to 2^53-1", lic.Serial)
	case lic.Version > maxNumber:
		return malformed("version %d: want 0 to 2^53-1", lic.Version)
	case lic.Expiry == 0:
		return malformed("no expiry of the licence given; give a date, or payload.Never")
	case lic.Expiry < 0 || lic.Expiry > maxDay && lic.Expiry != payload.Never:
		return malformed("expiry %s: want %s to %s, or never", lic.Expiry, payload.Day(1), maxDay)
	case lic.Start < 0 || lic.Start > maxDay:
		return malformed("start %s: want %s to %s", lic.Start, payload.Day(1), maxDay)
	case lic.Start > lic.Expiry:
		return malformed("start %s is after the expiry, %s", lic.Start, lic.Expiry)
	case len(fields) > maxFields:
		return malformed("the licence has %d fields, at most %d are allowed", len(fields), maxFields)
	}
	for name := range lic.Extra.All() {
		if name == "edition" || name == "features" || name == "seats" {
			return malformed("field %s: it has a place of its own in a licence", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if err := checkField(name, fields[name]); err != nil {
			return err
		}
	}
	return nil
}

func checkField(name string, value uint64) error {
	switch {
	case !payload.ValidName(name):
		return malformed("field %.40q: want a lower-case letter, then up to 15 lower-case letters or digits", name)
	case name == "product" || name == "version" || name == "expiry" || name == "start" || name == "serial":
		return malformed("field %s: it has a member of its own", name)
	case value < 1 || value > maxNumber:
		return malformed("field %s %d: want 1 to 2^53-1; one that is 0 is left out", name, value)
	}
	return nil
}

func (r *Receipt) checkTimes() error {
	for _, t := range []struct {
		name string
		time.Time
	}{{"issue", r.Issued}, {"refresh", r.RefreshBy}, {"end", r.End}} {
		switch unix := t.Unix(); {
		case t.IsZero():
			return malformed("no time of %s given", t.name)
		case unix < payload.Day(0).Time().Unix() || unix > lastSecond:
			return malformed("time of %s %s: want %s to the end of 9999", t.name, stamp(t.Time), payload.Day(0))
		}
	}
	switch {
	case r.RefreshBy.Unix() <= r.Issued.Unix():
		return malformed("time of refresh %s: want one after the issue, %s", stamp(r.RefreshBy), stamp(r.Issued))
	case r.End.Unix() < r.RefreshBy.Unix():
		return malformed("end %s: want the time of refresh, %s, or one after it", stamp(r.End), stamp(r.RefreshBy))
	}
	return nil
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// fits checks the licence against the mint key that it claims to be of.
func (r *Receipt) fits(ring *keys.Ring, signer keys.ID) error {
	fail := func(reason Reason, message string) error {
		return &Error{Reason: reason, Key: signer, Message: message}
	}
	for _, k := range ring.MintKeys() {
		if k.ID() != r.KeyID {
			continue
		}
		bits, err := k.Layout().AppendPayload(nil, &r.License)
		switch {
		case err != nil:
			return fail(KeyMismatch, "the licence can't be of key "+r.KeyID.String()+": "+err.Error())
		case !k.Allows(r.License.Product):
			return fail(KeyMismatch, "the licence can't be of key "+r.KeyID.String()+", which may not license its product")
		}
		k.Layout().Unpack(&r.License, bits) // with the names of the fields that are 0
		return nil
	}
	return fail(UnknownMintKey, "the licence is of key "+r.KeyID.String()+", which the ring does not have; update the product")
}
