package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/ports"
)

// anEdit is the form for changing a contact.
func anEdit(note string) url.Values {
	return url.Values{
		"nome": {"Bia Rocha"}, "email": {"bia@example.com"}, "telefone": {"(21) 2555-0100"}, "empresa": {""},
		"valor": {"1.234,56"}, "nota": {note},
	}
}

// aContact makes an organisation with a contact, and signs in a member who may change contacts.
func aContact(t *testing.T) (owner, v *visitor, id string) {
	t.Helper()
	site := openSite(t)
	owner = site.visitor("Ana")
	v = site.member(owner.by.OrgID(), "Caio", crm.Common)
	id = owner.lead(url.Values{
		"nome": {"Bia"}, "email": {"bia@example.com"}, "telefone": {"11 98765-4321"}, "valor": {"10"},
	})
	return owner, v, id
}

func TestAContactIsReached(t *testing.T) {
	t.Parallel()
	_, v, id := aContact(t)
	page := v.get("/contatos/" + id)
	for _, want := range []string{
		`href="tel:`, "5511987654321", `href="https://wa.me/5511987654321"`, `href="mailto:bia@example.com"`,
		"(11) 98765-4321",
	} {
		if !strings.Contains(unescaped(page), want) {
			t.Errorf("the page has no %s", want)
		}
	}
}

// TestAContactIsChanged: a member's change is stored, and is in the history once.
func TestAContactIsChanged(t *testing.T) {
	t.Parallel()
	_, v, id := aContact(t)
	stages := v.funnel().Stages
	move := url.Values{"etapa": {stages[2].ID}}
	if status, _ := v.post("/contatos/"+id+"/etapa", move); status != http.StatusSeeOther {
		t.Errorf("move: %d", status)
	}
	response, _ := v.do(http.MethodPost, "/contatos/"+id+"/etapa", move, "HX-Request", "true")
	if response.StatusCode != http.StatusNoContent {
		t.Errorf("move by script: %d", response.StatusCode)
	}
	assign := url.Values{"resp": {v.member.ID}}
	if status, _ := v.post("/contatos/"+id+"/responsavel", assign); status != http.StatusSeeOther {
		t.Errorf("assign: %d", status)
	}
	note := url.Values{"texto": {"Ligou\r\nde volta"}}
	if status, _ := v.post("/contatos/"+id+"/nota", note); status != http.StatusSeeOther {
		t.Errorf("note: %d", status)
	}
	edit := anEdit(v.find(id).Note)
	if status, _ := v.post("/contatos/"+id, edit); status != http.StatusSeeOther {
		t.Errorf("edit: %d", status)
	}
	c := v.find(id)
	if c.Name != "Bia Rocha" || c.PhoneE164 != "+552125550100" || c.Amount != 1234_5600 || c.StageID != stages[2].ID ||
		c.AssigneeID != v.member.ID || c.Note != "Ligou\nde volta" {
		t.Errorf("contact %+v", c)
	}
	want := []string{
		"Criado pelo webhook Site de Ana", "Movido para a etapa Proposta por Caio", "Atribuído a Caio por Caio",
		"Nota adicionada por Caio: Ligou\nde volta", "Alterado por Caio: nome, telefone, valor",
	}
	if got := v.events(id); !slices.Equal(got, want) {
		t.Errorf("history:\n got %q\nwant %q", got, want)
	}
	history := v.get("/contatos/" + id + "/historico")
	for _, text := range []string{
		"moveu para", "atribuiu a", "anotou:", "alterou nome, telefone, valor", "Site de Ana",
	} {
		if !strings.Contains(history, text) {
			t.Errorf("the history page has no %q", text)
		}
	}
	// The same values again are no change.
	if status, _ := v.post("/contatos/"+id, edit); status != http.StatusSeeOther || len(v.events(id)) != len(want) {
		t.Errorf("an edit that changes nothing: %d, %d entries", status, len(v.events(id)))
	}
	if got := namesInList(v.get("/contatos?q=2125550100")); len(got) != 1 {
		t.Errorf("not found by its new phone: %v", got)
	}
}

