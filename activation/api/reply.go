package api

import (
	"net/http"
	"strconv"
	"time"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/activation/internal/wire"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/receipt"
	"github.com/licet-dev/licet/payload"
)

// answer answers with what was asked for.
func (h *handler) answer(c *call, outcome string, v any) {
	c.Outcome = outcome
	h.rateLimit(c)
	h.write(c, http.StatusOK, "application/json", v)
}

// rateLimit tells how many requests the address has left, in the fields of the draft
// "RateLimit header fields for HTTP" of the IETF. Who has shown nothing genuine is not
// told: it would be the budget for guessing.
func (h *handler) rateLimit(c *call) {
	if c.account {
		return // accounts are not counted by address
	}
	r, left, reset := h.service.Left(c.address)
	if r.N == 0 {
		return
	}
	space := make([]byte, 0, 128)
	b := append(space, `"address";q=`...)
	b = strconv.AppendInt(b, int64(r.N), 10)
	b = append(b, ";w="...)
	b = strconv.AppendInt(b, seconds(r.Per), 10)
	header := c.w.Header()
	header["Ratelimit-Policy"] = []string{string(b)}
	b = append(space, `"address";r=`...)
	b = strconv.AppendInt(b, int64(left), 10)
	b = append(b, ";t="...)
	b = strconv.AppendInt(b, seconds(reset), 10)
	header["Ratelimit"] = []string{string(b)}
}

// seconds returns a time in whole seconds, rounded up.
func seconds(d time.Duration) int64 {
	s := int64(d / time.Second)
	if d%time.Second > 0 {
		s++
	}
	return s
}

func replyBody(outcome string, r activation.Reply) wire.Reply {
	b := wire.Reply{
		Status: outcome, Receipt: r.Receipt, License: licenseBody(r.KeyID, &r.License),
		SeatsEnforced: r.Seat.Enforced, Revocations: r.Sequence,
	}
	if r.Seat.Enforced {
		b.Seats = seatsBody(r.Seat.Seats)
	}
	if r.Receipt != "" {
		b.Issued, b.RefreshBy, b.End = receipt.FormatTime(r.Seat.Issued), receipt.FormatTime(r.Seat.RefreshBy), receipt.FormatTime(r.Seat.End)
	}
	return b
}

func previewBody(p activation.Preview) wire.PreviewReply {
	return wire.PreviewReply{
		Status: "previewed", License: licenseBody(p.KeyID, &p.License), Seats: *seatsBody(p.Seats), Kind: string(p.Kind), Revocations: p.Sequence,
	}
}

// seatsBody returns how many seats there are, 0 for a number without bound as a code
// has it.
func seatsBody(n int64) *int64 {
	if n >= activation.Unlimited {
		n = 0
	}
	return &n
}

func licenseBody(key keys.ID, l *payload.License) wire.License {
	b := wire.License{
		KeyID: key.String(), Product: l.Product, Serial: strconv.FormatUint(l.Serial, 10), Version: l.Version, Expiry: l.Expiry.String(),
	}
	if l.Start != 0 {
		b.Start = l.Start.String()
	}
	set := func(name string, value uint64) {
		if value == 0 {
			return
		}
		if b.Fields == nil {
			b.Fields = map[string]uint64{}
		}
		b.Fields[name] = value
	}
	set("edition", l.Edition)
	set("features", l.Features)
	set("seats", l.Seats)
	for name, value := range l.Extra.All() {
		set(name, value)
	}
	return b
}
