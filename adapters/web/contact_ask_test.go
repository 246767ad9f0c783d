package web_test

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"fichario/domain/catalog"
	"fichario/ports"
	"fichario/tests/testkit/lookuptest"
)

// byScript posts fields like htmx.
func (v *visitor) byScript(path string, fields url.Values) (int, string) {
	v.t.Helper()
	response, body := v.do(http.MethodPost, path, fields, "HX-Request", "true")
	return response.StatusCode, body
}

// TestADocumentIsAskedAboutInPlace: typing a document shows the products with their prices, and the chosen product is
// replaced by its outcome, with the charge, and the list beside it.
func TestADocumentIsAskedAboutInPlace(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.visitor("Ana")
	site.bureau.says(aPerson, `{"nome":"Helena Duarte"}`)
	id := v.lead(url.Values{"nome": {"Bia"}, "email": {"bia@example.com"}})
	at := "/contatos/" + id
	_, part := v.byScript(at+"/reconhecer", url.Values{"documento": {"529.982"}})
	hasNot(t, "half a document", part, `action="/consultas"`)
	_, part = v.byScript(at+"/reconhecer", url.Values{"documento": {"529.982.247-25"}})
	has(t, "a document", part, `hx-post="`+at+`/consultar"`, "R$ 0,45", `value="`+aPerson+`"`)
	hasNot(t, "while one types", part, "autofocus")
	_, part = v.byScript(at+"/reconhecer?pronto", url.Values{"documento": {"529.982.247-25"}})
	has(t, "with Enter", part, "autofocus")

	ask := url.Values{"documento": {aPerson}, "produto": {"cpf"}, "aba": {"documentos"}}
	status, part := v.byScript(at+"/consultar", ask)
	if status != http.StatusOK || strings.Contains(part, "<html") {
		t.Errorf("asking in place: %d", status)
	}
	has(t, "the outcome", part, "Helena Duarte", "Cobrado: R$ 0,45", `id="consultas-do-contato" hx-swap-oob`, "No histórico")
	has(t, "the tab", v.get(at+"/documentos"), "No histórico", "R$ 0,45 em 1 consulta")
	ask.Set("gratis", "sim")
	_, part = v.byScript(at+"/consultar", ask)
	has(t, "once more", part, "Do histórico, grátis")
	ask.Set("produto", "nenhum")
	_, part = v.byScript(at+"/consultar", ask)
	has(t, "a product that is none", part, "Nada foi cobrado", at+"/documentos")
	if got := v.spent(); got != 4500 {
		t.Errorf("spent %v", got)
	}
	other := site.visitor("Rui")
	status, part = other.byScript(at+"/consultar", ask)
	if status != http.StatusNotFound {
		t.Errorf("about another organisation's contact: %d", status)
	}
	has(t, "about another organisation's contact", part, "data-refused", `role="alert"`, "Esta ficha não está na gaveta", "Pedido")
	hasNot(t, "about another organisation's contact", part, "<html", "<main")
	if status, _ := other.byScript(at+"/reconhecer", ask); status != http.StatusNotFound {
		t.Errorf("of another organisation's contact: %d", status)
	}
}

// TestASlowAnswerArrivesInPlace, while its line polls.
func TestASlowAnswerArrivesInPlace(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.visitor("Ana")
	gate := make(chan struct{})
	site.bureau.on(aPerson, func(_ context.Context, p catalog.Product) (ports.Answer, error) {
		<-gate
		return answerOf(p, `{"nome":"Helena Duarte"}`), nil
	})
	id := v.lead(url.Values{"nome": {"Bia"}, "email": {"bia@example.com"}})
	_, part := v.byScript("/contatos/"+id+"/consultar", url.Values{"documento": {aPerson}, "produto": {"cpf"}})
	has(t, "under way", part, "Perguntando…", `role="status"`)
	line := regexp.MustCompile(`hx-get="([^"]*)"`).FindStringSubmatch(part)
	if line == nil {
		t.Fatal("the line does not ask for itself")
	}
	close(gate)
	lookuptest.Eventually(t, "the bureau has answered", func() bool {
		_, part = v.do(http.MethodGet, line[1], nil, "HX-Request", "true")
		return !strings.Contains(part, "Perguntando…")
	})
	has(t, "the outcome", part, "Helena Duarte", "Cobrado: R$ 0,45")
	hasNot(t, "on the first tab", part, "hx-swap-oob")
	response, _ := v.do(http.MethodGet, line[1], nil)
	if !strings.HasPrefix(response.Header.Get("Location"), "/consultas/") {
		t.Error("without script the line's address does not lead to the sheet")
	}
}

// TestAMoveAndAnAssignmentAreUndone with the button of their notice, which is shown once.
func TestAMoveAndAnAssignmentAreUndone(t *testing.T) {
	t.Parallel()
	owner, v, id := aContact(t)
	before := v.find(id)
	at := "/contatos/" + id
	undo := regexp.MustCompile(`<form method="post" action="([^"]*)"><input type="hidden" name="([^"]*)" value="([^"]*)"><button[^>]*>Desfazer`)
	for field, to := range map[string]string{"etapa": v.funnel().Stages[2].ID, "resp": v.member.ID} {
		path := at + map[string]string{"etapa": "/etapa", "resp": "/responsavel"}[field]
		if status, _ := v.post(path, url.Values{field: {to}}); status != http.StatusSeeOther {
			t.Fatalf("%s: %d", field, status)
		}
		found := undo.FindStringSubmatch(v.get(at))
		if found == nil || found[1] != path || found[2] != field {
			t.Fatalf("%s: no way back: %q", field, found)
		}
		hasNot(t, "the page once more", v.get(at), "Desfazer")
		v.post(found[1], url.Values{found[2]: {found[3]}})
		v.get(at)
	}
	c := v.find(id)
	if c.StageID != before.StageID || c.AssigneeID != before.AssigneeID || c.AssigneeID != owner.member.ID {
		t.Error("the undone change was not reverted")
	}
	v.post(at+"/etapa", url.Values{"etapa": {before.StageID}})
	hasNot(t, "a move to where it is", v.get(at), "Desfazer")
}
