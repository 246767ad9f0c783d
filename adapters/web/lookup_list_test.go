package web_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/ports"
)

const thirdPerson = "90000000175"

// TestAMemberFindsHisOwnLookups: beside everybody's, paged and by a search that is in no address.
func TestAMemberFindsHisOwnLookups(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	owner := site.visitor("Ana")
	member := site.member(owner.by.OrgID(), "Caio", crm.Common)
	site.bureau.says(aPerson, `{"nome":"Helena Duarte"}`)
	site.bureau.says(thirdPerson, `{"nome":"João Sá"}`)
	owner.ask("documento", aPerson, "produto", "cpf")
	member.ask("documento", thirdPerson, "produto", "cpf")
	own := member.get("/consultas?de=minhas")
	has(t, "his own", own, "Minhas consultas", "João Sá")
	hasNot(t, "his own", own, "Helena Duarte")
	has(t, "of everybody", member.get("/consultas"), "João Sá", "Helena Duarte", "de=minhas")
	for typed, want := range map[string]string{
		"joao": "João Sá", "900.000.001-75": "João Sá", "000001": "João Sá", "helena": "", "529": "",
	} {
		status, page := member.post("/consultas/procurar", url.Values{"procurar": {typed}, "de": {"minhas"}})
		if found := strings.Contains(page, "João Sá"); status != http.StatusOK || found != (want != "") {
			t.Errorf("searching %s: %d, found %t", typed, status, found)
		}
		hasNot(t, "searching "+typed, page, "Helena Duarte")
	}
	for range 51 {
		member.ask("documento", thirdPerson, "produto", "cpf", "gratis", "sim")
	}
	first := member.get("/consultas?de=minhas")
	has(t, "more than a page", first, "50 consultas", "Próximas", "de=minhas&depois=")

	statement := member.get("/extrato")
	has(t, "his part of the statement", statement, "O que você consultou", "R$ 0,45", "900.000.001-75")
	hasNot(t, "his part of the statement", statement, "529.982.247-25", `href="/chaves"`)
	has(t, "the navigation", statement, `href="/extrato" aria-current="page"`)
	_, file := member.do(http.MethodGet, "/extrato.csv", nil)
	hasNot(t, "as a file", file, aPerson)
}

// TestALookupUnderWayIsNotWithoutAnAnswer, in the list of recent ones.
func TestALookupUnderWayIsNotWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	gate := make(chan struct{})
	v.bureau.on(aPerson, func(_ context.Context, p catalog.Product) (ports.Answer, error) {
		<-gate
		return answerOf(p, `{}`), nil
	})
	v.ask("documento", aPerson, "produto", "cpf")
	page := v.get("/consultar")
	close(gate)
	has(t, "under way", page, `<span class="ni">em andamento</span>`)
	hasNot(t, "under way", page, "sem resposta")
}

// TestABudgetIsShownBeforeItIsSpent, set only by an owner, and never exceeded.
func TestABudgetIsShownBeforeItIsSpent(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	owner := site.visitor("Ana")
	admin := site.member(owner.by.OrgID(), "Rita", crm.Admin)
	member := site.member(owner.by.OrgID(), "Caio", crm.Common)
	set := func(by *visitor, budget string) int {
		status, _ := by.post("/equipe/membros/"+member.by.MemberID(), url.Values{"orcamento": {budget}})
		return status
	}
	if got := set(owner, "R$ 0,80"); got != http.StatusSeeOther {
		t.Fatalf("set by the owner: %d", got)
	}
	if got := set(admin, "100"); got != http.StatusForbidden {
		t.Errorf("set by an administrator: %d", got)
	}
	has(t, "the team", owner.get("/equipe"), "R$ 0,00", "de R$ 0,80", "sem limite")
	choose := func(doc string) string {
		_, page := member.post("/consultar", url.Values{"documento": {doc}})
		return page
	}
	has(t, "before", choose(aPerson), "Restam R$ 0,80 dos seus R$ 0,80 deste mês.")
	member.ask("documento", aPerson, "produto", "cpf")
	has(t, "after one", choose(thirdPerson), "Não cabe no seu orçamento: ", "Restam R$ 0,35")
	has(t, "the question", member.get(member.ask("documento", aPerson, "produto", "cpf", "gratis", "sim")+
		"?perguntar=atualizar"), "Restará do seu orçamento")
	calls := site.bureau.calls.Load()
	status, page := member.post("/consultas", url.Values{"documento": {thirdPerson}, "produto": {"cpf"}})
	if status != http.StatusUnprocessableEntity || site.bureau.calls.Load() != calls {
		t.Errorf("one too many: %d, %d calls", status, site.bureau.calls.Load()-calls)
	}
	has(t, "one too many", page, "o seu orçamento de R$ 0,80 neste mês não é suficiente", "Nada foi cobrado")
	has(t, "his statement", member.get("/extrato"), "Seu orçamento deste mês", "restam de R$ 0,80")
	set(owner, "")
	has(t, "without one", owner.get("/equipe"), "R$ 0,45")
	hasNot(t, "without one", owner.get("/equipe"), "de R$ 0,80")
	member.ask("documento", thirdPerson, "produto", "cpf")
}
