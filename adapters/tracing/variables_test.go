package tracing

import "testing"

// TestVariables: values that the library would ignore or misread are errors; valid ones are not.
func TestVariables(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		variable, value string
		can             bool
	}{
		{"OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20x, x-team = a=b", true},
		{"OTEL_EXPORTER_OTLP_HEADERS", "authorization=%zz", false},
		{"OTEL_EXPORTER_OTLP_TRACES_HEADERS", "a=b,", false},
		{"OTEL_EXPORTER_OTLP_HEADERS", "a b=c", false},
		{"OTEL_EXPORTER_OTLP_CERTIFICATE", "variables.go", false},
		{"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", "variables.go", false},
		{"OTEL_EXPORTER_OTLP_TIMEOUT", "-1", false},
		{"OTEL_EXPORTER_OTLP_TIMEOUT", "10000", true},
		{"OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "0", false},
		{"OTEL_BSP_SCHEDULE_DELAY", "0", true},
		{"OTEL_TRACES_SAMPLER_ARG", "0.25", true},
		{"OTEL_TRACES_SAMPLER_ARG", "NaN", false},
		{"OTEL_PROPAGATORS", "tracecontext, baggage", true},
		{"OTEL_PROPAGATORS", "none", true},
		{"OTEL_PROPAGATORS", "b3", false},
	} {
		_, on, err := configured(func(variable string) string {
			switch variable {
			case "OTEL_EXPORTER_OTLP_ENDPOINT":
				return "http://127.0.0.1:4318"
			case c.variable:
				return c.value
			}
			return ""
		})
		if on != c.can || (err == nil) != c.can {
			t.Errorf("%s=%s: %t, %v", c.variable, c.value, on, err)
		}
	}
}
