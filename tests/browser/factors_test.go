package browser

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"fichario/tests/testkit"
	"fichario/tests/testkit/browsertest"
	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
)

// named gives the program an address with a host name, without which browsers create no passkeys.
func named(t *testing.T, env map[string]string) (base string) {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(free.Addr().String())
	_ = free.Close()
	base = "http://localhost:" + port
	env["FICHARIO_LISTEN"], env["FICHARIO_PUBLIC_URL"] = "127.0.0.1:"+port, base
	return base
}

// fits checks a page with axe on a wide and a narrow screen, light and dark.
func fits(b *browsertest.Browser) {
	b.Accessible()
	b.Size(360, true)
	b.Accessible()
	b.Size(1280, false)
}

// comesBack checks a form that was not accepted: a field has what was typed, and the field at fault has the focus.
func comesBack(t *testing.T, b *browsertest.Browser, css, typed, focused string) {
	t.Helper()
	if value := browsertest.Eval[string](b, "document.querySelector('"+css+"').value"); value != typed {
		t.Errorf("%s has %q, want %q", css, value, typed)
	}
	if id := browsertest.Eval[string](b, "document.activeElement.id"); id != focused {
		t.Errorf("the focus is on %q, want %q", id, focused)
	}
}

// code is a current or upcoming code.
func code(t *testing.T, secret string, steps int) string {
	t.Helper()
	made, err := totp.GenerateCode(secret, time.Now().Add(time.Duration(steps)*30*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// TestSlowTheSecondFactor turns on codes and a passkey, signs in with each, and turns them off; then everybody else
// is made to set one up.
func TestSlowTheSecondFactor(t *testing.T) {
	t.Parallel()
	testkit.OnBothDatabases(t, func(t *testing.T, env map[string]string) {
		base := named(t, env)
		p := start(t, env)
		b := browsertest.StartBrowser(t, base)
		b.Authenticator()
		b.SignIn(email, password)
		b.Visit("/conta")
		fits(b)
		b.Press("Segundo fator")
		fits(b)
		b.Press("Ligar códigos")
		b.See("O código que ele mostra")
		fits(b)
		shown := browsertest.Eval[string](b, "document.querySelector('#codigos code').textContent")
		secret := strings.ReplaceAll(shown, " ", "")
		b.Fill("#codigo", "000000")
		b.Fill("#prova-codigos", password)
		b.Press("Ligar")
		b.See("Este código não vale")
		fits(b)
		b.Fill("#codigo", code(t, secret, 0))
		b.Fill("#prova-codigos", "não é ela")
		b.Press("Ligar")
		b.See("A senha atual não confere.")
		b.Fill("#codigo", code(t, secret, 0))
		b.Fill("#prova-codigos", password)
		b.Press("Ligar")
		b.See("Guarde estes códigos agora")
		fits(b)
		recovery := strings.Fields(browsertest.Eval[string](b, "document.querySelector('#codigos').textContent"))
		b.Press("Já guardei")
		b.See("10 códigos guardados ainda valem")
		b.Fill("#nome", "Chave de teste")
		b.Fill("#prova-chave", "000000")
		b.Press("Criar chave")
		b.See("Este código não vale")
		fits(b)
		comesBack(t, b, "#nome", "Chave de teste", "prova-chave")
		b.Fill("#prova-chave", code(t, secret, 1))
		b.Press("Criar chave")
		b.See("Chave de acesso criada.", "Chave de teste")
		fits(b)

		b.Click(`button[aria-label="Sair"]`)
		b.At("/entrar")
		fits(b)
		b.Press("Entrar com chave de acesso")
		b.See("Painel", "Marina Tavares")
		enter := func() {
			b.Click(`button[aria-label="Sair"]`)
			b.At("/entrar")
			b.Visit("/entrar?depois=/contatos")
			b.Fill("#email", email)
			b.Fill("#senha", password)
			b.Press("Entrar")
			b.At("/entrar/codigo")
		}
		enter()
		fits(b)
		b.Press("Entrar com chave de acesso")
		b.At("/contatos")
		enter()
		b.Fill("#codigo", "000000")
		b.Press("Entrar")
		b.See("Este código não vale")
		b.Fill("#codigo", recovery[0])
		b.Press("Entrar")
		b.At("/contatos")

		b.Visit("/conta/acessos")
		b.See("Chrome em Linux", "127.0.0.1", "Este")
		fits(b)
		b.Visit("/conta/segundo-fator")
		b.See("9 códigos guardados ainda valem")
		b.Press("Exigir de todos")
		b.See("O segundo fator é exigido de todos")
		testkit.RunInput(t, password+"\n", env, "member", "add", "--org", p.org, "--name", "Rui Sá", "--email", "rui@example.com",
			"--role", "member", "--password-stdin")
		other := browsertest.StartBrowser(t, base)
		other.SignIn("rui@example.com", password)
		other.At("/conta/segundo-fator")
		other.See("A sua organização exige um segundo fator")
		fits(other)
		other.Visit("/contatos")
		other.At("/conta/segundo-fator")

		b.Press("Desligar o segundo fator")
		b.See("Desligar o segundo fator?")
		b.Accessible()
		b.Fill("#prova", "000000")
		b.Click("#perguntar button[type=submit]")
		b.See("Desligar o segundo fator?", "Este código não vale")
		comesBack(t, b, "#prova", "", "prova")
		fits(b)
		b.Fill("#prova", recovery[1])
		b.Click("#perguntar button[type=submit]")
		b.See("A sua organização exige um segundo fator")
		walked.Add(1)
	})
}

// TestSlowAPasskeyInsteadOfACode: whoever has no other second factor spends no recovery code for each change, and the
// device keeps no key that was refused.
func TestSlowAPasskeyInsteadOfACode(t *testing.T) {
	t.Parallel()
	env := testkit.SQLite(t)
	base := named(t, env)
	start(t, env)
	b := browsertest.StartBrowser(t, base)
	device := b.Authenticator()
	has := func(when string, passkeys int) {
		t.Helper()
		if n := device.Passkeys(); n != passkeys {
			t.Errorf("%d passkeys in the device %s, want %d", n, when, passkeys)
		}
	}
	b.SignIn(email, password)
	b.Visit("/conta/segundo-fator")
	b.Fill("#nome", "Chave de teste")
	b.Fill("#prova-chave", "não é ela")
	b.Press("Criar chave")
	b.See("A senha atual não confere.")
	comesBack(t, b, "#nome", "Chave de teste", "prova-chave")
	has("after another password", 0)
	fits(b)
	b.Fill("#prova-chave", password)
	b.Press("Criar chave")
	b.See("Guarde estes códigos agora")
	has("after the password", 1)
	b.Press("Já guardei")
	b.See("10 códigos guardados ainda valem", "Chave de teste")
	fits(b)

	b.Press("Refazer os códigos")
	b.See("Refazer os códigos de recuperação?")
	b.Accessible()
	b.Click("#perguntar [data-proof]")
	b.See("Guarde estes códigos agora")
	b.Press("Já guardei")
	b.Press("Ligar códigos")
	b.See("O código que ele mostra")
	fits(b)
	shown := browsertest.Eval[string](b, "document.querySelector('#codigos code').textContent")
	b.Fill("#codigo", code(t, strings.ReplaceAll(shown, " ", ""), 0))
	b.Click("#codigos [data-proof]")
	b.See("Códigos ligados.", "10 códigos guardados ainda valem")
	b.Fill("#nome", "A mesma de novo")
	b.Click("#chaves [data-proof]")
	b.See("A chave de acesso não foi usada.") // the device has one already
	has("after it refused", 1)
	device.Forget()
	b.Press("Criar chave") // proven already
	b.See("Chave de acesso criada.", "A mesma de novo", "10 códigos guardados ainda valem")
	has("after it forgot the first", 1)

	b.Visit("/conta/segundo-fator?perguntar=desligar")
	b.Fill("#prova", "000000")
	b.Click("#perguntar button[type=submit]")
	b.See("Desligar o segundo fator?", "Este código não vale")
	fits(b)
	b.Press("Cancelar")
	b.See("10 códigos guardados ainda valem")
	b.Press("Remover")
	b.See("Ela não serve mais para entrar.")
	b.Click("#perguntar [data-proof]")
	b.See("Chave de acesso removida.")
	walked.Add(1)
}

// TestSlowAnInvitationAndAForgottenPassword by e-mail; then the owner reads in the audit what was done.
func TestSlowAnInvitationAndAForgottenPassword(t *testing.T) {
	t.Parallel()
	testkit.OnBothDatabases(t, func(t *testing.T, env map[string]string) {
		mails := intaketest.StartMailServer(t)
		env["FICHARIO_SMTP_URL"] = mails.URL
		walkIn(t, env, func(t *testing.T, p *place, b *browsertest.Browser) { comeByMail(t, p, b, mails) })
	})
}

func comeByMail(t *testing.T, p *place, b *browsertest.Browser, mails *intaketest.Mailbox) {
	t.Helper()
	b.Visit("/equipe")
	b.Press("Acrescentar uma pessoa")
	b.Fill("#nome", "Rui Sá")
	b.Fill("#email", "rui@example.com")
	b.Press("Acrescentar")
	b.See("Convite enviado", "Sem senha ainda", "Convidar de novo")
	fits(b)
	linkTo := func(address string) string {
		t.Helper()
		var link string
		lookuptest.Eventually(t, "a link comes", func() bool {
			all := mails.To(address)
			if len(all) > 0 {
				_, after, _ := strings.Cut(all[len(all)-1].Text, p.URL)
				link = strings.Fields(after)[0]
			}
			return len(all) > 0
		})
		if !strings.HasPrefix(link, "/entrar/link/") {
			t.Fatal("no link came")
		}
		return link
	}
	rui := browsertest.StartBrowser(t, strings.Replace(p.URL, "127.0.0.1", browsertest.LAN, 1))
	link := linkTo("rui@example.com")
	rui.Visit(link)
	rui.See("Escolha a sua senha", "rui@example.com")
	fits(rui)
	rui.Fill("#senha", "12345678")
	rui.Press("Guardar")
	rui.See("Esta senha está entre as primeiras")
	rui.Fill("#senha", "vento sul forte")
	rui.Press("Guardar")
	rui.At("/entrar")
	rui.See("Senha guardada. Entre com ela.")
	fits(rui)
	rui.SignIn("rui@example.com", "vento sul forte")
	rui.Visit(link)
	rui.See("Este link não vale")
	fits(rui)

	lost := browsertest.StartBrowser(t, p.URL)
	lost.Visit("/entrar")
	lost.Press("Esqueci a senha")
	fits(lost)
	lost.Fill("#email", "ninguem@example.com")
	lost.Press("Mandar o link")
	lost.See("Se este e-mail é de uma conta")
	fits(lost)
	lost.Visit("/entrar/esqueci")
	lost.Fill("#email", email)
	lost.Press("Mandar o link")
	lost.See("Se este e-mail é de uma conta")
	lost.Visit(linkTo(email))
	lost.Fill("#senha", "outro vento forte")
	lost.Press("Guardar")
	lost.At("/entrar")
	b.Visit("/auditoria")
	b.At("/entrar")
	b.SignIn(email, "outro vento forte")
	b.Visit("/auditoria")
	b.See("Nova senha por um link", "Aceitou o convite", "Convidou alguém", "Criou um membro")
	fits(b)
	b.Choose("#acao", "convite.aceito")
	b.Press("Filtrar")
	b.See("Aceitou o convite", "Rui Sá")
}
