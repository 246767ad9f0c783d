package destinations

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"fichario/adapters/jq"
	"fichario/domain/automation"
)

func event(t testing.TB, data string) Event {
	t.Helper()
	v, err := jq.Decode([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	return Event{ID: "run-1", Name: "contact.created", Data: v, Whole: []byte(`{"data":` + data + `}`)}
}

const ana = `{"id":"c1","nome":"Ana","email":"ana@example.com","valor":12345678901234567890.5}`

func filled(t testing.TB, a automation.Action) *Filled {
	t.Helper()
	file, faults := Of(a)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	f, faults := file.Fill(a.Values)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return f
}

const places = `name: a
title: A
repeat: não
fields:
  host: { title: Host }
  path: { title: Caminho }
  query: { title: Consulta }
  text: { title: Texto, secret: true }
address: https://${host}.crm.example:8443/v1/${path}/leads?chave=${query}
query: '{termo: $fields.text, n: 2, nada: null, lista: [1]}'
headers: { X-Texto: "a ${text}" }
body: '{texto: $fields.text, valor}'
`

// FuzzNothingBreaksOut: a filled-in value stays a value, whatever it contains.
func FuzzNothingBreaksOut(f *testing.F) {
	for _, s := range []string{
		"x", "../..", "a/b?c=d&e#f", `"}],"admin":true`, "${token}", "a\r\nX-Evil: 1", "%2e%2e",
		"@evil.example", ".", "é ☃", "\\(env)",
	} {
		f.Add(s)
	}
	file, err := Parse([]byte(places))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		form, faults := file.Fill(map[string]string{"host": "loja", "path": s, "query": s, "text": s})
		if len(faults) > 0 {
			return
		}
		r, _, err := form.Request(t.Context(), event(t, ana))
		if err != nil {
			return
		}
		u, err := url.Parse(r.Address)
		if err != nil || u.Host != "loja.crm.example:8443" || len(strings.Split(u.EscapedPath(), "/")) != 4 ||
			u.Path != "/v1/"+s+"/leads" || u.Fragment != "" || u.User != nil {
			t.Fatalf("address %q", r.Address)
		}
		if q := u.Query(); len(q) != 4 || q.Get("chave") != s || q.Get("termo") != s {
			t.Fatalf("query %q", u.RawQuery)
		}
		var body map[string]any
		if json.Unmarshal(r.Body, &body) != nil || len(body) != 2 {
			t.Fatalf("body %q", r.Body)
		}
		if len(r.Header) != 3 || strings.ContainsAny(r.Header.Get("X-Texto"), "\r\n") {
			t.Fatalf("headers %q", r.Header)
		}
	})
}

func TestFillFaults(t *testing.T) {
	t.Parallel()
	file, err := Parse([]byte(places))
	if err != nil {
		t.Fatal(err)
	}
	ok := map[string]string{"host": "loja", "path": "a", "query": "b", "text": "c"}
	for _, c := range []struct{ field, value, want string }{
		{"host", "", "Falta host"},
		{"host", "loja.evil", "é uma parte do nome do servidor"},
		{"host", "loja/", "é uma parte do nome do servidor"},
		{"host", "loja@x", "é uma parte do nome do servidor"},
		{"path", "..", "não pode ser só pontos"},
		{"text", "a\nb", "não pode ter quebra de linha"},
		{"text", strings.Repeat("é", maxValue+1), "pode ter até"},
		{"outro", "x", "O destino não tem o campo outro"},
	} {
		values := map[string]string{c.field: c.value}
		for name, v := range ok {
			if _, is := values[name]; !is {
				values[name] = v
			}
		}
		_, faults := file.Fill(values)
		if len(faults) != 1 || faults[0].Field != "set."+c.field || !strings.Contains(faults[0].Message, c.want) {
			t.Errorf("%s=%.20q: %v", c.field, c.value, faults)
		}
	}
	if _, faults := file.Fill(map[string]string{
		"host": "loja", "path": "a", "query": "b", "text": strings.Repeat("é", maxValue),
	}); len(faults) > 0 {
		t.Errorf("as many characters as a value may have: %v", faults)
	}
	slack, _ := Shipped("slack")
	for _, bad := range []string{"http://hooks.slack.com/services/x", "https://hooks.slack.com.evil/services/x", "x"} {
		if _, faults := slack.Fill(map[string]string{"webhook": bad}); len(faults) != 1 {
			t.Errorf("%s: %v", bad, faults)
		}
	}
}

