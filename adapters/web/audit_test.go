package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"fichario/domain/crm"
)

// TestTheAuditOnItsPage: who opened which sheet, downloads and changes, for owners only, paged and as a file.
func TestTheAuditOnItsPage(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.visitor("Ana")
	bia := site.member(v.by.OrgID(), "Bia", crm.Admin)
	contact := v.lead(url.Values{"nome": {"=1+1"}, "email": {"x@example.com"}})
	bia.get("/contatos/" + contact)
	bia.get("/contatos/" + contact + "/historico")
	sheet := bia.ask("produto", "cpf", "documento", "52998224725")
	bia.get(sheet)
	bia.get(sheet + "/bruto")
	bia.get("/contatos.csv")
	if response, _ := bia.send("/acoes", "acao", "baixar", "c", contact); response.StatusCode != http.StatusOK {
		t.Errorf("the marked as a file: %d", response.StatusCode)
	}
	bia.get("/contatos/novo?consulta=" + strings.TrimPrefix(sheet, "/consultas/"))
	bia.get("/extrato.csv")

	page := v.get("/auditoria?quem=" + bia.by.MemberID())
	for what, n := range map[string]int{
		"Entrou": 1, "Abriu um contato": 2, "Abriu uma ficha": 2, "Baixou uma resposta": 1, "Baixou contatos": 2,
		"Baixou o extrato": 1, "Criou a organização": 0, "127.0.0.1": 9,
	} {
		if got := strings.Count(page, ">"+what); got-1 != n && got != n { // plus one among the options
			t.Errorf("%q is there %d times, not %d", what, got, n)
		}
	}
	has(t, "the page", page, `href="/contatos/`+contact+`"`, "documento: 529.982.247-25", "marcados: 1")
	hasNot(t, "a filter", v.get("/auditoria?acao=organizacao.criada"), "documento: 529.982.247-25")
	has(t, "another period", v.get("/auditoria?ate=2020-01-01"), "Nenhuma linha com este filtro")
	has(t, "no action", v.refused(http.StatusUnprocessableEntity, "/auditoria?acao=x"), "Não há ação com este nome")
	has(t, "no date", v.refused(http.StatusUnprocessableEntity, "/auditoria?de=ontem"), `role="alert"`)

	file := v.get("/auditoria.csv")
	has(t, "the file", file, "contato.aberto", "interface,127.0.0.1")
	hasNot(t, "a cell that is a formula", file, "\n=", ",=")
	has(t, "who downloaded it", v.get("/auditoria"), "Baixou a auditoria")

	for range 60 {
		bia.get("/contatos/" + contact)
	}
	first := v.get("/auditoria?quem=" + bia.by.MemberID() + "&acao=contato.aberto")
	next := regexp.MustCompile(`href="(/auditoria\?[^"#]+)#linhas">Próximas`).FindStringSubmatch(first)
	if next == nil {
		t.Fatal("there is no next page")
	}
	second := v.get(strings.ReplaceAll(next[1], "&amp;", "&"))
	if n := strings.Count(second, "<tr><th"); n != 13 { // including the heading
		t.Errorf("the second page has %d lines", n)
	}
	has(t, "back to the first", second, `<a class="btn btn-s" href="/auditoria?acao=contato.aberto&quem=`+
		bia.by.MemberID()+`#linhas">Do começo`)
	for _, path := range []string{"/auditoria", "/auditoria.csv"} {
		bia.refused(http.StatusForbidden, path)
	}
	hasNot(t, "her navigation", bia.get("/contatos"), `href="/auditoria"`)
	has(t, "the owner's", v.get("/contatos"), `href="/auditoria"`)
	v.refused(http.StatusNotFound, "/auditoria?quem="+site.visitor("Rui").by.MemberID())
}

// TestARefusedFormShowsAContactInTheAudit: the page that a refusal shows again has the whole contact, as has the list
// of its lookups, which a finished one brings.
func TestARefusedFormShowsAContactInTheAudit(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.visitor("Ana")
	bia := site.member(v.by.OrgID(), "Bia", crm.Common)
	contact := v.lead(url.Values{"nome": {"Rui"}, "email": {"rui@example.com"}, "telefone": {"11987654321"}})
	opened := func() int {
		page := v.get("/auditoria?acao=contato.aberto&quem=" + bia.by.MemberID())
		return strings.Count(page, `href="/contatos/`+contact+`"`)
	}
	response, page := bia.send("/contatos/"+contact+"/nota", "texto", "")
	if response.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("an empty note: %d", response.StatusCode)
	}
	has(t, "what is shown again", page, "rui@example.com")
	if got := opened(); got != 1 {
		t.Errorf("a refused form: %d lines of the audit, not 1", got)
	}
	asked := strings.TrimPrefix(bia.ask("produto", "cpf", "documento", aPerson), "/consultas/")
	bia.do(http.MethodGet, "/contatos/"+contact+"/consultas/"+asked+"?aba=documentos", nil, "HX-Request", "true")
	if got := opened(); got != 2 {
		t.Errorf("the list of its lookups: %d lines of the audit, not 2", got)
	}
}
