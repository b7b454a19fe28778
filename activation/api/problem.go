package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/activation/internal/wire"
)

// Problems of HTTP, besides those of the service.
const (
	problemNotFound         activation.Problem = "not-found"
	problemMethodNotAllowed activation.Problem = "method-not-allowed"
	problemTooLarge         activation.Problem = "body-too-large"
	problemMediaType        activation.Problem = "unsupported-media-type"
	problemTimeout          activation.Problem = "request-timeout"
	problemUnauthorized     activation.Problem = "unauthorized"
	problemInternal         activation.Problem = "internal-error"
)

// kinds are status and title of each problem.
var kinds = map[activation.Problem]struct {
	status int
	title  string
}{
	activation.BadRequest:     {http.StatusBadRequest, "The request is malformed"},
	activation.MalformedCode:  {http.StatusBadRequest, "The licence code has a typing error"},
	activation.QuotaExceeded:  {http.StatusTooManyRequests, "Too many requests"},
	activation.CodeRefused:    {http.StatusForbidden, "The licence code is refused"},
	activation.ReceiptRefused: {http.StatusForbidden, "The receipt is refused"},
	activation.WrongProduct:   {http.StatusForbidden, "The licence is for another product"},
	activation.WrongKind:      {http.StatusForbidden, "The product is activated by another kind of subject"},
	activation.Revoked:        {http.StatusForbidden, "The licence is revoked"},
	activation.VersionTooOld:  {http.StatusForbidden, "The licence is too old"},
	activation.NotYetValid:    {http.StatusForbidden, "The licence has not begun"},
	activation.Expired:        {http.StatusForbidden, "The licence has ended"},
	activation.SeatsExhausted: {http.StatusConflict, "All seats are taken"},
	activation.NoGiveBacks:    {http.StatusConflict, "No give-back is left"},
	activation.Released:       {http.StatusGone, "The seat was given back"},
	activation.KeyReused:      {http.StatusUnprocessableEntity, "The idempotency key was used for another request"},
	activation.Unavailable:    {http.StatusServiceUnavailable, "The service is not available at the moment"},
	problemNotFound:           {http.StatusNotFound, "There is no such resource"},
	problemMethodNotAllowed:   {http.StatusMethodNotAllowed, "The method is not allowed"},
	problemTooLarge:           {http.StatusRequestEntityTooLarge, "The body is too large"},
	problemMediaType:          {http.StatusUnsupportedMediaType, "The body must be JSON"},
	problemTimeout:            {http.StatusRequestTimeout, "The request took too long"},
	problemUnauthorized:       {http.StatusUnauthorized, "The bearer token is not known"},
	problemInternal:           {http.StatusInternalServerError, "The service has failed"},
}

var (
	notFound         = &activation.Error{Problem: problemNotFound}
	noList           = &activation.Error{Problem: problemNotFound, Reason: "no-list", Detail: "this endpoint has no revocation list"}
	methodNotAllowed = &activation.Error{Problem: problemMethodNotAllowed}
	tooLarge         = &activation.Error{Problem: problemTooLarge, Detail: fmt.Sprintf("a body has at most %d bytes", maxBody)}
	wrongMedia       = &activation.Error{Problem: problemMediaType, Detail: "send Content-Type: application/json in UTF-8, without Content-Encoding"}
	timedOut         = &activation.Error{Problem: problemTimeout, Detail: "the body was not complete in time"}
	unauthorized     = &activation.Error{Problem: problemUnauthorized, Detail: "send Authorization: Bearer with a token that this endpoint knows, or no Authorization"}
)

func badRequest(reason, detail string) *activation.Error {
	return &activation.Error{Problem: activation.BadRequest, Reason: reason, Detail: detail}
}

// The one answer to every code or receipt that is not genuine.
const (
	codeRefused    = "this is not a genuine code for this product"
	receiptRefused = "this is not a genuine receipt of this endpoint and subject"
)

