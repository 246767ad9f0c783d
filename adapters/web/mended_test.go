package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"fichario/app/intake"
	"fichario/domain/crm"
	"fichario/domain/fault"
	"fichario/tests/testkit/noon"
)

// TestAnIDStandsOnceOnAPage, and each page has its own title, which names its subject.
func TestAnIDStandsOnceOnAPage(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	contact := "/contatos/" + v.lead(url.Values{"nome": {"Bia Rocha"}, "email": {"bia@example.com"}})
	sheet := v.ask("documento", aPerson, "produto", "cpf")
	score := v.ask("documento", aPerson, "produto", "score")
	key := v.key("ERP")
	ids, titles := regexp.MustCompile(` id="([^"]*)"`), map[string]string{}
	for _, path := range []string{
		"/", "/consultar", "/consultas", "/consultas?de=minhas", sheet, score, "/lotes", "/contatos", "/contatos/novo",
		contact, contact + "/editar", contact + "/documentos", contact + "/historico", "/funil", "/webhooks",
		"/webhooks/novo", "/webhooks/" + v.hook.ID, "/webhooks/" + v.hook.ID + "/editar", "/automacoes", "/automacoes/nova",
		"/equipe", "/equipe?perguntar=senha-" + v.by.MemberID(), "/extrato", "/chaves", "/chaves/nova",
		"/chaves/" + key.Key().ID, "/notificacoes", "/conta",
	} {
		page := v.get(path)
		seen := map[string]bool{}
		for _, id := range ids.FindAllStringSubmatch(page, -1) {
			if seen[id[1]] {
				t.Errorf("%s: %s is there twice", path, id[1])
			}
			seen[id[1]] = true
		}
		title, _, _ := strings.Cut(page[strings.Index(page, "<title>")+7:], " · Fichário")
		if before, twice := titles[title]; twice && !strings.HasPrefix(path, "/equipe") {
			t.Errorf("%s and %s are both called %s", before, path, title)
		}
		titles[title] = path
	}
	if titles["Ana Souza, Score"] == "" || titles["Editar Bia Rocha"] == "" || titles["Editar Site de Ana"] == "" {
		t.Errorf("the titles: %v", titles)
	}
}

// TestAnAdministratorIsToldHisRole, and is not offered what the role may not do.
func TestAnAdministratorIsToldHisRole(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	owner := site.visitor("Ana")
	admin, member := site.member(owner.by.OrgID(), "Rita", crm.Admin), site.member(owner.by.OrgID(), "Caio", crm.Common)
	status, page := admin.post("/equipe/membros/"+owner.by.MemberID(), url.Values{"papel": {"member"}})
	if status != http.StatusForbidden {
		t.Errorf("changing an owner: %d", status)
	}
	has(t, "refused", page, "O seu papel é Administração.", "Peça isto a quem é titular")
	hasNot(t, "refused", page, "O seu papel é Membro")
	has(t, "a member", member.refused(http.StatusForbidden, "/equipe"), "O seu papel é Membro.")
	team := admin.get("/equipe")
	hasNot(t, "the team", team, "editar="+owner.by.MemberID(), "senha-"+owner.by.MemberID(), "fim-"+owner.by.MemberID())
	has(t, "the team", team, "editar="+member.by.MemberID(), "fim-"+member.by.MemberID())
	hasNot(t, "a row", admin.get("/equipe?editar="+member.by.MemberID()), `value="owner"`, `name="orcamento"`)
	hasNot(t, "a row of an owner", admin.get("/equipe?editar="+owner.by.MemberID()), `id="e-nome"`)
}

// TestSmallMends checks small corrections to pages.
func TestSmallMends(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v, other := site.visitor("Ana"), site.visitor("Rui")
	_, _ = v.post("/equipe/origens", url.Values{"nome": {"Feira"}})
	origins, err := site.store.Repos().Origins.List(t.Context(), v.by.OrgID())
	if err != nil {
		t.Fatal(err)
	}
	id := v.lead(url.Values{
		"nome": {"Bia"}, "email": {"bia@example.com"}, "telefone": {"(11) 3456-7890"}, "origem": {"Feira"},
		"utm_source": {"google-ads"}, "prazo": {"já"},
	})
	if status, _ := other.post("/equipe/origens/"+origins[0].ID+"/tirar", nil); status != http.StatusUnprocessableEntity {
		if status != http.StatusNotFound {
			t.Errorf("another's origin, which is in use: %d", status)
		}
	} else {
		t.Error("another's origin is not unknown")
	}
	page := v.get("/contatos/" + id)
	hasNot(t, "a landline", page, "wa.me")
	if n := strings.Count(page, "google-ads"); n != 1 {
		t.Errorf("the source is there %d times", n)
	}
	has(t, "the note", page, "prazo: já")
	stages := v.funnel().Stages
	move := func(to string) string {
		_, _ = v.post("/contatos/"+id+"/etapa", url.Values{"etapa": {to}})
		return v.get("/contatos/" + id)
	}
	has(t, "moved nowhere", move(stages[0].ID), "Já estava em Novo.")
	has(t, "moved", move(stages[1].ID), "Movido para Em contato.")
	_, page = v.post("/equipe/funis/"+v.funnel().ID, url.Values{"fazer": {"tirar"}, "etapa": {stages[1].ID}})
	has(t, "a stage that somebody is in", page, "Mova-os para poder tirá-la.")
	_, page = v.post("/consultar", url.Values{"documento": {"CPF: 529.982.247-25"}})
	has(t, "a document with its name", page, "CPF válido")
	_, page = v.post("/consultar", url.Values{"documento": {"529.982.247-25, 111.444.777-35"}})
	has(t, "two at once", page, "2 documentos neste texto.", `action="/lotes/colados"`, `value="11144477735"`)
	_, page = v.post("/lotes/colados", url.Values{"documentos": {"52998224725", "11144477735"}})
	has(t, "two as a batch", page, "52998224725\n11144477735</textarea>")
}

