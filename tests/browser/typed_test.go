package browser

import (
	"strings"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/browsertest"
)

// TestSlowADraftStaysWithItsForm: what was typed about one refused post is not in the form of another, though both make
// a contact; and documents that were typed to be asked about do not come back, nor stay in the tab.
func TestSlowADraftStaysWithItsForm(t *testing.T) {
	t.Parallel()
	glance(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		value := func(css string) string {
			return browsertest.Eval[string](b, "document.querySelector('"+css+"')?.value ?? ''")
		}
		p.send(t, "nome", "Gael Bittencourt")
		p.send(t, "nome", "Iracema Vasconcelos")
		b.Visit("/webhooks")
		b.Press("Ver os recusados")
		one := browsertest.Eval[string](b, "document.querySelector('tbody tr a.btn').pathname")
		another := browsertest.Eval[string](b, "document.querySelector('tbody tr:last-child a.btn').pathname")
		b.Visit(one)
		b.Fill("#email", "iracema@example.com")
		b.Visit(another)
		if got := value("#email"); got != "" {
			t.Errorf("the form of another post has %q", got)
		}
		b.Fill("#email", "gael@example.com")
		b.Visit(one)
		if got := value("#email"); got != "iracema@example.com" {
			t.Errorf("its own form has %q", got)
		}
		b.Press("Criar contato")
		b.See("Contato criado a partir do envio guardado")
		b.Visit(one)
		if got := value("#email"); got != "" {
			t.Errorf("after it was sent its form has %q", got)
		}
		b.Visit(another)
		if got := value("#email"); got != "gael@example.com" {
			t.Errorf("after another was sent its form has %q", got)
		}
		browsertest.Eval[bool](b, `fetch('/pacotes', { method: 'POST', body: new URLSearchParams(
			[['nome', 'Crédito'], ['produtos', 'cpf'], ['produtos', 'score']]) }).then((answer) => answer.ok)`)
		for typed, way := range map[string]func(){
			"52998224725":                    func() { b.Click("form[action='/consultas/pacote'] button"); b.See("Cobrado: ") },
			"529.982.247-25, 111.444.777-35": func() { b.Press("Consultar 2") },
			"111.444.777-35, 529.982.247-25": func() { b.Press("Orçar em lote") },
		} {
			b.Visit("/consultar")
			b.Fill("#documento", typed)
			b.See("Consultar")
			kept := browsertest.Eval[string](b, "JSON.stringify(sessionStorage)") // with addresses, and thus ids
			if strings.Contains(strings.ReplaceAll(kept, ".", ""), "529982") {
				t.Errorf("the tab keeps %q", typed)
			}
			way()
			b.Visit("/consultar")
			if got := value("#documento"); got != "" {
				t.Errorf("after %q was asked the form has %q", typed, got)
			}
		}
	})
}

// TestSlowWhatWasTypedSurvives a reload, the end of a session and an oversized form, until it is sent or the person
// signs out.
func TestSlowWhatWasTypedSurvives(t *testing.T) {
	t.Parallel()
	glance(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		const note, back = "Ligar na sexta", "O que você escreveu e não enviou está de volta."
		typed := func() string {
			return browsertest.Eval[string](b, "document.querySelector('#texto').value.slice(0, 40)")
		}
		p.send(t, "nome", "Iracema Vasconcelos", "email", "iracema@example.com")
		b.Visit("/contatos")
		b.Press("Iracema Vasconcelos")
		b.Press("Abrir")
		b.See("iracema@example.com")
		contact := b.Path()
		b.Fill("#texto", note)
		b.Visit(contact)
		b.See(back)
		if typed() != note {
			t.Errorf("after a reload: %q", typed())
		}
		b.Accessible()
		people := testkit.JSON[[]map[string]any](t, testkit.Run(t, p.env, "member", "list", "--org", p.org, "--json"))
		testkit.RunInput(t, password+"\n", p.env, "member", "password", people[0]["id"].(string), "--password-stdin")
		b.Press("Anotar") // the session has ended meanwhile
		b.See("A sua sessão terminou", note)
		b.Accessible()
		b.Fill("#email", email)
		b.Fill("#senha", password)
		b.Press("Entrar")
		b.At(contact)
		b.See(back)
		b.Press("Anotar")
		b.See("Nota acrescentada")
		b.SeeNot(back)
		b.Visit(contact)
		if typed() != "" {
			t.Errorf("after it was sent: %q", typed())
		}
		browsertest.Eval[bool](b, `(() => {
			const e = document.querySelector('#texto')
			e.value = 'Muito longo. '.repeat(200000)
			return e.dispatchEvent(new Event('input', {bubbles: true}))
		})()`)
		b.Press("Anotar")
		b.See("O formulário é grande demais")
		b.Press("Voltar ao formulário")
		b.See(back)
		b.Press("Descartar")
		b.Fill("#texto", note)
		b.Click(`button[aria-label="Sair"]`)
		b.At("/entrar")
		b.SignIn(email, password)
		b.Visit(contact)
		if typed() != "" {
			t.Errorf("after signing out: %q", typed())
		}
	})
}
