package integration

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"fichario/openapi"
	"fichario/tests/testkit"
	"fichario/tests/testkit/lookuptest"
)

// operations has a row for each operation of the contract: its credential, its body, and its answer to another
// organisation's key and to a key without the scope.
var operations = map[string]struct{ opens, body, foreign, weaker string }{
	"lookupCpf":  {"key", "", "", "403 escopo_ausente"},
	"lookupCnpj": {"key", "", "", "403 escopo_ausente"},
	"lookup":     {"key", `{"produto":"cpf","documento":"` + ana + `"}`, "", "403 escopo_ausente"},
	"lookupOpen": {"key", `{"produto":"cpf","documento":"` + ana + `"}`, "", "403 escopo_ausente"},
	"getLookup":  {"key", "", "404 consulta_desconhecida", "404 consulta_desconhecida"},
	"getLookupOpen": {
		"key", "", "404 consulta_desconhecida", "404 consulta_desconhecida",
	},
	"getStatementFile": {"key", "", "", ""},
	"getBatchResultsFile": {
		"key", "", "404 lote_desconhecido", "404 lote_desconhecido",
	},
	"getStatement": {"key", "", "", ""},
	"listProducts": {"key", "", "", ""},
	"createBatch":  {"key", `{"produto":"cpf","documentos":["` + ana + `"]}`, "", "403 escopo_ausente"},
	"listBatches":  {"key", "", "", ""},
	"getBatch":     {"key", "", "404 lote_desconhecido", "404 lote_desconhecido"},
	"confirmBatch": {"key", `{"teto":1}`, "404 lote_desconhecido", "404 lote_desconhecido"},
	"pauseBatch":   {"key", "", "404 lote_desconhecido", "404 lote_desconhecido"},
	"resumeBatch":  {"key", "", "404 lote_desconhecido", "404 lote_desconhecido"},
	"cancelBatch":  {"key", "", "404 lote_desconhecido", "404 lote_desconhecido"},
	"getBatchResults": {
		"key", "", "404 lote_desconhecido", "404 lote_desconhecido",
	},
	"receiveAnswer":    {"token", `{}`, "404 consulta_desconhecida", ""},
	"verifyWebhook":    {"token", "", "404 webhook_desconhecido", ""},
	"probeWebhook":     {"token", "", "404", ""},
	"preflightWebhook": {"everybody", "", "", ""},
	"receiveLead":      {"token", `{"email":"ana@canario-7731.example"}`, "404 webhook_desconhecido", ""},
}

