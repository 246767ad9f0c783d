package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// after posts a form and returns the page that the answer leads to.
func (v *visitor) after(path string, form url.Values) string {
	v.t.Helper()
	response, _ := v.do(http.MethodPost, path, form)
	return v.get(response.Header.Get("Location"))
}

// TestARefusedPostBecomesAContact by the key of its e-mail, which the webhook keeps, or by hand with what was read.
func TestARefusedPostBecomesAContact(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	at := "/webhooks/" + v.hook.ID
	for _, body := range []string{
		`{"nome":"Zeca","receipt_to":"zeca@example.com"}`,
		`{"nome":"Caio Luz","telefone":"11987654321","orcamento":"R$ 2.400","Cor":"azul"}`,
		`{"nome":"Bia","seller":{"email":"loja@example.com"},"receipt_to":"bia@example.com"}`,
	} {
		if _, err := v.arrive("application/json", body); err == nil {
			t.Fatal("it is accepted without an address")
		}
	}
	refused := regexp.MustCompile(`"(/entregas/[^"#/]+)"`).FindAllStringSubmatch(v.get(at+"?resultado=refused"), -1)
	newest, byHand := refused[0][1], refused[1][1]

	page := v.get(newest)
	has(t, "the keys", page, "Qual campo é o e-mail?", `value="seller email" checked>`,
		"receipt_to: bia@example.com", "Não há e-mail neste envio", "Lembrar e refazer")
	hasNot(t, "the first key is no other's", page, "envios recusados")
	page = v.get(newest + "?campo=receipt_to")
	has(t, "another key", page, `value="receipt_to" checked>`, "O contato seria", "Refazer 2 envios recusados")
	has(t, "a key without an address", v.get(newest+"?campo=nome"), "não tem um endereço com @")
	hasNot(t, "a key without an address", v.get(newest+"?campo=nome"), "Lembrar e refazer")
	v.post(newest+"/campo", url.Values{"campo": {"nome"}})
	has(t, "a key without an address", v.get(newest), "Ainda recusada: ")

	page = v.after(newest+"/campo", url.Values{"campo": {"receipt_to"}, "todos": {"sim"}})
	has(t, "the contact", page, "Bia", "bia@example.com", "passa a ser lido de “receipt_to”", "1 contato criado dos recusados com este campo.")
	has(t, "the other one", v.get("/contatos"), "Zeca")
	has(t, "the webhook", v.get(at), "e-mail no campo “receipt_to”")
	has(t, "its form", v.get(at+"/editar"), `name="campo" type="text" value="receipt_to"`)
	v.receive("application/json", `{"nome":"Davi","receipt_to":"davi@example.com"}`)

	page = v.get(byHand)
	has(t, "no e-mail", page, `value="nenhum" checked>`, "Novo contato com o que foi lido", `value="Caio Luz"`,
		"Cor: azul")
	hasNot(t, "no e-mail", page, "Lembrar e refazer")
	form := url.Values{}
	for _, m := range regexp.MustCompile(`name="(nome|telefone)"[^>]* value="([^"]*)"`).
		FindAllStringSubmatch(page[strings.Index(page, "Novo contato com"):], -1) {
		form.Set(m[1], m[2])
	}
	page = v.after(byHand+"/campo", url.Values{"campo": {"nenhum"}})
	has(t, "none chosen", page, "Novo contato com o que foi lido")
	form.Set("email", "caio")
	status, page := v.post(byHand+"/contato", form)
	if status != http.StatusUnprocessableEntity {
		t.Errorf("a bad address: %d", status)
	}
	has(t, "a bad address", page, "O e-mail tem um @", `value="caio"`, `value="Caio Luz"`, "Novo contato com o que foi lido")
	form.Set("email", "caio@example.com")
	page = v.after(byHand+"/contato", form)
	has(t, "by hand", page, "Contato criado a partir do envio guardado.", "Caio Luz", "2.400,00", v.hook.Name)
	page = v.get(byHand)
	has(t, "the post", page, "Depois virou contato", "Abrir contato")
	hasNot(t, "the post", page, "Novo contato com o que foi lido", "Refazer")
}

// TestRefusalsAreReplayedFromTheWebhook, once its key was set in its form.
func TestRefusalsAreReplayedFromTheWebhook(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	at := "/webhooks/" + v.hook.ID
	_, _ = v.arrive("application/json", `{"nome":"Zeca","receipt_to":"zeca@example.com"}`)
	hasNot(t, "without a key", v.get(at+"?resultado=refused"), at+"/refazer")
	v.post(at, url.Values{"nome": {"Site"}, "tipo": {"generic"}, "faixas": {"zero"}, "campo": {"receipt_to"}})
	has(t, "with one", v.get(at+"?resultado=refused"), "1 envio recusado tem um endereço no campo “receipt_to”")
	const alert = "recusou 1 envio nas últimas 24 horas, ainda sem contato."
	has(t, "the list before", v.get("/webhooks"), alert)
	has(t, "its page before", v.get(at), "1 recusada, 1 sem contato", `action="/entregas/`)
	page := v.after(at+"/refazer", nil)
	hasNot(t, "the list after", v.get("/webhooks"), "nas últimas 24 horas")
	has(t, "its page after", v.get(at), "1 recusada, nenhuma sem contato")
	hasNot(t, "its page after", v.get(at), `action="/entregas/`)
	has(t, "replayed", page, "1 contato criado dos recusados com este campo.", `class="toast" role="status"`)
	has(t, "none left", v.after(at+"/refazer", nil), "Nenhum recusado a mais", `class="toast t-bad" role="alert"`)
	hasNot(t, "replayed", v.get(at+"?resultado=refused"), at+"/refazer")
	has(t, "the contact", v.get("/contatos"), "Zeca")
}

// TestTheFieldsSayWhatEachWebhookChanges: the setting has every field with what fills it, and leads to each webhook.
func TestTheFieldsSayWhatEachWebhookChanges(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Helena")
	at := "/webhooks/" + v.hook.ID
	has(t, "as it was made", v.get("/campos"), "CPF ou CNPJ", "o que for reconhecido", "ficam em zero", `href="`+at+`/editar"`)
	v.post(at, url.Values{"nome": {"Site"}, "tipo": {"generic"}, "faixas": {"upper"}, "campo": {"receipt_to"},
		"versao": {versionIn.FindStringSubmatch(v.get(at + "/editar"))[1]}})
	has(t, "as it was changed", v.get("/campos"), "receipt_to", "valem o maior", `href="/campos" aria-current="page"`)
}

// TestTheFieldsAreReadAsTheirSettingSays: what it names as the usual keys is read so.
func TestTheFieldsAreReadAsTheirSettingSays(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Helena")
	id := v.lead(url.Values{
		"Seu melhor e-mail": {"ana@example.com"}, "Nome completo": {"Ana Prado"}, "Celular": {"(11) 98765-4321"},
		"Razão social": {"Prado Ltda"}, "Orçamento": {"1.500"}, "Documento": {aPerson}, "Por que agora?": {"Mudança"},
	})
	has(t, "the contact", v.get("/contatos/"+id), "ana@example.com", "Ana Prado", "(11) 98765-4321", "Prado Ltda",
		"R$ 1.500,00", "529.982.247-25", "Por que agora?: Mudança")
}
