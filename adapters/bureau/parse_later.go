package bureau

import (
	"slices"
	"time"
)

const (
	// minEvery is how often an answer that comes later is fetched at most: instances look for those that are due once a
	// second.
	minEvery = time.Second
	maxEvery = time.Hour
	// maxFor is less than the day for which a job is tried again, so that an automation's lookup ends before.
	maxFor = 12 * time.Hour
)

// later reads how a bureau answers later.
func (p *parser) later(v at) *later {
	keys := p.Known(v, "status", "id", "poll", "ready", "result")
	p.Required(v, keys, "status", "id", "poll", "ready")
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
	if k, ok := keys["poll"]; ok {
		p.polling = true
		p.poll(k, l)
		p.polling = false
	}
	return l
}

// poll reads the request that fetches an answer, and when it is made.
func (p *parser) poll(v at, l *later) {
	keys := p.Known(v, "method", "path", "query", "headers", "every", "for")
	p.Required(v, keys, "path", "every", "for")
	l.poll.method = "GET"
	if k, ok := keys["method"]; ok {
		if l.poll.method = p.Text(k); l.poll.method != "GET" && l.poll.method != "POST" {
			p.Fault(k, "must be GET or POST")
		}
	}
	if k, ok := keys["path"]; ok {
		l.poll.path, l.poll.template = p.path(k)
	}
	if k, ok := keys["query"]; ok {
		l.poll.query = plainHeaders(p.texts(k))
	}
	if k, ok := keys["headers"]; ok {
		l.poll.headers = p.headers(k)
	}
	if k, ok := keys["every"]; ok {
		l.every = p.duration(k, minEvery, maxEvery)
	}
	if k, ok := keys["for"]; ok {
		if l.max = p.duration(k, minEvery, maxFor); l.max < l.every && l.max > 0 {
			p.Fault(k, "is less than every")
		}
	}
	if !l.poll.template.uses(slotID) && !anyUses(l.poll.query, slotID) && !anyUses(l.poll.headers, slotID) {
		p.Fault(v, "does not use the id: put {id} in path, query or headers")
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
