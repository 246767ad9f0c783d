package web_test

import (
	"net/http"
	"net/url"
	"testing"
)

// TestWhatWasTypedIsShownAfterAFailure: where the session has ended and where the database is away, except for secrets.
func TestWhatWasTypedIsShownAfterAFailure(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	id := v.lead(url.Values{"nome": {"Bia"}, "email": {"bia@example.com"}})
	form := url.Values{"texto": {"Ligar na sexta, depois das 14h"}, "senha": {"um-segredo"}, "se.valor": {"600", "", "Sé"}}
	from := []string{"Referer", v.server.URL + "/contatos/" + id + "?perguntar=x"}
	secrets := url.Values{"token": {"um-segredo"}, "codigo": {"outro-segredo"}}
	jar := v.client.Jar
	v.client.Jar = nil
	r, page := v.do(http.MethodPost, "/contatos/"+id+"/nota", form, append(from, "Cookie", "sessao=acabou")...)
	if r.StatusCode != http.StatusUnauthorized {
		t.Errorf("signed out: %d", r.StatusCode)
	}
	has(t, "signed out", page, "A sua sessão terminou", "Ligar na sexta, depois das 14h", "600", "Sé",
		`value="/contatos/`+id+`"`)
	hasNot(t, "signed out", page, "um-segredo")
	for _, path := range []string{"/webhooks/" + id + "/paginas", "/conta/segundo-fator/desligar"} {
		_, page = v.do(http.MethodPost, path, secrets, "Cookie", "sessao=acabou")
		hasNot(t, path, page, "um-segredo", "outro-segredo")
	}
	passkey := url.Values{"nome": {"Celular"}, "bilhete": {"um-segredo"}, "resposta": {`{"id":"outro-segredo"}`},
		"prova-bilhete": {"um-segredo"}, "prova-resposta": {`{"id":"outro-segredo"}`}}
	_, page = v.do(http.MethodPost, "/conta/segundo-fator/chave", passkey, "Cookie", "sessao=acabou")
	has(t, "a passkey", page, "Celular")
	hasNot(t, "a passkey", page, "um-segredo", "outro-segredo")
	_, page = v.do(http.MethodPost, "/finalidades", secrets, "Cookie", "sessao=acabou")
	has(t, "the code of a purpose", page, "outro-segredo")
	v.client.Jar = jar
	_ = v.store.Close()
	r, page = v.do(http.MethodPost, "/contatos/"+id+"/nota", form, from...)
	if r.StatusCode != http.StatusServiceUnavailable && r.StatusCode != http.StatusInternalServerError {
		t.Errorf("without a database: %d", r.StatusCode)
	}
	has(t, "without a database", page, "Ligar na sexta, depois das 14h", "Voltar ao formulário",
		`href="/contatos/`+id+`"`)
	hasNot(t, "without a database", page, "um-segredo")
}
