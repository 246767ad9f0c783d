package browser

import (
	"fmt"
	"testing"

	"fichario/tests/testkit/browsertest"
)

func TestSlowSeveralContactsAtOnce(t *testing.T) {
	t.Parallel()
	journey(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		for i := range 4 {
			p.send(t, "nome", fmt.Sprintf("Pessoa %d", i), "email", fmt.Sprintf("p%d@example.com", i))
		}
		b.Visit("/contatos")
		b.See("4 contatos")
		b.SeeNot("Todos os 4")
		b.Accessible()
		b.Click("tbody tr:nth-child(1) input")
		b.See("1 marcado", "Todos os 4")
		b.SeeNot("Unir os dois")
		b.Click("tbody tr:nth-child(2) input")
		b.See("2 marcados", "Unir os dois")
		b.Accessible()
		b.Press("Mover para…")
		b.Accessible()
		b.Press("Proposta")
		b.See("2 contatos movidos para Proposta")
		b.At("/contatos")
		if !browsertest.Eval[bool](b, "document.activeElement.matches('.toast')") {
			t.Error("what was done has not the focus")
		}
		b.Accessible()
		b.Press("Desfazer")
		b.See("Desfeito: 2 contatos voltaram")
		b.At("/contatos")
		b.Click("tbody tr:nth-child(1) input")
		b.Click(".bulk input[value=sim]")
		b.Press("Atribuir a…")
		b.Click("#atribuir-a button")
		b.See("Nada mudou. 4 já estavam com essa pessoa.")
		b.Visit("/contatos?q=pessoa")
		b.Click("tbody tr:nth-child(1) input")
		b.Click(".bulk input[value=sim]")
		b.Press("Excluir")
		b.See("Excluir 4 contatos?")
		b.Press("Cancelar")
		b.See("4 contatos com estes filtros")
		b.Click("tbody tr:nth-child(1) input")
		b.Click(".bulk input[value=sim]")
		b.Press("Excluir")
		b.See("Excluir 4 contatos?", "são apagados")
		b.Accessible()
		b.Press("Excluir")
		b.See("4 contatos excluídos")
		b.Press("Desfazer")
		b.See("4 contatos voltaram")
		b.Size(360, false)
		b.Visit("/contatos")
		b.See("4 contatos")
		b.Accessible()
	})
}

// TestSlowWhoIsMeantIsChosenAnew: choosing all contacts is neither remembered nor combined with ticks, and a download
// leaves the form unchanged.
func TestSlowWhoIsMeantIsChosenAnew(t *testing.T) {
	t.Parallel()
	glance(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		for i := range 3 {
			p.send(t, "nome", fmt.Sprintf("Pessoa %d", i), "email", fmt.Sprintf("p%d@example.com", i))
		}
		said := func(when, want string) {
			t.Helper()
			got := browsertest.Eval[string](b, `document.querySelector('#acoes').elements.todos.value + ' ' +
				document.querySelectorAll('[name=c]:checked').length`)
			if got != want {
				t.Errorf("%s: %q, want %q", when, got, want)
			}
		}
		b.Visit("/contatos?q=Pessoa+1")
		b.Click("tbody tr:nth-child(1) [name=c]")
		b.See("O único com estes filtros")
		b.Click(".bulk input[value=sim]")
		b.Visit("/contatos")
		said("on another page", " 0")
		b.Click("tbody tr:nth-child(1) [name=c]")
		b.See("Todos os 3")
		b.Click(".bulk input[value=sim]")
		b.Click("tbody tr:nth-child(1) [name=c]")
		said("one is ticked", " 1")
		b.Click(".bulk input[value=sim]")
		said("all are chosen", "sim 0")
		b.Click("[data-mark]")
		said("the page is marked", " 3")
		b.Click(".bulk input[value=sim]")
		b.Click("tbody tr:nth-child(1) [name=c]")
		browsertest.Eval[bool](b, `document.querySelector('[value=baixar]').click(), true`)
		b.Press("Mover para…")
		b.Press("Proposta")
		b.See("1 contato movido para Proposta")
	})
}
