package api

import (
	"log/slog"
	"time"

	"github.com/licet-dev/licet/activation"
)

// log writes the line of a request. It names the licence and the subject by what the
// ledger knows them by; there is no code, receipt, fingerprint, nonce or idempotency
// key in it, and nothing of the URL but the route.
func (h *handler) log(c *call) {
	if h.Log == nil {
		return
	}
	level := levelOf(c.Status)
	ctx := c.r.Context()
	if !h.Log.Enabled(ctx, level) {
		return
	}
	var space [14]slog.Attr
	a := append(space[:0], attr("request_id", c.id), attr("route", c.Route), slog.Int("status", c.Status), attr("outcome", c.Outcome))
	if c.Reason != "" {
		a = append(a, attr("reason", c.Reason))
	}
	if c.code != (activation.CodeID{}) {
		a = append(a, attr("code", c.code.String()))
	}
	if c.subject != (activation.SubjectID{}) {
		a = append(a, attr("subject", c.subject.String()[:8]))
	}
	if c.address.IsValid() { // or else the peer has none, as on a Unix socket
		a = append(a, attr("address", c.address.String()))
	}
	if c.peer != c.address {
		a = append(a, attr("peer", c.peer.String()))
	}
	if c.seat >= 0 {
		a = append(a, slog.Int64("seat", c.seat))
	}
	if c.Outcome == activation.Replayed.String() {
		a = append(a, slog.Bool("replay", true))
	}
	if c.Ledger != 0 {
		a = append(a, slog.Float64("ledger_ms", milliseconds(c.Ledger)))
	}
	a = append(a, slog.Float64("total_ms", milliseconds(c.Total)))
	h.Log.LogAttrs(ctx, level, "request", a...)
}

// levelOf returns how much a status matters to whoever runs the endpoint.
func levelOf(status int) slog.Level {
	switch {
	case status == 503:
		return slog.LevelWarn
	case status >= 500:
		return slog.LevelError
	}
	return slog.LevelInfo
}

func attr(name, value string) slog.Attr { return slog.String(name, value) }

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
