package web_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"fichario/domain/automation"
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
	has(t, "a new one", v.get("/automacoes/nova"), `name="se.campo" value=""`, "é pelo menos", `id="c-1"`,
		`required aria-describedby="nome-h" autofocus>`)
	for _, c := range []struct {
		name string
		sent url.Values
		want string
	}{
		{"rows", form("", "", "campos.score", ">=", "600", "", ">=", "", "Cor da porta", "==", "azul"),
			"Score é pelo menos 600 e Cor da porta é igual a azul"},
		{"a day", form("", "", "criadoEm", ">=", "2026-11-01"), "Data de chegada é pelo menos 2026-11-01"},
		{"a number as people write it", form("", "", ".valor", ">", "1.234,50"), "Valor é maior que 1234.50"},
		{"a changed expression", form(".a | not", "", "campos.score", ">=", "600"), `<code class="break">.a | not</code>`},
		{"a product", form("", "", "produto", "==", "score", "contato", "existe", "", "cache", "!=", "true"),
			"Produto é igual a Score e Contato tem valor e Veio do histórico é diferente de sim"},
		{"changed rows", form(".a == 1", ".a == 1", "a", "==", "2"), "A é igual a 2"},
		{"neither", form("", "", "", ">=", ""), ""},
	} {
		page := v.after("/automacoes", c.sent)
		if c.want == "" {
			hasNot(t, c.name, page, ", se ")
			continue
		}
		has(t, c.name, page, ", se "+c.want)
	}
	for _, is := range []string{">", ">=", "<", "<="} {
		answer, page := v.post("/automacoes", form("", "", "origem", is, "Google"))
		has(t, "texts in order", page, "maior e menor precisam de um número", `value="Google"`)
		if answer != 422 {
			t.Errorf("texts in order are answered by %d", answer)
		}
	}
	for _, c := range [][3]string{
		{"contact.created", "Cor da porta?", `respostas."Cor da porta?"`},
		{"contact.moved", ".respostas.Cor da porta", `respostas."Cor da porta"`},
		{"lookup.completed", `A "cor"?`, `contato.respostas."A \"cor\"?"`},
		{"lookup.completed", "campos.Renda mensal", `campos."Renda mensal"`},
		{"contact.created", "atribuicao.ad-id", `atribuicao."ad-id"`},
	} {
		sent := form("", "", c[1], "==", "azul")
		sent.Set("evento", c[0])
		at := pathIn(v.after("/automacoes", sent), `/automacoes/[^/"?]+/editar`)
		has(t, "a question as people write it", v.get(at), `name="se.campo" value="`+c[2]+`"`)
	}
	for _, field := range []string{
		`respostas."Quantos?"`, "Quantos filhos?", ".respostas.Renda", "atribuicao.utm_term", "contato.respostas.Renda",
	} {
		answer, page := v.post("/automacoes", form("", "", field, ">=", "100"))
		has(t, "an answer in order", page, "é um texto, também quando parece um número", `value="100"`)
		if answer != 422 {
			t.Errorf("an answer in order is answered by %d", answer)
		}
	}
	has(t, "an empty row", v.get("/automacoes/nova"), `name="se.compara"><option value="==">`)
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

// TestTheFieldsOfAnEventHaveNames: each offered field has what people call it, whatever the event, and those of answers
// are offered before there was any.
func TestTheFieldsOfAnEventHaveNames(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	v.lead(url.Values{"nome": {"Bia & Rocha"}, "email": {"bia@example.com"}, "utm_source": {"google"},
		"page_url": {"https://a.example"}, "valor": {"10"}, "Qual o interesse?": {"Consórcio"}})
	part := func(event string) string {
		_, page := v.do("POST", "/automacoes?mudou=campos", url.Values{"evento": {event}, "se": {""}}, "HX-Request", "true")
		return page
	}
	hasNot(t, "a list of nothing", part("contact.created"), "([])")
	has(t, "a contact", part("contact.created"), `<option value="nome" data-kind="string">Nome (Bia & Rocha)`,
		`<option value="valor" data-kind="number">Valor (10)`, `Telefone com o código do país`, `>CPF ou CNPJ</option>`,
		`<option value="atribuicao.utm_source" data-kind="string">utm_source (google)`, ">Página (",
		`<option value="respostas."Qual o interesse?"" data-kind="string">Qual o interesse? (Consórcio)`)
	hasNot(t, "a contact", part("contact.created"), "respostas.utm_source", "respostas.page_url")
	saved := v.after("/automacoes", url.Values{"nome": {"Score"}, "evento": {"contact.created"}, "acao": {"add_note"},
		"texto": {"Ligar"}, "se": {""}, "se.linhas": {""}, "se.campo": {`respostas."Qual o interesse?"`}, "se.compara": {"=="},
		"se.valor": {"Consórcio"}})
	has(t, "by a question", saved, ", se Qual o interesse? é igual a Consórcio")
	england := "Time de 🏴\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F?"
	v.lead(url.Values{"nome": {"Rui"}, "email": {"rui@example.com"}, england: {"Leeds"}, "mensagem": {`"Cor": azul`}})
	for _, field := range []string{`respostas."` + england + `"`, `respostas."\"Cor\""`} {
		has(t, "a question in any signs", part("contact.created"), `<option value="`+field+`" data-kind="string">`)
		v.after("/automacoes", url.Values{"nome": {"Nota"}, "evento": {"contact.created"}, "acao": {"add_note"},
			"texto": {"Ligar"}, "se": {""}, "se.linhas": {""}, "se.campo": {field}, "se.compara": {"=="}, "se.valor": {"azul"}})
	}
	lines := make([]string, 200)
	for i := range lines {
		lines[i] = fmt.Sprintf("Linha %d: x", i)
	}
	v.lead(url.Values{"nome": {"Rui"}, "email": {"rui@example.com"}, "valor": {"10"},
		"mensagem": {strings.Join(lines, "\n")}})
	has(t, "a contact of many lines", part("contact.created"), `<option value="valor" data-kind="number">Valor (10)`,
		`<option value="webhook"`, `<option value="telefoneE164"`, `>Linha 1 (x)`)
	has(t, "a lookup", part("lookup.completed"), `<option value="campos.score" data-kind="number">Score<`,
		`data-kind="boolean">Veio do histórico`, `Valor cobrado`)
	field := regexp.MustCompile(`<option value="([\w.]+)" data-kind="\w*">([^<(]*)`)
	unnamed := regexp.MustCompile("cao|coes|[a-z][A-Z]|^Responsavel|E164") // as the words of a name would be
	for _, event := range automation.Events() {
		for _, m := range field.FindAllStringSubmatch(part(string(event)), -1) {
			if unnamed.MatchString(m[2]) || m[2] == "" {
				t.Errorf("%s of %s is called %q", m[1], event, m[2])
			}
		}
	}
	has(t, "the webhook", v.get("/automacoes/nova"), `name="webhook" hx-post="/automacoes?mudou=campos"`)
}

