// Package integration tests the real program over HTTP, on SQLite and on PostgreSQL.
package integration

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"fichario/tests/testkit"
	"fichario/tests/testkit/lookuptest"
)

const (
	ana  = "52998224725"
	acme = "11222333000181"
)

var onBoth = testkit.OnBothDatabases

func expect[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	lookuptest.Expect(t, what, got, want)
}

func TestALookupIsChargedOnceAndThenFree(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, nil)
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, 5*time.Second))
		key := s.NewKey(600, 500, 5000)

		fresh := s.CPF(key.Key, ana)
		expect(t, "status", fresh.Status, 200)
		for field, want := range map[string]any{
			"cache": false, "valorCobrado": json.Number("0.45"), "produto": "cpf", "documento": ana, "nomeMae": nil, "nascimento": nil,
			"emails": nil, "enderecos": nil, "sexo": nil, "nome": "Ana <Lima> & é " + lookuptest.Secret,
		} {
			expect(t, field, fresh.JSON[field], want)
		}
		expect(t, "telefones", fresh.JSON["telefones"], any([]any{
			map[string]any{"ddd": "11", "numero": "987654321", "tipo": nil, "whatsapp": nil},
		}))
		expect(t, "bruto", fresh.Raw(t), lookuptest.Body(ana))
		expect(t, "Cache-Control", fresh.Header.Get("Cache-Control"), "no-store")
		expect(t, "X-RateLimit-Limit", fresh.Header.Get("X-RateLimit-Limit"), "600")
		expect(t, "X-RateLimit-Remaining", fresh.Header.Get("X-RateLimit-Remaining"), "599")
		expect(t, "RateLimit-Policy", fresh.Header.Get("RateLimit-Policy"), `"minuto";q=600;w=60`)

		again := s.CPF(key.Key, ana)
		expect(t, "cache", again.JSON["cache"], true)
		expect(t, "valorCobrado", again.JSON["valorCobrado"], any(json.Number("0")))
		expect(t, "consultadoEm", again.JSON["consultadoEm"], fresh.JSON["consultadoEm"])
		expect(t, "bruto from history", again.Raw(t), lookuptest.Body(ana))
		if again.JSON["consultaId"] == fresh.JSON["consultaId"] {
			t.Error("two lookups have one consultaId")
		}

		generic := s.Post(key.Key, `{"produto":"cpf","documento":"`+ana+`"}`)
		expect(t, "the generic route shares the history", generic.JSON["cache"], true)
		other := s.NewKey(600, 500, 5000)
		expect(t, "so does another key of the organisation", s.CPF(other.Key, ana).JSON["cache"], true)

		refreshed := s.Get("/api/v1/cpf/"+ana+"?atualizar=true", key.Key)
		expect(t, "refreshed", refreshed.JSON["cache"], false)
		refreshed = s.Post(key.Key, `{"produto":"cpf","documento":"`+ana+`","atualizar":true}`)
		expect(t, "refreshed", refreshed.JSON["cache"], false)
		expect(t, "calls", bureau.Calls(), 3)

		st := s.Statement(key.Key)
		expect(t, "gasto", st.Gasto, lookuptest.Amounts{Hoje: "1.35", Mes: "1.35", Total: "1.35"})
		expect(t, "cobradas", st.Cobradas, lookuptest.Counts{Hoje: 3, Mes: 3, Total: 3})
		expect(t, "limites", st.Limites, lookuptest.Limits{Minuto: 600, Dia: 500, Mes: 5000})
		expect(t, "entries", st.Charged(), map[string]int{"concluida": 3, "livre": 2})
		expect(t, "newest", any(st.Consultas[0].ID), refreshed.JSON["consultaId"])
		expect(t, "oldest", any(st.Consultas[4].ID), fresh.JSON["consultaId"])
		expect(t, "chave", st.Chave.Prefixo+" "+fmt.Sprint(st.Chave.Escopos), key.Prefix+" [cpf cnpj placa email]")
		expect(t, "the other key spent", s.Statement(other.Key).Gasto.Total, "0")
	})
}

