package browser

import (
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/browsertest"
)

func TestSlowContactsAreGivenInTurn(t *testing.T) {
	t.Parallel()
	journey(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		testkit.RunInput(t, password+"\n", p.env, "member", "add", "--org", p.org, "--name", "Rui Prado",
			"--email", "rui@example.com", "--role", "member", "--password-stdin")
		b.Visit("/webhooks")
		b.Press("Rodízios")
		b.Press("Novo rodízio")
		b.Accessible()
		b.Fill("#rodizio-novo", "Vendas")
		b.Press("Criar")
		b.See("Rodízio criado", "nenhum webhook usa este rodízio")
		b.Accessible()
		b.Click("tbody tr:nth-child(1) input[type=checkbox]")
		b.Click("tbody tr:nth-child(2) input[type=checkbox]")
		b.Press("Guardar")
		b.See("Rodízio guardado")
		b.Visit("/webhooks")
		b.Press("Formulário do site")
		b.Press("Editar")
		b.See("Responsável pelos contatos")
		browsertest.Eval[bool](b, `document.querySelector('#rodizio').selectedIndex = 1, true`)
		b.Press("Guardar")
		b.See("Webhook guardado")
		for _, name := range []string{"ana", "bia", "caio", "davi"} {
			p.send(t, "nome", name, "email", name+"@example.com")
		}
		b.Click(".nav a[href='/configuracoes']")
		b.Click(".set-n a[href='/rodizios']")
		b.See("2 pessoas", "Formulário do site")
		b.Click(".set-d > a")
		b.See("2 contatos")
		if got := browsertest.Eval[int](b, `document.body.innerText.replace(/\s+/g, ' ').split('2 contatos').length - 1`); got != 2 {
			t.Errorf("%d members got two contacts", got)
		}
		b.Size(360, true)
		b.Accessible()
		b.Press("Tirar")
		b.See("Tirar o rodízio “Vendas”?")
		b.Accessible()
		b.Click("dialog:modal .btn-x")
		b.See("O webhook “Formulário do site” usa este rodízio")
	})
}
