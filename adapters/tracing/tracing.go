// Package tracing sends traces to a collector over OTLP/HTTP, as configured by the OpenTelemetry environment variables.
package tracing

import (
	"context"
	"net/http"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"fichario/ports"
)

const (
	// closeWithin bounds the time for sending the last spans.
	closeWithin = 2 * time.Second
	traceparent = "traceparent"
)

// Tracer makes spans and sends them in the background. It is safe for concurrent use.
type Tracer struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
	// carry says that trace context is accepted from callers and passed to others.
	carry bool
}

var _ ports.Tracer = (*Tracer)(nil)

// New returns the tracer that the variables configure; nil where they ask for no traces. It calls lost, from any
// goroutine, when spans could not be delivered: nobody waits for a collector that is away. The error names the invalid
// variable.
func New(ctx context.Context, version string, lookup func(string) string, lost func()) (*Tracer, error) {
	carry, on, err := configured(lookup)
	if err != nil || !on {
		return nil, err
	}
	// The library's errors may hold the collector's address, including a credential; and its own log, which goes to
	// standard error, the headers.
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) { lost() }))
	silence(otel.SetLogger)
	described, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "fichario"), attribute.String("service.version", version)),
		resource.WithFromEnv(), resource.WithTelemetrySDK())
	if err != nil {
		return nil, wrong("OTEL_RESOURCE_ATTRIBUTES")
	}
	exporter, err := newExporter(version, lookup)
	if err != nil {
		return nil, wrong("OTEL_EXPORTER_OTLP_ENDPOINT")
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(described))
	return &Tracer{provider: provider, tracer: provider.Tracer("fichario"), carry: carry}, nil
}

// silence sets a logger of the library's type; logr's zero value discards everything.
func silence[Logger any](set func(Logger)) {
	var none Logger
	set(none)
}

// Close sends the remaining spans, for at most two seconds.
func (t *Tracer) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeWithin)
	defer cancel()
	_ = t.provider.Shutdown(ctx) // spans that cannot be delivered are lost
}

// Handler traces requests to next as parts of their callers' traces. Of the callers' context only the ids are used:
// tracestate and baggage may hold anything.
func (t *Tracer) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := ports.WithTracer(r.Context(), t)
		if said := r.Header.Get(traceparent); t.carry && said != "" {
			ctx = propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{traceparent: said})
		}
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

var kinds = map[ports.SpanKind]trace.SpanKind{
	ports.Inner: trace.SpanKindInternal, ports.Serving: trace.SpanKindServer,
	ports.Calling: trace.SpanKindClient, ports.Storing: trace.SpanKindClient,
}

// Begin begins a span.
func (t *Tracer) Begin(ctx context.Context, kind ports.SpanKind, name string) (context.Context, ports.Span) {
	ctx, s := t.tracer.Start(ctx, name, trace.WithSpanKind(kinds[kind]))
	return ctx, span{s, t.carry}
}

type span struct {
	trace.Span
	carry bool
}

func (s span) Rename(name string)    { s.SetName(name) }
func (s span) Set(key, value string) { s.SetAttributes(attribute.String(key, value)) }
func (s span) End()                  { s.Span.End() }
func (s span) TraceID() string       { return s.SpanContext().TraceID().String() }

func (s span) Fail(code string) {
	s.SetAttributes(attribute.String("error.type", code))
	s.SetStatus(codes.Error, "")
}

func (s span) Traceparent() string {
	if !s.carry {
		return ""
	}
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(trace.ContextWithSpan(context.Background(), s.Span), carrier)
	return carrier[traceparent]
}
