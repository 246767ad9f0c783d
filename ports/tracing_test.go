package ports_test

import (
	"testing"

	"fichario/ports"
)

// TestUntraced: without a tracer a span allocates nothing.
func TestUntraced(t *testing.T) { //nolint:paralleltest // it counts what the whole program allocates
	ctx := t.Context()
	if n := testing.AllocsPerRun(100, func() {
		ctx, span := ports.Trace(ctx, ports.Serving, "request")
		_, within := ports.Within(ctx, ports.Storing, "history.serve")
		within.Set("key", "value")
		ports.EndSpan(within, nil)
		span.End()
	}); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}
