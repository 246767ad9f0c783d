package bureau_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"fichario/domain/document"
	"fichario/ports"
)

func TestAskKeepsEveryByte(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		`{"nome":"ANA"}`,
		" {\n\t\"nome\" : \"ANA\",  \"x\": 1.50, \"y\": 1E400, \"x\": 0.10, \"\\u00e9\":\"\\/\" , \"sexo\":\"F\"}\r\n",
		`{"nome":"ANA","nome":"BIA <&> ` + "\u2028" + `","big":123456789012345678901234567890.000}`,
		`[1,2]`, `null`, `"texto"`, `0`,
	} {
		url, _ := serve(t, body(200, raw))
		a, err := ask(t, client(t, fmt.Sprintf(basic, url, "")))
		if err != nil {
			t.Fatal(err)
		}
		if !a.Found || string(a.Raw) != raw {
			t.Errorf("got %q, want %q", a.Raw, raw)
		}
		if !json.Valid(a.Fields) {
			t.Errorf("fields are no JSON: %s", a.Fields)
		}
	}
	url, _ := serve(t, body(200, "\xef\xbb\xbf{\"nome\": \"ANA\"} "))
	a, err := ask(t, client(t, fmt.Sprintf(basic, url, "")))
	if err != nil || string(a.Raw) != `{"nome": "ANA"} ` {
		t.Errorf("a byte order mark: %q, %v", a.Raw, err)
	}
}

// TestRequest checks what is sent: every slot for a value, and no framing that would confuse a server.
func TestRequest(t *testing.T) {
	t.Parallel()
	heads := make(chan string, 4)
	url, _ := rawServe(t, func(_ int, conn net.Conn, head string) bool {
		heads <- head
		_, _ = io.WriteString(conn, answer200(`{}`))
		return true
	})
	c := client(t, fmt.Sprintf(`name: teste
base_url: %s/v1/
headers: { X-Fixo: 'a {"b"} {documento}', Authorization: "Bearer 1" }
products:
  validacao_email:
    price: "0"
    request:
      path: "/e/{documento}/{produto}"
      query: { q: "={documento}&", n: 2 }
      headers: { X-Doc: "<{documento}>", authorization: Basic }
    fields: { valido: .ok }
`, url))
	email := doc(t, document.Email, "a+b/c?d#%{produto}&e@x-y.io")
	if _, err := c.Ask(t.Context(), question(t, c, "validacao_email", email.Value())); err != nil {
		t.Fatal(err)
	}
	head := <-heads
	want := "GET /v1/e/a+b%2Fc%3Fd%23%25%7Bproduto%7D&e@x-y.io/validacao_email?n=2&q=%3Da%2Bb%2Fc%3Fd%23%25%7Bproduto%7D%26e%40x-y.io%26 HTTP/1.1\r\n"
	if !strings.HasPrefix(head, want) {
		t.Errorf("got %q\nwant %q", head, want)
	}
	for _, line := range []string{
		`X-Fixo: a {"b"} a+b`, "X-Doc: <a+b/c?d#%{produto}&e@x-y.io>\r\n", "Authorization: Basic\r\n",
		"Accept: application/json\r\n", "User-Agent: fichario\r\n",
	} {
		if !strings.Contains(head, line) {
			t.Errorf("no %q in %q", line, head)
		}
	}
	for _, line := range []string{"Transfer-Encoding", "Content-Length", "Content-Type", "Bearer"} {
		if strings.Contains(head, line) {
			t.Errorf("%s in a GET: %q", line, head)
		}
	}
}

