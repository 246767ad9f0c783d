package browser

import (
	"testing"

	"github.com/chromedp/chromedp/kb"

	"fichario/tests/testkit/browsertest"
)

func TestALeadArrivesAndIsWorkedOn(t *testing.T) {
	t.Parallel()
	journey(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		b.See("Nenhum contato ainda")
		hostile := "<script>alert(1)</script> Otávio"
		status := p.send(t, "nome", hostile, "email", "otavio@example.com", "telefone", "(11) 98765-4321",
			"valor", "R$ 18.000", "Prazo", "dezembro")
		if status != 200 {
			t.Fatalf("the post: %d", status)
		}
		b.Visit("/notificacoes")
		b.See(hostile + " chegou por Formulário do site")
		b.Accessible()
		b.Press("Marcar todas como lidas")
		for browsertest.Eval[bool](b, "document.querySelector('.unread') !== null") {
			b.See("Notificações")
		}
		b.Visit("/contatos?q=otavio")
		b.See(hostile, "R$ 18.000,00")
		b.Accessible()
		b.Press(hostile)
		b.See("Prazo: dezembro", "Formulário do site", "Marina Tavares")
		b.Accessible()
		b.Fill("textarea[name=texto]", "Ligar depois das 14 h")
		b.Press("Anotar")
		b.See("Ligar depois das 14 h")
		b.Press("Documentos")
		b.Accessible()
		b.Fill("input[name=documento]", "529.982.247-25")
		b.Press("Consultar")
		b.At("/consultar")
		b.See("R$ 0,45")
		b.Press("Consultar")
		b.See("Resposta original do bureau")
		b.Visit("/contatos?q=98765")
		b.Press(hostile)
		b.Click(`main a[href$="/documentos"]`)
		b.See("529.982.247-25", "R$ 0,45")
		b.Press("Histórico")
		b.See("Formulário do site", "Ligar depois das 14 h", "Marina Tavares")
		b.Accessible()
		b.Size(360, false)
		b.Visit("/contatos")
		b.Accessible()
	})
}

func TestACardIsMovedByMenuAndByKeyboard(t *testing.T) {
	t.Parallel()
	journey(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		p.send(t, "nome", "Gael Bittencourt", "email", "gael@example.com", "valor", "R$ 73.400")
		b.Visit("/funil")
		b.See("Gael Bittencourt", "Em contato")
		b.Accessible()
		stageOf := `[...document.querySelectorAll('.stage')].find(s => s.textContent.includes('Gael'))?.dataset.name`
		b.Click(".lead summary")
		b.Press("Proposta")
		b.See("Gael Bittencourt")
		for browsertest.Eval[string](b, stageOf+" || ''") != "Proposta" {
			b.See("Gael Bittencourt")
		}
		b.Visit("/funil")
		browsertest.Eval[bool](b, "document.querySelector('.lead h3 a').focus(), true")
		b.Key(" ")
		b.Key(kb.ArrowRight)
		b.Key(" ")
		b.See("Gael Bittencourt movido para Negociação")
		b.Visit("/funil")
		if got := browsertest.Eval[string](b, stageOf); got != "Negociação" {
			t.Errorf("after a new look the card is in %s", got)
		}
		b.Size(360, true)
		b.Accessible()
	})
}
