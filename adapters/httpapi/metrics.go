package httpapi

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"fichario/app/intake"
	"fichario/app/lookups"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/fault"
	"fichario/domain/lookup"
	"fichario/domain/webhook"
)

// Metrics are the service's counters for Prometheus. No label holds anything that a caller sent: routes are patterns,
// products those of the catalogue.
type Metrics struct {
	registry    *prometheus.Registry
	requests    *prometheus.CounterVec
	seconds     *prometheus.HistogramVec
	refusals    *prometheus.CounterVec
	calls       *prometheus.CounterVec
	callSeconds *prometheus.HistogramVec
	hits        *prometheus.CounterVec
	charged     *prometheus.CounterVec
	dropped     *prometheus.CounterVec
	posts       *prometheus.CounterVec
	jobs        *prometheus.CounterVec
	background  *prometheus.CounterVec
}

// NewMetrics returns metrics in a registry of their own; products are those that the bureau offers.
func NewMetrics(products catalog.Catalog) *Metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "fichario", Name: name, Help: help}, labels)
	}
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: counter("http_requests_total", "Requests by method, route and status.", "method", "route", "status"),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: "fichario", Name: "http_request_seconds", Help: "Time to answer by route.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"route"}),
		refusals: counter("refusals_total", "Requests that were not served, by the code of the problem.", "code"),
		calls:    counter("bureau_calls_total", "Calls to the bureau by product and outcome.", "product", "outcome"),
		callSeconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: "fichario", Name: "bureau_call_seconds", Help: "Time of calls to the bureau by product.",
			Buckets: []float64{.01, .05, .1, .25, .5, 1, 2, 3, 5, 10, 20, 60},
		}, []string{"product"}),
		hits: counter("history_hits_total", "Lookups answered from history, by product.", "product"),
		charged: counter("charged_ten_thousandths_total", "Charged amount in ten-thousandths of a real, by product.",
			"product"),
		dropped: counter("dropped_fields_total", "Named fields that were null because the mapping gave a wrong type.",
			"product", "field"),
		posts: counter("webhook_posts_total", "Posts to webhooks by outcome: accepted, repeated, refused, failed.",
			"outcome"),
		jobs: counter("job_attempts_total",
			"Job attempts by kind and resulting state: done, ready (to be tried again), dead.", "kind", "state"),
		background: counter("background_failures_total", "Failures of periodic background work, by task.",
			"work"),
	}
	m.registry.MustRegister(m.requests, m.seconds, m.refusals, m.calls, m.callSeconds, m.hits, m.charged, m.dropped,
		m.posts, m.jobs, m.background,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.beginAtZero(products)
	return m
}

// beginAtZero starts each series with known labels at 0: to Prometheus, a series that starts with its first failure has
// not grown, so that no alert would fire for that one.
func (m *Metrics) beginAtZero(products catalog.Catalog) {
	for _, k := range problems {
		m.refusals.WithLabelValues(string(k.Code))
	}
	for _, outcome := range []webhook.Outcome{webhook.Accepted, webhook.Repeated, webhook.Refused, postFailed} {
		m.posts.WithLabelValues(string(outcome))
	}
	for _, kind := range []automation.JobKind{automation.FanOut, automation.RunAutomation, automation.MailMember} {
		for _, state := range []automation.JobState{automation.Done, automation.Ready, automation.Dead} {
			m.jobs.WithLabelValues(string(kind), string(state))
		}
	}
	for _, p := range products {
		for _, outcome := range []lookup.Status{lookup.Done, lookup.Failed, lookup.NoAnswer, lookup.NotSent} {
			m.calls.WithLabelValues(p.ID, string(outcome))
		}
		m.hits.WithLabelValues(p.ID)
		m.charged.WithLabelValues(p.ID)
		for _, f := range p.Fields {
			m.dropped.WithLabelValues(p.ID, f.Name)
		}
	}
}