// TestTheDashboardSaysWhatComesFirst: the next step until it is done, with the date in words and amounts in cents.
func TestTheDashboardSaysWhatComesFirst(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.visitor("Ana")
	page := v.get("/")
	has(t, "at first", page, "Para começar", "Criar um webhook: feito", `<a href="/equipe">Chamar a equipe</a>`,
		"Fazer a primeira consulta", "Criar uma chave de API", " de "+time.Now().In(noon.Zone()).Format("2006"), "Contatos em aberto")
	site.member(v.by.OrgID(), "Caio", crm.Common)
	v.ask("documento", aPerson, "produto", "cpf")
	v.key("ERP")
	page = v.get("/")
	hasNot(t, "at last", page, "Para começar")
	has(t, "at last", page, "Gasto acumulado em ", "R$ 0,45", "polyline", "Até o dia")
}

// TestWhatWasRefusedIsNotPromised: a post that was only kept in part cannot be replayed.
func TestWhatWasRefusedIsNotPromised(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	in := intake.New(v.store, time.Now)
	hook, err := in.Open(t.Context(), v.token.Reveal())
	if err != nil {
		t.Fatal(err)
	}
	cut := intake.Post{Body: []byte(`{"nome":`), Truncated: true, Declared: fault.New(fault.BodyTooLarge, "Corpo grande demais.")}
	if _, err := in.Receive(t.Context(), hook, cut); err == nil {
		t.Fatal("it is taken")
	}
	has(t, "the webhooks", v.get("/webhooks"), "recusou 1 envio", "Os que foram guardados inteiros podem ser refeitos")
	has(t, "the dashboard", v.get("/"), "recusou 1 envio", "Corrija e refaça os que foram guardados inteiros")
}

// TestAnAutomationIsTriedWithAnyContact, not only with the newest.
func TestAnAutomationIsTriedWithAnyContact(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	v.lead(url.Values{"nome": {"Zuleica Portela"}, "email": {"zuleica@example.com"}})
	for i := range 21 {
		v.lead(url.Values{"nome": {"Outra"}, "email": {"outra" + string(rune('a'+i)) + "@example.com"}})
	}
	r, _ := v.send("/automacoes", "nome", "Nota", "evento", "contact.created", "acao", "add_note", "texto", "oi")
	at := r.Header.Get("Location")
	hasNot(t, "the newest", v.get(at), "Zuleica Portela")
	has(t, "searched", v.get(at+"?procurar=zuleica"), "Zuleica Portela")
	has(t, "searched in vain", v.get(at+"?procurar=ninguém"), "Nenhum contato assim.")
}

// TestAPeriodToComeHasNoMoney: it shows no other one's.
func TestAPeriodToComeHasNoMoney(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	v.ask("documento", aPerson, "produto", "cpf")
	v.get("/extrato") // with the notice of what was charged
	page := unescaped(v.get("/extrato?de=2999-01-01"))
	if n := strings.Count(page, "R$\u00a00,45"); n != 2 {
		t.Errorf("the money is there %d times, not only as that of today and of this month", n)
	}
}

// TestPurposesWithoutLookups are there, because what an instance without lookups tells others may need one too.
func TestPurposesWithoutLookups(t *testing.T) {
	t.Parallel()
	v := newSite(t, false).visitor("Ana")
	for _, page := range []string{"/privacidade", "/privacidade/registro"} {
		has(t, page, v.get(page), `href="/finalidades"`)
	}
	page := v.get("/finalidades")
	has(t, "the page", page, "Nova finalidade", `href="/finalidades" aria-current="page"`)
	hasNot(t, "the page", page, "/historico-dividido")
}

// TestARefusedConnectionComesBack with the page that was asked for, and as a refusal.
func TestARefusedConnectionComesBack(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	at := v.made("/webhooks", url.Values{
		"nome": {"Meta"}, "tipo": {"meta"}, "faixas": {"zero"}, "segredo": {"segredo-do-app"}, "verificacao": {"abc"},
	})
	status, page := v.post(at+"/paginas", url.Values{"token": {" "}, "pagina": {"Loja do Centro"}})
	if status != http.StatusUnprocessableEntity {
		t.Errorf("status %d", status)
	}
	has(t, "the form", page, `value="Loja do Centro"`, `role="alert" tabindex="-1" autofocus`)
}

// TestThePictureOfContactsHasItsTable: what each webhook brought on each day, where that is not all of the day's
// contacts.
func TestThePictureOfContactsHasItsTable(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	v.lead(url.Values{"nome": {"Bia"}, "email": {"bia@example.com"}})
	const caption = "Contatos por webhook, por dia"
	hasNot(t, "of one webhook", v.get("/"), caption)
	v.lead(url.Values{"nome": {"Caio"}, "email": {"caio@example.com"}})
	_, _ = v.post("/contatos", url.Values{"nome": {"Davi"}, "email": {"davi@example.com"}})
	_, table, _ := strings.Cut(v.get("/"), caption)
	v.shows("<main>"+table, "Dia "+v.hook.Name+", 2 Sem webhook, 1", time.Now().In(noon.Zone()).Format("02/01/2006")+" 2 1")
}
