package bureau

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"fichario/domain/catalog"
	"fichario/domain/document"
)

const (
	defaultTimeout = 10 * time.Second
	minTimeout     = 100 * time.Millisecond
	maxTimeout     = 120 * time.Second
	// maxFile is far beyond any real file, and keeps a wrong one out of memory.
	maxFile = 1 << 20
	// maxURL keeps the request line and headers within the write buffer of a
	// connection, so that nothing leaves before the trace tells of it.
	maxURL = 2048
)

// Parse reads a bureau file and checks all of it. name says where it came from
// (a path, or the name of a shipped file); env looks up environment variables, as
// os.LookupEnv does. The error is always Problems, with every fault that was found.
func Parse(name string, src []byte, env func(string) (string, bool)) (*File, error) {
	p := &parser{env: env, file: File{source: name, timeout: defaultTimeout, notFound: notFound{status: []int{404}}}}
	if root, ok := p.load(src); ok {
		p.root(root)
	}
	if len(p.problems) > 0 {
		return nil, p.problems.sorted()
	}
	return &p.file, nil
}

// load reads the YAML, without giving it a meaning.
func (p *parser) load(src []byte) (*yaml.Node, bool) {
	var doc yaml.Node
	switch {
	case len(src) > maxFile:
		p.add(1, "", "the file is larger than 1 MiB")
		return nil, false
	case !utf8.Valid(src):
		p.add(1+strings.Count(string(src[:invalidAt(src)]), "\n"), "", "the file is not UTF-8 text")
		return nil, false
	}
	if err := yaml.Load(src, &doc); err != nil {
		line, message := yamlFault(err)
		p.add(line, "", "%s", message)
		return nil, false
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		p.add(1, "", "the file must be a mapping with name, base_url and products")
		return nil, false
	}
	return doc.Content[0], true
}

func (p *parser) root(n *yaml.Node) {
	top := at{n: n, line: n.Line}
	keys := p.known(top, "name", "base_url", "headers", "auth", "timeout", "failed", "not_found", "not_charged", "rate",
		"products")
	p.required(top, keys, "name", "base_url", "products")
	if v, ok := keys["name"]; ok {
		p.file.name = p.text(v)
	}
	if v, ok := keys["base_url"]; ok {
		p.file.base = strings.TrimRight(p.address(v, false), "/")
	}
	if v, ok := keys["headers"]; ok {
		p.file.headers = p.headers(v)
	}
	if v, ok := keys["auth"]; ok {
		p.auth(v)
	}
	if v, ok := keys["timeout"]; ok {
		p.timeout(v)
	}
	if v, ok := keys["failed"]; ok {
		p.file.failed = p.jq(v)
	}
	if v, ok := keys["not_found"]; ok {
		p.notFound(v)
	}
	if v, ok := keys["not_charged"]; ok {
		p.notCharged(v)
	}
	if v, ok := keys["rate"]; ok {
		p.rate(v)
	}
	if v, ok := keys["products"]; ok {
		p.products(v)
	}
}

// address reads a base_url or a token_url. Its messages never quote it, because
// the environment may be in it.
func (p *parser) address(v at, query bool) string {
	before := len(p.problems)
	s := p.plain(v)
	if len(p.problems) > before {
		return ""
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https":
		p.fault(v, "must be an address that starts with http:// or https://")
	case u.User != nil:
		p.fault(v, "must not hold a user or a password: send them in a header")
	case !query && (u.RawQuery != "" || u.ForceQuery):
		p.fault(v, "must not hold a query: put it in the product's request")
	case u.Fragment != "" || strings.Contains(s, "#"):
		p.fault(v, "must not hold a #")
	case len(s) > maxURL:
		p.fault(v, "is longer than %d characters", maxURL)
	}
	return s
}

