package ports

import (
	"context"
	"errors"

	"fichario/domain/fault"
)

// SpanKind is a span's side of a conversation.
type SpanKind int

const (
	// Inner is work of our own.
	Inner SpanKind = iota
	// Serving answers a request.
	Serving
	// Calling makes a request.
	Calling
	// Storing is an operation of the database.
	Storing
)

// Tracer makes the spans of traces. Names and values come from the program, its configuration and the contract, never
// from what somebody sent, because traces leave the house.
type Tracer interface {
	// Begin begins a span below that of ctx, or a trace where ctx has none.
	Begin(ctx context.Context, kind SpanKind, name string) (context.Context, Span)
}

// Span is a timed part of a trace, of one goroutine.
type Span interface {
	Rename(name string)
	Set(key, value string)
	// Fail records the code of a failure.
	Fail(code string)
	End()
	// Traceparent is the header (W3C Trace Context) by which a request continues the trace, and TraceID is the trace's
	// name in logs.
	Traceparent() string
	TraceID() string
}

type tracingKey struct{}

type tracing struct {
	tracer Tracer
	span   Span // nil where no trace has begun
}

// WithTracer returns a context in which Trace and Within make spans.
func WithTracer(ctx context.Context, t Tracer) context.Context {
	return context.WithValue(ctx, tracingKey{}, tracing{tracer: t})
}

// Trace begins a span for a request, or for work that nobody waits for. Without a tracer it does nothing.
func Trace(ctx context.Context, kind SpanKind, name string) (context.Context, Span) {
	t, _ := ctx.Value(tracingKey{}).(tracing)
	if t.tracer == nil {
		return ctx, untraced{}
	}
	return t.begin(ctx, kind, name)
}

// Within is Trace for a part of something traced, so that background polling makes no traces of its own.
func Within(ctx context.Context, kind SpanKind, name string) (context.Context, Span) {
	t, _ := ctx.Value(tracingKey{}).(tracing)
	if t.span == nil {
		return ctx, untraced{}
	}
	return t.begin(ctx, kind, name)
}

func (t tracing) begin(ctx context.Context, kind SpanKind, name string) (context.Context, Span) {
	ctx, t.span = t.tracer.Begin(ctx, kind, name)
	return context.WithValue(ctx, tracingKey{}, t), t.span
}

// Traceparent returns the header by which a request made with ctx continues its trace; empty without one.
func Traceparent(ctx context.Context) string {
	if t, _ := ctx.Value(tracingKey{}).(tracing); t.span != nil {
		return t.span.Traceparent()
	}
	return ""
}

// EndSpan ends a span with the result of its work: of an error only the code, because its text may hold anything.
// ErrNotFound and ErrExists are not failures.
func EndSpan(s Span, err error) {
	switch {
	case err == nil, errors.Is(err, ErrNotFound), errors.Is(err, ErrExists):
	case errors.Is(err, context.Canceled):
		s.Fail("cancelled")
	default:
		s.Fail(string(fault.CodeOf(err)))
	}
	s.End()
}

type untraced struct{}

func (untraced) Rename(string)       {}
func (untraced) Set(string, string)  {}
func (untraced) Fail(string)         {}
func (untraced) End()                {}
func (untraced) Traceparent() string { return "" }
func (untraced) TraceID() string     { return "" }