// postFailed is the outcome of a post answered with 5xx.
const postFailed webhook.Outcome = "failed"

// Lookup counts a lookup; it is for app.LookupsConfig.Observe.
func (m *Metrics) Lookup(e lookups.Event) {
	if e.Cache {
		m.hits.WithLabelValues(e.Product).Inc()
		return
	}
	m.calls.WithLabelValues(e.Product, string(e.Status)).Inc()
	m.callSeconds.WithLabelValues(e.Product).Observe(e.Took.Seconds())
	m.charged.WithLabelValues(e.Product).Add(float64(e.Charged))
	for _, field := range e.Dropped {
		m.dropped.WithLabelValues(e.Product, field).Inc()
	}
}

// Job counts an attempt of a job; it is for app.JobsConfig.Observe.
func (m *Metrics) Job(kind automation.JobKind, state automation.JobState) {
	m.jobs.WithLabelValues(string(kind), string(state)).Inc()
}

// Background returns a function that counts a failure of the background work of that name.
func (m *Metrics) Background(work string) (failed func()) {
	return m.background.WithLabelValues(work).Inc
}

// Unwritten exports how many finished calls have an outcome that is only in memory.
func (m *Metrics) Unwritten(count func() int) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: "fichario", Name: "unwritten_outcomes",
		Help: "Bureau calls whose outcome is not written yet and would be lost with this process.",
	}, func() float64 { return float64(count()) }))
}

// Replica exports how the replica of the database is used: whether lists are read from it, its maximum staleness, and
// how many lists it answered and the primary answered in its place.
func (m *Metrics) Replica(state func() (inUse bool, lag time.Duration, answered, passed int64)) {
	gauge := func(name, help string, read func() float64) {
		opts := prometheus.GaugeOpts{Namespace: "fichario", Name: name, Help: help}
		m.registry.MustRegister(prometheus.NewGaugeFunc(opts, read))
	}
	gauge("replica_in_use", "Whether lists are read from the replica of the database (1) or from the primary (0).",
		func() float64 {
			if used, _, _, _ := state(); used {
				return 1
			}
			return 0
		})
	gauge("replica_lag_seconds", "Maximum lag of the replica behind the primary.", func() float64 {
		_, lag, _, _ := state()
		return lag.Seconds()
	})
	for from, read := range map[string]func() float64{
		"replica": func() float64 { _, _, n, _ := state(); return float64(n) },
		"primary": func() float64 { _, _, _, n := state(); return float64(n) },
	} {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
			Namespace: "fichario", Name: "list_reads_total", ConstLabels: prometheus.Labels{"from": from},
			Help: "Lists that the replica may serve, by where they were read.",
		}, read))
	}
}

func (m *Metrics) post(a intake.Accepted, err error) {
	outcome := webhook.Accepted
	switch {
	case err != nil && kindOf(fault.CodeOf(err)).Status >= http.StatusInternalServerError:
		outcome = postFailed
	case err != nil:
		outcome = webhook.Refused
	case a.Repeated:
		outcome = webhook.Repeated
	}
	m.posts.WithLabelValues(string(outcome)).Inc()
}

func (m *Metrics) request(method, route string, status int, took time.Duration) {
	m.Page(method, route, status)
	m.seconds.WithLabelValues(route).Observe(took.Seconds())
}

// Page counts a request of the interface; it is for web.Config.Observe.
func (m *Metrics) Page(method, route string, status int) {
	m.requests.WithLabelValues(knownMethod(method), route, strconv.Itoa(status)).Inc()
}

// knownMethod keeps invented methods from becoming labels.
func knownMethod(m string) string {
	switch m {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
		http.MethodDelete, http.MethodOptions:
		return m
	}
	return "other"
}

func (m *Metrics) refused(code fault.Code) { m.refusals.WithLabelValues(string(code)).Inc() }

// Handler serves the metrics to Prometheus.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
