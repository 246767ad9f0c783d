package web_test

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"fichario/app/lookups"
	"fichario/domain/catalog"
	"fichario/domain/lookup"
	"fichario/ports"
	"fichario/tests/testkit/lookuptest"
)

func TestLookupsHistoryIsFreeBothWays(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	key := v.key("ERP")
	v.bureau.says(aPerson, `{"nome":"Helena Duarte","telefones":[
		{"ddd":"31","numero":"900120148","tipo":"Celular","whatsapp":true},
		{"ddd":"31","numero":"900340172","whatsapp":false},{"ddd":"31","numero":"32000119"}]}`)
	// A lookup made here also answers the key.
	path := v.ask("documento", "529.982.247-25", "produto", "cpf")
	if strings.Contains(path, aPerson) {
		t.Error("the document is in the address")
	}
	page := v.get(path)
	has(t, "result", page, "Helena Duarte", "529.982.247-25", "(31) 90012-0148", `href="tel:+5531900120148"`, "R$ 0,45",
		"Cobrada", "tela de consulta",
		"Cobrado: R$ 0,45")
	has(t, "the question", v.get(path+"?perguntar=atualizar"), "Atualizar esta ficha?", "Gasto de hoje, depois disto",
		"R$ 0,90")
	if whatsapp := strings.Count(page, "wa-sim") == 1 && strings.Count(page, "wa-nao") == 1; !whatsapp {
		t.Error("the three states of WhatsApp")
	}
	id := strings.TrimPrefix(path, "/consultas/")
	entry, err := v.store.Repos().Statement.Find(t.Context(), ports.AnyOrg, id)
	if err != nil || entry.MemberID != v.by.MemberID() || entry.KeyID != "" || !entry.Charged ||
		entry.Amount != testPrice {
		t.Errorf("the entry: %+v, %v", entry, err)
	}
	got, err := v.asker.Do(t.Context(), key, lookups.Request{Product: "cpf", Document: aPerson})
	if err != nil || !got.Entry.Cache || got.Entry.Charged {
		t.Errorf("the API after the interface: %+v, %v", got.Entry, err)
	}
	// A lookup made by the key also opens here.
	if _, err := v.asker.Do(t.Context(), key, lookups.Request{Product: "score", Document: aPerson}); err != nil {
		t.Fatal(err)
	}
	spent := v.spent()
	_, part := v.do(http.MethodPost, "/consultar/reconhecer", url.Values{"documento": {aPerson}}, "HX-Request", "true")
	has(t, "choices", part, "Helena Duarte</bdi> está no histórico", "Abrir do histórico <span class=\"preco\">grátis",
		"histórico, agora", "Consultar de novo", "/consultas/confirmar")
	free := v.ask("documento", aPerson, "produto", "score", "gratis", "sim")
	has(t, "opened", v.get(free), "Histórico, grátis", "R$ 0,00", "API, com a chave", "ERP", "Aberta por")
	if v.spent() != spent || v.bureau.calls.Load() != 2 {
		t.Errorf("opening from history: spent %s, %d calls", v.spent(), v.bureau.calls.Load())
	}
	before, _ := v.store.Repos().Statement.Page(t.Context(), lookup.Asker{OrgID: v.by.OrgID()}, lookup.Filter{}, "", 50)
	v.get(path)
	after, _ := v.store.Repos().Statement.Page(t.Context(), lookup.Asker{OrgID: v.by.OrgID()}, lookup.Filter{}, "", 50)
	if len(after) != len(before) {
		t.Error("looking at a result writes an entry")
	}
	// A repeated lookup is charged, and the previous answer stays.
	again := v.again(aPerson)
	has(t, "asked anew", v.get(again), "Cobrada", "Respostas anteriores", path)
	if v.spent() != spent+testPrice {
		t.Error("asking again is charged once")
	}
}

// TestWhatTheBureauGivesFree is not said to be charged, nor to be from history.
func TestWhatTheBureauGivesFree(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	v.bureau.on(aPerson, func(_ context.Context, p catalog.Product) (ports.Answer, error) {
		answer := answerOf(p, `{"nome":"Bia"}`)
		answer.Amount = new(catalog.Money)
		return answer, nil
	})
	page := v.get(v.ask("documento", aPerson, "produto", "cpf"))
	has(t, "the sheet", page, "Grátis, do bureau")
	hasNot(t, "the sheet", page, `b-cobrada">`, "Cobrado:", "Histórico, grátis")
	has(t, "the statement", v.get("/extrato"), "Grátis, do bureau")
}

