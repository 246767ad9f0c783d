package docsite

import (
	"html/template"
	"net/http"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// forBureaus begins the paths of what bureaus call, and clients never: samples would be of no use.
const forBureaus = "/api/v1/retornos/"

// operation is an operation of the contract, or an event that this service sends.
type operation struct {
	ID, Method, Path, Tag string
	Summary               string
	Description           template.HTML
	// Key says that it takes an API key, and Spends that it may be charged.
	Key, Spends bool
	Params      []param
	Bodies      []media
	Answers     []answer
	Samples     []sample
	// Variables are the environment variables of the samples.
	Variables []variable
	// TryBody is the initial body of the form for trying it.
	TryBody string
	node    *yaml.Node
}

type param struct {
	field
	In, Example string
}

// media is a body of one type.
type media struct {
	Type     string
	Shape    field
	Examples []example
}

// example is a body. Short is its beginning where it is long, and Lines how many it has as a whole.
type example struct {
	Name, Text, Short string
	Lines             int
}

// answer describes an answer, by status.
type answer struct {
	Status      string
	Description template.HTML
	Headers     []field
	Bodies      []media
}

// spending are the operations that may call the bureau.
var spending = []string{"lookupCpf", "lookupCnpj", "lookup", "lookupOpen", "createBatch", "confirmBatch", "resumeBatch"}

// methods are the HTTP methods in display order.
var methods = []string{
	http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodHead,
	http.MethodOptions,
}

// operations reads all operations, in the contract's order.
func (s *language) operations() (all []operation) {
	s.contract.each(s.contract.at(s.contract.root, "paths"), func(path string, item *yaml.Node) {
		for _, method := range methods {
			n := s.contract.at(item, strings.ToLower(method))
			if n == nil {
				continue
			}
			op := s.operation(n)
			op.Method, op.Path = method, path
			op.Params = append(s.params(item), s.params(n)...)
			op.TryBody = s.bodyOf(op, "  ")
			if !strings.HasPrefix(op.Path, forBureaus) {
				op.Samples, op.Variables = s.samples(op, "")
			}
			all = append(all, op)
		}
	})
	return all
}

// events reads the events that this service sends.
func (s *language) events() (all []operation) {
	s.contract.each(s.contract.at(s.contract.root, "x-webhooks"), func(name string, item *yaml.Node) {
		op := s.operation(s.contract.at(item, "post"))
		op.Method, op.Path = http.MethodPost, name
		op.Params = s.params(op.node)
		op.Samples = programsOf("receiver") // the same for every event
		all = append(all, op)
	})
	return all
}

func (s *language) operation(n *yaml.Node) operation {
	c := s.contract
	op := operation{
		ID: c.text(n, "operationId"), Summary: c.text(n, "summary"), Description: s.prose(c.text(n, "description")),
		Key: len(c.list(n, "security")) > 0, node: n,
		Spends: slices.Contains(spending, c.text(n, "operationId")),
		Bodies: s.medias(c.at(n, "requestBody", "content")),
	}
	if tags := c.texts(n, "tags"); len(tags) > 0 {
		op.Tag = tags[0]
	}
	c.each(c.at(n, "responses"), func(status string, response *yaml.Node) {
		a := answer{Status: status, Description: s.prose(c.text(response, "description"))}
		a.Bodies = s.medias(c.at(response, "content"))
		c.each(c.at(response, "headers"), func(name string, header *yaml.Node) {
			h := s.shape(c.at(header, "schema"), 0)
			h.Name, h.Description = name, s.prose(c.text(header, "description"))
			a.Headers = append(a.Headers, h)
		})
		op.Answers = append(op.Answers, a)
	})
	return op
}

func (s *language) params(n *yaml.Node) (all []param) {
	for _, p := range s.contract.list(n, "parameters") {
		f := s.shape(s.contract.at(p, "schema"), 0)
		f.Name, f.Description = s.contract.text(p, "name"), s.prose(s.contract.text(p, "description"))
		f.Required = s.contract.text(p, "required") == "true"
		all = append(all, param{f, s.contract.text(p, "in"), s.contract.text(p, "schema", "example")})
	}
	return all
}

func (s *language) medias(content *yaml.Node) (all []media) {
	s.contract.each(content, func(kind string, n *yaml.Node) {
		m := media{Type: kind, Shape: s.shape(s.contract.at(n, "schema"), 0)}
		s.contract.each(s.contract.at(n, "examples"), func(_ string, e *yaml.Node) {
			m.Examples = append(m.Examples, s.example(kind, s.contract.text(e, "summary"), s.contract.at(e, "value")))
		})
		if one := s.contract.at(n, "example"); one != nil {
			m.Examples = append(m.Examples, s.example(kind, "", one))
		}
		all = append(all, m)
	})
	return all
}

func (s *language) example(kind, name string, value *yaml.Node) example {
	e := example{Name: name, Text: s.exampleText(kind, value)}
	if e.Lines = strings.Count(e.Text, "\n") + 1; e.Lines > shortLines {
		e.Short = s.contract.excerpt(value)
	}
	return e
}

// exampleText is an example as sent over the wire.
func (s *language) exampleText(kind string, value *yaml.Node) string {
	if value.Kind == yaml.ScalarNode {
		return value.Value
	}
	if kind == "application/x-www-form-urlencoded" || kind == "multipart/form-data" {
		var pairs []string
		s.contract.each(value, func(key string, v *yaml.Node) { pairs = append(pairs, key+"="+v.Value) })
		return strings.Join(pairs, "&")
	}
	return s.contract.asJSON(value, "  ")
}
