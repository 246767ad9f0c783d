package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"fichario/domain/crm"
)

// TestAPersonIsShownAndErased: without script, and with nothing of him in an address.
func TestAPersonIsShownAndErased(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.visitor("Ana")
	has(t, "an empty room", v.get("/privacidade"), "Ninguém pediu para ser apagado")
	v.bureau.says(aPerson, `{"nome":"Rita Apagada"}`)
	sheet := v.ask("documento", aPerson, "produto", "cpf")
	id := v.lead(url.Values{"nome": {"Rita Apagada"}, "email": {"Rita@x.example"}, "cpf": {aPerson}})
	for _, c := range []struct{ kind, value, want string }{
		{"documento", "123", "inválido"}, {"email", "rita", "formato"}, {"telefone", "x", "DDD"}, {"documento", "", ""},
	} {
		response, page := v.send("/privacidade/procurar", "tipo", c.kind, "valor", c.value)
		if response.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%s %q: %d", c.kind, c.value, response.StatusCode)
		}
		hasNot(t, "what was typed in a log", site.log.String(), "rita@")
		_ = page
	}
	_, page := v.send("/privacidade/procurar", "tipo", "email", "valor", "rita@X.example")
	has(t, "found by address", page, "Consultas", "Contatos", "Envios recebidos por webhooks", "Apagar tudo")
	_, page = v.send("/privacidade/procurar", "tipo", "telefone", "valor", "(11) 90000-0000")
	has(t, "somebody unknown", page, "Nada está guardado")
	_, page = v.send("/privacidade/imprimir", "tipo", "documento", "valor", aPerson)
	has(t, "to print", page, "Rita Apagada", "Site de Ana", "a pedido de", "Criado pelo webhook")
	response, page := v.send("/privacidade/exportar", "tipo", "documento", "valor", aPerson)
	has(t, "the file", page, `"nome":"Rita`, `"consultas": [{`)
	if got := response.Header.Get("Content-Disposition"); !strings.Contains(got, "titular.json") {
		t.Error(got)
	}
	_, page = v.send("/privacidade/confirmar", "tipo", "documento", "valor", aPerson)
	has(t, "the question", page, "Apagar os dados desta pessoa?", "Não há como desfazer", "Bloquear também")

	response, _ = v.send("/privacidade/apagar", "tipo", "documento", "valor", aPerson, "bloquear", "sim")
	receipt := response.Header.Get("Location")
	has(t, "begun", v.get(receipt), "Em andamento", "pequenas partes")
	if err := site.subjects.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	has(t, "the receipt", v.get(receipt), "Concluída", "Respostas do bureau guardadas", "Linhas do extrato, sem o documento", "Desfazer bloqueio")
	has(t, "its file", v.get(receipt+"/recibo.json"), `"situacao":"concluida"`, `"pedidaPor":"Ana"`)
	hasNot(t, "its file", v.get(receipt+"/recibo.json"), aPerson, "rita")
	for _, path := range []string{"/", "/contatos", "/consultas", "/extrato", "/extrato.csv", "/notificacoes", "/privacidade"} {
		hasNot(t, path, v.get(path), "Rita", "rita@", aPerson, "982.247", "ilegível")
	}
	v.refused(http.StatusNotFound, "/contatos/"+id)
	has(t, "his sheet", v.get(sheet), "pediu que os dados", "apagado")
	hasNot(t, "his sheet", v.get(sheet), "Tentar de novo")
	_, page = v.send("/consultas", "documento", aPerson, "produto", "cpf", "preco", "0.45")
	has(t, "blocked", page, "pediu que os dados")
	has(t, "asked first", v.get(receipt+"?perguntar=desbloquear"), "Desfazer o bloqueio?")
	v.send(receipt + "/desbloquear")
	hasNot(t, "unblocked", v.get(receipt), "Desfazer bloqueio")

	admin := site.member(v.member.OrgID, "Adm", crm.Admin)
	hasNot(t, "the way there, for others", admin.get("/"), "/privacidade")
	other := site.visitor("Rui")
	other.refused(http.StatusNotFound, receipt)
	for _, path := range []string{"/privacidade", receipt, receipt + "/recibo.json"} {
		admin.refused(http.StatusForbidden, path)
	}
	for _, what := range []string{"procurar", "exportar", "imprimir", "confirmar", "apagar"} {
		if response, _ := admin.send("/privacidade/"+what, "tipo", "documento", "valor", aPerson); response.StatusCode != http.StatusForbidden {
			t.Errorf("%s by an administrator: %d", what, response.StatusCode)
		}
	}
}