// TestLookupsRefreshPressedTwice: a page's button charges once, however often and fast it is pressed.
func TestLookupsRefreshPressedTwice(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	page := v.get(v.ask("documento", aPerson, "produto", "cpf") + "?perguntar=atualizar")
	found := regexp.MustCompile(`name="novo" value="([^"]+)"`).FindStringSubmatch(page)
	if found == nil {
		t.Fatal("the page has no button to ask anew")
	}
	gate := make(chan struct{})
	v.bureau.on(aPerson, func(_ context.Context, p catalog.Product) (ports.Answer, error) {
		<-gate
		fields, _ := p.Project(nil)
		return ports.Answer{Found: true, Raw: []byte(`{}`), Fields: fields}, nil
	})
	press := func() string { return v.ask("documento", aPerson, "produto", "cpf", "novo", found[1]) }
	first := press() // now in progress
	if second := press(); second != first {
		t.Errorf("pressed again meanwhile: %s instead of %s", second, first)
	}
	close(gate)
	lookuptest.Eventually(t, "the first has ended", func() bool {
		return !strings.Contains(v.get(first), "Perguntando ao bureau")
	})
	late := v.get(press())
	has(t, "pressed again later", late, "R$ 0,00", "Histórico, grátis")
	if got := v.spent(); got != 2*testPrice || v.bureau.calls.Load() != 2 {
		t.Errorf("spent %s in %d calls", got, v.bureau.calls.Load())
	}
}

// TestALookupThatIsAnsweredLaterSaysSo, at once and while it is waited for.
func TestALookupThatIsAnsweredLaterSaysSo(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	v.bureau.on(aPerson, func(context.Context, catalog.Product) (ports.Answer, error) {
		return ports.Answer{Later: &ports.Later{Ticket: "7", Every: time.Hour, For: 2 * time.Hour}}, nil
	})
	path := v.ask("documento", aPerson, "produto", "cpf")
	has(t, "the page", v.get(path), "O bureau responde mais tarde", "A resposta aparece aqui sozinha")
	_, part := v.do(http.MethodGet, path, nil, "HX-Request", "true")
	has(t, "its progress", part, "O bureau responde mais tarde", `hx-trigger="every 1s"`)
}

func TestLookupsSlowBureauCanBeLeft(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	release := make(chan struct{})
	v.bureau.on(aPerson, func(ctx context.Context, p catalog.Product) (ports.Answer, error) {
		select {
		case <-release:
		case <-ctx.Done():
		}
		return answerOf(p, `{"nome":"Lenta"}`), nil
	})
	path := v.ask("documento", aPerson, "produto", "cpf")
	page := v.get(path)
	has(t, "waiting", page, "Perguntando ao bureau", `<noscript><meta http-equiv="refresh" content="2"></noscript>`,
		"de no máximo 3 s", `aria-busy="true"`)
	response, part := v.do(http.MethodGet, path, nil, "HX-Request", "true")
	if response.Header.Get("HX-Redirect") != "" || strings.Contains(part, "<html") {
		t.Error("htmx is told that it is done")
	}
	has(t, "recent", v.get("/consultar"), "aguardando")
	// The same lookup again waits for the same call.
	again, _ := v.send("/consultas", "documento", aPerson, "produto", "cpf")
	if other := again.Header.Get("Location"); other != path {
		t.Errorf("the second lookup leads to %s, the call is %s", other, path)
	}
	close(release)
	lookuptest.Eventually(t, "htmx is told that it is done", func() bool {
		response, _ := v.do(http.MethodGet, path, nil, "HX-Request", "true")
		return response.Header.Get("HX-Redirect") == path
	})
	has(t, "the result on return", v.get(path), "Lenta", "Cobrada")
	v.ledger.Close()
	if v.bureau.calls.Load() != 1 || v.spent() != testPrice {
		t.Errorf("%d calls, %s spent", v.bureau.calls.Load(), v.spent())
	}
	entries, err := v.store.Repos().Statement.Page(t.Context(), lookup.Asker{OrgID: v.by.OrgID()}, lookup.Filter{}, "", 10)
	if err != nil || len(entries) != 2 || !entries[0].Cache || entries[0].Charged {
		t.Errorf("the lookup that waited has no free entry: %+v, %v", entries, err)
	}
}

