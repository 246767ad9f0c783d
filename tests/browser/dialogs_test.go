package browser

import (
	"testing"

	"github.com/chromedp/chromedp/kb"

	"fichario/tests/testkit/browsertest"
)

// TestSlowQuestionsHoldTheKeyboard: destructive actions ask first, with the focus on Cancelar, and nothing else is
// reachable until the question is answered.
func TestSlowQuestionsHoldTheKeyboard(t *testing.T) {
	t.Parallel()
	glance(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		b.Visit("/webhooks")
		b.Press("Formulário do site")
		b.Press("Desligar")
		b.See("Desligar “Formulário do site”?")
		focused := func() string {
			return browsertest.Eval[string](b, "document.activeElement.textContent.trim()")
		}
		if got := focused(); got != "Cancelar" {
			t.Errorf("the focus is on %q", got)
		}
		if !browsertest.Eval[bool](b, "document.querySelector('dialog').matches(':modal')") {
			t.Error("what is behind the question can be reached")
		}
		b.Accessible()
		for _, want := range []string{"Desligar", "Cancelar", "Desligar"} {
			b.Key(kb.Tab)
			if got := focused(); got != want {
				t.Errorf("Tab leads to %q, not %q", got, want)
			}
		}
		b.Key(kb.Escape)
		b.SeeNot("Desligar “Formulário do site”?")
		if got := focused(); got != "Desligar" {
			t.Errorf("afterwards the focus is on %q", got)
		}
		b.Visit(b.Path() + "?perguntar=off") // as without script
		b.See("Desligar “Formulário do site”?")
		b.SeeNot("Entregas")
		b.Accessible()
		b.Press("Cancelar")
		b.See("Entregas")
		b.Press("Desligar")
		b.Click("dialog:modal .btn-x")
		b.See("Este webhook está desligado")
	})
}

// TestSlowStagesAreDraggedToTheirPlace, or moved with Subir and Descer, which need no script.
func TestSlowStagesAreDraggedToTheirPlace(t *testing.T) {
	t.Parallel()
	glance(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		order := func() string {
			return browsertest.Eval[string](b,
				"[...document.querySelectorAll('tr[data-stage] th bdi')].slice(0, 3).map(e => e.textContent).join(', ')")
		}
		b.Visit("/equipe/funis")
		b.Click("tr[data-stage]:nth-child(2) form button") // Subir
		b.See("Funil guardado")
		if got := order(); got != "Em contato, Novo, Proposta" {
			t.Errorf("after Subir: %s", got)
		}
		b.Visit("/equipe/funis")
		browsertest.Eval[bool](b, `(() => {
			const rows = document.querySelectorAll('tr[data-stage]'), data = new DataTransfer()
			const fire = (target, type, y) => target.dispatchEvent(new DragEvent(type,
				{bubbles: true, cancelable: true, dataTransfer: data, clientY: y}))
			data.dropEffect = 'move'
			fire(rows[0], 'dragstart', 0)
			fire(rows[2], 'dragover', rows[2].getBoundingClientRect().bottom - 1)
			fire(rows[2], 'drop', 0)
			const end = new DragEvent('dragend', {bubbles: true})
			Object.defineProperty(end, 'dataTransfer', {value: {dropEffect: 'move'}})
			return rows[0].dispatchEvent(end)
		})()`)
		b.See("Funil guardado")
		if got := order(); got != "Novo, Proposta, Em contato" {
			t.Errorf("dragged: %s", got)
		}
		b.Press("Tirar")
		b.See("Tirar a etapa")
		b.Press("Cancelar")
	})
}
