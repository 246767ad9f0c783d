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
		b.Visit("/webhooks")
		b.Press("Ver os recusados")
		b.See("Recusada")
		h := &hands{Browser: b}
		h.press("Abrir")
		b.See("Qual campo é o e-mail?", "O contato seria", "bianca@example.com", "Refazer 2 envios recusados")
		b.Accessible()
		h.press("Lembrar e refazer")
		b.See("Contato criado a partir do envio guardado", "1 contato criado dos recusados com este campo")
		if h.n > 3 {
			t.Errorf("from a refused post to its contact: %d clicks", h.n)
		}
		if status := p.send(t, "nome", "Plínio Sá", "receipt_to", "plinio@example.com"); status != 200 {
			t.Errorf("the next post: %d", status)
		}

		p.send(t, "nome", "Joana Brandolim", "seller_email", "loja@example.com", "amiga", "joana@example.com")
		b.Visit("/webhooks")
		b.Press("Ver os recusados")
		h.n = 0
		h.press("Abrir")
		b.See("Qual campo é o e-mail?")
		h.click("input[value=amiga]")
		b.See("Substitui o campo “receipt_to”")
		h.press("Lembrar e refazer")
		b.See("Contato criado a partir do envio guardado", "Joana Brandolim")
		if h.n > 3 {
			t.Errorf("with another key: %d clicks", h.n)
		}

		b.Visit("/webhooks")
		b.Press("Ver os recusados")
		h.n = 0
		h.click("tbody tr:last-child a.btn")
		b.See("Novo contato com o que foi lido", "Não há e-mail neste envio")
		b.Accessible()
		b.Fill("#email", "gael@example.com")
		h.press("Criar contato")
		b.See("Contato criado a partir do envio guardado", "Gael Bittencourt", "Cor: azul")
		if h.n > 3 {
			t.Errorf("by hand: %d clicks", h.n)
		}
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
	glance(t, func(t *testing.T, _ *place, b *browsertest.Browser) {
		h := &hands{Browser: b}
		b.Visit("/webhooks")
		h.press("Novo webhook")
		b.Fill("#nome", "Campanha de novembro")
		h.press("Guardar")
		b.See("Webhook criado")
		h.click("button[data-copy='pronto']")
		if h.n > 3 {
			t.Errorf("a webhook with the code of its form: %d clicks", h.n)
		}
		b.See("Testar", "Nenhum envio ainda")
		b.Accessible()
		b.Visit("/webhooks")
		b.See("Campanha de novembro")
		b.Accessible()

		b.Visit("/chaves")
		h.n = 0
		h.press("Nova chave")
		b.Fill("#nome", "ERP")
		b.Fill("#dia", "20")
		b.Fill("#mes", "200")
		h.press("Criar chave")
		b.See("Copie a chave agora")
		h.click("button[data-copy='segredo']")
		if h.n > 4 {
			t.Errorf("a key with caps: %d clicks", h.n)
		}
		b.Visit("/chaves")
		b.See("ERP", "0 de 20", "0 de 200")
		b.Accessible()
	})
}
