package tracing

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path"
	"reflect"
	"strconv"
	"strings"
	"time"
)

const (
	// A collector that is busy is asked again after a pause, which doubles up to longestPause, for at most retryWithin.
	firstPause   = 5 * time.Second
	longestPause = 30 * time.Second
	retryWithin  = time.Minute
	// answerMost bounds what is read of an answer, in bytes.
	answerMost = 64 << 10
	typeJSON   = "application/json"
)

// errLost says nothing more, because an address may contain a credential.
var errLost = errors.New("the collector did not take the spans")

// exporter sends spans over OTLP/HTTP, in protobuf or JSON.
type exporter struct {
	client  *http.Client
	address string
	header  http.Header
	pause   time.Duration
	of      resource
}

// newExporter returns the exporter that the variables configure, which configured has checked.
func newExporter(version string, lookup func(string) string) (*exporter, error) {
	setting := func(name string) string {
		of := func(prefix string) string { return strings.TrimSpace(lookup(prefix + name)) }
		return cmp.Or(of("OTEL_EXPORTER_OTLP_TRACES_"), of("OTEL_EXPORTER_OTLP_"))
	}
	to, err := url.Parse(strings.TrimSpace(lookup("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")))
	if err == nil && to.Host == "" {
		to, err = url.Parse(cmp.Or(strings.TrimSpace(lookup("OTEL_EXPORTER_OTLP_ENDPOINT")), "http://localhost:4318"))
		to.Path = path.Join("/", to.Path, "v1/traces")
	}
	if err != nil {
		return nil, err
	}
	to.User = nil // credentials are headers
	e := &exporter{address: to.String(), header: http.Header{"User-Agent": {"fichario/" + version}}, pause: firstPause}
	for header := range strings.SplitSeq(setting("HEADERS"), ",") {
		if name, escaped, found := strings.Cut(header, "="); found {
			text, _ := url.PathUnescape(escaped) // configured has checked it
			e.header.Set(strings.TrimSpace(name), strings.TrimSpace(text))
		}
	}
	e.header.Set("Content-Type", "application/x-protobuf")
	if setting("PROTOCOL") == jsonProtocol {
		e.header.Set("Content-Type", typeJSON)
	}
	if setting("COMPRESSION") == "gzip" {
		e.header.Set("Content-Encoding", "gzip")
	}
	timeout, err := strconv.Atoi(cmp.Or(setting("TIMEOUT"), "10000"))
	if err != nil {
		return nil, err
	}
	trust := &tls.Config{MinVersion: tls.VersionTLS12}
	if file := setting("CERTIFICATE"); file != "" {
		text, _ := os.ReadFile(file)
		trust.RootCAs = x509.NewCertPool()
		trust.RootCAs.AppendCertsFromPEM(text)
	}
	if file := setting("CLIENT_CERTIFICATE"); file != "" {
		own, err := tls.LoadX509KeyPair(file, setting("CLIENT_KEY"))
		if err != nil {
			return nil, err
		}
		trust.Certificates = []tls.Certificate{own}
	}
	e.client = &http.Client{
		Timeout: time.Duration(timeout) * time.Millisecond,
		// The headers may hold a credential, which only the configured address is to get.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy: nil, TLSClientConfig: trust, ForceAttemptHTTP2: true, IdleConnTimeout: 90 * time.Second,
		},
	}
	return e, nil
}

// export sends spans, again while the collector says that it is busy.
func (e *exporter) export(ctx context.Context, spans []spanRecord) error {
	body, err := e.encoded(requestOf(e.of, spans))
	if err != nil {
		return err
	}
	until := time.Now().Add(retryWithin)
	for pause := e.pause; ; pause = min(2*pause, longestPause) {
		busy, after, err := e.post(ctx, body)
		if err == nil || !busy {
			return err
		}
		wait := max(after, pause/2+rand.N(pause)) //nolint:gosec // spreads the instances, no secret
		if time.Now().Add(wait).After(until) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(wait):
		}
	}
}

func (e *exporter) encoded(all request) (body []byte, err error) {
	if e.header.Get("Content-Type") == typeJSON {
		body, err = json.Marshal(all)
	} else {
		body = protobuf(nil, reflect.ValueOf(all))
	}
	if err != nil || e.header.Get("Content-Encoding") == "" {
		return body, err
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err = w.Write(body)
	err = errors.Join(err, w.Close())
	return packed.Bytes(), err
}

// post sends once. busy says that the collector may be asked again, not before the pause that it asks for.
func (e *exporter) post(ctx context.Context, body []byte) (busy bool, after time.Duration, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.address, bytes.NewReader(body))
	if err != nil {
		return false, 0, errLost
	}
	r.Header = e.header
	answer, err := e.client.Do(r)
	if err != nil {
		temporary := (*url.Error)(nil)
		return errors.As(err, &temporary) && temporary.Temporary(), 0, errLost
	}
	defer func() { _ = answer.Body.Close() }()
	said, _ := io.ReadAll(io.LimitReader(answer.Body, answerMost))
	switch answer.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true, retryAfter(answer.Header.Get("Retry-After")), errLost
	}
	if answer.StatusCode/100 != 2 || partly(said, answer.Header.Get("Content-Type")) {
		return false, 0, errLost
	}
	return false, 0, nil
}

// retryAfter is a pause in seconds or until a time; 0 where there is none.
func retryAfter(said string) time.Duration {
	if seconds, err := strconv.Atoi(said); err == nil {
		return min(time.Duration(max(seconds, 0)), 2*retryWithin/time.Second) * time.Second
	}
	at, err := http.ParseTime(said)
	if err != nil {
		return 0
	}
	return max(time.Until(at), 0)
}

// partly reports whether an answer says that some spans were rejected, or says something of them.
func partly(answer []byte, kind string) bool {
	if !strings.HasPrefix(kind, typeJSON) {
		// Protobuf: field 1, partialSuccess, which is empty where nothing was rejected.
		return strings.HasPrefix(kind, "application/x-protobuf") && len(answer) > 2 && answer[0] == 1<<3|delimited && answer[1] > 0
	}
	var of struct {
		PartialSuccess struct {
			RejectedSpans json.Number `json:"rejectedSpans"`
			ErrorMessage  string      `json:"errorMessage"`
		} `json:"partialSuccess"`
	}
	if json.Unmarshal(answer, &of) != nil {
		return false
	}
	n, _ := of.PartialSuccess.RejectedSpans.Int64()
	return n != 0 || of.PartialSuccess.ErrorMessage != ""
}
