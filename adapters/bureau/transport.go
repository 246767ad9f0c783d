package bureau

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/ports"
)

const (
	// maxAnswer bounds an answer after decompression. Real ones are a few kilobytes.
	maxAnswer = 8 << 20
	// maxAnswerHeader bounds the status line and the headers of an answer.
	maxAnswerHeader = 64 << 10
	// connectTime bounds dialling, and the TLS handshake after it.
	connectTime = 3 * time.Second
	// idleTime is short on purpose. A server may close an idle connection at any moment, and a request written just then
	// is lost: nobody can tell whether it was read, so it is charged and not repeated. A few seconds still cover a burst,
	// and servers seldom close sooner.
	idleTime = 4 * time.Second
	// idleConns covers the calls that one instance has in flight.
	idleConns = 64
)

// newTransport makes the client's connections. secure has certificates of its own; nil without.
func newTransport(timeout time.Duration, dial DialFunc, secure *tls.Config) *http.Transport {
	if secure == nil {
		secure = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	connect := min(connectTime, timeout)
	if dial == nil {
		dial = (&net.Dialer{Timeout: connect}).DialContext
	}
	var http1 http.Protocols
	http1.SetHTTP1(true)
	return &http.Transport{
		// No proxy from the environment, and no HTTP/2, whose client repeats requests by rules of its own.
		Proxy:     nil,
		Protocols: &http1,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			ctx, cancel := context.WithTimeout(ctx, connect)
			defer cancel()
			return dial(ctx, network, addr)
		},
		TLSClientConfig:        secure,
		TLSHandshakeTimeout:    connect,
		MaxIdleConns:           idleConns,
		MaxIdleConnsPerHost:    idleConns,
		IdleConnTimeout:        idleTime,
		MaxResponseHeaderBytes: maxAnswerHeader,
		// The headers fit (see maxURL), so they leave in one write, after the trace hook has run.
		WriteBufferSize: 16 << 10,
	}
}

// once is a body that net/http cannot send twice. When a pooled connection breaks, net/http repeats a request by
// itself, unless there is a body that it cannot rewind; so a GET gets one as well, an empty one, which is not sent.
type once struct{ io.Reader }

// Close does nothing.
func (once) Close() error { return nil }

// asked is the subject of one call.
type asked struct {
	document.Document
	// purpose is a code; empty for none.
	purpose string
	// inputs are those of the product, by name.
	inputs map[string]string
	// id is what the bureau called the question, where its answer comes later; it may be posted to callback, and then is
	// in reply.
	id, callback string
	reply        *ports.Reply
}

// asking is what a question asks of a product. Inputs that are not the product's never leave the house.
func asking(q ports.Question, p catalog.Product) asked {
	a := asked{Document: q.Document, purpose: q.Purpose, id: q.Ticket, callback: q.Callback, reply: q.Reply}
	for _, in := range p.Inputs {
		if v := q.Inputs[in.Name]; v != "" {
			if a.inputs == nil {
				a.inputs = map[string]string{}
			}
			a.inputs[in.Name] = v
		}
	}
	return a
}

// noInputs is what programs have as $entradas where there are none; they never change it.
var noInputs = map[string]any{}

// variables are the values for the file's programs, in the order in which they were declared.
func (a asked) variables(product string) []any {
	var purpose any
	if a.purpose != "" {
		purpose = a.purpose
	}
	if len(a.inputs) == 0 {
		return []any{a.Value(), product, purpose, noInputs}
	}
	inputs := make(map[string]any, len(a.inputs))
	for name, v := range a.inputs {
		inputs[name] = v
	}
	return []any{a.Value(), product, purpose, inputs}
}

// filled are the values for the file's templates.
func (a asked) filled(product string) filled {
	return filled{a.Value(), product, a.purpose, a.inputs, a.id, a.callback}
}