func TestProductsOfAFileNeedNoCode(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, nil)
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, 5*time.Second))
		all, companies := s.NewKey(600, 5, 5), s.ScopedKey("cnpj", 600, 5, 5)
		s.Hide(ana)
		a := s.Post(all.Key, `{"produto":"renda_presumida","documento":"`+ana+`"}`)
		expect(t, "renda", a.JSON["renda"], any(json.Number("1.50")))
		expect(t, "valorCobrado", a.JSON["valorCobrado"], any(json.Number("2.075")))

		ids := func(key string) (out []string) {
			for _, p := range s.Get("/api/v1/produtos", key).JSON["produtos"].([]any) {
				p := p.(map[string]any)
				out = append(out, fmt.Sprint(p["id"], " ", p["preco"], " ", p["rota"], " ", p["escopos"]))
			}
			return out
		}
		expect(t, "products", strings.Join(ids(all.Key), "; "), "cpf 0.45 /api/v1/cpf/{documento} [cpf]; cnpj 0.3 /api/v1/cnpj/{documento} [cnpj]; "+
			"score 0.6 /api/v1/consultas [cpf cnpj]; renda_presumida 2.075 /api/v1/consultas [cpf]")
		expect(t, "products of a key with one scope", strings.Join(ids(companies.Key), "; "), "cnpj 0.3 /api/v1/cnpj/{documento} [cnpj]; score 0.6 /api/v1/consultas [cnpj]")

		company := s.Get("/api/v1/cnpj/"+acme, companies.Key)
		expect(t, "nome and razaoSocial", company.JSON["nome"], company.JSON["razaoSocial"])
		calls := bureau.Calls()
		for _, refused := range []lookuptest.Answer{
			s.CPF(companies.Key, ana), // cached, and yet refused
			s.Post(companies.Key, `{"produto":"score","documento":"`+ana+`"}`),
		} {
			expect(t, "scope", refused.Status, 403)
			expect(t, "code", refused.Code(), "escopo_ausente")
		}
		expect(t, "calls", bureau.Calls(), calls)
		expect(t, "entries", len(s.Statement(companies.Key).Consultas), 1)
	})
}

