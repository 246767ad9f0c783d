package web_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"fichario/app"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/ports"
)

const (
	lookupsPerson  = "52998224725"
	lookupsOther   = "11144477735"
	lookupsCompany = "11222333000181"
)

func lookupsHas(t *testing.T, what, page string, texts ...string) {
	t.Helper()
	page = strings.ReplaceAll(html.UnescapeString(page), "\u00a0", " ")
	for _, text := range texts {
		if !strings.Contains(page, text) {
			t.Errorf("%s: there is no %q", what, text)
		}
	}
}

func lookupsHasNot(t *testing.T, what, page string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(page, text) {
			t.Errorf("%s: there is %q", what, text)
		}
	}
}

func TestLookupsRecognise(t *testing.T) {
	t.Parallel()
	v := contactsOpen(t).owner("Ana")
	lookupsHas(t, "empty", v.get(200, "/consultar"), "O que você quer consultar?", "Nenhuma consulta ainda", "nos últimos 30 dias")
	for typed, want := range map[string][]string{
		"529.982.247-25":     {"CPF válido", "529.982.247-25", "Cadastro de pessoa", "Renda presumida", "R$ 0,45", "consulta nova"},
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
		response, part := v.do(http.MethodPost, "/consultar/reconhecer", url.Values{"documento": {typed}}, "HX-Request", "true")
		if response.StatusCode != 200 || strings.Contains(part, "<html") {
			t.Errorf("%q: status %d", typed, response.StatusCode)
		}
		lookupsHas(t, typed, part, want...)
		lookupsHasNot(t, typed, part, "autofocus")
	}
	// Without script the whole page comes back, and what is wrong is said at once.
	response, page := v.post("/consultar", "documento", "529.982.247-52")
	if response.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("a wrong digit: %d", response.StatusCode)
	}
	lookupsHas(t, "wrong digit", page, `value="529.982.247-52"`, `aria-invalid="true"`, "não conferem")
	_, page = v.post("/consultar", "documento", "529.982")
	lookupsHas(t, "too short", page, "Um CPF tem 11 dígitos, e aqui há 6")
	response, page = v.post("/consultar", "documento", "529.982.247-25", "produto", "score")
	if response.StatusCode != 200 {
		t.Errorf("products: %d", response.StatusCode)
	}
	lookupsHas(t, "products", page, `value="score" autocomplete="off" checked autofocus`, "Hoje a equipe gastou R$ 0,00", "Consultar <span class=\"preco\">R$ 0,45")
	// A product of another type of document chooses the first that fits.
	_, page = v.post("/consultar", "documento", "11.222.333/0001-81", "produto", "cpf")
	lookupsHas(t, "product of another type", page, `autocomplete="off" checked autofocus`)
	if v.bureau.calls.Load() != 0 || v.spent() != 0 {
		t.Error("looking at prices asked the bureau")
	}
}

