package web_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/ports"
)

func TestLookupsNullIsSaid(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	v.bureau.says(aPerson, `{}`)
	for _, p := range testCatalog() {
		if p.Inputs != nil {
			continue
		}
		doc := map[document.Type]string{
			document.CPF: aPerson, document.CNPJ: aCompany, document.Plate: "ABC1D23", document.Email: "a@example.com",
		}[p.Documents[0]]
		v.bureau.says(doc, `{}`)
		page := v.get(v.ask("documento", doc, "produto", p.ID))
		article := page[strings.Index(page, "<article"):strings.Index(page, "</article>")]
		has(t, p.ID, article, "não informado", p.Name)
		hasNot(t, p.ID, article, ">Não<", ">null<", "&lt;nil&gt;", ">0<")
	}
	v.bureau.on(anotherPerson, func(_ context.Context, p catalog.Product) (ports.Answer, error) {
		fields, _ := p.Project(nil)
		return ports.Answer{Raw: []byte("null"), Fields: fields}, nil
	})
	has(t, "no record", v.get(v.ask("documento", anotherPerson, "produto", "cpf")), "Nada encontrado", "custou R$ 0,45",
		"Cobrada")
}

func TestLookupsFields(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	v.bureau.says(aCompany, `{"razaoSocial":"Cipó Ltda","abertura":"2026-08-03","capitalSocial":180000.0,
		"atividadePrincipal":{"codigo":"1081302","descricao":"Torrefação"},
		"enderecos":[{"logradouro":"Rua A","numero":"1","cidade":"Sabará","uf":"MG","cep":"30999218"}],
		"socios":[{"nome":"Iracema","documento":"***.444.777-**","entrada":"2026-08-03"},
		{"nome":"Tomé","documento":"52998224725"},{"nome":"SA","documento":"12ABC34501DE35"}],
		"quantidade":2,"valorTotal":1234.5,"protestos":[{"cartorio":"1º","valor":1000}],
		"score":712,"probabilidadeInadimplencia":3.25}`)
	page := v.get(v.ask("documento", aCompany, "produto", "cnpj"))
	article := page[strings.Index(page, "<article"):strings.Index(page, "</article>")]
	has(t, "company", article, "Cipó Ltda", "03/08/2026", "R$ 180.000,00", "Torrefação", "1081-3/02", "Rua A, 1",
		"Sabará, MG", "30999-218", "***.444.777-**", "***.982.247-**", "12.ABC.345/01DE-35")
	hasNot(t, "a partner's CPF", article, "52998224725")
	has(t, "protests", v.get(v.ask("documento", aCompany, "produto", "protestos")), "R$ 1.234,50", "R$ 1.000,00",
		"Cipó Ltda")
	has(t, "score", v.get(v.ask("documento", aCompany, "produto", "score")), "712", "3,25%")
	v.bureau.says(aPerson, `{"renda":2500.75,"faixaDeRenda":"C","fontes":["A",2,true],"extra":{"z":1}}`)
	has(t, "a product of the bureau file", v.get(v.ask("documento", aPerson, "produto", "renda_presumida")),
		"Renda mensal presumida", "2.500,75", "Faixa de renda", "<li><bdi class=\"whole\">A</bdi></li>", `{"z":1}`)
}

func TestLookupsErrorsInWords(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	for outcome, want := range map[ports.BureauOutcome][]string{
		ports.Failed: {"O bureau respondeu com um erro.", "R$ 0,45 foram cobrados",
			"Tentar de novo <span class=\"preco\">R$ 0,45"},
		ports.NoAnswer: {"O bureau não respondeu a tempo.", "R$ 0,45 foram cobrados", "Tentar de novo"},
		ports.NotSent:  {"Não foi possível acessar o bureau, ou ele recusou sem cobrar.", "Nada foi cobrado.", "Tentar de novo"},
	} {
		v.bureau.fails(aPerson, outcome)
		before := v.spent()
		page := v.get(v.ask("documento", aPerson, "produto", "cpf"))
		has(t, string(outcome), page, want...)
		if charged := v.spent() - before; (charged == 0) != (outcome == ports.NotSent) {
			t.Errorf("%s: charged %s", outcome, charged)
		}
	}
	has(t, "recent", v.get("/consultar"), "ver o que houve")
}

