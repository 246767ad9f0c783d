package bureau

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"fichario/adapters/jq"
	"fichario/domain/catalog"
	"fichario/ports"
)

// mappingTime bounds all the jq of one answer. It is separate from the call's time: the answer is paid for, so a late
// one is still mapped.
const mappingTime = time.Second

// Client calls the bureau of one file. It is safe for concurrent use.
type Client struct {
	file      *File
	mappings  map[string]*mapping
	transport *http.Transport
	tokens    *tokenSource // nil without a sign-in
	breaker   *breaker     // nil without one
	wait      pause
	refuses   func(product, document string) bool // nil where none is refused
	log       *slog.Logger
}

var _ Chained = (*Client)(nil)

// DialFunc opens a connection, as net.Dialer.DialContext does.
type DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error)

// Option configures a Client.
type Option func(*options)

type options struct {
	dial      DialFunc
	log       *slog.Logger
	noBreaker bool
	refuses   func(product, document string) bool
}

// WithDialContext makes the client open its connections with dial, so that the sandbox can answer in process. TLS,
// where the address asks for it, is added on top.
func WithDialContext(dial DialFunc) Option { return func(o *options) { o.dial = dial } }

// WithLogger makes the client log to l. It logs outcomes, states of the circuit and names of fields; never a document,
// a credential or an answer.
func WithLogger(l *slog.Logger) Option { return func(o *options) { o.log = l } }

// WithoutBreaker makes the client call the bureau however often it fails: the sandbox fails on purpose, for single
// documents.
func WithoutBreaker() Option { return func(o *options) { o.noBreaker = true } }

// WithRefusals makes the client treat calls as not sent where refuses returns true: the in-process sandbox has no
// connection to refuse.
func WithRefusals(refuses func(product, document string) bool) Option {
	return func(o *options) { o.refuses = refuses }
}

// New returns a client for the bureau that f describes. Close frees its connections.
func New(f *File, opts ...Option) *Client {
	o := options{log: slog.New(slog.DiscardHandler)}
	for _, opt := range opts {
		opt(&o)
	}
	c := &Client{
		file:      f,
		mappings:  make(map[string]*mapping, len(f.mappings)),
		transport: newTransport(f.timeout, o.dial, f.tls),
		log:       o.log.With("bureau", f.name),
		refuses:   o.refuses,
	}
	for i := range f.mappings {
		c.mappings[f.mappings[i].product.ID] = &f.mappings[i]
	}
	if !o.noBreaker {
		c.breaker = newBreaker(c.log)
	}
	if f.signIn != nil {
		c.tokens = newTokenSource(*f.signIn, f.timeout, c.transport, c.log)
	}
	return c
}

// Catalog returns the products that the bureau offers, with their prices: those of
// the contract in the contract's order, then the file's own in the file's order.
func (c *Client) Catalog() catalog.Catalog { return c.file.Catalog() }

// Timeout returns how long one call may take. Ask returns within it, plus at most
// a second for the mapping.
func (c *Client) Timeout() time.Duration { return c.file.timeout }

// Name returns the bureau's name, as the file gives it.
func (c *Client) Name() string { return c.file.name }

// Rate is File.Rate.
func (c *Client) Rate() float64 { return c.file.rate }

// Close stops fetching tokens and closes the idle connections. Calls in flight are
// left to finish.
func (c *Client) Close() {
	if c.tokens != nil {
		c.tokens.close()
	}
	c.transport.CloseIdleConnections()
}

// Ask makes one call for the product, the document and the purpose, and never repeats it once the bureau may charge for
// it: only a 401 listed in `not_charged`, for a token that may have expired, is retried with a new token, once. The
// error is always a *ports.BureauError:
//   - ports.NotSent when the call cannot have reached the bureau: an input that is
//     required and missing, not connected, no token, the circuit open, the bureau's
//     own wait not over, cancelled before it was sent;
//   - ports.NotCharged when the bureau refused it with a status that the file's
//     `not_charged` lists, or failed and says that it does not bill (`charged`);
//   - ports.Exhausted when it refused it because no credit is left (`exhausted`);
//   - ports.NoAnswer when it was sent and no whole answer came in time, or ctx was
//     cancelled meanwhile;
//   - ports.Failed when it was sent and what came is no answer: an error status, a
//     redirect, something other than JSON, a broken connection, or an answer that
//     the file's `failed` calls a failure.
//
// With a ticket it only fetches the answer to that question, or reads it in what the bureau has posted, and never says
// that it was not sent.
func (c *Client) Ask(ctx context.Context, q ports.Question) (ports.Answer, error) {
	answer, _, err := c.ask(ctx, q)
	return answer, err
}

// Rests implements ports.Rester.
func (c *Client) Rests() time.Duration { return max(c.wait.left(), c.breaker.left()) }