func TestLookupsHistoryIsFreeBothWays(t *testing.T) {
	t.Parallel()
	v := contactsOpen(t).owner("Ana")
	key := v.key("ERP")
	v.bureau.says(lookupsPerson, `{"nome":"Helena Duarte","telefones":[{"ddd":"31","numero":"900120148","tipo":"Celular","whatsapp":true},
		{"ddd":"31","numero":"900340172","whatsapp":false},{"ddd":"31","numero":"32000119"}]}`)
	// Made here, it answers the key.
	path := v.ask("documento", "529.982.247-25", "produto", "cpf")
	if strings.Contains(path, lookupsPerson) {
		t.Error("the document is in the address")
	}
	page := v.get(200, path)
	lookupsHas(t, "result", page, "Helena Duarte", "529.982.247-25", "(31) 90012-0148", `href="tel:+5531900120148"`, "R$ 0,45", "Cobrada", "tela de consulta",
		"Atualizar esta ficha?", "Gasto de hoje, depois disto", "R$ 0,90", "Cobrado: R$ 0,45")
	if whatsapp := strings.Count(page, "wa-sim") == 1 && strings.Count(page, "wa-nao") == 1; !whatsapp {
		t.Error("the three states of WhatsApp")
	}
	id := strings.TrimPrefix(path, "/consultas/")
	entry, err := v.store.Repos().Statement.Find(t.Context(), id)
	if err != nil || entry.MemberID != v.by.MemberID() || entry.KeyID != "" || !entry.Charged || entry.Amount != lookupsPrice {
		t.Errorf("the entry: %+v, %v", entry, err)
	}
	got, err := v.lookups.Do(t.Context(), key, app.LookupRequest{Product: "cpf", Document: lookupsPerson})
	if err != nil || !got.Entry.Cache || got.Entry.Charged {
		t.Errorf("the API after the interface: %+v, %v", got.Entry, err)
	}
	// Made by the key, it opens here.
	if _, err := v.lookups.Do(t.Context(), key, app.LookupRequest{Product: "score", Document: lookupsPerson}); err != nil {
		t.Fatal(err)
	}
	spent := v.spent()
	_, part := v.do(http.MethodPost, "/consultar/reconhecer", url.Values{"documento": {lookupsPerson}}, "HX-Request", "true")
	lookupsHas(t, "choices", part, "Helena Duarte</bdi> está no histórico", "Abrir do histórico <span class=\"preco\">grátis", "histórico, agora", "Consultar de novo?")
	free := v.ask("documento", lookupsPerson, "produto", "score", "gratis", "sim")
	lookupsHas(t, "opened", v.get(200, free), "Histórico, grátis", "R$ 0,00", "API, com a chave", "ERP", "Aberta por")
	if v.spent() != spent || v.bureau.calls.Load() != 2 {
		t.Errorf("opening from history: spent %s, %d calls", v.spent(), v.bureau.calls.Load())
	}
	before, _ := v.store.Repos().Statement.Page(t.Context(), lookup.Asker{OrgID: v.by.OrgID()}, lookup.Filter{}, "", 50)
	v.get(200, path)
	if after, _ := v.store.Repos().Statement.Page(t.Context(), lookup.Asker{OrgID: v.by.OrgID()}, lookup.Filter{}, "", 50); len(after) != len(before) {
		t.Error("looking at a result writes an entry")
	}
	// Asking anew is charged, and the answer before stays.
	again := v.again(lookupsPerson)
	lookupsHas(t, "asked anew", v.get(200, again), "Cobrada", "Respostas anteriores", path)
	if v.spent() != spent+lookupsPrice {
		t.Error("asking anew is charged once")
	}
}

// TestLookupsRefreshPressedTwice: the button of one page charges once, however often and however fast it is pressed.
func TestLookupsRefreshPressedTwice(t *testing.T) {
	t.Parallel()
	v := contactsOpen(t).owner("Ana")
	page := v.get(200, v.ask("documento", lookupsPerson, "produto", "cpf"))
	found := regexp.MustCompile(`name="novo" value="([^"]+)"`).FindStringSubmatch(page)
	if found == nil {
		t.Fatal("the page has no button to ask anew")
	}
	gate := make(chan struct{})
	v.bureau.on(lookupsPerson, func(_ context.Context, p catalog.Product) (ports.Answer, error) {
		<-gate
		fields, _ := p.Project(nil)
		return ports.Answer{Found: true, Raw: []byte(`{}`), Fields: fields}, nil
	})
	press := func() string { return v.ask("documento", lookupsPerson, "produto", "cpf", "novo", found[1]) }
	first := press() // is under way
	if second := press(); second != first {
		t.Errorf("pressed again meanwhile: %s instead of %s", second, first)
	}
	close(gate)
	v.lookups.Close()
	late := v.get(200, press())
	lookupsHas(t, "pressed again later", late, "R$ 0,00", "Histórico, grátis")
	if got := v.spent(); got != 2*lookupsPrice || v.bureau.calls.Load() != 2 {
		t.Errorf("spent %s in %d calls", got, v.bureau.calls.Load())
	}
}

