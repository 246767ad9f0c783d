package integration

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/lookuptest"
)

// TestTheAPIByCommand: everything that a key may do, as a table, as JSON and as CSV, and refusals in words.
func TestTheAPIByCommand(t *testing.T) {
	t.Parallel()
	bureau := lookuptest.StartBureau(t, nil)
	s := lookuptest.StartService(t, testkit.SQLite(t), lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
	key := s.NewKey(6000, 500, 5000)
	there := map[string]string{"FICHARIO_URL": s.URL, "FICHARIO_KEY": key.Key}
	do := func(args ...string) string { t.Helper(); return testkit.Run(t, there, args...) }
	s.Hide(ana)

	table := do("lookup", "cpf", ana)
	has(t, "a table", table, "nome ", "Ana <Lima> & é", "telefones ", "ddd 11, numero 987654321", "valorCobrado       0.45")
	expect(t, "bruto in a table", strings.Contains(table, "bruto"), false)
	asJSON := do("lookup", "cpf", ana, "--json")
	expect(t, "bruto in JSON, as the bureau wrote it", strings.Contains(asJSON, lookuptest.Body(ana)), true)
	id := testkit.JSON[struct{ ConsultaID string }](t, asJSON).ConsultaID
	rows := readCSV(t, do("api", "lookup", "cpf", ana, "--history-only", "--output", "csv"))
	expect(t, "rows", len(rows), 2)
	expect(t, "a column", rows[0][0]+": "+rows[1][0], "nome: Ana <Lima> & é "+lookuptest.Secret)
	has(t, "asked again", do("lookup", "cpf", ana, "--refresh"), "cache              false")
	has(t, "the answer again", do("api", "answer", id, "--json"), `"consultaId":"`+id+`"`)
	has(t, "products", do("api", "products"), "renda_presumida  2.075", "Renda presumida")
	has(t, "their prices", do("api", "products", "-o", "csv"), "id,preco,documentos,nome", "cpf,0.45,")

	has(t, "the statement", do("api", "statement", "--limit", "1"), "hoje 0.9", "concluida", "Next page: --cursor ")
	expect(t, "its file", len(readCSV(t, do("api", "statement", "--output", "csv"))), 5)
	expect(t, "what cost", len(readCSV(t, do("api", "statement", "-o", "csv", "--no-cached", "--product", "cpf"))), 3)
	has(t, "as JSON", do("api", "statement", "--cached", "--json"), `"cache":true`)

	has(t, "not waited for", do("api", "lookup", "cnpj", acme, "--later"), "situacao", "em_andamento")

	people := lookuptest.CPFs(710, 2)
	file := filepath.Join(t.TempDir(), "carteira.csv")
	err := os.WriteFile(file, []byte("cliente;cpf\nA;"+people[0]+"\nB;"+people[1]+"\n"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	quoted := testkit.JSON[struct {
		ID          string
		CustoMaximo json.Number
	}](t, do("api", "batch", "quote", file, "--product", "cpf", "--once", "carteira", "--json"))
	expect(t, "what it costs at most", quoted.CustoMaximo.String(), "0.9")
	has(t, "confirmed", do("api", "batch", "confirm", quoted.ID, "--ceiling", "0.45"), "teto", "0.45")
	s.AwaitBatch(key.Key, quoted.ID, "the ceiling is reached", func(b lookuptest.Batch) bool {
		return b.Situacao == "pausado"
	})
	has(t, "with more", do("api", "batch", "resume", quoted.ID, "--ceiling", "0.90"), "0.9")
	s.AwaitBatch(key.Key, quoted.ID, "it is done", func(b lookuptest.Batch) bool {
		return b.Situacao == "concluido"
	})
	has(t, "shown", do("api", "batch", "show", quoted.ID), "concluido", "feitos 2")
	has(t, "listed", do("api", "batch", "list"), quoted.ID, "concluido")
	has(t, "results", do("api", "batch", "results", quoted.ID), people[0], "concluida", "0.45")
	expect(t, "their file", readCSV(t, do("api", "batch", "results", quoted.ID, "-o", "csv"))[1][0], "A")
	has(t, "their lines", do("api", "batch", "results", quoted.ID, "--format", "ndjson"), `"linha":2`)
	other := testkit.JSON[struct{ ID string }](t, do("api", "batch", "quote", file, "--product", "cpf", "--json")).ID
	has(t, "given up", do("api", "batch", "cancel", other), "cancelado")

	fails := func(want string, env map[string]string, args ...string) {
		t.Helper()
		all := maps.Clone(there)
		maps.Copy(all, env)
		got := testkit.RunErr(t, all, args...)
		if got.Code != 1 || got.Stdout != "" || !strings.Contains(got.Stderr, want) ||
			strings.Contains(got.Stderr, all["FICHARIO_KEY"]+"\n") || strings.Contains(got.Stderr, ana) {
			t.Errorf("%v: code %d, %q, want %q", args, got.Code, got.Stderr, want)
		}
	}
	fails("dígito verificador", nil, "lookup", "cpf", "52998224726")
	fails("[produto_desconhecido, request ", nil, "lookup", "nada", ana)
	fails("O campo bureau veio vazio", nil, "lookup", "cpf", ana, "--bureau", "")
	fails("Idempotency-Key deve ter de 1 a", nil, "lookup", "cpf", ana, "--idempotency-key=")
	fails("Idempotency-Key deve ter de 1 a", nil, "api", "batch", "quote", file, "--product", "cpf", "--once", "")
	fails("[estado_do_lote", nil, "api", "batch", "pause", quoted.ID)
	fails("from FICHARIO_KEY or --key", map[string]string{"FICHARIO_KEY": "fic_errada"}, "lookup", "cpf", ana)
	fails("no API key: put one into FICHARIO_KEY", map[string]string{"FICHARIO_KEY": " "}, "lookup", "cpf", ana)
	fails("no service answers at http://127.0.0.1:1", map[string]string{"FICHARIO_URL": "http://127.0.0.1:1"},
		"lookup", "cpf", ana)
	fails("FICHARIO_URL must be the address", map[string]string{"FICHARIO_URL": "x"}, "lookup", "cpf", ana)
	elsewhere := httptest.NewServer(http.RedirectHandler("http://127.0.0.1:1/", http.StatusFound))
	t.Cleanup(elsewhere.Close)
	fails("redirects elsewhere", map[string]string{"FICHARIO_URL": elsewhere.URL}, "lookup", "cpf", ana)
	none := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(none.Close)
	fails("is not a Fichário service", map[string]string{"FICHARIO_URL": none.URL}, "api", "products")
	portal := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "<html>Sign in to this network")
	}))
	t.Cleanup(portal.Close)
	for _, args := range [][]string{{"lookup", "cpf", ana, "-o", "json"}, {"api", "statement", "-o", "csv"}, {"api", "statement"}} {
		fails("is not a Fichário service", map[string]string{"FICHARIO_URL": portal.URL}, args...)
	}
	once := do("lookup", "cpf", ana, "--refresh", "--json", "--idempotency-key", "pergunta 1")
	expect(t, "asked again under one key", do("lookup", "cpf", ana, "--refresh", "--json", "--idempotency-key", "pergunta 1"), once)
}

func readCSV(t *testing.T, text string) [][]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