// request builds an HTTP request of the file for a product and a document.
func (c *Client) request(r *request, product string, doc asked, body []byte, token string) *http.Request {
	values := doc.filled(product)
	address := c.file.base + r.template.expand(values, url.PathEscape)
	if list := slices.Concat(r.query, c.file.secretQuery); len(list) > 0 {
		address += "?" + encoded(list, values)
	}
	req := newRequest(r.method, address, body)
	if r.form != nil {
		req.Header.Set("Content-Type", formType)
	}
	if c.file.xml {
		req.Header.Set("Accept", "text/xml, application/xml, application/soap+xml")
	}
	for _, list := range [][]header{c.file.headers, r.headers} {
		for _, h := range list {
			if !h.value.missing(values) {
				req.Header.Set(h.name, h.value.expand(values, nil))
			}
		}
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return req
}

// encoded are names and values as in a query or a form.
func encoded(list []header, values filled) string {
	q := make(url.Values, len(list))
	for _, h := range list {
		if !h.value.missing(values) {
			q.Set(h.name, h.value.expand(values, nil))
		}
	}
	return q.Encode()
}

// newRequest makes a request that is never repeated. An address that does not parse leaves a nil URL, which the
// transport refuses before sending anything.
func newRequest(method, address string, body []byte) *http.Request {
	u, err := url.Parse(address)
	if err != nil {
		u = nil
	}
	req := &http.Request{
		Method: method, URL: u, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Accept": {"application/json"}, "User-Agent": {"fichario"}},
		Body:   once{bytes.NewReader(body)},
	}
	if u != nil {
		req.Host = u.Host
	}
	switch {
	case len(body) > 0:
		req.ContentLength = int64(len(body))
		req.Header.Set("Content-Type", "application/json")
	case method == http.MethodPost:
		// Content-Length: 0 instead of an empty chunk. net/http never repeats a POST without an Idempotency-Key, which a file
		// cannot set.
		req.Body = http.NoBody
	}
	return req
}

// status is the part of a reply's head that counts.
type status struct {
	code       int
	header     http.Header
	retryAfter time.Duration
}

// exchange sends the request and reads the whole reply. ctx adds the bureau's timeout to parent, the caller's context.
// The status is returned as soon as it was read, even beside a failure.
func (c *Client) exchange(ctx, parent context.Context, req *http.Request) (status, []byte, *failure) {
	if parent := ports.Traceparent(ctx); c.file.traceparent && parent != "" {
		req.Header.Set("Traceparent", parent)
	}
	for attempt := 1; ; attempt++ {
		t := &trip{}
		s, raw, err := t.roundTrip(ctx, c.transport, req, maxAnswer)
		if err == nil {
			return s, raw, nil
		}
		// A pooled connection that was already dead may be replaced once: the trace shows that not a single header was
		// written to it.
		if attempt == 1 && t.reused.Load() && !t.wrote.Load() && ctx.Err() == nil {
			c.transport.CloseIdleConnections()
			continue
		}
		return s, nil, t.classify(ctx, parent, err)
	}
}

// trip is one attempt with what its trace observed.
type trip struct {
	wrote, reused, tlsFailed atomic.Bool
}

var (
	errTooLarge = errors.New("answer too large")
	errNoURL    = errors.New("no address")
)

func (t *trip) roundTrip(
	ctx context.Context, rt http.RoundTripper, req *http.Request, limit int64,
) (status, []byte, error) {
	if req.URL == nil {
		return status{}, nil, errNoURL
	}
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn:          func(info httptrace.GotConnInfo) { t.reused.Store(info.Reused) },
		WroteHeaderField: func(string, []string) { t.wrote.Store(true) },
		WroteHeaders:     func() { t.wrote.Store(true) },
		TLSHandshakeDone: func(_ tls.ConnectionState, err error) { t.tlsFailed.Store(err != nil) },
	})
	// The transport itself, not an http.Client: a client follows redirects, and its errors hold the address.
	res, err := rt.RoundTrip(req.WithContext(ctx))
	if err != nil {
		return status{}, nil, err
	}
	defer res.Body.Close()
	s := status{code: res.StatusCode, header: res.Header, retryAfter: retryAfter(res.Header, time.Now())}
	if s.code == http.StatusSwitchingProtocols {
		// Its body is the bare connection, which no deadline interrupts.
		return s, nil, nil
	}
	if res.ContentLength > limit {
		return s, nil, errTooLarge
	}
	var buf bytes.Buffer
	if res.ContentLength > 0 {
		buf.Grow(int(min(res.ContentLength, 64<<10)) + bytes.MinRead)
	}
	n, err := buf.ReadFrom(io.LimitReader(res.Body, limit+1))
	if err == nil && n > limit {
		err = errTooLarge
	}
	return s, buf.Bytes(), err
}

// retryAfter parses a Retry-After, in seconds or as a date (RFC 9110, 10.2.3), up to an hour. A date is relative to the
// answer's own Date, so that the two clocks need not agree.
func retryAfter(h http.Header, now time.Time) time.Duration {
	s := h.Get("Retry-After")
	if at, err := http.ParseTime(s); err == nil {
		if sent, err := http.ParseTime(h.Get("Date")); err == nil {
			now = sent
		}
		return min(max(at.Sub(now), 0), time.Hour)
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0
	}
	return time.Duration(min(n, 3600)) * time.Second
}

// classify turns an error of an attempt into a failure, without its text, which may hold the address.
func (t *trip) classify(ctx, parent context.Context, err error) *failure {
	cancelled := errors.Is(parent.Err(), context.Canceled)
	late := ctx.Err() != nil
	switch {
	case t.wrote.Load() && cancelled:
		return neutral(ports.NoAnswer, "cancelled after sending")
	case t.wrote.Load() && late:
		return counted(ports.NoAnswer, "no answer in time")
	case t.wrote.Load():
		return counted(ports.Failed, brokenReason(err))
	case cancelled:
		return neutral(ports.NotSent, "cancelled before sending")
	}
	return counted(ports.NotSent, t.unsentReason(err))
}

// brokenReason words an error after sending.
func brokenReason(err error) string {
	switch {
	case errors.Is(err, errTooLarge):
		return "answer is too large"
	case errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE):
		return "connection reset"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "answer is truncated"
	case errors.Is(err, io.EOF):
		return "connection closed without an answer"
	}
	return "connection broken, or answer is not valid HTTP"
}

// unsentReason words an error before sending.
func (t *trip) unsentReason(err error) string {
	var dns *net.DNSError
	var netErr net.Error
	switch {
	case errors.As(err, &dns):
		return "host name not found"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case t.tlsFailed.Load():
		return "TLS failure"
	case errors.Is(err, context.DeadlineExceeded) || errors.As(err, &netErr) && netErr.Timeout():
		return "could not connect in time"
	}
	return "could not connect"
}

// statusFailure is the failure for an HTTP status. A 4xx says that the bureau is up and something else is wrong.
func statusFailure(s status) *failure {
	f := neutral(ports.Failed, "status "+strconv.Itoa(s.code))
	f.counts = s.code < 400 || s.code >= 500
	if s.code == http.StatusTooManyRequests || s.code == http.StatusServiceUnavailable {
		f.err.RetryAfter = s.retryAfter
	}
	return f
}
