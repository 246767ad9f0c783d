package web_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"fichario/ports"
)

// TestContactsFormIsReadWhole: an incomplete form is not taken for an empty one.
func TestContactsFormIsReadWhole(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Helena")
	id := v.lead(url.Values{"nome": {"Ana"}, "email": {"ana@example.com"}})
	status, page := v.post("/contatos/"+id+"/nota", url.Values{"texto": {strings.Repeat("x", 3<<20)}})
	if status != http.StatusRequestEntityTooLarge || !strings.Contains(page, "grande demais") {
		t.Errorf("a form of 3 MiB: %d", status)
	}
	typed := url.Values{"atual": {"minha-senha-atual"}, "senha": {"outra-senha"}, "nome": {"visível"}}
	_, page = v.do(http.MethodPost, "/conta/senha?x=%zz", typed)
	if strings.Contains(page, "senha-atual") || !strings.Contains(page, "visível") {
		t.Error("the input is not shown again, or a password is")
	}
	at, err := url.Parse(v.server.URL)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", at.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	fmt.Fprintf(conn, "POST /webhooks/%s/ligar HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\n"+
		"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\nligado=s",
		v.hook.ID, at.Host, v.client.Jar.Cookies(at)[0])
	_ = conn.(*net.TCPConn).CloseWrite()
	answer, err := io.ReadAll(conn)
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 400") ||
		!strings.Contains(string(answer), "não chegou inteiro") {
		t.Errorf("half a form: %.40q, %v", answer, err)
	}
	if hook, _, err := v.store.Repos().Webhooks.Find(t.Context(), ports.AnyOrg, v.hook.ID); err != nil || !hook.Enabled {
		t.Errorf("half a form turned the webhook off: %v", err)
	}
}

// TestAFormSaysWhatItChanges in its title and its way back, also when it comes back with a fault.
func TestAFormSaysWhatItChanges(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Helena")
	key, _, _ := v.makeKey()
	rule := v.made("/automacoes", url.Values{"nome": {"Ver o cadastro"}, "acao": {"lookup"}, "produto": {"cpf"}, "teto": {"50"}})
	person := "/contatos/" + v.lead(url.Values{"nome": {"Ana Prado"}, "email": {"ana@example.com"}})
	hook := "/webhooks/" + v.hook.ID
	for _, c := range []struct{ page, path, of, title string }{
		{rule + "/editar", rule, rule, "Editar Ver o cadastro"},
		{hook + "/editar", hook, hook, "Editar " + v.hook.Name},
		{person + "/editar", person, person, "Editar Ana Prado"},
		{"/chaves/" + key + "/alterar", "/chaves/" + key + "/alterar", "/chaves/" + key, "Alterar "},
	} {
		page := v.get(c.page)
		_, failed := v.post(c.path, url.Values{"versao": {versionIn.FindStringSubmatch(page)[1]}, "minuto": {"-1"}})
		for when, page := range map[string]string{"opened": page, "with a fault": failed} {
			has(t, c.page+", "+when, page, "<title>"+c.title, "<h1>"+c.title, `<a href="`+c.of+`"><bdi`)
		}
	}
}
