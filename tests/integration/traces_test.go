package integration

import (
	"bytes"
	"context"
	"encoding/hex"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"fichario/tests/testkit"
	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
)

// traces is a collector that keeps what it receives.
type traces struct {
	*httptest.Server

	mu    sync.Mutex
	bytes []byte
	spans []*trace.Span
	wrong error
}

func startCollector(t *testing.T) *traces {
	t.Helper()
	c := &traces{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var sent collector.ExportTraceServiceRequest
		if err == nil {
			err = proto.Unmarshal(body, &sent)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if err != nil {
			c.wrong = err
		}
		c.bytes = append(c.bytes, body...)
		for _, of := range sent.GetResourceSpans() {
			for _, scope := range of.GetScopeSpans() {
				c.spans = append(c.spans, scope.GetSpans()...)
			}
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(c.Close)
	return c
}

// variables make the program send traces to the collector without delay.
func (c *traces) variables() map[string]string {
	return map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": c.URL, "OTEL_SERVICE_NAME": "fichario-de-teste", "OTEL_BSP_SCHEDULE_DELAY": "50",
	}
}

// named are the spans with a name.
func (c *traces) named(name string) (found []*trace.Span) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.spans {
		if s.GetName() == name {
			found = append(found, s)
		}
	}
	return found
}

// path are the names from a span up to the root of its trace in this program.
func (c *traces) path(s *trace.Span) (names []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for s != nil {
		names = append(names, s.GetName())
		above := s.GetParentSpanId()
		s = nil
		for _, other := range c.spans {
			if len(above) > 0 && bytes.Equal(other.GetSpanId(), above) {
				s = other
			}
		}
	}
	return names
}

// parentOf is the traceparent for a span's children.
func parentOf(s *trace.Span) string {
	return "00-" + hex.EncodeToString(s.GetTraceId()) + "-" + hex.EncodeToString(s.GetSpanId()) + "-01"
}

const callersTrace = "4bf92f3577b34da6a3ce929d0e0e4736"

// TestTraces: a lookup, a batch, a lead and its automation are traced from the caller to the bureau and the
// destination, and nothing exported identifies a person.
func TestTraces(t *testing.T) {
	t.Parallel()
	testkit.OnBothDatabases(t, func(t *testing.T, env map[string]string) {
		c := startCollector(t)
		env = maps.Clone(env)
		maps.Copy(env, c.variables())
		env["FICHARIO_ALLOW_PRIVATE_TARGETS"] = "true"
		p := intaketest.StartProduct(t, env)
		receiver := intaketest.StartReceiver(t, nil)
		key, hook := p.Lookups.NewKey(60, 100, 100), p.Leads.NewHook("Site", "generic")
		_, secret := p.Leads.Automate("Avisar", "http", "--url", receiver.URL+"/gancho-secreto")

		headers := map[string]string{
			"Traceparent": "00-" + callersTrace + "-00f067aa0ba902b7-01",
			"Tracestate":  "cpf=" + ana, "Baggage": "cpf=" + ana, "User-Agent": "agente-" + ana,
		}
		answer, err := p.Lookups.Do(context.Background(), http.MethodGet, "/api/v1/cpf/"+ana, key.Key, headers, "")
		if err != nil {
			t.Fatal(err)
		}
		expect(t, "answer", answer.Status, http.StatusOK)
		expect(t, "answer from history", p.Lookups.CPF(key.Key, ana).Status, http.StatusOK)
		expect(t, "an unknown address", p.Lookups.Get("/api/v1/nada/"+ana, key.Key).Status, http.StatusNotFound)
		asked := lookuptest.CPFs(7, 2)
		quoted := p.Lookups.Quote(key.Key, `{"produto":"cpf","documentos":`+lookuptest.List(asked)+`,"teto":10,"confirmar":true}`)
		id := p.Lookups.BatchOf(quoted).ID
		p.Lookups.AwaitBatch(key.Key, id, "done", func(b lookuptest.Batch) bool { return b.Situacao == "concluido" })
		lead := p.Leads.Accept(hook, intaketest.Lead("Ana"))
		p.Leads.Settled(1, "--contact", lead)
		p.Lookups.Stop()

		if c.wrong != nil {
			t.Fatal(c.wrong)
		}
		request := c.named("GET /api/v1/cpf/:documento")
		expect(t, "requests for a CPF", len(request), 2)
		expect(t, "the caller's trace", hex.EncodeToString(request[0].GetTraceId()), callersTrace)
		expect(t, "the caller's span", hex.EncodeToString(request[0].GetParentSpanId()), "00f067aa0ba902b7")
		calls := c.named("bureau call")
		expect(t, "calls to the bureau", len(calls), 3)
		expect(t, "a call's place", strings.Join(c.path(calls[0]), " < "), "bureau call < lookups.do < GET /api/v1/cpf/:documento")
		expect(t, "what the bureau was told", p.Bureau.Traces()[0], parentOf(calls[0]))
		expect(t, "a batch's place", strings.Join(c.path(calls[2]), " < "), "bureau call < lookups.do < batches.item")
		for _, name := range []string{
			"history.serve", "calls.begin", "calls.end", "intake.receive", "inbox.take", "batches.quote", "store.inTx",
			"POST /api/webhooks/receive/:token", "GET unmatched",
		} {
			if len(c.named(name)) == 0 {
				t.Errorf("there is no span %q", name)
			}
		}
		sent := c.named("destination call")
		expect(t, "calls to the destination", len(sent), 1)
		expect(t, "its place", strings.Join(c.path(sent[0]), " < "), "destination call < jobs.automation")
		expect(t, "what the destination was told", receiver.Calls()[0].Header.Get("Traceparent"), parentOf(sent[0]))

		for _, canary := range append([]string{
			ana, key.Key, hook.Token, secret, "gancho-secreto", intaketest.Surname, intaketest.Domain, intaketest.Message,
			lookuptest.Secret, "Lima", "987654321", receiver.URL, p.Bureau.URL,
		}, asked...) {
			if canary != "" && bytes.Contains(c.bytes, []byte(canary)) {
				t.Errorf("the export contains forbidden data (%d characters)", len(canary))
			}
		}
		if !bytes.Contains(c.bytes, []byte("fichario-de-teste")) {
			t.Error("the name of the service is not exported, so that the search above proves nothing")
		}
	})
}

// TestNoTraces: a collector that is away slows no request, and without the variables nothing is reported.
func TestNoTraces(t *testing.T) {
	t.Parallel()
	away := startCollector(t)
	away.Close()
	env := testkit.SQLite(t)
	with := maps.Clone(env)
	maps.Copy(with, away.variables())
	for name, env := range map[string]map[string]string{"collector away": with, "none": testkit.SQLite(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := intaketest.StartProduct(t, env)
			key := p.Lookups.NewKey(60, 100, 100)
			expect(t, "answer", p.Lookups.CPF(key.Key, ana).String(), "200")
			expect(t, "the bureau is told of a trace", p.Bureau.Traces()[0] != "", name != "none")
			if name != "none" {
				lookuptest.Eventually(t, "the log says that traces are lost", func() bool {
					return strings.Contains(p.Lookups.Logs(), "traces were not delivered")
				})
			}
			p.Lookups.Stop()
			if strings.Contains(p.Lookups.Logs(), away.URL) {
				t.Error("the log holds the collector's address")
			}
		})
	}
}