func TestBadInputCostsNothing(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, nil)
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, 5*time.Second))
		key := s.NewKey(600, 5, 5).Key
		json := map[string]string{"Content-Type": "application/json"}
		type request struct {
			method, path string
			header       map[string]string
			body         string
		}
		post := func(body string) request { return request{"POST", "/api/v1/consultas", json, body} }
		get := func(path string) request { return request{"GET", path, nil, ""} }
		for name, c := range map[string]struct {
			r      request
			status int
			code   string
			field  string
		}{
			"wrong digit":              {get("/api/v1/cpf/52998224726"), 400, "documento_invalido", "documento"},
			"repeated digit":           {get("/api/v1/cpf/11111111111"), 400, "documento_invalido", "documento"},
			"mask":                     {get("/api/v1/cpf/529.982.247-25"), 400, "documento_invalido", "documento"},
			"CNPJ with mask":           {get("/api/v1/cnpj/11.222.333/0001-81"), 400, "documento_invalido", "documento"},
			"CNPJ with escaped mask":   {get("/api/v1/cnpj/11.222.333%2F0001-81"), 400, "documento_invalido", "documento"},
			"lower case":               {get("/api/v1/cnpj/12abc34501de35"), 400, "documento_invalido", "documento"},
			"wrong alphanumeric":       {get("/api/v1/cnpj/R55231B3000700"), 400, "documento_invalido", "documento"},
			"letters":                  {get("/api/v1/cpf/5299822472A"), 400, "documento_invalido", "documento"},
			"Unicode digits":           {get("/api/v1/cpf/%D9%A5%D9%A2%D9%A9%D9%A9%D9%A8%D9%A2%D9%A2%D9%A4%D9%A7%D9%A2%D9%A5"), 400, "documento_invalido", "documento"},
			"full-width digits":        {post(`{"produto":"cpf","documento":"５２９９８２２４７２５"}`), 400, "documento_invalido", "documento"},
			"not UTF-8":                {get("/api/v1/cpf/%ff%fe"), 400, "documento_invalido", "documento"},
			"NUL":                      {get("/api/v1/cpf/52998224725%00"), 400, "documento_invalido", "documento"},
			"CNPJ in a CPF product":    {post(`{"produto":"cpf","documento":"` + acme + `"}`), 400, "documento_invalido", "documento"},
			"CPF on the CNPJ route":    {get("/api/v1/cnpj/" + ana), 400, "documento_invalido", "documento"},
			"unknown product":          {post(`{"produto":"nada","documento":"` + ana + `"}`), 400, "produto_desconhecido", "produto"},
			"product not offered":      {post(`{"produto":"obito","documento":"` + ana + `"}`), 400, "produto_desconhecido", "produto"},
			"empty body":               {post(""), 400, "requisicao_invalida", ""},
			"blank body":               {post(" \n"), 400, "requisicao_invalida", ""},
			"not JSON":                 {post("{"), 400, "requisicao_invalida", ""},
			"array":                    {post("[]"), 400, "requisicao_invalida", ""},
			"text":                     {post(`"cpf"`), 400, "requisicao_invalida", ""},
			"null":                     {post("null"), 400, "requisicao_invalida", ""},
			"no product":               {post(`{"documento":"` + ana + `"}`), 400, "requisicao_invalida", "produto"},
			"no document":              {post(`{"produto":"cpf"}`), 400, "requisicao_invalida", "documento"},
			"null document":            {post(`{"produto":"cpf","documento":null}`), 400, "requisicao_invalida", "documento"},
			"number for document":      {post(`{"produto":"cpf","documento":` + ana + `}`), 400, "requisicao_invalida", "documento"},
			"text for boolean":         {post(`{"produto":"cpf","documento":"` + ana + `","atualizar":"true"}`), 400, "requisicao_invalida", "atualizar"},
			"unknown field":            {post(`{"produto":"cpf","documento":"` + ana + `","force":true}`), 400, "requisicao_invalida", "force"},
			"field in capitals":        {post(`{"PRODUTO":"cpf","documento":"` + ana + `"}`), 400, "requisicao_invalida", "PRODUTO"},
			"repeated field":           {post(`{"produto":"cpf","documento":"1","documento":"` + ana + `"}`), 400, "requisicao_invalida", "documento"},
			"two objects":              {post(`{"produto":"cpf","documento":"` + ana + `"}{}`), 400, "requisicao_invalida", ""},
			"deep nesting":             {post(`{"produto":` + strings.Repeat("[", 20000) + `}`), 400, "requisicao_invalida", ""},
			"large body":               {post(`{"produto":"cpf","documento":"` + strings.Repeat("1", 70<<10) + `"}`), 413, "corpo_grande_demais", ""},
			"compressed":               {request{"POST", "/api/v1/consultas", map[string]string{"Content-Type": "application/json", "Content-Encoding": "gzip"}, "{}"}, 415, "tipo_nao_suportado", ""},
			"no content type":          {request{"POST", "/api/v1/consultas", nil, "{}"}, 415, "tipo_nao_suportado", ""},
			"form":                     {request{"POST", "/api/v1/consultas", map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, "produto=cpf"}, 415, "tipo_nao_suportado", ""},
			"bad boolean":              {get("/api/v1/cpf/" + ana + "?atualizar=sim"), 400, "requisicao_invalida", "atualizar"},
			"empty boolean":            {get("/api/v1/cpf/" + ana + "?atualizar="), 400, "requisicao_invalida", "atualizar"},
			"repeated parameter":       {get("/api/v1/cpf/" + ana + "?atualizar=true&atualizar=true"), 400, "requisicao_invalida", "atualizar"},
			"unknown parameter":        {get("/api/v1/cpf/" + ana + "?atualizr=true"), 400, "requisicao_invalida", ""},
			"unreadable parameters":    {get("/api/v1/cpf/" + ana + "?atualizar=%zz"), 400, "requisicao_invalida", ""},
			"a product with NUL":       {get("/api/v1/consultas?produto=%00"), 400, "requisicao_invalida", "produto"},
			"a product of odd bytes":   {get("/api/v1/consultas?produto=%ff"), 400, "requisicao_invalida", "produto"},
			"limit of zero":            {get("/api/v1/consultas?limite=0"), 400, "requisicao_invalida", "limite"},
			"limit over the most":      {get("/api/v1/consultas?limite=201"), 400, "requisicao_invalida", "limite"},
			"limit beyond numbers":     {get("/api/v1/consultas?limite=99999999999999999999"), 400, "requisicao_invalida", "limite"},
			"bad cursor":               {get("/api/v1/consultas?cursor=abc"), 400, "requisicao_invalida", "cursor"},
			"bad first day":            {get("/api/v1/consultas?de=2026-02-30"), 400, "requisicao_invalida", "de"},
			"bad last day":             {get("/api/v1/consultas?ate=amanha"), 400, "requisicao_invalida", "ate"},
			"days the wrong way round": {get("/api/v1/consultas?de=2026-11-02&ate=2026-11-01"), 400, "requisicao_invalida", "ate"},
			"bad cache filter":         {get("/api/v1/consultas?cache=1"), 400, "requisicao_invalida", "cache"},
			"bad filter for a file":    {request{"GET", "/api/v1/consultas?cache=1", map[string]string{"Accept": "text/csv"}, ""}, 400, "requisicao_invalida", "cache"},
			"unknown route":            {get("/api/v1/nada"), 404, "rota_desconhecida", ""},
			"wrong method":             {request{"DELETE", "/api/v1/consultas", nil, ""}, 405, "metodo_nao_permitido", ""},
			"PUT of a lookup":          {request{"PUT", "/api/v1/cpf/" + ana, nil, ""}, 405, "metodo_nao_permitido", ""},
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
		expect(t, "calls", bureau.Calls(), 0)
		st := s.Statement(key)
		expect(t, "entries", len(st.Consultas), 0)
		expect(t, "charged", st.Cobradas.Total, 0)
	})
}

