package bureau

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"fichario/adapters/jq"
	"fichario/adapters/yamlfile"
	"fichario/domain/catalog"
	"fichario/domain/document"
)

const (
	defaultTimeout = 10 * time.Second
	minTimeout     = 100 * time.Millisecond
	maxTimeout     = 120 * time.Second
	// maxURL keeps the request line and headers within the write buffer of a connection, so that no byte leaves before the
	// trace hook runs.
	maxURL = 2048
)

// Parse reads and checks a bureau file. name says where it came from (a path, or the name of a shipped file); env looks
// up environment variables, like os.LookupEnv. The error is always Problems, with every fault that was found.
func Parse(name string, src []byte, env func(string) (string, bool)) (*File, error) {
	p := &parser{env: env, file: File{
		source: name, timeout: defaultTimeout, answered: []int{http.StatusOK},
		notFound: notFound{status: []int{http.StatusNotFound}},
	}}
	if root, ok := p.Load(src, "the file must be a mapping with name, base_url and products"); ok {
		p.root(root)
	}
	if len(p.Problems) > 0 {
		return nil, p.Problems.Sorted()
	}
	return &p.file, nil
}

func (p *parser) root(n *yaml.Node) {
	top := at{Node: n, Line: n.Line}
	keys := p.Known(top, "name", "base_url", "headers", "auth", "tls", "timeout", "answer", "failed", "charged", "later", "answered",
		"not_found", "not_charged", "exhausted", "rate", "traceparent", "products")
	p.Required(top, keys, "name", "base_url", "products")
	for _, part := range []struct {
		key  string
		read func(at)
	}{
		{"name", func(v at) { p.file.name = p.Text(v) }},
		{"base_url", func(v at) { p.file.base = strings.TrimRight(p.address(v, false), "/") }},
		{"headers", func(v at) { p.file.headers = p.headers(v) }},
		{"auth", p.auth},
		{"tls", p.tls},
		{"answer", p.answer},
		{"timeout", p.timeout},
		{"failed", func(v at) { p.file.failed = p.jq(v) }},
		{"charged", func(v at) { p.file.charged = p.jq(v) }},
		{"not_found", p.notFound},
		{"answered", p.answered},
		{"not_charged", p.notCharged},
		{"exhausted", p.exhausted},
		{"later", func(v at) { p.file.later = p.later(v) }},
		{"rate", p.rate},
		{"traceparent", func(v at) { p.decide(v, &p.file.traceparent) }},
		{"products", p.products},
	} {
		if v, ok := keys[part.key]; ok {
			part.read(v)
		}
	}
}

// decide reads true or false.
func (p *parser) decide(v at, into *bool) {
	if v.Node.Decode(into) != nil {
		p.Fault(v, "must be true or false")
	}
}

// answer reads the format of answers.
func (p *parser) answer(v at) {
	format := p.Text(v)
	if p.file.xml = format == "xml"; !p.file.xml && format != "json" && format != "" {
		p.Fault(v, "must be json or xml")
	}
}

// address parses a base_url or a token_url. Its messages never quote it, because it may contain values from the
// environment.
func (p *parser) address(v at, query bool) string {
	before := len(p.Problems)
	s := p.plain(v)
	if len(p.Problems) > before {
		return ""
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https":
		p.Fault(v, "must be an address that starts with http:// or https://")
	case u.User != nil:
		p.Fault(v, "must not contain a user or password: send them in a header")
	case !query && (u.RawQuery != "" || u.ForceQuery):
		p.Fault(v, "must not contain a query: put it in the product's request")
	case u.Fragment != "" || strings.Contains(s, "#"):
		p.Fault(v, "must not contain a #")
	case len(s) > maxURL:
		p.Fault(v, "is longer than %d characters", maxURL)
	}
	return s
}

