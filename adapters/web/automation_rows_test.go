package web_test

import (
	"net/url"
	"regexp"
	"testing"

	"fichario/domain/crm"
)

// TestAConditionInRows: rows become an expression, an expression of that form is shown in rows, and of both that one
// counts which was changed.
func TestAConditionInRows(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.visitor("Ana")
	v.lead(url.Values{"nome": {"Bia Rocha"}, "email": {"bia@example.com"}})
	form := func(when, shown string, rows ...string) url.Values {
		f := url.Values{"nome": {"Score"}, "evento": {"contact.created"}, "acao": {"add_note"}, "texto": {"Ligar"},
			"se": {when}, "se.linhas": {shown}}
		for i := 0; i+2 < len(rows); i += 3 {
			f.Add("se.campo", rows[i])
			f.Add("se.compara", rows[i+1])
			f.Add("se.valor", rows[i+2])
		}
		return f
	}
	has(t, "a new one", v.get("/automacoes/nova"), `name="se.campo" value=""`, "é pelo menos", `id="c-1"`)
	for _, c := range []struct {
		name string
		sent url.Values
		want string
	}{
		{"rows", form("", "", "campos.score", ">=", "600", "", ">=", "", "Cor da porta", "==", "azul"),
			`.campos.score >= 600 and ."Cor da porta" == "azul"`},
		{"a number as people write it", form("", "", ".valor", ">", "1.234,50"), `.valor > 1234.50`},
		{"a changed expression", form(".a | not", "", "campos.score", ">=", "600"), ".a | not"},
		{"changed rows", form(".a == 1", ".a == 1", "a", "==", "2"), `(.a == 2 or .a == "2")`},
		{"neither", form("", "", "", ">=", ""), ""},
	} {
		page := v.after("/automacoes", c.sent)
		if c.want == "" {
			hasNot(t, c.name, page, ", se <code")
			continue
		}
		has(t, c.name, page, `<code class="break">`+c.want+`</code>`)
	}
	id := v.after("/automacoes", form("", "", "campos.score", ">=", "600"))
	at := pathIn(id, `/automacoes/[^/"?]+/editar`)
	has(t, "its form", v.get(at), `value="campos.score"`, `<option value=">=" selected>`, `value="600"`)
	id = v.after("/automacoes", form(".a | not", ""))
	at = pathIn(id, `/automacoes/[^/"?]+/editar`)
	has(t, "what is no rows", v.get(at), "só cabe em jq", ".a | not")
	hasNot(t, "what is no rows", v.get(at), `name="se.campo"`)

	step := func(changed string, f url.Values) string {
		_, page := v.do("POST", "/automacoes?mudou="+changed, f, "HX-Request", "true")
		return page
	}
	audited := func() int64 {
		last, err := v.store.Repos().Audit.Last(t.Context(), v.by.OrgID())
		if err != nil {
			t.Fatal(err)
		}
		return last
	}
	before := audited()
	has(t, "rows were changed", step("linhas", form(".a == 1", "", "a", "==", "2")), `(.a == 2 or .a == "2")</textarea>`)
	if now := audited(); now != before {
		t.Errorf("%d lines of the audit say that something was shown", now-before)
	}
	has(t, "the expression was changed", step("jq", form(".b != &#34;x&#34;", "", "a", "==", "2")), "só cabe em jq")
	has(t, "the expression was changed", step("jq", form(`.b != "x"`, "", "a", "==", "2")), `value="b"`, `value="x"`)
	f := form("", "", "a", "==", "2")
	f.Set("experimentar", "sim")
	_, page := v.post("/automacoes", f)
	member := site.member(v.by.OrgID(), "Caio", crm.Common)
	rows := form("", "", "a", "==", "2")
	if answer, _ := member.do("POST", "/automacoes?mudou=linhas", rows, "HX-Request", "true"); answer.StatusCode != 403 {
		t.Errorf("a member writes a condition: %d", answer.StatusCode)
	}
	has(t, "a trial", page, "<b>Vale</b> para o último evento", `value="a"`)
}

// pathIn finds an address on a page.
func pathIn(page, pattern string) string { return regexp.MustCompile(pattern).FindString(page) }
