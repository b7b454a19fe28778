package main

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/activation/api"
	"github.com/licet-dev/licet/keys"
)

// metrics are what is counted. The values of all labels are few: no code, device or
// address is one, and of products only those of the ring are told apart.
type metrics struct {
	registry *prometheus.Registry
	products map[uint64]string

	activations   *prometheus.CounterVec
	requests      *prometheus.CounterVec
	durations     *prometheus.HistogramVec
	ledger        *prometheus.HistogramVec
	badSignatures prometheus.Counter
	refused       prometheus.Counter
}

func newMetrics(ring *keys.Ring, s *activation.Service, l *lists) *metrics {
	buckets := []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}
	m := &metrics{
		registry: prometheus.NewRegistry(),
		products: map[uint64]string{},
		activations: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "licetd_activations_total", Help: "Activations, refreshes and releases by what came of them.",
		}, []string{"route", "outcome", "product"}),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "licetd_http_requests_total", Help: "Requests by route and status.",
		}, []string{"route", "status"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "licetd_http_request_duration_seconds", Help: "How long requests took.", Buckets: buckets,
		}, []string{"route"}),
		ledger: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "licetd_ledger_duration_seconds", Help: "How long the ledger took.", Buckets: buckets,
		}, []string{"route"}),
		badSignatures: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "licetd_bad_signatures_total", Help: "Codes and receipts whose signature was not good.",
		}),
		refused: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "licetd_connections_refused_total", Help: "Connections that were closed at once, because there were too many.",
		}),
	}
	for _, p := range ring.Products() {
		m.products[p.Number] = strconv.FormatUint(p.Number, 10)
	}
	m.registry.MustRegister(m.activations, m.requests, m.durations, m.ledger, m.badSignatures, m.refused,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "licetd_revocation_list_failures_total", Help: "How often the revocation list could not be read, or was older than the one at hand.",
		}, func() float64 { return float64(l.fails.Load()) }))
	m.registry.MustRegister(&listCollector{s})
	return m
}

// A listCollector tells of the list at hand. Without one it tells nothing.
type listCollector struct{ service *activation.Service }

var (
	listSequence = prometheus.NewDesc("licetd_revocation_list_sequence", "Sequence number of the revocation list at hand.", nil, nil)
	listAge      = prometheus.NewDesc("licetd_revocation_list_age_seconds", "How long ago the revocation list at hand was issued.", nil, nil)
	listDue      = prometheus.NewDesc("licetd_revocation_list_due_timestamp_seconds", "When the next revocation list is due.", nil, nil)
)

func (c *listCollector) Describe(to chan<- *prometheus.Desc) {
	to <- listSequence
	to <- listAge
	to <- listDue
}

func (c *listCollector) Collect(to chan<- prometheus.Metric) {
	l, ok := c.service.List()
	if !ok {
		return
	}
	to <- prometheus.MustNewConstMetric(listSequence, prometheus.GaugeValue, float64(l.Sequence))
	to <- prometheus.MustNewConstMetric(listAge, prometheus.GaugeValue, time.Since(l.Issued).Seconds())
	to <- prometheus.MustNewConstMetric(listDue, prometheus.GaugeValue, float64(l.Due.Unix()))
}

// observe counts a request.
func (m *metrics) observe(o api.Observation) {
	m.requests.WithLabelValues(o.Route, strconv.Itoa(o.Status)).Inc()
	m.durations.WithLabelValues(o.Route).Observe(o.Total.Seconds())
	if o.Ledger > 0 {
		m.ledger.WithLabelValues(o.Route).Observe(o.Ledger.Seconds())
	}
	switch o.Route {
	case "activate", "refresh", "release":
		m.activations.WithLabelValues(o.Route, o.Outcome, m.product(o.Product)).Inc()
	}
	if o.Reason == "bad-signature" {
		m.badSignatures.Inc()
	}
}

// product returns the label of a product, which whoever asks has named.
func (m *metrics) product(n uint64) string {
	switch name, ok := m.products[n]; {
	case ok:
		return name
	case n == 0:
		return ""
	}
	return "other"
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
