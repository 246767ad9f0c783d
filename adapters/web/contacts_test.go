package web_test

import (
	"encoding/csv"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"fichario/app"
	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/ports"
)

var contactsInRows = regexp.MustCompile(`<th scope="row"><div class="two"><a class="break" href="/contatos/([0-9a-f-]+)"><bdi>([^<]*)</bdi>`)

// contactsNames are the names in a list, in its order.
func contactsNames(page string) []string {
	var out []string
	for _, m := range contactsInRows.FindAllStringSubmatch(page, -1) {
		out = append(out, contactsUnescaped(m[2]))
	}
	return out
}

func TestContactsSearchAndFilters(t *testing.T) {
	t.Parallel()
	site := contactsOpen(t)
	v, other := site.visitor("Ana"), site.visitor("Rui")
	if page := v.get("/contatos"); !strings.Contains(page, "Nenhum contato ainda") || !strings.Contains(page, `href="/webhooks"`) {
		t.Error("the empty list does not say what to do")
	}
	v.lead(url.Values{"nome": {"João Conceição"}, "email": {"joao@example.com"}, "telefone": {"(11) 98765-4321"}, "empresa": {"Óptica Ipê"}, "valor": {"10"}})
	v.lead(url.Values{"nome": {"Bia Rocha"}, "email": {"bia_100%@example.com"}, "valor": {"R$ 1.500,00"}})
	v.lead(url.Values{"nome": {"álvaro"}, "email": {"alvaro@example.com"}, "valor": {"7"}})
	other.lead(url.Values{"nome": {"João dos Outros"}, "email": {"joao@example.com"}})
	stages := v.funnel().Stages
	for query, want := range map[string]string{
		"":                          "álvaro|Bia Rocha|João Conceição",
		"ordem=antigos":             "João Conceição|Bia Rocha|álvaro",
		"ordem=nome":                "álvaro|Bia Rocha|João Conceição",
		"ordem=nome-z":              "João Conceição|Bia Rocha|álvaro",
		"ordem=valor":               "Bia Rocha|João Conceição|álvaro",
		"ordem=qualquer":            "álvaro|Bia Rocha|João Conceição",
		"q=joao":                    "João Conceição",
		"q=CONCEICAO+jo%C3%A3o":     "João Conceição",
		"q=otica":                   "",
		"q=optica":                  "João Conceição",
		"q=%2811%29+98765-4321":     "João Conceição",
		"q=011+98765":               "João Conceição",
		"q=4321+joao":               "João Conceição",
		"q=%25":                     "Bia Rocha",
		"q=_":                       "Bia Rocha",
		"q=%5C":                     "",
		"quando=hoje":               "álvaro|Bia Rocha|João Conceição",
		"etapa=" + stages[0].ID:     "álvaro|Bia Rocha|João Conceição",
		"etapa=" + stages[1].ID:     "",
		"resp=" + v.member.ID:       "álvaro|Bia Rocha|João Conceição",
		"webhook=" + v.hook.ID:      "álvaro|Bia Rocha|João Conceição",
		"q=bia&ordem=nome&quando=7": "Bia Rocha",
	} {
		if got := strings.Join(contactsNames(v.get("/contatos?"+query)), "|"); got != want {
			t.Errorf("%q: got %q, want %q", query, got, want)
		}
	}
	for _, query := range []string{"etapa=x", "etapa=" + other.funnel().Stages[0].ID, "resp=" + other.member.ID, "webhook=" + other.hook.ID, "origem=0"} {
		if response, _ := v.do(http.MethodGet, "/contatos?"+query, nil); response.StatusCode != http.StatusNotFound {
			t.Errorf("%q of another organisation: %d", query, response.StatusCode)
		}
	}
	if page := v.get("/contatos?q=aracaju"); !strings.Contains(page, "aracaju") || !strings.Contains(page, "Limpar filtros") {
		t.Error("the search that finds nothing does not say what to do")
	}
	if page := v.get("/contatos?ordem=valor"); !strings.Contains(page, `aria-sort="descending"`) || !strings.Contains(page, "ordem=valor-crescente") {
		t.Error("the head does not say how the list is ordered")
	}
	if strings.Contains(site.log.String(), "aracaju") {
		t.Error("what was searched for is in the log")
	}
}

