package bureau

import (
	"errors"
	"strings"

	"go.yaml.in/yaml/v4"

	"fichario/adapters/jq"
	"fichario/adapters/yamlfile"
	"fichario/domain/catalog"
)

// errNoBody says that the jq of a body produced nothing.
var errNoBody = errors.New("no body")

// parser reads a bureau file.
type parser struct {
	yamlfile.Reader
	env  func(string) (string, bool)
	file File
	// declared are the inputs of the product whose request is being read.
	declared []catalog.Input
	// special is the slot that only what is being read has: slotID in a poll, slotCallback in a product's request.
	special string
	// also are the products that others name for the same answer.
	also []also
}

// at is a value with its position in the file.
type at = yamlfile.At

// Problems are all faults of a bureau file, in the order of its lines. It is the error type of Parse.
type Problems = yamlfile.Problems

// jq compiles a program of the file; its variables let it compare an answer with the request. It is nil when it does
// not compile.
func (p *parser) jq(v at) *jq.Program {
	return p.JQ(v, slotDocument, slotProduct, slotPurpose, "entradas")
}

// entry is a key with a template.
type entry struct {
	header
	line int
}

// template compiles a text with places for values.
func (p *parser) template(v at, escape func(string) string) template {
	s := p.Text(v)
	return p.knows(v, compileTemplate(s, p.env, escape, func(message string) { p.Fault(v, "%s", message) }))
}

// texts reads a mapping of names to templates. Numbers and booleans are taken as they are written.
func (p *parser) texts(v at) []entry {
	var list []entry
	for _, pair := range p.Pairs(v) {
		switch {
		case pair.Node.Kind != yaml.ScalarNode || pair.Node.Tag == "!!null":
			p.Fault(pair.At, "must be text")
			continue
		case strings.ContainsFunc(pair.Node.Value, func(r rune) bool { return r < ' ' || r == 0x7f }):
			p.Fault(pair.At, "must not contain a line break or another control character")
			continue
		}
		t := compileTemplate(pair.Node.Value, p.env, nil, func(message string) { p.Fault(pair.At, "%s", message) })
		list = append(list, entry{header{pair.Key, p.knows(pair.At, t)}, pair.Line})
	}
	return list
}

func plainHeaders(list []entry) []header {
	headers := make([]header, len(list))
	for i, e := range list {
		headers[i] = e.header
	}
	return headers
}