// plain reads a text that may refer to the environment, but not to the document, product or purpose.
func (p *parser) plain(v at) string {
	t := p.template(v, nil)
	if t.uses(slotDocument) || t.uses(slotProduct) || t.uses(slotPurpose) {
		p.Fault(v, "cannot use {documento} or {produto}")
	}
	return t.expand(filled{}, nil)
}

func (p *parser) timeout(v at) {
	if d := p.duration(v, minTimeout, maxTimeout); d > 0 {
		p.file.timeout = d
	}
}

func (p *parser) headers(v at) []header {
	list := p.texts(v)
	seen := map[string]bool{}
	for i, h := range list {
		where := at{Node: v.Node, Line: h.line, Path: v.Path + "." + h.name}
		list[i].name = p.HeaderName(where, h.name, seen, "Idempotency-Key", "X-Idempotency-Key")
	}
	return plainHeaders(list)
}

func (p *parser) products(v at) {
	standard := catalog.Standard()
	found := map[string]mapping{}
	var custom []mapping
	pairs := p.Pairs(v)
	if len(pairs) == 0 && v.Node.Kind == yaml.MappingNode {
		p.Fault(v, "must map at least one product")
	}
	for _, pair := range pairs {
		if !catalog.ValidID(pair.Key) {
			p.Fault(pair.At, "a product id is at most 64 lower-case letters, digits and _, beginning with a letter")
			continue
		}
		if known, ok := standard.Find(pair.Key); ok {
			found[pair.Key] = p.product(pair.At, known, true)
		} else {
			custom = append(custom, p.product(pair.At, catalog.Product{ID: pair.Key}, false))
		}
	}
	for _, s := range standard {
		if m, ok := found[s.ID]; ok {
			p.file.mappings = append(p.file.mappings, m)
		}
	}
	p.file.mappings = append(p.file.mappings, custom...)
	p.alsoFit()
}

func (p *parser) product(v at, product catalog.Product, standard bool) mapping {
	keys := p.Known(v, "name", "description", "documents", "inputs", "price", "charged", "later", "also", "request", "found",
		"fields")
	p.Required(v, keys, "price", "request", "fields")
	if !standard {
		p.Required(v, keys, "name", "documents")
	}
	m := mapping{charged: p.file.charged, later: p.file.later}
	if k, ok := keys["name"]; ok {
		product.Name = p.Text(k)
	}
	if k, ok := keys["description"]; ok {
		product.Description = p.Text(k)
	}
	if k, ok := keys["documents"]; ok {
		product.Documents = p.documents(k, product.Documents)
	}
	if k, ok := keys["inputs"]; ok {
		product.Inputs = p.inputs(k)
	}
	if k, ok := keys["price"]; ok {
		product.Price, m.amount = p.price(k)
		product.UpTo = m.amount != nil
	}
	if k, ok := keys["charged"]; ok {
		m.charged = p.jq(k)
	}
	if k, ok := keys["found"]; ok {
		m.found = p.jq(k)
	}
	if k, ok := keys["fields"]; ok {
		if standard {
			m.fields = p.standardFields(k, product)
		} else {
			m.fields, product.Fields = p.customFields(k)
		}
	}
	if k, ok := keys["request"]; ok {
		p.declared, p.special = product.Inputs, slotCallback
		m.request = p.request(k, product)
		p.declared, p.special = nil, ""
	}
	if k, ok := keys["later"]; ok {
		p.declared = product.Inputs
		m.later = p.later(k)
		p.declared = nil
	}
	p.calledBack(keys["request"], m, product)
	if k, ok := keys["also"]; ok {
		m.also = p.alsoOf(k, product.ID)
	}
	m.product = product
	return m
}

