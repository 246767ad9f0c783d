package browser

import (
	"testing"

	"fichario/tests/testkit/browsertest"
)

func TestSlowWhoWaitsForAnAnswer(t *testing.T) {
	t.Parallel()
	glance(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		p.send(t, "nome", "Gael Bittencourt", "email", "gael@example.com")
		p.send(t, "nome", "Lia Prado", "email", "lia@example.com")
		b.Visit("/funil?retorno=sem")
		b.See("Gael Bittencourt", "sem retorno agora")
		b.Accessible()
		b.Visit("/contatos?retorno=sem")
		b.See("2 contatos com estes filtros", "sem retorno agora")
		b.Accessible()
		b.Press("Gael Bittencourt")
		b.Press("Abrir")
		b.Press("Já falei")
		b.See("Conversa anotada.", "Marina Tavares falou com o contato")
		b.Visit("/contatos?retorno=sem")
		b.See("1 contato com estes filtros")
		b.Press("Retorno")
		b.See("1 contato espera agora", "Marina Tavares", "sem origem")
		b.Accessible()
		b.Size(360, true)
		b.Accessible()
	})
}
