package web_test

import (
	"strings"
	"testing"

	"fichario/domain/crm"
)

// TestTheSearchOverEverything finds only what the member may see, and shows no whole document in a list.
func TestTheSearchOverEverything(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.visitor("Ana")
	search := func(v *visitor, words string) string {
		_, page := v.send("/buscar", "busca", words)
		return page[strings.Index(page, `id="achados"`):strings.Index(page, "</main>")]
	}
	v.bureau.says(aPerson, `{"nome":"Rita Lobo"}`)
	sheet := v.ask("documento", aPerson, "produto", "cpf")
	contact := v.lead(map[string][]string{"name": {"Rita Prado"}, "email": {"prado@example.com"}})
	v.lead(map[string][]string{"name": {"Nilo Reis"}, "email": {"nilo@example.com"}, "phone": {"(11) 98765-4321"}})
	has(t, "by a part of a number", search(v, "98765"), "Nilo Reis", "98765-4321")
	has(t, "by a short part of it", search(v, "987"), "98765-4321")
	hasNot(t, "by a part of a number", search(v, "98765"), "nilo@example.com")
	v.lead(map[string][]string{"name": {"Zeca Luz"}, "email": {"zeca@example.com"}, "phone": {"+5511900120177"}})
	has(t, "a number as everywhere else", search(v, "900120177"), "Zeca Luz", "(11) 90012-0177")
	has(t, "by the name of who has a number", search(v, "nilo"), "nilo@example.com")
	has(t, "by a name", search(v, "RITA"), "Contatos", "Rita Prado", contact, "Fichas", "Rita Lobo", sheet, "***.982.247-**")
	hasNot(t, "by a name", search(v, "rita"), "529.982.247-25", "Páginas e ações")
	has(t, "by an address", search(v, "prado@"), contact)
	has(t, "by a document", search(v, "529.982.247-25"), "Score", "R$ 0,45", "grátis", sheet)
	has(t, "an action", search(v, "nova aut"), "Nova automação")
	has(t, "nothing", search(v, "xyz"), "Nada encontrado")
	for words, page := range map[string]string{
		"importar": "/importacoes", "rodizio": "/rodizios", "retorno": "/retorno", "acessos": "/conta/acessos",
		"segundo fator": "/conta/segundo-fator", "da equipe": "/consultas", "funil": "/equipe/funis", "origem": "/equipe/origens",
		"funis": "/equipe/funis", "origens": "/equipe/origens",
	} {
		has(t, "a page", search(v, words), `href="`+page+`"`)
		v.get(page)
	}

	caio := site.member(v.by.OrgID(), "Caio", crm.Common)
	hasNot(t, "what a member may not do", search(caio, "nova"), "Nova automação", "Nova chave")
	has(t, "what every member has", search(caio, "extrato"), `href="/extrato"`)
	bruno := site.visitor("Bruno")
	hasNot(t, "another organisation", search(bruno, "rita"), contact, sheet)
}
