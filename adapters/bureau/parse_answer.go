package bureau

import (
	"slices"
	"strconv"

	"go.yaml.in/yaml/v4"
)

func (p *parser) notFound(v at) {
	p.file.notFound = p.statuses(v, "from 201 to 299 or from 400 to 599", func(status int) bool {
		return status > 200 && status < 300 || status >= 400
	})
}

// notCharged reads the statuses at which the bureau does not bill.
func (p *parser) notCharged(v at) {
	p.file.notCharged = p.statuses(v, "from 400 to 599", func(status int) bool { return status >= 400 })
	for _, status := range p.file.notCharged {
		if slices.Contains(p.file.notFound, status) {
			p.fault(v, "not_found has it: a status %d is an answer and charged, or it is neither", status)
		}
	}
}

// statuses reads a list of HTTP statuses.
func (p *parser) statuses(v at, which string, good func(int) bool) []int {
	var list []int
	for _, item := range p.list(v) {
		status, err := strconv.Atoi(item.n.Value)
		switch {
		case err != nil || item.n.Kind != yaml.ScalarNode || status > 599 || !good(status):
			p.fault(item, "must be a status %s", which)
		case slices.Contains(list, status):
			p.fault(item, "is here twice")
		default:
			list = append(list, status)
		}
	}
	return list
}
