package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"fichario/app/lookups"
	"fichario/domain/crm"
)

// TestPurposesOnEveryScreen: an owner defines purposes, and from then on every way to make a lookup states one.
func TestPurposesOnEveryScreen(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.visitor("Ana")
	has(t, "an empty room", v.get("/finalidades"), "Nova finalidade", "?editar=NOVA")
	hasNot(t, "an empty room", v.get("/finalidades"), `name="codigo"`)
	has(t, "the form, when asked for", v.get("/finalidades?editar=NOVA"), `name="codigo"`, "Proteção do crédito")
	hasNot(t, "nothing is asked before", second(v.send("/consultar", "documento", aPerson)), `name="finalidade"`)
	add := func(code, name string, roles ...string) (answer, string) {
		pairs := []string{"codigo", code, "nome", name, "base", "legitimo_interesse"}
		for _, r := range roles {
			pairs = append(pairs, "papeis", r)
		}
		return v.send("/finalidades", pairs...)
	}
	response, page := add("Crédito", "Crédito", "owner")
	if has(t, "a wrong code", page, "letras minúsculas", `value="Crédito"`); response.StatusCode != 422 {
		t.Errorf("a wrong code: %d", response.StatusCode)
	}
	has(t, "for nobody", second(add("credito", "Crédito")), "ao menos um papel")
	add("credito", "Análise de crédito", "owner", "admin", "member")
	page = second(v.send("/consultar", "documento", aPerson))
	hasNot(t, "one is no choice", page, "Para que é a consulta?")
	has(t, "but it is carried", page, `name="finalidade" value="credito"`)
	add("cobranca", "Cobrança", "owner", "admin")
	v.bureau.says(aPerson, `{"nome":"Rita"}`)
	has(t, "two are", second(v.send("/consultar", "documento", aPerson)), "Para que é a consulta?", "Escolha a finalidade")
	response, page = v.send("/consultas", "documento", aPerson, "produto", "cpf")
	has(t, "none chosen", page, `aria-describedby="finalidade-cpf-p" autofocus`, "Escolha para que é a consulta. Nada foi")
	if response.StatusCode != 200 || v.spent() != 0 {
		t.Errorf("none chosen: %d, spent %s", response.StatusCode, v.spent())
	}
	response, page = v.send("/consultas", "documento", aPerson, "produto", "cpf", "finalidade", "marketing")
	if has(t, "one that there is not", page, "não existe, foi encerrada"); response.StatusCode != 422 || v.spent() != 0 {
		t.Errorf("unknown: %d, spent %s", response.StatusCode, v.spent())
	}
	has(t, "chosen", second(v.send("/consultar", "documento", aPerson, "finalidade", "cobranca")),
		`name="finalidade" required`, `value="cobranca" selected`)
	mine, err := v.store.Repos().Preferences.Of(t.Context(), v.by.OrgID(), v.by.MemberID())
	if err != nil || mine[crm.AskPurpose] != "cobranca" {
		t.Errorf("what is remembered for her: %v, %v", mine, err)
	}
	has(t, "and remembered", v.get("/lotes"), `value="cobranca" selected`)
	path := v.ask("documento", aPerson, "produto", "cpf", "finalidade", "cobranca")
	has(t, "who asked and why", v.get(path), "Pedida por", "Ana", "Para", "Cobrança")
	has(t, "the statement", v.get("/extrato?finalidade=cobranca"), "Cobrança", "529.982.247-25")
	hasNot(t, "another purpose", v.get("/extrato?finalidade=credito"), "529.982.247-25")

	for form, field := range map[string]string{
		"/consultar/reconhecer": `name="finalidade" value="credito"`, "/lotes/colados": `value="credito" selected`,
	} {
		several := url.Values{"documento": {aPerson + " " + anotherPerson}, "documentos": {aPerson, anotherPerson}}
		several.Set("finalidade", "credito")
		_, page = v.do(http.MethodPost, form, several, "HX-Request", "true")
		has(t, "several documents keep what they are for: "+form, page, field)
	}
	v.send("/consultar", "documento", aPerson, "finalidade", "cobranca")

	_, page = v.send("/lotes", "produto", "cpf", "documentos", aPerson)
	has(t, "a batch for nothing", page, "Escolha para que é a consulta.")
	hasNot(t, "a batch for nothing", page, "X-Finalidade", "--purpose")
	response, _ = v.send("/lotes", "produto", "cpf", "documentos", aPerson, "finalidade", "credito")
	has(t, "a batch says what it is for", v.get(response.Header.Get("Location")), "Análise de crédito")
	response, _ = v.send("/contatos", "nome", "Rita", "email", "rita@example.com", "documentos", "529.982.247-25")
	contact := strings.TrimPrefix(response.Header.Get("Location"), "/contatos/")
	has(t, "a contact's documents", v.get("/contatos/"+contact+"/documentos"), "Para que é a consulta?",
		`name="finalidade" value="cobranca"`)
	response, _ = v.send("/finalidade", "finalidade", "credito")
	if response.StatusCode != http.StatusSeeOther {
		t.Errorf("chosen there: %d", response.StatusCode)
	}
	has(t, "chosen there", v.get("/contatos/"+contact+"/documentos"), `name="finalidade" value="credito"`)
	has(t, "automations", v.get("/automacoes/nova"), "Finalidade", "Cobrança")
	has(t, "keys", v.get("/chaves/nova"), "Finalidades que pode usar", "Só de endereços")

	member := site.member(v.by.OrgID(), "Caio", crm.Common)
	hasNot(t, "a role with one", second(member.send("/consultar", "documento", aPerson)), "Cobrança")
	for _, closed := range []string{"/finalidades", "/privacidade/registro"} {
		if response, _ := member.do(http.MethodGet, closed, nil); response.StatusCode != http.StatusForbidden {
			t.Errorf("a member at %s: %d", closed, response.StatusCode)
		}
	}
	stranger := site.visitor("Eva")
	for _, form := range []string{"/finalidades", "/finalidades/credito", "/finalidades/credito/encerrar", "/historico-dividido"} {
		if response, _ := member.send(form, "nome", "x"); response.StatusCode != http.StatusForbidden {
			t.Errorf("a member posts %s: %d", form, response.StatusCode)
		}
		if response, _ := stranger.send(form, "encerrar", "sim"); strings.Contains(form, "credito/e") && response.StatusCode != 404 {
			t.Errorf("a stranger posts %s: %d", form, response.StatusCode)
		}
	}
	v.send("/finalidades/cobranca/encerrar", "encerrar", "sim")
	has(t, "retired", v.get("/finalidades?editar=cobranca"), "Encerrada", "Pôr em vigor")
	has(t, "its lookups stay", v.get("/extrato?finalidade=cobranca"), "529.982.247-25")
	v.send("/finalidades/credito", "nome", "Crédito novo", "base", "protecao_do_credito", "papeis", "owner")
	v.send("/historico-dividido")
	has(t, "the record", v.get("/privacidade/registro"), "Crédito novo", "art. 7º, X", "encerrada em", "bureau teste",
		"AES-256-GCM", "Retenção")
}

