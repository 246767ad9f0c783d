package web_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"fichario/app/contacts"
	"fichario/domain/crm"
)

// TestPagesAreSmall: even with more of everything than a page shows, no page is larger than a phone should have to
// load.
func TestPagesAreSmall(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.visitor("Ana")
	var id string
	for i := range 90 {
		id = v.lead(url.Values{
			"nome": {fmt.Sprintf("Maria Aparecida dos Santos %d", i)}, "email": {fmt.Sprintf("maria.santos%d@empresa.example", i)},
			"telefone": {"(11) 98765-4321"}, "empresa": {"Indústria e Comércio de Embalagens Ltda"}, "valor": {"12.345,67"},
			"cpf": {aPerson}, "mensagem": {strings.Repeat("Preciso de um orçamento. ", 20)},
		})
	}
	var sheet string
	for i, person := range []string{aPerson, thirdPerson, "90000000680", "90000000841"} {
		site.bureau.says(person, fmt.Sprintf(`{"nome":"Helena Duarte de Albuquerque %d"}`, i))
		for _, product := range []string{"cpf", "score"} {
			sheet = v.ask("documento", person, "produto", product, "contato", id)
		}
	}
	for range 60 {
		v.ask("documento", aPerson, "produto", "cpf", "gratis", "sim", "contato", id)
	}
	for i := range 30 {
		v.post("/contatos/"+id+"/nota", url.Values{"texto": {fmt.Sprintf("Ligação %d: pediu para voltar a ligar depois", i)}})
	}
	for _, path := range []string{
		"/", "/consultar", "/consultas", "/contatos", "/contatos?q=maria&retorno=sem", "/funil", "/contatos/" + id,
		"/contatos/" + id + "/documentos", "/contatos/" + id + "/historico", "/contatos/" + id + "/editar", sheet,
		"/notificacoes", "/webhooks", "/webhooks/" + v.hook.ID, "/extrato", "/equipe", "/lotes", "/chaves", "/automacoes",
		"/automacoes/nova", "/pacotes", "/rodizios", "/retorno", "/buscar", "/conta",
	} {
		if page := v.get(path); len(page) > 60_000 {
			t.Errorf("%s has %d bytes", path, len(page))
		}
	}
}

// TestTheListIsSmall: fifty contacts that all await an answer, with everything that a row shows, every column and as
// many views as are kept, are at most 60 kB.
func TestTheListIsSmall(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	for i := range 55 {
		v.lead(url.Values{
			"nome": {fmt.Sprintf("Maria Aparecida dos Santos %d", i)}, "email": {fmt.Sprintf("maria.santos%d@empresa.example", i)},
			"telefone": {fmt.Sprintf("(11) 98765-43%02d", i)}, "empresa": {"Indústria e Comércio de Embalagens Ltda"},
			"valor": {"12.345,67"}, "origem": {"Instagram"},
		})
	}
	columns := []string{"densidade", "confortavel"}
	for _, column := range []string{"telefone", "empresa", "etapa", "origem", "valor", "responsavel", "chegou", "email"} {
		columns = append(columns, "coluna", column)
	}
	v.from("/contatos", "/contatos/colunas", columns...)
	for i := range 12 {
		v.from("/contatos", "/contatos/vistas", "nome", fmt.Sprintf("Retorno atrasado, acima de R$ 10 mil %d", i),
			"retorno", "sem", "valor", "10000", "ordem", "valor", "etapa", v.funnel().Stages[0].ID)
	}
	page := v.get("/contatos")
	if n := strings.Count(page, "Já falei"); n != 50 {
		t.Errorf("%d of 50 await an answer", n)
	}
	if len(page) > 60_000 {
		t.Errorf("the list has %d bytes", len(page))
	}
}

// TestNotificationsAreSmall: people who came again and again, so that each line says when they did.
func TestNotificationsAreSmall(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	for i := range 120 {
		v.lead(url.Values{
			"nome":  {fmt.Sprintf("Maria Aparecida dos Santos Albuquerque %d", i)},
			"email": {fmt.Sprintf("maria.santos%d@empresa.example", i%3)},
		})
	}
	page := v.get("/notificacoes")
	has(t, "the list", page, "São as 50 mais recentes", "Já tinha vindo")
	if t.Logf("%d bytes", len(page)); len(page) > 60_000 {
		t.Errorf("they have %d bytes", len(page))
	}
}

