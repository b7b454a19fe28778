package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/licet-dev/licet/activation/internal/wire"
	"github.com/licet-dev/licet/keys/receipt"
)

const (
	maxReply = 64 << 10 // bytes of an answer; a receipt has 4 KiB at most

	firstPause = 500 * time.Millisecond // at most, before the second attempt
	maxPause   = 10 * time.Second
	maxAfter   = 30 * time.Second // a server that asks for a longer wait gets no further attempt

	problemPrefix = "urn:licet:problem:"
	unavailable   = "unavailable" // the problem of an endpoint that could not decide
)

func (c *Client) activate(ctx context.Context, r Request, p Pending) (Reply, error) {
	body := wire.Activation{Code: r.Code, Binding: r.Binding, Product: r.Product, Subject: subject(r.Subject), Nonce: p.Nonce}
	var a replyBody
	err := c.ask(ctx, "/v1/activations", p.Key, body, []string{r.Code, r.Binding}, a.reader("granted", "replayed", "held"))
	return a.reply(p.Nonce, err)
}

// Refresh begins a new lease of a seat. The receipt is one of this subject, whether or
// not it has ended; the new one takes its place. A lost reply costs nothing: the next
// request begins another lease of the same seat.
func (c *Client) Refresh(ctx context.Context, text string, s receipt.Subject) (Reply, error) {
	if err := checkReceipt(text, s); err != nil {
		return Reply{}, err
	}
	nonce := rand.Text()
	var a replyBody
	err := c.ask(ctx, "/v1/activations/refresh", "", wire.Refresh{Receipt: text, Subject: subject(s), Nonce: nonce}, []string{text}, a.reader("refreshed"))
	return a.reply(nonce, err)
}

// Release gives the seat of a subject back. To do so twice is no error. Delete the
// receipt then: that it still verifies until it ends gives no right to use it.
func (c *Client) Release(ctx context.Context, text string, s receipt.Subject) (Reply, error) {
	if err := checkReceipt(text, s); err != nil {
		return Reply{}, err
	}
	var a replyBody
	err := c.ask(ctx, "/v1/activations/release", "", wire.Release{Receipt: text, Subject: subject(s)}, []string{text}, a.reader("released"))
	return a.reply("", err)
}

// Preview asks what a code says and whether it holds, and takes no seat. The subject of
// the request does not matter.
func (c *Client) Preview(ctx context.Context, r Request) (Preview, error) {
	if err := r.check(false); err != nil {
		return Preview{}, err
	}
	var p wire.PreviewReply
	err := c.ask(ctx, "/v1/activations/preview", "", wire.Preview{Code: r.Code, Binding: r.Binding, Product: r.Product}, []string{r.Code, r.Binding}, func(text []byte) string {
		p = wire.PreviewReply{} // of an attempt before
		switch {
		case json.Unmarshal(text, &p) != nil:
			return "it is not the JSON that was expected"
		case p.Status != "previewed" || p.License.Product == 0 || p.License.Serial == "" || p.Seats < 0:
			return "it has no licence, or no number of seats"
		}
		return ""
	})
	if err != nil {
		return Preview{}, err
	}
	l := p.License
	return Preview{l.Product, l.Serial, l.Version, l.Expiry, l.Start, l.Fields, p.Seats, receipt.Kind(p.Kind)}, nil
}

// A replyBody is an answer that has a receipt, or could have one.
type replyBody wire.Reply

// reader returns a function that reads an answer with one of the states, and says what is
// wrong with it.
func (a *replyBody) reader(states ...string) func(text []byte) string {
	return func(text []byte) string {
		*a = replyBody{} // of an attempt before
		switch {
		case json.Unmarshal(text, a) != nil:
			return "it is not the JSON that was expected"
		case !slices.Contains(states, a.Status):
			return "it does not say what became of the request"
		case a.Status != "released" && (a.Receipt == "" || len(a.Receipt) > receipt.MaxSize):
			return "it has no receipt, or one that is too long"
		case a.Seats != nil && *a.Seats < 0:
			return "it tells of less than no seats"
		}
		return ""
	}
}

func (a *replyBody) reply(nonce string, err error) (Reply, error) {
	if err != nil {
		return Reply{}, err
	}
	r := Reply{Nonce: nonce, Status: a.Status, SeatsEnforced: a.SeatsEnforced}
	if a.Status != "released" {
		r.Receipt = a.Receipt
	}
	if a.SeatsEnforced && a.Seats != nil {
		r.Seats = *a.Seats
	}
	return r, nil
}

func checkReceipt(text string, s receipt.Subject) error {
	if strings.TrimSpace(text) == "" {
		return errors.New("client: no receipt given")
	}
	if len(text) > receipt.MaxSize {
		return fmt.Errorf("client: a receipt of %d bytes: want %d at most", len(text), receipt.MaxSize)
	}
	if err := s.Check(); err != nil {
		return fmt.Errorf("client: %w", err)
	}
	return nil
}

func subject(s receipt.Subject) wire.Subject {
	return wire.Subject{Kind: string(s.Kind), Hash: fmt.Sprintf("%x", s.Hash)}
}

// ask makes a request until it is answered. What says what is wrong with the body of an
// answer, and "" if nothing is.
func (c *Client) ask(ctx context.Context, path, key string, body any, secrets []string, what func(text []byte) string) error {
	text, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("client: %w", err)
	}
	secrets = append(secrets, string(c.token))
	for attempt := 1; ; attempt++ {
		err := c.once(ctx, path, key, text, secrets, what)
		after, again := repeatable(err)
		if !again || attempt >= c.attempts || after > maxAfter {
			return err
		}
		// Full jitter: clients that failed together do not come back together.
		pause := after + c.random(min(firstPause<<min(attempt-1, 10), maxPause))
		if c.sleep(ctx, pause) != nil { // the error says more than that time is up
			return &unreachableError{text: strings.TrimPrefix(err.Error(), ErrUnreachable.Error()+": ") + "; gave up", cause: errors.Join(ctx.Err(), err)}
		}
	}
}