// TestAKeyOfTheInterfaceIsBound: purposes and networks are in its form, in the list and on its page.
func TestAKeyOfTheInterfaceIsBound(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	v.send("/finalidades", "codigo", "credito", "nome", "Crédito", "base", "consentimento", "papeis", "owner")
	id := regexp.MustCompile(`name="id" value="([^"]+)"`).FindStringSubmatch(v.get("/chaves/nova"))[1]
	form := []string{"id", id, "nome", "CRM", "pode", "cpf", "minuto", "60", "dia", "10", "mes", "100", "finalidades", "credito"}
	_, page := v.send("/chaves", append(form, "redes", "203.0.113.0/33")...)
	has(t, "a wrong range", page, "203.0.113.0/33", "não é um endereço IP", `value="credito" checked`)
	_, page = v.send("/chaves", append(form, "redes", "203.0.113.0/24, 2001:db8::1")...)
	has(t, "made", page, "Chave criada")
	const bound = "para Crédito, só de 203.0.113.0/24, 2001:db8::1"
	has(t, "the list", v.get("/chaves"), bound)
	has(t, "its page", v.get("/chaves/"+id), bound, "/chaves/"+id+"/alterar")

	change := "/chaves/" + id + "/alterar"
	has(t, "what may change", v.get(change), `value="credito" checked`, `value="203.0.113.0/24, 2001:db8::1"`)
	response, page := v.send(change, "finalidades", "credito", "redes", "203.0.113.0/33")
	has(t, "a wrong range", page, "203.0.113.0/33", "não é um endereço IP", `value="credito" checked`)
	if response.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("a wrong range: %d", response.StatusCode)
	}
	v.send("/finalidades/credito/encerrar", "encerrar", "sim")
	has(t, "of a purpose that has ended", v.get(change), `value="credito" checked`, "(encerrada)")
	v.send("/finalidades", "codigo", "cobranca", "nome", "Cobrança", "base", "consentimento", "papeis", "owner")
	v.send(change, "finalidades", "cobranca", "finalidades", "credito", "redes", "198.51.100.7")
	has(t, "another purpose", v.get("/chaves/"+id), "para Cobrança, Crédito, só de 198.51.100.7")
	v.send(change, "finalidades", "credito", "finalidades", "cobranca", "redes", "198.51.100.8")
	has(t, "another network", v.get("/chaves/"+id), "para Crédito, Cobrança, só de 198.51.100.8")
	v.send(change, "finalidades", "cobranca", "redes", "198.51.100.8")
	_, page = v.send(change, "finalidades", "cobranca", "finalidades", "credito", "redes", "198.51.100.8")
	has(t, "one that has ended, anew", page, "não existe ou foi encerrada")
	v.send(change)
	hasNot(t, "not bound", v.get("/chaves/"+id), "para Cobrança", "198.51.100.8")
	v.refused(http.StatusNotFound, "/chaves/"+lookups.NewKeyID()+"/alterar")

	_, page = v.send("/chaves", "id", lookups.NewKeyID(), "nome", "Agente", "pode", "cpf", "minuto", "60", "dia", "10", "mes",
		"100", "contatos", "sim")
	has(t, "for agents", page, "Chave criada")
	has(t, "the list", v.get("/chaves"), "busca de contatos por agentes")
}