// TestAnAutomationThatCannotMail says so in words: who sells has no variables to set.
func TestAnAutomationThatCannotMail(t *testing.T) {
	t.Parallel()
	const says = "peça a quem administra o servidor"
	hasNot(t, "with mail", newSite(t, true).visitor("Ana").get("/automacoes/nova"), says)
	v := newSite(t, false).visitor("Ana")
	has(t, "the form", v.get("/automacoes/nova"), says)
	_, page := v.post("/automacoes", url.Values{"nome": {"Saudar"}, "evento": {"contact.created"}, "acao": {"email"},
		"para": {"contact"}, "assunto": {"Oi"}, "texto": {"Olá"}})
	has(t, "the refusal", page, "O envio de e-mail não está configurado. Peça a quem administra o servidor")
	hasNot(t, "the refusal", page, "FICHARIO_SMTP_URL")
}

// TestOneMoreCondition: a form comes back with one more row and with everything that was typed, also what does not
// count yet, up to a most that loses nothing.
func TestOneMoreCondition(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	f := url.Values{"nome": {"Score"}, "evento": {"contact.updated"}, "acao": {"add_note"}, "texto": {"Ligar"}, "se": {""},
		"valor": {"muito"}, "se.linhas": {""}, "mais": {"sim"}, "se.campo": {"valor", ""}, "se.compara": {">=", "contem"},
		"se.valor": {"1.234,50", "azul"}}
	answer, page := v.post("/automacoes", f)
	has(t, "one more", page, `id="c-2" name="se.campo" value=""`, `spellcheck="false" autofocus`, `value="1.234,50"`, `value="azul"`,
		`<option value="contem" selected>`, `<option value="contact.updated" selected>`, `value="muito"`, "Ligar", `name="mais"`)
	hasNot(t, "one more", page, `id="c-3"`, "aria-invalid")
	if strings.Count(page, " autofocus") != 1 {
		t.Error("the focus is not only in the new row")
	}
	if answer != 200 {
		t.Errorf("one more row is answered by %d", answer)
	}
	_, part := v.do("POST", "/automacoes?mudou=campos", f, "HX-Request", "true")
	has(t, "in its place", part, `id="c-2" name="se.campo" value=""`, `value="azul"`)
	hasNot(t, "in its place", part, "<html", `id="c-3"`)
	f.Del("mais")
	_, part = v.do("POST", "/automacoes?mudou=campos", f, "HX-Request", "true")
	has(t, "another webhook", part, `value="azul"`)
	hasNot(t, "another webhook", part, `id="c-2"`, "autofocus")

	f.Set("mais", "sim")
	for len(f["se.campo"]) < 20 {
		f.Add("se.campo", "nome")
		f.Add("se.compara", "==")
		f.Add("se.valor", "Bia")
	}
	_, page = v.post("/automacoes", f)
	has(t, "the most", page, `id="c-19"`, "mais condições se escrevem em jq")
	hasNot(t, "the most", page, `id="c-20"`, `name="mais"`)
	many := strings.TrimSuffix(strings.Repeat(`.nome == "Bia" and `, 21), " and ")
	page = v.after("/automacoes", url.Values{"nome": {"Muitas"}, "evento": {"contact.created"}, "acao": {"add_note"},
		"texto": {"Ligar"}, "se": {many}})
	has(t, "more than the most", v.get(pathIn(page, `/automacoes/[^/"?]+/editar`)), "só cabe em jq", many)
}

// pathIn finds an address on a page.
func pathIn(page, pattern string) string { return regexp.MustCompile(pattern).FindString(page) }
