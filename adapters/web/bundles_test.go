package web_test

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/ports"
)

// TestABundleIsAskedInOneGo: one price beforehand, part of it free by the history, and one notice about the cost after.
func TestABundleIsAskedInOneGo(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.visitor("Ana")
	has(t, "an empty room", v.get("/pacotes"), "Novo pacote")
	hasNot(t, "a form that nobody asked for", v.get("/pacotes"), `name="produtos"`)
	form := func(name string, products ...string) []string {
		pairs := []string{"nome", name}
		for _, p := range products {
			pairs = append(pairs, "produtos", p)
		}
		return pairs
	}
	response, page := v.send("/pacotes", form("Crédito", "score")...)
	has(t, "one product is no bundle", page, "de 2 a 12 produtos", `value="Crédito"`, `value="score" checked`)
	if response.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("one product: %d", response.StatusCode)
	}
	v.send("/pacotes", form("Crédito", "cpf", "score", "protestos")...)
	_, page = v.send("/pacotes", form("CREDITO", "cpf", "score")...)
	has(t, "a second one of the name", page, "Já há um pacote com este nome")

	v.bureau.says(aPerson, `{"nome":"Rita","score":710,"quantidade":0}`)
	v.ask("documento", aPerson, "produto", "cpf")
	_, page = v.send("/consultar", "documento", aPerson)
	has(t, "the search screen", page, "Pacotes", "Crédito", "(grátis)", "R$ 0,90")
	bundle := regexp.MustCompile(`name="pacote" value="([^"]+)"`).FindStringSubmatch(page)[1]
	before := v.spent()
	_, page = v.send("/consultas/pacote", "documento", aPerson, "pacote", bundle, "preco", "1.35")
	has(t, "another price than now", page, "O preço do pacote mudou", "Nada foi cobrado")
	response, _ = v.send("/consultas/pacote", "documento", aPerson, "pacote", bundle, "preco", "0.9")
	if response.StatusCode != http.StatusSeeOther || v.spent()-before != 9000 {
		t.Fatalf("%d, spent %s", response.StatusCode, v.spent()-before)
	}
	page = v.get(response.Header.Get("Location"))
	has(t, "what it cost", page, "Cobrado: R$ 0,90 por 2 consultas", "Rita")
	if strings.Count(page, ", grátis") < 2 {
		t.Error("the other products are not free now")
	}
	response, _ = v.send("/consultas/pacote", "documento", aPerson, "pacote", bundle, "preco", "0")
	has(t, "all of it from history", v.get(response.Header.Get("Location")), "Nada foi cobrado: tudo veio do histórico")
	if v.spent()-before != 9000 {
		t.Errorf("spent %s", v.spent()-before)
	}
	has(t, "a company", second(v.send("/consultar", "documento", aCompany)), "Crédito")
	v.bureau.fails(anotherPerson, ports.NotSent)
	response, _ = v.send("/consultas/pacote", "documento", anotherPerson, "pacote", bundle, "preco", "1.35")
	page = v.get(response.Header.Get("Location"))
	has(t, "none of it reached the bureau", page, "Nada foi cobrado.", "Não foi possível acessar o bureau")
	hasNot(t, "none of it reached the bureau", page, "tudo veio do histórico")
	v.send("/pacotes/"+bundle, form("Análise", "cpf", "obito")...)
	hasNot(t, "a company again", second(v.send("/consultar", "documento", aCompany)), "Análise")
	v.send("/pacotes/" + bundle + "/tirar")
	hasNot(t, "removed", v.get("/pacotes"), "Análise")
	_, page = v.send("/consultas/pacote", "documento", aPerson, "pacote", bundle, "preco", "0")
	has(t, "a bundle that is gone", page, "Este pacote mudou ou foi tirado")
	member := site.member(v.by.OrgID(), "Caio", crm.Common)
	if response, _ := member.do(http.MethodGet, "/pacotes", nil); response.StatusCode != http.StatusForbidden {
		t.Errorf("a member in the room: %d", response.StatusCode)
	}
}

func second[A any](_ A, body string) string { return body }

