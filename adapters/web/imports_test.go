package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestAnImportFromFileToResult: nothing is made before it was reviewed, and the downloaded rows have no formula.
func TestAnImportFromFileToResult(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.visitor("Ana")
	file := "Nome;E-mail;Celular;Cor\n=Ana;ana@example.com;11987654321;azul\nBia;;11987654322;=1+1\nCaio;ANA@example.com;;\n"
	status, place, page := v.uploadTo("/importacoes", "Clientes.csv", file, nil)
	if status != http.StatusSeeOther || !strings.HasPrefix(place, "/importacoes/") {
		t.Fatalf("sent: %d %s\n%s", status, place, text(page))
	}
	page = v.get(place)
	v.shows(page, "Nada foi criado ainda", "3 linhas", "Falta o e-mail", "Cor: azul", "Repete a linha 2", "até 2 vezes",
		"Importar 2 linhas", "1 linha repete")
	page = v.comesBack(place, url.Values{"coluna": {"nome", "mensagem", "ignorar", "empresa"}}, "acao", "importar",
		"duplicados", "completar", "etapa", v.funnel().Stages[1].ID, "automacoes", "sim")
	v.shows(page, "Informe qual coluna é o e-mail")
	has(t, "as it was sent", page, `value="nome" selected`, `value="mensagem" selected`, `value="ignorar" selected`,
		`value="empresa" selected`, `value="completar" checked`, `value="sim" checked`, v.funnel().Stages[1].ID+`" selected`)
	hasNot(t, "as it was sent", page, `value="email" selected`, `value="telefone" selected`, `value="pular" checked`)
	chosen := url.Values{"acao": {"conferir"}, "duplicados": {"criar"}, "coluna": {"nome", "email", "telefone", "ignorar"}}
	if status, page = v.post(place, chosen); status != http.StatusSeeOther {
		t.Errorf("looked at again: %d\n%s", status, text(page))
	}
	if page = v.get(place); strings.Contains(text(page), "Cor: azul") {
		t.Error("a column that is not read is in the note")
	}
	chosen.Set("acao", "importar")
	if status, page = v.post(place, chosen); status != http.StatusSeeOther {
		t.Fatalf("begun: %d\n%s", status, text(page))
	}
	v.shows(v.get(place), "Importação concluída", "3 linhas lidas", "Novos 2", "Com erro 1")
	v.shows(v.get("/importacoes"), "Clientes.csv", "Concluída")
	v.shows(v.get("/notificacoes"), "Importação concluída", "contatos novos: 2")
	csv := v.get(place + "/resultado.csv")
	for _, want := range []string{
		"Nome,E-mail,Celular,Cor,situacao,mensagem,contato\n", "'=Ana,ana@example.com,11987654321,azul,criado,,",
		"Bia,,11987654322,'=1+1,erro,Falta o e-mail.,\n",
	} {
		if !strings.Contains(csv, want) {
			t.Errorf("the file has not %q:\n%s", want, csv)
		}
	}
	if file := v.get(place + "/resultado.xlsx"); !strings.HasPrefix(file, "PK") {
		t.Error("no workbook")
	}
	stranger := site.visitor("Rui")
	for _, path := range []string{"", "/resultado.csv", "/resultado.xlsx"} {
		stranger.refused(http.StatusNotFound, place+path)
	}
	if status, _ = stranger.post(place, chosen); status != http.StatusNotFound {
		t.Errorf("begun by another organisation: %d", status)
	}
	status, page = v.post("/importacoes", url.Values{"linhas": {"nome\te-mail"}})
	if status != http.StatusUnprocessableEntity {
		t.Errorf("no row: %d", status)
	}
	v.shows(page, "não há nenhuma linha", "nome e-mail")
}

// TestAFileThatIsNotImported says why beside what was sent, and that a file has to be chosen again.
func TestAFileThatIsNotImported(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	const again = "Escolha o arquivo de novo."
	pasted := map[string]string{"linhas": "nome;e-mail\nAna;ana@example.com"}
	_, _, page := v.uploadTo("/importacoes", "a.csv", "nome;e-mail\n", pasted)
	has(t, "a file", page, `id="arquivo-p"`, `aria-invalid="true" autofocus`, "não há nenhuma linha", again,
		"Ana;ana@example.com</textarea>")
	hasNot(t, "a file", page, `id="linhas-p"`, `class="alert a-bad"`)
	page = v.comesBack("/importacoes", url.Values{"linhas": {"nome;e-mail"}})
	has(t, "pasted", page, `id="linhas-p"`, `aria-invalid="true" autofocus`, "não há nenhuma linha")
	hasNot(t, "pasted", page, `id="arquivo-p"`, again, `class="alert a-bad"`)
	page = v.comesBack("/importacoes", url.Values{})
	has(t, "nothing", page, `id="arquivo-p"`, "Escolha um arquivo, ou cole as linhas.")
	hasNot(t, "nothing", page, again)
	_, _, page = v.uploadTo("/importacoes", "a.pdf", "%PDF-1.7", nil)
	has(t, "a PDF", page, `class="alert a-bad"`, again)
}
