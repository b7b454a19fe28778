package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/keys"
	"github.com/licet-dev/licet/keys/receipt"
)

// An admin serves the operator: health, metrics, and the seats of a licence. Whoever
// reaches it is believed.
type admin struct {
	service *activation.Service
	ledger  activation.Ledger
	counted bool // whether the ledger counts seats
	ring    *keys.Ring
	log     *slog.Logger
}

// readyTimeout is how long the ledger has to show that it can commit.
const readyTimeout = 3 * time.Second

func (a *admin) handler(metrics http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", only(http.MethodGet, a.health))
	mux.HandleFunc("/readyz", only(http.MethodGet, a.ready))
	mux.HandleFunc("/metrics", only(http.MethodGet, metrics.ServeHTTP))
	mux.HandleFunc("/seats/{key}/{product}/{serial}", only(http.MethodGet, a.seats))
	mux.HandleFunc("/seats/{key}/{product}/{serial}/{subject}/release", only(http.MethodPost, a.release))
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		problem(w, http.StatusNotFound, "there are /healthz, /readyz, /metrics and /seats/{key id}/{product}/{serial}")
	})
	// A web page that somebody on this machine looks at must not release seats.
	return http.NewCrossOriginProtection().Handler(mux)
}

// only answers to one method, and to HEAD where that is GET.
func only(method string, serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != method && !(method == http.MethodGet && r.Method == http.MethodHead) {
			w.Header().Set("Allow", method)
			problem(w, http.StatusMethodNotAllowed, "want "+method)
			return
		}
		serve(w, r)
	}
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body) // an error is one of the connection
}

func problem(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(struct {
		Title  string `json:"title"`
		Status int    `json:"status"`
		Detail string `json:"detail,omitempty"`
	}{http.StatusText(status), status, detail})
}

type health struct {
	Status   string   `json:"status"`
	Warnings []string `json:"warnings,omitempty"`
}

func (a *admin) health(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, health{Status: "ok"})
}

// ready answers whether the ledger can commit. A list that is past its due time is a
// warning only: an endpoint that is taken out of service for it serves nobody.
func (a *admin) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
	defer cancel()
	if err := a.ledger.Ready(ctx); err != nil {
		a.log.Warn("ledger not ready", "error", err.Error())
		problem(w, http.StatusServiceUnavailable, "the ledger can't commit: "+err.Error())
		return
	}
	h := health{Status: "ready"}
	if l, ok := a.service.List(); ok && l.Stale {
		h.Warnings = append(h.Warnings, fmt.Sprintf("the next revocation list was due at %s, and list %d is still at hand", l.Due.Format(time.RFC3339), l.Sequence))
	}
	answer(w, http.StatusOK, h)
}

type seatJSON struct {
	Subject   string `json:"subject"`
	Seat      *int64 `json:"seat"` // null when it was given back or has lapsed
	Seats     int64  `json:"seats"`
	Issued    string `json:"issued"`
	RefreshBy string `json:"refresh_by"`
	End       string `json:"end"`
	Released  string `json:"released,omitempty"`
}

type seatsJSON struct {
	KeyID    string     `json:"key_id"`
	Product  uint64     `json:"product"`
	Serial   string     `json:"serial"`
	Code     string     `json:"code"` // as in the log
	Enforced bool       `json:"seats_enforced"`
	Seats    []seatJSON `json:"seats"`
}

// licence is the one that a path names.
type licence struct {
	keyID           keys.ID
	product, serial uint64
}

func (l licence) code() activation.CodeID {
	return activation.NewCodeID(l.keyID, l.product, l.serial)
}

// licence returns the licence of a path, or answers with what is wrong.
func (a *admin) licence(w http.ResponseWriter, r *http.Request) (l licence, ok bool) {
	id, err := keys.ParseID(r.PathValue("key"))
	if err != nil {
		problem(w, http.StatusBadRequest, "the id of the key: want 16 lower-case hexadecimal digits, as licet key list shows them")
		return l, false
	}
	product, productErr := strconv.ParseUint(r.PathValue("product"), 10, 64)
	serial, serialErr := strconv.ParseUint(r.PathValue("serial"), 10, 64)
	if productErr != nil || serialErr != nil || product == 0 || serial == 0 {
		problem(w, http.StatusBadRequest, "product and serial: want whole numbers from 1")
		return l, false
	}
	for _, k := range a.ring.MintKeys() {
		if k.ID() == id && k.Allows(product) {
			return licence{id, product, serial}, true
		}
	}
	problem(w, http.StatusNotFound, fmt.Sprintf("the ring has no mint key %s for product %d", id, product))
	return l, false
}

func (a *admin) seats(w http.ResponseWriter, r *http.Request) {
	l, ok := a.licence(w, r)
	if !ok {
		return
	}
	all, err := a.ledger.Seats(r.Context(), l.code())
	if err != nil {
		a.unavailable(w, err)
		return
	}
	body := seatsJSON{
		KeyID: l.keyID.String(), Product: l.product, Serial: strconv.FormatUint(l.serial, 10), Code: l.code().String(),
		Enforced: a.counted, Seats: []seatJSON{},
	}
	for _, s := range all {
		body.Seats = append(body.Seats, newSeatJSON(s))
	}
	answer(w, http.StatusOK, body)
}

func newSeatJSON(s activation.Seat) seatJSON {
	j := seatJSON{
		Subject: s.Subject.String(), Seats: s.Seats,
		Issued: receipt.FormatTime(s.Issued), RefreshBy: receipt.FormatTime(s.RefreshBy), End: receipt.FormatTime(s.End),
	}
	if s.Seats == activation.Unlimited {
		j.Seats = 0 // as in the API
	}
	if s.Number >= 0 {
		j.Seat = &s.Number
	}
	if !s.Released.IsZero() {
		j.Released = receipt.FormatTime(s.Released)
	}
	return j
}

// release frees a seat at once, whatever the policy says of give-backs. It counts as one
// of the year's. The receipt that its subject has stays good until it ends.
func (a *admin) release(w http.ResponseWriter, r *http.Request) {
	l, ok := a.licence(w, r)
	if !ok {
		return
	}
	id, err := hex.DecodeString(r.PathValue("subject"))
	if err != nil || len(id) != len(activation.SubjectID{}) {
		problem(w, http.StatusBadRequest, "the subject: want 32 hexadecimal digits, as the seats of the licence show them")
		return
	}
	subject := activation.SubjectID(id)
	seat, err := a.ledger.Release(r.Context(), activation.GiveBack{Code: l.code(), Subject: subject, GiveBacks: math.MaxInt32})
	switch {
	case errors.Is(err, activation.ErrNoSeat):
		problem(w, http.StatusNotFound, "this subject has no seat of this licence on record")
	case err != nil:
		a.unavailable(w, err)
	default:
		a.log.Info("seat released by the operator", "code", l.code().String(), "subject", subject.String()[:8])
		answer(w, http.StatusOK, newSeatJSON(seat))
	}
}

func (a *admin) unavailable(w http.ResponseWriter, err error) {
	a.log.Warn("the ledger failed", "error", err.Error())
	w.Header().Set("Retry-After", "2")
	problem(w, http.StatusServiceUnavailable, "the ledger failed: "+err.Error())
}