func TestLookupsStaleIsNotChargedUnasked(t *testing.T) {
	t.Parallel()
	v := contactsOpen(t).owner("Ana")
	response, page := v.post("/consultas", "documento", lookupsPerson, "produto", "cpf", "gratis", "sim")
	if response.StatusCode != http.StatusUnprocessableEntity || v.bureau.calls.Load() != 0 || v.spent() != 0 {
		t.Errorf("%d, %d calls", response.StatusCode, v.bureau.calls.Load())
	}
	lookupsHas(t, "stale", page, "deixou de valer", "Nada foi cobrado", "R$ 0,45")
	// An answer that is over is as none.
	doc, _ := document.Parse(document.CPF, lookupsOther)
	err := v.store.Repos().History.Save(t.Context(), lookup.Record{
		ID: "01980000-0000-7000-8000-00000000a001", OrgID: v.by.OrgID(), Product: "cpf", Document: doc, AnsweredAt: time.Now().Add(-lookupsFresh - time.Hour),
		Found: true, Fields: []byte(`{"nome":"Vicente"}`), Raw: []byte("{}"),
	})
	if err != nil {
		t.Fatal(err)
	}
	_, part := v.do(http.MethodPost, "/consultar/reconhecer", url.Values{"documento": {lookupsOther}}, "HX-Request", "true")
	lookupsHas(t, "over", part, "vencida, há 30 dias", "Consultar <span class=\"preco\">R$ 0,45")
	lookupsHasNot(t, "over", part, "grátis")
	if response, _ := v.post("/consultas", "documento", lookupsOther, "produto", "cpf", "gratis", "sim"); response.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("over: %d", response.StatusCode)
	}
	for _, c := range []struct{ product, doc, want string }{
		{"nada", lookupsPerson, "não é oferecido"}, {"veiculo", lookupsPerson, "não é para este documento"}, {"cpf", "529.982.247-52", "não conferem"},
	} {
		response, page := v.post("/consultas", "documento", c.doc, "produto", c.product)
		if response.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d", c.product, response.StatusCode)
		}
		lookupsHas(t, c.product, page, c.want)
	}
}

func TestLookupsNullIsSaid(t *testing.T) {
	t.Parallel()
	v := contactsOpen(t).owner("Ana")
	v.bureau.says(lookupsPerson, `{}`)
	for _, p := range lookupsCatalog() {
		doc := map[document.Type]string{document.CPF: lookupsPerson, document.CNPJ: lookupsCompany, document.Plate: "ABC1D23", document.Email: "a@example.com"}[p.Documents[0]]
		v.bureau.says(doc, `{}`)
		page := v.get(200, v.ask("documento", doc, "produto", p.ID))
		article := page[strings.Index(page, "<article"):strings.Index(page, "</article>")]
		lookupsHas(t, p.ID, article, "não informado", p.Name)
		lookupsHasNot(t, p.ID, article, ">Não<", ">null<", "&lt;nil&gt;", ">0<")
	}
	v.bureau.on(lookupsOther, func(_ context.Context, p catalog.Product) (ports.Answer, error) {
		fields, _ := p.Project(nil)
		return ports.Answer{Raw: []byte("null"), Fields: fields}, nil
	})
	lookupsHas(t, "no record", v.get(200, v.ask("documento", lookupsOther, "produto", "cpf")), "Nada encontrado", "custou R$ 0,45", "Cobrada")
}

func TestLookupsFields(t *testing.T) {
	t.Parallel()
	v := contactsOpen(t).owner("Ana")
	v.bureau.says(lookupsCompany, `{"razaoSocial":"Cipó Ltda","abertura":"2026-08-03","capitalSocial":180000.0,"atividadePrincipal":{"codigo":"1081302","descricao":"Torrefação"},
		"enderecos":[{"logradouro":"Rua A","numero":"1","cidade":"Sabará","uf":"MG","cep":"30999218"}],
		"socios":[{"nome":"Iracema","documento":"***.444.777-**","entrada":"2026-08-03"},{"nome":"Tomé","documento":"52998224725"},{"nome":"SA","documento":"12ABC34501DE35"}],
		"quantidade":2,"valorTotal":1234.5,"protestos":[{"cartorio":"1º","valor":1000}],"score":712,"probabilidadeInadimplencia":3.25}`)
	page := v.get(200, v.ask("documento", lookupsCompany, "produto", "cnpj"))
	article := page[strings.Index(page, "<article"):strings.Index(page, "</article>")]
	lookupsHas(t, "company", article, "Cipó Ltda", "03/08/2026", "R$ 180.000,00", "Torrefação", "1081302", "Rua A, 1", "Sabará, MG", "30999-218", "***.444.777-**", "***.982.247-**", "12.ABC.345/01DE-35")
	lookupsHasNot(t, "a partner's CPF", article, "52998224725")
	lookupsHas(t, "protests", v.get(200, v.ask("documento", lookupsCompany, "produto", "protestos")), "R$ 1.234,50", "R$ 1.000,00", "Cipó Ltda")
	lookupsHas(t, "score", v.get(200, v.ask("documento", lookupsCompany, "produto", "score")), "712", "3,25%")
	v.bureau.says(lookupsPerson, `{"renda":2500.75,"faixaDeRenda":"C","fontes":["A",2,true],"extra":{"z":1}}`)
	lookupsHas(t, "a product of the bureau file", v.get(200, v.ask("documento", lookupsPerson, "produto", "renda_presumida")),
		"Renda mensal presumida", "2.500,75", "Faixa de renda", "<li><bdi class=\"break\">A</bdi></li>", `{"z":1}`)
}

