// Package integration tests the real program over HTTP, on SQLite and on PostgreSQL.
package integration

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"fichario/tests/testkit"
	"fichario/tests/testkit/lookuptest"
	"fichario/tests/testkit/patience"
)

const (
	ana  = "52998224725"
	acme = "11222333000181"
)

// onBoth is on both databases, and on PostgreSQL once more through a pooler.
var onBoth = testkit.OnBothAndPooled

func expect[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	lookuptest.Expect(t, what, got, want)
}

func TestALookupIsChargedOnceAndThenFree(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, nil)
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
		key := s.NewKey(600, 500, 5000)

		fresh := s.CPF(key.Key, ana)
		expect(t, "status", fresh.Status, 200)
		for field, want := range map[string]any{
			"cache": false, "valorCobrado": json.Number("0.45"), "produto": "cpf", "documento": ana, "nomeMae": nil,
			"nascimento": nil,
			"emails":     nil, "enderecos": nil, "sexo": nil, "nome": "Ana <Lima> & é " + lookuptest.Secret,
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
	testkit.OnSQLiteAndPooled(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, nil)
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
		all, companies := s.NewKey(600, 5, 5), s.ScopedKey("cnpj", 600, 5, 5)
		s.Hide(ana)
		a := s.Post(all.Key, `{"produto":"renda_presumida","documento":"`+ana+`"}`)
		expect(t, "renda", a.JSON["renda"], any(json.Number("1.50")))
		expect(t, "valorCobrado", a.JSON["valorCobrado"], any(json.Number("2.075")))
		open, err := s.Do(t.Context(), "POST", "/api/v1/consultas-abertas", all.Key,
			map[string]string{"Content-Type": "application/json"}, `{"produto":"renda_presumida","documento":"`+ana+`"}`)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, "on the open route", []any{open.JSON["renda"], open.JSON["cache"]}, []any{json.Number("1.50"), true})
		for _, place := range []string{"/api/v1/consultas/", "/api/v1/consultas-abertas/"} {
			expect(t, place, s.Get(place+fmt.Sprint(open.JSON["consultaId"]), all.Key).JSON["renda"], any(json.Number("1.50")))
		}

		ids := func(key string) (out []string) {
			for _, p := range s.Get("/api/v1/produtos", key).JSON["produtos"].([]any) {
				p := p.(map[string]any)
				out = append(out, fmt.Sprint(p["id"], " ", p["preco"], " ", p["rota"], " ", p["escopos"]))
			}
			return out
		}
		expect(t, "products", strings.Join(ids(all.Key), "; "),
			"cpf 0.45 /api/v1/cpf/{documento} [cpf]; cnpj 0.3 /api/v1/cnpj/{documento} [cnpj]; "+
				"score 0.6 /api/v1/consultas [cpf cnpj]; renda_presumida 2.075 /api/v1/consultas [cpf]")
		expect(t, "products of a key with one scope", strings.Join(ids(companies.Key), "; "),
			"cnpj 0.3 /api/v1/cnpj/{documento} [cnpj]; score 0.6 /api/v1/consultas [cnpj]")

		company := s.Get("/api/v1/cnpj/"+acme, companies.Key)
		expect(t, "nome and razaoSocial", company.JSON["nome"], company.JSON["razaoSocial"])
		calls := bureau.Calls()
		for _, refused := range []lookuptest.Answer{
			s.CPF(companies.Key, ana), // cached, but refused all the same
			s.Post(companies.Key, `{"produto":"score","documento":"`+ana+`"}`),
		} {
			expect(t, "scope", refused.Status, 403)
			expect(t, "code", refused.Code(), "escopo_ausente")
		}
		expect(t, "calls", bureau.Calls(), calls)
		expect(t, "entries", len(s.Statement(companies.Key).Consultas), 1)
	})
}

func TestLookupsMayBeOff(t *testing.T) {
	t.Parallel()
	bureau := lookuptest.StartBureau(t, nil)
	off := map[string]string{"FICHARIO_LOOKUP_ENABLED": "false"}
	s := lookuptest.StartService(t, testkit.SQLite(t), lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient), off)
	key := s.NewKey(600, 5, 5).Key
	for _, k := range []string{key, "", "abc"} {
		for _, o := range keyed(t) {
			a, err := s.Do(t.Context(), o.Method, o.Path, k, o.Header(), o.Body)
			expect(t, o.ID, a.String(), "404 recurso_indisponivel")
			expect(t, o.ID, err, nil)
		}
		expect(t, "no document", s.Get("/api/v1/cpf/1", k).String(), "404 recurso_indisponivel")
		agent, err := s.Do(t.Context(), http.MethodPost, "/mcp", k, nil, "{}")
		expect(t, "an agent", fmt.Sprint(agent, err), "404 recurso_indisponivel <nil>")
		for _, r := range [][2]string{
			{"DELETE", "/api/v1/consultas"}, {"OPTIONS", "/api/v1/produtos"}, {"PUT", "/api/v1/cpf/" + ana}, {"GET", "/mcp"},
		} {
			a, err := s.Do(t.Context(), r[0], r[1], k, nil, "")
			expect(t, r[0], fmt.Sprint(a, err), "404 recurso_indisponivel <nil>")
		}
	}
	// What a bureau posts was asked for before.
	posted, err := s.Do(t.Context(), http.MethodPost, "/api/v1/retornos/nada", "", nil, "{}")
	expect(t, "a bureau's post", fmt.Sprint(posted, err), "404 consulta_desconhecida <nil>")
	expect(t, "health", s.Get("/healthz", "").Status, 200)
}

// TestHistoryAges: answers older than FICHARIO_HISTORY_FRESH are no longer reused.
func TestHistoryAges(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		bureau, fresh := lookuptest.StartBureau(t, nil), patience.Scaled(2*time.Second)
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient), map[string]string{
			"FICHARIO_HISTORY_FRESH": fresh.String(),
		})
		key := s.NewKey(6000, 500, 500).Key
		first := s.CPF(key, ana)
		expect(t, "at once", s.CPF(key, ana).JSON["cache"], true)
		var later lookuptest.Answer
		lookuptest.Eventually(t, "the bureau is asked again", func() bool {
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
		if age := at(later).Sub(at(first)); age < fresh {
			t.Errorf("asked again after %s", age)
		}
		expect(t, "calls", bureau.Calls(), 2)
		expect(t, "the newest answers", s.CPF(key, ana).JSON["consultadoEm"], later.JSON["consultadoEm"])
	})
}