// repeatable reports whether a request may be repeated after err, and how long to wait.
// All requests may as far as the endpoint is concerned: this is whether there is a point.
func repeatable(err error) (after time.Duration, again bool) {
	var lost *unreachableError
	var no *Refused
	var bad *BadReply
	switch {
	case errors.As(err, &lost):
		return lost.after, lost.again
	case errors.As(err, &no):
		return no.RetryAfter, no.Problem == QuotaExceeded
	case errors.As(err, &bad):
		return 0, true
	}
	return 0, false
}

// once makes a request once.
func (c *Client) once(ctx context.Context, path, key string, body []byte, secrets []string, what func(text []byte) string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.server+path, bytes.NewReader(body))
	if err != nil {
		return errors.New("client: the server is no URL that can be asked")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, application/problem+json")
	req.Header.Set("User-Agent", "licet-client")
	if key != "" {
		req.Header.Set("Idempotency-Key", `"`+key+`"`)
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+string(c.token))
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return lost(ctx, err, secrets)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxReply+1))
	if err != nil {
		return lost(ctx, err, secrets)
	}
	return read(resp, text, secrets, what)
}

// lost returns the error of a request without an answer.
func lost(ctx context.Context, err error, secrets []string) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err // without method and URL
	}
	e := &unreachableError{text: clean(err.Error(), secrets), cause: err, again: ctx.Err() == nil}
	var cert *tls.CertificateVerificationError
	var host x509.HostnameError
	var authority x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	if errors.As(err, &cert) || errors.As(err, &host) || errors.As(err, &authority) || errors.As(err, &invalid) {
		e.text += "; a portal that wants a log-in, or a program that reads the traffic, may be in between"
		e.again = false
	}
	return e
}

// read reads an answer.
func read(resp *http.Response, text []byte, secrets []string, what func(text []byte) string) error {
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	after := retryAfter(resp.Header)
	switch status := resp.StatusCode; {
	case media == "application/problem+json" && status >= 400:
		return readProblem(resp, text, after, secrets)
	case media == "application/json" && status == http.StatusOK:
		if len(text) > maxReply {
			return tooLong(status)
		}
		if wrong := what(text); wrong != "" {
			return &BadReply{status, wrong}
		}
		return nil
	case status >= 300 && status < 400:
		return redirected(resp)
	default:
		return foreign(resp, media, after)
	}
}

// foreign returns the error for an answer that no endpoint gave.
func foreign(resp *http.Response, media string, after time.Duration) error {
	e := &unreachableError{after: after}
	e.text = fmt.Sprintf("something else answered in its place, with status %d", resp.StatusCode)
	if isMedia(media) {
		e.text += " and " + media
	}
	switch resp.StatusCode {
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		e.again = true
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		e.text += "; check the URL of the server"
	case http.StatusProxyAuthRequired:
		e.text += "; the proxy wants a password"
	default:
		e.again = resp.StatusCode < 300
		e.text += "; a portal that wants a log-in may be in between"
	}
	return e
}

func isMedia(s string) bool {
	return s != "" && len(s) <= 64 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789/+-.") == ""
}

func redirected(resp *http.Response) error {
	e := &unreachableError{text: "it redirects to another place, and codes are not sent after"}
	if to, err := resp.Location(); err == nil && to.Host != "" {
		e.text = "it redirects to " + clean(to.Scheme+"://"+to.Host, nil) + ", and codes are not sent after; if that is the endpoint, give it as the server, else a portal may want a log-in"
	}
	return e
}

func tooLong(status int) error {
	return &BadReply{status, fmt.Sprintf("it is longer than %d bytes", maxReply)}
}

func readProblem(resp *http.Response, text []byte, after time.Duration, secrets []string) error {
	var p wire.Problem
	status := resp.StatusCode
	if len(text) > maxReply {
		return tooLong(status)
	}
	if json.Unmarshal(text, &p) != nil {
		return &BadReply{status, "it is not the JSON that was expected"}
	}
	name, ours := strings.CutPrefix(p.Type, problemPrefix)
	detail := clean(p.Detail, secrets)
	switch {
	case !ours || !isCode(name): // some other server's, such as a gateway's
		return foreign(resp, "application/problem+json", after)
	case name == unavailable || status >= 500 || status == http.StatusRequestTimeout:
		if detail == "" {
			detail = "it can't decide at present"
		}
		return &unreachableError{text: detail, after: after, again: true}
	}
	e := &Refused{Problem: Problem(name), Detail: detail, Seats: p.Seats, MinVersion: p.MinVersion, RetryAfter: after}
	if isCode(p.Reason) {
		e.Reason = p.Reason
	}
	if len(p.Places) <= 1024 {
		e.Places = p.Places
	}
	if len(p.Instance) <= 128 {
		e.RequestID = clean(p.Instance, secrets)
	}
	return e
}

// retryAfter returns how long a server asks to wait, 0 if it does not say so in seconds.
// A date is left out: it would need a clock that is right.
func retryAfter(h http.Header) time.Duration {
	n, err := strconv.ParseUint(h.Get("Retry-After"), 10, 31)
	if err != nil {
		return 0
	}
	return time.Duration(n) * time.Second
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func random(n time.Duration) time.Duration { return mathrand.N(n + 1) }
