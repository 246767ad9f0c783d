package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"fichario/domain/crm"
)

// from sends a form as from a page of the list, and returns that list afterwards.
func (v *visitor) from(page, path string, form ...string) string {
	v.t.Helper()
	values := url.Values{}
	for i := 0; i < len(form); i += 2 {
		values.Add(form[i], form[i+1])
	}
	r, text := v.do(http.MethodPost, path, values)
	if r.StatusCode != http.StatusSeeOther {
		v.t.Errorf("%s: %d %s", path, r.StatusCode, text)
	}
	return v.get(page)
}

// heads are the columns of the list, in order.
func heads(page string) string {
	page = page[strings.Index(page, "<thead>"):strings.Index(page, "</thead>")]
	var out []string
	for _, m := range regexp.MustCompile(`<th scope="col" class="(c.(?: only-n)?)"`).FindAllStringSubmatch(page, -1) {
		out = append(out, m[1])
	}
	return strings.Join(out, ",")
}

// TestTheListIsEachMembersOwn: columns, their order and the density are kept for who chose them, and for nobody else.
func TestTheListIsEachMembersOwn(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.visitor("Ana")
	v.lead(url.Values{"nome": {"Bia"}, "email": {"bia@example.com"}, "empresa": {"Óptica"}})
	page := v.from("/contatos", "/contatos/colunas", "coluna", "valor", "coluna", "etapa", "coluna", "x", "coluna", "email",
		"densidade", "confortavel")
	if got := heads(page); got != "cv,cs,cm,ct only-n" {
		t.Errorf("columns are %s", got)
	}
	has(t, "the list", page, "t-roomy", "bia@example.com", "Colunas guardadas.")
	hasNot(t, "the list", page, "Óptica", "t-usual")
	page = v.from("/contatos", "/contatos/colunas", "coluna", "valor", "coluna", "etapa", "subir", "etapa")
	if got := heads(page); got != "cs,cv,ct only-n" {
		t.Errorf("after moving up: %s", got)
	}
	hasNot(t, "the list", page, "t-roomy")
	page = v.from("/contatos?exibir=etapa", "/contatos/colunas", "coluna", "etapa", "coluna", "valor", "descer", "etapa")
	if got := heads(page); got != "cv,cs,ct only-n" {
		t.Errorf("after moving down: %s", got)
	}
	has(t, "the form that stays open", page, `<details class="menu hide-n" open>`, `value="etapa" aria-label="Subir Etapa" autofocus`)
	page = v.from("/contatos", "/contatos/colunas", "coluna", "etapa", "descer", "etapa")
	if got := heads(page); got != "cs,ct only-n" {
		t.Errorf("what has nowhere to go: %s", got)
	}
	if got := heads(v.from("/contatos", "/contatos/colunas")); got != "ct,ce,cs,co,cv,cr,cd" {
		t.Errorf("none chosen: %s", got)
	}
}

// TestViewsAreKept: a filter and its order under a name, without what was searched for, shown as where the list is.
func TestViewsAreKept(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	v.lead(url.Values{"nome": {"Bia"}, "email": {"bia@example.com"}})
	stage := v.funnel().Stages[1].ID
	save := func(form ...string) string { t.Helper(); return v.from("/contatos", "/contatos/vistas", form...) }
	page := save("nome", " Do \t mês ", "q", "segredo", "quando", "30", "ordem", "valor")
	has(t, "saved", page, "Vista “Do mês” guardada.", `href="/contatos?ordem=valor&quando=30"`)
	kept, err := v.store.Repos().Preferences.Of(t.Context(), v.by.OrgID(), v.by.MemberID())
	if err != nil || kept[crm.ContactViews] != "Do mês\tordem=valor&quando=30\n" {
		t.Errorf("kept is %q, %v", kept, err)
	}
	has(t, "the view", v.get("/contatos?ordem=valor&quando=30"),
		`href="/contatos?ordem=valor&quando=30" aria-current="true"`)
	has(t, "no filter", v.get("/contatos"), `href="/contatos" aria-current="true"`, "Sem retorno", "Meus")
	has(t, "a search is no view", v.get("/contatos?q=ana&ordem=valor&quando=30"), `href="/contatos?ordem=valor&quando=30"><bdi>`)
	has(t, "its removal", page, `name="nome" value="Do mês">Tirar “Do mês”`)
	page = save("nome", "Do mês", "etapa", stage)
	has(t, "replaced", page, `href="/contatos?etapa=`+stage)
	hasNot(t, "replaced", page, `href="/contatos?ordem=valor&quando=30"`)
	has(t, "no name", save("nome", " \t ", "etapa", stage), "Dê um nome à vista.")
	has(t, "no filter", save("nome", "Nada", "q", "segredo"), "Escolha um filtro ou uma ordem antes")
	for i := range 11 {
		save("nome", fmt.Sprintf("%d %s", i, strings.Repeat("Ação", 20)), "etapa", stage, "quando", "7")
	}
	has(t, "too many", v.from("/contatos", "/contatos/vistas", "nome", "Uma a mais", "quando", "7"), "Cabem até 12 vistas.")
	page = v.from("/contatos", "/contatos/vistas/tirar", "nome", "Do mês")
	hasNot(t, "removed", page, "Do mês", "Uma a mais")
}