// TestTracesAreConfigured: unusable settings are refused at start-up.
func TestTracesAreConfigured(t *testing.T) {
	t.Parallel()
	for variable, value := range map[string]string{
		"OTEL_TRACES_EXPORTER": "zipkin", "OTEL_EXPORTER_OTLP_ENDPOINT": "coletor:4318", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc",
		"OTEL_TRACES_SAMPLER": "sometimes", "OTEL_TRACES_SAMPLER_ARG": "7", "OTEL_PROPAGATORS": "bogus",
		"OTEL_EXPORTER_OTLP_HEADERS": "authorization Bearer credencial-123", "OTEL_EXPORTER_OTLP_CERTIFICATE": "/nope",
		"OTEL_EXPORTER_OTLP_CLIENT_KEY": "/nope", "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT": "10s",
		"OTEL_EXPORTER_OTLP_COMPRESSION": "zstd", "OTEL_BSP_MAX_QUEUE_SIZE": "x",
	} {
		t.Run(variable, func(t *testing.T) {
			t.Parallel()
			env := testkit.SQLite(t)
			env["OTEL_EXPORTER_OTLP_ENDPOINT"] = "http://127.0.0.1:4318"
			env[variable] = value
			if f := testkit.RunErr(t, env, "serve"); !strings.Contains(f.Stderr, variable) ||
				strings.Contains(f.Stderr, "credencial-123") || strings.Count(f.Stderr, "\n") != 1 {
				t.Errorf("the program says %q", f.Stderr)
			}
		})
	}
}
