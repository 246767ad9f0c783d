// Package tracing makes traces and sends them to a collector over OTLP/HTTP, as configured by the OpenTelemetry
// environment variables.
package tracing

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"net/http"
	"regexp"
	"time"

	"fichario/ports"
)

const traceparent = "traceparent"

// Tracer makes spans and sends them in the background. It is safe for concurrent use.
type Tracer struct {
	// carry says that trace context is accepted from callers and passed to others.
	carry   bool
	sampler sampler
	ended   *batches
}

var _ ports.Tracer = (*Tracer)(nil)

// New returns the tracer that the variables configure; nil where they ask for no traces. It calls lost, from any
// goroutine, when spans could not be delivered: nobody waits for a collector that is away. The error names the invalid
// variable.
func New(version string, lookup func(string) string, lost func()) (*Tracer, error) {
	carry, on, err := configured(lookup)
	if err != nil || !on {
		return nil, err
	}
	described, err := described(version, lookup)
	if err != nil {
		return nil, err
	}
	exporter, err := newExporter(version, lookup)
	if err != nil {
		return nil, wrong("OTEL_EXPORTER_OTLP_ENDPOINT")
	}
	exporter.of = described
	return &Tracer{carry: carry, sampler: samplerOf(lookup), ended: newBatches(exporter, lookup, lost)}, nil
}

// Close sends the remaining spans, for at most two seconds.
func (t *Tracer) Close() { t.ended.close() }

// place is where a span is: what its children need to know of it. Its ids are all zero where there is none.
type place struct {
	trace           [16]byte
	span            [8]byte
	sampled, remote bool
}

type placeKey struct{}

// header is the form of traceparent; later versions may say more behind it.
var header = regexp.MustCompile(`^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$`)

// placeOf reads a caller's traceparent (W3C Trace Context); the zero value where it is none.
func placeOf(said string) (p place) {
	found := header.FindStringSubmatch(said)
	if found == nil || found[1] == "ff" || found[1] == "00" && found[5] != "" {
		return p
	}
	var flags [1]byte
	_, _ = hex.Decode(p.trace[:], []byte(found[2])) // the expression has checked them
	_, _ = hex.Decode(p.span[:], []byte(found[3]))
	_, _ = hex.Decode(flags[:], []byte(found[4]))
	p.sampled, p.remote = flags[0]&1 != 0, true
	if p.trace == [16]byte{} || p.span == [8]byte{} {
		return place{}
	}
	return p
}

func (p place) traceparent() string {
	flags := "-00"
	if p.sampled {
		flags = "-01"
	}
	return "00-" + hex.EncodeToString(p.trace[:]) + "-" + hex.EncodeToString(p.span[:]) + flags
}

// Handler traces requests to next as parts of their callers' traces. Of the callers' context only the ids are used:
// tracestate and baggage may hold anything.
func (t *Tracer) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := ports.WithTracer(r.Context(), t)
		if said := r.Header.Get(traceparent); t.carry && said != "" {
			ctx = context.WithValue(ctx, placeKey{}, placeOf(said))
		}
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

var kinds = map[ports.SpanKind]int{
	ports.Inner: kindInternal, ports.Serving: kindServer, ports.Calling: kindClient, ports.Storing: kindClient,
}

// Begin begins a span.
func (t *Tracer) Begin(ctx context.Context, kind ports.SpanKind, name string) (context.Context, ports.Span) {
	above, _ := ctx.Value(placeKey{}).(place)
	s := &span{tracer: t, at: place{trace: above.trace}, begun: time.Now()}
	if _, _ = rand.Read(s.at.span[:]); above.trace == [16]byte{} { // it never fails
		_, _ = rand.Read(s.at.trace[:])
	}
	s.at.sampled = t.sampler(above, s.at.trace)
	s.record = spanRecord{
		TraceID: s.at.trace[:], SpanID: s.at.span[:], Name: name, Kind: kinds[kind], StartTime: nanoseconds(s.begun),
		Flags: 1 | knownRemote,
	}
	if above.trace != [16]byte{} {
		s.record.ParentSpanID = above.span[:]
	}
	if above.remote {
		s.record.Flags |= isRemote
	}
	return context.WithValue(ctx, placeKey{}, s.at), s
}

func nanoseconds(t time.Time) uint64 { return uint64(t.UnixNano()) }

// sampler decides whether a span below another one, or at the root of a trace, is sent.
type sampler func(above place, trace [16]byte) bool

// span is of one goroutine, see ports.Span.
type span struct {
	tracer *Tracer
	at     place
	begun  time.Time
	over   bool
	record spanRecord
}

func (s *span) Rename(name string) { s.record.Name = name }

func (s *span) Set(key, value string) {
	if s.over {
		return // the record is being sent
	}
	for i := range s.record.Attributes {
		if s.record.Attributes[i].Key == key {
			s.record.Attributes[i] = attribute(key, value)
			return
		}
	}
	s.record.Attributes = append(s.record.Attributes, attribute(key, value))
}

func (s *span) Fail(code string) {
	s.Set("error.type", code)
	s.record.Status.Code = statusError
}

// End ends the span. What is set later is not sent.
func (s *span) End() {
	if s.at.sampled && !s.over {
		s.record.EndTime = nanoseconds(s.begun.Add(time.Since(s.begun)))
		s.tracer.ended.add(s.record)
	}
	s.over = true
}

func (s *span) TraceID() string { return hex.EncodeToString(s.at.trace[:]) }

func (s *span) Traceparent() string {
	if !s.tracer.carry {
		return ""
	}
	return s.at.traceparent()
}

// ratio samples this part of all traces, the same ones on every instance and in every program.
func ratio(part float64) sampler {
	return func(_ place, trace [16]byte) bool {
		return part >= 1 || float64(binary.BigEndian.Uint64(trace[8:])>>1) < part*(1<<63)
	}
}
