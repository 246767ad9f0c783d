package bureau

import (
	"bytes"
	"context"
	"net/url"
	"slices"
	"strings"

	"fichario/adapters/jq"
	"fichario/domain/catalog"
	"fichario/domain/document"
)

func (p *parser) request(v at, product catalog.Product) request {
	keys := p.Known(v, "method", "path", "query", "headers", "body", "form")
	p.Required(v, keys, "path")
	var pairs [][2]asked
	for _, t := range product.Documents {
		one := asked{Document: Sample(t), inputs: sampleInputs(product.Inputs)}
		other := one
		other.Document = document.Restore(t, samples[t][1])
		pairs = append(pairs, [2]asked{one, other})
	}
	r, uses := p.reads(keys, slotDocument, product.ID, pairs...)
	if !uses && !anyUses(p.file.headers, slotDocument) && len(keys) > 0 {
		p.Fault(v, "does not use the document: put {documento} in path, query, headers or form, or .documento in body")
	}
	return r
}

// reads reads what a request consists of, and reports whether it depends on a slot: whether the bodies about two
// questions differ, where its body is a program.
func (p *parser) reads(keys map[string]at, slot, product string, pairs ...[2]asked) (r request, uses bool) {
	r.method = "GET"
	if k, ok := keys["method"]; ok {
		if r.method = p.Text(k); r.method != "GET" && r.method != "POST" && r.method != "" {
			p.Fault(k, "must be GET or POST")
		}
	}
	if k, ok := keys["path"]; ok {
		r.path, r.template = p.path(k)
	}
	if k, ok := keys["query"]; ok {
		r.query = plainHeaders(p.texts(k))
	}
	if k, ok := keys["headers"]; ok {
		r.headers = p.headers(k)
	}
	p.body(&r, keys)
	if k, ok := keys["body"]; ok && r.body != nil {
		uses = p.bodyUses(k, r, product, pairs)
	}
	return r, r.uses(slot) || uses
}

// uses reports whether a template of the request has a slot.
func (r request) uses(slot string) bool {
	return r.template.uses(slot) || anyUses(r.query, slot) || anyUses(r.headers, slot) || anyUses(r.form, slot) ||
		r.text.uses(slot)
}

// callsBack reports whether a request gives the bureau the address for its answer.
func (r request) callsBack(product catalog.Product) bool {
	if r.uses(slotCallback) || r.body == nil || len(product.Documents) == 0 {
		return r.uses(slotCallback)
	}
	with := asked{Document: Sample(product.Documents[0]), inputs: sampleInputs(product.Inputs)}
	without, _ := makeBody(context.Background(), r.body, with, product.ID)
	with.callback = "https://fichario.example/retorno"
	body, err := makeBody(context.Background(), r.body, with, product.ID)
	return err == nil && !bytes.Equal(body, without)
}

// body reads what a request carries.
func (p *parser) body(r *request, keys map[string]at) {
	typ := contentType(p.file.headers, r.headers)
	body, hasBody := keys["body"]
	form, hasForm := keys["form"]
	switch {
	case r.method == "GET" && hasBody:
		p.Fault(body, "a GET has no body: use POST, or query")
	case r.method == "GET" && hasForm:
		p.Fault(form, "a GET has no form: use POST, or query")
	case hasBody && hasForm:
		p.Fault(form, "there is a body already: keep one of the two")
	}
	if hasForm {
		if typ != "" && typ != formType {
			p.Fault(form, "is sent as a form, but a header gives another Content-Type: take that header out")
		}
		r.form = plainHeaders(p.texts(form))
	}
	switch {
	case hasBody && isXML(typ):
		if r.text = p.template(body, escapeXML); !strings.HasPrefix(strings.TrimSpace(body.Node.Value), "<") {
			p.Fault(body, "is a template of XML under this Content-Type, and must begin with <")
		}
	case hasBody:
		r.body = p.jq(body)
	}
}

// formType is the Content-Type of a form.
const formType = "application/x-www-form-urlencoded"

// isXML reports whether a Content-Type is one of XML.
func isXML(typ string) bool {
	return typ == "text/xml" || typ == "application/xml" || strings.HasSuffix(typ, "+xml")
}

