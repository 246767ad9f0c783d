package bureau_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"fichario/adapters/bureau"
	"fichario/ports"
	"fichario/tests/testkit/patience"
)

// TestMissingCompany checks the shipped file against both services: Minha Receita answers 404 for a CNPJ that does not
// exist, and also while its database is down; BrasilAPI passes its answers on.
func TestMissingCompany(t *testing.T) {
	t.Parallel()
	const (
		own   = `{"message":"CNPJ 11.222.333/0001-81 não encontrado.","type":"not_found","name":"NotFoundError"}`
		plain = `{"message":"CNPJ 11.222.333/0001-81 não encontrado."}`
	)
	updated, down := body(200, `{"message":"2026-10-11"}`), body(500, `{"message":"Erro buscando data de atualização."}`)
	for name, c := range map[string]struct {
		answer, check http.HandlerFunc
		reason        string // "" for "no record"
		checks        int32
	}{
		"no such company":                        {body(404, own), updated, "", 1},
		"no such company, of Minha Receita":      {body(404, plain), updated, "", 1},
		"the database is down":                   {body(404, own), down, "check fails", 1},
		"the database is down, of Minha Receita": {body(404, plain), down, "check fails", 1},
		"no check there":                         {body(404, own), body(404, `{"message":"CNPJ updated inválido."}`), "", 1},
		"no check there, of Minha Receita":       {body(404, plain), body(404, plain), "check fails", 1},
		"the check says too many":                {body(404, own), body(429, ``), "check fails", 1},
		"the check hangs":                        {body(404, own), func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "check fails", 1},
		"the check is cut":                       {body(404, own), func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "check fails", 1},
		"another CNPJ":                           {body(404, strings.Replace(own, "81", "82", 1)), updated, "not one for a missing record", 0},
		"a page":                                 {body(404, `{"message":"Page not found.","type":"not_found","name":"NotFoundError"}`), updated, "not one for a missing record", 0},
		"a list":                                 {body(404, `[]`), updated, "not one for a missing record", 0},
		"a page of a proxy":                      {body(404, `<html>`), updated, "not JSON", 0},
		"nothing":                                {body(404, ``), updated, "empty", 0},
		"not valid":                              {body(400, `{"message":"CNPJ 11.222.333/0001-81 inválido."}`), updated, "status 400", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src, _ := bureau.Shipped("brasilapi")
			url, calls := serve(t, func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.RequestURI() {
				case "/api/cnpj/v1/11222333000181":
					c.answer(w, r)
				case "/api/cnpj/v1/updated?para=11222333000181":
					c.check(w, r)
				default:
					t.Errorf("asked for %s", r.URL)
				}
			})
			text := strings.NewReplacer("https://brasilapi.com.br", url, "timeout: 10s",
				fmt.Sprint("timeout: ", patience.Scaled(500*time.Millisecond))).Replace(string(src))
			cl := bureau.New(parse(t, text))
			defer cl.Close()
			a, err := cl.Ask(t.Context(), question(t, cl, "cnpj", "11222333000181"))
			if c.reason != "" {
				wantError(t, err, ports.Failed, c.reason)
			} else if err != nil || a.Found || !strings.Contains(string(a.Raw), "não encontrado") ||
				!strings.Contains(string(a.Fields), `"nome":null`) {
				t.Errorf("got %t, %s, %s, %v", a.Found, a.Raw, a.Fields, err)
			}
			if calls.Load() != 1+c.checks {
				t.Errorf("%d calls", calls.Load())
			}
		})
	}
}

func TestParseNotFound(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{ status: 404 }":                                "not_found.status: must be a list",
		"{ status: [302] }":                              "not_found.status[0]: must be a status",
		"{ quando: .a }":                                 "not_found.quando: unknown key",
		"{ when: .a | }":                                 "not_found.when: the jq does not compile",
		"{ check: /updated }":                            "not_found.check: must be a mapping",
		"{ check: {} }":                                  "not_found.check.path: is missing",
		"{ check: { path: updated } }":                   "not_found.check.path: must start with",
		"{ check: { path: /a, method: X } }":             "not_found.check.method: unknown key",
		`{ when: 'if .a then "doubt" end' }`:             "not_found.when: may say doubt",
		"{ check: { path: /a, query: { q: '{cpf}' } } }": "not_found.check.query.q: {cpf} is not known",
	} {
		_, err := bureau.Parse("x", []byte(strings.Replace(good, "[404]", text, 1)), env)
		if err == nil || !strings.Contains(err.Error(), "line 7: "+want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
	// Without statuses it means 404.
	url, calls := serve(t, body(404, `{"a":true}`))
	a, err := ask(t, client(t, fmt.Sprintf(basic, url, "not_found: { when: .a }")))
	if err != nil || a.Found || calls.Load() != 1 {
		t.Errorf("got %t, %v", a.Found, err)
	}
}
