package integration

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"fichario/tests/testkit/lookuptest"
)

// TestAnswersLater: a lookup that nobody waits for is like any other, and its key can fetch the answer later.
func TestAnswersLater(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		other := lookuptest.CPFs(12, 1)[0]
		bureau := lookuptest.StartBureau(t, func(w http.ResponseWriter, r *http.Request, document string) {
			if document == other {
				w.WriteHeader(http.StatusInternalServerError)
				return
			}
			lookuptest.Ordinary(w, r, document)
		})
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
		key, stranger := s.NewKey(600, 50, 50), s.NewKey(600, 50, 50)
		later := func(path string) lookuptest.Answer {
			a, err := s.Do(t.Context(), "GET", path, key.Key, map[string]string{"Prefer": "wait=1, Respond-Async; x=1"}, "")
			if err != nil {
				t.Fatal(err)
			}
			return a
		}
		release := bureau.Hold(ana)
		first := later("/api/v1/cpf/" + ana)
		expect(t, "not waited for", []any{first.Status, first.JSON["situacao"]}, []any{202, "em_andamento"})
		id, _ := first.JSON["consultaId"].(string)
		place := "/api/v1/consultas/" + id
		expect(t, "its headers", strings.Join([]string{
			first.Header.Get("Location"), first.Header.Get("Preference-Applied"), first.Header.Get("Retry-After"),
		}, " "), place+" respond-async 1")
		bureau.Await(t, 1)
		expect(t, "while it runs", []any{s.Get(place, key.Key).Status, s.Get(place, key.Key).JSON["consultaId"]}, []any{202, id})
		expect(t, "on the open route", s.Get("/api/v1/consultas-abertas/"+id, key.Key).Status, 202)
		same := later("/api/v1/cpf/" + ana)
		expect(t, "the same again", []any{same.Status, same.JSON["consultaId"]}, []any{202, id})
		release()
		var answer lookuptest.Answer
		lookuptest.Eventually(t, "its answer", func() bool {
			answer = s.Get(place, key.Key)
			return answer.Status == 200
		})
		expect(t, "its answer", []any{answer.JSON["consultaId"], answer.JSON["cache"], answer.JSON["valorCobrado"]},
			[]any{id, false, json.Number("0.45")})
		expect(t, "byte for byte", answer.Raw(t), lookuptest.Body(ana))
		expect(t, "by its id in capitals", s.Get("/api/v1/consultas/"+strings.ToUpper(id), key.Key).Status, 200)
		expect(t, "of another key", s.Get(place, stranger.Key).String(), "404 consulta_desconhecida")
		for _, unknown := range []string{"x", "019a9b1c-6a55-7d3e-9f3d-2f3a1f0c9d10"} {
			expect(t, unknown, s.Get("/api/v1/consultas/"+unknown, key.Key).String(), "404 consulta_desconhecida")
		}
		expect(t, "unknown parameters", s.Get(place+"?x=1", key.Key).String(), "400 requisicao_invalida")

		atOnce := later("/api/v1/cpf/" + ana)
		expect(t, "history answers at once",
			[]any{atOnce.Status, atOnce.JSON["cache"], atOnce.Header.Get("Preference-Applied")}, []any{200, true, ""})
		again := s.Get("/api/v1/consultas/"+atOnce.JSON["consultaId"].(string), key.Key) //nolint:forcetypeassert // as above
		expect(t, "what history answered", []any{again.Status, again.JSON["cache"], again.JSON["valorCobrado"]},
			[]any{200, true, json.Number("0")})

		failed := later("/api/v1/cpf/" + other)
		lookuptest.Eventually(t, "its problem", func() bool {
			return s.Get("/api/v1/consultas/"+failed.JSON["consultaId"].(string), key.Key).String() == "502 bureau_falhou" //nolint:forcetypeassert // as above
		})
		expect(t, "its problem on the open route",
			s.Get(fmt.Sprint("/api/v1/consultas-abertas/", failed.JSON["consultaId"]), key.Key).String(), "502 bureau_falhou")
		expect(t, "calls", bureau.Calls(), 2)
		lookuptest.Eventually(t, "the follower's line", func() bool {
			return len(s.Statement(key.Key).Consultas) == 4
		})
		expect(t, "refused as ever", later("/api/v1/cpf/52998224726").String(), "400 documento_invalido")
	})
}

// TestWhenHistoryAnswers: only when its answer is recent enough; on request the bureau is never called.
func TestWhenHistoryAnswers(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, nil)
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
		key := s.NewKey(600, 50, 50)
		get := func(query string) string { return s.Get("/api/v1/cpf/"+ana+query, key.Key).String() }
		post := func(more string) string {
			return s.Post(key.Key, `{"produto":"cpf","documento":"`+ana+`"`+more+`}`).String()
		}
		expect(t, "nothing yet", get("?somenteHistorico=true"), "404 fora_do_historico")
		expect(t, "nothing yet, in a body", post(`,"somenteHistorico":true`), "404 fora_do_historico")
		expect(t, "no line", len(s.Statement(key.Key).Consultas), 0)
		expect(t, "asked", get("?maxIdade=30"), "200")
		expect(t, "history", get("?somenteHistorico=true&maxIdade=1"), "200")
		expect(t, "history, in a body", post(`,"somenteHistorico":true,"maxIdade":1`), "200")
		line := s.Statement(key.Key).Consultas[0]
		expect(t, "again", s.Get("/api/v1/consultas/"+line.ID, key.Key).String(), "200")
		read := s.Command("audit", "list", "--org", s.Org, "--json")
		has(t, "the audit", read, `"porta":"api"`, `"acao":"resposta.baixada"`)
		expect(t, "young enough", post(`,"maxIdade":1`), "200")
		expect(t, "calls", bureau.Calls(), 1)
		expect(t, "never young enough, and nothing else", get("?somenteHistorico=true&maxIdade=0"), "404 fora_do_historico")
		expect(t, "never young enough", get("?maxIdade=0"), "200")
		expect(t, "never young enough, in a body", post(`,"maxIdade":0`), "200")
		expect(t, "calls", bureau.Calls(), 3)
		for _, wrong := range []string{
			"?maxIdade=31", "?maxIdade=-1", "?maxIdade=x", "?maxIdade=", "?somenteHistorico=", "?somenteHistorico=1",
			"?atualizar=true&maxIdade=1", "?atualizar=true&somenteHistorico=true", "?maxIdade=1&maxIdade=2",
		} {
			expect(t, wrong, get(wrong), "400 requisicao_invalida")
		}
		for _, wrong := range []string{
			`,"maxIdade":31`, `,"maxIdade":-1`, `,"maxIdade":"1"`, `,"maxIdade":1.5`, `,"somenteHistorico":"x"`,
			`,"atualizar":true,"maxIdade":1`, `,"atualizar":true,"somenteHistorico":true`,
		} {
			expect(t, wrong, post(wrong), "400 requisicao_invalida")
		}
		expect(t, "calls in the end", bureau.Calls(), 3)
	})
}