// contentType is the last header of that name, without its parameters and in lower case; empty without one.
func contentType(lists ...[]header) string {
	typ := ""
	for _, list := range lists {
		for _, h := range list {
			if h.name == "Content-Type" {
				typ, _, _ = strings.Cut(h.value.expand(filled{}, nil), ";")
			}
		}
	}
	return strings.ToLower(strings.TrimSpace(typ))
}

// belies reports whether a Content-Type says that a body is no JSON: a form's, or any other for a bare text, which
// would arrive in quotes.
func belies(typ string, body []byte) bool {
	return typ == formType || strings.HasPrefix(typ, "multipart/") ||
		body[0] == '"' && typ != "" && typ != "application/json" && !strings.HasSuffix(typ, "+json")
}

func anyUses(list []header, slot string) bool {
	return slices.ContainsFunc(list, func(h header) bool { return h.value.uses(slot) })
}

func (p *parser) path(v at) (string, template) {
	before := len(p.Problems)
	s := p.Text(v)
	if s == "" {
		return "", nil
	}
	t := p.template(v, url.PathEscape)
	if len(p.Problems) > before {
		return s, t
	}
	sample := t.expand(filled{"0", "0", "0", sampleInputs(p.declared), "0", "0"}, nil)
	u, err := url.Parse(sample)
	switch {
	case !strings.HasPrefix(s, "/") || strings.HasPrefix(s, "//"):
		p.Fault(v, `must start with one "/"`)
	case strings.ContainsAny(s, "?#"):
		p.Fault(v, "must not contain ? or #: put a query under query")
	case strings.ContainsAny(sample, "{}"):
		p.Fault(v, "contains a { or } that is not part of {documento} or {produto}")
	case err != nil || strings.ContainsAny(sample, " \t\r\n"):
		p.Fault(v, "is not a valid URL path")
	case len(u.EscapedPath()) > maxURL:
		p.Fault(v, "is longer than %d characters", maxURL)
	}
	return s, t
}

// samples are two valid documents of each type that differ in every character.
var samples = map[document.Type][2]string{
	document.CPF:   {"52998224725", "11144477735"},
	document.CNPJ:  {"12ABC34501DE35", "90024420000109"},
	document.Plate: {"ABC1D23", "XYZ9876"},
	document.Email: {"ana@exemplo.com.br", "bia@correio.example"},
}

// Sample is a valid document of a type that belongs to nobody in particular, for an answer whose own is not known.
func Sample(t document.Type) document.Document { return document.Restore(t, samples[t][0]) }

// bodyUses runs the program of a body on pairs of questions, and reports whether a body differs from the other one of
// its pair. The program's text would not tell.
func (p *parser) bodyUses(v at, r request, product string, pairs [][2]asked) bool {
	uses, typ := false, contentType(p.file.headers, r.headers)
	for _, pair := range pairs {
		var bodies [2][]byte
		for i, about := range pair {
			b, err := makeBody(context.Background(), r.body, about, product)
			if err != nil {
				p.Fault(v, "makes no body for a %s", about.Type())
				return true
			}
			if bodies[i] = b; belies(typ, b) {
				// typ is not quoted: it may come from the environment.
				p.Fault(v, "is sent as JSON, but a header gives another Content-Type: take that header out; write a form as `form`")
				return true
			}
		}
		uses = uses || !bytes.Equal(bodies[0], bodies[1])
	}
	return uses
}

// makeBody runs the program of a request's body. Its error may quote the document.
func makeBody(ctx context.Context, body *jq.Program, doc asked, product string) ([]byte, error) {
	input := map[string]any{slotDocument: doc.Value(), slotProduct: product}
	if doc.purpose != "" {
		input[slotPurpose] = doc.purpose
	}
	if doc.callback != "" {
		input[slotCallback] = doc.callback
	}
	if doc.id != "" {
		input[slotID] = doc.id
	}
	v, err := body.Run(ctx, input, doc.variables(product)...)
	if err != nil {
		return nil, err
	}
	if v == nil {
		return nil, errNoBody
	}
	return jq.Encode(v)
}
