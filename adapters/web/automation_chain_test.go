package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"fichario/domain/catalog"
)

// TestTheFormOfAutomationsCoversTheChain: events, an expression with its trial, a lookup with its ceiling.
func TestTheFormOfAutomationsCoversTheChain(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	fresh := v.get("/automacoes/nova?acao=lookup")
	has(t, "form", fresh, "Uma consulta é respondida", "Consulta os documentos", "Teto por mês",
		"Experimentar com o que já houve")
	v.usedKey()
	tried := sent(t, v, 200, "/automacoes", "nome", "Receita", "evento", "lookup.completed", "acao", "lookup", "se", ".x",
		"experimentar", "sim")
	has(t, "trial", tried, "<b>Vale</b> para o último evento", "Ver os dados deste evento", `value="Receita"`)
	v.lead(url.Values{"nome": {"Bia"}, "email": {"bia@example.com"}})
	has(t, "trial of an amount", sent(t, v, 200, "/automacoes", "evento", "contact.created", "acao", "http", "valor",
		"R$ 5", "experimentar", "sim"), "<b>Não vale</b> para o último evento")
	form := url.Values{"evento": {"contact.created"}, "valor": {"de 5 a 10"}, "experimentar": {"sim"}}
	_, part := v.do(http.MethodPost, "/automacoes", form, "HX-Request", "true")
	has(t, "trial of no amount", part, "<b>Falha:</b> o valor mínimo")
	for event, on := range map[string]string{
		"contact.created": "o último evento", "contact.updated": "um exemplo deste evento",
		"contact.moved": "um exemplo deste evento", "cap.reached": "um exemplo deste evento",
	} {
		has(t, "what it is tried on", sent(t, v, 200, "/automacoes", "evento", event, "acao", "http", "se", ".x",
			"experimentar", "sim"), "<b>Vale</b> para "+on+":")
	}
	has(t, "what there was none of", sent(t, v, 200, "/automacoes", "evento", "batch.completed", "acao", "http", "se", ".x",
		"experimentar", "sim"), "Ainda não houve um evento assim")
	hasNot(t, "nothing is made", v.get("/automacoes"), "Receita")
	secret := []string{
		"nome", "Kommo", "evento", "lookup.completed", "acao", "http", "destino", "kommo", "segredo.kommo.token", "um-token-secreto",
		"campo.kommo.account", "aroeira",
	}
	trial := append([]string{"se", ".x", "experimentar", "sim"}, secret...)
	page := sent(t, v, 200, "/automacoes", trial...)
	has(t, "trial with a secret", page, "O segredo que você digitou não volta", "Digite de novo", `value="aroeira"`)
	hasNot(t, "trial with a secret", page, "um-token-secreto")
	form = url.Values{}
	for i := 0; i < len(trial); i += 2 {
		form.Set(trial[i], trial[i+1])
	}
	_, part = v.do(http.MethodPost, "/automacoes", form, "HX-Request", "true")
	has(t, "trial by script", part, "<b>Vale</b> para o último evento")
	hasNot(t, "trial by script", part, "um-token-secreto", "<html", "O segredo", "<form")
	refused := sent(t, v, 422, "/automacoes", append([]string{"se", "}"}, secret...)...)
	has(t, "a form that comes back", refused, "Digite de novo")
	hasNot(t, "a form that comes back", refused, "um-token-secreto")
	has(t, "no ceiling", sent(t, v, 422, "/automacoes", "nome", "Receita", "acao", "lookup", "produto",
		catalog.CNPJ),
		"Escreva um teto por mês")
	has(t, "no jq", sent(t, v, 422, "/automacoes", "nome", "R", "acao", "add_note", "texto", "x", "se", "}"), "Confira a condição")
	made := sent(t, v, 200, "/automacoes", "nome", "Receita", "evento", "contact.created", "acao", "lookup", "produto", catalog.CNPJ,
		"teto", "50,00", "idade", "7", "se", ".valor > 0")
	has(t, "made", made, "Chega um contato", "se Valor é maior que 0", "R$ 50,00", "Consulta Cadastro de empresa", "Idade máxima", "7 dias")
}

// TestDocumentsOnAContactsPage are looked up with one click on a button with the price.
func TestDocumentsOnAContactsPage(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	has(t, "a wrong digit", sent(t, v, 422, "/contatos", "nome", "Bia", "email", "b@x.example", "documentos", "529.982.247-26"),
		"Informe CPFs ou CNPJs com os dígitos certos")
	page := sent(t, v, 200, "/contatos", "nome", "Bia", "email", "b@x.example", "documentos", "52998224725; 11.222.333/0001-81")
	has(t, "summary", page, "529.982.247-25", "11.222.333/0001-81", `name="documento" value="52998224725"`, "R$ 0,45")
	has(t, "found", v.get("/contatos?busca=529.982.247-25"), "Bia")
}

// sent posts a form and returns the resulting page, which must have that status.
func sent(t *testing.T, v *visitor, status int, path string, pairs ...string) string {
	t.Helper()
	got, page := v.send(path, pairs...)
	if got.StatusCode == http.StatusSeeOther {
		return v.get(got.Header.Get("Location"))
	}
	if got.StatusCode != status {
		t.Fatalf("%s: status %d: %.300s", path, got.StatusCode, page)
	}
	return page
}

// TestAutomationsAreDrawnByWhoTriggersWhom, with ceilings and what was spent, once one triggers another.
func TestAutomationsAreDrawnByWhoTriggersWhom(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	sent(t, v, 200, "/automacoes", "nome", "Receita", "evento", "contact.created", "acao", "lookup", "produto", catalog.CNPJ,
		"teto", "50,00")
	hasNot(t, "one by itself", v.get("/automacoes"), "Quem dispara quem")
	sent(t, v, 200, "/automacoes", "nome", "Avisa depois", "evento", "lookup.completed", "acao", "add_note", "texto", "x")
	page := v.get("/automacoes")
	has(t, "two", page, "Quem dispara quem", "gastou R$ 0,00 neste mês, 0% do teto", "Ver em tabela", "Avisa depois")
	if chains := strings.Count(page, `<ul class="links">`); chains != 3 { // the events, and two levels of one
		t.Errorf("%d lists are nested", chains)
	}
}
