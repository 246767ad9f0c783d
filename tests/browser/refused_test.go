package browser

import (
	"testing"

	"fichario/tests/testkit/browsertest"
)

// TestSlowARefusedPostBecomesAContactInThreeClicks: by the key that the page suggests, by another key, or by hand; and
// the webhook keeps the key.
func TestSlowARefusedPostBecomesAContactInThreeClicks(t *testing.T) {
	t.Parallel()
	journey(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		p.send(t, "nome", "Gael Bittencourt", "telefone", "(11) 98765-4321", "Cor", "azul")
		p.send(t, "nome", "Iracema Vasconcelos", "receipt_to", "iracema@example.com")
		p.send(t, "nome", "Bianca Lustosa", "receipt_to", "bianca@example.com")
		h := &hands{Browser: b}
		h.job(t, "refused post to contact", "/", func() {
			h.click(`main a[href*="resultado=refused"]`)
			b.See("Recusada")
			h.press("Abrir")
			b.See("Qual campo é o e-mail?", "O contato seria", "bianca@example.com", "Refazer 2 envios recusados")
			b.Accessible()
			h.press("Lembrar e refazer")
			b.See("Contato criado a partir do envio guardado", "1 contato criado dos recusados com este campo")
		})
		if status := p.send(t, "nome", "Plínio Sá", "receipt_to", "plinio@example.com"); status != 200 {
			t.Errorf("the next post: %d", status)
		}

		p.send(t, "nome", "Joana Brandolim", "seller_email", "loja@example.com", "amiga", "joana@example.com")
		h.job(t, "refused post to contact, by another key", "/", func() {
			h.click(`main a[href*="resultado=refused"]`)
			h.press("Abrir")
			b.See("Qual campo é o e-mail?")
			h.click("input[value=amiga]")
			b.See("Substitui o campo “receipt_to”")
			h.press("Lembrar e refazer")
			b.See("Contato criado a partir do envio guardado", "Joana Brandolim")
		})

		h.job(t, "refused post to contact, by hand", "/", func() {
			h.click(`main a[href*="resultado=refused"]`)
			b.See("Recusada")
			h.click("tbody tr:last-child a.btn")
			b.See("Novo contato com o que foi lido", "Não há e-mail neste envio")
			b.Accessible()
			h.fill("#email", "gael@example.com")
			h.press("Criar contato")
			b.See("Contato criado a partir do envio guardado", "Gael Bittencourt", "Cor: azul")
		})
		b.Visit("/")
		b.See("Painel")
		b.SeeNot("recusou")
		b.Visit("/webhooks")
		b.SeeNot("recusou")
	})
}

// TestSlowAWebhookAndAKeyAreMadeInFewClicks: a webhook with the code of its form in three, a key with its caps in four.
func TestSlowAWebhookAndAKeyAreMadeInFewClicks(t *testing.T) {
	t.Parallel()
	glance(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		p.send(t, "nome", "Gael Bittencourt", "email", "gael@example.com")
		h := &hands{Browser: b}
		h.job(t, "webhook with form code", "/", func() {
			h.press("Novo webhook")
			h.fill("#nome", "Campanha de novembro")
			h.press("Guardar")
			b.See("Webhook criado")
			h.click("button[data-copy='pronto']")
		})
		b.See("Testar", "Nenhum envio ainda")
		b.Accessible()
		b.Visit("/webhooks")
		b.See("Campanha de novembro")
		b.Accessible()

		h.job(t, "key with caps", "/", func() {
			h.click(".nav a[href='/chaves']")
			h.press("Nova chave")
			h.fill("#nome", "ERP")
			h.tab("#dia", "20")
			h.tab("#mes", "200")
			h.press("Criar chave")
			b.See("Copie a chave agora")
			h.click("button[data-copy='segredo']")
		})
		b.Visit("/chaves")
		b.See("ERP", "0 de 20", "0 de 200")
		b.Accessible()
	})
}
