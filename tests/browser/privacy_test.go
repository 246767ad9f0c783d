package browser

import (
	"testing"

	"fichario/tests/testkit/browsertest"
)

// TestSlowAPersonIsErased: an owner finds a person, sees what is held, and erases it; the receipt appears by itself.
func TestSlowAPersonIsErased(t *testing.T) {
	t.Parallel()
	glance(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		p.send(t, "nome", "Rita Prado", "email", "rita@example.com", "cpf", "529.982.247-25", "mensagem", "Quero crédito")
		b.Visit("/privacidade")
		b.See("Ninguém pediu para ser apagado")
		b.Accessible()
		b.Choose("#tipo", "email")
		b.Fill("#valor", "rita@example.com")
		b.Press("Procurar")
		b.See("O que está guardado", "Contatos")
		b.Accessible()
		b.Press("Ver e imprimir")
		b.See("Dados do titular", "Rita Prado", "Quero crédito")
		b.Accessible()
		b.Visit("/privacidade")
		b.Fill("#valor", "529.982.247-25")
		b.Press("Procurar")
		b.Press("Apagar tudo")
		b.See("Apagar os dados desta pessoa?")
		b.Accessible()
		b.Click("input[name=bloquear]")
		b.Press("Apagar para sempre")
		b.See("Concluída", "O que fica, e por quê")
		b.Accessible()
		b.Press("Desfazer bloqueio")
		b.See("Desfazer o bloqueio?")
		b.Press("Cancelar")
		b.Visit("/contatos")
		b.SeeNot("Rita Prado")
		b.Visit("/privacidade")
		b.See("Bloqueado", "Marina Tavares")
		b.Size(360, true)
		b.Accessible()
	})
}
