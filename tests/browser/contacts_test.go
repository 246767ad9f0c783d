package browser

import (
	"testing"

	"github.com/chromedp/chromedp/kb"

	"fichario/tests/testkit/browsertest"
)

func TestSlowALeadArrivesAndIsWorkedOn(t *testing.T) {
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
		b.Press("Abrir")
		b.See("Prazo: dezembro", "Formulário do site", "Marina Tavares")
		b.Accessible()
		b.Fill("textarea[name=texto]", "Ligar depois das 14 h")
		b.Press("Anotar")
		b.See("Ligar depois das 14 h")
		if focus := browsertest.Eval[string](b, "document.activeElement.id"); focus != "texto" {
			t.Errorf("after a note the focus is at %q", focus)
		}
		b.Press("Documentos")
		b.Accessible()
		b.Fill("input[name=documento]", "529.982.247-25")
		b.See("R$ 0,45")
		b.Accessible()
		b.Press("Cadastro de pessoa") // with its price
		b.See("Cobrado: R$ 0,45", "529.982.247-25", "em 1 consulta")
		b.Accessible()
		b.Click(".asked-line a")
		b.See("Resposta original do bureau")
		b.Visit("/contatos?q=98765")
		b.Press(hostile)
		b.Press("Abrir")
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

func TestSlowACardIsMovedByMenuAndByKeyboard(t *testing.T) {
	t.Parallel()
	glance(t, func(t *testing.T, p *place, b *browsertest.Browser) {
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
		browsertest.Eval[bool](b, "(window.fetch = async () => { throw new TypeError('no network') }, "+
			"document.querySelector('.lead h3 a').focus(), true)")
		b.Key(" ")
		b.Key(kb.ArrowLeft)
		b.Key(" ")
		b.See("Não deu para mover Gael Bittencourt. Confira a rede e tente de novo.")
		if got := browsertest.Eval[string](b, stageOf); got != "Negociação" {
			t.Errorf("without a network the card is in %s", got)
		}
		b.Accessible()
		b.Size(360, true)
		b.Visit("/funil")
		b.Accessible()
		b.Click(".lead summary") // scrolls its stage into view
		const scrolled = "document.querySelector('.board').scrollLeft"
		before := browsertest.Eval[float64](b, scrolled)
		b.Press("Novo")
		b.See("Movido para Novo")
		if got := browsertest.Eval[float64](b, scrolled); before == 0 || got != before {
			t.Errorf("the board was scrolled by %.0f pixels, and is by %.0f after a card was moved", before, got)
		}
	})
}

// TestSlowAContactIsChangedAtOnce: stage and assignee apply on change and can be undone, by keyboard too; Ctrl+Enter
// notes.
func TestSlowAContactIsChangedAtOnce(t *testing.T) {
	t.Parallel()
	glance(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		p.send(t, "nome", "Gael Bittencourt", "email", "gael@example.com", "valor", "R$ 73.400")
		b.Visit("/contatos?q=gael")
		b.Press("Gael Bittencourt")
		b.Press("Abrir")
		b.SeeNot("Mover\n")
		choose := func(css, words string) {
			browsertest.Eval[bool](b, "(s => { s.value = [...s.options].find(o => o.text === '"+words+
				"').value; s.dispatchEvent(new Event('change', {bubbles: true})); return true })(document.querySelector('"+css+"'))")
		}
		stage := `document.querySelector('#para').selectedOptions[0].text`
		choose("#para", "Proposta")
		b.See("Movido para Proposta")
		b.Press("Desfazer") // at once: a slow machine takes longer for what follows than that is offered
		b.See("Movido para Novo")
		if got := browsertest.Eval[string](b, stage); got != "Novo" {
			t.Errorf("undone, the stage is %s", got)
		}
		choose("#para", "Proposta")
		b.See("Movido para Proposta", "Desfazer")
		for _, width := range []int64{360, 1280} {
			for _, dark := range []bool{true, false} {
				b.Size(width, dark)
				b.Accessible()
			}
		}
		choose("#para", "Novo")
		b.See("Movido para Novo")
		b.Window(360, 740)
		before := browsertest.Eval[float64](b, "document.querySelector('#para').scrollIntoView(), scrollY")
		choose("#para", "Em contato")
		b.See("Movido para Em contato")
		if got := browsertest.Eval[float64](b, "scrollY"); before == 0 || got != before {
			t.Errorf("the page stood at %.0f, and stands at %.0f after a change", before, got)
		}
		b.Press("Desfazer")
		b.See("Movido para Novo")
		b.Window(1280, 900)
		browsertest.Eval[bool](b, "(document.querySelector('#para').focus(), true)")
		b.Key(kb.ArrowDown)
		b.Key(kb.ArrowDown) // values passed on the way do not count
		b.See("Movido para Proposta")
		if got := browsertest.Eval[string](b, "document.activeElement.id"); got != "para" {
			t.Errorf("the focus is on %q after the change", got)
		}
		b.Fill("#texto", "Ligar depois das 14 h")
		browsertest.Eval[bool](b, "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', "+
			"{key: 'Enter', ctrlKey: true, bubbles: true, cancelable: true}))")
		b.See("Nota acrescentada", "Ligar depois das 14 h")
	})
}
