package httpapi

import (
	"net/http"
	"strconv"
	"time"

	"fichario/adapters/meter"
	"fichario/app/intake"
	"fichario/app/lookups"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/fault"
	"fichario/domain/lookup"
	"fichario/domain/webhook"
)

// Metrics are the service's counters for Prometheus. No label holds anything that a caller sent: routes are patterns,
// products those of the catalogue, bureaus those of the configuration.
type Metrics struct {
	registry    *meter.Registry
	requests    meter.Counter
	seconds     meter.Histogram
	refusals    meter.Counter
	calls       meter.Counter
	callSeconds meter.Histogram
	hits        meter.Counter
	charged     meter.Counter
	dropped     meter.Counter
	posts       meter.Counter
	jobs        meter.Counter
	background  meter.Counter
}

// NewMetrics returns metrics in a registry of their own; products are those on offer, and bureaus those that offer one.
func NewMetrics(products catalog.Catalog, bureaus func(product string) []string) *Metrics {
	r := &meter.Registry{}
	m := &Metrics{
		registry: r,
		requests: r.Counter("fichario_http_requests_total", "Requests by method, route and status.", "method", "route", "status"),
		seconds: r.Histogram("fichario_http_request_seconds", "Time to answer by route.",
			[]float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}, "route"),
		refusals: r.Counter("fichario_refusals_total", "Requests that were not served, by the code of the problem.", "code"),
		calls: r.Counter("fichario_bureau_calls_total", "Calls to bureaus by bureau, product and outcome.",
			"bureau", "product", "outcome"),
		callSeconds: r.Histogram("fichario_bureau_call_seconds", "Time of calls to bureaus by bureau and product.",
			[]float64{.01, .05, .1, .25, .5, 1, 2, 3, 5, 10, 20, 60}, "bureau", "product"),
		hits: r.Counter("fichario_history_hits_total", "Lookups answered from history, by product.", "product"),
		charged: r.Counter("fichario_charged_ten_thousandths_total",
			"Charged amount in ten-thousandths of a real, by bureau and product.", "bureau", "product"),
		dropped: r.Counter("fichario_dropped_fields_total",
			"Named fields that were null because the mapping gave a wrong type.", "bureau", "product", "field"),
		posts: r.Counter("fichario_webhook_posts_total",
			"Posts to webhooks by outcome: accepted, repeated, refused, failed, aguardando (leads to be fetched).", "outcome"),
		jobs: r.Counter("fichario_job_attempts_total",
			"Job attempts by kind and resulting state: done, ready (to be tried again), dead.", "kind", "state"),
		background: r.Counter("fichario_background_failures_total", "Failures of periodic background work, by task.", "work"),
	}
	m.beginAtZero(products, bureaus)
	return m
}

// beginAtZero starts each series with known labels at 0: to Prometheus, a series that starts with its first failure has
// not grown, so that no alert would fire for that one.
func (m *Metrics) beginAtZero(products catalog.Catalog, bureaus func(product string) []string) {
	for _, k := range problems {
		m.refusals.Add(0, string(k.Code))
	}
	for _, outcome := range []webhook.Outcome{
		webhook.Accepted, webhook.Repeated, webhook.Refused, webhook.Waiting, postFailed,
	} {
		m.posts.Add(0, string(outcome))
	}
	for _, kind := range []automation.JobKind{automation.FanOut, automation.RunAutomation, automation.MailMember} {
		for _, state := range []automation.JobState{automation.Done, automation.Ready, automation.Dead} {
			m.jobs.Add(0, string(kind), string(state))
		}
	}
	for _, p := range products {
		m.hits.Add(0, p.ID)
		for _, bureau := range bureaus(p.ID) {
			for _, outcome := range []lookup.Status{lookup.Done, lookup.Failed, lookup.NoAnswer, lookup.NotSent} {
				m.calls.Add(0, bureau, p.ID, string(outcome))
			}
			m.charged.Add(0, bureau, p.ID)
			for _, f := range p.Fields {
				m.dropped.Add(0, bureau, p.ID, f.Name)
			}
		}
	}
}

// postFailed is the outcome of a post answered with 5xx.
const postFailed webhook.Outcome = "failed"