// documents reads the document types that a product takes, in the standard order. allowed are those that a product of
// the contract may have.
func (p *parser) documents(v at, allowed []document.Type) []document.Type {
	seen := map[document.Type]bool{}
	items := p.List(v)
	for _, item := range items {
		t := document.Type(p.Text(item))
		switch {
		case t == "":
		case !t.Valid():
			p.Fault(item, "is not a type of document: use cpf, cnpj, placa or email")
		case len(allowed) > 0 && !slices.Contains(allowed, t):
			p.Fault(item, "the product does not take %s", t)
		case seen[t]:
			p.Fault(item, "is repeated")
		}
		seen[t] = true
	}
	if len(items) == 0 && v.Node.Kind == yaml.SequenceNode {
		p.Fault(v, "must list at least one type of document")
	}
	var types []document.Type
	for _, t := range document.Types() {
		if seen[t] {
			types = append(types, t)
		}
	}
	return types
}

// price reads the most that a call may cost, and where a reply says what it cost, if it does.
func (p *parser) price(v at) (catalog.Money, *jq.Program) {
	if v.Node.Kind != yaml.MappingNode {
		return p.money(v), nil
	}
	keys := p.Known(v, "max", "from")
	p.Required(v, keys, "max", "from")
	var most catalog.Money
	var from *jq.Program
	if k, ok := keys["max"]; ok {
		most = p.money(k)
	}
	if k, ok := keys["from"]; ok {
		from = p.jq(k)
	}
	return most, from
}

// money parses the scalar's text, quoted or not: a float would not be exact.
func (p *parser) money(v at) catalog.Money {
	if v.Node.Kind == yaml.ScalarNode {
		if m, err := catalog.ParseMoney(v.Node.Value); err == nil {
			return m
		}
	}
	p.Fault(v, `must be reais with a point and at most four decimals, like "0.45"`)
	return 0
}

func (p *parser) standardFields(v at, product catalog.Product) []fieldMapping {
	var fields []fieldMapping
	pairs := p.Pairs(v)
	for _, pair := range pairs {
		if _, ok := product.Field(pair.Key); !ok {
			names := make([]string, len(product.Fields))
			for i, f := range product.Fields {
				names[i] = f.Name
			}
			p.Fault(pair.At, "the product %s has no such field; it has %s", product.ID, strings.Join(names, ", "))
			continue
		}
		fields = append(fields, fieldMapping{pair.Key, p.jq(pair.At)})
	}
	p.atLeastOneField(v, pairs)
	return fields
}

var (
	goodField = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,63}$`)
	// reserved are the names that every answer has beside the product's own fields.
	reserved = []string{"produto", "documento", "cache", "consultaId", "consultadoEm", "valorCobrado", "bureau", "fontes", "bruto"}
)

func (p *parser) customFields(v at) ([]fieldMapping, []catalog.Field) {
	var maps []fieldMapping
	var fields []catalog.Field
	pairs := p.Pairs(v)
	for _, pair := range pairs {
		switch {
		case !goodField.MatchString(pair.Key):
			p.Fault(pair.At, "a field name is at most 64 letters, digits and _, beginning with a letter")
		case slices.Contains(reserved, pair.Key):
			p.Fault(pair.At, "is the name of a field that every answer has: choose another name")
		}
		keys := p.Known(pair.At, "type", "value", "description")
		p.Required(pair.At, keys, "type", "value")
		f := catalog.Field{Name: pair.Key}
		if k, ok := keys["type"]; ok {
			f.Kind = catalog.Kind(p.Text(k))
			if f.Kind != "" && !f.Kind.Valid() {
				p.Fault(k, "must be string, number, boolean, date, list or object")
			}
		}
		if k, ok := keys["description"]; ok {
			f.Description = p.Text(k)
		}
		if k, ok := keys["value"]; ok {
			maps = append(maps, fieldMapping{pair.Key, p.jq(k)})
		}
		fields = append(fields, f)
	}
	p.atLeastOneField(v, pairs)
	return maps, fields
}

func (p *parser) atLeastOneField(v at, pairs []yamlfile.Pair) {
	if len(pairs) == 0 && v.Node.Kind == yaml.MappingNode {
		p.Fault(v, "must map at least one field")
	}
}
