package bureau_test

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"fichario/adapters/bureau"
	"fichario/domain/document"
)

// good is a valid file; each test breaks a line of it.
const good = `name: agencia
base_url: https://api.agencia.example/v1
headers:
  Authorization: "Bearer ${TOKEN}"
timeout: 2s
failed: .erro
not_found: [404]
products:
  cpf:
    price: "0.45"
    request:
      method: GET
      path: "/pessoas/{documento}"
    found: .encontrado
    fields:
      nome: .nome
  renda:
    name: Renda
    documents: [cpf]
    price: 2.075
    request:
      method: POST
      path: /renda
      body: '{doc: .documento}'
    fields:
      valor:
        type: number
        value: .valor
`

func env(name string) (string, bool) {
	v, ok := map[string]string{
		"TOKEN": "segredo{documento}${X}", "EMPTY": "", "BREAK": "a\nb", "HOST": "api.agencia.example",
	}[name]
	return v, ok
}

func TestParseGood(t *testing.T) {
	t.Parallel()
	f, err := bureau.Parse("agencia.yaml", []byte(good), env)
	if err != nil {
		t.Fatal(err)
	}
	c := f.Catalog()
	if f.Name() != "agencia" || f.Source() != "agencia.yaml" || f.Timeout() != 2*time.Second || len(c) != 2 ||
		c[0].ID != "cpf" || c[1].Price != 20750 {
		t.Errorf("got %s %s %v", f.Name(), f.Timeout(), c)
	}
	if c[0].Name != "Cadastro de pessoa" || len(c[0].Fields) != 8 {
		t.Errorf("the standard product is not complete: %+v", c[0])
	}
	c[0].Documents[0] = "x"
	if f.Catalog()[0].Documents[0] != document.CPF {
		t.Error("the catalogue is shared")
	}
	f, err = bureau.Parse("", []byte(`{name: a, base_url: "http://${HOST}:8080", products: {
  z_1: &p {name: Z, description: D, documents: [email, cpf], price: "0",
    request: {path: "/{documento}"}, fields: {a: {type: list, value: .}}},
  score: {documents: [cnpj], name: Outro, price: 1, request: {path: "/{documento}"}, fields: {score: .}},
  a_2: *p}}`), env)
	if err != nil {
		t.Fatal(err)
	}
	c = f.Catalog()
	if f.Timeout() != 10*time.Second || len(c) != 3 || c[0].ID != "score" || c[1].ID != "z_1" || c[2].ID != "a_2" {
		t.Errorf("got %v", c)
	}
	if c[0].Name != "Outro" || len(c[0].Documents) != 1 || c[1].Documents[0] != document.CPF || c[1].Description != "D" {
		t.Errorf("got %+v", c)
	}
}

func TestParseFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		old, new string // "" appends
		line     int
		path     string
		message  string
	}{
		{"name: agencia", "", 2, "name", "is missing"},
		{"name: agencia", "name:", 1, "name", "is empty"},
		{"name: agencia", "name: 7", 1, "name", "put it in quotes"},
		{"name: agencia", "name: [a]", 1, "name", "must be text"},
		{"", "mais: 1\n", 29, "mais", "unknown key; allowed here: name, base_url"},
		{"", "name: outra\n", 29, "name", "duplicate key (first on line 1)"},
		{"base_url: https://api.agencia.example/v1", "", 1, "base_url", "is missing"},
		{"https://api.agencia.example/v1", "ftp://x", 2, "base_url", "http:// or https://"},
		{"https://api.agencia.example/v1", "api.example/v1", 2, "base_url", "http:// or https://"},
		{"https://api.agencia.example/v1", "https://:80", 2, "base_url", "http:// or https://"},
		{"https://api.agencia.example/v1", "https://x/?a=1", 2, "base_url", "query"},
		{"https://api.agencia.example/v1", "https://u:p@x", 2, "base_url", "user"},
		{"https://api.agencia.example/v1", `"https://x/#a"`, 2, "base_url", "#"},
		{"https://api.agencia.example/v1", `"https://x/{documento}"`, 2, "base_url", "cannot use {documento}"},
		{"https://api.agencia.example/v1", "https://${NADA}/", 2, "base_url", "variable NADA is not set"},
		{"https://api.agencia.example/v1", "https://x/" + strings.Repeat("a", 3000), 2, "base_url", "longer"},
		{"${TOKEN}", "${NADA}", 4, "headers.Authorization", "the environment variable NADA is not set or is empty"},
		{"${TOKEN}", "${EMPTY}", 4, "headers.Authorization", "EMPTY is not set or is empty"},
		{"${TOKEN}", "${BREAK}", 4, "headers.Authorization", "BREAK contains a line break"},
		{"${TOKEN}", "${A-B}", 4, "headers.Authorization", "name of an environment variable"},
		{"${TOKEN}", "${TOKEN", 4, "headers.Authorization", "name of an environment variable"},
		{"${TOKEN}", "{cpf}", 4, "headers.Authorization", "{cpf} is not known"},
		{"${TOKEN}", `a\nb`, 4, "headers.Authorization", "line break"},
		{"  Authorization:", "  Host:", 4, "headers.Host", "cannot be set"},
		{"  Authorization:", "  transfer-encoding:", 4, "headers.transfer-encoding", "cannot be set"},
		{"  Authorization:", "  idempotency-key:", 4, "headers.idempotency-key", "cannot be set"},
		{"  Authorization:", "  X Y:", 4, "headers.X Y", "not a header name"},
		{"timeout: 2s", "authorization: x\n", 5, "authorization", "unknown key"},
		{"timeout: 2s", "  authorization: x", 5, "headers.authorization", "is repeated"},
		{"headers:\n  Authorization: \"Bearer ${TOKEN}\"", "headers: x", 3, "headers", "must be a mapping"},
		{"timeout: 2s", "traceparent: ja", 5, "traceparent", "true or false"},
		{"timeout: 2s", "rate: 20", 5, "rate", "in quotes"},
		{"timeout: 2s", "rate: 20/d", 5, "rate", "like \"20/s\""},
		{"timeout: 2s", "rate: 0/s", 5, "rate", "at least one"},
		{"timeout: 2s", "timeout: 2", 5, "timeout", "in quotes"},
		{"timeout: 2s", "timeout: dois", 5, "timeout", "a duration like"},
		{"timeout: 2s", "timeout: 99ms", 5, "timeout", "from 100ms to 2m0s"},
		{"timeout: 2s", "timeout: 121s", 5, "timeout", "from 100ms to 2m0s"},
		{"timeout: 2s", "auth: {oauth2: {token_url: 'https://x/t', client_id: a, client_secret: b}}", 5, "auth",
			"keep one of the two"},
		{"timeout: 2s", "auth: {basic: {}}", 5, "auth.basic", "unknown key"},
		{"timeout: 2s", "auth: {oauth2: {token_url: 'x', client_id: a}}", 5, "auth.oauth2.client_secret", "is missing"},
		{"timeout: 2s", "auth: {oauth2: {token_url: 'x', client_id: a}}", 5, "auth.oauth2.token_url", "http://"},
		{"timeout: 2s", "auth: {oauth2: {token_url: 'https://x', client_id: '${NADA}', client_secret: b}}", 5,
			"auth.oauth2.client_id", "NADA"},
		{"timeout: 2s", "auth: {oauth2: {token_url: 'https://x', client_id: a, client_secret: b, scopes: x}}", 5,
			"auth.oauth2.scopes", "must be a list"},
		{"failed: .erro", "failed: .erro |", 6, "failed", "the jq does not compile"},
		{"failed: .erro", "failed: nada", 6, "failed", "function not defined: nada/0"},
		{"failed: .erro", "failed: input", 6, "failed", "does not compile"},
		{"failed: .erro", "failed: true", 6, "failed", "in quotes"},
		{"failed: .erro", "failed: |\n  .a |\n  ) .b", 8, "failed", "does not compile"},
		{"[404]", "404", 7, "not_found", "must be a list"},
		{"[404]", "[404, x]", 7, "not_found[1]", "status from"},
		{"[404]", "[200]", 7, "not_found[0]", "status from"},
		{"[404]", "\n  - 404\n  - 302", 9, "not_found[1]", "status from"},
		{"timeout: 2s", "auth: {}", 5, "auth", "oauth2, login or query"},
		{"timeout: 2s", "auth: {query: {k: '{documento}'}}", 5, "auth.query.k", "cannot use {documento}"},
		{"timeout: 2s", "auth: {query: {k: '${NADA}'}}", 5, "auth.query.k", "NADA is not set"},
		{"timeout: 2s", "auth: {login: {url: 'https://x'}}", 5, "auth.login.body", "is missing"},
		{"timeout: 2s", "auth: {login: {url: 'https://x', body: {}}}", 5, "auth.login.token", "is missing"},
		{"timeout: 2s", "auth: {login: {body: {}, token: .t}}", 5, "auth.login.url", "is missing"},
		{"timeout: 2s", "auth: {login: {url: x, body: {}, token: .t}}", 5, "auth.login.url", "http://"},
		{"timeout: 2s", "auth: {login: {url: 'https://x', body: {a: '${NADA}'}, token: .t}}", 5, "auth.login.body.a", "NADA"},
		{"timeout: 2s", "auth: {login: {url: 'https://x', body: {a: [b]}, token: .t}}", 5, "auth.login.body.a", "must be text"},
		{"timeout: 2s", "auth: {login: {url: 'https://x', body: {}, token: '.t['}}", 5, "auth.login.token", "does not compile"},
		{"timeout: 2s", "auth: {login: {url: 'https://x', body: {}, token: .t, expires: 60}}", 5, "auth.login.expires", "in quotes"},
		{"timeout: 2s", "auth: {login: {url: 'https://x', body: {}, token: .t}, oauth2: {}}", 5, "auth.login", "keep one of the two"},
		{"timeout: 2s", "auth: {login: {url: 'https://x', body: {}, token: .t}}", 5, "auth", "already send an Authorization"},
		{"timeout: 2s", "tls: {}", 5, "tls", "must have cert and key, or ca"},
		{"timeout: 2s", "tls: {cert: nada.pem}", 5, "tls.key", "is missing"},
		{"timeout: 2s", "tls: {cert: nada.pem, key: nada.pem}", 5, "tls.cert", "cannot be read"},
		{"timeout: 2s", "tls: {cert: parse_test.go, key: parse_test.go}", 5, "tls.cert", "in PEM"},
		{"timeout: 2s", "tls: {ca: parse_test.go}", 5, "tls.ca", "no certificate in PEM"},
		{"timeout: 2s", "tls: {ca: '${NADA}'}", 5, "tls.ca", "NADA"},
		{"timeout: 2s", "tls: {ca: /}", 5, "tls.ca", "cannot be read"},
		{"base_url: https://api.agencia.example/v1", "base_url: http://x\ntls: {ca: nada.pem}", 3, "tls", "https://"},
		{"timeout: 2s", "answer: html", 5, "answer", "json or xml"},
		{"method: GET", "form: {d: '{documento}'}", 12, "products.cpf.request.form", "a GET has no form"},
		{"method: GET", "method: POST\n      form: {d: '{cpf}'}", 13, "products.cpf.request.form.d", "{cpf} is not known"},
		{"'{doc: .documento}'", "'{doc: .documento}'\n      form: {d: '{documento}'}", 25, "products.renda.request.form",
			"keep one of the two"},
		{"body: '{doc: .documento}'", "form: {d: '1'}", 21, "products.renda.request", "does not use the document"},
		{"body: '{doc: .documento}'", "form: {d: '{documento}'}\n      headers: {Content-Type: text/xml}", 24,
			"products.renda.request.form", "another Content-Type"},
		{"'{doc: .documento}'", "'<a>{documento}'\n      headers: {Content-Type: text/plain}", 24,
			"products.renda.request.body", "does not compile"},
		{"'{doc: .documento}'", "'<a>1</a>'\n      headers: {Content-Type: text/xml}", 21, "products.renda.request",
			"does not use the document"},
		{"found: .encontrado", "inputs: [a]", 14, "products.cpf.inputs", "must be a mapping"},
		{"found: .encontrado", "inputs: {a-b: {type: text}}", 14, "products.cpf.inputs.a-b", "an input's name is"},
		{"found: .encontrado", "inputs: {documento: {type: text}}", 14, "products.cpf.inputs.documento", "choose another name"},
		{"found: .encontrado", "inputs: {a: {}}", 14, "products.cpf.inputs.a.type", "is missing"},
		{"found: .encontrado", "inputs: {a: {type: list}}", 14, "products.cpf.inputs.a.type", "text, date, number or state"},
		{"found: .encontrado", "inputs: {a: {type: text, required: ja}}", 14, "products.cpf.inputs.a.required", "true or false"},
		{"found: .encontrado", "inputs: {a: {type: text, tipo: x}}", 14, "products.cpf.inputs.a.tipo", "unknown key"},
		{"found: .encontrado", "inputs: {a: {type: text}, b: {type: text}, c: {type: text}, d: {type: text}, e: {type: text}, " +
			"f: {type: text}, g: {type: text}, h: {type: text}, i: {type: text}}", 14, "products.cpf.inputs", "at most 8"},
		{"/pessoas/{documento}", "/{documento}/{entradas.a}", 13, "products.cpf.request.path", "{entradas.a} is no input"},
		{"method: GET", "query: {a: '{entradas.a}'}", 12, "products.cpf.request.query.a", "declare it under the product's inputs"},
		{"method: GET", "query: {a: '{entradas.}'}", 12, "products.cpf.request.query.a", "is not known"},
		{"Bearer ${TOKEN}", "{entradas.a}", 4, "headers.Authorization", "is no input"},
		{"timeout: 2s", "not_charged: 429", 5, "not_charged", "must be a list"},
		{"timeout: 2s", "not_charged: [399]", 5, "not_charged[0]", "from 400 to 599"},
		{"timeout: 2s", "not_charged: [429, 429]", 5, "not_charged[1]", "is repeated"},
		{"timeout: 2s", "not_charged: [404]", 5, "not_charged", "is also in not_found"},
		{"timeout: 2s", "not_charged: [{status: 402}]", 5, "not_charged[0].when", "is missing"},
		{"timeout: 2s", "not_charged: [{when: .a}]", 5, "not_charged[0].status", "is missing"},
		{"timeout: 2s", "not_charged: [{status: 199, when: .a}]", 5, "not_charged[0].status", "from 200 to 599"},
		{"timeout: 2s", "not_charged: [{status: 402, when: '.a['}]", 5, "not_charged[0].when", "does not compile"},
		{"timeout: 2s", "not_charged: [402, {status: 402, when: .a}]", 5, "not_charged[1]", "without a condition"},
		{"timeout: 2s", "exhausted: [402]", 5, "exhausted", "must be a mapping"},
		{"timeout: 2s", "exhausted: {until: month}", 5, "exhausted.status", "is missing"},
		{"timeout: 2s", "exhausted: {status: 402}", 5, "exhausted.until", "is missing"},
		{"timeout: 2s", "exhausted: {status: 402, until: week}", 5, "exhausted.until", "must be month"},
		{"timeout: 2s", "exhausted: {status: 200, until: month}", 5, "exhausted", "needs a when"},
		{"timeout: 2s", "exhausted: {status: 404, until: month}", 5, "exhausted", "needs a when"},
		{"  cpf:\n", "  CPF:\n", 9, "products.CPF", "a product id is"},
		{"  cpf:\n", "  1cpf:\n", 9, "products.1cpf", "a product id is"},
		{"  renda:\n", "  cpf:\n", 17, "products.cpf", "duplicate key (first on line 9)"},
		{"    price: \"0.45\"\n", "", 9, "products.cpf.price", "is missing"},
		{`"0.45"`, "0,45", 10, "products.cpf.price", "at most four decimals"},
		{`"0.45"`, "0.00001", 10, "products.cpf.price", "at most four decimals"},
		{`"0.45"`, "-1", 10, "products.cpf.price", "at most four decimals"},
		{`"0.45"`, "1e3", 10, "products.cpf.price", "at most four decimals"},
		{`"0.45"`, "[1]", 10, "products.cpf.price", "at most four decimals"},
		{`"0.45"`, "", 10, "products.cpf.price", "at most four decimals"},
		{`"0.45"`, "{max: 0.45}", 10, "products.cpf.price.from", "is missing"},
		{`"0.45"`, "{from: .body.price}", 10, "products.cpf.price.max", "is missing"},
		{`"0.45"`, "{max: 1e3, from: .a}", 10, "products.cpf.price.max", "at most four decimals"},
		{`"0.45"`, "{max: 1, from: '.a['}", 10, "products.cpf.price.from", "does not compile"},
		{`"0.45"`, "{max: 1, from: .a, min: 0}", 10, "products.cpf.price.min", "unknown key"},
		{"found: .encontrado", "charged: .a[", 14, "products.cpf.charged", "does not compile"},
		{"failed: .erro", "charged: true", 6, "charged", "in quotes"},
		{"method: GET", "method: PUT", 12, "products.cpf.request.method", "GET or POST"},
		{"method: GET", "method: get", 12, "products.cpf.request.method", "GET or POST"},
		{"method: GET", "body: '{documento}'", 12, "products.cpf.request.body", "a GET has no body"},
		{"method: GET", "corpo: x", 12, "products.cpf.request.corpo", "unknown key"},
		{"method: GET", "headers: {Connection: close}", 12, "products.cpf.request.headers.Connection", "cannot be set"},
		{"method: GET", "query: {a: [1]}", 12, "products.cpf.request.query.a", "must be text"},
		{"method: GET", "query: {a: '{nome}'}", 12, "products.cpf.request.query.a", "{nome} is not known"},
		{"      path: \"/pessoas/{documento}\"\n", "", 11, "products.cpf.request.path", "is missing"},
		{"/pessoas/{documento}", "pessoas/{documento}", 13, "products.cpf.request.path", `start with one "/"`},
		{"/pessoas/{documento}", "//x/{documento}", 13, "products.cpf.request.path", `start with one "/"`},
		{"/pessoas/{documento}", "/p?d={documento}", 13, "products.cpf.request.path", "put a query under query"},
		{"/pessoas/{documento}", "/p#{documento}", 13, "products.cpf.request.path", "put a query under query"},
		{"/pessoas/{documento}", "/p/{cpf}", 13, "products.cpf.request.path", "{cpf} is not known"},
		{"/pessoas/{documento}", "/p/{ documento }", 13, "products.cpf.request.path", "{ or }"},
		{"/pessoas/{documento}", "/p/%zz/{documento}", 13, "products.cpf.request.path", "not a valid URL path"},
		{"/pessoas/{documento}", "/p /{documento}", 13, "products.cpf.request.path", "not a valid URL path"},
		{"/pessoas/{documento}", "/${NADA}/{documento}", 13, "products.cpf.request.path", "NADA"},
		{"/pessoas/{documento}", "/{produto}", 11, "products.cpf.request", "does not use the document"},
		{"found: .encontrado", "found: .a[", 14, "products.cpf.found", "does not compile"},
		{"found: .encontrado", "achou: .a", 14, "products.cpf.achou", "unknown key"},
		{"found: .encontrado", "documents: [cnpj]", 14, "products.cpf.documents[0]", "does not take cnpj"},
		{"      nome: .nome", "      nomes: .nome", 16, "products.cpf.fields.nomes",
			"has no such field; it has nome, nomeMae"},
		{"      nome: .nome", "      nome: .nome | foo", 16, "products.cpf.fields.nome", "function not defined: foo/0"},
		{"      nome: .nome", "      nome:\n", 16, "products.cpf.fields.nome", "is empty"},
		{"      nome: .nome", "      nome: {value: .nome}", 16, "products.cpf.fields.nome", "must be text"},
		{"    fields:\n      nome: .nome\n", "    fields: {}\n", 15, "products.cpf.fields", "at least one field"},
		{"    fields:\n      nome: .nome\n", "", 9, "products.cpf.fields", "is missing"},
		{"    name: Renda\n", "", 17, "products.renda.name", "is missing"},
		{"    documents: [cpf]\n", "", 17, "products.renda.documents", "is missing"},
		{"documents: [cpf]", "documents: [rg]", 19, "products.renda.documents[0]", "not a type of document"},
		{"documents: [cpf]", "documents: []", 19, "products.renda.documents", "at least one"},
		{"documents: [cpf]", "documents: [cpf, cpf]", 19, "products.renda.documents[1]", "is repeated"},
		{"documents: [cpf]", "documents: cpf", 19, "products.renda.documents", "must be a list"},
		{"'{doc: .documento}'", "'{doc: 1}'", 21, "products.renda.request", "does not use the document"},
		{"'{doc: .documento}'", "'{doc: .documento.x}'", 24, "products.renda.request.body", "makes no body for a cpf"},
		{"'{doc: .documento}'", "'empty'", 24, "products.renda.request.body", "makes no body for a cpf"},
		{"'{doc: .documento}'", "'def f: f; f'", 24, "products.renda.request.body", "makes no body for a cpf"},
		{"'{doc: .documento}'", "'{doc: }'", 24, "products.renda.request.body", "does not compile"},
		{"        type: number\n", "", 26, "products.renda.fields.valor.type", "is missing"},
		{"        value: .valor\n", "", 26, "products.renda.fields.valor.value", "is missing"},
		{"type: number", "type: money", 27, "products.renda.fields.valor.type", "must be string, number"},
		{"type: number", "tipo: number", 27, "products.renda.fields.valor.tipo", "unknown key"},
		{"      valor:\n", "      cache:\n", 26, "products.renda.fields.cache", "every answer has"},
		{"      valor:\n", "      a-b:\n", 26, "products.renda.fields.a-b", "a field name is"},
		{"      valor:\n", "      valor: .x\n      b:\n", 26, "products.renda.fields.valor", "must be a mapping"},
		{"products:", "produtos:", 1, "products", "is missing"},
		{"products:", "produtos:", 8, "produtos", "unknown key"},
	} {
		t.Run(fmt.Sprintf("%s_%s", c.path, c.message), func(t *testing.T) {
			t.Parallel()
			src := strings.Replace(good, c.old, c.new, 1)
			if c.old == "" {
				src = good + c.new
			}
			_, err := bureau.Parse("x", []byte(src), env)
			var problems bureau.Problems
			if !errors.As(err, &problems) {
				t.Fatalf("no problems in\n%s", src)
			}
			for _, p := range problems {
				if strings.Contains(p.Message, "segredo") {
					t.Errorf("the value of a variable is shown: %s", p)
				}
				if p.Line == c.line && p.Path == c.path && strings.Contains(p.Message, c.message) {
					return
				}
			}
			t.Errorf("no problem like line %d: %s: …%s…; got\n%v\nin\n%s", c.line, c.path, c.message, err, src)
		})
	}
}

