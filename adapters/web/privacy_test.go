package web_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"fichario/app/automations"
	"fichario/app/lookups"
	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/domain/privacy"
	"fichario/ports"
)

// TestAPersonIsShownAndErased: without script, and with no personal data in an address.
func TestAPersonIsShownAndErased(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.visitor("Ana")
	has(t, "an empty room", v.get("/privacidade"), "Ninguém pediu para ser apagado")
	v.bureau.says(aPerson, `{"nome":"Rita Apagada"}`)
	sheet := v.ask("documento", aPerson, "produto", "cpf")
	id := v.lead(url.Values{"nome": {"Rita Apagada"}, "email": {"Rita@x.example"}, "cpf": {aPerson}})
	for _, c := range []struct{ kind, value, want string }{
		{"documento", "123", "inválido"}, {"email", "rita", "formato"}, {"telefone", "x", "DDD"}, {"documento", "", ""},
	} {
		response, page := v.send("/privacidade/procurar", "tipo", c.kind, "valor", c.value)
		if response.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%s %q: %d", c.kind, c.value, response.StatusCode)
		}
		hasNot(t, "what was typed in a log", site.log.String(), "rita@")
		_ = page
	}
	_, page := v.send("/privacidade/procurar", "tipo", "email", "valor", "rita@X.example")
	has(t, "found by address", page, "Consultas", "Contatos", "Envios recebidos por webhooks", "Apagar tudo")
	_, page = v.send("/privacidade/procurar", "tipo", "telefone", "valor", "(11) 90000-0000")
	has(t, "somebody unknown", page, "Não há nada guardado")
	_, page = v.send("/privacidade/imprimir", "tipo", "documento", "valor", aPerson)
	has(t, "to print", page, "Rita Apagada", "Site de Ana", "a pedido de", "Criado pelo webhook")
	response, page := v.send("/privacidade/exportar", "tipo", "documento", "valor", aPerson)
	has(t, "the file", page, `"nome":"Rita`, `"consultas": [{`)
	if got := response.Header.Get("Content-Disposition"); !strings.Contains(got, "titular.json") {
		t.Error(got)
	}
	_, page = v.send("/privacidade/confirmar", "tipo", "documento", "valor", aPerson)
	has(t, "the question", page, "Apagar os dados desta pessoa?", "Não há como desfazer", "Bloquear também")

	response, _ = v.send("/privacidade/apagar", "tipo", "documento", "valor", aPerson, "bloquear", "sim")
	receipt := response.Header.Get("Location")
	has(t, "begun", v.get(receipt), "Em andamento", "pequenas partes")
	if err := site.subjects.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	has(t, "the receipt", v.get(receipt), "Concluída", "Respostas do bureau guardadas", "Linhas do extrato, sem o documento", "Desfazer bloqueio")
	has(t, "its file", v.get(receipt+"/recibo.json"), `"situacao":"concluida"`, `"pedidaPor":"Ana"`)
	hasNot(t, "its file", v.get(receipt+"/recibo.json"), aPerson, "rita")
	for _, path := range []string{"/", "/contatos", "/consultas", "/extrato", "/extrato.csv", "/notificacoes", "/privacidade"} {
		hasNot(t, path, v.get(path), "Rita", "rita@", aPerson, "982.247", "ilegível")
	}
	v.refused(http.StatusNotFound, "/contatos/"+id)
	has(t, "his sheet", v.get(sheet), "pediu que os dados", "apagado")
	hasNot(t, "his sheet", v.get(sheet), "Tentar de novo")
	_, page = v.send("/consultas", "documento", aPerson, "produto", "cpf", "preco", "0.45")
	has(t, "blocked", page, "pediu que os dados", "Nada foi consultado nem cobrado.")
	hasNot(t, "blocked", page, "O formulário não foi guardado")
	back := v.lead(url.Values{"nome": {"Rita de volta"}, "email": {"rita@y.example"}, "cpf": {aPerson}})
	status, page := v.byScript("/contatos/"+back+"/consultar", url.Values{"documento": {aPerson}, "produto": {"cpf"}})
	has(t, "blocked, in place", page, "asked-line", "pediu que os dados")
	if status != http.StatusOK {
		t.Errorf("blocked, in place: %d", status)
	}
	has(t, "asked first", v.get(receipt+"?perguntar=desbloquear"), "Desfazer o bloqueio?")
	v.send(receipt + "/desbloquear")
	hasNot(t, "unblocked", v.get(receipt), "Desfazer bloqueio")

	admin := site.member(v.member.OrgID, "Adm", crm.Admin)
	hasNot(t, "the way there, for others", admin.get("/"), "/privacidade")
	other := site.visitor("Rui")
	other.refused(http.StatusNotFound, receipt)
	for _, path := range []string{"/privacidade", receipt, receipt + "/recibo.json"} {
		admin.refused(http.StatusForbidden, path)
	}
	for _, what := range []string{"procurar", "exportar", "imprimir", "confirmar", "apagar"} {
		if response, _ := admin.send("/privacidade/"+what, "tipo", "documento", "valor", aPerson); response.StatusCode != http.StatusForbidden {
			t.Errorf("%s by an administrator: %d", what, response.StatusCode)
		}
	}
}

