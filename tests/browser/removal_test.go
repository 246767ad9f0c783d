package browser

import (
	"testing"

	"github.com/chromedp/chromedp/kb"

	"fichario/tests/testkit/browsertest"
)

func TestSlowContactsAreDeletedAndMerged(t *testing.T) {
	t.Parallel()
	journey(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		p.send(t, "nome", "Otávio Prado", "email", "otavio@example.com", "mensagem", "primeira vez")
		p.send(t, "nome", "Otávio", "email", "OTAVIO@example.com", "telefone", "(11) 98765-4321", "mensagem", "segunda vez")
		b.Visit("/notificacoes")
		b.See("Já tinha vindo 1 vez", "com Marina Tavares")
		b.Accessible()
		b.Visit("/contatos?ordem=antigos")
		b.Press("Otávio Prado")
		b.See("pode ser a mesma pessoa", "mesmo e-mail")
		b.Accessible()
		b.Press("Unir")
		b.See("Nada se perde", "(11) 98765-4321")
		b.Accessible()
		b.Size(360, true)
		b.Accessible()
		b.Size(1280, false)
		b.Press("Unir")
		b.See("Contatos unidos", "segunda vez", "foi unido a este", "dá para separar até",
			"agora, no contato que foi unido a este")
		b.Accessible()
		b.Press("Separar")
		b.See("Contatos separados", "pode ser a mesma pessoa")
		b.Press("Excluir")
		b.See("Excluir este contato?")
		b.Accessible()
		if !browsertest.Eval[bool](b, "document.querySelector('#excluir').matches(':modal')") {
			t.Error("what is behind the question can be reached")
		}
		b.Key(kb.Escape)
		if got := browsertest.Eval[string](b, "document.activeElement.textContent"); got != "Excluir" {
			t.Errorf("afterwards the focus is on %q", got)
		}
		b.Press("Excluir")
		b.See("Excluir este contato?")
		b.Click("#excluir button[type=submit]")
		b.See("Contato excluído", "saiu da lista")
		b.Accessible()
		b.Press("Desfazer")
		b.See("Contato restaurado.", "segunda vez")
		b.Visit("/contatos")
		b.See("2 contatos")
	})
}