func TestRequestBody(t *testing.T) {
	t.Parallel()
	url, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		_ = json.NewEncoder(w).Encode(map[string]any{
			"nome": string(b), "sexo": r.Header.Get("Content-Type") + fmt.Sprint(r.ContentLength, r.TransferEncoding),
		})
	})
	for _, c := range []struct{ body, want string }{
		{`body: '{doc: .documento, p: .produto, n: 1, v: $documento}'`, `{"nome":"{\"doc\":\"52998224725\",\"n\":1,\"p\":\"cpf\",\"v\":\"52998224725\"}","nomeMae":null`},
		{`body: '{documento}', headers: { content-type: text/x }`, `{"nome":"{\"documento\":\"52998224725\"}","nomeMae":null,"nascimento":null,"sexo":"text/x`},
		{`query: { d: "{documento}" }`, `{"nome":null,"nomeMae":null,"nascimento":null,"sexo":"0 []"`},
	} {
		cl := client(t, fmt.Sprintf(
			`{name: t, base_url: %q, products: {cpf: {price: 1, request: {method: POST, path: /x, %s}, fields: {nome: .nome, sexo: .sexo}}}}`, url, c.body))
		a, err := ask(t, cl)
		if err != nil || !strings.HasPrefix(string(a.Fields), c.want) {
			t.Errorf("%s: got %s, %v", c.body, a.Fields, err)
		}
	}
}

func TestFieldsAreMapped(t *testing.T) {
	t.Parallel()
	url, _ := serve(t, body(200, `{"n":"ANA","cap":1234567890123456.10,"neg":-0.50,"lista":[{"d":"11","z":false},{"d":"12"}],"b":"x","e":""}`))
	c := client(t, fmt.Sprintf(`name: t
base_url: %s
products:
  cpf:
    price: 0.45
    request: { path: "/{documento}" }
    fields:
      nome: .n
      nomeMae: .b.c.d        # a runtime error
      nascimento: '"31/12/1980"'
      sexo: '.lista[].d'     # two values
      situacaoCadastral: .e
      emails: empty
      telefones: '[.lista[] | {ddd: .d, numero: .n, whatsapp: .z}]'
  renda:
    name: Renda
    documents: [cpf, cnpj]
    price: "2.075"
    request: { path: "/{documento}" }
    fields:
      valor: { type: number, value: .cap, description: O valor. }
      menor: { type: number, value: .neg }
      tudo: { type: object, value: '{a: .lista}' }
      meu: { type: boolean, value: '$documento == "52998224725" and $produto == "renda"' }
`, url))
	a, err := ask(t, c)
	want := `{"nome":"ANA","nomeMae":null,"nascimento":null,"sexo":null,"situacaoCadastral":null,"emails":null,` +
		`"telefones":[{"ddd":"11","numero":null,"tipo":null,"whatsapp":false},{"ddd":"12","numero":null,"tipo":null,"whatsapp":null}],"enderecos":null}`
	if err != nil || string(a.Fields) != want {
		t.Errorf("got %s, %v", a.Fields, err)
	}
	if got := strings.Join(a.Dropped, " "); got != "nascimento nomeMae sexo" {
		t.Errorf("dropped %q", got)
	}
	p := product(t, c, "renda")
	if p.Price != 20750 || p.Name != "Renda" || len(p.Documents) != 2 || p.Fields[0].Description != "O valor." {
		t.Errorf("got %+v", p)
	}
	a, err = c.Ask(t.Context(), ports.Question{Product: p, Document: doc(t, document.CPF, cpf)})
	want = `{"valor":1234567890123456.10,"menor":-0.50,"tudo":{"a":[{"d":"11","z":false},{"d":"12"}]},"meu":true}`
	if err != nil || string(a.Fields) != want || len(a.Dropped) > 0 {
		t.Errorf("got %s, %v, %v", a.Fields, a.Dropped, err)
	}
	_, err = c.Ask(t.Context(), ports.Question{Product: p, Document: doc(t, document.Plate, "ABC1D23")})
	wantError(t, err, ports.NotSent, "not mapped")
	_, err = c.Ask(t.Context(), ports.Question{Product: p, Document: document.Document{}})
	wantError(t, err, ports.NotSent, "not mapped")
}

