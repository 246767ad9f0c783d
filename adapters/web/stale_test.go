package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"fichario/domain/crm"
)

var (
	versionIn = regexp.MustCompile(`name="versao" value="([^"]+)"`)
	bundleIn  = regexp.MustCompile(`id="pacote-([0-9a-f-]{36})"`)
)

// TestAnOldFormTakesNothingBack: a form that was opened before somebody else changed the same thing would put back what
// nobody touched in it, such as a limit; it is refused once, and then meant.
func TestAnOldFormTakesNothingBack(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	key, _, _ := v.makeKey()
	hook := "/webhooks/" + v.hook.ID
	rule := v.made("/automacoes", url.Values{"nome": {"Ver"}, "acao": {"lookup"}, "produto": {"cpf"}, "teto": {"50"}})
	bia := v.testSite.member(v.by.OrgID(), "Bia", crm.Admin).member.ID
	v.made("/finalidades", url.Values{"codigo": {"credito"}, "nome": {"Crédito"}, "base": {"protecao_do_credito"},
		"papeis": {"owner", "admin"}})
	turns := v.made("/rodizios", url.Values{"nome": {"Vendas"}})
	turns = turns[strings.Index(turns, "=")+1:]
	v.made("/pacotes", url.Values{"nome": {"Crédito PJ"}, "produtos": {"cpf", "score"}})
	bundle := bundleIn.FindStringSubmatch(v.get("/pacotes"))[1]
	funnel := v.funnel()
	stage := funnel.Stages[1]
	for _, c := range []struct {
		page, path        string
		form              url.Values
		field, then, mine string
	}{
		{"/chaves/" + key + "/alterar", "/chaves/" + key + "/alterar",
			url.Values{"redes": {""}, "minuto": {"60"}, "dia": {"2"}, "mes": {"2.000"}}, "dia", "1", "redes"},
		{hook + "/editar", hook, url.Values{"nome": {"Site"}, "tipo": {"generic"}, "faixas": {"zero"}}, "campo", "receipt_to", "nome"},
		{rule + "/editar", rule,
			url.Values{"nome": {"Ver"}, "acao": {"lookup"}, "produto": {"cpf"}, "teto": {"50"}}, "teto", "5", "nome"},
		{"/equipe?editar=" + bia, "/equipe/membros/" + bia,
			url.Values{"nome": {"Bia"}, "papel": {"admin"}, "orcamento": {""}}, "papel", "member", "nome"},
		{"/finalidades?editar=credito", "/finalidades/credito",
			url.Values{"nome": {"Crédito"}, "base": {"protecao_do_credito"}, "papeis": {"owner", "admin"}}, "papeis", "owner",
			"nome"},
		{"/rodizios?editar=" + turns, "/rodizios/" + turns, url.Values{"nome": {"Vendas"}}, "nome", "Plantão", "nome"},
		{"/pacotes?editar=" + bundle, "/pacotes/" + bundle,
			url.Values{"nome": {"Crédito PJ"}, "produtos": {"cpf", "score"}}, "nome", "Crédito", "nome"},
		{"/equipe/funis?editar=" + stage.ID, "/equipe/funis/" + funnel.ID,
			url.Values{"fazer": {"guardar"}, "etapa": {stage.ID}, "nome": {stage.Name}, "resultado": {"open"}},
			"resultado", "won", "nome"},
	} {
		old := c.form
		old.Set("versao", versionIn.FindStringSubmatch(v.get(c.page))[1])
		other := url.Values{}
		for name, values := range old {
			other[name] = values
		}
		other.Set(c.field, c.then)
		if status, page := v.post(c.path, other); status != http.StatusSeeOther {
			t.Errorf("%s: the other's change: %d %s", c.path, status, page)
		}
		if old.Set(c.mine, "192.0.2.1"); c.mine == "nome" {
			old.Set(c.mine, "Outro nome")
		}
		page := v.comesBack(c.path, old)
		has(t, c.path, page, "Nada foi guardado: alguém mudou isto enquanto esta página estava aberta.", old.Get(c.mine))
		if has(t, c.path+" as it is", v.get(c.page), c.then); versionIn.FindStringSubmatch(page) == nil {
			t.Fatalf("%s: the form that comes back has no version", c.path)
		}
		old.Set("versao", versionIn.FindStringSubmatch(page)[1])
		if status, _ := v.post(c.path, old); status != http.StatusSeeOther {
			t.Errorf("%s: meant: %d", c.path, status)
		}
	}
}

// TestContactsThatComeMakeNoFormOld: what a rotation's members have got changes with each contact, and nobody has
// changed the rotation by that.
func TestContactsThatComeMakeNoFormOld(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	ana := v.by.MemberID()
	form := url.Values{"nome": {"Vendas"}, "membro": {ana}, "peso-" + ana: {"1"}}
	turns := v.made("/rodizios", url.Values{"nome": {"Vendas"}})
	path := "/rodizios/" + turns[strings.Index(turns, "=")+1:]
	if status, page := v.post(path, form); status != http.StatusSeeOther {
		t.Fatalf("its member: %d %s", status, page)
	}
	hook := url.Values{"nome": {"Site"}, "tipo": {"generic"}, "faixas": {"zero"}, "rodizio": {"Vendas"}}
	if status, page := v.post("/webhooks/"+v.hook.ID, hook); status != http.StatusSeeOther {
		t.Fatalf("its webhook: %d %s", status, page)
	}
	edit := strings.Replace(path, "/rodizios/", "/rodizios?editar=", 1)
	form.Set("versao", versionIn.FindStringSubmatch(v.get(edit))[1])
	v.lead(url.Values{"nome": {"Bia"}, "email": {"bia@x.example"}})
	has(t, "what its member has got", v.get(edit), "1 contato")
	form.Set("peso-"+ana, "2")
	if status, page := v.post(path, form); status != http.StatusSeeOther {
		t.Errorf("after a contact came: %d %s", status, page)
	}
}
