// Package browser walks through the interface in a real Chromium, task by task, against the real program.
package browser

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/browsertest"
	"fichario/tests/testkit/contracttest"
	"fichario/tests/testkit/lookuptest"
)

const (
	email    = "marina@example.com"
	password = "uma-senha-de-teste"
)

// place is a running program with an organisation and its owner.
type place struct {
	*testkit.Program
	env       map[string]string
	org, hook string
}

func start(t *testing.T, env map[string]string) *place {
	t.Helper()
	p := &place{env: env}
	p.org = testkit.JSON[map[string]string](t,
		testkit.Run(t, env, "org", "create", "--name", "Aroeira Crédito", "--json"))["id"]
	testkit.RunInput(t, password+"\n", env, "member", "add", "--org", p.org, "--name", "Marina Tavares", "--email", email,
		"--role", "owner", "--password-stdin")
	hook := testkit.JSON[map[string]string](t,
		testkit.Run(t, env, "webhook", "create", "--org", p.org, "--name", "Formulário do site", "--type", "generic",
			"--json"))
	p.Program = testkit.StartProgram(t, testkit.Options{Env: env})
	p.hook = p.URL + "/api/webhooks/receive/" + hook["token"]
	return p
}

// send posts a form to the webhook and returns the status.
func (p *place) send(t *testing.T, fields ...string) int {
	t.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	resp, err := (&http.Client{Transport: contracttest.Transport}).PostForm(p.hook, form)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

// walked counts the completed journeys.
var walked atomic.Int32

func TestMain(m *testing.M) {
	code := m.Run()
	fmt.Printf("      %d journeys walked\n", walked.Load())
	for _, name := range slices.Sorted(maps.Keys(jobs)) {
		if n, counted := taken.Load(name); counted {
			fmt.Printf("      %-40s %d clicks, at most %d\n", name, n, jobs[name])
		}
	}
	os.Exit(code)
}

// journey runs a walk on both databases, each with a browser that has signed in; more is added to the program's
// settings.
func journey(
	t *testing.T, walk func(t *testing.T, p *place, b *browsertest.Browser), more ...map[string]string,
) {
	t.Helper()
	testkit.OnBothDatabases(t, func(t *testing.T, env map[string]string) {
		for _, m := range more {
			maps.Copy(env, m)
		}
		walkIn(t, env, walk)
	})
}

// glance is journey on one database, for tests of the browser that use the database in no way that other tests do not
// cover on both.
func glance(t *testing.T, walk func(t *testing.T, p *place, b *browsertest.Browser)) {
	t.Helper()
	walkIn(t, testkit.SQLite(t), walk)
}

func walkIn(t *testing.T, env map[string]string, walk func(t *testing.T, p *place, b *browsertest.Browser)) {
	t.Helper()
	p := start(t, env)
	b := browsertest.StartBrowser(t, p.URL)
	b.Familiar = !strings.HasPrefix(env["FICHARIO_DATABASE_URL"], "sqlite:") // already checked on SQLite
	b.SignIn(email, password)
	walk(t, p, b)
	walked.Add(1)
}

func TestSlowSigningInAndOut(t *testing.T) {
	t.Parallel()
	journey(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		b.See("Painel", "Aroeira Crédito", "Marina Tavares")
		b.Click(`button[aria-label="Sair"]`)
		b.At("/entrar")
		b.Accessible()
		b.Visit("/webhooks?resultado=refused")
		b.At("/entrar")
		b.Fill("#email", email)
		b.Fill("#senha", "errada-errada")
		b.Press("Entrar")
		b.See("E-mail ou senha não conferem")
		b.Fill("#senha", password)
		b.Press("Entrar")
		b.At("/webhooks")
		if got := browsertest.Eval[string](b, "document.cookie"); got != "" {
			t.Error("script can read the session's cookie")
		}
		b.Visit("/conta")
		b.Press("Sair de todos")
		b.At("/entrar")
	})
}