func TestParseUnreadable(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"":                         "line 1: the YAML cannot be read",
		"# só comentário\n":        "line 1: the YAML cannot be read",
		"- a\n- b\n":               "line 1: the file must be a mapping",
		"texto":                    "line 1: the file must be a mapping",
		"name: a\nbase_url: [1\n":  "that starts on line 2",
		"name: a\n\tx: 1\n":        "line 2: the YAML cannot be read",
		"name: a\n---\nname: b\n":  "line 1: the YAML cannot be read",
		"name: *nada\n":            "line 1: the YAML cannot be read",
		"name: a\nb: \"\x01\"\n":   "the YAML cannot be read",
		"name: a\nb: \xff\n":       "line 2: the file is not UTF-8",
		strings.Repeat("#", 2<<20): "line 1: the file is larger",
		"? [a]\n: b\n":             "line 1: a key must be text",
		"products: &p {cpf: *p}\n": "products.cpf.cpf: unknown key",
	} {
		_, err := bureau.Parse("x", []byte(src), noEnv)
		var problems bureau.Problems
		if !errors.As(err, &problems) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: got %v, want %q", src, err, want)
		}
	}
}

// TestParseReportsAll: one reading finds every fault, in order.
func TestParseReportsAll(t *testing.T) {
	t.Parallel()
	src := "base_url: x\ntimeout: 1h\nfailed: ')'\nproducts:\n  cpf: {price: x, request: {path: x}, fields: {nada: .}}\n  outro: {}\nx: 1\n"
	_, err := bureau.Parse("x", []byte(src), noEnv)
	want := []string{
		"line 1: name: is missing", "line 1: base_url: ", "line 2: timeout: ", "line 3: failed: ",
		"line 5: products.cpf.price: ", "line 5: products.cpf.fields.nada: ", "line 5: products.cpf.request.path: ",
		"line 5: products.cpf.request: ", "line 6: products.outro.price: ", "line 6: products.outro.request: ",
		"line 6: products.outro.fields: ", "line 6: products.outro.name: ", "line 6: products.outro.documents: ",
		"line 7: x: unknown key",
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != len(want) {
		t.Fatalf("%d problems, want %d:\n%v", len(lines), len(want), err)
	}
	for i, w := range want {
		if !strings.HasPrefix(lines[i], w) {
			t.Errorf("got %q, want %q", lines[i], w)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(good))
	for _, name := range bureau.ShippedNames() {
		b, _ := bureau.Shipped(name)
		f.Add(b)
	}
	if b, err := os.ReadFile("../sandbox/sandbox.yaml"); err == nil {
		f.Add(b)
	}
	f.Add([]byte("answer: xml\nauth: {login: {url: 'https://x', body: {u: '${TOKEN}'}, token: .t, expires: .e}}\n" + strings.Replace(good,
		"body: '{doc: .documento}'", "body: '<a>{documento}</a>'\n      headers: {Content-Type: text/xml}", 1)))
	f.Add([]byte("auth: {query: {k: '${TOKEN}'}}\ntls: {ca: a.pem}\n" + strings.Replace(good, "body: '{doc: .documento}'",
		"form: {doc: '{documento}'}", 1)))
	f.Add([]byte(strings.Replace(good, "found: .encontrado",
		"inputs: {a: {type: date, required: true}}\n    found: $entradas.a == .a", 1)))
	f.Add([]byte("exhausted: {status: 402, when: .body.code == 7, until: month}\nnot_charged: [429, {status: 400, when: .a}]\n" + good))
	f.Add([]byte(good + "    charged: .status < 500\n"))
	f.Add([]byte(strings.Replace(good, `"0.45"`, `{max: "0.45", from: '.headers["x-price"] // .body.price'}`, 1)))
	f.Add([]byte("products: {a: {request: {path: '/${A}{b', body: 'def f: f; f'}}}"))
	f.Fuzz(func(t *testing.T, src []byte) {
		file, err := bureau.Parse("x", src, env)
		var problems bureau.Problems
		if err != nil && !errors.As(err, &problems) {
			t.Errorf("another error: %T", err)
		}
		if err == nil && (file.Name() == "" || len(file.Catalog()) == 0) {
			t.Error("a file without a name or products is good")
		}
	})
}

// TestTheProxiesWaitLonger than any call may take: the timeouts in docs/deploy exceed the longest that a file may set.
func TestTheProxiesWaitLonger(t *testing.T) {
	t.Parallel()
	patience := regexp.MustCompile(`(?m)^ *(?:proxy_read_timeout|timeout (?:client|server)) (\d+s)`)
	for name, times := range map[string]int{"nginx.conf": 1, "haproxy.cfg": 2} {
		config, err := os.ReadFile("../../docs/deploy/" + name)
		if err != nil {
			t.Fatal(err)
		}
		found := patience.FindAllStringSubmatch(string(config), -1)
		if len(found) != times {
			t.Errorf("%s says %d times how long it waits", name, len(found))
		}
		for _, m := range found {
			file := strings.Replace(good, "timeout: 2s", "timeout: "+m[1], 1)
			if _, err := bureau.Parse("agencia.yaml", []byte(file), env); err == nil {
				t.Errorf("%s waits %s, and so long a call may take", name, m[1])
			}
		}
	}
}