func TestKeysOpenOnlyWhatTheyShould(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, nil)
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, 5*time.Second))
		key := s.NewKey(600, 5, 5)
		for name, header := range map[string]string{
			"none": "", "other scheme": "Basic " + key.Key, "no scheme": key.Key, "garbage": "Bearer abc", "empty": "Bearer ",
			"changed": "Bearer " + key.Key[:49] + flip(key.Key[49]), "longer": "Bearer " + key.Key + "0",
		} {
			a, err := s.Do(t.Context(), "GET", "/api/v1/cpf/"+ana, "", map[string]string{"Authorization": header}, "")
			if err != nil {
				t.Fatal(err)
			}
			expect(t, name, a.String(), "401 nao_autenticado")
			if !strings.HasPrefix(a.Header.Get("WWW-Authenticate"), "Bearer") || a.Header.Get("X-RateLimit-Limit") != "" {
				t.Errorf("%s: headers %v", name, a.Header)
			}
		}
		a, err := s.Do(t.Context(), "GET", "/api/v1/cpf/"+ana, "", map[string]string{"Authorization": "bearer " + key.Key}, "")
		if err != nil || a.Status != 200 {
			t.Errorf("the scheme in lower case: %d, %v", a.Status, err)
		}
		s.Hide(ana)

		rotated := testkit.JSON[lookuptest.Key](t, s.Command("key", "rotate", key.ID, "--overlap", "1h", "--json"))
		s.Hide(rotated.Key)
		expect(t, "old secret within the overlap", s.CPF(key.Key, ana).Status, 200)
		expect(t, "new secret", s.CPF(rotated.Key, ana).Status, 200)
		expect(t, "the statement goes on", len(s.Statement(rotated.Key).Consultas), 3)
		last := testkit.JSON[lookuptest.Key](t, s.Command("key", "rotate", key.ID, "--json"))
		s.Hide(last.Key)
		lookuptest.Eventually(t, "the replaced secrets end", 5*time.Second, func() bool {
			return s.CPF(rotated.Key, ana).Status == 401 && s.CPF(key.Key, ana).Status == 401
		})
		expect(t, "newest secret", s.CPF(last.Key, ana).Status, 200)
		s.Command("key", "revoke", key.ID)
		lookuptest.Eventually(t, "the revoked key ends", 5*time.Second, func() bool { return s.CPF(last.Key, ana).Status == 401 })

		soon := s.NewKey(600, 5, 5, "--expires", time.Now().Add(3*time.Second).UTC().Format(time.RFC3339))
		expect(t, "before its end", s.CPF(soon.Key, ana).Status, 200)
		lookuptest.Eventually(t, "the key expires", 6*time.Second, func() bool { return s.CPF(soon.Key, ana).Status == 401 })

		lookuptest.Eventually(t, "the last use is written down", 10*time.Second, func() bool {
			for _, k := range testkit.JSON[[]map[string]any](t, s.Command("key", "list", "--org", s.Org, "--json")) {
				if k["id"] == soon.ID {
					return k["lastUsedAt"] != nil
				}
			}
			return false
		})
	})
}

