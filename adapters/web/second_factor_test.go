package web_test

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"fichario/domain/crm"
)

// outside is a visitor who has not signed in.
func (s *testSite) outside() *visitor {
	s.t.Helper()
	jar, _ := cookiejar.New(nil)
	return &visitor{testSite: s, client: &http.Client{
		Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// code is the one-time code the given number of steps from now.
func (v *visitor) code(secret string, steps int) string {
	v.t.Helper()
	code, err := totp.GenerateCode(secret, time.Now().Add(time.Duration(steps)*30*time.Second))
	if err != nil {
		v.t.Fatal(err)
	}
	return code
}

var (
	secretShown   = regexp.MustCompile(`<code class="break">([A-Z2-7 ]+)</code>`)
	recoveryShown = regexp.MustCompile(`\b[a-z2-7]{4}(-[a-z2-7]{4}){3}\b`) // not inside an id
)

// enrol turns on one-time codes on the page, and returns their secret and the recovery codes.
func (v *visitor) enrol() (secret string, recovery []string) {
	v.t.Helper()
	v.send("/conta/segundo-fator/codigos")
	page := v.get("/conta/segundo-fator")
	has(v.t, "the page", page, `src="data:image/png;base64,`)
	secret = strings.ReplaceAll(secretShown.FindStringSubmatch(page)[1], " ", "")
	response, body := v.send("/conta/segundo-fator/confirmar", "codigo", v.code(secret, 0),
		"atual", "senha-de-teste")
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Encoding") != "" {
		v.t.Fatalf("turned on: %d, %s", response.StatusCode, response.Header.Get("Content-Encoding"))
	}
	return secret, recoveryShown.FindAllString(body, -1)
}

// TestASecondFactorWithoutScript: turned on, used to sign in, and turned off, with plain forms.
func TestASecondFactorWithoutScript(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.visitor("Ana")
	_, wrong := v.send("/conta/segundo-fator/confirmar", "codigo", "000000", "atual", "senha-de-teste")
	has(t, "nothing to confirm", wrong, "Comece de novo")
	_, wrong = v.send("/conta/segundo-fator/confirmar", "codigo", "000000", "atual", "senha-errada")
	has(t, "another password", wrong, "A senha atual não confere.")
	hasNot(t, "another password", wrong, "senha-errada")
	secret, recovery := v.enrol()
	if len(recovery) != 10 {
		t.Fatalf("%d recovery codes", len(recovery))
	}
	hasNot(t, "the page afterwards", v.get("/conta/segundo-fator"), secret, recovery[0])

	other := site.outside()
	other.get("/entrar")
	if response, _ := other.send("/entrar/codigo", "codigo", recovery[1]); response.StatusCode != http.StatusUnauthorized {
		t.Errorf("a code without a password: %d", response.StatusCode)
	}
	signIn := url.Values{"email": {"ana@example.com"}, "senha": {"senha-de-teste"}, "depois": {"/funil"}}
	response, _ := other.do(http.MethodPost, "/entrar", signIn)
	if to := response.Header.Get("Location"); to != "/entrar/codigo?depois=%2Ffunil" {
		t.Fatalf("after the password: %s", to)
	}
	if response, _ := other.do(http.MethodGet, "/contatos", nil); response.StatusCode != http.StatusSeeOther {
		t.Errorf("a page before the code: %d", response.StatusCode)
	}
	has(t, "the page of the code", other.get("/entrar/codigo?depois=/funil"), `name="codigo"`, `value="/funil"`)
	response, body := other.send("/entrar/codigo", "codigo", "000000", "depois", "/funil")
	has(t, "a wrong code", body, "Este código não vale")
	if response.StatusCode != http.StatusUnauthorized {
		t.Errorf("a wrong code: %d", response.StatusCode)
	}
	next := v.code(secret, 1) // once: its half minute may end between the two uses
	response, _ = other.send("/entrar/codigo", "codigo", next, "depois", "//evil.example")
	if to := response.Header.Get("Location"); response.StatusCode != http.StatusSeeOther || to != "/" {
		t.Errorf("the right one: %d to %s", response.StatusCode, to)
	}
	other.get("/contatos")

	has(t, "the question", v.get("/conta/segundo-fator?perguntar=desligar"), "Desligar o segundo fator?")
	status, page := v.post("/conta/segundo-fator/desligar", url.Values{"codigo": {next}})
	if status != http.StatusUnprocessableEntity {
		t.Errorf("off with a code that was used: %d", status)
	}
	has(t, "off with a code that was used", page, "Este código não vale", "Desligar o segundo fator?")
	if status, _ := v.post("/conta/segundo-fator/desligar", url.Values{"codigo": {recovery[2]}}); status != http.StatusSeeOther {
		t.Errorf("off: %d", status)
	}
	has(t, "the page without one", v.get("/conta/segundo-fator"), "Ligar códigos")
	for _, path := range []string{
		"/conta/segundo-fator/chave/inicio", "/conta/segundo-fator/prova/inicio", "/entrar/chave/inicio",
	} {
		if status, _ := v.post(path, url.Values{"so": {"sim"}}); status != http.StatusUnprocessableEntity {
			t.Errorf("%s where there are no passkeys: %d", path, status)
		}
	}
}

// TestWhoNeedsASecondFactorIsLedToIt, from every page and from script's requests, and may sign out.
func TestWhoNeedsASecondFactorIsLedToIt(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	owner := site.visitor("Ana")
	bia := site.member(owner.by.OrgID(), "Bia", crm.Admin)
	status, page := owner.post("/conta/segundo-fator/exigir", url.Values{"exigido": {"sim"}})
	if status != http.StatusUnprocessableEntity {
		t.Errorf("by an owner without one: %d", status)
	}
	has(t, "by an owner without one", page, "Ligue antes o seu próprio segundo fator")
	owner.enrol()
	if status, _ := bia.post("/conta/segundo-fator/exigir", url.Values{"exigido": {"sim"}}); status != http.StatusForbidden {
		t.Errorf("by an administrator: %d", status)
	}
	if status, _ := owner.post("/conta/segundo-fator/exigir", url.Values{"exigido": {"sim"}}); status != http.StatusSeeOther {
		t.Errorf("by the owner: %d", status)
	}
	for _, path := range []string{"/", "/contatos", "/conta", "/eventos", "/contatos.csv", "/equipe"} {
		if response, _ := bia.do(http.MethodGet, path, nil); response.Header.Get("Location") != "/conta/segundo-fator" {
			t.Errorf("%s: %d", path, response.StatusCode)
		}
	}
	if status, _ := bia.post("/equipe/origens", url.Values{"nome": {"Feira"}}); status != http.StatusSeeOther {
		t.Errorf("a form: %d", status)
	}
	hasNot(t, "what the form would have made", owner.get("/equipe/origens"), "Feira")
	response, _ := bia.do(http.MethodGet, "/notificacoes/sino", nil, "HX-Request", "true")
	if response.Header.Get("HX-Redirect") != "/conta/segundo-fator" {
		t.Errorf("script: %d", response.StatusCode)
	}
	has(t, "the page", bia.get("/conta/segundo-fator"), "A sua organização exige um segundo fator")
	bia.enrol()
	bia.get("/contatos")
}

// TestOwnSessionsOnTheirPage: with device and network; other members' sessions are not found.
func TestOwnSessionsOnTheirPage(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v, rui := site.visitor("Ana"), site.visitor("Rui")
	phone := site.outside()
	response, _ := phone.do(http.MethodPost, "/entrar", url.Values{
		"email": {"ana@example.com"}, "senha": {"senha-de-teste"},
	}, "User-Agent", "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1")
	if response.StatusCode != http.StatusSeeOther {
		t.Fatal(response.StatusCode)
	}
	page := v.get("/conta/acessos")
	has(t, "the page", page, "Safari em iPhone", "127.0.0.1", "Este", "Encerrar os outros")
	ids := regexp.MustCompile(`/conta/acessos/([0-9a-f-]{36})/encerrar`).FindAllStringSubmatch(page, -1)
	if len(ids) != 2 {
		t.Fatalf("%d sessions", len(ids))
	}
	for _, id := range []string{ids[0][1], "x"} {
		if status, _ := rui.post("/conta/acessos/"+id+"/encerrar", nil); status != http.StatusNotFound {
			t.Errorf("another's session: %d", status)
		}
	}
	v.send("/conta/acessos/outros")
	v.get("/conta/acessos")
	if response, _ := phone.do(http.MethodGet, "/contatos", nil); response.StatusCode != http.StatusSeeOther {
		t.Errorf("an ended session: %d", response.StatusCode)
	}
}

// TestALinkWithoutScript: the same answer for everybody, a page whose address no other site learns, and valid once.
func TestALinkWithoutScript(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.visitor("Ana")
	other := site.outside()
	_, known := other.send("/entrar/esqueci", "email", "ana@example.com")
	_, unknown := other.send("/entrar/esqueci", "email", "ninguem@example.com")
	id := regexp.MustCompile(`[0-9a-f-]{36}`)
	if id.ReplaceAllString(known, "") != id.ReplaceAllString(unknown, "") {
		t.Error("the answers differ")
	}
	mail := <-site.mailed
	_, path, _ := strings.Cut(mail.Text, "https://fichario.example")
	path = strings.Fields(path)[0]
	response, page := other.do(http.MethodGet, path, nil)
	has(t, "the page of the link", page, "Escolha a sua senha", "ana@example.com")
	if response.Header.Get("Referrer-Policy") != "same-origin" || strings.Contains(site.log.String(), path) {
		t.Error("the address of the link goes elsewhere")
	}
	status, page := other.post(path, url.Values{"senha": {"curta"}})
	has(t, "a short password", page, `aria-invalid="true"`)
	if status != http.StatusUnprocessableEntity {
		t.Errorf("a short password: %d", status)
	}
	if status, _ := other.post(path, url.Values{"senha": {"vento sul forte"}}); status != http.StatusSeeOther {
		t.Errorf("the link: %d", status)
	}
	has(t, "the link again", other.refused(http.StatusUnauthorized, path), "Este link não vale")
	if response, _ := v.do(http.MethodGet, "/contatos", nil); response.StatusCode != http.StatusSeeOther {
		t.Errorf("an old session: %d", response.StatusCode)
	}
	if status, _ := other.post("/entrar", url.Values{
		"email": {"ana@example.com"}, "senha": {"vento sul forte"},
	}); status != http.StatusSeeOther {
		t.Errorf("with the new password: %d", status)
	}
	for range 25 {
		response, _ = other.do(http.MethodGet, "/entrar/link/"+strings.Repeat("x", 43), nil)
	}
	if response.StatusCode != http.StatusUnauthorized || response.Header.Get("Retry-After") == "" {
		t.Errorf("many wrong links: %d", response.StatusCode)
	}
}

// TestTheDoorSaysWhatHasBeenDone: after choosing or changing a password, signing out everywhere, or the end of a
// session, the next page says so, once.
func TestTheDoorSaysWhatHasBeenDone(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	says := func(what, words string) {
		t.Helper()
		has(t, what, v.get("/entrar"), words)
		hasNot(t, what+", seen again", v.get("/entrar"), words)
	}
	status, _ := v.post("/conta/senha", url.Values{"atual": {"senha-de-teste"}, "senha": {"vento sul forte"}})
	if status != http.StatusSeeOther {
		t.Fatalf("another password: %d", status)
	}
	says("another password", "Senha trocada. Entre com a nova.")
	over, _ := v.do(http.MethodGet, "/contatos", nil, "Cookie", "sessao=terminada")
	if over.StatusCode != http.StatusSeeOther {
		t.Fatalf("a session that is over: %d", over.StatusCode)
	}
	says("a session that is over", "A sua sessão terminou. Entre de novo.")
	v.post("/entrar", url.Values{"email": {v.member.Email}, "senha": {"vento sul forte"}})
	v.post("/sair-todas", url.Values{})
	says("left everywhere", "Você saiu de todos os aparelhos.")
	v.get("/entrar")
	if answer, _ := v.do(http.MethodGet, "/contatos", nil); answer.StatusCode != http.StatusSeeOther {
		t.Fatalf("without a session: %d", answer.StatusCode)
	}
	hasNot(t, "who has had no session", v.get("/entrar"), `role="status"`)
}

// TestTooManyWrongCodesAreSaid in the question that they were typed into, which stands instead of the page.
func TestTooManyWrongCodesAreSaid(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	v.enrol()
	var page string
	for range 7 {
		_, page = v.post("/conta/segundo-fator/desligar", url.Values{"codigo": {"000000"}})
	}
	has(t, "too many", page, "Desligar o segundo fator?", "Espere")
}
