package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestWhatSpendsOrDestroysAsksOnAPageOfItsOwn: the question stands alone, with its form and a way back.
func TestWhatSpendsOrDestroysAsksOnAPageOfItsOwn(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	other := v.testSite.member(v.by.OrgID(), "Bia", "member")
	key := v.key("ERP")
	sheet := v.ask("documento", aPerson, "produto", "cpf")
	contact := "/contatos/" + v.lead(url.Values{"nome": {"Bia Rocha"}, "email": {"bia@example.com"}})
	for path, wants := range map[string][]string{
		"/webhooks/" + v.hook.ID + "?perguntar=off":      {"Desligar “Site de Ana”?", "/ligar"},
		"/webhooks/" + v.hook.ID + "?perguntar=regen":    {"Gerar outro endereço?", "/regenerar"},
		"/chaves/" + key.Key().ID + "?perguntar=revogar": {"Revogar esta chave?", "/revogar"},
		"/chaves/" + key.Key().ID + "?perguntar=trocar":  {"Trocar a chave?", "/trocar"},
		contact + "?perguntar=excluir":                   {"Excluir este contato?", "/excluir"},
		sheet + "?perguntar=atualizar":                   {"Atualizar esta ficha?", "Será cobrado"},
		"/equipe?perguntar=fim-" + other.member.ID:       {"Encerrar o acesso de Bia?", `value="não"`},
		"/equipe?perguntar=senha-" + other.member.ID:     {"Nova senha para Bia", "/senha"},
	} {
		page := v.get(path)
		has(t, path, page, append(wants, "<dialog", " open ", `<h1 class="vh">`, `href="?" data-close`)...)
		plain, _, _ := strings.Cut(path, "?")
		_, main, _ := strings.Cut(v.get(plain), "<main")
		main, _, _ = strings.Cut(main, "</main>")
		hasNot(t, plain, main, "<dialog")
		_, main, _ = strings.Cut(page, "<main")
		main, _, _ = strings.Cut(main, "</main>")
		if n := strings.Count(main, "<form"); n != 1 {
			t.Errorf("%s: %d forms", path, n)
		}
	}
	has(t, "an unknown question", v.get("/webhooks/"+v.hook.ID+"?perguntar=nada"), `id="entregas"`)
	status, page := v.post("/consultas/confirmar", url.Values{"documento": {aPerson}, "produto": {"cpf"}})
	if status != http.StatusOK {
		t.Errorf("asking again: %d", status)
	}
	has(t, "asking anew", page, "Consultar de novo?", "Será cobrado", `formaction="/consultar"`, " open ")
}
