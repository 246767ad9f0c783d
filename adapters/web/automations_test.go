package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"fichario/app/automations"
	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/ports"
)

func TestContactsHistoryHasTheAutomations(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	owner := site.visitor("Ana")
	v := site.member(owner.by.OrgID(), "Caio", crm.Common)
	id := owner.lead(url.Values{"nome": {"Bia"}, "email": {"bia@example.com"}})
	rules := automations.New(site.store, time.Now, automations.Means{Mails: true})
	made, err := rules.Add(t.Context(), owner.by, automations.NewAutomation{
		OrgID: owner.by.OrgID(), Name: "Avisar o ERP", Event: automation.ContactCreated, Action: automation.HTTP,
		URL: "https://erp.example.com/",
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, job := range []automation.Job{
		{
			Kind: automation.RunAutomation, AutomationID: made.ID, State: automation.Dead, Attempts: 12,
			Result: "erp.example.com não respondeu <b>", EndedAt: time.Now(),
		},
		{Kind: automation.RunAutomation, AutomationID: made.ID, State: automation.Ready},
		{
			Kind: automation.MailMember, MemberID: v.member.ID, State: automation.Done, Attempts: 1, Result: "enviado",
			EndedAt: time.Now(),
		},
	} {
		job.ID, job.OrgID, job.ContactID = fmt.Sprintf("01980000-0000-7000-8000-00000000002%d", i), owner.by.OrgID(), id
		job.CreatedAt, job.RunAt = time.Now(), time.Now()
		if err := ports.Store(site.store).Repos().Jobs.Add(t.Context(), job); err != nil {
			t.Fatal(err)
		}
	}
	page := v.get("/contatos/" + id + "/historico")
	for _, want := range []string{
		"Avisar o ERP", "Falhou", "não respondeu &lt;b&gt;", "12 tentativas", "Na fila", "Aviso por e-mail a <bdi>Caio</bdi>",
		"Feita",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the history has no %q", want)
		}
	}
	if strings.Contains(page, `href="/webhooks/`) {
		t.Error("it leads a member to what only those who administer may see")
	}
	single := "Refazer a que falhou"
	if page := owner.get("/automacoes"); !strings.Contains(page, single) {
		t.Errorf("one dead run: the page has no %q", single)
	}
	for i := range 34 {
		job := automation.Job{
			ID: fmt.Sprintf("01980000-0000-7000-8000-0000000001%02d", i), OrgID: owner.by.OrgID(),
			Kind: automation.RunAutomation, AutomationID: made.ID,
			ContactID: id, State: automation.Dead, Attempts: 1, CreatedAt: time.Now(), RunAt: time.Now(), EndedAt: time.Now(),
		}
		if err := ports.Store(site.store).Repos().Jobs.Add(t.Context(), job); err != nil {
			t.Fatal(err)
		}
	}
	all := "Refazer as 35 que falharam"
	if page := owner.get("/automacoes"); !strings.Contains(page, all) {
		t.Errorf("more dead runs than are shown: the page has no %q", all)
	}
}

// TestARunAboutNoContact has no link: lookups and batches may have no contact, and a contact may have been deleted.
func TestARunAboutNoContact(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	owner := site.visitor("Ana")
	made, err := automations.New(site.store, time.Now, automations.Means{}).Add(t.Context(), owner.by,
		automations.NewAutomation{
			OrgID: owner.by.OrgID(), Name: "Avisar o ERP", Event: automation.BatchCompleted, Action: automation.HTTP,
			URL: "https://erp.example.com/",
		})
	if err != nil {
		t.Fatal(err)
	}
	for i, contact := range []string{"", "01980000-0000-7000-8000-000000000009"} {
		job := automation.Job{
			ID: fmt.Sprintf("01980000-0000-7000-8000-00000000000%d", i), OrgID: owner.by.OrgID(), ContactID: contact,
			Kind: automation.RunAutomation, AutomationID: made.ID, State: automation.Dead, Attempts: 1, CreatedAt: time.Now(),
			RunAt: time.Now(), EndedAt: time.Now(),
		}
		if err := site.store.Repos().Jobs.Add(t.Context(), job); err != nil {
			t.Fatal(err)
		}
	}
	page := owner.get("/automacoes")
	has(t, "the page", page, "Nenhum", "Contato apagado", `Refazer<span class="vh"> a de `)
	hasNot(t, "the page", page, `href="/contatos/"`, `href="/contatos/0198`)
}

// TestASkippedRunIsOutOfSight: a run whose condition did not hold is shown where all are asked for, and never as done.
func TestASkippedRunIsOutOfSight(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	owner := site.visitor("Ana")
	made, err := automations.New(site.store, time.Now, automations.Means{Conditions: noConditions{}}).Add(t.Context(),
		owner.by, automations.NewAutomation{
			OrgID: owner.by.OrgID(), Name: "Contas grandes", Event: automation.ContactCreated, Action: automation.AddNote,
			Text: "Ligar", When: ".valor > 5000",
		})
	if err != nil {
		t.Fatal(err)
	}
	contact := owner.lead(url.Values{"nome": {"Bia Rocha"}, "email": {"bia@example.com"}})
	err = site.store.Repos().Jobs.Add(t.Context(), automation.Job{
		ID: "01980000-0000-7000-8000-000000000001", OrgID: owner.by.OrgID(), ContactID: contact, Attempts: 1,
		Kind: automation.RunAutomation, AutomationID: made.ID, State: automation.Done, Result: automation.NotHeld,
		CreatedAt: time.Now(), RunAt: time.Now(), EndedAt: time.Now(),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/automacoes", "/automacoes/" + made.ID} {
		hasNot(t, path, owner.get(path), automation.NotHeld)
		page := owner.get(path + "?todas=sim")
		has(t, path, page, "Não se aplicou", automation.NotHeld, "Bia Rocha", "/execucoes/01980000")
		hasNot(t, path, page, ">Feita<")
	}
	hasNot(t, "the contact", owner.get("/contatos/"+contact+"/historico"), automation.NotHeld, "Não se aplicou")
}

func TestAutomationThatMails(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	form := func(to, address string) url.Values {
		return url.Values{
			"nome": {"Boas-vindas"}, "acao": {"email"}, "para": {to}, "endereco": {address}, "assunto": {"Olá, {nome}"},
			"texto": {"Recebemos."},
		}
	}
	if page := v.get("/automacoes/nova"); !strings.Contains(page, `<option value="contact" selected>O contato`) {
		t.Error("the first choice is not the contact")
	}
	status, page := v.post("/automacoes", form("", "ana@"))
	field := `name="endereco" type="text" value="ana@" inputmode="email" aria-invalid="true" aria-describedby="endereco-p" autofocus`
	if status != http.StatusUnprocessableEntity || !strings.Contains(page, field) || strings.Contains(page, "assignee (") {
		t.Errorf("a wrong address: %d, %s", status, page)
	}
	for to, says := range map[string]string{
		"contact": "<dd>o contato</dd>", "assignee": "<dd>o responsável</dd>", "": "<dd>vendas@example.com</dd>",
	} {
		answer, _ := v.do(http.MethodPost, "/automacoes", form(to, "vendas@example.com"))
		if answer.StatusCode != http.StatusSeeOther {
			t.Fatalf("to %q: %d", to, answer.StatusCode)
		}
		if page := v.get(answer.Header.Get("Location")); !strings.Contains(page, says) {
			t.Errorf("to %q: the page has no %q", to, says)
		}
	}
}

// TestAnAutomationThatAsksIsInWords: its product by name, its ceiling as it was set, and one day in the singular.
func TestAnAutomationThatAsksIsInWords(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	response,
		_ := v.send("/automacoes", "nome", "Ver", "acao", "lookup", "produto", "situacao_cadastral", "teto", "R$ 50,00",
		"idade", "1")
	place := response.Header.Get("Location")
	has(t, "its page", v.get(place), "<dt>Produto</dt><dd>Situação cadastral</dd>", "<dd>1 dia</dd>", "R$ 50,00")
	id := v.lead(url.Values{"nome": {"Bia"}, "email": {"bia@example.com"}, "cpf": {aPerson}})
	has(t, "its rehearsal", v.get(place+"?contato="+id), `Consultaria o produto <b class="strong">Situação cadastral</b>`)
}

// TestAutomationIsEdited: the form shows the stored values; a call keeps its secret, another action has none.
func TestAutomationIsEdited(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	form := url.Values{
		"nome": {"Avisar"}, "acao": {"http"}, "url": {"https://a.example/leads"}, "webhook": {v.hook.ID},
		"valor": {"1.500,50"},
	}
	answer, _ := v.do(http.MethodPost, "/automacoes", form)
	at := answer.Header.Get("Location")
	if answer.StatusCode != http.StatusSeeOther {
		t.Fatalf("made: %d", answer.StatusCode)
	}
	find := func() automation.Automation {
		a, err := v.store.Repos().Automations.Find(t.Context(), ports.AnyOrg, strings.TrimPrefix(at, "/automacoes/"))
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	before := find()
	page := unescaped(v.get(at + "/editar"))
	for _, want := range []string{
		`value="Avisar"`, `value="https://a.example/leads"`, `value="R$ 1.500,50"`,
		`<option value="` + v.hook.ID + `" selected>`, `value="http" checked`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the form has no %s", want)
		}
	}
	form.Set("url", "https://b.example/leads")
	form.Set("valor", "")
	if status, _ := v.post(at, form); status != http.StatusSeeOther {
		t.Errorf("edited: %d", status)
	}
	if a := find(); a.Action.URL != "https://b.example/leads" || a.Action.Secret != before.Action.Secret ||
		a.Conditions.MinAmount != 0 || a.Conditions.WebhookID != v.hook.ID || !a.Enabled {
		t.Errorf("edited: %s, enabled %t, the same secret %t", a.Action.URL, a.Enabled,
			a.Action.Secret == before.Action.Secret)
	}
	form.Set("url", "nada")
	if status, page := v.post(at, form); status != http.StatusUnprocessableEntity ||
		!strings.Contains(page, `action="`+at+`"`) {
		t.Errorf("a wrong address: %d", status)
	}
	note := url.Values{"nome": {"Nota"}, "acao": {"add_note"}, "texto": {"Ligar"}}
	if status, _ := v.post(at, note); status != http.StatusSeeOther || find().Action.Secret != "" {
		t.Errorf("another action: %d", status)
	}
}

// TestAFormReplacesNothingThatIsGone: what an automation names and is no more has to be chosen anew, or the browser
// would send the first of the others.
func TestAFormReplacesNothingThatIsGone(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	v.send("/finalidades", "codigo", "credito", "nome", "Crédito", "base", "consentimento", "papeis", "owner")
	for _, c := range []struct {
		field, gone, problem string
		form                 url.Values
		change               func(*automation.Action)
	}{
		{"etapa", "", "Escolha uma etapa.", url.Values{"acao": {"move_stage"}, "etapa": {v.funnel().Stages[1].ID}},
			func(a *automation.Action) { a.StageID = "01980000-0000-7000-8000-000000000009" }},
		{"produto", "", "Escolha um produto.", url.Values{"acao": {"lookup"}, "produto": {"cpf"}, "teto": {"50"}},
			func(a *automation.Action) { a.Product = "extinto" }},
		{"finalidade", "extinta", "extinta", url.Values{"acao": {"lookup"}, "produto": {"cpf"}, "teto": {"50"}},
			func(a *automation.Action) { a.Purpose = "extinta" }},
	} {
		c.form.Set("nome", "Regra")
		at := v.made("/automacoes", c.form)
		rule, err := v.store.Repos().Automations.Find(t.Context(), ports.AnyOrg, strings.TrimPrefix(at, "/automacoes/"))
		if err != nil {
			t.Fatal(err)
		}
		c.change(&rule.Action)
		if err := ports.Store(v.store).Repos().Automations.Update(t.Context(), rule); err != nil {
			t.Fatal(err)
		}
		option := `<option value="` + c.gone + `" selected>A que havia não existe mais: escolha outra`
		has(t, c.field, v.get(at+"/editar"), option)
		c.form.Set(c.field, c.gone)
		has(t, c.field+" not chosen", v.comesBack(at, c.form), c.problem, `<option value="`+c.gone+`" selected>`)
	}
}

// TestATextKeepsItsFirstLineBreak: browsers drop a line break right after the tag of a text area, so the page writes an
// extra one.
func TestATextKeepsItsFirstLineBreak(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	status, page := v.post("/automacoes", url.Values{"acao": {"add_note"}, "texto": {"\nLigar amanhã"}})
	if status != http.StatusUnprocessableEntity || !strings.Contains(page, ">\n\nLigar amanhã</textarea>") {
		t.Errorf("%d: the text comes back otherwise", status)
	}
	_, page = v.post("/webhooks/"+v.hook.ID+"/testar", url.Values{"corpo": {"\nemail=bia@example.com"}})
	has(t, "a post to try", page, ">\n\nemail=bia@example.com</textarea>")
}

func TestAnEMailAutomationWithoutAMailServer(t *testing.T) {
	t.Parallel()
	v := newSite(t, false).visitor("Ana")
	page := v.comesBack("/automacoes", url.Values{
		"nome": {"Boas-vindas"}, "acao": {"email"}, "para": {"contact"}, "assunto": {"Olá"}, "texto": {"Recebemos."},
	})
	has(t, "why not", page, "O envio de e-mail não está configurado.", `value="Boas-vindas"`)
}

// TestRunsThatWaitAreTriedNow: the cause of their failure is fixed, but their next attempt may be hours away.
func TestRunsThatWaitAreTriedNow(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	owner := site.visitor("Ana")
	made, err := automations.New(site.store, time.Now, automations.Means{}).Add(t.Context(), owner.by,
		automations.NewAutomation{
			OrgID: owner.by.OrgID(), Name: "Avisar o ERP", Event: automation.ContactCreated, Action: automation.HTTP,
			URL: "https://erp.example.com/",
		})
	if err != nil {
		t.Fatal(err)
	}
	attempts := func(i int) int {
		id := fmt.Sprintf("01980000-0000-7000-8000-00000000000%d", i)
		job, err := site.store.Repos().JobRuns.Find(t.Context(), ports.AnyOrg, id)
		if err != nil {
			t.Fatal(err)
		}
		return job.Attempts
	}
	for i, tried := range []int{0, 5, 5, 5} {
		job := automation.Job{
			ID: fmt.Sprintf("01980000-0000-7000-8000-00000000000%d", i), OrgID: owner.by.OrgID(),
			Kind: automation.RunAutomation, AutomationID: made.ID, State: automation.Ready, Attempts: tried,
			CreatedAt: time.Now(), RunAt: time.Now().Add(8 * time.Hour), Result: "status 500",
		}
		if err := site.store.Repos().Jobs.Add(t.Context(), job); err != nil {
			t.Fatal(err)
		}
	}
	page := owner.get("/automacoes")
	has(t, "the page", page, "Tentar agora as 3 que esperam", `Tentar agora<span class="vh"> a de `)
	owner.made("/execucoes/01980000-0000-7000-8000-000000000001/refazer", nil)
	if attempts(1) != 0 || attempts(2) != 5 {
		t.Errorf("one is tried now: %d, %d", attempts(1), attempts(2))
	}
	owner.made("/execucoes/refazer", url.Values{"esperam": {"sim"}})
	if attempts(2) != 0 || attempts(3) != 0 {
		t.Errorf("all are tried now: %d, %d", attempts(2), attempts(3))
	}
	hasNot(t, "the page then", owner.get("/automacoes"), "Tentar agora")
}