func TestAnswersThatAreNone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status       int
		body, reason string
	}{
		"html":           {200, "<html>", "not JSON"},
		"empty":          {200, "", "empty"},
		"blank":          {200, " \n", "empty"},
		"bom only":       {200, "\xef\xbb\xbf", "empty"},
		"truncated json": {200, `{"nome": "ANA`, "not JSON"},
		"two values":     {200, `{} {}`, "not JSON"},
		"not utf-8":      {200, "{\"nome\": \"JOS\xc9\"}", "not UTF-8"},
		"too deep":       {200, strings.Repeat("[", 20000) + strings.Repeat("]", 20000), "not JSON"},
		"created":        {201, `{"nome":"ANA"}`, "status 201"},
		"accepted":       {202, `{"nome":"ANA"}`, "status 202"},
		"second-hand":    {203, `{"nome":"ANA"}`, "status 203"},
		"no content":     {204, "", "status 204"},
		"partial":        {206, `{"nome":"ANA"}`, "status 206"},
		"redirect":       {302, "{}", "status 302"},
		"bad request":    {400, "{}", "status 400"},
		"unauthorized":   {401, "{}", "status 401"},
		"too many":       {429, "{}", "status 429"},
		"error":          {500, `{"nome":"ANA"}`, "status 500"},
		"unavailable":    {503, "", "status 503"},
		"404 not utf-8":  {404, "n\xe3o", "not UTF-8"},
		"too large":      {200, `"` + strings.Repeat("x", 8<<20) + `"`, "too large"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, calls := serve(t, body(c.status, c.body))
			_, err := ask(t, client(t, fmt.Sprintf(basic, url, "")))
			wantError(t, err, ports.Failed, c.reason)
			if calls.Load() != 1 {
				t.Errorf("%d calls", calls.Load())
			}
		})
	}
}

func TestDeepAndLargeAnswersThatAreFine(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		strings.Repeat("[", 9000) + strings.Repeat("]", 9000), `"` + strings.Repeat("x", 8<<20-2) + `"`,
	} {
		url, _ := serve(t, body(200, raw))
		a, err := ask(t, client(t, fmt.Sprintf(basic, url, "")))
		if err != nil || string(a.Raw) != raw || len(a.Dropped) == 0 && raw[0] != '"' {
			t.Errorf("got %v, %d bytes", err, len(a.Raw))
		}
	}
}

func TestNoRecord(t *testing.T) {
	t.Parallel()
	null := `{"nome":null,"nomeMae":null,"nascimento":null,"sexo":null,"situacaoCadastral":null,"emails":null,"telefones":null,"enderecos":null}`
	for _, c := range []struct {
		status          int
		keys, body, raw string
	}{
		{404, "", `{"nome": "x" }` + "\n", `{"nome": "x" }` + "\n"},
		{404, "", "", "null"},
		{404, "", " \r\n", "null"},
		{404, "", "\xef\xbb\xbf", "null"},
		{404, "", "Não <há> \"nada\"\n", `"Não <há> \"nada\"\n"`},
		{404, "failed: .nome", `{"nome":"nada"}`, `{"nome":"nada"}`},
		{410, "not_found: [404, 410]", `{}`, `{}`},
		{204, "not_found: [204]", ``, `null`},
	} {
		url, _ := serve(t, body(c.status, c.body))
		a, err := ask(t, client(t, fmt.Sprintf(basic, url, c.keys)))
		if err != nil || a.Found || string(a.Raw) != c.raw || string(a.Fields) != null || len(a.Dropped) > 0 {
			t.Errorf("%d %q: got %v %q %s, %v", c.status, c.body, a.Found, a.Raw, a.Fields, err)
		}
	}
	url, _ := serve(t, body(404, "{}"))
	_, err := ask(t, client(t, fmt.Sprintf(basic, url, "not_found: []")))
	wantError(t, err, ports.Failed, "status 404")
}

