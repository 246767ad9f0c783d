package destinations

import (
	"regexp"
	"slices"
	"strings"

	"fichario/adapters/jq"
	"fichario/adapters/yamlfile"
	"fichario/domain/automation"
)

// parser reads a destination file.
type parser struct {
	yamlfile.Reader
	file File
	used map[string]bool // fields, by name
	jq   []string        // the programs' texts
}

type at = yamlfile.At

var (
	goodName      = regexp.MustCompile(`^[a-z][a-z0-9-]{0,63}$`)
	goodFieldName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,31}$`)
)

// Parse reads and checks a destination. The error is always yamlfile.Problems, with every fault that was found.
func Parse(src []byte) (*File, error) {
	p := &parser{used: map[string]bool{}}
	if root, ok := p.Load(src, "the file must be a mapping with name, title, address and body"); ok {
		p.root(at{Node: root, Line: root.Line})
	}
	if len(p.Problems) > 0 {
		return nil, p.Problems.Sorted()
	}
	return &p.file, nil
}

func (p *parser) root(top at) {
	keys := p.Known(top, "name", "title", "help", "repeat", "fields", "method", "address", "query", "headers", "body",
		"done", "exists", "consent", "access")
	p.Required(top, keys, "name", "title", "repeat", "address")
	p.texts(keys, map[string]*string{
		"name": &p.file.Name, "title": &p.file.Title, "help": &p.file.Help, "repeat": &p.file.Repeat,
	})
	if v, ok := keys["name"]; ok && p.file.Name != "" && !goodName.MatchString(p.file.Name) {
		p.Fault(v, "must be at most 64 lower-case letters, digits and -, beginning with a letter")
	}
	if v, ok := keys["fields"]; ok {
		p.fields(v)
	}
	p.file.Consent = p.flag(keys, "consent")
	if v, ok := keys["access"]; ok {
		p.access(v)
	}
	p.file.main = p.request(keys, "POST")
	if v, ok := keys["done"]; ok {
		p.file.done = p.program(v)
	}
	if v, ok := keys["exists"]; ok {
		p.exists(v)
	}
	for _, f := range p.file.Fields {
		inJQ := slices.ContainsFunc(p.jq, func(src string) bool { return strings.Contains(src, "$fields."+f.Name) })
		if !p.used[f.Name] && !inJQ {
			p.Fault(keys["fields"], "%s is not used: write ${%[1]s}, or $fields.%[1]s in jq", f.Name)
		}
	}
}

// texts reads those of the keys that are present.
func (p *parser) texts(keys map[string]at, into map[string]*string) {
	for name, text := range into {
		if v, ok := keys[name]; ok {
			*text = p.Text(v)
		}
	}
}

func (p *parser) fields(v at) {
	p.file.patterns = map[string]*regexp.Regexp{}
	for _, pair := range p.Pairs(v) {
		if !goodFieldName.MatchString(pair.Key) || pair.Key == idField {
			p.Fault(pair.At, "a field is at most 32 lower-case letters, digits and _, beginning with a letter, and not id")
		}
		keys := p.Known(pair.At, "title", "help", "secret", "optional", "default", "pattern")
		p.Required(pair.At, keys, "title")
		f := automation.DestinationField{Name: pair.Key}
		pattern := ""
		p.texts(keys, map[string]*string{
			"title": &f.Title, "help": &f.Help, "default": &f.Default, "pattern": &pattern,
		})
		f.Secret, f.Optional = p.flag(keys, "secret"), p.flag(keys, "optional") || f.Default != ""
		if pattern != "" {
			re, err := regexp.Compile(`^(?:` + pattern + `)$`)
			if err != nil {
				p.Fault(keys["pattern"], "is not a regular expression: %v", err)
			}
			p.file.patterns[pair.Key] = re
		}
		p.file.Fields = append(p.file.Fields, f)
	}
}

func (p *parser) flag(keys map[string]at, name string) bool {
	v, ok := keys[name]
	if ok && v.Node.Tag != "!!bool" {
		p.Fault(v, "must be true or false")
	}
	return ok && strings.EqualFold(v.Node.Value, "true")
}

// methods are the methods allowed in a request.
var methods = []string{"GET", "POST", "PUT", "PATCH", "DELETE"}

// request reads method, address, query, headers and body.
func (p *parser) request(keys map[string]at, method string) request {
	r := request{method: method}
	if v, ok := keys["method"]; ok {
		if r.method = p.Text(v); r.method != "" && !slices.Contains(methods, r.method) {
			p.Fault(v, "must be one of %s", strings.Join(methods, ", "))
		}
	}
	if v, ok := keys["address"]; ok {
		r.address = p.uses(v, addressTemplate)
	}
	if v, ok := keys["query"]; ok {
		r.query = p.program(v)
	}
	if v, ok := keys["headers"]; ok {
		r.headers = p.headers(v)
	}
	if v, ok := keys["body"]; ok {
		if r.body = p.program(v); !takesBody(r.method) {
			p.Fault(v, "a %s cannot have a body: use query", r.method)
		}
	}
	return r
}

func takesBody(method string) bool { return method != "GET" && method != "DELETE" }

// uses compiles a template, and records its fields.
func (p *parser) uses(v at, compile func(string, func(string)) template) template {
	text := p.Text(v)
	if text == "" {
		return nil
	}
	t := compile(text, func(message string) { p.Fault(v, "%s", message) })
	for _, part := range t {
		if part.field == "" || part.field == idField || part.field == accessField && p.file.access != nil {
			continue
		}
		if _, ok := p.file.field(part.field); !ok {
			p.Fault(v, "${%s} is not one of the fields", part.field)
		}
		p.used[part.field] = true
	}
	return t
}

func (p *parser) headers(v at) []header {
	var list []header
	seen := map[string]bool{}
	for _, pair := range p.Pairs(v) {
		if strings.ContainsFunc(pair.Node.Value, isControl) {
			p.Fault(pair.At, "must not contain a line break or another control character")
			continue
		}
		list = append(list, header{name: p.HeaderName(pair.At, pair.Key, seen), value: p.uses(pair.At, headerTemplate)})
	}
	return list
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// program compiles a key's jq.
func (p *parser) program(v at) *jq.Program {
	program := p.JQ(v, variables...)
	if program != nil {
		p.jq = append(p.jq, program.Source())
	}
	return program
}

// access reads how a token is got.
func (p *parser) access(v at) {
	keys := p.Known(v, "address", "form", "token")
	p.Required(v, keys, "address", "form", "token")
	if _, taken := p.file.field(accessField); taken {
		p.Fault(v, "${access} is the token, and cannot be a field too")
	}
	a := &access{}
	if address, ok := keys["address"]; ok {
		a.address = p.uses(address, addressTemplate)
	}
	if form, ok := keys["form"]; ok {
		a.form = p.program(form)
	}
	if token, ok := keys["token"]; ok {
		a.token = p.program(token)
	}
	p.file.access = a
}

// exists reads how the other system signals that it already has the record.
func (p *parser) exists(v at) {
	keys := p.Known(v, "search", "answer")
	if answer, ok := keys["answer"]; ok {
		p.file.existed = p.program(answer)
	}
	search, ok := keys["search"]
	if !ok {
		if len(keys) == 0 {
			p.Fault(v, "needs a search, an answer, or both")
		}
		return
	}
	keys = p.Known(search, "method", "address", "query", "body", "found")
	p.Required(search, keys, "address", "found")
	r := p.request(keys, "GET")
	r.headers = p.file.main.headers
	if p.file.search = &r; keys["found"].Node != nil {
		p.file.found = p.program(keys["found"])
	}
}