// ask is Ask, and also returns the reply that the answer was made of.
func (c *Client) ask(ctx context.Context, q ports.Question) (ports.Answer, reply, error) {
	m, ok := c.mappings[q.Product.ID]
	if q.Ticket != "" && (!ok || !m.fetches(q)) {
		c.log.WarnContext(ctx, "an answer that comes later cannot be fetched: the bureau file no longer says how", "product",
			q.Product.ID)
		return ports.Answer{Later: &ports.Later{Ticket: q.Ticket, Every: unknownEvery, Unread: true}}, reply{}, nil
	}
	if !ok || q.Document.IsZero() || !m.product.Takes(q.Document.Type()) {
		return ports.Answer{}, reply{}, &ports.BureauError{
			Outcome: ports.NotSent, Reason: "product is not mapped for this type of document", Own: true,
		}
	}
	if lacking := m.product.Lacking(q.Inputs); len(lacking) > 0 {
		return ports.Answer{}, reply{}, &ports.BureauError{
			Outcome: ports.NotSent, Reason: "an input is missing or not of its type: " + strings.Join(lacking, ", "), Own: true,
		}
	}
	doc := asking(q, m.product)
	if q.Ticket != "" {
		return c.answered(ctx, m, doc, func(ctx context.Context) (reply, *failure) { return c.fetch(ctx, m, doc) })
	}
	if m.later != nil && m.later.poll == nil && doc.callback == "" {
		return ports.Answer{}, reply{}, &ports.BureauError{
			Outcome: ports.NotSent, Reason: "the bureau only posts its answer, and there is no address for that",
		}
	}
	if left := c.wait.left(); left > 0 {
		return ports.Answer{}, reply{}, &ports.BureauError{
			Outcome: ports.NotSent, Reason: "the bureau has asked to wait", RetryAfter: left,
		}
	}
	if c.refuses != nil && c.refuses(m.product.ID, doc.Value()) {
		return ports.Answer{}, reply{}, &ports.BureauError{Outcome: ports.NotSent, Reason: "connection refused"}
	}
	return c.answered(ctx, m, doc, func(ctx context.Context) (reply, *failure) {
		return c.breaker.do(func() (reply, *failure) { return c.call(ctx, m, doc) })
	})
}

// answered makes a call and reads its answer.
func (c *Client) answered(
	ctx context.Context, m *mapping, doc asked, call func(context.Context) (reply, *failure),
) (ports.Answer, reply, error) {
	ctx, span := ports.Within(ctx, ports.Calling, "bureau call")
	defer span.End()
	span.Set("fichario.bureau", c.file.name)
	span.Set("fichario.product", m.product.ID)
	start := time.Now()
	r, fail := call(ctx)
	if fail != nil {
		span.Fail(string(fail.err.Outcome))
		c.log.DebugContext(ctx, "bureau call failed", "product", m.product.ID, "outcome", string(fail.err.Outcome),
			"reason", fail.err.Reason,
			"ms", time.Since(start).Milliseconds())
		return ports.Answer{}, reply{}, fail.err
	}
	if r.later != nil {
		return ports.Answer{Later: r.later}, r, nil
	}
	answer := c.whole(ctx, m, doc, r)
	c.log.DebugContext(ctx, "bureau call answered", "product", m.product.ID, "found", answer.Found,
		"bytes", len(answer.Raw),
		"ms", time.Since(start).Milliseconds())
	if len(answer.Dropped) > 0 {
		c.log.WarnContext(ctx,
			"bureau answer has fields that the mapping could not read", "product", m.product.ID, "fields", answer.Dropped)
	}
	return answer, r, nil
}

// call makes the request and reads the reply, within the bureau's timeout.
func (c *Client) call(parent context.Context, m *mapping, doc asked) (reply, *failure) {
	ctx, cancel := context.WithTimeout(parent, c.file.timeout)
	defer cancel()
	body, fail := c.body(ctx, &m.request, m.product.ID, doc)
	if fail != nil {
		return reply{}, fail
	}
	for renewed := false; ; renewed = true {
		token, isNew := "", true
		if c.tokens != nil {
			if token, isNew, fail = c.tokens.get(ctx); fail != nil {
				return reply{}, fail
			}
		}
		status, raw, fail := c.exchange(ctx, parent, c.request(&m.request, m.product.ID, doc, body, token))
		if status.code == http.StatusUnauthorized && c.tokens != nil {
			c.tokens.drop(token)
		}
		came := c.receive(status, raw)
		switch {
		case c.meets(ctx, c.file.exhausted, m, doc, came):
			return reply{}, c.exhausted()
		case !c.meets(ctx, c.file.notCharged, m, doc, came):
			if fail != nil {
				return reply{}, fail
			}
			if id := c.takenAs(parent, m, doc, came); id != "" {
				return m.later.again(id, came.status), nil
			}
			return c.conclude(ctx, parent, m, doc, came, token)
		case status.code == http.StatusUnauthorized && !isNew && !renewed:
			// The token expired early. The bureau does not charge for a 401.
		default:
			return reply{}, c.refused(status)
		}
	}
}