// TestAnswered: a success other than 200 is an answer where the file says so, and only there.
func TestAnswered(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		keys   string
		status int
		failed string
	}{
		{"answered: [200, 201]", 200, ""},
		{"answered: [200, 201]", 201, ""},
		{"answered: [200, 201]", 202, "status 202"},
		{"answered: [203]", 200, "status 200"},
		{"not_found: [202]", 200, ""},
	} {
		url, _ := serve(t, body(c.status, `{"nome":"ANA"}`))
		a, err := ask(t, client(t, fmt.Sprintf(basic, url, c.keys)))
		if c.failed != "" {
			wantError(t, err, ports.Failed, c.failed)
		} else if err != nil || !a.Found {
			t.Errorf("%s, %d: found %t, %v", c.keys, c.status, a.Found, err)
		}
	}
}

func TestFailedAndFound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		failed, found, body string
		reason              string // of the failure; "" for an answer
		isFound             bool
	}{
		{".erro", "true", `{"erro":"cpf 52998224725 em falta"}`, "reports a failure", false},
		{".erro", "true", `{"erro":true}`, "reports a failure", false},
		{".erro", "true", `{"erro":"null"}`, "reports a failure", false},
		{".erro", "true", `{"erro":{"codigo":1}}`, "", true},
		{".erro", "true", `{"erro":["texto"]}`, "", true},
		{".erro", "true", `{"erro":0}`, "", true},
		{".erro", "true", `{"erro":500}`, "", true},
		{".erro", "true", `{"erro":""}`, "", true},
		{".erro", "true", `[1]`, "cannot read", false},
		{".erro", "true", `{"erro":" "}`, "", true},
		{".erro", "true", `{"erro":false}`, "", true},
		{".erro", "true", `{"erro":null}`, "", true},
		{"empty", "true", `{}`, "", true},
		{".cpf != $documento", "true", `{"cpf":"11144477735"}`, "reports a failure", false},
		{".cpf != $documento", "true", `{"cpf":"52998224725"}`, "", true},
		{"def f: f; f", "true", `{}`, "cannot read", false},
		{"false", ".ok", `{"ok":true}`, "", true},
		{"false", ".ok", `{"ok":false,"nome":"ANA"}`, "", false},
		{"false", ".ok", `{"ok":null}`, "does not say", false},
		{"false", ".ok", `{"ok":"sim"}`, "does not say", false},
		{"false", ".ok", `[]`, "does not say", false},
	} {
		url, _ := serve(t, body(200, c.body))
		src := strings.Replace(fmt.Sprintf(basic, url, "failed: '"+c.failed+"'"), "    fields:",
			"    found: '"+c.found+"'\n    fields:", 1)
		a, err := ask(t, client(t, src))
		if c.reason != "" {
			wantError(t, err, ports.Failed, c.reason)
			continue
		}
		if err != nil || a.Found != c.isFound || string(a.Raw) != c.body {
			t.Errorf("%s / %s of %s: got %v, %v", c.failed, c.found, c.body, a.Found, err)
		}
		if !a.Found && strings.Contains(string(a.Fields), "ANA") {
			t.Errorf("no record, and fields %s", a.Fields)
		}
	}
}

func TestRetryAfterOfTheBureau(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]time.Duration{
		"7": 7 * time.Second, "999999999999": time.Hour, "99999999999999999999999": time.Hour, "99999": time.Hour, "-1": 0,
		"amanhã": 0, "Fri, 31 Dec 1999 23:59:59 GMT": 59 * time.Second, "Fri, 31 Dec 1999 23:00:00 GMT": 0,
		"Sat, 01 Jan 2000 23:59:59 GMT": time.Hour,
	} {
		url, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", value)
			w.Header().Set("Date", "Fri, 31 Dec 1999 23:59:00 GMT")
			w.WriteHeader(429)
		})
		_, err := ask(t, client(t, fmt.Sprintf(basic, url, "")))
		if e := failureOf(t, err, ports.Failed, "status 429"); e.RetryAfter != want {
			t.Errorf("%s: got %s", value, e.RetryAfter)
		}
	}
}