func flip(b byte) string {
	if b == 'A' {
		return "B"
	}
	return "A"
}

func TestStatementPagesFiltersAndFile(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, nil)
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, 5*time.Second))
		key := s.NewKey(600, 500, 500).Key
		for _, d := range lookuptest.CPFs(1, 7) {
			s.CPF(key, d)
		}
		s.CPF(key, lookuptest.CPFs(1, 1)[0])
		s.Get("/api/v1/cnpj/"+acme, key)

		whole := s.Statement(key)
		expect(t, "entries", len(whole.Consultas), 9)
		expect(t, "gasto", whole.Gasto, lookuptest.Amounts{Hoje: "3.45", Mes: "3.45", Total: "3.45"})
		var pages []lookuptest.Entry
		path := "/api/v1/consultas?limite=4"
		for range 9 {
			page := s.StatementAt(path, key)
			pages = append(pages, page.Consultas...)
			s.CPF(key, lookuptest.CPFs(1, 2)[1]) // an insert while paging
			if page.Proxima == nil {
				break
			}
			path = "/api/v1/consultas?limite=4&cursor=" + *page.Proxima
		}
		expect(t, "pages", pages, whole.Consultas)

		today := time.Now().In(saoPaulo(t)).Format(time.DateOnly)
		tomorrow := time.Now().In(saoPaulo(t)).AddDate(0, 0, 1).Format(time.DateOnly)
		for query, want := range map[string]int{
			"produto=cnpj": 1, "produto=nada": 0, "cache=false&produto=cpf": 7, "de=" + today + "&produto=cnpj": 1,
			"de=" + tomorrow: 0, "ate=" + today + "&cache=false": 8, "ate=2020-01-01": 0,
		} {
			st := s.StatementAt("/api/v1/consultas?"+query, key)
			expect(t, query, len(st.Consultas), want)
			expect(t, query+": filters do not change what was spent", st.Gasto.Total, "3.45")
		}

		file, err := s.Do(t.Context(), "GET", "/api/v1/consultas?limite=1&cache=false", key, map[string]string{"Accept": "text/csv"}, "")
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(strings.NewReader(string(file.Body))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		expect(t, "rows", len(rows), 9)
		expect(t, "header", strings.Join(rows[0], ","), "id,produto,documento,em,cache,cobrada,valor,situacao")
		expect(t, "first row", strings.Join(slices.Delete(slices.Clone(rows[1]), 3, 4), ",")[37:], "cnpj,"+acme+",false,true,0.3,concluida")
		expect(t, "type", file.Header.Get("Content-Type"), "text/csv; charset=utf-8")
		empty, err := s.Do(t.Context(), "GET", "/api/v1/consultas?ate=2020-01-01", key, map[string]string{"Accept": "text/csv"}, "")
		if err != nil || !strings.HasPrefix(string(empty.Body), "id,produto") {
			t.Errorf("an empty file has its header: %q, %v", empty.Body, err)
		}
	})
}

