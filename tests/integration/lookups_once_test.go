package integration

import (
	"testing"

	"fichario/tests/testkit/lookuptest"
)

// TestAnIdempotencyKeyOfALookup: by HTTP, both routes of a product are one question, and another one is a 422.
func TestAnIdempotencyKeyOfALookup(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, nil)
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
		key, docs := s.NewKey(600, 50, 50).Key, lookuptest.CPFs(35, 2)
		ask := func(method, path, body string) lookuptest.Answer {
			t.Helper()
			header := map[string]string{"Idempotency-Key": "pergunta 1", "Content-Type": "application/json"}
			a, err := s.Do(t.Context(), method, path, key, header, body)
			if err != nil {
				t.Fatal(err)
			}
			return a
		}
		s.Hide(docs[0])
		s.Hide(docs[1])
		first := ask("GET", "/api/v1/cpf/"+docs[0]+"?atualizar=true", "")
		again := ask("POST", "/api/v1/consultas", `{"produto":"cpf","documento":"`+docs[0]+`","atualizar":true}`)
		expect(t, "again", string(again.Body), string(first.Body))
		none, err := s.Do(t.Context(), "POST", "/api/v1/consultas-abertas", key, map[string]string{"Content-Type": "application/json"},
			`{"produto":"cpf","documento":"`+docs[1]+`","somenteHistorico":true}`)
		expect(t, "nothing there", []any{none.String(), err}, []any{"404 fora_do_historico", nil})
		open := ask("POST", "/api/v1/consultas-abertas", `{"produto":"cpf","documento":"`+docs[0]+`","atualizar":true}`)
		expect(t, "on the open route", string(open.Body)+open.Header.Get("Idempotency-Replayed"), string(first.Body)+"true")
		expect(t, "marked", []string{first.Header.Get("Idempotency-Replayed"), again.Header.Get("Idempotency-Replayed")},
			[]string{"", "true"})
		for path, body := range map[string]string{
			"/api/v1/cpf/" + docs[1]: "", "/api/v1/cnpj/11222333000181": "",
			"/api/v1/consultas":         `{"produto":"cpf","documento":"` + docs[0] + `"}`,
			"/api/v1/consultas-abertas": `{"produto":"cpf","documento":"` + docs[0] + `"}`,
		} {
			method := "GET"
			if body != "" {
				method = "POST"
			}
			expect(t, path, ask(method, path, body).String(), "422 chave_reutilizada")
		}
		expect(t, "calls", bureau.Calls(), 1)
	})
}
