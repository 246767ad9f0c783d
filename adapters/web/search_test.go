package web_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/ports"
)

func TestLookupsRecognise(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	has(t, "empty", v.get("/consultar"), "O que você quer consultar?", "Nenhuma consulta ainda", "nos últimos 30 dias")
	for typed, want := range map[string][]string{
		"529.982.247-25": {"CPF válido", "529.982.247-25", "Cadastro de pessoa", "Renda presumida", "R$ 0,45",
			"consulta nova"},
		"52998224725":        {"CPF válido"},
		"529.982.247-52":     {"Este CPF não existe: os dois últimos dígitos não conferem", "Nada foi cobrado"},
		"111.111.111-11":     {"Este CPF não existe"},
		"11.222.333/0001-81": {"CNPJ válido", "Cadastro de empresa"},
		"12.abc.345/01de-35": {"CNPJ válido", "12.ABC.345/01DE-35"},
		"bra2e19":            {"Placa válida", "BRA2E19", "Veículo"},
		"Ana@Exemplo.com.br": {"E-mail válido", "Validação de e-mail"},
		"529.98":             {"Até aqui"},
		"Maria da Silva":     {"Isto não é CPF, CNPJ, placa ou e-mail"},
		"":                   {"Pode colar"},
	} {
		form := url.Values{"documento": {typed}}
		response, part := v.do(http.MethodPost, "/consultar/reconhecer", form, "HX-Request", "true")
		if response.StatusCode != 200 || strings.Contains(part, "<html") {
			t.Errorf("%q: status %d", typed, response.StatusCode)
		}
		has(t, typed, part, want...)
		hasNot(t, typed, part, "autofocus")
	}
	// Without script the whole page is returned, and faults are reported at once.
	response, page := v.send("/consultar", "documento", "529.982.247-52")
	if response.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("a wrong digit: %d", response.StatusCode)
	}
	has(t, "wrong digit", page, `value="529.982.247-52"`, `aria-invalid="true"`, "não conferem")
	_, page = v.send("/consultar", "documento", "529.982")
	has(t, "too short", page, "Um CPF tem 11 dígitos, e aqui há 6")
	response, page = v.send("/consultar", "documento", "529.982.247-25", "produto", "score")
	if response.StatusCode != 200 {
		t.Errorf("products: %d", response.StatusCode)
	}
	has(t, "products", page, `value="score" autocomplete="off" checked autofocus`, "Hoje a equipe gastou R$ 0,00",
		"Consultar <span class=\"preco\">R$ 0,45")
	// If the product is for another document type, the first suitable one is chosen.
	_, page = v.send("/consultar", "documento", "11.222.333/0001-81", "produto", "cpf")
	has(t, "product of another type", page, `autocomplete="off" checked autofocus`)
	if v.bureau.calls.Load() != 0 || v.spent() != 0 {
		t.Error("looking at prices asked the bureau")
	}
}

func TestLookupsStaleIsNotChargedUnasked(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	response, page := v.send("/consultas", "documento", aPerson, "produto", "cpf", "gratis", "sim")
	if response.StatusCode != http.StatusUnprocessableEntity || v.bureau.calls.Load() != 0 || v.spent() != 0 {
		t.Errorf("%d, %d calls", response.StatusCode, v.bureau.calls.Load())
	}
	has(t, "stale", page, "deixou de valer", "Nada foi cobrado", "R$ 0,45")
	// An expired answer counts as none.
	doc, _ := document.Parse(document.CPF, anotherPerson)
	err := v.store.Repos().History.Save(t.Context(), lookup.Record{
		ID: "01980000-0000-7000-8000-00000000a001", OrgID: v.by.OrgID(), Product: "cpf", Document: doc,
		AnsweredAt: time.Now().Add(-testFresh - time.Hour), Found: true,
		Fields: []byte(`{"nome":"Vicente"}`), Raw: []byte("{}"),
	})
	if err != nil {
		t.Fatal(err)
	}
	form := url.Values{"documento": {anotherPerson}}
	_, part := v.do(http.MethodPost, "/consultar/reconhecer", form, "HX-Request", "true")
	has(t, "over", part, "vencida, há 30 dias", "Consultar <span class=\"preco\">R$ 0,45")
	hasNot(t, "over", part, "grátis")
	response, _ = v.send("/consultas", "documento", anotherPerson, "produto", "cpf", "gratis", "sim")
	if response.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("over: %d", response.StatusCode)
	}
	for _, c := range []struct{ product, doc, want string }{
		{"nada", aPerson, "não é oferecido"}, {"veiculo", aPerson, "não é para este documento"},
		{"cpf", "529.982.247-52", "não conferem"},
	} {
		response, page := v.send("/consultas", "documento", c.doc, "produto", c.product)
		if response.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d", c.product, response.StatusCode)
		}
		has(t, c.product, page, c.want)
	}
}