func saoPaulo(t *testing.T) *time.Location {
	t.Helper()
	l, err := time.LoadLocation("America/Sao_Paulo")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLimits(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, nil)
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, 5*time.Second))
		docs := lookuptest.CPFs(2, 6)

		minute := s.NewKey(3, 100, 100).Key
		for i := range 3 {
			a := s.Get("/api/v1/produtos", minute)
			expect(t, "status", a.Status, 200)
			expect(t, "remaining", a.Header.Get("X-RateLimit-Remaining"), fmt.Sprint(2-i))
		}
		a := s.CPF(minute, docs[0])
		expect(t, "over the minute", a.String(), "429 limite_por_minuto")
		wait, err := strconv.Atoi(a.Header.Get("Retry-After"))
		if err != nil || wait < 1 || wait > 60 {
			t.Errorf("Retry-After: %q", a.Header.Get("Retry-After"))
		}
		expect(t, "remaining", a.Header.Get("X-RateLimit-Remaining"), "0")

		day := s.NewKey(600, 2, 100).Key
		for _, d := range docs[:2] {
			expect(t, "within the day", s.CPF(day, d).Status, 200)
		}
		a = s.CPF(day, docs[2])
		expect(t, "over the day", a.String(), "429 limite_diario")
		expect(t, "limit and remaining", a.Header.Get("X-RateLimit-Limit")+" "+a.Header.Get("X-RateLimit-Remaining"), "2 0")
		now := time.Now().In(saoPaulo(t))
		midnight := time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, now.Location())
		wait, err = strconv.Atoi(a.Header.Get("Retry-After"))
		if left := int(time.Until(midnight).Seconds()); err != nil || wait < left || wait > left+5 {
			t.Errorf("Retry-After %d, midnight in %d", wait, left)
		}
		expect(t, "history stays free", s.CPF(day, docs[0]).JSON["cache"], true)
		expect(t, "entries", len(s.Statement(day).Consultas), 3)

		month := s.NewKey(600, 100, 1).Key
		expect(t, "within the month", s.CPF(month, docs[3]).Status, 200)
		a = s.CPF(month, docs[4])
		expect(t, "over the month", a.String(), "429 limite_mensal")
		if _, set := a.Header["Retry-After"]; set {
			t.Error("a monthly cap has a Retry-After")
		}
		both := s.NewKey(600, 1, 1).Key
		s.CPF(both, docs[4])
		expect(t, "both caps used up: waiting for the day does not suffice", s.CPF(both, docs[5]).Code(), "limite_mensal")
		none := s.NewKey(600, 0, 5).Key
		a = s.CPF(none, docs[5])
		expect(t, "a cap of zero", a.Code(), "limite_diario")
		if _, set := a.Header["Retry-After"]; set {
			t.Error("a cap of zero has a Retry-After")
		}
		expect(t, "a cap of zero leaves history", s.CPF(none, docs[0]).JSON["cache"], true)
	})
}

