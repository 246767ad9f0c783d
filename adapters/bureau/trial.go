package bureau

import (
	"context"
	"fmt"
	"time"

	"fichario/ports"
)

// Trial is what a bureau file makes of one answer, for whoever writes the file.
type Trial struct {
	ports.Answer
	// Unread are the keys of the answer that nothing in the file reads, such as ".pessoa.fones[].zap", without their
	// values. Where a whole object is not read, only the object is listed.
	Unread []string
	// Idle are the fields whose mapping finds nothing to read in the answer.
	Idle []string
	// Undescribed is the HTTP status of a "no record" that the file concludes from the status alone, so that a mistyped
	// path would give the same; zero otherwise.
	Undescribed int
}

// Try is Ask, and compares the answer with the mappings. Where the answer comes later it says so, by told, and waits
// for it.
func (c *Client) Try(ctx context.Context, q ports.Question, told func(ports.Later)) (Trial, error) {
	var until time.Time
	answer, r, err := c.ask(ctx, q)
	for err == nil && answer.Later != nil {
		later := *answer.Later
		if q.Ticket == "" {
			until = time.Now().Add(later.For)
			told(later)
		}
		if time.Now().After(until) {
			return Trial{}, &ports.BureauError{Outcome: ports.NoAnswer, Reason: "no answer within " + later.For.String()}
		}
		select {
		case <-time.After(later.Every):
		case <-ctx.Done():
			return Trial{}, &ports.BureauError{Outcome: ports.NoAnswer, Reason: "the answer was to come later"}
		}
		q.Ticket = later.Ticket
		answer, r, err = c.ask(ctx, q)
	}
	if err != nil {
		return Trial{}, err
	}
	m := c.mappings[q.Product.ID]
	return c.examine(ctx, m, asking(q, m.product), answer, r), nil
}

// Examine is Try for an answer that was saved earlier with status 200, without a call. The error says why the file does
// not take it as an answer.
func (c *Client) Examine(ctx context.Context, q ports.Question, raw []byte) (Trial, error) {
	m := c.mappings[q.Product.ID]
	doc := asking(q, m.product)
	came := c.receive(status{code: c.file.answered[0]}, raw)
	fail := c.unwrap(ctx, m, doc, &came)
	var r reply
	if fail == nil {
		r, fail = c.read(ctx, m, doc, came)
	}
	switch {
	case c.meets(ctx, c.file.exhausted, m, doc, came):
		fail = c.exhausted()
	case c.meets(ctx, c.file.notCharged, m, doc, came):
		fail = c.refused(came.status)
	}
	if fail != nil {
		return Trial{}, fmt.Errorf("a lookup with this answer would fail: %s", fail.err.Reason)
	}
	r.amount, _ = c.bill(ctx, m, doc, came)
	return c.examine(ctx, m, doc, c.whole(ctx, m, doc, r), r), nil
}

func (c *Client) examine(ctx context.Context, m *mapping, doc asked, answer ports.Answer, r reply) Trial {
	t := Trial{Answer: answer, Undescribed: r.status}
	if r.found {
		s := newSearch(ctx, c.file, m, doc, r.decoded)
		s.look(r.decoded, "", func(v any) any { return v })
		t.Unread, t.Idle = s.unread, s.idle()
	}
	return t
}