func TestContactsPagesAreStable(t *testing.T) {
	t.Parallel()
	v := contactsOpen(t).visitor("Ana")
	for i := range 120 {
		v.lead(url.Values{"nome": {fmt.Sprintf("Pessoa %03d", i)}, "email": {fmt.Sprintf("p%d@example.com", i)}, "valor": {fmt.Sprint(i % 3)}})
	}
	next := regexp.MustCompile(`href="([^"]*)" rel="next"`)
	previous := regexp.MustCompile(`href="([^"]*)" rel="prev"`)
	for _, order := range []string{"", "antigos", "nome", "nome-z", "valor", "valor-crescente"} {
		var seen []string
		address, pages, last, first := "/contatos?ordem="+order, 0, "", ""
		for {
			page := v.get(address)
			names := contactsNames(page)
			if pages == 0 {
				first = strings.Join(names, "|")
			}
			if want := fmt.Sprintf("%d a %d de", pages*50+1, pages*50+len(names)); !strings.Contains(page, want) {
				t.Errorf("%s: the page does not say %q", order, want)
			}
			if len(page) > 100_000 {
				t.Errorf("a page has %d bytes", len(page))
			}
			seen, last = append(seen, names...), page
			pages++
			m := next.FindStringSubmatch(page)
			if m == nil || pages > 9 {
				break
			}
			address = contactsUnescaped(m[1])
			v.lead(url.Values{"nome": {"Recém " + order}, "email": {"r@example.com"}, "valor": {"9"}}) // on the first page of the newest
		}
		for i := range 120 {
			if name := fmt.Sprintf("Pessoa %03d", i); slices.Index(seen, name) < 0 || slices.Index(seen[slices.Index(seen, name)+1:], name) >= 0 {
				t.Errorf("order %q: %s is not there once", order, name)
			}
		}
		back := 0
		for m := previous.FindStringSubmatch(last); m != nil && back < 9; m = previous.FindStringSubmatch(last) {
			last = v.get(contactsUnescaped(m[1]))
			back++
		}
		if got := contactsNames(last); order == "antigos" && strings.Join(got, "|") != first {
			t.Errorf("back at the first page it is another one: %v", got)
		} else if len(got) != 50 {
			t.Errorf("the first page has %d contacts", len(got))
		}
	}
}

func TestContactsFile(t *testing.T) {
	t.Parallel()
	v := contactsOpen(t).visitor("Ana")
	v.lead(url.Values{"nome": {`=HYPERLINK("http://evil.example","x")`}, "email": {"+a@example.com"}, "empresa": {"@SUM(A1)"}, "telefone": {"(11) 98765-4321"}, "valor": {"1234,56"}, "mensagem": {"-1+2\nlinha, \"com\" tudo"}})
	for i := range 600 {
		v.lead(url.Values{"nome": {fmt.Sprint("P", i)}, "email": {"p@example.com"}})
	}
	response, body := v.do(http.MethodGet, "/contatos.csv?ordem=antigos", nil)
	if got := response.Header.Get("Content-Type"); got != "text/csv; charset=utf-8" {
		t.Errorf("type %q", got)
	}
	rows, err := csv.NewReader(strings.NewReader(body)).ReadAll()
	if err != nil || len(rows) != 602 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	if got := strings.Join(rows[1][1:6], "|"); got != `'=HYPERLINK("http://evil.example","x")|'+a@example.com|(11) 98765-4321|'@SUM(A1)|1234.56` {
		t.Errorf("row %s", got)
	}
	for _, row := range rows[1:] {
		for _, cell := range row {
			if cell != "" && strings.ContainsAny(cell[:1], "=+-@\t\r") {
				t.Errorf("a spreadsheet takes %q for a formula", cell)
			}
		}
	}
	if _, body := v.do(http.MethodGet, "/contatos.csv?q=P599", nil); strings.Count(body, "\n") != 2 {
		t.Errorf("the file does not follow the search: %q", body)
	}
}