// conclude reads what came, and what it cost.
func (c *Client) conclude(
	ctx, parent context.Context, m *mapping, doc asked, came received, token string,
) (answer reply, fail *failure) {
	if slices.Contains(c.file.notFound.status, came.code) {
		fail = c.believe(ctx, parent, m, doc, came, token)
	}
	if fail == nil {
		answer, fail = c.read(parent, m, doc, came)
	}
	amount, charged := c.bill(parent, m, doc, came)
	switch {
	case fail == nil:
		answer.amount = amount
	case charged:
		fail.err.Amount = amount
	case came.code == http.StatusTooManyRequests || came.code == http.StatusServiceUnavailable:
		return reply{}, c.refused(came.status)
	default:
		fail.err.Outcome, fail.err.Own = ports.NotCharged, !ofAll(came.code)
	}
	return answer, fail
}

// ofAll reports whether a status refuses whoever asks rather than one question.
func ofAll(code int) bool {
	switch code {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusProxyAuthRequired:
		return true
	}
	return code >= http.StatusInternalServerError
}

// body makes a request's body; nil when it has none.
func (c *Client) body(ctx context.Context, r *request, product string, doc asked) ([]byte, *failure) {
	switch values := doc.filled(product); {
	case r.form != nil:
		return []byte(encoded(r.form, values)), nil
	case r.text != nil:
		return []byte(r.text.expand(values, escapeXML)), nil
	case r.body == nil:
		return nil, nil
	}
	b, err := makeBody(ctx, r.body, doc, product)
	if err != nil {
		fail := neutral(ports.NotSent, "the request body could not be built")
		fail.err.Own = true
		return nil, fail
	}
	return b, nil
}

// whole extracts the named fields of a reply, and what it says of other products.
func (c *Client) whole(ctx context.Context, m *mapping, doc asked, r reply) ports.Answer {
	answer := c.project(ctx, m, doc, r)
	if r.found {
		answer.Also = c.parts(ctx, m, doc, r)
	}
	return answer
}

// parts are what a reply says of the other products that its product names. What cannot be read is left out.
func (c *Client) parts(ctx context.Context, m *mapping, doc asked, r reply) (parts []ports.Part) {
	for _, name := range m.also {
		other := c.mappings[name]
		found, fail := c.finds(ctx, other, doc, r.decoded)
		if fail != nil {
			c.log.WarnContext(ctx, "bureau answer does not say whether it has a record of another product", "product", name)
			continue
		}
		part := r
		part.found = found
		a := c.project(ctx, other, doc, part)
		if len(a.Dropped) > 0 {
			c.log.WarnContext(ctx,
				"bureau answer has fields that the mapping could not read", "product", name, "fields", a.Dropped)
		}
		parts = append(parts, ports.Part{Product: name, Found: found, Fields: a.Fields})
	}
	return parts
}

// project extracts the named fields of a reply.
func (c *Client) project(ctx context.Context, m *mapping, doc asked, r reply) ports.Answer {
	a := ports.Answer{Found: r.found, Raw: r.raw, Amount: r.amount}
	if !r.found {
		a.Fields, _ = m.product.Project(nil)
		return a
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), mappingTime)
	defer cancel()
	values := make(map[string]any, len(m.fields))
	run := func(f fieldMapping, do func(context.Context, any, ...any) (any, error)) error {
		v, err := do(ctx, r.decoded, doc.variables(m.product.ID)...)
		if err == nil {
			values[f.name] = v
		} else if !errors.Is(err, jq.ErrBounds) {
			a.Dropped = append(a.Dropped, f.name)
		}
		return err
	}
	// Run expensive programs last, so that a bad one takes no time from the others.
	var much []fieldMapping
	for _, f := range m.fields {
		if errors.Is(run(f, f.jq.Light), jq.ErrBounds) {
			much = append(much, f)
		}
	}
	for _, f := range much {
		if errors.Is(run(f, f.jq.Heavy), jq.ErrBounds) {
			a.Dropped = append(a.Dropped, f.name)
		}
	}
	fields, dropped := m.product.Project(values)
	if len(fields) > maxAnswer {
		// A mapping that multiplies its input would bloat the history.
		fields, _ = m.product.Project(nil)
		dropped = nil
		for _, f := range m.fields {
			dropped = append(dropped, f.name)
		}
	}
	a.Fields = fields
	a.Dropped = append(a.Dropped, dropped...)
	slices.Sort(a.Dropped)
	a.Dropped = slices.Compact(a.Dropped)
	return a
}