func TestLookupsMayBeOff(t *testing.T) {
	t.Parallel()
	bureau := lookuptest.StartBureau(t, nil)
	s := lookuptest.StartService(t, testkit.SQLite(t), lookuptest.BureauFile(t, bureau.URL, 5*time.Second), map[string]string{"FICHARIO_LOOKUP_ENABLED": "false"})
	key := s.NewKey(600, 5, 5).Key
	for _, k := range []string{key, "", "abc"} {
		for _, path := range []string{"/api/v1/cpf/" + ana, "/api/v1/cpf/1", "/api/v1/cnpj/" + acme, "/api/v1/produtos", "/api/v1/consultas"} {
			a := s.Get(path, k)
			expect(t, path, a.String(), "404 recurso_indisponivel")
		}
		expect(t, "POST", s.Post(k, `{"produto":"cpf","documento":"`+ana+`"}`).Code(), "recurso_indisponivel")
	}
	expect(t, "health", s.Get("/healthz", "").Status, 200)
}

// TestTogether is the heart of charging: identical requests share a call, and caps hold, on one instance and on two.
func TestTogether(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, nil)
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, 5*time.Second))
		instances := []*lookuptest.Service{s}
		if strings.HasPrefix(env["FICHARIO_DATABASE_URL"], "postgres") {
			instances = append(instances, s.StartAnother())
		}
		ask := func(i int, path, key string) (lookuptest.Answer, error) {
			return instances[i%len(instances)].Do(t.Context(), "GET", "/api/v1/cpf/"+path, key, nil, "")
		}

		const identical = 24
		key := s.NewKey(6000, 500, 500)
		s.Hide(ana)
		release := bureau.Hold(ana)
		asked := together(t, identical, func(i int) (lookuptest.Answer, error) { return ask(i, ana, key.Key) })
		others := lookuptest.CPFs(4, len(instances))
		for i, instance := range instances {
			instance.AwaitFollowers(key.Key, 6000, identical/len(instances), others[i])
		}
		release()
		fresh := 0
		for _, a := range asked() {
			expect(t, "status", a.Status, 200)
			expect(t, "bruto", a.Raw(t), lookuptest.Body(ana))
			if a.JSON["cache"] == false {
				fresh++
			}
		}
		expect(t, "calls for identical requests", bureau.Ledger()[ana], 1)
		expect(t, "fresh answers", fresh, 1)
		st := s.Statement(key.Key)
		expect(t, "entries", st.Charged(), map[string]int{"concluida": 1, "livre": identical - 1})
		expect(t, "gasto", st.Gasto.Total, "0.45")

		few := s.NewKey(6000, 7, 500)
		docs := lookuptest.CPFs(3, 40)
		before := bureau.Calls()
		release = bureau.Hold("")
		asked = together(t, 40, func(i int) (lookuptest.Answer, error) { return ask(i, docs[i], few.Key) })
		bureau.Await(t, before+7)
		release()
		ok := 0
		for _, a := range asked() {
			switch a.Status {
			case 200:
				ok++
			case 429:
				expect(t, "code", a.Code(), "limite_diario")
			default:
				t.Errorf("status %d", a.Status)
			}
		}
		expect(t, "answers for 40 documents on a key with 7 left", ok, 7)
		expect(t, "calls", bureau.Calls()-before, 7)
		expect(t, "cobradas", s.Statement(few.Key).Cobradas, lookuptest.Counts{Hoje: 7, Mes: 7, Total: 7})

		before = bureau.Calls()
		release = bureau.Hold("")
		asked = together(t, 5, func(i int) (lookuptest.Answer, error) { return ask(i, ana+"?atualizar=true", key.Key) })
		bureau.Await(t, before+5)
		release()
		asked()
		expect(t, "calls for 5 refreshes", bureau.Calls()-before, 5)
	})
}

