package automation

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"fichario/adapters/automation/destinations"
	"fichario/ports"
)

const (
	// callTime bounds a whole call, from name resolution to the end of the answer. reasonLate repeats it.
	callTime = 10 * time.Second
	// maxAnswer bounds what is read of an answer's body, and maxAnswerHeader its headers. Where only the status counts,
	// the body is read so that the connection can be reused.
	maxAnswer       = 64 << 10
	maxAnswerHeader = 64 << 10
	// hostConns bounds the connections to one host, so that a slow one is not
	// flooded; others do not wait for it.
	hostConns = 16
	// idleTime is short, because a call written to a connection that the other side is just closing is lost, and not
	// repeated here.
	idleTime = 5 * time.Second
)

// Dispatcher makes the calls. It is safe for concurrent use.
type Dispatcher struct {
	transport *http.Transport
	timeout   time.Duration
	// public restricts calls to the public internet.
	public bool
	// meta replaces Meta's address in the destination that comes with the program, and own calls it: the operator, not an
	// organisation, has chosen it. Nil for the vendor's.
	meta string
	own  *Dispatcher
}

// WithMeta sets the address of Meta's Graph API, without a version, and returns the dispatcher.
func (d *Dispatcher) WithMeta(address string) *Dispatcher {
	if address = strings.TrimRight(address, "/"); address != metaAddress {
		d.meta, d.own = address, newDispatcher(&net.Dialer{Timeout: callTime}, false)
	}
	return d
}

// New returns a dispatcher. Unless allowPrivate, it calls only the public internet,
// on ports 80 and 443. Close frees its connections.
func New(allowPrivate bool) *Dispatcher {
	dialer := &net.Dialer{Timeout: callTime}
	if !allowPrivate {
		dialer.Control = refusePrivate
	}
	return newDispatcher(dialer, !allowPrivate)
}

func newDispatcher(dialer *net.Dialer, public bool) *Dispatcher {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	return &Dispatcher{timeout: callTime, public: public, transport: &http.Transport{
		Proxy:                  nil, // not from the environment: a proxy would connect in our place, unchecked
		DialContext:            dialer.DialContext,
		Protocols:              &protocols,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    callTime,
		DisableCompression:     true, // nothing is decompressed, so nothing can swell
		MaxResponseHeaderBytes: maxAnswerHeader,
		MaxConnsPerHost:        hostConns,
		MaxIdleConnsPerHost:    hostConns,
		MaxIdleConns:           4 * hostConns,
		IdleConnTimeout:        idleTime,
	}}
}

// Close closes the idle connections. Calls in flight are left to finish.
func (d *Dispatcher) Close() {
	d.transport.CloseIdleConnections()
	if d.own != nil {
		d.own.Close()
	}
}

// Post makes one attempt of a call and judges it by the status alone: once that has arrived, an answer that breaks off
// or never ends changes nothing. The status is 0 when there is none. The error is nil or a *ports.SendError.
func (d *Dispatcher) Post(ctx context.Context, c ports.Call) (int, error) {
	address, err := d.target(c.URL)
	if err != nil {
		return 0, err
	}
	body, err := eventBody(c.Event)
	if err != nil {
		return 0, permanent("o evento não pode ser escrito em JSON")
	}
	header, err := sign(c, body)
	if err != nil {
		return 0, err
	}
	answer, err := d.exchange(ctx, &destinations.Request{
		Method: http.MethodPost, Address: address.String(), Header: header, Body: body,
	}, false, d.timeout)
	if err != nil {
		return 0, err
	}
	return answer.Status, judge(answer.Status, answer.Header.Get("Retry-After"), time.Now())
}

// exchange makes one request. Without keep, only the status and the headers of the answer count: once they have
// arrived, a body that breaks off or never ends changes nothing. Its error is a *ports.SendError.
func (d *Dispatcher) exchange(
	parent context.Context, r *destinations.Request, keep bool, timeout time.Duration,
) (answer destinations.Answer, err error) {
	parent, span := ports.Within(parent, ports.Calling, "destination call")
	defer func() {
		if err != nil {
			span.Fail("unanswered")
		} else {
			span.Set("http.response.status_code", strconv.Itoa(answer.Status))
		}
		span.End()
	}()
	ctx, cancel := context.WithTimeout(parent, timeout)
	defer cancel()
	var tlsFailed atomic.Bool
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		TLSHandshakeDone: func(_ tls.ConnectionState, err error) { tlsFailed.Store(err != nil) },
	})
	req, err := http.NewRequestWithContext(traced, r.Method, r.Address, bytes.NewReader(r.Body))
	if err != nil {
		return answer, permanent(reasonURL)
	}
	// Without GetBody, net/http cannot resend the body by itself.
	req.GetBody = nil
	req.Header = r.Header
	if parent := ports.Traceparent(ctx); parent != "" {
		req.Header.Set("Traceparent", parent)
	}
	// The transport itself, not an http.Client: a client follows redirects, and its errors hold the address.
	res, err := d.transport.RoundTrip(req)
	if err != nil {
		return answer, unanswered(parent, ctx, err, tlsFailed.Load())
	}
	defer res.Body.Close()
	answer = destinations.Answer{Status: res.StatusCode, Header: res.Header}
	// After 101 the body is the bare connection, which no deadline of ctx reaches.
	if res.StatusCode == http.StatusSwitchingProtocols || res.ContentLength > maxAnswer {
		return answer, nil
	}
	read, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	switch {
	case !keep:
		return answer, nil
	case err != nil:
		return answer, unanswered(parent, ctx, err, false)
	case len(read) <= maxAnswer:
		answer.Body = read
	}
	return answer, nil
}

// target parses the address of a call.
func (d *Dispatcher) target(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		return nil, permanent(reasonURL)
	}
	if p := u.Port(); p != "" {
		if n, err := strconv.ParseUint(p, 10, 16); err != nil || n == 0 {
			return nil, permanent(reasonURL)
		}
	}
	if d.public && disguised(u.Hostname()) {
		return nil, permanent(reasonRefused)
	}
	return u, nil
}

// sign returns the headers of a signed call.
func sign(c ports.Call, body []byte) (http.Header, error) {
	key, err := standardwebhooks.NewWebhook(c.Secret)
	if err != nil || strings.TrimPrefix(c.Secret, "whsec_") == "" {
		// The library's error may hold part of the secret, and it would sign with an empty key.
		return nil, permanent("segredo da assinatura inválido")
	}
	signature, err := key.Sign(c.ID, c.At, body)
	if err != nil {
		return nil, permanent("não foi possível assinar a chamada")
	}
	h := make(http.Header, 5)
	h.Set("Content-Type", "application/json")
	h.Set("User-Agent", "Fichario")
	h.Set(standardwebhooks.HeaderWebhookID, c.ID)
	h.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(c.At.Unix(), 10))
	h.Set(standardwebhooks.HeaderWebhookSignature, signature)
	return h, nil
}