// plain reads a text that may refer to the environment, but not to the document.
func (p *parser) plain(v at) string {
	t := p.template(v, nil)
	if t.uses(slotDocument) || t.uses(slotProduct) {
		p.fault(v, "takes no {documento} or {produto}")
	}
	return t.expand("", "", nil)
}

func (p *parser) auth(v at) {
	keys := p.known(v, "oauth2")
	p.required(v, keys, "oauth2")
	o, ok := keys["oauth2"]
	if !ok {
		return
	}
	keys = p.known(o, "token_url", "client_id", "client_secret", "scopes")
	p.required(o, keys, "token_url", "client_id", "client_secret")
	p.file.oauth = &oauth{}
	if v, ok := keys["token_url"]; ok {
		p.file.oauth.tokenURL = p.address(v, true)
	}
	if v, ok := keys["client_id"]; ok {
		p.file.oauth.id = p.plain(v)
	}
	if v, ok := keys["client_secret"]; ok {
		p.file.oauth.secret = p.plain(v)
	}
	if v, ok := keys["scopes"]; ok {
		for _, item := range p.list(v) {
			p.file.oauth.scopes = append(p.file.oauth.scopes, p.text(item))
		}
	}
	for _, h := range p.file.headers {
		if h.name == "Authorization" {
			p.fault(v, "the headers send an Authorization already: keep one of the two")
		}
	}
}

func (p *parser) timeout(v at) {
	d, err := time.ParseDuration(p.text(v))
	switch {
	case err != nil:
		p.fault(v, `must be a duration like "10s" or "1500ms"`)
	case d < minTimeout || d > maxTimeout:
		p.fault(v, "must be from %s to 2m0s", minTimeout)
	default:
		p.file.timeout = d
	}
}

func (p *parser) headers(v at) []header {
	list := p.texts(v, nil)
	seen := map[string]bool{}
	for i, h := range list {
		where := at{n: v.n, line: h.line, path: v.path + "." + h.name}
		name := canonical(h.name)
		switch {
		case name == "":
			p.fault(where, "is not a name of a header")
		case seen[name]:
			p.fault(where, "is here twice")
		case slices.Contains(ownHeaders, name):
			p.fault(where, "cannot be set: the client needs it")
		}
		seen[name] = true
		list[i].name = name
	}
	return plainHeaders(list)
}

// ownHeaders frame the message, or would make the HTTP library repeat a call.
var ownHeaders = []string{
	"Accept-Encoding", "Connection", "Content-Length", "Expect", "Host", "Idempotency-Key", "Keep-Alive", "Proxy-Authorization",
	"Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "X-Idempotency-Key",
}

func (p *parser) products(v at) {
	standard := catalog.Standard()
	found := map[string]mapping{}
	var custom []mapping
	pairs := p.pairs(v)
	if len(pairs) == 0 && v.n.Kind == yaml.MappingNode {
		p.fault(v, "must map at least one product")
	}
	for _, pair := range pairs {
		if !catalog.ValidID(pair.key) {
			p.fault(pair.at, "a product id is lower-case letters, digits and _, at most 64, a letter first")
			continue
		}
		if known, ok := standard.Find(pair.key); ok {
			found[pair.key] = p.product(pair.at, known, true)
		} else {
			custom = append(custom, p.product(pair.at, catalog.Product{ID: pair.key}, false))
		}
	}
	for _, s := range standard {
		if m, ok := found[s.ID]; ok {
			p.file.mappings = append(p.file.mappings, m)
		}
	}
	p.file.mappings = append(p.file.mappings, custom...)
}

func (p *parser) product(v at, product catalog.Product, standard bool) mapping {
	keys := p.known(v, "name", "description", "documents", "price", "request", "found", "fields")
	p.required(v, keys, "price", "request", "fields")
	if !standard {
		p.required(v, keys, "name", "documents")
	}
	m := mapping{}
	if k, ok := keys["name"]; ok {
		product.Name = p.text(k)
	}
	if k, ok := keys["description"]; ok {
		product.Description = p.text(k)
	}
	if k, ok := keys["documents"]; ok {
		product.Documents = p.documents(k, product.Documents)
	}
	if k, ok := keys["price"]; ok {
		product.Price = p.price(k)
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
		m.request = p.request(k, product)
	}
	m.product = product
	return m
}

