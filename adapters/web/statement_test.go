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

// TestSpendingSaysWhatItIsOf: spending is stored by day and product, so a purpose or a result filters only the lines.
func TestSpendingSaysWhatItIsOf(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	v.bureau.says(aPerson, `{"nome":"Rita"}`)
	v.ask("documento", aPerson, "produto", "cpf")
	key := v.key("ERP").Key().ID
	const all = "De todas as finalidades e resultados do período."
	for _, path := range []string{"/extrato", "/chaves/" + key} {
		for _, filter := range []string{"?resultado=historico", "?resultado=bureau", "?finalidade=credito"} {
			if n := strings.Count(v.get(path+filter), all); n != 2 {
				t.Errorf("%s%s: said %d times", path, filter, n)
			}
		}
		for _, filter := range []string{"", "?produto=cpf", "?finalidade=&resultado=&produto=cpf"} {
			hasNot(t, path+filter, v.get(path+filter), all)
		}
	}
}