// TestEveryOperationIsHeldToItsCredential walks the contract: without a credential, with an expired one, with another
// organisation's, and with a key without the right. None of it reaches the bureau or is charged.
func TestEveryOperationIsHeldToItsCredential(t *testing.T) {
	t.Parallel()
	doc, err := openapi3.NewLoader().LoadFromData(openapi.YAML)
	if err != nil {
		t.Fatal(err)
	}
	testkit.OnBothDatabases(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, nil)
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
		key, ended, weaker := s.NewKey(600, 50, 50), s.NewKey(600, 50, 50), s.ScopedKey("placa", 600, 50, 50)
		s.Command("key", "revoke", ended.ID)
		other := testkit.JSON[struct{ ID string }](t, s.Command("org", "create", "--name", "Outra", "--json")).ID
		foreign := testkit.JSON[lookuptest.Key](t, s.Command("key", "create", "--org", other, "--name", "k", "--scopes",
			"cpf,cnpj", "--per-minute", "600", "--per-day", "50", "--per-month", "50", "--json"))
		s.Hide(foreign.Key)
		s.Hide(ana)
		expect(t, "bought", s.CPF(key.Key, ana).Status, 200)
		lookup := s.Statement(key.Key).Consultas[0].ID
		batch := s.BatchOf(s.Quote(key.Key, `{"produto":"cpf","documentos":["`+lookuptest.CPFs(7, 1)[0]+`"]}`)).ID
		lookuptest.Eventually(t, "the revoked key ends", func() bool {
			return s.Get("/api/v1/produtos", ended.Key).Status == http.StatusUnauthorized
		})
		calls, entries := bureau.Calls(), len(s.Statement(key.Key).Consultas)

		seen := 0
		for path, item := range doc.Paths.Map() {
			for method, op := range item.Operations() {
				row, known := operations[op.OperationID]
				if !known {
					t.Errorf("%s has no row that says what opens it", op.OperationID)
					continue
				}
				seen++
				ask := func(key, id, token string) string {
					t.Helper()
					at := strings.NewReplacer("{id}", id, "{token}", token, "cpf/{documento}", "cpf/"+ana,
						"cnpj/{documento}", "cnpj/11222333000181").Replace(path)
					if method == http.MethodHead { // it has no body
						return fmt.Sprint(knock(t, method, s.URL+at, key).status, " ")
					}
					json := map[string]string{"Content-Type": "application/json"}
					a, err := s.Do(context.Background(), method, at, key, json, row.body)
					if err != nil {
						t.Fatal(err)
					}
					return told(a)
				}
				is := func(how, want, got string) {
					t.Helper()
					if want != "" && !strings.HasPrefix(got, want+" ") {
						t.Errorf("%s %s: %s, want %s", op.OperationID, how, got, want)
					}
				}
				id, nowhere, token := lookup, "019a9b1c-6a55-7d3e-9f3d-2f3a1f0c9d10", strings.Repeat("a", 48)
				if strings.Contains(path, "/lotes/") {
					id = batch
				}
				if row.opens == "token" {
					is("with an unknown token", row.foreign, ask("", "", token))
					continue
				}
				if row.opens != "key" {
					continue
				}
				is("without a key", "401 nao_autenticado", ask("", id, ""))
				is("with a key that ended", "401 nao_autenticado", ask(ended.Key, id, ""))
				is("with a key that nobody has", "401 nao_autenticado", ask(key.Key[:49]+flip(key.Key[49]), id, ""))
				is("with a key that may not", row.weaker, ask(weaker.Key, id, ""))
				if row.foreign != "" {
					strange := ask(foreign.Key, id, "")
					is("of another organisation", row.foreign, strange)
					expect(t, op.OperationID+" of another organisation, as of nobody", strange, ask(foreign.Key, nowhere, ""))
				}
			}
		}
		expect(t, "rows and operations", seen, len(operations))
		expect(t, "calls at the bureau", bureau.Calls(), calls)
		expect(t, "entries", len(s.Statement(key.Key).Consultas), entries)
		expect(t, "entries of the key that may not", len(s.Statement(weaker.Key).Consultas), 0)
		expect(t, "entries of the other organisation", len(s.Statement(foreign.Key).Consultas), 0)
		expect(t, "batches of the other organisation", fmt.Sprint(s.Get("/api/v1/lotes", foreign.Key).JSON["lotes"]), "[]")
	})
}

// told is an answer without its unique ids.
func told(a lookuptest.Answer) string {
	delete(a.JSON, "requestId")
	delete(a.JSON, "instance")
	said, _ := json.Marshal(a.JSON) // it came from JSON
	return fmt.Sprint(a, " ", string(said))
}

// TestAKeyWithoutTheScopeLearnsNothing: for a document in the history and one that is not, the answer is the same.
func TestAKeyWithoutTheScopeLearnsNothing(t *testing.T) {
	t.Parallel()
	testkit.OnBothDatabases(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, nil)
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
		docs := lookuptest.CPFs(3, 2)
		key, weaker := s.NewKey(600, 50, 50), s.ScopedKey("cnpj", 600, 50, 50)
		expect(t, "bought", s.CPF(key.Key, docs[0]).Status, 200)
		of := func(document string) string {
			a := s.CPF(weaker.Key, document)
			for _, name := range []string{"X-Request-Id", "Date", "X-Ratelimit-Remaining", "Ratelimit", "X-Ratelimit-Reset"} {
				a.Header.Del(name)
			}
			return fmt.Sprint(told(a), a.Header)
		}
		expect(t, "what it is told", of(docs[0]), of(docs[1]))
		expect(t, "calls", bureau.Calls(), 1)
		expect(t, "its entries", len(s.Statement(weaker.Key).Consultas), 0)
	})
}