// together begins n requests at once; the function that it returns waits for their answers.
func together(t *testing.T, n int, f func(i int) (lookuptest.Answer, error)) func() []lookuptest.Answer {
	t.Helper()
	out := make([]lookuptest.Answer, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			var err error
			if out[i], err = f(i); err != nil {
				t.Error(err)
			}
		})
	}
	return func() []lookuptest.Answer { wg.Wait(); return out }
}

// TestAFailureIsSharedToo: those that wait for a call get its failure, free, and do not ask again in turn.
func TestAFailureIsSharedToo(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, func(w http.ResponseWriter, r *http.Request, document string) {
			if document != ana {
				lookuptest.Ordinary(w, r, document)
				return
			}
			w.WriteHeader(http.StatusInternalServerError)
		})
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, 5*time.Second))
		key, other := s.NewKey(6000, 500, 500).Key, s.NewKey(6000, 500, 500).Key
		s.Hide(ana)
		release := bureau.Hold(ana)
		asked := together(t, 12, func(i int) (lookuptest.Answer, error) {
			return s.Do(t.Context(), "GET", "/api/v1/cpf/"+ana, []string{key, other}[i%2], nil, "")
		})
		for i, d := range lookuptest.CPFs(5, 2) {
			s.AwaitFollowers([]string{key, other}[i], 6000, 6, d)
		}
		release()
		free := 0
		for _, a := range asked() {
			expect(t, "answer", a.String(), "502 bureau_falhou")
			if strings.Contains(fmt.Sprint(a.JSON["detail"]), "não foi cobrado") {
				free++
			}
		}
		expect(t, "those who are told that it was free for them", free, 11)
		expect(t, "calls", bureau.Ledger()[ana], 1)
		expect(t, "entries of both keys", len(s.Statement(key).Consultas)+len(s.Statement(other).Consultas), 1)
		expect(t, "a later request asks again", s.CPF(key, ana).Status, 502)
		expect(t, "calls", bureau.Ledger()[ana], 2)
	})
}

func TestAClientThatLeavesHasPaidForEverybody(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, nil)
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, 5*time.Second))
		key := s.NewKey(600, 500, 500).Key
		s.Hide(ana)
		release := bureau.Hold(ana)
		ctx, leave := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() {
			_, err := s.Do(ctx, "GET", "/api/v1/cpf/"+ana, key, nil, "")
			left <- err
		}()
		bureau.Await(t, 1)
		leave()
		if <-left == nil {
			t.Error("the client did not leave")
		}
		release()
		a := s.CPF(key, ana)
		expect(t, "the next answer is free", a.JSON["cache"], true)
		expect(t, "calls", bureau.Calls(), 1)
		expect(t, "entries", s.Statement(key).Charged(), map[string]int{"concluida": 1, "livre": 1})
	})
}

// TestHistoryAges: what is older than FICHARIO_HISTORY_FRESH no longer answers.
func TestHistoryAges(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, nil)
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, 5*time.Second), map[string]string{"FICHARIO_HISTORY_FRESH": "2s"})
		key := s.NewKey(6000, 500, 500).Key
		first := s.CPF(key, ana)
		expect(t, "at once", s.CPF(key, ana).JSON["cache"], true)
		var later lookuptest.Answer
		lookuptest.Eventually(t, "the bureau is asked again", 6*time.Second, func() bool {
			later = s.CPF(key, ana)
			return later.JSON["cache"] == false
		})
		at := func(a lookuptest.Answer) time.Time {
			when, err := time.Parse(time.RFC3339Nano, fmt.Sprint(a.JSON["consultadoEm"]))
			if err != nil {
				t.Fatal(err)
			}
			return when
		}
		if age := at(later).Sub(at(first)); age < 2*time.Second {
			t.Errorf("asked again after %s", age)
		}
		expect(t, "calls", bureau.Calls(), 2)
		expect(t, "the newest answers", s.CPF(key, ana).JSON["consultadoEm"], later.JSON["consultadoEm"])
	})
}