func TestOwnForm(t *testing.T) {
	t.Parallel()
	a := automation.Action{
		URL: "https://crm.example/${ORG}/leads", Method: "PATCH", Body: `{nome, valor, id: $id, evento: $event}`,
		Headers: []automation.Header{
			{Name: "authorization", Value: "Bearer ${TOKEN}"}, {Name: "X-Api-Key", Value: "literal"},
			{Name: "Accept", Value: "a/b"},
		},
		Values: map[string]string{"TOKEN": "t0k", "ORG": "a b"},
	}
	f := filled(t, a)
	r, _, err := f.Request(t.Context(), event(t, ana))
	if err != nil || r.Method != "PATCH" || r.Address != "https://crm.example/a%20b/leads" {
		t.Fatalf("%+v, %v", r, err)
	}
	const body = `{"evento":"contact.created","id":"run-1","nome":"Ana","valor":12345678901234567890.5}`
	if string(r.Body) != body || r.Header.Get("Authorization") != "Bearer t0k" || r.Header.Get("X-Api-Key") != "literal" {
		t.Errorf("%s %v", r.Body, r.Header)
	}
	shown, err := f.Show(t.Context(), event(t, ana))
	if err != nil || shown.Address != "https://crm.example/••••/leads" || shown.Body != body {
		t.Errorf("%+v, %v", shown, err)
	}
	for _, h := range shown.Headers {
		want := map[string]string{"Authorization": "Bearer ••••", "X-Api-Key": "••••", "Accept": "a/b"}[h.Name]
		if want != "" && h.Value != want {
			t.Errorf("%s is shown as %s", h.Name, h.Value)
		}
	}
	for field, bad := range map[string]automation.Action{
		"method": {URL: "https://a.example", Method: "TRACE"}, "url": {URL: "ftp://a.example", Method: "POST"},
		"body": {URL: "https://a.example", Body: "{"}, "done": {URL: "https://a.example", Done: "env"},
		"header":      {URL: "https://a.example", Headers: []automation.Header{{Name: "Webhook-Id", Value: "x"}}},
		"destination": {Destination: "nenhum"},
	} {
		if _, faults := Of(bad); len(faults) != 1 || faults[0].Field != field {
			t.Errorf("%s: %v", field, faults)
		}
	}
	if _, faults := Of(automation.Action{URL: "https://a.example", Method: "GET", Body: "."}); len(faults) != 1 {
		t.Errorf("a body of a GET: %v", faults)
	}
}

func TestLookupsAndOtherEvents(t *testing.T) {
	t.Parallel()
	f := filled(t, automation.Action{URL: "https://a.example", Body: `{nome: $contact.nome, $summary}`})
	for data, want := range map[string]string{
		`{"produto":"cnpj","campos":{"score":742,"socios":["Ana","Bia"],"razaoSocial":"X","nada":null,"ativo":true,
			"endereco":{"uf":"SP"}},"contato":{"nome":"Ana","email":"a@example.com"}}`: `{"nome":"Ana","summary":` +
			`"Consulta: cnpj\nativo: sim\nendereco: {\"uf\":\"SP\"}\nrazaoSocial: X\nscore: 742\nsocios: Ana, Bia"}`,
		`{"lote":"1"}`: `{"nome":null,"summary":""}`,
		ana:            `{"nome":"Ana","summary":""}`,
	} {
		r, _, err := f.Request(t.Context(), event(t, data))
		if err != nil || string(r.Body) != want {
			t.Errorf("%s\n got %s, %v\nwant %s", data, r.Body, err, want)
		}
	}
	for _, name := range []string{"pipedrive", "hubspot", "rdstation", "kommo", "google-sheets"} {
		file, _ := Shipped(name)
		form, _ := file.Fill(map[string]string{"token": "x", "company": "a", "account": "a"})
		if r, _, err := form.Request(t.Context(), event(t, `{"lote":"1"}`)); r != nil || err != nil {
			t.Errorf("%s: an event without a contact makes %v, %v", name, r, err)
		}
	}
	for _, src := range []string{`error("x")`, `def f: f; f`, `., .`, `[range(1e9)]`} {
		bad := filled(t, automation.Action{URL: "https://a.example", Body: src})
		if _, _, err := bad.Request(t.Context(), event(t, ana)); err == nil || err.Error() != errBody.Error() {
			t.Errorf("%s: %v", src, err)
		}
	}
}
