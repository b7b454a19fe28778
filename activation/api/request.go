package api

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/activation/internal/wire"
	"github.com/licet-dev/licet/keys/receipt"
)

// maxBody is how long a body may be, in bytes: twice the longest receipt, so that
// there is room for escapes.
const maxBody = 2 * receipt.MaxSize

// requestID returns the id that a request has, or a random one.
func requestID(h http.Header) string {
	if ids := h["X-Request-Id"]; len(ids) == 1 && len(ids[0]) >= 8 && len(ids[0]) <= 64 && wire.IsPlain(ids[0]) {
		return ids[0]
	}
	return rand.Text()
}

// idempotencyKey returns the key of a request, which may stand in quotes.
func idempotencyKey(h http.Header) (string, *activation.Error) {
	values := h["Idempotency-Key"]
	switch {
	case len(values) == 0:
		return "", badRequest("idempotency-key", "the header field Idempotency-Key is missing; send a new random one, and the same again when you repeat the request")
	case len(values) > 1:
		return "", badRequest("idempotency-key", "there is more than one header field Idempotency-Key; send one")
	}
	key := strings.Trim(values[0], " \t")
	if len(key) >= 2 && key[0] == '"' && key[len(key)-1] == '"' {
		key = key[1 : len(key)-1]
	}
	if !wire.IsKey(key) {
		return "", badRequest("idempotency-key", "Idempotency-Key: want 16 to 128 letters, digits, hyphens, underscores and full stops, with or without quotes around them")
	}
	return key, nil
}

// body reads what stands before and in the body of a request.
func (h *handler) body(c *call) (b body, e *activation.Error) {
	if e := h.authorize(c); e != nil {
		return b, e
	}
	if e := mediaType(c.r.Header); e != nil {
		return b, e
	}
	if c.r.ContentLength > maxBody {
		return b, tooLarge
	}
	buf := bodies.Get().(*[maxBody + 1]byte)
	defer bodies.Put(buf)
	n, err := io.ReadFull(c.r.Body, buf[:])
	switch {
	case err == nil:
		return b, tooLarge
	case err == io.EOF, err == io.ErrUnexpectedEOF && (c.r.ContentLength < 0 || int64(n) == c.r.ContentLength):
	case isTimeout(err):
		return b, timedOut
	default:
		return b, badRequest("body", "the body ended before it was complete")
	}
	// What is kept of the text is copied: the next request overwrites it.
	e = b.parse(buf[:n], c.route.needs, c.route.allows)
	c.account = b.subject.Kind == receipt.Account
	return b, e
}

var bodies = sync.Pool{New: func() any { return new([maxBody + 1]byte) }}

func isTimeout(err error) bool {
	var network net.Error
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, &network) && network.Timeout()
}

// mediaType refuses what is not JSON as it is.
func mediaType(h http.Header) *activation.Error {
	if len(h["Content-Encoding"]) > 0 {
		return wrongMedia
	}
	values := h["Content-Type"]
	switch {
	case len(values) > 1:
		return badRequest("content-type", "there is more than one header field Content-Type; send one")
	case len(values) == 0:
		return wrongMedia
	}
	media, parameter, more := strings.Cut(values[0], ";")
	parameter = strings.ToLower(strings.Trim(parameter, " \t"))
	if !strings.EqualFold(strings.TrimRight(media, " \t"), "application/json") || more && parameter != "charset=utf-8" && parameter != `charset="utf-8"` {
		return wrongMedia
	}
	return nil
}

// authorize finds out whether the caller may speak for accounts. A token that is not
// known is refused, so that nobody is taken for a stranger because of a typing error.
func (h *handler) authorize(c *call) *activation.Error {
	values := c.r.Header["Authorization"]
	switch len(values) {
	case 0:
		return nil
	case 1:
	default:
		return badRequest("authorization", "there is more than one header field Authorization; send one")
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	sum := sha256.Sum256([]byte(strings.Trim(token, " ")))
	known := 0
	for i := range h.Tokens {
		known |= subtle.ConstantTimeCompare(sum[:], h.Tokens[i][:])
	}
	if known == 0 || !strings.EqualFold(scheme, "bearer") {
		return unauthorized
	}
	c.trusted = true
	return nil
}
