package tracing

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// configured reads the variables that decide whether there are traces, and whether they are propagated; and checks
// the others. Invalid values are errors, never replaced by defaults.
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
	if protocol != "" && protocol != "http/protobuf" && protocol != jsonProtocol {
		return false, false, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL: %q is not known; there are http/protobuf and http/json", protocol)
	}
	u, err := url.Parse(endpoint)
	if endpoint != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		return false, false, wrong("OTEL_EXPORTER_OTLP_ENDPOINT")
	}
	sampler := lookup("OTEL_TRACES_SAMPLER")
	if sampler != "" && !slices.Contains(samplers, sampler) {
		return false, false, fmt.Errorf("OTEL_TRACES_SAMPLER: %q is not known; there are %s", sampler, strings.Join(samplers, ", "))
	}
	for variable, can := range usable {
		if value := strings.TrimSpace(lookup(variable)); value != "" && !can(value) {
			return false, false, wrong(variable)
		}
	}
	for _, of := range []string{"OTEL_EXPORTER_OTLP_", "OTEL_EXPORTER_OTLP_TRACES_"} {
		if err := clientCertificate(lookup, of+"CLIENT_CERTIFICATE", of+"CLIENT_KEY"); err != nil {
			return false, false, err
		}
	}
	return slices.Contains(listed(cmp.Or(lookup("OTEL_PROPAGATORS"), carries)), carries), true, nil
}

// jsonProtocol selects JSON; the default is protobuf, which every collector reads.
const jsonProtocol = "http/json"

// carries is the only supported propagator; baggage is dropped, because it may hold anything.
const carries = "tracecontext"

// usable checks values that would be ignored where they are invalid.
var usable = map[string]func(string) bool{
	"OTEL_EXPORTER_OTLP_HEADERS": headers, "OTEL_EXPORTER_OTLP_TRACES_HEADERS": headers,
	"OTEL_EXPORTER_OTLP_CERTIFICATE": certificates, "OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE": certificates,
	"OTEL_EXPORTER_OTLP_TIMEOUT": from(0), "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT": from(0),
	"OTEL_EXPORTER_OTLP_COMPRESSION": compression, "OTEL_EXPORTER_OTLP_TRACES_COMPRESSION": compression,
	"OTEL_BSP_SCHEDULE_DELAY": from(0), "OTEL_BSP_EXPORT_TIMEOUT": from(0),
	"OTEL_BSP_MAX_QUEUE_SIZE": from(1), "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": from(1),
	"OTEL_TRACES_SAMPLER_ARG": func(value string) bool {
		ratio, err := strconv.ParseFloat(value, 64)
		return err == nil && ratio >= 0 && ratio <= 1
	},
	"OTEL_PROPAGATORS": func(value string) bool {
		unknown := func(name string) bool { return !slices.Contains([]string{carries, "baggage", "none"}, name) }
		return !slices.ContainsFunc(listed(value), unknown)
	},
}

func listed(value string) []string {
	all := strings.Split(value, ",")
	for i, one := range all {
		all[i] = strings.TrimSpace(one)
	}
	return all
}

// from checks for a whole number not below the least.
func from(least int) func(string) bool {
	return func(value string) bool {
		n, err := strconv.Atoi(value)
		return err == nil && n >= least
	}
}

func compression(value string) bool { return value == "gzip" || value == "none" }

// headers reports whether every element is name=value, with the value percent-encoded.
func headers(value string) bool {
	for header := range strings.SplitSeq(value, ",") {
		name, text, found := strings.Cut(header, "=")
		_, err := url.PathUnescape(text)
		if !found || err != nil || !headerName.MatchString(strings.TrimSpace(name)) {
			return false
		}
	}
	return true
}

var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

// certificates reports whether a file contains any.
func certificates(path string) bool {
	text, err := os.ReadFile(path)
	return err == nil && x509.NewCertPool().AppendCertsFromPEM(text)
}

func clientCertificate(lookup func(string) string, certificate, key string) error {
	of, by := strings.TrimSpace(lookup(certificate)), strings.TrimSpace(lookup(key))
	if of == "" && by == "" {
		return nil
	}
	if _, err := tls.LoadX509KeyPair(of, by); err != nil {
		return fmt.Errorf("%s and %s are no files of a certificate and its key", certificate, key)
	}
	return nil
}

var samplers = []string{
	"always_on", "always_off", "traceidratio", "parentbased_always_on", "parentbased_always_off",
	"parentbased_traceidratio",
}

// samplerOf is the sampler that the variables name: all traces, where they name none.
func samplerOf(lookup func(string) string) sampler {
	name, ofParent := strings.CutPrefix(cmp.Or(lookup("OTEL_TRACES_SAMPLER"), "parentbased_always_on"), "parentbased_")
	part := 1.0
	switch name {
	case "always_off":
		part = 0
	case "traceidratio":
		if said, err := strconv.ParseFloat(strings.TrimSpace(lookup("OTEL_TRACES_SAMPLER_ARG")), 64); err == nil {
			part = said
		}
	}
	root := ratio(part)
	return func(above place, trace [16]byte) bool {
		if ofParent && above.trace != [16]byte{} {
			return above.sampled
		}
		return root(above, trace)
	}
}

// service is the name of the program, where no variable gives the service another one.
const service = "fichario"

// described is what all spans say of where they come from.
func described(version string, lookup func(string) string) (of resource, err error) {
	said := map[string]string{
		"service.name": service, "service.version": version,
		"telemetry.sdk.name": service, "telemetry.sdk.language": "go", "telemetry.sdk.version": version,
	}
	for pair := range strings.SplitSeq(lookup("OTEL_RESOURCE_ATTRIBUTES"), ",") {
		key, value, found := strings.Cut(pair, "=")
		if text, err := url.PathUnescape(strings.TrimSpace(value)); err == nil {
			value = text
		}
		switch {
		case strings.TrimSpace(pair) == "":
		case !found:
			return of, wrong("OTEL_RESOURCE_ATTRIBUTES")
		default:
			said[strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
	}
	if name := lookup("OTEL_SERVICE_NAME"); name != "" {
		said["service.name"] = name
	}
	for _, key := range slices.Sorted(maps.Keys(said)) {
		of.Attributes = append(of.Attributes, attribute(key, said[key]))
	}
	return of, nil
}

// wrong names a variable without its value, which may contain a credential.
func wrong(variable string) error { return fmt.Errorf("%s cannot be used as it is", variable) }