func TestLookupsErrorsInWords(t *testing.T) {
	t.Parallel()
	v := contactsOpen(t).owner("Ana")
	for outcome, want := range map[ports.BureauOutcome][]string{
		ports.Failed:   {"O bureau respondeu com um erro.", "R$ 0,45 foram cobrados", "Tentar de novo <span class=\"preco\">R$ 0,45"},
		ports.NoAnswer: {"O bureau não respondeu em 3 segundos.", "R$ 0,45 foram cobrados", "Tentar de novo"},
		ports.NotSent:  {"O bureau não pôde ser alcançado.", "Nada foi cobrado.", "Tentar de novo"},
	} {
		v.bureau.fails(lookupsPerson, outcome)
		before := v.spent()
		page := v.get(200, v.ask("documento", lookupsPerson, "produto", "cpf"))
		lookupsHas(t, string(outcome), page, want...)
		if charged := v.spent() - before; (charged == 0) != (outcome == ports.NotSent) {
			t.Errorf("%s: charged %s", outcome, charged)
		}
	}
	lookupsHas(t, "recent", v.get(200, "/consultar"), "ver o que houve")
}

func TestLookupsSlowBureauCanBeLeft(t *testing.T) {
	t.Parallel()
	v := contactsOpen(t).owner("Ana")
	release := make(chan struct{})
	v.bureau.on(lookupsPerson, func(ctx context.Context, p catalog.Product) (ports.Answer, error) {
		select {
		case <-release:
		case <-ctx.Done():
		}
		return lookupsAnswer(p, `{"nome":"Lenta"}`), nil
	})
	path := v.ask("documento", lookupsPerson, "produto", "cpf")
	page := v.get(200, path)
	lookupsHas(t, "waiting", page, "Perguntando ao bureau", `<noscript><meta http-equiv="refresh" content="2"></noscript>`, "de no máximo 3 s", `aria-busy="true"`)
	response, part := v.do(http.MethodGet, path, nil, "HX-Request", "true")
	if response.Header.Get("HX-Redirect") != "" || strings.Contains(part, "<html") {
		t.Error("htmx is told that it is done")
	}
	lookupsHas(t, "recent", v.get(200, "/consultar"), "aguardando")
	// The same again waits for the same call.
	second := make(chan string)
	go func() {
		r, _ := v.post("/consultas", "documento", lookupsPerson, "produto", "cpf")
		second <- r.Header.Get("Location")
	}()
	time.Sleep(50 * time.Millisecond)
	close(release)
	if other := <-second; other != path {
		t.Errorf("the second lookup leads to %s, the call is %s", other, path)
	}
	for range 50 {
		if response, _ = v.do(http.MethodGet, path, nil, "HX-Request", "true"); response.Header.Get("HX-Redirect") == path {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	lookupsHas(t, "the result on return", v.get(200, path), "Lenta", "Cobrada")
	v.lookups.Close()
	if v.bureau.calls.Load() != 1 || v.spent() != lookupsPrice {
		t.Errorf("%d calls, %s spent", v.bureau.calls.Load(), v.spent())
	}
	entries, err := v.store.Repos().Statement.Page(t.Context(), lookup.Asker{OrgID: v.by.OrgID()}, lookup.Filter{}, "", 10)
	if err != nil || len(entries) != 2 || !entries[0].Cache || entries[0].Charged {
		t.Errorf("the lookup that waited has no free entry: %+v, %v", entries, err)
	}
}

func TestLookupsRawIsTheBureaus(t *testing.T) {
	t.Parallel()
	v := contactsOpen(t).owner("Ana")
	raw := "{ \"z\": 1.50, \"nome\": \"A\",\r\n \"n\":12345678901234567890, \"h\":\"<b>&\u2028\\u00e9\", \"dup\":1, \"dup\":2 }"
	v.bureau.says(lookupsPerson, raw)
	path := v.ask("documento", lookupsPerson, "produto", "cpf")
	response, body := v.do(http.MethodGet, path+"/bruto", nil)
	if body != raw || response.Header.Get("Content-Type") != "application/json" || !strings.HasPrefix(response.Header.Get("Content-Disposition"), "attachment;") {
		t.Errorf("%q, %v", body, response.Header)
	}
	page := v.get(200, path)
	lookupsHas(t, "tree", page, "12345678901234567890", ">1.50<", "sem alteração")
	if strings.Count(page, `<bdi class="k">dup</bdi>`) != 2 {
		t.Error("a repeated key is shown once")
	}
	for name, answer := range map[string]string{"huge": `{"nome":"Ana","l":[` + strings.Repeat(`{"a":"`+strings.Repeat("b", 100)+`"},`, 20_000) + `1]}`, "deep": `{"nome":"Ana","d":` + strings.Repeat("[", 3000) + strings.Repeat("]", 3000) + "}"} {
		v.bureau.says(lookupsOther, answer)
		path := v.again(lookupsOther)
		for _, p := range []string{path, path + "?bruto=texto"} {
			if page := v.get(200, p); len(page) > 100_000 || name == "huge" && !strings.Contains(page, "só o começo") {
				t.Errorf("%s: a page of %d bytes", name, len(page))
			}
		}
		if _, body := v.do(http.MethodGet, path+"/bruto", nil); body != answer {
			t.Errorf("%s: %d bytes instead of %d", name, len(body), len(answer))
		}
	}
	v.bureau.on(lookupsOther, func(_ context.Context, p catalog.Product) (ports.Answer, error) {
		fields, _ := p.Project(nil)
		return ports.Answer{Found: true, Raw: []byte("{nada\xff <i>"), Fields: fields}, nil
	})
	lookupsHas(t, "not JSON", v.get(200, v.again(lookupsOther)), "{nada\uFFFD <i>", "Não é JSON")
}

func TestLookupsHostileTextIsText(t *testing.T) {
	t.Parallel()
	v := contactsOpen(t).owner("Ana")
	script := `<script>alert(1)</script>`
	long := strings.Repeat("nome ", 20_000)
	v.bureau.says(lookupsPerson, fmt.Sprintf(`{"nome":%q,"nomeMae":"\u202Eabc","sexo":%q,"emails":["a@example.com","javascript:alert(1)"],"telefones":[{"ddd":"javascript:","numero":"alert(1)","tipo":%q}],"enderecos":[{"logradouro":%q}]}`,
		script, long, script, `"><img src=x onerror=alert(1)>`))
	path := v.ask("documento", lookupsPerson, "produto", "cpf")
	for _, p := range []string{path, path + "?bruto=texto", "/consultar"} {
		page := v.get(200, p)
		lookupsHasNot(t, p, page, script, "<img", `href="javascript:`, "ZgotmplZ")
		if len(page) > 100_000 {
			t.Errorf("%s: %d bytes", p, len(page))
		}
	}
	lookupsHas(t, "the mark of direction is on its own", v.get(200, path), "<bdi class=\"break\">\u202eabc</bdi>", "continua na resposta original")
	v.bureau.says(lookupsOther, fmt.Sprintf(`{"nome":%q}`, long))
	page := v.get(200, v.ask("documento", lookupsOther, "produto", "cpf"))
	if len(page) > 100_000 {
		t.Errorf("a name of 100 kB makes a page of %d bytes", len(page))
	}
	for _, typed := range []string{script, strings.Repeat("x", 100_000), "\u202e52998224725", "\xff\xfe", "a@" + strings.Repeat("b", 90_000)} {
		_, page := v.post("/consultar", "documento", typed)
		lookupsHasNot(t, "typed", page, script)
		if len(page) > 100_000 {
			t.Error("what was typed fills the page")
		}
	}
	if strings.Contains(v.log.String(), lookupsPerson) || strings.Contains(v.log.String(), "nome nome") {
		t.Error("something personal is in the log")
	}
}

func TestLookupsOfOthersAreNotThere(t *testing.T) {
	t.Parallel()
	site := contactsOpen(t)
	v, other := site.owner("Ana"), site.owner("Rui")
	path := v.ask("documento", lookupsPerson, "produto", "cpf")
	for _, p := range []string{path, path + "/bruto", "/consultas/nada", "/consultas/" + strings.Repeat("0", 36), "/consultar?contato=01980000-0000-7000-8000-000000000000"} {
		other.get(404, p)
	}
	lookupsHas(t, "nothing of others", other.get(200, "/consultar"), "Nenhuma consulta ainda")
	_, part := other.do(http.MethodPost, "/consultar/reconhecer", url.Values{"documento": {lookupsPerson}}, "HX-Request", "true")
	lookupsHasNot(t, "history of others", part, "está no histórico")
	key := v.key("ERP").Key().ID
	other.get(404, "/chaves/"+key)
	other.get(404, "/chaves/"+key+"/extrato.csv")
	for _, do := range []string{"/revogar", "/trocar"} {
		if r, _ := other.post("/chaves/"+key+do, "manter", "agora"); r.StatusCode != 404 {
			t.Errorf("%s of another organisation's key: %d", do, r.StatusCode)
		}
	}
	off := openSite(t, false).owner("Bia")
	for _, p := range []string{"/consultar", "/chaves", "/chaves/nova", path} {
		off.get(404, p)
	}
}

func TestLookupsAboutAContact(t *testing.T) {
	t.Parallel()
	site := contactsOpen(t)
	v, other := site.owner("Ana"), site.owner("Rui")
	funnels, err := site.store.Repos().Funnels.List(t.Context(), v.by.OrgID())
	if err != nil {
		t.Fatal(err)
	}
	contact := crm.Contact{ID: "01980000-0000-7000-8000-00000000c001", OrgID: v.by.OrgID(), Name: "Plínio", Email: "p@example.com", StageID: funnels[0].Stages[0].ID, CreatedAt: time.Now()}
	err = site.store.InTx(t.Context(), func(r ports.Repos) error {
		return r.Contacts.Create(t.Context(), contact, crm.Event{ID: "01980000-0000-7000-8000-00000000c002", OrgID: v.by.OrgID(), ContactID: contact.ID, Kind: crm.ContactCreated, At: time.Now()})
	})
	if err != nil {
		t.Fatal(err)
	}
	lookupsHas(t, "search", v.get(200, "/consultar?contato="+contact.ID), "Plínio", `name="contato" value="`+contact.ID)
	for _, form := range [][]string{{"novo", ""}, {"gratis", "sim"}} {
		path := v.ask(append(form, "documento", lookupsPerson, "produto", "cpf", "contato", contact.ID)...)
		lookupsHas(t, "result", v.get(200, path), `href="/contatos/`+contact.ID, "Voltar ao contato")
		entry, err := site.store.Repos().Statement.Find(t.Context(), strings.TrimPrefix(path, "/consultas/"))
		if err != nil || entry.ContactID != contact.ID {
			t.Errorf("the entry's contact is %q, %v", entry.ContactID, err)
		}
	}
	if r, _ := other.post("/consultas", "documento", lookupsOther, "produto", "cpf", "contato", contact.ID); r.StatusCode != 404 || other.spent() != 0 {
		t.Errorf("a contact of others: %d", r.StatusCode)
	}
}

var lookupsSecret = regexp.MustCompile(`fic_[0-9A-Za-z]{46}`)

func TestLookupsKeys(t *testing.T) {
	t.Parallel()
	site := contactsOpen(t)
	v := site.owner("Ana")
	lookupsHas(t, "no keys", v.get(200, "/chaves"), "Nenhuma chave ainda")
	form := v.get(200, "/chaves/nova")
	id := regexp.MustCompile(`name="id" value="([^"]+)"`).FindStringSubmatch(form)[1]
	for field, fault := range map[string][]string{
		"nome": {"nome", " "}, "pode": {"pode", "rg"}, "minuto": {"minuto", "0"}, "dia": {"dia", "-1"}, "mes": {"mes", "muito"}, "vence": {"vence", "2001-01-01"},
	} {
		values := url.Values{"id": {id}, "nome": {"ERP & <b>"}, "pode": {"cpf"}, "minuto": {"60"}, "dia": {"2"}, "mes": {"2.000"}, "vence": {""}}
		values.Set(fault[0], fault[1])
		response, page := v.do(http.MethodPost, "/chaves", values)
		if response.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d", field, response.StatusCode)
		}
		lookupsHas(t, field, page, `class="err"`)
	}
	values := url.Values{"id": {id}, "nome": {"ERP & <b>"}, "pode": {"cpf", "placa"}, "minuto": {"60"}, "dia": {"2"}, "mes": {"2.000"}, "vence": {"2099-12-31"}}
	response, page := v.do(http.MethodPost, "/chaves", values)
	secret := lookupsSecret.FindString(page)
	if response.StatusCode != 200 || secret == "" || response.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("created: %d", response.StatusCode)
	}
	lookupsHas(t, "shown once", page, "curl https://fichario.example/api/v1/cpf/52998224725", "Bearer "+secret, "ERP &", "Custa R$ 0,45")
	lookupsHasNot(t, "a name is text", page, "ERP & <b>", "ERP &amp; <b>")
	lookupsHas(t, "the list is renewed under the focus, which stays by its id", v.get(200, "/chaves"), `id="chave-`+id+`"`)
	// Sent again, it makes no other key and shows nothing.
	if response, page = v.do(http.MethodPost, "/chaves", values); response.StatusCode != http.StatusSeeOther || lookupsSecret.MatchString(page) {
		t.Errorf("sent again: %d", response.StatusCode)
	}
	if all, _ := v.keys.List(t.Context(), v.by, v.by.OrgID()); len(all) != 1 {
		t.Errorf("%d keys", len(all))
	}
	caller, err := v.keys.Authenticate(t.Context(), secret)
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range []string{lookupsPerson, lookupsOther, lookupsPerson} {
		if _, err := v.lookups.Do(t.Context(), caller, app.LookupRequest{Product: "cpf", Document: doc}); err != nil {
			t.Fatal(err)
		}
	}
	list := v.get(200, "/chaves")
	lookupsHas(t, "list", list, "Parada até 00:00", "2 de 2", "2 de 2.000", "CPF, placa", "R$ 0,90")
	lookupsHasNot(t, "the secret is gone", list, secret)
	show := v.get(200, "/chaves/"+id)
	lookupsHas(t, "key", show, "Gasto por dia e produto", `class="s-a"`, "2 cobradas", "Histórico", "529.982.247-25", "vence em", "Ver os números", "Cadastro de pessoa")
	lookupsHasNot(t, "filtered", v.get(200, "/chaves/"+id+"?resultado=bureau"), `b-hist"`)
	lookupsHas(t, "nothing so", v.get(200, "/chaves/"+id+"?produto=veiculo&de=2026-01-01"), "Tirar o filtro")
	lookupsHas(t, "a wrong filter", v.get(422, "/chaves/"+id+"?de=ontem"), "é uma data")
	rows, err := csv.NewReader(strings.NewReader(v.get(200, "/chaves/"+id+"/extrato.csv"))).ReadAll()
	if err != nil || len(rows) != 4 || strings.Join(rows[0], ",") != "id,produto,documento,em,cache,cobrada,valor,situacao" {
		t.Errorf("%v, %v", rows, err)
	}
	// The organisation's statement: the key's lookups and the team's.
	v.ask("documento", lookupsPerson, "produto", "cpf", "gratis", "sim")
	whole := v.get(200, "/extrato")
	lookupsHas(t, "everybody's", whole, "2 cobradas", "R$ 0,90", `href="/chaves/`+id+`"`, ">Ana<", "Chave ERP")
	lookupsHas(t, "the team's", v.get(200, "/extrato?quem=equipe"), ">Ana<", "Nada cobrado neste período")
	lookupsHasNot(t, "the team's", v.get(200, "/extrato?quem=equipe"), `b-cobrada"`)
	lookupsHasNot(t, "the key's", v.get(200, "/extrato?quem="+id), `break">Ana`)
	lookupsHas(t, "of no key", v.get(200, "/extrato?quem="+app.NewKeyID()), "Tirar o filtro")
	lookupsHas(t, "a wrong filter", v.get(422, "/extrato?quem=ontem"), "Não há chave com este id")
	rows, err = csv.NewReader(strings.NewReader(v.get(200, "/extrato.csv"))).ReadAll()
	if err != nil || len(rows) != 5 || rows[0][8] != "quem" || rows[1][8] != "Ana" || rows[2][8] != "ERP & <b>" {
		t.Errorf("%v, %v", rows, err)
	}
	// Rotated once, whatever is sent again.
	rotate := url.Values{"prefixo": {secret[:12]}, "manter": {"agora"}}
	_, page = v.do(http.MethodPost, "/chaves/"+id+"/trocar", rotate)
	second := lookupsSecret.FindString(page)
	if second == "" || second == secret {
		t.Fatal("no new secret")
	}
	lookupsHas(t, "rotated", page, "A anterior já não vale")
	if response, page = v.do(http.MethodPost, "/chaves/"+id+"/trocar", rotate); response.StatusCode != http.StatusSeeOther || lookupsSecret.MatchString(page) {
		t.Errorf("rotated again: %d", response.StatusCode)
	}
	if response, _ = v.post("/chaves/" + id + "/revogar"); response.StatusCode != http.StatusSeeOther {
		t.Errorf("revoked: %d", response.StatusCode)
	}
	lookupsHas(t, "revoked", v.get(200, "/chaves"), "Revogada")

	member := site.colleague(v.by.OrgID(), "Caio", crm.Common)
	for _, p := range []string{"/chaves", "/chaves/nova", "/chaves/" + id, "/chaves/" + id + "/extrato.csv", "/extrato", "/extrato.csv"} {
		member.get(403, p)
	}
	for _, p := range []string{"/chaves", "/chaves/" + id + "/revogar", "/chaves/" + id + "/trocar"} {
		if r, _ := member.do(http.MethodPost, p, values); r.StatusCode != 403 && p != "/chaves/"+id+"/trocar" {
			t.Errorf("POST %s as a member: %d", p, r.StatusCode)
		}
	}
	lookupsHas(t, "a member may look up", member.get(200, member.ask("documento", lookupsPerson, "produto", "cpf", "gratis", "sim")), "Histórico, grátis")
}

