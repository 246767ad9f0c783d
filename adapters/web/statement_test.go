package web_test

import (
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"fichario/domain/document"
	"fichario/domain/lookup"
)

func TestLookupsStatementPages(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	caller := v.key("ERP")
	path := "/chaves/" + caller.Key().ID
	doc, _ := document.Parse(document.CPF, aPerson)
	for i := range 120 {
		at := time.Now().Add(time.Duration(i) * time.Millisecond)
		id := fmt.Sprintf("%08x-%04x-7000-8000-%012x", at.UnixMilli()>>16, at.UnixMilli()&0xffff, i)
		err := v.store.Repos().Statement.Add(t.Context(), lookup.Entry{
			ID: id, OrgID: v.by.OrgID(), KeyID: caller.Key().ID, Product: "cpf", Document: doc, At: at, Cache: true,
			Status: lookup.Done,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	next, seen := path+"?resultado=historico", 0
	for next != "" {
		page := v.get(next)
		seen += strings.Count(page, "<tr><th scope=\"row\"><a href=\"/consultas/")
		next = ""
		if m := regexp.MustCompile(`href="([^"]+)">Próximas`).FindStringSubmatch(page); m != nil {
			next = html.UnescapeString(strings.TrimSuffix(m[1], "#consultas"))
		}
		if seen > 50 {
			has(t, "back to the first", page, `<a class="btn btn-s" href="`+path+`?resultado=historico#consultas">Do começo`)
		}
		if len(page) > 100_000 {
			t.Errorf("a page of %d bytes", len(page))
		}
	}
	if seen != 120 {
		t.Errorf("%d lines on all pages", seen)
	}
	_, figures := v.do(http.MethodGet, path, nil, "HX-Request", "true")
	has(t, "the figures, which are asked for again", figures, "Gasto hoje", "Restam no dia")
	hasNot(t, "what somebody may have opened", figures, "<details", aPerson)
}

// TestSpendingObeysTheFilter: the picture, the table of parts and the sum are of what is listed.
func TestSpendingObeysTheFilter(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	v.send("/finalidades", "codigo", "credito", "nome", "Crédito", "base", "legitimo_interesse", "papeis", "owner")
	v.bureau.says(aPerson, `{"nome":"Rita"}`)
	v.ask("documento", aPerson, "produto", "cpf", "finalidade", "credito")
	key := v.key("ERP").Key().ID
	hasNot(t, "all", v.get("/extrato"), "Só do que o filtro escolhe")
	has(t, "all", v.get("/extrato"), "Gasto por dia e produto", "<h2>Por produto</h2>", "cobrada.", "R$ 0,45")
	for filter, none := range map[string]string{
		"?resultado=historico": "O histórico responde de graça", "?finalidade=cobranca": "Nada cobrado neste período.",
		"?produto=placa": "Nada cobrado neste período.", "?quem=" + key: "Nada cobrado neste período.",
	} {
		page := v.get("/extrato" + filter)
		has(t, filter, page, "Nada cobrado neste período", none, "Só do que o filtro escolhe.",
			"Gasto neste mês</dt><dd>R$ 0,00", "no período foram R$ 0,00")
		hasNot(t, filter, page, "R$\u00a00,00</strong> em 0", "em 0 cobradas")
		hasNot(t, filter, page, "<svg width=\"100%\"")
	}
	for _, filter := range []string{"?resultado=bureau", "?finalidade=credito", "?produto=cpf", "?quem=minhas"} {
		has(t, filter, v.get("/extrato"+filter), "com este filtro", "em 1 cobrada.", "<svg width=\"100%\"",
			"Gasto neste mês</dt><dd>R$ 0,45")
	}
	page := v.get("/extrato?por=finalidade&e=pessoa&quem=minhas")
	has(t, "by purpose and person", page, "<h2>Por finalidade e pessoa</h2>", "<bdi>Ana</bdi>",
		"/extrato?e=pessoa&finalidade=credito&por=finalidade&quem=minhas#consultas",
		"<input type=\"hidden\" name=\"quem\" value=\"minhas\">", "<input type=\"hidden\" name=\"e\" value=\"pessoa\">")
	for _, by := range []string{"chave", "automacao", "lote", "bureau", "nada"} {
		for _, path := range []string{"/extrato", "/chaves/" + key} {
			hasNot(t, path+" by "+by, v.get(path+"?por="+by+"&e=produto"), "%!", "&lt;nil&gt;")
		}
	}
	response, wrong := v.do(http.MethodGet, "/extrato?produto=placa&de=2026-13-45&quem="+key, nil)
	has(t, "a filter that is wrong", wrong, "Gasto neste mês</dt><dd>R$ 0,45", "Gasto por dia e produto")
	if hasNot(t, "a filter that is wrong", wrong, "Só do que o filtro escolhe", "limite do"); response.StatusCode != 422 {
		t.Errorf("a filter that is wrong: %d", response.StatusCode)
	}
	v.ask("documento", aCompany, "produto", "cnpj", "finalidade", "credito")
	has(t, "one of two products", v.get("/extrato?produto=cpf"), "Gasto hoje</dt><dd>R$ 0,45", "Gasto neste mês</dt><dd>R$ 0,45")
	key2 := v.get("/chaves/" + key)
	hasNot(t, "what one key's lookups have in common", key2, ">Pessoa e produto<", ">Chave e finalidade<")
}

// TestLimitsAreLinesOfThePicture: those of a key, for all its lookups; a table has them too, and a part of what they
// limit has none.
func TestLimitsAreLinesOfThePicture(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	id, _ := v.usedKey()
	limits := []string{
		">limite do dia</text>", "limite do dia, 2</li>", "limite do mês, 2.000 (", "vezes o maior dia, acima do desenho",
		"Para comparar: limite do dia",
	}
	for _, path := range []string{"/chaves/" + id, "/extrato?quem=" + id} {
		has(t, path, v.get(path), limits...)
	}
	hasNot(t, "of one product", v.get("/extrato?produto=cpf&quem="+id), "limite do")
}
