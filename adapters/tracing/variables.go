package tracing

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// configured reads which of the variables decide whether there are traces, and whether they are carried on; the library
// reads the others. Wrong ones, which it would replace by defaults, are errors.
func configured(lookup func(string) string) (carry, on bool, err error) {
	endpoint := cmp.Or(lookup("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"), lookup("OTEL_EXPORTER_OTLP_ENDPOINT"))
	exporter := lookup("OTEL_TRACES_EXPORTER")
	switch {
	case strings.EqualFold(lookup("OTEL_SDK_DISABLED"), "true"), exporter == "none", exporter == "" && endpoint == "":
		return false, false, nil
	case exporter != "" && exporter != "otlp":
		return false, false, fmt.Errorf("OTEL_TRACES_EXPORTER: %q is not known; there are otlp and none", exporter)
	}
	protocol := cmp.Or(lookup("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"), lookup("OTEL_EXPORTER_OTLP_PROTOCOL"))
	if protocol != "" && protocol != "http/protobuf" {
		return false, false, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL: %q is not known; there is http/protobuf", protocol)
	}
	u, err := url.Parse(endpoint)
	if endpoint != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		return false, false, wrong("OTEL_EXPORTER_OTLP_ENDPOINT")
	}
	sampler := lookup("OTEL_TRACES_SAMPLER")
	if sampler != "" && !slices.Contains(samplers, sampler) {
		return false, false, fmt.Errorf("OTEL_TRACES_SAMPLER: %q is not known; there are %s", sampler, strings.Join(samplers, ", "))
	}
	propagators := cmp.Or(lookup("OTEL_PROPAGATORS"), "tracecontext")
	return slices.Contains(strings.Split(propagators, ","), "tracecontext"), true, nil
}

var samplers = []string{
	"always_on", "always_off", "traceidratio", "parentbased_always_on", "parentbased_always_off",
	"parentbased_traceidratio",
}

// wrong names a variable without its value, which may hold a credential.
func wrong(variable string) error { return fmt.Errorf("%s cannot be used as it is", variable) }