func TestLookupsStatementPages(t *testing.T) {
	t.Parallel()
	v := contactsOpen(t).owner("Ana")
	caller := v.key("ERP")
	path := "/chaves/" + caller.Key().ID
	doc, _ := document.Parse(document.CPF, lookupsPerson)
	for i := range 120 {
		at := time.Now().Add(time.Duration(i) * time.Millisecond)
		id := fmt.Sprintf("%08x-%04x-7000-8000-%012x", at.UnixMilli()>>16, at.UnixMilli()&0xffff, i)
		err := v.store.Repos().Statement.Add(t.Context(), lookup.Entry{
			ID: id, OrgID: v.by.OrgID(), KeyID: caller.Key().ID, Product: "cpf", Document: doc, At: at, Cache: true, Status: lookup.Done,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	next, seen := path, 0
	for next != "" {
		page := v.get(200, next)
		seen += strings.Count(page, "<tr><th scope=\"row\"><a href=\"/consultas/")
		next = ""
		if m := regexp.MustCompile(`href="([^"]+)">Próximas`).FindStringSubmatch(page); m != nil {
			next = html.UnescapeString(strings.TrimSuffix(m[1], "#consultas"))
		}
		if len(page) > 100_000 {
			t.Errorf("a page of %d bytes", len(page))
		}
	}
	if seen != 120 {
		t.Errorf("%d lines on all pages", seen)
	}
}