// documents reads the types that a product takes, in the standard order. allowed
// are those that a product of the contract may have.
func (p *parser) documents(v at, allowed []document.Type) []document.Type {
	seen := map[document.Type]bool{}
	items := p.list(v)
	for _, item := range items {
		t := document.Type(p.text(item))
		switch {
		case t == "":
		case !t.Valid():
			p.fault(item, "is not a type of document: use cpf, cnpj, placa or email")
		case len(allowed) > 0 && !slices.Contains(allowed, t):
			p.fault(item, "the product does not take %s", t)
		case seen[t]:
			p.fault(item, "is here twice")
		}
		seen[t] = true
	}
	if len(items) == 0 && v.n.Kind == yaml.SequenceNode {
		p.fault(v, "must hold at least one type of document")
	}
	var types []document.Type
	for _, t := range document.Types() {
		if seen[t] {
			types = append(types, t)
		}
	}
	return types
}

// price reads the text of the scalar, quoted or not: a float would not be exact.
func (p *parser) price(v at) catalog.Money {
	if v.n.Kind == yaml.ScalarNode {
		if m, err := catalog.ParseMoney(v.n.Value); err == nil {
			return m
		}
	}
	p.fault(v, `must be reais with a point and at most four decimals, like "0.45"`)
	return 0
}

func (p *parser) standardFields(v at, product catalog.Product) []fieldMapping {
	var fields []fieldMapping
	pairs := p.pairs(v)
	for _, pair := range pairs {
		if _, ok := product.Field(pair.key); !ok {
			names := make([]string, len(product.Fields))
			for i, f := range product.Fields {
				names[i] = f.Name
			}
			p.fault(pair.at, "the product %s has no such field; it has %s", product.ID, strings.Join(names, ", "))
			continue
		}
		fields = append(fields, fieldMapping{pair.key, p.jq(pair.at)})
	}
	p.atLeastOneField(v, pairs)
	return fields
}

var (
	goodField = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,63}$`)
	// reserved are the names that every answer has beside the product's own.
	reserved = []string{"produto", "documento", "cache", "consultaId", "consultadoEm", "valorCobrado", "bruto"}
)

func (p *parser) customFields(v at) ([]fieldMapping, []catalog.Field) {
	var maps []fieldMapping
	var fields []catalog.Field
	pairs := p.pairs(v)
	for _, pair := range pairs {
		switch {
		case !goodField.MatchString(pair.key):
			p.fault(pair.at, "a field name is letters, digits and _, at most 64, a letter first")
		case slices.Contains(reserved, pair.key):
			p.fault(pair.at, "is the name of a field that every answer has: choose another")
		}
		keys := p.known(pair.at, "type", "value", "description")
		p.required(pair.at, keys, "type", "value")
		f := catalog.Field{Name: pair.key}
		if k, ok := keys["type"]; ok {
			f.Kind = catalog.Kind(p.text(k))
			if f.Kind != "" && !f.Kind.Valid() {
				p.fault(k, "must be string, number, boolean, date, list or object")
			}
		}
		if k, ok := keys["description"]; ok {
			f.Description = p.text(k)
		}
		if k, ok := keys["value"]; ok {
			maps = append(maps, fieldMapping{pair.key, p.jq(k)})
		}
		fields = append(fields, f)
	}
	p.atLeastOneField(v, pairs)
	return maps, fields
}

func (p *parser) atLeastOneField(v at, pairs []pair) {
	if len(pairs) == 0 && v.n.Kind == yaml.MappingNode {
		p.fault(v, "must map at least one field")
	}
}
