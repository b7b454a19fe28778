// Package api serves an [activation.Service] over HTTP. SPEC.md, section 12, describes
// the routes.
//
// The handler can be mounted on any mux, and under a prefix with [http.StripPrefix]. It
// bounds what it reads of a body, and leaves time and connections to the [http.Server]
// around it, which needs ReadHeaderTimeout, ReadTimeout, WriteTimeout, IdleTimeout and
// MaxHeaderBytes. What that server answers by itself, before there is a request, is
// plain text and can't be changed here: 400 for what is no HTTP, 431 for headers that
// are too long, 501 for a transfer coding that it does not know, 505 for another
// version.
//
// A request for which the peer has no IP address, as on a Unix socket, is not counted
// by address. Let the program listen on 127.0.0.1 behind a proxy, and trust that.
package api

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"time"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/activation/limit"
	"github.com/licet-dev/licet/keys"
)

// Options are what a handler needs besides the service. The zero Options serve devices
// only, and neither keys nor lists.
type Options struct {
	// TrustedProxies are the addresses of proxies whose X-Forwarded-For is believed.
	// From others the field is ignored.
	TrustedProxies []netip.Prefix

	// Tokens are the SHA-256 hashes of the bearer tokens of callers that may speak for
	// accounts. A token should have 128 random bits or more: guesses are not counted.
	Tokens [][sha256.Size]byte

	// Strict answers whatever is wrong with a genuine code or receipt as if it were not
	// genuine. The log still has the reason.
	Strict bool

	// Ring has the receipt keys that GET /v1/keys lists. If nil, there is no such route.
	Ring *keys.Ring

	// List returns the signed revocation list for GET /v1/revocations, or nil when there
	// is none. It is called for each request. The bytes must not change: a newer list is
	// another slice. If nil, there is no list.
	List func() []byte

	// Log gets one line for each request. If nil, nothing is logged.
	Log *slog.Logger

	// Observe is called after each request, by several goroutines at once. If nil, it
	// is not.
	Observe func(Observation)
}

// An Observation is what metrics may know of a request. The values of Route, Outcome
// and Reason are few, whatever is asked. Those of Product are not.
type Observation struct {
	Route   string // "activate", "preview", "refresh", "release", "keys", "revocations" or "other"
	Status  int    // of HTTP
	Outcome string // "granted", "replayed", "held", "previewed", "refreshed", "released", "sent", or the problem
	Reason  string // exactly why, or ""

	// Product is the number of the product that asked or, of a receipt that was genuine,
	// that it is for; else 0. Whoever asks can name any.
	Product uint64

	Ledger time.Duration // how long the ledger took; 0 if it was not asked
	Total  time.Duration // until the answer was written
}

// A service is an *activation.Service. Tests have others.
type service interface {
	Activate(context.Context, activation.Request) (activation.Reply, error)
	Preview(context.Context, activation.Request) (activation.Preview, error)
	Refresh(context.Context, activation.ReceiptRequest) (activation.Reply, error)
	Release(context.Context, activation.ReceiptRequest) (activation.Reply, error)
	Left(netip.Addr) (r limit.Rate, n int, reset time.Duration)
}

type handler struct {
	service service
	Options
	keySet []byte
	list   cachedList
}

// New returns a handler that serves s.
func New(s *activation.Service, o Options) http.Handler { return newHandler(s, o) }

func newHandler(s service, o Options) *handler {
	h := &handler{service: s, Options: o}
	if o.Ring != nil {
		h.keySet = keySet(o.Ring)
	}
	return h
}

// A route is a path of the handler.
type route struct {
	name   string
	post   bool
	serve  func(*handler, *call)
	needs  member // members that a body must have
	allows member // and those that it may have
}

// routeOf returns the route of a path. The last one is for paths that there are not.
func routeOf(path string) *route {
	switch path {
	case "/v1/activations":
		return &routes.activate
	case "/v1/activations/preview":
		return &routes.preview
	case "/v1/activations/refresh":
		return &routes.refresh
	case "/v1/activations/release":
		return &routes.release
	case "/v1/keys":
		return &routes.keys
	case "/v1/revocations":
		return &routes.revocations
	}
	return &routes.other
}