// TestAWrongEditComesBack: with what was typed, and the fault beside its field.
func TestAWrongEditComesBack(t *testing.T) {
	t.Parallel()
	_, v, id := aContact(t)
	status, page := v.post("/contatos/"+id+"/nota", url.Values{"texto": {"  "}})
	if status != http.StatusUnprocessableEntity || !strings.Contains(page, "A nota tem de 1 a") {
		t.Errorf("empty note: %d", status)
	}
	for field, values := range map[string][]string{
		"nome": {"", strings.Repeat("x", 201), "a\nb"}, "email": {"", "sem-arroba", "@", "a b@c"},
		"valor": {"dez", "-5", "99999999999999"}, "telefone": {strings.Repeat("1", 61)},
	} {
		for _, value := range values {
			bad := anEdit("")
			bad.Set(field, value)
			status, page := v.post("/contatos/"+id, bad)
			if status != http.StatusUnprocessableEntity ||
				!strings.Contains(page, `aria-invalid="true" aria-describedby="`+field+`-p"`) ||
				!strings.Contains(page, "1.234,56") && field != "valor" {
				t.Errorf("%s %.20q: %d", field, value, status)
			}
		}
	}
}

// TestAStaleFormOverwritesNothing: an edit of a contact that has changed meanwhile is refused.
func TestAStaleFormOverwritesNothing(t *testing.T) {
	t.Parallel()
	owner, v, id := aContact(t)
	form := v.get("/contatos/" + id + "/editar")
	stale := regexp.MustCompile(`name="versao" value="([^"]+)"`).FindStringSubmatch(form)[1]
	owner.post("/contatos/"+id+"/nota", url.Values{"texto": {"Outra"}})
	edit := anEdit("")
	edit.Set("versao", stale)
	edit.Set("nome", "Perdida")
	status, page := v.post("/contatos/"+id, edit)
	if status != http.StatusUnprocessableEntity || !strings.Contains(page, "mudou enquanto") || v.find(id).Name != "Bia" {
		t.Errorf("a stale form: %d", status)
	}
}