func TestLookupsOfOthersAreNotThere(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v, other := site.visitor("Ana"), site.visitor("Rui")
	path := v.ask("documento", aPerson, "produto", "cpf")
	for _, p := range []string{
		path, path + "/bruto", "/consultas/nada", "/consultas/" + strings.Repeat("0", 36),
		"/consultar?contato=01980000-0000-7000-8000-000000000000",
	} {
		other.refused(404, p)
	}
	has(t, "nothing of others", other.get("/consultar"), "Nenhuma consulta ainda")
	_, part := other.do(http.MethodPost, "/consultar/reconhecer", url.Values{"documento": {aPerson}}, "HX-Request", "true")
	hasNot(t, "history of others", part, "está no histórico")
	key := v.key("ERP").Key().ID
	other.refused(404, "/chaves/"+key)
	other.refused(404, "/chaves/"+key+"/extrato.csv")
	for _, do := range []string{"/revogar", "/trocar"} {
		if r, _ := other.send("/chaves/"+key+do, "manter", "agora"); r.StatusCode != 404 {
			t.Errorf("%s of another organisation's key: %d", do, r.StatusCode)
		}
	}
	off := newSite(t, false).visitor("Bia")
	for _, p := range []string{"/consultar", "/chaves", "/chaves/nova", path} {
		off.refused(404, p)
	}
}

// TestAProductThatNeedsMore: its form asks for what the bureau needs beside the document, keeps what was typed, and the
// sheet shows what was sent and asks again with it.
func TestAProductThatNeedsMore(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	v.bureau.says(aPerson, `{"nome":"Helena Duarte","zona":"12"}`)
	page := v.get("/consultar")
	hasNot(t, "before a document", page, "entrada-")
	_, page = v.do(http.MethodPost, "/consultar", url.Values{"documento": {aPerson}, "produto": {"eleitoral"}})
	has(t, "the form", page, "Data de nascimento", `name="entrada-nascimento"`, `type="date"`, "Nome da mãe", "<option>SP</option>",
		"(se souber)")
	ask := func(fields ...string) (answer, string) {
		sent := url.Values{"documento": {aPerson}, "produto": {"eleitoral"}}
		for i := 0; i < len(fields); i += 2 {
			sent.Set(fields[i], fields[i+1])
		}
		return v.do(http.MethodPost, "/consultas", sent)
	}
	resp, page := ask("entrada-mae", "Bia Duarte")
	if resp.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("without a birth date: %d", resp.StatusCode)
	}
	has(t, "without a birth date", page, "Falta Data de nascimento", `value="Bia Duarte"`)
	_, page = ask("entrada-nascimento", "31/02/1980")
	has(t, "no date", page, "O valor de Data de nascimento não é uma data como 1980-02-29")
	if calls := v.bureau.calls.Load(); calls != 0 {
		t.Errorf("%d calls", calls)
	}
	resp, _ = ask("entrada-nascimento", "29/02/1980", "entrada-uf", "sp", "entrada-outra", "x")
	path := resp.Header.Get("Location")
	entry, err := v.store.Repos().Statement.Find(t.Context(), ports.AnyOrg, strings.TrimPrefix(path, "/consultas/"))
	if err != nil || entry.Inputs != `{"nascimento":"1980-02-29","uf":"SP"}` {
		t.Errorf("sent: %s, %v", entry.Inputs, err)
	}
	page = v.get(path)
	has(t, "the sheet", page, "Data de nascimento", "29/02/1980")
	has(t, "again", v.get(path+"?perguntar=atualizar"), `name="entrada-nascimento" value="1980-02-29"`)
	spent := v.spent()
	ask("entrada-nascimento", "1980-02-29", "entrada-uf", "SP")
	if v.spent() != spent || v.bureau.calls.Load() != 1 {
		t.Error("the same question was bought again")
	}
	ask("entrada-nascimento", "1980-02-28")
	if v.bureau.calls.Load() != 2 {
		t.Error("another question was not asked")
	}
	_, page = v.send("/privacidade/imprimir", "tipo", "documento", "valor", aPerson)
	has(t, "what is held of the person", page, "1980-02-29", "1980-02-28")
}