// TestWhatAQuestionCosts is said on its sheet, all its calls together, and not to whoever got the answer of another
// one's call.
func TestWhatAQuestionCosts(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.visitor("Ana")
	v.bureau.on(aPerson, func(context.Context, catalog.Product) (ports.Answer, error) {
		return ports.Answer{Raw: []byte(`{}`)}, nil
	})
	page := v.get(v.ask("documento", aPerson, "produto", "obito"))
	has(t, "two calls", page, "Cobrado: R$ 0,90", `<span class="strong">R$ 0,90`)
	hasNot(t, "two calls", page, "R$ 0,45 ")

	v.send("/pacotes", "nome", "Crédito", "produtos", "cpf", "produtos", "score")
	gate, came := make(chan struct{}), make(chan string, 2)
	v.bureau.on(anotherPerson, func(_ context.Context, p catalog.Product) (ports.Answer, error) {
		if came <- p.ID; p.ID == catalog.CPF {
			<-gate
		}
		return answerOf(p, `{"nome":"Rita","score":710}`), nil
	})
	member := site.member(v.by.OrgID(), "Caio", crm.Common)
	_, page = v.send("/consultar", "documento", anotherPerson)
	bundle := regexp.MustCompile(`name="pacote" value="([^"]+)"`).FindStringSubmatch(page)[1]
	var asking sync.WaitGroup
	asking.Go(func() { v.send("/consultas", "documento", anotherPerson, "produto", "cpf") })
	<-came
	asking.Go(func() {
		response, _ := member.send("/consultas/pacote", "documento", anotherPerson, "pacote", bundle, "preco", "0.9")
		page = member.get(response.Header.Get("Location"))
	})
	<-came
	close(gate)
	asking.Wait()
	has(t, "one of two is another one's", page, "Cobrado: R$ 0,45 por 1 consulta.")
}

// TestALookupIsTiedToAContact: to one that has the document, one that is found, or a new one made from the sheet.
func TestALookupIsTiedToAContact(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.visitor("Ana")
	v.bureau.says(aPerson, `{"nome":"Rita Lobo","emails":["rita@example.com","b@example.com"],
		"telefones":[{"ddd":"31","numero":"987654321"}]}`)
	path := v.ask("documento", aPerson, "produto", "cpf")
	has(t, "the sheet", v.get(path), "Vincular a um contato")
	has(t, "nobody has the document", v.get(path+"/contato"), "Nenhum contato tem este documento", "Novo contato")
	score := v.ask("documento", aPerson, "produto", "score") // its answer names nobody
	has(t, "a sheet without a name", v.get(score+"/contato"), `Score de <bdi class="break">529.982.247-25</bdi>`)

	id := strings.TrimPrefix(path, "/consultas/")
	has(t, "a new contact", v.get("/contatos/novo?consulta="+id), `value="Rita Lobo"`, `value="rita@example.com"`,
		`value="31987654321"`, "529.982.247-25", "Da ficha “Cadastro de pessoa”", `name="consulta" value="`+id+`"`)
	response, _ := v.send("/contatos", "nome", "Rita Lobo", "email", "rita@example.com", "documentos", "529.982.247-25",
		"consulta", id)
	made := response.Header.Get("Location")
	has(t, "its documents", v.get(made+"/documentos"), "Cadastro de pessoa")
	has(t, "the sheet", v.get(path), "Voltar ao contato", made)
	has(t, "who has the document", v.get(path+"/contato"), "Têm este documento", "Rita Lobo", "Vinculada")

	bia := v.lead(map[string][]string{"name": {"Bia Prado"}, "email": {"bia@example.com"}})
	has(t, "found", v.get(path+"/contato?q=bia"), "Encontrados", "Bia Prado")
	v.send(path+"/contato", "contato", bia)
	has(t, "tied elsewhere", v.get(path), "/contatos/"+bia)
	hasNot(t, "and no longer here", v.get(made+"/documentos"), path)

	other := site.visitor("Bruno")
	for _, c := range [][2]string{{path, bia}, {other.ask("documento", aPerson, "produto", "cpf"), bia}} {
		if response, _ := other.send(c[0]+"/contato", "contato", c[1]); response.StatusCode != http.StatusNotFound {
			t.Errorf("another organisation ties %v: %d", c, response.StatusCode)
		}
	}
}

// TestWhatABundleLeftOutIsTold, even where the bureau is slow.
func TestWhatABundleLeftOutIsTold(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	v.send("/pacotes", "nome", "Crédito", "produtos", "cpf", "produtos", "score")
	v.send("/equipe/membros/"+v.by.MemberID(), "nome", "Ana", "email", "ana@example.com", "papel", "owner",
		"orcamento", "0,50")
	release := make(chan struct{})
	defer close(release)
	v.bureau.on(aPerson, func(ctx context.Context, p catalog.Product) (ports.Answer, error) {
		select {
		case <-release:
		case <-ctx.Done():
		}
		return answerOf(p, `{"nome":"Rita"}`), nil
	})
	_, page := v.send("/consultar", "documento", aPerson)
	bundle := regexp.MustCompile(`name="pacote" value="([^"]+)"`).FindStringSubmatch(page)[1]
	response, _ := v.send("/consultas/pacote", "documento", aPerson, "pacote", bundle, "preco", "0.9")
	has(t, "the sheet that waits", v.get(response.Header.Get("Location")), "Perguntando ao bureau", "Score: ", "orçamento",
		`class="toast t-bad" role="alert"`)
}
