package bureau

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"fichario/adapters/jq"
	"fichario/ports"
)

const (
	// maxID keeps the head of a poll within its bounds, in bytes.
	maxID = 1000
	// unknownEvery is when an answer is fetched again that the file no longer says how to fetch: another instance may
	// have another file.
	unknownEvery = time.Minute
)

// fetches reports whether the file says how an answer is fetched that comes later, or read in what was posted.
func (m *mapping) fetches(q ports.Question) bool {
	return m.later != nil && (q.Reply == nil || m.later.posted != nil) && m.product.Takes(q.Document.Type()) &&
		len(m.product.Lacking(q.Inputs)) == 0
}

// again says that an answer comes later, and not before a bureau's Retry-After.
func (l *later) again(id string, s status) reply {
	return reply{later: &ports.Later{Ticket: id, Every: min(max(l.every, s.retryAfter), ports.LaterPause), For: l.max}}
}

// takenAs is what the bureau calls a question that it has taken, and answers later; empty for any other reply.
func (c *Client) takenAs(ctx context.Context, m *mapping, doc asked, came received) string {
	if m.later == nil || !slices.Contains(m.later.status, came.code) {
		return ""
	}
	return idOf(ctx, m.later.id, m, doc, came)
}

// idOf reads the id in what came; empty where there is none.
func idOf(ctx context.Context, program *jq.Program, m *mapping, doc asked, came received) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), mappingTime)
	defer cancel()
	v, err := program.Run(ctx, came.view(), doc.variables(m.product.ID)...)
	if err != nil {
		return ""
	}
	id := ""
	switch v := v.(type) {
	case json.Number:
		id = v.String()
	case int:
		id = strconv.Itoa(v)
	case string:
		id = strings.TrimSpace(v)
	}
	if len(id) > maxID || strings.ContainsFunc(id, unicode.IsControl) {
		return ""
	}
	return id
}

// fetch asks once whether the answer is there that comes later. Nothing is asked anew, so a fetch that fails says
// nothing about the question, and leaves it for the next one; only a 4xx other than 408 and 429 ends it.
func (c *Client) fetch(parent context.Context, m *mapping, doc asked) (reply, *failure) {
	ctx, cancel := context.WithTimeout(parent, c.file.timeout)
	defer cancel()
	if doc.reply != nil {
		return c.posted(ctx, parent, m, doc)
	}
	if m.later.poll == nil {
		return m.later.again(doc.id, status{}), nil
	}
	token, isNew := "", true
	body, fail := c.body(ctx, m.later.poll, m.product.ID, doc)
	if fail != nil {
		return m.later.again(doc.id, status{}), nil
	}
	if c.tokens != nil {
		if token, isNew, fail = c.tokens.get(ctx); fail != nil {
			return m.later.again(doc.id, status{}), nil
		}
	}
	s, raw, fail := c.exchange(ctx, parent, c.request(m.later.poll, m.product.ID, doc, body, token))
	if s.code == http.StatusUnauthorized && c.tokens != nil {
		if c.tokens.drop(token); !isNew {
			return m.later.again(doc.id, status{}), nil
		}
	}
	if fail != nil || s.code >= 500 || s.code == http.StatusTooManyRequests || s.code == http.StatusRequestTimeout {
		return m.later.again(doc.id, s), nil
	}
	return c.arrived(ctx, parent, m, doc, c.receive(s, raw), token)
}

// posted reads what the bureau has posted, as a reply with status 200 whose id must be the question's: anything else
// says nothing about it.
func (c *Client) posted(ctx, parent context.Context, m *mapping, doc asked) (reply, *failure) {
	s := status{code: http.StatusOK, header: doc.reply.Header}
	came := c.receive(s, doc.reply.Body)
	if m.later.posted == nil || came.unread != nil || idOf(parent, m.later.posted, m, doc, came) != doc.id {
		return m.later.again(doc.id, status{}), nil
	}
	return c.arrived(ctx, parent, m, doc, came, "")
}

// arrived reads a reply that may have the answer that comes later.
func (c *Client) arrived(
	ctx, parent context.Context, m *mapping, doc asked, came received, token string,
) (reply, *failure) {
	s := came.status
	mapping, cancelMapping := context.WithTimeout(context.WithoutCancel(parent), mappingTime)
	defer cancelMapping()
	ready, err := m.later.ready.Run(mapping, came.view(), doc.variables(m.product.ID)...)
	switch {
	case err == nil && ready == true:
	case s.code < 300 || slices.Contains(m.later.status, s.code):
		return m.later.again(doc.id, s), nil
	default:
		return reply{}, c.billed(parent, m, doc, came, statusFailure(s))
	}
	if fail := c.unwrap(mapping, m, doc, &came); fail != nil {
		return reply{}, c.billed(parent, m, doc, came, fail)
	}
	switch {
	case c.meets(parent, c.file.exhausted, m, doc, came):
		return reply{}, c.exhausted()
	case c.meets(parent, c.file.notCharged, m, doc, came):
		return reply{}, c.refused(s)
	}
	return c.conclude(ctx, parent, m, doc, came, token)
}

// unwrap takes the answer out of the reply that has it.
func (c *Client) unwrap(ctx context.Context, m *mapping, doc asked, came *received) *failure {
	if m.later == nil || m.later.result == nil || came.unread != nil {
		return nil
	}
	v, err := m.later.result.Run(ctx, came.view(), doc.variables(m.product.ID)...)
	if err != nil {
		return neutral(ports.Failed, "the bureau file's `result` cannot read the answer")
	}
	came.answer = v
	return nil
}

// billed completes the failure of a fetch by what the question costs.
func (c *Client) billed(ctx context.Context, m *mapping, doc asked, came received, fail *failure) *failure {
	if c.meets(ctx, c.file.exhausted, m, doc, came) {
		return c.exhausted()
	}
	amount, charged := c.bill(ctx, m, doc, came)
	if !charged || c.meets(ctx, c.file.notCharged, m, doc, came) {
		fail.err.Outcome = ports.NotCharged
		return fail
	}
	fail.err.Amount = amount
	return fail
}
