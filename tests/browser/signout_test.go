package browser

import (
	"testing"

	"fichario/tests/testkit/browsertest"
)

// TestSlowNothingComesBackAfterSigningOut: browsers cache pages for going back.
func TestSlowNothingComesBackAfterSigningOut(t *testing.T) {
	t.Parallel()
	glance(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		p.send(t, "nome", "Iracema Vasconcelos", "email", "iracema@example.com")
		b.Visit("/contatos")
		b.Press("Iracema Vasconcelos")
		b.Press("Abrir")
		b.See("iracema@example.com")
		deep := b.Path()
		b.Visit("/conta")
		b.Press("Sair de todos")
		b.Visit(deep)
		b.Fill("#email", email)
		b.Fill("#senha", password)
		b.Press("Entrar")
		b.At(deep)
		b.Click(`button[aria-label="Sair"]`)
		b.At("/entrar")
		b.Visit("/nada")
		for range 3 {
			b.Back()
			b.At("/entrar")
			b.SeeNot("iracema@example.com")
			b.SeeNot("Aroeira Crédito")
		}
	})
}
