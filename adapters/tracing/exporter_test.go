package tracing

import (
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/hex"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	describes "go.opentelemetry.io/proto/otlp/resource/v1"
	record "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"fichario/ports"
)

// hexadecimal are the ids of OTLP's JSON; that of protobuf has base64.
var hexadecimal = regexp.MustCompile(`(Id":")([0-9a-f]{16,32})"`)

// read decodes a request with OpenTelemetry's own types; unknown fields and other types of values are errors.
func read(t *testing.T, r *http.Request) *collector.ExportTraceServiceRequest {
	t.Helper()
	from := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		unpacked, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Error(err)
			return nil
		}
		from = unpacked
	}
	body, err := io.ReadAll(from)
	sent := &collector.ExportTraceServiceRequest{}
	switch r.Header.Get("Content-Type") {
	case "application/json":
		err = protojson.Unmarshal(hexadecimal.ReplaceAllFunc(body, func(id []byte) []byte {
			parts := hexadecimal.FindSubmatch(id)
			raw, _ := hex.DecodeString(string(parts[2]))
			return []byte(string(parts[1]) + base64.StdEncoding.EncodeToString(raw) + `"`)
		}), sent)
	case "application/x-protobuf":
		err = proto.Unmarshal(body, sent)
	default:
		t.Errorf("content type %q", r.Header.Get("Content-Type"))
	}
	if err != nil || len(sent.ProtoReflect().GetUnknown()) > 0 {
		t.Errorf("not OTLP: %v", err)
	}
	return sent
}

// exporting is an exporter to a collector that answers in turn; the last answer is repeated.
func exporting(t *testing.T, env map[string]string, answers ...http.HandlerFunc) *exporter {
	t.Helper()
	turn := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answers[min(turn, len(answers)-1)](w, r)
		turn++
	}))
	t.Cleanup(s.Close)
	e, err := newExporter("1.2.3", func(name string) string {
		if name == "OTEL_EXPORTER_OTLP_ENDPOINT" {
			return s.URL + env[name]
		}
		return env[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	e.pause = time.Millisecond
	e.of = resource{[]keyValue{attribute("service.name", "fichario")}}
	return e
}

func unset(string) string { return "" }

// spans are a request that failed, continued from elsewhere, and a part of it.
func spans(t *testing.T) []spanRecord {
	t.Helper()
	tracer := &Tracer{sampler: samplerOf(unset), ended: &batches{waiting: make(chan spanRecord, 2)}}
	ctx := context.WithValue(t.Context(), placeKey{}, placeOf("00-01000000000000000000000000000002-0300000000000004-01"))
	ctx, outer := tracer.Begin(ctx, ports.Serving, "GET")
	_, inner := tracer.Begin(ctx, ports.Storing, "calls.begin")
	inner.Set("empty", "x")
	inner.Set("empty", "")
	inner.End()
	outer.Rename("GET /é")
	outer.Fail("sem_saldo")
	outer.End()
	outer.End()
	return []spanRecord{<-tracer.ended.waiting, <-tracer.ended.waiting}
}

// TestWhatIsExported: in each encoding the collector reads the same, with OpenTelemetry's own decoder.
func TestWhatIsExported(t *testing.T) {
	t.Parallel()
	made := spans(t)
	text := func(key, value string) *common.KeyValue {
		return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: value}}}
	}
	inner, outer := made[0].SpanID, made[1].SpanID
	want := &collector.ExportTraceServiceRequest{ResourceSpans: []*record.ResourceSpans{{
		Resource: &describes.Resource{Attributes: []*common.KeyValue{text("service.name", "fichario")}},
		ScopeSpans: []*record.ScopeSpans{{Scope: &common.InstrumentationScope{Name: "fichario"}, Spans: []*record.Span{{
			TraceId: append([]byte{1}, append(make([]byte, 14), 2)...), SpanId: inner, ParentSpanId: outer, Flags: 0x101,
			Name: "calls.begin", Kind: record.Span_SPAN_KIND_CLIENT, Attributes: []*common.KeyValue{text("empty", "")},
			Status: &record.Status{},
		}, {
			TraceId: append([]byte{1}, append(make([]byte, 14), 2)...), SpanId: outer,
			ParentSpanId: []byte{3, 0, 0, 0, 0, 0, 0, 4},
			Name:         "GET /é", Kind: record.Span_SPAN_KIND_SERVER, Attributes: []*common.KeyValue{text("error.type", "sem_saldo")},
			Status: &record.Status{Code: record.Status_STATUS_CODE_ERROR}, Flags: 0x301,
		}}}},
	}}}
	for i, s := range want.GetResourceSpans()[0].GetScopeSpans()[0].GetSpans() {
		if s.StartTimeUnixNano, s.EndTimeUnixNano = made[i].StartTime, made[i].EndTime; made[i].EndTime < made[i].StartTime {
			t.Error("a span ends before it begins")
		}
	}
	for _, env := range []map[string]string{
		{"OTEL_EXPORTER_OTLP_HEADERS": "X-Team = a%20b,Authorization=Bearer%20x"},
		{"OTEL_EXPORTER_OTLP_PROTOCOL": "http/json", "OTEL_EXPORTER_OTLP_TRACES_HEADERS": "X-Team=a b", "OTEL_EXPORTER_OTLP_HEADERS": "X-Team=other"},
		{"OTEL_EXPORTER_OTLP_COMPRESSION": "gzip", "OTEL_EXPORTER_OTLP_ENDPOINT": "/base/"},
		{"OTEL_EXPORTER_OTLP_COMPRESSION": "gzip", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/json"},
	} {
		var got *collector.ExportTraceServiceRequest
		e := exporting(t, env, func(_ http.ResponseWriter, r *http.Request) {
			got = read(t, r)
			if at := strings.TrimSuffix(env["OTEL_EXPORTER_OTLP_ENDPOINT"], "/") + "/v1/traces"; r.URL.Path != at {
				t.Errorf("sent to %s, not %s", r.URL.Path, at)
			}
			if len(env["OTEL_EXPORTER_OTLP_HEADERS"]) > 0 && r.Header.Get("X-Team") != "a b" {
				t.Errorf("header %q", r.Header.Get("X-Team"))
			}
		})
		if err := e.export(t.Context(), made); err != nil || !proto.Equal(got, want) {
			t.Errorf("%v: %v\n got %v\nwant %v", env, err, got, want)
		}
	}
}

