package web_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

func people(names ...string) string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = fmt.Sprintf(`{"nome":%q,"email":%q}`, name, name+"@example.com")
	}
	return "[" + strings.Join(all, ",") + "]"
}

// TestSeveralPeopleAreShown: the log, the delivery's page and a trial show everybody in a post.
func TestSeveralPeopleAreShown(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	names := []string{"Bia", "Caio", "Davi", "Eva", "Fabio", "Gil", "Hugo"}
	made := v.receive("application/json", people(names...))
	ids := append([]string{made.ContactID}, made.Others...)
	at := "/webhooks/" + v.hook.ID
	page := v.get(at)
	for i, id := range ids[:5] {
		has(t, "the log", page, fmt.Sprintf(`<a href="/contatos/%s"><bdi class="break">%s</bdi></a>`, id, names[i]))
	}
	has(t, "the log", page, `#contatos">mais 2</a>`)
	hasNot(t, "the log", page, ids[5])
	delivery := regexp.MustCompile(`"(/entregas/[^"#]+)"`).FindStringSubmatch(page)[1]
	page = v.get(delivery)
	for i, id := range ids {
		has(t, "the delivery", page, fmt.Sprintf(`href="/contatos/%s">%s</a>`, id, names[i]),
			fmt.Sprintf("<h3>%d de 7</h3>", i+1))
	}
	has(t, "the delivery", page, `href="#contatos"`, "7 contatos")
	v.post(delivery+"/refazer", nil)
	has(t, "a replay", v.get("/contatos/"+ids[0]), "já tinha criado este contato e mais 6")

	if _, err := v.arrive("application/json", `{"nome":"Sem Endereço"}`); err == nil {
		t.Fatal("it is accepted without an address")
	}
	refused := regexp.MustCompile(`"(/entregas/[^"#]+)"`).FindStringSubmatch(v.get(at + "?resultado=refused"))[1]
	v.post(refused+"/refazer", nil)
	has(t, "a replay that is refused", v.get(refused), `class="toast t-bad" role="alert"`,
		"Ainda recusada: Nenhum campo foi reconhecido como o e-mail.<")

	_, page = v.post(at+"/testar", url.Values{"corpo": {people("Iara", "Joel")}})
	has(t, "a trial", page, "Os contatos seriam", "<h3>1 de 2</h3>", "Iara@example.com", "<h3>2 de 2</h3>",
		"Joel@example.com")
	_, page = v.post(at+"/testar?como=curl", url.Values{"corpo": {people("Iara")}})
	has(t, "a trial of one", page, "O contato seria", "Iara@example.com", `/testar?como=curl#testar"`, "curl -H")
	hasNot(t, "a trial of one", page, "1 de 1")
	_, page = v.post(at+"/testar?como=curl&resultado=refused", url.Values{"corpo": {people("Iara")}})
	has(t, "a trial beside the refused", page, `/testar?como=curl&resultado=refused#testar"`, "curl -H",
		`resultado=refused#entregas" aria-current="true"`)

	v.receive("application/json", people("Lia"))
	has(t, "a lone one", v.get(at), ">Lia</bdi></a>")
}