func TestContactsChange(t *testing.T) {
	t.Parallel()
	site := contactsOpen(t)
	owner := site.visitor("Ana")
	v := site.member(owner.by.OrgID(), "Caio", crm.Common) // whom it is allowed to, too
	id := owner.lead(url.Values{"nome": {"Bia"}, "email": {"bia@example.com"}, "telefone": {"11 98765-4321"}, "valor": {"10"}})
	stages := v.funnel().Stages

	page := v.get("/contatos/" + id)
	for _, want := range []string{`href="tel:`, "5511987654321", `href="https://wa.me/5511987654321"`, `href="mailto:bia@example.com"`, "(11) 98765-4321"} {
		if !strings.Contains(contactsUnescaped(page), want) {
			t.Errorf("the page has no %s", want)
		}
	}
	if status, _ := v.post("/contatos/"+id+"/etapa", url.Values{"etapa": {stages[2].ID}}); status != http.StatusSeeOther {
		t.Errorf("move: %d", status)
	}
	if response, _ := v.do(http.MethodPost, "/contatos/"+id+"/etapa", url.Values{"etapa": {stages[2].ID}}, "HX-Request", "true"); response.StatusCode != http.StatusNoContent {
		t.Errorf("move by script: %d", response.StatusCode)
	}
	if status, _ := v.post("/contatos/"+id+"/responsavel", url.Values{"resp": {v.member.ID}}); status != http.StatusSeeOther {
		t.Errorf("assign: %d", status)
	}
	if status, _ := v.post("/contatos/"+id+"/nota", url.Values{"texto": {"Ligou\r\nde volta"}}); status != http.StatusSeeOther {
		t.Errorf("note: %d", status)
	}
	if status, page := v.post("/contatos/"+id+"/nota", url.Values{"texto": {"  "}}); status != http.StatusUnprocessableEntity || !strings.Contains(page, "A nota tem de 1 a") {
		t.Errorf("empty note: %d", status)
	}
	edit := url.Values{"nome": {"Bia Rocha"}, "email": {"bia@example.com"}, "telefone": {"(21) 2555-0100"}, "empresa": {""}, "valor": {"1.234,56"}, "nota": {v.find(id).Note}}
	if status, _ := v.post("/contatos/"+id, edit); status != http.StatusSeeOther {
		t.Errorf("edit: %d", status)
	}
	c := v.find(id)
	if c.Name != "Bia Rocha" || c.PhoneE164 != "+552125550100" || c.Amount != 1234_5600 || c.StageID != stages[2].ID || c.AssigneeID != v.member.ID || c.Note != "Ligou\nde volta" {
		t.Errorf("contact %+v", c)
	}
	want := []string{
		"Criado pelo webhook Site de Ana", "Movido para a etapa Proposta por Caio", "Atribuído a Caio por Caio", "Nota adicionada por Caio: Ligou\nde volta",
		"Alterado por Caio: nome, telefone, valor",
	}
	if got := v.events(id); !slices.Equal(got, want) {
		t.Errorf("history:\n got %q\nwant %q", got, want)
	}
	history := v.get("/contatos/" + id + "/historico")
	for _, text := range []string{"moveu para", "atribuiu a", "anotou:", "alterou nome, telefone, valor", "Site de Ana"} {
		if !strings.Contains(history, text) {
			t.Errorf("the history page has no %q", text)
		}
	}
	// The same again is no change.
	if status, _ := v.post("/contatos/"+id, edit); status != http.StatusSeeOther || len(v.events(id)) != len(want) {
		t.Errorf("an edit that changes nothing: %d, %d entries", status, len(v.events(id)))
	}
	if got := contactsNames(v.get("/contatos?q=2125550100")); len(got) != 1 {
		t.Errorf("not found by its new phone: %v", got)
	}
	for field, values := range map[string][]string{
		"nome": {"", strings.Repeat("x", 201), "a\nb"}, "email": {"", "sem-arroba", "@", "a b@c"}, "valor": {"dez", "-5", "99999999999999"},
		"telefone": {strings.Repeat("1", 61)},
	} {
		for _, value := range values {
			bad := url.Values{}
			for name, v := range edit {
				bad[name] = v
			}
			bad.Set(field, value)
			status, page := v.post("/contatos/"+id, bad)
			if status != http.StatusUnprocessableEntity || !strings.Contains(page, `aria-invalid="true" aria-describedby="`+field+`-p"`) || !strings.Contains(page, "1.234,56") && field != "valor" {
				t.Errorf("%s %.20q: %d", field, value, status)
			}
		}
	}
	// Who edits what has changed since is told, and overwrites nothing.
	stale := regexp.MustCompile(`name="versao" value="([^"]+)"`).FindStringSubmatch(v.get("/contatos/" + id + "/editar"))[1]
	owner.post("/contatos/"+id+"/nota", url.Values{"texto": {"Outra"}})
	edit.Set("versao", stale)
	edit.Set("nome", "Perdida")
	if status, page := v.post("/contatos/"+id, edit); status != http.StatusUnprocessableEntity || !strings.Contains(page, "mudou enquanto") || v.find(id).Name != "Bia Rocha" {
		t.Errorf("a stale form: %d", status)
	}
}