// TestWhatTheCollectorAnswers: a busy one is asked again, when it says and with the same body; spans that it refused,
// or some of them, are lost.
func TestWhatTheCollectorAnswers(t *testing.T) {
	t.Parallel()
	made := spans(t)
	answer := func(code int, kind, body, retryAfter string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if got := read(t, r); len(got.GetResourceSpans()) != 1 {
				t.Errorf("%v", got)
			}
			w.Header().Set("Content-Type", kind)
			w.Header().Set("Retry-After", retryAfter)
			w.WriteHeader(code)
			_, _ = io.WriteString(w, body)
		}
	}
	const (
		inJSON, inProtobuf = "application/json", "application/x-protobuf"
		never              = "86400"
	)
	partial := func(rejected int64, message string) string {
		out, _ := proto.Marshal(&collector.ExportTraceServiceResponse{PartialSuccess: &collector.ExportTracePartialSuccess{
			RejectedSpans: rejected, ErrorMessage: message,
		}})
		return string(out)
	}
	ok := answer(http.StatusOK, inProtobuf, "", "")
	elsewhere := func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	}
	for what, c := range map[string]struct {
		answers []http.HandlerFunc
		lost    bool
	}{
		"taken":        {[]http.HandlerFunc{ok}, false},
		"nothing said": {[]http.HandlerFunc{answer(http.StatusOK, inJSON, `{"partialSuccess":{}}`, "")}, false},
		"no rejected":  {[]http.HandlerFunc{answer(http.StatusOK, inProtobuf, partial(0, ""), "")}, false},
		"busy": {[]http.HandlerFunc{
			answer(http.StatusServiceUnavailable, inJSON, "", ""), answer(http.StatusTooManyRequests, "", "", "1"),
			answer(http.StatusBadGateway, "", "", ""), answer(http.StatusGatewayTimeout, "", "", "x"), ok,
		}, false},
		"busy for long":       {[]http.HandlerFunc{answer(http.StatusServiceUnavailable, "", "", never), ok}, true},
		"refused":             {[]http.HandlerFunc{answer(http.StatusBadRequest, "", "", ""), ok}, true},
		"sent elsewhere":      {[]http.HandlerFunc{elsewhere, ok}, true},
		"rejected":            {[]http.HandlerFunc{answer(http.StatusOK, inProtobuf, partial(1, ""), ""), ok}, true},
		"rejected, in words":  {[]http.HandlerFunc{answer(http.StatusOK, inProtobuf, partial(0, "no"), ""), ok}, true},
		"rejected, in JSON":   {[]http.HandlerFunc{answer(http.StatusOK, inJSON, `{"partialSuccess":{"rejectedSpans":"1"}}`, ""), ok}, true},
		"rejected, as number": {[]http.HandlerFunc{answer(http.StatusOK, inJSON, `{"partialSuccess":{"rejectedSpans":1}}`, ""), ok}, true},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			if err := exporting(t, nil, c.answers...).export(t.Context(), made); (err != nil) != c.lost {
				t.Error(err)
			}
		})
	}
}

// TestProxyOfTheEnvironmentIsNotUsed is not parallel: the environment belongs to the process.
func TestProxyOfTheEnvironmentIsNotUsed(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://proxy.invalid")
	t.Setenv("http_proxy", "http://proxy.invalid")
	var dialled []string
	e := exporting(t, map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://collector.invalid"})
	transport, _ := e.client.Transport.(*http.Transport)
	transport.DialContext = func(_ context.Context, _, address string) (net.Conn, error) {
		dialled = append(dialled, address)
		return nil, errLost
	}
	if _, _, err := e.post(t.Context(), nil); err == nil || !slices.Equal(dialled, []string{"collector.invalid:80"}) {
		t.Errorf("%v, connected to %v", err, dialled)
	}
}

// TestABusyCollectorHoldsNobody: the end of the context ends the pause.
func TestABusyCollectorHoldsNobody(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	e := exporting(t, nil, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(http.StatusServiceUnavailable)
		time.AfterFunc(time.Millisecond, cancel)
	})
	if err := e.export(ctx, spans(t)); err == nil {
		t.Error("nothing is lost")
	}
}
