package bureau

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// notFound reads the statuses that mean "no record", or a mapping of them and further conditions.
func (p *parser) notFound(v at) {
	if v.Node.Kind != yaml.MappingNode {
		p.file.notFound.status = p.notFoundStatuses(v)
		return
	}
	keys := p.Known(v, "status", "when", "check")
	if k, ok := keys["status"]; ok {
		p.file.notFound.status = p.notFoundStatuses(k)
	}
	if k, ok := keys["when"]; ok {
		p.file.notFound.when = p.jq(k)
	}
	if k, ok := keys["check"]; ok {
		p.file.notFound.check = p.check(k)
	} else if when := p.file.notFound.when; when != nil && strings.Contains(when.Source(), inDoubt) {
		p.Fault(keys["when"], "may say doubt, which needs a check to resolve it")
	}
}

func (p *parser) notFoundStatuses(v at) []int {
	return p.statuses(v, "from 201 to 299 or from 400 to 599", func(status int) bool {
		return status > 200 && status < 300 || status >= 400
	})
}

// check reads a request that the bureau answers free of charge.
func (p *parser) check(v at) *request {
	keys := p.Known(v, "path", "query")
	p.Required(v, keys, "path")
	r := &request{method: "GET"}
	if k, ok := keys["path"]; ok {
		r.path, r.template = p.path(k)
	}
	if k, ok := keys["query"]; ok {
		r.query = plainHeaders(p.texts(k))
	}
	return r
}

// answered reads the statuses at which the body is an answer.
func (p *parser) answered(v at) {
	p.file.answered = p.statuses(v, "from 200 to 299", func(status int) bool { return status >= 200 && status < 300 })
	if v.Node.Kind == yaml.SequenceNode && len(v.Node.Content) == 0 {
		p.Fault(v, "must list at least one status")
	}
	for _, status := range p.file.answered {
		if slices.Contains(p.file.notFound.status, status) {
			p.Fault(v, "is also in not_found: a status %d is either an answer or no record", status)
		}
	}
}

// notCharged reads the statuses that the bureau does not bill, and those that it does not bill under a condition.
func (p *parser) notCharged(v at) {
	plain := map[int]bool{}
	for _, item := range p.List(v) {
		if item.Node.Kind != yaml.MappingNode {
			status := p.status(item, "from 400 to 599", func(status int) bool { return status >= 400 })
			switch {
			case status == 0:
			case plain[status]:
				p.Fault(item, "is repeated")
			case slices.Contains(p.file.notFound.status, status):
				p.Fault(v, "is also in not_found: a status %d is either a charged answer or not charged", status)
			default:
				p.file.notCharged = append(p.file.notCharged, condition{status: status})
			}
			plain[status] = true
			continue
		}
		keys := p.Known(item, "status", "when")
		p.Required(item, keys, "status", "when")
		c := p.condition(keys)
		if plain[c.status] && c.status != 0 {
			p.Fault(item, "the list has the status %d without a condition as well", c.status)
		}
		p.file.notCharged = append(p.file.notCharged, c)
	}
}

// exhausted reads how the bureau says that no credit is left.
func (p *parser) exhausted(v at) {
	keys := p.Known(v, "status", "when", "until")
	p.Required(v, keys, "status", "until")
	c := p.condition(keys)
	if _, ok := keys["when"]; !ok &&
		(slices.Contains(p.file.answered, c.status) || slices.Contains(p.file.notFound.status, c.status)) {
		p.Fault(v, "needs a when: a status %d is an answer too", c.status)
	}
	if k, ok := keys["until"]; ok {
		switch until := p.Text(k); until {
		case "month", "manual", "":
			p.file.renews = until == "month"
		default:
			p.Fault(k, "must be month (the credit is renewed when the month ends) or manual")
		}
	}
	p.file.exhausted = []condition{c}
}

// condition reads the status and the jq of a mapping.
func (p *parser) condition(keys map[string]at) (c condition) {
	if k, ok := keys["status"]; ok {
		c.status = p.status(k, "from 200 to 599", func(status int) bool { return status >= 200 })
	}
	if k, ok := keys["when"]; ok {
		c.when = p.jq(k)
	}
	return c
}

// statuses parses a list of HTTP statuses.
func (p *parser) statuses(v at, which string, good func(int) bool) []int {
	var list []int
	for _, item := range p.List(v) {
		status := p.status(item, which, good)
		switch {
		case status == 0:
		case slices.Contains(list, status):
			p.Fault(item, "is repeated")
		default:
			list = append(list, status)
		}
	}
	return list
}

// status parses an HTTP status; zero after a fault.
func (p *parser) status(v at, which string, good func(int) bool) int {
	status, err := strconv.Atoi(v.Node.Value)
	if err != nil || v.Node.Kind != yaml.ScalarNode || status > 599 || !good(status) {
		p.Fault(v, "must be a status %s", which)
		return 0
	}
	return status
}