func TestSlowAWebhookFromItsMakingToARefusedPostThatIsReplayed(t *testing.T) {
	t.Parallel()
	journey(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		b.Visit("/webhooks")
		b.Press("Novo webhook")
		b.Fill("#nome", "Campanha de novembro")
		b.Press("Guardar")
		b.See("Webhook criado", "Endereço")
		address := browsertest.Eval[string](b, "document.querySelector('#endereco').textContent")
		if !strings.HasPrefix(address, p.URL+"/api/webhooks/receive/") {
			t.Fatal("the page shows no address")
		}
		p.hook = address
		b.Size(390, false)
		b.Click("#como-google")
		b.See("function aoEnviar")
		b.Accessible()
		if on := browsertest.Eval[string](b, "document.activeElement.id"); on != "como-google" {
			t.Errorf("after choosing how to connect, the focus is on %q", on)
		}
		if lost := browsertest.Eval[string](b, `(() => {
			const line = document.querySelector('.seg-line'), open = line.querySelector('[aria-current]')
			const [l, o] = [line, open].map((e) => e.getBoundingClientRect())
			if (o.left < l.left - 1 || o.right > l.right + 1) return 'the open tab is out of sight'
			return l.height > 1.5 * o.height ? 'the tabs take several lines' : ''
		})()`); lost != "" {
			t.Error(lost)
		}
		b.Size(1280, false)
		b.Fill("#corpo", `{"Seu nome":"Plínio Sá","e-mail":"plinio@example.com","Orçamento":"R$ 2.400","Prazo":"dezembro"}`)
		b.Press("Testar")
		b.See("O contato seria", "Plínio Sá", "R$ 2.400,00", "Prazo: dezembro", "function aoEnviar")
		if n := len(testkit.JSON[[]any](t, testkit.Run(t, p.env, "contact", "list", "--org", p.org, "--json"))); n != 0 {
			t.Errorf("trying made %d contacts", n)
		}
		b.Press("Desligar")
		b.Click("dialog:modal button.btn-x")
		b.See("Este webhook está desligado")
		if status := p.send(t, "nome", "Bianca Lustosa", "email", "bianca@example.com"); status != 423 {
			t.Errorf("a post to a disabled webhook: %d", status)
		}
		b.Press("Ligar")
		b.See("Webhook ligado", "Recusada")
		b.Press("Abrir")
		b.See("Como é lida agora", "Bianca Lustosa", "Como chegou")
		b.Accessible()
		b.Press("Refazer")
		b.See("Contato criado a partir do envio guardado")
		b.Visit("/webhooks")
		b.See("Campanha de novembro")
		b.Accessible()
	})
}

func TestSlowAPostWithSeveralPeople(t *testing.T) {
	t.Parallel()
	journey(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		const both = `[{"nome":"Plínio Sá","email":"plinio@example.com"},{"nome":"Rita Luz","email":"rita@example.com"}]`
		b.Visit("/webhooks")
		b.Press("Formulário do site")
		b.Fill("#corpo", both)
		b.Press("Testar")
		b.See("Os contatos seriam", "1 de 2", "Plínio Sá", "2 de 2", "Rita Luz")
		b.Accessible()
		client := &http.Client{Transport: contracttest.Transport}
		resp, err := client.Post(p.hook, "application/json", strings.NewReader(both))
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		b.Visit("/webhooks")
		b.Press("Formulário do site")
		b.See("Plínio Sá, Rita Luz")
		b.Accessible()
		b.Press("Abrir")
		b.See("2 contatos", "Na ordem do envio.", "1 de 2", "Rita Luz")
		b.Accessible()
		b.Press("Rita Luz")
		b.See("Rita Luz", "rita@example.com")
	})
}

func TestSlowAnAutomationIsRehearsedRunsAndIsRunAgain(t *testing.T) {
	t.Parallel()
	journey(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		p.send(t, "nome", "Iracema Vasconcelos", "email", "iracema@example.com", "valor", "R$ 96.000")
		b.Visit("/automacoes")
		b.See("Nada acontece sozinho ainda")
		b.Press("Nova automação")
		b.Fill("#nome", "Contas grandes")
		b.Fill("#valor", "R$ 50.000")
		b.Click(`input[value="add_note"]`)
		b.Fill("#texto", "Ligar hoje para {nome}")
		b.Accessible()
		b.Press("Guardar")
		b.See("Automação criada", "Escreve uma nota")
		b.Press("Experimentar")
		b.See("sim: R$ 96.000,00", "Ligar hoje para Iracema Vasconcelos", "Nada foi mudado nem enviado")
		b.Press("Editar")
		b.See("Editar Contas grandes")
		b.Accessible()
		b.Fill("#nome", "Contas enormes")
		b.Press("Guardar")
		b.See("Automação guardada", "Contas enormes", "a partir de R$ 50.000,00", "Ligar hoje para {nome}")
		p.send(t, "nome", "Conta Pequena", "email", "pequena@example.com", "valor", "100")
		p.send(t, "nome", "Tarcísio Queiroga", "email", "tarcisio@example.com", "valor", "60 mil")
		noted := func() bool {
			page := browsertest.Eval[string](b, "fetch(location.pathname).then(r => r.text())")
			return strings.Contains(page, "nota adicionada")
		}
		for i := 0; !noted(); i++ {
			if i > 300 {
				t.Fatal("the automation did not run")
			}
		}
		b.Visit(b.Path())
		b.See("Feita", "Tarcísio Queiroga")
		b.SeeNot("Conta Pequena</a>")
		b.Press("Refazer")
		b.See("Refazer o que já foi feito?", "um e-mail")
		b.Click("dialog:modal .btn-1")
		b.See("Será refeita em instantes")
		b.Visit("/automacoes")
		b.Accessible()
		b.Click(".switch")
		b.See("Automação desligada")
		browsertest.Eval[bool](b, "(document.querySelector('.switch').focus(), true)")
		b.Key(" ")
		b.See("Automação ligada")
		if !browsertest.Eval[bool](b, "document.activeElement.matches('.switch')") {
			t.Error("the control switched by keyboard has lost the focus")
		}
	})
}

