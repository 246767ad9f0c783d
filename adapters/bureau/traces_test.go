package bureau_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"

	"fichario/ports"
)

// oneTrace makes spans of which only the traceparent is observable.
type oneTrace struct{ ports.Span }

func (t oneTrace) Begin(ctx context.Context, _ ports.SpanKind, _ string) (context.Context, ports.Span) {
	return ctx, t
}
func (oneTrace) Set(string, string)  {}
func (oneTrace) End()                {}
func (oneTrace) Traceparent() string { return "00-0123-4567-01" }

// TestTheBureauIsToldTheTrace only where its file allows that.
func TestTheBureauIsToldTheTrace(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{"traceparent: true": "00-0123-4567-01", "traceparent: false": "", "": ""} {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			told := "nothing"
			url, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
				told = r.Header.Get("Traceparent")
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, "{}")
			})
			c := client(t, fmt.Sprintf(basic, url, key))
			ctx, _ := ports.Trace(ports.WithTracer(t.Context(), oneTrace{}), ports.Serving, "request")
			if _, err := c.Ask(ctx, question(t, c, "cpf", cpf)); err != nil {
				t.Fatal(err)
			}
			if told != want {
				t.Errorf("the bureau is told %q, want %q", told, want)
			}
		})
	}
}