func TestContactsByHand(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	stages := v.funnel().Stages
	response, _ := v.do(http.MethodPost, "/contatos", url.Values{
		"nome": {"Davi"}, "email": {"davi@example.com"}, "valor": {"R$ 2.500"}, "etapa": {stages[1].ID}, "nota": {"da feira"},
	})
	id := strings.TrimPrefix(response.Header.Get("Location"), "/contatos/")
	if response.StatusCode != http.StatusSeeOther {
		t.Fatalf("create: %d", response.StatusCode)
	}
	c := v.find(id)
	if c.WebhookID != "" || c.Amount != 2500_0000 || c.StageID != stages[1].ID || c.AssigneeID != v.member.ID ||
		c.Note != "da feira" {
		t.Errorf("contact %+v", c)
	}
	if got := v.events(id); !slices.Equal(got, []string{"Criado por Ana"}) {
		t.Errorf("history %q", got)
	}
	findings, err := v.store.Check(t.Context(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		if f.Violations > 0 {
			t.Errorf("broken: %s", f.Name)
		}
	}
	status, page := v.post("/contatos", url.Values{"nome": {"Sem e-mail <b>"}, "telefone": {"1"}})
	if status != http.StatusUnprocessableEntity || !strings.Contains(page, "Sem e-mail &lt;b&gt;") {
		t.Errorf("without an e-mail: %d", status)
	}
}

func TestContactsDocuments(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	id := v.lead(url.Values{"nome": {"Bia"}, "email": {"bia@example.com"}})
	if page := v.get("/contatos/" + id + "/documentos"); !strings.Contains(page, `action="/consultar"`) ||
		!strings.Contains(page, `name="contato" value="`+id) || !strings.Contains(page, "Nenhuma consulta ainda") {
		t.Error("the tab has no form, or does not say that there is nothing yet")
	}
	cpf := document.Restore(document.CPF, "52998224725")
	rec := lookup.Record{
		ID: "01980000-0000-7000-8000-000000000001", OrgID: v.by.OrgID(), Product: "cpf", Document: cpf,
		AnsweredAt: time.Now().Add(-6*24*time.Hour - time.Hour), Fields: []byte("{}"), Raw: []byte("{}"),
	}
	if err := v.store.Repos().History.Save(t.Context(), rec); err != nil {
		t.Fatal(err)
	}
	for i, e := range []lookup.Entry{
		{RecordID: rec.ID, Status: lookup.Done, Charged: true, Amount: 4500, MemberID: v.member.ID},
		{RecordID: rec.ID, Status: lookup.Done, Cache: true, MemberID: v.member.ID},
		{Status: lookup.NoAnswer, Charged: true, Amount: 4500, MemberID: v.member.ID},
	} {
		e.ID, e.OrgID, e.ContactID = fmt.Sprintf("01980000-0000-7000-8000-00000000001%d", i), v.by.OrgID(), id
		e.Product, e.Document, e.At = "cpf", cpf, time.Now()
		if err := ports.Store(v.store).Repos().Statement.Add(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	page := unescaped(v.get("/contatos/" + id + "/documentos"))
	for _, want := range []string{
		"529.982.247-25", "R$\u00a00,45", "R$\u00a00,90 em 3\u00a0consultas", "6 de 30\u00a0dias", "Bureau não respondeu",
		"/consultas/01980000-0000-7000-8000-000000000010", "grátis", "Ana",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the documents have no %q", want)
		}
	}
	if page := v.get("/contatos/" + id + "/historico"); strings.Count(page, "529.982.247-25") != 3 {
		t.Error("the history has not the lookups")
	}
}

func TestContactsHostileText(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	const script = `"><script>alert(1)</script>`
	bodies := []url.Values{
		{
			"nome": {script}, "email": {script + "@x"}, "empresa": {script}, "telefone": {script}, "mensagem": {script},
			"utm_source": {script}, "origem": {script},
		},
		{
			"nome": {"javascript:alert(1)"}, "email": {"javascript:alert(1)@x"}, "empresa": {"javascript:alert(1)"},
			"page_url": {"javascript:alert(1)"},
		},
		{"nome": {"\u202eabc\u2066\u200f"}, "email": {"a@b?bcc=x@y&body=z"}},
		{"nome": {strings.Repeat("N", 100_000)}, "email": {"n@example.com"}, "mensagem": {strings.Repeat("nota ", 20_000)}},
	}
	for _, body := range bodies {
		id := v.lead(body)
		v.post("/contatos/"+id+"/nota", url.Values{"texto": {script}})
		v.post("/contatos", url.Values{"nome": {script}, "email": {script}})
		for _, path := range []string{
			"/contatos", "/contatos?q=" + url.QueryEscape(script), "/funil", "/notificacoes", "/contatos/" + id,
			"/contatos/" + id + "/historico", "/contatos/" + id + "/documentos",
		} {
			page := v.get(path)
			if strings.Contains(page, "<script>alert") || strings.Contains(page, `="javascript:`) ||
				strings.Contains(page, `mailto:a@b?`) {
				t.Errorf("%s lets hostile text out", path)
			}
			if len(page) > 100_000 {
				t.Errorf("%s has %d bytes", path, len(page))
			}
		}
		if page := v.get("/contatos/" + id + "/editar"); strings.Contains(page, "<script>alert") {
			t.Error("the form lets hostile text out")
		}
	}
	v.post("/contatos", url.Values{"nome": {"\u202eabc"}, "email": {"b@example.com"}})
	if page := v.get("/contatos"); !strings.Contains(page, "<bdi>\u202eabc</bdi>") {
		t.Error("marks of direction are not kept within their own text")
	}
}

func TestContactsOfOthers(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v, other := site.visitor("Ana"), site.visitor("Rui")
	mine := v.lead(url.Values{"nome": {"Minha"}, "email": {"m@example.com"}})
	theirs := other.lead(url.Values{"nome": {"Segredo"}, "email": {"s@example.com"}})
	form := url.Values{
		"nome": {"x"}, "email": {"x@example.com"}, "texto": {"x"}, "resp": {v.member.ID}, "etapa": {v.funnel().Stages[1].ID},
	}
	for _, id := range []string{theirs, "01980000-0000-7000-8000-000000000000", "x", "%00"} {
		for _, route := range []string{
			"GET ", "GET /editar", "GET /documentos", "GET /historico",
			"POST ", "POST /nota", "POST /responsavel", "POST /etapa",
		} {
			method, path, _ := strings.Cut(route, " ")
			var body url.Values
			if method == http.MethodPost {
				body = form
			}
			response, page := v.do(method, "/contatos/"+id+path, body)
			if response.StatusCode != http.StatusNotFound || strings.Contains(page, "Segredo") {
				t.Errorf("%s with %s: %d", route, id, response.StatusCode)
			}
		}
	}
	for path, body := range map[string]url.Values{
		"/contatos/" + mine + "/responsavel": {"resp": {other.member.ID}},
		"/contatos/" + mine + "/etapa":       {"etapa": {other.funnel().Stages[0].ID}},
		"/contatos":                          {"nome": {"x"}, "email": {"x@y"}, "etapa": {other.funnel().Stages[0].ID}},
	} {
		if status, _ := v.post(path, body); status != http.StatusNotFound {
			t.Errorf("%s with another organisation's id: %d", path, status)
		}
	}
	response, _ := v.do(http.MethodGet, "/funil?funil="+other.funnel().ID, nil)
	if response.StatusCode != http.StatusNotFound {
		t.Errorf("another organisation's funnel: %d", response.StatusCode)
	}
	for _, path := range []string{"/contatos", "/contatos.csv", "/funil", "/notificacoes", "/contatos?q=segredo"} {
		if strings.Contains(v.get(path), "Segredo") {
			t.Errorf("%s shows another organisation's contact", path)
		}
	}
	if got := v.events(theirs); len(got) != 1 {
		t.Errorf("something happened to it: %q", got)
	}
}

// TestOneWhoMayBeTheSameIsEnough: of many who may be the same person, a page shows the one who shares most, and folds
// the others.
func TestOneWhoMayBeTheSameIsEnough(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	phone := url.Values{"nome": {"Bia"}, "email": {"bia@example.com"}, "telefone": {"(11) 98765-4321"}}
	likeliest := v.lead(phone)
	for i := range 3 {
		v.lead(url.Values{"nome": {"Lia"}, "email": {fmt.Sprintf("lia%d@example.com", i)}, "telefone": phone["telefone"]})
	}
	phone.Set("nome", "Bia Rocha")
	id := v.lead(phone)
	for _, path := range []string{"/contatos/" + id, "/contatos/" + id + "?parte=gaveta"} {
		shown, folded, found := strings.Cut(v.get(path), "<summary>mais 3\u00a0pessoas parecidas</summary>")
		if !found {
			t.Fatalf("%s folds nobody", path)
		}
		if n := strings.Count(shown, "pode ser a mesma pessoa"); n != 1 {
			t.Errorf("%s shows %d at once", path, n)
		}
		has(t, path, shown, `href="/contatos/`+id+"/unir/"+likeliest+`"`)
		if n := strings.Count(folded, "pode ser a mesma pessoa"); n != 3 {
			t.Errorf("%s folds %d", path, n)
		}
	}
}

// TestTheFormOfAContactHasTheFocus: a new one begins with the name, and one that was refused with the field to mend.
func TestTheFormOfAContactHasTheFocus(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	focused := regexp.MustCompile(`<(?:input|textarea|div)[^>]*? (?:id|role)="(\w+)"[^>]*? autofocus`)
	for what, c := range map[string]struct {
		form url.Values
		want string
	}{
		"new":               {nil, "nome"},
		"no e-mail address": {url.Values{"nome": {"Bia"}, "email": {"bia"}}, "email"},
		"no number":         {url.Values{"nome": {"Bia"}, "email": {"bia@example.com"}, "valor": {"muito"}}, "valor"},
		"a long note": {url.Values{
			"nome": {"Bia"}, "email": {"bia@example.com"}, "nota": {strings.Repeat("n", 200_000)},
		}, "nota"},
	} {
		page := ""
		if c.form == nil {
			page = v.get("/contatos/novo")
		} else {
			_, page = v.do(http.MethodPost, "/contatos", c.form)
		}
		got := focused.FindAllStringSubmatch(page, -1)
		if len(got) != 1 || got[0][1] != c.want {
			t.Errorf("%s: the focus is on %q, not %q", what, got, c.want)
		}
	}
}

// TestWhatOnlyPlatformsUnderstandIsFolded: a platform has its name, and its ids are not among what people read.
func TestWhatOnlyPlatformsUnderstandIsFolded(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	id := v.lead(url.Values{
		"nome": {"Bia"}, "email": {"bia@example.com"}, "platform": {"ig"}, "utm_campaign": {"verao"}, "gclid": {"Cj0K"},
	})
	const summary = "<summary>1\u00a0código da plataforma de anúncios</summary>"
	read, folded, found := strings.Cut(v.get("/contatos/"+id), summary)
	if !found {
		t.Fatal("no id is folded")
	}
	has(t, "what is read", read, "Plataforma</bdi></dt><dd class=\"break\"><bdi>Instagram<", "verao")
	hasNot(t, "what is read", read, "Cj0K", "<bdi>ig<")
	has(t, "what is folded", folded, "Cj0K")
}