var routes = struct{ activate, preview, refresh, release, keys, revocations, other route }{
	activate:    route{"activate", true, (*handler).activate, memberCode | memberProduct | memberSubject | memberNonce, memberBinding},
	preview:     route{"preview", true, (*handler).preview, memberCode | memberProduct, memberBinding},
	refresh:     route{"refresh", true, (*handler).refresh, memberReceipt | memberSubject | memberNonce, 0},
	release:     route{"release", true, (*handler).release, memberReceipt | memberSubject, 0},
	keys:        route{"keys", false, (*handler).keys, 0, 0},
	revocations: route{"revocations", false, (*handler).revocations, 0, 0},
	other:       route{"other", false, nil, 0, 0},
}

// A call is a request on its way through the handler, and what is logged of it.
type call struct {
	Observation
	w     http.ResponseWriter
	r     *http.Request
	route *route
	id    string

	peer, address netip.Addr
	trusted       bool // the caller may speak for accounts
	account       bool // and speaks for one

	code    activation.CodeID
	subject activation.SubjectID
	seat    int64 // -1 without one
}

// ServeHTTP answers a request.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	c := &call{w: w, r: r, route: routeOf(r.URL.Path), id: requestID(r.Header), seat: -1}
	c.Route = c.route.name
	c.peer, c.address = h.addresses(r)
	w.Header()["X-Request-Id"] = []string{c.id}
	defer func() {
		p := recover()
		if p == http.ErrAbortHandler {
			panic(p)
		}
		if p != nil {
			h.panicked(c, p, debug.Stack())
		}
		c.Total = time.Since(start)
		h.log(c)
		if h.Observe != nil {
			h.Observe(c.Observation)
		}
	}()
	h.serve(c)
}

func (h *handler) serve(c *call) {
	if c.route.serve == nil {
		h.refuse(c, notFound)
		return
	}
	switch method := c.r.Method; {
	case c.route.post && method != http.MethodPost:
		c.w.Header().Set("Allow", "POST")
		h.refuse(c, methodNotAllowed)
		return
	case !c.route.post && method != http.MethodGet && method != http.MethodHead:
		c.w.Header().Set("Allow", "GET, HEAD")
		h.refuse(c, methodNotAllowed)
		return
	}
	c.route.serve(h, c)
}

func (h *handler) activate(c *call) {
	key, e := idempotencyKey(c.r.Header)
	if e != nil {
		h.refuse(c, e)
		return
	}
	b, e := h.body(c)
	if e != nil {
		h.refuse(c, e)
		return
	}
	c.Product = b.product
	reply, err := h.service.Activate(c.r.Context(), activation.Request{
		Code: b.code, Binding: b.binding, Product: b.product, Subject: b.subject, Nonce: b.nonce,
		Key: key, From: c.address, Trusted: c.trusted,
	})
	h.reply(c, &b, reply.Outcome.String(), reply, err)
}

func (h *handler) preview(c *call) {
	b, e := h.body(c)
	if e != nil {
		h.refuse(c, e)
		return
	}
	c.Product = b.product
	p, err := h.service.Preview(c.r.Context(), activation.Request{
		Code: b.code, Binding: b.binding, Product: b.product, From: c.address, Trusted: c.trusted,
	})
	if err != nil {
		h.fail(c, &b, err)
		return
	}
	c.code = p.Code
	h.answer(c, "previewed", previewBody(p))
}

func (h *handler) refresh(c *call) {
	h.receipt(c, "refreshed", h.service.Refresh)
}

func (h *handler) release(c *call) {
	h.receipt(c, "released", h.service.Release)
}

func (h *handler) receipt(c *call, outcome string, do func(context.Context, activation.ReceiptRequest) (activation.Reply, error)) {
	b, e := h.body(c)
	if e != nil {
		h.refuse(c, e)
		return
	}
	reply, err := do(c.r.Context(), activation.ReceiptRequest{
		Receipt: b.receipt, Subject: b.subject, Nonce: b.nonce, From: c.address, Trusted: c.trusted,
	})
	h.reply(c, &b, outcome, reply, err)
}

// reply answers with what a service has decided.
func (h *handler) reply(c *call, b *body, outcome string, reply activation.Reply, err error) {
	c.Ledger = reply.Ledger
	if err != nil {
		h.fail(c, b, err)
		return
	}
	c.Product = reply.License.Product
	c.code, c.subject, c.seat = reply.Code, reply.Seat.Subject, reply.Seat.Number
	h.answer(c, outcome, replyBody(outcome, reply))
}