func TestContactsHistoryHasTheAutomations(t *testing.T) {
	t.Parallel()
	site := contactsOpen(t)
	owner := site.visitor("Ana")
	v := site.member(owner.by.OrgID(), "Caio", crm.Common)
	id := owner.lead(url.Values{"nome": {"Bia"}, "email": {"bia@example.com"}})
	made, err := app.NewAutomations(site.store, time.Now).Add(t.Context(), owner.by, app.NewAutomation{
		OrgID: owner.by.OrgID(), Name: "Avisar o ERP", Event: automation.ContactCreated, Action: automation.HTTP, URL: "https://erp.example.com/",
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, job := range []automation.Job{
		{Kind: automation.RunAutomation, AutomationID: made.ID, State: automation.Dead, Attempts: 12, Result: "erp.example.com não respondeu <b>", EndedAt: time.Now()},
		{Kind: automation.RunAutomation, AutomationID: made.ID, State: automation.Ready},
		{Kind: automation.MailMember, MemberID: v.member.ID, State: automation.Done, Attempts: 1, Result: "enviado", EndedAt: time.Now()},
	} {
		job.ID, job.OrgID, job.ContactID, job.CreatedAt, job.RunAt = fmt.Sprintf("01980000-0000-7000-8000-00000000002%d", i), owner.by.OrgID(), id, time.Now(), time.Now()
		if err := ports.Store(site.store).Repos().Jobs.Add(t.Context(), job); err != nil {
			t.Fatal(err)
		}
	}
	page := v.get("/contatos/" + id + "/historico")
	for _, want := range []string{"Avisar o ERP", "Falhou", "não respondeu &lt;b&gt;", "12 tentativas", "Na fila", "Aviso por e-mail a <bdi>Caio</bdi>", "Feita"} {
		if !strings.Contains(page, want) {
			t.Errorf("the history has no %q", want)
		}
	}
	if strings.Contains(page, `href="/webhooks/`) {
		t.Error("it leads a member to what only those who administer may see")
	}
	one := "Refazer a que falhou"
	if page := owner.get("/automacoes"); !strings.Contains(page, one) {
		t.Errorf("one dead run: the page has no %q", one)
	}
	for i := range 34 {
		job := automation.Job{
			ID: fmt.Sprintf("01980000-0000-7000-8000-0000000001%02d", i), OrgID: owner.by.OrgID(), Kind: automation.RunAutomation, AutomationID: made.ID,
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

func TestAutomationThatMails(t *testing.T) {
	t.Parallel()
	v := contactsOpen(t).visitor("Ana")
	form := func(to, address string) url.Values {
		return url.Values{"nome": {"Boas-vindas"}, "acao": {"email"}, "para": {to}, "endereco": {address}, "assunto": {"Olá, {nome}"}, "texto": {"Recebemos."}}
	}
	if page := v.get("/automacoes/nova"); !strings.Contains(page, `<option value="contact" selected>O contato`) {
		t.Error("the first choice is not the contact")
	}
	status, page := v.post("/automacoes", form("", "ana@"))
	if status != http.StatusUnprocessableEntity || !strings.Contains(page, `name="endereco" type="text" value="ana@" inputmode="email" aria-invalid="true" aria-describedby="endereco-p" autofocus`) || strings.Contains(page, "assignee (") {
		t.Errorf("a wrong address: %d, %s", status, page)
	}
	for to, says := range map[string]string{"contact": "<dd>o contato</dd>", "assignee": "<dd>o responsável</dd>", "": "<dd>vendas@example.com</dd>"} {
		answer, _ := v.do(http.MethodPost, "/automacoes", form(to, "vendas@example.com"))
		if answer.StatusCode != http.StatusSeeOther {
			t.Fatalf("to %q: %d", to, answer.StatusCode)
		}
		if page := v.get(answer.Header.Get("Location")); !strings.Contains(page, says) {
			t.Errorf("to %q: the page has no %q", to, says)
		}
	}
}

// TestAutomationIsEdited: the form shows what there is; a call keeps its secret, another action has none.
func TestAutomationIsEdited(t *testing.T) {
	t.Parallel()
	v := contactsOpen(t).visitor("Ana")
	form := url.Values{"nome": {"Avisar"}, "acao": {"http"}, "url": {"https://a.example/leads"}, "webhook": {v.hook.ID}, "valor": {"1.500,50"}}
	answer, _ := v.do(http.MethodPost, "/automacoes", form)
	at := answer.Header.Get("Location")
	if answer.StatusCode != http.StatusSeeOther {
		t.Fatalf("made: %d", answer.StatusCode)
	}
	find := func() automation.Automation {
		a, err := v.store.Repos().Automations.Find(t.Context(), strings.TrimPrefix(at, "/automacoes/"))
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	before := find()
	page := contactsUnescaped(v.get(at + "/editar"))
	for _, want := range []string{`value="Avisar"`, `value="https://a.example/leads"`, `value="R$ 1.500,50"`, `<option value="` + v.hook.ID + `" selected>`, `value="http" checked`} {
		if !strings.Contains(page, want) {
			t.Errorf("the form has no %s", want)
		}
	}
	form.Set("url", "https://b.example/leads")
	form.Set("valor", "")
	if status, _ := v.post(at, form); status != http.StatusSeeOther {
		t.Errorf("edited: %d", status)
	}
	if a := find(); a.Action.URL != "https://b.example/leads" || a.Action.Secret != before.Action.Secret || a.Conditions.MinAmount != 0 || a.Conditions.WebhookID != v.hook.ID || !a.Enabled {
		t.Errorf("edited: %s, enabled %t, the same secret %t", a.Action.URL, a.Enabled, a.Action.Secret == before.Action.Secret)
	}
	form.Set("url", "nada")
	if status, page := v.post(at, form); status != http.StatusUnprocessableEntity || !strings.Contains(page, `action="`+at+`"`) {
		t.Errorf("a wrong address: %d", status)
	}
	if status, _ := v.post(at, url.Values{"nome": {"Nota"}, "acao": {"add_note"}, "texto": {"Ligar"}}); status != http.StatusSeeOther || find().Action.Secret != "" {
		t.Errorf("another action: %d", status)
	}
}

func TestAFunnelIsRenamed(t *testing.T) {
	t.Parallel()
	v := contactsOpen(t).visitor("Ana")
	funnel := v.funnel()
	page := v.get("/equipe")
	form := regexp.MustCompile(`(?s)<form[^>]*action="/equipe/funis/` + funnel.ID + `"><input type="hidden" name="fazer" value="renomear-funil">.*?</form>`).FindString(page)
	if !strings.Contains(form, `name="nome" value="`+funnel.Name+`"`) {
		t.Fatalf("the page has no form that renames %s", funnel.Name)
	}
	if status, _ := v.post("/equipe/funis/"+funnel.ID, url.Values{"fazer": {"renomear-funil"}, "nome": {"Crédito rural"}}); status != http.StatusSeeOther {
		t.Errorf("rename: %d", status)
	}
	if got := v.funnel(); got.Name != "Crédito rural" || len(got.Stages) != len(funnel.Stages) {
		t.Errorf("the funnel is %+v", got)
	}
}

func TestContactsByHand(t *testing.T) {
	t.Parallel()
	v := contactsOpen(t).visitor("Ana")
	stages := v.funnel().Stages
	response, _ := v.do(http.MethodPost, "/contatos", url.Values{"nome": {"Davi"}, "email": {"davi@example.com"}, "valor": {"R$ 2.500"}, "etapa": {stages[1].ID}, "nota": {"da feira"}})
	id := strings.TrimPrefix(response.Header.Get("Location"), "/contatos/")
	if response.StatusCode != http.StatusSeeOther {
		t.Fatalf("create: %d", response.StatusCode)
	}
	c := v.find(id)
	if c.WebhookID != "" || c.Amount != 2500_0000 || c.StageID != stages[1].ID || c.AssigneeID != v.member.ID || c.Note != "da feira" {
		t.Errorf("contact %+v", c)
	}
	if got := v.events(id); !slices.Equal(got, []string{"Criado por Ana"}) {
		t.Errorf("history %q", got)
	}
	findings, err := v.store.Check(t.Context(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		if f.Violations > 0 {
			t.Errorf("broken: %s", f.Name)
		}
	}
	if status, page := v.post("/contatos", url.Values{"nome": {"Sem e-mail <b>"}, "telefone": {"1"}}); status != http.StatusUnprocessableEntity || !strings.Contains(page, "Sem e-mail &lt;b&gt;") {
		t.Errorf("without an e-mail: %d", status)
	}
}

func TestContactsBoard(t *testing.T) {
	t.Parallel()
	v := contactsOpen(t).visitor("Ana")
	var ids []string
	for i := range 20 {
		ids = append(ids, v.lead(url.Values{"nome": {fmt.Sprint("P", i)}, "email": {"p@example.com"}, "valor": {"100"}}))
	}
	stages := v.funnel().Stages
	v.post("/contatos/"+ids[0]+"/etapa", url.Values{"etapa": {stages[4].ID}})
	page := contactsUnescaped(v.get("/funil"))
	for _, want := range []string{"19\u00a0contatos, R$\u00a01.900,00", "1\u00a0contato, R$\u00a0100,00", "19\u00a0contatos em aberto", "Ver os 19 em lista", `href="/contatos?etapa=` + stages[0].ID, "Mover para"} {
		if !strings.Contains(page, want) {
			t.Errorf("the board has no %q", want)
		}
	}
	response, part := v.do(http.MethodGet, "/funil", nil, "HX-Request", "true")
	if response.StatusCode != http.StatusOK || strings.Contains(part, "<html") || !strings.Contains(part, `class="board"`) {
		t.Error("the part for the script is not the board alone")
	}
	// The menu works without script, and leads back to where it was.
	response, _ = v.do(http.MethodPost, "/contatos/"+ids[1]+"/etapa", url.Values{"etapa": {stages[1].ID}}, "Referer", v.server.URL+"/funil?resp="+v.member.ID)
	if got := response.Header.Get("Location"); got != "/funil?resp="+v.member.ID {
		t.Errorf("it leads to %q", got)
	}
	response, _ = v.do(http.MethodPost, "/contatos/"+ids[1]+"/etapa", url.Values{"etapa": {stages[2].ID}}, "Referer", "https://evil.example/x")
	if got := response.Header.Get("Location"); got != "/contatos/"+ids[1] {
		t.Errorf("from elsewhere it leads to %q", got)
	}
}

func TestContactsOfOthers(t *testing.T) {
	t.Parallel()
	site := contactsOpen(t)
	v, other := site.visitor("Ana"), site.visitor("Rui")
	mine := v.lead(url.Values{"nome": {"Minha"}, "email": {"m@example.com"}})
	theirs := other.lead(url.Values{"nome": {"Segredo"}, "email": {"s@example.com"}})
	form := url.Values{"nome": {"x"}, "email": {"x@example.com"}, "texto": {"x"}, "resp": {v.member.ID}, "etapa": {v.funnel().Stages[1].ID}}
	for _, id := range []string{theirs, "01980000-0000-7000-8000-000000000000", "x", "%00"} {
		for _, route := range []string{"GET ", "GET /editar", "GET /documentos", "GET /historico", "POST ", "POST /nota", "POST /responsavel", "POST /etapa"} {
			method, path, _ := strings.Cut(route, " ")
			var body url.Values
			if method == http.MethodPost {
				body = form
			}
			response, page := v.do(method, "/contatos/"+id+path, body)
			if response.StatusCode != http.StatusNotFound || strings.Contains(page, "Segredo") {
				t.Errorf("%s with %s: %d", route, id, response.StatusCode)
			}
		}
	}
	for path, body := range map[string]url.Values{
		"/contatos/" + mine + "/responsavel": {"resp": {other.member.ID}},
		"/contatos/" + mine + "/etapa":       {"etapa": {other.funnel().Stages[0].ID}},
		"/contatos":                          {"nome": {"x"}, "email": {"x@y"}, "etapa": {other.funnel().Stages[0].ID}},
	} {
		if status, _ := v.post(path, body); status != http.StatusNotFound {
			t.Errorf("%s with another organisation's id: %d", path, status)
		}
	}
	if response, _ := v.do(http.MethodGet, "/funil?funil="+other.funnel().ID, nil); response.StatusCode != http.StatusNotFound {
		t.Errorf("another organisation's funnel: %d", response.StatusCode)
	}
	for _, path := range []string{"/contatos", "/contatos.csv", "/funil", "/notificacoes", "/contatos?q=segredo"} {
		if strings.Contains(v.get(path), "Segredo") {
			t.Errorf("%s shows another organisation's contact", path)
		}
	}
	if got := v.events(theirs); len(got) != 1 {
		t.Errorf("something happened to it: %q", got)
	}
}

func TestContactsHostileText(t *testing.T) {
	t.Parallel()
	v := contactsOpen(t).visitor("Ana")
	const script = `"><script>alert(1)</script>`
	bodies := []url.Values{
		{"nome": {script}, "email": {script + "@x"}, "empresa": {script}, "telefone": {script}, "mensagem": {script}, "utm_source": {script}, "origem": {script}},
		{"nome": {"javascript:alert(1)"}, "email": {"javascript:alert(1)@x"}, "empresa": {"javascript:alert(1)"}, "page_url": {"javascript:alert(1)"}},
		{"nome": {"\u202eabc\u2066\u200f"}, "email": {"a@b?bcc=x@y&body=z"}},
		{"nome": {strings.Repeat("N", 100_000)}, "email": {"n@example.com"}, "mensagem": {strings.Repeat("nota ", 20_000)}},
	}
	for _, body := range bodies {
		id := v.lead(body)
		v.post("/contatos/"+id+"/nota", url.Values{"texto": {script}})
		v.post("/contatos", url.Values{"nome": {script}, "email": {script}})
		for _, path := range []string{"/contatos", "/contatos?q=" + url.QueryEscape(script), "/funil", "/notificacoes", "/contatos/" + id, "/contatos/" + id + "/historico", "/contatos/" + id + "/documentos"} {
			page := v.get(path)
			if strings.Contains(page, "<script>alert") || strings.Contains(page, `="javascript:`) || strings.Contains(page, `mailto:a@b?`) {
				t.Errorf("%s lets hostile text out", path)
			}
			if len(page) > 100_000 {
				t.Errorf("%s has %d bytes", path, len(page))
			}
		}
		if page := v.get("/contatos/" + id + "/editar"); strings.Contains(page, "<script>alert") {
			t.Error("the form lets hostile text out")
		}
	}
	v.post("/contatos", url.Values{"nome": {"\u202eabc"}, "email": {"b@example.com"}})
	if page := v.get("/contatos"); !strings.Contains(page, "<bdi>\u202eabc</bdi>") {
		t.Error("marks of direction are not kept within their own text")
	}
}

func TestContactsDocuments(t *testing.T) {
	t.Parallel()
	v := contactsOpen(t).visitor("Ana")
	id := v.lead(url.Values{"nome": {"Bia"}, "email": {"bia@example.com"}})
	if page := v.get("/contatos/" + id + "/documentos"); !strings.Contains(page, `action="/consultar"`) || !strings.Contains(page, `name="contato" value="`+id) || !strings.Contains(page, "Nenhuma consulta ainda") {
		t.Error("the tab has no form, or does not say that there is nothing yet")
	}
	cpf := document.Restore(document.CPF, "52998224725")
	rec := lookup.Record{ID: "01980000-0000-7000-8000-000000000001", OrgID: v.by.OrgID(), Product: "cpf", Document: cpf, AnsweredAt: time.Now().Add(-6*24*time.Hour - time.Hour), Fields: []byte("{}"), Raw: []byte("{}")}
	if err := v.store.Repos().History.Save(t.Context(), rec); err != nil {
		t.Fatal(err)
	}
	for i, e := range []lookup.Entry{
		{RecordID: rec.ID, Status: lookup.Done, Charged: true, Amount: 4500, MemberID: v.member.ID},
		{RecordID: rec.ID, Status: lookup.Done, Cache: true, MemberID: v.member.ID},
		{Status: lookup.NoAnswer, Charged: true, Amount: 4500, MemberID: v.member.ID},
	} {
		e.ID, e.OrgID, e.Product, e.Document, e.At, e.ContactID = fmt.Sprintf("01980000-0000-7000-8000-00000000001%d", i), v.by.OrgID(), "cpf", cpf, time.Now(), id
		if err := ports.Store(v.store).Repos().Statement.Add(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	page := contactsUnescaped(v.get("/contatos/" + id + "/documentos"))
	for _, want := range []string{"529.982.247-25", "R$\u00a00,45", "R$\u00a00,90 em 3\u00a0consultas", "6 de 30\u00a0dias", "Bureau não respondeu", "/consultas/01980000-0000-7000-8000-000000000010", "grátis", "Ana"} {
		if !strings.Contains(page, want) {
			t.Errorf("the documents have no %q", want)
		}
	}
	if page := v.get("/contatos/" + id + "/historico"); strings.Count(page, "529.982.247-25") != 3 {
		t.Error("the history has not the lookups")
	}
}

func TestNotificationsAndBell(t *testing.T) {
	t.Parallel()
	site := contactsOpen(t)
	v := site.visitor("Ana")
	colleague := site.member(v.by.OrgID(), "Caio", crm.Common)
	if page := v.get("/notificacoes"); !strings.Contains(page, "Nada por aqui") {
		t.Error("the empty page says nothing")
	}
	id := v.lead(url.Values{"nome": {"Bia"}, "email": {"bia@example.com"}})
	v.lead(url.Values{"nome": {"Davi"}, "email": {"davi@example.com"}})
	bell := v.get("/notificacoes/sino?visto=0")
	for _, want := range []string{`id="sino"`, "sino?visto=2", `id="sino-topo" hx-swap-oob="outerHTML"`, "Notificações: 2 não lidas", `role="status"`, "2\u00a0notificações novas"} {
		if !strings.Contains(bell, want) {
			t.Errorf("the bell has no %q", want)
		}
	}
	if again := v.get("/notificacoes/sino?visto=2"); strings.Contains(again, `role="status"`) {
		t.Error("the bell speaks although nothing is new")
	}
	page := v.get("/notificacoes")
	for _, want := range []string{"Hoje", `class="unread"`, `href="/contatos/` + id + `"`, "2\u00a0não lidas"} {
		if !strings.Contains(page, want) {
			t.Errorf("the list has no %q", want)
		}
	}
	newest := regexp.MustCompile(`name="ate" value="([^"]+)"`).FindStringSubmatch(page)[1]
	v.lead(url.Values{"nome": {"Depois"}, "email": {"depois@example.com"}})
	if status, _ := v.post("/notificacoes/lidas", url.Values{"ate": {newest}}); status != http.StatusSeeOther {
		t.Errorf("read all: %d", status)
	}
	if got := v.get("/notificacoes/sino"); !strings.Contains(got, "sino?visto=1") {
		t.Errorf("what came after the page was shown is read too: %s", got)
	}
	if got := colleague.get("/notificacoes/sino"); !strings.Contains(got, "sino?visto=3") {
		t.Errorf("one member reads for another: %s", got)
	}
	site.ahead.Store(int64(-25 * time.Hour))
	v.lead(url.Values{"nome": {"Antes"}, "email": {"antes@example.com"}})
	site.ahead.Store(0)
	if page := v.get("/notificacoes"); !strings.Contains(page, "Ontem") {
		t.Error("yesterday has no name")
	}
}

// A form that did not arrive whole is not taken for an empty one.
func TestContactsFormIsReadWhole(t *testing.T) {
	t.Parallel()
	v := contactsOpen(t).visitor("Helena")
	id := v.lead(url.Values{"nome": {"Ana"}, "email": {"ana@example.com"}})
	if status, page := v.post("/contatos/"+id+"/nota", url.Values{"texto": {strings.Repeat("x", 3<<20)}}); status != http.StatusRequestEntityTooLarge || !strings.Contains(page, "grande demais") {
		t.Errorf("a form of 3 MiB: %d", status)
	}
	if _, page := v.do(http.MethodPost, "/conta/senha?x=%zz", url.Values{"atual": {"minha-senha-atual"}, "senha": {"outra-senha"}, "nome": {"visível"}}); strings.Contains(page, "senha-atual") || !strings.Contains(page, "visível") {
		t.Error("what was typed is not shown again, or a password is")
	}
	at, err := url.Parse(v.server.URL)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", at.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	fmt.Fprintf(conn, "POST /webhooks/%s/ligar HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\nligado=s",
		v.hook.ID, at.Host, v.client.Jar.Cookies(at)[0])
	_ = conn.(*net.TCPConn).CloseWrite()
	answer, err := io.ReadAll(conn)
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 400") || !strings.Contains(string(answer), "não chegou inteiro") {
		t.Errorf("half a form: %.40q, %v", answer, err)
	}
	if hook, _, err := v.store.Repos().Webhooks.Find(t.Context(), v.hook.ID); err != nil || !hook.Enabled {
		t.Errorf("half a form turned the webhook off: %v", err)
	}
}