func TestLookupsRawIsTheBureaus(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	raw := "{ \"z\": 1.50, \"nome\": \"A\",\r\n \"n\":12345678901234567890, \"h\":\"<b>&\u2028\\u00e9\", \"dup\":1, \"dup\":2 }"
	v.bureau.says(aPerson, raw)
	path := v.ask("documento", aPerson, "produto", "cpf")
	response, body := v.do(http.MethodGet, path+"/bruto", nil)
	if body != raw || response.Header.Get("Content-Type") != "application/json" ||
		!strings.HasPrefix(response.Header.Get("Content-Disposition"), "attachment;") {
		t.Errorf("%q, %v", body, response.Header)
	}
	page := v.get(path)
	has(t, "tree", page, "12345678901234567890", ">1.50<", "sem alteração")
	if strings.Count(page, `<bdi class="k">dup</bdi>`) != 2 {
		t.Error("a repeated key is shown once")
	}
	for name, answer := range map[string]string{
		"huge": `{"nome":"Ana","l":[` + strings.Repeat(`{"a":"`+strings.Repeat("b", 100)+`"},`, 20_000) + `1]}`,
		"deep": `{"nome":"Ana","d":` + strings.Repeat("[", 3000) + strings.Repeat("]", 3000) + "}",
	} {
		v.bureau.says(anotherPerson, answer)
		path := v.again(anotherPerson)
		for _, p := range []string{path, path + "?bruto=texto"} {
			if page := v.get(p); len(page) > 100_000 || name == "huge" && !strings.Contains(page, "só o começo") {
				t.Errorf("%s: a page of %d bytes", name, len(page))
			}
		}
		if _, body := v.do(http.MethodGet, path+"/bruto", nil); body != answer {
			t.Errorf("%s: %d bytes instead of %d", name, len(body), len(answer))
		}
	}
	v.bureau.on(anotherPerson, func(_ context.Context, p catalog.Product) (ports.Answer, error) {
		fields, _ := p.Project(nil)
		return ports.Answer{Found: true, Raw: []byte("{nada\xff <i>"), Fields: fields}, nil
	})
	has(t, "not JSON", v.get(v.again(anotherPerson)), "{nada\uFFFD <i>", "Não é JSON")
}

func TestLookupsHostileTextIsText(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	script := `<script>alert(1)</script>`
	long := strings.Repeat("nome ", 20_000)
	v.bureau.says(aPerson, fmt.Sprintf(`{"nome":%q,"nomeMae":"\u202Eabc","sexo":%q,
		"emails":["a@example.com","javascript:alert(1)"],
		"telefones":[{"ddd":"javascript:","numero":"alert(1)","tipo":%q}],"enderecos":[{"logradouro":%q}]}`,
		script, long, script, `"><img src=x onerror=alert(1)>`))
	path := v.ask("documento", aPerson, "produto", "cpf")
	for _, p := range []string{path, path + "?bruto=texto", "/consultar"} {
		page := v.get(p)
		hasNot(t, p, page, script, "<img", `href="javascript:`, "ZgotmplZ")
		if len(page) > 100_000 {
			t.Errorf("%s: %d bytes", p, len(page))
		}
	}
	has(t, "the mark of direction is on its own", v.get(path), "<bdi class=\"whole\">\u202eabc</bdi>",
		"continua na resposta original")
	v.bureau.says(anotherPerson, fmt.Sprintf(`{"nome":%q}`, long))
	page := v.get(v.ask("documento", anotherPerson, "produto", "cpf"))
	if len(page) > 100_000 {
		t.Errorf("a name of 100 kB makes a page of %d bytes", len(page))
	}
	for _, typed := range []string{
		script, strings.Repeat("x", 100_000), "\u202e52998224725", "\xff\xfe", "a@" + strings.Repeat("b", 90_000),
	} {
		_, page := v.send("/consultar", "documento", typed)
		hasNot(t, "typed", page, script)
		if len(page) > 100_000 {
			t.Error("the input fills the page")
		}
	}
	if strings.Contains(v.log.String(), aPerson) || strings.Contains(v.log.String(), "nome nome") {
		t.Error("something personal is in the log")
	}
}