func TestSlowTheTeamItsFunnelAndItsOrigins(t *testing.T) {
	t.Parallel()
	journey(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		b.Visit("/equipe")
		b.Accessible()
		b.Press("Acrescentar uma pessoa")
		b.Fill("#nome", "Joana Brandolim")
		b.Fill("#email", "joana@example.com")
		b.Fill("#senha-nova", "outra-senha-longa")
		b.Click("form[action='/equipe/membros'] button")
		b.See("Pessoa acrescentada", "joana@example.com")
		b.Press("Origens")
		b.Accessible()
		b.Press("Acrescentar uma origem")
		b.Accessible()
		b.Fill("#origem-nova", "Feira Agro")
		b.Click("form[action='/equipe/origens'] button")
		b.See("Origem acrescentada")
		b.Press("Acrescentar uma origem")
		b.Fill("#origem-nova", "FEIRA AGRÓ")
		b.Click("form[action='/equipe/origens'] button")
		b.See("Já há uma origem com este nome")
		seen := func(css string) {
			t.Helper()
			lookuptest.Eventually(t, css+" has the focus and is in sight", func() bool {
				return browsertest.Eval[bool](b, "(e => (r => r.top >= 0 && r.bottom <= innerHeight)(e.getBoundingClientRect()) "+
					"&& document.activeElement === e)(document.querySelector('"+css+"'))")
			})
		}
		seen("#origem-nova[aria-invalid=true]")
		b.Press("Funis")
		b.Accessible()
		b.Press("Acrescentar uma etapa")
		seen(`input[placeholder="Nova etapa"]`)
		b.Fill("input[placeholder='Nova etapa']", "Vistoria")
		b.Click("tr[data-stage]:nth-child(2) form button") // another form of the same funnel
		b.See("Funil guardado", "O que você escreveu e não enviou está de volta")
		b.Fill("input[placeholder='Nova etapa']", "Assinatura")
		b.Click("form:has(input[placeholder='Nova etapa']) button")
		b.See("Assinatura") // that the funnel was kept stands there from the form before
		b.Press("Novo funil")
		b.Accessible()
		b.Fill("#funil-novo", "Locação")
		b.Press("Criar funil")
		b.See("Funil criado", "Etapas de Locação")
		b.SeeNot("Assinatura")
		b.Click(".set-d > a")
		b.See("Assinatura")
		b.Visit("/equipe")
		b.Press("Editar")
		seen("#e-nome")
		b.Accessible()
		b.Choose("#e-papel", "member")
		b.Press("Guardar")
		b.See("ao menos um titular ativo")
		b.Press("Cancelar")
		b.Press("Encerrar")
		b.See("Encerrar o acesso de Joana Brandolim?")
		b.Accessible()
		b.Click("dialog:modal .btn-x")
		b.See("Acesso encerrado")
		b.Press("Devolver")
		b.See("Acesso devolvido")
		b.Click(`button[aria-label="Sair"]`)
		b.At("/entrar")
		b.SignIn("joana@example.com", "outra-senha-longa")
		b.SeeNot("Webhooks")
		b.Visit("/webhooks")
		b.See("Isto é com quem administra")
		b.Accessible()
		b.Visit("/nada")
		b.See("Esta ficha não está na gaveta")
	})
}
