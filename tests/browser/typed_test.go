package browser

import (
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/browsertest"
)

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
