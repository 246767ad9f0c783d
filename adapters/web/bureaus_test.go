package web_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"fichario/domain/crm"
	"fichario/ports"
)

// turns are the bureaus that the page says a person's record is asked of, in order.
func turns(page string) string {
	_, list, _ := strings.Cut(page, `id="ordem-obito"`)
	list, _, _ = strings.Cut(list, "</section>")
	var names []string
	for _, m := range regexp.MustCompile(`<bdi class="break">([^<]*)</bdi></th>\s*<td data-l="Vez">([^<]*)</td>`).
		FindAllStringSubmatch(list, -1) {
		names = append(names, m[2]+" "+m[1])
	}
	return strings.Join(names, ", ")
}

// TestTheBureausOfTheInstance: how they are doing, their order, and who is out; changed by forms alone.
func TestTheBureausOfTheInstance(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.visitor("Ana")
	v.bureau.fails(aPerson, ports.NotCharged)
	v.ask("documento", aPerson, "produto", "obito")
	page := v.get("/bureaus")
	has(t, "the page", page, "segundo", "test", "Ativo", "0 de 1", "1 de 1", "R$ 0,45", "R$ 0,00", "Óbito")
	hasNot(t, "a product of one bureau", page, "ordem-cnpj", "Ordem da configuração")
	if got := turns(page); got != "1º test, 2º segundo" {
		t.Errorf("the order is %s", got)
	}
	v.send("/bureaus/subir", "produto", "obito", "bureau", "segundo")
	page = v.get("/bureaus")
	has(t, "moved up", page, "Ordem da configuração", "Ordem guardada")
	if got := turns(page); got != "1º segundo, 2º test" {
		t.Errorf("moved up, the order is %s", got)
	}
	v.send("/bureaus/ordem", "produto", "obito")
	if got := turns(v.get("/bureaus")); got != "1º test, 2º segundo" {
		t.Errorf("reset, the order is %s", got)
	}
	has(t, "asked first", v.get("/bureaus?perguntar=tirar-test"), "Tirar o bureau “test”?", "O que só ele oferece")
	v.bureau.resting.Store(int64(5 * time.Second))
	has(t, "its circuit is open", v.get("/bureaus"), "Em pausa", "tenta em segundos")
	v.bureau.resting.Store(int64(40 * time.Minute))
	has(t, "it was told to wait", v.get("/bureaus"), "Em pausa", "tenta em 40 min")
	v.bureau.resting.Store(0)
	v.send("/bureaus/tirar", "bureau", "test", "horas", "24")
	settings, err := v.store.Repos().Bureaus.Settings(t.Context())
	if err != nil || len(settings.Outs) != 1 || time.Until(settings.Outs[0].Until).Round(time.Hour) != 24*time.Hour {
		t.Errorf("out for a day: %+v, %v", settings.Outs, err)
	}
	v.send("/bureaus/voltar", "bureau", "test")
	v.send("/bureaus/tirar", "bureau", "test")
	has(t, "out", v.get("/bureaus"), "Fora", "até alguém o chamar de volta", "Chamar de volta")
	calls := v.bureau.calls.Load()
	v.ask("documento", anotherPerson, "produto", "obito")
	if v.bureau.calls.Load() != calls || site.second.calls.Load() != 2 {
		t.Errorf("the one that is out was asked, or the other one not: %d", site.second.calls.Load())
	}
	v.send("/bureaus/voltar", "bureau", "test")
	hasNot(t, "back", v.get("/bureaus"), "Chamar de volta")
	for _, form := range [][]string{
		{"/bureaus/subir", "produto", "obito", "bureau", "nada"}, {"/bureaus/tirar", "bureau", "nada"},
		{"/bureaus/voltar", "bureau", "nada"}, {"/bureaus/ordem", "produto", "nada"},
	} {
		if answer, _ := v.send(form[0], form[1:]...); answer.StatusCode < 400 || answer.StatusCode >= 500 {
			t.Errorf("%v: %d", form, answer.StatusCode)
		}
	}
	has(t, "the settings", v.get("/rodizios"), `href="/bureaus"`)

	member := site.member(v.by.OrgID(), "Caio", crm.Common)
	hasNot(t, "a member's navigation", member.get("/"), `href="/bureaus"`)
	if answer, _ := member.do(http.MethodGet, "/bureaus", nil); answer.StatusCode != http.StatusForbidden {
		t.Errorf("a member: %d", answer.StatusCode)
	}
}

// TestTheBureausOfSeveralOrganisations are seen by all and changed by none.
func TestTheBureausOfSeveralOrganisations(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.visitor("Ana")
	site.visitor("Bruno")
	page := v.get("/bureaus")
	has(t, "the page", page, "Mais de uma organização usa esta instância", "fichario bureau", "segundo", "Ativo")
	hasNot(t, "the page", page, `action="/bureaus/`, "Gasto no mês", "data-ask")
	for _, form := range [][]string{
		{"/bureaus/subir", "produto", "obito", "bureau", "segundo"}, {"/bureaus/tirar", "bureau", "test"},
		{"/bureaus/voltar", "bureau", "test"}, {"/bureaus/ordem", "produto", "obito"},
	} {
		if answer, _ := v.send(form[0], form[1:]...); answer.StatusCode != http.StatusForbidden {
			t.Errorf("%v: %d", form, answer.StatusCode)
		}
	}
}

// TestHowBureausAgree: the page shows it by field, with what it cost where one organisation has the instance; the calls
// stand in its statement, and not among what was looked up.
func TestHowBureausAgree(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.visitor("Ana")
	hasNot(t, "before", v.get("/bureaus"), "Concordância")
	site.compare.Share = 1
	v.ask("documento", aPerson, "produto", "cpf")
	site.ledger.Close()
	page := v.get("/bureaus")
	has(t, "the page", page, "Concordância", `<bdi class="break">test</bdi> e <bdi class="break">segundo</bdi>`, "1 pergunta",
		"R$ 0,45 em test e R$ 0,45 em segundo", "Tem registro", "100%", "nenhum tem")
	statement := v.get("/extrato")
	has(t, "the statement", statement, "comparação com segundo", "2 cobradas", "R$ 0,90")
	if n := strings.Count(v.get("/consultas"), "529.982.247-25"); n != 1 {
		t.Errorf("it was looked up %d times", n)
	}
	line := regexp.MustCompile(`<a href="(/consultas/[^"]*)">`).FindStringSubmatch(statement)
	has(t, "its line", v.get(line[1]), "Esta chamada só comparou segundo com o bureau que respondeu", "R$ 0,45")
	has(t, "the file", v.get("/extrato.csv"), ",seguida,comparacao\n", ",segundo,", ",true\n", ",test,,false\n")
	other := site.visitor("Rui")
	page = other.get("/bureaus")
	has(t, "another organisation's", page, "Concordância", "1 pergunta")
	hasNot(t, "another organisation's", page, "em segundo")
}