// TestAViewOfWhatIsGoneSaysSo: a saved view, and an address of the board, outlive the stage or origin that they name.
func TestAViewOfWhatIsGoneSaysSo(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	v.lead(url.Values{"nome": {"Bia"}, "email": {"bia@example.com"}})
	const gone = "01980000-0000-7000-8000-000000000009"
	v.send("/contatos/vistas", "nome", "Do evento", "origem", gone)
	page := v.refused(http.StatusNotFound, "/contatos?origem="+gone)
	has(t, "the view", page, "A origem deste filtro não existe mais", `href="/contatos">Limpar filtros`,
		`action="/contatos/vistas/tirar"`, `value="Do evento"`, "Tirar a vista")
	hasNot(t, "the view", page, "Bia")
	page = v.refused(http.StatusNotFound, "/contatos?etapa="+gone)
	has(t, "a filter", page, "A etapa deste filtro não existe mais", "Limpar filtros")
	hasNot(t, "a filter", page, "Tirar a vista")
	response, _ := v.do(http.MethodGet, "/funil?origem="+gone+"&retorno=sem", nil)
	if at := response.Header.Get("Location"); response.StatusCode != http.StatusSeeOther || at != "/funil?retorno=sem" {
		t.Errorf("the board: %d to %q", response.StatusCode, at)
	}
	has(t, "the board", v.get("/funil"), "A origem deste filtro não existe mais")
	response, _ = v.do(http.MethodGet, "/funil?origem="+gone, nil, "HX-Request", "true")
	if response.StatusCode != http.StatusNotFound {
		t.Errorf("a board that refreshes itself: %d", response.StatusCode)
	}
}

// TestAPersonBesideTheList: the drawer has the main parts of the contact's page and no frame, and opening it is in the
// audit as opening the page is.
func TestAPersonBesideTheList(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v, other := site.visitor("Ana"), site.visitor("Rui")
	id := v.lead(url.Values{
		"nome": {"Bia"}, "email": {"bia@example.com"}, "telefone": {"(11) 98765-4321"}, "mensagem": {"Bom dia"},
	})
	before, err := v.store.Repos().Audit.Last(t.Context(), v.by.OrgID())
	if err != nil {
		t.Fatal(err)
	}
	part := v.get("/contatos/" + id + "?parte=gaveta")
	has(t, "the drawer", part, `id="gaveta-t"`, "Bia", "bia@example.com", "Bom dia", "Últimos acontecimentos", `href="/contatos/`+id+`"`)
	hasNot(t, "the drawer", part, "<html", "<nav", `id="conteudo"`)
	if last, err := v.store.Repos().Audit.Last(t.Context(), v.by.OrgID()); err != nil || last == before {
		t.Errorf("the audit ends at line %d as before, %v", last, err)
	}
	if r, _ := other.do(http.MethodGet, "/contatos/"+id+"?parte=gaveta", nil); r.StatusCode != http.StatusNotFound {
		t.Errorf("to another organisation: %d", r.StatusCode)
	}
}

// TestViewsAreInTheMenu of every page, those that everybody has and a member's first four, and of the list all; one may
// ask for an amount. On each page of the list of one, it is that one that is open.
func TestViewsAreInTheMenu(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.visitor("Ana")
	v.lead(url.Values{"nome": {"Bia"}, "email": {"bia@example.com"}, "valor": {"10.000,00"}})
	v.lead(url.Values{"nome": {"Caio"}, "email": {"caio@example.com"}, "valor": {"9.999,99"}})
	page := v.get("/contatos?valor=10000")
	has(t, "with an amount", page, "Bia", "1 contato com estes filtros", `value="10000" selected`)
	hasNot(t, "with an amount", page, "Caio")
	has(t, "with an amount that is no choice", v.get("/contatos?valor=1"), "Caio")
	for i := range 5 {
		v.from("/contatos", "/contatos/vistas", "nome", fmt.Sprint("Grandes ", i), "valor", "10000")
	}
	page = v.get("/webhooks")
	const waiting = `class="nav-a" href="/contatos?ordem=antigos&retorno=sem"`
	has(t, "the menu", page, "Grandes 0", "Grandes 3", `class="nav-a" href="/contatos?valor=10000"`, waiting,
		`class="nav-a" href="/contatos?resp=`+v.by.MemberID()+`"`)
	hasNot(t, "the menu", page, "Grandes 4")
	page = v.get("/contatos?retorno=sem&ordem=antigos&n=50")
	has(t, "a view", page, "Grandes 4", waiting+` aria-current="page"`)
	hasNot(t, "a view", page, `href="/contatos" aria-current="page"`)
	hasNot(t, "another's menu", site.member(v.by.OrgID(), "Caio", crm.Common).get("/contatos"), "Grandes")
}
