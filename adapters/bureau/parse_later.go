package bureau

import (
	"slices"
	"time"

	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/ports"
)

const (
	// minEvery is how often an answer that comes later is fetched at most: instances look for those that are due once a
	// second.
	minEvery = time.Second
	// maxFor is less than the day for which a job is tried again, so that an automation's lookup ends before.
	maxFor = 12 * time.Hour
)

// later reads how a bureau answers later.
func (p *parser) later(v at) *later {
	keys := p.Known(v, "status", "id", "poll", "callback", "ready", "result")
	p.Required(v, keys, "status", "id", "ready")
	l := &later{}
	if k, ok := keys["status"]; ok {
		l.status = p.statuses(k, "from 200 to 299", func(status int) bool { return status >= 200 && status < 300 })
		if len(l.status) == 0 {
			p.Fault(k, "must list at least one status")
		}
		for _, status := range l.status {
			if slices.Contains(p.file.notFound.status, status) {
				p.Fault(k, "has a status that is also in not_found: %d means either later or no record", status)
			}
		}
	}
	if k, ok := keys["id"]; ok {
		l.id = p.jq(k)
	}
	if k, ok := keys["ready"]; ok {
		l.ready = p.jq(k)
	}
	if k, ok := keys["result"]; ok {
		l.result = p.jq(k)
	}
	poll, polls := keys["poll"]
	if polls {
		p.special = slotID
		p.poll(poll, l)
		p.special = ""
	}
	callback, calls := keys["callback"]
	if calls {
		p.callback(callback, l)
	}
	if !polls && !calls && len(keys) > 0 {
		p.Fault(v, "needs a poll, a callback, or both")
	}
	return l
}

// callback reads how a bureau posts its answer to the address that it gets with the question.
func (p *parser) callback(v at, l *later) {
	keys := p.Known(v, "id", "for")
	p.Required(v, keys, "id")
	if k, ok := keys["id"]; ok {
		l.posted = p.jq(k)
	}
	switch k, ok := keys["for"]; {
	case ok && l.poll != nil:
		p.Fault(k, "stands in poll already")
	case ok:
		l.max = p.duration(k, minEvery, maxFor)
		l.every = min(l.max, ports.LaterPause)
	case l.poll == nil:
		p.Fault(v, "needs for: without a poll, nothing else says when the answer is given up")
	}
}

// calledBack reports a fault where a request gives an address that nothing is read from, or where the answer only
// arrives and it gives none.
func (p *parser) calledBack(v at, m mapping, product catalog.Product) {
	arrives := m.later != nil && m.later.posted != nil
	switch gives := m.request.callsBack(product); {
	case gives && !arrives:
		p.Fault(v, "uses the address for answers: describe them under later, callback")
	case arrives && !gives && m.later.poll == nil:
		p.Fault(v, "does not use the address for answers: put {retorno} in path, query, headers or form, or .retorno in body")
	}
}

// poll reads the request that fetches an answer, and when it is made.
func (p *parser) poll(v at, l *later) {
	keys := p.Known(v, "method", "path", "query", "headers", "body", "form", "every", "for")
	p.Required(v, keys, "path", "every", "for")
	sample := asked{Document: Sample(document.CPF), inputs: sampleInputs(p.declared)}
	one, other := sample, sample
	one.id, other.id = "1", "2"
	r, uses := p.reads(keys, slotID, "", [2]asked{one, other})
	l.poll = &r
	if k, ok := keys["every"]; ok {
		l.every = p.duration(k, minEvery, ports.LaterPause)
	}
	if k, ok := keys["for"]; ok {
		if l.max = p.duration(k, minEvery, maxFor); l.max < l.every && l.max > 0 {
			p.Fault(k, "is less than every")
		}
	}
	if !uses {
		p.Fault(v, "does not use the id: put {id} in path, query, headers or form, or .id in body")
	}
}

// duration reads a time within bounds; zero after a fault.
func (p *parser) duration(v at, least, most time.Duration) time.Duration {
	d, err := time.ParseDuration(p.Text(v))
	switch {
	case err != nil:
		p.Fault(v, `must be a duration like "10s" or "1500ms"`)
	case d < least || d > most:
		p.Fault(v, "must be from %s to %s", least, most)
	default:
		return d
	}
	return 0
}
