package tracing

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"fichario/ports"
)

// TestCallersTraces: only a well-formed traceparent is continued, and what is passed on keeps its decision.
func TestCallersTraces(t *testing.T) {
	t.Parallel()
	const id, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	for said, want := range map[string]string{
		"00-" + id + "-" + parent + "-01": "01", "00-" + id + "-" + parent + "-00": "00", "00-" + id + "-" + parent + "-03": "01",
		"cc-" + id + "-" + parent + "-01-more": "01",
		"00-" + id + "-" + parent + "-01-more": "", "ff-" + id + "-" + parent + "-01": "", "00-" + id + "-" + parent: "",
		"00-00000000000000000000000000000000-" + parent + "-01": "", "00-" + id + "-0000000000000000-01": "",
		"00-4BF92F3577B34DA6A3CE929D0E0E4736-" + parent + "-01": "", "x": "",
	} {
		tracer := &Tracer{carry: true, sampler: samplerOf(unset), ended: &batches{waiting: make(chan spanRecord, 1)}}
		tracer.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, s := ports.Trace(r.Context(), ports.Serving, "GET")
			if continued := s.TraceID() == id; continued != (want != "") || len(s.Traceparent()) != 55 {
				t.Errorf("%q: trace %s, passed on as %s", said, s.TraceID(), s.Traceparent())
			}
			s.End()
			if sent := len(tracer.ended.waiting) == 1; sent == (want == "00") || want != "" && s.Traceparent()[53:] != want {
				t.Errorf("%q: sent %t, passed on as %s", said, sent, s.Traceparent())
			}
		})).ServeHTTP(httptest.NewRecorder(), &http.Request{Header: http.Header{"Traceparent": {said}}})
	}
}

// TestSamplers: each decides as OpenTelemetry defines it; a ratio by the last bytes of the trace's id.
func TestSamplers(t *testing.T) {
	t.Parallel()
	low, high := [16]byte{8: 0x10}, [16]byte{8: 0xf0}
	root, yes, no := place{}, place{trace: low, sampled: true}, place{trace: low}
	for _, c := range []struct {
		name, arg                        string
		low, high, below, belowUnsampled bool
	}{
		{name: "", low: true, high: true, below: true},
		{name: "always_on", low: true, high: true, below: true, belowUnsampled: true},
		{name: "always_off"},
		{name: "traceidratio", arg: "0.5", low: true, below: true, belowUnsampled: true},
		{name: "traceidratio", low: true, high: true, below: true, belowUnsampled: true},
		{name: "parentbased_always_off", below: true},
		{name: "parentbased_traceidratio", arg: "0.5", low: true, below: true},
		{name: "parentbased_traceidratio", arg: "0", below: true},
	} {
		decide := samplerOf(func(variable string) string {
			return map[string]string{"OTEL_TRACES_SAMPLER": c.name, "OTEL_TRACES_SAMPLER_ARG": c.arg}[variable]
		})
		got := []bool{decide(root, low), decide(root, high), decide(yes, low), decide(no, low)}
		for i, want := range []bool{c.low, c.high, c.below, c.belowUnsampled} {
			if got[i] != want {
				t.Errorf("%s %s: %v", c.name, c.arg, got)
			}
		}
	}
}

// TestWhoseSpans: the variables describe the service, and an unreadable one is refused without its value.
func TestWhoseSpans(t *testing.T) {
	t.Parallel()
	env := map[string]string{"OTEL_RESOURCE_ATTRIBUTES": "service.name=a, deployment.environment = a%20b,bad=%zz,", "OTEL_SERVICE_NAME": "leads"}
	got, err := described("1.2.3", func(name string) string { return env[name] })
	texts := map[string]string{}
	for _, a := range got.Attributes {
		texts[a.Key] = *a.Value.StringValue
	}
	if err != nil || texts["service.name"] != "leads" || texts["service.version"] != "1.2.3" || texts["bad"] != "%zz" ||
		texts["deployment.environment"] != "a b" || texts["telemetry.sdk.language"] != "go" {
		t.Error(texts, err)
	}
	if _, err := described("", func(string) string { return "secret" }); err == nil || err.Error() != wrong("OTEL_RESOURCE_ATTRIBUTES").Error() {
		t.Error(err)
	}
}

// TestBatches: spans are sent several at once, what finds no room is lost, and closing sends what waits.
func TestBatches(t *testing.T) {
	t.Parallel()
	var requests, taken, lost atomic.Int64
	begun, gate := make(chan struct{}, 9), make(chan struct{})
	e := exporting(t, nil, func(_ http.ResponseWriter, r *http.Request) {
		begun <- struct{}{}
		<-gate
		requests.Add(1)
		taken.Add(int64(len(read(t, r).GetResourceSpans()[0].GetScopeSpans()[0].GetSpans())))
	})
	env := map[string]string{"OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "2", "OTEL_BSP_MAX_QUEUE_SIZE": "3", "OTEL_BSP_SCHEDULE_DELAY": "3600000"}
	b := newBatches(e, func(name string) string { return env[name] }, func() { lost.Add(1) })
	add := func(n int) {
		for range n {
			b.add(spanRecord{Name: "x"})
		}
	}
	add(2)
	<-begun // both are being sent, and three may wait
	add(5)
	close(gate)
	b.close()
	if requests.Load() != 3 || taken.Load() != 5 || lost.Load() != 2 {
		t.Errorf("%d requests with %d spans, %d lost", requests.Load(), taken.Load(), lost.Load())
	}
}

// TestClosingIsBounded: a collector that is busy for long does not hold the end of the program.
func TestClosingIsBounded(t *testing.T) {
	t.Parallel()
	var lost atomic.Int64
	e := exporting(t, nil, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	b := newBatches(e, unset, func() { lost.Add(1) })
	b.add(spanRecord{})
	b.close()
	if lost.Load() != 1 {
		t.Errorf("%d reports of lost spans", lost.Load())
	}
}
