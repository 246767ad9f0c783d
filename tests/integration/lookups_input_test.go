package integration

import (
	"fmt"
	"strings"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/lookuptest"
)

func TestBadInputCostsNothing(t *testing.T) {
	t.Parallel()
	testkit.OnSQLiteAndPooled(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, nil)
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
		key := s.NewKey(600, 5, 5).Key
		json := map[string]string{"Content-Type": "application/json"}
		type request struct {
			method, path string
			header       map[string]string
			body         string
		}
		post := func(body string) request { return request{"POST", "/api/v1/consultas", json, body} }
		get := func(path string) request { return request{"GET", path, nil, ""} }
		zipped := map[string]string{"Content-Type": "application/json", "Content-Encoding": "gzip"}
		formed := map[string]string{"Content-Type": "application/x-www-form-urlencoded"}
		for name, c := range map[string]struct {
			r      request
			status int
			code   string
			field  string
		}{
			"wrong digit":            {get("/api/v1/cpf/52998224726"), 400, "documento_invalido", "documento"},
			"repeated digit":         {get("/api/v1/cpf/11111111111"), 400, "documento_invalido", "documento"},
			"mask":                   {get("/api/v1/cpf/529.982.247-25"), 400, "documento_invalido", "documento"},
			"CNPJ with mask":         {get("/api/v1/cnpj/11.222.333/0001-81"), 400, "documento_invalido", "documento"},
			"CNPJ with escaped mask": {get("/api/v1/cnpj/11.222.333%2F0001-81"), 400, "documento_invalido", "documento"},
			"lower case":             {get("/api/v1/cnpj/12abc34501de35"), 400, "documento_invalido", "documento"},
			"wrong alphanumeric":     {get("/api/v1/cnpj/R55231B3000700"), 400, "documento_invalido", "documento"},
			"letters":                {get("/api/v1/cpf/5299822472A"), 400, "documento_invalido", "documento"},
			"Unicode digits": {get("/api/v1/cpf/%D9%A5%D9%A2%D9%A9%D9%A9%D9%A8%D9%A2%D9%A2%D9%A4%D9%A7%D9%A2%D9%A5"),
				400, "documento_invalido", "documento"},
			"full-width digits": {
				post(`{"produto":"cpf","documento":"５２９９８２２４７２５"}`), 400, "documento_invalido", "documento",
			},
			"not UTF-8": {get("/api/v1/cpf/%ff%fe"), 400, "documento_invalido", "documento"},
			"NUL":       {get("/api/v1/cpf/52998224725%00"), 400, "documento_invalido", "documento"},
			"CNPJ in a CPF product": {
				post(`{"produto":"cpf","documento":"` + acme + `"}`), 400, "documento_invalido", "documento",
			},
			"CPF on the CNPJ route": {get("/api/v1/cnpj/" + ana), 400, "documento_invalido", "documento"},
			"unknown product": {
				post(`{"produto":"nada","documento":"` + ana + `"}`), 400, "produto_desconhecido", "produto",
			},
			"product not offered": {
				post(`{"produto":"obito","documento":"` + ana + `"}`), 400, "produto_desconhecido", "produto",
			},
			"empty body":    {post(""), 400, "requisicao_invalida", ""},
			"blank body":    {post(" \n"), 400, "requisicao_invalida", ""},
			"not JSON":      {post("{"), 400, "requisicao_invalida", ""},
			"array":         {post("[]"), 400, "requisicao_invalida", ""},
			"text":          {post(`"cpf"`), 400, "requisicao_invalida", ""},
			"null":          {post("null"), 400, "requisicao_invalida", ""},
			"no product":    {post(`{"documento":"` + ana + `"}`), 400, "requisicao_invalida", "produto"},
			"no document":   {post(`{"produto":"cpf"}`), 400, "requisicao_invalida", "documento"},
			"null document": {post(`{"produto":"cpf","documento":null}`), 400, "requisicao_invalida", "documento"},
			"number for document": {
				post(`{"produto":"cpf","documento":` + ana + `}`), 400, "requisicao_invalida", "documento",
			},
			"text for boolean": {
				post(`{"produto":"cpf","documento":"` + ana + `","atualizar":"true"}`), 400, "requisicao_invalida", "atualizar",
			},
			"unknown field": {
				post(`{"produto":"cpf","documento":"` + ana + `","force":true}`), 400, "requisicao_invalida", "force",
			},
			"field in capitals": {
				post(`{"PRODUTO":"cpf","documento":"` + ana + `"}`), 400, "requisicao_invalida", "PRODUTO",
			},
			"repeated field": {
				post(`{"produto":"cpf","documento":"1","documento":"` + ana + `"}`), 400, "requisicao_invalida", "documento",
			},
			"long document": {
				post(`{"produto":"cpf","documento":"` + strings.Repeat("1", 300) + `"}`), 400, "documento_invalido", "documento",
			},
			"long product": {
				post(`{"produto":"` + strings.Repeat("c", 300) + `","documento":"` + ana + `"}`), 400, "produto_desconhecido",
				"produto",
			},
			"two objects":  {post(`{"produto":"cpf","documento":"` + ana + `"}{}`), 400, "requisicao_invalida", ""},
			"deep nesting": {post(`{"produto":` + strings.Repeat("[", 20000) + `}`), 400, "requisicao_invalida", ""},
			"large body": {
				post(`{"produto":"cpf","documento":"` + strings.Repeat("1", 70<<10) + `"}`), 413, "corpo_grande_demais", "",
			},
			"compressed": {
				request{"POST", "/api/v1/consultas", zipped, "{}"}, 415, "tipo_nao_suportado", "",
			},
			"no content type": {request{"POST", "/api/v1/consultas", nil, "{}"}, 415, "tipo_nao_suportado", ""},
			"form": {
				request{"POST", "/api/v1/consultas", formed, "produto=cpf"}, 415, "tipo_nao_suportado", "",
			},
			"bad boolean":   {get("/api/v1/cpf/" + ana + "?atualizar=sim"), 400, "requisicao_invalida", "atualizar"},
			"empty boolean": {get("/api/v1/cpf/" + ana + "?atualizar="), 400, "requisicao_invalida", "atualizar"},
			"empty bureau":  {get("/api/v1/cpf/" + ana + "?bureau="), 400, "requisicao_invalida", "bureau"},
			"empty age":     {get("/api/v1/cpf/" + ana + "?maxIdade="), 400, "requisicao_invalida", "maxIdade"},
			"empty bureau in a body": {
				post(`{"produto":"cpf","documento":"` + ana + `","bureau":""}`), 400, "requisicao_invalida", "bureau",
			},
			"repeated parameter": {get("/api/v1/cpf/" + ana + "?atualizar=true&atualizar=true"), 400,
				"requisicao_invalida", "atualizar"},
			"unknown parameter":      {get("/api/v1/cpf/" + ana + "?atualizr=true"), 400, "requisicao_invalida", ""},
			"unreadable parameters":  {get("/api/v1/cpf/" + ana + "?atualizar=%zz"), 400, "requisicao_invalida", ""},
			"a product with NUL":     {get("/api/v1/consultas?produto=%00"), 400, "requisicao_invalida", "produto"},
			"a product of odd bytes": {get("/api/v1/consultas?produto=%ff"), 400, "requisicao_invalida", "produto"},
			"limit of zero":          {get("/api/v1/consultas?limite=0"), 400, "requisicao_invalida", "limite"},
			"limit over the most":    {get("/api/v1/consultas?limite=201"), 400, "requisicao_invalida", "limite"},
			"limit beyond numbers": {get("/api/v1/consultas?limite=99999999999999999999"), 400, "requisicao_invalida",
				"limite"},
			"bad cursor":          {get("/api/v1/consultas?cursor=abc"), 400, "requisicao_invalida", "cursor"},
			"bad first day":       {get("/api/v1/consultas?de=2026-02-30"), 400, "requisicao_invalida", "de"},
			"a year out of range": {get("/api/v1/consultas?de=1999-12-31"), 400, "requisicao_invalida", "de"},
			"the last day of all": {get("/api/v1/consultas?ate=9999-12-31"), 400, "requisicao_invalida", "ate"},
			"bad last day":        {get("/api/v1/consultas?ate=amanha"), 400, "requisicao_invalida", "ate"},
			"days the wrong way round": {get("/api/v1/consultas?de=2026-11-02&ate=2026-11-01"), 400, "requisicao_invalida",
				"ate"},
			"bad cache filter": {get("/api/v1/consultas?cache=1"), 400, "requisicao_invalida", "cache"},
			"bad filter for a file": {
				request{"GET", "/api/v1/consultas?cache=1", map[string]string{"Accept": "text/csv"}, ""}, 400,
				"requisicao_invalida", "cache",
			},
			"unknown route":   {get("/api/v1/nada"), 404, "rota_desconhecida", ""},
			"a slash behind":  {get("/api/v1/cpf/" + ana + "/"), 404, "rota_desconhecida", ""},
			"a path behind":   {get("/api/v1/cnpj/" + acme + "/x/y"), 404, "rota_desconhecida", ""},
			"a mask's slash":  {get("/api/v1/cnpj/11.222.333/0001-81"), 400, "documento_invalido", "documento"},
			"a slash alone":   {get("/api/v1/cnpj/11222333/000181"), 400, "documento_invalido", "documento"},
			"behind a lookup": {get("/api/v1/consultas/01980000-0000-7000-8000-000000000000/x"), 404, "rota_desconhecida", ""},
			"wrong method":    {request{"DELETE", "/api/v1/consultas", nil, ""}, 405, "metodo_nao_permitido", ""},
			"PUT of a lookup": {request{"PUT", "/api/v1/cpf/" + ana, nil, ""}, 405, "metodo_nao_permitido", ""},
		} {
			a, err := s.Do(t.Context(), c.r.method, c.r.path, key, c.r.header, c.r.body)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			field := ""
			if errs, ok := a.JSON["errors"].([]any); ok {
				field, _ = errs[0].(map[string]any)["campo"].(string)
			}
			got := fmt.Sprint(a.Status, " ", a.Code(), " ", field)
			expect(t, name, got, fmt.Sprint(c.status, " ", c.code, " ", c.field))
			expect(t, name+": type", a.Header.Get("Content-Type"), "application/problem+json")
			expect(t, name+": request id", a.JSON["requestId"], any(a.Header.Get("X-Request-Id")))
			if strings.Contains(string(a.Body), ana) || strings.Contains(string(a.Body), acme) {
				t.Errorf("%s: the problem repeats the document", name)
			}
			if c.status == 405 && a.Header.Get("Allow") == "" {
				t.Errorf("%s: no Allow", name)
			}
		}
		for _, path := range []string{"/api/v1/cpf/" + ana + "/", "/api/v1/cnpj/" + acme + "/socios"} {
			expect(t, "a route that is not there, without a key", s.Get(path, "").String(), "404 rota_desconhecida")
		}
		expect(t, "calls", bureau.Calls(), 0)
		st := s.Statement(key)
		expect(t, "entries", len(st.Consultas), 0)
		expect(t, "charged", st.Cobradas.Total, 0)
	})
}