// Lookup counts a lookup; it is for lookups.LedgerConfig.Observe.
func (m *Metrics) Lookup(e lookups.Event) {
	if e.Cache {
		m.hits.Add(1, e.Product)
		return
	}
	m.calls.Add(1, e.Bureau, e.Product, string(e.Status))
	m.callSeconds.Observe(e.Took.Seconds(), e.Bureau, e.Product)
	m.charged.Add(uint64(e.Charged), e.Bureau, e.Product)
	for _, field := range e.Dropped {
		m.dropped.Add(1, e.Bureau, e.Product, field)
	}
}

// Job counts an attempt of a job; it is for app.JobsConfig.Observe.
func (m *Metrics) Job(kind automation.JobKind, state automation.JobState) {
	m.jobs.Add(1, string(kind), string(state))
}

// Background returns a function that counts a failure of the background work of that name.
func (m *Metrics) Background(work string) (failed func()) {
	m.background.Add(0, work)
	return func() { m.background.Add(1, work) }
}

// Unwritten exports how many finished calls have an outcome that is only in memory.
func (m *Metrics) Unwritten(count func() int) {
	m.registry.Gauge("fichario_unwritten_outcomes",
		"Bureau calls whose outcome is not written yet and would be lost with this process.",
		func() float64 { return float64(count()) })
}

// Awaited exports how many questions wait for an answer that comes later.
func (m *Metrics) Awaited(count func() int) {
	m.registry.Gauge("fichario_answers_waiting", "Questions that bureaus have taken and answer later, over all instances.",
		func() float64 { return float64(count()) })
}

// Replica exports how the replica of the database is used: whether lists are read from it, its maximum staleness, and
// how many lists it answered and the primary answered in its place.
func (m *Metrics) Replica(state func() (inUse bool, lag time.Duration, answered, passed int64)) {
	m.registry.Gauge("fichario_replica_in_use",
		"Whether lists are read from the replica of the database (1) or from the primary (0).",
		func() float64 {
			if used, _, _, _ := state(); used {
				return 1
			}
			return 0
		})
	m.registry.Gauge("fichario_replica_lag_seconds", "Maximum lag of the replica behind the primary.", func() float64 {
		_, lag, _, _ := state()
		return lag.Seconds()
	})
	m.registry.CounterFunc("fichario_list_reads_total", "Lists that the replica may serve, by where they were read.", "from",
		map[string]func() float64{
			"replica": func() float64 { _, _, n, _ := state(); return float64(n) },
			"primary": func() float64 { _, _, _, n := state(); return float64(n) },
		})
}

// Leads exports how many leads wait to be fetched, and in how many seconds the first token of a page ends: 0 for a dead
// one, +Inf where none ends.
func (m *Metrics) Leads(state func() (waiting int, expires float64)) {
	m.registry.Gauge("fichario_leads_waiting", "Leads that were announced and not fetched yet.", func() float64 {
		waiting, _ := state()
		return float64(waiting)
	})
	m.registry.Gauge("fichario_source_token_expires_seconds",
		"Seconds until the first token of a page whose leads are fetched ends; 0 for a dead one, +Inf where none ends.",
		func() float64 {
			_, expires := state()
			return expires
		})
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
	case a.OnlyNoted:
		outcome = webhook.Waiting
	}
	m.posts.Add(1, string(outcome))
}

// notAdmitted counts a post whose webhook could not be read; one to an address of nobody is none of ours.
func (m *Metrics) notAdmitted(err error) {
	if kindOf(fault.CodeOf(err)).Status >= http.StatusInternalServerError {
		m.post(intake.Accepted{}, err)
	}
}

func (m *Metrics) request(method, route string, status int, took time.Duration) {
	m.Page(method, route, status)
	m.seconds.Observe(took.Seconds(), route)
}

// Page counts a request of the interface; it is for web.Config.Observe.
func (m *Metrics) Page(method, route string, status int) {
	m.requests.Add(1, knownMethod(method), route, strconv.Itoa(status))
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

func (m *Metrics) refused(code fault.Code) { m.refusals.Add(1, string(code)) }

// Handler serves the metrics to Prometheus.
func (m *Metrics) Handler() http.Handler { return m.registry }