// fail answers with the error of the service.
func (h *handler) fail(c *call, b *body, err error) {
	var e *activation.Error
	if !errors.As(err, &e) {
		e = &activation.Error{Problem: problemInternal, Reason: fmt.Sprintf("error-%T", err)}
	}
	c.code = e.Code
	if e.Code != (activation.CodeID{}) && b.subject.Kind != "" {
		c.subject = activation.NewSubjectID(e.Code, b.subject)
	}
	h.refuse(c, e)
}

// refuse answers with a problem.
func (h *handler) refuse(c *call, e *activation.Error) {
	c.Outcome, c.Reason = string(e.Problem), e.Reason
	problem := e.Problem
	kind, known := kinds[problem]
	if !known {
		problem, kind = problemInternal, kinds[problemInternal]
	}
	switch {
	case !isPrivate(problem):
	case !h.Strict:
		h.rateLimit(c)
	default:
		problem = activation.CodeRefused
		if c.route.needs&memberReceipt != 0 {
			problem = activation.ReceiptRefused
		}
		kind = kinds[problem]
	}
	p := wire.Problem{Type: "urn:licet:problem:" + string(problem), Title: kind.title, Status: kind.status, Instance: c.id}
	header := c.w.Header()
	switch problem {
	case activation.CodeRefused:
		p.Detail = codeRefused
	case activation.ReceiptRefused:
		p.Detail = receiptRefused
	case activation.MalformedCode:
		p.Detail, p.Reason, p.Places = e.Detail, e.Reason, e.Places
	case activation.SeatsExhausted:
		p.Detail, p.Seats = e.Detail, e.Seats
	case activation.VersionTooOld:
		p.Detail, p.MinVersion = e.Detail, e.MinVersion
	case activation.QuotaExceeded, activation.Unavailable:
		p.Detail = e.Detail
		header["Retry-After"] = []string{retryAfter(e.RetryAfter)}
	case problemUnauthorized:
		p.Detail = e.Detail
		header["Www-Authenticate"] = []string{"Bearer"}
	case problemTooLarge, problemTimeout:
		p.Detail = e.Detail
		header["Connection"] = []string{"close"} // what is left of the body is not worth reading
	default:
		p.Detail = e.Detail
	}
	h.write(c, kind.status, "application/problem+json", p)
}

// isPrivate reports whether a problem is told to those only who have something genuine.
func isPrivate(p activation.Problem) bool {
	switch p {
	case problemNotFound, problemMethodNotAllowed, problemTooLarge, problemMediaType, problemTimeout, problemUnauthorized, problemInternal:
		return false
	}
	return !p.Public()
}

// retryAfter returns a wait in whole seconds: never less, and up to a fifth and two
// seconds more, so that not all of those who wait come back at once.
func retryAfter(wait time.Duration) string {
	n := max(seconds(wait), 1)
	return strconv.FormatInt(n+rand.Int64N(n/5+3), 10)
}

// panicked answers for a call that has panicked. What was sent may stand in the value,
// so only its type is told, and the text if it is the runtime's own.
func (h *handler) panicked(c *call, value any, stack []byte) {
	reason := fmt.Sprintf("panic of type %T", value)
	if e, ok := value.(runtime.Error); ok {
		reason = e.Error()
	}
	if h.Log != nil {
		h.Log.LogAttrs(c.r.Context(), levelOf(http.StatusInternalServerError), "panic",
			attr("request_id", c.id), attr("route", c.Route), attr("reason", reason), attr("stack", string(stack)))
	}
	if c.Status == 0 {
		h.refuse(c, &activation.Error{Problem: problemInternal, Reason: "panic"})
	}
}

// write answers with a body of JSON.
func (h *handler) write(c *call, status int, media string, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // the types of package wire have nothing that can't be written
	}
	header := c.w.Header()
	header["Content-Type"] = []string{media}
	header["Cache-Control"] = noStore
	h.send(c, status, text)
}

// The headers that every answer has. The server reads them only.
var noStore = []string{"no-store"}

// send answers with a body.
func (h *handler) send(c *call, status int, text []byte) {
	c.Status = status
	c.w.Header()["Content-Length"] = []string{strconv.Itoa(len(text))}
	c.w.WriteHeader(status)
	if c.r.Method != http.MethodHead {
		c.w.Write(text) // whoever does not read it asks again
	}
}
