package app

import (
	"context"
	"strconv"

	"fichario/ports"
)

// RequestSpan is the span of a request that a driving adapter answers; zero where requests are not traced.
type RequestSpan struct{ span ports.Span }

// TraceRequest begins the span of a request, and returns the context to answer it in.
func TraceRequest(ctx context.Context) (context.Context, RequestSpan) {
	ctx, span := ports.Trace(ctx, ports.Serving, "request")
	if span.TraceID() == "" {
		return ctx, RequestSpan{}
	}
	return ctx, RequestSpan{span}
}

// Traced reports whether there is a span.
func (s RequestSpan) Traced() bool { return s.span != nil }

// Answered ends the span with the method and the route, which are the program's patterns and not what was sent, and
// with the status and the request's id.
func (s RequestSpan) Answered(method, route string, status int, id string) {
	if s.span == nil {
		return
	}
	s.span.Rename(method + " " + route)
	s.span.Set("http.request.method", method)
	s.span.Set("http.route", route)
	s.span.Set("http.response.status_code", strconv.Itoa(status))
	s.span.Set("fichario.request_id", id)
	if status >= 500 {
		s.span.Fail(strconv.Itoa(status))
	}
	s.span.End()
}