// TestAReceiptWritesNumbersAsPeopleDo: 1.284.
func TestAReceiptWritesNumbersAsPeopleDo(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	e := privacy.Erasure{
		ID: lookups.NewKeyID(), OrgID: v.by.OrgID(), State: privacy.Done, At: time.Now(), EndsAt: time.Now(),
		Gone: privacy.Counts{privacy.Lookups: 1284},
	}
	err := v.store.InTx(t.Context(), func(_ context.Context, r ports.Repos) error {
		return r.Erasures.AddErasure(t.Context(), e)
	})
	if err != nil {
		t.Fatal(err)
	}
	has(t, "the receipt", v.get("/privacidade/eliminacoes/"+e.ID), ">1.284<")
}

// TestAPersonIsToldWhatForAndToWhom: the printable page names the purpose of each lookup, and whom automations passed
// the contact on to.
func TestAPersonIsToldWhatForAndToWhom(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.visitor("Ana")
	v.ask("documento", aPerson, "produto", "protestos")
	v.send("/finalidades", "codigo", "credito", "nome", "Análise de crédito", "base", "legitimo_interesse", "papeis", "owner")
	v.ask("documento", aPerson, "produto", "score", "finalidade", "credito")
	id := v.lead(url.Values{"nome": {"Rita"}, "email": {"rita@example.com"}, "cpf": {aPerson}})
	rules := automations.New(site.store, time.Now, automations.Means{Mails: true})
	for i, n := range []automations.NewAutomation{
		{Name: "Avisar o ERP", Action: automation.HTTP, URL: "https://erp.example.com/novo"},
		{Name: "Boas-vindas", Action: automation.Email, To: automation.ToContact, Subject: "Olá", Text: "Olá"},
		{Name: "Anotar", Action: automation.AddNote, Text: "oi"},
		{},
	} {
		job := automation.Job{
			ID: fmt.Sprintf("01980000-0000-7000-8000-00000000000%d", i), OrgID: v.by.OrgID(), ContactID: id, Result: "feito",
			Kind: automation.MailMember, State: automation.Done, CreatedAt: time.Now(), RunAt: time.Now(),
			EndedAt: time.Now(),
		}
		if n.OrgID, n.Event = v.by.OrgID(), automation.ContactCreated; n.Name != "" {
			made, err := rules.Add(t.Context(), v.by, n)
			if err != nil {
				t.Fatal(err)
			}
			job.Kind, job.AutomationID = automation.RunAutomation, made.ID
		}
		if err := site.store.Repos().Jobs.Add(t.Context(), job); err != nil {
			t.Fatal(err)
		}
	}
	_, page := v.send("/privacidade/imprimir", "tipo", "documento", "valor", aPerson)
	has(t, "what for", page, `data-l="Finalidade"><div><bdi class="whole">Análise de crédito</bdi>`,
		`data-l="Finalidade"><div><span class="ni">não informado</span>`, "<div>Protestos</div>")
	has(t, "to whom", page, `automação <bdi>Avisar o ERP</bdi>, para <bdi class="break">https://erp.example.com/novo</bdi>, feito`,
		`automação <bdi>Boas-vindas</bdi>, para <bdi class="break">rita@example.com</bdi>, feito`,
		"automação <bdi>Anotar</bdi>, feito", "aviso à equipe, feito")
}

// TestOldErasuresAreFurtherOn: an old block is shown on a later page, and can be lifted.
func TestOldErasuresAreFurtherOn(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.visitor("Ana")
	response, _ := v.send("/privacidade/apagar", "tipo", "documento", "valor", aPerson, "bloquear", "sim")
	old := response.Header.Get("Location")
	if err := site.store.InTx(t.Context(), func(_ context.Context, r ports.Repos) (err error) {
		for range 250 {
			err = errors.Join(err, r.Erasures.AddErasure(t.Context(), privacy.Erasure{
				ID: lookups.NewKeyID(), OrgID: v.member.OrgID, State: privacy.Done, At: time.Now(),
			}))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	page := v.get("/privacidade")
	for range 2 {
		hasNot(t, "a page of newer ones", page, old, "Bloqueado")
		has(t, "a page of newer ones", page, "100 eliminações nesta página")
		_, next, _ := strings.Cut(page, `href="/privacidade?depois=`)
		id, _, _ := strings.Cut(next, "#")
		page = v.get("/privacidade?depois=" + id)
	}
	has(t, "the last page", page, old, "Bloqueado", "51 eliminações nesta página", "Do começo")
	hasNot(t, "the last page", page, "Próximas")
	has(t, "its receipt", v.get(old), "Desfazer bloqueio")
}
