package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	stdlog "log"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/licet-dev/licet/activation/api"
	"github.com/licet-dev/licet/cmd/internal/build"
)

// Bounds of a connection. A request is a few kilobytes, and the ledger answers within
// seconds or not at all; a revocation list takes longer.
const (
	readHeaderTimeout = 3 * time.Second
	readTimeout       = 5 * time.Second
	writeTimeout      = 40 * time.Second
	idleTimeout       = 60 * time.Second
	maxHeaderBytes    = 8 << 10

	stopTimeout = writeTimeout // for what has begun when a signal comes
)

// certificate reads that of the configuration. It is nil for plain HTTP.
func (e *endpoint) certificate() (*tls.Certificate, error) {
	if e.config.tlsCert == "" {
		return nil, nil
	}
	cert, err := tls.LoadX509KeyPair(e.config.tlsCert, e.config.tlsKey)
	if err != nil {
		return nil, fmt.Errorf("tls_cert %s and tls_key %s: %w", e.config.tlsCert, e.config.tlsKey, err)
	}
	return &cert, nil
}

// serve serves until ctx is done, and then finishes what it has begun.
func serve(ctx context.Context, c *config, log *slog.Logger) (err error) {
	e, err := openEndpoint(ctx, c)
	if err != nil {
		return err
	}
	cert, err := e.certificate()
	if err != nil {
		return err
	}
	ledger, err := openLedger(ctx, c.ledger)
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := ledger.Close(); err == nil && closeErr != nil {
			err = fmt.Errorf("the ledger did not close well: %w", closeErr)
		}
	}()
	service, err := e.service(ledger)
	if err != nil {
		return err
	}
	log.Info("licetd starts", "version", build.Version(), "issuer", e.ring.Issuer(), "ledger", c.ledger.String(), "receipt_key", e.receiptKey.ID().String())
	for _, note := range e.notes(service) {
		log.Warn(note)
	}

	m := newMetrics(e.ring, service, e.lists)
	public := newServer(api.New(service, api.Options{
		TrustedProxies: c.proxies, Tokens: e.tokens, Strict: c.strict,
		Ring: e.ring, List: e.lists.text, Log: log, Observe: m.observe,
	}), log)
	operator := &admin{service: service, ledger: ledger, counted: c.ledger.kind != none, ring: e.ring, log: log}
	private := newServer(operator.handler(m.handler()), log)

	publicListener, err := net.Listen("tcp", c.listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	defer publicListener.Close()
	privateListener, err := net.Listen("tcp", c.adminListen)
	if err != nil {
		return fmt.Errorf("admin_listen: %w", err)
	}
	defer privateListener.Close()

	failed := make(chan error, 2)
	limited := limitListener(publicListener, c, m.refused.Inc)
	go func() {
		if cert == nil {
			failed <- public.Serve(limited)
			return
		}
		public.TLSConfig = &tls.Config{Certificates: []tls.Certificate{*cert}, MinVersion: tls.VersionTLS12}
		failed <- public.ServeTLS(limited, "", "")
	}()
	go func() { failed <- private.Serve(privateListener) }()
	log.Info("listening", "for", "api", "address", publicListener.Addr().String(), "tls", cert != nil)
	log.Info("listening", "for", "admin", "address", privateListener.Addr().String())

	following, unfollow := context.WithCancel(ctx)
	defer unfollow()
	followed := make(chan struct{})
	go func() {
		defer close(followed)
		e.lists.follow(following, c.revocationsEvery, service, log)
	}()

	select {
	case err = <-failed:
		log.Error("a listener failed", "error", err.Error())
	case <-ctx.Done():
		log.Info("stopping")
	}
	unfollow()
	<-followed
	stopCtx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	// The operator's last, so that whoever watches sees the end.
	if stopErr := errors.Join(public.Shutdown(stopCtx), private.Shutdown(stopCtx)); stopErr != nil {
		public.Close()
		private.Close()
		if err == nil {
			err = fmt.Errorf("not everything that had begun was finished in %s: %w", stopTimeout, stopErr)
		}
	}
	if err == nil {
		log.Info("stopped")
	}
	return err
}

func newServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeaderBytes,
		ErrorLog:       stdlog.New(serverLog{log}, "", 0),
	}
}

// A serverLog takes what http.Server has to say. Most of it is what strangers do to
// connections; that none can be accepted, or that a handler failed, is for the operator.
type serverLog struct{ log *slog.Logger }

func (l serverLog) Write(line []byte) (int, error) {
	level := slog.LevelDebug
	if bytes.HasPrefix(line, []byte("http: Accept error")) || bytes.HasPrefix(line, []byte("http: panic")) {
		level = slog.LevelError
	}
	l.log.Log(context.Background(), level, string(bytes.TrimSpace(line)))
	return len(line), nil
}