func TestLookupsAboutAContact(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v, other := site.visitor("Ana"), site.visitor("Rui")
	funnels, err := site.store.Repos().Funnels.List(t.Context(), v.by.OrgID())
	if err != nil {
		t.Fatal(err)
	}
	contact := crm.Contact{
		ID: "01980000-0000-7000-8000-00000000c001", OrgID: v.by.OrgID(), Name: "Plínio", Email: "p@example.com",
		StageID: funnels[0].Stages[0].ID, CreatedAt: time.Now(),
	}
	err = site.store.InTx(t.Context(), func(_ context.Context, r ports.Repos) error {
		return r.Contacts.Create(t.Context(), contact, crm.Event{
			ID: "01980000-0000-7000-8000-00000000c002", OrgID: v.by.OrgID(), ContactID: contact.ID, Kind: crm.ContactCreated,
			At: time.Now(),
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	has(t, "search", v.get("/consultar?contato="+contact.ID), "Plínio", `name="contato" value="`+contact.ID)
	for _, form := range [][]string{{"novo", ""}, {"gratis", "sim"}} {
		path := v.ask(append(form, "documento", aPerson, "produto", "cpf", "contato", contact.ID)...)
		has(t, "result", v.get(path), `href="/contatos/`+contact.ID, "Voltar ao contato")
		entry, err := site.store.Repos().Statement.Find(t.Context(), ports.AnyOrg, strings.TrimPrefix(path, "/consultas/"))
		if err != nil || entry.ContactID != contact.ID {
			t.Errorf("the entry's contact is %q, %v", entry.ContactID, err)
		}
	}
	r, _ := other.send("/consultas", "documento", anotherPerson, "produto", "cpf", "contato", contact.ID)
	if r.StatusCode != http.StatusNotFound || other.spent() != 0 {
		t.Errorf("a contact of others: %d", r.StatusCode)
	}
}

// TestRecentsAreGroupedByPerson: a row for each document, its products as links, by the time shown.
func TestRecentsAreGroupedByPerson(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	v.bureau.says(aPerson, `{"nome":"Helena Duarte"}`)
	v.bureau.says(thirdPerson, `{"nome":"João Sá"}`)
	first := v.ask("documento", aPerson, "produto", "cpf")
	v.ask("documento", thirdPerson, "produto", "cpf")
	score := v.ask("documento", aPerson, "produto", "score")
	page := v.get("/consultar")
	helena, joao := strings.Index(page, "Helena Duarte"), strings.Index(page, "João Sá")
	if helena < 0 || joao < helena || strings.Count(page, "Helena Duarte") != 1 {
		t.Errorf("the last document looked up is not first, or is listed twice: %d, %d", helena, joao)
	}
	has(t, "the row", page[helena:joao], `href="`+first+`"`, `href="`+score+`"`, "Ana")
	v.ask("documento", thirdPerson, "produto", "cpf", "gratis", "sim")
	if page = v.get("/consultar"); strings.Index(page, "João Sá") > strings.Index(page, "Helena Duarte") {
		t.Error("opening from history moves nobody to the top")
	}
}
