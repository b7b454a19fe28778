package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Options say how an endpoint is asked. Server is mandatory.
type Options struct {
	// Server is the URL of the endpoint, without "/v1", such as
	// "https://licences.example.com". It is https, or http on the machine itself: codes
	// and tokens go over it.
	Server string

	// AllowHTTP accepts http for other machines, too.
	AllowHTTP bool

	// Token is how the endpoint knows that it may believe the names of accounts. It
	// belongs on the issuer's servers, not in a product. Empty for devices.
	Token Token

	// HTTP makes the requests. If nil, a client of its own does, with the proxy of the
	// environment and 20 seconds for each attempt; give one of your own a timeout, too.
	// No redirect is followed, whatever its CheckRedirect says: a code goes to the
	// server that was named, and nowhere else.
	HTTP *http.Client

	// Attempts is how often a request is made at most. Zero is 4. Between them are
	// pauses of up to half a second, one, two and so on up to ten, at random, and of
	// what the server asks for, where that is 30 seconds at most. Bound all of it with
	// the context.
	Attempts int
}

// A Token is a secret text. It does not print.
type Token string

// Format writes a constant text.
func (t Token) Format(f fmt.State, _ rune) { io.WriteString(f, "(token)") }

// A Client asks an endpoint. It is safe for concurrent use.
type Client struct {
	server   string // without a slash at its end
	token    Token
	http     *http.Client
	attempts int

	sleep  func(ctx context.Context, d time.Duration) error
	random func(n time.Duration) time.Duration // 0 to n
}

// New returns a client. It asks nothing yet. An error says what is wrong with an option.
func New(o Options) (*Client, error) {
	server, err := checkServer(o.Server, o.AllowHTTP)
	if err != nil {
		return nil, err
	}
	if strings.ContainsFunc(string(o.Token), func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("client: the token has a space, or a character that is not of ASCII")
	}
	if o.Attempts < 0 {
		return nil, fmt.Errorf("client: %d attempts: want 1 or more, or 0 for the default", o.Attempts)
	}
	c := &Client{server: server, token: o.Token, attempts: o.Attempts, sleep: sleep, random: random}
	if c.attempts == 0 {
		c.attempts = 4
	}
	var h http.Client
	if o.HTTP != nil {
		h = *o.HTTP
	} else {
		h = http.Client{Transport: newTransport(), Timeout: 20 * time.Second}
	}
	h.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.http = &h
	return c, nil
}

func newTransport() *http.Transport {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           10,
		IdleConnTimeout:        30 * time.Second,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxResponseHeaderBytes: 32 << 10,
	}
}

// checkServer returns the URL to which paths are appended. No error repeats a user
// name or a password.
func checkServer(s string, allowHTTP bool) (string, error) {
	u, err := url.Parse(s)
	switch {
	case s == "":
		return "", errors.New("client: no server given, such as https://licences.example.com")
	case err != nil:
		return "", errors.New("client: the server is no URL; give one such as https://licences.example.com")
	case u.User != nil:
		return "", errors.New("client: the URL of the server has a user name in it; leave that out")
	case u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "":
		return "", fmt.Errorf("client: server %q: want a URL such as https://licences.example.com", s)
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return "", errors.New("client: the URL of the server has a query or a fragment; leave that out")
	case u.Scheme == "http" && !allowHTTP && !loopback(u.Hostname()):
		return "", fmt.Errorf("client: server %q: want https, since codes go over it; http must be allowed explicitly", s)
	}
	return strings.TrimRight(u.Scheme+"://"+u.Host+u.EscapedPath(), "/"), nil
}

func loopback(host string) bool {
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}