// TestTheLargestListIsSmall: so are fifty that may all be the same person, with long names and every column.
func TestTheLargestListIsSmall(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	v.send("/contatos/colunas", "coluna", "telefone", "coluna", "empresa", "coluna", "etapa", "coluna", "origem",
		"coluna", "valor", "coluna", "responsavel", "coluna", "chegou", "coluna", "email")
	v.send("/equipe/origens", "nome", "Anúncios da região metropolitana")
	for i := range 55 {
		v.lead(url.Values{
			"nome":     {fmt.Sprintf("Maria Aparecida da Conceição dos Santos Albuquerque de Figueiredo e Silva %d", i)},
			"email":    {fmt.Sprintf("maria.aparecida.conceicao.albuquerque%d@industria-e-comercio.example", i)},
			"telefone": {fmt.Sprintf("(11) 98765-43%02d", i)}, "cpf": {aPerson},
			"empresa": {"Indústria e Comércio de Embalagens da Região Metropolitana Ltda"},
			"valor":   {"1.234.567,89"}, "origem": {"Anúncios da região metropolitana"},
		})
	}
	page := v.get("/contatos")
	for what, n := range map[string]int{
		"Já falei": strings.Count(page, "Já falei"), "repetido?": strings.Count(page, "repetido?"),
		"sem retorno": strings.Count(page, "sem retorno "), "an e-mail": strings.Count(page, "<td class=cm>"),
	} {
		if n != 50 {
			t.Errorf("%d of 50 rows say %s", n, what)
		}
	}
	t.Logf("the list has %d bytes", len(page))
	if len(page) > 60_000 {
		t.Errorf("the list has %d bytes", len(page))
	}
}

// TestSlowTheBoardIsSmall: however many stages there are, and all of them full, it is at most 60 kB.
func TestSlowTheBoardIsSmall(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	var ids []string
	for i := range 90 {
		ids = append(ids, v.lead(url.Values{
			"nome":    {fmt.Sprintf("Maria Aparecida dos Santos Albuquerque %d", i)},
			"email":   {fmt.Sprintf("maria.santos%d@empresa.example", i)},
			"empresa": {"Indústria e Comércio de Embalagens Ltda"}, "valor": {"12.345,67"}, "origem": {"Instagram"},
		}))
	}
	funnels := contacts.NewFunnels(v.store, time.Now)
	for i := range 5 {
		stages := v.funnel().Stages
		for j, id := range ids {
			v.post("/contatos/"+id+"/etapa", url.Values{"etapa": {stages[j%len(stages)].ID}})
		}
		page := v.get("/funil")
		t.Logf("%d stages: %d cards, %d bytes", len(stages), strings.Count(page, `class="lead"`), len(page))
		if len(page) > 60_000 {
			t.Errorf("a board of %d stages has %d bytes", len(stages), len(page))
		}
		if n := strings.Count(page, `class="lead"`); n < 2*len(stages) {
			t.Errorf("a board of %d stages has %d cards", len(stages), n)
		}
		for k := range (crm.StagesMax - len(stages) + 1) / 2 {
			if err := funnels.AddStage(t.Context(), v.by, v.funnel().ID, fmt.Sprintf("Visita marcada %d.%d", i, k)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestSlowSettingsAreSmall: forty-one of everything that an organisation sets, and forty-two people, are at most 60
// kB a page, with the form of one open.
func TestSlowSettingsAreSmall(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.visitor("Ana")
	for i := range 41 {
		site.member(v.by.OrgID(), fmt.Sprintf("MariaAparecidaAlbuquerque%d", i), crm.Common)
		v.send("/pacotes", "nome", fmt.Sprintf("Crédito de pessoas jurídicas %d", i), "produtos", "cpf", "produtos", "score")
		v.send("/finalidades", "codigo", fmt.Sprintf("analise_de_credito_%d", i), "nome",
			fmt.Sprintf("Análise de crédito de pessoas %d", i), "base", "legitimo_interesse", "papeis", "owner")
		v.send("/rodizios", "nome", fmt.Sprintf("Vendas da região metropolitana %d", i))
		v.send("/equipe/origens", "nome", fmt.Sprintf("Anúncios da região metropolitana %d", i))
		v.send("/equipe/funis", "nome", fmt.Sprintf("Imóveis da região metropolitana %d", i))
		v.send("/equipe/funis/"+v.funnel().ID, "fazer", "acrescentar", "nome", fmt.Sprintf("Visita marcada %d", i))
	}
	opens := regexp.MustCompile(`class="set-h"[^>]* href="(/\w+\?editar=[^"]+)"`)
	for _, path := range []string{"/pacotes", "/finalidades", "/rodizios", "/equipe", "/equipe/funis", "/equipe/origens"} {
		pages := []string{v.get(path)}
		if !strings.HasPrefix(path, "/equipe") {
			links := opens.FindAllStringSubmatch(pages[0], -1)
			if len(links) < 41 { // and where that is a link, the form of another one
				t.Fatalf("%s: %d forms can be opened", path, len(links))
			}
			pages = append(pages, v.get(links[40][1]), v.get(links[len(links)-1][1]))
			has(t, path, pages[1], `aria-expanded="true"`, ">Guardar<", " autofocus")
			if n := strings.Count(pages[1], "data-leave"); n != 1 {
				t.Errorf("%s: %d forms are open", path, n)
			}
		}
		for _, page := range pages {
			if t.Logf("%s has %d bytes", path, len(page)); len(page) > 60_000 {
				t.Errorf("%s has %d bytes", path, len(page))
			}
		}
	}
}
