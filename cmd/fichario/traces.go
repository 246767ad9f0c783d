package main

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"fichario/adapters/tracing"
	"fichario/cmd/fichario/command"
	"fichario/ports"
)

// tellLostEvery is how often the log reports that traces are not delivered.
const tellLostEvery = time.Minute

// tracerOf makes traces where OpenTelemetry's standard variables ask for them; nil where they do not.
func tracerOf(log *slog.Logger) (*tracing.Tracer, error) {
	var told atomic.Int64
	return tracing.New(command.Version(), os.Getenv, func() {
		now, last := time.Now().Unix(), told.Load()
		if now-last >= int64(tellLostEvery.Seconds()) && told.CompareAndSwap(last, now) {
			log.Warn("traces were not delivered to the collector")
		}
	})
}

// withTracer is a context in which background work is traced.
func (s *service) withTracer(ctx context.Context) context.Context {
	if s.tracer == nil {
		return ctx
	}
	return ports.WithTracer(ctx, s.tracer)
}

// traced traces requests, except those that machines poll every second.
func (s *service) traced(next http.Handler) http.Handler {
	if s.tracer == nil {
		return next
	}
	traced := s.tracer.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path := r.URL.Path; {
		case path == "/healthz", path == "/readyz", path == "/metrics", strings.HasPrefix(path, "/static/"):
			next.ServeHTTP(w, r)
		default:
			traced.ServeHTTP(w, r)
		}
	})
}
